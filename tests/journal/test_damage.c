/* SPDX-License-Identifier: BSD-3-Clause */
/* Each kind of damage to a data directory: what is a tail and cut, what is refused. */
#include "journal/helper_disk_file.h"
#include "journal/crc32c.h"
#include "journal/internal.h"
#include "journal/view.h"

/* Versions 2 .. 8 in one segment, each synced. */
static void some_records(struct disk *disk, bool seal)
{
	disk_init(disk);
	disk->options.segment_size = 4096;
	assert_int_equal(disk_open(disk), ST_OK);
	disk_fill(disk, 8);
	disk_close(disk, seal);
}

/* Versions 2 .. 30 in several small segments; snapshots of `first` and `second`. */
static void many_segments(struct disk *disk, uint64_t first, uint64_t second)
{
	disk_init(disk);
	disk->options.history = 1000;
	assert_int_equal(disk_open(disk), ST_OK);
	disk_fill(disk, first);
	assert_int_equal(disk_snapshot(disk), ST_OK);
	disk_fill(disk, second);
	assert_int_equal(disk_snapshot(disk), ST_OK);
	disk_fill(disk, 30);
	disk_close(disk, true);
	assert_true(disk_exists(disk, disk_segment(3)));
}

/* What one who only looks says of it. */
static enum journal_severity look(struct disk *disk, uint64_t *version)
{
	struct journal_view *view;
	struct journal_view_state state = {0};
	assert_int_equal(journal_view_open(disk->fs, "data", JOURNAL_VIEW_STILL, &view), ST_OK);
	enum journal_severity verdict = journal_view_verdict(view);
	if (journal_view_state(view, &state))
		*version = state.version;
	journal_view_free(view);
	return verdict;
}

/* Starts from it and goes on, and then once more. */
static void assert_recovers(struct disk *disk, uint64_t version)
{
	uint64_t seen = 0;
	look(disk, &seen);
	assert_int_equal(seen, version);
	assert_int_equal(disk_open(disk), ST_OK);
	assert_int_equal(disk->version, version);
	disk_fill(disk, version + 3);
	disk_close(disk, false);
	assert_int_equal(disk_open(disk), ST_OK);
	assert_int_equal(disk->version, version + 3);
	disk_close(disk, true);
	disk_fini(disk);
}

static void assert_refused(struct disk *disk)
{
	uint64_t seen;
	assert_true(look(disk, &seen) >= JOURNAL_DAMAGED);
	uint64_t writes = os_fs_fake_count(disk->fs, OS_FS_WRITE) +
			  os_fs_fake_count(disk->fs, OS_FS_TRUNCATE) +
			  os_fs_fake_count(disk->fs, OS_FS_UNLINK) + os_fs_fake_count(disk->fs, OS_FS_RENAME);
	assert_int_equal(disk_open(disk), ST_CORRUPT);
	assert_int_equal(disk_open(disk), ST_CORRUPT);
	assert_int_equal(
		os_fs_fake_count(disk->fs, OS_FS_WRITE) + os_fs_fake_count(disk->fs, OS_FS_TRUNCATE) +
			os_fs_fake_count(disk->fs, OS_FS_UNLINK) + os_fs_fake_count(disk->fs, OS_FS_RENAME),
		writes);
	disk_fini(disk);
}

static void test_no_damage(void **state)
{
	(void)state;
	struct disk disk;
	some_records(&disk, false);
	assert_recovers(&disk, 8);
	some_records(&disk, true);
	assert_recovers(&disk, 8);
	many_segments(&disk, 10, 20);
	assert_recovers(&disk, 30);
}

static void test_empty_file(void **state)
{
	(void)state;
	struct disk disk;
	some_records(&disk, false);
	disk_truncate(&disk, disk_segment(1), 0);
	assert_refused(&disk);
	some_records(&disk, false);
	disk_truncate(&disk, disk_snapshot_file(1), 0);
	assert_refused(&disk);
}

static void test_zeros(void **state)
{
	(void)state;
	static const char zeros[4096];
	struct disk disk;
	some_records(&disk, false);
	disk_write(&disk, disk_segment(1), 0, zeros, sizeof(zeros));
	assert_refused(&disk);
	/* In the middle: what follows proves that something was there. */
	some_records(&disk, false);
	disk_write(&disk, disk_segment(1), 200, zeros, 20);
	assert_refused(&disk);
	/* The last record: cannot be told from one that was never written. */
	some_records(&disk, false);
	uint64_t end = disk_end(&disk, 1);
	disk_write(&disk, disk_segment(1), end - 10, zeros, 10);
	assert_recovers(&disk, 7);
	/* After a clean end it can. */
	some_records(&disk, true);
	end = disk_end(&disk, 1) - JOURNAL__FRAME_SIZE;
	disk_write(&disk, disk_segment(1), end - 10, zeros, 10);
	assert_refused(&disk);
	some_records(&disk, false);
	disk_write(&disk, disk_snapshot_file(1), 90, zeros, 20);
	assert_refused(&disk);
}

/* The start of the last frame of a journal that was not sealed. */
static uint64_t last_frame(struct disk *disk, uint64_t *end)
{
	struct journal__scan scan;
	struct journal__frame frame;
	uint64_t start = 0, at = JOURNAL__HEADER_SIZE;
	assert_int_equal(journal__scan_open(disk->fs, disk_segment(1), &scan), ST_OK);
	while (journal__scan_frame(&scan, at, &frame) == ST_OK) {
		start = at;
		at = frame.end;
	}
	journal__scan_close(&scan);
	*end = at;
	return start;
}

static void test_torn_tail_at_each_byte_of_the_last_record(void **state)
{
	(void)state;
	uint64_t size = UINT64_MAX;
	for (uint64_t kept = 0; kept < size; kept++) {
		struct disk disk;
		uint64_t end;
		some_records(&disk, false);
		uint64_t start = last_frame(&disk, &end);
		size = end - start;
		disk_truncate(&disk, disk_segment(1), start + kept);
		assert_recovers(&disk, 7);
	}
	assert_true(size > 30);
}

static void test_torn_tail_with_zeros_behind_at_each_byte(void **state)
{
	(void)state;
	uint64_t size = UINT64_MAX;
	for (uint64_t kept = 0; kept < size; kept++) {
		struct disk disk;
		uint64_t end;
		some_records(&disk, false);
		uint64_t start = last_frame(&disk, &end);
		size = end - start;
		disk_truncate(&disk, disk_segment(1), start + kept);
		disk_truncate(&disk, disk_segment(1), 4096);
		assert_recovers(&disk, 7);
	}
}

/* One bit at each byte of everything but the last record: what was durable is gone, so it is refused. */
static void test_flipped_bit_in_header_body_and_checksum(void **state)
{
	(void)state;
	uint64_t last = UINT64_MAX;
	for (uint64_t offset = 0; offset < last; offset += 1 + offset / 200) {
		struct disk disk;
		uint64_t end;
		some_records(&disk, false);
		last = last_frame(&disk, &end);
		os_fs_fake_corrupt(disk.fs, disk_segment(1), offset, (unsigned char)(1u << (offset % 8)));
		assert_refused(&disk);
	}
}

static void test_flipped_bit_in_the_last_record(void **state)
{
	(void)state;
	uint64_t start = 0, end = UINT64_MAX;
	for (uint64_t offset = 0; start + offset < end; offset++) {
		struct disk disk;
		some_records(&disk, false);
		start = last_frame(&disk, &end);
		os_fs_fake_corrupt(disk.fs, disk_segment(1), start + offset, 0x10);
		assert_recovers(&disk, 7);
		/* With a seal behind it, it is known to have been durable. */
		some_records(&disk, true);
		os_fs_fake_corrupt(disk.fs, disk_segment(1), start + offset, 0x10);
		assert_refused(&disk);
	}
}

static void test_missing_middle_segment(void **state)
{
	(void)state;
	struct disk disk;
	many_segments(&disk, 5, 10);
	disk_remove(&disk, disk_segment(2));
	assert_refused(&disk);
}

static void test_missing_last_segment(void **state)
{
	(void)state;
	struct disk disk;
	many_segments(&disk, 5, 30); /* the snapshot tells what was there */
	uint64_t last = 1;
	while (disk_exists(&disk, disk_segment(last + 1)))
		last++;
	disk_remove(&disk, disk_segment(last));
	assert_refused(&disk);
}

static void test_missing_journal(void **state)
{
	(void)state;
	struct disk disk;
	some_records(&disk, true);
	disk_remove(&disk, disk_segment(1));
	assert_refused(&disk);
}

static void test_missing_snapshot(void **state)
{
	(void)state;
	struct disk disk;
	some_records(&disk, true);
	disk_remove(&disk, disk_snapshot_file(1));
	assert_refused(&disk);
}

static void test_snapshot_newer_than_journal(void **state)
{
	(void)state;
	struct disk disk;
	disk_init(&disk);
	disk.options.segment_size = 4096;
	assert_int_equal(disk_open(&disk), ST_OK);
	disk_fill(&disk, 5);
	disk_copy(&disk, disk_segment(1), "data/kept");
	disk_fill(&disk, 8);
	assert_int_equal(disk_snapshot(&disk), ST_OK);
	disk_close(&disk, false);
	disk_copy(&disk, "data/kept", disk_segment(1));
	assert_refused(&disk);
}

static void test_snapshot_older_than_journal(void **state)
{
	(void)state;
	struct disk disk;
	many_segments(&disk, 10, 20);
	disk_remove(&disk, disk_snapshot_file(20));
	disk_remove(&disk, disk_snapshot_file(10));
	assert_refused(&disk);
	/* Retired: the journal begins later than the snapshot that was put back. */
	disk_init(&disk);
	disk.options.history = 1;
	disk.options.snapshot_count = 1;
	assert_int_equal(disk_open(&disk), ST_OK);
	disk_copy(&disk, disk_snapshot_file(1), "data/kept");
	disk_fill(&disk, 30);
	assert_int_equal(disk_snapshot(&disk), ST_OK);
	assert_false(disk_exists(&disk, disk_segment(1)));
	disk_close(&disk, true);
	disk_copy(&disk, "data/kept", disk_snapshot_file(1));
	disk_remove(&disk, disk_snapshot_file(30));
	assert_refused(&disk);
}

static void test_two_snapshots(void **state)
{
	(void)state;
	struct disk disk;
	many_segments(&disk, 10, 20);
	assert_true(disk_exists(&disk, disk_snapshot_file(10)));
	assert_true(disk_exists(&disk, disk_snapshot_file(20)));
	assert_recovers(&disk, 30);
	/* The newer one is damaged, anywhere: the older one and more records give the same. */
	for (uint64_t offset = 0; offset < 200; offset += 7) {
		many_segments(&disk, 10, 20);
		os_fs_fake_corrupt(disk.fs, disk_snapshot_file(20), offset, 1);
		assert_recovers(&disk, 30);
	}
	many_segments(&disk, 10, 20);
	os_fs_fake_corrupt(disk.fs, disk_snapshot_file(20), 100, 1);
	os_fs_fake_corrupt(disk.fs, disk_snapshot_file(10), 100, 1);
	assert_refused(&disk);
}

static void test_leftover_temporary_files(void **state)
{
	(void)state;
	struct disk disk;
	some_records(&disk, true);
	disk_write(&disk, "data/journal.tmp", 0, "half", 4);
	disk_write(&disk, "data/snapshot.tmp", 0, "half", 4);
	disk_write(&disk, "data/notes of the operator", 0, "mine", 4);
	assert_int_equal(disk_open(&disk), ST_OK);
	assert_false(disk_exists(&disk, "data/journal.tmp"));
	assert_false(disk_exists(&disk, "data/snapshot.tmp"));
	assert_true(disk_exists(&disk, "data/notes of the operator"));
	disk_close(&disk, false);
	assert_recovers(&disk, 8);
}

static void set_format(struct disk *disk, const char *path)
{
	char header[JOURNAL__HEADER_SIZE];
	struct os_file *file;
	size_t got;
	assert_int_equal(disk->fs->open(disk->fs, path, OS_OPEN_READ, &file), ST_OK);
	assert_int_equal(disk->fs->read(file, 0, header, sizeof(header), &got), ST_OK);
	disk->fs->close(file);
	journal__put_u32(header + 8, JOURNAL__FORMAT + 1);
	journal__put_u32(header + 76, crc32c(0, (struct bytes){header, 76}));
	disk_write(disk, path, 0, header, sizeof(header));
}

static void test_journal_of_a_newer_format(void **state)
{
	(void)state;
	struct disk disk;
	some_records(&disk, true);
	set_format(&disk, disk_segment(1));
	assert_refused(&disk);
}

static void test_snapshot_of_a_newer_format(void **state)
{
	(void)state;
	struct disk disk;
	many_segments(&disk, 10, 20); /* no falling back: whoever wrote it wrote the rest, too */
	set_format(&disk, disk_snapshot_file(20));
	assert_int_equal(disk_open(&disk), ST_LIMIT);
	disk_fini(&disk);
}

static void test_segment_of_another_directory(void **state)
{
	(void)state;
	struct disk one, other;
	many_segments(&one, 5, 10);
	many_segments(&other, 5, 10);
	struct buffer content;
	buffer_init(&content, SIZE_MAX);
	assert_int_equal(os_fs_read_whole(other.fs, disk_segment(2), SIZE_MAX, &content), ST_OK);
	disk_write(&one, disk_segment(2), 0, buffer_get(&content).data, buffer_size(&content));
	buffer_fini(&content);
	assert_refused(&one);
	disk_fini(&other);
}

static void test_second_server(void **state)
{
	(void)state;
	struct disk disk;
	struct journal *second;
	disk_init(&disk);
	assert_int_equal(disk_open(&disk), ST_OK);
	assert_int_equal(journal_disk_open(&disk.options, &second), ST_BUSY);
	disk_fill(&disk, 4);
	disk_close(&disk, false);
	assert_recovers(&disk, 4);
}

/* ---- tails of more than one record ---- */

/* A group of unsynced records, of which only the later ones arrived. */
static void test_whole_records_behind_a_hole_that_was_never_durable(void **state)
{
	(void)state;
	static const char zeros[40];
	struct disk disk;
	some_records(&disk, false);
	assert_int_equal(disk_open(&disk), ST_OK);
	uint64_t hole = disk_end(&disk, 1);
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(disk_append(&disk), ST_OK);
	disk_close(&disk, false);
	disk_write(&disk, disk_segment(1), hole, zeros, sizeof(zeros));
	assert_recovers(&disk, 8);
}

/* The group goes on in another segment. */
static void test_tail_over_two_segments(void **state)
{
	(void)state;
	struct disk disk;
	disk_init(&disk);
	disk.options.write_at_append = true;
	assert_int_equal(disk_open(&disk), ST_OK);
	disk_fill(&disk, 3);
	uint64_t end = disk_end(&disk, 1);
	while (!disk_exists(&disk, disk_segment(3)))
		assert_int_equal(disk_append(&disk), ST_OK);
	disk_close(&disk, false);
	disk_write(&disk, disk_segment(1), end + 3, "hole", 4);
	assert_int_equal(disk_open(&disk), ST_OK);
	assert_false(disk_exists(&disk, disk_segment(3)));
	disk_close(&disk, false);
	assert_recovers(&disk, 3);
}

/* What is behind a segment's last record does not matter when the next one goes on from that. */
static void test_garbage_behind_a_segment_that_is_followed(void **state)
{
	(void)state;
	struct disk disk;
	many_segments(&disk, 5, 10);
	disk_write(&disk, disk_segment(2), disk_end(&disk, 2) + 5, "spoilt", 6);
	assert_recovers(&disk, 30);
}

static void test_checksum(void **state)
{
	(void)state;
	char bytes[300];
	assert_int_equal(crc32c(0, bytes_of("123456789")), 0xe3069283u);
	assert_int_equal(crc32c_portable(0, bytes_of("123456789")), 0xe3069283u);
	for (unsigned i = 0; i < sizeof(bytes); i++)
		bytes[i] = (char)(i * 7 + i / 3);
	for (unsigned i = 0; i < sizeof(bytes); i++) {
		struct bytes head = {bytes, i}, tail = {bytes + i, sizeof(bytes) - i};
		assert_int_equal(crc32c(crc32c(0, head), tail),
				 crc32c_portable(0, (struct bytes){bytes, sizeof(bytes)}));
		assert_int_equal(crc32c(5, tail), crc32c_portable(5, tail));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_damage),
		cmocka_unit_test(test_empty_file),
		cmocka_unit_test(test_zeros),
		cmocka_unit_test(test_torn_tail_at_each_byte_of_the_last_record),
		cmocka_unit_test(test_torn_tail_with_zeros_behind_at_each_byte),
		cmocka_unit_test(test_flipped_bit_in_header_body_and_checksum),
		cmocka_unit_test(test_flipped_bit_in_the_last_record),
		cmocka_unit_test(test_missing_middle_segment),
		cmocka_unit_test(test_missing_last_segment),
		cmocka_unit_test(test_missing_journal),
		cmocka_unit_test(test_missing_snapshot),
		cmocka_unit_test(test_snapshot_newer_than_journal),
		cmocka_unit_test(test_snapshot_older_than_journal),
		cmocka_unit_test(test_two_snapshots),
		cmocka_unit_test(test_leftover_temporary_files),
		cmocka_unit_test(test_journal_of_a_newer_format),
		cmocka_unit_test(test_snapshot_of_a_newer_format),
		cmocka_unit_test(test_segment_of_another_directory),
		cmocka_unit_test(test_second_server),
		cmocka_unit_test(test_whole_records_behind_a_hole_that_was_never_durable),
		cmocka_unit_test(test_tail_over_two_segments),
		cmocka_unit_test(test_garbage_behind_a_segment_that_is_followed),
		cmocka_unit_test(test_checksum),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
