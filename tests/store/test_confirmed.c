/* SPDX-License-Identifier: BSD-3-Clause */
/* Confirmed commits: RFC 6241 8.4; over a restart, with power cuts at every operation of the disk. */
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "base/log.h"
#include "os/clock.h"
#include "store/helper_disk.h"
#include "store/helper_store.h"
#include "store/history.h"

static _Atomic long wall_jump_s;

/* In front of libc's: the wall clock can be set. */
int clock_gettime(clockid_t clock, struct timespec *now)
{
	long result = syscall(SYS_clock_gettime, clock, now);
	if (clock == CLOCK_REALTIME)
		now->tv_sec += atomic_load(&wall_jump_s);
	return (int)result;
}

static enum status commit(struct fixture *f, uint32_t session_id, struct store_confirm confirm)
{
	struct store_actor actor = {session_id, "tester", NULL};
	struct store_call call = fixture_call(f, &actor);
	struct store_answer answer;
	return store_commit_confirm(f->store, &call, &confirm, &answer);
}

/* Puts an entry into the candidate, and commits that. */
static enum status commit_entry(struct fixture *f, uint32_t session_id, const char *entry,
				struct store_confirm confirm)
{
	assert_int_equal(fixture_run(f, STORE_CANDIDATE, session_id, entry, NULL), ST_OK);
	return commit(f, session_id, confirm);
}

static enum status cancel(struct fixture *f, uint32_t session_id, const char *persist_id)
{
	struct store_actor actor = {session_id, "tester", NULL};
	struct store_call call = fixture_call(f, &actor);
	struct store_answer answer;
	return store_cancel_commit(f->store, &call, persist_id, &answer);
}

static enum status lock(struct fixture *f, uint32_t session_id)
{
	struct store_actor actor = {session_id, "tester", NULL};
	struct store_call call = fixture_call(f, &actor);
	return store_lock(f->store, STORE_RUNNING, &call);
}

static void assert_running(struct fixture *f, const char *name, const char *type)
{
	assert_string_equal(fixture_type(f, STORE_RUNNING, name), type);
}

static void assert_refused(struct fixture *f, enum status status, enum diag_tag tag)
{
	assert_int_equal(status, ST_REJECTED);
	assert_int_equal(f->diags.first->tag, tag);
}

/* Whether the entry goes within the time. */
static bool goes_within(struct fixture *f, const char *name, unsigned ms)
{
	for (unsigned i = 0; i < ms / 10; i++) {
		if (fixture_type(f, STORE_RUNNING, name)[0] == '\0')
			return true;
		nanosleep(&(struct timespec){0, 10000000}, NULL);
	}
	return false;
}

static const struct store_confirm minute = {.is_confirmed = true, .timeout_s = 60};
static const struct store_confirm second = {.is_confirmed = true, .timeout_s = 1};
static const struct store_confirm named = {.is_confirmed = true, .timeout_s = 60, .persist = "x"};
static const struct store_confirm plain;

static void test_confirming_makes_it_permanent(void **state)
{
	(void)state;
	struct fixture f;
	fixture_open(&f, STORE_NONE, NULL);
	assert_int_equal(commit_entry(&f, 1, "+a=x", second), ST_OK);
	assert_running(&f, "a", "x");
	assert_int_equal(commit(&f, 1, plain), ST_OK);
	store_session_end(f.store, 1);
	assert_false(goes_within(&f, "a", 1300));
	assert_refused(&f, cancel(&f, 1, NULL), DIAG_OPERATION_FAILED);
	fixture_close(&f);
}

static void test_timeout_restores(void **state)
{
	(void)state;
	struct fixture f;
	fixture_open(&f, STORE_NONE, NULL);
	assert_int_equal(commit_entry(&f, 1, "+a=x", second), ST_OK);
	assert_int_equal(fixture_run(&f, STORE_RUNNING, 2, "+b=y", NULL), ST_OK);
	assert_int_equal(fixture_run(&f, STORE_CANDIDATE, 1, "+c=z", NULL), ST_OK);
	uint64_t start_ns = os_clock_monotonic_ns();
	assert_true(goes_within(&f, "a", 3000));
	assert_true(os_clock_monotonic_ns() - start_ns > 700000000);
	/* What another session did meanwhile goes too, but the history has it; the candidate is kept. */
	assert_running(&f, "b", "");
	assert_string_equal(fixture_type(&f, STORE_CANDIDATE, "c"), "z");
	const struct tree_record *root;
	assert_int_equal(store_history_pin(f.store, 3, &root), ST_OK);
	tree_record_unref(root, f.schema->root, f.reclaimer);
	const struct store_version *version = store_pin(f.store);
	assert_int_equal(version->id, 4);
	assert_int_equal(version->session_id, 0);
	assert_non_null(version->comment);
	assert_int_equal(version->fallback, 0);
	store_unpin(f.store, version);
	fixture_close(&f);
}

/* Behaviour case 63: the time to confirm is that of the monotonic clock, wherever the wall clock jumps. */
static void test_wall_clock_jumps(void **state)
{
	(void)state;
	for (long jump_s = -3600; jump_s <= 3600; jump_s += 7200) {
		struct fixture f;
		fixture_open(&f, STORE_NONE, NULL);
		uint64_t wall_ns = os_clock_wall_ns();
		assert_int_equal(commit_entry(&f, 1, "+a=x", second), ST_OK);
		atomic_store(&wall_jump_s, jump_s);
		assert_true((jump_s > 0) == (os_clock_wall_ns() > wall_ns));
		/* Its thread looks at the clocks again. */
		uint64_t start_ns = os_clock_monotonic_ns();
		assert_int_equal(commit(&f, 1, second), ST_OK);
		assert_true(goes_within(&f, "a", 3000));
		assert_true(os_clock_monotonic_ns() - start_ns > 900000000);
		atomic_store(&wall_jump_s, 0);
		fixture_close(&f);
	}
}

static bool is_next(void *arg, const struct store_version *info)
{
	uint64_t *next = arg;
	assert_int_equal(info->id, *next);
	(*next)--;
	return true;
}

/* Versions have the time that the wall clock showed, whatever that was; their order is that of their numbers.
 */
static void test_history_under_a_wall_clock_that_jumps(void **state)
{
	(void)state;
	static const long jumps_s[] = {0, -3600, 3600, -86400, 0};
	static const char *const edits[] = {"+a=x", "+b=x", "+c=x", "+d=x", "+e=x"};
	struct fixture f;
	fixture_open(&f, STORE_NONE, NULL);
	for (uint64_t i = 0; i < 5; i++) {
		atomic_store(&wall_jump_s, jumps_s[i]);
		uint64_t before_ns = os_clock_wall_ns();
		assert_int_equal(fixture_run(&f, STORE_RUNNING, 1, edits[i], NULL), ST_OK);
		const struct store_version *version = store_pin(f.store);
		assert_int_equal(version->id, i + 2);
		assert_true(version->time_ns >= before_ns && version->time_ns <= os_clock_wall_ns());
		store_unpin(f.store, version);
	}
	atomic_store(&wall_jump_s, 0);
	uint64_t next = 6;
	store_history_each(f.store, is_next, &next);
	assert_int_equal(next, 0);
	fixture_close(&f);
}

static void test_follow_up_keeps_fallback_and_restarts_timer(void **state)
{
	(void)state;
	struct fixture f;
	fixture_open(&f, STORE_NONE, NULL);
	assert_int_equal(commit_entry(&f, 1, "+a=x", second), ST_OK);
	assert_int_equal(commit_entry(&f, 1, "+b=y", minute), ST_OK);
	assert_false(goes_within(&f, "a", 1300));
	/* Without a change too. */
	assert_int_equal(commit(&f, 1, second), ST_OK);
	assert_true(goes_within(&f, "a", 3000));
	assert_running(&f, "b", "");
	fixture_close(&f);
}

static void test_session_end_restores(void **state)
{
	(void)state;
	struct fixture f;
	fixture_open(&f, STORE_NONE, NULL);
	assert_int_equal(lock(&f, 1), ST_OK);
	assert_int_equal(commit_entry(&f, 1, "+a=x", minute), ST_OK);
	store_session_end(f.store, 2);
	assert_running(&f, "a", "x");
	store_session_end(f.store, 1);
	assert_true(goes_within(&f, "a", 3000));
	enum status status = ST_REJECTED;
	for (unsigned i = 0; i < 100 && status != ST_OK; i++) {
		status = lock(&f, 2);
		nanosleep(&(struct timespec){0, 10000000}, NULL);
	}
	assert_int_equal(status, ST_OK);
	fixture_close(&f);
}

static void test_persistent_needs_its_name(void **state)
{
	(void)state;
	struct fixture f;
	fixture_open(&f, STORE_NONE, NULL);
	assert_int_equal(commit_entry(&f, 1, "+a=x", named), ST_OK);
	store_session_end(f.store, 1);
	struct store_confirm wrong = {.persist_id = "y"}, right = {.persist_id = "x"};
	assert_refused(&f, commit(&f, 1, plain), DIAG_INVALID_VALUE);
	assert_refused(&f, commit(&f, 2, plain), DIAG_INVALID_VALUE);
	assert_refused(&f, commit(&f, 2, minute), DIAG_INVALID_VALUE);
	assert_refused(&f, commit(&f, 2, wrong), DIAG_INVALID_VALUE);
	assert_refused(&f, cancel(&f, 1, NULL), DIAG_INVALID_VALUE);
	assert_refused(&f, cancel(&f, 1, "y"), DIAG_INVALID_VALUE);
	assert_running(&f, "a", "x");
	assert_int_equal(commit(&f, 2, right), ST_OK);
	assert_refused(&f, cancel(&f, 2, "x"), DIAG_OPERATION_FAILED);
	assert_refused(&f, commit(&f, 2, right), DIAG_INVALID_VALUE);
	assert_int_equal(commit_entry(&f, 1, "+b=x", named), ST_OK);
	assert_int_equal(cancel(&f, 2, "x"), ST_OK);
	assert_running(&f, "b", "");
	assert_running(&f, "a", "x");
	fixture_close(&f);
}

static void test_others(void **state)
{
	(void)state;
	struct fixture f;
	fixture_open(&f, STORE_NONE, NULL);
	assert_refused(&f, cancel(&f, 1, NULL), DIAG_OPERATION_FAILED);
	assert_int_equal(commit_entry(&f, 1, "+a=x", minute), ST_OK);
	assert_refused(&f, cancel(&f, 2, NULL), DIAG_OPERATION_FAILED);
	assert_refused(&f, commit(&f, 2, minute), DIAG_IN_USE);
	struct store_confirm any = {.persist_id = "x"};
	assert_refused(&f, commit(&f, 2, any), DIAG_INVALID_VALUE);
	/* Another session's commit is a change like any other. */
	assert_int_equal(commit_entry(&f, 2, "+b=y", plain), ST_OK);
	assert_refused(&f, lock(&f, 2), DIAG_LOCK_DENIED);
	assert_string_equal(f.diags.first->infos->value, "1");
	assert_int_equal(lock(&f, 1), ST_OK);
	struct store_actor actor = {1, "tester", NULL};
	struct store_call call = fixture_call(&f, &actor);
	struct store_answer answer;
	assert_refused(&f, store_history_rollback(f.store, &call, 1, &answer), DIAG_IN_USE);
	assert_int_equal(cancel(&f, 1, NULL), ST_OK);
	assert_running(&f, "a", "");
	assert_running(&f, "b", "");
	fixture_close(&f);
}

static void test_lock_denied_by_one_that_is_gone(void **state)
{
	(void)state;
	struct fixture f;
	fixture_open(&f, STORE_NONE, NULL);
	assert_int_equal(commit_entry(&f, 1, "+a=x", named), ST_OK);
	store_session_end(f.store, 1);
	assert_refused(&f, lock(&f, 2), DIAG_LOCK_DENIED);
	assert_string_equal(f.diags.first->infos->value, "0");
	fixture_close(&f);
}

static void test_failed_one_arms_nothing(void **state)
{
	(void)state;
	struct fixture f;
	fixture_open(&f, STORE_NONE, NULL);
	assert_int_equal(commit_entry(&f, 1, "+a=x ?b", second), ST_REJECTED);
	assert_refused(&f, cancel(&f, 1, NULL), DIAG_OPERATION_FAILED);
	assert_int_equal(lock(&f, 2), ST_OK);
	fixture_close(&f);
}

/* ---- on disk ---- */

static enum status disk_commit(struct disk_bench *bench, const struct store_confirm *confirm)
{
	static const struct store_actor actor = {7, "tester", "unix"};
	struct store_answer answer;
	arena_reset(bench->arena);
	diag_list_init(&bench->diags, bench->arena, 10);
	struct store_call call = {.actor = &actor, .diags = &bench->diags, .wait = STORE_WAIT};
	return store_commit_confirm(bench->store, &call, confirm, &answer);
}

static void disk_candidate(struct disk_bench *bench, unsigned number, const char *type)
{
	static const struct store_actor actor = {7, "tester", "unix"};
	struct store_answer answer;
	struct tree_record *root = disk_change(bench, bench->store->tip->root, number, type);
	struct store_call call = {.actor = &actor, .diags = &bench->diags, .wait = STORE_WAIT};
	assert_int_equal(store_replace(bench->store, STORE_CANDIDATE, &call, root, &answer), ST_OK);
	disk_unref(bench, root);
}

static void reopen(struct disk_bench *bench)
{
	os_fs_fake_power_cut(bench->fs, 0);
	disk_close(bench, false);
	os_fs_fake_power_on(bench->fs);
	assert_int_equal(disk_open(bench), ST_OK);
}

static void test_timer_starts_at_publish(void **state)
{
	(void)state;
	struct disk_bench bench;
	disk_bench_init(&bench);
	assert_int_equal(disk_open(&bench), ST_OK);
	disk_candidate(&bench, 1, "x");
	assert_int_equal(disk_commit(&bench, &second), ST_OK);
	assert_int_equal(bench.store->confirmed.due_ns, UINT64_MAX);
	assert_false(store__confirmed_revert(bench.store));
	uint64_t now_ns = os_clock_monotonic_ns();
	store_sync(bench.store);
	assert_in_range(bench.store->confirmed.due_ns, now_ns + 1000000000,
			os_clock_monotonic_ns() + 1000000000);
	disk_bench_fini(&bench);
}

static void test_restart_restores(void **state)
{
	(void)state;
	struct disk_bench bench;
	disk_bench_init(&bench);
	assert_int_equal(disk_open(&bench), ST_OK);
	assert_int_equal(disk_put(&bench, 1, "before"), ST_OK);
	const struct tree_record *before = tree_record_ref(bench.store->tip->root);
	disk_candidate(&bench, 2, "x");
	assert_int_equal(disk_commit(&bench, &named), ST_OK);
	/* A follow-up, more changes by others than the history keeps, new segments; the only snapshot
	 * is that of the version to go back to.
	 */
	disk_candidate(&bench, 3, "x");
	struct store_confirm follow = {.is_confirmed = true, .timeout_s = 60, .persist_id = "x"};
	assert_int_equal(disk_commit(&bench, &follow), ST_OK);
	for (unsigned i = 0; i < 200; i++)
		assert_int_equal(disk_put(&bench, i % 9, i % 2 == 0 ? "even" : "odd"), ST_OK);
	store_sync(bench.store);
	assert_int_equal(store_snapshot(bench.store), ST_OK);
	assert_true(journal_disk_growth(bench.journal).snapshot == bench.store->published->fallback);
	assert_int_equal(store_snapshot(bench.store), ST_BUSY);
	uint64_t last = bench.store->tip->id;
	reopen(&bench);
	assert_true(disk_equal(&bench, bench.store->published->root, before));
	assert_int_equal(bench.store->published->id, last + 1);
	assert_int_equal(bench.store->published->session_id, 0);
	/* Once. */
	reopen(&bench);
	assert_int_equal(bench.store->published->id, last + 1);
	struct store_confirm confirm = {.persist_id = "x"};
	assert_int_equal(disk_commit(&bench, &confirm), ST_REJECTED);
	assert_int_equal(store_snapshot(bench.store), ST_OK);
	disk_unref(&bench, before);
	disk_bench_fini(&bench);
}

static void note_info(void *arg, const struct store_version *info)
{
	*(uint32_t *)arg = info->session_id;
}

/* Behaviour cases 62 and 127: going back is one version, the server's; what was gone back from stays in the
 * history. */
static void test_going_back_is_one_version_of_the_history(void **state)
{
	(void)state;
	struct disk_bench bench;
	disk_bench_init(&bench);
	assert_int_equal(disk_open(&bench), ST_OK);
	assert_int_equal(disk_put(&bench, 1, "before"), ST_OK);
	const struct tree_record *before = tree_record_ref(bench.store->tip->root);
	disk_candidate(&bench, 2, "x");
	assert_int_equal(disk_commit(&bench, &named), ST_OK);
	assert_int_equal(disk_put(&bench, 3, "another's"), ST_OK);
	const struct tree_record *meanwhile = tree_record_ref(bench.store->tip->root), *root;
	store_sync(bench.store);
	uint64_t last = bench.store->published->id;
	reopen(&bench);
	assert_int_equal(bench.store->published->id, last + 1);
	uint32_t session_id = 99;
	assert_true(store_history_visit(bench.store, last + 1, note_info, &session_id));
	assert_int_equal(session_id, 0);
	assert_true(store_history_visit(bench.store, last, note_info, &session_id));
	assert_int_equal(session_id, 7);
	assert_int_equal(store_history_pin(bench.store, last, &root), ST_OK);
	assert_true(disk_equal(&bench, root, meanwhile));
	disk_unref(&bench, root);
	assert_int_equal(store_history_pin(bench.store, last + 1, &root), ST_OK);
	assert_true(disk_equal(&bench, root, before));
	disk_unref(&bench, root);
	disk_unref(&bench, meanwhile);
	disk_unref(&bench, before);
	disk_bench_fini(&bench);
}

static void test_restart_after_confirming_keeps(void **state)
{
	(void)state;
	struct disk_bench bench;
	disk_bench_init(&bench);
	assert_int_equal(disk_open(&bench), ST_OK);
	disk_candidate(&bench, 2, "x");
	assert_int_equal(disk_commit(&bench, &minute), ST_OK);
	const struct tree_record *root = tree_record_ref(bench.store->tip->root);
	assert_int_equal(disk_commit(&bench, &plain), ST_OK); /* nothing changes but that it is permanent */
	store_sync(bench.store);
	reopen(&bench);
	assert_true(disk_equal(&bench, bench.store->published->root, root));
	assert_int_equal(bench.store->published->id, 3);
	disk_unref(&bench, root);
	disk_bench_fini(&bench);
}

/* ---- power cuts ---- */

struct cutting {
	struct disk_bench bench;
	unsigned left; /* operations until the cut; 0: none is to come */
	uint64_t seed; /* of what survives */
};

static void on_operation(enum os_fs_kind kind, void *arg)
{
	struct cutting *cutting = arg;
	if (kind != OS_FS_READ && kind != OS_FS_LIST && cutting->left > 0 && --cutting->left == 0)
		os_fs_fake_power_cut(cutting->bench.fs, cutting->seed);
}

/* The restart itself is cut at each of its operations: afterwards it goes back all the same. */
static void test_power_cut_while_going_back(void **state)
{
	(void)state;
	log_set_level(LOG_LEVEL_ERROR);
	bool whole = false;
	for (unsigned cut = 1; !whole; cut++) {
		assert_true(cut < 200);
		struct cutting cutting = {.left = 0};
		struct disk_bench *bench = &cutting.bench;
		disk_bench_init(bench);
		assert_int_equal(disk_open(bench), ST_OK);
		assert_int_equal(disk_put(bench, 1, "before"), ST_OK);
		const struct tree_record *before = tree_record_ref(bench->store->tip->root);
		disk_candidate(bench, 2, "x");
		assert_int_equal(disk_commit(bench, &minute), ST_OK);
		store_sync(bench->store);
		os_fs_fake_power_cut(bench->fs, 0);
		disk_close(bench, false);
		os_fs_fake_power_on(bench->fs);
		os_fs_fake_set_hook(bench->fs, on_operation, &cutting);
		cutting.left = cut;
		cutting.seed = cut;
		whole = disk_open(bench) == ST_OK && cutting.left > 0;
		cutting.left = 0;
		reopen(bench);
		assert_true(disk_equal(bench, bench->store->published->root, before));
		assert_int_equal(bench->store->published->id, 4);
		disk_unref(bench, before);
		disk_bench_fini(bench);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_confirming_makes_it_permanent),
		cmocka_unit_test(test_timeout_restores),
		cmocka_unit_test(test_wall_clock_jumps),
		cmocka_unit_test(test_history_under_a_wall_clock_that_jumps),
		cmocka_unit_test(test_follow_up_keeps_fallback_and_restarts_timer),
		cmocka_unit_test(test_session_end_restores),
		cmocka_unit_test(test_persistent_needs_its_name),
		cmocka_unit_test(test_others),
		cmocka_unit_test(test_lock_denied_by_one_that_is_gone),
		cmocka_unit_test(test_failed_one_arms_nothing),
		cmocka_unit_test(test_timer_starts_at_publish),
		cmocka_unit_test(test_restart_restores),
		cmocka_unit_test(test_going_back_is_one_version_of_the_history),
		cmocka_unit_test(test_restart_after_confirming_keeps),
		cmocka_unit_test(test_power_cut_while_going_back),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
