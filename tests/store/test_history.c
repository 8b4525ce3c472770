/* SPDX-License-Identifier: BSD-3-Clause */
/* The history: listing, old roots held and made again, rollback, restarts. */
#include <stdio.h>
#include <string.h>
#include "store/helper_disk.h"
#include "store/history.h"

#define VERSIONS 40u

struct past {
	struct disk_bench bench;
	const struct tree_record *roots[VERSIONS + 2]; /* by version; one reference */
};

/* Versions 2 .. VERSIONS, each with a comment. */
static void past_init(struct past *past, size_t history, uint64_t memory)
{
	memset(past, 0, sizeof(*past));
	disk_bench_init(&past->bench);
	past->bench.journal_options.segment_size = 900;
	past->bench.journal_options.history = past->bench.store_options.history_length = history;
	past->bench.store_options.history_memory = memory;
	assert_int_equal(disk_open(&past->bench), ST_OK);
	past->roots[1] = tree_record_ref(past->bench.store->tip->root);
	for (unsigned version = 2; version <= VERSIONS; version++) {
		char comment[32];
		snprintf(comment, sizeof(comment), "version %u", version);
		struct tree_record *root = disk_change(&past->bench, past->roots[version - 1], version % 7,
						       version % 3 == 0 ? NULL : comment);
		if (root == past->roots[version - 1]) { /* the entry was not there: make another change */
			disk_unref(&past->bench, root);
			root = disk_change(&past->bench, past->roots[version - 1], 100 + version, comment);
		}
		assert_int_equal(disk_propose(&past->bench, root, comment), ST_OK);
		store_sync(past->bench.store);
		past->roots[version] = root;
		assert_int_equal(past->bench.store->published->id, version);
		if (version % 15 == 0)
			assert_int_equal(store_snapshot(past->bench.store), ST_OK);
	}
}

static void past_fini(struct past *past)
{
	for (unsigned i = 0; i < VERSIONS + 2; i++)
		if (past->roots[i] != NULL)
			disk_unref(&past->bench, past->roots[i]);
	disk_bench_fini(&past->bench);
}

struct listing {
	uint64_t next; /* id expected */
	size_t length, most;
};

static bool list_one(void *arg, const struct store_version *info)
{
	struct listing *listing = arg;
	char comment[32];
	snprintf(comment, sizeof(comment), "version %u", (unsigned)info->id);
	assert_int_equal(info->id, listing->next);
	if (info->id > 1) {
		assert_string_equal(info->user, "tester");
		assert_string_equal(info->address, "unix");
		assert_string_equal(info->comment, comment);
		assert_int_equal(info->session_id, 7);
		assert_true(info->change_count > 0 && info->time_ns > 0);
	}
	listing->next--;
	return ++listing->length < listing->most;
}

static void note_time(void *arg, const struct store_version *info)
{
	*(uint64_t *)arg = info->time_ns;
}

static void assert_listed(struct past *past, size_t length)
{
	struct listing listing = {.next = VERSIONS, .most = SIZE_MAX}, some = {.next = VERSIONS, .most = 3};
	store_history_each(past->bench.store, list_one, &listing);
	assert_int_equal(listing.length, length);
	store_history_each(past->bench.store, list_one, &some);
	assert_int_equal(some.length, 3);
	const struct tree_record *root;
	for (uint64_t version = VERSIONS - length + 1; version <= VERSIONS; version++) {
		assert_int_equal(store_history_pin(past->bench.store, version, &root), ST_OK);
		assert_true(disk_equal(&past->bench, root, past->roots[version]));
		disk_unref(&past->bench, root);
	}
	assert_int_equal(store_history_pin(past->bench.store, VERSIONS - length, &root), ST_ABSENT);
	assert_int_equal(store_history_pin(past->bench.store, VERSIONS + 1, &root), ST_ABSENT);
}

static void test_listed_and_found_across_restarts(void **state)
{
	(void)state;
	static const uint64_t memories[] = {1 << 20, 5000, 0};
	for (unsigned i = 0; i < 3; i++) {
		struct past past;
		past_init(&past, 10, memories[i]);
		assert_listed(&past, 10);
		disk_close(&past.bench, i % 2);
		assert_int_equal(disk_open(&past.bench), ST_OK);
		assert_listed(&past, 10);
		past_fini(&past);
	}
}

static void test_longer_than_all_that_was(void **state)
{
	(void)state;
	struct past past;
	past_init(&past, 1000, 0);
	assert_listed(&past, VERSIONS);
	disk_close(&past.bench, true);
	assert_int_equal(disk_open(&past.bench), ST_OK);
	assert_listed(&past, VERSIONS); /* version 1 too, which has no record */
	past_fini(&past);
}

/* Version 1 stays while there is room for it, also where no snapshot has it any more. */
static void test_version_1_stays(void **state)
{
	(void)state;
	struct disk_bench bench;
	struct listing listing = {.next = 1, .most = 1};
	disk_bench_init(&bench);
	assert_int_equal(disk_open(&bench), ST_OK);
	uint64_t made_ns = bench.store->published->time_ns;
	for (unsigned version = 2; version <= 12; version++) {
		const struct tree_record *root;
		assert_int_equal(disk_put(&bench, version, "x"), ST_OK);
		store_sync(bench.store);
		assert_int_equal(store_snapshot(bench.store), ST_OK);
		disk_close(&bench, version % 2);
		assert_int_equal(disk_open(&bench), ST_OK);
		bool stays = version <= bench.store_options.history_length;
		assert_int_equal(store_history_length(bench.store), stays ? version : 10);
		assert_int_equal(store_history_visit(bench.store, 1, note_time, &listing.next), stays);
		assert_int_equal(store_history_pin(bench.store, 1, &root), stays ? ST_OK : ST_ABSENT);
		if (!stays)
			continue;
		assert_int_equal(listing.next, made_ns);
		assert_int_equal(root->length, 0);
		disk_unref(&bench, root);
	}
	disk_bench_fini(&bench);
}

static void test_labels_across_restarts(void **state)
{
	(void)state;
	static const struct store_actor actor = {7, "tester", "unix"};
	struct past past;
	past_init(&past, 50, 0);
	struct disk_bench *bench = &past.bench;
	struct store_call call = {.actor = &actor, .diags = &bench->diags, .label = "committed"};
	struct store_answer answer;
	diag_list_init(&bench->diags, bench->arena, 10);
	assert_int_equal(
		store_replace(bench->store, STORE_RUNNING, &call, past.roots[VERSIONS - 1], &answer), ST_OK);
	store_sync(bench->store);
	assert_int_equal(store_history_label(bench->store, &call, 1, "the first"), ST_OK);
	assert_int_equal(store_history_label(bench->store, &call, 17, "given later"), ST_OK);
	assert_int_equal(store_history_label(bench->store, &call, 18, "given later"), ST_OK);
	assert_int_equal(store_history_label(bench->store, &call, 99, "x"), ST_REJECTED);
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(store_history_labelled(bench->store, "committed"), VERSIONS + 1);
		assert_int_equal(store_history_labelled(bench->store, "the first"), 1);
		assert_int_equal(store_history_labelled(bench->store, "given later"), 18);
		assert_int_equal(store_history_labelled(bench->store, "x"), 0);
		if (i == 1)
			assert_int_equal(store_snapshot(bench->store), ST_OK);
		disk_close(bench, i % 2);
		assert_int_equal(disk_open(bench), ST_OK);
	}
	/* Taken away, it stays away; also the one of the record. */
	assert_int_equal(store_history_label(bench->store, &call, VERSIONS + 1, NULL), ST_OK);
	assert_int_equal(store_history_label(bench->store, &call, 18, NULL), ST_OK);
	disk_close(bench, false);
	assert_int_equal(disk_open(bench), ST_OK);
	assert_int_equal(store_history_labelled(bench->store, "committed"), 0);
	assert_int_equal(store_history_labelled(bench->store, "given later"), 17);
	past_fini(&past);
}

/* A write that fails leaves labels as they were, in memory and on disk. */
static void test_label_that_cannot_be_written(void **state)
{
	(void)state;
	static const struct store_actor actor = {7, "tester", "unix"};
	static const enum os_fs_kind calls[] = {OS_FS_OPEN, OS_FS_WRITE, OS_FS_SYNC, OS_FS_RENAME};
	struct past past;
	past_init(&past, 50, 0);
	struct disk_bench *bench = &past.bench;
	struct store_call call = {.actor = &actor, .diags = &bench->diags};
	assert_int_equal(store_history_label(bench->store, &call, 17, "old"), ST_OK);
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		diag_list_init(&bench->diags, bench->arena, 10);
		os_fs_fake_fail(bench->fs, calls[i], 1, ST_IO);
		assert_int_not_equal(store_history_label(bench->store, &call, 17, "other"), ST_OK);
		assert_int_equal(bench->diags.first->tag, DIAG_RESOURCE_DENIED);
		assert_int_equal(store_history_labelled(bench->store, "old"), 17);
	}
	disk_close(bench, true);
	assert_int_equal(disk_open(bench), ST_OK);
	assert_int_equal(store_history_labelled(bench->store, "old"), 17);
	past_fini(&past);
}

/* A version that a crash took had a label; the one that has its number now has not. */
static void test_label_of_a_version_that_was_lost(void **state)
{
	(void)state;
	static const struct store_actor actor = {7, "tester", "unix"};
	struct disk_bench bench;
	disk_bench_init(&bench);
	bench.store_options.durability = STORE_NONE;
	assert_int_equal(disk_open(&bench), ST_OK);
	assert_int_equal(disk_put(&bench, 1, "x"), ST_OK);
	struct store_call call = {.actor = &actor, .diags = &bench.diags};
	assert_int_equal(store_history_label(bench.store, &call, 2, "lost"), ST_OK);
	os_fs_fake_power_cut(bench.fs, 0);
	disk_close(&bench, false);
	os_fs_fake_power_on(bench.fs);
	assert_int_equal(disk_open(&bench), ST_OK);
	assert_int_equal(bench.store->published->id, 1);
	assert_int_equal(disk_put(&bench, 2, "y"), ST_OK);
	disk_close(&bench, true);
	assert_int_equal(disk_open(&bench), ST_OK);
	assert_int_equal(store_history_labelled(bench.store, "lost"), 0);
	disk_bench_fini(&bench);
}

/* What was made again is kept, and looked for first. */
static void test_roots_made_again_are_kept(void **state)
{
	(void)state;
	struct past past;
	past_init(&past, 1000, 1 << 20);
	struct disk_bench *bench = &past.bench;
	disk_close(bench, true);
	assert_int_equal(disk_open(bench), ST_OK);
	const struct tree_record *old, *again, *older;
	assert_int_equal(store_history_pin(bench->store, 20, &old), ST_OK);
	uint64_t reads = os_fs_fake_count(bench->fs, OS_FS_READ);
	assert_int_equal(store_history_pin(bench->store, 20, &again), ST_OK);
	assert_ptr_equal(again, old);
	assert_int_equal(os_fs_fake_count(bench->fs, OS_FS_READ), reads);
	assert_int_equal(store_history_pin(bench->store, 19, &older), ST_OK); /* from 20 */
	assert_true(disk_equal(bench, older, past.roots[19]));
	disk_unref(bench, old);
	disk_unref(bench, again);
	disk_unref(bench, older);
	for (uint64_t version = 1; version < VERSIONS; version++) {
		assert_int_equal(store_history_pin(bench->store, version, &old), ST_OK);
		assert_true(disk_equal(bench, old, past.roots[version]));
		disk_unref(bench, old);
		assert_true(bench->store->history.rebuilt_length <= STORE_REBUILT);
		assert_true(bench->store->history.rebuilt_cost <= bench->store_options.history_memory / 2);
	}
	past_fini(&past);
}

/* After a restart the versions behind the snapshot have their roots, and share them, as far as memory goes. */
static void test_last_versions_have_roots_after_a_restart(void **state)
{
	(void)state;
	static const uint64_t memories[] = {1 << 20, 5000};
	for (unsigned i = 0; i < 2; i++) {
		struct past past;
		past_init(&past, 10, memories[i]);
		disk_close(&past.bench, i);
		assert_int_equal(disk_open(&past.bench), ST_OK);
		const struct store__history *history = &past.bench.store->history;
		assert_int_equal(history->rootless, i == 0 ? 0 : 6); /* 1,024 bytes each */
		assert_true(history->cost <= memories[i]);
		uint64_t reads = os_fs_fake_count(past.bench.fs, OS_FS_READ);
		for (uint64_t version = VERSIONS; version > VERSIONS - 10 + history->rootless; version--) {
			const struct tree_record *root;
			assert_int_equal(store_history_pin(past.bench.store, version, &root), ST_OK);
			assert_true(disk_equal(&past.bench, root, past.roots[version]));
			disk_unref(&past.bench, root);
		}
		assert_int_equal(os_fs_fake_count(past.bench.fs, OS_FS_READ), reads);
		assert_listed(&past, 10);
		past_fini(&past);
	}
}

/* A way over several records reads each segment once. */
static void test_segments_are_read_once(void **state)
{
	(void)state;
	struct disk_bench bench;
	disk_bench_init(&bench);
	bench.journal_options.segment_size = 1 << 16;
	bench.journal_options.history = bench.store_options.history_length = 100;
	bench.store_options.history_memory = 0;
	assert_int_equal(disk_open(&bench), ST_OK);
	for (unsigned i = 0; i < 60; i++)
		assert_int_equal(disk_put(&bench, i, "x"), ST_OK);
	store_sync(bench.store);
	const struct tree_record *root;
	uint64_t reads = os_fs_fake_count(bench.fs, OS_FS_READ);
	assert_int_equal(store_history_pin(bench.store, 2, &root), ST_OK);
	assert_true(os_fs_fake_count(bench.fs, OS_FS_READ) - reads <= 2);
	disk_unref(&bench, root);
	disk_bench_fini(&bench);
}

static void test_old_roots_share_with_new_ones(void **state)
{
	(void)state;
	struct past past;
	past_init(&past, 1000, 0);
	struct tree_change_set changes;
	const struct tree_record *old, *older;
	struct arena *arena = arena_new();
	assert_int_equal(store_history_pin(past.bench.store, VERSIONS - 3, &old), ST_OK);
	assert_int_equal(store_history_pin(past.bench.store, VERSIONS - 4, &older), ST_OK);
	tree_diff(past.bench.schema, older, old, arena, &changes);
	assert_int_equal(changes.length, 1);
	disk_unref(&past.bench, old);
	disk_unref(&past.bench, older);
	arena_free(arena);
	past_fini(&past);
}

static void test_rollback_is_a_commit(void **state)
{
	(void)state;
	static const struct store_actor actor = {7, "tester", "unix"};
	struct past past;
	struct store_answer answer;
	past_init(&past, 20, 0);
	struct disk_bench *bench = &past.bench;
	diag_list_init(&bench->diags, bench->arena, 10);
	struct store_call call = {
		.actor = &actor, .diags = &bench->diags, .comment = "back", .wait = STORE_WAIT};
	assert_int_equal(store_history_rollback(bench->store, &call, VERSIONS - 20, &answer), ST_REJECTED);
	assert_int_equal(bench->diags.first->tag, DIAG_DATA_MISSING);
	assert_int_equal(store_history_rollback(bench->store, &call, VERSIONS - 12, &answer), ST_OK);
	assert_true(answer.changed);
	assert_int_equal(answer.after, VERSIONS + 1);
	store_sync(bench->store);
	assert_true(disk_equal(bench, bench->store->published->root, past.roots[VERSIONS - 12]));
	disk_close(bench, false);
	assert_int_equal(disk_open(bench), ST_OK);
	assert_int_equal(bench->store->published->id, VERSIONS + 1);
	assert_string_equal(bench->store->published->comment, "back");
	assert_true(disk_equal(bench, bench->store->published->root, past.roots[VERSIONS - 12]));
	/* To what is there already: nothing changes, no record. */
	assert_int_equal(store_history_rollback(bench->store, &call, VERSIONS - 12, &answer), ST_OK);
	assert_false(answer.changed);
	assert_int_equal(bench->store->tip->id, VERSIONS + 1);
	/* Back before the rollback. */
	assert_int_equal(store_history_rollback(bench->store, &call, VERSIONS, &answer), ST_OK);
	assert_true(disk_equal(bench, bench->store->tip->root, past.roots[VERSIONS]));
	past_fini(&past);
}

static void test_in_memory_only(void **state)
{
	(void)state;
	struct disk_bench bench;
	const struct tree_record *root;
	disk_bench_init(&bench);
	bench.store_options.durability = STORE_NONE;
	bench.store_options.history_memory = 4096; /* enough for a few */
	assert_int_equal(store_open(&bench.store_options, &bench.diags, &bench.store), ST_OK);
	for (unsigned i = 0; i < 20; i++)
		assert_int_equal(disk_put(&bench, i, "x"), ST_OK);
	assert_int_equal(store_history_pin(bench.store, 20, &root), ST_OK);
	disk_unref(&bench, root);
	assert_int_equal(store_history_pin(bench.store, 12, &root), ST_ABSENT);
	disk_bench_fini(&bench);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_listed_and_found_across_restarts),
		cmocka_unit_test(test_longer_than_all_that_was),
		cmocka_unit_test(test_version_1_stays),
		cmocka_unit_test(test_labels_across_restarts),
		cmocka_unit_test(test_label_that_cannot_be_written),
		cmocka_unit_test(test_label_of_a_version_that_was_lost),
		cmocka_unit_test(test_roots_made_again_are_kept),
		cmocka_unit_test(test_last_versions_have_roots_after_a_restart),
		cmocka_unit_test(test_segments_are_read_once),
		cmocka_unit_test(test_old_roots_share_with_new_ones),
		cmocka_unit_test(test_rollback_is_a_commit),
		cmocka_unit_test(test_in_memory_only),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
