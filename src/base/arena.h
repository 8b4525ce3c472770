/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * An arena: memory of one request, allocated in blocks, released all at once. One thread at a time.
 *
 *     struct arena *arena = arena_new();
 *     char *path = arena_printf(arena, "/%s", name);
 *     arena_free(arena);
 */
#include <stdarg.h>
#include <stddef.h>
#include "base/bytes.h"
#include "base/status.h"

struct arena;

struct arena *arena_new(void);
void arena_free(struct arena *arena); /* NULL is allowed */
/* `size` bytes, aligned to 8, not initialised. Valid until arena_free or arena_reset. */
void *arena_alloc(struct arena *arena, size_t size);
void *arena_zalloc(struct arena *arena, size_t size);
/* A terminated copy. */
char *arena_strdup(struct arena *arena, struct bytes text);
char *arena_printf(struct arena *arena, const char *format, ...) PRINTF_LIKE(2, 3);
char *arena_vprintf(struct arena *arena, const char *format, va_list args) PRINTF_LIKE(2, 0);
/* Bytes of all blocks, for limits and accounting. */
size_t arena_size(const struct arena *arena);
/* Releases everything but the first block. */
void arena_reset(struct arena *arena);
