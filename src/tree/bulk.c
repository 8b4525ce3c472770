/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Gathered entries: sorted, without doubles, and put into a list. On the way of a large request: the check
 * gathers what comes into its value indexes, whose order has nothing to do with that of the request.
 *
 * Sorting compares 8 bytes of each sort key, those behind what all keys have in common, and the keys
 * themselves only where these are equal. What is in order already is seen in one pass.
 *
 * Building: the sorted cells are packed into leaf nodes, these into nodes of the level above, until one is
 * left.
 *
 *     records   r0 r1 r2 ... r23 | r24 ...        nodes as full as in an ascending load
 *     level 0   [n0]               [n1] ...
 *     level 1   [n0 n1 ... n23] ...
 */
#include "tree/bulk.h"

#include <string.h>

#include "tree/builder_internal.h"

#define INSERTION_SORT_MAX 8 /* items */

struct item {
	uint64_t digest; /* of the sort key, behind the common beginning */
	struct tree_record *record;
};

void tree_bulk_init(struct tree_bulk *bulk, const struct schema_node *list)
{
	ASSERT(list->kind == SCHEMA_LIST && list->key_count > 0 && list->child_count == list->key_count);
	ASSERT(!tree_node_is_user_ordered(list) && !tree_node_is_sequence(list));
	bulk->list = list;
	vector_init(&bulk->items, sizeof(struct item));
}

static struct item *items_of(const struct tree_bulk *bulk)
{
	return bulk->items.data;
}

void tree_bulk_fini(struct tree_bulk *bulk)
{
	for (size_t i = 0; i < bulk->items.length; i++)
		tree_record_unref(items_of(bulk)[i].record, bulk->list, NULL);
	vector_fini(&bulk->items);
}

void tree_bulk_add(struct tree_bulk *bulk, const struct value *keys)
{
	struct item *item = vector_push(&bulk->items);
	item->record = tree__builder_new_entry(bulk->list, keys);
}

/* ---- Sorting. ---- */

static void key_of(struct tree__key *key, const struct schema_node *list, struct tree_record *record)
{
	union tree_item item = {.record = record};
	tree__key_of_item(key, list, &item);
}

/* How many bytes all keys begin with. */
static size_t find_common(const struct tree_bulk *bulk)
{
	struct tree__key first;
	key_of(&first, bulk->list, items_of(bulk)[0].record);
	size_t common = first.size;
	for (size_t i = 1; i < bulk->items.length && common > 0; i++) {
		struct tree__key key;
		key_of(&key, bulk->list, items_of(bulk)[i].record);
		size_t shared = tree__key_common(&first, &key);
		common = shared < common ? shared : common;
		tree__key_fini(&key);
	}
	tree__key_fini(&first);
	return common;
}

static void set_digests(const struct tree_bulk *bulk)
{
	size_t common = find_common(bulk);
	for (size_t i = 0; i < bulk->items.length; i++) {
		struct item *item = &items_of(bulk)[i];
		struct tree__key key;
		key_of(&key, bulk->list, item->record);
		item->digest = (uint64_t)tree__key_digest(&key, common) << 32 |
			       tree__key_digest(&key, common + sizeof(uint32_t));
		tree__key_fini(&key);
	}
}

static bool is_less(const struct schema_node *list, const struct item *a, const struct item *b)
{
	if (a->digest != b->digest)
		return a->digest < b->digest;
	return tree__record_compare_keys(list, a->record, b->record) < 0;
}

static void insertion_sort(const struct schema_node *list, struct item *items, size_t length)
{
	for (size_t i = 1; i < length; i++) {
		struct item item = items[i];
		size_t at = i;
		for (; at > 0 && is_less(list, &item, &items[at - 1]); at--)
			items[at] = items[at - 1];
		items[at] = item;
	}
}

/* The two halves are sorted; `room` takes the lower one. */
static void merge(const struct schema_node *list, struct item *items, size_t length, struct item *room)
{
	size_t half = length / 2, low = 0, high = half, at = 0;
	memcpy(room, items, half * sizeof(*items));
	while (low < half && high < length) {
		bool takes_high = is_less(list, &items[high], &room[low]);
		items[at++] = takes_high ? items[high++] : room[low++];
	}
	memcpy(&items[at], &room[low], (half - low) * sizeof(*items));
}

static void merge_sort(const struct schema_node *list, struct item *items, size_t length, struct item *room)
{
	if (length <= INSERTION_SORT_MAX) {
		insertion_sort(list, items, length);
		return;
	}
	size_t half = length / 2;
	merge_sort(list, items, half, room);
	merge_sort(list, items + half, length - half, room);
	if (is_less(list, &items[half], &items[half - 1]))
		merge(list, items, length, room);
}

static void sort(const struct tree_bulk *bulk)
{
	size_t length = bulk->items.length;
	set_digests(bulk);
	struct item *room = memory_alloc((length / 2 + 1) * sizeof(*room));
	merge_sort(bulk->list, items_of(bulk), length, room);
	memory_free(room);
}

/* Of the same entries one is left. */
static void drop_doubles(struct tree_bulk *bulk)
{
	struct item *items = items_of(bulk);
	size_t kept = 1;
	for (size_t i = 1; i < bulk->items.length; i++) {
		if (items[i].digest == items[kept - 1].digest &&
		    tree__record_compare_keys(bulk->list, items[i].record, items[kept - 1].record) == 0)
			tree_record_unref(items[i].record, bulk->list, NULL);
		else
			items[kept++] = items[i];
	}
	bulk->items.length = kept;
}

static bool begins_alike(const struct tree_record *a, const struct tree_record *b, size_t prefix)
{
	size_t i = 0;
	while (i < prefix && value_equal(a->slots[i].value, b->slots[i].value))
		i++;
	return i == prefix;
}

static bool is_distinct(const struct tree_bulk *bulk, size_t prefix)
{
	const struct item *items = items_of(bulk);
	for (size_t i = 1; i < bulk->items.length; i++) {
		if (begins_alike(items[i - 1].record, items[i].record, prefix))
			return false;
	}
	return true;
}

/* ---- Building. ---- */

static struct tree_map *make_node(const struct schema_node *list, unsigned level,
				  const union tree__cell *cells, size_t length)
{
	struct tree_map *map = tree__map_new(TREE__SORTED, level, length);
	memcpy(map->cells, cells, length * sizeof(*cells));
	map->length = (uint8_t)length;
	map->count = tree__map_sum(map, 0, length);
	tree__map_refresh(map, list);
	return map;
}

/* Packs cells into as few nodes as hold them, all about as full, and puts these in their place. Gives how
 * many. */
static size_t pack(const struct schema_node *list, unsigned level, union tree__cell *cells, size_t length)
{
	size_t nodes = (length + TREE__FANOUT - 1) / TREE__FANOUT, from = 0;
	for (size_t i = 0; i < nodes; i++) {
		size_t share = length / nodes + (i < length % nodes);
		cells[i].child = make_node(list, level, cells + from, share);
		from += share;
	}
	return nodes;
}

static struct tree_map *build(const struct tree_bulk *bulk)
{
	size_t length = bulk->items.length;
	union tree__cell *cells = memory_alloc(length * sizeof(*cells));
	for (size_t i = 0; i < length; i++)
		cells[i].item.record = items_of(bulk)[i].record;
	unsigned level = 0;
	do {
		length = pack(bulk->list, level++, cells, length);
	} while (length > 1);
	struct tree_map *map = cells[0].child;
	memory_free(cells);
	return map;
}

static void insert(struct tree_builder *builder, const struct schema_node *list, struct tree_record *record)
{
	union tree_item item = {.record = record};
	struct tree__place place;
	struct tree__key key;
	tree__key_of_item(&key, list, &item);
	if (tree__builder_search(builder, list, &key, &place))
		tree_record_unref(record, list, NULL);
	else
		tree__builder_add_item(builder, &place, &key, item, NULL);
	tree__key_fini(&key);
}

bool tree_bulk_put(struct tree_bulk *bulk, struct tree_builder *builder, size_t prefix)
{
	if (bulk->items.length == 0)
		return false;
	sort(bulk);
	drop_doubles(bulk);
	bool was_empty = tree__builder_find(builder, bulk->list) == NULL;
	bool distinct = was_empty && is_distinct(bulk, prefix);
	if (was_empty) {
		tree__builder_own(builder);
		tree__builder_insert(builder, bulk->list, (union tree_slot){.map = build(bulk)});
	} else {
		for (size_t i = 0; i < bulk->items.length; i++)
			insert(builder, bulk->list, items_of(bulk)[i].record);
	}
	vector_clear(&bulk->items);
	return distinct;
}
