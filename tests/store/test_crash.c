/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Power cuts at any operation on the disk, of a random workload: groups of dependent changes that are not
 * synced, syncs, changes of segment (also into files made ahead of time), snapshots with retirement, clean
 * ends, recoveries, confirmed commits, rollbacks, labels; on every other disk with a startup datastore, copied
 * to and deleted. Afterwards the state is exactly that after some version m: last acknowledged <= m <= last
 * appended; or, where m is within a confirmed commit, that before the commit; or, with a startup datastore,
 * that of startup as of m. What was not synced survives in any subset, sector by sector.
 *
 * YARE_CRASH_CUTS says how many cuts (default 20,000; with a sanitizer 1,500), YARE_SEED repeats a run.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include "base/log.h"
#include "journal/internal.h"
#include "os/random.h"
#include "store/helper_disk.h"
#include "store/inspect.h"
#include "store/history.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define CUTS_DEFAULT 1500
#else
#define CUTS_DEFAULT 20000
#endif
#define CUTS_THAT_MEET_ALL 1000
#define CUTS_A_DISK 25 /* then a new one: the fake keeps all files that ever were */
#define NAMES 12u
#define OPERATIONS_MAX 160u /* before a cut */

/* What the cuts have met, so that a workload that misses something is noticed. */
enum seen {
	SEEN_GROUP,	   /* cuts with three or more versions that were not synced */
	SEEN_SEGMENT,	   /* changes of segment, */
	SEEN_SPARE,	   /* and those of them in a file made ahead of time */
	SEEN_SNAPSHOT,	   /* snapshots, */
	SEEN_OF_FALLBACK,  /* and those of them within a confirmed commit */
	SEEN_RETIRED,	   /* files removed by snapshots */
	SEEN_ROLLBACK,	   /* by the history */
	SEEN_CONFIRMED,	   /* commits that begin, prolong or end a confirmed commit */
	SEEN_RESTART,	   /* clean ends and others without a cut */
	SEEN_GONE_BACK,	   /* starts that made a version: within a confirmed commit, or from startup */
	SEEN_STARTUP,	   /* changes of startup */
	SEEN_CUT_OF_START, /* cuts while a start reads and mends */
	SEEN_KINDS
};

static const char *const seen_names[SEEN_KINDS] = {"cuts of groups of three and more",
						   "changes of segment",
						   "segments made ahead of time",
						   "snapshots",
						   "snapshots within a confirmed commit",
						   "files retired",
						   "rollbacks",
						   "confirmed commits",
						   "restarts",
						   "starts that went back",
						   "changes of startup",
						   "cuts of starts"};

struct appended {
	const struct tree_record *root;
	uint64_t fallback; /* as in the version */
	bool is_revert;	   /* made by a restart */
	struct store_startup startup;
	/* Numbers in labels, 0: none; `other` is that of a change of the label whose end is not known. */
	uint32_t label, other;
};

struct run {
	struct disk_bench bench;
	uint64_t random;
	struct vector roots;   /* struct appended: by version, from 1 on */
	uint64_t acknowledged; /* last version that a sync covered */
	uint64_t left;	       /* operations until the cut */
	bool is_off;	       /* the power */
	bool is_starting;
	uint64_t segment;      /* of the last version */
	uint64_t cuts, seen[SEEN_KINDS];
	char message[256]; /* "": no failure */
};

static void see(struct run *run, enum seen kind)
{
	run->seen[kind]++;
}

static uint32_t below(struct run *run, uint32_t limit)
{
	return (uint32_t)(os_random_next(&run->random) % limit);
}

static void on_operation(enum os_fs_kind kind, void *arg)
{
	struct run *run = arg;
	if (run->is_off || kind == OS_FS_READ || kind == OS_FS_LIST || kind == OS_FS_MAKE_DIR ||
	    --run->left > 0)
		return;
	run->is_off = true;
	run->cuts++;
	if (run->is_starting)
		see(run, SEEN_CUT_OF_START);
	else if (run->roots.length >= run->acknowledged + 3)
		see(run, SEEN_GROUP);
	os_fs_fake_power_cut(run->bench.fs, below(run, 5) == 0 ? 0 : os_random_next(&run->random) | 1);
}

static void drop_roots(struct run *run, uint64_t keep)
{
	while (run->roots.length > keep) {
		struct appended *last = vector_at(&run->roots, run->roots.length - 1);
		disk_unref(&run->bench, last->root);
		if (last->startup.root != NULL)
			disk_unref(&run->bench, last->startup.root);
		vector_pop(&run->roots);
	}
}

static const struct appended *appended_at(const struct run *run, uint64_t version)
{
	return vector_at(&run->roots, version - 1);
}

static const struct tree_record *root_of(const struct run *run, uint64_t version)
{
	return appended_at(run, version)->root;
}

/* Keeps what was appended. */
static void note_tip(struct run *run)
{
	const struct store_version *tip = run->bench.store->tip;
	if (tip->location.segment > run->segment && run->segment != 0)
		see(run, SEEN_SEGMENT);
	run->segment = tip->location.segment > 0 ? tip->location.segment : run->segment;
	if (tip->id > run->roots.length)
		*(struct appended *)vector_push(&run->roots) =
			(struct appended){.root = tree_record_ref(tip->root),
					  .fallback = tip->fallback,
					  .startup = *store__startup_ref(&tip->startup)};
}

static void propose(struct run *run, struct tree_record *root)
{
	enum status status = disk_propose(&run->bench, root, "a comment");
	if (status != ST_OK && !run->is_off)
		snprintf(run->message, sizeof(run->message), "a change was refused: %s", status_name(status));
	disk_unref(&run->bench, root);
	note_tip(run);
}

/* The tip's root with a few changes. */
static struct tree_record *make_changed(struct run *run)
{
	static const char *const types[] = {"one", "two", "three-that-is-longer", NULL};
	struct tree_record *root = tree_record_ref(run->bench.store->tip->root);
	for (uint32_t i = below(run, 3) + 1; i > 0; i--) {
		struct tree_record *next =
			disk_change(&run->bench, root, below(run, NAMES), types[below(run, 4)]);
		disk_unref(&run->bench, root);
		root = next;
	}
	return root;
}

static void change_something(struct run *run)
{
	propose(run, make_changed(run));
}

/* A confirmed commit, a follow-up of it, or its end. */
static void commit_something(struct run *run)
{
	static const struct store_actor actor = {7, "tester", "unix"};
	struct disk_bench *bench = &run->bench;
	struct store_answer answer;
	arena_reset(bench->arena);
	diag_list_init(&bench->diags, bench->arena, 10);
	struct store_call call = {
		.actor = &actor, .diags = &bench->diags, .comment = "a comment", .wait = STORE_WAIT};
	struct store_confirm confirm = {.is_confirmed = below(run, 3) > 0, .timeout_s = UINT32_MAX};
	struct tree_record *root = make_changed(run);
	enum status status = store_replace(bench->store, STORE_CANDIDATE, &call, root, &answer);
	if (bench->store->tip->fallback != 0 && below(run, 3) == 0)
		status = store_cancel_commit(bench->store, &call, NULL, &answer);
	else if (status == ST_OK)
		status = store_commit_confirm(bench->store, &call, &confirm, &answer);
	if (status != ST_OK && !run->is_off)
		snprintf(run->message, sizeof(run->message), "a commit was refused: %s", status_name(status));
	see(run, SEEN_CONFIRMED);
	disk_unref(bench, root);
	note_tip(run);
}

static void note_listed(void *arg, const struct store_version *info)
{
	(void)arg;
	(void)info;
}

static void sync_now(struct run *run)
{
	store_sync(run->bench.store);
	if (!run->bench.store->failed)
		run->acknowledged = run->bench.store->published->id;
}

/* To a listed version, by the history; or to any root that ever was. */
static void roll_back(struct run *run)
{
	static const struct store_actor actor = {7, "tester", "unix"};
	struct disk_bench *bench = &run->bench;
	uint64_t version = below(run, (uint32_t)bench->store->tip->id) + 1;
	if (below(run, 2) == 0 || bench->store->tip->fallback != 0 ||
	    !store_history_visit(bench->store, version, note_listed, NULL)) {
		propose(run, tree_record_ref(root_of(run, version)));
		return;
	}
	struct store_answer answer;
	arena_reset(bench->arena);
	diag_list_init(&bench->diags, bench->arena, 10);
	struct store_call call = {.actor = &actor, .diags = &bench->diags, .comment = "a comment"};
	enum status status = store_history_rollback(bench->store, &call, version, &answer);
	see(run, SEEN_ROLLBACK);
	if (status != ST_OK && !run->is_off)
		snprintf(run->message, sizeof(run->message), "a rollback was refused: %s",
			 status_name(status));
	if (status == ST_OK && !disk_equal(bench, bench->store->tip->root, root_of(run, version)))
		snprintf(run->message, sizeof(run->message), "a rollback came to something else");
	note_tip(run);
}

/* A label of a listed version. */
static void label_something(struct run *run)
{
	static const struct store_actor actor = {7, "tester", "unix"};
	struct disk_bench *bench = &run->bench;
	uint64_t version = below(run, (uint32_t)bench->store->published->id) + 1;
	if (!store_history_visit(bench->store, version, note_listed, NULL))
		return;
	struct appended *appended = vector_at(&run->roots, version - 1);
	uint32_t number = below(run, 5);
	char label[16];
	snprintf(label, sizeof(label), "label %u", number);
	arena_reset(bench->arena);
	diag_list_init(&bench->diags, bench->arena, 10);
	struct store_call call = {.actor = &actor, .diags = &bench->diags};
	appended->other = number;
	enum status status = store_history_label(bench->store, &call, version, number == 0 ? NULL : label);
	if (status == ST_OK)
		appended->label = number;
	else if (!run->is_off)
		snprintf(run->message, sizeof(run->message), "a label was refused: %s", status_name(status));
}

/* Their labels are what they were, or were to be. */
static void check_label(struct run *run, const struct store_version *info)
{
	struct appended *appended = vector_at(&run->roots, info->id - 1);
	uint32_t number = 0;
	if (info->label != NULL)
		sscanf(info->label, "label %u", &number);
	if (number != appended->label && number != appended->other)
		snprintf(run->message, sizeof(run->message), "version %llu has label %u, not %u",
			 (unsigned long long)info->id, number, appended->label);
	appended->label = appended->other = number;
}

static bool check_listed(void *arg, const struct store_version *info)
{
	check_label(arg, info);
	return true;
}

/* The history that was recovered ends with the version, has no gaps, and goes back as far as it should. */
static bool history_agrees(const struct run *run, uint64_t version)
{
	uint64_t length = run->bench.store_options.history_length;
	if (version > 1 && run->bench.recovery->versions.length != (version < length ? version : length))
		return false;
	const struct vector *versions = &run->bench.recovery->versions;
	for (size_t i = 0; i < versions->length; i++) {
		const struct store_recovered_version *entry = vector_at(versions, i);
		if (entry->info->id != version - (versions->length - 1 - i))
			return false;
		if (entry->info->id == 1)
			continue; /* made by the server, without a word */
		const char *user = entry->info->session_id == 0 ? "" : "tester";
		if (strcmp(entry->info->user, user) != 0 || entry->info->comment == NULL)
			return false;
	}
	return versions->length > 0 || version == 1;
}

/* Any listed version is what it was. */
static bool old_version_agrees(struct run *run, uint64_t version)
{
	size_t listed = run->bench.recovery->versions.length;
	uint64_t old = version - (listed > 1 ? below(run, (uint32_t)listed) : 0);
	uint64_t length = run->bench.store_options.history_length;
	if (old + length <= run->bench.store->published->id) /* going back has made it one too many */
		return true;
	const struct tree_record *root;
	enum status status = store_history_pin(run->bench.store, old, &root);
	if (status != ST_OK)
		return run->is_off;
	bool equal = disk_equal(&run->bench, root, root_of(run, old));
	disk_unref(&run->bench, root);
	return equal;
}

/* What a start makes of a version: the root of running (borrowed), and whether that takes a version of its
 * own. */
static const struct tree_record *started(const struct run *run, uint64_t version, bool *makes)
{
	const struct appended *appended = appended_at(run, version);
	*makes = appended->fallback != 0;
	if (!run->bench.store_options.separate_startup)
		return *makes ? root_of(run, appended->fallback) : appended->root;
	const struct tree_record *root = appended->root;
	if (appended->startup.kind == STORE_STARTUP_KEPT)
		root = appended->startup.root;
	else if (appended->startup.kind == STORE_STARTUP_DELETED)
		root = root_of(run, 1); /* which is empty */
	else
		*makes = true; /* it begins */
	*makes |= !disk_equal((struct disk_bench *)&run->bench, root, appended->root);
	return root;
}

/* Startup is what it was; where it begins, what running is. */
static bool startup_agrees(struct run *run, uint64_t version)
{
	const struct store_version *published = run->bench.store->published;
	struct store_startup expected = appended_at(run, version)->startup;
	if (run->bench.store_options.separate_startup && expected.kind == STORE_STARTUP_OFF)
		expected = (struct store_startup){STORE_STARTUP_KEPT, published->root};
	if (published->startup.kind != expected.kind)
		return false;
	return expected.root == NULL || disk_equal(&run->bench, published->startup.root, expected.root);
}

/* Compares what was opened; `version`: what it was made of, `made`: by a version of its own. */
static void compare(struct run *run, uint64_t version, bool made)
{
	bool makes;
	const struct tree_record *root = started(run, version, &makes);
	if (makes != made)
		snprintf(run->message, sizeof(run->message), "version %llu: the start made %s version",
			 (unsigned long long)version, made ? "a" : "no");
	else if (!disk_equal(&run->bench, run->bench.store->published->root, root))
		snprintf(run->message, sizeof(run->message), "version %llu is not what it was",
			 (unsigned long long)version);
	else if (!startup_agrees(run, version))
		snprintf(run->message, sizeof(run->message), "version %llu: startup is not what it was",
			 (unsigned long long)version);
}

/* Opens the disk; the power may go meanwhile. */
static void recover(struct run *run)
{
	run->is_starting = true;
	enum status status = disk_open(&run->bench);
	run->is_starting = false;
	if (status != ST_OK) {
		if (!run->is_off)
			snprintf(run->message, sizeof(run->message), "recovery: %s", status_name(status));
		return;
	}
	const struct store_version *published = run->bench.store->published;
	if (run->roots.length == 0)
		*(struct appended *)vector_push(&run->roots) =
			(struct appended){.root = tree_record_new(), .is_revert = true};
	/* Did this start make a version, or one before it that did not come to its end? */
	uint64_t version = published->id, recovered = run->bench.recovery->info->id;
	bool is_known = version <= run->roots.length && appended_at(run, version)->is_revert;
	bool made = published->session_id == 0 && !is_known;
	version -= made;
	if (version < run->acknowledged || version > run->roots.length) {
		snprintf(run->message, sizeof(run->message),
			 "recovered %llu, acknowledged %llu, appended %llu", (unsigned long long)version,
			 (unsigned long long)run->acknowledged, (unsigned long long)run->roots.length);
		return;
	}
	compare(run, version, made);
	drop_roots(run, version);
	if (made) {
		*(struct appended *)vector_push(&run->roots) =
			(struct appended){.root = tree_record_ref(published->root),
					  .is_revert = true,
					  .startup = *store__startup_ref(&published->startup)};
		see(run, SEEN_GONE_BACK);
	}
	if (!history_agrees(run, recovered) || !old_version_agrees(run, recovered))
		snprintf(run->message, sizeof(run->message), "the history of version %llu is wrong",
			 (unsigned long long)recovered);
	if (run->message[0] == '\0')
		store_history_each(run->bench.store, check_listed, run);
	run->acknowledged = published->id; /* it can be read, so it must stay */
}

static void take_snapshot(struct run *run)
{
	struct store *store = run->bench.store;
	const struct journal_disk *disk = (const struct journal_disk *)run->bench.journal;
	bool is_pending = store->published->fallback != 0;
	size_t segments = disk->segments.length, snapshots = disk->snapshots.length;
	if (store_snapshot(store) != ST_OK)
		return;
	see(run, SEEN_SNAPSHOT);
	if (is_pending)
		see(run, SEEN_OF_FALLBACK);
	run->seen[SEEN_RETIRED] += segments - disk->segments.length + snapshots + 1 - disk->snapshots.length;
}

/* As the snapshot thread does. */
static void prepare(struct run *run)
{
	bool was_due = journal_disk_growth(run->bench.journal).wants_room;
	journal_disk_prepare(run->bench.journal);
	if (was_due && !journal_disk_growth(run->bench.journal).wants_room)
		see(run, SEEN_SPARE);
}

/* Copies running or something else to startup, or deletes it. */
static void change_startup(struct run *run)
{
	static const struct store_actor actor = {7, "tester", "unix"};
	struct disk_bench *bench = &run->bench;
	struct store_answer answer;
	arena_reset(bench->arena);
	diag_list_init(&bench->diags, bench->arena, 10);
	struct store_call call = {.actor = &actor, .diags = &bench->diags, .comment = "a comment"};
	struct tree_record *root = tree_record_ref(bench->store->tip->root);
	uint32_t dice = below(run, 5);
	if (dice == 0) {
		disk_unref(bench, root);
		root = make_changed(run);
	}
	enum status status = dice == 1 ? store_startup_delete(bench->store, &call, &answer)
				       : store_replace(bench->store, STORE_STARTUP, &call, root, &answer);
	if (status != ST_OK && !run->is_off)
		snprintf(run->message, sizeof(run->message), "a change of startup was refused: %s",
			 status_name(status));
	if (status == ST_OK && answer.changed)
		see(run, SEEN_STARTUP);
	disk_unref(bench, root);
	note_tip(run);
}

static void step(struct run *run)
{
	uint32_t dice = below(run, 100);
	if (dice < 15 && run->bench.store_options.separate_startup) {
		change_startup(run);
		return;
	}
	if (dice < 52)
		change_something(run);
	else if (dice < 62)
		commit_something(run);
	else if (dice < 68)
		roll_back(run);
	else if (dice < 71)
		label_something(run);
	else if (dice < 74)
		prepare(run);
	else if (dice < 92)
		sync_now(run);
	else if (dice < 97)
		take_snapshot(run);
	else {
		disk_close(&run->bench, below(run, 3) != 0);
		if (!run->is_off)
			recover(run);
		see(run, SEEN_RESTART);
	}
}

/* What a cut leaves is no damage to those who only look. */
static void look(struct run *run)
{
	struct journal_view *view;
	struct store_inspection inspection;
	os_fs_fake_set_hook(run->bench.fs, NULL, NULL);
	enum status status = journal_view_open(run->bench.fs, "data", JOURNAL_VIEW_STILL, &view);
	if (status == ST_OK) {
		status = store_inspect(view, &inspection);
		if (status == ST_OK && journal_view_verdict(view) > JOURNAL_TAIL)
			status = ST_CORRUPT;
		journal_view_free(view);
	}
	if (status != ST_OK)
		snprintf(run->message, sizeof(run->message), "a look at what a cut left: %s", status_name(status));
	os_fs_fake_set_hook(run->bench.fs, on_operation, run);
}

static void run_until_cut(struct run *run)
{
	if (run->bench.store == NULL)
		recover(run);
	while (!run->is_off && run->message[0] == '\0')
		step(run);
	disk_close(&run->bench, false);
	os_fs_fake_power_on(run->bench.fs);
	run->is_off = false;
	look(run);
}

static void new_disk(struct run *run)
{
	drop_roots(run, 0);
	run->acknowledged = 0;
	os_fs_fake_free(run->bench.fs);
	run->bench.fs = os_fs_fake_new();
	run->bench.journal_options.fs = run->bench.fs;
	run->bench.journal_options.segment_size = 600 + below(run, 3000);
	run->bench.store_options.separate_startup = below(run, 2);
	os_fs_fake_set_hook(run->bench.fs, on_operation, run);
}

/* What the log says of thousands of cuts is of no interest. Gives the descriptor to go back to. */
static int silence(void)
{
	int saved = dup(STDERR_FILENO), null = open("/dev/null", O_WRONLY);
	dup2(null, STDERR_FILENO);
	close(null);
	return saved;
}

static void test_power_cuts(void **state)
{
	(void)state;
	const char *seed = getenv("YARE_SEED"), *count = getenv("YARE_CRASH_CUTS");
	struct run run = {.random = seed != NULL ? strtoull(seed, NULL, 10) : (uint64_t)time(NULL)};
	uint64_t cuts = count != NULL ? strtoull(count, NULL, 10) : CUTS_DEFAULT;
	printf("YARE_SEED=%llu\n", (unsigned long long)run.random);
	disk_bench_init(&run.bench);
	vector_init(&run.roots, sizeof(struct appended));
	int saved = silence();
	while (run.cuts < cuts && run.message[0] == '\0') {
		if (run.cuts % CUTS_A_DISK == 0)
			new_disk(&run);
		/* Often soon: then it is recovery that is cut. */
		run.left = below(&run, 4) == 0 ? 1 + below(&run, 12) : 1 + below(&run, OPERATIONS_MAX);
		run_until_cut(&run);
	}
	dup2(saved, STDERR_FILENO);
	close(saved);
	drop_roots(&run, 0);
	vector_fini(&run.roots);
	disk_bench_fini(&run.bench);
	printf("%llu cuts\n", (unsigned long long)run.cuts);
	for (unsigned i = 0; i < SEEN_KINDS; i++)
		printf("%8llu %s\n", (unsigned long long)run.seen[i], seen_names[i]);
	if (run.message[0] != '\0')
		fail_msg("%s", run.message);
	for (unsigned i = 0; i < SEEN_KINDS && cuts >= CUTS_THAT_MEET_ALL; i++)
		if (run.seen[i] == 0)
			fail_msg("the workload has no %s", seen_names[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_power_cuts)};
	log_set_level(LOG_LEVEL_ERROR);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
