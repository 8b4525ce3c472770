/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Open addressing with linear probing in a power-of-two array that is at most three quarters full. Removing
 * an entry shifts the entries behind it back (Knuth 6.4, algorithm R), so there are no tombstones and a table
 * that is used as a queue for years stays as fast as a new one.
 *
 * The hash is SipHash with 1 compression and 3 finalisation rounds (Aumasson, Bernstein 2012; the variant
 * that Rust, Python and Perl use for their tables) under a key that clients do not know: keys come from the
 * wire, and a known hash would let a client turn every table into a list.
 */
#include "base/hash_table.h"

#include <stdatomic.h>

#include "base/assert.h"
#include "base/memory.h"

#define CAPACITY_MIN 8 /* slots */

struct slot {
	uint64_t hash;
	char *key; /* owned */
	size_t key_size;
	void *value; /* NULL: the slot is free */
};

struct hash_table {
	struct slot *slots; /* NULL while the table is empty and new */
	size_t capacity;    /* slots, a power of two, or 0 */
	size_t length;
	uint64_t key[2]; /* of SipHash */
};

/* Set before threads exist; atomic only so that a test may set it at any time. */
static _Atomic uint64_t process_seed = 0x59617265u;

static uint64_t rotate(uint64_t word, int bits)
{
	return word << bits | word >> (64 - bits);
}

static void sip_round(uint64_t v[4])
{
	v[0] += v[1];
	v[1] = rotate(v[1], 13) ^ v[0];
	v[0] = rotate(v[0], 32);
	v[2] += v[3];
	v[3] = rotate(v[3], 16) ^ v[2];
	v[0] += v[3];
	v[3] = rotate(v[3], 21) ^ v[0];
	v[2] += v[1];
	v[1] = rotate(v[1], 17) ^ v[2];
	v[2] = rotate(v[2], 32);
}

static void sip_word(uint64_t v[4], uint64_t word)
{
	v[3] ^= word;
	sip_round(v);
	v[0] ^= word;
}

static uint64_t sip_hash(const uint64_t key[2], struct bytes bytes)
{
	uint64_t v[4] = {key[0] ^ 0x736f6d6570736575ull, key[1] ^ 0x646f72616e646f6dull,
			 key[0] ^ 0x6c7967656e657261ull, key[1] ^ 0x7465646279746573ull};
	size_t whole = bytes.size / 8 * 8;
	for (size_t at = 0; at < whole; at += 8) {
		uint64_t word;
		memcpy(&word, bytes.data + at, 8);
		sip_word(v, word);
	}
	uint64_t last = (uint64_t)bytes.size << 56;
	for (size_t at = whole; at < bytes.size; at++)
		last |= (uint64_t)(unsigned char)bytes.data[at] << (8 * (at - whole));
	sip_word(v, last);
	v[2] ^= 0xff;
	for (int round = 0; round < 3; round++)
		sip_round(v);
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}

/* Spreads the process's seed over the 128 bits of a key (splitmix64). */
static uint64_t expand(uint64_t seed, uint64_t step)
{
	uint64_t z = seed + step * 0x9e3779b97f4a7c15ull;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return z ^ z >> 31;
}

static bool slot_holds(const struct slot *slot, uint64_t hash, struct bytes key)
{
	return slot->hash == hash && bytes_equal((struct bytes){slot->key, slot->key_size}, key);
}

/* The slot that holds the key, or the free one where it would go. Needs capacity > length. */
static struct slot *probe(const struct hash_table *table, uint64_t hash, struct bytes key)
{
	size_t mask = table->capacity - 1;
	size_t at = hash & mask;
	while (table->slots[at].value && !slot_holds(&table->slots[at], hash, key))
		at = (at + 1) & mask;
	return &table->slots[at];
}

static void grow(struct hash_table *table)
{
	struct slot *old = table->slots;
	size_t old_capacity = table->capacity;
	table->capacity = old_capacity ? old_capacity * 2 : CAPACITY_MIN;
	table->slots = memory_zalloc(table->capacity * sizeof(*table->slots));
	size_t mask = table->capacity - 1;
	for (size_t i = 0; i < old_capacity; i++) {
		if (!old[i].value)
			continue;
		size_t at = old[i].hash & mask;
		while (table->slots[at].value)
			at = (at + 1) & mask;
		table->slots[at] = old[i];
	}
	memory_free(old);
}

/* Frees the slot at `hole` and moves back what had probed over it. */
static void close_gap(struct hash_table *table, size_t hole)
{
	size_t mask = table->capacity - 1;
	for (size_t at = (hole + 1) & mask; table->slots[at].value; at = (at + 1) & mask) {
		size_t home = table->slots[at].hash & mask;
		/* It may move where the hole lies on its way from home to here. */
		if (((at - home) & mask) < ((at - hole) & mask))
			continue;
		table->slots[hole] = table->slots[at];
		hole = at;
	}
	table->slots[hole] = (struct slot){0};
}

void hash_table_set_seed(uint64_t seed)
{
	atomic_store_explicit(&process_seed, seed, memory_order_relaxed);
}

struct hash_table *hash_table_new(void)
{
	uint64_t seed = atomic_load_explicit(&process_seed, memory_order_relaxed);
	struct hash_table *table = memory_alloc(sizeof(*table));
	*table = (struct hash_table){.key = {expand(seed, 1), expand(seed, 2)}};
	return table;
}

void hash_table_free(struct hash_table *table)
{
	if (!table)
		return;
	for (size_t i = 0; i < table->capacity; i++)
		memory_free(table->slots[i].key);
	memory_free(table->slots);
	memory_free(table);
}

void *hash_table_find(const struct hash_table *table, struct bytes key)
{
	if (table->length == 0)
		return NULL;
	return probe(table, sip_hash(table->key, key), key)->value;
}

void *hash_table_put(struct hash_table *table, struct bytes key, void *value)
{
	ASSERT(value);
	if (table->length >= table->capacity / 4 * 3)
		grow(table);
	uint64_t hash = sip_hash(table->key, key);
	struct slot *slot = probe(table, hash, key);
	void *earlier = slot->value;
	if (!earlier) {
		*slot = (struct slot){.hash = hash, .key = memory_alloc(key.size), .key_size = key.size};
		if (key.size > 0)
			memcpy(slot->key, key.data, key.size);
		table->length++;
	}
	slot->value = value;
	return earlier;
}

void *hash_table_remove(struct hash_table *table, struct bytes key)
{
	if (table->length == 0)
		return NULL;
	struct slot *slot = probe(table, sip_hash(table->key, key), key);
	void *value = slot->value;
	if (!value)
		return NULL;
	memory_free(slot->key);
	close_gap(table, (size_t)(slot - table->slots));
	table->length--;
	return value;
}

size_t hash_table_length(const struct hash_table *table)
{
	return table->length;
}

void hash_table_each(const struct hash_table *table, void (*visit)(struct bytes key, void *value, void *arg),
		     void *arg)
{
	for (size_t i = 0; i < table->capacity; i++) {
		const struct slot *slot = &table->slots[i];
		if (slot->value)
			visit((struct bytes){slot->key, slot->key_size}, slot->value, arg);
	}
}
