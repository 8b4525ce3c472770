/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * Two maps of one list or leaf-list side by side, for who compares two roots step by step and keeps no change
 * set (diff.h makes one): what the maps share is not looked at.
 *
 *     struct tree_pair *pair = tree_pair_new(list, old_map, new_map);
 *     while (tree_pair_next(pair, &in_old, &in_new)) ...
 *     tree_pair_free(pair);
 *
 * Items of the same key meet, in the order of keys, also where users gave the order. No sequences (map.h).
 */
#include "tree/map.h"

struct tree_pair;

/* Borrows the maps; either may be NULL (empty). */
struct tree_pair *tree_pair_new(const struct schema_node *node, const struct tree_map *old_map,
				const struct tree_map *new_map);
void tree_pair_free(struct tree_pair *pair); /* NULL is allowed */
/* The next items that may differ: in one only (the other NULL), or in both and not the same item there. In a
 * user-ordered list two that are the same may be given as well. False at the end. Cost: O(log n) a
 * difference. */
bool tree_pair_next(struct tree_pair *pair, const union tree_item **in_old, const union tree_item **in_new);
/* Map nodes and items that were looked at so far. */
size_t tree_pair_visited(const struct tree_pair *pair);
