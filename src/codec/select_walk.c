/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The walk over a pinned root, in document order, that can stop after any node and go on later.
 *
 *     frame of the root -> frame of a container -> frame of a list entry -> ...      (top)
 *
 * A frame is an open node: its record, the next of the record's children, and, while a list or leaf-list is
 * being visited, the place in its map.
 *
 * Invariants: frames are as many as the schema is deep, and do not move, since positions and iterators point
 * into them. The root is immutable, so nothing that a frame points to changes between calls.
 */
#include "codec/select_walk.h"

#include "base/assert.h"
#include "base/memory.h"

struct walk_frame {
	struct walk_frame *outer; /* NULL: the root's */
	struct walk_frame *inner; /* left from before, to be used again */
	struct tree_position position;
	const void *state; /* the selector's, unless `whole` */
	bool whole;
	uint16_t next;			/* index of the next child in the record */
	const struct schema_node *list; /* list or leaf-list that is being visited; NULL: none */
	const struct tree_map *map;
	const union tree_item *item;	 /* the next one of all; NULL: the end */
	struct tree_map_iter iter;	 /* at `item` */
	size_t entry_index, entry_count; /* where only known ones can be selected; entry_count 0: all */
};

static void push(struct select_walk *walk, const struct tree_position *position, const void *state,
		 bool whole)
{
	struct walk_frame *outer = walk->top;
	struct walk_frame *frame = outer ? outer->inner : walk->bottom;
	if (!frame) {
		frame = memory_alloc(sizeof(*frame));
		frame->outer = outer;
		frame->inner = NULL;
		if (outer)
			outer->inner = frame;
		else
			walk->bottom = frame;
	}
	frame->position = *position;
	frame->state = state;
	frame->whole = whole;
	frame->next = 0;
	frame->list = NULL;
	walk->top = frame;
}

/* An instance, if it is selected. */
static inline enum walk_event visit(struct select_walk *walk, const struct tree_position *position)
{
	const struct walk_frame *frame = walk->top;
	const void *state = NULL;
	bool whole = frame->whole;
	if (!whole) {
		enum codec_select select =
			walk->selector->judge(walk->selector, frame->state, position, &state);
		if (select == CODEC_SKIP)
			return WALK_NOTHING;
		whole = select == CODEC_WHOLE;
	}
	enum schema_kind kind = position->schema->kind;
	if ((kind != SCHEMA_CONTAINER && kind != SCHEMA_LIST) || position->record->length == 0)
		return WALK_NODE;
	push(walk, position, state, whole);
	return WALK_OPEN;
}

static void begin_list(struct select_walk *walk, struct walk_frame *frame, const struct schema_node *list,
		       const struct tree_map *map)
{
	const struct codec_selector *selector = walk->selector;
	const struct value *keys;
	frame->list = list;
	frame->map = map;
	frame->entry_index = 0;
	frame->entry_count = 0;
	if (!frame->whole && selector->entries)
		frame->entry_count = selector->entries(selector, frame->state, list, 0, &keys);
	if (frame->entry_count == 0)
		frame->item = tree_map_first(&frame->iter, map, list);
}

static const union tree_item *next_known_entry(struct select_walk *walk, struct walk_frame *frame)
{
	const struct codec_selector *selector = walk->selector;
	const struct value *keys = NULL;
	selector->entries(selector, frame->state, frame->list, frame->entry_index++, &keys);
	return tree_map_find(frame->map, frame->list, keys);
}

/* The next item of the list; NULL where it does not exist, or with `frame->list` NULL at the end. */
static const union tree_item *next_item(struct select_walk *walk, struct walk_frame *frame)
{
	if (frame->entry_count > 0) {
		if (frame->entry_index < frame->entry_count)
			return next_known_entry(walk, frame);
		frame->list = NULL;
		return NULL;
	}
	const union tree_item *item = frame->item;
	frame->item = item ? tree_map_next(&frame->iter) : NULL;
	if (!item)
		frame->list = NULL;
	return item;
}

/* One entry of the list, or its end. */
static enum walk_event step_list(struct select_walk *walk, struct walk_frame *frame,
				 struct tree_position *position)
{
	const union tree_item *item = next_item(walk, frame);
	if (!item)
		return WALK_NOTHING;
	*position = (struct tree_position){.parent = &frame->position, .schema = frame->list};
	if (frame->list->kind == SCHEMA_LIST)
		position->record = item->record;
	else
		position->value = item->value;
	return visit(walk, position);
}

static enum walk_event step_child(struct select_walk *walk, struct walk_frame *frame,
				  struct tree_position *position)
{
	const struct tree_record *record = frame->position.record;
	uint16_t index = frame->next++;
	const struct schema_node *child =
		frame->position.schema->children[tree_record_indexes(record)[index]];
	const union tree_slot *slot = &record->slots[index];
	const struct codec_selector *selector = walk->selector;
	if (!frame->whole && selector->wants && !selector->wants(selector, frame->state, child))
		return WALK_NOTHING;
	*position = (struct tree_position){.parent = &frame->position, .schema = child};
	switch (child->kind) {
	case SCHEMA_LIST:
	case SCHEMA_LEAF_LIST:
		begin_list(walk, frame, child, slot->map);
		return WALK_NOTHING;
	case SCHEMA_LEAF:
		position->value = slot->value;
		break;
	case SCHEMA_ANYDATA:
	case SCHEMA_ANYXML:
		position->any = slot->any;
		break;
	case SCHEMA_CONTAINER:
	case SCHEMA_ROOT:
	case SCHEMA_RPC:
	case SCHEMA_ACTION:
	case SCHEMA_OUTPUT:
	case SCHEMA_NOTIFICATION:
		position->record = slot->record;
		break;
	}
	return visit(walk, position);
}

void codec__walk_init(struct select_walk *walk, const struct schema *schema, const struct tree_record *root,
		      const struct codec_selector *selector)
{
	*walk = (struct select_walk){.selector = selector};
	struct tree_position position = tree_position_root(schema, root);
	push(walk, &position, selector ? selector->root_state : NULL, selector == NULL);
}

void codec__walk_fini(struct select_walk *walk)
{
	struct walk_frame *inner;
	for (struct walk_frame *frame = walk->bottom; frame; frame = inner) {
		inner = frame->inner;
		memory_free(frame);
	}
}

enum walk_event codec__walk_next(struct select_walk *walk, struct tree_position *position)
{
	struct walk_frame *frame = walk->top;
	if (!frame)
		return WALK_END;
	if (frame->list)
		return step_list(walk, frame, position);
	if (frame->next < frame->position.record->length)
		return step_child(walk, frame, position);
	*position = frame->position;
	walk->top = frame->outer;
	return frame->outer ? WALK_CLOSE : WALK_END;
}
