/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The reclaim thread: drops what no pinned root reaches, off every request's path. It works in slices of
 * SLICE_NS and gives up the processor between two, so that on a machine with few cores a dropped million-node
 * root does not take a worker's time for longer than a slice. What a large one occupied goes back to the
 * system at the end.
 */
#include "server/reclaim_thread.h"
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include "base/memory.h"
#include "base/memory_settings.h"

#define SLICE_NS (1000 * 1000ull)
#define LARGE_SLICES 10 /* of work after which the memory goes back to the system */

struct reclaim_thread {
	struct tree_reclaimer *reclaimer;
	pthread_t thread;
	pthread_mutex_t mutex;
	pthread_cond_t woken;
	bool work, stopping; /* guarded by mutex */
};

static void on_work(void *arg)
{
	struct reclaim_thread *thread = arg;
	pthread_mutex_lock(&thread->mutex);
	thread->work = true;
	pthread_cond_signal(&thread->woken);
	pthread_mutex_unlock(&thread->mutex);
}

static void *run(void *arg)
{
	struct reclaim_thread *thread = arg;
	for (;;) {
		pthread_mutex_lock(&thread->mutex);
		while (!thread->work && !thread->stopping)
			pthread_cond_wait(&thread->woken, &thread->mutex);
		bool work = thread->work;
		thread->work = false;
		pthread_mutex_unlock(&thread->mutex);
		if (!work)
			return NULL;
		unsigned slices = 0;
		for (; tree_reclaimer_run(thread->reclaimer, SLICE_NS); slices++)
			sched_yield();
		if (slices >= LARGE_SLICES)
			memory_return_now();
	}
}

enum status reclaim_thread_start(struct reclaim_thread **thread)
{
	struct reclaim_thread *made = memory_zalloc(sizeof(*made));
	pthread_mutex_init(&made->mutex, NULL);
	pthread_cond_init(&made->woken, NULL);
	made->reclaimer = tree_reclaimer_new(on_work, made);
	if (pthread_create(&made->thread, NULL, run, made) != 0) {
		tree_reclaimer_free(made->reclaimer);
		memory_free(made);
		return ST_IO;
	}
	*thread = made;
	return ST_OK;
}

struct tree_reclaimer *reclaim_thread_reclaimer(struct reclaim_thread *thread)
{
	return thread->reclaimer;
}

void reclaim_thread_stop(struct reclaim_thread *thread)
{
	pthread_mutex_lock(&thread->mutex);
	thread->stopping = true;
	pthread_cond_signal(&thread->woken);
	pthread_mutex_unlock(&thread->mutex);
	pthread_join(thread->thread, NULL);
	tree_reclaimer_free(thread->reclaimer);
	pthread_cond_destroy(&thread->woken);
	pthread_mutex_destroy(&thread->mutex);
	memory_free(thread);
}
