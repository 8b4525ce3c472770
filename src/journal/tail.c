/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The end of the last segment in memory: what was appended and is not written, and before it the bytes that
 * share its first block.
 *
 *     file     ....[ block ][ block ][ block with an end ]
 *     tail                           [ start .. written .. end ]
 *
 * A sync writes it in whole blocks, zeros behind the end, past the system's cache. The block that the end is
 * in is written again by the next sync, with the same bytes up to the old end: a power cut that leaves only
 * some sectors of a write takes nothing away that was there before.
 *
 * What a sync writes is taken away from here, so that appending goes on meanwhile in other memory.
 *
 * Invariant: start is a multiple of the block; all of the segment before `written` was written, or is being
 * written by the one sync that is under way.
 */
#include <string.h>
#include "base/assert.h"
#include "base/memory.h"
#include "journal/internal.h"

#define KEEP ((size_t)64 << 10) /* bytes that stay allocated */

static uint64_t block_before(uint64_t offset)
{
	return offset - offset % OS_BLOCK_SIZE;
}

static size_t block_after(size_t size)
{
	return (size + OS_BLOCK_SIZE - 1) / OS_BLOCK_SIZE * OS_BLOCK_SIZE;
}

/* Room for `size` bytes; the first `kept` stay. */
static void block_grow(struct journal__block *block, size_t kept, size_t size)
{
	if (size <= block->capacity)
		return;
	size_t capacity = block_after(size > 2 * block->capacity ? size : 2 * block->capacity);
	char *memory = memory_alloc(capacity + OS_BLOCK_SIZE);
	char *data = memory + (OS_BLOCK_SIZE - (uintptr_t)memory % OS_BLOCK_SIZE);
	if (kept > 0)
		memcpy(data, block->data, kept);
	memory_free(block->memory);
	*block = (struct journal__block){memory, data, capacity};
}

static void block_free(struct journal__block *block)
{
	memory_free(block->memory);
	*block = (struct journal__block){0};
}

uint64_t journal__tail_room(uint64_t size)
{
	return block_after(size);
}

void journal__tail_begin(struct journal__tail *tail, uint64_t offset, const char *before)
{
	tail->start = block_before(offset);
	tail->written = tail->end = offset;
	size_t size = (size_t)(offset - tail->start);
	block_grow(&tail->block, 0, size);
	if (size > 0)
		memcpy(tail->block.data, before, size);
}

void journal__tail_expect(struct journal__tail *tail, size_t size)
{
	size_t at = (size_t)(tail->end - tail->start);
	block_grow(&tail->block, at, at + size);
}

void journal__tail_put(struct journal__tail *tail, struct bytes bytes)
{
	if (bytes.size == 0)
		return;
	size_t at = (size_t)(tail->end - tail->start);
	block_grow(&tail->block, at, at + bytes.size);
	memcpy(tail->block.data + at, bytes.data, bytes.size);
	tail->end += bytes.size;
}

bool journal__tail_take(struct journal__tail *tail, struct journal__piece *piece)
{
	if (tail->written == tail->end)
		return false;
	struct journal__block taken = tail->block;
	size_t size = (size_t)(tail->end - tail->start), whole = block_after(size);
	memset(taken.data + size, 0, whole - size);
	*piece = (struct journal__piece){tail->start, {taken.data, whole}};
	tail->block = tail->under_way;
	tail->under_way = taken;
	uint64_t end = tail->end;
	journal__tail_begin(tail, end, taken.data + (block_before(end) - piece->offset));
	return true;
}

void journal__tail_taken(struct journal__tail *tail)
{
	if (tail->under_way.capacity > KEEP)
		block_free(&tail->under_way);
}

void journal__tail_fini(struct journal__tail *tail)
{
	block_free(&tail->block);
	block_free(&tail->under_way);
}
