/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * Heap memory. Exhaustion aborts (sizes that a client controls are limited before they come here;
 * recovery brings back what was acknowledged), so no caller checks for NULL.
 */
#include <stddef.h>

void *memory_alloc(size_t size);
void *memory_zalloc(size_t size);
/* Grows or shrinks `memory` (may be NULL) to `length` elements of `size` bytes; aborts on overflow. */
void *memory_resize(void *memory, size_t length, size_t size);
char *memory_strdup(const char *text);
void memory_free(void *memory);
