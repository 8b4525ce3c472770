/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Recovery: how far the journal is whole, and whether what follows is a tail or damage.
 *
 * The segments are read as one chain of frames: each names the checksum of the one before it, changes have
 * consecutive versions, a segment's header names where the one before it ended. Where the chain breaks, the
 * place is compared to the highest durable end that anything proves, before and behind the break: frames and
 * headers say up to where all was durable when they were written.
 *
 *     break at or beyond the highest durable end     a tail: what a power cut leaves of writes that were
 * never synced, in any order. Whole frames behind it depend on what is lost, so they go with it: it is cut
 * off. break below it, a gap, a broken header         damage: durable changes are lost. Refused; nothing is
 *                                                    changed.
 *
 * Headers are synced before a segment gets its name, so a power cut never breaks one. The last frames of a
 * crashed server prove nothing about themselves: damage in them cannot be told from a tail.
 */
#include <inttypes.h>
#include "base/assert.h"
#include "base/log.h"
#include "journal/internal.h"

/* Where the chain breaks. */
struct damage {
	bool is_there;
	size_t index;	 /* of the segment */
	uint64_t offset; /* in it */
	const char *why;
};

struct recovery {
	struct journal_disk *disk;
	const struct vector *numbers; /* of the segments in the directory, ascending */
	uint64_t durable;	      /* the highest durable end so far; a position */
	struct damage damage;
	/* What is behind the last whole record of the segment before; no damage if the next one goes on from
	 * that record. */
	struct damage rest;
};

static void break_at(struct recovery *recovery, size_t index, uint64_t offset, const char *why)
{
	if (!recovery->damage.is_there)
		recovery->damage = (struct damage){true, index, offset, why};
}

static void break_at_rest(struct recovery *recovery)
{
	if (recovery->rest.is_there)
		break_at(recovery, recovery->rest.index, recovery->rest.offset, recovery->rest.why);
	recovery->rest.is_there = false;
}

static void prove(struct recovery *recovery, uint64_t durable)
{
	if (durable > recovery->durable)
		recovery->durable = durable;
}

static bool follows(const struct journal__segment *segment, const struct journal__frame *frame)
{
	uint64_t version = segment->last_version + (frame->kind == JOURNAL__CHANGE);
	return frame->previous == segment->checksum && frame->version == version;
}

/* Follows the chain through one segment. */
static enum status scan_chain(struct recovery *recovery, struct journal__scan *scan,
			      struct journal__segment *segment)
{
	struct journal__frame frame;
	enum status status;
	while ((status = journal__scan_frame(scan, segment->end, &frame)) == ST_OK) {
		if (!follows(segment, &frame))
			return ST_OK;
		prove(recovery, frame.durable);
		segment->end = frame.end;
		segment->checksum = frame.checksum;
		if (frame.kind == JOURNAL__CHANGE)
			segment->last_version = frame.version;
	}
	return status == ST_ABSENT ? ST_OK : status;
}

/* Looks for whole frames anywhere from `offset` on, for what they prove. */
static enum status search_frames(struct recovery *recovery, const char *path, struct journal__scan *scan,
				 uint64_t offset)
{
	struct journal__search search;
	struct journal__frame frame;
	enum status status = journal__search_begin(&search, scan, offset);
	while (status == ST_OK && (status = journal__search_next(&search, &frame)) == ST_OK)
		prove(recovery, frame.durable);
	if (status != ST_ABSENT)
		return status;
	if (search.budget > 0 || search.offset >= scan->size)
		return ST_OK;
	log_error("%s: damaged at offset %" PRIu64 ": too much that looks like records", path, offset);
	return ST_CORRUPT;
}

static enum status read_header(struct recovery *recovery, const char *path, struct journal__scan *scan,
			       uint64_t number, struct journal__header *header)
{
	struct journal_disk *disk = recovery->disk;
	struct bytes in;
	enum status status = journal__scan_bytes(scan, 0, JOURNAL__HEADER_SIZE, &in);
	if (status == ST_OK)
		status = journal__header_decode(path, in, header);
	if (status != ST_OK)
		return status;
	if (disk->directory == 0)
		disk->directory = header->directory;
	if (header->number == number && header->directory == disk->directory)
		return ST_OK;
	log_error("%s: damaged at offset 0: it is segment %" PRIu64 " of %s data directory", path,
		  header->number, header->directory == disk->directory ? "this" : "another");
	return ST_CORRUPT;
}

static bool joins(const struct journal__segment *before, const struct journal__header *header)
{
	return header->number == before->header.number + 1 && header->previous == before->checksum &&
	       header->base == before->header.base + before->end &&
	       header->first_version == before->last_version + 1;
}

static enum status scan_segment(struct recovery *recovery, size_t index, const char *path,
				struct journal__scan *scan)
{
	struct journal_disk *disk = recovery->disk;
	uint64_t number = *(uint64_t *)vector_at(recovery->numbers, index);
	struct journal__header header;
	enum status status = read_header(recovery, path, scan, number, &header);
	if (status != ST_OK)
		return status;
	prove(recovery, header.durable);
	bool goes_on = index > 0 && joins(journal__segment_at(disk, index - 1), &header);
	if (goes_on)
		recovery->rest.is_there = false;
	break_at_rest(recovery);
	if (index > 0 && !goes_on)
		break_at(recovery, index - 1, journal__segment_at(disk, index - 1)->end,
			 "the next segment does not go on from here");
	struct journal__segment *segment = vector_push(&disk->segments);
	*segment = (struct journal__segment){.header = header,
					     .end = JOURNAL__HEADER_SIZE,
					     .last_version = header.first_version - 1,
					     .checksum = header.checksum};
	if (!recovery->damage.is_there)
		status = scan_chain(recovery, scan, segment);
	if (status != ST_OK)
		return status;
	uint64_t rest = segment->end;
	status = journal__scan_zeros(scan, &rest);
	if (status != ST_OK || rest == scan->size)
		return status;
	recovery->rest = (struct damage){true, index, segment->end, "no whole record begins here"};
	return search_frames(recovery, path, scan, segment->end);
}

static enum status scan_segments(struct recovery *recovery)
{
	enum status status = ST_OK;
	for (size_t i = 0; i < recovery->numbers->length && status == ST_OK; i++) {
		char path[JOURNAL__PATH_SIZE];
		struct journal__scan scan;
		journal__segment_path(recovery->disk, *(uint64_t *)vector_at(recovery->numbers, i), path);
		status = journal__scan_open(recovery->disk->fs, path, &scan);
		if (status != ST_OK) {
			log_error("%s: cannot be read: %s", path, status_name(status));
			return status;
		}
		status = scan_segment(recovery, i, path, &scan);
		journal__scan_close(&scan);
	}
	break_at_rest(recovery);
	return status;
}

/* The segment that the whole part ends in. */
static struct journal__segment *end_segment(const struct recovery *recovery)
{
	return recovery->damage.is_there ? journal__segment_at(recovery->disk, recovery->damage.index)
					 : journal__last_segment(recovery->disk);
}

static enum status judge(const struct recovery *recovery, uint64_t snapshot_version)
{
	const struct journal__segment *end = end_segment(recovery);
	const struct damage *damage = &recovery->damage;
	const struct journal__segment *first = journal__segment_at(recovery->disk, 0);
	char path[JOURNAL__PATH_SIZE];
	journal__segment_path(recovery->disk, end->header.number, path);
	if (recovery->durable > end->header.base + end->end) {
		log_error("%s: damaged at offset %" PRIu64 ": %s, and %" PRIu64
			  " bytes from here on were durable",
			  path, end->end,
			  damage->is_there ? damage->why : "the record that belongs here is missing",
			  recovery->durable - end->header.base - end->end);
		return ST_CORRUPT;
	}
	if (snapshot_version > end->last_version) {
		log_error("%s: damaged at offset %" PRIu64 ": it ends with version %" PRIu64
			  ", but there is a snapshot of version %" PRIu64,
			  path, end->end, end->last_version, snapshot_version);
		return ST_CORRUPT;
	}
	if (first->header.first_version > snapshot_version + 1) {
		journal__segment_path(recovery->disk, first->header.number, path);
		log_error("%s: begins with version %" PRIu64
			  ", but the newest whole snapshot is of version %" PRIu64,
			  path, first->header.first_version, snapshot_version);
		return ST_CORRUPT;
	}
	return ST_OK;
}

static enum status truncate_segment(struct journal_disk *disk, const char *path, uint64_t size)
{
	struct os_file *file;
	enum status status = disk->fs->open(disk->fs, path, OS_OPEN_UPDATE, &file);
	if (status != ST_OK)
		return status;
	status = disk->fs->truncate(file, size);
	if (status == ST_OK)
		status = disk->fs->sync(file);
	disk->fs->close(file);
	return status;
}

/* Newest first, and each for good, so that a crash meanwhile leaves a tail that is found again. */
static enum status cut(struct recovery *recovery)
{
	struct journal_disk *disk = recovery->disk;
	char path[JOURNAL__PATH_SIZE];
	enum status status = ST_OK;
	while (disk->segments.length > recovery->damage.index + 1 && status == ST_OK) {
		journal__segment_path(disk, journal__last_segment(disk)->header.number, path);
		log_warning("%s: removed, as part of a tail that was never durable", path);
		status = disk->fs->unlink(disk->fs, path);
		if (status == ST_OK)
			status = disk->fs->sync_dir(disk->fs, disk->dir);
		vector_pop(&disk->segments);
	}
	const struct journal__segment *end = journal__last_segment(disk);
	journal__segment_path(disk, end->header.number, path);
	log_warning("%s: cut at offset %" PRIu64 ", a tail that was never durable: %s", path, end->end,
		    recovery->damage.why);
	if (status == ST_OK)
		status = truncate_segment(disk, path, end->end);
	disk->needs_segment = true;
	return status;
}

enum status journal__recover(struct journal_disk *disk, const struct vector *numbers,
			     uint64_t snapshot_version)
{
	ASSERT(numbers->length > 0);
	struct recovery recovery = {.disk = disk, .numbers = numbers};
	enum status status = scan_segments(&recovery);
	if (status == ST_OK)
		status = judge(&recovery, snapshot_version);
	if (status == ST_OK && recovery.damage.is_there)
		status = cut(&recovery);
	disk->durable = recovery.durable;
	return status;
}
