/* SPDX-License-Identifier: BSD-3-Clause */
/* Who makes a sync: the sync thread, or for a lone commit the thread that wants it; and what a failure of
 * that does. */
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include "os/clock.h"
#include "store/helper_store.h"
#include "store/history.h"

#define RELAXED_DELAY_US 100000 /* from a commit to its sync */
#define WARM_UP 100		/* syncs after which it is known that they are fast here */

struct answer {
	struct store_waiter waiter;
	sem_t told;
	pthread_t by;
	enum status status;
};

static void on_done(struct store_waiter *waiter, enum status status)
{
	struct answer *answer = (struct answer *)waiter;
	answer->status = status;
	answer->by = pthread_self();
	sem_post(&answer->told);
}

/* An edit whose sync is left for later, and somebody who waits for it. */
static void commit_of(struct fixture *f, uint32_t session_id, int number, struct answer *answer)
{
	const struct store_actor actor = {.session_id = session_id, .user = "tester"};
	char text[32];
	struct store_answer given;
	snprintf(text, sizeof(text), "+n%d=x", number);
	struct edit_tree *edit = fixture_edit(f, text);
	struct store_call call = fixture_call(f, &actor);
	call.sync = STORE_SYNC_LATER;
	struct edit_options options = {.default_operation = EDIT_MERGE, .reclaimer = f->reclaimer};
	assert_int_equal(store_edit(f->store, STORE_RUNNING, &call, edit, &options, &given), ST_OK);
	edit_tree_free(edit);
	memset(answer, 0, sizeof(*answer));
	sem_init(&answer->told, 0, 0);
	answer->waiter = (struct store_waiter){.version = given.after, .done = on_done};
	store_await(f->store, &answer->waiter);
}

static void commit(struct fixture *f, int number, struct answer *answer)
{
	commit_of(f, 1, number, answer);
}

static enum status told(struct answer *answer)
{
	sem_wait(&answer->told);
	return answer->status;
}

static bool is_told(struct answer *answer)
{
	return sem_trywait(&answer->told) == 0;
}

/* What a thread does between its last proposal and waiting for more. */
static void sync_turn(struct store *store)
{
	store_sync_turn(store, STORE_TURN_IDLE);
	while (store_sync_is_due(store) && store_sync_at_rest(store, STORE_NOBODY) == 0)
		;
}

static void open_warm(struct fixture *f)
{
	struct answer answer;
	fixture_open(f, STORE_FULL, journal_memory_new());
	for (int i = 0; i < WARM_UP; i++) {
		commit(f, i, &answer);
		store_sync_soon(f->store);
		assert_int_equal(told(&answer), ST_OK);
		assert_false(pthread_equal(answer.by, pthread_self()));
	}
}

/* It is not known at first whether syncs are fast, and a slow one makes it unknown again: that is a matter of
 * time, so what is sure is that it is made here after enough fast ones. */
static void test_lone_commit_is_synced_here(void **state)
{
	(void)state;
	struct fixture f;
	struct answer answer;
	open_warm(&f);
	unsigned here = 0;
	for (int i = 0; i < WARM_UP; i++) {
		commit(&f, WARM_UP + i, &answer);
		sync_turn(f.store);
		assert_int_equal(told(&answer), ST_OK);
		here += pthread_equal(answer.by, pthread_self()) != 0;
	}
	assert_true(here > 0);
	assert_int_equal(journal_memory_syncs(f.journal), 2 * WARM_UP);
	sync_turn(f.store); /* nothing to do */
	assert_int_equal(journal_memory_syncs(f.journal), 2 * WARM_UP);
	fixture_close(&f);
}

static void test_several_are_synced_by_the_thread(void **state)
{
	(void)state;
	struct fixture f;
	struct answer first, second, third;
	open_warm(&f);
	commit(&f, 1001, &first);
	commit(&f, 1002, &second);
	sync_turn(f.store);
	assert_int_equal(told(&first), ST_OK);
	assert_int_equal(told(&second), ST_OK);
	assert_false(pthread_equal(second.by, pthread_self()));
	/* There were others a moment ago: they may come again. */
	commit(&f, 1003, &third);
	sync_turn(f.store);
	assert_int_equal(told(&third), ST_OK);
	assert_false(pthread_equal(third.by, pthread_self()));
	fixture_close(&f);
}

/* Where more than one session commits, the end of a turn begins no sync: that is made at rest, of all of
 * them. */
static void test_sessions_share_a_sync(void **state)
{
	(void)state;
	struct fixture f;
	struct answer first, second;
	open_warm(&f);
	unsigned shared = 0;
	for (int i = 0; i < WARM_UP; i++) {
		unsigned syncs = journal_memory_syncs(f.journal);
		commit_of(&f, 1, 1000 + 2 * i, &first);
		store_sync_turn(f.store, STORE_TURN_IDLE);
		commit_of(&f, 2, 1001 + 2 * i, &second);
		store_sync_turn(f.store, STORE_TURN_IDLE);
		uint64_t wait_ns = store_sync_at_rest(f.store, STORE_NOBODY);
		assert_true(wait_ns == 0 || wait_ns == UINT64_MAX); /* the thread makes it: they were slow */
		assert_int_equal(told(&first), ST_OK);
		assert_int_equal(told(&second), ST_OK);
		shared += wait_ns == 0 && journal_memory_syncs(f.journal) == syncs + 1 &&
			  pthread_equal(first.by, pthread_self()) && pthread_equal(second.by, pthread_self());
		assert_false(store_sync_is_due(f.store));
	}
	assert_true(shared > 0);
	fixture_close(&f);
}

/* It waits for companions, but not for long. */
static void test_companions_are_waited_for(void **state)
{
	(void)state;
	struct fixture f;
	struct answer answer;
	fixture_open(&f, STORE_FULL, journal_memory_new());
	unsigned waited = 0;
	for (int i = 0; i < WARM_UP; i++) {
		commit_of(&f, 1 + (uint32_t)i % 2, i, &answer);
		uint64_t wait_ns, began_ns = os_clock_monotonic_ns();
		while ((wait_ns = store_sync_at_rest(f.store, STORE_COMPANIONS)) != 0 &&
		       wait_ns != UINT64_MAX) {
			assert_true(wait_ns <= 4 * 200000); /* four times what is fast */
			waited++;
			assert_true(os_clock_monotonic_ns() - began_ns < 10000000000);
		}
		assert_int_equal(told(&answer), ST_OK);
	}
	assert_true(waited > 0);
	fixture_close(&f);
}

/* While another one syncs, it is left to the thread, and no call waits. */
static void test_beside_a_sync(void **state)
{
	(void)state;
	struct fixture f;
	struct answer first, second;
	open_warm(&f);
	journal_memory_hold_syncs(f.journal, 1);
	commit(&f, 1001, &first);
	store_sync_soon(f.store);
	commit(&f, 1002, &second);
	store_sync_soon(f.store);
	assert_false(is_told(&first));
	assert_false(is_told(&second));
	journal_memory_hold_syncs(f.journal, 0);
	assert_int_equal(told(&first), ST_OK);
	assert_int_equal(told(&second), ST_OK);
	fixture_close(&f);
}

static void test_failure_of_a_sync_that_is_made_here(void **state)
{
	(void)state;
	struct fixture f;
	struct answer answer;
	open_warm(&f);
	journal_memory_fail_sync(f.journal, 1);
	commit(&f, 1001, &answer);
	sync_turn(f.store);
	assert_int_equal(told(&answer), ST_IO);
	assert_string_equal(fixture_type(&f, STORE_RUNNING, "n1001"), "");
	assert_string_equal(fixture_type(&f, STORE_RUNNING, "n1"), "x");
	/* Nobody tries again. */
	uint64_t syncs = journal_memory_syncs(f.journal);
	assert_int_equal(fixture_run(&f, STORE_RUNNING, 2, "+b=x", NULL), ST_IO);
	sync_turn(f.store);
	store_sync_soon(f.store);
	assert_int_equal(journal_memory_syncs(f.journal), syncs);
	fixture_close(&f);
}

struct writer {
	struct fixture *f;
	int first;
	unsigned good;
};

/* Changes of thread that the other threads, of which there is the sync thread alone, made of their own will.
 */
static long switches_of_the_sync_thread(void)
{
	struct rusage all, own;
	assert_int_equal(getrusage(RUSAGE_SELF, &all), 0);
	assert_int_equal(getrusage(RUSAGE_THREAD, &own), 0);
	return all.ru_nvcsw - own.ru_nvcsw;
}

static void await_syncs(struct fixture *f, unsigned count)
{
	for (int i = 0; i < 10000 && journal_memory_syncs(f->journal) < count; i++)
		usleep(1000);
	assert_true(journal_memory_syncs(f->journal) >= count);
}

/* Under relaxed durability a sync covers what comes within its delay, from which no commit wakes the thread;
 * and when all is durable, the next commit does wake it. */
static void test_relaxed_commits_leave_the_thread_alone(void **state)
{
	(void)state;
	struct fixture f;
	struct answer answer;
	fixture_open(&f, STORE_RELAXED, journal_memory_new());
	long before = switches_of_the_sync_thread();
	for (int i = 0; i < WARM_UP; i++) {
		commit(&f, i, &answer);
		assert_int_equal(told(&answer), ST_OK);
		usleep(200);
	}
	assert_true(switches_of_the_sync_thread() - before < WARM_UP / 2);
	await_syncs(&f, 1);
	usleep(RELAXED_DELAY_US * 2);
	unsigned syncs = journal_memory_syncs(f.journal);
	commit(&f, WARM_UP, &answer);
	assert_int_equal(told(&answer), ST_OK);
	await_syncs(&f, syncs + 1);
	fixture_close(&f);
}

static struct edit_tree *edits[4][50];

static void *write_some(void *arg)
{
	struct writer *writer = arg;
	static const struct store_actor actor = {.session_id = 1, .user = "tester"};
	struct arena *arena = arena_new();
	for (int i = 0; i < 50; i++) {
		struct diag_list diags;
		struct store_answer given;
		struct answer answer = {.waiter = {.done = on_done}};
		diag_list_init(&diags, arena, 1);
		struct store_call call = {.actor = &actor, .diags = &diags, .sync = STORE_SYNC_LATER};
		struct edit_options options = {.default_operation = EDIT_MERGE,
					       .reclaimer = writer->f->reclaimer};
		assert_int_equal(store_edit(writer->f->store, STORE_RUNNING, &call, edits[writer->first][i],
					    &options, &given),
				 ST_OK);
		sem_init(&answer.told, 0, 0);
		answer.waiter.version = given.after;
		store_await(writer->f->store, &answer.waiter);
		sync_turn(writer->f->store);
		writer->good += told(&answer) == ST_OK;
		arena_reset(arena);
	}
	arena_free(arena);
	return NULL;
}

/* All answers come, whoever makes the syncs. */
static void test_many_at_once(void **state)
{
	(void)state;
	struct fixture f;
	pthread_t threads[4];
	struct writer writers[4];
	char text[32];
	fixture_open(&f, STORE_FULL, journal_memory_new());
	for (int i = 0; i < 4; i++)
		for (int k = 0; k < 50; k++) {
			snprintf(text, sizeof(text), "+w%d-%d=x", i, k);
			edits[i][k] = fixture_edit(&f, text);
		}
	for (int i = 0; i < 4; i++) {
		writers[i] = (struct writer){&f, i, 0};
		assert_int_equal(pthread_create(&threads[i], NULL, write_some, &writers[i]), 0);
	}
	for (int i = 0; i < 4; i++) {
		pthread_join(threads[i], NULL);
		assert_int_equal(writers[i].good, 50);
		for (int k = 0; k < 50; k++)
			edit_tree_free(edits[i][k]);
	}
	const struct store_version *version = store_pin(f.store);
	assert_int_equal(version->id, 1 + 4 * 50);
	store_unpin(f.store, version);
	fixture_close(&f);
}

struct tidier {
	struct store *store;
	_Atomic bool is_over;
};

static void *tidy_always(void *arg)
{
	struct tidier *tidier = arg;
	while (!atomic_load(&tidier->is_over))
		store_tidy(tidier->store);
	return NULL;
}

/* What old versions held is freed by whoever has the time, or by nobody for a while. */
static void test_tidied_beside_commits(void **state)
{
	(void)state;
	struct fixture f;
	struct answer answer;
	pthread_t thread;
	open_warm(&f);
	struct tidier tidier = {.store = f.store};
	for (int i = 0; i < 3 * WARM_UP; i++) {
		if (i == WARM_UP)
			assert_int_equal(pthread_create(&thread, NULL, tidy_always, &tidier), 0);
		commit_of(&f, 1 + (uint32_t)i % 2, WARM_UP + i, &answer);
		sync_turn(f.store);
		assert_int_equal(told(&answer), ST_OK);
	}
	atomic_store(&tidier.is_over, true);
	pthread_join(thread, NULL);
	const struct store_version *version = store_pin(f.store);
	assert_int_equal(version->id, 1 + 4 * WARM_UP);
	assert_int_equal(store_history_length(f.store), 10);
	store_unpin(f.store, version);
	fixture_close(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lone_commit_is_synced_here),
		cmocka_unit_test(test_several_are_synced_by_the_thread),
		cmocka_unit_test(test_sessions_share_a_sync),
		cmocka_unit_test(test_companions_are_waited_for),
		cmocka_unit_test(test_beside_a_sync),
		cmocka_unit_test(test_failure_of_a_sync_that_is_made_here),
		cmocka_unit_test(test_relaxed_commits_leave_the_thread_alone),
		cmocka_unit_test(test_many_at_once),
		cmocka_unit_test(test_tidied_beside_commits),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
