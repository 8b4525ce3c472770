/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * A leaf's value: the canonical lexical form (RFC 7950 9.1) in one machine word.
 *
 *   word == 0                 no value (VALUE_NONE)
 *   lowest bit 1              inline: the word's first byte in memory is (size << 1 | 1), then up to 7 bytes
 * of text else                      a pointer to a shared `struct text` (8-byte aligned)
 *
 * Two values of one type are equal exactly if their texts are equal. Names in identityref,
 * instance-identifier and xpath1.0 values carry module names as prefixes ("iana-if-type:l2vlan"), never a
 * request's; such a text has TEXT_QNAME set and is never inline. Enum and identity names are immortal texts
 * of the schema.
 *
 * A `struct value` is copied freely as a borrow; value_ref/value_unref move ownership of a shared text.
 */
#include <stdbool.h>
#include <stdint.h>
#include "base/bytes.h"
#include "base/text.h"

struct value {
	uint64_t word;
};

#define VALUE_NONE ((struct value){0})
#define VALUE_INLINE_MAX 7 /* bytes */

/* Gives a value that owns a text of its own where the bytes do not fit inline. `flags`: enum text_flag. */
struct value value_new(struct bytes canonical, uint32_t flags);
/* Wraps a text; Takes one reference. A short text without flags becomes inline. */
struct value value_of_text(struct text *text);

static inline bool value_is_none(struct value value)
{
	return value.word == 0;
}

static inline struct text *value_shared_text(struct value value)
{
	return (value.word == 0 || (value.word & 1)) ? NULL : (struct text *)(uintptr_t)value.word;
}

static inline struct value value_ref(struct value value)
{
	struct text *text = value_shared_text(value);
	if (text != NULL)
		text_ref(text);
	return value;
}

static inline void value_unref(struct value value)
{
	struct text *text = value_shared_text(value);
	if (text != NULL)
		text_unref(text);
}

/* The text of *value. Valid as long as *value itself stays where it is (inline bytes live in it). */
static inline struct bytes value_bytes(const struct value *value)
{
	const struct text *text = value_shared_text(*value);
	if (text != NULL)
		return text_bytes(text);
	const char *raw = (const char *)value;
	return (struct bytes){raw + 1, value->word == 0 ? 0 : (unsigned char)raw[0] >> 1};
}

/* Same text. Values made by value_new of equal short texts are equal words. */
bool value_equal(struct value a, struct value b);
