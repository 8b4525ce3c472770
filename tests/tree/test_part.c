/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Parts of a list: joined, they are what entering their entries one by one makes; a part that does not come
 * behind what is there is refused, and nothing has changed.
 */
#include "helper_tree.h"

#include "tree/part.h"

static const char module[] =
	"module m { yang-version 1.1; namespace urn:m; prefix m;"
	" container c { list l { key n; leaf n { type uint32; } leaf v { type string; } } } }";

static struct schema *schema;
static const struct schema_node *container, *list;

static int setup(void **state)
{
	(void)state;
	schema = helper_schema("m", module);
	container = helper_node(schema, "c");
	list = helper_node(schema, "c/l");
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	schema_unref(schema);
	return 0;
}

static void drop(struct tree_record *root)
{
	tree_record_unref(root, schema->root, NULL);
}

/* Entries from `first` up to before `end`. */
static void enter(struct tree_builder *builder, unsigned first, unsigned end)
{
	struct value text = helper_value("a text");
	for (unsigned i = first; i < end; i++) {
		struct value key = helper_number(i);
		bool made;
		tree_builder_enter_entry(builder, list, &key, &made);
		assert_true(made);
		if (i % 3 == 0)
			tree_builder_set_leaf(builder, helper_node(schema, "c/l/v"), text);
		tree_builder_leave(builder);
		value_unref(key);
	}
	value_unref(text);
}

static struct tree_builder *begin(const struct tree_record *base)
{
	struct tree_builder *builder = tree_builder_new(schema, base, NULL);
	tree_builder_enter(builder, container);
	return builder;
}

static struct tree_record *make_base(unsigned first, unsigned end)
{
	struct tree_record *empty = tree_record_new();
	struct tree_builder *builder = begin(empty);
	drop(empty);
	enter(builder, first, end);
	return tree_builder_finish(builder);
}

static struct tree_builder *make_part(const struct tree_builder *builder, unsigned first, unsigned end)
{
	struct tree_builder *part = tree_part_new(builder, container);
	enter(part, first, end);
	return part;
}

static void assert_same(const struct tree_record *root, unsigned end)
{
	struct tree_record *plain = make_base(0, end);
	helper_check(schema->root, root);
	assert_true(tree_record_equal(schema->root, root, plain));
	drop(plain);
}

static void test_joined_is_as_entered(void **state)
{
	(void)state;
	struct helper_random random = helper_random_init("joined");
	for (unsigned round = 0; round < 60; round++) {
		unsigned end = (unsigned)helper_random_below(&random, 3) *
			       (unsigned)helper_random_below(&random, 700);
		unsigned had = end;
		struct tree_record *base = make_base(0, end), *root;
		struct tree_builder *builder = begin(base);
		if (round % 2 == 0) { /* the builder has changed the list itself, or not yet */
			enter(builder, end, end + 1);
			end++;
		}
		for (unsigned i = 0; i < 1 + round % 5; i++) {
			unsigned next =
				end + 1 + (unsigned)helper_random_below(&random, round % 3 ? 900 : 60);
			assert_true(tree_part_join(builder, list, make_part(builder, end, next)));
			end = next;
		}
		enter(builder, end, end + 30);
		root = tree_builder_finish(builder);
		assert_same(root, end + 30);
		drop(root);
		assert_same(base, had);
		drop(base);
	}
}

static void test_what_is_not_behind_is_refused(void **state)
{
	(void)state;
	struct tree_record *base = make_base(0, 100);
	struct tree_builder *builder = begin(base);
	assert_false(tree_part_join(builder, list, make_part(builder, 99, 200)));
	assert_false(tree_part_join(builder, list, make_part(builder, 50, 51)));
	struct tree_record *root = tree_builder_finish(builder);
	assert_ptr_equal(root, base);
	drop(root);
	drop(base);
}

static void test_parts_are_full(void **state)
{
	(void)state;
	struct tree_record *empty = tree_record_new();
	struct tree_builder *builder = begin(empty);
	for (unsigned i = 0; i < 10; i++) {
		unsigned first = i * 5 * TREE_PART_MULTIPLE;
		assert_true(tree_part_join(builder, list,
					   make_part(builder, first, first + 5 * TREE_PART_MULTIPLE)));
	}
	struct tree_record *root = tree_builder_finish(builder),
			   *plain = make_base(0, 50 * TREE_PART_MULTIPLE);
	assert_int_equal(tree_record_memory(schema->root, root), tree_record_memory(schema->root, plain));
	drop(root);
	drop(plain);
	drop(empty);
}

static void test_parts_have_the_stamp(void **state)
{
	(void)state;
	struct tree_record *base = make_base(0, 10);
	struct tree_builder *builder = begin(base);
	tree_builder_set_stamp(builder, 7);
	assert_true(tree_part_join(builder, list, make_part(builder, 10, 20)));
	struct tree_record *root = tree_builder_finish(builder);
	const struct tree_record *inner = tree_record_find(root, container)->record;
	struct tree_map_iter iter;
	const struct tree_map *map = tree_record_find(inner, list)->map;
	assert_int_equal(tree_record_stamp_get(root), 7);
	assert_int_equal(tree_record_stamp_get(inner), 7);
	for (unsigned i = 0; i < 20; i++)
		assert_int_equal(tree_record_stamp_get(tree_map_at(&iter, map, list, i)->record),
				 i < 10 ? 0 : 7);
	drop(root);
	drop(base);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_joined_is_as_entered),
		cmocka_unit_test(test_what_is_not_behind_is_refused),
		cmocka_unit_test(test_parts_are_full),
		cmocka_unit_test(test_parts_have_the_stamp),
	};
	return cmocka_run_group_tests(tests, setup, teardown);
}
