/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory of one request. Allocation bumps a pointer in the current block; a full block is followed by a new
 * one of twice its size, up to 1 MiB; those of an arena of 8 MiB and more are large
 * pages of the system (memory_pages.h; in a small arena one that is half empty would count too much, as
 * limits go by arena_size). The first block is part of the arena itself: most arenas of a small request live
 * for one step of it and need no more, and the size is one that malloc takes from its thread's cache. An
 * allocation of more than half a block gets a block of its own, in a list of their own, so that the rest of
 * the current block is not lost.
 *
 *     arena -> current block -> earlier -> ... -> first block
 *           -> large block -> earlier -> ...
 *
 * A reset keeps the current block if it is small: what filled it once is likely to do so again.
 *
 * Under AddressSanitizer what is not handed out is poisoned, with a gap after each allocation, so that
 * running over the end of one is found as on the heap.
 */
#include "base/arena.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/assert.h"
#include "base/memory.h"
#include "base/memory_pages.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ARENA_POISON 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define ARENA_POISON 1
#endif
#ifdef ARENA_POISON
#include <sanitizer/asan_interface.h>
#define POISON(data, size) __asan_poison_memory_region(data, size)
#define UNPOISON(data, size) __asan_unpoison_memory_region(data, size)
#define GAP 8 /* bytes */
#else
#define POISON(data, size) ((void)0)
#define UNPOISON(data, size) ((void)0)
#define GAP 0
#endif

#define ALIGNMENT 8		     /* bytes */
#define FIRST_SIZE ((size_t)1 << 10) /* bytes of an arena with its first block; glibc caches up to 1032 */
#define BLOCK_MIN (2 * FIRST_SIZE)   /* bytes of the second block */
#define BLOCK_KEEP ((size_t)4 << 10) /* bytes of the largest one that survives a reset */
#define BLOCK_MAX ((size_t)1 << 20)  /* bytes of the largest shared block that is no page */
#define PAGES_FROM ((size_t)8 << 20) /* bytes of an arena whose next blocks are pages */
#define REQUEST_MAX (SIZE_MAX - MEMORY_PAGE_SIZE) /* more than this can only be a bug */

struct block {
	struct block *earlier; /* NULL in the first */
	size_t size, used;     /* bytes of data */
	char data[];
};

struct arena {
	struct block *current;
	struct block *large; /* each holds one allocation */
	size_t next_size;    /* bytes of the next shared block, header included */
	size_t total;	     /* bytes of all blocks, headers included */
	struct block first;  /* its data fills the arena's memory */
};

#define FIRST_DATA_SIZE (FIRST_SIZE - sizeof(struct arena))

_Static_assert(sizeof(struct block) % ALIGNMENT == 0, "data of a block must be aligned");

/* Takes the memory, which is of that size. */
static struct block *block_init(struct arena *arena, struct block *block, size_t size)
{
	*block = (struct block){.size = size - sizeof(*block)};
	POISON(block->data, block->size);
	arena->total += size;
	return block;
}

/* Without the memory. */
static void block_fini(struct arena *arena, struct block *block)
{
	arena->total -= sizeof(*block) + block->size;
	UNPOISON(block->data, block->size);
}

static struct block *large_new(struct arena *arena, size_t data_size)
{
	size_t size = sizeof(struct block) + data_size;
	return block_init(arena, memory_alloc(size), size);
}

/* A shared block of arena->next_size bytes. */
static struct block *shared_new(struct arena *arena)
{
	size_t size = arena->next_size;
	return block_init(arena, size <= BLOCK_MAX ? memory_alloc(size) : memory_pages_alloc(size), size);
}

static void shared_free(struct arena *arena, struct block *block)
{
	size_t size = sizeof(*block) + block->size;
	block_fini(arena, block);
	if (size <= BLOCK_MAX)
		memory_free(block);
	else
		memory_pages_free(block, size);
}

static void *block_alloc(struct block *block, size_t size, size_t padded)
{
	char *data = block->data + block->used;
	block->used += padded;
	UNPOISON(data, size);
	(void)size;
	return data;
}

/* Frees a shared block and all earlier ones, down to `end`, which stays. */
static void free_shared(struct arena *arena, struct block *block, const struct block *end)
{
	while (block != end) {
		struct block *earlier = block->earlier;
		shared_free(arena, block);
		block = earlier;
	}
}

static void free_large(struct arena *arena)
{
	while (arena->large) {
		struct block *large = arena->large;
		arena->large = large->earlier;
		block_fini(arena, large);
		memory_free(large);
	}
}

struct arena *arena_new(void)
{
	struct arena *arena = memory_alloc(FIRST_SIZE);
	*arena = (struct arena){.next_size = BLOCK_MIN, .total = FIRST_SIZE, .first.size = FIRST_DATA_SIZE};
	arena->current = &arena->first;
	POISON(arena->first.data, FIRST_DATA_SIZE);
	return arena;
}

void arena_free(struct arena *arena)
{
	if (!arena)
		return;
	free_shared(arena, arena->current, &arena->first);
	free_large(arena);
	UNPOISON(arena->first.data, FIRST_DATA_SIZE);
	memory_free(arena);
}

void *arena_alloc(struct arena *arena, size_t size)
{
	ASSERT(size <= REQUEST_MAX);
	size_t padded = (size + GAP + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
	struct block *current = arena->current;
	if (padded <= current->size - current->used)
		return block_alloc(current, size, padded);
	if (padded > arena->next_size / 2) {
		struct block *large = large_new(arena, padded);
		large->earlier = arena->large;
		arena->large = large;
		return block_alloc(large, size, padded);
	}
	struct block *block = shared_new(arena);
	block->earlier = current;
	arena->current = block;
	if (arena->next_size < BLOCK_MAX)
		arena->next_size *= 2;
	else if (arena->total >= PAGES_FROM)
		arena->next_size = MEMORY_PAGE_SIZE;
	return block_alloc(block, size, padded);
}

void *arena_zalloc(struct arena *arena, size_t size)
{
	return memset(arena_alloc(arena, size), 0, size);
}

char *arena_strdup(struct arena *arena, struct bytes text)
{
	char *copy = arena_alloc(arena, text.size + 1);
	if (text.size > 0)
		memcpy(copy, text.data, text.size);
	copy[text.size] = '\0';
	return copy;
}

char *arena_printf(struct arena *arena, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	char *text = arena_vprintf(arena, format, args);
	va_end(args);
	return text;
}

char *arena_vprintf(struct arena *arena, const char *format, va_list args)
{
	va_list again;
	va_copy(again, args);
	int size = vsnprintf(NULL, 0, format, args);
	ASSERT(size >= 0);
	char *text = arena_alloc(arena, (size_t)size + 1);
	vsnprintf(text, (size_t)size + 1, format, again);
	va_end(again);
	return text;
}

size_t arena_size(const struct arena *arena)
{
	return arena->total;
}

static void block_reset(struct block *block)
{
	POISON(block->data, block->size);
	block->used = 0;
}

void arena_reset(struct arena *arena)
{
	struct block *current = arena->current, *first = &arena->first;
	free_large(arena);
	block_reset(first);
	bool keeps = current != first && current->size + sizeof(*current) <= BLOCK_KEEP;
	free_shared(arena, keeps ? current->earlier : current, first);
	arena->current = keeps ? current : first;
	arena->next_size = BLOCK_MIN;
	if (!keeps)
		return;
	block_reset(current);
	current->earlier = first;
	arena->next_size = 2 * (current->size + sizeof(*current));
}
