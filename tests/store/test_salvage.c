/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Each kind of damage to a data directory: what a look says of it, what recovering keeps, and that a server
 * starts with that and goes on; the same of random damage, and with the power cut at each step of it.
 */
#include "journal/helper_mutate.h"
#include "journal/internal.h"
#include "store/helper_disk.h"
#include "base/log.h"
#include "base/memory.h"
#include "journal/crc32c.h"
#include "store/salvage.h"
#include "store/confirmed.h"
#include <inttypes.h>
#include <stdio.h>

#define LAST 60u /* versions of the directory */
#define EARLY 20u
#define LATE 40u /* of its snapshots */
#define RUNS 1500u

/* A directory, and what each of its versions was. */
struct world {
	struct disk_bench bench;
	struct mutate_dir dir;
	struct tree_record *roots[LAST + 1];
};

static const struct tree_record *tip(struct disk_bench *bench)
{
	return bench->store->tip->root;
}

/* Whether the server's newest version is that of the world. */
static void assert_version(struct world *world, uint64_t version)
{
	assert_int_equal(world->bench.store->tip->id, version);
	assert_true(version <= LAST);
	assert_true(disk_equal(&world->bench, tip(&world->bench), world->roots[version]));
}

static void build(struct world *world, bool seal)
{
	struct disk_bench *bench = &world->bench;
	disk_bench_init(bench);
	bench->journal_options.segment_size = 1000;
	bench->journal_options.history = 1000;
	assert_int_equal(disk_open(bench), ST_OK);
	world->roots[1] = tree_record_ref(tip(bench));
	for (unsigned version = 2; version <= LAST; version++) {
		bool deletes = version % 14 == 7;
		assert_int_equal(disk_put(bench, version / 2 % 9,
					  deletes	? NULL
					  : version % 2 ? "odd"
							: "even"),
				 ST_OK);
		store_sync(bench->store);
		assert_int_equal(bench->store->tip->id, version);
		world->roots[version] = tree_record_ref(tip(bench));
		if (version == EARLY || version == LATE)
			assert_int_equal(store_snapshot(bench->store), ST_OK);
	}
	disk_close(bench, seal);
	mutate_read(&world->dir, bench->fs, "data");
}

static int make_world(void **state)
{
	struct world *world = memory_zalloc(sizeof(*world));
	log_set_level((enum log_level) - 1); /* not what a start says of each damage */
	build(world, true);
	*state = world;
	return 0;
}

static int free_world(void **state)
{
	struct world *world = *state;
	for (unsigned version = 1; version <= LAST; version++)
		tree_record_unref(world->roots[version], world->bench.schema->root, NULL);
	mutate_free(&world->dir);
	disk_bench_fini(&world->bench);
	memory_free(world);
	return 0;
}

/* ---- a damaged directory ---- */

static char *at(struct mutate_dir *dir, const char *name, size_t offset)
{
	struct mutate_file *file = mutate_find(dir, name);
	assert_non_null(file);
	assert_true(offset < buffer_size(&file->content));
	return file->content.data + file->content.start + offset;
}

/* A fresh disk with the files. */
static void insert_disk(struct world *world, const struct mutate_dir *dir)
{
	disk_close(&world->bench, false);
	os_fs_fake_free(world->bench.fs);
	world->bench.fs = os_fs_fake_new();
	world->bench.journal_options.fs = world->bench.fs;
	mutate_write(dir, world->bench.fs, "data");
}

struct outcome {
	enum journal_severity verdict;
	enum status status; /* ST_ABSENT: there was no state */
	uint64_t version;
};

static struct outcome salvage(struct os_fs *fs)
{
	struct outcome outcome = {.status = ST_ABSENT};
	struct journal_view *view;
	struct store_inspection inspection;
	struct journal_salvage *made;
	struct journal_view_state state;
	outcome.status = journal_salvage_open(fs, "data", &made);
	if (outcome.status != ST_OK)
		return outcome;
	outcome.status = journal_view_open(fs, "data", JOURNAL_VIEW_STILL, &view);
	if (outcome.status == ST_OK) {
		outcome.status = store_inspect(view, &inspection);
		outcome.verdict = journal_view_verdict(view);
		outcome.version = inspection.sound_version;
		if (outcome.status == ST_OK && !journal_view_state(view, &state))
			outcome.status = ST_ABSENT;
		if (outcome.status == ST_OK && outcome.verdict == JOURNAL_DAMAGED)
			outcome.status = store_salvage_prepare(view, &inspection, made);
		if (outcome.status == ST_OK && outcome.verdict == JOURNAL_DAMAGED)
			outcome.status = journal_salvage_commit(made);
		journal_view_free(view);
	}
	journal_salvage_close(made);
	return outcome;
}

static enum journal_severity look(struct os_fs *fs, uint64_t *version)
{
	struct journal_view *view;
	struct store_inspection inspection;
	assert_int_equal(journal_view_open(fs, "data", JOURNAL_VIEW_STILL, &view), ST_OK);
	assert_int_equal(store_inspect(view, &inspection), ST_OK);
	enum journal_severity verdict = journal_view_verdict(view);
	*version = inspection.sound_version;
	journal_view_free(view);
	return verdict;
}

/* Every file that was there is, in its place or set aside. */
static void assert_all_there(struct os_fs *fs, struct mutate_dir *dir)
{
	struct mutate_dir kept, aside;
	mutate_read(&kept, fs, "data");
	mutate_read(&aside, fs, "data/set-aside.1");
	for (size_t i = 0; i < dir->files.length; i++) {
		struct mutate_file *file = vector_at(&dir->files, i), *in = mutate_find(&aside, file->name);
		if (in == NULL)
			in = mutate_find(&kept, file->name);
		assert_non_null(in);
		assert_true(bytes_equal(buffer_get(&in->content), buffer_get(&file->content)));
	}
	mutate_free(&kept);
	mutate_free(&aside);
}

/* A server starts with it and goes on, twice. */
static void assert_starts(struct world *world, uint64_t version)
{
	struct disk_bench *bench = &world->bench;
	assert_int_equal(disk_open(bench), ST_OK);
	assert_version(world, version);
	assert_int_equal(disk_put(bench, 100, "more"), ST_OK);
	store_sync(bench->store);
	struct tree_record *root = tree_record_ref(tip(bench));
	assert_int_equal(store_snapshot(bench->store), ST_OK);
	disk_close(bench, false);
	assert_int_equal(disk_open(bench), ST_OK);
	assert_int_equal(bench->store->tip->id, version + 1);
	assert_true(disk_equal(bench, tip(bench), root));
	disk_unref(bench, root);
	disk_close(bench, true);
}

/* Damaged; recovering keeps the version. */
static void assert_salvaged(struct world *world, struct mutate_dir *dir, uint64_t version)
{
	uint64_t seen;
	insert_disk(world, dir);
	struct outcome outcome = salvage(world->bench.fs);
	assert_int_equal(outcome.verdict, JOURNAL_DAMAGED);
	assert_int_equal(outcome.status, ST_OK);
	assert_int_equal(outcome.version, version);
	assert_all_there(world->bench.fs, dir);
	assert_true(look(world->bench.fs, &seen) < JOURNAL_TAIL);
	assert_int_equal(seen, version);
	assert_starts(world, version);
	mutate_free(dir);
}

/* Nothing for recovering to do: a start sees to it. */
static void assert_left_alone(struct world *world, struct mutate_dir *dir, enum journal_severity verdict,
			      uint64_t version)
{
	insert_disk(world, dir);
	struct outcome outcome = salvage(world->bench.fs);
	assert_int_equal(outcome.verdict, verdict);
	assert_int_equal(outcome.version, version);
	assert_starts(world, version);
	mutate_free(dir);
}

static struct mutate_dir copy_of(struct world *world)
{
	struct mutate_dir dir;
	mutate_copy(&dir, &world->dir);
	return dir;
}

static void segment_name(unsigned number, char name[32])
{
	snprintf(name, 32, "journal.%08u", number);
}

/* The frames of a segment: offset of the one with a version; 0: it is not there. */
static size_t frame_of(struct mutate_dir *dir, const char *name, uint64_t version, size_t *end)
{
	struct bytes content = buffer_get(&mutate_find(dir, name)->content);
	for (size_t offset = JOURNAL__HEADER_SIZE; offset + JOURNAL__FRAME_SIZE <= content.size;
	     offset = *end) {
		if (content.data[offset + 8] == 0)
			return 0;
		*end = offset + JOURNAL__FRAME_SIZE + journal__get_u32(content.data + offset + 4);
		if (content.data[offset + 8] == JOURNAL__CHANGE &&
		    journal__get_u64(content.data + offset + 9) == version)
			return offset;
	}
	return 0;
}

/* The segment that has a version. */
static unsigned segment_of(struct mutate_dir *dir, uint64_t version, size_t *offset, size_t *end)
{
	char name[32];
	for (unsigned number = 1;; number++) {
		segment_name(number, name);
		*offset = frame_of(dir, name, version, end);
		if (*offset != 0)
			return number;
	}
}

static void flip_in_version(struct mutate_dir *dir, uint64_t version, size_t byte)
{
	size_t offset, end;
	char name[32];
	segment_name(segment_of(dir, version, &offset, &end), name);
	*at(dir, name, byte < end - offset ? offset + byte : end - 1) ^= 4;
}

static const char early[] = "snapshot.00000000000000000020", late[] = "snapshot.00000000000000000040",
		  one[] = "snapshot.00000000000000000001";

static void drop(struct mutate_dir *dir, const char *name)
{
	struct mutate_file *file = mutate_find(dir, name);
	assert_non_null(file);
	char other[64];
	snprintf(other, sizeof(other), "not ours: %s", name); /* left alone by everybody */
	memory_free(file->name);
	file->name = memory_strdup(other);
}

/* ---- the kinds ---- */

static void test_no_damage(void **state)
{
	struct mutate_dir dir = copy_of(*state);
	assert_left_alone(*state, &dir, JOURNAL_NOTE, LAST);
}

static void test_empty_file(void **state)
{
	struct world *world = *state;
	size_t offset, end;
	char name[32];
	/* A segment that the newest snapshot does not need, and the one that it is in. */
	struct mutate_dir dir = copy_of(world);
	buffer_clear(&mutate_find(&dir, "journal.00000001")->content, 0);
	assert_salvaged(world, &dir, LAST);
	dir = copy_of(world);
	segment_name(segment_of(&dir, LATE + 1, &offset, &end), name);
	buffer_clear(&mutate_find(&dir, name)->content, 0);
	assert_salvaged(world, &dir, LATE);
	dir = copy_of(world);
	buffer_clear(&mutate_find(&dir, late)->content, 0);
	assert_salvaged(world, &dir, LAST);
}

static void test_zeros(void **state)
{
	struct world *world = *state;
	size_t offset, end;
	char name[32];
	struct mutate_dir dir = copy_of(world);
	segment_name(segment_of(&dir, LAST, &offset, &end), name);
	memset(at(&dir, name, offset), 0, 10);
	assert_salvaged(world, &dir, LAST - 1);
	dir = copy_of(world);
	memset(at(&dir, late, 0), 0, 100);
	assert_salvaged(world, &dir, LAST);
}

/* Of a server that did not end cleanly: nothing proves that there was more. */
static void test_torn_tail(void **state)
{
	struct world *world = *state;
	size_t offset, end;
	char name[32];
	for (size_t kept = 0;; kept++) {
		struct mutate_dir dir = copy_of(world);
		segment_name(segment_of(&dir, LAST, &offset, &end), name);
		struct mutate_file *file = mutate_find(&dir, name);
		const char *rest = at(&dir, name, offset);
		bool is_whole = kept == end - offset;
		for (size_t i = kept; !is_whole && rest[i] == 0; i++)
			is_whole = i + 1 == end - offset; /* it ends with zeros */
		if (is_whole) {
			mutate_free(&dir);
			return;
		}
		memset(at(&dir, name, offset + kept), 0, buffer_size(&file->content) - offset - kept);
		bool is_seen = false; /* a checksum may begin with zeros */
		for (size_t i = 0; i < kept; i++)
			is_seen = is_seen || *at(&dir, name, offset + i) != 0;
		assert_left_alone(world, &dir, is_seen ? JOURNAL_TAIL : JOURNAL_NOTE, LAST - 1);
	}
}

static void test_flipped_bit_in_header(void **state)
{
	struct world *world = *state;
	struct mutate_dir dir = copy_of(world);
	*at(&dir, "journal.00000001", 33) ^= 1;
	assert_salvaged(world, &dir, LAST);
	dir = copy_of(world);
	size_t offset, end;
	char name[32];
	segment_name(segment_of(&dir, LAST, &offset, &end), name);
	*at(&dir, name, 20) ^= 1;
	uint64_t first = journal__get_u64(at(&dir, name, 32));
	assert_salvaged(world, &dir, first - 1);
}

/* Before the newest snapshot nothing of the state is lost, not even where names were defined there: they are
 * again in the next record. Behind it all from there on. */
static void flip_everywhere(struct world *world, size_t byte)
{
	for (unsigned version = 2; version < LAST; version += 3) {
		struct mutate_dir dir = copy_of(world);
		uint64_t kept = version > LATE ? version - 1 : LAST;
		flip_in_version(&dir, version, byte);
		assert_salvaged(world, &dir, kept);
	}
}

static void test_flipped_bit_in_body(void **state)
{
	flip_everywhere(*state, 60);
}

static void test_flipped_bit_in_checksum(void **state)
{
	flip_everywhere(*state, 2);
}

static void test_missing_middle_segment(void **state)
{
	struct world *world = *state;
	size_t offset, end;
	char name[32];
	struct mutate_dir dir = copy_of(world);
	drop(&dir, "journal.00000002");
	assert_salvaged(world, &dir, LAST);
	dir = copy_of(world);
	segment_name(segment_of(&dir, LATE + 10, &offset, &end), name);
	uint64_t first = journal__get_u64(at(&dir, name, 32));
	assert_true(first > LATE + 1);
	drop(&dir, name);
	assert_salvaged(world, &dir, first - 1);
}

/* As when a journal comes back from an older backup. */
static void test_snapshot_newer_than_journal(void **state)
{
	struct world *world = *state;
	size_t offset, end;
	char name[32];
	struct mutate_dir dir = copy_of(world);
	unsigned number = segment_of(&dir, LATE, &offset, &end);
	segment_name(number, name);
	memset(at(&dir, name, offset), 0, buffer_size(&mutate_find(&dir, name)->content) - offset);
	for (segment_name(++number, name); mutate_find(&dir, name) != NULL; segment_name(++number, name))
		drop(&dir, name);
	assert_salvaged(world, &dir, LATE);
}

static void test_snapshot_older_than_journal(void **state)
{
	struct world *world = *state;
	struct mutate_dir dir = copy_of(world);
	size_t offset, end;
	drop(&dir, late);
	for (unsigned number = segment_of(&dir, EARLY + 1, &offset, &end); number > 0; number--) {
		char name[32];
		segment_name(number, name);
		drop(&dir, name);
	}
	assert_salvaged(world, &dir, EARLY);
}

static void test_two_snapshots(void **state)
{
	struct world *world = *state;
	struct mutate_dir dir = copy_of(world);
	*at(&dir, late, 110) ^= 1;
	assert_salvaged(world, &dir, LAST);
	dir = copy_of(world);
	*at(&dir, early, 110) ^= 1;
	assert_salvaged(world, &dir, LAST);
	/* None is left: nothing can be proven, nothing is changed. */
	dir = copy_of(world);
	*at(&dir, late, 110) ^= 1;
	*at(&dir, early, 110) ^= 1;
	assert_null(mutate_find(&dir, one));
	insert_disk(world, &dir);
	struct outcome outcome = salvage(world->bench.fs);
	assert_int_equal(outcome.verdict, JOURNAL_DAMAGED);
	assert_int_equal(outcome.status, ST_ABSENT);
	struct mutate_dir after;
	mutate_read(&after, world->bench.fs, "data");
	assert_int_equal(after.files.length, dir.files.length);
	mutate_free(&after);
	mutate_free(&dir);
}

static void test_leftover_temporary_files(void **state)
{
	struct mutate_dir dir = copy_of(*state);
	mutate_add(&dir, "snapshot.tmp", bytes_of("half"));
	assert_left_alone(*state, &dir, JOURNAL_NOTE, LAST);
}

static void test_newer_format(void **state)
{
	struct world *world = *state;
	static const char *const names[] = {"journal.00000002", late};
	for (unsigned i = 0; i < 2; i++) {
		struct mutate_dir dir = copy_of(world);
		char *header = at(&dir, names[i], 0);
		journal__put_u32(header + 8, JOURNAL__FORMAT + 1);
		journal__put_u32(header + 76, crc32c(0, (struct bytes){header, 76}));
		insert_disk(world, &dir);
		struct outcome outcome = salvage(world->bench.fs);
		assert_int_equal(outcome.verdict, JOURNAL_NEWER);
		struct mutate_dir after;
		mutate_read(&after, world->bench.fs, "data");
		assert_int_equal(after.files.length, dir.files.length);
		mutate_free(&after);
		mutate_free(&dir);
	}
}

static void test_two_files_for_a_segment(void **state)
{
	struct mutate_dir dir = copy_of(*state), *world = &((struct world *)*state)->dir;
	mutate_add(&dir, "journal.000000002", buffer_get(&mutate_find(world, "journal.00000002")->content));
	assert_salvaged(*state, &dir, LAST);
}

static void test_damaged_labels(void **state)
{
	struct world *world = *state;
	struct mutate_dir dir = copy_of(world);
	if (mutate_find(&dir, "history") != NULL)
		drop(&dir, "history");
	mutate_add(&dir, "history", bytes_of("nothing of ours, but long enough"));
	assert_salvaged(world, &dir, LAST);
}

/* A server must not start on what a stopped recovery left. */
static void test_unfinished_recovery(void **state)
{
	struct world *world = *state;
	struct mutate_dir dir = copy_of(world);
	mutate_add(&dir, "recovering", bytes_of("aside set-aside.1\nnew journal.00000099\n"));
	insert_disk(world, &dir);
	uint64_t version;
	assert_int_equal(look(world->bench.fs, &version), JOURNAL_DAMAGED);
	assert_int_equal(disk_open(&world->bench), ST_CORRUPT);
	struct outcome outcome = salvage(world->bench.fs);
	assert_int_equal(outcome.status, ST_OK);
	assert_int_equal(outcome.verdict, JOURNAL_NOTE);
	assert_starts(world, LAST);
	mutate_free(&dir);
}

/* ---- confirmed commits ---- */

static void commit_confirmed(struct disk_bench *bench, unsigned number)
{
	static const struct store_actor actor = {7, "tester", "unix"};
	struct store_answer answer;
	struct store_call call = {.actor = &actor, .diags = &bench->diags, .wait = STORE_WAIT};
	struct store_confirm confirm = {
		.is_confirmed = true, .timeout_s = 60, .persist = "x", .persist_id = NULL};
	struct tree_record *root = disk_change(bench, tip(bench), number, "x");
	assert_int_equal(store_replace(bench->store, STORE_CANDIDATE, &call, root, &answer), ST_OK);
	disk_unref(bench, root);
	assert_int_equal(store_commit_confirm(bench->store, &call, &confirm, &answer), ST_OK);
	store_sync(bench->store);
}

/* Damage behind the beginning of a confirmed commit: what is kept is within it, so a start goes back. */
static void test_damage_within_a_confirmed_commit(void **state)
{
	(void)state;
	struct world *world = memory_zalloc(sizeof(*world));
	struct disk_bench *bench = &world->bench;
	disk_bench_init(bench);
	assert_int_equal(disk_open(bench), ST_OK);
	assert_int_equal(disk_put(bench, 1, "before"), ST_OK);
	struct tree_record *before = tree_record_ref(tip(bench));
	commit_confirmed(bench, 2); /* version 3 */
	assert_int_equal(disk_put(bench, 3, "meanwhile"), ST_OK);
	assert_int_equal(disk_put(bench, 4, "meanwhile"), ST_OK);
	store_sync(bench->store);
	disk_close(bench, true);
	mutate_read(&world->dir, bench->fs, "data");
	flip_in_version(&world->dir, 4, 60);
	insert_disk(world, &world->dir);
	struct outcome outcome = salvage(bench->fs);
	assert_int_equal(outcome.verdict, JOURNAL_DAMAGED);
	assert_int_equal(outcome.version, 3);
	struct journal_view *view;
	struct store_inspection inspection;
	struct store_rebuilt rebuilt;
	assert_int_equal(journal_view_open(bench->fs, "data", JOURNAL_VIEW_STILL, &view), ST_OK);
	assert_int_equal(store_inspect(view, &inspection), ST_OK);
	assert_int_equal(inspection.fallback, 2);
	assert_int_equal(store_rebuild(bench->schema, view, 2, &bench->diags, &rebuilt), ST_OK);
	assert_true(disk_equal(bench, rebuilt.root, before));
	store_rebuilt_fini(&rebuilt, bench->schema);
	journal_view_free(view);
	assert_int_equal(disk_open(bench), ST_OK);
	store_sync(bench->store);
	assert_true(disk_equal(bench, bench->store->tip->root, before));
	disk_close(bench, true);
	tree_record_unref(before, bench->schema->root, NULL);
	mutate_free(&world->dir);
	disk_bench_fini(bench);
	memory_free(world);
}

/* A record that gave startup content of its own, and that begins a segment now. */
static void test_startup_goes_over(void **state)
{
	(void)state;
	static const struct store_actor actor = {7, "tester", "unix"};
	struct world *world = memory_zalloc(sizeof(*world));
	struct disk_bench *bench = &world->bench;
	struct store_answer answer;
	disk_bench_init(bench);
	bench->store_options.separate_startup = true;
	assert_int_equal(disk_open(bench), ST_OK);
	store_sync(bench->store);
	while (bench->store->tip->id < 6)
		assert_int_equal(disk_put(bench, (unsigned)bench->store->tip->id, "x"), ST_OK);
	store_sync(bench->store);
	assert_int_equal(store_snapshot(bench->store), ST_OK); /* of version 6 */
	struct tree_record *startup = disk_change(bench, tip(bench), 50, "only in startup");
	struct store_call call = {.actor = &actor, .diags = &bench->diags, .wait = STORE_WAIT};
	assert_int_equal(store_replace(bench->store, STORE_STARTUP, &call, startup, &answer), ST_OK);
	assert_int_equal(bench->store->tip->startup_change, STORE_STARTUP_REPLACED);
	assert_int_equal(disk_put(bench, 60, "behind it"), ST_OK);
	store_sync(bench->store);
	disk_close(bench, true);
	mutate_read(&world->dir, bench->fs, "data");
	flip_in_version(&world->dir, 6, 60);
	insert_disk(world, &world->dir);
	struct outcome outcome = salvage(bench->fs);
	assert_int_equal(outcome.verdict, JOURNAL_DAMAGED);
	assert_int_equal(outcome.status, ST_OK);
	assert_int_equal(outcome.version, 8);
	assert_int_equal(disk_open(bench), ST_OK);
	store_sync(bench->store);
	const struct tree_record *found = store_pin_root(bench->store, STORE_STARTUP);
	assert_true(disk_equal(bench, found, startup));
	tree_record_unref(found, bench->schema->root, bench->reclaimer);
	disk_close(bench, true);
	tree_record_unref(startup, bench->schema->root, NULL);
	mutate_free(&world->dir);
	disk_bench_fini(bench);
	memory_free(world);
}

/* ---- versions ---- */

static void test_each_version_can_be_rebuilt(void **state)
{
	struct world *world = *state;
	struct journal_view *view;
	insert_disk(world, &world->dir);
	assert_int_equal(journal_view_open(world->bench.fs, "data", JOURNAL_VIEW_STILL, &view), ST_OK);
	for (unsigned version = 1; version <= LAST + 1; version++) {
		struct store_rebuilt rebuilt = {0};
		enum status status =
			store_rebuild(world->bench.schema, view, version, &world->bench.diags, &rebuilt);
		assert_int_equal(status, version <= LAST ? ST_OK : ST_ABSENT);
		if (status == ST_OK)
			assert_true(disk_equal(&world->bench, rebuilt.root, world->roots[version]));
		if (status == ST_OK && version > 1)
			assert_int_equal(rebuilt.info->id, version);
		store_rebuilt_fini(&rebuilt, world->bench.schema);
	}
	journal_view_free(view);
}

/* ---- at random ---- */

static void test_random_damage(void **state)
{
	struct world *world = *state;
	uint64_t seed = mutate_seed();
	unsigned salvaged = 0, refused = 0;
	for (unsigned i = 0, runs = mutate_runs(RUNS); i < runs; i++) {
		uint64_t random = seed + i;
		struct mutate_dir dir = copy_of(world);
		mutate_damage(&dir, &random);
		insert_disk(world, &dir);
		struct outcome outcome = salvage(world->bench.fs);
		if (outcome.status == ST_OK && outcome.verdict == JOURNAL_DAMAGED) {
			uint64_t seen;
			assert_all_there(world->bench.fs, &dir);
			assert_true(look(world->bench.fs, &seen) < JOURNAL_TAIL);
			assert_int_equal(seen, outcome.version);
			assert_int_equal(disk_open(&world->bench), ST_OK);
			assert_version(world, outcome.version);
			disk_close(&world->bench, false);
			salvaged++;
		} else if (outcome.status != ST_OK) {
			assert_int_equal(outcome.status, ST_ABSENT);
			refused++;
		}
		mutate_free(&dir);
	}
	print_message("%u recovered, %u beyond that\n", salvaged, refused);
	assert_true(salvaged > refused);
}

/* ---- power cuts ---- */

struct cut {
	struct os_fs *fs;
	uint64_t left, seed;
};

static void cut_power(enum os_fs_kind kind, void *arg)
{
	(void)kind;
	struct cut *cut = arg;
	if (cut->left > 0 && --cut->left == 0)
		os_fs_fake_power_cut(cut->fs, cut->seed);
}

/* At each operation; recovering again always gives the same, and no server starts on less meanwhile. */
static void cut_everywhere(struct world *world, const struct mutate_dir *dir, uint64_t version)
{
	struct cut cut;
	for (uint64_t step = 1;; step++) {
		insert_disk(world, dir);
		cut.fs = world->bench.fs;
		cut.left = step;
		cut.seed = step * 7;
		os_fs_fake_set_hook(cut.fs, cut_power, &cut);
		salvage(cut.fs);
		os_fs_fake_set_hook(cut.fs, NULL, NULL);
		if (cut.left > 0)
			return;
		os_fs_fake_power_on(cut.fs);
		if (disk_open(&world->bench) == ST_OK) {
			assert_version(world, version);
			disk_close(&world->bench, false);
		}
		struct outcome outcome = salvage(cut.fs);
		assert_int_equal(outcome.status, ST_OK);
		assert_int_equal(outcome.version, version);
		assert_int_equal(disk_open(&world->bench), ST_OK);
		assert_version(world, version);
		disk_close(&world->bench, false);
	}
}

/* Each operation fails once: a second try does it. */
static void fail_everywhere(struct world *world, const struct mutate_dir *dir, uint64_t version)
{
	for (unsigned kind = 0; kind < OS_FS_KINDS; kind++) {
		bool is_pending = false;
		for (uint64_t nth = 1; !is_pending; nth++) {
			insert_disk(world, dir);
			struct os_fs *fs = world->bench.fs;
			os_fs_fake_fail(fs, (enum os_fs_kind)kind, nth, nth % 2 ? ST_IO : ST_LIMIT);
			salvage(fs);
			is_pending = os_fs_fake_fail_pending(fs, (enum os_fs_kind)kind);
			os_fs_fake_fail(fs, (enum os_fs_kind)kind, 0, ST_OK);
			struct outcome outcome = salvage(fs);
			assert_int_equal(outcome.status, ST_OK);
			assert_int_equal(outcome.version, version);
			assert_int_equal(disk_open(&world->bench), ST_OK);
			assert_version(world, version);
			disk_close(&world->bench, false);
		}
	}
}

/* A segment that is copied, and records that go over into new ones. */
static void with_both_ways(struct world *world,
			   void (*run)(struct world *world, const struct mutate_dir *dir, uint64_t version))
{
	struct mutate_dir dir = copy_of(world);
	flip_in_version(&dir, LAST - 3, 60);
	run(world, &dir, LAST - 4);
	mutate_free(&dir);
	dir = copy_of(world);
	flip_in_version(&dir, 10, 60);
	run(world, &dir, LAST);
	mutate_free(&dir);
}

static void test_power_cuts(void **state)
{
	with_both_ways(*state, cut_everywhere);
}

static void test_failing_operations(void **state)
{
	with_both_ways(*state, fail_everywhere);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_damage),
		cmocka_unit_test(test_empty_file),
		cmocka_unit_test(test_zeros),
		cmocka_unit_test(test_torn_tail),
		cmocka_unit_test(test_flipped_bit_in_header),
		cmocka_unit_test(test_flipped_bit_in_body),
		cmocka_unit_test(test_flipped_bit_in_checksum),
		cmocka_unit_test(test_missing_middle_segment),
		cmocka_unit_test(test_snapshot_newer_than_journal),
		cmocka_unit_test(test_snapshot_older_than_journal),
		cmocka_unit_test(test_two_snapshots),
		cmocka_unit_test(test_leftover_temporary_files),
		cmocka_unit_test(test_newer_format),
		cmocka_unit_test(test_two_files_for_a_segment),
		cmocka_unit_test(test_damaged_labels),
		cmocka_unit_test(test_unfinished_recovery),
		cmocka_unit_test(test_damage_within_a_confirmed_commit),
		cmocka_unit_test(test_startup_goes_over),
		cmocka_unit_test(test_each_version_can_be_rebuilt),
		cmocka_unit_test(test_random_damage),
		cmocka_unit_test(test_power_cuts),
		cmocka_unit_test(test_failing_operations),
	};
	return cmocka_run_group_tests(tests, make_world, free_world);
}
