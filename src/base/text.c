/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Shared strings: the leaf values of all versions of a datastore that are not small enough to live in their
 * record. A reference is taken with a relaxed increment, since who takes one holds one already; it is dropped
 * with acquire-release, so that the thread that frees sees all that others did with the text. Immortal texts
 * are read by every thread all the time (the names of an enum); not counting them keeps their cache line
 * shared among cores.
 */
#include "base/text.h"

#include "base/assert.h"
#include "base/memory.h"

static struct text *make(struct bytes bytes, uint32_t flags, uint32_t refs)
{
	ASSERT(bytes.size <= TEXT_SIZE_MAX && flags <= 3);
	struct text *text = memory_alloc(sizeof(*text) + bytes.size);
	atomic_init(&text->refs, refs);
	text->size = (uint32_t)bytes.size;
	text->flags = flags;
	if (bytes.size > 0)
		memcpy(text->data, bytes.data, bytes.size);
	return text;
}

struct text *text_new(struct bytes bytes, uint32_t flags)
{
	return make(bytes, flags, 1);
}

struct text *text_new_immortal(struct bytes bytes, uint32_t flags)
{
	return make(bytes, flags, TEXT_IMMORTAL);
}

void text_free_immortal(struct text *text)
{
	if (!text)
		return;
	ASSERT(atomic_load_explicit(&text->refs, memory_order_relaxed) == TEXT_IMMORTAL);
	memory_free(text);
}

struct text *text_ref(struct text *text)
{
	if (atomic_load_explicit(&text->refs, memory_order_relaxed) == TEXT_IMMORTAL)
		return text;
	uint32_t before = atomic_fetch_add_explicit(&text->refs, 1, memory_order_relaxed);
	ASSERT(before > 0 && before < TEXT_IMMORTAL - 1);
	return text;
}

void text_unref(struct text *text)
{
	if (!text || atomic_load_explicit(&text->refs, memory_order_relaxed) == TEXT_IMMORTAL)
		return;
	uint32_t before = atomic_fetch_sub_explicit(&text->refs, 1, memory_order_acq_rel);
	ASSERT(before > 0);
	if (before == 1)
		memory_free(text);
}
