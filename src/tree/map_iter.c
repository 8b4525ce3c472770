/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Walking a map in order. An iterator is the path of nodes from the root to a leaf node with the index taken
 * in each, so the next item is mostly in the same node.
 */
#include "tree/map.h"

#include "tree/internal.h"

_Static_assert(sizeof(union tree__cell) == sizeof(union tree_item), "a run of cells is an array of items");

uint64_t tree_map_count(const struct tree_map *map)
{
	return map != NULL ? map->count : 0;
}

/* Extends the path to the first item below `map`. */
static const union tree_item *descend(struct tree_map_iter *iter, const struct tree_map *map)
{
	while (true) {
		ASSERT(iter->height < TREE_MAP_HEIGHT_MAX);
		iter->path[iter->height].map = map;
		iter->path[iter->height].index = 0;
		iter->height++;
		if (map->level == 0)
			return &map->cells[0].item;
		map = map->cells[0].child;
	}
}

const union tree_item *tree_map_first(struct tree_map_iter *iter, const struct tree_map *map,
				      const struct schema_node *node)
{
	iter->node = node;
	iter->height = 0;
	return map != NULL ? descend(iter, tree__map_in_order(map)) : NULL;
}

const union tree_item *tree_map_at(struct tree_map_iter *iter, const struct tree_map *map,
				   const struct schema_node *node, uint64_t index)
{
	iter->node = node;
	iter->height = 0;
	if (map == NULL || index >= map->count)
		return NULL;
	map = tree__map_in_order(map);
	while (true) {
		ASSERT(iter->height < TREE_MAP_HEIGHT_MAX);
		uint32_t cell = map->level == 0 ? (uint32_t)index : 0;
		while (map->level > 0 && index >= map->cells[cell].child->count)
			index -= map->cells[cell++].child->count;
		iter->path[iter->height].map = map;
		iter->path[iter->height].index = cell;
		iter->height++;
		if (map->level == 0)
			return &map->cells[cell].item;
		map = map->cells[cell].child;
	}
}

const union tree_item *tree_map_next(struct tree_map_iter *iter)
{
	while (iter->height > 0) {
		uint32_t depth = iter->height - 1;
		const struct tree_map *map = iter->path[depth].map;
		uint32_t index = ++iter->path[depth].index;
		if (index < map->length && map->level == 0)
			return &map->cells[index].item;
		if (index < map->length)
			return descend(iter, map->cells[index].child);
		iter->height--;
	}
	return NULL;
}

uint32_t tree_map_run(const struct tree_map_iter *iter)
{
	if (iter->height == 0)
		return 0;
	return iter->path[iter->height - 1].map->length - iter->path[iter->height - 1].index;
}

void tree_map_fetch(const struct tree_map *map)
{
	if (map->level == 0)
		__builtin_prefetch(map->cells[0].item.record);
}
