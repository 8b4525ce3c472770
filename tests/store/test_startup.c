/* SPDX-License-Identifier: BSD-3-Clause */
/* The startup datastore: what starts make of it, in each mode and from one to the other; how it is kept. */
#include <string.h>
#include "store/confirmed.h"
#include "store/helper_disk.h"
#include "store/history.h"

static const struct store_actor actor = {7, "tester", "unix"};

static struct store_call call_of(struct disk_bench *bench)
{
	arena_reset(bench->arena);
	diag_list_init(&bench->diags, bench->arena, 10);
	return (struct store_call){.actor = &actor, .diags = &bench->diags};
}

static void open_with(struct disk_bench *bench, bool separate)
{
	bench->store_options.separate_startup = separate;
	assert_int_equal(disk_open(bench), ST_OK);
}

static void restart(struct disk_bench *bench, bool separate)
{
	disk_close(bench, false);
	open_with(bench, separate);
}

static void put(struct disk_bench *bench, unsigned number)
{
	assert_int_equal(disk_put(bench, number, "x"), ST_OK);
	store_sync(bench->store);
}

static void sync_it(struct disk_bench *bench)
{
	if (bench->journal != NULL)
		store_sync(bench->store);
}

/* Startup is `root`. */
static void copy(struct disk_bench *bench, const struct tree_record *root)
{
	struct store_call call = call_of(bench);
	struct store_answer answer;
	assert_int_equal(store_replace(bench->store, STORE_STARTUP, &call, root, &answer), ST_OK);
	sync_it(bench);
}

static void copy_running(struct disk_bench *bench)
{
	copy(bench, bench->store->tip->root);
}

static void delete_it(struct disk_bench *bench)
{
	struct store_call call = call_of(bench);
	struct store_answer answer;
	assert_int_equal(store_startup_delete(bench->store, &call, &answer), ST_OK);
	sync_it(bench);
	assert_int_equal(store_startup_kind(bench->store), STORE_STARTUP_DELETED);
}

/* Whether the root has the entry. */
static bool has(struct disk_bench *bench, const struct tree_record *root, unsigned number)
{
	struct tree_record *changed = disk_change(bench, root, number, "x");
	bool same = disk_equal(bench, changed, root);
	disk_unref(bench, changed);
	return same;
}

static bool running_has(struct disk_bench *bench, unsigned number)
{
	return has(bench, bench->store->published->root, number);
}

static uint64_t running_id(const struct disk_bench *bench)
{
	return bench->store->published->id;
}

static void assert_is_empty(struct disk_bench *bench)
{
	assert_int_equal(bench->store->published->root->length, 0);
}

static void test_first_start_begins_with_a_copy(void **state)
{
	(void)state;
	struct disk_bench bench;
	disk_bench_init(&bench);
	open_with(&bench, true);
	assert_int_equal(store_startup_kind(bench.store), STORE_STARTUP_KEPT);
	assert_is_empty(&bench);
	uint64_t id = running_id(&bench);
	put(&bench, 1);
	restart(&bench, true);
	assert_is_empty(&bench);
	assert_int_equal(running_id(&bench), id + 2);
	restart(&bench, true); /* running is startup already */
	assert_int_equal(running_id(&bench), id + 2);
	disk_bench_fini(&bench);
}

/* What was not copied is in the history only, and comes back from there. */
static void test_start_loads_startup(void **state)
{
	(void)state;
	struct disk_bench bench;
	disk_bench_init(&bench);
	open_with(&bench, true);
	put(&bench, 1);
	copy_running(&bench);
	put(&bench, 2);
	uint64_t left = running_id(&bench);
	restart(&bench, true);
	assert_true(running_has(&bench, 1));
	assert_false(running_has(&bench, 2));
	assert_int_equal(bench.store->published->session_id, 0);
	struct store_call call = call_of(&bench);
	struct store_answer answer;
	assert_int_equal(store_history_rollback(bench.store, &call, left, &answer), ST_OK);
	store_sync(bench.store);
	assert_true(running_has(&bench, 2));
	disk_bench_fini(&bench);
}

/* A copy that the journal has no room for: nothing is kept of its record, and the next one is as good. */
static void test_no_room_for_a_copy(void **state)
{
	(void)state;
	static char type[300001];
	struct disk_bench bench;
	disk_bench_init(&bench);
	open_with(&bench, true);
	put(&bench, 1);
	memset(type, 't', sizeof(type) - 1);
	struct tree_record *other = disk_change(&bench, bench.store->tip->root, 9, type);
	struct store_call call = call_of(&bench);
	struct store_answer answer;
	os_fs_fake_fail(bench.fs, OS_FS_PREALLOCATE, 1, ST_LIMIT);
	assert_int_equal(store_replace(bench.store, STORE_STARTUP, &call, other, &answer), ST_REJECTED);
	assert_true(bench.store->record.end.capacity < sizeof(type));
	copy(&bench, other);
	assert_true(bench.store->record.end.capacity < sizeof(type));
	restart(&bench, true);
	assert_true(disk_equal(&bench, bench.store->published->root, other));
	disk_unref(&bench, other);
	disk_bench_fini(&bench);
}

/* In every form that it has in records and snapshots. */
static void test_all_forms_on_disk(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 8; i++) {
		struct disk_bench bench;
		disk_bench_init(&bench);
		open_with(&bench, true);
		put(&bench, 1);
		struct tree_record *other = disk_change(&bench, bench.store->tip->root, 9, "x");
		unsigned form = i / 2;
		if (form == 0)
			copy_running(&bench);
		else if (form == 1)
			copy(&bench, other);
		else if (form == 2)
			delete_it(&bench);
		disk_unref(&bench, other);
		if (i % 2)
			assert_int_equal(store_snapshot(bench.store), ST_OK);
		put(&bench, 2);
		uint64_t left = running_id(&bench);
		restart(&bench, true);
		assert_int_equal(running_has(&bench, 1), form < 2);
		assert_int_equal(running_has(&bench, 9), form == 1);
		assert_false(running_has(&bench, 2));
		const struct tree_record *old;
		assert_int_equal(store_history_pin(bench.store, left, &old), ST_OK);
		assert_true(has(&bench, old, 1) && has(&bench, old, 2) && !has(&bench, old, 9));
		disk_unref(&bench, old);
		assert_int_equal(store_history_pin(bench.store, left - 2, &old), ST_OK);
		assert_true(!has(&bench, old, 2) && !has(&bench, old, 9));
		disk_unref(&bench, old);
		disk_bench_fini(&bench);
	}
}

static void test_copy_of_running_is_one_root(void **state)
{
	(void)state;
	struct disk_bench bench;
	disk_bench_init(&bench);
	bench.journal_options.segment_size = 1 << 20;
	open_with(&bench, true);
	for (unsigned i = 0; i < 200; i++)
		put(&bench, i);
	uint64_t before = journal_disk_growth(bench.journal).appended;
	copy_running(&bench);
	assert_true(journal_disk_growth(bench.journal).appended - before < 200); /* whatever running has */
	assert_ptr_equal(bench.store->published->startup.root, bench.store->published->root);
	restart(&bench, true);
	assert_ptr_equal(bench.store->published->startup.root, bench.store->published->root);
	disk_bench_fini(&bench);
}

static void test_start_after_it_was_deleted(void **state)
{
	(void)state;
	struct disk_bench bench;
	disk_bench_init(&bench);
	open_with(&bench, true);
	put(&bench, 1);
	copy_running(&bench);
	struct tree_record *empty = tree_record_new(), *initial = disk_change(&bench, empty, 77, "x");
	delete_it(&bench);
	restart(&bench, true);
	assert_is_empty(&bench);
	assert_int_equal(store_startup_kind(bench.store), STORE_STARTUP_DELETED);
	put(&bench, 2);
	bench.store_options.initial_root = initial;
	restart(&bench, true);
	assert_true(running_has(&bench, 77));
	assert_false(running_has(&bench, 2));
	copy_running(&bench);
	bench.store_options.initial_root = NULL;
	restart(&bench, true);
	assert_true(running_has(&bench, 77));
	disk_unref(&bench, empty);
	disk_unref(&bench, initial);
	disk_bench_fini(&bench);
}

/* From one mode to the other running stays as it is, and an old startup never comes back. */
static void test_switching_modes(void **state)
{
	(void)state;
	for (unsigned snapshot = 0; snapshot < 2; snapshot++) {
		struct disk_bench bench;
		disk_bench_init(&bench);
		open_with(&bench, false);
		put(&bench, 1);
		assert_int_equal(store_startup_kind(bench.store), STORE_STARTUP_OFF);
		restart(&bench, true);
		assert_true(running_has(&bench, 1));
		put(&bench, 2);
		restart(&bench, true);
		assert_false(running_has(&bench, 2)); /* startup was running as it was at the switch */
		put(&bench, 3);
		if (snapshot)
			assert_int_equal(store_snapshot(bench.store), ST_OK);
		restart(&bench, false);
		assert_true(running_has(&bench, 3));
		assert_int_equal(store_startup_kind(bench.store), STORE_STARTUP_OFF);
		if (snapshot)
			assert_int_equal(store_snapshot(bench.store), ST_OK);
		restart(&bench, false);
		assert_true(running_has(&bench, 3));
		restart(&bench, true);
		assert_true(running_has(&bench, 3));
		disk_bench_fini(&bench);
	}
}

/* Of a confirmed commit that is pending at the end nothing is left, in startup neither unless it was copied.
 */
static void test_confirmed_commit(void **state)
{
	(void)state;
	for (unsigned copied = 0; copied < 2; copied++) {
		struct disk_bench bench;
		disk_bench_init(&bench);
		open_with(&bench, true);
		put(&bench, 1);
		copy_running(&bench);
		put(&bench, 2);
		struct tree_record *root = disk_change(&bench, bench.store->tip->root, 3, "x");
		struct store_call call = call_of(&bench);
		struct store_confirm confirm = {.is_confirmed = true, .timeout_s = 600};
		struct store_answer answer;
		assert_int_equal(store_replace(bench.store, STORE_CANDIDATE, &call, root, &answer), ST_OK);
		assert_int_equal(store_commit_confirm(bench.store, &call, &confirm, &answer), ST_OK);
		store_sync(bench.store);
		disk_unref(&bench, root);
		if (copied)
			copy_running(&bench);
		restart(&bench, true);
		assert_true(running_has(&bench, 1));
		assert_int_equal(running_has(&bench, 2), copied);
		assert_int_equal(running_has(&bench, 3), copied);
		assert_int_equal(bench.store->published->fallback, 0);
		call = call_of(&bench);
		assert_int_equal(store_cancel_commit(bench.store, &call, NULL, &answer), ST_REJECTED);
		disk_bench_fini(&bench);
	}
}

static void test_without_a_directory(void **state)
{
	(void)state;
	struct disk_bench bench;
	disk_bench_init(&bench);
	bench.store_options.durability = STORE_NONE;
	bench.store_options.separate_startup = true;
	assert_int_equal(store_open(&bench.store_options, &bench.diags, &bench.store), ST_OK);
	assert_int_equal(store_startup_kind(bench.store), STORE_STARTUP_KEPT);
	assert_int_equal(disk_put(&bench, 1, "x"), ST_OK);
	copy_running(&bench);
	assert_true(has(&bench, bench.store->published->startup.root, 1));
	delete_it(&bench);
	disk_bench_fini(&bench);
}

/* A sync that fails: what was copied may be lost, and says so; the old one is there. */
static void test_failed_sync(void **state)
{
	(void)state;
	struct disk_bench bench;
	disk_bench_init(&bench);
	open_with(&bench, true);
	put(&bench, 1);
	copy_running(&bench);
	struct store_call call = call_of(&bench);
	struct store_answer answer;
	os_fs_fake_fail(bench.fs, OS_FS_SYNC, 1, ST_IO);
	assert_int_equal(store_startup_delete(bench.store, &call, &answer), ST_OK);
	assert_int_not_equal(answer.after, 0);
	store_sync(bench.store);
	assert_int_equal(store_startup_kind(bench.store), STORE_STARTUP_KEPT);
	call = call_of(&bench);
	assert_int_equal(store_startup_delete(bench.store, &call, &answer), ST_IO);
	disk_bench_fini(&bench);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_first_start_begins_with_a_copy),
		cmocka_unit_test(test_start_loads_startup),
		cmocka_unit_test(test_no_room_for_a_copy),
		cmocka_unit_test(test_all_forms_on_disk),
		cmocka_unit_test(test_copy_of_running_is_one_root),
		cmocka_unit_test(test_start_after_it_was_deleted),
		cmocka_unit_test(test_switching_modes),
		cmocka_unit_test(test_confirmed_commit),
		cmocka_unit_test(test_without_a_directory),
		cmocka_unit_test(test_failed_sync),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
