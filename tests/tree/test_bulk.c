/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Gathered entries: what a bulk puts into a list is what entering the entries one by one makes of it,
 * whatever the order, doubles, and what the list had before; and whether beginnings repeat is told right.
 */
#include "helper_tree.h"

#include <stdio.h>
#include <string.h>

#include "tree/bulk.h"

static const char module[] = "module m { yang-version 1.1; namespace urn:m; prefix m;"
			     " list l { key \"n t\"; leaf n { type int64; } leaf t { type string; } } }";

enum { COLUMNS = 2, COUNT_MAX = 3000 };

static struct schema *schema;
static const struct schema_node *list;

static int setup(void **state)
{
	(void)state;
	schema = helper_schema("m", module);
	list = helper_node(schema, "l");
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	schema_unref(schema);
	return 0;
}

/* A text with much in common with others, of any length. */
static struct value make_text(struct helper_random *random)
{
	char text[700];
	size_t size = (size_t)helper_random_below(random, 3) * 300;
	memset(text, 'a', size);
	snprintf(text + size, sizeof(text) - size, "common-%04u", (unsigned)helper_random_below(random, 500));
	return helper_value(text);
}

static void make_keys(struct helper_random *random, struct value *keys, uint64_t range)
{
	keys[0] = helper_number((int64_t)helper_random_below(random, range) - (int64_t)range / 2);
	keys[1] = make_text(random);
}

static void drop_keys(const struct value *keys)
{
	value_unref(keys[0]);
	value_unref(keys[1]);
}

static void enter(struct tree_builder *builder, const struct value *keys)
{
	bool made;
	tree_builder_enter_entry(builder, list, keys, &made);
	tree_builder_leave(builder);
}

static void drop(struct tree_record *root)
{
	tree_record_unref(root, schema->root, NULL);
}

static struct tree_record *random_base(struct helper_random *random, uint64_t count, uint64_t range)
{
	struct tree_record *empty = tree_record_new();
	struct tree_builder *builder = tree_builder_new(schema, empty, NULL);
	struct value keys[COLUMNS];
	for (uint64_t i = 0; i < count; i++) {
		make_keys(random, keys, range);
		enter(builder, keys);
		drop_keys(keys);
	}
	drop(empty);
	return tree_builder_finish(builder);
}

/* Whether two neighbours have the same number. */
static bool repeats(const struct tree_record *root)
{
	const union tree_slot *slot = tree_record_find(root, list);
	struct tree_map_iter iter;
	struct value last = VALUE_NONE;
	const union tree_item *item = slot ? tree_map_first(&iter, slot->map, list) : NULL;
	for (; item; item = tree_map_next(&iter)) {
		if (value_equal(last, item->record->slots[0].value))
			return true;
		last = item->record->slots[0].value;
	}
	return false;
}

static void try_once(struct helper_random *random, uint64_t before, uint64_t count, uint64_t range)
{
	struct tree_record *base = random_base(random, before, range);
	struct tree_builder *one = tree_builder_new(schema, base, NULL);
	struct tree_builder *many = tree_builder_new(schema, base, NULL);
	struct tree_bulk bulk;
	tree_bulk_init(&bulk, list);
	for (uint64_t i = 0; i < count; i++) {
		struct value keys[COLUMNS];
		make_keys(random, keys, range);
		for (uint64_t times = 1 + helper_random_below(random, 2); times > 0; times--)
			tree_bulk_add(&bulk, keys);
		enter(one, keys);
		drop_keys(keys);
	}
	bool distinct = tree_bulk_put(&bulk, many, 1);
	tree_bulk_fini(&bulk);
	struct tree_record *expected = tree_builder_finish(one), *root = tree_builder_finish(many);
	helper_check(schema->root, root);
	assert_true(tree_record_equal(schema->root, expected, root));
	assert_true(distinct == (before == 0 && count > 0 && !repeats(root)));
	helper_check(schema->root, base);
	drop(expected);
	drop(root);
	drop(base);
}

static void test_random(void **state)
{
	(void)state;
	struct helper_random random = helper_random_init("bulk");
	for (uint64_t count = 0; count <= 60; count++)
		try_once(&random, 0, count, 1000000);
	for (int i = 0; i < 20; i++) {
		uint64_t range = i % 2 ? 40 : 100000000;
		try_once(&random, 0, 1 + helper_random_below(&random, COUNT_MAX), range);
		try_once(&random, helper_random_below(&random, COUNT_MAX),
			 helper_random_below(&random, COUNT_MAX), range);
	}
}

/* In order and the other way round, through three levels of nodes. */
static void test_ordered(void **state)
{
	(void)state;
	for (int turn = 0; turn < 2; turn++) {
		struct tree_record *empty = tree_record_new();
		struct tree_builder *builder = tree_builder_new(schema, empty, NULL);
		struct tree_bulk bulk;
		tree_bulk_init(&bulk, list);
		for (int64_t i = 0; i < COUNT_MAX; i++) {
			struct value keys[COLUMNS] = {helper_number(turn ? COUNT_MAX - i : i),
						      helper_value("t")};
			tree_bulk_add(&bulk, keys);
			drop_keys(keys);
		}
		assert_true(tree_bulk_put(&bulk, builder, 1));
		tree_bulk_fini(&bulk);
		struct tree_record *root = tree_builder_finish(builder);
		helper_check(schema->root, root);
		assert_int_equal(tree_map_count(tree_record_find(root, list)->map), COUNT_MAX);
		drop(root);
		drop(empty);
	}
}

/* What is gathered and not put is released. */
static void test_dropped(void **state)
{
	(void)state;
	struct helper_random random = helper_random_init("bulk dropped");
	struct tree_bulk bulk;
	struct value keys[COLUMNS];
	tree_bulk_init(&bulk, list);
	make_keys(&random, keys, 10);
	tree_bulk_add(&bulk, keys);
	drop_keys(keys);
	tree_bulk_fini(&bulk);
	assert_int_equal(bulk.records.length, 0);
}

/* Parts that were gathered apart are as one; and what is removed was there before, or not. */
static void test_joined(void **state)
{
	(void)state;
	struct helper_random random = helper_random_init("bulk joined");
	struct tree_record *base = random_base(&random, 500, 300);
	struct tree_builder *one = tree_builder_new(schema, base, NULL);
	struct tree_builder *many = tree_builder_new(schema, base, NULL);
	struct tree_bulk parts[4], gone;
	tree_bulk_init(&gone, list);
	for (size_t i = 0; i < 4; i++)
		tree_bulk_init(&parts[i], list);
	for (int i = 0; i < 1000; i++) {
		struct value keys[COLUMNS];
		make_keys(&random, keys, 300);
		tree_bulk_add(&gone, keys);
		tree_builder_remove_entry(one, list, keys);
		drop_keys(keys);
	}
	for (int i = 0; i < 1000; i++) {
		struct value keys[COLUMNS];
		make_keys(&random, keys, 300);
		tree_bulk_add(&parts[i % 3], keys); /* the last one stays empty */
		enter(one, keys);
		drop_keys(keys);
	}
	tree_bulk_remove(&gone, many);
	for (size_t i = 1; i < 4; i++) {
		tree_bulk_join(&parts[0], &parts[i]);
		tree_bulk_fini(&parts[i]);
	}
	tree_bulk_put(&parts[0], many, 1);
	tree_bulk_fini(&parts[0]);
	tree_bulk_fini(&gone);
	struct tree_record *expected = tree_builder_finish(one), *root = tree_builder_finish(many);
	helper_check(schema->root, root);
	assert_true(tree_record_equal(schema->root, expected, root));
	drop(expected);
	drop(root);
	drop(base);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_ordered),
		cmocka_unit_test(test_dropped),
		cmocka_unit_test(test_joined),
	};
	return cmocka_run_group_tests(tests, setup, teardown);
}
