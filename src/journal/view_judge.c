/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What was read, judged as recovery (recover.c) would: the records are one chain, a break at or beyond the
 * highest durable end that anything proves is a tail, below it damage. But where recovery stops at the first
 * fault, all of them are told here, and the state is looked for beyond them: a snapshot is whole by itself,
 * so records behind damage count again from one on that is newer than the damage.
 */
#include <inttypes.h>
#include <stdio.h>
#include "journal/view_internal.h"

#define NO_INDEX SIZE_MAX

static uint64_t position_of(const struct journal_view *view, size_t segment, uint64_t offset)
{
	return journal__view_segment(view, segment)->header.base + offset;
}

/* The newest whole snapshot; NO_INDEX: none. */
static size_t newest_whole(const struct journal_view *view)
{
	for (size_t i = view->snapshots.length; i > 0; i--) {
		if (journal__view_shot(view, i - 1)->told.is_whole)
			return i - 1;
	}
	return NO_INDEX;
}

/* ---- files ---- */

static void judge_snapshot(struct journal_view *view, struct journal__view_shot *shot)
{
	const char *name = shot->told.name;
	if (shot->status == ST_LIMIT)
		journal_view_add(view, JOURNAL_NEWER, name, 8, "%s", shot->fault.what);
	else if (shot->status != ST_OK)
		journal_view_add(view, JOURNAL_DAMAGED, name, shot->fault.offset, "%s", shot->fault.what);
	else if (view->directory != 0 && shot->directory != view->directory)
		journal_view_add(view, JOURNAL_DAMAGED, name, 40, "it is of another data directory");
	if (view->directory != 0 && shot->directory != view->directory)
		shot->told.is_whole = false;
}

static void judge_header(struct journal_view *view, const struct journal__view_file *file)
{
	if (file->told.has_header)
		return;
	const struct journal__header *header = &file->header;
	if (file->header_status == ST_LIMIT)
		journal_view_add(view, JOURNAL_NEWER, file->told.name, 8,
				 "it is of a newer format than this version reads");
	else if (file->header_status != ST_OK)
		journal_view_add(view, JOURNAL_DAMAGED, file->told.name, 0, "no whole header");
	else if (header->directory != view->directory)
		journal_view_add(view, JOURNAL_DAMAGED, file->told.name, 64,
				 "it is of another data directory");
	else
		journal_view_add(view, JOURNAL_DAMAGED, file->told.name, 16, "it is segment %" PRIu64,
				 header->number);
}

static void mark_left_over(struct journal_view *view, size_t snapshot)
{
	uint64_t first = snapshot != NO_INDEX ? journal__view_shot(view, snapshot)->first_segment : 0;
	for (size_t i = 0; i < view->segments.length; i++) {
		struct journal__view_file *file = journal__view_segment(view, i);
		file->told.is_left_over = file->told.number < first;
		if (file->told.is_left_over)
			journal_view_add(view, JOURNAL_NOTE, file->told.name, 0,
					 "retired once; the next start removes it");
		else
			judge_header(view, file);
	}
}

/* ---- the chain ---- */

struct chain {
	bool is_broken;
	size_t first, end; /* segments: that it begins with, that its whole part ends in; NO_INDEX: none */
	uint64_t offset;   /* where that ends */
	uint64_t version;
};

/* A break, at an offset of a segment. */
static void tell_break(struct journal_view *view, struct chain *chain, size_t segment, uint64_t offset,
		       const char *why)
{
	const struct journal__view_file *file = journal__view_segment(view, segment);
	bool is_tail = position_of(view, segment, offset) >= view->durable;
	if (!is_tail)
		journal_view_add(view, JOURNAL_DAMAGED, file->told.name, offset, "%s", why);
	else if (!chain->is_broken)
		journal_view_add(view, JOURNAL_TAIL, file->told.name, offset,
				 "%s; never proven to be durable, the next start cuts it here", why);
	if (chain->is_broken)
		return;
	chain->is_broken = true;
	chain->end = segment;
	chain->offset = offset;
}

static void tell_gap(struct journal_view *view, struct chain *chain, const struct journal__fragment *before,
		     const struct journal__fragment *fragment)
{
	uint64_t last = journal__view_segment(view, before->segment)->told.number,
		 number = journal__view_segment(view, fragment->segment)->told.number;
	char why[128];
	if (number > last + 1 && number - last == 2)
		snprintf(why, sizeof(why), "segment %" PRIu64 " is missing or broken", last + 1);
	else if (number > last + 1)
		snprintf(why, sizeof(why), "segments %" PRIu64 " to %" PRIu64 " are missing or broken",
			 last + 1, number - 1);
	else
		snprintf(why, sizeof(why), "segment %" PRIu64 " does not go on from here", number);
	tell_break(view, chain, before->segment, before->end, why);
}

/* Bytes behind the last whole record of a segment. */
static void tell_rest(struct journal_view *view, struct chain *chain, size_t index)
{
	const struct journal__fragment *fragment = journal__view_fragment(view, index),
				       *next = index + 1 < view->fragments.length ? fragment + 1 : NULL;
	const struct journal__view_file *file = journal__view_segment(view, fragment->segment);
	if (file->rest == 0 || (next != NULL && next->segment == fragment->segment))
		return;
	if (next != NULL && next->joins)
		journal_view_add(
			view, JOURNAL_NOTE, file->told.name, fragment->end,
			"bytes behind the last record; nothing is missing, the next segment goes on");
	else
		tell_break(view, chain, fragment->segment, fragment->end, "no whole record begins here");
}

static void follow(struct journal_view *view, struct chain *chain, size_t index)
{
	const struct journal__fragment *fragment = journal__view_fragment(view, index);
	const struct journal__fragment *before =
		chain->first != NO_INDEX ? journal__view_fragment(view, index - 1) : NULL;
	char why[128];
	if (chain->first == NO_INDEX) {
		chain->first = fragment->segment;
	} else if (!fragment->from_header) {
		snprintf(why, sizeof(why), "no whole record from here to offset %" PRIu64, fragment->start);
		tell_break(view, chain, fragment->segment, before->end, why);
	} else if (!fragment->joins) {
		tell_gap(view, chain, before, fragment);
	}
	if (!chain->is_broken) {
		chain->end = fragment->segment;
		chain->offset = fragment->end;
		chain->version = fragment->last_version;
	}
	tell_rest(view, chain, index);
}

static void judge_chain(struct journal_view *view, struct chain *chain)
{
	*chain = (struct chain){.first = NO_INDEX, .end = NO_INDEX};
	for (size_t i = 0; i < view->fragments.length; i++) {
		size_t segment = journal__view_fragment(view, i)->segment;
		if (!journal__view_segment(view, segment)->told.is_left_over)
			follow(view, chain, i);
	}
	for (size_t i = 0; i < view->segments.length; i++) {
		const struct journal__view_file *file = journal__view_segment(view, i);
		if (file->gave_up)
			journal_view_add(view, JOURNAL_DAMAGED, file->told.name, file->told.end,
					 "too much that looks like records; not all of it was searched");
	}
	if (chain->end == NO_INDEX)
		return;
	uint64_t position = position_of(view, chain->end, chain->offset);
	if (!chain->is_broken && view->durable > position)
		journal_view_add(view, JOURNAL_DAMAGED, journal__view_segment(view, chain->end)->told.name,
				 chain->offset,
				 "records are missing: %" PRIu64 " bytes from here on were durable",
				 view->durable - position);
}

/* Whether snapshots and the chain fit together. */
static void judge_fit(struct journal_view *view, const struct chain *chain, size_t newest)
{
	if (chain->first == NO_INDEX) {
		bool is_told = false; /* that they are broken */
		for (size_t i = 0; i < view->segments.length; i++)
			is_told = is_told || !journal__view_segment(view, i)->told.is_left_over;
		if (!is_told)
			journal_view_add(view, JOURNAL_DAMAGED, "", 0, "there are snapshots but no journal");
		return;
	}
	const struct journal__view_file *first = journal__view_segment(view, chain->first),
					*end = journal__view_segment(view, chain->end);
	uint64_t version = journal__view_shot(view, newest)->told.version;
	if (version > chain->version)
		journal_view_add(view, JOURNAL_DAMAGED, end->told.name, chain->offset,
				 "it ends with version %" PRIu64
				 ", but there is a snapshot of version %" PRIu64,
				 chain->version, version);
	if (first->header.first_version > version + 1)
		journal_view_add(view, JOURNAL_DAMAGED, first->told.name, 32,
				 "it begins with version %" PRIu64
				 ", but the newest whole snapshot is of version %" PRIu64,
				 first->header.first_version, version);
}

/* ---- the state ---- */

/* The fragments that one goes on into, itself included. */
static size_t run_length(const struct journal_view *view, size_t first)
{
	size_t length = 1;
	while (first + length < view->fragments.length && journal__view_fragment(view, first + length)->joins)
		length++;
	return length;
}

static void consider(struct journal_view *view, uint64_t snapshot, size_t first, size_t count)
{
	uint64_t version = snapshot;
	if (count > 0)
		version = journal__view_fragment(view, first + count - 1)->last_version;
	bool is_better = !view->has_state || version > view->version ||
			 (version == view->version && count > 0 && view->fragment_count == 0);
	if (!is_better)
		return;
	view->has_state = true;
	view->snapshot = snapshot;
	view->version = version;
	view->first_fragment = first;
	view->fragment_count = count;
}

/* Newer snapshots first, so that less is to be read where they lead as far. */
void journal__view_find_state(struct journal_view *view)
{
	view->has_state = false;
	view->fragment_count = 0;
	for (size_t i = view->snapshots.length; i > 0; i--) {
		const struct journal__view_shot *shot = journal__view_shot(view, i - 1);
		uint64_t version = shot->told.version;
		if (!shot->told.is_whole)
			continue;
		consider(view, version, 0, 0);
		for (size_t first = 0, count; first < view->fragments.length; first += count) {
			count = run_length(view, first);
			uint64_t begins = journal__view_fragment(view, first)->first_version,
				 ends = journal__view_fragment(view, first + count - 1)->last_version;
			if (begins <= version + 1 && version <= ends)
				consider(view, version, first, count);
		}
	}
}

static bool is_set_up_only(const struct journal_view *view)
{
	if (view->snapshots.length > 0 || view->segments.length > 1)
		return false;
	const struct journal__view_file *file =
		view->segments.length > 0 ? journal__view_segment(view, 0) : NULL;
	return file == NULL || (file->told.has_header && file->told.last_version <= 1);
}

void journal__view_judge(struct journal_view *view)
{
	struct chain chain;
	for (size_t i = 0; i < view->snapshots.length; i++)
		judge_snapshot(view, journal__view_shot(view, i));
	size_t newest = newest_whole(view);
	mark_left_over(view, newest);
	judge_chain(view, &chain);
	if (view->temporaries > 0)
		journal_view_add(
			view, JOURNAL_NOTE, "", 0,
			"%zu temporary file%s: of a server at work, or left over, then the next start "
			"removes them",
			view->temporaries, view->temporaries == 1 ? "" : "s");
	view->is_new = is_set_up_only(view);
	if (newest != NO_INDEX)
		judge_fit(view, &chain, newest);
	else if (!view->is_new)
		journal_view_add(view, JOURNAL_DAMAGED, "", 0,
				 view->snapshots.length > 0 ? "no snapshot is whole"
							    : "there is a journal but no snapshot");
	journal__view_find_state(view);
}
