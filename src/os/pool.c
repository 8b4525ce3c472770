/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Job threads around one queue. A job belongs to its submitter again the moment `run` is entered: the pool
 * reads its `next` before and never touches it after, so `run` may free it. Jobs report back by os_loop_post.
 */
#include "os/pool.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "base/assert.h"
#include "base/memory.h"

struct os_pool {
	pthread_mutex_t lock; /* over all below but the threads */
	pthread_cond_t more;  /* a job was queued, or `ending` was set */
	struct os_job *first, *last;
	bool ending;
	_Atomic size_t load;
	size_t length; /* threads that were started */
	pthread_t threads[];
};

/* Waits for a job. NULL: the pool ends and nothing is left to do. */
static struct os_job *next_job(struct os_pool *pool)
{
	pthread_mutex_lock(&pool->lock);
	while (!pool->first && !pool->ending)
		pthread_cond_wait(&pool->more, &pool->lock);
	struct os_job *job = pool->first;
	if (job) {
		pool->first = job->next;
		if (!pool->first)
			pool->last = NULL;
	}
	pthread_mutex_unlock(&pool->lock);
	return job;
}

static void *work(void *arg)
{
	struct os_pool *pool = arg;
	for (struct os_job *job = next_job(pool); job; job = next_job(pool)) {
		job->run(job);
		atomic_fetch_sub_explicit(&pool->load, 1, memory_order_relaxed);
	}
	return NULL;
}

enum status os_pool_new(size_t threads, struct os_pool **pool)
{
	ASSERT(threads > 0);
	struct os_pool *made = memory_zalloc(sizeof(*made) + threads * sizeof(made->threads[0]));
	pthread_mutex_init(&made->lock, NULL);
	pthread_cond_init(&made->more, NULL);
	while (made->length < threads) {
		if (pthread_create(&made->threads[made->length], NULL, work, made) != 0) {
			os_pool_free(made);
			return ST_LIMIT;
		}
		made->length++;
	}
	*pool = made;
	return ST_OK;
}

void os_pool_free(struct os_pool *pool)
{
	if (!pool)
		return;
	pthread_mutex_lock(&pool->lock);
	pool->ending = true;
	pthread_cond_broadcast(&pool->more);
	pthread_mutex_unlock(&pool->lock);
	for (size_t i = 0; i < pool->length; i++)
		pthread_join(pool->threads[i], NULL);
	pthread_cond_destroy(&pool->more);
	pthread_mutex_destroy(&pool->lock);
	memory_free(pool);
}

void os_pool_submit(struct os_pool *pool, struct os_job *job)
{
	atomic_fetch_add_explicit(&pool->load, 1, memory_order_relaxed);
	pthread_mutex_lock(&pool->lock);
	job->next = NULL;
	if (pool->last)
		pool->last->next = job;
	else
		pool->first = job;
	pool->last = job;
	pthread_cond_signal(&pool->more);
	pthread_mutex_unlock(&pool->lock);
}

size_t os_pool_load(const struct os_pool *pool)
{
	return atomic_load_explicit(&pool->load, memory_order_relaxed);
}
