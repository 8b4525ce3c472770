/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * User order and sequences by themselves: what the random test (test_model.c) seldom meets. Gaps of labels
 * that close, at the ends of the label space too; many moves against a naive array; what a diff of a few
 * moves in a large list looks at; lists that were built anew in another order.
 */
#include "helper_model.h"

#include <stdio.h>
#include <string.h>

#include "tree/internal.h"
#include "helper_fixture.h"

static const char module[] =
	"module m { yang-version 1.1; namespace urn:m; prefix m;"
	" leaf-list ul { type int32; ordered-by user; }"
	" list entry { key k; ordered-by user; leaf k { type int32; } leaf v { type string; } }"
	" container state { config false; leaf-list l { type int32; }"
	"  list row { leaf v { type string; } leaf w { type string; } } } }";

SCHEMA_OF_ALL_TESTS(helper_schema("m", module))

static struct tree_builder *builder_of(struct tree_record *root)
{
	struct tree_builder *builder = tree_builder_new(schema, root, NULL);
	tree_record_unref(root, schema->root, NULL);
	return builder;
}

static void put_value(struct tree_builder *builder, int64_t number, enum tree_where where, int64_t anchor)
{
	struct value value = helper_number(number), next_to = helper_number(anchor);
	struct tree_insert insert = {.where = where, .anchor = &next_to};
	tree_builder_insert_value(builder, helper_node(schema, "ul"), value, &insert);
	value_unref(value);
	value_unref(next_to);
}

static struct tree_record *values(int64_t count)
{
	struct tree_builder *builder = builder_of(tree_record_new());
	for (int64_t i = 0; i < count; i++)
		put_value(builder, i, TREE_LAST, 0);
	return tree_builder_finish(builder);
}

static int64_t value_at(const struct tree_record *root, uint64_t index)
{
	const struct schema_node *node = helper_node(schema, "ul");
	struct tree_map_iter iter;
	const union tree_item *item = tree_map_at(&iter, tree_record_find(root, node)->map, node, index);
	assert_non_null(item);
	struct bytes bytes = value_bytes(&item->value);
	char text[32];
	snprintf(text, sizeof(text), "%.*s", (int)bytes.size, bytes.data);
	return strtoll(text, NULL, 10);
}

static void closing_gaps(void **state)
{
	(void)state;
	enum { COUNT = 3000 };
	struct tree_record *root = values(3), *held = tree_record_ref(root);
	struct tree_builder *builder = builder_of(root);
	for (int64_t i = 3; i < COUNT; i++)
		put_value(builder, i, TREE_BEFORE, 1); /* always in the same place */
	root = tree_builder_finish(builder);
	helper_check(schema->root, root);
	for (int64_t i = 3; i < COUNT; i++)
		assert_int_equal(value_at(root, (uint64_t)i - 2), i);
	builder = builder_of(root);
	for (int64_t i = COUNT; i < 2 * COUNT; i++)
		put_value(builder, i, TREE_AFTER, 0); /* in descending order */
	root = tree_builder_finish(builder);
	helper_check(schema->root, root);
	for (int64_t i = 0; i < COUNT; i++)
		assert_int_equal(value_at(root, (uint64_t)i + 1), 2 * COUNT - 1 - i);
	helper_check(schema->root, held);
	tree_record_unref(root, schema->root, NULL);
	tree_record_unref(held, schema->root, NULL);
}

/* Each behind the one before, as a replace puts them. */
static void runs(void **state)
{
	(void)state;
	enum { COUNT = 20000 };
	struct tree_builder *builder = builder_of(values(2));
	for (int64_t i = 2; i < COUNT; i++)
		put_value(builder, i, TREE_AFTER_RUN, i == 2 ? 0 : i - 1);
	struct tree_record *root = tree_builder_finish(builder);
	helper_check(schema->root, root);
	for (int64_t i = 2; i < COUNT; i++)
		assert_int_equal(value_at(root, (uint64_t)i - 1), i);
	tree_record_unref(root, schema->root, NULL);
}

/* Gives the only value of a leaf-list another label. */
static void set_label(struct tree_record *root, uint64_t label)
{
	const struct schema_node *node = helper_node(schema, "ul");
	struct tree_map *pair = tree_record_find(root, node)->map;
	for (int i = 0; i < 2; i++) {
		tree__map_labels(pair->cells[i].child)[0] = label;
		tree__map_refresh(pair->cells[i].child, node);
	}
}

static void ends_of_the_labels(void **state)
{
	(void)state;
	enum { COUNT = 500 };
	static const uint64_t labels[] = {1, 2, UINT64_MAX - 2, UINT64_MAX - 1};
	for (size_t i = 0; i < sizeof(labels) / sizeof(labels[0]); i++) {
		struct tree_record *root = values(1);
		set_label(root, labels[i]);
		helper_check(schema->root, root);
		struct tree_builder *builder = builder_of(root);
		for (int64_t k = 1; k < COUNT; k++)
			put_value(builder, k, i < 2 ? TREE_FIRST : TREE_LAST, 0);
		root = tree_builder_finish(builder);
		helper_check(schema->root, root);
		for (int64_t k = 0; k < COUNT; k++)
			assert_int_equal(value_at(root, (uint64_t)k), i < 2 ? COUNT - 1 - k : k);
		tree_record_unref(root, schema->root, NULL);
	}
}

static void to_last_place(void **state)
{
	(void)state;
	enum { COUNT = 700, MOVES = 5000 };
	struct helper_random random = helper_random_init("to_last_place");
	int64_t order[COUNT];
	for (int64_t i = 0; i < COUNT; i++)
		order[i] = i;
	struct tree_record *root = values(COUNT);
	for (int i = 0; i < MOVES; i++) {
		size_t from = helper_random_below(&random, COUNT), to = helper_random_below(&random, COUNT);
		int64_t moved = order[from];
		memmove(order + from, order + from + 1, (COUNT - from - 1) * sizeof(*order));
		memmove(order + to + 1, order + to, (COUNT - to - 1) * sizeof(*order));
		order[to] = moved;
		struct tree_builder *builder = builder_of(root);
		put_value(builder, moved, to == 0 ? TREE_FIRST : TREE_AFTER, to == 0 ? 0 : order[to - 1]);
		root = tree_builder_finish(builder);
	}
	helper_check(schema->root, root);
	for (uint64_t i = 0; i < COUNT; i++)
		assert_int_equal(value_at(root, i), order[i]);
	tree_record_unref(root, schema->root, NULL);
}

static size_t moves_of(const struct tree_change_set *changes)
{
	size_t moved = 0;
	const struct tree_change *change = changes->root != NULL ? changes->root->children : NULL;
	for (; change != NULL; change = change->next)
		moved += change->moved;
	return moved;
}

static void diff_of_moves(void **state)
{
	(void)state;
	enum { COUNT = 20000 };
	struct tree_record *root = values(COUNT), *held = tree_record_ref(root);
	struct tree_builder *builder = builder_of(root);
	put_value(builder, 5, TREE_LAST, 0);
	put_value(builder, COUNT / 2, TREE_AFTER, COUNT / 3);
	put_value(builder, COUNT - 1, TREE_FIRST, 0);
	root = tree_builder_finish(builder);
	struct arena *arena = arena_new();
	struct tree_change_set changes;
	tree_diff(schema, held, root, arena, &changes);
	assert_int_equal(moves_of(&changes), 3);
	assert_int_equal(changes.length, 3);
	assert_in_range(changes.visited, 3, 1000);
	const struct tree_change *first = changes.root->children;
	assert_null(first->predecessor);
	assert_true(value_equal(first->next->predecessor->value, helper_number(COUNT / 3)));
	assert_false(tree_record_equal(schema->root, held, root));
	/* Back again, with other labels: equal. */
	builder = builder_of(root);
	put_value(builder, 5, TREE_AFTER, 4);
	put_value(builder, COUNT / 2, TREE_AFTER, COUNT / 2 - 1);
	put_value(builder, COUNT - 1, TREE_LAST, 0);
	root = tree_builder_finish(builder);
	tree_diff(schema, held, root, arena, &changes);
	assert_null(changes.root);
	assert_true(tree_record_equal(schema->root, held, root));
	arena_free(arena);
	tree_record_unref(root, schema->root, NULL);
	tree_record_unref(held, schema->root, NULL);
}

/* Nearly all labels change, but one item has moved. */
static void diff_of_a_list_made_anew(void **state)
{
	(void)state;
	enum { COUNT = 1000 };
	struct tree_record *root = values(COUNT), *held = tree_record_ref(root);
	struct tree_builder *builder = builder_of(root);
	for (int64_t i = 1; i < COUNT; i++)
		put_value(builder, i, i == 1 ? TREE_FIRST : TREE_AFTER, i - 1);
	root = tree_builder_finish(builder);
	struct arena *arena = arena_new();
	struct tree_change_set changes;
	tree_diff(schema, held, root, arena, &changes);
	assert_int_equal(changes.length, 1);
	assert_int_equal(moves_of(&changes), 1);
	arena_free(arena);
	tree_record_unref(root, schema->root, NULL);
	tree_record_unref(held, schema->root, NULL);
}

static void sequences(void **state)
{
	(void)state;
	const struct schema_node *container = helper_node(schema, "state"),
				 *list = helper_node(schema, "state/l"),
				 *row = helper_node(schema, "state/row"),
				 *leaf = helper_node(schema, "state/row/v");
	struct tree_builder *builder = builder_of(tree_record_new());
	tree_builder_enter(builder, container);
	for (int64_t i = 0; i < 100; i++) {
		struct value value = helper_number(i % 3);
		assert_true(tree_builder_add_value(builder, list, value));
		tree_builder_append_entry(builder, row);
		assert_true(tree_builder_set_leaf(builder, leaf, value));
		tree_builder_leave(builder);
	}
	struct tree_record *root = tree_builder_finish(builder);
	helper_check(schema->root, root);
	struct arena *arena = arena_new();
	struct tree_position top = tree_position_root(schema, root), at, item, before = {.parent = NULL};
	assert_true(tree_position_find_child(&top, container, TREE_EXPLICIT, &at));
	assert_int_equal(tree_position_count(&at, list), 100);
	assert_int_equal(tree_position_count(&at, row), 100);
	struct tree_cursor cursor;
	tree_cursor_init_child(&cursor, schema, &at, row, TREE_EXPLICIT);
	for (uint32_t i = 1; tree_cursor_next(&cursor, &item); i++) {
		assert_int_equal(item.index, i);
		assert_string_equal(tree_position_path(&item, arena),
				    arena_printf(arena, "/m:state/m:row[%u]", i));
		assert_true(i == 1 || tree_position_compare(&before, &item) < 0);
		before = item;
	}
	assert_int_equal(before.index, 100);
	tree_cursor_init_child(&cursor, schema, &at, list, TREE_EXPLICIT);
	for (int64_t i = 0; tree_cursor_next(&cursor, &item); i++)
		assert_true(value_equal(item.value, helper_number(i % 3)));
	arena_free(arena);
	tree_record_unref(root, schema->root, NULL);
}

/* A position made by hand knows no index: it is looked up. */
static void positions_without_index(void **state)
{
	(void)state;
	struct tree_record *root = values(50);
	struct tree_builder *builder = builder_of(root);
	put_value(builder, 49, TREE_FIRST, 0);
	root = tree_builder_finish(builder);
	const struct schema_node *node = helper_node(schema, "ul");
	struct tree_position top = tree_position_root(schema, root), last, other;
	struct value keys[] = {helper_number(49), helper_number(0)};
	assert_true(tree_position_find_entry(&top, node, &keys[0], &last));
	assert_true(tree_position_find_entry(&top, node, &keys[1], &other));
	assert_true(tree_position_compare(&last, &other) < 0);
	assert_true(tree_position_compare(&other, &last) > 0);
	assert_true(tree_position_same(&other, &other));
	tree_record_unref(root, schema->root, NULL);
}

/* The leafs of an entry in both trees of the pair, changed before and after it is moved. */
static void entries_move_with_their_content(void **state)
{
	(void)state;
	const struct schema_node *list = helper_node(schema, "entry"), *leaf = helper_node(schema, "entry/v");
	struct tree_record *root = tree_record_new();
	for (int64_t round = 0; round < 3; round++) {
		struct tree_record *held = tree_record_ref(root);
		struct tree_builder *builder = builder_of(root);
		for (int64_t i = 0; i < 200; i++) {
			struct value key = helper_number(i), text = helper_number(i + round);
			struct tree_insert insert = {.where = i % 2 ? TREE_FIRST : TREE_LAST};
			tree_builder_insert_entry(builder, list, &key, &insert);
			assert_true(tree_builder_enter_existing_entry(builder, list, &key));
			assert_true(tree_builder_set_leaf(builder, leaf, text));
			tree_builder_leave(builder);
		}
		root = tree_builder_finish(builder);
		helper_check(schema->root, root);
		helper_check(schema->root, held);
		tree_record_unref(held, schema->root, NULL);
	}
	tree_record_unref(root, schema->root, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(closing_gaps),
		cmocka_unit_test(runs),
		cmocka_unit_test(ends_of_the_labels),
		cmocka_unit_test(to_last_place),
		cmocka_unit_test(diff_of_moves),
		cmocka_unit_test(diff_of_a_list_made_anew),
		cmocka_unit_test(sequences),
		cmocka_unit_test(positions_without_index),
		cmocka_unit_test(entries_move_with_their_content),
	};
	return cmocka_run_group_tests(tests, load_schema, unload_schema);
}
