/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Syncs: who makes them, and when. What is appended becomes durable when somebody wants it: who proposes and
 * has nothing more to propose.
 *
 *     append, append, append   ->   wanted   ->   one sync   ->   published, announced, answered
 *
 * Where syncs are fast, threads that execute requests make them, which saves two changes of thread a sync:
 *
 *     one session commits    a lone commit is synced at the end of the turn that executed it; what was
 *                            executed together, by the sync thread, as executing goes on meanwhile
 *     several sessions do    when a thread has nothing more to execute; and where others have, and are likely
 *                            to append, it waits for them, for about as long as a sync takes
 *
 * So a group grows while there is work, without a timer, and who is alone waits for nobody. Where syncs are
 * slow they are the sync thread's, since such a thread serves other sessions too; so they are for a while
 * after a slow one. The groups grow by themselves then.
 *
 *     IDLE --wanted--> SYNCING --done--> IDLE, or SYNCING again where more is wanted by then
 *                         +----failed--> READ-ONLY
 *
 * Invariants: `syncing` is held by the one thread that is in the journal's sync or publishes what it covered;
 * only it changes `durable`, and under the state mutex. What is appended and not covered by a sync
 * (`uncovered`) is found by the sync thread, where that was told (`thread_told`), or else by the thread that
 * appended it or by the one that syncs meanwhile, before either waits for anything (store_sync_at_rest).
 * After a failure nobody syncs any more.
 */
#include <time.h>
#include "base/assert.h"
#include "os/clock.h"
#include "store/internal.h"

#define FAST_NS (200 * 1000ull) /* an average sync that one may make oneself */
#define AVERAGE_OVER 8
#define ALONE 8	   /* commits of one session in a row, after which it is taken for the only one */
#define PATIENCE 4 /* times of a sync that what is appended waits for companions */

/* The state mutex is held. Where the thread has been told already it is not woken again: under relaxed
 * durability, waking it from its delay would cost each commit two changes of thread. */
void store__want_sync(struct store *store, uint64_t version)
{
	if (version > store->sync_wanted)
		store->sync_wanted = version;
	if (store->sync_wanted <= store->published->id && store->sync_wanted <= store->durable)
		return;
	if (!store->thread_told && !store->syncing)
		pthread_cond_signal(&store->appended);
	store->thread_told = true;
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
	return (store->tip->id > store->published->id || store->tip->id > store->durable) && !store->failed;
}

void store__sync_note(struct store *store, const struct store_version *version)
{
	if (version->session_id != store->last_session)
		store->last_turn = version->id;
	store->last_session = version->session_id;
	if (!atomic_load_explicit(&store->uncovered, memory_order_relaxed))
		store->uncovered_ns = os_clock_monotonic_ns();
	atomic_store_explicit(&store->uncovered, true, memory_order_release);
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
	atomic_store_explicit(&store->uncovered, false, memory_order_relaxed);
	pthread_mutex_unlock(&store->state);
	bool good = journal->ops->sync(journal, &durable) == ST_OK;
	pthread_mutex_lock(&store->state);
	if (good) {
		store->group = durable - store->durable;
		store->durable = durable;
	}
	note_time(store, began_ns);
	pthread_mutex_unlock(&store->state);
	if (good)
		store__publish(store, durable);
	else
		store__fail(store);
	pthread_mutex_lock(&store->state);
	store->syncing = false;
	if (store->thread_told)
		pthread_cond_signal(&store->appended);
}

/* Whether a thread that has other things to do may make syncs. */
static bool are_fast(const struct store *store)
{
	return store->has_sync_thread && store->options.durability == STORE_FULL &&
	       store->sync_average_ns <= FAST_NS;
}

static bool is_only_session(const struct store *store)
{
	return store->tip->id >= store->last_turn + ALONE;
}

/* What is to be synced is one commit, and it has been one before: others would have joined. */
static bool is_lone_commit(const struct store *store)
{
	return is_behind(store) && store->tip->id == store->durable + 1 && store->group == 1;
}

/* The state mutex is held. */
static void sync_here(struct store *store)
{
	store->sync_wanted = store->tip->id;
	sync_once(store);
}

void store_sync_turn(struct store *store, enum store_turn turn)
{
	pthread_mutex_lock(&store->state);
	bool is_only = is_only_session(store), fast = are_fast(store);
	if (is_only && fast && !store->syncing && turn == STORE_TURN_IDLE && is_lone_commit(store))
		sync_here(store);
	else if (is_only || !fast)
		store__want_sync(store, store->tip->id);
	pthread_mutex_unlock(&store->state);
}

bool store_sync_is_due(struct store *store)
{
	return atomic_load_explicit(&store->uncovered, memory_order_acquire);
}

/* How much longer what is appended may wait for companions. */
static uint64_t patience_ns(const struct store *store, enum store_company company)
{
	if (company == STORE_NOBODY)
		return 0;
	uint64_t until_ns = store->uncovered_ns + PATIENCE * store->sync_average_ns;
	uint64_t now_ns = os_clock_monotonic_ns();
	return until_ns > now_ns ? until_ns - now_ns : 0;
}

uint64_t store_sync_at_rest(struct store *store, enum store_company company)
{
	uint64_t wait_ns = UINT64_MAX;
	pthread_mutex_lock(&store->state);
	if (!is_behind(store)) /* it was appended when a sync had begun, which covered it */
		atomic_store_explicit(&store->uncovered, false, memory_order_relaxed);
	if (!store_sync_is_due(store) || store->thread_told) {
		/* others have begun it, or will */
	} else if (store->syncing && !store->thread_syncs) {
		/* its thread comes to rest after that, and finds this */
	} else if (store->syncing || !are_fast(store)) {
		store__want_sync(store, store->tip->id);
	} else {
		wait_ns = patience_ns(store, company);
		if (wait_ns == 0)
			sync_here(store);
	}
	pthread_mutex_unlock(&store->state);
	return wait_ns;
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
		if (store->syncing || !(store->thread_told || store->stopping)) {
			pthread_cond_wait(&store->appended, &store->state);
			continue;
		}
		if (store->options.durability == STORE_RELAXED)
			delay(store);
		store->thread_told = false;
		if (store->syncing || !is_behind(store))
			continue;
		store->thread_syncs = true;
		sync_once(store);
		store->thread_syncs = false;
		pthread_mutex_unlock(&store->state);
		store_tidy(store);
		pthread_mutex_lock(&store->state);
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
	store_tidy(store);
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
	store_tidy(store);
	/* Nothing is left by the thread; without one, what nobody has synced. */
	store__unpublished_drop(store);
}
