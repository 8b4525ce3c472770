/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Node-sets as arrays of positions in the arena of the request. Document order is the tree's
 * (tree_position_compare) with one addition: a text node, which the tree does not know, comes right after its
 * leaf.
 */
#include "xpath/eval.h"

#include <stdlib.h>

#define CAPACITY_FIRST 4 /* most node-sets are small */

enum status xpath__charge(struct xpath_eval *eval, uint64_t amount)
{
	if (eval->limits->steps < amount) {
		eval->limits->steps = 0;
		return ST_LIMIT;
	}
	if (eval->memory > 0 && arena_size(eval->arena) > eval->memory)
		return ST_LIMIT;
	eval->limits->steps -= amount;
	return ST_OK;
}

enum status xpath__charge_bytes(struct xpath_eval *eval, uint64_t size)
{
	return xpath__charge(eval, size / 32);
}

enum status xpath__nodes_add(struct xpath_eval *eval, struct xpath_nodes *nodes,
			     const struct tree_position *node)
{
	if (nodes->length >= eval->limits->max_nodes)
		return ST_LIMIT;
	if (nodes->length == nodes->capacity) {
		size_t capacity = nodes->capacity == 0 ? CAPACITY_FIRST : nodes->capacity * 2;
		const struct tree_position **items = arena_alloc(eval->arena, capacity * sizeof(*items));
		if (nodes->length > 0)
			memcpy(items, nodes->items, nodes->length * sizeof(*items));
		nodes->items = items;
		nodes->capacity = capacity;
	}
	nodes->items[nodes->length++] = node;
	return ST_OK;
}

int xpath__position_compare(const struct tree_position *a, const struct tree_position *b)
{
	if (a == b)
		return 0;
	bool a_text = xpath__is_text(a), b_text = xpath__is_text(b);
	int order = tree_position_compare(a_text ? a->parent : a, b_text ? b->parent : b);
	return order != 0 ? order : (int)a_text - (int)b_text;
}

static int compare_items(const void *a, const void *b)
{
	const struct tree_position *const *left = a, *const *right = b;
	return xpath__position_compare(*left, *right);
}

static bool in_order(const struct xpath_nodes *nodes)
{
	for (size_t i = 1; i < nodes->length; i++) {
		if (xpath__position_compare(nodes->items[i - 1], nodes->items[i]) >= 0)
			return false;
	}
	return true;
}

enum status xpath__nodes_sort(struct xpath_eval *eval, struct xpath_nodes *nodes)
{
	enum status status = xpath__charge(eval, nodes->length);
	if (status != ST_OK || in_order(nodes))
		return status;
	qsort(nodes->items, nodes->length, sizeof(*nodes->items), compare_items);
	size_t kept = 1;
	for (size_t i = 1; i < nodes->length; i++) {
		if (xpath__position_compare(nodes->items[kept - 1], nodes->items[i]) != 0)
			nodes->items[kept++] = nodes->items[i];
	}
	nodes->length = kept;
	return ST_OK;
}
