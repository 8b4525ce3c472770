/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Removing from a map. The path is made the map's own (map_edit.c), the cell taken out, and separators
 * corrected where a first key changed. On the way up a node that became empty is dropped, one that became
 * small is joined with a neighbour under the same parent, or takes cells from it. A root with one child gives
 * way to the child.
 */
#include "tree/internal.h"

static struct tree_map *node_at(const struct tree_map_iter *path, uint32_t depth)
{
	return (struct tree_map *)path->path[depth].map;
}

/* Both under one parent, each a single reference; all cells of both fit into one node. Gives the joined one.
 */
static struct tree_map *join(struct tree_map *left, struct tree_map *right, const struct schema_node *node)
{
	size_t length = (size_t)left->length + right->length;
	struct tree_map *joined = tree__map_new(left->kind, left->level, length);
	tree__map_copy_cells(joined, 0, left, 0, left->length);
	tree__map_copy_cells(joined, left->length, right, 0, right->length);
	joined->length = (uint8_t)length;
	joined->count = left->count + right->count;
	memory_free(left);
	memory_free(right);
	tree__map_refresh(joined, node);
	return joined;
}

/* A node of the cells [from, to) of both, counted through. */
static struct tree_map *part_of_both(const struct tree_map *left, const struct tree_map *right, size_t from,
				     size_t to, const struct schema_node *node)
{
	struct tree_map *map = tree__map_new(left->kind, left->level, to - from);
	size_t middle = left->length < from ? from : left->length > to ? to : left->length;
	if (from < middle)
		tree__map_copy_cells(map, 0, left, from, middle - from);
	if (middle < to)
		tree__map_copy_cells(map, middle - from, right, middle - left->length, to - middle);
	map->length = (uint8_t)(to - from);
	map->count = tree__map_sum(map, 0, map->length);
	tree__map_refresh(map, node);
	return map;
}

/* Makes two nodes of about equal length of the cells of both. */
static void even_out(struct tree_map **left_link, struct tree_map **right_link,
		     const struct schema_node *node)
{
	struct tree_map *left = *left_link, *right = *right_link;
	size_t total = (size_t)left->length + right->length, half = total / 2;
	*left_link = part_of_both(left, right, 0, half, node);
	*right_link = part_of_both(left, right, half, total, node);
	memory_free(left);
	memory_free(right);
}

/* path[depth] has few cells: brings it together with a neighbour. */
static void rebalance(struct tree_map_iter *path, uint32_t depth, struct tree_reclaimer *reclaimer)
{
	struct tree_map *parent = node_at(path, depth - 1);
	if (parent->length < 2)
		return;
	uint32_t index = path->path[depth - 1].index;
	uint32_t first = index + 1u < parent->length ? index : index - 1;
	struct tree_map **left = &parent->cells[first].child, **right = &parent->cells[first + 1].child;
	tree__map_own_node(left, path->node, reclaimer);
	tree__map_own_node(right, path->node, reclaimer);
	if ((*left)->length + (*right)->length <= TREE__FANOUT) {
		*left = join(*left, *right, path->node);
		tree__map_remove_cell(parent, first + 1);
		return;
	}
	even_out(left, right, path->node);
	struct tree__key key;
	tree__map_cell_key(*right, 0, path->node, &key);
	tree__map_set_key(parent, first + 1, path->node, &key);
	tree__key_fini(&key);
}

static void remove_at(struct tree_map_iter *path, uint32_t depth)
{
	struct tree_map *map = node_at(path, depth);
	uint32_t index = path->path[depth].index;
	tree__map_remove_cell(map, index);
	if (index == 0 && map->length > 0)
		tree__map_fix_first(path, depth);
}

static void shrink_root(struct tree_map **root)
{
	while ((*root)->level > 0 && (*root)->length == 1) {
		struct tree_map *child = (*root)->cells[0].child;
		memory_free(*root);
		*root = child;
	}
}

static void remove_last(struct tree_map **root, const struct tree_map_iter *path)
{
	for (uint32_t i = 0; i < path->height; i++)
		memory_free(node_at(path, i));
	*root = NULL;
}

union tree_item tree__map_remove(struct tree_map **root, struct tree_map_iter *path,
				 struct tree_reclaimer *reclaimer)
{
	union tree_item item = *tree__map_own(root, path, reclaimer);
	if ((*root)->count == 1) {
		remove_last(root, path);
		return item;
	}
	for (uint32_t i = 0; i < path->height; i++)
		node_at(path, i)->count--;
	uint32_t depth = path->height - 1;
	remove_at(path, depth);
	for (; depth > 0; depth--) {
		struct tree_map *map = node_at(path, depth);
		if (map->length >= TREE__FANOUT_MIN)
			break;
		if (map->length == 0) {
			memory_free(map);
			remove_at(path, depth - 1);
		} else {
			rebalance(path, depth, reclaimer);
		}
	}
	shrink_root(root);
	return item;
}
