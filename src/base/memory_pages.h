/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * Memory in pages of 2 MiB where the system has such, for what is large, written once from end to end and
 * freed as a whole (arenas). One fault then gives 512 of the usual pages.
 */
#include <stddef.h>

#define MEMORY_PAGE_SIZE ((size_t)2 << 20) /* bytes */

/* Zeroed. `size`: a multiple of MEMORY_PAGE_SIZE. What is not touched takes no memory. Never NULL. */
void *memory_pages_alloc(size_t size);
/* It goes back to the system at once. `size`: as it was allocated. */
void memory_pages_free(void *memory, size_t size);
