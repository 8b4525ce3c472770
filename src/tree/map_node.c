/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Single nodes of a map: their memory, their cells, and the prefix and digests that describe the keys of the
 * cells.
 *
 *     | refs | prefix size | length, capacity | count, level, kind | cell 0 ... capacity-1
 *     | u32 digest of each cell | u64 label of each cell, in leaf nodes of the kinds that have labels |
 *
 * A new key may share less with the others than the prefix says; then the prefix is cut, and the digests move
 * left by as many bytes: what comes in from the left are bytes of the old prefix, which any one key of the
 * node has, so no other key is looked at. The prefix grows only in tree__map_refresh, which encodes all keys;
 * splits and joins call it where it pays.
 */
#include <string.h>

#include "tree/internal.h"

#define CELL_SIZE (sizeof(union tree__cell) + sizeof(uint32_t))
#define DIGEST_SIZE sizeof(uint32_t)
#define LABEL_SIZE sizeof(uint64_t)

static size_t size_of(size_t capacity, bool has_labels)
{
	return sizeof(struct tree_map) + capacity * (CELL_SIZE + (has_labels ? LABEL_SIZE : 0));
}

/* Small lists are small, large ones grow in few steps. */
static size_t capacity_for(size_t length)
{
	ASSERT(length <= TREE__FANOUT);
	if (length <= 2)
		return 2;
	if (length <= 4)
		return 4;
	return (length + 7) / 8 * 8;
}

size_t tree__map_size(const struct tree_map *map)
{
	return size_of(map->capacity, tree__has_labels(map));
}

struct tree_map *tree__map_new(enum tree__map_kind kind, unsigned level, size_t length)
{
	size_t capacity = capacity_for(length);
	struct tree_map *map = memory_alloc(size_of(capacity, kind != TREE__SORTED && level == 0));
	memset(map, 0, sizeof(*map));
	atomic_init(&map->refs, 1);
	map->capacity = (uint8_t)capacity;
	map->level = level;
	map->kind = kind & 3;
	return map;
}

struct tree_map *tree__map_new_leaf(enum tree__map_kind kind, union tree_item item,
				    const struct schema_node *node, const struct tree__key *key)
{
	struct tree_map *leaf = tree__map_new(kind, 0, 1);
	tree__map_insert_cell(leaf, 0, (union tree__cell){.item = item}, node, key, false);
	leaf->count = 1;
	return leaf;
}

void tree__map_copy_cells(struct tree_map *to, size_t to_index, const struct tree_map *from,
			  size_t from_index, size_t length)
{
	memcpy(to->cells + to_index, from->cells + from_index, length * sizeof(*to->cells));
	memcpy(tree__map_digests(to) + to_index, tree__map_digests(from) + from_index, length * DIGEST_SIZE);
	if (tree__has_labels(from))
		memcpy(tree__map_labels(to) + to_index, tree__map_labels(from) + from_index,
		       length * LABEL_SIZE);
}

struct tree_map *tree__map_ref(struct tree_map *map)
{
	tree__refs_take(&map->refs);
	return map;
}

static struct tree_map *copy_with_room(const struct tree_map *map, size_t length)
{
	struct tree_map *copy = tree__map_new(map->kind, map->level, length);
	copy->prefix_size = map->prefix_size;
	copy->length = map->length;
	copy->count = map->count;
	tree__map_copy_cells(copy, 0, map, 0, map->length);
	return copy;
}

struct tree_map *tree__map_dup(const struct tree_map *map, const struct schema_node *node)
{
	if (map->kind == TREE__INDEX && map->level == 0)
		return copy_with_room(map, map->length);
	bool has_pointers = map->level > 0 || node->kind == SCHEMA_LIST;
	/* Each reference count is on a cache line of its own: fetch them all before the first one is written.
	 */
	for (size_t i = 0; has_pointers && i < map->length; i++)
		__builtin_prefetch(map->cells[i].child, 1);
	struct tree_map *copy = copy_with_room(map, map->length);
	for (size_t i = 0; i < map->length; i++) {
		const union tree__cell *cell = &map->cells[i];
		if (map->level > 0)
			tree__map_ref(cell->child);
		else if (node->kind == SCHEMA_LIST)
			tree_record_ref(cell->item.record);
		else
			value_ref(cell->item.value);
	}
	return copy;
}

struct tree_map *tree__map_reserve(struct tree_map *map)
{
	if (map->length < map->capacity)
		return map;
	struct tree_map *grown = copy_with_room(map, map->length + 1u);
	memory_free(map);
	return grown;
}

void tree__map_cell_key(const struct tree_map *map, size_t index, const struct schema_node *node,
			struct tree__key *key)
{
	ASSERT(index < map->length);
	while (map->level > 0) {
		map = map->cells[index].child;
		index = 0;
	}
	if (map->kind == TREE__ORDER)
		tree__key_of_label(key, tree__map_labels(map)[index]);
	else
		tree__key_of_item(key, node, &map->cells[index].item);
}

/* Cuts the prefix to `size` bytes; `key` begins with the old prefix. */
static void cut_prefix(struct tree_map *map, size_t size, const struct tree__key *key)
{
	size_t cut = map->prefix_size - size;
	unsigned bits = cut < DIGEST_SIZE ? (unsigned)cut * 8 : 0;
	uint32_t incoming = tree__key_digest(key, size);
	uint32_t *digests = tree__map_digests(map);
	for (size_t i = 0; i < map->length; i++) {
		if (bits > 0)
			digests[i] = (incoming & ~(UINT32_MAX >> bits)) | digests[i] >> bits;
		else
			digests[i] = incoming;
	}
	map->prefix_size = (uint16_t)size;
}

static uint16_t cap_prefix(size_t size)
{
	return size < TREE__PREFIX_MAX ? (uint16_t)size : TREE__PREFIX_MAX;
}

void tree__map_set_key(struct tree_map *map, size_t index, const struct schema_node *node,
		       const struct tree__key *key)
{
	if (map->length == 1) {
		map->prefix_size = cap_prefix(key->size);
	} else if (map->prefix_size > 0) {
		struct tree__key other;
		tree__map_cell_key(map, index == 0 ? 1 : 0, node, &other);
		size_t common = tree__key_common(key, &other);
		if (common < map->prefix_size)
			cut_prefix(map, common, &other);
		tree__key_fini(&other);
	}
	tree__map_digests(map)[index] = tree__key_digest(key, map->prefix_size);
}

void tree__map_insert_cell(struct tree_map *map, size_t index, union tree__cell cell,
			   const struct schema_node *node, const struct tree__key *key, bool prefix_matches)
{
	ASSERT(map->length < map->capacity && index <= map->length);
	uint32_t *digests = tree__map_digests(map);
	size_t after = map->length - index;
	memmove(&map->cells[index + 1], &map->cells[index], after * sizeof(cell));
	memmove(&digests[index + 1], &digests[index], after * DIGEST_SIZE);
	if (tree__has_labels(map)) {
		uint64_t *labels = tree__map_labels(map);
		memmove(&labels[index + 1], &labels[index], after * LABEL_SIZE);
		labels[index] = key->label;
	}
	map->cells[index] = cell;
	digests[index] = 0;
	map->length++;
	if (prefix_matches && map->length > 1)
		digests[index] = tree__key_digest(key, map->prefix_size);
	else
		tree__map_set_key(map, index, node, key);
}

void tree__map_remove_cell(struct tree_map *map, size_t index)
{
	ASSERT(index < map->length);
	uint32_t *digests = tree__map_digests(map);
	map->length--;
	size_t after = map->length - index;
	memmove(&map->cells[index], &map->cells[index + 1], after * sizeof(*map->cells));
	memmove(&digests[index], &digests[index + 1], after * DIGEST_SIZE);
	if (tree__has_labels(map)) {
		uint64_t *labels = tree__map_labels(map);
		memmove(&labels[index], &labels[index + 1], after * LABEL_SIZE);
	}
}

void tree__map_refresh(struct tree_map *map, const struct schema_node *node)
{
	struct tree__key first, last;
	tree__map_cell_key(map, 0, node, &first);
	tree__map_cell_key(map, map->length - 1u, node, &last);
	map->prefix_size = cap_prefix(tree__key_common(&first, &last));
	tree__key_fini(&first);
	tree__key_fini(&last);
	for (size_t i = 0; i < map->length; i++) {
		struct tree__key key;
		tree__map_cell_key(map, i, node, &key);
		tree__map_digests(map)[i] = tree__key_digest(&key, map->prefix_size);
		tree__key_fini(&key);
	}
}

uint64_t tree__map_sum(const struct tree_map *map, size_t from, size_t to)
{
	if (map->level == 0)
		return to - from;
	for (size_t i = from; i < to; i++)
		__builtin_prefetch(map->cells[i].child);
	uint64_t sum = 0;
	for (size_t i = from; i < to; i++)
		sum += map->cells[i].child->count;
	return sum;
}
