/* SPDX-License-Identifier: BSD-3-Clause */
/* Maps: order, search, positions, for numeric, text, long and several keys, and for leaf-lists. */
#include "helper_tree.h"

#include <stdio.h>
#include <string.h>

#include "schema/type.h"
#include "tree/internal.h"
#include "helper_fixture.h"

static const char module[] =
	"module m { yang-version 1.1; namespace urn:m; prefix m;"
	" list num { key n; leaf n { type int32; } leaf v { type string; } }"
	" list text { key k; leaf k { type string; } leaf v { type string; } }"
	" list pair { key \"a b\"; leaf a { type string; } leaf b { type int64; } leaf v { type string; } }"
	" leaf-list words { type string; } leaf-list numbers { type int64; } }";

SCHEMA_OF_ALL_TESTS(helper_schema("m", module))

/* A set of key tuples kept as a sorted array. */
struct model {
	const struct schema_node *node;
	size_t length;
	struct value (*keys)[2];
};

static size_t key_count(const struct schema_node *node)
{
	return node->kind == SCHEMA_LIST ? node->key_count : 1;
}

static int compare(const struct schema_node *node, const struct value *a, const struct value *b)
{
	for (size_t i = 0; i < key_count(node); i++) {
		const struct schema_type *type =
			node->kind == SCHEMA_LIST ? node->children[i]->type : node->type;
		int order = schema_type_compare(type, a[i], b[i]);
		if (order != 0)
			return order;
	}
	return 0;
}

static size_t model_rank(const struct model *model, const struct value *keys)
{
	size_t low = 0, high = model->length;
	while (low < high) {
		size_t middle = (low + high) / 2;
		if (compare(model->node, model->keys[middle], keys) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool model_has(const struct model *model, size_t rank, const struct value *keys)
{
	return rank < model->length && compare(model->node, model->keys[rank], keys) == 0;
}

static void model_insert(struct model *model, size_t rank, const struct value *keys)
{
	model->keys = realloc(model->keys, (model->length + 1) * sizeof(*model->keys));
	memmove(model->keys + rank + 1, model->keys + rank, (model->length - rank) * sizeof(*model->keys));
	for (size_t i = 0; i < 2; i++)
		model->keys[rank][i] = value_ref(keys[i]);
	model->length++;
}

static void model_remove(struct model *model, size_t rank)
{
	value_unref(model->keys[rank][0]);
	value_unref(model->keys[rank][1]);
	model->length--;
	memmove(model->keys + rank, model->keys + rank + 1, (model->length - rank) * sizeof(*model->keys));
}

static void model_fini(struct model *model)
{
	while (model->length > 0)
		model_remove(model, model->length - 1);
	free(model->keys);
}

static const struct tree_map *map_of(const struct tree_record *root, const struct schema_node *node)
{
	const union tree_slot *slot = tree_record_find(root, node);
	return slot != NULL ? slot->map : NULL;
}

static bool item_is(const struct schema_node *node, const union tree_item *item, const struct value *keys)
{
	for (size_t i = 0; i < key_count(node); i++) {
		struct value value = node->kind == SCHEMA_LIST ? item->record->slots[i].value : item->value;
		if (!value_equal(value, keys[i]))
			return false;
	}
	return true;
}

static void check_against(const struct tree_record *root, const struct model *model)
{
	helper_check(schema->root, root);
	const struct tree_map *map = map_of(root, model->node);
	assert_int_equal(tree_map_count(map), model->length);
	struct tree_map_iter iter, at;
	const union tree_item *item = tree_map_first(&iter, map, model->node);
	for (size_t i = 0; i < model->length; i++, item = tree_map_next(&iter)) {
		const struct value *keys = model->keys[i];
		assert_non_null(item);
		assert_true(item_is(model->node, item, keys));
		assert_ptr_equal(tree_map_find(map, model->node, keys), item);
		assert_ptr_equal(tree_map_at(&at, map, model->node, i), item);
		assert_int_equal(tree_map_rank(map, model->node, keys), i);
		assert_ptr_equal(tree_map_seek(&at, map, model->node, keys), item);
	}
	assert_null(item);
	assert_null(tree_map_at(&at, map, model->node, model->length));
}

/* Where a key is that need not exist. */
static void check_lookup(const struct tree_record *root, const struct model *model, const struct value *keys)
{
	const struct tree_map *map = map_of(root, model->node);
	size_t rank = model_rank(model, keys);
	assert_int_equal(tree_map_rank(map, model->node, keys), rank);
	assert_int_equal(tree_map_find(map, model->node, keys) != NULL, model_has(model, rank, keys));
	struct tree_map_iter iter;
	const union tree_item *item = tree_map_seek(&iter, map, model->node, keys);
	for (size_t i = rank; i < rank + 3; i++, item = item != NULL ? tree_map_next(&iter) : NULL) {
		assert_int_equal(item != NULL, i < model->length);
		assert_true(item == NULL || item_is(model->node, item, model->keys[i]));
	}
}

static bool add(struct tree_builder *builder, const struct schema_node *node, const struct value *keys)
{
	if (node->kind == SCHEMA_LEAF_LIST)
		return tree_builder_add_value(builder, node, keys[0]);
	bool made;
	tree_builder_enter_entry(builder, node, keys, &made);
	tree_builder_leave(builder);
	return made;
}

static bool drop(struct tree_builder *builder, const struct schema_node *node, const struct value *keys)
{
	if (node->kind == SCHEMA_LEAF_LIST)
		return tree_builder_remove_value(builder, node, keys[0]);
	return tree_builder_remove_entry(builder, node, keys);
}

typedef void make_keys(struct helper_random *random, struct value *keys);

static void number_keys(struct helper_random *random, struct value *keys)
{
	keys[0] = helper_number((int64_t)helper_random_below(random, 3000) - 1500);
	keys[1] = VALUE_NONE;
}

static void text_keys(struct helper_random *random, struct value *keys)
{
	char text[16] = "";
	size_t size = helper_random_below(random, 7);
	for (size_t i = 0; i < size; i++)
		text[i] = "ab\x01\x7f"[helper_random_below(random, 4)];
	keys[0] = helper_value(text);
	keys[1] = VALUE_NONE;
}

/* Long common beginnings, of a few lengths around those that matter. */
static void long_keys(struct helper_random *random, struct value *keys)
{
	static const size_t sizes[] = {0, 1, 3, 4, 5, 250, 256, 300, 1000};
	char text[1100];
	size_t size = sizes[helper_random_below(random, sizeof(sizes) / sizeof(*sizes))];
	memset(text, 'p', size);
	snprintf(text + size, sizeof(text) - size, "%s%d", helper_random_below(random, 2) ? "q" : "",
		 (int)helper_random_below(random, 300));
	keys[0] = helper_value(text);
	keys[1] = VALUE_NONE;
}

/* With a number behind it, a little more than a sort key's local memory. */
#define TEN "0123456789"
#define FIFTY TEN TEN TEN TEN TEN
#define LONG_NAME FIFTY FIFTY FIFTY FIFTY FIFTY

static void pair_keys(struct helper_random *random, struct value *keys)
{
	static const char *const names[] = {
		"", "a", "ab", "abc", "b", "eth0/0/0", "eth0/0/1", LONG_NAME "abcx", LONG_NAME "abcy"};
	keys[0] = helper_value(names[helper_random_below(random, sizeof(names) / sizeof(*names))]);
	keys[1] = helper_number((int64_t)helper_random_below(random, 600) - 300);
}

static void random_changes(const char *name, make_keys *make)
{
	struct helper_random random = helper_random_init(name);
	struct model model = {.node = helper_node(schema, name)};
	struct tree_record *root = tree_record_new();
	for (int round = 0; round < 60; round++) {
		struct tree_builder *builder = tree_builder_new(schema, root, NULL);
		/* Most often growing, then most often shrinking. */
		uint64_t removals = (round / 15) % 2 == 0 ? 25 : 75;
		for (int i = 0; i < 120; i++) {
			struct value keys[2];
			make(&random, keys);
			size_t rank = model_rank(&model, keys);
			bool has = model_has(&model, rank, keys);
			if (helper_random_below(&random, 100) >= removals) {
				assert_int_equal(add(builder, model.node, keys), !has);
				if (!has)
					model_insert(&model, rank, keys);
			} else {
				if (!has && model.length > 0 && helper_random_below(&random, 2) == 0) {
					value_unref(keys[0]);
					value_unref(keys[1]);
					rank = helper_random_below(&random, model.length);
					keys[0] = value_ref(model.keys[rank][0]);
					keys[1] = value_ref(model.keys[rank][1]);
					has = true;
				}
				assert_int_equal(drop(builder, model.node, keys), has);
				if (has)
					model_remove(&model, rank);
			}
			value_unref(keys[0]);
			value_unref(keys[1]);
		}
		struct tree_record *next = tree_builder_finish(builder);
		tree_record_unref(root, schema->root, NULL);
		root = next;
		check_against(root, &model);
		for (int i = 0; i < 50; i++) {
			struct value keys[2];
			make(&random, keys);
			check_lookup(root, &model, keys);
			value_unref(keys[0]);
			value_unref(keys[1]);
		}
	}
	tree_record_unref(root, schema->root, NULL);
	model_fini(&model);
}

static void random_numbers(void **state)
{
	(void)state;
	random_changes("num", number_keys);
	random_changes("numbers", number_keys);
}

static void random_texts(void **state)
{
	(void)state;
	random_changes("text", text_keys);
	random_changes("words", text_keys);
}

static void random_long_texts(void **state)
{
	(void)state;
	random_changes("text", long_keys);
	random_changes("words", long_keys);
}

static void random_pairs(void **state)
{
	(void)state;
	random_changes("pair", pair_keys);
}

struct shape {
	size_t nodes, leafs;
};

static void measure(const struct tree_map *map, struct shape *shape)
{
	shape->nodes++;
	shape->leafs += map->level == 0;
	for (size_t i = 0; map->level > 0 && i < map->length; i++)
		measure(map->cells[i].child, shape);
}

enum { RUN = 5000 };

/* Inserts first, first + step, ... and tells how many leaf nodes the map of numbers has. */
static size_t leafs_after_run(int64_t first, int64_t step, int64_t length)
{
	const struct schema_node *node = helper_node(schema, "num");
	struct tree_record *empty = tree_record_new();
	struct tree_builder *builder = tree_builder_new(schema, empty, NULL);
	tree_record_unref(empty, schema->root, NULL);
	struct value low = helper_number(-1000000), high = helper_number(1000000);
	add(builder, node, &low);
	add(builder, node, &high);
	value_unref(low);
	value_unref(high);
	for (int64_t i = 0; i < length; i++) {
		struct value key = helper_number(first + i * step);
		assert_true(add(builder, node, &key));
		value_unref(key);
	}
	struct tree_record *root = tree_builder_finish(builder);
	helper_check(schema->root, root);
	struct shape shape = {0};
	measure(map_of(root, node), &shape);
	tree_record_unref(root, schema->root, NULL);
	return shape.leafs;
}

static void runs_fill_nodes(void **state)
{
	(void)state;
	size_t full = RUN / TREE__FANOUT + 2;
	assert_true(leafs_after_run(2000000, 1, RUN) <= full + 1);
	assert_true(leafs_after_run(-2000000, -1, RUN) <= full + 1);
	assert_true(leafs_after_run(0, 1, RUN) <= full * 2);
	assert_true(leafs_after_run(0, -1, RUN) <= full * 2);
}

static void emptied_map_leaves_nothing(void **state)
{
	(void)state;
	const struct schema_node *node = helper_node(schema, "num");
	struct tree_record *root = tree_record_new();
	struct tree_builder *builder = tree_builder_new(schema, root, NULL);
	for (int i = 0; i < 3000; i++) {
		struct value key = helper_number(i);
		add(builder, node, &key);
	}
	for (int i = 0; i < 3000; i++) {
		struct value key = helper_number(i * 7 % 3000);
		assert_true(drop(builder, node, &key));
		assert_false(drop(builder, node, &key));
	}
	struct tree_record *after = tree_builder_finish(builder);
	assert_int_equal(after->length, 0);
	assert_null(tree_record_find(after, node));
	tree_record_unref(after, schema->root, NULL);
	tree_record_unref(root, schema->root, NULL);
}

static void one_entry_is_small(void **state)
{
	(void)state;
	const struct schema_node *node = helper_node(schema, "num");
	struct tree_record *root = tree_record_new();
	struct tree_builder *builder = tree_builder_new(schema, root, NULL);
	struct value key = helper_number(1);
	add(builder, node, &key);
	struct tree_record *after = tree_builder_finish(builder);
	assert_true(tree_record_memory(schema->root, after) <= 128);
	tree_record_unref(after, schema->root, NULL);
	tree_record_unref(root, schema->root, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_numbers),     cmocka_unit_test(random_texts),
		cmocka_unit_test(random_long_texts),  cmocka_unit_test(random_pairs),
		cmocka_unit_test(runs_fill_nodes),    cmocka_unit_test(emptied_map_leaves_nothing),
		cmocka_unit_test(one_entry_is_small),
	};
	return cmocka_run_group_tests(tests, load_schema, unload_schema);
}
