/* SPDX-License-Identifier: BSD-3-Clause */
/* See helper_xpath.h. */
#include "helper_xpath.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "schema/type.h"

#define KEYS_MAX 8

static void write_module(const struct xpath_fixture *fixture, const struct xpath_module_text *module)
{
	char path[160];
	snprintf(path, sizeof(path), "%s/%s.yang", fixture->directory, module->name);
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	assert_true(fputs(module->text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

static void remove_module(const struct xpath_fixture *fixture, const char *name)
{
	char path[160];
	snprintf(path, sizeof(path), "%s/%s.yang", fixture->directory, name);
	unlink(path);
}

void fixture_init(struct xpath_fixture *fixture, const struct xpath_module_text *modules, size_t count)
{
	*fixture = (struct xpath_fixture){.arena = arena_new(), .directory = "/tmp/yare-xpath-XXXXXX"};
	assert_non_null(mkdtemp(fixture->directory));
	struct schema_module_request requests[8] = {0};
	assert_true(count <= 8);
	for (size_t i = 0; i < count; i++) {
		write_module(fixture, &modules[i]);
		requests[i].name = modules[i].name;
	}
	const char *dirs[] = {fixture->directory};
	struct schema_source source = {
		.search_dirs = dirs, .search_dir_count = 1, .modules = requests, .module_count = count};
	struct diag_list diags;
	diag_list_init(&diags, fixture->arena, 10);
	enum status status = schema_load(&source, &diags, &fixture->schema);
	for (const struct diag *d = diags.first; d != NULL; d = d->next)
		print_message("%s\n", d->message);
	for (size_t i = 0; i < count; i++)
		remove_module(fixture, modules[i].name);
	rmdir(fixture->directory);
	assert_int_equal(status, ST_OK);
	fixture->module = schema_module_find(fixture->schema, bytes_of(modules[0].name));
	fixture_tree(fixture, "");
}

void fixture_fini(struct xpath_fixture *fixture)
{
	tree_record_unref(fixture->root, fixture->schema->root, NULL);
	schema_unref(fixture->schema);
	arena_free(fixture->arena);
}

/* ---- trees ---- */

static const struct schema_module *module_by_name(const struct schema_prefixes *self, struct bytes prefix);

struct name_prefixes {
	struct schema_prefixes base;
	const struct xpath_fixture *fixture;
};

static const struct schema_module *module_by_name(const struct schema_prefixes *self, struct bytes prefix)
{
	const struct name_prefixes *names = (const struct name_prefixes *)self;
	return prefix.size == 0 ? names->fixture->module : schema_module_find(names->fixture->schema, prefix);
}

static struct value parse(const struct xpath_fixture *fixture, const struct schema_node *leaf,
			  struct bytes text)
{
	struct name_prefixes prefixes = {.base = {.resolve = module_by_name}, .fixture = fixture};
	struct schema_type_error error = {0};
	struct value value;
	enum status status = schema_type_parse(fixture->schema, leaf->type, text, &prefixes.base,
					       fixture->arena, &value, &error);
	if (status != ST_OK)
		print_message("%s: %.*s: %s\n", leaf->name, (int)text.size, text.data, error.message);
	assert_int_equal(status, ST_OK);
	return value;
}

static const struct schema_node *child_named(const struct schema_node *parent, struct bytes name)
{
	const struct schema_node *child = schema_child_find_any(parent, name, NULL);
	if (child == NULL)
		print_message("no node %.*s\n", (int)name.size, name.data);
	assert_non_null(child);
	return child;
}

static size_t parse_keys(const struct xpath_fixture *fixture, const struct schema_node *list,
			 const char **text, struct value *keys)
{
	size_t count = 0;
	for (; **text == '['; count++) {
		const char *end = strchr(*text, ']');
		assert_true(count < list->key_count && count < KEYS_MAX);
		keys[count] = parse(fixture, list->children[count],
				    (struct bytes){*text + 1, (size_t)(end - *text) - 1});
		*text = end + 1;
	}
	return count;
}

static void set(struct xpath_fixture *fixture, struct tree_builder *builder, const struct schema_node *node,
		const char *text)
{
	struct value value = parse(fixture, node, bytes_of(text));
	if (node->kind == SCHEMA_LEAF_LIST)
		tree_builder_add_value(builder, node, value);
	else
		tree_builder_set_leaf(builder, node, value);
	value_unref(value);
}

/* False: it is absent and `existing` is asked for. */
static bool enter(struct tree_builder *builder, const struct schema_node *node, const struct value *keys,
		  bool existing)
{
	bool made;
	if (existing)
		return node->kind == SCHEMA_LIST ? tree_builder_enter_existing_entry(builder, node, keys)
						 : tree_builder_enter_existing(builder, node);
	if (node->kind == SCHEMA_LIST) {
		tree_builder_enter_entry(builder, node, keys, &made);
		return true;
	}
	tree_builder_enter(builder, node);
	if (node->presence)
		tree_builder_make(builder);
	return true;
}

static void remove_node(struct xpath_fixture *fixture, struct tree_builder *builder,
			const struct schema_node *node, const struct value *keys, size_t key_count,
			const char *text)
{
	if (key_count > 0) {
		tree_builder_remove_entry(builder, node, keys);
	} else if (node->kind == SCHEMA_LEAF_LIST && text != NULL) {
		struct value value = parse(fixture, node, bytes_of(text));
		tree_builder_remove_value(builder, node, value);
		value_unref(value);
	} else {
		tree_builder_remove(builder, node);
	}
}

/* One line, terminated: [-]a/b[k]/c [= value] */
static void apply_line(struct xpath_fixture *fixture, struct tree_builder *builder, char *line)
{
	bool removes = *line == '-';
	const char *at = line + removes, *text = NULL;
	char *equal = strstr(line, " = ");
	if (equal != NULL) {
		*equal = '\0';
		text = equal + 3;
	}
	const struct schema_node *node = fixture->schema->root;
	size_t depth = 0;
	while (*at != '\0') {
		struct value keys[KEYS_MAX];
		size_t size = strcspn(at, "/[");
		node = child_named(node, (struct bytes){at, size});
		at += size;
		size_t count = node->kind == SCHEMA_LIST ? parse_keys(fixture, node, &at, keys) : 0;
		at += *at == '/';
		if (*at == '\0' && removes) {
			remove_node(fixture, builder, node, keys, count, text);
		} else if (node->kind == SCHEMA_LEAF || node->kind == SCHEMA_LEAF_LIST) {
			set(fixture, builder, node, text != NULL ? text : "");
		} else if (enter(builder, node, keys, removes)) {
			depth++;
		} else {
			at = "";
		}
		for (size_t i = 0; i < count; i++)
			value_unref(keys[i]);
	}
	while (depth-- > 0)
		tree_builder_leave(builder);
}

struct tree_record *fixture_edit(struct xpath_fixture *fixture, const struct tree_record *base,
				 const char *lines)
{
	struct tree_builder *builder = tree_builder_new(fixture->schema, base, NULL);
	char *copy = arena_strdup(fixture->arena, bytes_of(lines)), *next;
	for (char *line = strtok_r(copy, "\n", &next); line != NULL; line = strtok_r(NULL, "\n", &next))
		apply_line(fixture, builder, line);
	return tree_builder_finish(builder);
}

void fixture_tree(struct xpath_fixture *fixture, const char *lines)
{
	struct tree_record *empty = tree_record_new();
	if (fixture->root != NULL)
		tree_record_unref(fixture->root, fixture->schema->root, NULL);
	fixture->root = fixture_edit(fixture, empty, lines);
	tree_record_unref(empty, fixture->schema->root, NULL);
	fixture->root_position = tree_position_root(fixture->schema, fixture->root);
}

const struct schema_node *fixture_node(const struct xpath_fixture *fixture, const char *path)
{
	const struct schema_node *node = fixture->schema->root;
	while (*path != '\0') {
		size_t size = strcspn(path, "/");
		node = child_named(node, (struct bytes){path, size});
		path += size;
		path += *path == '/';
	}
	return node;
}

/* ---- expressions ---- */

static const struct schema_module *module_by_prefix(void *arg, struct bytes prefix)
{
	const struct xpath_fixture *fixture = arg;
	if (prefix.size == 0)
		return fixture->module;
	for (size_t i = 0; i < fixture->schema->module_count; i++) {
		const struct schema_module *module = &fixture->schema->modules[i];
		if (bytes_equal(bytes_of(module->prefix), prefix))
			return module;
	}
	return NULL;
}

const struct xpath_expr *fixture_compile(struct xpath_fixture *fixture, const struct schema_node *context,
					 const char *expression, struct xpath_error *error)
{
	struct xpath_scope scope = {
		.schema = fixture->schema, .context = context, .resolve = module_by_prefix, .arg = fixture};
	const struct xpath_expr *expr = NULL;
	struct xpath_error local = {0};
	error = error != NULL ? error : &local;
	enum status status = xpath_compile(&scope, bytes_of(expression), fixture->arena, error, &expr);
	assert_true(status == ST_OK || status == ST_REJECTED);
	return status == ST_OK ? expr : NULL;
}

static struct xpath_value eval(struct xpath_fixture *fixture, const struct tree_position *context,
			       const char *expression)
{
	context = context != NULL ? context : &fixture->root_position;
	struct xpath_error error = {0};
	const struct xpath_expr *expr = fixture_compile(fixture, context->schema, expression, &error);
	if (expr == NULL)
		print_message("%s: %s at %zu\n", expression, error.message, error.offset);
	assert_non_null(expr);
	struct xpath_limits limits = {.steps = 1000000, .max_nodes = 100000};
	struct xpath_env env = {.schema = fixture->schema,
				.root = fixture->root,
				.arena = fixture->arena,
				.limits = &limits,
				.view = TREE_WITH_DEFAULTS};
	struct xpath_value value;
	assert_int_equal(xpath_eval(expr, &env, context, &value), ST_OK);
	/* The short cut for booleans must agree. */
	bool boolean;
	assert_int_equal(xpath_eval_boolean(expr, &env, context, &boolean), ST_OK);
	assert_int_equal(boolean, xpath_value_boolean(&value));
	return value;
}

const struct tree_position *fixture_find(struct xpath_fixture *fixture, const char *expression)
{
	struct xpath_value value = eval(fixture, NULL, expression);
	assert_int_equal(value.type, XPATH_NODE_SET);
	assert_true(value.length > 0);
	return value.nodes[0];
}

static const char *print_node(struct xpath_fixture *fixture, const struct tree_position *node)
{
	if (node->schema->kind == SCHEMA_ROOT)
		return "/";
	if (node->schema->kind != SCHEMA_LEAF && node->schema->kind != SCHEMA_LEAF_LIST)
		return node->schema->name;
	struct bytes text = value_bytes(&node->value);
	return arena_printf(fixture->arena, "%.*s", (int)text.size, text.data);
}

const char *fixture_eval(struct xpath_fixture *fixture, const struct tree_position *context,
			 const char *expression)
{
	struct xpath_value value = eval(fixture, context, expression);
	if (value.type != XPATH_NODE_SET)
		return arena_strdup(fixture->arena, xpath_value_string(&value, fixture->arena));
	const char *text = "";
	for (size_t i = 0; i < value.length; i++)
		text = arena_printf(fixture->arena, "%s%s%s", text, i == 0 ? "" : " ",
				    print_node(fixture, value.nodes[i]));
	return text;
}
