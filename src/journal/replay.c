/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reading records back: all of them at the start, one or a segment later, for the history. The files are read
 * by their names, so neither the writer nor the sync thread is in the way. What is read was checked by
 * recovery, or written since, so a record that is not whole here is damage.
 */
#include <inttypes.h>
#include "base/log.h"
#include "journal/internal.h"

typedef enum status record_visit(void *arg, const struct journal_record *record);

/* A copy of a segment's bounds, so that the mutex is not held while reading. */
static bool find_segment(struct journal_disk *disk, uint64_t number, struct journal__segment *found)
{
	pthread_mutex_lock(&disk->mutex);
	uint64_t first = journal__segment_at(disk, 0)->header.number;
	bool is_there = number >= first && number - first < disk->segments.length;
	if (is_there)
		*found = *journal__segment_at(disk, number - first);
	pthread_mutex_unlock(&disk->mutex);
	return is_there;
}

static enum status open_segment(struct journal_disk *disk, uint64_t number, struct journal__segment *segment,
				struct journal__scan *scan)
{
	char path[JOURNAL__PATH_SIZE];
	if (!find_segment(disk, number, segment))
		return ST_ABSENT;
	journal__segment_path(disk, number, path);
	return journal__scan_open(disk->fs, path, scan);
}

static enum status damaged(const struct journal_disk *disk, uint64_t number, uint64_t offset)
{
	char path[JOURNAL__PATH_SIZE];
	journal__segment_path(disk, number, path);
	log_error("%s: damaged at offset %" PRIu64 ": no whole record begins here", path, offset);
	return ST_CORRUPT;
}

/* Visits the records of a segment that begin before `end`. */
static enum status visit_segment(struct journal_disk *disk, const struct journal__segment *segment,
				 struct journal__scan *scan, uint64_t end, record_visit *visit, void *arg)
{
	enum status status = ST_OK;
	for (uint64_t offset = JOURNAL__HEADER_SIZE; offset < end && status == ST_OK;) {
		struct journal__frame frame;
		status = journal__scan_frame(scan, offset, &frame);
		if (status == ST_ABSENT)
			return damaged(disk, segment->header.number, offset);
		if (status != ST_OK)
			return status;
		offset = frame.end;
		struct journal_record record = {
			.version = frame.version,
			.location = {segment->header.number, frame.offset, frame.payload.size},
			.fingerprint = segment->header.fingerprint,
			.payload = frame.payload,
		};
		if (frame.kind == JOURNAL__CHANGE)
			status = visit(arg, &record);
	}
	return status;
}

enum status journal_disk_read_segment(struct journal *journal, uint64_t number, uint64_t end,
				      record_visit *visit, void *arg)
{
	struct journal_disk *disk = journal__of(journal);
	struct journal__segment segment;
	struct journal__scan scan;
	enum status status = open_segment(disk, number, &segment, &scan);
	if (status != ST_OK)
		return status;
	status = visit_segment(disk, &segment, &scan, end < segment.end ? end + 1 : segment.end, visit, arg);
	journal__scan_close(&scan);
	return status;
}

enum status journal_disk_replay(struct journal *journal, record_visit *visit, void *arg)
{
	struct journal_disk *disk = journal__of(journal);
	uint64_t first = journal__segment_at(disk, 0)->header.number,
		 last = journal__last_segment(disk)->header.number;
	enum status status = ST_OK;
	for (uint64_t number = first; number <= last && status == ST_OK; number++)
		status = journal_disk_read_segment(journal, number, UINT64_MAX, visit, arg);
	return status;
}

enum status journal_disk_read(struct journal *journal, const struct journal_location *location,
			      struct buffer *payload)
{
	struct journal_disk *disk = journal__of(journal);
	struct journal__segment segment;
	struct journal__scan scan;
	struct journal__frame frame;
	enum status status = open_segment(disk, location->segment, &segment, &scan);
	if (status != ST_OK)
		return status;
	status = journal__scan_frame(&scan, location->offset, &frame);
	if (status == ST_ABSENT)
		status = damaged(disk, location->segment, location->offset);
	if (status == ST_OK)
		status = buffer_append(payload, frame.payload);
	journal__scan_close(&scan);
	return status;
}
