/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * Shared immutable strings with an atomic reference count. Any thread may take and drop references.
 * A text whose count is TEXT_IMMORTAL (enum and identity names of a schema) is never counted.
 */
#include <stdatomic.h>
#include <stdint.h>
#include "base/bytes.h"

#define TEXT_IMMORTAL UINT32_MAX

enum text_flag {
	TEXT_QNAME = 1, /* the text holds module-name prefixes that XML output must map to namespaces */
};

struct text {
	_Atomic uint32_t refs;
	uint32_t size : 30; /* bytes of data; a text is at most TEXT_SIZE_MAX bytes */
	uint32_t flags : 2; /* enum text_flag */
	char data[];	    /* not terminated */
};

#define TEXT_SIZE_MAX ((1u << 30) - 1)

/* One reference, owned by the caller. Needs bytes.size <= TEXT_SIZE_MAX. */
struct text *text_new(struct bytes bytes, uint32_t flags);
struct text *text_new_immortal(struct bytes bytes, uint32_t flags); /* freed by text_free_immortal */
void text_free_immortal(struct text *text);
struct text *text_ref(struct text *text);
void text_unref(struct text *text);

static inline struct bytes text_bytes(const struct text *text)
{
	return (struct bytes){text->data, text->size};
}
