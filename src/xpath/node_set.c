/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Node-sets as arrays of positions in the arena of the request. Document order is the tree's
 * (tree_position_compare) with one addition: a text node, which the tree does not know, comes right after its
 * leaf.
 */
#include "xpath/eval.h"

#include "os/clock.h"

#define CAPACITY_FIRST 4 /* most node-sets are small */
#define LOOK_STEPS 4096	 /* between two looks at the time: some 0.05 to 0.5 ms */

static enum status look_up(struct xpath_limits *limits)
{
	if (limits->stop == XPATH_GOES_ON && limits->interrupt != NULL &&
	    limits->interrupt->is_due(limits->interrupt))
		limits->stop = XPATH_INTERRUPTED;
	if (limits->stop == XPATH_GOES_ON && limits->due_ns > 0 && os_clock_thread_ns() >= limits->due_ns)
		limits->stop = XPATH_OUT_OF_TIME;
	return limits->stop == XPATH_GOES_ON ? ST_OK : ST_LIMIT;
}

enum status xpath__charge(struct xpath_eval *eval, uint64_t amount)
{
	struct xpath_limits *limits = eval->limits;
	uint64_t before = limits->steps;
	if (before < amount) {
		limits->steps = 0;
		return ST_LIMIT;
	}
	if (eval->memory > 0 && arena_size(eval->arena) > eval->memory)
		return ST_LIMIT;
	limits->steps -= amount;
	return before / LOOK_STEPS == limits->steps / LOOK_STEPS ? ST_OK : look_up(limits);
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

static bool in_order(const struct xpath_nodes *nodes)
{
	for (size_t i = 1; i < nodes->length; i++) {
		if (xpath__position_compare(nodes->items[i - 1], nodes->items[i]) >= 0)
			return false;
	}
	return true;
}

/* Merges from[start, middle) and from[middle, end) to the same places of `to`. */
static void merge(const struct tree_position **from, const struct tree_position **to, size_t start,
		  size_t middle, size_t end)
{
	size_t left = start, right = middle;
	for (size_t at = start; at < end; at++) {
		bool is_left = right == end ||
			       (left < middle && xpath__position_compare(from[left], from[right]) <= 0);
		to[at] = is_left ? from[left++] : from[right++];
	}
}

/* Runs of 1, 2, 4, ... nodes. Every comparison is a step, so that a sort ends at the limits as anything does.
 */
static enum status merge_sort(struct xpath_eval *eval, struct xpath_nodes *nodes)
{
	size_t length = nodes->length;
	const struct tree_position **from = nodes->items,
				   **to = arena_alloc(eval->arena, length * sizeof(*to));
	for (size_t run = 1; run < length; run *= 2) {
		for (size_t start = 0; start < length; start += 2 * run) {
			size_t middle = start + run < length ? start + run : length;
			size_t end = middle + run < length ? middle + run : length;
			enum status status = xpath__charge(eval, end - start);
			if (status != ST_OK)
				return status;
			merge(from, to, start, middle, end);
		}
		const struct tree_position **swap = from;
		from = to;
		to = swap;
	}
	nodes->items = from;
	return ST_OK;
}

enum status xpath__nodes_sort(struct xpath_eval *eval, struct xpath_nodes *nodes)
{
	enum status status = xpath__charge(eval, nodes->length);
	if (status != ST_OK || in_order(nodes))
		return status;
	status = merge_sort(eval, nodes);
	if (status != ST_OK)
		return status;
	size_t kept = 1;
	for (size_t i = 1; i < nodes->length; i++) {
		if (xpath__position_compare(nodes->items[kept - 1], nodes->items[i]) != 0)
			nodes->items[kept++] = nodes->items[i];
	}
	nodes->length = kept;
	return ST_OK;
}
