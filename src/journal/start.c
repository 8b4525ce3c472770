/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The start of a journal that was opened, and found whole up to its end: what it has becomes durable, and
 * appending goes on behind it.
 *
 *     open (disk.c, recover.c)  ->  start: open segments, write again, sync  ->  reserve, append, sync
 */
#include <string.h>
#include "base/log.h"
#include "journal/internal.h"

#define AGAIN_SIZE ((size_t)1 << 20) /* bytes that are read and written at a time */

/* How far the last segment may be written. What it seems to have beyond that may be a hole: a file that was
 * copied, or made by others, for which the disk need not have the room. */
static enum status find_room(struct journal_disk *disk, const struct journal__segment *segment)
{
	uint64_t size,
		most = disk->options.segment_size > segment->end ? disk->options.segment_size : segment->end;
	enum status status = disk->fs->size(segment->file, &size);
	if (status != ST_OK)
		return status;
	disk->capacity = size < most ? size : most;
	status = disk->fs->preallocate(segment->file, journal__tail_room(disk->capacity));
	if (status == ST_LIMIT)
		disk->capacity = segment->end;
	return status == ST_LIMIT ? ST_OK : status;
}

/* What is in the block where appending goes on. */
static enum status read_tail(struct journal_disk *disk, const struct journal__segment *segment)
{
	char block[OS_BLOCK_SIZE];
	size_t size = segment->end % OS_BLOCK_SIZE, got = 0;
	enum status status = disk->fs->read(segment->file, segment->end - size, block, size, &got);
	if (status == ST_OK && got < size)
		status = ST_IO;
	if (status == ST_OK)
		journal__tail_begin(&disk->tail, segment->end, block);
	return status;
}

/* Writes what is not proven to be durable once more, the same bytes. It may be in the system's cache only,
 * and count as written there: a sync that failed says so once, and the next one, of another process, may find
 * nothing to do. */
static enum status write_again(struct journal_disk *disk, const struct journal__segment *segment)
{
	uint64_t base = segment->header.base, offset = disk->durable > base ? disk->durable - base : 0;
	struct buffer bytes;
	enum status status = ST_OK;
	buffer_init(&bytes, SIZE_MAX);
	while (offset < segment->end && status == ST_OK) {
		size_t left = (size_t)(segment->end - offset), size = left < AGAIN_SIZE ? left : AGAIN_SIZE;
		size_t got = 0;
		buffer_clear(&bytes, AGAIN_SIZE);
		status = disk->fs->read(segment->file, offset, buffer_reserve(&bytes, size), size, &got);
		if (status == ST_OK && got < size)
			status = ST_IO;
		if (status != ST_OK)
			break;
		buffer_commit(&bytes, size);
		status = disk->fs->write(segment->file, offset, buffer_get(&bytes));
		offset += size;
	}
	buffer_fini(&bytes);
	return status;
}

/* Opens the segments that hold what is not proven to be durable, and the last one. */
static enum status open_segments(struct journal_disk *disk)
{
	enum status status = ST_OK;
	for (size_t i = 0; i < disk->segments.length && status == ST_OK; i++) {
		struct journal__segment *segment = journal__segment_at(disk, i);
		bool is_last = i + 1 == disk->segments.length;
		if (segment->file != NULL || (!is_last && journal__segment_end(segment) <= disk->durable))
			continue;
		char path[JOURNAL__PATH_SIZE];
		journal__segment_path(disk, segment->header.number, path);
		status = disk->fs->open(disk->fs, path, OS_OPEN_UPDATE, &segment->file);
		if (status == ST_OK)
			status = write_again(disk, segment);
		if (status == ST_OK && is_last)
			status = find_room(disk, segment);
		if (status == ST_OK && is_last)
			status = read_tail(disk, segment);
	}
	return status;
}

enum status journal_disk_start(struct journal *journal)
{
	struct journal_disk *disk = journal__of(journal);
	uint64_t version;
	/* After a crash of the process nobody has synced what it wrote last. */
	enum status status = open_segments(disk);
	if (status == ST_OK)
		status = disk->fs->sync_dir(disk->fs, disk->dir);
	if (status == ST_OK)
		status = journal->ops->sync(journal, &version);
	disk->synced = disk->syncs = 0; /* what the log says at the end is about the time from here on */
	const struct journal__header *last = &journal__last_segment(disk)->header;
	bool is_same = memcmp(last->fingerprint, disk->options.fingerprint, JOURNAL_FINGERPRINT_SIZE) == 0 &&
		       last->format == JOURNAL__FORMAT;
	if (status == ST_OK && (!is_same || disk->needs_segment))
		status = journal__new_segment(disk, 0);
	if (status != ST_OK)
		log_error("%s: cannot be written: %s", disk->dir, status_name(status));
	return status;
}
