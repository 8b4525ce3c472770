/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The difference of two user-ordered lists: what was created, deleted and changed, and which of the others
 * have to be moved to get the new order, as few as possible.
 *
 * The walk over the two indexes (map_pair.c) gives every item whose content or label differs. All others have
 * the same label in both, so they are in the same order among themselves. Those whose label differs cut them
 * into runs, at their old and at their new labels:
 *
 *     old     a  b  c  X  d  e  Y  f          X and Y have new labels
 *     new     a  Y  b  c  d  e  f  X          runs: (a) (b c) (d e) (f)
 *
 * The items that stay are the heaviest increasing subsequence of runs and single items, taken in the old
 * order and compared by the new one; a run weighs as much as it has items, which the counts in the order tree
 * tell. So what is shared is not walked, unless a run is lighter than what moved around it: then its items
 * are the ones that move, and they are no more than those with new labels. The latter are as many as were
 * moved, and those whose labels were spread out for them.
 *
 * Of equally good answers the one with the most items of unchanged labels wins: the entry that a request
 * moved is then the one that has moved.
 */
#include <stdlib.h>

#include "base/vector.h"
#include "tree/diff_internal.h"

/* An item that differs; in both trees, or in one (the other item is NULL). */
struct differing {
	const union tree_item *old_item, *new_item;
	uint64_t old_label, new_label;
	bool moved;
};

struct order_diff {
	struct tree__diff *diff;
	struct tree_change *parent;
	const struct schema_node *node;
	const struct tree_map *old_map, *new_map;
	struct vector items; /* struct differing; once sorted: deleted ones, then the others in new order */
};

static struct differing *item_at(const struct order_diff *order, size_t i)
{
	return vector_at(&order->items, i);
}

static bool is_relabelled(const struct differing *item)
{
	return item->old_item != NULL && item->new_item != NULL && item->old_label != item->new_label;
}

static int compare_labels(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int compare_differing(const void *left, const void *right)
{
	const struct differing *a = left, *b = right;
	if ((a->new_item == NULL) != (b->new_item == NULL))
		return a->new_item == NULL ? -1 : 1;
	return a->new_item == NULL ? compare_labels(a->old_label, b->old_label)
				   : compare_labels(a->new_label, b->new_label);
}

static void sort_items(struct order_diff *order)
{
	if (order->items.length > 1)
		qsort(order->items.data, order->items.length, sizeof(struct differing), compare_differing);
}

static const struct tree_map *index_of(const struct tree_map *pair)
{
	return pair != NULL ? pair->cells[TREE__INDEX_CELL].child : NULL;
}

/* True where some item in both has another label. Stops with one item more than the limit. */
static bool collect(struct order_diff *order)
{
	struct tree__pair pair;
	const union tree_item *in_old, *in_new;
	size_t limit = order->diff->order_limit;
	bool any = false;
	tree__pair_init(&pair, order->node, index_of(order->old_map), index_of(order->new_map));
	while ((limit == 0 || order->items.length <= limit) && tree__pair_next(&pair, &in_old, &in_new)) {
		struct differing *item = vector_push(&order->items);
		*item = (struct differing){in_old, in_new, pair.a.label, pair.b.label, false};
		any = any || is_relabelled(item);
	}
	order->diff->changes->visited += pair.visited;
	sort_items(order);
	return any;
}

/* ---- which ones stay ---- */

/*
 * The elements that the order is made of, by their coordinate in the old tree: 2 i + 1 for the item whose old
 * label is bound i, 2 i for the run before it. Coordinates in the new tree are counted alike, so a run has
 * the same in both.
 */
struct element {
	uint64_t weight;  /* 0: there is none */
	uint64_t best;	  /* weight of the heaviest increasing subsequence that ends here */
	size_t target;	  /* coordinate in the new tree */
	size_t previous;  /* in that subsequence; NONE */
	size_t differing; /* index in items; NONE: a run */
	bool stays;
};

#define NONE SIZE_MAX

struct elements {
	uint64_t *bounds; /* labels, ascending */
	size_t bound_count;
	struct element *elements; /* 2 * bound_count + 1 */
	/* A Fenwick tree over new coordinates: the element with the best subsequence in each span. */
	size_t *heaviest;
	size_t length;
};

static int compare_bounds(const void *left, const void *right)
{
	return compare_labels(*(const uint64_t *)left, *(const uint64_t *)right);
}

/* Old and new labels of items with new labels; those of created items too, so that no run has one in it. */
static void collect_bounds(const struct order_diff *order, struct elements *all)
{
	all->bounds = memory_resize(NULL, order->items.length * 2, sizeof(*all->bounds));
	size_t length = 0;
	for (size_t i = 0; i < order->items.length; i++) {
		const struct differing *item = item_at(order, i);
		if (is_relabelled(item))
			all->bounds[length++] = item->old_label;
		if (is_relabelled(item) || item->old_item == NULL)
			all->bounds[length++] = item->new_label;
	}
	qsort(all->bounds, length, sizeof(*all->bounds), compare_bounds);
	size_t unique = 0;
	for (size_t i = 0; i < length; i++) {
		if (unique == 0 || all->bounds[unique - 1] != all->bounds[i])
			all->bounds[unique++] = all->bounds[i];
	}
	all->bound_count = unique;
}

static size_t find_bound(const struct elements *all, uint64_t label)
{
	const uint64_t *found = bsearch(&label, all->bounds, all->bound_count, sizeof(label), compare_bounds);
	ASSERT(found != NULL);
	return (size_t)(found - all->bounds);
}

/* An item weighs more than all that staying or not can add by the second rule: unchanged labels first. */
static void weigh(const struct order_diff *order, struct elements *all)
{
	const struct tree_map *tree = tree__map_in_order(order->new_map);
	uint64_t unit = order->new_map->count + 1, before = 0;
	all->length = 2 * all->bound_count + 1;
	all->elements = memory_zalloc(all->length * sizeof(*all->elements));
	all->heaviest = memory_resize(NULL, all->length + 1, sizeof(*all->heaviest));
	for (size_t i = 0; i <= all->length; i++)
		all->heaviest[i] = NONE;
	for (size_t i = 0; i <= all->bound_count; i++) {
		bool is_last = i == all->bound_count;
		uint64_t end = is_last ? tree->count : tree__order_rank(tree, order->node, all->bounds[i]);
		struct element *run = &all->elements[2 * i];
		*run = (struct element){
			.weight = (end - before) * (unit + 1), .target = 2 * i, .differing = NONE};
		if (!is_last)
			before = tree__order_rank(tree, order->node, all->bounds[i] + 1);
	}
	for (size_t i = 0; i < order->items.length; i++) {
		const struct differing *item = item_at(order, i);
		if (!is_relabelled(item))
			continue;
		struct element *single = &all->elements[2 * find_bound(all, item->old_label) + 1];
		single->weight = unit;
		single->target = 2 * find_bound(all, item->new_label) + 1;
		single->differing = i;
	}
}

/* The best one whose new coordinate is below `target`. */
static size_t best_before(const struct elements *all, size_t target)
{
	size_t best = NONE;
	for (size_t i = target; i > 0; i &= i - 1) {
		size_t other = all->heaviest[i];
		if (other != NONE && (best == NONE || all->elements[other].best > all->elements[best].best))
			best = other;
	}
	return best;
}

static void enter_element(struct elements *all, size_t index)
{
	const struct element *element = &all->elements[index];
	for (size_t i = element->target + 1; i <= all->length; i += i & (~i + 1)) {
		size_t other = all->heaviest[i];
		if (other == NONE || all->elements[other].best < element->best)
			all->heaviest[i] = index;
	}
}

static void choose_stayers(struct elements *all)
{
	for (size_t i = 0; i < all->length; i++) {
		struct element *element = &all->elements[i];
		if (element->weight == 0)
			continue;
		element->previous = best_before(all, element->target);
		element->best = element->weight;
		if (element->previous != NONE)
			element->best += all->elements[element->previous].best;
		enter_element(all, i);
	}
	for (size_t i = best_before(all, all->length); i != NONE; i = all->elements[i].previous)
		all->elements[i].stays = true;
}

/* The items of a run that moves, between two bounds. `length`: those that were collected by key. */
static void move_run(struct order_diff *order, const struct elements *all, size_t bound, size_t length)
{
	const struct tree_map *tree = tree__map_in_order(order->new_map);
	uint64_t low = bound > 0 ? all->bounds[bound - 1] + 1 : 0;
	uint64_t high = bound < all->bound_count ? all->bounds[bound] : UINT64_MAX;
	uint64_t rank = tree__order_rank(tree, order->node, low),
		 end = tree__order_rank(tree, order->node, high);
	struct tree_map_iter iter;
	const union tree_item *item = tree_map_at(&iter, tree, order->node, rank);
	for (; rank < end; rank++, item = tree_map_next(&iter)) {
		uint32_t leaf = iter.height - 1;
		uint64_t label = tree__map_labels(iter.path[leaf].map)[iter.path[leaf].index];
		struct differing *made = bsearch(&(struct differing){.new_item = item, .new_label = label},
						 order->items.data, length, sizeof(*made), compare_differing);
		if (made == NULL) {
			made = vector_push(&order->items);
			*made = (struct differing){item, item, label, label, false};
		}
		made->moved = true;
		order->diff->changes->visited++;
	}
}

static void find_moves(struct order_diff *order)
{
	struct elements all = {0};
	collect_bounds(order, &all);
	weigh(order, &all);
	choose_stayers(&all);
	size_t length = order->items.length;
	for (size_t i = 0; i < all.length; i++) {
		const struct element *element = &all.elements[i];
		if (element->weight == 0 || element->stays)
			continue;
		if (element->differing != NONE)
			item_at(order, element->differing)->moved = true;
		else
			move_run(order, &all, i / 2, length);
	}
	if (order->items.length > length)
		sort_items(order);
	memory_free(all.bounds);
	memory_free(all.elements);
	memory_free(all.heaviest);
}

/* ---- changes ---- */

/* Where the walk over what is new stands in the new tree: items of one run follow each other. */
struct predecessors {
	struct tree_map_iter iter;
	const union tree_item *item; /* the last one that was asked about; NULL: none */
};

static const union tree_item *predecessor_of(const struct order_diff *order, struct predecessors *at,
					     const struct differing *item)
{
	const union tree_item *before = at->item;
	at->item = item->new_item;
	/* The items of the index are not those of the order tree: equal words are the same item. */
	if (before != NULL) {
		const union tree_item *next = tree_map_next(&at->iter);
		if (next != NULL && next->word == item->new_item->word)
			return before;
	}
	const struct tree_map *tree = tree__map_in_order(order->new_map);
	uint64_t rank = tree__order_before(order->new_map, order->node, item->new_label, &before);
	tree_map_at(&at->iter, tree, order->node, rank);
	return before;
}

static void emit(struct order_diff *order, struct predecessors *at, const struct differing *item)
{
	union tree_slot old_content = {.word = item->old_item != NULL ? item->old_item->word : 0};
	union tree_slot new_content = {.word = item->new_item != NULL ? item->new_item->word : 0};
	bool in_both = item->old_item != NULL && item->new_item != NULL;
	struct tree_change *change = NULL;
	if (in_both && order->node->kind == SCHEMA_LIST)
		change = tree__diff_instance(order->diff, order->parent, order->node, &old_content,
					     &new_content, item->moved);
	else if (!in_both || item->moved)
		change = tree__diff_add(order->diff, order->parent, order->node,
					item->old_item != NULL ? &old_content : NULL,
					item->new_item != NULL ? &new_content : NULL);
	if (change == NULL)
		return;
	change->moved = item->moved;
	/* The children, if any, are complete: the field is free. */
	if (item->new_item != NULL && (item->moved || !in_both))
		change->predecessor = predecessor_of(order, at, item);
}

/* False where more items differ than the limit: nothing is emitted then. */
static bool diff_order(struct order_diff *order)
{
	struct predecessors at = {.item = NULL};
	size_t limit = order->diff->order_limit;
	vector_init(&order->items, sizeof(struct differing));
	bool any = collect(order);
	bool fits = limit == 0 || order->items.length <= limit;
	if (fits && any)
		find_moves(order);
	for (size_t i = 0; fits && i < order->items.length; i++)
		emit(order, &at, item_at(order, i));
	vector_fini(&order->items);
	return fits;
}

void tree__diff_user_ordered(struct tree__diff *diff, struct tree_change *parent,
			     const struct schema_node *node, const struct tree_map *old_map,
			     const struct tree_map *new_map)
{
	struct order_diff order = {
		.diff = diff, .parent = parent, .node = node, .old_map = old_map, .new_map = new_map};
	diff_order(&order);
}

bool tree_diff_order(const struct schema_node *node, const struct tree_map *old_map,
		     const struct tree_map *new_map, size_t limit, struct arena *arena,
		     struct tree_change_set *changes)
{
	ASSERT(tree_node_is_user_ordered(node) && limit > 0);
	*changes = (struct tree_change_set){0};
	struct tree_change *parent = arena_zalloc(arena, sizeof(*parent));
	struct tree__diff diff = {
		.arena = arena, .changes = changes, .order_only = true, .order_limit = limit};
	struct order_diff order = {
		.diff = &diff, .parent = parent, .node = node, .old_map = old_map, .new_map = new_map};
	parent->schema = node->parent;
	if (!diff_order(&order))
		return false;
	changes->root = parent->children != NULL ? parent : NULL;
	return true;
}

void tree__diff_sequences(struct tree__diff *diff, struct tree_change *parent, const struct schema_node *node,
			  const struct tree_map *old_map, const struct tree_map *new_map)
{
	struct tree__pair pair;
	const union tree_item *in_old, *in_new;
	tree__pair_init(&pair, node, old_map, new_map);
	while (tree__pair_next(&pair, &in_old, &in_new)) {
		union tree_slot old_content = {.word = in_old != NULL ? in_old->word : 0};
		union tree_slot new_content = {.word = in_new != NULL ? in_new->word : 0};
		uint32_t index = (uint32_t)(in_old != NULL ? pair.a.index : pair.b.index);
		struct tree_change *change = NULL;
		if (in_old != NULL && in_new != NULL && node->kind == SCHEMA_LIST) {
			change = tree__diff_instance(diff, parent, node, &old_content, &new_content, false);
			if (change != NULL)
				change->index = index;
			continue;
		}
		if (in_old != NULL && in_new != NULL && value_equal(in_old->value, in_new->value))
			continue;
		if (in_old != NULL)
			tree__diff_add(diff, parent, node, &old_content, NULL)->index = index;
		if (in_new != NULL)
			tree__diff_add(diff, parent, node, NULL, &new_content)->index = index;
	}
	diff->changes->visited += pair.visited;
}
