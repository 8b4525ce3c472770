/* SPDX-License-Identifier: BSD-3-Clause */
#include "journal/helper_disk_file.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "journal/internal.h"

void disk_init(struct disk *disk)
{
	*disk = (struct disk){.fs = os_fs_fake_new()};
	disk->options = (struct journal_disk_options){
		.fs = disk->fs, .dir = "data", .segment_size = 1024, .snapshot_count = 2, .history = 5};
}

void disk_fini(struct disk *disk)
{
	disk_close(disk, false);
	os_fs_fake_free(disk->fs);
}

static size_t record_text(uint64_t version, char text[100])
{
	int size = snprintf(text, 100, "record of version %" PRIu64 " %.*s", version, (int)(version % 50),
			    "..................................................");
	return (size_t)size;
}

static enum status check_record(void *arg, const struct journal_record *record)
{
	uint64_t *expected = arg;
	char text[100];
	if (*expected == 0)
		*expected = record->version;
	assert_int_equal(record->version, *expected);
	assert_int_equal(record->payload.size, record_text(record->version, text));
	assert_memory_equal(record->payload.data, text, record->payload.size);
	++*expected;
	return ST_OK;
}

static void check_snapshot(struct disk *disk)
{
	struct journal_snapshot_reader *reader;
	struct journal_snapshot snapshot;
	struct bytes block;
	char text[100];
	assert_int_equal(journal_disk_load(disk->journal, &reader, &snapshot), ST_OK);
	size_t size = record_text(snapshot.version, text);
	assert_true(bytes_equal(snapshot.head, (struct bytes){text, size}));
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(journal_snapshot_next(reader, &block), ST_OK);
		assert_true(bytes_equal(block, (struct bytes){text, size}));
	}
	assert_int_equal(journal_snapshot_next(reader, &block), ST_ABSENT);
	journal_snapshot_reader_free(reader);
}

enum status disk_open(struct disk *disk)
{
	enum status status = journal_disk_open(&disk->options, &disk->journal);
	if (status != ST_OK) {
		disk->journal = NULL;
		return status;
	}
	disk->version = journal_disk_version(disk->journal);
	if (journal_disk_is_new(disk->journal)) {
		disk->version = 1;
		status = disk_snapshot(disk);
	} else {
		uint64_t next = 0;
		check_snapshot(disk);
		assert_int_equal(journal_disk_replay(disk->journal, check_record, &next), ST_OK);
		assert_true(next == 0 || next == disk->version + 1);
	}
	if (status == ST_OK)
		status = journal_disk_start(disk->journal);
	if (status != ST_OK)
		disk_close(disk, false);
	return status;
}

void disk_close(struct disk *disk, bool seal)
{
	if (disk->journal == NULL)
		return;
	if (seal)
		assert_int_equal(journal_disk_seal(disk->journal), ST_OK);
	disk->journal->ops->close(disk->journal);
	disk->journal = NULL;
}

enum status disk_append(struct disk *disk)
{
	char text[100];
	uint64_t segment;
	size_t size = record_text(disk->version + 1, text);
	enum status status = disk->journal->ops->reserve(disk->journal, size, &segment);
	if (status != ST_OK)
		return status;
	disk->version++;
	const struct bytes piece = {text, size};
	disk->journal->ops->append(disk->journal, disk->version, (struct journal_payload){&piece, 1});
	return ST_OK;
}

enum status disk_sync(struct disk *disk)
{
	uint64_t version;
	enum status status = disk->journal->ops->sync(disk->journal, &version);
	if (status == ST_OK)
		assert_int_equal(version, disk->version);
	return status;
}

enum status disk_snapshot(struct disk *disk)
{
	struct journal_snapshot_writer *writer;
	char text[100];
	struct bytes bytes = {text, record_text(disk->version, text)};
	enum status status = journal_snapshot_begin(disk->journal, disk->version, bytes, &writer);
	if (status != ST_OK)
		return status;
	for (unsigned i = 0; i < 3 && status == ST_OK; i++)
		status = journal_snapshot_write(writer, bytes);
	if (status == ST_OK)
		return journal_snapshot_finish(writer);
	journal_snapshot_abort(writer);
	return status;
}

void disk_fill(struct disk *disk, uint64_t version)
{
	while (disk->version < version) {
		assert_int_equal(disk_append(disk), ST_OK);
		assert_int_equal(disk_sync(disk), ST_OK);
	}
}

const char *disk_segment(uint64_t number)
{
	static char paths[4][32]; /* a few at a time */
	char *path = paths[number % 4];
	snprintf(path, sizeof(paths[0]), "data/journal.%08" PRIu64, number);
	return path;
}

const char *disk_snapshot_file(uint64_t version)
{
	static char paths[8][48];
	char *path = paths[version % 8];
	snprintf(path, sizeof(paths[0]), "data/snapshot.%020" PRIu64, version);
	return path;
}

static struct os_file *open_file(struct disk *disk, const char *path, enum os_open_mode mode)
{
	struct os_file *file;
	assert_int_equal(disk->fs->open(disk->fs, path, mode, &file), ST_OK);
	return file;
}

uint64_t disk_size(struct disk *disk, const char *path)
{
	uint64_t size;
	struct os_file *file = open_file(disk, path, OS_OPEN_READ);
	assert_int_equal(disk->fs->size(file, &size), ST_OK);
	disk->fs->close(file);
	return size;
}

bool disk_exists(struct disk *disk, const char *path)
{
	struct os_file *file;
	enum status status = disk->fs->open(disk->fs, path, OS_OPEN_READ, &file);
	if (status == ST_OK)
		disk->fs->close(file);
	return status == ST_OK;
}

void disk_write(struct disk *disk, const char *path, uint64_t offset, const void *data, size_t size)
{
	struct os_file *file = open_file(disk, path, OS_OPEN_CREATE);
	assert_int_equal(disk->fs->write(file, offset, (struct bytes){data, size}), ST_OK);
	disk->fs->close(file);
}

void disk_truncate(struct disk *disk, const char *path, uint64_t size)
{
	struct os_file *file = open_file(disk, path, OS_OPEN_UPDATE);
	assert_int_equal(disk->fs->truncate(file, size), ST_OK);
	disk->fs->close(file);
}

void disk_remove(struct disk *disk, const char *path)
{
	assert_int_equal(disk->fs->unlink(disk->fs, path), ST_OK);
}

void disk_copy(struct disk *disk, const char *from, const char *to)
{
	struct buffer content;
	buffer_init(&content, SIZE_MAX);
	assert_int_equal(os_fs_read_whole(disk->fs, from, SIZE_MAX, &content), ST_OK);
	disk_write(disk, to, 0, buffer_get(&content).data, buffer_size(&content));
	buffer_fini(&content);
}

uint64_t disk_end(struct disk *disk, uint64_t segment)
{
	struct journal__scan scan;
	struct journal__frame frame;
	uint64_t end = JOURNAL__HEADER_SIZE;
	assert_int_equal(journal__scan_open(disk->fs, disk_segment(segment), &scan), ST_OK);
	while (journal__scan_frame(&scan, end, &frame) == ST_OK)
		end = frame.end;
	journal__scan_close(&scan);
	return end;
}
