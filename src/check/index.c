/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Keeping the value indexes, and reading them. A check walks its change set for the indexes before it judges
 * anything: each leaf of an index that came, went or changed names the tuples that it is in, in the old tree
 * and in the new one; the old ones go at once, the new ones are gathered and come after the walk, in order.
 * Naming a tuple more than once (two of its leafs changed) does no harm, since a tuple belongs to one
 * instance: what is there is not added again. An index that was empty is known to be without two tuples of
 * the same values, or not, as soon as it is built: then no unique statement needs to look.
 *
 * The builder makes the new indexes from the old ones, so they share all else, and a check that refuses drops
 * what it made.
 */
#include "check/index.h"

#include <string.h>

#include "base/assert.h"
#include "base/memory.h"
#include "schema/type.h"
#include "check/split.h"

/* ---- Versions. ---- */

struct check_index *check_index_ref(const struct check_index *index)
{
	struct check_index *own = (struct check_index *)index;
	if (own)
		atomic_fetch_add_explicit(&own->refs, 1, memory_order_relaxed);
	return own;
}

void check_index_unref(const struct check_index *index, struct tree_reclaimer *reclaimer)
{
	struct check_index *own = (struct check_index *)index;
	if (!own || atomic_fetch_sub_explicit(&own->refs, 1, memory_order_acq_rel) != 1)
		return;
	tree_record_unref(own->root, own->plan->index_schema->root, reclaimer);
	memory_free(own);
}

bool check_index_equal(const struct check_index *a, const struct check_index *b)
{
	if (!a || !b)
		return a == b;
	return a->plan == b->plan && tree_record_equal(a->plan->index_schema->root, a->root, b->root);
}

uint64_t check_index_count(const struct check_index *index)
{
	uint64_t count = 0;
	for (uint16_t i = 0; index && i < index->root->length; i++)
		count += tree_map_count(index->root->slots[i].map);
	return count;
}

size_t check_index_memory(const struct check_index *index)
{
	return index ? tree_record_memory(index->plan->index_schema->root, index->root) : 0;
}

/* ---- Tuples. ---- */

bool check__related_value(struct check__run *run, const struct tree_position *position,
			  const struct schema_node *leaf, struct value *value)
{
	if (position->schema == leaf) {
		*value = position->value;
		return true;
	}
	while (!check__is_above_or_at(position->schema, leaf))
		position = position->parent;
	const struct schema_node *way[UINT8_MAX];
	size_t length = 0;
	for (const struct schema_node *node = leaf; node != position->schema; node = node->parent) {
		ASSERT(length < UINT8_MAX);
		way[length++] = node;
	}
	struct tree_position steps[2]; /* a step needs the one before it only while it is taken */
	for (; length > 0; length--) {
		struct tree_position *next = &steps[length & 1];
		if (!check__find_child(run, position, way[length - 1], next))
			return false;
		position = next;
	}
	*value = position->value;
	return true;
}

size_t check__keys_of(const struct tree_position *position, struct value *keys)
{
	size_t count = check__keys_above(position->schema), at = count;
	for (; position; position = position->parent) {
		if (position->schema->kind != SCHEMA_LIST)
			continue;
		at -= position->schema->key_count;
		check__entry_keys(position, keys + at);
	}
	return count;
}

static bool tuple_with(struct check__run *run, const struct check__index *index,
		       const struct tree_position *anchor, const struct value *listed, struct value *columns)
{
	for (size_t i = 0; i < index->leaf_count; i++) {
		if (index->leafs[i] == index->values)
			columns[i] = *listed;
		else if (!check__related_value(run, anchor, index->leafs[i], &columns[i]))
			return false;
	}
	check__keys_of(anchor, columns + index->leaf_count);
	return true;
}

bool check__index_tuple(struct check__run *run, const struct check__index *index,
			const struct tree_position *anchor, struct value *columns)
{
	ASSERT(!index->values);
	return tuple_with(run, index, anchor, NULL, columns);
}

/* ---- Feeding. ---- */

/* What happens to the tuples below an instance. */
struct feeding {
	struct check__run *run;
	const struct check__index *index;
	const struct value *listed; /* only this value of the leaf-list; NULL: all */
	bool add;
};

static struct check__gathering *gathered(struct check__run *run, const struct check__index *index)
{
	struct check__gathering **own = &run->gathering_of[index->id];
	if (!*own) {
		*own = arena_alloc(run->arena, sizeof(**own));
		**own = (struct check__gathering){.next = run->gatherings, .index = index};
		tree_bulk_init(&(*own)->come, index->list);
		tree_bulk_init(&(*own)->go, index->list);
		run->gatherings = *own;
	}
	return *own;
}

static void put_tuple(const struct feeding *feeding, const struct tree_position *anchor,
		      const struct value *listed)
{
	struct check__run *run = feeding->run;
	const struct check__index *index = feeding->index;
	if (!tuple_with(run, index, anchor, listed, run->columns))
		return;
	if (feeding->add)
		tree_bulk_add(&gathered(run, index)->come, run->columns);
	else if (run->builder)
		tree_builder_remove_entry(run->builder, index->list, run->columns);
	else
		tree_bulk_add(&gathered(run, index)->go, run->columns);
}

static void put_anchor(const struct feeding *feeding, const struct tree_position *anchor)
{
	const struct check__index *index = feeding->index;
	if (!index->values || feeding->listed) {
		put_tuple(feeding, anchor, feeding->listed);
		return;
	}
	struct tree_cursor cursor;
	struct tree_position value;
	tree_cursor_init_child(&cursor, feeding->run->schema, anchor, index->values, TREE_WITH_DEFAULTS);
	while (tree_cursor_next(&cursor, &value)) {
		if (check__is_effective(feeding->run, &value))
			put_tuple(feeding, anchor, &value.value);
	}
}

/* All instances of the anchor below the position, which is above or at it. */
static void put_below(const struct feeding *feeding, const struct tree_position *position)
{
	const struct schema_node *child = feeding->index->anchor;
	if (position->schema == child) {
		put_anchor(feeding, position);
		return;
	}
	while (child->parent != position->schema)
		child = child->parent;
	struct tree_position next;
	if (child->kind != SCHEMA_LIST) {
		if (check__find_child(feeding->run, position, child, &next))
			put_below(feeding, &next);
		return;
	}
	struct tree_cursor cursor;
	tree_cursor_init_child(&cursor, feeding->run->schema, position, child, TREE_WITH_DEFAULTS);
	while (tree_cursor_next(&cursor, &next))
		put_below(feeding, &next);
}

static void put(struct check__run *run, const struct check__index *index, const struct tree_position *leaf,
		bool add)
{
	struct feeding feeding = {.run = run, .index = index, .add = add};
	if (leaf->schema == index->values)
		feeding.listed = &leaf->value;
	const struct tree_position *turn = leaf->parent;
	while (!check__is_above_or_at(turn->schema, index->anchor))
		turn = turn->parent;
	put_below(&feeding, turn);
}

/* The anchor's instance came or went with the leaf, so that the index's first leaf, which is below it too,
 * did as well or has no value: it names the tuples, and this leaf need not. */
static bool is_named_by_first(const struct check__index *index, const struct check__frame *frame)
{
	const struct schema_node *first = index->leafs[0];
	if (first == frame->schema || !check__is_above_or_at(index->anchor, first))
		return false;
	const struct check__frame *anchor = frame;
	while (anchor && anchor->schema != index->anchor)
		anchor = anchor->parent;
	return anchor && (!anchor->old || !anchor->new);
}

void check__index_feed(struct check__run *run, const struct check__frame *frame)
{
	const struct check__list *feeds = &check__node_of(run->plan, frame->schema)->feeds;
	for (uint32_t i = 0; i < feeds->length; i++) {
		if (is_named_by_first(feeds->items[i], frame))
			continue;
		if (frame->old)
			put(run, feeds->items[i], frame->old, false);
		if (frame->new)
			put(run, feeds->items[i], frame->new, true);
	}
}

void check__gathering_put(struct check__run *run, struct check__gathering *gathering,
			  struct tree_builder *builder)
{
	const struct check__index *index = gathering->index;
	size_t own_keys = index->anchor->kind == SCHEMA_LIST ? index->anchor->key_count : 0;
	size_t prefix = (size_t)index->leaf_count + index->key_count - own_keys;
	tree_bulk_remove(&gathering->go, builder);
	run->distinct[index->id] = tree_bulk_put(&gathering->come, builder, prefix);
	tree_bulk_fini(&gathering->go);
	tree_bulk_fini(&gathering->come);
}

const struct tree_record *check__index_put(struct check__run *run)
{
	if (!run->builder)
		return check__split_put(run);
	for (struct check__gathering *each = run->gatherings; each; each = each->next) {
		check__gathering_put(run, each, run->builder);
		run->gathering_of[each->index->id] = NULL;
	}
	run->gatherings = NULL;
	const struct tree_record *index = tree_builder_finish(run->builder);
	run->builder = NULL;
	return index;
}

/* ---- Reading. ---- */

static bool is_number(const struct schema_type *type)
{
	enum schema_base base = schema_type_base(schema_type_real(type));
	return base >= BASE_INT8 || base == BASE_DECIMAL64;
}

static bool begins_with(struct value value, struct value beginning)
{
	struct bytes text = value_bytes(&value), wanted = value_bytes(&beginning);
	return text.size >= wanted.size && memcmp(text.data, wanted.data, wanted.size) == 0;
}

static bool in_range(const struct check__range *range)
{
	const union tree_slot *slots = range->item->record->slots;
	if (range->is_beginning)
		return begins_with(slots[0].value, range->columns[0]);
	for (size_t i = 0; i < range->prefix; i++) {
		if (!value_equal(slots[i].value, range->columns[i]))
			return false;
	}
	return true;
}

/* Of the columns `given` are set. */
static void range_seek(struct check__range *range, const struct check_plan *plan,
		       const struct tree_record *root, struct value *columns, size_t given)
{
	const struct schema_node *list = range->index->list;
	const union tree_slot *slot = tree_record_find(root, list);
	if (!slot)
		return;
	for (size_t i = given; i < list->key_count; i++)
		columns[i] = is_number(list->children[i]->type) ? plan->least_number : VALUE_NONE;
	range->item = tree_map_seek(&range->iter, slot->map, list, columns);
	if (range->item && !in_range(range))
		range->item = NULL;
}

void check__range_init(struct check__range *range, const struct check_plan *plan,
		       const struct check__index *index, const struct tree_record *root,
		       struct value *columns, size_t prefix)
{
	*range = (struct check__range){.index = index, .columns = columns, .prefix = prefix};
	range_seek(range, plan, root, columns, prefix);
}

void check__range_init_beginning(struct check__range *range, const struct check_plan *plan,
				 const struct check__index *index, const struct tree_record *root,
				 struct value *columns)
{
	ASSERT(!is_number(index->list->children[0]->type));
	*range = (struct check__range){.index = index, .columns = columns, .is_beginning = true};
	range_seek(range, plan, root, columns, 1);
}

const struct tree_record *check__range_next(struct check__range *range)
{
	const union tree_item *item = range->item;
	if (!item)
		return NULL;
	range->item = tree_map_next(&range->iter);
	if (range->item && !in_range(range))
		range->item = NULL;
	return item->record;
}

bool check__index_has(const struct check__index *index, const struct tree_record *root,
		      const struct tree_record *tuple)
{
	const union tree_slot *slot = tree_record_find(root, index->list);
	return slot && tree_map_find(slot->map, index->list, &tuple->slots[0].value);
}

const struct tree_position *check__index_anchor(struct check__run *run, const struct check__index *index,
						const struct tree_record *tuple,
						const struct tree_position *root, struct tree_position *way)
{
	const struct tree_position *position = root;
	const union tree_slot *keys = tuple->slots + index->leaf_count;
	while (position->schema != index->anchor) {
		const struct schema_node *child = index->anchor;
		while (child->parent != position->schema)
			child = child->parent;
		struct tree_position *next = way++;
		if (child->kind != SCHEMA_LIST) {
			if (!check__find_child(run, position, child, next))
				return NULL;
		} else {
			if (!position->record ||
			    !tree_position_find_entry(position, child, &keys->value, next))
				return NULL;
			keys += child->key_count;
		}
		position = next;
	}
	return position;
}
