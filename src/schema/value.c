/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A leaf's value in one word. Short texts, which most leafs of a configuration have (numbers, booleans, enum
 * names, interface names), live in the word itself and cost neither memory nor a reference count.
 *
 * Invariants: an inline word has zeros after its text, so that equal texts are equal words; a text with flags
 * is never inline, since the word has no room for them; bit 0 of a pointer is 0 because allocations are
 * 8-byte aligned. The first byte in memory holds bit 0, hence little-endian machines only.
 */
#include "schema/value.h"

#include "base/assert.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
	       "the first byte of a word must hold its lowest bit");

static struct value inline_value(struct bytes text)
{
	struct value value = {0};
	unsigned char *raw = (unsigned char *)&value.word;
	raw[0] = (unsigned char)(text.size << 1 | 1);
	if (text.size > 0)
		memcpy(raw + 1, text.data, text.size);
	return value;
}

static struct value shared_value(struct text *text)
{
	ASSERT(((uintptr_t)text & 1) == 0);
	return (struct value){(uint64_t)(uintptr_t)text};
}

struct value value_new(struct bytes canonical, uint32_t flags)
{
	if (flags == 0 && canonical.size <= VALUE_INLINE_MAX)
		return inline_value(canonical);
	return shared_value(text_new(canonical, flags));
}

struct value value_of_text(struct text *text)
{
	if (text->flags != 0 || text->size > VALUE_INLINE_MAX)
		return shared_value(text);
	struct value value = inline_value(text_bytes(text));
	text_unref(text);
	return value;
}

bool value_equal(struct value a, struct value b)
{
	if (a.word == b.word)
		return true;
	const struct text *x = value_shared_text(a), *y = value_shared_text(b);
	return x != NULL && y != NULL && bytes_equal(text_bytes(x), text_bytes(y));
}
