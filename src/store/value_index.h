/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * One index of a list by the values of a leaf (or leaf-list) that is no key: from a text to the entries that
 * may have it. Made from the list as it is in one version, and moved to that of another one at the cost of
 * what differs.
 *
 *     store__value_index_move(index, parent, reclaimer);   // the record that holds the list
 *     if (store__value_index_find(index, text, limit, &found)) ...
 *
 * It holds a reference to the record that it was moved to last. One thread at a time. Entries are found by a
 * hash: who asks compares their values.
 */
#include "xpath/xpath.h"

struct tree_reclaimer;
struct store__value_index;

#define STORE_VALUE_INDEX_ENTRY 16 /* bytes a value, about */

struct store__value_index *store__value_index_new(const struct schema_node *list,
						  const struct schema_node *leaf);
/* NULL is allowed. */
void store__value_index_free(struct store__value_index *index, struct tree_reclaimer *reclaimer);
/* `parent`: an instance of list->parent. Cost: O(d log d + d log n), d entries that differ, and O(n) once in
 * thousands of them. */
void store__value_index_move(struct store__value_index *index, const struct tree_record *parent,
			     struct tree_reclaimer *reclaimer);
/* Whether it is that of this map. */
bool store__value_index_is_at(const struct store__value_index *index, const struct tree_map *map);
/* The entries that may have the text, each once, in no order. False: more than `limit`. O(log n + found). */
bool store__value_index_find(const struct store__value_index *index, struct bytes text, size_t limit,
			     struct xpath_found *found);
size_t store__value_index_memory(const struct store__value_index *index);
