/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Records: the compact arrays of present children that containers, list entries and roots are. A record of n
 * children is 12 + 10 n bytes; its capacity fills the 16-byte steps that malloc rounds to, so that a million
 * small entries waste nothing. Everything here that changes a record needs the only reference to it;
 * releasing is in release.c.
 *
 *     | refs | length | capacity | slot 0 ... slot capacity-1 | stamp | u16 schema slot of each |
 *
 * The last slot may hold a table of annotations (annotation.c): then it is not for children.
 */
#include "tree/record.h"

#include <string.h>

#include "tree/internal.h"

#define FIXED_SIZE (sizeof(struct tree_record) + sizeof(uint32_t))
#define CHILD_SIZE (sizeof(union tree_slot) + sizeof(uint16_t))
#define ALLOC_STEP 16	  /* bytes: what malloc rounds to */
#define ALLOC_OVERHEAD 8  /* bytes of a step that malloc keeps for itself */
#define ALLOC_SMALLEST 24 /* bytes that it gives in any case */

static uint16_t *indexes_of(struct tree_record *record)
{
	return (uint16_t *)tree_record_indexes(record);
}

static size_t size_of(size_t capacity)
{
	return FIXED_SIZE + capacity * CHILD_SIZE;
}

/* The capacity that takes no more memory than `length` children do. */
static size_t capacity_for(size_t length)
{
	size_t size = (size_of(length) + ALLOC_OVERHEAD + ALLOC_STEP - 1) / ALLOC_STEP * ALLOC_STEP -
		      ALLOC_OVERHEAD;
	if (size < ALLOC_SMALLEST)
		size = ALLOC_SMALLEST;
	size_t capacity = (size - FIXED_SIZE) / CHILD_SIZE;
	return capacity < UINT16_MAX ? capacity : UINT16_MAX;
}

struct tree_record *tree__record_alloc(size_t length)
{
	ASSERT(length <= UINT16_MAX);
	size_t capacity = capacity_for(length);
	struct tree_record *record = memory_alloc(size_of(capacity));
	atomic_init(&record->refs, 1);
	record->length = 0;
	record->capacity = (uint16_t)capacity;
	tree_record_stamp_set(record, 0);
	indexes_of(record)[capacity - 1] = 0; /* no annotations */
	return record;
}

struct tree_record *tree_record_new(void)
{
	return tree__record_alloc(0);
}

struct tree_record *tree_record_ref(const struct tree_record *record)
{
	struct tree_record *own = (struct tree_record *)record;
	tree__refs_take(&own->refs);
	return own;
}

/* The first position whose schema slot is not below `slot`. */
static size_t lower_bound(const struct tree_record *record, uint16_t slot)
{
	const uint16_t *indexes = tree_record_indexes(record);
	if (slot < record->length && indexes[slot] == slot)
		return slot;
	if (record->length > 0 && indexes[record->length - 1] < slot)
		return record->length;
	size_t low = 0, high = record->length < slot ? record->length : slot;
	while (low < high) {
		size_t middle = (low + high) / 2;
		if (indexes[middle] < slot)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const union tree_slot *tree_record_find(const struct tree_record *record, const struct schema_node *child)
{
	size_t index = lower_bound(record, child->slot);
	if (index == record->length || tree_record_indexes(record)[index] != child->slot)
		return NULL;
	return &record->slots[index];
}

static void copy_children(struct tree_record *to, const struct tree_record *from)
{
	memcpy(to->slots, from->slots, from->length * sizeof(*from->slots));
	memcpy(indexes_of(to), tree_record_indexes(from), from->length * sizeof(uint16_t));
	to->length = from->length;
	tree_record_stamp_set(to, tree_record_stamp_get(from));
}

static bool is_annotated(const struct tree_record *record)
{
	return tree__record_annotations(record) != NULL;
}

static void set_last_slot(struct tree_record *record, struct tree_annotations *table)
{
	size_t last = record->capacity - 1u;
	record->slots[last].annotations = table;
	indexes_of(record)[last] = TREE_ANNOTATION_OWN;
}

/* Needs room for what it has; the table of annotations moves with it. */
static struct tree_record *move(struct tree_record *record, size_t length)
{
	struct tree_annotations *table = tree__record_annotations(record);
	struct tree_record *moved = tree__record_alloc(length + (table != NULL));
	copy_children(moved, record);
	if (table != NULL)
		set_last_slot(moved, table);
	memory_free(record);
	return moved;
}

struct tree_record *tree__record_set_annotations(struct tree_record *record, struct tree_annotations *table)
{
	if (table == NULL) {
		indexes_of(record)[record->capacity - 1] = 0;
		return record;
	}
	if (record->length == record->capacity)
		record = move(record, record->length + 1u);
	set_last_slot(record, table);
	return record;
}

void tree__slot_ref(const struct schema_node *child, union tree_slot content)
{
	switch (child->kind) {
	case SCHEMA_LEAF:
		value_ref(content.value);
		return;
	case SCHEMA_LIST:
	case SCHEMA_LEAF_LIST:
		tree__map_ref(content.map);
		return;
	case SCHEMA_CONTAINER:
		tree_record_ref(content.record);
		return;
	case SCHEMA_ANYDATA:
	case SCHEMA_ANYXML:
		tree_any_ref(content.any);
		return;
	case SCHEMA_ROOT:
	case SCHEMA_RPC:
	case SCHEMA_ACTION:
	case SCHEMA_OUTPUT:
	case SCHEMA_NOTIFICATION:
		break;
	}
	ASSERT(!"a node that no record stores");
}

struct tree_record *tree__record_dup(const struct tree_record *record, const struct schema_node *schema)
{
	struct tree_annotations *table = tree__record_annotations(record);
	struct tree_record *copy = tree__record_alloc(record->length + (size_t)(table != NULL));
	copy_children(copy, record);
	if (table != NULL)
		set_last_slot(copy, tree__annotations_ref(table));
	for (size_t i = 0; i < copy->length; i++)
		tree__slot_ref(schema->children[indexes_of(copy)[i]], copy->slots[i]);
	return copy;
}

struct tree_record *tree__record_insert(struct tree_record *record, const struct schema_node *child,
					union tree_slot content)
{
	size_t length = record->length;
	if (length + 1 >= record->capacity && length + is_annotated(record) == record->capacity)
		record = move(record, length + (length < 4 ? 1 : length / 2));
	size_t index = lower_bound(record, child->slot), after = length - index;
	uint16_t *indexes = indexes_of(record);
	ASSERT(after == 0 || indexes[index] != child->slot);
	if (after > 0) {
		memmove(&record->slots[index + 1], &record->slots[index], after * sizeof(*record->slots));
		memmove(&indexes[index + 1], &indexes[index], after * sizeof(*indexes));
	}
	record->slots[index] = content;
	indexes[index] = child->slot;
	record->length++;
	return record;
}

struct tree_record *tree__record_remove(struct tree_record *record, const struct schema_node *child)
{
	size_t index = lower_bound(record, child->slot);
	uint16_t *indexes = indexes_of(record);
	ASSERT(index < record->length && indexes[index] == child->slot);
	record->length--;
	size_t after = record->length - index;
	memmove(&record->slots[index], &record->slots[index + 1], after * sizeof(*record->slots));
	memmove(&indexes[index], &indexes[index + 1], after * sizeof(*indexes));
	record = tree__annotations_remove_child(record, child);
	if (record->capacity >= 2 * capacity_for(record->length + (size_t)is_annotated(record)))
		record = move(record, record->length);
	return record;
}

struct tree_record *tree__record_fit(struct tree_record *record)
{
	size_t length = record->length + (size_t)is_annotated(record);
	return record->capacity > capacity_for(length) ? move(record, record->length) : record;
}

static size_t map_memory(const struct schema_node *node, const struct tree_map *map)
{
	size_t size = tree__map_size(map);
	for (size_t i = 0; i < map->length; i++) {
		const union tree__cell *cell = &map->cells[i];
		const struct text *text = NULL;
		if (map->level > 0)
			size += map_memory(node, cell->child);
		else if (map->kind == TREE__INDEX)
			continue;
		else if (node->kind == SCHEMA_LIST)
			size += tree_record_memory(node, cell->item.record);
		else
			text = value_shared_text(cell->item.value);
		if (text != NULL)
			size += sizeof(*text) + text->size;
	}
	return size;
}

static size_t slot_memory(const struct schema_node *child, const union tree_slot *slot)
{
	switch (child->kind) {
	case SCHEMA_LEAF: {
		const struct text *text = value_shared_text(slot->value);
		return text != NULL ? sizeof(*text) + text->size : 0;
	}
	case SCHEMA_LIST:
	case SCHEMA_LEAF_LIST:
		return map_memory(child, slot->map);
	case SCHEMA_CONTAINER:
		return tree_record_memory(child, slot->record);
	case SCHEMA_ANYDATA:
	case SCHEMA_ANYXML:
		return sizeof(*slot->any) + sizeof(*slot->any->xml) + slot->any->xml->size;
	case SCHEMA_ROOT:
	case SCHEMA_RPC:
	case SCHEMA_ACTION:
	case SCHEMA_OUTPUT:
	case SCHEMA_NOTIFICATION:
		break;
	}
	return 0;
}

size_t tree_record_memory(const struct schema_node *schema, const struct tree_record *record)
{
	size_t size = size_of(record->capacity);
	for (size_t i = 0; i < record->length; i++)
		size += slot_memory(schema->children[tree_record_indexes(record)[i]], &record->slots[i]);
	const struct tree_annotations *table = tree__record_annotations(record);
	return table != NULL ? size + tree__annotations_memory(table) : size;
}
