/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pages of 2 MiB, for the arenas of large requests: an edit of 100,000 entries takes some 200 MB of them, and
 * in pages of 4 KiB the faults alone were 12 % of decoding it. Not through the heap, where such pages would
 * also hold what is small and stays.
 *
 *     mapped    |---------------------------------|  size + one page
 *     kept          |------------------------|       aligned to a page
 *
 * Where the system has no large pages, or none are left, madvise says no or the fault gives small ones:
 * nothing is different but the time. The calls stand here, as malloc's do, since os lies above base
 * (docs/decisions/0016).
 */
#include "base/memory_pages.h"

#include <stdint.h>
#include <sys/mman.h>

#include "base/assert.h"

static void unmap(char *from, const char *to)
{
	if (from < to)
		ASSERT(munmap(from, (size_t)(to - from)) == 0);
}

void *memory_pages_alloc(size_t size)
{
	ASSERT(size > 0 && size % MEMORY_PAGE_SIZE == 0);
	size_t mapped = size + MEMORY_PAGE_SIZE;
	char *from = mmap(NULL, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT(from != MAP_FAILED);
	char *pages = from + (MEMORY_PAGE_SIZE - (uintptr_t)from % MEMORY_PAGE_SIZE) % MEMORY_PAGE_SIZE;
	unmap(from, pages);
	unmap(pages + size, from + mapped);
	(void)madvise(pages, size, MADV_HUGEPAGE);
	return pages;
}

void memory_pages_free(void *memory, size_t size)
{
	unmap(memory, (char *)memory + size);
}
