/* SPDX-License-Identifier: BSD-3-Clause */
#include "warm.h"

#include <stddef.h>
#include <unistd.h>

#include "base/memory_pages.h"

static uint64_t free_memory(void)
{
	long pages = sysconf(_SC_AVPHYS_PAGES), page = sysconf(_SC_PAGESIZE);
	return pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : 0;
}

void warm_memory(uint64_t size)
{
	uint64_t most = free_memory() / 2;
	size_t length = (size_t)(size < most ? size : most) / MEMORY_PAGE_SIZE * MEMORY_PAGE_SIZE;
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	if (length == 0)
		return;
	volatile char *memory = memory_pages_alloc(length);
	for (size_t i = 0; i < length; i += page)
		memory[i] = 1;
	memory_pages_free((void *)memory, length);
}
