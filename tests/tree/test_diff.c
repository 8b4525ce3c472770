/* SPDX-License-Identifier: BSD-3-Clause */
/* Diff: its shape for each kind of change, and its cost, which must follow the change and not the tree.
 * test_model.c applies diffs of random changes. */
#include "helper_tree.h"

#include <stdio.h>

#include "tree/internal.h"

static const char module[] = "module m { yang-version 1.1; namespace urn:m; prefix m;"
			     " container c { leaf x { type string; } leaf-list v { type int32; }"
			     "  list e { key k; leaf k { type int32; } leaf x { type string; } } } }";

enum { LARGE = 100000 };

static struct schema *schema;
static const struct schema_node *container, *leaf, *values, *list, *entry_leaf;
static struct arena *arena;

static int setup(void **state)
{
	(void)state;
	schema = helper_schema("m", module);
	container = helper_node(schema, "c");
	leaf = helper_node(schema, "c/x");
	values = helper_node(schema, "c/v");
	list = helper_node(schema, "c/e");
	entry_leaf = helper_node(schema, "c/e/x");
	arena = arena_new();
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	arena_free(arena);
	schema_unref(schema);
	return 0;
}

static struct tree_builder *build_on(struct tree_record *base)
{
	struct tree_builder *builder = tree_builder_new(schema, base, NULL);
	tree_builder_enter(builder, container);
	return builder;
}

static void set_entry(struct tree_builder *builder, int64_t number, const char *text)
{
	struct value key = helper_number(number), value = helper_value(text);
	bool made;
	tree_builder_enter_entry(builder, list, &key, &made);
	tree_builder_set_leaf(builder, entry_leaf, value);
	tree_builder_leave(builder);
	value_unref(key);
	value_unref(value);
}

static void drop_entry(struct tree_builder *builder, int64_t number)
{
	struct value key = helper_number(number);
	assert_true(tree_builder_remove_entry(builder, list, &key));
	value_unref(key);
}

/* `length` entries 0, 2, 4, ... */
static struct tree_record *sample(int64_t length, bool backwards)
{
	struct tree_record *empty = tree_record_new();
	struct tree_builder *builder = build_on(empty);
	for (int64_t i = 0; i < length; i++)
		set_entry(builder, 2 * (backwards ? length - 1 - i : i), "a");
	tree_record_unref(empty, schema->root, NULL);
	return tree_builder_finish(builder);
}

static void drop(struct tree_record *root)
{
	tree_record_unref(root, schema->root, NULL);
}

static void unshared_equal_roots_do_not_differ(void **state)
{
	(void)state;
	struct tree_record *a = sample(1000, false), *b = sample(1000, true);
	struct tree_change_set changes;
	tree_diff(schema, a, b, arena, &changes);
	assert_null(changes.root);
	assert_int_equal(changes.length, 0);
	assert_true(tree_record_equal(schema->root, a, b));
	drop(a);
	drop(b);
}

static void change_of_a_leaf_has_both_values(void **state)
{
	(void)state;
	struct tree_record *a = sample(3, false);
	struct tree_builder *builder = build_on(a);
	set_entry(builder, 2, "b");
	struct tree_record *b = tree_builder_finish(builder);
	struct tree_change_set changes;
	tree_diff(schema, a, b, arena, &changes);
	assert_int_equal(changes.length, 1);
	const struct tree_change *change = changes.root;
	for (int depth = 0; depth < 3; depth++) {
		assert_true(change->has_old && change->has_new);
		assert_non_null(change->children);
		assert_null(change->children->next);
		change = change->children;
	}
	assert_ptr_equal(change->schema, entry_leaf);
	assert_true(bytes_equal(value_bytes(&change->old_content.value), bytes_of("a")));
	assert_true(bytes_equal(value_bytes(&change->new_content.value), bytes_of("b")));
	assert_string_equal(tree_position_path(tree_change_position(change, true, arena), arena),
			    "/m:c/m:e[m:k='2']/m:x");
	drop(a);
	drop(b);
}

static void creations_and_deletions_are_not_expanded(void **state)
{
	(void)state;
	struct tree_record *empty = tree_record_new(), *a = sample(10, false);
	struct tree_change_set changes;
	tree_diff(schema, empty, a, arena, &changes);
	assert_int_equal(changes.length, 1);
	assert_ptr_equal(changes.root->children->schema, container);
	assert_false(changes.root->children->has_old);
	assert_null(tree_change_position(changes.root->children, false, arena));
	assert_non_null(tree_change_position(changes.root->children, true, arena));
	tree_diff(schema, a, empty, arena, &changes);
	assert_int_equal(changes.length, 1);
	assert_false(changes.root->children->has_new);
	assert_null(changes.root->children->children);

	/* A list as a whole: its entries one by one. */
	struct tree_builder *builder = build_on(a);
	struct value value = helper_value("x");
	tree_builder_set_leaf(builder, leaf, value);
	assert_true(tree_builder_remove(builder, list));
	struct tree_record *b = tree_builder_finish(builder);
	tree_diff(schema, a, b, arena, &changes);
	assert_int_equal(changes.length, 11);
	drop(a);
	drop(b);
	drop(empty);
}

/* What one changing step costs to compare, in nodes and items. */
static size_t cost_of(struct tree_record *base, void (*change)(struct tree_builder *builder),
		      size_t expected_length)
{
	struct tree_builder *builder = build_on(base);
	change(builder);
	struct tree_record *next = tree_builder_finish(builder);
	struct tree_change_set changes;
	tree_diff(schema, base, next, arena, &changes);
	assert_int_equal(changes.length, expected_length);
	size_t visited = changes.visited;
	tree_diff(schema, next, base, arena, &changes);
	assert_int_equal(changes.length, expected_length);
	drop(next);
	return visited > changes.visited ? visited : changes.visited;
}

static void change_one(struct tree_builder *builder)
{
	set_entry(builder, LARGE, "b");
}

static void insert_one(struct tree_builder *builder)
{
	set_entry(builder, LARGE + 1, "b");
}

static void delete_one(struct tree_builder *builder)
{
	drop_entry(builder, LARGE);
}

static void insert_at_both_ends(struct tree_builder *builder)
{
	set_entry(builder, -1, "b");
	set_entry(builder, 10 * LARGE, "b");
}

/* Enough to split or join nodes, also above the leaf nodes. */
static void insert_many(struct tree_builder *builder)
{
	for (int64_t i = 0; i < 1000; i++)
		set_entry(builder, LARGE + 2 * i + 1, "b");
}

static void delete_many(struct tree_builder *builder)
{
	for (int64_t i = 0; i < 1000; i++)
		drop_entry(builder, LARGE + 2 * i);
}

static void delete_and_insert_again(struct tree_builder *builder)
{
	delete_many(builder);
	for (int64_t i = 0; i < 1000; i++)
		set_entry(builder, LARGE + 2 * i, "a");
}

static void cost_follows_the_change(void **state)
{
	(void)state;
	for (int backwards = 0; backwards <= 1; backwards++) {
		struct tree_record *base = sample(LARGE, backwards);
		assert_in_range(cost_of(base, change_one, 1), 1, 8 * TREE__FANOUT);
		assert_in_range(cost_of(base, insert_one, 1), 1, 8 * TREE__FANOUT);
		assert_in_range(cost_of(base, delete_one, 1), 1, 8 * TREE__FANOUT);
		assert_in_range(cost_of(base, insert_at_both_ends, 2), 1, 16 * TREE__FANOUT);
		assert_in_range(cost_of(base, insert_many, 1000), 1000, 3000 + 16 * TREE__FANOUT);
		assert_in_range(cost_of(base, delete_many, 1000), 1000, 3000 + 16 * TREE__FANOUT);
		assert_in_range(cost_of(base, delete_and_insert_again, 0), 1, 5000 + 16 * TREE__FANOUT);
		drop(base);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(unshared_equal_roots_do_not_differ),
		cmocka_unit_test(change_of_a_leaf_has_both_values),
		cmocka_unit_test(creations_and_deletions_are_not_expanded),
		cmocka_unit_test(cost_follows_the_change),
	};
	return cmocka_run_group_tests(tests, setup, teardown);
}
