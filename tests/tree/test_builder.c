/* SPDX-License-Identifier: BSD-3-Clause */
/* The builder's promises: what it shares, what it changes in place, what it leaves alone. */
#include "helper_tree.h"

#include "tree/internal.h"

static const char module[] =
	"module m { yang-version 1.1; namespace urn:m; prefix m;"
	" container a { leaf x { type string; } container b { leaf x { type string; } } container s { "
	"presence yes; } }"
	" container o { leaf x { type string; } }"
	" list e { key k; leaf k { type int32; } leaf x { type string; } leaf y { type string; }"
	"  list f { key k; leaf k { type int32; } } }"
	" anydata any; }";

static struct schema *schema;
static struct value long_text;

static int setup(void **state)
{
	(void)state;
	schema = helper_schema("m", module);
	long_text = helper_value("a text that is not inline");
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	value_unref(long_text);
	schema_unref(schema);
	return 0;
}

static const struct schema_node *node(const char *path)
{
	return helper_node(schema, path);
}

static void enter_entry(struct tree_builder *builder, int64_t number)
{
	struct value key = helper_number(number);
	bool made;
	tree_builder_enter_entry(builder, node("e"), &key, &made);
	value_unref(key);
}

static struct tree_record *sample(void)
{
	struct tree_record *empty = tree_record_new();
	struct tree_builder *builder = tree_builder_new(schema, empty, NULL);
	tree_record_unref(empty, schema->root, NULL);
	tree_builder_enter(builder, node("a"));
	tree_builder_enter(builder, node("a/b"));
	tree_builder_set_leaf(builder, node("a/b/x"), long_text);
	tree_builder_leave(builder);
	tree_builder_leave(builder);
	tree_builder_enter(builder, node("o"));
	tree_builder_set_leaf(builder, node("o/x"), long_text);
	tree_builder_leave(builder);
	for (int64_t i = 0; i < 200; i++) {
		enter_entry(builder, i);
		tree_builder_set_leaf(builder, node("e/x"), long_text);
		tree_builder_leave(builder);
	}
	return tree_builder_finish(builder);
}

static void drop(struct tree_record *root)
{
	tree_record_unref(root, schema->root, NULL);
}

static void nothing_changed_gives_the_same_root(void **state)
{
	(void)state;
	struct tree_record *root = sample();
	struct tree_builder *builder = tree_builder_new(schema, root, NULL);
	struct value same = helper_value("a text that is not inline"), absent = helper_number(1000),
		     five = helper_number(5);
	tree_builder_enter(builder, node("a"));
	assert_false(tree_builder_enter_existing(builder, node("a/s")));
	tree_builder_enter(builder, node("a/s"));
	tree_builder_leave(builder);
	tree_builder_enter(builder, node("a/b"));
	assert_false(tree_builder_set_leaf(builder, node("a/b/x"), same));
	tree_builder_leave(builder);
	assert_false(tree_builder_remove(builder, node("a/x")));
	tree_builder_leave(builder);
	assert_false(tree_builder_enter_existing_entry(builder, node("e"), &absent));
	assert_false(tree_builder_remove_entry(builder, node("e"), &absent));
	assert_true(tree_builder_enter_existing_entry(builder, node("e"), &five));
	assert_false(tree_builder_set_leaf(builder, node("e/k"), five));
	assert_false(tree_builder_set_leaf(builder, node("e/x"), same));
	tree_builder_leave(builder);
	assert_false(tree_builder_graft(builder, node("a"), tree_record_find(root, node("a"))));
	struct tree_record *other = sample();
	assert_false(tree_builder_graft(builder, node("e"), tree_record_find(other, node("e"))));
	drop(other);
	enter_entry(builder, 7);
	assert_string_equal(tree_builder_position(builder)->schema->name, "e");
	/* finish leaves what is open */
	struct tree_record *after = tree_builder_finish(builder);
	assert_ptr_equal(after, root);
	assert_int_equal(atomic_load(&root->refs), 2);
	value_unref(same);
	drop(after);
	drop(root);
}

static void shared_base_is_copied_on_the_path_only(void **state)
{
	(void)state;
	struct tree_record *root = sample();
	struct tree_builder *builder = tree_builder_new(schema, root, NULL);
	enter_entry(builder, 100);
	assert_true(tree_builder_set_leaf(builder, node("e/y"), long_text));
	struct tree_record *after = tree_builder_finish(builder);
	assert_ptr_not_equal(after, root);
	assert_ptr_equal(tree_record_find(after, node("a"))->record,
			 tree_record_find(root, node("a"))->record);
	const struct tree_map *old_map = tree_record_find(root, node("e"))->map;
	const struct tree_map *new_map = tree_record_find(after, node("e"))->map;
	assert_ptr_not_equal(old_map, new_map);
	size_t differing = 0;
	for (uint64_t i = 0; i < 200; i++) {
		struct tree_map_iter iter;
		const struct tree_record *was = tree_map_at(&iter, old_map, node("e"), i)->record;
		const struct tree_record *is = tree_map_at(&iter, new_map, node("e"), i)->record;
		differing += was != is;
		assert_null(tree_record_find(was, node("e/y")));
	}
	assert_int_equal(differing, 1);
	drop(root);
	drop(after);
}

static void single_base_is_changed_in_place(void **state)
{
	(void)state;
	struct tree_record *root = sample();
	const struct tree_record *container = tree_record_find(root, node("a"))->record;
	const struct tree_map *map = tree_record_find(root, node("e"))->map;
	struct tree_builder *builder = tree_builder_new(schema, root, NULL);
	drop(root);
	enter_entry(builder, 100);
	tree_builder_set_leaf(builder, node("e/y"), long_text);
	tree_builder_leave(builder);
	struct tree_record *after = tree_builder_finish(builder);
	assert_ptr_equal(after, root);
	assert_ptr_equal(tree_record_find(after, node("a"))->record, container);
	assert_ptr_equal(tree_record_find(after, node("e"))->map, map);
	drop(after);
}

static void absent_containers_are_made_with_what_is_below(void **state)
{
	(void)state;
	struct tree_record *empty = tree_record_new();
	struct tree_builder *builder = tree_builder_new(schema, empty, NULL);
	tree_builder_enter(builder, node("a"));
	tree_builder_enter(builder, node("a/b"));
	assert_true(tree_builder_position(builder)->implicit);
	assert_false(tree_builder_remove(builder, node("a/b/x")));
	assert_true(tree_builder_set_leaf(builder, node("a/b/x"), long_text));
	assert_false(tree_builder_position(builder)->implicit);
	assert_false(tree_builder_position(builder)->parent->implicit);
	assert_non_null(tree_builder_position(builder)->parent->record);
	struct tree_record *root = tree_builder_finish(builder);
	assert_int_equal(empty->length, 0);
	assert_int_equal(root->length, 1);
	drop(root);
	drop(empty);
}

static void emptied_containers_vanish(void **state)
{
	(void)state;
	struct tree_record *root = sample();
	struct tree_builder *builder = tree_builder_new(schema, root, NULL);
	tree_builder_enter(builder, node("a"));
	tree_builder_enter(builder, node("a/b"));
	assert_true(tree_builder_remove(builder, node("a/b/x")));
	tree_builder_leave(builder);
	tree_builder_leave(builder);
	tree_builder_enter(builder, node("o"));
	assert_true(tree_builder_remove(builder, node("o/x")));
	tree_builder_make(builder);
	tree_builder_leave(builder);
	struct tree_record *after = tree_builder_finish(builder);
	assert_null(tree_record_find(after, node("a")));
	assert_non_null(tree_record_find(after, node("o")));
	drop(after);
	drop(root);
}

static void presence_containers_stay(void **state)
{
	(void)state;
	struct tree_record *empty = tree_record_new();
	struct tree_builder *builder = tree_builder_new(schema, empty, NULL);
	tree_builder_enter(builder, node("a"));
	tree_builder_enter(builder, node("a/s"));
	tree_builder_make(builder);
	tree_builder_leave(builder);
	tree_builder_leave(builder);
	struct tree_record *root = tree_builder_finish(builder);
	char *text = helper_print(schema, root, TREE_EXPLICIT);
	assert_string_equal(text, "/m:a\n/m:a/m:s\n");
	free(text);
	drop(root);
	drop(empty);
}

static void anydata_is_compared_by_content(void **state)
{
	(void)state;
	struct tree_record *empty = tree_record_new();
	struct tree_builder *builder = tree_builder_new(schema, empty, NULL);
	struct tree_any *first = tree_any_new(text_new(bytes_of("<a xmlns='u'/>"), 0));
	struct tree_any *second = tree_any_new(text_new(bytes_of("<a xmlns='u'/>"), 0));
	struct tree_any *third = tree_any_new(text_new(bytes_of("<b xmlns='u'/>"), 0));
	assert_true(tree_builder_set_any(builder, node("any"), first));
	assert_false(tree_builder_set_any(builder, node("any"), second));
	assert_true(tree_builder_set_any(builder, node("any"), third));
	tree_any_unref(first);
	tree_any_unref(second);
	tree_any_unref(third);
	tree_builder_abort(builder);
	assert_int_equal(empty->length, 0);
	drop(empty);
}

static void entries_in_entries(void **state)
{
	(void)state;
	struct tree_record *root = sample(), *first = tree_record_ref(root);
	for (int64_t i = 0; i < 200; i++) {
		struct tree_builder *builder = tree_builder_new(schema, root, NULL);
		struct value key = helper_number(i);
		bool made;
		enter_entry(builder, i % 3);
		tree_builder_enter_entry(builder, node("e/f"), &key, &made);
		assert_true(made);
		struct tree_record *next = tree_builder_finish(builder);
		drop(root);
		root = next;
		value_unref(key);
	}
	helper_check(schema->root, root);
	struct tree_position position = tree_position_root(schema, root), entry;
	struct value zero = helper_number(0);
	assert_true(tree_position_find_entry(&position, node("e"), &zero, &entry));
	assert_int_equal(tree_position_count(&entry, node("e/f")), 67);
	position = tree_position_root(schema, first);
	assert_true(tree_position_find_entry(&position, node("e"), &zero, &entry));
	assert_int_equal(tree_position_count(&entry, node("e/f")), 0);
	drop(root);
	drop(first);
}

/* An entry that has been left takes no more memory than one that was copied: no room for what did not come.
 */
static void test_room(void **state)
{
	(void)state;
	struct tree_record *empty = tree_record_new();
	struct tree_builder *builder = tree_builder_new(schema, empty, NULL);
	tree_record_unref(empty, schema->root, NULL);
	for (int64_t number = 0; number < 3; number++) {
		enter_entry(builder, number);
		if (number > 0)
			tree_builder_set_leaf(builder, node("e/x"), long_text);
		if (number > 1)
			tree_builder_set_leaf(builder, node("e/y"), long_text);
		tree_builder_leave(builder);
	}
	struct tree_record *root = tree_builder_finish(builder);
	struct tree_map_iter iter;
	const union tree_item *item =
		tree_map_first(&iter, tree_record_find(root, node("e"))->map, node("e"));
	for (; item; item = tree_map_next(&iter)) {
		struct tree_record *copy = tree__record_dup(item->record, node("e"));
		assert_int_equal(item->record->capacity, copy->capacity);
		tree_record_unref(copy, node("e"), NULL);
	}
	tree_record_unref(root, schema->root, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_changed_gives_the_same_root),
		cmocka_unit_test(shared_base_is_copied_on_the_path_only),
		cmocka_unit_test(single_base_is_changed_in_place),
		cmocka_unit_test(absent_containers_are_made_with_what_is_below),
		cmocka_unit_test(emptied_containers_vanish),
		cmocka_unit_test(presence_containers_stay),
		cmocka_unit_test(anydata_is_compared_by_content),
		cmocka_unit_test(entries_in_entries),
		cmocka_unit_test(test_room),
	};
	return cmocka_run_group_tests(tests, setup, teardown);
}
