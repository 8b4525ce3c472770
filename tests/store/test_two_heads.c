/* SPDX-License-Identifier: BSD-3-Clause */
/* The two heads: what is appended and not synced, who sees it, and what a failed sync does. */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "os/clock.h"
#include "store/helper_store.h"

struct answer {
	struct store_waiter waiter;
	sem_t told;
	_Atomic int count;
	enum status status;
};

static void on_done(struct store_waiter *waiter, enum status status)
{
	struct answer *answer = (struct answer *)waiter;
	answer->status = status;
	answer->count++;
	sem_post(&answer->told);
}

static void await(struct fixture *f, struct answer *answer, uint64_t version)
{
	memset(answer, 0, sizeof(*answer));
	sem_init(&answer->told, 0, 0);
	answer->waiter.version = version;
	answer->waiter.done = on_done;
	store_await(f->store, &answer->waiter);
}

static enum status told(struct answer *answer)
{
	sem_wait(&answer->told);
	assert_int_equal(answer->count, 1);
	return answer->status;
}

static void test_published_only_after_sync(void **state)
{
	(void)state;
	struct fixture f;
	struct store_answer first, second, refused, same;
	struct answer a, b, c, d;
	fixture_open(&f, STORE_FULL, journal_memory_new());
	journal_memory_hold_syncs(f.journal, 1);
	assert_int_equal(fixture_run(&f, STORE_RUNNING, 1, "+a=x", &first), ST_OK);
	assert_int_equal(first.after, 2);
	assert_string_equal(fixture_type(&f, STORE_RUNNING, "a"), "");
	/* Works on tip, also where the answer is a refusal or nothing changes. */
	assert_int_equal(fixture_run(&f, STORE_RUNNING, 2, "+b=x", &second), ST_OK);
	assert_int_equal(second.after, 3);
	assert_int_equal(fixture_run(&f, STORE_RUNNING, 2, "+a=x", &refused), ST_REJECTED);
	assert_int_equal(refused.after, 3);
	assert_int_equal(fixture_run(&f, STORE_RUNNING, 2, "", &same), ST_OK);
	assert_int_equal(same.after, 3);
	assert_false(same.changed);
	assert_int_equal(journal_memory_length(f.journal), 2);
	for (uint64_t i = 0, version = 0; i < 2; i++) {
		assert_true(journal_memory_record(f.journal, i, &version).size > 0);
		assert_int_equal(version, i + 2);
	}
	await(&f, &a, first.after);
	await(&f, &b, second.after);
	await(&f, &c, refused.after);
	await(&f, &d, same.after);
	assert_int_equal(a.count + b.count + c.count + d.count, 0);
	journal_memory_hold_syncs(f.journal, 0);
	assert_int_equal(told(&a), ST_OK);
	assert_int_equal(told(&b), ST_OK);
	assert_int_equal(told(&c), ST_OK);
	assert_int_equal(told(&d), ST_OK);
	assert_string_equal(fixture_type(&f, STORE_RUNNING, "a"), "x");
	assert_string_equal(fixture_type(&f, STORE_RUNNING, "b"), "x");
	fixture_close(&f);
}

/* An edit that is only tested is tested on tip, so its answer rests on that too. */
static void test_tested_edit_waits_for_tip(void **state)
{
	(void)state;
	struct fixture f;
	struct store_actor actor = {2, "tester", NULL};
	struct edit_options options = {.default_operation = EDIT_MERGE};
	struct store_answer first, answer;
	struct answer heard;
	fixture_open(&f, STORE_FULL, journal_memory_new());
	journal_memory_hold_syncs(f.journal, 1);
	journal_memory_fail_sync(f.journal, 1);
	assert_int_equal(fixture_run(&f, STORE_RUNNING, 1, "+a=x", &first), ST_OK);
	struct edit_tree *edit = fixture_edit(&f, "+a=x");
	struct store_call call = fixture_call(&f, &actor);
	assert_int_equal(
		store_edit_test(f.store, STORE_RUNNING, &call, edit, &options, STORE_TEST_ONLY, &answer),
		ST_REJECTED);
	edit_tree_free(edit);
	assert_int_equal(answer.after, first.after);
	await(&f, &heard, answer.after);
	journal_memory_hold_syncs(f.journal, 0);
	assert_int_equal(told(&heard), ST_IO);
	fixture_close(&f);
}

/* An edit of a clean candidate is made of tip: what was just committed is not to be taken back by the next
 * commit. */
static void test_candidate_edit_beside_a_commit(void **state)
{
	(void)state;
	struct fixture f;
	struct store_answer edited, committed, answer;
	struct answer heard;
	fixture_open(&f, STORE_FULL, journal_memory_new());
	journal_memory_hold_syncs(f.journal, 1);
	struct store_actor actor = {1, "tester", NULL};
	struct store_call call = fixture_call(&f, &actor);
	assert_int_equal(fixture_run(&f, STORE_CANDIDATE, 1, "+a=x", &edited), ST_OK);
	assert_int_equal(edited.after, 0);
	assert_int_equal(store_commit(f.store, &call, &committed), ST_OK);
	assert_int_equal(fixture_run(&f, STORE_CANDIDATE, 1, "+b=x", &answer), ST_OK);
	assert_int_equal(answer.after, committed.after);
	assert_string_equal(fixture_type(&f, STORE_CANDIDATE, "a"), "x");
	assert_int_equal(store_commit(f.store, &call, &answer), ST_OK);
	await(&f, &heard, answer.after);
	journal_memory_hold_syncs(f.journal, 0);
	assert_int_equal(told(&heard), ST_OK);
	assert_string_equal(fixture_type(&f, STORE_RUNNING, "a"), "x");
	assert_string_equal(fixture_type(&f, STORE_RUNNING, "b"), "x");
	fixture_close(&f);
}

static void test_failed_sync_is_terminal(void **state)
{
	(void)state;
	struct fixture f;
	struct store_answer durable, lost, refused, after;
	struct answer a, b, c;
	fixture_open(&f, STORE_FULL, journal_memory_new());
	assert_int_equal(fixture_run(&f, STORE_RUNNING, 1, "+a=x", &durable), ST_OK);
	await(&f, &a, durable.after);
	assert_int_equal(told(&a), ST_OK);

	journal_memory_hold_syncs(f.journal, 1);
	journal_memory_fail_sync(f.journal, 1);
	assert_int_equal(fixture_run(&f, STORE_RUNNING, 1, "+b=x", &lost), ST_OK);
	assert_int_equal(fixture_run(&f, STORE_RUNNING, 2, "+b=x", &refused), ST_REJECTED);
	await(&f, &b, lost.after);
	await(&f, &c, refused.after);
	journal_memory_hold_syncs(f.journal, 0);
	assert_int_equal(told(&b), ST_IO);
	assert_int_equal(told(&c), ST_IO);
	/* Reads go on with what is durable, writes are refused, nothing waits. */
	assert_string_equal(fixture_type(&f, STORE_RUNNING, "a"), "x");
	assert_string_equal(fixture_type(&f, STORE_RUNNING, "b"), "");
	assert_int_equal(fixture_run(&f, STORE_RUNNING, 1, "+c=x", &after), ST_IO);
	assert_int_equal(f.diags.first->tag, DIAG_OPERATION_FAILED);
	assert_int_equal(after.after, 0);
	await(&f, &a, lost.after);
	assert_int_equal(told(&a), ST_IO);
	fixture_close(&f);
}

static void test_no_room_refuses_and_changes_nothing(void **state)
{
	(void)state;
	struct fixture f;
	struct store_answer answer;
	struct answer a;
	fixture_open(&f, STORE_FULL, journal_memory_new());
	journal_memory_fail_reserve(f.journal, 1, ST_LIMIT);
	assert_int_equal(fixture_run(&f, STORE_RUNNING, 1, "+a=x", &answer), ST_REJECTED);
	assert_int_equal(f.diags.first->tag, DIAG_RESOURCE_DENIED);
	assert_int_equal(journal_memory_length(f.journal), 0);
	assert_int_equal(fixture_run(&f, STORE_RUNNING, 1, "+a=x", &answer), ST_OK);
	await(&f, &a, answer.after);
	assert_int_equal(told(&a), ST_OK);
	assert_string_equal(fixture_type(&f, STORE_RUNNING, "a"), "x");
	fixture_close(&f);
}

static void test_one_sync_covers_what_waits(void **state)
{
	(void)state;
	struct fixture f;
	struct store_answer answer = {0};
	struct answer a;
	char edit[32];
	fixture_open(&f, STORE_FULL, journal_memory_new());
	journal_memory_hold_syncs(f.journal, 1);
	for (int i = 0; i < 64; i++) {
		snprintf(edit, sizeof(edit), "+n%d=x", i);
		assert_int_equal(fixture_run(&f, STORE_RUNNING, 1, edit, &answer), ST_OK);
	}
	await(&f, &a, answer.after);
	journal_memory_hold_syncs(f.journal, 0);
	assert_int_equal(told(&a), ST_OK);
	assert_true(journal_memory_syncs(f.journal) <= 2);
	fixture_close(&f);
}

static void run_for_later(struct fixture *f, int number, struct store_answer *answer)
{
	static const struct store_actor actor = {.session_id = 1, .user = "tester"};
	char text[32];
	snprintf(text, sizeof(text), "+n%d=x", number);
	struct edit_tree *edit = fixture_edit(f, text);
	struct store_call call = fixture_call(f, &actor);
	call.sync = STORE_SYNC_LATER;
	struct edit_options options = {.default_operation = EDIT_MERGE, .reclaimer = f->reclaimer};
	assert_int_equal(store_edit(f->store, STORE_RUNNING, &call, edit, &options, answer), ST_OK);
	edit_tree_free(edit);
}

/* Who has more to propose brings it along: no sync begins before it is asked for. */
static void test_sync_that_is_left_for_later(void **state)
{
	(void)state;
	struct fixture f;
	struct store_answer answer = {0};
	struct answer a;
	fixture_open(&f, STORE_FULL, journal_memory_new());
	for (int i = 0; i < 20; i++)
		run_for_later(&f, i, &answer);
	nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
	assert_int_equal(journal_memory_syncs(f.journal), 0);
	await(&f, &a, answer.after);
	assert_int_equal(a.count, 0);
	store_sync_soon(f.store);
	assert_int_equal(told(&a), ST_OK);
	assert_int_equal(journal_memory_syncs(f.journal), 1);
	store_sync_soon(f.store); /* nothing to do */
	/* Another one's commit takes along what is left. */
	run_for_later(&f, 20, &answer);
	assert_int_equal(fixture_run(&f, STORE_RUNNING, 2, "+b=x", &answer), ST_OK);
	await(&f, &a, answer.after);
	assert_int_equal(told(&a), ST_OK);
	assert_int_equal(journal_memory_syncs(f.journal), 2);
	fixture_close(&f);
}

/* A group has an end, whatever its members say. */
static void test_group_is_bounded(void **state)
{
	(void)state;
	struct fixture f;
	struct store_answer answer = {0};
	struct answer a;
	fixture_open(&f, STORE_FULL, journal_memory_new());
	for (int i = 0; i < 32; i++)
		run_for_later(&f, i, &answer);
	await(&f, &a, answer.after);
	assert_int_equal(told(&a), ST_OK);
	fixture_close(&f);
}

static void test_relaxed_does_not_wait_to_be_asked(void **state)
{
	(void)state;
	struct fixture f;
	struct store_answer answer;
	fixture_open(&f, STORE_RELAXED, journal_memory_new());
	run_for_later(&f, 1, &answer);
	assert_int_equal(answer.after, 0);
	while (journal_memory_syncs(f.journal) == 0)
		nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
	fixture_close(&f);
}

static void test_relaxed_publishes_at_once_and_syncs_soon(void **state)
{
	(void)state;
	struct fixture f;
	struct store_answer answer;
	fixture_open(&f, STORE_RELAXED, journal_memory_new());
	assert_int_equal(fixture_run(&f, STORE_RUNNING, 1, "+a=x", &answer), ST_OK);
	assert_int_equal(answer.after, 0);
	assert_string_equal(fixture_type(&f, STORE_RUNNING, "a"), "x");
	struct journal *journal = f.journal;
	f.journal = NULL;
	fixture_close(&f); /* closing syncs what is pending */
	assert_int_equal(journal_memory_syncs(journal), 1);
	journal->ops->close(journal);
}

struct seen {
	struct store_observer observer;
	uint64_t last;
	_Atomic size_t announced;
	bool veto;
};

static enum status on_consult(struct store_observer *self, const struct store_actor *actor,
			      const struct tree_change_set *changes, struct diag_list *diags)
{
	(void)actor;
	assert_non_null(changes->root);
	if (!((struct seen *)self)->veto)
		return ST_OK;
	diag_add(diags, DIAG_APPLICATION, DIAG_OPERATION_FAILED, "not now");
	return ST_REJECTED;
}

static void on_announce(struct store_observer *self, const struct store_version *old_version,
			const struct store_version *new_version)
{
	struct seen *seen = (struct seen *)self;
	assert_int_equal(old_version->id, seen->last);
	assert_int_equal(new_version->id, old_version->id + 1);
	seen->last = new_version->id;
	seen->announced++;
}

static void test_observers(void **state)
{
	(void)state;
	struct fixture f;
	struct store_answer answer = {0};
	struct answer a;
	struct seen seen = {.observer = {.consult = on_consult, .announce = on_announce}, .last = 1};
	fixture_open(&f, STORE_FULL, journal_memory_new());
	store_add_observer(f.store, &seen.observer);
	assert_int_equal(fixture_run(&f, STORE_RUNNING, 1, "+a=x", NULL), ST_OK);
	seen.veto = true;
	assert_int_equal(fixture_run(&f, STORE_RUNNING, 1, "+b=x", NULL), ST_REJECTED);
	assert_string_equal(f.diags.first->message, "not now");
	seen.veto = false;
	assert_int_equal(fixture_run(&f, STORE_RUNNING, 1, "+c=x", &answer), ST_OK);
	await(&f, &a, answer.after);
	assert_int_equal(told(&a), ST_OK);
	/* An answer does not wait for the observers where its version was published before it was asked for.
	 */
	for (int ms = 0; ms < 10000 && seen.announced < 2; ms++)
		os_clock_sleep_ms(1);
	assert_int_equal(seen.announced, 2);
	assert_string_equal(fixture_type(&f, STORE_RUNNING, "b"), "");
	fixture_close(&f);
}

/* Lets the sync that is held fail, and waits until it has, in the middle of another proposal. */
struct failing {
	struct store_observer observer;
	struct fixture *f;
	struct answer lost;
	uint64_t version; /* 0: does nothing */
};

static enum status fail_meanwhile(struct store_observer *self, const struct store_actor *actor,
				  const struct tree_change_set *changes, struct diag_list *diags)
{
	struct failing *failing = (struct failing *)self;
	(void)actor;
	(void)changes;
	if (failing->version == 0)
		return ST_OK;
	await(failing->f, &failing->lost, failing->version);
	journal_memory_hold_syncs(failing->f->journal, 0);
	assert_int_equal(told(&failing->lost), ST_IO);
	if (actor->session_id == 3)
		return ST_OK;
	diag_add(diags, DIAG_APPLICATION, DIAG_OPERATION_FAILED, "refused");
	return ST_REJECTED;
}

/* What rests on a version that is lost meanwhile is not acknowledged, be it a change or a refusal. */
static void sync_fails_in_the_middle(uint32_t session_id, enum status expected)
{
	struct fixture f;
	struct store_answer lost, answer;
	struct answer heard;
	struct failing failing = {.observer = {.consult = fail_meanwhile}, .f = &f};
	fixture_open(&f, STORE_FULL, journal_memory_new());
	store_add_observer(f.store, &failing.observer);
	journal_memory_hold_syncs(f.journal, 1);
	journal_memory_fail_sync(f.journal, 1);
	assert_int_equal(fixture_run(&f, STORE_RUNNING, 1, "+a=x", &lost), ST_OK);
	failing.version = lost.after;
	assert_int_equal(fixture_run(&f, STORE_RUNNING, session_id, "+b=x", &answer), expected);
	await(&f, &heard, answer.after);
	assert_int_equal(told(&heard), ST_IO);
	assert_string_equal(fixture_type(&f, STORE_RUNNING, "b"), "");
	fixture_close(&f);
}

static void test_refusal_beside_a_failing_sync(void **state)
{
	(void)state;
	sync_fails_in_the_middle(2, ST_REJECTED);
}

static void test_change_beside_a_failing_sync(void **state)
{
	(void)state;
	sync_fails_in_the_middle(3, ST_IO);
}

#define WRITERS 3
#define WRITES 60

struct writer {
	struct fixture *f;
	unsigned number;
};

static void *write_many(void *arg)
{
	struct writer *writer = arg;
	struct fixture f = *writer->f; /* its own arena and diags, the same store */
	f.arena = arena_new();
	for (unsigned i = 0; i < WRITES; i++) {
		char edit[32];
		struct store_answer answer;
		struct answer a;
		snprintf(edit, sizeof(edit), "+w%u-%u=x", writer->number, i);
		assert_int_equal(fixture_run(&f, STORE_RUNNING, writer->number + 1, edit, &answer), ST_OK);
		await(&f, &a, answer.after);
		assert_int_equal(told(&a), ST_OK);
		assert_string_equal(fixture_type(&f, STORE_RUNNING, strtok(edit + 1, "=")), "x");
	}
	arena_free(f.arena);
	return NULL;
}

static void *read_many(void *arg)
{
	struct fixture *f = arg;
	uint64_t last = 0;
	for (int i = 0; i < 5000; i++) {
		const struct store_version *version = store_pin(f->store);
		assert_true(version->id >= last);
		last = version->id;
		store_unpin(f->store, version);
	}
	return NULL;
}

static void test_writers_and_readers_at_once(void **state)
{
	(void)state;
	struct fixture f;
	struct writer writers[WRITERS];
	pthread_t threads[WRITERS + 1];
	fixture_open(&f, STORE_FULL, journal_memory_new());
	for (unsigned i = 0; i < WRITERS; i++) {
		writers[i] = (struct writer){&f, i};
		assert_int_equal(pthread_create(&threads[i], NULL, write_many, &writers[i]), 0);
	}
	assert_int_equal(pthread_create(&threads[WRITERS], NULL, read_many, &f), 0);
	for (unsigned i = 0; i <= WRITERS; i++)
		pthread_join(threads[i], NULL);
	const struct store_version *version = store_pin(f.store);
	assert_int_equal(version->id, 1 + WRITERS * WRITES);
	store_unpin(f.store, version);
	fixture_close(&f);
}

/* Holds the writer lock: its consult blocks until told. */
struct holder {
	struct store_observer observer;
	struct fixture *f;
	sem_t inside, go_on;
};

static enum status hold(struct store_observer *self, const struct store_actor *actor,
			const struct tree_change_set *changes, struct diag_list *diags)
{
	struct holder *holder = (struct holder *)self;
	(void)changes;
	(void)diags;
	if (actor->session_id != 1)
		return ST_OK;
	sem_post(&holder->inside);
	sem_wait(&holder->go_on);
	return ST_OK;
}

static void *write_one(void *arg)
{
	struct holder *holder = arg;
	struct fixture f = *holder->f;
	f.arena = arena_new();
	assert_int_equal(fixture_run(&f, STORE_RUNNING, 1, "+a=x", NULL), ST_OK);
	arena_free(f.arena);
	return NULL;
}

static void test_busy_where_the_caller_must_not_wait(void **state)
{
	(void)state;
	struct fixture f;
	struct holder holder = {.observer = {.consult = hold}, .f = &f};
	struct store_actor actor = {2, "tester", NULL};
	struct edit_options options = {.default_operation = EDIT_MERGE};
	struct store_answer answer;
	pthread_t thread;
	fixture_open(&f, STORE_NONE, NULL);
	store_add_observer(f.store, &holder.observer);
	sem_init(&holder.inside, 0, 0);
	sem_init(&holder.go_on, 0, 0);
	assert_int_equal(pthread_create(&thread, NULL, write_one, &holder), 0);
	sem_wait(&holder.inside);
	struct edit_tree *edit = fixture_edit(&f, "+b=x");
	struct store_call call = fixture_call(&f, &actor);
	call.wait = STORE_NO_WAIT;
	assert_int_equal(store_edit(f.store, STORE_RUNNING, &call, edit, &options, &answer), ST_BUSY);
	assert_int_equal(store_lock(f.store, STORE_RUNNING, &call), ST_BUSY);
	assert_int_equal(f.diags.length, 0);
	assert_string_equal(fixture_type(&f, STORE_RUNNING, "a"), ""); /* readers are not held up */
	sem_post(&holder.go_on);
	pthread_join(thread, NULL);
	assert_int_equal(store_edit(f.store, STORE_RUNNING, &call, edit, &options, &answer), ST_OK);
	edit_tree_free(edit);
	fixture_close(&f);
}

/* One that may not wait itself is soon done: it is waited for, but not for ever. */
struct brief {
	struct store_observer observer;
	struct fixture *f;
	sem_t inside;
	unsigned hold_us, round;
	_Atomic bool has_left;
};

static enum status hold_briefly(struct store_observer *observer, const struct store_actor *actor,
				const struct tree_change_set *changes, struct diag_list *diags)
{
	(void)changes, (void)diags;
	struct brief *brief = (struct brief *)observer;
	if (actor->session_id != 1)
		return ST_OK;
	sem_post(&brief->inside);
	usleep(brief->hold_us);
	atomic_store(&brief->has_left, true);
	return ST_OK;
}

static enum status create_without_waiting(struct fixture *f, uint32_t session_id, unsigned number)
{
	char text[32];
	snprintf(text, sizeof(text), "+n%u-%u=x", session_id, number);
	struct store_actor actor = {session_id, "tester", NULL};
	struct edit_options options = {.default_operation = EDIT_MERGE, .reclaimer = f->reclaimer};
	struct store_answer answer;
	struct edit_tree *edit = fixture_edit(f, text);
	struct store_call call = fixture_call(f, &actor);
	call.wait = STORE_NO_WAIT;
	enum status status = store_edit(f->store, STORE_RUNNING, &call, edit, &options, &answer);
	edit_tree_free(edit);
	return status;
}

static void *write_briefly(void *arg)
{
	struct brief *brief = arg;
	struct fixture f = *brief->f;
	f.arena = arena_new();
	assert_int_equal(create_without_waiting(&f, 1, brief->round), ST_OK);
	arena_free(f.arena);
	return NULL;
}

/* Gives the status of an edit beside one that takes so long; *beside: it was surely begun beside it. */
static enum status edit_beside(struct brief *brief, unsigned hold_us, bool *beside)
{
	pthread_t thread;
	brief->hold_us = hold_us;
	brief->round++;
	atomic_store(&brief->has_left, false);
	assert_int_equal(pthread_create(&thread, NULL, write_briefly, brief), 0);
	sem_wait(&brief->inside);
	*beside = !atomic_load(&brief->has_left);
	enum status status = create_without_waiting(brief->f, 2, brief->round);
	pthread_join(thread, NULL);
	return status;
}

static void test_small_change_is_waited_for(void **state)
{
	(void)state;
	struct fixture f;
	struct brief brief = {.observer = {.consult = hold_briefly}, .f = &f};
	fixture_open(&f, STORE_NONE, NULL);
	store_add_observer(f.store, &brief.observer);
	sem_init(&brief.inside, 0, 0);
	unsigned waited = 0;
	bool beside;
	for (unsigned i = 0; i < 30; i++)
		waited += edit_beside(&brief, 200, &beside) == ST_OK && beside;
	assert_true(waited > 0);
	assert_int_equal(edit_beside(&brief, 200000, &beside), ST_BUSY);
	assert_true(beside);
	assert_int_equal(f.diags.length, 0);
	fixture_close(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_published_only_after_sync),
		cmocka_unit_test(test_tested_edit_waits_for_tip),
		cmocka_unit_test(test_candidate_edit_beside_a_commit),
		cmocka_unit_test(test_failed_sync_is_terminal),
		cmocka_unit_test(test_no_room_refuses_and_changes_nothing),
		cmocka_unit_test(test_one_sync_covers_what_waits),
		cmocka_unit_test(test_sync_that_is_left_for_later),
		cmocka_unit_test(test_group_is_bounded),
		cmocka_unit_test(test_relaxed_does_not_wait_to_be_asked),
		cmocka_unit_test(test_relaxed_publishes_at_once_and_syncs_soon),
		cmocka_unit_test(test_observers),
		cmocka_unit_test(test_refusal_beside_a_failing_sync),
		cmocka_unit_test(test_change_beside_a_failing_sync),
		cmocka_unit_test(test_writers_and_readers_at_once),
		cmocka_unit_test(test_busy_where_the_caller_must_not_wait),
		cmocka_unit_test(test_small_change_is_waited_for),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
