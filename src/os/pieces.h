/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * Work that falls into pieces, done by the caller and some threads beside it:
 *
 *     struct walk { struct os_pieces pieces; ... } walk = {.pieces = {.run = walk_piece}};
 *     os_pieces_run(&walk.pieces, length, threads);
 *
 * The threads live as long as the call. Each takes the next piece that nobody has, so pieces begin in their
 * order, and may end in any.
 */
#include <stdatomic.h>
#include <stddef.h>

#define OS_PIECES_THREADS_MAX 64

struct os_pieces {
	/* Does piece number `piece`, on thread number `thread` of those of the call; the caller's is 0.
	 * Pieces that have the same thread run one after the other. */
	void (*run)(struct os_pieces *self, size_t piece, size_t thread);
	/* private */
	size_t length;
	_Atomic size_t next;
};

/* Does pieces 0 to length - 1, on at most `threads` threads, the caller's included, and on no more than
 * OS_PIECES_THREADS_MAX; where the system has no thread to give, on fewer. Returns when all are done, and all
 * that they wrote is seen. Cost: some 20 us a thread. */
void os_pieces_run(struct os_pieces *pieces, size_t length, size_t threads);

/* Processors that this process may run on; at least 1. */
size_t os_processors(void);
