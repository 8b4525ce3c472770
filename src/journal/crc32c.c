/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * CRC-32C, 8 bytes a step: with the instruction of SSE 4.2 where the processor has it, else by eight tables
 * ("slicing by 8", Kounavis and Berry 2005) that are computed at first use.
 */
#include "journal/crc32c.h"
#include <pthread.h>
#if defined(__x86_64__)
#include <nmmintrin.h>
#endif

#define POLYNOMIAL 0x82f63b78u /* reflected */

/* Written once, by make_tables. */
static uint32_t tables[8][256];

static void make_tables(void)
{
	for (uint32_t i = 0; i < 256; i++) {
		uint32_t crc = i;
		for (int bit = 0; bit < 8; bit++)
			crc = (crc >> 1) ^ (crc & 1 ? POLYNOMIAL : 0);
		tables[0][i] = crc;
	}
	for (uint32_t i = 0; i < 256; i++) {
		for (int table = 1; table < 8; table++)
			tables[table][i] =
				(tables[table - 1][i] >> 8) ^ tables[0][tables[table - 1][i] & 0xff];
	}
}

uint32_t crc32c_portable(uint32_t before, struct bytes bytes)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	pthread_once(&once, make_tables);
	const unsigned char *data = (const unsigned char *)bytes.data;
	size_t left = bytes.size;
	uint32_t crc = ~before;
	for (; left >= 8; left -= 8, data += 8) {
		uint32_t low = crc ^ ((uint32_t)data[0] | (uint32_t)data[1] << 8 | (uint32_t)data[2] << 16 |
				      (uint32_t)data[3] << 24);
		crc = tables[7][low & 0xff] ^ tables[6][(low >> 8) & 0xff] ^ tables[5][(low >> 16) & 0xff] ^
		      tables[4][low >> 24] ^ tables[3][data[4]] ^ tables[2][data[5]] ^ tables[1][data[6]] ^
		      tables[0][data[7]];
	}
	for (; left > 0; left--, data++)
		crc = (crc >> 8) ^ tables[0][(crc ^ *data) & 0xff];
	return ~crc;
}

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) static uint32_t crc32c_sse42(uint32_t before, struct bytes bytes)
{
	const char *data = bytes.data;
	size_t left = bytes.size;
	uint64_t crc = (uint32_t)~before;
	for (; left >= 8; left -= 8, data += 8) {
		uint64_t word;
		memcpy(&word, data, 8);
		crc = _mm_crc32_u64(crc, word);
	}
	for (; left > 0; left--, data++)
		crc = _mm_crc32_u8((uint32_t)crc, (unsigned char)*data);
	return ~(uint32_t)crc;
}
#endif

uint32_t crc32c(uint32_t before, struct bytes bytes)
{
#if defined(__x86_64__)
	if (__builtin_cpu_supports("sse4.2"))
		return crc32c_sse42(before, bytes);
#endif
	return crc32c_portable(before, bytes);
}
