/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * XML to JSON text, by way of an element tree, since elements of the same name become one array wherever they
 * stand. The children of an element are put into groups by name; a group is a member. The walk is recursive:
 * an element tree is as deep as the limit of the reader.
 */
#include "codec/json_any.h"

#include "base/assert.h"
#include "base/hash_table.h"
#include "codec/element.h"
#include "codec/json_value.h"

#define DEPTH_MAX 1024			    /* of content, which came through readers with smaller limits */
#define CONTENT_SIZE_MAX ((size_t)16 << 20) /* bytes that are converted */
#define NUMBER_SIZE_MAX 15		    /* digits, which all readers of JSON keep (RFC 7493 2.2) */

struct item {
	struct item *next;
	const struct element *element;
};

/* The elements of one name in one parent. */
struct group {
	struct group *next;
	struct item *items, *last_item;
};

struct writer {
	const struct schema *schema;
	struct arena *arena, *scratch;
	struct buffer *out;
};

/* How a typed value's prefixes are resolved. */
struct element_prefixes {
	struct schema_prefixes base; /* first */
	const struct schema *schema;
	const struct element *element;
};

/* The output has no limit that it could reach: its size is bounded by that of the content. */
static void put(struct writer *writer, struct bytes text)
{
	ASSERT(buffer_append(writer->out, text) == ST_OK);
}

static void put_text(struct writer *writer, const char *text)
{
	put(writer, bytes_of(text));
}

static void put_string(struct writer *writer, struct bytes text)
{
	ASSERT(codec__json_put(writer->out, JSON_FORM_STRING, text) == ST_OK);
}

static bool is_blank(struct bytes text)
{
	for (size_t i = 0; i < text.size; i++) {
		if (!memchr(" \t\r\n", text.data[i], 4))
			return false;
	}
	return true;
}

static bool is_mixed(const struct element *element)
{
	if (element->children && !is_blank(element->text))
		return true;
	for (const struct element *child = element->children; child; child = child->next) {
		if (is_mixed(child))
			return true;
	}
	return false;
}

/* The part of a name before the colon: nothing where the namespace is `scope`. */
static void put_name(struct writer *writer, struct bytes ns, struct bytes name, struct bytes scope)
{
	if (!bytes_equal(ns, scope)) {
		const struct schema_module *module = schema_module_find_ns(writer->schema, ns);
		struct bytes prefix = module ? bytes_of(module->name) : ns;
		ASSERT(codec__json_escape(writer->out, prefix) == ST_OK);
		put_text(writer, ":");
	}
	put(writer, name);
}

static const struct schema_module *resolve(const struct schema_prefixes *self, struct bytes prefix)
{
	const struct element_prefixes *prefixes = (const struct element_prefixes *)self;
	struct bytes uri = element_resolve(prefixes->element, prefix);
	return uri.data ? schema_module_find_ns(prefixes->schema, uri) : NULL;
}

/* A value of a leaf or annotation that the schema has; false where it is not of the type. `local`: its
 * module. */
static bool put_typed(struct writer *writer, const struct element *element, struct bytes lexical,
		      const struct schema_type *type, const struct schema_module *local)
{
	struct element_prefixes prefixes = {{.resolve = resolve}, writer->schema, element};
	struct value value;
	enum status status = schema_type_parse(writer->schema, type, lexical, &prefixes.base, writer->scratch,
					       &value, NULL);
	arena_reset(writer->scratch);
	if (status != ST_OK)
		return false;
	struct bytes text = value_bytes(&value);
	enum json_form form = codec__json_form(writer->schema, type, local, text, writer->scratch);
	ASSERT(codec__json_put(writer->out, form, text) == ST_OK);
	value_unref(value);
	return true;
}

static bool looks_like_integer(struct bytes text)
{
	size_t start = text.size > 0 && text.data[0] == '-' ? 1 : 0;
	if (text.size == start || text.size - start > NUMBER_SIZE_MAX)
		return false;
	for (size_t i = start; i < text.size; i++) {
		if (text.data[i] < '0' || text.data[i] > '9')
			return false;
	}
	return text.data[start] != '0' || text.size == 1;
}

static void put_untyped(struct writer *writer, struct bytes text)
{
	bool is_word = bytes_equal(text, bytes_of("true")) || bytes_equal(text, bytes_of("false"));
	if (text.size == 0)
		put_text(writer, "[null]");
	else if (is_word || looks_like_integer(text))
		put(writer, text);
	else
		put_string(writer, text);
}

static void put_object(struct writer *writer, const struct element *element, struct bytes scope,
		       const struct schema_node *node);

static bool is_object(const struct element *element, const struct schema_node *node)
{
	return element->children || (node && (node->kind == SCHEMA_CONTAINER || node->kind == SCHEMA_LIST));
}

static void put_value(struct writer *writer, const struct element *element, const struct schema_node *node)
{
	bool is_leaf = node && (node->kind == SCHEMA_LEAF || node->kind == SCHEMA_LEAF_LIST);
	if (is_object(element, node))
		put_object(writer, element, element->ns, node);
	else if (!is_leaf || !put_typed(writer, element, element->text, node->type, node->module))
		put_untyped(writer, element->text);
}

/* In the form of its type where it is an annotation that the schema has (RFC 7952 5.2.1). */
static void put_attribute_value(struct writer *writer, const struct element *element,
				const struct xml_attribute *attribute)
{
	const struct schema_module *module = schema_module_find_ns(writer->schema, attribute->ns);
	const struct schema_annotation *annotation =
		module ? schema_annotation_find(writer->schema, module, attribute->name) : NULL;
	if (!annotation || !put_typed(writer, element, attribute->value, annotation->type, module))
		put_string(writer, attribute->value);
}

static void put_attributes(struct writer *writer, const struct element *element)
{
	put_text(writer, "{");
	for (size_t i = 0; i < element->attribute_count; i++) {
		const struct xml_attribute *attribute = &element->attributes[i];
		put_text(writer, i > 0 ? ",\"" : "\"");
		put_name(writer, attribute->ns, attribute->name, (struct bytes){0});
		put_text(writer, "\":");
		put_attribute_value(writer, element, attribute);
	}
	put_text(writer, "}");
}

/* Of a value that is no object; an object has its attributes in it. */
static bool has_attributes_beside(const struct item *item, const struct schema_node *node)
{
	return item->element->attribute_count > 0 && !is_object(item->element, node);
}

/* "@name" where some value of the group wants it. */
static void put_group_attributes(struct writer *writer, const struct group *group, struct bytes scope,
				 const struct schema_node *node, bool is_array)
{
	const struct item *item = group->items;
	while (item && !has_attributes_beside(item, node))
		item = item->next;
	if (!item)
		return;
	put_text(writer, ",\"@");
	put_name(writer, item->element->ns, item->element->name, scope);
	put_text(writer, is_array ? "\":[" : "\":");
	for (item = group->items; item; item = item->next) {
		if (has_attributes_beside(item, node))
			put_attributes(writer, item->element);
		else
			put_text(writer, "null");
		if (item->next)
			put_text(writer, ",");
	}
	if (is_array)
		put_text(writer, "]");
}

static void put_group(struct writer *writer, const struct group *group, struct bytes scope,
		      const struct schema_node *parent)
{
	const struct element *first = group->items->element;
	const struct schema_module *module = schema_module_find_ns(writer->schema, first->ns);
	const struct schema_node *node =
		parent && module ? schema_child_find(writer->schema, parent, module, first->name) : NULL;
	bool is_array =
		group->items->next || (node && (node->kind == SCHEMA_LIST || node->kind == SCHEMA_LEAF_LIST));
	put_text(writer, "\"");
	put_name(writer, first->ns, first->name, scope);
	put_text(writer, is_array ? "\":[" : "\":");
	for (const struct item *item = group->items; item; item = item->next) {
		put_value(writer, item->element, node);
		if (item->next)
			put_text(writer, ",");
	}
	if (is_array)
		put_text(writer, "]");
	put_group_attributes(writer, group, scope, node, is_array);
}

static struct group *find_group(struct writer *writer, struct hash_table *groups,
				const struct element *element)
{
	size_t size = element->ns.size + 1 + element->name.size;
	char *key = arena_alloc(writer->arena, size);
	memcpy(key, element->ns.data, element->ns.size);
	key[element->ns.size] = '\0';
	memcpy(key + element->ns.size + 1, element->name.data, element->name.size);
	struct group *group = hash_table_find(groups, (struct bytes){key, size});
	if (!group) {
		group = arena_zalloc(writer->arena, sizeof(*group));
		hash_table_put(groups, (struct bytes){key, size}, group);
	}
	return group;
}

/* In the order of their first elements. */
static struct group *make_groups(struct writer *writer, const struct element *element)
{
	struct hash_table *table = hash_table_new();
	struct group *first = NULL;
	struct group **end = &first;
	for (const struct element *child = element->children; child; child = child->next) {
		struct group *group = find_group(writer, table, child);
		struct item *item = arena_zalloc(writer->arena, sizeof(*item));
		item->element = child;
		if (group->items) {
			group->last_item->next = item;
		} else {
			group->items = item;
			*end = group;
			end = &group->next;
		}
		group->last_item = item;
	}
	hash_table_free(table);
	return first;
}

static void put_object(struct writer *writer, const struct element *element, struct bytes scope,
		       const struct schema_node *node)
{
	put_text(writer, "{");
	const struct group *group = make_groups(writer, element);
	if (element->attribute_count > 0) {
		put_text(writer, "\"@\":");
		put_attributes(writer, element);
		if (group)
			put_text(writer, ",");
	}
	for (; group; group = group->next) {
		put_group(writer, group, scope, node);
		if (group->next)
			put_text(writer, ",");
	}
	put_text(writer, "}");
}

/* The content in an element of its own; NULL where it cannot be read. Costs up to 60 times the size of
 * content that is all tags. */
static const struct element *read_content(struct arena *arena, struct bytes xml)
{
	static const struct xml_reader_limits LIMITS = {
		.depth = DEPTH_MAX, .text_size = SIZE_MAX, .attributes = 4096};
	struct element_builder builder;
	element_builder_init(&builder, arena, SIZE_MAX);
	struct xml_reader *reader = xml_reader_new(&element_builder_handlers, &builder, &LIMITS);
	enum status status = xml_reader_feed(reader, bytes_of("<any>"));
	if (status == ST_OK)
		status = xml_reader_feed(reader, xml);
	if (status == ST_OK)
		status = xml_reader_feed(reader, bytes_of("</any>"));
	if (status == ST_OK)
		status = xml_reader_finish(reader);
	xml_reader_free(reader);
	return status == ST_OK ? builder.root : NULL;
}

bool json_any_write(const struct schema *schema, const struct schema_node *node, struct bytes xml,
		    struct buffer *out)
{
	struct writer writer = {schema, arena_new(), arena_new(), out};
	const struct element *content = xml.size <= CONTENT_SIZE_MAX ? read_content(writer.arena, xml) : NULL;
	bool has_form = content && !is_mixed(content);
	if (!has_form)
		put_string(&writer, xml);
	else if (content->children || content->text.size == 0)
		put_object(&writer, content, bytes_of(node->module->ns), schema->root);
	else
		put_string(&writer, content->text);
	arena_free(writer.scratch);
	arena_free(writer.arena);
	return has_form;
}
