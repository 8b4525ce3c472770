/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Gathered entries: sorted, without doubles, and put into a list. On the way of a large request: the check
 * gathers what comes into its value indexes, whose order has nothing to do with that of the request.
 *
 * Each sort key is encoded once, into one run of bytes for all of them. Sorting compares 8 bytes of each,
 * those behind what all keys have in common, and the rest only where these are equal. What is in order
 * already is seen in one pass.
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
#define KEY_KEPT 64	     /* bytes of a sort key that are kept for sorting and building */

/* A record while it is sorted. */
struct item {
	uint64_t digest; /* of the sort key, behind the common beginning */
	struct tree_record *record;
	uint8_t *key;  /* its beginning */
	uint16_t size; /* bytes of it */
	bool is_cut;   /* there is more of it */
};

/* What is put. */
struct sorted {
	const struct schema_node *list;
	struct item *items;
	size_t length;
	uint8_t *keys; /* all of them, one behind the other */
	size_t common; /* bytes that all of them begin with, as far as that is of use */
};

void tree_bulk_init(struct tree_bulk *bulk, const struct schema_node *list)
{
	ASSERT(list->kind == SCHEMA_LIST && list->key_count > 0 && list->child_count == list->key_count);
	ASSERT(!tree_node_is_user_ordered(list) && !tree_node_is_sequence(list));
	bulk->list = list;
	vector_init(&bulk->records, sizeof(struct tree_record *));
}

static struct tree_record **records_of(const struct tree_bulk *bulk)
{
	return bulk->records.data;
}

void tree_bulk_fini(struct tree_bulk *bulk)
{
	for (size_t i = 0; i < bulk->records.length; i++)
		tree_record_unref(records_of(bulk)[i], bulk->list, NULL);
	vector_fini(&bulk->records);
}

void tree_bulk_add(struct tree_bulk *bulk, const struct value *keys)
{
	*(struct tree_record **)vector_push(&bulk->records) = tree__builder_new_entry(bulk->list, keys, 0);
}

void tree_bulk_join(struct tree_bulk *bulk, struct tree_bulk *more)
{
	ASSERT(bulk->list == more->list);
	vector_append(&bulk->records, &more->records);
	vector_clear(&more->records);
}

void tree_bulk_remove(struct tree_bulk *bulk, struct tree_builder *builder)
{
	for (size_t i = 0; i < bulk->records.length; i++) {
		struct tree_record *record = records_of(bulk)[i];
		tree_builder_remove_entry(builder, bulk->list, &record->slots[0].value);
		tree_record_unref(record, bulk->list, NULL);
	}
	vector_clear(&bulk->records);
}

/* ---- Sorting. ---- */

/* The kept part, as a key. */
static void key_of(struct tree__key *key, const struct item *item)
{
	key->data = item->key;
	key->size = item->size;
}

/* Encodes the keys. */
static void take_records(struct sorted *sorted, const struct tree_bulk *bulk)
{
	sorted->keys = memory_alloc(sorted->length * KEY_KEPT);
	uint8_t *at = sorted->keys;
	for (size_t i = 0; i < sorted->length; i++) {
		union tree_item record = {.record = records_of(bulk)[i]};
		struct tree__key key;
		tree__key_of_item(&key, sorted->list, &record);
		bool is_cut = key.size > KEY_KEPT;
		uint16_t size = is_cut ? KEY_KEPT : (uint16_t)key.size;
		memcpy(at, key.data, size);
		sorted->items[i] = (struct item){0, record.record, at, size, is_cut};
		at += size;
		tree__key_fini(&key);
	}
}

/* Where the digests begin: all keys have the same before it. */
static size_t find_common(const struct sorted *sorted)
{
	struct tree__key first, key;
	key_of(&first, &sorted->items[0]);
	size_t common = KEY_KEPT - sizeof(uint64_t);
	for (size_t i = 0; i < sorted->length && common > 0; i++) {
		key_of(&key, &sorted->items[i]);
		size_t shared = tree__key_common(&first, &key);
		common = shared < common ? shared : common;
	}
	return common;
}

static void set_digests(struct sorted *sorted)
{
	sorted->common = find_common(sorted);
	for (size_t i = 0; i < sorted->length; i++) {
		struct item *item = &sorted->items[i];
		struct tree__key key;
		key_of(&key, item);
		item->digest = (uint64_t)tree__key_digest(&key, sorted->common) << 32 |
			       tree__key_digest(&key, sorted->common + sizeof(uint32_t));
	}
}

/* Negative: `a` comes first. Where the digests are equal. */
static int compare_rest(const struct sorted *sorted, const struct item *a, const struct item *b)
{
	struct tree__key left, right;
	key_of(&left, a);
	key_of(&right, b);
	int order = tree__key_compare(&left, &right);
	if (order != 0 || (!a->is_cut && !b->is_cut))
		return order;
	return tree__record_compare_keys(sorted->list, a->record, b->record);
}

static bool is_less(const struct sorted *sorted, const struct item *a, const struct item *b)
{
	return a->digest != b->digest ? a->digest < b->digest : compare_rest(sorted, a, b) < 0;
}

static void insertion_sort(const struct sorted *sorted, struct item *items, size_t length)
{
	for (size_t i = 1; i < length; i++) {
		struct item item = items[i];
		size_t at = i;
		for (; at > 0 && is_less(sorted, &item, &items[at - 1]); at--)
			items[at] = items[at - 1];
		items[at] = item;
	}
}

/* The two halves are sorted; `room` takes the lower one. */
static void merge(const struct sorted *sorted, struct item *items, size_t length, struct item *room)
{
	size_t half = length / 2, low = 0, high = half, at = 0;
	memcpy(room, items, half * sizeof(*items));
	while (low < half && high < length) {
		bool takes_high = is_less(sorted, &items[high], &room[low]);
		items[at++] = takes_high ? items[high++] : room[low++];
	}
	memcpy(&items[at], &room[low], (half - low) * sizeof(*items));
}

static void merge_sort(const struct sorted *sorted, struct item *items, size_t length, struct item *room)
{
	if (length <= INSERTION_SORT_MAX) {
		insertion_sort(sorted, items, length);
		return;
	}
	size_t half = length / 2;
	merge_sort(sorted, items, half, room);
	merge_sort(sorted, items + half, length - half, room);
	if (is_less(sorted, &items[half], &items[half - 1]))
		merge(sorted, items, length, room);
}

/* Of the same entries one is left. */
static void drop_doubles(struct sorted *sorted)
{
	struct item *items = sorted->items;
	size_t kept = 1;
	for (size_t i = 1; i < sorted->length; i++) {
		if (items[i].digest == items[kept - 1].digest &&
		    compare_rest(sorted, &items[i], &items[kept - 1]) == 0)
			tree_record_unref(items[i].record, sorted->list, NULL);
		else
			items[kept++] = items[i];
	}
	sorted->length = kept;
}

/* Takes what the bulk has, which is not nothing. */
static void sort(struct sorted *sorted, struct tree_bulk *bulk)
{
	size_t length = bulk->records.length;
	*sorted = (struct sorted){.list = bulk->list, .length = length};
	sorted->items = memory_alloc(length * sizeof(*sorted->items));
	take_records(sorted, bulk);
	vector_clear(&bulk->records);
	set_digests(sorted);
	struct item *room = memory_alloc((length / 2 + 1) * sizeof(*room));
	merge_sort(sorted, sorted->items, length, room);
	memory_free(room);
	drop_doubles(sorted);
}

static bool begins_alike(const struct tree_record *a, const struct tree_record *b, size_t prefix)
{
	size_t i = 0;
	while (i < prefix && value_equal(a->slots[i].value, b->slots[i].value))
		i++;
	return i == prefix;
}

static bool is_distinct(const struct sorted *sorted, size_t prefix)
{
	for (size_t i = 1; i < sorted->length; i++) {
		if (begins_alike(sorted->items[i - 1].record, sorted->items[i].record, prefix))
			return false;
	}
	return true;
}

/* ---- Building. ---- */

/* A cell of the node to be made, and the item that its key is from. */
struct part {
	union tree__cell cell;
	const struct item *first;
};

/* The node's prefix and digests, as tree__map_refresh makes them, but from the keys at hand. */
static void set_keys(struct tree_map *map, const struct schema_node *list, const struct part *parts)
{
	struct tree__key first, last, key;
	bool any_cut = false;
	for (size_t i = 0; i < map->length; i++)
		any_cut = any_cut || parts[i].first->is_cut;
	if (any_cut) {
		tree__map_refresh(map, list);
		return;
	}
	key_of(&first, parts[0].first);
	key_of(&last, parts[map->length - 1].first);
	map->prefix_size = (uint16_t)tree__key_common(&first, &last);
	for (size_t i = 0; i < map->length; i++) {
		key_of(&key, parts[i].first);
		tree__map_digests(map)[i] = tree__key_digest(&key, map->prefix_size);
	}
}

static struct tree_map *make_node(const struct schema_node *list, unsigned level, const struct part *parts,
				  size_t length)
{
	struct tree_map *map = tree__map_new(TREE__SORTED, level, length);
	for (size_t i = 0; i < length; i++)
		map->cells[i] = parts[i].cell;
	map->length = (uint8_t)length;
	map->count = tree__map_sum(map, 0, length);
	set_keys(map, list, parts);
	return map;
}

/* Packs cells into as few nodes as hold them, all about as full, and puts these in their place. Gives how
 * many. */
static size_t pack(const struct schema_node *list, unsigned level, struct part *parts, size_t length)
{
	size_t nodes = (length + TREE__FANOUT - 1) / TREE__FANOUT, from = 0;
	for (size_t i = 0; i < nodes; i++) {
		size_t share = length / nodes + (i < length % nodes);
		struct tree_map *node = make_node(list, level, parts + from, share);
		parts[i] = (struct part){.cell = {.child = node}, .first = parts[from].first};
		from += share;
	}
	return nodes;
}

static struct tree_map *build(const struct sorted *sorted)
{
	size_t length = sorted->length;
	struct part *parts = memory_alloc(length * sizeof(*parts));
	for (size_t i = 0; i < length; i++)
		parts[i] = (struct part){.cell = {.item = {.record = sorted->items[i].record}},
					 .first = &sorted->items[i]};
	unsigned level = 0;
	do {
		length = pack(sorted->list, level++, parts, length);
	} while (length > 1);
	struct tree_map *map = parts[0].cell.child;
	memory_free(parts);
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
	if (bulk->records.length == 0)
		return false;
	bool was_empty = tree__builder_find(builder, bulk->list) == NULL;
	if (!was_empty && bulk->records.length == 1) {
		insert(builder, bulk->list, records_of(bulk)[0]);
		vector_clear(&bulk->records);
		return false;
	}
	struct sorted sorted;
	sort(&sorted, bulk);
	bool distinct = was_empty && is_distinct(&sorted, prefix);
	if (was_empty) {
		tree__builder_own(builder);
		tree__builder_insert(builder, bulk->list, (union tree_slot){.map = build(&sorted)});
	} else {
		for (size_t i = 0; i < sorted.length; i++)
			insert(builder, bulk->list, sorted.items[i].record);
	}
	memory_free(sorted.keys);
	memory_free(sorted.items);
	return distinct;
}
