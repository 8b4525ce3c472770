/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Helpers of the tree's tests. helper_check knows the inside of maps (tree/internal.h) and recomputes from
 * the keys what the nodes say of themselves: order, prefix, digests, counts, levels.
 */
#include "helper_tree.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "schema/load.h"
#include "tree/internal.h"

static void write_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

struct schema *helper_schema(const char *module_name, const char *text)
{
	char dir[] = "/tmp/yare-tree-XXXXXX", path[256];
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/%s.yang", dir, module_name);
	write_file(path, text);
	const char *dirs[] = {dir};
	struct schema_module_request module = {.name = module_name};
	struct schema_source source = {
		.search_dirs = dirs, .search_dir_count = 1, .modules = &module, .module_count = 1};
	struct arena *arena = arena_new();
	struct diag_list diags;
	diag_list_init(&diags, arena, 10);
	struct schema *schema = NULL;
	enum status status = schema_load(&source, &diags, &schema);
	for (const struct diag *diag = diags.first; diag != NULL; diag = diag->next)
		fprintf(stderr, "%s\n", diag->message);
	arena_free(arena);
	unlink(path);
	rmdir(dir);
	assert_int_equal(status, ST_OK);
	return schema;
}

const struct schema_node *helper_node(const struct schema *schema, const char *path)
{
	const struct schema_node *node = schema->root;
	while (*path != '\0') {
		size_t size = strcspn(path, "/");
		node = schema_child_find_any(node, (struct bytes){path, size}, NULL);
		assert_non_null(node);
		path += size + (path[size] == '/');
	}
	return node;
}

struct value helper_value(const char *text)
{
	return value_new(bytes_of(text), 0);
}

struct value helper_number(int64_t number)
{
	char text[32];
	snprintf(text, sizeof(text), "%" PRId64, number);
	return helper_value(text);
}

struct helper_random helper_random_init(const char *test)
{
	const char *given = getenv("YARE_SEED");
	uint64_t seed = given != NULL ? strtoull(given, NULL, 0) : (uint64_t)time(NULL);
	printf("%s: YARE_SEED=%" PRIu64 "\n", test, seed);
	return (struct helper_random){.state = seed};
}

uint64_t helper_random_next(struct helper_random *random)
{
	uint64_t z = (random->state += 0x9e3779b97f4a7c15);
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return z ^ (z >> 31);
}

static void print_below(FILE *out, const struct schema *schema, const struct tree_position *parent,
			enum tree_view view, struct arena *arena)
{
	struct tree_cursor cursor;
	struct tree_position child;
	tree_cursor_init(&cursor, schema, parent, view);
	while (tree_cursor_next(&cursor, &child)) {
		fprintf(out, "%s%s", tree_position_path(&child, arena), child.implicit ? " (implicit)" : "");
		switch (child.schema->kind) {
		case SCHEMA_LEAF: {
			struct bytes text = value_bytes(&child.value);
			fprintf(out, " = %.*s\n", (int)text.size, text.data);
			break;
		}
		case SCHEMA_ANYDATA:
		case SCHEMA_ANYXML:
			fprintf(out, " = %.*s\n", (int)child.any->xml->size, child.any->xml->data);
			break;
		case SCHEMA_CONTAINER:
		case SCHEMA_LIST:
			fprintf(out, "\n");
			print_below(out, schema, &child, view, arena);
			break;
		case SCHEMA_LEAF_LIST:
			fprintf(out, "\n");
			break;
		case SCHEMA_ROOT:
		case SCHEMA_RPC:
		case SCHEMA_ACTION:
		case SCHEMA_OUTPUT:
		case SCHEMA_NOTIFICATION:
			fail();
		}
	}
}

char *helper_print(const struct schema *schema, const struct tree_record *root, enum tree_view view)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	assert_non_null(out);
	struct arena *arena = arena_new();
	struct tree_position position = tree_position_root(schema, root);
	print_below(out, schema, &position, view, arena);
	arena_free(arena);
	assert_int_equal(fclose(out), 0);
	return text;
}

static void check_digests(const struct schema_node *node, const struct tree_map *map)
{
	struct tree__key first, key;
	tree__map_cell_key(map, 0, node, &first);
	for (size_t i = 0; i < map->length; i++) {
		tree__map_cell_key(map, i, node, &key);
		assert_true(tree__key_common(&first, &key) >= map->prefix_size);
		assert_int_equal(tree__map_digests(map)[i], tree__key_digest(&key, map->prefix_size));
		tree__key_fini(&key);
	}
	tree__key_fini(&first);
}

static uint64_t label_at(const struct tree_map_iter *iter)
{
	uint32_t leaf = iter->height - 1;
	return tree__map_labels(iter->path[leaf].map)[iter->path[leaf].index];
}

/* One B+tree: sorted and index by keys, order by labels. */
static void check_order(const struct schema_node *node, const struct tree_map *map)
{
	struct tree_map_iter iter;
	const union tree_item *item = tree_map_first(&iter, map, node), *before = NULL;
	uint64_t count = 0, label = 0;
	for (; item != NULL; before = item, item = tree_map_next(&iter), count++) {
		if (map->kind != TREE__ORDER) {
			assert_true(before == NULL || tree__item_compare(node, before, item) < 0);
			continue;
		}
		assert_true(label_at(&iter) > label && label_at(&iter) < UINT64_MAX);
		label = label_at(&iter);
	}
	assert_int_equal(count, map->count);
}

/* The index has the items of the order tree, with their labels. */
static void check_index(const struct schema_node *node, const struct tree_map *order,
			const struct tree_map *index)
{
	assert_int_equal(order->count, index->count);
	struct tree_map_iter iter;
	const union tree_item *item = tree_map_first(&iter, order, node);
	for (; item != NULL; item = tree_map_next(&iter)) {
		struct tree__key key;
		struct tree__place place;
		tree__key_of_item(&key, node, item);
		tree__map_search(index, node, &key, &place);
		tree__key_fini(&key);
		assert_true(place.exact);
		assert_int_equal(tree__place_item(&place)->word, item->word);
		assert_int_equal(tree__place_label(&place), label_at(&iter));
	}
}

static void check_map(const struct schema_node *node, const struct tree_map *map)
{
	assert_in_range(map->length, 1, TREE__FANOUT);
	assert_true(map->length <= map->capacity);
	assert_true(atomic_load(&map->refs) > 0);
	check_digests(node, map);
	assert_true(map->kind != TREE__PAIR);
	assert_int_equal(map->count, tree__map_sum(map, 0, map->length));
	for (size_t i = 0; i < map->length; i++) {
		if (map->level > 0) {
			assert_int_equal(map->cells[i].child->level + 1, map->level);
			assert_int_equal(map->cells[i].child->kind, map->kind);
			check_map(node, map->cells[i].child);
		} else if (node->kind == SCHEMA_LIST) {
			const struct tree_record *record = map->cells[i].item.record;
			assert_true(record->length >= node->key_count);
			for (size_t k = 0; k < node->key_count; k++)
				assert_int_equal(tree_record_indexes(record)[k], k);
			helper_check(node, record);
		}
	}
}

static void check_list(const struct schema_node *node, const struct tree_map *map)
{
	enum tree__map_kind kind = tree_node_is_user_ordered(node) ? TREE__PAIR
				   : tree_node_is_sequence(node)   ? TREE__ORDER
								   : TREE__SORTED;
	assert_int_equal(map->kind, kind);
	if (kind != TREE__PAIR) {
		check_order(node, map);
		check_map(node, map);
		return;
	}
	assert_true(atomic_load(&map->refs) > 0);
	const struct tree_map *order = map->cells[TREE__ORDER_CELL].child,
			      *index = map->cells[TREE__INDEX_CELL].child;
	assert_int_equal(order->kind, TREE__ORDER);
	assert_int_equal(index->kind, TREE__INDEX);
	assert_int_equal(order->count, map->count);
	check_order(node, order);
	check_order(node, index);
	check_index(node, order, index);
	check_map(node, order);
	check_map(node, index);
}

/* Each annotation is of something that is there, and they are in order. */
static void check_annotations(const struct schema_node *schema, const struct tree_record *record)
{
	size_t count;
	const struct tree_annotation *all = tree_annotations_all(record, &count);
	assert_true(all == NULL || (count > 0 && record->length < record->capacity));
	for (size_t i = 0; i < count; i++) {
		assert_false(value_is_none(all[i].value));
		assert_true(i == 0 || all[i - 1].slot <= all[i].slot);
		if (all[i].slot == TREE_ANNOTATION_OWN)
			continue;
		const struct schema_node *child = schema->children[all[i].slot];
		const union tree_slot *slot = tree_record_find(record, child);
		assert_non_null(slot);
		assert_true(child->kind != SCHEMA_CONTAINER && child->kind != SCHEMA_LIST);
		if (child->kind == SCHEMA_LEAF_LIST)
			assert_non_null(tree_map_find(slot->map, child, &all[i].item));
	}
}

void helper_check(const struct schema_node *schema, const struct tree_record *record)
{
	assert_true(record->length <= record->capacity);
	assert_true(atomic_load(&record->refs) > 0);
	const uint16_t *indexes = tree_record_indexes(record);
	check_annotations(schema, record);
	for (size_t i = 0; i < record->length; i++) {
		assert_true(i == 0 || indexes[i - 1] < indexes[i]);
		const struct schema_node *child = schema->children[indexes[i]];
		assert_true(record->slots[i].word != 0);
		if (child->kind == SCHEMA_CONTAINER) {
			helper_check(child, record->slots[i].record);
		} else if (child->kind == SCHEMA_LIST || child->kind == SCHEMA_LEAF_LIST) {
			check_list(child, record->slots[i].map);
		}
	}
}
