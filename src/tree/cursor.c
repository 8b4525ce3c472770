/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Cursors: the children of one position in document order. The explicit view steps through the record's
 * present children; the view with defaults steps through the schema's children and adds what is implicit
 * where nothing is stored. Lists and leaf-lists are walked by the map's iterator in between.
 *
 * Implicit are non-presence containers and defaults in use. Both hang below nodes that exist (the parent
 * position is one) and, inside a choice, only below a case in use (RFC 7950 7.6.1, 7.7.2, 7.9.3): a container
 * of a case that was not chosen would otherwise bring in that case's defaults.
 */
#include "tree/cursor.h"

#include "tree/internal.h"

static const union tree_slot *find_stored(const struct tree_position *parent, const struct schema_node *child)
{
	ASSERT(child->parent == parent->schema);
	return parent->record != NULL ? tree_record_find(parent->record, child) : NULL;
}

/* The case of that choice which the child is in, directly or deeper; NULL: none. */
static const struct schema_case *case_of(const struct schema_node *child, const struct schema_choice *choice)
{
	for (const struct schema_case *c = child->in_case; c != NULL; c = c->choice->outer) {
		if (c->choice == choice)
			return c;
	}
	return NULL;
}

/* Looks at what is stored rather than at what cases have: there are choices of hundreds of cases. */
bool tree_case_in_use(const struct tree_position *parent, const struct schema_case *c)
{
	const struct tree_record *record = parent->record;
	for (; c != NULL; c = c->choice->outer) {
		bool has_other = false;
		for (size_t i = 0; record != NULL && i < record->length; i++) {
			uint16_t slot = tree_record_indexes(record)[i];
			const struct schema_case *stored = case_of(parent->schema->children[slot], c->choice);
			if (stored == c)
				return true; /* what is stored here is in the outer cases, too */
			has_other = has_other || stored != NULL;
		}
		if (has_other || c->choice->default_case != c)
			return false;
	}
	return true;
}

static struct tree_position child_of(const struct tree_position *parent, const struct schema_node *child)
{
	return (struct tree_position){.parent = parent, .schema = child};
}

/* What is stored for a child that is no list or leaf-list. */
static struct tree_position stored_child(const struct tree_position *parent, const struct schema_node *child,
					 const union tree_slot *slot)
{
	struct tree_position position = child_of(parent, child);
	if (child->kind == SCHEMA_CONTAINER)
		position.record = slot->record;
	else if (child->kind == SCHEMA_LEAF)
		position.value = slot->value;
	else
		position.any = slot->any;
	return position;
}

static struct tree_position item_child(const struct tree_position *parent, const struct schema_node *child,
				       const union tree_item *item)
{
	struct tree_position position = child_of(parent, child);
	if (child->kind == SCHEMA_LIST)
		position.record = item->record;
	else
		position.value = item->value;
	return position;
}

static bool is_map(const struct schema_node *child)
{
	return child->kind == SCHEMA_LIST || child->kind == SCHEMA_LEAF_LIST;
}

/* How many implicit instances an absent child has. */
static size_t implicit_count(const struct tree_position *parent, const struct schema_node *child)
{
	bool is_implied =
		(child->kind == SCHEMA_CONTAINER && !child->presence) ||
		((child->kind == SCHEMA_LEAF || child->kind == SCHEMA_LEAF_LIST) && child->default_count > 0);
	if (!is_implied || !tree_case_in_use(parent, child->in_case))
		return 0;
	return child->kind == SCHEMA_LEAF_LIST ? child->default_count : 1;
}

static struct tree_position implicit_child(const struct tree_position *parent,
					   const struct schema_node *child, size_t index)
{
	struct tree_position position = child_of(parent, child);
	if (child->kind != SCHEMA_CONTAINER)
		position.value = child->defaults[index];
	position.implicit = true;
	return position;
}

void tree_cursor_init(struct tree_cursor *cursor, const struct schema *schema,
		      const struct tree_position *parent, enum tree_view view)
{
	cursor->schema = schema;
	cursor->parent = parent;
	cursor->view = view;
	cursor->slot = 0;
	cursor->end_slot = parent->schema->child_count;
	cursor->record_index = 0;
	cursor->default_index = 0;
	cursor->in_map = false;
	cursor->index = 0;
	cursor->iter.height = 0;
}

/* The first present child at or behind a slot. */
static uint16_t record_index_of(const struct tree_record *record, const struct schema_node *child)
{
	const uint16_t *indexes = tree_record_indexes(record);
	uint16_t low = 0, high = record->length;
	while (low < high) {
		uint16_t middle = (uint16_t)((low + high) / 2);
		if (indexes[middle] < child->slot)
			low = (uint16_t)(middle + 1);
		else
			high = middle;
	}
	return low;
}

void tree_cursor_init_child(struct tree_cursor *cursor, const struct schema *schema,
			    const struct tree_position *parent, const struct schema_node *child,
			    enum tree_view view)
{
	ASSERT(child->parent == parent->schema);
	tree_cursor_init(cursor, schema, parent, view);
	cursor->slot = child->slot;
	cursor->end_slot = (uint16_t)(child->slot + 1);
	if (parent->record != NULL)
		cursor->record_index = record_index_of(parent->record, child);
}

/* Of the child at cursor->slot, which is stored. */
static void take_stored(struct tree_cursor *cursor, struct tree_position *child)
{
	const struct schema_node *node = cursor->parent->schema->children[cursor->slot];
	const union tree_slot *slot = &cursor->parent->record->slots[cursor->record_index++];
	if (is_map(node)) {
		cursor->in_map = true; /* the slot is left when the map ends */
		*child = item_child(cursor->parent, node, tree_map_first(&cursor->iter, slot->map, node));
		child->index = cursor->index = 1;
		return;
	}
	*child = stored_child(cursor->parent, node, slot);
	cursor->slot++;
}

/* Of the child at cursor->slot, which is absent: its next implicit instance. False (and the slot is left)
 * where there is none. */
static bool take_implicit(struct tree_cursor *cursor, struct tree_position *child)
{
	const struct schema_node *node = cursor->parent->schema->children[cursor->slot];
	size_t count = 0;
	if (cursor->view == TREE_WITH_DEFAULTS)
		count = cursor->default_index > 0 ? node->default_count
						  : implicit_count(cursor->parent, node);
	if (cursor->default_index == count) {
		cursor->default_index = 0;
		cursor->slot++;
		return false;
	}
	*child = implicit_child(cursor->parent, node, cursor->default_index++);
	if (cursor->default_index == count) {
		cursor->default_index = 0;
		cursor->slot++;
	}
	return true;
}

static bool next_in_map(struct tree_cursor *cursor, struct tree_position *child)
{
	const union tree_item *item = tree_map_next(&cursor->iter);
	if (item == NULL) {
		cursor->in_map = false;
		cursor->slot++;
		return false;
	}
	*child = item_child(cursor->parent, cursor->parent->schema->children[cursor->slot], item);
	child->index = ++cursor->index;
	return true;
}

bool tree_cursor_next(struct tree_cursor *cursor, struct tree_position *child)
{
	if (cursor->in_map && next_in_map(cursor, child))
		return true;
	const struct tree_record *record = cursor->parent->record;
	while (cursor->slot < cursor->end_slot) {
		bool has_more = record != NULL && cursor->record_index < record->length;
		uint16_t present =
			has_more ? tree_record_indexes(record)[cursor->record_index] : cursor->end_slot;
		if (cursor->view == TREE_EXPLICIT)
			cursor->slot = present < cursor->end_slot ? present : cursor->end_slot;
		if (cursor->slot == cursor->end_slot)
			return false;
		if (cursor->slot == present) {
			take_stored(cursor, child);
			return true;
		}
		if (take_implicit(cursor, child))
			return true;
	}
	return false;
}

bool tree_position_find_entry(const struct tree_position *parent, const struct schema_node *list,
			      const struct value *keys, struct tree_position *entry)
{
	ASSERT(is_map(list));
	const union tree_slot *slot = find_stored(parent, list);
	const union tree_item *item = slot != NULL ? tree_map_find(slot->map, list, keys) : NULL;
	if (item == NULL)
		return false;
	*entry = item_child(parent, list, item);
	return true;
}

bool tree_position_find_child(const struct tree_position *parent, const struct schema_node *child,
			      enum tree_view view, struct tree_position *position)
{
	ASSERT(!is_map(child));
	const union tree_slot *slot = find_stored(parent, child);
	if (slot != NULL) {
		*position = stored_child(parent, child, slot);
		return true;
	}
	if (view == TREE_EXPLICIT || implicit_count(parent, child) == 0)
		return false;
	*position = implicit_child(parent, child, 0);
	return true;
}

uint64_t tree_position_count(const struct tree_position *parent, const struct schema_node *child)
{
	ASSERT(is_map(child));
	const union tree_slot *slot = find_stored(parent, child);
	return slot != NULL ? slot->map->count : 0;
}
