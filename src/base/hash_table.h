/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * A hash table from byte strings to pointers: open addressing, keys are copied, one thread at a time. The
 * hash is keyed (SipHash-1-3), so that a client that chooses the keys cannot make them collide.
 */
#include <stddef.h>
#include <stdint.h>
#include "base/bytes.h"

struct hash_table;

/* The process's secret seed, set once from the kernel's generator before any client is let in. Tables that
 * exist keep the seed they were made with. */
void hash_table_set_seed(uint64_t seed);

struct hash_table *hash_table_new(void);
void hash_table_free(struct hash_table *table);				 /* does not free the values */
void *hash_table_find(const struct hash_table *table, struct bytes key); /* NULL where absent */
/* Sets the value (non-NULL) and returns the earlier one or NULL. */
void *hash_table_put(struct hash_table *table, struct bytes key, void *value);
void *hash_table_remove(struct hash_table *table, struct bytes key);
size_t hash_table_length(const struct hash_table *table);
/* Calls `visit` for each entry, in no order; the table must not change meanwhile. */
void hash_table_each(const struct hash_table *table, void (*visit)(struct bytes key, void *value, void *arg),
		     void *arg);
