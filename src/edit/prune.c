/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * "replace" (RFC 6241 7.2) of a container, a list entry or the whole datastore: afterwards it is exactly what
 * the request says. It is done in place rather than by deleting and making anew, so that content that is
 * equal before and after keeps its nodes: first everything that the request does not name is removed (here),
 * then what it names is set (apply.c), which changes nothing where the values are equal already.
 *
 * A list's entries are matched through the map. Both sides mostly come in one order, so the matching walks
 * along the map and looks a key up only where the next entry is not the one named:
 *
 *     map      a  b  c  d  e       marks  1  0  1  1  0      removed, from the end: e, b
 *     named    a  c  d  x
 */
#include "base/assert.h"
#include "edit/run.h"
#include "tree/map.h"

#define MARK_BITS 64

_Static_assert(sizeof(union tree_slot) == sizeof(struct value), "keys in slots are an array of values");

static void clear_vector(struct vector *vector, size_t length)
{
	vector_clear(vector);
	for (size_t i = 0; i < length; i++)
		vector_push(vector);
}

static size_t *count_of(struct edit_run *run, size_t slot)
{
	return vector_at(&run->counts, slot);
}

static bool is_map(const struct schema_node *node)
{
	return node->kind == SCHEMA_LIST || node->kind == SCHEMA_LEAF_LIST;
}

/*
 * Groups the entries and values that the request names by slot: those of slot s are run->nodes[end of s - 1
 * .. end of s), where the end is what run->counts[s] has afterwards. A counting sort, so the order written
 * stays within a slot.
 */
static void collect_items(struct edit_run *run, const struct edit_group *group)
{
	size_t slots = group->node->schema->child_count, total = 0;
	for (size_t slot = 0; slot < slots; slot++) {
		size_t count = *count_of(run, slot);
		*count_of(run, slot) = total;
		if (is_map(group->node->schema->children[slot]))
			total += count;
	}
	clear_vector(&run->nodes, total);
	struct edit_iter iter = edit__iter(group);
	for (const struct edit_node *node; (node = edit__next(&iter));) {
		if (is_map(node->schema))
			*(const struct edit_node **)vector_at(&run->nodes,
							      (*count_of(run, node->schema->slot))++) = node;
	}
}

/* Removes the children that the request does not name at all. run->counts has how often it names each slot.
 */
static void remove_unnamed(struct edit_run *run, const struct schema_node *parent)
{
	size_t length = tree_builder_position(run->builder)->record->length;
	for (size_t i = length; i-- > 0;) {
		const struct tree_record *record = tree_builder_position(run->builder)->record;
		const struct schema_node *child = parent->children[tree_record_indexes(record)[i]];
		if (!child->is_key && *count_of(run, child->slot) == 0)
			tree_builder_remove(run->builder, child);
	}
}

static const struct value *item_keys(const struct schema_node *node, const union tree_item *item)
{
	/* The keys are a record's first children. */
	return node->kind == SCHEMA_LIST ? &item->record->slots[0].value : &item->value;
}

static size_t key_count(const struct schema_node *node)
{
	return node->kind == SCHEMA_LIST ? node->key_count : 1;
}

static bool same_keys(const struct schema_node *node, const struct value *a, const struct value *b)
{
	for (size_t i = 0; i < key_count(node); i++) {
		if (!value_equal(a[i], b[i]))
			return false;
	}
	return true;
}

/* Marks an item; false where it was marked. */
static bool mark(struct edit_run *run, uint64_t index)
{
	uint64_t *word = vector_at(&run->marks, index / MARK_BITS);
	uint64_t bit = UINT64_C(1) << (index % MARK_BITS);
	bool marked = *word & bit;
	*word |= bit;
	return !marked;
}

static bool is_marked(const struct edit_run *run, uint64_t index)
{
	return *(const uint64_t *)vector_at(&run->marks, index / MARK_BITS) >> (index % MARK_BITS) & 1;
}

/* Marks the items of the map that run->nodes[start .. end) name; gives how many these are. */
static uint64_t mark_named(struct edit_run *run, const struct tree_map *map, const struct schema_node *list,
			   size_t start, size_t end)
{
	clear_vector(&run->marks, tree_map_count(map) / MARK_BITS + 1);
	struct tree_map_iter iter;
	const union tree_item *item = tree_map_first(&iter, map, list);
	uint64_t index = 0, kept = 0;
	for (size_t i = start; i < end; i++) {
		const struct value *keys =
			edit__keys(run, *(const struct edit_node **)vector_at(&run->nodes, i));
		if (!keys)
			continue;
		if (!item || !same_keys(list, item_keys(list, item), keys)) {
			if (!tree_map_find(map, list, keys))
				continue;
			index = tree_map_rank(map, list, keys);
			item = tree_map_at(&iter, map, list, index);
		}
		kept += mark(run, index);
		item = tree_map_next(&iter);
		index++;
	}
	return kept;
}

static void remove_item(struct edit_run *run, const struct schema_node *list, const union tree_item *item)
{
	/* The item goes with the removal, so its keys are held over it. */
	vector_clear(&run->keys);
	for (size_t i = 0; i < key_count(list); i++)
		*(struct value *)vector_push(&run->keys) = value_ref(item_keys(list, item)[i]);
	struct value *keys = run->keys.data;
	bool removed = list->kind == SCHEMA_LIST ? tree_builder_remove_entry(run->builder, list, keys)
						 : tree_builder_remove_value(run->builder, list, keys[0]);
	ASSERT(removed);
	for (size_t i = 0; i < key_count(list); i++)
		value_unref(keys[i]);
}

static void prune_map(struct edit_run *run, const struct schema_node *list, size_t start, size_t end)
{
	const union tree_slot *stored = edit__stored(run, list);
	if (!stored)
		return;
	uint64_t count = tree_map_count(stored->map);
	uint64_t kept = mark_named(run, stored->map, list, start, end);
	if (kept == 0)
		tree_builder_remove(run->builder, list);
	if (kept == 0 || kept == count)
		return;
	for (uint64_t index = count; index-- > 0;) {
		if (is_marked(run, index))
			continue;
		struct tree_map_iter iter;
		remove_item(run, list, tree_map_at(&iter, edit__stored(run, list)->map, list, index));
	}
}

void edit__prune(struct edit_run *run, const struct edit_group *group)
{
	const struct schema_node *parent = group->node->schema;
	if (!tree_builder_position(run->builder)->record)
		return;
	clear_vector(&run->counts, parent->child_count);
	struct edit_iter iter = edit__iter(group);
	for (const struct edit_node *node; (node = edit__next(&iter));)
		++*count_of(run, node->schema->slot);
	remove_unnamed(run, parent);
	collect_items(run, group);
	for (size_t slot = 0, start = 0; slot < parent->child_count; slot++) {
		if (!is_map(parent->children[slot]))
			continue;
		size_t end = *count_of(run, slot);
		if (end > start)
			prune_map(run, parent->children[slot], start, end);
		start = end;
	}
}
