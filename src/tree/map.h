/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * The map: all entries of one list (or values of one leaf-list) under one parent, as a persistent B+tree with
 * counts, in the order of the keys (schema_type_sort_key of each key leaf, concatenated). Items are records
 * (list) or values (leaf-list). Nodes keep short order-preserving digests of the keys past the node's common
 * prefix. Reading only; builder.h changes.
 */
#include "tree/record.h"

union tree_item {
	uint64_t word;
	struct tree_record *record; /* list entry; its keys are its first children */
	struct value value;	    /* leaf-list */
};

uint64_t tree_map_count(const struct tree_map *map); /* O(1); NULL map: 0 */
/* The item with these keys (key_count values in order; a leaf-list: the value itself); NULL where absent.
 * O(log n). Valid as long as the map. `node` is the list or leaf-list. */
const union tree_item *tree_map_find(const struct tree_map *map, const struct schema_node *node,
				     const struct value *keys);

#define TREE_MAP_HEIGHT_MAX 12

/* A position in a map. Valid as long as the map; a map must not change under an iterator. */
struct tree_map_iter {
	const struct schema_node *node;
	struct {
		const struct tree_map *map;
		uint32_t index;
	} path[TREE_MAP_HEIGHT_MAX];
	uint32_t height; /* 0: at the end */
};

/* Each returns the item at the position, or NULL at the end. */
const union tree_item *tree_map_first(struct tree_map_iter *iter, const struct tree_map *map,
				      const struct schema_node *node);
const union tree_item *tree_map_at(struct tree_map_iter *iter, const struct tree_map *map,
				   const struct schema_node *node, uint64_t index); /* 0-based; O(log n) */
/* First item not less than the keys. */
const union tree_item *tree_map_seek(struct tree_map_iter *iter, const struct tree_map *map,
				     const struct schema_node *node, const struct value *keys);
const union tree_item *tree_map_next(struct tree_map_iter *iter);
/* The number of items before the one with these keys (it need not exist). O(log n). */
uint64_t tree_map_rank(const struct tree_map *map, const struct schema_node *node, const struct value *keys);
