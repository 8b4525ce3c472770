/* SPDX-License-Identifier: BSD-3-Clause */
/* Annotations: what they cost, how versions share them, and with what they go. (test_model.c has them at
 * random.) */
#include "helper_tree.h"

#include <stdio.h>

#include "tree/internal.h"

static const char module[] = "module m { yang-version 1.1; namespace urn:m; prefix m;"
			     " import ietf-yang-metadata { prefix md; }"
			     " md:annotation a { type string; } md:annotation b { type string; }"
			     " leaf s { type string; } leaf-list v { type int32; }"
			     " container np { leaf x { type string; } leaf y { type string; } }"
			     " list e { key k; leaf k { type string; } } }";

static size_t count_of(const struct tree_record *record, const struct schema_node *child, struct value item)
{
	size_t count;
	tree_annotations_find(record, (struct tree_annotated){child, item}, &count);
	return count;
}

static void test_sharing(void **state)
{
	(void)state;
	struct schema *schema = helper_schema("m", module);
	const struct schema_node *np = helper_node(schema, "np"), *x = helper_node(schema, "np/x"),
				 *y = helper_node(schema, "np/y");
	struct value note = helper_value("a note that is long"), one = helper_value("1"),
		     two = helper_value("2");
	struct tree_record *empty = tree_record_new();
	struct tree_builder *builder = tree_builder_new(schema, empty, NULL);
	tree_builder_enter(builder, np);
	tree_builder_set_leaf(builder, x, one);
	struct tree_record *plain = tree_builder_finish(builder);

	builder = tree_builder_new(schema, plain, NULL);
	tree_builder_enter(builder, np);
	assert_true(tree_builder_annotate(builder, (struct tree_annotated){x, VALUE_NONE},
					  &schema->annotations[1], note));
	assert_true(
		tree_builder_annotate(builder, (struct tree_annotated){0}, &schema->annotations[0], note));
	struct tree_record *noted = tree_builder_finish(builder);
	assert_false(tree_record_equal(schema->root, plain, noted));
	assert_true(tree_record_memory(schema->root, noted) > tree_record_memory(schema->root, plain));

	/* Another value, another leaf: the table is shared. What changes nothing keeps the root. */
	builder = tree_builder_new(schema, noted, NULL);
	tree_builder_enter(builder, np);
	assert_true(tree_builder_set_leaf(builder, x, two));
	assert_true(tree_builder_set_leaf(builder, y, two));
	assert_false(tree_builder_annotate(builder, (struct tree_annotated){x, VALUE_NONE},
					   &schema->annotations[1], note));
	struct tree_record *later = tree_builder_finish(builder);
	const struct tree_record *in_noted = tree_record_find(noted, np)->record,
				 *in_later = tree_record_find(later, np)->record;
	assert_ptr_equal(tree__record_annotations(in_noted), tree__record_annotations(in_later));
	builder = tree_builder_new(schema, later, NULL);
	tree_builder_enter(builder, np);
	assert_false(
		tree_builder_annotate(builder, (struct tree_annotated){0}, &schema->annotations[0], note));
	assert_false(tree_builder_remove_annotation(builder, (struct tree_annotated){y, VALUE_NONE}, NULL));
	struct tree_record *same = tree_builder_finish(builder);
	assert_ptr_equal(same, later);

	struct tree_position root = tree_position_root(schema, later), container, leaf;
	assert_true(tree_position_find_child(&root, np, TREE_EXPLICIT, &container));
	assert_true(tree_position_find_child(&container, x, TREE_EXPLICIT, &leaf));
	size_t count;
	assert_ptr_equal(tree_position_annotations(&leaf, &count)->schema, &schema->annotations[1]);
	assert_int_equal(count, 1);
	assert_ptr_equal(tree_position_annotations(&container, &count)->schema, &schema->annotations[0]);
	assert_null(tree_position_annotations(&root, &count));
	struct tree_record *roots[] = {empty, plain, noted, later, same};
	for (size_t i = 0; i < 5; i++)
		tree_record_unref(roots[i], schema->root, NULL);
	value_unref(note);
	schema_unref(schema);
}

/* A container that is stored for its annotation only goes when that does. */
static void test_container(void **state)
{
	(void)state;
	struct schema *schema = helper_schema("m", module);
	const struct schema_node *np = helper_node(schema, "np"), *x = helper_node(schema, "np/x");
	struct value note = helper_value("n");
	struct tree_record *root = tree_record_new();
	struct tree_builder *builder = tree_builder_new(schema, root, NULL);
	tree_builder_enter(builder, np);
	tree_builder_set_leaf(builder, x, note);
	tree_builder_annotate(builder, (struct tree_annotated){0}, &schema->annotations[0], note);
	tree_builder_remove(builder, x);
	tree_builder_leave(builder);
	assert_non_null(tree_record_find(tree_builder_position(builder)->record, np));
	tree_builder_enter(builder, np);
	tree_builder_remove_annotation(builder, (struct tree_annotated){0}, NULL);
	tree_builder_leave(builder);
	assert_null(tree_record_find(tree_builder_position(builder)->record, np));
	tree_builder_abort(builder);
	tree_record_unref(root, schema->root, NULL);
	schema_unref(schema);
}

static void test_values(void **state)
{
	(void)state;
	enum { VALUES = 1000 };
	struct schema *schema = helper_schema("m", module);
	const struct schema_node *v = helper_node(schema, "v");
	struct value note = helper_value("n");
	struct tree_record *root = tree_record_new();
	struct tree_builder *builder = tree_builder_new(schema, root, NULL);
	for (int i = 0; i < VALUES; i++) {
		struct value value = helper_number(i * 7 % VALUES);
		tree_builder_add_value(builder, v, value);
		if (i % 2 == 0)
			assert_true(tree_builder_annotate(builder, (struct tree_annotated){v, value},
							  &schema->annotations[i % 4 / 2], note));
	}
	tree_record_unref(root, schema->root, NULL);
	root = tree_builder_finish(builder);
	helper_check(schema->root, root);
	size_t count;
	tree_annotations_all(root, &count);
	assert_int_equal(count, VALUES / 2);
	assert_int_equal(count_of(root, v, helper_number(14)), 1);
	assert_int_equal(count_of(root, v, helper_number(7)), 0);
	builder = tree_builder_new(schema, root, NULL);
	assert_true(tree_builder_remove_value(builder, v, helper_number(14)));
	assert_true(tree_builder_add_value(builder, v, helper_number(14)));
	struct tree_record *later = tree_builder_finish(builder);
	assert_int_equal(count_of(later, v, helper_number(14)), 0);
	assert_int_equal(count_of(root, v, helper_number(14)), 1);
	builder = tree_builder_new(schema, later, NULL);
	tree_builder_remove(builder, v);
	tree_record_unref(later, schema->root, NULL);
	later = tree_builder_finish(builder);
	assert_null(tree_annotations_all(later, &count));
	tree_record_unref(later, schema->root, NULL);
	tree_record_unref(root, schema->root, NULL);
	schema_unref(schema);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sharing),
		cmocka_unit_test(test_container),
		cmocka_unit_test(test_values),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
