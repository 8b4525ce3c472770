/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * An immutable hash index from (scope, name) to a pointer, for lookups on hot paths: filled while a schema is
 * compiled, then only read. Names are borrowed. Its content is the models', not a client's, so that no client
 * can make probes long.
 */
#include <stddef.h>
#include <stdint.h>
#include "base/bytes.h"

struct schema__index_entry {
	uint64_t hash;
	uint64_t scope;
	struct bytes name;
	const void *value; /* NULL: free */
};

struct schema__index {
	struct schema__index_entry *entries; /* mask + 1 of them; NULL while empty */
	size_t mask;
	size_t length;
};

/* Adds an entry; the first one of a (scope, name) stays. */
void schema__index_add(struct schema__index *index, uint64_t scope, struct bytes name, const void *value);
/* NULL where absent. */
const void *schema__index_find(const struct schema__index *index, uint64_t scope, struct bytes name);
void schema__index_fini(struct schema__index *index);
