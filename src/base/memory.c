/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Heap memory that is never NULL. Exhaustion ends the process: what a client can make us allocate is limited
 * before it comes here, so running out means that the machine has no memory left, and a restart from the
 * journal is the one recovery path that is tested. A size of 0 gives a pointer that may be freed, as any
 * other.
 */
#include "base/memory.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/memory_settings.h"

#define THREAD_CACHED_SIZE ((size_t)1032) /* bytes; glibc's default */

#define RETURN_SIZE (256 * 1024) /* bytes at an end of the heap, or in one piece */

void *memory_alloc(size_t size)
{
	void *memory = malloc(size ? size : 1);
	ASSERT(memory);
	return memory;
}

void *memory_zalloc(size_t size)
{
	/* glibc's calloc does not take from the thread's cache, into which free puts what is small. */
	if (size <= THREAD_CACHED_SIZE)
		return memset(memory_alloc(size), 0, size);
	void *memory = calloc(1, size);
	ASSERT(memory);
	return memory;
}

void *memory_resize(void *memory, size_t length, size_t size)
{
	size_t total;
	ASSERT(!__builtin_mul_overflow(length, size, &total));
	memory = realloc(memory, total ? total : 1);
	ASSERT(memory);
	return memory;
}

char *memory_strdup(const char *text)
{
	size_t size = strlen(text) + 1;
	return memcpy(memory_alloc(size), text, size);
}

void memory_free(void *memory)
{
	free(memory);
}

void memory_return_early(void)
{
	mallopt(M_TRIM_THRESHOLD, RETURN_SIZE); /* also ends the growth of the threshold of mmap */
	mallopt(M_MMAP_THRESHOLD, RETURN_SIZE);
}

void memory_return_now(void)
{
	malloc_trim(0);
}
