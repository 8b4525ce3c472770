/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * libyang as the oracle; see helper_oracle.h.
 */
#include "helper_oracle.h"

#include <libyang/libyang.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "schema/type.h"
#include "tree/builder.h"
#include "tree/cursor.h"

struct oracle {
	struct ly_ctx *ctx;
};

struct oracle *oracle_new(const char *yang)
{
	struct oracle *oracle = memory_zalloc(sizeof(*oracle));
	assert_int_equal(ly_ctx_new(NULL, 0, &oracle->ctx), LY_SUCCESS);
	assert_int_equal(lys_parse_mem(oracle->ctx, yang, LYS_IN_YANG, NULL), LY_SUCCESS);
	return oracle;
}

struct oracle *oracle_new_set(const char *dir, const char *const *names, enum model_imports imports)
{
	static const char *all[] = {"*", NULL};
	uint16_t options = imports == MODEL_IMPORTS_IMPLEMENTED ? LY_CTX_ALL_IMPLEMENTED : 0;
	struct oracle *oracle = memory_zalloc(sizeof(*oracle));
	assert_int_equal(ly_ctx_new(dir, options, &oracle->ctx), LY_SUCCESS);
	for (; *names; names++)
		assert_non_null(ly_ctx_load_module(oracle->ctx, *names, NULL, all));
	return oracle;
}

struct oracle *oracle_new_from(const char *dir, const char *name)
{
	struct oracle *oracle = memory_zalloc(sizeof(*oracle));
	assert_int_equal(ly_ctx_new(dir, 0, &oracle->ctx), LY_SUCCESS);
	assert_non_null(ly_ctx_load_module(oracle->ctx, name, NULL, NULL));
	return oracle;
}

void oracle_free(struct oracle *oracle)
{
	ly_ctx_destroy(oracle->ctx);
	memory_free(oracle);
}

static void print_text(FILE *out, struct bytes text)
{
	for (size_t i = 0; i < text.size; i++) {
		char c = text.data[i];
		if (c == '<' || c == '&')
			fputs(c == '<' ? "&lt;" : "&amp;", out);
		else
			fputc(c, out);
	}
}

/* libyang's instance-identifiers name a module only where it changes; ours at each name. To be freed. */
static char *qualify(const char *text)
{
	char *out = NULL;
	size_t size = 0, module_size = 0;
	const char *module = "";
	FILE *file = open_memstream(&out, &size);
	while (*text) {
		bool starts_name = (*text == '/' || *text == '[') && text[1] != '.';
		fputc(*text++, file);
		if (text[-1] == '\'') {
			size_t literal = strcspn(text, "'") + 1;
			fwrite(text, 1, literal, file);
			text += literal;
		}
		if (!starts_name)
			continue;
		size_t name = strcspn(text, ":/[='");
		if (text[name] == ':') {
			module = text;
			module_size = name;
		} else {
			fprintf(file, "%.*s:", (int)module_size, module);
		}
	}
	fclose(file);
	return out;
}

/* An instance-identifier; its names are all of the leaf's module here. */
static void print_instance(FILE *out, const struct tree_position *leaf)
{
	struct bytes text = value_bytes(&leaf->value);
	char *copy = strndup(text.data, text.size), *qualified = qualify(copy);
	const struct schema_module *module = leaf->schema->module;
	fprintf(out, "<%s xmlns=\"%s\" xmlns:%s=\"%s\">", leaf->schema->name, module->ns, module->name,
		module->ns);
	print_text(out, bytes_of(qualified));
	fprintf(out, "</%s>", leaf->schema->name);
	free(qualified);
	free(copy);
}

static bool is_instance(const struct tree_position *leaf)
{
	struct text *text = leaf->schema->type ? value_shared_text(leaf->value) : NULL;
	return text && (text->flags & TEXT_QNAME) && text->data[0] == '/';
}

static void print_children(FILE *out, const struct schema *schema, const struct tree_position *parent)
{
	struct tree_cursor cursor;
	struct tree_position child;
	tree_cursor_init(&cursor, schema, parent, TREE_EXPLICIT);
	while (tree_cursor_next(&cursor, &child)) {
		if (is_instance(&child)) {
			print_instance(out, &child);
			continue;
		}
		fprintf(out, "<%s xmlns=\"%s\">", child.schema->name, child.schema->module->ns);
		if (child.schema->kind == SCHEMA_LEAF || child.schema->kind == SCHEMA_LEAF_LIST)
			print_text(out, value_bytes(&child.value));
		else
			print_children(out, schema, &child);
		fprintf(out, "</%s>", child.schema->name);
	}
}

char *oracle_xml(const struct schema *schema, const struct tree_record *root)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	struct tree_position position = tree_position_root(schema, root);
	print_children(out, schema, &position);
	fclose(out);
	return text;
}

/* The last name of a path of libyang: "Data location "/m:a/b[k='1']/c", line number 1." -> c */
static char *last_name(const char *path)
{
	const char *name = "";
	size_t size = 0;
	char quote = 0;
	const char *p = path ? strchr(path, '/') : NULL;
	for (; p && *p && (quote || *p != '"'); p++) {
		if (*p == '\'')
			quote = quote ? 0 : *p;
		if (!quote && *p == '/') {
			name = p + 1;
			size = strcspn(name, "[/\"");
		}
	}
	const char *colon = memchr(name, ':', size);
	if (colon) {
		size -= (size_t)(colon + 1 - name);
		name = colon + 1;
	}
	return strndup(name, size);
}

bool oracle_check(struct oracle *oracle, const struct schema *schema, const struct tree_record *root,
		  char **app_tag, char **node)
{
	char *xml = oracle_xml(schema, root);
	struct lyd_node *tree = NULL;
	uint32_t options = ly_log_options(LY_LOSTORE);
	LY_ERR error =
		lyd_parse_data_mem(oracle->ctx, xml, LYD_XML, LYD_PARSE_STRICT, LYD_VALIDATE_NO_STATE, &tree);
	ly_log_options(options);
	if (error != LY_SUCCESS) {
		const struct ly_err_item *item = ly_err_first(oracle->ctx);
		*app_tag = strdup(item && item->apptag ? item->apptag : "-");
		*node = last_name(item ? item->path : NULL);
		ly_err_clean(oracle->ctx, NULL);
	}
	lyd_free_all(tree);
	free(xml);
	return error == LY_SUCCESS;
}

/* ---- From libyang's tree to ours. */

struct module_names {
	struct schema_prefixes prefixes;
	const struct schema *schema;
};

static const struct schema_module *resolve(const struct schema_prefixes *self, struct bytes prefix)
{
	return schema_module_find(((const struct module_names *)self)->schema, prefix);
}

static struct value value_of(const struct schema *schema, const struct schema_node *node,
			     const struct lyd_node *data)
{
	struct module_names names = {.prefixes = {.resolve = resolve}, .schema = schema};
	struct arena *arena = arena_new();
	struct schema_type_error error;
	struct value value = VALUE_NONE;
	bool is_path = schema_type_base(node->type) == BASE_INSTANCE_IDENTIFIER;
	char *given = is_path ? qualify(lyd_get_value(data)) : strdup(lyd_get_value(data));
	struct bytes text = bytes_of(given);
	enum status status =
		schema_type_parse(schema, node->type, text, &names.prefixes, arena, &value, &error);
	if (status != ST_OK)
		print_message("%s: '%s': %s\n", node->name, text.data, error.message);
	assert_int_equal(status, ST_OK);
	arena_free(arena);
	free(given);
	return value;
}

static void add_nodes(struct tree_builder *builder, const struct schema *schema,
		      const struct schema_node *parent, const struct lyd_node *data);

static void add_entry(struct tree_builder *builder, const struct schema *schema,
		      const struct schema_node *list, const struct lyd_node *data)
{
	struct value keys[8];
	const struct lyd_node *key = lyd_child(data);
	for (size_t i = 0; i < list->key_count; i++, key = key->next)
		keys[i] = value_of(schema, list->children[i], key);
	bool made;
	tree_builder_enter_entry(builder, list, keys, &made);
	add_nodes(builder, schema, list, key);
	tree_builder_leave(builder);
	for (size_t i = 0; i < list->key_count; i++)
		value_unref(keys[i]);
}

static void add_leaf(struct tree_builder *builder, const struct schema *schema,
		     const struct schema_node *node, const struct lyd_node *data)
{
	struct value value = value_of(schema, node, data);
	if (node->kind == SCHEMA_LEAF)
		tree_builder_set_leaf(builder, node, value);
	else
		tree_builder_add_value(builder, node, value);
	value_unref(value);
}

static void add_any(struct tree_builder *builder, const struct schema_node *node)
{
	struct tree_any *any = tree_any_new(text_new(bytes_of("any"), 0));
	tree_builder_set_any(builder, node, any);
	tree_any_unref(any);
}

static void add_node(struct tree_builder *builder, const struct schema *schema,
		     const struct schema_node *node, const struct lyd_node *data)
{
	if (node->kind == SCHEMA_LIST) {
		add_entry(builder, schema, node, data);
	} else if (node->kind == SCHEMA_CONTAINER) {
		tree_builder_enter(builder, node);
		tree_builder_make(builder);
		add_nodes(builder, schema, node, lyd_child(data));
		tree_builder_leave(builder);
	} else if (node->kind == SCHEMA_ANYDATA || node->kind == SCHEMA_ANYXML) {
		add_any(builder, node);
	} else {
		add_leaf(builder, schema, node, data);
	}
}

static void add_nodes(struct tree_builder *builder, const struct schema *schema,
		      const struct schema_node *parent, const struct lyd_node *data)
{
	for (; data; data = data->next) {
		if (data->flags & LYD_DEFAULT)
			continue;
		const struct schema_module *module =
			schema_module_find(schema, bytes_of(data->schema->module->name));
		const struct schema_node *node =
			schema_child_find(schema, parent, module, bytes_of(data->schema->name));
		assert_non_null(node);
		add_node(builder, schema, node, data);
	}
}

static struct tree_record *convert(const struct schema *schema, const struct lyd_node *data)
{
	struct tree_record *empty = tree_record_new();
	struct tree_builder *builder = tree_builder_new(schema, empty, NULL);
	add_nodes(builder, schema, schema->root, data);
	tree_record_unref(empty, schema->root, NULL);
	return tree_builder_finish(builder);
}

struct tree_record *oracle_tree(struct oracle *oracle, const struct schema *schema, const char *xml)
{
	struct lyd_node *data = NULL;
	uint32_t options = ly_log_options(LY_LOSTORE);
	LY_ERR error =
		lyd_parse_data_mem(oracle->ctx, xml, LYD_XML, LYD_PARSE_ONLY | LYD_PARSE_STRICT, 0, &data);
	ly_log_options(options);
	ly_err_clean(oracle->ctx, NULL);
	if (error != LY_SUCCESS)
		return NULL;
	struct tree_record *root = convert(schema, data);
	lyd_free_all(data);
	return root;
}

/* Whens that were true before and are false now have their nodes removed; one pass, not the fixpoint. */
static struct tree_record *settle_once(struct oracle *oracle, const struct schema *schema,
				       const struct tree_record *root)
{
	char *xml = oracle_xml(schema, root);
	struct lyd_node *data = NULL, *top, *node;
	assert_int_equal(
		lyd_parse_data_mem(oracle->ctx, xml, LYD_XML, LYD_PARSE_ONLY | LYD_PARSE_STRICT, 0, &data),
		LY_SUCCESS);
	/* As if every `when` had been true before: what is false now is removed. */
	LY_LIST_FOR(data, top)
	{
		LYD_TREE_DFS_BEGIN(top, node)
		{
			node->flags |= LYD_WHEN_TRUE;
			LYD_TREE_DFS_END(top, node);
		}
	}
	uint32_t options = ly_log_options(LY_LOSTORE);
	lyd_validate_all(&data, oracle->ctx, LYD_VALIDATE_NO_STATE, NULL);
	ly_log_options(options);
	ly_err_clean(oracle->ctx, NULL);
	struct tree_record *settled = convert(schema, data);
	lyd_free_all(data);
	free(xml);
	return settled;
}

struct tree_record *oracle_settle(struct oracle *oracle, const struct schema *schema,
				  const struct tree_record *root)
{
	struct tree_record *settled = settle_once(oracle, schema, root);
	for (;;) {
		struct tree_record *next = settle_once(oracle, schema, settled);
		bool is_same = tree_record_equal(schema->root, settled, next);
		tree_record_unref(settled, schema->root, NULL);
		settled = next;
		if (is_same)
			return settled;
	}
}
