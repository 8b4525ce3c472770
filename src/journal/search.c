/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The search for whole frames behind a break in a segment: each byte may be the first of one, and is believed
 * for its checksum alone. Where bytes look like the head of a frame, the payload that they claim is read to
 * see, so the bytes that may be read in vain are limited to a multiple of what the file holds: a hostile file
 * costs no more than some passes over it. Holes are passed over and are no part of that: a file of a terabyte
 * of which a few pages were written is looked through in the time that those take.
 */
#include "journal/internal.h"

#define FACTOR 256u		   /* times the data of a segment that a search may read in vain */
#define LEAST ((uint64_t)64 << 20) /* bytes */

static enum status count_data(struct journal__scan *scan, uint64_t offset, uint64_t *count)
{
	*count = 0;
	while (offset < scan->size) {
		uint64_t start, end;
		enum status status = scan->file->fs->find_data(scan->file, offset, &start, &end);
		if (status != ST_OK)
			return status;
		*count += end - start;
		offset = end > offset ? end : scan->size;
	}
	return ST_OK;
}

enum status journal__search_begin(struct journal__search *search, struct journal__scan *scan, uint64_t offset)
{
	uint64_t data;
	enum status status = count_data(scan, offset, &data);
	if (status != ST_OK)
		return status;
	*search = (struct journal__search){scan, offset, LEAST + FACTOR * data};
	return ST_OK;
}

/* What it took to see that none begins there; `frame` has what was read of its head. */
static uint64_t cost_of(const struct journal__scan *scan, const struct journal__frame *frame)
{
	bool was_read = (frame->kind == JOURNAL__CHANGE || frame->kind == JOURNAL__SEAL) &&
			frame->payload.size < scan->size;
	return was_read ? frame->payload.size + 1 : 1;
}

enum status journal__search_next(struct journal__search *search, struct journal__frame *frame)
{
	struct journal__scan *scan = search->scan;
	while (search->offset < scan->size && search->budget > 0) {
		*frame = (struct journal__frame){0};
		enum status status = journal__scan_frame(scan, search->offset, frame);
		if (status == ST_OK)
			search->offset = frame->end;
		if (status != ST_ABSENT)
			return status;
		uint64_t cost = cost_of(scan, frame), next = search->offset + 1;
		search->budget -= cost < search->budget ? cost : search->budget;
		search->offset = next;
		status = journal__scan_zeros(scan, &search->offset);
		if (status != ST_OK)
			return status;
		/* A frame begins with its checksum, whose first bytes may be zero. */
		if (search->offset < scan->size)
			search->offset = search->offset >= next + 3 ? search->offset - 3 : next;
	}
	return ST_ABSENT;
}
