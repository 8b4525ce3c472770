/* SPDX-License-Identifier: BSD-3-Clause */
/* Positions: printed paths, document order, copies, and paths in diagnostics. */
#include "helper_tree.h"
#include "helper_fixture.h"

#include <string.h>

static const char module[] =
	"module m { yang-version 1.1; namespace urn:m; prefix px;"
	" container c { leaf-list v { type string; } leaf x { type string; }"
	"  list e { key \"a b\"; leaf a { type string; } leaf b { type int32; } leaf x { type string; } } }"
	" list n { key k; leaf k { type int32; } leaf x { type string; } } }";

SCHEMA_OF_ALL_TESTS(helper_schema("m", module))

/* /c/e[a=..][b='-1']/x of a tree of its own, printed. */
static void expect_path(const char *key, const char *path)
{
	struct tree_record *empty = tree_record_new();
	struct tree_builder *builder = tree_builder_new(schema, empty, NULL);
	tree_record_unref(empty, schema->root, NULL);
	struct value keys[2] = {helper_value(key), helper_number(-1)};
	bool made;
	tree_builder_enter(builder, helper_node(schema, "c"));
	tree_builder_add_value(builder, helper_node(schema, "c/v"), keys[0]);
	tree_builder_enter_entry(builder, helper_node(schema, "c/e"), keys, &made);
	struct arena *arena = arena_new();
	assert_string_equal(tree_position_path(tree_builder_position(builder), arena), path);
	value_unref(keys[0]);
	tree_builder_abort(builder);
	arena_free(arena);
}

static void paths_quote_keys(void **state)
{
	(void)state;
	expect_path("eth0", "/m:c/m:e[m:a='eth0'][m:b='-1']");
	expect_path("", "/m:c/m:e[m:a=''][m:b='-1']");
	expect_path("it's", "/m:c/m:e[m:a=\"it's\"][m:b='-1']");
	expect_path("a \"name\" of some length", "/m:c/m:e[m:a='a \"name\" of some length'][m:b='-1']");
	expect_path("'\"", "/m:c/m:e[m:a=concat(\"'\", '\"')][m:b='-1']");
	expect_path("a\"b''c", "/m:c/m:e[m:a=concat('a\"b', \"''\", 'c')][m:b='-1']");
}

/* All positions of a tree in document order, in the arena. */
static size_t collect(const struct tree_position *parent, const struct tree_position **all, size_t length,
		      struct arena *arena)
{
	all[length++] = parent;
	if (parent->schema->kind == SCHEMA_LEAF || parent->schema->kind == SCHEMA_LEAF_LIST)
		return length;
	struct tree_cursor cursor;
	struct tree_position child;
	tree_cursor_init(&cursor, schema, parent, TREE_WITH_DEFAULTS);
	while (tree_cursor_next(&cursor, &child)) {
		struct tree_position *copy = arena_alloc(arena, sizeof(*copy));
		*copy = child;
		length = collect(copy, all, length, arena);
	}
	return length;
}

static struct tree_record *sample(void)
{
	struct tree_record *empty = tree_record_new();
	struct tree_builder *builder = tree_builder_new(schema, empty, NULL);
	tree_record_unref(empty, schema->root, NULL);
	tree_builder_enter(builder, helper_node(schema, "c"));
	for (int i = 0; i < 12; i++) {
		struct value keys[2] = {helper_value(i % 2 ? "a" : "b"), helper_number(i * 7 % 12 - 6)};
		bool made;
		tree_builder_add_value(builder, helper_node(schema, "c/v"), keys[1]);
		tree_builder_enter_entry(builder, helper_node(schema, "c/e"), keys, &made);
		tree_builder_set_leaf(builder, helper_node(schema, "c/e/x"), keys[0]);
		tree_builder_leave(builder);
	}
	tree_builder_leave(builder);
	for (int i = -11; i < 11; i++) {
		struct value key = helper_number(i);
		bool made;
		tree_builder_enter_entry(builder, helper_node(schema, "n"), &key, &made);
		tree_builder_set_leaf(builder, helper_node(schema, "n/x"), key);
		tree_builder_leave(builder);
	}
	return tree_builder_finish(builder);
}

static void order_is_that_of_the_document(void **state)
{
	(void)state;
	struct tree_record *root = sample();
	struct tree_position position = tree_position_root(schema, root);
	const struct tree_position *all[500], *copies[500];
	struct arena *arena = arena_new();
	size_t length = collect(&position, all, 0, arena);
	assert_int_equal(length, 1 + 1 + 12 + 12 * 4 + 22 * 3);
	for (size_t i = 0; i < length; i++)
		copies[i] = tree_position_dup(all[i], arena);
	for (size_t i = 0; i < length; i++) {
		for (size_t k = 0; k < length; k++) {
			int order = tree_position_compare(all[i], copies[k]);
			assert_int_equal((order > 0) - (order < 0), (i > k) - (i < k));
			assert_int_equal(tree_position_same(all[i], copies[k]), i == k);
			assert_int_equal(tree_position_same(all[i], all[k]), i == k);
		}
	}
	assert_string_equal(tree_position_path(&position, arena), "/");
	assert_string_equal(tree_position_path(all[3], arena), "/m:c/m:v[.='-2']");
	arena_free(arena);
	tree_record_unref(root, schema->root, NULL);
}

static void diagnostics_declare_their_prefixes(void **state)
{
	(void)state;
	struct arena *arena = arena_new();
	struct diag_list list;
	diag_list_init(&list, arena, 5);
	struct tree_record *root = tree_record_new();
	struct tree_position position = tree_position_root(schema, root);
	struct diag *diag = diag_add(&list, DIAG_APPLICATION, DIAG_DATA_MISSING, NULL);
	tree_position_set_diag_child(&position, helper_node(schema, "n"), &list, diag);
	assert_string_equal(diag->path, "/m:n");
	assert_string_equal(diag->prefixes->prefix, "m");
	assert_string_equal(diag->prefixes->ns, "urn:m");
	assert_null(diag->prefixes->next);
	struct tree_position child = {.parent = &position, .schema = helper_node(schema, "c")};
	diag = diag_add(&list, DIAG_APPLICATION, DIAG_DATA_MISSING, NULL);
	tree_position_set_diag(&child, &list, diag);
	assert_string_equal(diag->path, "/m:c");
	assert_string_equal(diag->prefixes->prefix, "m");
	tree_record_unref(root, schema->root, NULL);
	arena_free(arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(paths_quote_keys),
		cmocka_unit_test(order_is_that_of_the_document),
		cmocka_unit_test(diagnostics_declare_their_prefixes),
	};
	return cmocka_run_group_tests(tests, load_schema, unload_schema);
}
