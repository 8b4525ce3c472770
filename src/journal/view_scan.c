/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reading all that is whole in a data directory. A segment becomes fragments: the first from its header on,
 * and where that chain breaks, one for each place behind it at which whole frames follow each other again. A
 * fragment that goes on where the one before it ended, in the next segment, says so; a sequence of such is a
 * run.
 *
 *     journal.1  [ header  f f f f ####  f f f ]     fragments 0, 1         # damage
 *     journal.2  [ header  f f f f f f f f     ]     fragment 2, joins 1
 *
 * Behind damage a frame is believed for its checksum alone, anywhere (search.c).
 */
#include "base/memory.h"
#include "journal/view_internal.h"

#define FRAGMENTS_MAX 100000u

static bool follows(const struct journal__fragment *fragment, const struct journal__frame *frame)
{
	return frame->previous == fragment->checksum &&
	       frame->version == fragment->last_version + (frame->kind == JOURNAL__CHANGE);
}

static void prove(struct journal_view *view, uint64_t durable)
{
	if (durable > view->durable)
		view->durable = durable;
}

/* Goes on from the fragment's end as far as the chain leads. */
static enum status extend(struct journal_view *view, struct journal__view_file *file,
			  struct journal__fragment *fragment)
{
	struct journal__frame frame;
	enum status status;
	while ((status = journal__scan_frame(&file->scan, fragment->end, &frame)) == ST_OK &&
	       follows(fragment, &frame)) {
		prove(view, frame.durable);
		if (frame.durable > fragment->durable)
			fragment->durable = frame.durable;
		fragment->end = frame.end;
		fragment->checksum = frame.checksum;
		fragment->last_version = frame.version;
		if (fragment->from_header)
			file->told.sealed = frame.kind == JOURNAL__SEAL;
	}
	return status == ST_ABSENT ? ST_OK : status;
}

/* The fragments behind a break. */
static enum status search(struct journal_view *view, size_t index, uint64_t offset)
{
	struct journal__view_file *file = journal__view_segment(view, index);
	struct journal__search search;
	enum status status = journal__search_begin(&search, &file->scan, offset);
	while (status == ST_OK && view->fragments.length < FRAGMENTS_MAX) {
		struct journal__frame frame;
		status = journal__search_next(&search, &frame);
		if (status != ST_OK)
			break;
		struct journal__fragment *fragment = vector_push(&view->fragments);
		*fragment = (struct journal__fragment){
			.segment = index,
			.start = frame.offset,
			.end = frame.end,
			.checksum = frame.checksum,
			.first_version = frame.version + (frame.kind == JOURNAL__SEAL),
			.last_version = frame.version,
			.durable = frame.durable,
		};
		prove(view, frame.durable);
		status = extend(view, file, fragment);
		search.offset = fragment->end;
	}
	file->gave_up = search.budget == 0 && search.offset < file->scan.size;
	return status == ST_ABSENT ? ST_OK : status;
}

static bool joins(const struct journal_view *view, const struct journal__header *header)
{
	if (view->fragments.length == 0)
		return false;
	const struct journal__fragment *before = journal__view_fragment(view, view->fragments.length - 1);
	const struct journal__header *other = &journal__view_segment(view, before->segment)->header;
	return header->number == other->number + 1 && header->previous == before->checksum &&
	       header->base == other->base + before->end && header->first_version == before->last_version + 1;
}

static enum status read_header(struct journal_view *view, struct journal__view_file *file)
{
	struct bytes in;
	enum status status = journal__scan_bytes(&file->scan, 0, JOURNAL__HEADER_SIZE, &in);
	if (status != ST_OK)
		return status;
	file->header_status = journal__header_parse(in, &file->header);
	if (file->header_status != ST_OK)
		return ST_OK;
	if (view->directory == 0)
		view->directory = file->header.directory;
	file->told.has_header = file->header.number == file->told.number &&
				file->header.directory == view->directory && file->header.first_version > 0;
	return ST_OK;
}

static enum status scan_segment(struct journal_view *view, size_t index)
{
	struct journal__view_file *file = journal__view_segment(view, index);
	enum status status = read_header(view, file);
	if (status != ST_OK || !file->told.has_header)
		return status;
	prove(view, file->header.durable);
	bool is_joined = joins(view, &file->header);
	struct journal__fragment *fragment = vector_push(&view->fragments);
	*fragment = (struct journal__fragment){
		.segment = index,
		.start = JOURNAL__HEADER_SIZE,
		.end = JOURNAL__HEADER_SIZE,
		.checksum = file->header.checksum,
		.first_version = file->header.first_version,
		.last_version = file->header.first_version - 1,
		.durable = file->header.durable,
		.from_header = true,
		.joins = is_joined,
	};
	status = extend(view, file, fragment);
	file->told.first_version = fragment->first_version;
	file->told.last_version = fragment->last_version;
	file->told.end = fragment->end;
	uint64_t rest = fragment->end;
	if (status == ST_OK)
		status = journal__scan_zeros(&file->scan, &rest);
	if (status != ST_OK || rest == file->scan.size)
		return status;
	file->told.has_more = true;
	file->told.sealed = false;
	status = search(view, index, file->told.end);
	/* What is behind the last whole record, in the end. */
	rest = journal__view_fragment(view, view->fragments.length - 1)->end;
	uint64_t end = rest;
	if (status == ST_OK)
		status = journal__scan_zeros(&file->scan, &rest);
	file->rest = rest < file->scan.size ? end : 0;
	return status;
}

static enum status scan_snapshot(struct journal__view_shot *shot)
{
	struct bytes block;
	uint64_t blocks = 0;
	if (shot->reader == NULL)
		return ST_OK;
	while ((shot->status = journal_snapshot_next(shot->reader, &block)) == ST_OK)
		blocks++;
	if (shot->status == ST_ABSENT) {
		shot->status = ST_OK;
		shot->told.is_whole = true;
	}
	return shot->status == ST_CORRUPT ? ST_OK : shot->status;
}

enum status journal__view_scan(struct journal_view *view)
{
	enum status status = ST_OK;
	for (size_t i = 0; i < view->snapshots.length && status == ST_OK; i++)
		status = scan_snapshot(journal__view_shot(view, i));
	for (size_t i = 0; i < view->segments.length && status == ST_OK; i++) {
		status = scan_segment(view, i);
		/* Only the one that is read has memory. */
		buffer_clear(&journal__view_segment(view, i)->scan.window, 0);
	}
	return status;
}
