/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The tables of annotations. A record with annotations holds a table in the last slot of its capacity, whose
 * index is then UINT16_MAX, which no child has:
 *
 *     | refs | length 2 | capacity 4 | child | child | - | table | 0 | 3 | - | UINT16_MAX |
 *
 * So children are where they always are, and whoever walks them sees no difference. A table is an array
 * sorted by slot, leaf-list value and annotation, so that equal content is equal arrays. It is shared between
 * versions of the record, and changed in place only by a builder that reaches it through single references.
 */
#include "tree/annotation.h"

#include <string.h>

#include "tree/internal.h"

#define TABLE_CAPACITY_MIN 2

static bool is_own(struct tree_annotated node)
{
	return node.child == NULL;
}

static uint16_t slot_of(struct tree_annotated node)
{
	return is_own(node) ? TREE_ANNOTATION_OWN : node.child->slot;
}

static int compare_items(struct value a, struct value b)
{
	return a.word == b.word ? 0 : bytes_compare(value_bytes(&a), value_bytes(&b));
}

/* The order of an entry and (node, schema index). */
static int compare(const struct tree_annotation *entry, struct tree_annotated node, uint32_t index)
{
	uint16_t slot = slot_of(node);
	if (entry->slot != slot)
		return entry->slot < slot ? -1 : 1;
	int order = compare_items(entry->item, node.item);
	if (order != 0)
		return order;
	return (entry->schema->index > index) - (entry->schema->index < index);
}

/* The first entry that is not before (node, index). */
static size_t lower_bound(const struct tree_annotations *table, struct tree_annotated node, uint32_t index)
{
	size_t low = 0, high = table->length;
	while (low < high) {
		size_t middle = (low + high) / 2;
		if (compare(&table->entries[middle], node, index) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool is_of(const struct tree_annotation *entry, struct tree_annotated node)
{
	return entry->slot == slot_of(node) && compare_items(entry->item, node.item) == 0;
}

const struct tree_annotation *tree_annotations_find(const struct tree_record *record,
						    struct tree_annotated node, size_t *count)
{
	const struct tree_annotations *table = tree__record_annotations(record);
	*count = 0;
	if (table == NULL)
		return NULL;
	size_t first = lower_bound(table, node, 0), end = first;
	while (end < table->length && is_of(&table->entries[end], node))
		end++;
	*count = end - first;
	return end > first ? &table->entries[first] : NULL;
}

const struct tree_annotation *tree_position_annotations(const struct tree_position *position, size_t *count)
{
	const struct schema_node *schema = position->schema;
	const struct tree_record *record = position->record;
	struct tree_annotated node = {0};
	if (tree__has_value(schema) || tree__has_any(schema)) {
		record = position->parent->record;
		node.child = schema;
		node.item = schema->kind == SCHEMA_LEAF_LIST ? position->value : VALUE_NONE;
	}
	*count = 0;
	return record != NULL && !position->implicit ? tree_annotations_find(record, node, count) : NULL;
}

const struct tree_annotation *tree_annotations_all(const struct tree_record *record, size_t *count)
{
	const struct tree_annotations *table = tree__record_annotations(record);
	*count = table != NULL ? table->length : 0;
	return table != NULL ? table->entries : NULL;
}

const struct tree_annotation *tree__annotations_of_child(const struct tree_record *record,
							 const struct schema_node *child, size_t *count)
{
	const struct tree_annotations *table = tree__record_annotations(record);
	*count = 0;
	if (table == NULL)
		return NULL;
	size_t first = lower_bound(table, (struct tree_annotated){.child = child}, 0), end = first;
	while (end < table->length && table->entries[end].slot == child->slot)
		end++;
	*count = end - first;
	return end > first ? &table->entries[first] : NULL;
}

/* ---- tables ---- */

static size_t size_of(size_t capacity)
{
	return sizeof(struct tree_annotations) + capacity * sizeof(struct tree_annotation);
}

static struct tree_annotations *new_table(size_t capacity)
{
	struct tree_annotations *table = memory_alloc(size_of(capacity));
	atomic_init(&table->refs, 1);
	table->length = 0;
	table->capacity = (uint32_t)capacity;
	return table;
}

struct tree_annotations *tree__annotations_ref(struct tree_annotations *table)
{
	tree__refs_take(&table->refs);
	return table;
}

static void drop_entry(const struct tree_annotation *entry)
{
	value_unref(entry->value);
	value_unref(entry->item);
}

void tree__annotations_unref(struct tree_annotations *table)
{
	if (!tree__refs_drop(&table->refs))
		return;
	for (size_t i = 0; i < table->length; i++)
		drop_entry(&table->entries[i]);
	memory_free(table);
}

size_t tree__annotations_memory(const struct tree_annotations *table)
{
	size_t size = size_of(table->capacity);
	for (size_t i = 0; i < table->length; i++) {
		const struct text *value = value_shared_text(table->entries[i].value),
				  *item = value_shared_text(table->entries[i].item);
		size += value != NULL ? sizeof(*value) + value->size : 0;
		size += item != NULL ? sizeof(*item) + item->size : 0;
	}
	return size;
}

bool tree__annotations_equal(const struct tree_annotation *a, size_t a_count, const struct tree_annotation *b,
			     size_t b_count)
{
	if (a_count != b_count)
		return false;
	for (size_t i = 0; a != b && i < a_count; i++) {
		if (a[i].schema != b[i].schema || a[i].slot != b[i].slot ||
		    !value_equal(a[i].value, b[i].value) || compare_items(a[i].item, b[i].item) != 0)
			return false;
	}
	return true;
}

/* ---- changes; the record is a single reference ---- */

/* The record's table as a single reference with room for one more; Gives the record, which may have moved. */
static struct tree_record *own_table(struct tree_record *record)
{
	struct tree_annotations *table = tree__record_annotations(record);
	if (table != NULL && tree__is_single(&table->refs) && table->length < table->capacity)
		return record;
	size_t length = table != NULL ? table->length : 0;
	struct tree_annotations *copy = new_table(length + (length < TABLE_CAPACITY_MIN ? 1 : length / 2));
	copy->length = (uint32_t)length;
	for (size_t i = 0; i < length; i++) {
		copy->entries[i] = table->entries[i];
		value_ref(copy->entries[i].value);
		value_ref(copy->entries[i].item);
	}
	if (table != NULL)
		tree__annotations_unref(table);
	return tree__record_set_annotations(record, copy);
}

struct tree_record *tree__annotations_put(struct tree_record *record, struct tree_annotated node,
					  const struct schema_annotation *schema, struct value value)
{
	record = own_table(record);
	struct tree_annotations *table = tree__record_annotations(record);
	size_t index = lower_bound(table, node, schema->index);
	struct tree_annotation *entry = &table->entries[index];
	if (index < table->length && compare(entry, node, schema->index) == 0) {
		struct value old = entry->value;
		entry->value = value_ref(value);
		value_unref(old);
		return record;
	}
	memmove(entry + 1, entry, (table->length - index) * sizeof(*entry));
	*entry = (struct tree_annotation){
		.schema = schema,
		.value = value_ref(value),
		.item = is_own(node) ? VALUE_NONE : value_ref(node.item),
		.slot = slot_of(node),
	};
	table->length++;
	return record;
}

/* Takes entries [first, end) out. */
static struct tree_record *remove_entries(struct tree_record *record, size_t first, size_t end)
{
	const struct tree_annotations *shared = tree__record_annotations(record);
	if (first == end)
		return record;
	if (end - first == shared->length) {
		tree__annotations_unref((struct tree_annotations *)shared);
		return tree__record_set_annotations(record, NULL);
	}
	record = own_table(record);
	struct tree_annotations *table = tree__record_annotations(record);
	for (size_t i = first; i < end; i++)
		drop_entry(&table->entries[i]);
	memmove(&table->entries[first], &table->entries[end],
		(table->length - end) * sizeof(*table->entries));
	table->length -= (uint32_t)(end - first);
	return record;
}

struct tree_record *tree__annotations_remove(struct tree_record *record, struct tree_annotated node,
					     const struct schema_annotation *schema)
{
	const struct tree_annotations *table = tree__record_annotations(record);
	if (table == NULL)
		return record;
	size_t first = lower_bound(table, node, schema != NULL ? schema->index : 0), end = first;
	while (end < table->length && is_of(&table->entries[end], node) &&
	       (schema == NULL || table->entries[end].schema == schema))
		end++;
	return remove_entries(record, first, end);
}

struct tree_record *tree__annotations_remove_child(struct tree_record *record,
						   const struct schema_node *child)
{
	size_t count;
	const struct tree_annotation *first = tree__annotations_of_child(record, child, &count);
	if (first == NULL)
		return record;
	size_t index = (size_t)(first - tree__record_annotations(record)->entries);
	return remove_entries(record, index, index + count);
}
