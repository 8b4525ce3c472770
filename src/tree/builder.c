/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The builder's position: a stack of frames from the root to where changes happen, and how frames become the
 * builder's own. On the way of a request: edit fills a builder from the client's tree, the codecs from a file
 * or the journal.
 *
 *     root frame <- container frame <- entry frame (top)
 *     [owned]       [owned]            [not yet: shared with the base]
 *
 * Invariant: the owned frames are the lower part of the stack. The first change at the top takes the others
 * in order, each by the slot or cell that the frame below it owns by then: kept if it is a single reference,
 * copied otherwise, made if it is not stored. Frames of absent containers thus cost nothing until something
 * is put below them. While a frame is open, nothing but it changes in the map that holds it, so the cell
 * stays where it is.
 */
#include "tree/builder.h"

#include <string.h>

#include "tree/builder_internal.h"

struct tree_builder *tree_builder_new_at(const struct schema *schema, const struct schema_node *top,
					 const struct tree_record *base, struct tree_reclaimer *reclaimer)
{
	struct tree_builder *builder = memory_zalloc(sizeof(*builder));
	builder->schema = schema;
	builder->root = tree_record_ref(base);
	builder->reclaimer = reclaimer;
	builder->bottom.position.schema = top;
	builder->bottom.position.record = builder->root;
	builder->top = &builder->bottom;
	return builder;
}

struct tree_builder *tree_builder_new(const struct schema *schema, const struct tree_record *base,
				      struct tree_reclaimer *reclaimer)
{
	return tree_builder_new_at(schema, schema->root, base, reclaimer);
}

static void free_builder(struct tree_builder *builder)
{
	for (struct tree__frame *frame = builder->bottom.down, *next; frame != NULL; frame = next) {
		next = frame->down;
		memory_free(frame);
	}
	memory_free(builder);
}

struct tree_record *tree_builder_finish(struct tree_builder *builder)
{
	while (builder->top->up != NULL)
		tree_builder_leave(builder);
	struct tree_record *root = builder->root;
	free_builder(builder);
	return root;
}

void tree_builder_abort(struct tree_builder *builder)
{
	tree_record_unref(builder->root, builder->bottom.position.schema, builder->reclaimer);
	free_builder(builder);
}

const struct tree_position *tree_builder_position(const struct tree_builder *builder)
{
	return &builder->top->position;
}

const union tree_slot *tree__builder_find(const struct tree_builder *builder, const struct schema_node *child)
{
	const struct tree_position *position = &builder->top->position;
	ASSERT(child->parent == position->schema);
	return position->record != NULL ? tree_record_find(position->record, child) : NULL;
}

/* The slot of an owned frame's record, to be changed. */
static union tree_slot *find_owned(struct tree__frame *frame, const struct schema_node *child)
{
	return (union tree_slot *)tree_record_find(frame->position.record, child);
}

/* `before`: the word of the record that it was. */
static void set_item(struct tree_builder *builder, struct tree__frame *frame, uint64_t before,
		     struct tree_record *record)
{
	frame->item->record = record;
	if (builder->last.word == before)
		builder->last.word = frame->item->word;
	if (frame->twin != NULL)
		frame->twin->record = record;
}

void tree__builder_moved(struct tree_builder *builder, struct tree__frame *frame, struct tree_record *record)
{
	if (frame->position.record == record)
		return;
	frame->position.record = record;
	frame->position.implicit = false;
	if (frame->up == NULL)
		builder->root = record;
	else if (frame->position.schema->kind == SCHEMA_LIST)
		set_item(builder, frame, frame->item->word, record);
	else
		find_owned(frame->up, frame->position.schema)->record = record;
}

/* The record behind *link as a single reference. */
static struct tree_record *own_record(struct tree_builder *builder, struct tree_record **link,
				      const struct schema_node *schema)
{
	struct tree_record *record = *link;
	if (tree__is_single(&record->refs))
		return record;
	*link = tree__record_dup(record, schema);
	tree_record_unref(record, schema, builder->reclaimer);
	return *link;
}

static void insert_child(struct tree_builder *builder, struct tree__frame *frame,
			 const struct schema_node *child, union tree_slot content)
{
	struct tree_record *record = (struct tree_record *)frame->position.record;
	tree__builder_moved(builder, frame, tree__record_insert(record, child, content));
}

/* The frame below it is owned. */
static void own_entry(struct tree_builder *builder, struct tree__frame *frame)
{
	const struct schema_node *list = frame->position.schema;
	union tree_slot *slot = find_owned(frame->up, list);
	if (slot->map->kind == TREE__PAIR) {
		struct tree__order_cells cells =
			tree__order_own(&slot->map, &frame->place, builder->reclaimer);
		frame->item = cells.item;
		frame->twin = cells.twin;
	} else {
		frame->item = tree__map_own(&slot->map, &frame->place.iter, builder->reclaimer);
	}
	uint64_t before = frame->item->word;
	frame->position.record = own_record(builder, &frame->item->record, list);
	set_item(builder, frame, before, frame->item->record);
}

/* The frame below it is owned. */
static void own_frame(struct tree_builder *builder, struct tree__frame *frame)
{
	const struct schema_node *schema = frame->position.schema;
	if (frame->up == NULL) {
		frame->position.record = own_record(builder, &builder->root, schema);
	} else if (schema->kind == SCHEMA_LIST) {
		own_entry(builder, frame);
	} else if (frame->position.record != NULL) {
		frame->position.record = own_record(builder, &find_owned(frame->up, schema)->record, schema);
	} else {
		union tree_slot made = {.record = tree__record_alloc(frame->expected)};
		insert_child(builder, frame->up, schema, made);
		frame->position.record = made.record;
		frame->position.implicit = false;
	}
	frame->owned = true;
}

void tree_builder_set_stamp(struct tree_builder *builder, uint32_t stamp)
{
	builder->stamp = stamp;
}

/* The frames are owned. Where one has the stamp, all above it have. */
static void stamp_frames(struct tree_builder *builder)
{
	for (struct tree__frame *frame = builder->top; frame != NULL; frame = frame->up) {
		if (tree_record_stamp_get(frame->position.record) == builder->stamp)
			return;
		tree_record_stamp_set(frame->position.record, builder->stamp);
	}
}

struct tree_record *tree__builder_own(struct tree_builder *builder)
{
	struct tree__frame *frame = builder->top;
	while (!frame->owned && frame->up != NULL)
		frame = frame->up;
	for (; frame != builder->top; frame = frame->down) {
		if (!frame->owned)
			own_frame(builder, frame);
	}
	if (!frame->owned)
		own_frame(builder, frame);
	if (builder->stamp != 0)
		stamp_frames(builder);
	return (struct tree_record *)frame->position.record;
}

void tree__builder_insert(struct tree_builder *builder, const struct schema_node *child,
			  union tree_slot content)
{
	insert_child(builder, builder->top, child, content);
}

void tree__builder_remove(struct tree_builder *builder, struct tree__frame *frame,
			  const struct schema_node *child)
{
	struct tree_record *record = (struct tree_record *)frame->position.record;
	tree__builder_moved(builder, frame, tree__record_remove(record, child));
	frame->shrunk = true;
	builder->last.word = 0; /* may be below the child */
}

/* How many children an instance that is entered may have. */
static uint16_t take_expected(struct tree_builder *builder, const struct schema_node *schema)
{
	uint16_t expected = builder->expected;
	builder->expected = 0;
	return expected < schema->child_count ? expected : schema->child_count;
}

/* A new top frame; `owned`, `made`, `shrunk` are false. */
static struct tree__frame *push_frame(struct tree_builder *builder, const struct schema_node *schema,
				      const struct tree_record *record)
{
	struct tree__frame *up = builder->top, *frame = up->down;
	if (frame == NULL) {
		frame = memory_alloc(sizeof(*frame));
		frame->down = NULL;
		up->down = frame;
	}
	frame->up = up;
	frame->owned = frame->made = frame->shrunk = false;
	frame->expected = take_expected(builder, schema);
	frame->item = frame->twin = NULL;
	frame->position = (struct tree_position){
		.parent = &up->position,
		.schema = schema,
		.record = record,
		.implicit = record == NULL,
	};
	builder->top = frame;
	return frame;
}

bool tree_builder_enter_existing(struct tree_builder *builder, const struct schema_node *container)
{
	ASSERT(container->kind == SCHEMA_CONTAINER);
	const union tree_slot *slot = tree__builder_find(builder, container);
	if (slot == NULL)
		return false;
	push_frame(builder, container, slot->record);
	return true;
}

void tree_builder_enter(struct tree_builder *builder, const struct schema_node *container)
{
	ASSERT(container->kind == SCHEMA_CONTAINER);
	const union tree_slot *slot = tree__builder_find(builder, container);
	push_frame(builder, container, slot != NULL ? slot->record : NULL);
}

void tree_builder_make(struct tree_builder *builder)
{
	if (builder->top->position.record == NULL)
		tree__builder_own(builder);
	builder->top->made = true;
}

void tree_builder_expect(struct tree_builder *builder, uint16_t children)
{
	builder->expected = children;
}

bool tree__builder_search(struct tree_builder *builder, const struct schema_node *node,
			  const struct tree__key *key, struct tree__place *place)
{
	const union tree_slot *slot = tree__builder_find(builder, node);
	if (slot == NULL) {
		place->iter.node = node;
		place->iter.height = 0;
		builder->appended = node;
		builder->last.word = 0;
		return false;
	}
	if (slot->map->kind == TREE__PAIR) {
		tree__map_search(slot->map->cells[TREE__INDEX_CELL].child, node, key, place);
		return place->exact;
	}
	if (builder->appended == node) {
		if (tree__map_search_end(slot->map, node, key, &builder->last, place))
			return false;
		builder->appended = NULL;
	}
	tree__map_search(slot->map, node, key, place);
	return place->exact;
}

/* Remembers the key of what is the last item now. */
static void keep_last(struct tree__last *last, const struct tree__key *key, union tree_item item)
{
	last->word = key->size <= TREE__KEY_LOCAL ? item.word : 0;
	if (last->word == 0)
		return;
	memcpy(last->key.local, key->data, key->size);
	last->key.data = last->key.local;
	last->key.size = key->size;
}

/* True where the item at the place, which an insertion left, is the last one of the map's right edge. */
static bool place_is_last(const struct tree__place *place)
{
	uint32_t leaf = place->iter.height - 1;
	return place->iter.path[leaf].index + 1u == place->iter.path[leaf].map->length;
}

struct tree__order_cells tree__builder_add_item(struct tree_builder *builder, struct tree__place *place,
						struct tree__key *key, union tree_item item,
						const struct tree_insert *insert)
{
	if (place->iter.node->kind == SCHEMA_LIST)
		tree_record_stamp_set(item.record, builder->stamp);
	return tree__builder_put_item(builder, place, key, item, insert);
}

struct tree__order_cells tree__builder_put_item(struct tree_builder *builder, struct tree__place *place,
						struct tree__key *key, union tree_item item,
						const struct tree_insert *insert)
{
	static const struct tree_insert last = {.where = TREE_LAST};
	const struct schema_node *node = place->iter.node;
	tree__builder_own(builder);
	union tree_slot *slot = find_owned(builder->top, node);
	struct tree_map *made = NULL, **link = slot != NULL ? &slot->map : &made;
	struct tree__order_cells cells = {NULL, NULL};
	if (tree_node_is_user_ordered(node)) {
		cells = tree__order_insert(link, place, key, item, insert != NULL ? insert : &last,
					   builder->reclaimer);
		builder->appended = NULL;
	} else {
		cells.item = tree__map_insert(link, place, key, item, builder->reclaimer);
		bool is_last = slot == NULL || place_is_last(place);
		builder->appended = is_last ? node : NULL;
		if (is_last)
			keep_last(&builder->last, key, item);
	}
	if (slot == NULL)
		tree__builder_insert(builder, node, (union tree_slot){.map = made});
	return cells;
}

union tree_item *tree__builder_append_item(struct tree_builder *builder, const struct schema_node *node,
					   union tree_item item)
{
	tree__builder_own(builder);
	if (node->kind == SCHEMA_LIST)
		tree_record_stamp_set(item.record, builder->stamp);
	union tree_slot *slot = find_owned(builder->top, node);
	struct tree_map *made = NULL, **link = slot != NULL ? &slot->map : &made;
	union tree_item *cell = tree__sequence_append(link, node, item, builder->reclaimer);
	if (slot == NULL)
		tree__builder_insert(builder, node, (union tree_slot){.map = made});
	return cell;
}

bool tree__builder_find_item(const struct tree_builder *builder, const struct schema_node *node,
			     const struct value *keys, struct tree__place *place)
{
	ASSERT(!tree_node_is_sequence(node));
	const union tree_slot *slot = tree__builder_find(builder, node);
	if (slot == NULL)
		return false;
	const struct tree_map *map = slot->map;
	if (map->kind == TREE__PAIR)
		map = map->cells[TREE__INDEX_CELL].child;
	struct tree__key key;
	tree__key_of_values(&key, node, keys);
	tree__map_search(map, node, &key, place);
	tree__key_fini(&key);
	return place->exact;
}

bool tree_builder_enter_existing_entry(struct tree_builder *builder, const struct schema_node *list,
				       const struct value *keys)
{
	ASSERT(list->kind == SCHEMA_LIST && list->key_count > 0);
	struct tree__place place;
	if (!tree__builder_find_item(builder, list, keys, &place))
		return false;
	push_frame(builder, list, tree__place_item(&place)->record)->place = place;
	return true;
}

struct tree_record *tree__builder_new_entry(const struct schema_node *list, const struct value *keys,
					    uint16_t expected)
{
	bool has_more = list->child_count > list->key_count;
	size_t room = list->key_count + (size_t)has_more;
	struct tree_record *record = tree__record_alloc(expected > room ? expected : room);
	for (size_t i = 0; i < list->key_count; i++) {
		union tree_slot content = {.value = value_ref(keys[i])};
		ASSERT(!value_is_none(keys[i]));
		record = tree__record_insert(record, list->children[i], content);
	}
	return record;
}

void tree_builder_enter_entry(struct tree_builder *builder, const struct schema_node *list,
			      const struct value *keys, bool *made)
{
	ASSERT(list->kind == SCHEMA_LIST && list->key_count > 0);
	struct tree__place place;
	struct tree__key key;
	tree__key_of_values(&key, list, keys);
	*made = !tree__builder_search(builder, list, &key, &place);
	if (*made) {
		uint16_t expected = take_expected(builder, list);
		union tree_item item = {.record = tree__builder_new_entry(list, keys, expected)};
		struct tree__order_cells cells = tree__builder_add_item(builder, &place, &key, item, NULL);
		struct tree__frame *frame = push_frame(builder, list, item.record);
		frame->owned = true;
		frame->item = cells.item;
		frame->twin = cells.twin;
	} else {
		push_frame(builder, list, tree__place_item(&place)->record)->place = place;
	}
	tree__key_fini(&key);
}

void tree_builder_append_entry(struct tree_builder *builder, const struct schema_node *list)
{
	ASSERT(list->kind == SCHEMA_LIST && tree_node_is_sequence(list));
	union tree_item item = {.record = tree_record_new()};
	union tree_item *cell = tree__builder_append_item(builder, list, item);
	struct tree__frame *frame = push_frame(builder, list, item.record);
	frame->owned = true;
	frame->item = cell;
}

void tree_builder_leave(struct tree_builder *builder)
{
	struct tree__frame *frame = builder->top;
	ASSERT(frame->up != NULL);
	if (frame->owned)
		tree__builder_moved(builder, frame,
				    tree__record_fit((struct tree_record *)frame->position.record));
	builder->top = frame->up;
	const struct schema_node *schema = frame->position.schema;
	const struct tree_record *record = frame->position.record;
	if (!frame->shrunk || frame->made || schema->kind != SCHEMA_CONTAINER || schema->presence ||
	    record->length > 0 || tree__record_annotations(record) != NULL)
		return;
	tree__builder_remove(builder, frame->up, schema);
	tree_record_unref(record, schema, builder->reclaimer);
}
