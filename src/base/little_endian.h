/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* Numbers of 1 to 8 bytes as files have them: the least significant byte first. */
#include <stdint.h>

#include "base/buffer.h"

static inline void little_endian_put(char *out, uint64_t number, unsigned size)
{
	for (unsigned i = 0; i < size; i++)
		out[i] = (char)(number >> (8 * i));
}

static inline uint64_t little_endian_get(const char *in, unsigned size)
{
	uint64_t number = 0;
	for (unsigned i = 0; i < size; i++)
		number |= (uint64_t)(unsigned char)in[i] << (8 * i);
	return number;
}

/* Needs: a buffer with room up to its limit. */
static inline void little_endian_append(struct buffer *out, uint64_t number, unsigned size)
{
	little_endian_put(buffer_reserve(out, size), number, size);
	buffer_commit(out, size);
}
