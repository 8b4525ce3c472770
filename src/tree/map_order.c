/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * User-ordered lists and leaf-lists, and sequences. The first are a pair of B+trees (internal.h):
 *
 *     pair -> order tree   label 10 -> c   label 20 -> a   label 30 -> b     holds the references
 *          -> index        a -> 20   b -> 30   c -> 10                       borrows the items
 *
 * so that both a key and a position lead to an item, and from it to its neighbours, in O(log n), and a change
 * copies two paths. Every change keeps two things true: both trees have the same items with the same labels,
 * and an item that the index still has is alive. So an item leaves the index first, and enters it while
 * somebody holds it.
 *
 * A new label lies in the middle of the gap that it goes to; at the ends of the list GAP beyond the last one.
 * Where a gap has closed, the labels around it are spread out again: of the aligned ranges of 2^bits labels
 * around it the smallest one that holds less than 2^(bits/2) items (Bender et al., Two simplified algorithms
 * for maintaining order in a list, 2002; their overflow threshold with T = sqrt 2). Amortised over the
 * insertions that closed the gap this is O(log n) labels an insertion, and in practice a few: it takes some
 * 30 insertions in one place to close a fresh gap, and what is spread out then is about those 30. Who puts
 * one item behind the other says so (AFTER_RUN), and thousands fit.
 *
 * A sequence is an order tree alone, with labels 1, 2, 3, ...
 */
#include <string.h>

#include "tree/internal.h"

#define LABEL_FIRST (UINT64_C(1) << 63) /* of the first item of a list: room on both sides */
#define GAP (UINT64_C(1) << 32)
#define RUN_PARTS 256	      /* of a gap that many items will fill from its beginning, one takes this part */
#define LABEL_NONE UINT64_MAX /* never an item's; nor is 0 */
#define RANGE_BITS_MIN 16     /* a smaller range would close again at once */
#define RANGE_BITS_MAX 64

static struct tree_map **order_of(struct tree_map *pair)
{
	return &pair->cells[TREE__ORDER_CELL].child;
}

static struct tree_map **index_of(struct tree_map *pair)
{
	return &pair->cells[TREE__INDEX_CELL].child;
}

static uint64_t label_at(const struct tree_map_iter *iter)
{
	uint32_t leaf = iter->height - 1;
	return tree__map_labels(iter->path[leaf].map)[iter->path[leaf].index];
}

static uint64_t last_label(const struct tree_map *order)
{
	while (order->level > 0)
		order = order->cells[order->length - 1].child;
	return tree__map_labels(order)[order->length - 1];
}

/* Needs an item with that label. */
static void find_label(const struct tree_map *order, const struct schema_node *node, uint64_t label,
		       struct tree__place *place)
{
	struct tree__key key;
	tree__key_of_label(&key, label);
	tree__map_search(order, node, &key, place);
	ASSERT(place->exact);
}

static uint64_t label_after(const struct tree_map *order, const struct schema_node *node, uint64_t label)
{
	struct tree__place place;
	find_label(order, node, label, &place);
	return tree_map_next(&place.iter) != NULL ? label_at(&place.iter) : LABEL_NONE;
}

static uint64_t label_before(const struct tree_map *order, const struct schema_node *node, uint64_t label)
{
	uint64_t rank = tree__order_rank(order, node, label);
	struct tree_map_iter iter;
	return rank > 0 && tree_map_at(&iter, order, node, rank - 1) != NULL ? label_at(&iter) : 0;
}

uint64_t tree__order_before(const struct tree_map *pair, const struct schema_node *node, uint64_t label,
			    const union tree_item **item)
{
	const struct tree_map *order = tree__map_in_order(pair);
	uint64_t rank = tree__order_rank(order, node, label);
	struct tree_map_iter iter;
	*item = rank > 0 ? tree_map_at(&iter, order, node, rank - 1) : NULL;
	return rank;
}

/* False where the anchor is not there. */
static bool find_gap(struct tree_map *pair, const struct schema_node *node, const struct tree_insert *insert,
		     struct tree__gap *gap)
{
	const struct tree_map *order = *order_of(pair);
	struct tree_map_iter iter;
	struct tree__key key;
	struct tree__place anchor;
	*gap = (struct tree__gap){.low = 0, .high = LABEL_NONE};
	if (insert->where == TREE_FIRST) {
		tree_map_first(&iter, order, node);
		gap->high = label_at(&iter);
		return true;
	}
	if (insert->where == TREE_LAST) {
		gap->low = last_label(order);
		return true;
	}
	tree__key_of_values(&key, node, insert->anchor);
	tree__map_search(*index_of(pair), node, &key, &anchor);
	tree__key_fini(&key);
	if (!anchor.exact)
		return false;
	uint64_t label = tree__place_label(&anchor);
	bool is_before = insert->where == TREE_BEFORE;
	gap->low = is_before ? label_before(order, node, label) : label;
	gap->high = is_before ? label : label_after(order, node, label);
	return true;
}

static uint64_t label_in(const struct tree__gap *gap, const struct tree_insert *insert)
{
	if (gap->high == LABEL_NONE && LABEL_NONE - gap->low > GAP)
		return gap->low + GAP;
	if (gap->low == 0 && gap->high > GAP)
		return gap->high - GAP;
	uint64_t room = gap->high - gap->low;
	if (insert->where == TREE_AFTER_RUN)
		return gap->low + (room > RUN_PARTS ? room / RUN_PARTS : 1);
	return gap->low + room / 2;
}

static union tree_item *put_in_order(struct tree_map **root, const struct schema_node *node, uint64_t label,
				     union tree_item item, struct tree_reclaimer *reclaimer)
{
	struct tree__key key;
	struct tree__place place;
	tree__key_of_label(&key, label);
	if (*root == NULL) {
		*root = tree__map_new_leaf(TREE__ORDER, item, node, &key);
		return &(*root)->cells[0].item;
	}
	if (label < last_label(*root) || !tree__map_search_end(*root, node, &key, NULL, &place))
		tree__map_search(*root, node, &key, &place);
	return tree__map_insert(root, &place, &key, item, reclaimer);
}

static union tree_item take_from_order(struct tree_map **root, const struct schema_node *node, uint64_t label,
				       struct tree_reclaimer *reclaimer)
{
	struct tree__place place;
	find_label(*root, node, label, &place);
	return tree__map_remove(root, &place.iter, reclaimer);
}

static void set_label(struct tree_map **index, struct tree__place *place, uint64_t label,
		      struct tree_reclaimer *reclaimer)
{
	ASSERT(place->exact);
	tree__map_own(index, &place->iter, reclaimer);
	uint32_t leaf = place->iter.height - 1;
	tree__map_labels(place->iter.path[leaf].map)[place->iter.path[leaf].index] = label;
}

/* Labels to spread out: `count` items from `rank` on, to every `step`th label behind `low`. */
struct range {
	uint64_t low, step, rank, count;
};

static struct range range_around(const struct tree_map *order, const struct schema_node *node, uint64_t label)
{
	for (unsigned bits = RANGE_BITS_MIN; bits <= RANGE_BITS_MAX; bits++) {
		uint64_t mask = UINT64_MAX >> (64 - bits), low = label & ~mask, high = low | mask;
		uint64_t rank = tree__order_rank(order, node, low);
		uint64_t end = high == UINT64_MAX ? order->count : tree__order_rank(order, node, high + 1);
		if (end - rank < UINT64_C(1) << (bits / 2))
			return (struct range){low, mask / (end - rank + 1), rank, end - rank};
	}
	ASSERT(!"a list of 2^32 items");
	return (struct range){0};
}

/* Makes room around an item's label. The pair is a single reference. */
static void respace(struct tree_map *pair, const struct schema_node *node, uint64_t label,
		    struct tree_reclaimer *reclaimer)
{
	struct tree_map **order = order_of(pair);
	struct range range = range_around(*order, node, label);
	union tree_item *items = memory_resize(NULL, range.count, sizeof(*items));
	for (uint64_t i = 0; i < range.count; i++) {
		struct tree_map_iter iter;
		tree_map_at(&iter, *order, node, range.rank);
		items[i] = tree__map_remove(order, &iter, reclaimer);
	}
	for (uint64_t i = 0; i < range.count; i++) {
		uint64_t spread = range.low + range.step * (i + 1);
		put_in_order(order, node, spread, items[i], reclaimer);
		struct tree__key key;
		struct tree__place place;
		tree__key_of_item(&key, node, &items[i]);
		tree__map_search(*index_of(pair), node, &key, &place);
		tree__key_fini(&key);
		set_label(index_of(pair), &place, spread, reclaimer);
	}
	memory_free(items);
}

/* A free label in that gap, which is where `insert` says. *moved: others were moved for it, so what was found
 * before is void. */
static uint64_t make_label(struct tree_map *pair, const struct schema_node *node,
			   const struct tree_insert *insert, struct tree__gap gap, bool *moved,
			   struct tree_reclaimer *reclaimer)
{
	*moved = gap.high - gap.low < 2;
	if (*moved) {
		respace(pair, node, gap.low != 0 ? gap.low : gap.high, reclaimer);
		find_gap(pair, node, insert, &gap);
		ASSERT(gap.high - gap.low >= 2);
	}
	return label_in(&gap, insert);
}

static struct tree_map *new_pair(const struct schema_node *node, struct tree__key *key, union tree_item item)
{
	struct tree__key label;
	tree__key_of_label(&label, LABEL_FIRST);
	key->label = LABEL_FIRST;
	struct tree_map *pair = tree__map_new(TREE__PAIR, 1, 2);
	pair->cells[TREE__ORDER_CELL].child = tree__map_new_leaf(TREE__ORDER, item, node, &label);
	pair->cells[TREE__INDEX_CELL].child = tree__map_new_leaf(TREE__INDEX, item, node, key);
	memset(tree__map_digests(pair), 0, 2 * sizeof(uint32_t));
	pair->length = 2;
	pair->count = 1;
	return pair;
}

struct tree__order_cells tree__order_insert(struct tree_map **link, struct tree__place *place,
					    struct tree__key *key, union tree_item item,
					    const struct tree_insert *insert,
					    struct tree_reclaimer *reclaimer)
{
	const struct schema_node *node = place->iter.node;
	if (*link == NULL) {
		*link = new_pair(node, key, item);
		return (struct tree__order_cells){&(*order_of(*link))->cells[0].item,
						  &(*index_of(*link))->cells[0].item};
	}
	struct tree_map *pair = tree__map_own_node(link, node, reclaimer);
	struct tree__gap gap;
	bool found = find_gap(pair, node, insert, &gap), moved;
	ASSERT(found);
	key->label = make_label(pair, node, insert, gap, &moved, reclaimer);
	if (moved)
		tree__map_search(*index_of(pair), node, key, place);
	ASSERT(!place->exact);
	pair->count++;
	union tree_item *twin = tree__map_insert(index_of(pair), place, key, item, reclaimer);
	return (struct tree__order_cells){put_in_order(order_of(pair), node, key->label, item, reclaimer),
					  twin};
}

bool tree__order_is_at(const struct tree_map *pair, const struct tree__place *place,
		       const struct tree_insert *insert, struct tree__gap *gap)
{
	bool found = find_gap((struct tree_map *)pair, place->iter.node, insert, gap);
	ASSERT(found);
	uint64_t label = tree__place_label(place);
	return gap->low == label || gap->high == label;
}

void tree__order_move(struct tree_map **link, struct tree__place *place, const struct tree__key *key,
		      const struct tree_insert *insert, struct tree__gap gap,
		      struct tree_reclaimer *reclaimer)
{
	const struct schema_node *node = place->iter.node;
	struct tree_map *pair = tree__map_own_node(link, node, reclaimer);
	bool moved;
	uint64_t label = make_label(pair, node, insert, gap, &moved, reclaimer);
	if (moved)
		tree__map_search(*index_of(pair), node, key, place);
	union tree_item item = take_from_order(order_of(pair), node, tree__place_label(place), reclaimer);
	put_in_order(order_of(pair), node, label, item, reclaimer);
	set_label(index_of(pair), place, label, reclaimer);
}

struct tree__order_cells tree__order_own(struct tree_map **link, struct tree__place *place,
					 struct tree_reclaimer *reclaimer)
{
	const struct schema_node *node = place->iter.node;
	struct tree_map *pair = tree__map_own_node(link, node, reclaimer);
	struct tree__place in_order;
	find_label(*order_of(pair), node, tree__place_label(place), &in_order);
	union tree_item *twin = tree__map_own(index_of(pair), &place->iter, reclaimer);
	return (struct tree__order_cells){tree__map_own(order_of(pair), &in_order.iter, reclaimer), twin};
}

union tree_item tree__order_remove(struct tree_map **link, struct tree__place *place,
				   struct tree_reclaimer *reclaimer)
{
	const struct schema_node *node = place->iter.node;
	struct tree_map *pair = tree__map_own_node(link, node, reclaimer);
	uint64_t label = tree__place_label(place);
	tree__map_remove(index_of(pair), &place->iter, reclaimer);
	union tree_item item = take_from_order(order_of(pair), node, label, reclaimer);
	pair->count--;
	if (pair->count == 0) {
		memory_free(pair);
		*link = NULL;
	}
	return item;
}

union tree_item *tree__sequence_append(struct tree_map **link, const struct schema_node *node,
				       union tree_item item, struct tree_reclaimer *reclaimer)
{
	uint64_t label = *link != NULL ? last_label(*link) + 1 : 1;
	return put_in_order(link, node, label, item, reclaimer);
}
