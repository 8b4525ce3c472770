/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Edits of many entries: in key order, in the opposite order, again as a replace, replaced in part, deleted
 * one by one. The times printed are those of a build with sanitizers; the bound only catches what is not
 * linear. YARE_BULK sets the size.
 */
#include "helper_edit.h"

#include <stdio.h>
#include <stdlib.h>

#include "os/clock.h"
#include "tree/map.h"

#define ENTRIES 100000
#define SECONDS_MAX 20 /* of one edit, on a busy machine */

static struct schema *schema;
static const struct schema_node *list, *leaf;
static uint32_t entries = ENTRIES;

static struct value number_value(uint32_t number)
{
	char text[16];
	snprintf(text, sizeof(text), "%u", number);
	return value_new(bytes_of(text), 0);
}

/* Entries first, first + step, ... (count of them), each with a leaf of that text; step may wrap to go down.
 */
static struct edit_tree *entries_edit(uint32_t first, uint32_t step, uint32_t count, const char *text)
{
	struct edit_tree *edit = edit_tree_new(schema);
	for (uint32_t i = 0; i < count; i++) {
		struct edit_node *entry = edit_tree_add(edit, edit->top, list);
		edit_tree_add(edit, entry, list->children[0])->value = number_value(first + i * step);
		if (text)
			edit_tree_add(edit, entry, leaf)->value = value_new(bytes_of(text), 0);
	}
	return edit;
}

static uint64_t count_of(const struct tree_record *root)
{
	const union tree_slot *slot = tree_record_find(root, list);
	return slot ? tree_map_count(slot->map) : 0;
}

/* Applies, takes the edit, prints the time. */
static struct tree_record *timed(const char *what, const struct tree_record *base, struct edit_tree *edit,
				 enum edit_operation operation)
{
	struct arena *arena = arena_new();
	uint64_t start = os_clock_monotonic_ns();
	struct helper_result result = helper_apply(schema, base, edit, operation, arena);
	uint64_t elapsed_ns = os_clock_monotonic_ns() - start;
	print_message("%-28s %7.1f ms\n", what, (double)elapsed_ns / 1e6);
	if (!result.root)
		fail_msg("%s", result.errors);
	assert_true(elapsed_ns < SECONDS_MAX * UINT64_C(1000000000));
	edit_tree_free(edit);
	arena_free(arena);
	return result.root;
}

static void test_entries(void **state)
{
	(void)state;
	struct tree_record *empty = tree_record_new();
	struct tree_record *up =
		timed("ascending", empty, entries_edit(0, 1, entries, "some text of a leaf"), EDIT_MERGE);
	assert_int_equal(count_of(up), entries);
	assert_int_equal(count_of(empty), 0);
	struct tree_record *down =
		timed("descending", empty,
		      entries_edit(entries - 1, UINT32_MAX, entries, "some text of a leaf"), EDIT_MERGE);
	assert_true(tree_record_equal(schema->root, up, down));

	struct tree_record *same = timed("identical replace", up,
					 entries_edit(0, 1, entries, "some text of a leaf"), EDIT_REPLACE);
	assert_ptr_equal(same, up);
	struct tree_record *same_down =
		timed("identical, descending", up,
		      entries_edit(entries - 1, UINT32_MAX, entries, "some text of a leaf"), EDIT_REPLACE);
	assert_ptr_equal(same_down, up);

	struct tree_record *half =
		timed("replace by every second", up, entries_edit(0, 2, entries / 2, "some text of a leaf"),
		      EDIT_REPLACE);
	assert_int_equal(count_of(half), entries / 2);
	assert_int_equal(count_of(up), entries);
	struct tree_record *others =
		timed("replace by others", up, entries_edit(entries, 1, entries, "x"), EDIT_REPLACE);
	assert_int_equal(count_of(others), entries);

	struct edit_tree *edit = entries_edit(0, 1, entries, NULL);
	for (struct edit_node *node = edit->top->children; node; node = node->next)
		node->operation = EDIT_DELETE;
	struct tree_record *none = timed("delete one by one", up, edit, EDIT_NONE);
	assert_int_equal(none->length, 0);
	assert_true(tree_record_equal(schema->root, up, down));

	const struct tree_record *const roots[] = {empty, up, down, same, same_down, half, others, none};
	for (size_t i = 0; i < sizeof(roots) / sizeof(roots[0]); i++)
		helper_unref(schema, roots[i]);
}

/* An equal part of a replaced tree keeps its nodes. */
static void test_sharing(void **state)
{
	(void)state;
	struct arena *arena = arena_new();
	struct tree_record *base =
		helper_tree(schema, "top{a=1 np{x=1 deep{z=1}} e[j]{v=1} e[k]{n{m=1}}} other{o=1}");
	struct edit_tree *edit =
		helper_parse(schema, "other{o=2} top{a=1 np{deep{z=1} x=1} e[k]{n{m=1}} e[j]{v=1}}");
	struct helper_result result = helper_apply(schema, base, edit, EDIT_REPLACE, arena);
	assert_non_null(result.root);
	assert_ptr_not_equal(result.root, base);
	const struct schema_node *top = schema_child_find_any(schema->root, bytes_of("top"), NULL);
	assert_ptr_equal(tree_record_find(result.root, top)->record, tree_record_find(base, top)->record);
	helper_unref(schema, result.root);
	edit_tree_free(edit);

	edit = helper_parse(schema, "top@replace{a=2 np{deep{z=1} x=1}}");
	result = helper_apply(schema, base, edit, EDIT_MERGE, arena);
	assert_string_equal(helper_dump(schema, result.root, arena), "top{a=2 np{x=1 deep{z=1}}} other{o=1}");
	const struct schema_node *np = schema_child_find_any(top, bytes_of("np"), NULL);
	const struct tree_record *new_top = tree_record_find(result.root, top)->record;
	assert_ptr_equal(tree_record_find(new_top, np)->record,
			 tree_record_find(tree_record_find(base, top)->record, np)->record);
	helper_unref(schema, result.root);
	edit_tree_free(edit);
	helper_unref(schema, base);
	arena_free(arena);
}

static int set_up(void **state)
{
	(void)state;
	schema = helper_schema();
	list = schema_child_find_any(schema->root, bytes_of("tl"), NULL);
	leaf = schema_child_find_any(list, bytes_of("val"), NULL);
	const char *given = getenv("YARE_BULK");
	if (given)
		entries = (uint32_t)strtoul(given, NULL, 0);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	schema_unref(schema);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_entries),
		cmocka_unit_test(test_sharing),
	};
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
