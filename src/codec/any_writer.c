/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The writer keeps the declarations that it wrote and that are in scope as a stack, and adds to a start tag
 * those that are missing there: for the element's own prefix, those of its attributes, and all that the
 * element declares itself. What surrounds the fragment declares nothing that it may rely on, so the default
 * namespace counts as unknown at first and xmlns="" is written out where it is needed.
 *
 * Prefixes in values (QNames in content) cannot be known without a schema. A text or attribute value in which
 * "name:" stands, with a name that is a prefix in scope at the reader, is taken to use it, and the
 * declaration is added to the element that holds it. For this a start tag stays open, and its attributes and
 * the text after it are gathered, until the next tag comes.
 *
 * Invariant: what was written, read and written again is the same text, since equal content is equal text. So
 * the declarations of a tag stand before its attributes, in the order in which a reader gives them.
 */
#include "codec/any_writer.h"

#include "base/buffer.h"
#include "base/memory.h"
#include "base/vector.h"
#include "codec/xml_encoder.h"

/* Bytes at the front of a value that are looked through for prefixes; names and expressions are short. */
#define USED_PREFIXES_SIZE 4096

struct binding {
	struct bytes prefix, uri; /* the reader's, valid as long as its document */
	size_t depth;		  /* of the element that declares it */
};

struct open_element {
	struct bytes prefix, name;
};

struct any_writer {
	const struct xml_reader *reader;
	struct buffer out;
	struct buffer attributes; /* of the open tag */
	struct buffer text;	  /* gathered, not escaped yet */
	struct vector bindings;
	struct vector elements;
	bool tag_open; /* the last start tag lacks its end */
};

static enum status put(struct any_writer *writer, const char *text)
{
	return buffer_append(&writer->out, bytes_of(text));
}

static const struct binding *find_binding(const struct any_writer *writer, struct bytes prefix)
{
	for (size_t i = writer->bindings.length; i > 0; i--) {
		const struct binding *binding = vector_at(&writer->bindings, i - 1);
		if (bytes_equal(binding->prefix, prefix))
			return binding;
	}
	return NULL;
}

/* Declares the prefix in the open tag unless it means that already. */
static enum status declare(struct any_writer *writer, struct bytes prefix, struct bytes uri)
{
	const struct binding *known = find_binding(writer, prefix);
	if ((known && bytes_equal(known->uri, uri)) || bytes_equal(prefix, bytes_of("xml")))
		return ST_OK;
	struct binding *binding = vector_push(&writer->bindings);
	*binding = (struct binding){prefix, uri, writer->elements.length};
	enum status status = put(writer, prefix.size > 0 ? " xmlns:" : " xmlns");
	if (status == ST_OK)
		status = buffer_append(&writer->out, prefix);
	if (status == ST_OK)
		status = put(writer, "=\"");
	if (status == ST_OK)
		status = xml_escape(&writer->out, uri, true);
	return status == ST_OK ? put(writer, "\"") : status;
}

static bool is_name(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
	       c == '-' || c == '.' || (unsigned char)c >= 0x80;
}

static bool is_declared_on(const struct xml_start *start, struct bytes prefix)
{
	for (size_t i = 0; i < start->namespace_count; i++) {
		if (bytes_equal(start->namespaces[i].prefix, prefix))
			return true;
	}
	return false;
}

/* Declares what a value seems to use. `next`: an element that began behind the value already, so that what it
 * declares is in the reader's scope, but does not hold for the value; or NULL. */
static enum status declare_used(struct any_writer *writer, struct bytes value, const struct xml_start *next)
{
	if (value.size > USED_PREFIXES_SIZE)
		value.size = USED_PREFIXES_SIZE;
	enum status status = ST_OK;
	const char *end = value.data + value.size;
	const char *colon = value.size > 0 ? memchr(value.data, ':', value.size) : NULL;
	for (; colon && status == ST_OK; colon = memchr(colon + 1, ':', (size_t)(end - colon - 1))) {
		const char *start = colon;
		while (start > value.data && is_name(start[-1]))
			start--;
		struct bytes prefix = {start, (size_t)(colon - start)};
		struct bytes uri = {0};
		if (prefix.size > 0 && !(next && is_declared_on(next, prefix)) &&
		    xml_reader_resolve_interned(writer->reader, &prefix, &uri))
			status = declare(writer, prefix, uri);
	}
	return status;
}

/* Ends the open tag, all of whose declarations are written, with `end`. */
static enum status close_tag(struct any_writer *writer, const char *end)
{
	enum status status = buffer_append(&writer->out, buffer_get(&writer->attributes));
	buffer_clear(&writer->attributes, writer->attributes.capacity);
	writer->tag_open = false;
	return status == ST_OK ? put(writer, end) : status;
}

/* Ends the open tag and writes the gathered text. `next`: the element that begins now, or NULL. */
static enum status flush(struct any_writer *writer, const struct xml_start *next)
{
	struct bytes text = buffer_get(&writer->text);
	enum status status = ST_OK;
	if (writer->tag_open) {
		status = declare_used(writer, text, next);
		if (status == ST_OK)
			status = close_tag(writer, ">");
	}
	if (status == ST_OK)
		status = xml_escape(&writer->out, text, false);
	buffer_clear(&writer->text, writer->text.capacity);
	return status;
}

static enum status put_name(struct buffer *out, struct bytes prefix, struct bytes name)
{
	enum status status = ST_OK;
	if (prefix.size > 0) {
		status = buffer_append(out, prefix);
		if (status == ST_OK)
			status = buffer_append(out, bytes_of(":"));
	}
	return status == ST_OK ? buffer_append(out, name) : status;
}

static enum status put_attribute(struct buffer *out, const struct xml_attribute *attribute)
{
	enum status status = buffer_append(out, bytes_of(" "));
	if (status == ST_OK)
		status = put_name(out, attribute->prefix, attribute->name);
	if (status == ST_OK)
		status = buffer_append(out, bytes_of("=\""));
	if (status == ST_OK)
		status = xml_escape(out, attribute->value, true);
	return status == ST_OK ? buffer_append(out, bytes_of("\"")) : status;
}

struct any_writer *any_writer_new(const struct xml_reader *reader, size_t size_limit)
{
	struct any_writer *writer = memory_zalloc(sizeof(*writer));
	writer->reader = reader;
	buffer_init(&writer->out, size_limit);
	buffer_init(&writer->attributes, size_limit);
	buffer_init(&writer->text, size_limit);
	vector_init(&writer->bindings, sizeof(struct binding));
	vector_init(&writer->elements, sizeof(struct open_element));
	return writer;
}

void any_writer_free(struct any_writer *writer)
{
	if (!writer)
		return;
	buffer_fini(&writer->out);
	buffer_fini(&writer->attributes);
	buffer_fini(&writer->text);
	vector_fini(&writer->bindings);
	vector_fini(&writer->elements);
	memory_free(writer);
}

enum status any_writer_start(struct any_writer *writer, const struct xml_start *start)
{
	enum status status = flush(writer, start);
	struct open_element *element = vector_push(&writer->elements);
	*element = (struct open_element){start->prefix, start->name};
	if (status == ST_OK)
		status = put(writer, "<");
	if (status == ST_OK)
		status = put_name(&writer->out, start->prefix, start->name);
	for (size_t i = 0; i < start->namespace_count && status == ST_OK; i++)
		status = declare(writer, start->namespaces[i].prefix, start->namespaces[i].uri);
	if (status == ST_OK)
		status = declare(writer, start->prefix, start->ns);
	for (size_t i = 0; i < start->attribute_count && status == ST_OK; i++) {
		const struct xml_attribute *attribute = &start->attributes[i];
		if (attribute->prefix.size > 0)
			status = declare(writer, attribute->prefix, attribute->ns);
		if (status == ST_OK)
			status = declare_used(writer, attribute->value, NULL);
	}
	for (size_t i = 0; i < start->attribute_count && status == ST_OK; i++)
		status = put_attribute(&writer->attributes, &start->attributes[i]);
	writer->tag_open = true;
	return status;
}

enum status any_writer_text(struct any_writer *writer, struct bytes text)
{
	return buffer_append(&writer->text, text);
}

enum status any_writer_end(struct any_writer *writer)
{
	struct open_element element =
		*(struct open_element *)vector_at(&writer->elements, writer->elements.length - 1);
	enum status status;
	if (writer->tag_open && buffer_size(&writer->text) == 0) {
		status = close_tag(writer, "/>");
	} else {
		status = flush(writer, NULL);
		if (status == ST_OK)
			status = put(writer, "</");
		if (status == ST_OK)
			status = put_name(&writer->out, element.prefix, element.name);
		if (status == ST_OK)
			status = put(writer, ">");
	}
	while (writer->bindings.length > 0) {
		const struct binding *last = vector_at(&writer->bindings, writer->bindings.length - 1);
		if (last->depth < writer->elements.length)
			break;
		vector_pop(&writer->bindings);
	}
	vector_pop(&writer->elements);
	return status;
}

size_t any_writer_depth(const struct any_writer *writer)
{
	return writer->elements.length;
}

enum status any_writer_finish(struct any_writer *writer, struct text **text)
{
	enum status status = flush(writer, NULL);
	if (status == ST_OK)
		*text = text_new(buffer_get(&writer->out), 0);
	return status;
}
