/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Syncs: who makes them, and when. What is appended becomes durable when somebody wants it: who proposes and
 * has nothing more to propose.
 *
 *     append, append, append   ->   wanted   ->   one sync   ->   published, announced, answered
 *
 * Mostly the sync thread makes them, so that executing goes on meanwhile. A lone commit has nothing that goes
 * on: then the thread that wants it may make the sync itself, which saves two changes of thread (a third of
 * the time that a commit of one session takes). It does so only where syncs have been fast, as it serves
 * other sessions too; after a slow one it leaves them to the thread for a while.
 *
 *     IDLE --wanted--> SYNCING --done--> IDLE, or SYNCING again where more is wanted by then
 *                         +----failed--> READ-ONLY
 *
 * Invariant: `syncing` is held by the one thread that is in the journal's sync; only it changes `durable`,
 * and under the state mutex. Where `sync_wanted` is above `durable` and nobody is syncing, the thread has
 * been woken for it. After a failure nobody syncs any more.
 */
#include <time.h>
#include "base/assert.h"
#include "os/clock.h"
#include "store/internal.h"

#define FAST_NS (200 * 1000ull) /* an average sync that one may make oneself */
#define AVERAGE_OVER 8

/*
 * The state mutex is held. Where a sync was wanted already, the thread knows, or is told at the end of the
 * one under way: under relaxed durability, waking it from its delay would cost each commit two changes of
 * thread.
 */
void store__want_sync(struct store *store, uint64_t version)
{
	if (version <= store->sync_wanted)
		return;
	bool knows = store->sync_wanted > store->durable;
	store->sync_wanted = version;
	if (!store->syncing && !knows)
		pthread_cond_signal(&store->appended);
}

void store_sync_soon(struct store *store)
{
	pthread_mutex_lock(&store->state);
	store__want_sync(store, store->tip->id);
	pthread_mutex_unlock(&store->state);
}

/* Whether there is something to sync, or may be again. The state mutex is held. */
static bool is_behind(const struct store *store)
{
	return store->tip->id > store->durable && !store->failed;
}

static void note_time(struct store *store, uint64_t began_ns)
{
	store->sync_average_ns -= store->sync_average_ns / AVERAGE_OVER;
	store->sync_average_ns += (os_clock_monotonic_ns() - began_ns) / AVERAGE_OVER;
}

/* One sync, and what follows from it. The state mutex is held, and nobody is syncing; without it meanwhile.
 */
static void sync_once(struct store *store)
{
	struct journal *journal = store->options.journal;
	uint64_t durable = 0, began_ns = os_clock_monotonic_ns();
	store->syncing = true;
	pthread_mutex_unlock(&store->state);
	bool good = journal->ops->sync(journal, &durable) == ST_OK;
	pthread_mutex_lock(&store->state);
	store->syncing = false;
	if (good) {
		store->group = durable - store->durable;
		store->durable = durable;
	}
	note_time(store, began_ns);
	bool is_last = !good || store->sync_wanted <= durable;
	if (!is_last)
		pthread_cond_signal(&store->appended);
	pthread_mutex_unlock(&store->state);
	if (good)
		store__publish(store, durable);
	else
		store__fail(store);
	pthread_mutex_lock(&store->state);
}

/* What is to be synced is one commit, and it has been one before: others would have joined. */
static bool may_sync_here(const struct store *store)
{
	return store->has_sync_thread && !store->syncing && store->options.durability == STORE_FULL &&
	       is_behind(store) && store->tip->id == store->durable + 1 && store->group == 1 &&
	       store->sync_average_ns <= FAST_NS;
}

void store_sync_here(struct store *store)
{
	pthread_mutex_lock(&store->state);
	if (may_sync_here(store)) {
		store->sync_wanted = store->tip->id;
		sync_once(store);
	} else {
		store__want_sync(store, store->tip->id);
	}
	pthread_mutex_unlock(&store->state);
}

/* Relaxed durability waits a while, so that one sync covers what comes meanwhile. The state mutex is held. */
static void delay(struct store *store)
{
	uint64_t due_ns = os_clock_monotonic_ns() + STORE_RELAXED_NS;
	struct timespec due = {(time_t)(due_ns / 1000000000), (long)(due_ns % 1000000000)};
	while (!store->stopping &&
	       pthread_cond_clockwait(&store->appended, &store->state, CLOCK_MONOTONIC, &due) == 0)
		;
}

static void *sync_run(void *arg)
{
	struct store *store = arg;
	pthread_mutex_lock(&store->state);
	while (!store->failed && (!store->stopping || is_behind(store))) {
		bool wanted = store->sync_wanted > store->durable || store->stopping;
		if (store->syncing || !wanted) {
			pthread_cond_wait(&store->appended, &store->state);
			continue;
		}
		if (store->options.durability == STORE_RELAXED)
			delay(store);
		if (is_behind(store))
			sync_once(store);
	}
	pthread_mutex_unlock(&store->state);
	return NULL;
}

void store_sync(struct store *store)
{
	ASSERT(store->options.manual_sync);
	pthread_mutex_lock(&store->state);
	if (is_behind(store))
		sync_once(store);
	pthread_mutex_unlock(&store->state);
}

enum status store__sync_start(struct store *store)
{
	store->sync_average_ns = AVERAGE_OVER * FAST_NS; /* until that is known */
	if (store->options.journal == NULL || store->options.durability == STORE_NONE ||
	    store->options.manual_sync)
		return ST_OK;
	store->has_sync_thread = pthread_create(&store->sync_thread, NULL, sync_run, store) == 0;
	return store->has_sync_thread ? ST_OK : ST_IO;
}

void store__sync_stop(struct store *store)
{
	if (store->has_sync_thread) {
		pthread_mutex_lock(&store->state);
		store->stopping = true;
		pthread_cond_signal(&store->appended);
		pthread_mutex_unlock(&store->state);
		pthread_join(store->sync_thread, NULL);
	}
	/* Nothing is left by the thread; without one, what nobody has synced. */
	store__unpublished_drop(store);
}
