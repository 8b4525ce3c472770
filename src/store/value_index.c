/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pairs (hash of a value, entry that has it), sorted. An entry is the address of its record: records of a
 * version never change, so where an entry differs between two versions its record does, and tree/pair.h tells
 * the old one and the new one. The reference to the record above the list keeps all of them alive.
 *
 *     base       10:a  17:b  17:c  31:a  40:d           n pairs
 *     changes          17:b absent   23:e present       the newest ones, few
 *
 * A move collects pairs that went and came, sorts them and merges them into `changes`; when these are many
 * they are merged into `base`. So an index is made by moving one of an empty list, a version that differs in
 * little costs little, and one that has nothing in common costs what making costs. It may as well be an older
 * one.
 *
 * Sorted by address behind the hash, as thousands of entries may have the same value: a single one of them is
 * found by a binary search all the same. Values with the same hash are taken for one (store__value_index_find
 * finds too many then).
 */
#include "store/value_index.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/vector.h"
#include "tree/pair.h"

#define CHANGES_MIN 1024 /* pairs that are kept beside `base`, */
#define CHANGES_SHARE 64 /* or this share of it where that is more */

/* `word`: the record, and in the lowest bit whether the pair is there. */
struct value_pair {
	uint64_t hash;
	uintptr_t word;
};

_Static_assert(sizeof(struct value_pair) == STORE_VALUE_INDEX_ENTRY, "what callers reckon with");

#define PRESENT ((uintptr_t)1)

enum kept { KEEP_ALL, KEEP_PRESENT };

struct store__value_index {
	const struct schema_node *list, *leaf;
	const struct tree_record *parent; /* a reference; NULL: not moved yet */
	const struct tree_map *map;	  /* in it; NULL: the list is empty */
	struct vector base, changes;	  /* struct value_pair, by hash and record */
};

struct store__value_index *store__value_index_new(const struct schema_node *list,
						  const struct schema_node *leaf)
{
	struct store__value_index *index = memory_zalloc(sizeof(*index));
	index->list = list;
	index->leaf = leaf;
	vector_init(&index->base, sizeof(struct value_pair));
	vector_init(&index->changes, sizeof(struct value_pair));
	return index;
}

void store__value_index_free(struct store__value_index *index, struct tree_reclaimer *reclaimer)
{
	if (index == NULL)
		return;
	if (index->parent != NULL)
		tree_record_unref(index->parent, index->list->parent, reclaimer);
	vector_fini(&index->base);
	vector_fini(&index->changes);
	memory_free(index);
}

/* ---- Sorted pairs. ---- */

static const struct value_pair *pairs_of(const struct vector *vector)
{
	return vector->data;
}

/* Of the same hash and record: 0. */
static int compare_identity(const struct value_pair *a, const struct value_pair *b)
{
	uintptr_t in_a = a->word | PRESENT, in_b = b->word | PRESENT;
	if (a->hash != b->hash)
		return a->hash < b->hash ? -1 : 1;
	return (in_a > in_b) - (in_a < in_b);
}

/* Absent before present. */
static int compare_pairs(const void *a, const void *b)
{
	const struct value_pair *left = a, *right = b;
	int order = compare_identity(left, right);
	return order != 0 ? order : (left->word > right->word) - (left->word < right->word);
}

/* Of each pair the last one: what is in both versions stays. */
static void sort_pairs(struct vector *pairs)
{
	struct value_pair *items = pairs->data;
	size_t kept = 0;
	if (pairs->length == 0)
		return;
	qsort(items, pairs->length, sizeof(*items), compare_pairs);
	for (size_t i = 1; i < pairs->length; i++) {
		if (compare_identity(&items[kept], &items[i]) != 0)
			kept++;
		items[kept] = items[i];
	}
	pairs->length = kept + 1;
}

/* The pair that comes next in either, the newer one of two that are the same. */
static const struct value_pair *next_pair(const struct value_pair **older, const struct value_pair *older_end,
					  const struct value_pair **newer, const struct value_pair *newer_end)
{
	if (*newer == newer_end)
		return (*older)++;
	if (*older == older_end)
		return (*newer)++;
	int order = compare_identity(*older, *newer);
	if (order < 0)
		return (*older)++;
	*older += order == 0;
	return (*newer)++;
}

/* Both into `older`; `newer` is empty then. */
static void merge(struct vector *older, struct vector *newer, enum kept kept)
{
	const struct value_pair *a = pairs_of(older), *b = pairs_of(newer);
	const struct value_pair *a_end = a + older->length, *b_end = b + newer->length;
	struct value_pair *all = memory_alloc((older->length + newer->length + 1) * sizeof(*all));
	size_t length = 0;
	while (a != a_end || b != b_end) {
		const struct value_pair *pair = next_pair(&a, a_end, &b, b_end);
		if (kept == KEEP_ALL || (pair->word & PRESENT) != 0)
			all[length++] = *pair;
	}
	vector_fini(older);
	vector_fini(newer);
	vector_init(newer, sizeof(*all));
	vector_init(older, sizeof(*all));
	older->data = memory_resize(all, length + 1, sizeof(*all));
	older->length = length;
	older->capacity = length + 1;
}

/* ---- Moving. ---- */

/* Below UINT64_MAX. */
static uint64_t hash_of(struct bytes text)
{
	return bytes_hash(text, 0) >> 1;
}

static void add_pair(struct vector *pairs, const struct tree_record *record, struct value value,
		     uintptr_t present)
{
	struct value_pair *pair = vector_push(pairs);
	pair->hash = hash_of(value_bytes(&value));
	pair->word = (uintptr_t)record | present;
}

static void add_entry(const struct store__value_index *index, struct vector *pairs,
		      const struct tree_record *record, uintptr_t present)
{
	const union tree_slot *slot = tree_record_find(record, index->leaf);
	if (slot == NULL)
		return;
	if (index->leaf->kind == SCHEMA_LEAF) {
		add_pair(pairs, record, slot->value, present);
		return;
	}
	struct tree_map_iter iter;
	const union tree_item *item = tree_map_first(&iter, slot->map, index->leaf);
	for (; item != NULL; item = tree_map_next(&iter))
		add_pair(pairs, record, item->value, present);
}

static void add_difference(struct store__value_index *index, const struct tree_map *map)
{
	struct vector pairs;
	vector_init(&pairs, sizeof(struct value_pair));
	const union tree_item *in_old, *in_new;
	struct tree_pair *pair = tree_pair_new(index->list, index->map, map);
	while (tree_pair_next(pair, &in_old, &in_new)) {
		if (in_old != NULL)
			add_entry(index, &pairs, in_old->record, 0);
		if (in_new != NULL)
			add_entry(index, &pairs, in_new->record, PRESENT);
	}
	tree_pair_free(pair);
	sort_pairs(&pairs);
	merge(&index->changes, &pairs, KEEP_ALL);
	vector_fini(&pairs);
}

void store__value_index_move(struct store__value_index *index, const struct tree_record *parent,
			     struct tree_reclaimer *reclaimer)
{
	const union tree_slot *slot = tree_record_find(parent, index->list);
	const struct tree_map *map = slot != NULL ? slot->map : NULL;
	const struct tree_record *before = index->parent;
	if (map != index->map)
		add_difference(index, map);
	size_t share = index->base.length / CHANGES_SHARE;
	if (index->changes.length > (share > CHANGES_MIN ? share : CHANGES_MIN))
		merge(&index->base, &index->changes, KEEP_PRESENT);
	index->parent = tree_record_ref(parent);
	index->map = map;
	if (before != NULL)
		tree_record_unref(before, index->list->parent, reclaimer);
}

bool store__value_index_is_at(const struct store__value_index *index, const struct tree_map *map)
{
	return index->parent != NULL && index->map == map;
}

/* ---- Finding. ---- */

/* The first pair that is not below the hash; behind the last one where there is none. */
static const struct value_pair *seek(const struct vector *pairs, uint64_t hash)
{
	const struct value_pair *items = pairs->data;
	size_t low = 0, high = pairs->length;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (items[middle].hash < hash)
			low = middle + 1;
		else
			high = middle;
	}
	return items + low;
}

bool store__value_index_find(const struct store__value_index *index, struct bytes text, size_t limit,
			     struct xpath_found *found)
{
	uint64_t hash = hash_of(text);
	const struct value_pair *base = seek(&index->base, hash), *base_end = seek(&index->base, hash + 1);
	const struct value_pair *changes = seek(&index->changes, hash),
				*changes_end = seek(&index->changes, hash + 1);
	size_t most = (size_t)(base_end - base) + (size_t)(changes_end - changes);
	if (most > limit)
		return false;
	found->records = memory_alloc((most + 1) * sizeof(const struct tree_record *));
	found->length = 0;
	while (base != base_end || changes != changes_end) {
		const struct value_pair *pair = next_pair(&base, base_end, &changes, changes_end);
		if ((pair->word & PRESENT) != 0)
			found->records[found->length++] = (const struct tree_record *)(pair->word & ~PRESENT);
	}
	return true;
}

size_t store__value_index_memory(const struct store__value_index *index)
{
	return sizeof(*index) + (index->base.capacity + index->changes.capacity) * sizeof(struct value_pair);
}
