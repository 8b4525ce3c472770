/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * Characters of UTF-8 text. Texts come from XML and are valid; of anything else each stray byte counts as a
 * character, so that every text can be walked.
 */
#include "base/bytes.h"

/* Bytes of the character that begins at `at`. Needs at < text.size. */
static inline size_t xpath__character_size(struct bytes text, size_t at)
{
	size_t end = at + 1;
	if (((unsigned char)text.data[at] & 0xc0) == 0xc0) {
		while (end < text.size && end < at + 4 && ((unsigned char)text.data[end] & 0xc0) == 0x80)
			end++;
	}
	return end - at;
}

static inline size_t xpath__character_count(struct bytes text)
{
	size_t count = 0;
	for (size_t at = 0; at < text.size; at += xpath__character_size(text, at))
		count++;
	return count;
}

/* Writes 1 to 4 bytes; returns how many. */
static inline size_t xpath__character_encode(unsigned long code, char out[4])
{
	if (code < 0x80) {
		out[0] = (char)code;
		return 1;
	}
	size_t size = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
	static const unsigned char marks[] = {0, 0, 0xc0, 0xe0, 0xf0};
	for (size_t i = size - 1; i > 0; i--) {
		out[i] = (char)(0x80 | (code & 0x3f));
		code >>= 6;
	}
	out[0] = (char)(marks[size] | code);
	return size;
}
