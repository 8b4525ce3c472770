/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * A growable byte queue with a limit: append at the end, consume from the front. The unread bytes are
 * data[start .. end). Storage doubles; consuming everything makes the storage reusable at no cost.
 */
#include <stddef.h>
#include "base/bytes.h"
#include "base/status.h"

struct buffer {
	char *data;
	size_t start, end, capacity; /* bytes */
	size_t limit;		     /* most unread bytes; SIZE_MAX for none */
};

void buffer_init(struct buffer *buffer, size_t limit);
void buffer_fini(struct buffer *buffer);
/* Fails with ST_LIMIT (nothing appended) where the limit would be passed. */
enum status buffer_append(struct buffer *buffer, struct bytes bytes) MUST_USE;
enum status buffer_printf(struct buffer *buffer, const char *format, ...) PRINTF_LIKE(2, 3) MUST_USE;
/* Room for `size` more bytes at the end, to be written by the caller, then buffer_commit(). NULL at the
 * limit. */
char *buffer_reserve(struct buffer *buffer, size_t size);
void buffer_commit(struct buffer *buffer, size_t size);
/* What is unread. Valid until the next call that changes the buffer. */
struct bytes buffer_get(const struct buffer *buffer);
size_t buffer_size(const struct buffer *buffer);
/* Bytes that can be reserved without a change of storage. */
size_t buffer_room(const struct buffer *buffer);
void buffer_consume(struct buffer *buffer, size_t size);
/* Takes back the last `size` unread bytes. */
void buffer_cut(struct buffer *buffer, size_t size);
/* Forgets content and releases storage above `keep` bytes. */
void buffer_clear(struct buffer *buffer, size_t keep);
