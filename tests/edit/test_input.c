/* SPDX-License-Identifier: BSD-3-Clause */
/* The order of what stands in the input of an operation: users choose it where the schema says so. */
#include "helper_edit.h"

#include "edit/input.h"
#include "tree/map.h"

static void add_named(struct edit_tree *tree, struct edit_node *operation, const struct schema_node *list,
		      const char *name)
{
	struct edit_node *entry = edit_tree_add(tree, operation, list);
	struct edit_node *key = edit_tree_add(tree, entry, list->children[0]);
	key->value = value_new(bytes_of(name), 0);
	key->has_value = true;
}

/* The keys, or values, in the order of the map. */
static void check_order(const struct tree_record *record, const struct schema_node *node,
			const char *expected)
{
	char text[32] = "", *end = text;
	struct tree_map_iter iter;
	const union tree_item *item = tree_map_first(&iter, tree_record_find(record, node)->map, node);
	for (; item; item = tree_map_next(&iter)) {
		const struct value *value =
			node->kind == SCHEMA_LIST ? &item->record->slots[0].value : &item->value;
		*end++ = value_bytes(value).data[0];
	}
	assert_string_equal(text, expected);
}

static void test_order(void **state)
{
	(void)state;
	struct schema *schema = helper_schema();
	struct bytes name = bytes_of("arrange");
	const struct schema_module *module = schema_module_find(schema, bytes_of("edit-test"));
	const struct schema_node *rpc = schema_rpc_find(schema, module, name);
	const struct schema_node *chosen = rpc->children[0], *sorted = rpc->children[1],
				 *word = rpc->children[2];
	struct edit_tree *tree = edit_tree_new(schema);
	struct edit_node *operation = edit_tree_add(tree, tree->top, rpc);
	for (const char *at = "cabd"; *at; at++) {
		const char text[2] = {*at, '\0'};
		add_named(tree, operation, chosen, text);
		add_named(tree, operation, sorted, text);
		edit_tree_add(tree, operation, word)->value = value_new(bytes_of(text), 0);
	}
	edit_tree_add(tree, operation, word)->value = value_new(bytes_of("a"), 0);
	struct arena *arena = arena_new();
	struct diag_list diags;
	diag_list_init(&diags, arena, 10);
	struct tree_record *record;
	assert_int_equal(edit_input_make(schema, operation, NULL, &diags, &record), ST_OK);
	check_order(record, chosen, "cabd");
	check_order(record, sorted, "abcd");
	check_order(record, word, "cabda");
	tree_record_unref(record, rpc, NULL);
	arena_free(arena);
	edit_tree_free(tree);
	schema_unref(schema);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_order)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
