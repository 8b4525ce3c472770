/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* An open-addressing hash table from byte strings to pointers; keys are copied; hashing is seeded per table. */
#include <stddef.h>
#include "base/bytes.h"

struct hash_table;

struct hash_table *hash_table_new(void);
void hash_table_free(struct hash_table *table); /* does not free the values */
void *hash_table_find(const struct hash_table *table, struct bytes key); /* NULL where absent */
/* Sets the value (non-NULL) and returns the earlier one or NULL. */
void *hash_table_put(struct hash_table *table, struct bytes key, void *value);
void *hash_table_remove(struct hash_table *table, struct bytes key);
size_t hash_table_length(const struct hash_table *table);
/* Calls `visit` for each entry, in no order; the table must not change meanwhile. */
void hash_table_each(const struct hash_table *table, void (*visit)(struct bytes key, void *value, void *arg), void *arg);
