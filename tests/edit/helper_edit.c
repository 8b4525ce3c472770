/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The notation of helper_edit.h: a recursive parser straight into an edit tree, and its inverse over a
 * cursor. Values are taken as they are, so they must be canonical.
 */
#include "helper_edit.h"

#include <ctype.h>
#include <string.h>

#include "schema/load.h"
#include "tree/annotation.h"
#include "tree/cursor.h"

#define ERRORS_MAX 64

struct schema *helper_schema(void)
{
	static const char *const dirs[] = {"tests/edit/yang"};
	static const struct schema_module_request modules[] = {{.name = "edit-test"}, {.name = "edit-other"}};
	struct schema_source source = {
		.search_dirs = dirs, .search_dir_count = 1, .modules = modules, .module_count = 2};
	struct arena *arena = arena_new();
	struct diag_list diags;
	diag_list_init(&diags, arena, ERRORS_MAX);
	struct schema *schema = NULL;
	enum status status = schema_load(&source, &diags, &schema);
	for (const struct diag *diag = diags.first; diag; diag = diag->next)
		print_error("%s\n", diag->message);
	assert_int_equal(status, ST_OK);
	arena_free(arena);
	return schema;
}

struct parser {
	const struct schema *schema;
	struct edit_tree *tree;
	const char *at;
};

static struct bytes word(struct parser *parser)
{
	const char *start = parser->at;
	while (*parser->at && !isspace((unsigned char)*parser->at) && !strchr("{}[]=@,!#", *parser->at))
		parser->at++;
	return (struct bytes){start, (size_t)(parser->at - start)};
}

static bool take(struct parser *parser, char sign)
{
	if (*parser->at != sign)
		return false;
	parser->at++;
	return true;
}

static void skip_blanks(struct parser *parser)
{
	while (isspace((unsigned char)*parser->at))
		parser->at++;
}

static uint8_t operation_named(struct bytes name)
{
	static const char *const names[] = {
		[EDIT_MERGE] = "merge",	  [EDIT_REPLACE] = "replace", [EDIT_CREATE] = "create",
		[EDIT_DELETE] = "delete", [EDIT_REMOVE] = "remove",
	};
	for (uint8_t i = EDIT_MERGE; i <= EDIT_REMOVE; i++) {
		if (bytes_equal(name, bytes_of(names[i])))
			return i;
	}
	fail_msg("unknown operation %.*s", (int)name.size, name.data);
	return 0;
}

/* The child to add, or the key leaf that is there already. */
static struct edit_node *node_named(struct parser *parser, struct edit_node *parent, struct bytes name)
{
	const struct schema_node *schema = schema_child_find_any(parent->schema, name, NULL);
	if (!schema)
		fail_msg("unknown node %.*s", (int)name.size, name.data);
	for (struct edit_node *node = parent->children; schema->is_key && node; node = node->next) {
		if (node->schema == schema)
			return node;
	}
	return edit_tree_add(parser->tree, parent, schema);
}

static void parse_keys(struct parser *parser, struct edit_node *entry)
{
	for (size_t i = 0; i < entry->schema->key_count; i++) {
		struct edit_node *key = edit_tree_add(parser->tree, entry, entry->schema->children[i]);
		key->value = value_new(word(parser), 0);
		key->has_value = true;
		assert_true(take(parser, i + 1 < entry->schema->key_count ? ',' : ']'));
	}
}

static void parse_value(struct parser *parser, struct edit_node *node)
{
	struct bytes text = word(parser);
	if (node->schema->kind == SCHEMA_ANYDATA || node->schema->kind == SCHEMA_ANYXML) {
		node->any = tree_any_new(text_new(text, 0));
	} else {
		node->value = value_new(text, 0);
		node->has_value = true;
	}
}

static void parse_insert(struct parser *parser, struct edit_node *node)
{
	static const char *const names[] = {
		[EDIT_INSERT_FIRST] = "first",
		[EDIT_INSERT_LAST] = "last",
		[EDIT_INSERT_BEFORE] = "before",
		[EDIT_INSERT_AFTER] = "after",
	};
	struct bytes name = word(parser);
	for (uint8_t i = EDIT_INSERT_FIRST; i <= EDIT_INSERT_AFTER; i++)
		node->insert = bytes_equal(name, bytes_of(names[i])) ? i : node->insert;
	assert_int_not_equal(node->insert, EDIT_INSERT_UNSPECIFIED);
	if (!take(parser, '='))
		return;
	size_t count = node->schema->kind == SCHEMA_LIST ? node->schema->key_count : 1;
	struct value *keys = arena_zalloc(parser->tree->arena, count * sizeof(*keys));
	for (size_t i = 0; i < count; i++) {
		keys[i] = value_new(word(parser), 0);
		take(parser, ',');
	}
	node->insert_keys = keys;
}

static void parse_annotation(struct parser *parser, struct edit_node *node)
{
	const struct schema_module *module = schema_module_find(parser->schema, bytes_of("edit-test"));
	const struct schema_annotation *annotation =
		schema_annotation_find(parser->schema, module, word(parser));
	assert_non_null(annotation);
	assert_true(take(parser, '='));
	edit_tree_annotate(parser->tree, node, annotation, value_new(word(parser), 0));
}

static void parse_children(struct parser *parser, struct edit_node *parent)
{
	for (skip_blanks(parser); *parser->at && *parser->at != '}'; skip_blanks(parser)) {
		struct edit_node *node = node_named(parser, parent, word(parser));
		if (take(parser, '['))
			parse_keys(parser, node);
		if (take(parser, '='))
			parse_value(parser, node);
		if (take(parser, '@')) {
			node->operation = operation_named(word(parser));
			parser->tree->has_operation = true;
		}
		if (take(parser, '!'))
			parse_insert(parser, node);
		while (take(parser, '#'))
			parse_annotation(parser, node);
		if (take(parser, '{')) {
			parse_children(parser, node);
			assert_true(take(parser, '}'));
		}
	}
}

struct edit_tree *helper_parse(const struct schema *schema, const char *text)
{
	struct parser parser = {.schema = schema, .tree = edit_tree_new(schema), .at = text};
	parse_children(&parser, parser.tree->top);
	assert_int_equal(*parser.at, '\0');
	return parser.tree;
}

static void put(struct buffer *out, struct bytes bytes)
{
	assert_int_equal(buffer_append(out, bytes), ST_OK);
}

static void dump_annotations(const struct tree_position *position, struct buffer *out)
{
	size_t count;
	const struct tree_annotation *all = tree_position_annotations(position, &count);
	for (size_t i = 0; i < count; i++) {
		put(out, bytes_of("#"));
		put(out, all[i].schema->name_bytes);
		put(out, bytes_of("="));
		put(out, value_bytes(&all[i].value));
	}
}

static void dump_children(const struct schema *schema, const struct tree_position *parent, struct buffer *out)
{
	const char *separator = "";
	struct tree_cursor cursor;
	struct tree_position child;
	tree_cursor_init(&cursor, schema, parent, TREE_EXPLICIT);
	while (tree_cursor_next(&cursor, &child)) {
		const struct schema_node *node = child.schema;
		if (node->is_key)
			continue;
		put(out, bytes_of(separator));
		separator = " ";
		put(out, node->name_bytes);
		for (size_t i = 0; i < node->key_count; i++) {
			put(out, bytes_of(i == 0 ? "[" : ","));
			put(out, value_bytes(&child.record->slots[i].value));
		}
		if (node->kind == SCHEMA_LIST)
			put(out, bytes_of("]"));
		if (node->kind == SCHEMA_LEAF || node->kind == SCHEMA_LEAF_LIST) {
			put(out, bytes_of("="));
			put(out, value_bytes(&child.value));
			dump_annotations(&child, out);
		} else if (node->kind == SCHEMA_ANYDATA || node->kind == SCHEMA_ANYXML) {
			put(out, bytes_of("="));
			put(out, text_bytes(child.any->xml));
			dump_annotations(&child, out);
		} else {
			dump_annotations(&child, out);
			put(out, bytes_of("{"));
			dump_children(schema, &child, out);
			put(out, bytes_of("}"));
		}
	}
}

char *helper_dump(const struct schema *schema, const struct tree_record *root, struct arena *arena)
{
	struct buffer out;
	buffer_init(&out, SIZE_MAX);
	struct tree_position top = tree_position_root(schema, root);
	dump_children(schema, &top, &out);
	char *text = arena_strdup(arena, buffer_get(&out));
	buffer_fini(&out);
	return text;
}

struct tree_record *helper_tree(const struct schema *schema, const char *text)
{
	struct arena *arena = arena_new();
	struct tree_record *empty = tree_record_new();
	struct edit_tree *edit = helper_parse(schema, text);
	struct helper_result result = helper_apply(schema, empty, edit, EDIT_MERGE, arena);
	if (!result.root)
		fail_msg("%s", result.errors);
	edit_tree_free(edit);
	helper_unref(schema, empty);
	arena_free(arena);
	return result.root;
}

/* Without the prefix of the module that nearly all paths are of. */
static const char *short_path(const char *path, struct arena *arena)
{
	static const char prefix[] = "edit-test:";
	char *out = arena_strdup(arena, bytes_of(path ? path : "-"));
	for (char *at; (at = strstr(out, prefix));)
		memmove(at, at + strlen(prefix), strlen(at + strlen(prefix)) + 1);
	return out;
}

struct helper_result helper_apply(const struct schema *schema, const struct tree_record *base,
				  const struct edit_tree *edit, enum edit_operation default_operation,
				  struct arena *arena)
{
	struct diag_list diags;
	diag_list_init(&diags, arena, ERRORS_MAX);
	struct edit_options options = {.default_operation = default_operation};
	struct helper_result result = {.errors = ""};
	enum status status = edit_apply(schema, base, edit, &options, &diags, &result.root);
	assert_true(status == ST_OK || status == ST_REJECTED);
	assert_int_equal(status == ST_OK, result.root != NULL);
	assert_int_equal(status == ST_OK, diags.length == 0);
	for (const struct diag *diag = diags.first; diag; diag = diag->next)
		result.errors =
			arena_printf(arena, "%s%s%s %s%s%s", result.errors, *result.errors ? "\n" : "",
				     diag_tag_name(diag->tag), short_path(diag->path, arena),
				     diag->app_tag ? " " : "", diag->app_tag ? diag->app_tag : "");
	result.error_count = diags.length;
	result.dropped = diags.dropped;
	return result;
}

void helper_unref(const struct schema *schema, const struct tree_record *root)
{
	tree_record_unref(root, schema->root, NULL);
}
