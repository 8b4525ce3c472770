/* SPDX-License-Identifier: BSD-3-Clause */
/* The file of the next segment, made ahead of time: it spares the one who reserves the work, and where it
 * cannot be made, nothing has changed. */
#include <string.h>
#include "journal/helper_disk_file.h"
#include "journal/internal.h"

#define SPARE "data/spare.tmp"

static uint64_t segments(const struct disk *disk)
{
	return journal__last_segment((const struct journal_disk *)disk->journal)->header.number;
}

static bool is_due(const struct disk *disk)
{
	return journal_disk_growth(disk->journal).wants_room;
}

static void begin(struct disk *disk)
{
	disk_init(disk);
	assert_int_equal(disk_open(disk), ST_OK);
	assert_false(is_due(disk));
	while (!is_due(disk))
		disk_fill(disk, disk->version + 1);
	assert_int_equal(segments(disk), 1);
}

static void assert_reads_back(struct disk *disk)
{
	uint64_t version = disk->version;
	disk_close(disk, false);
	assert_int_equal(disk_open(disk), ST_OK);
	assert_int_equal(disk->version, version);
	disk_fini(disk);
}

static void test_next_segment_is_made_of_it(void **state)
{
	(void)state;
	struct disk disk;
	begin(&disk);
	journal_disk_prepare(disk.journal);
	assert_true(disk_exists(&disk, SPARE));
	assert_false(is_due(&disk));
	uint64_t made = os_fs_fake_count(disk.fs, OS_FS_PREALLOCATE);
	uint64_t synced = 0;
	while (segments(&disk) == 1) {
		synced = os_fs_fake_count(disk.fs, OS_FS_SYNC);
		assert_int_equal(disk_append(&disk), ST_OK);
	}
	/* No room is sought any more; what is left is to sync what was appended before, and the file. */
	assert_int_equal(os_fs_fake_count(disk.fs, OS_FS_PREALLOCATE), made);
	assert_int_equal(os_fs_fake_count(disk.fs, OS_FS_SYNC), synced + 2);
	assert_false(disk_exists(&disk, SPARE));
	assert_true(disk_exists(&disk, disk_segment(2)));
	disk_fill(&disk, disk.version + 3);
	assert_reads_back(&disk);
}

static void test_another_one_for_each_segment(void **state)
{
	(void)state;
	struct disk disk;
	begin(&disk);
	while (segments(&disk) < 5) {
		journal_disk_prepare(disk.journal);
		disk_fill(&disk, disk.version + 1);
	}
	assert_int_equal(os_fs_fake_count(disk.fs, OS_FS_PREALLOCATE), 5);
	assert_reads_back(&disk);
}

static void test_one_that_cannot_be_made(void **state)
{
	(void)state;
	static const enum os_fs_kind kinds[] = {OS_FS_OPEN, OS_FS_TRUNCATE, OS_FS_PREALLOCATE, OS_FS_SYNC};
	struct disk disk;
	begin(&disk);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		os_fs_fake_fail(disk.fs, kinds[i], 1, ST_LIMIT);
		journal_disk_prepare(disk.journal);
		assert_false(os_fs_fake_fail_pending(disk.fs, kinds[i]));
		assert_false(disk_exists(&disk, SPARE));
		assert_false(is_due(&disk)); /* for a while */
		while (!is_due(&disk))
			disk_fill(&disk, disk.version + 1);
	}
	while (segments(&disk) < 3)
		disk_fill(&disk, disk.version + 1);
	assert_reads_back(&disk);
}

/* A full disk is told by who needs the segment, and room that is freed is used. */
static void test_full_disk(void **state)
{
	(void)state;
	struct disk disk;
	begin(&disk);
	os_fs_fake_fail(disk.fs, OS_FS_PREALLOCATE, 1, ST_LIMIT);
	journal_disk_prepare(disk.journal);
	os_fs_fake_fail(disk.fs, OS_FS_PREALLOCATE, 1, ST_LIMIT);
	enum status status = ST_OK;
	while (status == ST_OK)
		status = disk_append(&disk);
	assert_int_equal(status, ST_LIMIT);
	assert_int_equal(segments(&disk), 1);
	disk_fill(&disk, disk.version + 5);
	assert_int_equal(segments(&disk), 2);
	assert_reads_back(&disk);
}

static void test_record_that_is_larger(void **state)
{
	(void)state;
	struct disk disk;
	uint64_t segment;
	begin(&disk);
	journal_disk_prepare(disk.journal);
	assert_int_equal(disk.journal->ops->reserve(disk.journal, 3000, &segment), ST_OK);
	assert_int_equal(segment, 2);
	assert_true(disk_exists(&disk, SPARE)); /* for the one after it */
	disk_fill(&disk, disk.version + 80);
	assert_true(segments(&disk) > 2);
	assert_reads_back(&disk);
}

static void test_left_over(void **state)
{
	(void)state;
	struct disk disk;
	begin(&disk);
	journal_disk_prepare(disk.journal);
	os_fs_fake_power_cut(disk.fs, 7);
	disk_close(&disk, false);
	os_fs_fake_power_on(disk.fs);
	assert_int_equal(disk_open(&disk), ST_OK);
	assert_false(disk_exists(&disk, SPARE));
	journal_disk_prepare(disk.journal);
	assert_true(disk_exists(&disk, SPARE));
	disk_close(&disk, true);
	assert_false(disk_exists(&disk, SPARE)); /* a clean end leaves none */
	assert_int_equal(disk_open(&disk), ST_OK);
	disk_fini(&disk);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_next_segment_is_made_of_it),
		cmocka_unit_test(test_another_one_for_each_segment),
		cmocka_unit_test(test_one_that_cannot_be_made),
		cmocka_unit_test(test_full_disk),
		cmocka_unit_test(test_record_that_is_larger),
		cmocka_unit_test(test_left_over),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
