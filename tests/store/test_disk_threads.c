/* SPDX-License-Identifier: BSD-3-Clause */
/* All threads of a store with a disk at once: writers, the sync thread, snapshots with retirement, readers of
 * the history. */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>
#include "base/log.h"
#include "store/helper_disk.h"
#include "store/history.h"

#define WRITERS 3u
#define WRITES 150u

struct worker {
	struct disk_bench *bench;
	unsigned number;
	_Atomic bool *stop;
};

struct told {
	struct store_waiter waiter;
	sem_t semaphore;
	enum status status;
};

static void on_done(struct store_waiter *waiter, enum status status)
{
	struct told *told = (struct told *)waiter;
	told->status = status;
	sem_post(&told->semaphore);
}

static enum status await(struct store *store, uint64_t version)
{
	struct told told = {.waiter = {.version = version, .done = on_done}};
	sem_init(&told.semaphore, 0, 0);
	store_await(store, &told.waiter);
	sem_wait(&told.semaphore);
	return told.status;
}

/* Adds an entry to whatever is published; another writer may have been faster, then its change is undone by
 * this one, which is no matter here. */
static void *write_many(void *arg)
{
	struct worker *worker = arg;
	struct store *store = worker->bench->store;
	struct store_actor actor = {worker->number + 1, "tester", "unix"};
	for (unsigned i = 0; i < WRITES; i++) {
		char type[16];
		struct store_answer answer;
		struct diag_list diags;
		struct arena *arena = arena_new();
		diag_list_init(&diags, arena, 4);
		snprintf(type, sizeof(type), "t%u", i);
		const struct tree_record *base = store_pin_root(store, STORE_RUNNING);
		struct tree_record *root =
			disk_change(worker->bench, base, worker->number * WRITES + i % 20, type);
		struct store_call call = {
			.actor = &actor, .diags = &diags, .comment = "in a crowd", .wait = STORE_WAIT};
		assert_int_equal(store_replace(store, STORE_RUNNING, &call, root, &answer), ST_OK);
		assert_int_equal(await(store, answer.after), ST_OK);
		disk_unref(worker->bench, base);
		disk_unref(worker->bench, root);
		arena_free(arena);
	}
	return NULL;
}

static bool note_id(void *arg, const struct store_version *info)
{
	*(uint64_t *)arg = info->id;
	return true;
}

static void *read_history(void *arg)
{
	struct worker *worker = arg;
	while (!*worker->stop) {
		uint64_t oldest = 0;
		const struct tree_record *root;
		store_history_each(worker->bench->store, note_id, &oldest);
		enum status status = store_history_pin(worker->bench->store, oldest, &root);
		assert_true(status == ST_OK || status == ST_ABSENT); /* retired meanwhile */
		if (status == ST_OK)
			disk_unref(worker->bench, root);
	}
	return NULL;
}

static void *write_snapshots(void *arg)
{
	struct worker *worker = arg;
	while (!*worker->stop)
		assert_int_equal(store_snapshot(worker->bench->store), ST_OK);
	return NULL;
}

static void all_at_once(enum store_durability durability)
{
	struct disk_bench bench;
	_Atomic bool stop = false;
	pthread_t threads[WRITERS + 2];
	struct worker workers[WRITERS + 2];
	disk_bench_init(&bench);
	bench.journal_options.segment_size = 2000;
	bench.store_options.manual_sync = false;
	bench.store_options.durability = durability;
	bench.store_options.history_memory = 2000;
	bench.store_options.snapshot_growth = 3000;
	bench.store_options.snapshot_pace = 1 << 20;
	assert_int_equal(disk_open(&bench), ST_OK);
	for (unsigned i = 0; i < WRITERS + 2; i++) {
		workers[i] = (struct worker){&bench, i, &stop};
		void *(*run)(void *) = i < WRITERS    ? write_many
				       : i == WRITERS ? read_history
						      : write_snapshots;
		assert_int_equal(pthread_create(&threads[i], NULL, run, &workers[i]), 0);
	}
	for (unsigned i = 0; i < WRITERS + 2; i++) {
		pthread_join(threads[i], NULL);
		stop = stop || i + 1 == WRITERS;
	}
	const struct tree_record *root = store_pin_root(bench.store, STORE_RUNNING);
	disk_close(&bench, true);
	assert_int_equal(disk_open(&bench), ST_OK);
	assert_true(disk_equal(&bench, bench.store->published->root, root));
	disk_unref(&bench, root);
	disk_bench_fini(&bench);
}

static void test_full(void **state)
{
	(void)state;
	all_at_once(STORE_FULL);
}

static void test_relaxed(void **state)
{
	(void)state;
	all_at_once(STORE_RELAXED);
}

static void test_none(void **state)
{
	(void)state;
	all_at_once(STORE_NONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_full),
		cmocka_unit_test(test_relaxed),
		cmocka_unit_test(test_none),
	};
	log_set_level(LOG_LEVEL_ERROR);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
