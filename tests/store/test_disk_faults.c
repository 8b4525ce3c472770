/* SPDX-License-Identifier: BSD-3-Clause */
/* A disk that is full or fails: the named error, running unchanged, service again where that is safe. */
#include <stdio.h>
#include <string.h>
#include "base/log.h"
#include "store/helper_disk.h"

static void assert_diag(const struct disk_bench *bench, enum diag_tag tag)
{
	assert_int_equal(bench->diags.length, 1);
	assert_int_equal(bench->diags.first->tag, tag);
}

/* Reopens and compares running to a root, which is dropped. */
static void assert_recovers(struct disk_bench *bench, const struct tree_record *root)
{
	disk_close(bench, false);
	assert_int_equal(disk_open(bench), ST_OK);
	assert_true(disk_equal(bench, bench->store->published->root, root));
	disk_unref(bench, root);
}

/* The file of a segment that the journal needs fails once; what could not be made is refused, and nothing
 * else. */
static void next_segment_fails(enum os_fs_kind kind, enum status with, enum diag_tag tag)
{
	struct disk_bench bench;
	disk_bench_init(&bench);
	bench.journal_options.segment_size = 1000;
	assert_int_equal(disk_open(&bench), ST_OK);
	os_fs_fake_fail(bench.fs, kind, 1, with);
	enum status status = ST_OK;
	for (unsigned i = 0; status == ST_OK; i++) {
		status = disk_put(&bench, i, "x");
		store_sync(bench.store);
	}
	assert_int_equal(status, ST_REJECTED);
	assert_diag(&bench, tag);
	uint64_t version = bench.store->published->id;
	assert_ptr_equal(bench.store->tip, bench.store->published);
	assert_int_equal(disk_put(&bench, 100, "x"), ST_OK);
	store_sync(bench.store);
	assert_int_equal(bench.store->published->id, version + 1);
	assert_recovers(&bench, tree_record_ref(bench.store->published->root));
	disk_bench_fini(&bench);
}

static void test_full_disk(void **state)
{
	(void)state;
	next_segment_fails(OS_FS_PREALLOCATE, ST_LIMIT, DIAG_RESOURCE_DENIED);
}

static void test_segment_that_cannot_be_made(void **state)
{
	(void)state;
	next_segment_fails(OS_FS_OPEN, ST_IO, DIAG_OPERATION_FAILED);
}

/* After the write or sync that failed nothing is acknowledged any more, until the server is started again. */
static void fails_for_good(enum os_fs_kind kind, enum status with)
{
	struct disk_bench bench;
	disk_bench_init(&bench);
	assert_int_equal(disk_open(&bench), ST_OK);
	assert_int_equal(disk_put(&bench, 1, "x"), ST_OK);
	store_sync(bench.store);
	const struct tree_record *acknowledged = tree_record_ref(bench.store->published->root);
	os_fs_fake_fail(bench.fs, kind, 1, with);
	assert_int_equal(disk_put(&bench, 2, "x"), ST_OK);
	store_sync(bench.store);
	assert_ptr_equal(bench.store->published->root, acknowledged);
	assert_ptr_equal(bench.store->tip, bench.store->published);
	assert_int_equal(disk_put(&bench, 3, "x"), ST_IO);
	assert_diag(&bench, DIAG_OPERATION_FAILED);
	store_sync(bench.store);
	assert_int_equal(store_snapshot(bench.store), ST_IO);
	assert_int_equal(disk_put(&bench, 3, "x"), ST_IO);
	os_fs_fake_power_cut(bench.fs, 0);
	os_fs_fake_power_on(bench.fs);
	assert_recovers(&bench, acknowledged);
	assert_int_equal(disk_put(&bench, 3, "x"), ST_OK);
	disk_bench_fini(&bench);
}

static void test_failed_write(void **state)
{
	(void)state;
	fails_for_good(OS_FS_WRITE, ST_IO);
	fails_for_good(OS_FS_WRITE, ST_LIMIT); /* against the promise of the reservation */
}

static void test_failed_sync(void **state)
{
	(void)state;
	fails_for_good(OS_FS_SYNC, ST_IO);
}

/* The sync that failed leaves bytes in the system's cache that count as written. A start that finds them
 * there, and goes on behind them, has them on the disk by then. */
static void test_start_after_failed_sync(void **state)
{
	(void)state;
	struct disk_bench bench;
	disk_bench_init(&bench);
	bench.journal_options.segment_size = 1 << 20;
	assert_int_equal(disk_open(&bench), ST_OK);
	assert_int_equal(disk_put(&bench, 1, "x"), ST_OK);
	store_sync(bench.store);
	os_fs_fake_fail(bench.fs, OS_FS_SYNC, 1, ST_IO);
	for (unsigned i = 2; i < 200; i++) /* more than the block that is written again in any case */
		assert_int_equal(disk_put(&bench, i, "x"), ST_OK);
	store_sync(bench.store);
	assert_false(os_fs_fake_fail_pending(bench.fs, OS_FS_SYNC));
	disk_close(&bench, false);
	assert_int_equal(disk_open(&bench), ST_OK);
	assert_int_equal(disk_put(&bench, 200, "x"), ST_OK);
	store_sync(bench.store);
	const struct tree_record *acknowledged = tree_record_ref(bench.store->published->root);
	os_fs_fake_power_cut(bench.fs, 0);
	os_fs_fake_power_on(bench.fs);
	assert_recovers(&bench, acknowledged);
	disk_bench_fini(&bench);
}

static void test_failed_snapshot_changes_nothing(void **state)
{
	(void)state;
	static const enum os_fs_kind kinds[] = {OS_FS_OPEN, OS_FS_TRUNCATE, OS_FS_WRITE, OS_FS_SYNC,
						OS_FS_RENAME};
	struct disk_bench bench;
	disk_bench_init(&bench);
	assert_int_equal(disk_open(&bench), ST_OK);
	for (unsigned i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		assert_int_equal(disk_put(&bench, i, "x"), ST_OK);
		store_sync(bench.store);
		os_fs_fake_fail(bench.fs, kinds[i], 1, ST_LIMIT);
		assert_int_equal(store_snapshot(bench.store), ST_LIMIT);
		assert_false(os_fs_fake_fail_pending(bench.fs, kinds[i]));
	}
	assert_int_equal(store_snapshot(bench.store), ST_OK);
	assert_recovers(&bench, tree_record_ref(bench.store->published->root));
	disk_bench_fini(&bench);
}

static void test_disk_that_cannot_be_written(void **state)
{
	(void)state;
	struct disk_bench bench;
	disk_bench_init(&bench);
	os_fs_fake_fail(bench.fs, OS_FS_OPEN, 1, ST_IO); /* as EROFS and EACCES are */
	assert_int_equal(disk_open(&bench), ST_IO);
	os_fs_fake_fail(bench.fs, OS_FS_MAKE_DIR, 1, ST_IO);
	assert_int_equal(disk_open(&bench), ST_IO);
	assert_int_equal(disk_open(&bench), ST_OK);
	disk_bench_fini(&bench);
}

/* ---- each operation fails once ---- */

struct outcome {
	const struct tree_record *acknowledged; /* one reference */
	uint64_t version;
};

static void note(struct disk_bench *bench, struct outcome *outcome)
{
	if (outcome->acknowledged != NULL)
		disk_unref(bench, outcome->acknowledged);
	outcome->acknowledged = tree_record_ref(bench->store->published->root);
	outcome->version = bench->store->published->id;
}

/* Opens, changes, takes snapshots, ends and begins again; whatever fails. */
static void work(struct disk_bench *bench, struct outcome *outcome)
{
	for (unsigned round = 0; round < 3; round++) {
		if (disk_open(bench) != ST_OK)
			continue;
		note(bench, outcome);
		for (unsigned i = 0; i < 12; i++) {
			(void)!disk_put(bench, i, round % 2 ? "odd" : "even");
			(void)!disk_put(bench, i + 3, NULL);
			if (i % 3 == 0) {
				store_sync(bench->store);
				note(bench, outcome);
			}
			if (i % 5 == 4)
				(void)!store_snapshot(bench->store);
		}
		store_sync(bench->store);
		note(bench, outcome);
		disk_close(bench, round != 1);
	}
}

static bool work_with_fault(enum os_fs_kind kind, uint64_t nth, enum status status)
{
	struct disk_bench bench;
	struct outcome outcome = {NULL, 0};
	disk_bench_init(&bench);
	bench.journal_options.segment_size = 500;
	bench.journal_options.history = bench.store_options.history_length = 3;
	os_fs_fake_fail(bench.fs, kind, nth, status);
	work(&bench, &outcome);
	bool happened = !os_fs_fake_fail_pending(bench.fs, kind);
	os_fs_fake_fail(bench.fs, kind, 0, ST_OK);
	os_fs_fake_power_cut(bench.fs, nth % 2 ? nth : 0);
	os_fs_fake_power_on(bench.fs);
	assert_int_equal(disk_open(&bench), ST_OK);
	assert_true(bench.store->published->id >= outcome.version);
	if (bench.store->published->id == outcome.version && outcome.acknowledged != NULL)
		assert_true(disk_equal(&bench, bench.store->published->root, outcome.acknowledged));
	if (outcome.acknowledged != NULL)
		disk_unref(&bench, outcome.acknowledged);
	disk_bench_fini(&bench);
	return happened;
}

static void test_each_operation_fails_once(void **state)
{
	(void)state;
	static const enum os_fs_kind kinds[] = {
		OS_FS_OPEN,   OS_FS_WRITE,    OS_FS_SYNC,   OS_FS_PREALLOCATE, OS_FS_TRUNCATE,
		OS_FS_RENAME, OS_FS_SYNC_DIR, OS_FS_UNLINK, OS_FS_LIST,	       OS_FS_READ};
	for (unsigned i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		uint64_t nth = 1;
		while (work_with_fault(kinds[i], nth, ST_IO))
			nth += 1 + nth / 8;
		for (nth = 1; work_with_fault(kinds[i], nth, ST_LIMIT);)
			nth += 1 + nth / 5;
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_full_disk),
		cmocka_unit_test(test_segment_that_cannot_be_made),
		cmocka_unit_test(test_failed_write),
		cmocka_unit_test(test_failed_sync),
		cmocka_unit_test(test_start_after_failed_sync),
		cmocka_unit_test(test_failed_snapshot_changes_nothing),
		cmocka_unit_test(test_disk_that_cannot_be_written),
		cmocka_unit_test(test_each_operation_fails_once),
	};
	log_set_level(LOG_LEVEL_ERROR);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
