/* SPDX-License-Identifier: BSD-3-Clause */
/* The edit tree: children in the order written, and every reference that it holds dropped (the sanitizer
 * looks for leaks). */
#include "helper_edit.h"
#include "helper_fixture.h"

SCHEMA_OF_ALL_TESTS(helper_schema())

static const struct schema_node *child_of(const struct schema_node *parent, const char *name)
{
	return schema_child_find_any(parent, bytes_of(name), NULL);
}

static void test_empty(void **state)
{
	(void)state;
	struct edit_tree *edit = edit_tree_new(schema);
	assert_ptr_equal(edit->top->schema, schema->root);
	assert_null(edit->top->children);
	assert_int_equal(edit->node_count, 1);
	assert_false(edit->has_operation);
	edit_tree_free(edit);
	edit_tree_free(NULL);
}

static void test_order(void **state)
{
	(void)state;
	struct edit_tree *edit = helper_parse(schema, "tl[2]{val=a} tleaf=x@merge tl[1]");
	const struct edit_node *node = edit->top->children;
	assert_string_equal(node->schema->name, "tl");
	assert_string_equal(node->children->schema->name, "id");
	assert_string_equal(node->children->next->schema->name, "val");
	assert_string_equal(node->next->schema->name, "tleaf");
	assert_int_equal(node->next->operation, EDIT_MERGE);
	assert_ptr_equal(node->next->next, edit->top->last_child);
	assert_null(edit->top->last_child->next);
	assert_int_equal(edit->node_count, 7);
	edit_tree_free(edit);
}

static void test_references(void **state)
{
	(void)state;
	struct text *text = text_new(bytes_of("a text too long to be inline"), 0);
	struct value value = {.word = (uintptr_t)text};
	struct tree_any *any = tree_any_new(text_new(bytes_of("<x/>"), 0));
	struct edit_tree *edit = edit_tree_new(schema);
	struct edit_node *top = edit_tree_add(edit, edit->top, child_of(schema->root, "top"));
	edit_tree_add(edit, top, child_of(top->schema, "a"))->value = value_ref(value);
	edit_tree_add(edit, top, child_of(top->schema, "ad"))->any = tree_any_ref(any);
	struct edit_node *entry = edit_tree_add(edit, top, child_of(top->schema, "e"));
	edit_tree_add(edit, entry, entry->schema->children[0])->value = value_ref(value);
	struct value *keys = arena_alloc(edit->arena, sizeof(*keys));
	keys[0] = value_ref(value);
	entry->insert = EDIT_INSERT_AFTER;
	entry->insert_keys = keys;
	struct edit_node *item = edit_tree_add(edit, top, child_of(top->schema, "ll"));
	item->value = value_ref(value);
	item->insert = EDIT_INSERT_BEFORE;
	item->insert_keys = keys;
	value_ref(value); /* for the second holder of `keys` */
	assert_int_equal(text->refs, 6);
	assert_int_equal(any->refs, 2);
	edit_tree_free(edit);
	assert_int_equal(text->refs, 1);
	assert_int_equal(any->refs, 1);
	text_unref(text);
	tree_any_unref(any);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_references),
	};
	return cmocka_run_group_tests(tests, load_schema, unload_schema);
}
