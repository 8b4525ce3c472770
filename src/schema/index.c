/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The index behind all lookups by name in a schema: open addressing with linear probing, at most half full,
 * so that the find of each XML element touches one or two cache lines. Entries keep their hash, and names are
 * compared only where it is equal.
 */
#include "schema/index.h"

#include "base/memory.h"

#define INDEX_FIRST_LENGTH 16 /* entries, a power of two */

static uint64_t hash_of(uint64_t scope, struct bytes name)
{
	return bytes_hash(name, scope);
}

static void place(struct schema__index *index, struct schema__index_entry entry)
{
	size_t at = entry.hash & index->mask;
	while (index->entries[at].value != NULL)
		at = (at + 1) & index->mask;
	index->entries[at] = entry;
}

static void grow(struct schema__index *index)
{
	struct schema__index_entry *old = index->entries;
	size_t old_length = old == NULL ? 0 : index->mask + 1;
	size_t length = old_length == 0 ? INDEX_FIRST_LENGTH : old_length * 2;
	index->entries = memory_zalloc(length * sizeof(*index->entries));
	index->mask = length - 1;
	for (size_t i = 0; i < old_length; i++)
		if (old[i].value != NULL)
			place(index, old[i]);
	memory_free(old);
}

void schema__index_add(struct schema__index *index, uint64_t scope, struct bytes name, const void *value)
{
	if (schema__index_find(index, scope, name) != NULL)
		return;
	if (index->entries == NULL || index->length * 2 > index->mask)
		grow(index);
	place(index, (struct schema__index_entry){hash_of(scope, name), scope, name, value});
	index->length++;
}

const void *schema__index_find(const struct schema__index *index, uint64_t scope, struct bytes name)
{
	if (index->entries == NULL)
		return NULL;
	uint64_t hash = hash_of(scope, name);
	for (size_t at = hash & index->mask; index->entries[at].value != NULL; at = (at + 1) & index->mask) {
		const struct schema__index_entry *entry = &index->entries[at];
		if (entry->hash == hash && entry->scope == scope && bytes_equal(entry->name, name))
			return entry->value;
	}
	return NULL;
}

void schema__index_fini(struct schema__index *index)
{
	memory_free(index->entries);
	*index = (struct schema__index){0};
}
