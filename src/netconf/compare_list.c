/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lists and leaf-lists of two frames.
 *
 *   both sides present what they share alike    LIST_PAIR: only what the maps do not share, by key. Where
 *                                               users gave the order, LIST_ORDER is before it: what was
 *                                               deleted, inserted and moved, as few moves as explain it
 *   else                                        LIST_GONE, then LIST_NEXT: all items that can be selected,
 *                                               each looked up in the other side
 *
 * The second way also takes a list whose order differs in more than ORDER_MAX places, since the first one
 * holds these in memory and finds the moves at once. Its moves are not the fewest: an item stays where it is
 * if it comes, in the old order, behind all that stayed so far.
 *
 * What follows the order of the target is applied in this order too, so that in front of the item that is
 * inserted or moved everything is as in the target.
 */
#include "base/assert.h"
#include "base/memory.h"
#include "netconf/compare_internal.h"

#define ORDER_MAX 4096 /* items that differ */

/* ---- items ---- */

static const struct compare_found *parent_of(const struct compare_frame *frame, unsigned side)
{
	return &frame->sides[side];
}

static const union tree_slot *find_stored(const struct compare_found *parent, const struct schema_node *node)
{
	const struct tree_record *record = parent->position.record;
	return record != NULL ? tree_record_find(record, node) : NULL;
}

/* Begins with the first item. */
static void rewind_items(struct netconf_compare *compare, struct compare_frame *frame, unsigned side)
{
	struct compare_items *items = &frame->list.items[side];
	items->known = 0;
	items->index = 0;
	if (items->implicit)
		tree_cursor_init_child(&items->cursor, compare->input.schema, &frame->sides[side].position,
				       frame->list.node, TREE_WITH_DEFAULTS);
	else if (items->map != NULL && items->known_count == 0)
		items->item = tree_map_first(&items->iter, items->map, frame->list.node);
}

static void init_items(struct netconf_compare *compare, struct compare_frame *frame, unsigned side)
{
	const struct schema_node *node = frame->list.node;
	const struct compare_found *parent = parent_of(frame, side);
	const struct netconf_filter *filter = compare->input.filters[side];
	struct compare_items *items = &frame->list.items[side];
	*items = (struct compare_items){.map = NULL};
	const struct codec_selector *selector =
		parent->whole || parent->follows ? NULL : netconf__filter_selector(filter);
	if (selector != NULL && selector->wants != NULL && !selector->wants(selector, parent->state, node))
		return;
	const union tree_slot *slot = find_stored(parent, node);
	items->map = slot != NULL ? slot->map : NULL;
	items->implicit = slot == NULL && node->config && node->default_count > 0 &&
			  node->kind == SCHEMA_LEAF_LIST &&
			  codec_view_tree(&compare->input.views[side]) == TREE_WITH_DEFAULTS;
	const struct value *keys;
	if (selector != NULL && selector->entries != NULL && items->map != NULL)
		items->known_count = selector->entries(selector, parent->state, node, 0, &keys);
}

static void set_item(const struct compare_frame *frame, unsigned side, const union tree_item *item,
		     struct tree_position *position)
{
	*position =
		(struct tree_position){.parent = &frame->sides[side].position, .schema = frame->list.node};
	if (frame->list.node->kind == SCHEMA_LIST)
		position->record = item->record;
	else
		position->value = item->value;
}

static const union tree_item *next_known(struct netconf_compare *compare, const struct compare_frame *frame,
					 unsigned side, struct compare_items *items)
{
	const struct codec_selector *selector = netconf__filter_selector(compare->input.filters[side]);
	const union tree_item *item = NULL;
	while (item == NULL && items->known < items->known_count) {
		const struct value *keys = NULL;
		selector->entries(selector, frame->sides[side].state, frame->list.node, items->known++,
				  &keys);
		item = tree_map_find(items->map, frame->list.node, keys);
	}
	return item;
}

/* The next item of a side, presented or not; false at the end. */
static bool next_item(struct netconf_compare *compare, struct compare_frame *frame, unsigned side,
		      struct tree_position *position)
{
	struct compare_items *items = &frame->list.items[side];
	if (items->implicit)
		return tree_cursor_next(&items->cursor, position);
	if (items->map == NULL)
		return false;
	const union tree_item *item = items->item;
	if (items->known_count > 0)
		item = next_known(compare, frame, side, items);
	else if (item != NULL)
		items->item = tree_map_next(&items->iter);
	if (item == NULL)
		return false;
	set_item(frame, side, item, position);
	position->index = items->known_count > 0 ? 0 : ++items->index;
	return true;
}

/* The keys of an entry, or the value: what an item is found by. */
static const struct value *keys_of(const struct tree_position *item)
{
	return item->schema->kind == SCHEMA_LIST ? &item->record->slots[0].value : &item->value;
}

/* The same item in the other side. */
static void find_item(struct netconf_compare *compare, struct compare_frame *frame, unsigned side,
		      const struct tree_position *like, struct compare_found *found)
{
	const struct schema_node *node = frame->list.node;
	const struct compare_items *items = &frame->list.items[side];
	bool has_item = false;
	*found = (struct compare_found){.there = false};
	if (items->implicit) {
		struct tree_cursor cursor;
		tree_cursor_init_child(&cursor, compare->input.schema, &frame->sides[side].position, node,
				       TREE_WITH_DEFAULTS);
		while (!has_item && tree_cursor_next(&cursor, &found->position))
			has_item = value_equal(found->position.value, like->value);
	} else if (items->map != NULL && !tree_node_is_sequence(node)) {
		const union tree_item *item = tree_map_find(items->map, node, keys_of(like));
		has_item = item != NULL;
		if (has_item)
			set_item(frame, side, item, &found->position);
	}
	if (has_item)
		compare__judge(compare, frame, side, found);
}

/* ---- one way: what the maps do not share ---- */

static void begin_pair(struct compare_frame *frame)
{
	struct compare_list *list = &frame->list;
	list->pair = tree_pair_new(list->node, list->items[COMPARE_OLD].map, list->items[COMPARE_NEW].map);
	list->phase = LIST_PAIR;
}

static void judge_item(struct netconf_compare *compare, struct compare_frame *frame, unsigned side,
		       const union tree_item *item, struct compare_found *found)
{
	*found = (struct compare_found){.there = false};
	if (item == NULL)
		return;
	set_item(frame, side, item, &found->position);
	compare__judge(compare, frame, side, found);
}

static void step_pair(struct netconf_compare *compare, struct compare_frame *frame)
{
	struct compare_list *list = &frame->list;
	const union tree_item *in_old, *in_new;
	size_t before = tree_pair_visited(list->pair);
	bool more = tree_pair_next(list->pair, &in_old, &in_new);
	compare->visited += tree_pair_visited(list->pair) - before;
	if (!more) {
		compare__list_fini(list);
		return;
	}
	/* Of an order these were changes of it. */
	if (list->ordered && (in_old == NULL || in_new == NULL || in_old->word == in_new->word))
		return;
	struct compare_found found[COMPARE_SIDES];
	judge_item(compare, frame, COMPARE_OLD, in_old, &found[COMPARE_OLD]);
	judge_item(compare, frame, COMPARE_NEW, in_new, &found[COMPARE_NEW]);
	compare__settle(found);
	compare__pair(compare, found);
}

/* False where the order differs in too many places. Needs that all items are presented. */
static bool begin_order(struct netconf_compare *compare, struct compare_frame *frame)
{
	struct compare_list *list = &frame->list;
	struct tree_change_set changes;
	list->arena = arena_new();
	bool fits = tree_diff_order(list->node, list->items[COMPARE_OLD].map, list->items[COMPARE_NEW].map,
				    ORDER_MAX, list->arena, &changes);
	compare->visited += changes.visited;
	if (!fits) {
		arena_free(list->arena);
		list->arena = NULL;
		return false;
	}
	list->change = changes.root != NULL ? changes.root->children : NULL;
	list->phase = LIST_ORDER;
	return true;
}

static void step_order(struct netconf_compare *compare, struct compare_frame *frame)
{
	struct compare_list *list = &frame->list;
	const struct tree_change *change = list->change;
	if (change == NULL) {
		arena_free(list->arena);
		list->arena = NULL;
		begin_pair(frame);
		return;
	}
	list->change = change->next;
	struct compare_found found[COMPARE_SIDES];
	union tree_item old_item = {.word = change->old_content.word},
			new_item = {.word = change->new_content.word};
	judge_item(compare, frame, COMPARE_OLD, change->has_old ? &old_item : NULL, &found[COMPARE_OLD]);
	judge_item(compare, frame, COMPARE_NEW, change->has_new ? &new_item : NULL, &found[COMPARE_NEW]);
	if (!change->has_new) {
		compare__pair(compare, found);
		return;
	}
	struct tree_position point;
	if (change->predecessor != NULL)
		set_item(frame, COMPARE_NEW, change->predecessor, &point);
	compare__edit_begin(compare, change->has_old ? EDIT_MOVES : EDIT_INSERTS, found,
			    change->predecessor != NULL ? &point : NULL);
}

/* ---- the other way: all items ---- */

static void begin_next(struct netconf_compare *compare, struct compare_frame *frame)
{
	frame->list.phase = LIST_NEXT;
	rewind_items(compare, frame, COMPARE_NEW);
}

static void step_gone(struct netconf_compare *compare, struct compare_frame *frame)
{
	struct compare_found found[COMPARE_SIDES] = {0};
	if (frame->sides[COMPARE_OLD].follows ||
	    !next_item(compare, frame, COMPARE_OLD, &found[COMPARE_OLD].position)) {
		begin_next(compare, frame);
		return;
	}
	compare__judge(compare, frame, COMPARE_OLD, &found[COMPARE_OLD]);
	if (!found[COMPARE_OLD].there)
		return;
	find_item(compare, frame, COMPARE_NEW, &found[COMPARE_OLD].position, &found[COMPARE_NEW]);
	if (found[COMPARE_NEW].there)
		return; /* comes with the other items of the new side */
	compare__settle(found);
	compare__pair(compare, found);
}

/* How many items are before this one of the old side. */
static uint64_t old_rank(const struct compare_frame *frame, const struct tree_position *item)
{
	const struct compare_items *items = &frame->list.items[COMPARE_OLD];
	uint64_t rank = 0;
	if (!items->implicit)
		return tree_map_rank(items->map, item->schema, keys_of(item));
	while (rank < item->schema->default_count && !value_equal(item->schema->defaults[rank], item->value))
		rank++;
	return rank;
}

/* Whether an item in both stays where it is. */
static bool stays(struct compare_frame *frame, const struct compare_found *old_item)
{
	struct compare_list *list = &frame->list;
	if (!list->ordered || old_item->follows ||
	    list->items[COMPARE_OLD].map == list->items[COMPARE_NEW].map)
		return true;
	uint64_t rank = old_rank(frame, &old_item->position);
	if (rank < list->kept)
		return false;
	list->kept = rank + 1;
	return true;
}

static void step_next(struct netconf_compare *compare, struct compare_frame *frame)
{
	struct compare_list *list = &frame->list;
	struct compare_found found[COMPARE_SIDES] = {0};
	if (list->holding) {
		list->holding = false;
		compare__pair(compare, list->held);
		return;
	}
	if (frame->sides[COMPARE_NEW].follows ||
	    !next_item(compare, frame, COMPARE_NEW, &found[COMPARE_NEW].position)) {
		compare__list_fini(list);
		return;
	}
	compare__judge(compare, frame, COMPARE_NEW, &found[COMPARE_NEW]);
	if (!found[COMPARE_NEW].there)
		return;
	find_item(compare, frame, COMPARE_OLD, &found[COMPARE_NEW].position, &found[COMPARE_OLD]);
	compare__settle(found);
	list->earlier = list->last;
	list->has_earlier = list->has_last;
	list->last = found[COMPARE_NEW].position;
	list->has_last = true;
	const struct tree_position *point = list->has_earlier ? &list->earlier : NULL;
	if (!found[COMPARE_OLD].there && list->ordered) {
		compare__edit_begin(compare, EDIT_INSERTS, found, point);
	} else if (!found[COMPARE_OLD].there || stays(frame, &found[COMPARE_OLD])) {
		compare__pair(compare, found);
	} else {
		list->holding = true;
		list->held[COMPARE_OLD] = found[COMPARE_OLD];
		list->held[COMPARE_NEW] = found[COMPARE_NEW];
		compare__edit_begin(compare, EDIT_MOVES, found, point);
	}
}

/* ---- both ---- */

/* What the maps share need not be looked at. */
static bool may_skip(const struct netconf_compare *compare, const struct compare_frame *frame)
{
	const struct compare_items *a = &frame->list.items[COMPARE_OLD], *b = &frame->list.items[COMPARE_NEW];
	return compare__is_alike(compare, &frame->sides[COMPARE_OLD], &frame->sides[COMPARE_NEW]) &&
	       !a->implicit && !b->implicit && !compare__shows_more(compare, frame->list.node);
}

static void begin_all(struct netconf_compare *compare, struct compare_frame *frame)
{
	frame->list.phase = LIST_GONE;
	rewind_items(compare, frame, COMPARE_OLD);
}

void compare__list_begin(struct netconf_compare *compare, struct compare_frame *frame,
			 const struct schema_node *node)
{
	struct compare_list *list = &frame->list;
	*list = (struct compare_list){.node = node, .ordered = tree_node_is_user_ordered(node)};
	init_items(compare, frame, COMPARE_OLD);
	init_items(compare, frame, COMPARE_NEW);
	const struct compare_items *a = &list->items[COMPARE_OLD], *b = &list->items[COMPARE_NEW];
	bool empty = a->map == NULL && b->map == NULL && !a->implicit && !b->implicit;
	bool skips = may_skip(compare, frame), is_sequence = tree_node_is_sequence(node);
	if (empty || (a->map == b->map && skips) || (is_sequence && a->map != NULL && b->map != NULL)) {
		list->node = NULL;
		return;
	}
	bool whole = frame->sides[COMPARE_OLD].whole && frame->sides[COMPARE_NEW].whole;
	if (!skips || is_sequence || a->known_count > 0 || b->known_count > 0)
		begin_all(compare, frame);
	else if (!list->ordered)
		begin_pair(frame);
	else if (!whole || !begin_order(compare, frame))
		begin_all(compare, frame);
}

void compare__list_step(struct netconf_compare *compare, struct compare_frame *frame)
{
	switch (frame->list.phase) {
	case LIST_ORDER:
		step_order(compare, frame);
		return;
	case LIST_PAIR:
		step_pair(compare, frame);
		return;
	case LIST_GONE:
		step_gone(compare, frame);
		return;
	case LIST_NEXT:
		step_next(compare, frame);
		return;
	}
}

void compare__list_fini(struct compare_list *list)
{
	tree_pair_free(list->pair);
	list->pair = NULL;
	arena_free(list->arena);
	list->arena = NULL;
	list->node = NULL;
}
