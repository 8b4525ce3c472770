/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * The map: all entries of one list (or values of one leaf-list) under one parent, as a persistent B+tree with
 * counts. Items are records (list) or values (leaf-list). There are three kinds of it, by the schema node:
 *
 *   system-ordered   config true, or a list with keys: in the order of the keys (schema_type_sort_key of each
 *                    key leaf, concatenated); nodes keep short order-preserving digests of the keys past the
 *                    node's common prefix
 *   user-ordered     config true and ordered-by user: in the order that users gave, with an index by the keys
 *   sequence         config false, a leaf-list (its values need not be unique) or a list without keys: in the
 *                    order in which it was made; nothing but a position finds an item. ("ordered-by" means
 *                    nothing in state data, RFC 7950 7.7.7.)
 *
 * Reading only; builder.h changes.
 */
#include "tree/record.h"

union tree_item {
	uint64_t word;
	struct tree_record *record; /* list entry; its keys are its first children */
	struct value value;	    /* leaf-list */
};

static inline bool tree_node_is_sequence(const struct schema_node *node)
{
	return !node->config &&
	       (node->kind == SCHEMA_LEAF_LIST || (node->kind == SCHEMA_LIST && node->key_count == 0));
}

static inline bool tree_node_is_user_ordered(const struct schema_node *node)
{
	return node->user_ordered && (node->kind == SCHEMA_LIST || node->kind == SCHEMA_LEAF_LIST);
}

uint64_t tree_map_count(const struct tree_map *map); /* O(1); NULL map: 0 */
/* The item with these keys (key_count values in order; a leaf-list: the value itself); NULL where absent.
 * O(log n). Valid as long as the map. `node` is the list or leaf-list. In a sequence: the first item with
 * that value, O(n); NULL for lists without keys. */
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
/* First item not less than the keys. Needs a system-ordered map. */
const union tree_item *tree_map_seek(struct tree_map_iter *iter, const struct tree_map *map,
				     const struct schema_node *node, const struct value *keys);
const union tree_item *tree_map_next(struct tree_map_iter *iter);
/* Begins to fetch the first item of a small list into the cache. */
void tree_map_fetch(const struct tree_map *map);
/* How many items from the iterator's on are one array (they are of one node); 0 at the end. */
uint32_t tree_map_run(const struct tree_map_iter *iter);
/* As tree_map_next, without a call inside of a run: `item` is the present one, *run what tree_map_run gives
 * (0: not known), which it keeps right. */
static inline const union tree_item *tree_map_next_of_run(struct tree_map_iter *iter,
							  const union tree_item *item, uint32_t *run)
{
	if (*run > 1) {
		(*run)--;
		iter->path[iter->height - 1].index++;
		return item + 1;
	}
	item = tree_map_next(iter);
	*run = tree_map_run(iter);
	return item;
}
/* The number of items before the one with these keys. In a system-ordered map it need not exist; in a
 * user-ordered one that it does not means all. No sequence. O(log n). */
uint64_t tree_map_rank(const struct tree_map *map, const struct schema_node *node, const struct value *keys);
