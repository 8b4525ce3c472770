/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* A borrowed run of bytes, not terminated. Valid as long as what it was taken from. */
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct bytes {
	const char *data; /* may be NULL when size is 0 */
	size_t size;
};

static inline struct bytes bytes_of(const char *text)
{
	return (struct bytes){text, strlen(text)};
}

static inline bool bytes_equal(struct bytes a, struct bytes b)
{
	return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

/* <0, 0, >0 as memcmp; of two runs of which one begins with the other, the shorter is less. */
int bytes_compare(struct bytes a, struct bytes b);
/* FNV-1a style or better 64-bit hash; not for hostile hash-flooding, see hash_table.h. */
unsigned long long bytes_hash(struct bytes bytes, unsigned long long seed);
