/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Comparing and hashing runs of bytes. The hash folds 16 bytes a step through a 64x64->128 bit multiplication
 * (as wyhash and rapidhash do): fast and well spread, but a client that knows the seed can make collisions.
 * Tables that hold a client's keys use hash_table.h, which has a keyed hash. Words are read in host order, so
 * hashes are for memory only; never store one.
 */
#include "base/bytes.h"

#include <stdint.h>

#define MIX_1 0xa0761d6478bd642full
#define MIX_2 0xe7037ed1a0b428dbull

static uint64_t multiply_fold(uint64_t a, uint64_t b)
{
	unsigned __int128 product = (unsigned __int128)a * b;
	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* Up to 8 bytes, zero-extended. A copy of a size that is not known takes longer than all else here; words and
 * bytes that overlap give the same. */
static uint64_t load(const char *data, size_t size)
{
	uint64_t word = 0;
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	uint32_t first, last;
	const unsigned char *bytes = (const unsigned char *)data;
	if (size < 4)
		return bytes[0] | (uint64_t)bytes[size / 2] << size / 2 * 8 |
		       (uint64_t)bytes[size - 1] << (size - 1) * 8;
	if (size < 8) {
		memcpy(&first, data, sizeof(first));
		memcpy(&last, data + size - sizeof(last), sizeof(last));
		return first | (uint64_t)last << (size - sizeof(last)) * 8;
	}
#endif
	memcpy(&word, data, size);
	return word;
}

int bytes_compare(struct bytes a, struct bytes b)
{
	size_t common = a.size < b.size ? a.size : b.size;
	int order = common ? memcmp(a.data, b.data, common) : 0;
	if (order != 0)
		return order;
	return (a.size > b.size) - (a.size < b.size);
}

unsigned long long bytes_hash(struct bytes bytes, unsigned long long seed)
{
	uint64_t hash = seed ^ MIX_1;
	const char *data = bytes.data;
	size_t left = bytes.size;
	for (; left >= 16; left -= 16, data += 16)
		hash = multiply_fold(load(data, 8) ^ MIX_2, load(data + 8, 8) ^ hash);
	uint64_t low = 0, high = 0;
	if (left >= 8) {
		low = load(data, 8);
		high = left > 8 ? load(data + 8, left - 8) : 0;
	} else if (left > 0) {
		low = load(data, left);
	}
	hash = multiply_fold(low ^ MIX_2, high ^ hash);
	/* The size keeps apart runs that differ only in trailing zero bytes. */
	return multiply_fold(hash ^ MIX_1, bytes.size ^ MIX_2);
}
