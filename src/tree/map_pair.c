/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Walking two maps side by side without looking at what they share: the base of diff and of deep equality.
 *
 * Each side stands at a unit: a subtree not entered yet, or an item. Two units that are the same pointer are
 * skipped whole. Of two different ones the higher is entered, or both; two items are compared by key. Leaving
 * a node makes the next unit one of the level above again. So if the two maps are split differently, the
 * sides fall out of step for a few nodes around the change and meet again: a change costs about a fanout of
 * units a level.
 *
 * Order trees are walked the same way, but two items that stand at the same position are a pair whatever they
 * are. Both sides have always passed equally many items there, since what is skipped is the same on both.
 */
#include "base/memory.h"
#include "tree/internal.h"
#include "tree/pair.h"

static inline bool is_at_end(const struct tree__pair_side *side)
{
	return side->height == 0 && !side->whole;
}

/* 0: an item; n: a subtree whose top node is of level n - 1. */
static inline unsigned unit_level(const struct tree__pair_side *side)
{
	return side->whole ? side->path[0].map->level + 1u
			   : (unsigned)side->path[side->height - 1].map->level;
}

static inline const union tree__cell *unit_cell(const struct tree__pair_side *side)
{
	uint32_t top = side->height - 1;
	return &side->path[top].map->cells[side->path[top].index];
}

static inline uint64_t unit_word(const struct tree__pair_side *side)
{
	return side->whole ? (uint64_t)(uintptr_t)side->path[0].map : unit_cell(side)->item.word;
}

static inline void enter(struct tree__pair_side *side)
{
	const struct tree_map *map = side->whole ? side->path[0].map : unit_cell(side)->child;
	side->whole = false;
	ASSERT(side->height <= TREE_MAP_HEIGHT_MAX);
	side->path[side->height].map = map;
	side->path[side->height].index = 0;
	side->height++;
}

static inline void advance(struct tree__pair_side *side)
{
	if (side->whole) {
		side->whole = false;
		return;
	}
	while (side->height > 0) {
		uint32_t top = side->height - 1;
		if (++side->path[top].index < side->path[top].map->length)
			return;
		side->height--;
	}
}

static uint64_t unit_label(const struct tree__pair_side *side)
{
	uint32_t top = side->height - 1;
	return tree__map_labels(side->path[top].map)[side->path[top].index];
}

static inline const union tree_item *take_item(struct tree__pair_side *side, enum tree__map_kind kind)
{
	const union tree_item *item = &unit_cell(side)->item;
	if (kind != TREE__SORTED)
		side->label = unit_label(side);
	side->index++;
	advance(side);
	return item;
}

/* Only who walks by position wants to know the index, and only then is a node skipped touched for it. */
static uint64_t unit_count(const struct tree__pair_side *side, unsigned level)
{
	if (level == 0)
		return 1;
	return (side->whole ? side->path[0].map : unit_cell(side)->child)->count;
}

/* Of two units of one level. A label matters in an index only: a sequence is its items in their order, and
 * nothing else. */
static inline bool is_same(const struct tree__pair *pair, unsigned level, enum tree__map_kind kind)
{
	if (unit_word(&pair->a) != unit_word(&pair->b))
		return false;
	return kind != TREE__INDEX || level > 0 || unit_label(&pair->a) == unit_label(&pair->b);
}

/* Passes units that are the same in the nodes that the sides are in, which are of one level. The first ones
 * are known to be. Gives how many. */
static inline uint32_t skip_same(struct tree__pair_side *a, struct tree__pair_side *b)
{
	uint32_t *index_a = &a->path[a->height - 1].index, *index_b = &b->path[b->height - 1].index;
	const struct tree_map *map_a = a->path[a->height - 1].map, *map_b = b->path[b->height - 1].map;
	uint32_t left_a = map_a->length - *index_a, left_b = map_b->length - *index_b;
	uint32_t most = left_a < left_b ? left_a : left_b, count = 1;
	const union tree__cell *cells_a = &map_a->cells[*index_a], *cells_b = &map_b->cells[*index_b];
	while (count < most && cells_a[count].item.word == cells_b[count].item.word)
		count++;
	*index_a += count - 1;
	*index_b += count - 1;
	advance(a);
	advance(b);
	return count;
}

static void init_side(struct tree__pair_side *side, const struct tree_map *map)
{
	side->height = 0;
	side->whole = map != NULL;
	side->path[0].map = map;
	side->index = 0;
}

/* The order of two items that the sides stand at. */
static inline int compare_units(const struct tree__pair *pair, enum tree__map_kind kind)
{
	if (kind == TREE__ORDER)
		return 0;
	return tree__item_compare(pair->node, &unit_cell(&pair->a)->item, &unit_cell(&pair->b)->item);
}

void tree__pair_init(struct tree__pair *pair, const struct schema_node *node, const struct tree_map *a,
		     const struct tree_map *b)
{
	pair->node = node;
	pair->visited = 0;
	pair->kind = a != NULL ? a->kind : b != NULL ? b->kind : TREE__SORTED;
	init_side(&pair->a, a);
	init_side(&pair->b, b);
}

static const union tree_item *next_of_one(struct tree__pair *pair, struct tree__pair_side *side,
					  enum tree__map_kind kind)
{
	while (unit_level(side) > 0)
		enter(side);
	pair->visited++;
	return take_item(side, kind);
}

/* With the kind a constant, so that what only one kind needs costs the others nothing. */
static inline __attribute__((always_inline)) bool next_of_kind(struct tree__pair *pair,
							       const union tree_item **in_a,
							       const union tree_item **in_b,
							       enum tree__map_kind kind)
{
	struct tree__pair_side *a = &pair->a, *b = &pair->b;
	*in_a = *in_b = NULL;
	while (!is_at_end(a) && !is_at_end(b)) {
		unsigned level_a = unit_level(a), level_b = unit_level(b);
		pair->visited++;
		if (level_a == level_b && is_same(pair, level_a, kind)) {
			if (kind == TREE__SORTED && !a->whole && !b->whole) {
				pair->visited += skip_same(a, b) - 1;
				continue;
			}
			if (kind == TREE__ORDER) {
				a->index += unit_count(a, level_a);
				b->index += unit_count(b, level_b);
			}
			advance(a);
			advance(b);
			continue;
		}
		if (level_a == 0 && level_b == 0) {
			int order = compare_units(pair, kind);
			*in_a = order <= 0 ? take_item(a, kind) : NULL;
			*in_b = order >= 0 ? take_item(b, kind) : NULL;
			return true;
		}
		if (level_a >= level_b)
			enter(a);
		if (level_b >= level_a)
			enter(b);
	}
	if (!is_at_end(a))
		*in_a = next_of_one(pair, a, kind);
	else if (!is_at_end(b))
		*in_b = next_of_one(pair, b, kind);
	return *in_a != NULL || *in_b != NULL;
}

bool tree__pair_next(struct tree__pair *pair, const union tree_item **in_a, const union tree_item **in_b)
{
	if (pair->kind == TREE__SORTED)
		return next_of_kind(pair, in_a, in_b, TREE__SORTED);
	if (pair->kind == TREE__INDEX)
		return next_of_kind(pair, in_a, in_b, TREE__INDEX);
	return next_of_kind(pair, in_a, in_b, TREE__ORDER);
}

/* ---- for those above the tree ---- */

struct tree_pair {
	struct tree__pair pair;
};

/* The part of a map that is in the order of the keys. */
static const struct tree_map *by_key(const struct tree_map *map)
{
	return map != NULL && map->kind == TREE__PAIR ? map->cells[TREE__INDEX_CELL].child : map;
}

struct tree_pair *tree_pair_new(const struct schema_node *node, const struct tree_map *old_map,
				const struct tree_map *new_map)
{
	ASSERT(!tree_node_is_sequence(node));
	struct tree_pair *pair = memory_alloc(sizeof(*pair));
	tree__pair_init(&pair->pair, node, by_key(old_map), by_key(new_map));
	return pair;
}

void tree_pair_free(struct tree_pair *pair)
{
	memory_free(pair);
}

bool tree_pair_next(struct tree_pair *pair, const union tree_item **in_old, const union tree_item **in_new)
{
	return tree__pair_next(&pair->pair, in_old, in_new);
}

size_t tree_pair_visited(const struct tree_pair *pair)
{
	return pair->pair.visited;
}
