/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Looking at data directories that are damaged at random: what check says agrees with what a start does, and
 * nothing crashes, hangs or grows. YARE_RUNS sets how many.
 */
#include "journal/helper_disk_file.h"
#include <inttypes.h>
#include "base/log.h"
#include "journal/helper_mutate.h"
#include "journal/view.h"

#define RUNS 20000u

struct seen {
	enum journal_severity verdict;
	bool has_state, is_new;
	struct journal_view_state state;
	uint64_t records;
	uint64_t next; /* version */
};

static enum status count_record(void *arg, const struct journal_record *record)
{
	struct seen *seen = arg;
	if (record->names_only)
		return ST_OK;
	assert_int_equal(record->version, seen->next);
	seen->next++;
	seen->records++;
	return ST_OK;
}

static struct seen look(struct os_fs *fs)
{
	struct journal_view *view;
	struct seen seen = {0};
	assert_int_equal(journal_view_open(fs, "data", JOURNAL_VIEW_STILL, &view), ST_OK);
	seen.verdict = journal_view_verdict(view);
	seen.is_new = journal_view_is_new(view);
	seen.has_state = journal_view_state(view, &seen.state);
	seen.next = seen.state.first_version;
	assert_int_equal(journal_view_replay(view, count_record, &seen), ST_OK);
	if (seen.has_state)
		assert_int_equal(seen.next, seen.state.version + 1);
	struct journal_snapshot_reader *reader;
	struct journal_snapshot snapshot;
	struct bytes block;
	if (seen.has_state) {
		assert_int_equal(journal_view_load(view, seen.state.snapshot, &reader, &snapshot), ST_OK);
		while (journal_snapshot_next(reader, &block) == ST_OK)
			;
	}
	journal_view_free(view);
	return seen;
}

/* Segments of 1 KiB, snapshots of 10 and 20, versions up to 30, and three that were never synced. */
static void make(struct mutate_dir *dir, bool sealed)
{
	struct disk disk;
	disk_init(&disk);
	disk.options.history = 25;
	assert_int_equal(disk_open(&disk), ST_OK);
	disk_fill(&disk, 10);
	assert_int_equal(disk_snapshot(&disk), ST_OK);
	disk_fill(&disk, 20);
	assert_int_equal(disk_snapshot(&disk), ST_OK);
	disk_fill(&disk, 30);
	for (unsigned i = 0; i < 3 && !sealed; i++)
		assert_int_equal(disk_append(&disk), ST_OK);
	disk_close(&disk, sealed);
	mutate_read(dir, disk.fs, "data");
	disk_fini(&disk);
}

static void compare(struct os_fs *fs, const struct seen *seen)
{
	struct journal *journal;
	struct journal_disk_options options = {
		.fs = fs, .dir = "data", .segment_size = 1024, .snapshot_count = 2, .history = 25};
	enum status status = journal_disk_open(&options, &journal);
	if (status != ST_OK) {
		assert_true(seen->verdict >= JOURNAL_DAMAGED);
		return;
	}
	if (journal_disk_is_new(journal))
		assert_true(seen->is_new);
	else if (seen->verdict < JOURNAL_DAMAGED)
		assert_int_equal(journal_disk_version(journal), seen->state.version);
	else /* a start that did without what is damaged */
		assert_true(journal_disk_version(journal) <= seen->state.version);
	journal->ops->close(journal);
}

static void test_random_damage(void **state)
{
	(void)state;
	uint64_t seed = mutate_seed();
	unsigned verdicts[4] = {0}, runs = mutate_runs(RUNS);
	struct mutate_dir bases[2];
	make(&bases[0], false);
	make(&bases[1], true);
	for (unsigned i = 0; i < runs; i++) {
		uint64_t random = seed + i;
		struct mutate_dir damaged;
		mutate_copy(&damaged, &bases[i % 2]);
		mutate_damage(&damaged, &random);
		struct os_fs *fs = os_fs_fake_new();
		mutate_write(&damaged, fs, "data");
		struct seen seen = look(fs);
		verdicts[seen.verdict]++;
		compare(fs, &seen);
		os_fs_fake_free(fs);
		mutate_free(&damaged);
	}
	print_message("%u whole, %u with a tail, %u damaged, %u of a newer format\n", verdicts[JOURNAL_NOTE],
		      verdicts[JOURNAL_TAIL], verdicts[JOURNAL_DAMAGED], verdicts[JOURNAL_NEWER]);
	for (unsigned i = 0; i < 4 && runs >= RUNS; i++)
		assert_true(verdicts[i] > 10);
	mutate_free(&bases[0]);
	mutate_free(&bases[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_damage),
	};
	log_set_level((enum log_level) - 1); /* not what a start says of each damage */
	return cmocka_run_group_tests(tests, NULL, NULL);
}
