/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The reclaimer: a queue of dead nodes (release.c) under a lock. Whoever runs it takes a few of them out,
 * works on them without the lock, and puts back what is left at the end of its time. Several threads may run
 * it at once; each dead node is in one thread's hands or in the queue. The queue is a stack: nodes that died
 * last are the ones still in the caches.
 */
#include "tree/reclaim.h"

#include <pthread.h>
#include <string.h>

#include "os/clock.h"
#include "tree/internal.h"

#define TAKE 32	  /* dead nodes taken from the queue at once */
#define STRIDE 64 /* nodes released between two looks at the clock */

struct tree_reclaimer {
	pthread_mutex_t lock;
	struct tree__dead *entries;
	size_t length, capacity;
	void (*wake)(void *arg); /* NULL: none */
	void *arg;
};

struct tree_reclaimer *tree_reclaimer_new(void (*wake)(void *arg), void *arg)
{
	struct tree_reclaimer *reclaimer = memory_zalloc(sizeof(*reclaimer));
	ASSERT(pthread_mutex_init(&reclaimer->lock, NULL) == 0);
	reclaimer->wake = wake;
	reclaimer->arg = arg;
	return reclaimer;
}

void tree_reclaimer_free(struct tree_reclaimer *reclaimer)
{
	if (reclaimer == NULL)
		return;
	while (tree_reclaimer_run(reclaimer, UINT64_MAX))
		;
	ASSERT(pthread_mutex_destroy(&reclaimer->lock) == 0);
	memory_free(reclaimer->entries);
	memory_free(reclaimer);
}

/* True where the queue was empty before. */
static bool push(struct tree_reclaimer *reclaimer, const struct tree__dead *entries, size_t length)
{
	pthread_mutex_lock(&reclaimer->lock);
	bool was_empty = reclaimer->length == 0;
	if (length > reclaimer->capacity - reclaimer->length) {
		reclaimer->capacity = reclaimer->capacity * 2 + length;
		reclaimer->entries = memory_resize(reclaimer->entries, reclaimer->capacity, sizeof(*entries));
	}
	memcpy(reclaimer->entries + reclaimer->length, entries, length * sizeof(*entries));
	reclaimer->length += length;
	pthread_mutex_unlock(&reclaimer->lock);
	return was_empty;
}

void tree__reclaimer_push(struct tree_reclaimer *reclaimer, const struct tree__dead *entries, size_t length)
{
	if (push(reclaimer, entries, length) && reclaimer->wake != NULL)
		reclaimer->wake(reclaimer->arg);
}

/* False where the queue is empty. */
static bool take(struct tree_reclaimer *reclaimer, struct tree__release *release)
{
	struct tree__dead taken[TAKE];
	pthread_mutex_lock(&reclaimer->lock);
	size_t length = reclaimer->length < TAKE ? reclaimer->length : TAKE;
	reclaimer->length -= length;
	if (length > 0)
		memcpy(taken, reclaimer->entries + reclaimer->length, length * sizeof(*taken));
	pthread_mutex_unlock(&reclaimer->lock);
	for (size_t i = 0; i < length; i++)
		tree__release_push(release, taken[i]);
	return length > 0;
}

static bool is_empty(struct tree_reclaimer *reclaimer)
{
	pthread_mutex_lock(&reclaimer->lock);
	bool empty = reclaimer->length == 0;
	pthread_mutex_unlock(&reclaimer->lock);
	return empty;
}

bool tree_reclaimer_run(struct tree_reclaimer *reclaimer, uint64_t budget_ns)
{
	uint64_t start_ns = os_clock_monotonic_ns();
	struct tree__release release;
	tree__release_init(&release);
	bool in_time = true;
	while (in_time && (release.length > 0 || take(reclaimer, &release))) {
		tree__release_run(&release, STRIDE);
		in_time = os_clock_monotonic_ns() - start_ns < budget_ns;
	}
	if (release.length > 0)
		push(reclaimer, release.entries, release.length);
	tree__release_fini(&release);
	return !is_empty(reclaimer);
}
