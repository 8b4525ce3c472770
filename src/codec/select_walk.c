/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The walk over a pinned root, in document order, that can stop after any node and go on later.
 *
 *     frame of the root -> frame of a container -> frame of a list entry -> ...      (top)
 *
 * A frame is an open node: its record, the next of the record's children, and, while a list or leaf-list is
 * being visited, the place in its map. In a view with defaults it steps through the children of the schema
 * instead, and where nothing is stored, through what is implicit.
 *
 * A node that is only to be written if something in it is, is not reported when its frame is pushed: the
 * frame is pending. The first node below that is written brings it: then all pending frames are reported from
 * the outermost to the top, entries with their keys, and then the node, which was held back.
 *
 * Invariants: frames are as many as the schema is deep, and do not move, since positions and iterators point
 * into them. The root is immutable, so nothing that a frame points to changes between calls. The pending
 * frames are those from walk->pending to the top.
 */
#include "codec/walk_frame.h"

#include "base/assert.h"
#include "base/memory.h"

struct walk_frame *codec__walk_frame_new(struct select_walk *walk)
{
	struct walk_frame *frame = memory_alloc(sizeof(*frame));
	frame->outer = walk->top;
	frame->inner = NULL;
	if (walk->top)
		walk->top->inner = frame;
	else
		walk->bottom = frame;
	return frame;
}

static struct walk_frame *push(struct select_walk *walk, const struct tree_position *position,
			       const void *state, bool whole)
{
	struct walk_frame *frame = codec__walk_push(walk, position->schema);
	frame->position = *position;
	frame->state = state;
	frame->whole = whole;
	return frame;
}

/* One step of reporting the pending frames. */
static enum walk_event step_opening(struct select_walk *walk, struct tree_position *position)
{
	struct walk_frame *frame = walk->pending;
	if (!frame->opened) {
		frame->opened = true;
		*position = frame->position;
		return WALK_OPEN;
	}
	const struct schema_node *schema = frame->position.schema;
	if (frame->report == REPORT_IF_FILLED_WITH_KEYS && frame->keys < schema->key_count) {
		uint16_t key = frame->keys++;
		*position = (struct tree_position){.parent = &frame->position,
						   .schema = schema->children[key],
						   .value = frame->position.record->slots[key].value};
		return WALK_NODE;
	}
	frame->report = REPORT_DONE;
	walk->pending = frame == walk->top ? NULL : frame->inner;
	if (walk->pending)
		return WALK_NOTHING;
	walk->opening = false;
	if (!walk->holding)
		return WALK_NOTHING;
	walk->holding = false;
	*position = walk->held;
	return WALK_NODE;
}

/* A node is written, after those around it. */
static enum walk_event report_node(struct select_walk *walk, struct tree_position *position)
{
	if (!walk->pending)
		return WALK_NODE;
	walk->held = *position;
	walk->holding = true;
	walk->opening = true;
	return step_opening(walk, position);
}

/* The top frame is reported, now or later. */
static enum walk_event report_frame(struct select_walk *walk, enum walk_report report,
				    struct tree_position *position)
{
	if (report == REPORT_DONE && !walk->pending)
		return WALK_OPEN;
	struct walk_frame *frame = walk->top;
	frame->report = report;
	if (!walk->pending)
		walk->pending = frame;
	if (report != REPORT_DONE)
		return WALK_NOTHING;
	walk->opening = true;
	return step_opening(walk, position);
}

static bool has_keys(const struct schema_node *schema)
{
	return schema->kind == SCHEMA_LIST && schema->key_count > 0;
}

static enum walk_report report_of(const struct select_walk *walk, const struct tree_position *position,
				  enum codec_select select)
{
	if (select == CODEC_TRY)
		return has_keys(position->schema) ? REPORT_IF_FILLED_WITH_KEYS : REPORT_IF_FILLED;
	if (!walk->view)
		return REPORT_DONE;
	if (codec_view_shows_as_frame(walk->view, position))
		return has_keys(position->schema) ? REPORT_IF_FILLED_WITH_KEYS : REPORT_IF_FILLED;
	if (walk->view->defaults == CODEC_EXPLICIT)
		return REPORT_DONE;
	bool trims = walk->view->defaults == CODEC_TRIM && !position->schema->presence;
	if (position->schema->kind == SCHEMA_CONTAINER && (position->implicit || trims))
		return REPORT_IF_FILLED;
	return REPORT_AS_NODE;
}

/* The levels that may be written below a child of the top frame. */
static unsigned levels_below(const struct select_walk *walk)
{
	const struct walk_frame *frame = walk->top;
	if (frame->whole)
		return frame->levels == UINT_MAX ? UINT_MAX : frame->levels - 1;
	return walk->view && walk->view->max_depth > 0 ? walk->view->max_depth - 1 : UINT_MAX;
}

static enum walk_event enter(struct select_walk *walk, struct tree_position *position,
			     enum codec_select select, const void *state)
{
	bool whole = select == CODEC_WHOLE;
	unsigned levels = whole ? levels_below(walk) : UINT_MAX;
	enum walk_report report = report_of(walk, position, select);
	if (codec_view_prunes(walk->view, position)) {
		if (!has_keys(position->schema))
			return report_node(walk, position);
		report = REPORT_DONE;
		levels = 0;
	}
	if (levels == 0 && !has_keys(position->schema))
		return report == REPORT_IF_FILLED ? WALK_NOTHING : report_node(walk, position);
	struct walk_frame *frame = push(walk, position, state, whole);
	frame->levels = levels;
	if (levels == 0)
		frame->end_slot = position->schema->key_count;
	if (report == REPORT_IF_FILLED_WITH_KEYS)
		frame->next = frame->slot = position->schema->key_count;
	return report_frame(walk, report, position);
}

/* An instance, if it is selected. */
static inline enum walk_event visit(struct select_walk *walk, struct tree_position *position)
{
	const struct walk_frame *frame = walk->top;
	const void *state = NULL;
	enum codec_select select = CODEC_WHOLE;
	if (walk->view && !codec_view_shows(walk->view, position))
		return WALK_NOTHING;
	if (!frame->whole) {
		select = walk->selector->judge(walk->selector, frame->state, position, &state);
		if (select == CODEC_SKIP)
			return WALK_NOTHING;
	}
	enum schema_kind kind = position->schema->kind;
	if ((kind == SCHEMA_ANYDATA || kind == SCHEMA_ANYXML) && select == CODEC_ENTER &&
	    walk->selector->content != NULL)
		position->any = walk->selector->content(walk->selector);
	if (kind != SCHEMA_CONTAINER && kind != SCHEMA_LIST)
		return report_node(walk, position);
	if (position->record && position->record->length == 0 && codec_view_tree(walk->view) == TREE_EXPLICIT)
		return report_of(walk, position, select) == REPORT_IF_FILLED ? WALK_NOTHING
									     : report_node(walk, position);
	return enter(walk, position, select, state);
}

static void begin_list(struct select_walk *walk, struct walk_frame *frame, const struct schema_node *list,
		       const struct tree_map *map)
{
	const struct codec_selector *selector = walk->selector;
	const struct value *keys;
	if (walk->view && walk->view->defaults == CODEC_TRIM && list->kind == SCHEMA_LEAF_LIST &&
	    codec_view_is_default(list, map))
		return;
	frame->list = list;
	frame->map = map;
	frame->entry_index = 0;
	frame->entry_count = 0;
	frame->index = 0;
	frame->run = 0;
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
	frame->run = 0;
	frame->index++;
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
	*position = (struct tree_position){.parent = &frame->position,
					   .schema = frame->list,
					   .index = frame->entry_count > 0 ? 0 : frame->index};
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

/* What is implicit of the child at `slot`, which is not stored. */
static void begin_implicit(struct select_walk *walk, struct walk_frame *frame, uint16_t slot)
{
	const struct codec_selector *selector = walk->selector;
	const struct schema_node *child = frame->position.schema->children[slot];
	bool has_default =
		child->default_count > 0 && (child->kind == SCHEMA_LEAF || child->kind == SCHEMA_LEAF_LIST);
	bool has_inner = child->kind == SCHEMA_CONTAINER && !child->presence && child->implicit_below;
	if (!child->config || (!has_default && !has_inner))
		return;
	if (!frame->whole && selector->wants && !selector->wants(selector, frame->state, child))
		return;
	tree_cursor_init_child(&frame->implicit, walk->schema, &frame->position, child, TREE_WITH_DEFAULTS);
	frame->in_implicit = true;
}

static enum walk_event step_implicit(struct select_walk *walk, struct walk_frame *frame,
				     struct tree_position *position)
{
	if (tree_cursor_next(&frame->implicit, position))
		return visit(walk, position);
	frame->in_implicit = false;
	return WALK_NOTHING;
}

static bool has_stored_child(const struct walk_frame *frame)
{
	const struct tree_record *record = frame->position.record;
	return record && frame->next < record->length &&
	       tree_record_indexes(record)[frame->next] < frame->end_slot;
}

/* In a view with defaults. */
static enum walk_event step_slot(struct select_walk *walk, struct walk_frame *frame,
				 struct tree_position *position)
{
	uint16_t slot = frame->slot++;
	if (has_stored_child(frame) && tree_record_indexes(frame->position.record)[frame->next] == slot)
		return step_child(walk, frame, position);
	begin_implicit(walk, frame, slot);
	return WALK_NOTHING;
}

/* The end of the top frame. */
static enum walk_event leave(struct select_walk *walk, struct tree_position *position)
{
	struct walk_frame *frame = walk->top;
	*position = frame->position;
	walk->top = frame->outer;
	if (frame->report == REPORT_DONE)
		return frame->outer ? WALK_CLOSE : WALK_END;
	if (walk->pending == frame)
		walk->pending = NULL;
	return frame->report == REPORT_AS_NODE ? report_node(walk, position) : WALK_NOTHING;
}

void codec__walk_init_at(struct select_walk *walk, const struct schema *schema,
			 const struct tree_position *top, const struct codec_selector *selector)
{
	*walk = (struct select_walk){.schema = schema, .selector = selector};
	push(walk, top, selector ? selector->root_state : NULL, selector == NULL);
}

void codec__walk_init(struct select_walk *walk, const struct schema *schema, const struct tree_record *root,
		      const struct codec_selector *selector)
{
	struct tree_position position = tree_position_root(schema, root);
	codec__walk_init_at(walk, schema, &position, selector);
}

void codec__walk_init_part(struct select_walk *walk, const struct schema *schema,
			   const struct codec_part *part)
{
	*walk = (struct select_walk){.schema = schema, .selector = part->selector};
	struct walk_frame *frame = push(walk, part->position->parent, part->parent_state, part->whole);
	/* Nothing else of the parent. */
	frame->slot = frame->end_slot = 0;
	walk->begins_within = true;
	walk->first = *part->position;
	walk->first.parent = &frame->position;
}

void codec__walk_set_view(struct select_walk *walk, const struct codec_view *view)
{
	walk->view = view;
	if (view->max_depth > 0)
		walk->bottom->levels = view->max_depth;
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
	if (walk->opening)
		return step_opening(walk, position);
	if (!frame)
		return WALK_END;
	if (walk->begins_within) {
		walk->begins_within = false;
		*position = walk->first;
		return visit(walk, position);
	}
	if (frame->list)
		return step_list(walk, frame, position);
	if (frame->in_implicit)
		return step_implicit(walk, frame, position);
	if (codec_view_tree(walk->view) == TREE_EXPLICIT ? has_stored_child(frame)
							 : frame->slot < frame->end_slot)
		return codec_view_tree(walk->view) == TREE_EXPLICIT ? step_child(walk, frame, position)
								    : step_slot(walk, frame, position);
	return leave(walk, position);
}
