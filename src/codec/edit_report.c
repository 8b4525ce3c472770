/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is wrong with an edit's content, as diagnostics: each with the instance path of the open node as far
 * as it was seen, in the form of tree_position_path (module names as prefixes, keys as predicates). A hostile
 * request can make an error of each element, so nothing is put together once the list of diagnostics is full,
 * and names are cut.
 */
#include "codec/edit_assemble.h"
#include "base/assert.h"
#include "base/buffer.h"
#include "schema/qname.h"

#define NS_NETCONF "urn:ietf:params:xml:ns:netconf:base:1.0"
#define NS_YANG "urn:ietf:params:xml:ns:yang:1"
#define NAME_MAX_SIZE 256     /* bytes of a client's name in a diagnostic */
#define MESSAGE_MAX_SIZE 1024 /* bytes of a message, which may quote a value */
#define LITERAL_MAX_SIZE 4096 /* bytes of a key in a path; the rest of a longer one is left out */

struct path {
	struct edit_assembler *assembler;
	struct diag *diag;
	struct buffer out; /* without limit, so appending does not fail */
};

static void put(struct path *path, struct bytes bytes)
{
	ASSERT(buffer_append(&path->out, bytes) == ST_OK);
}

static void put_name(struct path *path, const struct schema_node *node)
{
	put(path, bytes_of(node->module->name));
	put(path, bytes_of(":"));
	put(path, node->name_bytes);
	diag_add_prefix(path->assembler->diags, path->diag, node->module->name, node->module->ns);
}

/* At most `size` bytes, not ending within a character. */
static size_t cut(struct bytes text, size_t size)
{
	if (text.size <= size)
		return text.size;
	while (size > 0 && ((unsigned char)text.data[size] & 0xc0) == 0x80)
		size--;
	return size;
}

/* XPath has no escapes: a literal with both kinds of quotes is put together by concat(). */
static void put_literal(struct path *path, struct bytes text)
{
	if (text.size > LITERAL_MAX_SIZE)
		text.size = cut(text, LITERAL_MAX_SIZE);
	bool has_single = text.size > 0 && memchr(text.data, '\'', text.size);
	bool has_double = text.size > 0 && memchr(text.data, '"', text.size);
	if (!has_single || !has_double) {
		struct bytes quote = bytes_of(has_single ? "\"" : "'");
		put(path, quote);
		put(path, text);
		put(path, quote);
		return;
	}
	put(path, bytes_of("concat("));
	const char *at = text.data;
	const char *end = at + text.size;
	while (at < end) {
		char quote = *at == '\'' ? '"' : '\'';
		const char *stop = memchr(at, quote, (size_t)(end - at));
		if (!stop)
			stop = end;
		if (at > text.data)
			put(path, bytes_of(","));
		put(path, (struct bytes){&quote, 1});
		put(path, (struct bytes){at, (size_t)(stop - at)});
		put(path, (struct bytes){&quote, 1});
		at = stop;
	}
	put(path, bytes_of(")"));
}

/* A value with names in it, as XML has it, and their prefixes. */
static void put_names(struct path *path, struct bytes text)
{
	const struct schema *schema = path->assembler->schema;
	struct buffer expanded;
	buffer_init(&expanded, SIZE_MAX);
	if (schema_qname_expand(schema, &expanded, text) == ST_OK)
		put_literal(path, buffer_get(&expanded));
	buffer_fini(&expanded);
	schema_qname_declare(schema, text, path->assembler->diags, path->diag);
}

static void put_key(struct path *path, const struct edit_node *key)
{
	put(path, bytes_of("["));
	put_name(path, key->schema);
	put(path, bytes_of("="));
	const struct text *shared = value_shared_text(key->value);
	if (shared && (shared->flags & TEXT_QNAME))
		put_names(path, text_bytes(shared));
	else
		put_literal(path, value_bytes(&key->value));
	put(path, bytes_of("]"));
}

static void put_step(struct path *path, const struct edit_node *node)
{
	put(path, bytes_of("/"));
	put_name(path, node->schema);
	if (node->schema->kind != SCHEMA_LIST)
		return;
	/* Keys that came late may stand behind a million of other nodes: only the front is looked at. */
	size_t budget = 4 * (size_t)node->schema->key_count;
	for (const struct edit_node *child = node->children; child && budget > 0;
	     child = child->next, budget--) {
		if (child->schema->is_key && !value_is_none(child->value))
			put_key(path, child);
	}
}

static void set_path(struct edit_assembler *assembler, struct diag *diag, const struct schema_node *child)
{
	struct path path = {.assembler = assembler, .diag = diag};
	buffer_init(&path.out, SIZE_MAX);
	put(&path, bytes_of(codec__operation_prefix(assembler->content)));
	if (buffer_size(&path.out) > 0)
		diag_add_prefix(assembler->diags, diag, "nc", NS_NETCONF);
	if (assembler->content == EDIT_CONTENT_ACTION)
		diag_add_prefix(assembler->diags, diag, "yang", NS_YANG);
	for (size_t i = 1; i < assembler->depth; i++)
		put_step(&path, assembler->frames[i].node);
	if (child) {
		put(&path, bytes_of("/"));
		put_name(&path, child);
	}
	if (buffer_size(&path.out) > 0) {
		put(&path, (struct bytes){"", 1});
		diag_set_path(assembler->diags, diag, buffer_get(&path.out).data);
	}
	buffer_fini(&path.out);
}

static void add_name(struct edit_assembler *assembler, struct diag *diag, const char *info, struct bytes name)
{
	char text[NAME_MAX_SIZE + 1];
	size_t size = cut(name, NAME_MAX_SIZE);
	if (size > 0)
		memcpy(text, name.data, size);
	text[size] = '\0';
	diag_add_info(assembler->diags, diag, info, text);
}

struct diag *codec__edit_report(struct edit_assembler *assembler, enum diag_tag tag,
				const struct schema_node *child, struct bytes name, const char *message)
{
	assembler->failed = true;
	bool kept = assembler->diags->length < assembler->diags->limit;
	int size = (int)cut(bytes_of(message), MESSAGE_MAX_SIZE);
	struct diag *diag = diag_add(assembler->diags, DIAG_APPLICATION, tag, "%.*s", size, message);
	if (!kept)
		return diag;
	set_path(assembler, diag, child);
	if (name.data)
		add_name(assembler, diag, "bad-element", name);
	return diag;
}

void codec__edit_report_attribute(struct edit_assembler *assembler, enum diag_tag tag,
				  const struct schema_node *child, struct bytes attribute,
				  const char *message)
{
	struct diag *diag = codec__edit_report(assembler, tag, child, (struct bytes){0}, message);
	const struct schema_node *node = child ? child : codec__edit_top(assembler)->node->schema;
	add_name(assembler, diag, "bad-attribute", attribute);
	if (node->kind != SCHEMA_ROOT)
		add_name(assembler, diag, "bad-element", node->name_bytes);
}

void codec__edit_report_namespace(struct edit_assembler *assembler, struct bytes name, struct bytes ns)
{
	struct diag *diag = codec__edit_report(assembler, DIAG_UNKNOWN_NAMESPACE, NULL, name,
					       "The namespace of the element is not one of the schema.");
	add_name(assembler, diag, "bad-namespace", ns);
}
