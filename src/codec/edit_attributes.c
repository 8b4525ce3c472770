/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The attributes of an element of <config>: nc:operation (RFC 6241 7.2) and, where a list or leaf-list is
 * ordered by the user, yang:insert with yang:key or yang:value (RFC 7950 7.7.9, 7.8.6); metadata annotations
 * that the schema has (RFC 7952 5.1); on leafs wd:default (RFC 6243 4.5.2). Attributes of the xml namespace
 * are nobody's business; any other is an error (RFC 7950 8.3.1), also these where they do not belong.
 *
 * yang:key holds the predicates of an instance-identifier, "[p:a='x'][p:b='y']", with prefixes of the
 * namespaces in scope. A name without prefix is taken to be of the list's module. Each key must be there
 * once, in any order.
 */
#include "codec/edit_decode.h"

#define NS_NETCONF "urn:ietf:params:xml:ns:netconf:base:1.0"
#define NS_YANG "urn:ietf:params:xml:ns:yang:1"
#define NS_DEFAULT "urn:ietf:params:xml:ns:netconf:default:1.0"
#define NS_ORIGIN "urn:ietf:params:xml:ns:yang:ietf-origin"
#define NS_TXID "urn:ietf:params:xml:ns:netconf:txid:1.0"
#define NS_XML "http://www.w3.org/XML/1998/namespace"

static const struct {
	const char *name;
	enum edit_operation operation;
} OPERATIONS[] = {
	{"merge", EDIT_MERGE},	 {"replace", EDIT_REPLACE}, {"create", EDIT_CREATE},
	{"delete", EDIT_DELETE}, {"remove", EDIT_REMOVE},
};

static const struct {
	const char *name;
	enum edit_insert insert;
} INSERTS[] = {
	{"first", EDIT_INSERT_FIRST},
	{"last", EDIT_INSERT_LAST},
	{"before", EDIT_INSERT_BEFORE},
	{"after", EDIT_INSERT_AFTER},
};

static bool is(struct bytes bytes, const char *text)
{
	return bytes_equal(bytes, bytes_of(text));
}

static struct edit_node *top_node(const struct edit_decoder *decoder)
{
	return decoder->assembler.frames[decoder->assembler.depth - 1].node;
}

static void set_operation(struct edit_decoder *decoder, struct bytes value)
{
	for (size_t i = 0; i < sizeof(OPERATIONS) / sizeof(OPERATIONS[0]); i++) {
		if (!is(value, OPERATIONS[i].name))
			continue;
		enum edit_operation operation = OPERATIONS[i].operation;
		struct edit_frame *frame = &decoder->assembler.frames[decoder->assembler.depth - 1];
		frame->node->operation = operation;
		frame->deleting = operation == EDIT_DELETE || operation == EDIT_REMOVE;
		decoder->assembler.tree->has_operation = true;
		return;
	}
	codec__edit_report_attribute(&decoder->assembler, DIAG_BAD_ATTRIBUTE, NULL, bytes_of("operation"),
				     "The operation is not one of merge, replace, create, delete, remove.");
}

static void set_insert(struct edit_decoder *decoder, struct bytes value)
{
	for (size_t i = 0; i < sizeof(INSERTS) / sizeof(INSERTS[0]); i++) {
		if (is(value, INSERTS[i].name)) {
			top_node(decoder)->insert = INSERTS[i].insert;
			return;
		}
	}
	codec__edit_report_attribute(&decoder->assembler, DIAG_BAD_ATTRIBUTE, NULL, bytes_of("insert"),
				     "The attribute insert is not one of first, last, before, after.");
}

static void skip_blanks(struct bytes *text)
{
	while (text->size > 0 && memchr(" \t\r\n", text->data[0], 4)) {
		text->data++;
		text->size--;
	}
}

static bool take(struct bytes *text, char c)
{
	skip_blanks(text);
	if (text->size == 0 || text->data[0] != c)
		return false;
	text->data++;
	text->size--;
	return true;
}

/* Up to, not including, one of the characters; empty where none comes. */
static struct bytes take_until(struct bytes *text, const char *stops)
{
	size_t size = 0;
	while (size < text->size && !strchr(stops, text->data[size]))
		size++;
	struct bytes taken = {text->data, size < text->size ? size : 0};
	text->data += taken.size;
	text->size -= taken.size;
	return taken;
}

static const struct schema_node *find_key(struct edit_decoder *decoder, const struct schema_node *list,
					  struct bytes name)
{
	const struct schema_module *module = list->module;
	const char *colon = memchr(name.data, ':', name.size);
	if (colon) {
		struct bytes prefix = {name.data, (size_t)(colon - name.data)};
		module = decoder->prefixes.base.resolve(&decoder->prefixes.base, prefix);
		name = (struct bytes){colon + 1, name.size - prefix.size - 1};
	}
	if (!module)
		return NULL;
	const struct schema_node *key = schema_child_find(decoder->assembler.schema, list, module, name);
	return key && key->is_key ? key : NULL;
}

static bool parse_value(struct edit_decoder *decoder, const struct schema_node *leaf, struct bytes lexical,
			struct value *value)
{
	struct schema_type_error error = {0};
	enum status status =
		schema_type_parse(decoder->assembler.schema, leaf->type, lexical, &decoder->prefixes.base,
				  decoder->assembler.scratch, value, &error);
	arena_reset(decoder->assembler.scratch);
	if (status != ST_OK)
		return false;
	decoder->assembler.value_size += codec__edit_value_size(*value);
	return true;
}

/* One "[name='value']" at the front. */
static bool parse_predicate(struct edit_decoder *decoder, const struct schema_node *list, struct bytes *text,
			    struct value *keys)
{
	if (!take(text, '['))
		return false;
	skip_blanks(text);
	struct bytes name = take_until(text, "= \t\r\n");
	const struct schema_node *key = name.size > 0 ? find_key(decoder, list, name) : NULL;
	if (!key || !value_is_none(keys[key->slot]) || !take(text, '='))
		return false;
	char quote = take(text, '"') ? '"' : take(text, '\'') ? '\'' : '\0';
	if (quote == '\0')
		return false;
	char stops[2] = {quote, '\0'};
	struct bytes lexical = take_until(text, stops);
	return take(text, quote) && take(text, ']') && parse_value(decoder, key, lexical, &keys[key->slot]);
}

static bool parse_keys(struct edit_decoder *decoder, const struct schema_node *list, struct bytes text,
		       struct value *keys)
{
	uint16_t count = 0;
	for (skip_blanks(&text); text.size > 0; skip_blanks(&text)) {
		if (!parse_predicate(decoder, list, &text, keys))
			return false;
		count++;
	}
	return count == list->key_count;
}

/* The entry or value that the node is to stand before or after. */
static void set_insert_keys(struct edit_decoder *decoder, const char *attribute, struct bytes text)
{
	struct edit_node *node = top_node(decoder);
	bool is_list = node->schema->kind == SCHEMA_LIST;
	size_t count = is_list ? node->schema->key_count : 1;
	struct value *keys = arena_zalloc(decoder->assembler.tree->arena, count * sizeof(*keys));
	node->insert_keys = keys;
	bool good = is_list ? parse_keys(decoder, node->schema, text, keys)
			    : parse_value(decoder, node->schema, text, &keys[0]);
	if (!good)
		codec__edit_report_attribute(&decoder->assembler, DIAG_BAD_ATTRIBUTE, NULL,
					     bytes_of(attribute), "The attribute does not name an instance.");
}

static void set_order(struct edit_decoder *decoder, const struct xml_attribute *insert,
		      const struct xml_attribute *anchor)
{
	struct edit_node *node = top_node(decoder);
	const char *anchor_name = node->schema->kind == SCHEMA_LIST ? "key" : "value";
	if (insert)
		set_insert(decoder, insert->value);
	bool wants_anchor = node->insert == EDIT_INSERT_BEFORE || node->insert == EDIT_INSERT_AFTER;
	if (wants_anchor && !anchor)
		codec__edit_report_attribute(&decoder->assembler, DIAG_MISSING_ATTRIBUTE, NULL,
					     bytes_of(anchor_name),
					     "Before or after what to insert is missing.");
	else if (wants_anchor)
		set_insert_keys(decoder, anchor_name, anchor->value);
	else if (anchor && (!insert || node->insert != EDIT_INSERT_UNSPECIFIED))
		codec__edit_report_attribute(&decoder->assembler, DIAG_BAD_ATTRIBUTE, NULL,
					     bytes_of(anchor_name),
					     "The attribute goes with insert before or after only.");
}

/* wd:default (RFC 6243 4.5.2): what it means is known when the value is. */
static void set_default(struct edit_decoder *decoder, struct bytes value)
{
	if (is(value, "true") || is(value, "1"))
		decoder->is_default = true;
	else if (!is(value, "false") && !is(value, "0"))
		codec__edit_report_attribute(&decoder->assembler, DIAG_BAD_ATTRIBUTE, NULL,
					     bytes_of("default"), "The attribute is no boolean.");
}

static bool is_default_attribute(const struct schema_node *schema, const struct xml_attribute *attribute)
{
	return codec__edit_is_leaf(schema) && is(attribute->ns, NS_DEFAULT) && is(attribute->name, "default");
}

/* The annotation that the attribute is; NULL: none. */
static const struct schema_annotation *find_annotation(const struct edit_decoder *decoder,
						       const struct xml_attribute *attribute)
{
	const struct schema *schema = decoder->assembler.schema;
	if (schema->annotation_count == 0 || attribute->ns.size == 0)
		return NULL;
	const struct schema_module *module = schema_module_find_ns(schema, attribute->ns);
	/* The origin is the server's to tell (RFC 8342 5.3.4). */
	if (is(attribute->ns, NS_ORIGIN))
		return NULL;
	return module ? schema_annotation_find(schema, module, attribute->name) : NULL;
}

bool edit_decoder_is_txid(const struct xml_attribute *attribute)
{
	return is(attribute->ns, NS_TXID) &&
	       (is(attribute->name, "etag") || is(attribute->name, "last-modified"));
}

void codec__edit_attributes(struct edit_decoder *decoder, const struct xml_start *start)
{
	const struct schema_node *schema = top_node(decoder)->schema;
	bool ordered =
		schema->user_ordered && (schema->kind == SCHEMA_LIST || schema->kind == SCHEMA_LEAF_LIST);
	const struct xml_attribute *insert = NULL;
	const struct xml_attribute *anchor = NULL;
	const struct schema_annotation *annotation;
	for (size_t i = 0; i < start->attribute_count; i++) {
		const struct xml_attribute *attribute = &start->attributes[i];
		bool is_yang = ordered && is(attribute->ns, NS_YANG);
		if (is(attribute->ns, NS_XML))
			continue;
		if (is(attribute->ns, NS_NETCONF) && is(attribute->name, "operation"))
			set_operation(decoder, attribute->value);
		else if (is_yang && is(attribute->name, "insert"))
			insert = attribute;
		else if (is_yang && is(attribute->name, schema->kind == SCHEMA_LIST ? "key" : "value"))
			anchor = attribute;
		else if (is_default_attribute(schema, attribute))
			set_default(decoder, attribute->value);
		else if (decoder->takes_txids && edit_decoder_is_txid(attribute))
			edit_tree_expect(decoder->assembler.tree, top_node(decoder), attribute->name,
					 attribute->value);
		else if ((annotation = find_annotation(decoder, attribute)))
			codec__edit_annotate(&decoder->assembler, top_node(decoder), annotation,
					     attribute->value);
		else
			codec__edit_report_attribute(&decoder->assembler, DIAG_UNKNOWN_ATTRIBUTE, NULL,
						     attribute->name, "The attribute is not expected here.");
	}
	if (insert || anchor)
		set_order(decoder, insert, anchor);
}
