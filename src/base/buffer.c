/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A byte queue between a producer and a consumer of different pace: socket and parser, encoder and socket.
 *
 *     data   start        end      capacity
 *     |  gone  |  unread   |  free  |
 *
 * Room at the end comes from moving the unread bytes to the front, but only where at least as many bytes are
 * gone as must be moved, else from doubling the storage; so a byte is moved O(1) times on average however the
 * consumer dawdles. Invariant: start <= end <= capacity, and start == end implies both are 0.
 */
#include "base/buffer.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include "base/assert.h"
#include "base/memory.h"

#define CAPACITY_MIN 256 /* bytes */

static bool within_limit(const struct buffer *buffer, size_t size)
{
	size_t unread = buffer->end - buffer->start;
	return unread <= buffer->limit && size <= buffer->limit - unread;
}

/* The unread bytes at the front of other storage. Where nothing is gone the C library may move large storage
 * by its pages, untouched; it copies small storage whole, though there may be little in it. */
static char *grow(struct buffer *buffer, size_t capacity)
{
	size_t unread = buffer->end - buffer->start;
	if (buffer->start == 0 && unread >= buffer->capacity / 2)
		return memory_resize(buffer->data, capacity, 1);
	char *data = memory_alloc(capacity);
	if (unread > 0)
		memcpy(data, buffer->data + buffer->start, unread);
	memory_free(buffer->data);
	return data;
}

static void make_room(struct buffer *buffer, size_t size)
{
	if (size <= buffer->capacity - buffer->end)
		return;
	size_t unread = buffer->end - buffer->start;
	if (buffer->start >= unread && size <= buffer->capacity - unread) {
		memcpy(buffer->data, buffer->data + buffer->start, unread);
	} else {
		ASSERT(size <= SIZE_MAX / 4 - unread);
		size_t capacity = buffer->capacity < CAPACITY_MIN ? CAPACITY_MIN : buffer->capacity * 2;
		while (capacity - unread < size)
			capacity *= 2;
		buffer->data = grow(buffer, capacity);
		buffer->capacity = capacity;
	}
	buffer->start = 0;
	buffer->end = unread;
}

void buffer_init(struct buffer *buffer, size_t limit)
{
	*buffer = (struct buffer){.limit = limit};
}

void buffer_fini(struct buffer *buffer)
{
	memory_free(buffer->data);
	*buffer = (struct buffer){.limit = buffer->limit};
}

enum status buffer_append(struct buffer *buffer, struct bytes bytes)
{
	if (!within_limit(buffer, bytes.size))
		return ST_LIMIT;
	if (bytes.size == 0)
		return ST_OK;
	make_room(buffer, bytes.size);
	memcpy(buffer->data + buffer->end, bytes.data, bytes.size);
	buffer->end += bytes.size;
	return ST_OK;
}

enum status buffer_printf(struct buffer *buffer, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	int size = vsnprintf(NULL, 0, format, args);
	va_end(args);
	ASSERT(size >= 0);
	if (!within_limit(buffer, (size_t)size))
		return ST_LIMIT;
	make_room(buffer, (size_t)size + 1); /* the terminator is written but is not part of the content */
	va_start(args, format);
	vsnprintf(buffer->data + buffer->end, (size_t)size + 1, format, args);
	va_end(args);
	buffer->end += (size_t)size;
	return ST_OK;
}

char *buffer_reserve(struct buffer *buffer, size_t size)
{
	if (!within_limit(buffer, size))
		return NULL;
	make_room(buffer, size ? size : 1);
	return buffer->data + buffer->end;
}

void buffer_commit(struct buffer *buffer, size_t size)
{
	ASSERT(size <= buffer->capacity - buffer->end);
	buffer->end += size;
}

struct bytes buffer_get(const struct buffer *buffer)
{
	if (buffer->start == buffer->end)
		return (struct bytes){NULL, 0};
	return (struct bytes){buffer->data + buffer->start, buffer->end - buffer->start};
}

size_t buffer_room(const struct buffer *buffer)
{
	return buffer->capacity - buffer->end;
}

size_t buffer_size(const struct buffer *buffer)
{
	return buffer->end - buffer->start;
}

void buffer_consume(struct buffer *buffer, size_t size)
{
	ASSERT(size <= buffer->end - buffer->start);
	buffer->start += size;
	if (buffer->start == buffer->end)
		buffer->start = buffer->end = 0;
}

void buffer_cut(struct buffer *buffer, size_t size)
{
	ASSERT(size <= buffer->end - buffer->start);
	buffer->end -= size;
	if (buffer->start == buffer->end)
		buffer->start = buffer->end = 0;
}

void buffer_clear(struct buffer *buffer, size_t keep)
{
	buffer->start = buffer->end = 0;
	if (buffer->capacity <= keep)
		return;
	memory_free(buffer->data);
	buffer->data = keep ? memory_alloc(keep) : NULL;
	buffer->capacity = keep;
}
