/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pieces of work on several threads. A piece is known by its number alone; the threads share nothing here but
 * the next number. There is no thread that waits for work: who has work that is worth it, milliseconds, pays
 * for the making of some, and a process that has none has no threads standing by.
 */
#include "os/pieces.h"

#include <pthread.h>
#include <sched.h>

#include "base/assert.h"

/* One thread of a call. */
struct helper {
	struct os_pieces *pieces;
	size_t number;
	pthread_t thread;
};

static void run_some(struct os_pieces *pieces, size_t thread)
{
	for (;;) {
		size_t piece = atomic_fetch_add_explicit(&pieces->next, 1, memory_order_relaxed);
		if (piece >= pieces->length)
			return;
		pieces->run(pieces, piece, thread);
	}
}

static void *help(void *arg)
{
	struct helper *helper = arg;
	run_some(helper->pieces, helper->number);
	return NULL;
}

void os_pieces_run(struct os_pieces *pieces, size_t length, size_t threads)
{
	ASSERT(threads > 0);
	struct helper helpers[OS_PIECES_THREADS_MAX];
	size_t most = threads < OS_PIECES_THREADS_MAX ? threads : OS_PIECES_THREADS_MAX;
	if (most > length)
		most = length;
	pieces->length = length;
	atomic_store_explicit(&pieces->next, 0, memory_order_relaxed);
	size_t started = 1; /* the caller's own */
	for (; started < most; started++) {
		struct helper *helper = &helpers[started];
		*helper = (struct helper){.pieces = pieces, .number = started};
		if (pthread_create(&helper->thread, NULL, help, helper) != 0)
			break;
	}
	run_some(pieces, 0);
	for (size_t i = 1; i < started; i++)
		pthread_join(helpers[i].thread, NULL);
}

size_t os_processors(void)
{
	cpu_set_t set;
	if (sched_getaffinity(0, sizeof(set), &set) != 0) /* a machine with more than the set has room for */
		return OS_PIECES_THREADS_MAX;
	int count = CPU_COUNT(&set);
	return count > 0 ? (size_t)count : 1;
}
