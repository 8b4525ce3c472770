/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Opening a view of a data directory, and reading through it.
 *
 * A server changes the directory meanwhile, in four ways: it appends, so a record may be half there; it
 * begins a segment and names a snapshot, so a listing may have the later one of two and miss the earlier; it
 * retires files, so one that was listed may be gone when it is opened; it makes and renames temporary files.
 * All of this heals by itself within the time of a write, so a look that finds a fault is repeated until two
 * looks in a row find the same.
 */
#include "journal/view.h"
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include "base/assert.h"
#include "base/memory.h"
#include "journal/view_internal.h"
#include "os/clock.h"

#define LOOKS_MAX 40u
#define PAUSE_MS 25u
#define POSITION_MAX ((uint64_t)1 << 62)
#define DIR_MAX (JOURNAL__PATH_SIZE - 64) /* bytes of the directory's name */

/* ---- findings ---- */

void journal_view_add(struct journal_view *view, enum journal_severity severity, const char *file,
		      uint64_t offset, const char *format, ...)
{
	char text[512];
	va_list args;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	struct journal_finding *finding = vector_push(&view->findings);
	finding->severity = severity;
	finding->offset = offset;
	snprintf(finding->file, sizeof(finding->file), "%s", file);
	finding->what = memory_strdup(text);
}

static void clear_findings(struct vector *findings)
{
	for (size_t i = 0; i < findings->length; i++)
		memory_free(((struct journal_finding *)vector_at(findings, i))->what);
	vector_clear(findings);
}

enum journal_severity journal_view_verdict(const struct journal_view *view)
{
	enum journal_severity worst = JOURNAL_NOTE;
	for (size_t i = 0; i < view->findings.length; i++) {
		const struct journal_finding *finding = vector_at(&view->findings, i);
		worst = finding->severity > worst ? finding->severity : worst;
	}
	return worst;
}

/* ---- one look ---- */

static void clear_files(struct journal_view *view)
{
	for (size_t i = 0; i < view->segments.length; i++)
		journal__scan_close(&journal__view_segment(view, i)->scan);
	for (size_t i = 0; i < view->snapshots.length; i++)
		journal_snapshot_reader_free(journal__view_shot(view, i)->reader);
	vector_clear(&view->segments);
	vector_clear(&view->snapshots);
	vector_clear(&view->fragments);
	view->directory = view->durable = 0;
	view->temporaries = 0;
	view->has_state = false;
	view->fragment_count = 0;
}

static void path_of(const struct journal_view *view, const char *name, char path[JOURNAL__PATH_SIZE])
{
	snprintf(path, JOURNAL__PATH_SIZE, "%s/%s", view->dir, name);
}

static void note_name(const char *name, void *arg)
{
	struct journal_view *view = arg;
	struct journal__entry entry;
	enum status status = journal__entry_look(view->fs, view->dir, name, &entry);
	if (status != ST_OK) {
		view->listed = status == ST_ABSENT ? view->listed : status;
		return;
	}
	if (entry.fault[0] != '\0') {
		journal_view_add(view, JOURNAL_DAMAGED, name, 0, "%s", entry.fault);
		return;
	}
	switch (entry.name) {
	case JOURNAL__NAME_SEGMENT: {
		struct journal__view_file *file = vector_push(&view->segments);
		file->told.number = entry.number;
		snprintf(file->told.name, sizeof(file->told.name), "%s", name);
		return;
	}
	case JOURNAL__NAME_SNAPSHOT: {
		struct journal__view_shot *shot = vector_push(&view->snapshots);
		shot->told.version = entry.number;
		snprintf(shot->told.name, sizeof(shot->told.name), "%s", name);
		return;
	}
	case JOURNAL__NAME_TEMPORARY:
		view->temporaries++;
		return;
	case JOURNAL__NAME_RECOVERING:
		journal_view_add(view, JOURNAL_DAMAGED, name, 0,
				 "yare recover did not come to its end: run it again");
		return;
	case JOURNAL__NAME_LOCK:
	case JOURNAL__NAME_ATTACHMENT:
	case JOURNAL__NAME_OTHER:
		return;
	}
}

static int compare_segments(const void *left, const void *right)
{
	const struct journal__view_file *a = left, *b = right;
	if (a->told.number != b->told.number)
		return a->told.number > b->told.number ? 1 : -1;
	return strcmp(a->told.name, b->told.name);
}

static int compare_snapshots(const void *left, const void *right)
{
	const struct journal__view_shot *a = left, *b = right;
	if (a->told.version != b->told.version)
		return a->told.version > b->told.version ? 1 : -1;
	return strcmp(a->told.name, b->told.name);
}

static enum status open_snapshot(const struct journal_view *view, struct journal__view_shot *shot)
{
	char path[JOURNAL__PATH_SIZE];
	path_of(view, shot->told.name, path);
	enum status status = journal__snapshot_open(view->fs, path, 0, shot->told.version, &shot->fault,
						    &shot->reader, &shot->head);
	shot->status = status;
	if (status == ST_OK) {
		shot->first_segment = journal__snapshot_first_segment(shot->reader);
		shot->directory = journal__snapshot_directory(shot->reader);
		shot->told.size = journal__snapshot_size(shot->reader);
	}
	return status == ST_CORRUPT || (status == ST_LIMIT && shot->fault.what != NULL) ? ST_OK : status;
}

static enum status open_files(struct journal_view *view)
{
	enum status status = ST_OK;
	for (size_t i = 0; i < view->snapshots.length && status == ST_OK; i++)
		status = open_snapshot(view, journal__view_shot(view, i));
	for (size_t i = 0; i < view->segments.length && status == ST_OK; i++) {
		struct journal__view_file *file = journal__view_segment(view, i);
		char path[JOURNAL__PATH_SIZE];
		path_of(view, file->told.name, path);
		status = journal__scan_open(view->fs, path, &file->scan);
		file->told.size = file->scan.size;
	}
	/* One that was retired since it was listed. */
	return status == ST_ABSENT ? ST_BUSY : status;
}

static enum status look(struct journal_view *view)
{
	clear_files(view);
	clear_findings(&view->findings);
	view->listed = ST_OK;
	enum status status = view->fs->list(view->fs, view->dir, note_name, view);
	if (status == ST_OK)
		status = view->listed;
	if (status != ST_OK)
		return status;
	if (view->segments.length > 1)
		qsort(view->segments.data, view->segments.length, sizeof(struct journal__view_file),
		      compare_segments);
	if (view->snapshots.length > 1)
		qsort(view->snapshots.data, view->snapshots.length, sizeof(struct journal__view_shot),
		      compare_snapshots);
	status = open_files(view);
	if (status == ST_OK)
		status = journal__view_scan(view);
	if (status == ST_OK)
		journal__view_judge(view);
	return status;
}

/* ---- looks until it holds still ---- */

/* Of findings that are more than notes. */
static uint64_t digest(const struct journal_view *view)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < view->findings.length; i++) {
		const struct journal_finding *finding = vector_at(&view->findings, i);
		if (finding->severity == JOURNAL_NOTE)
			continue;
		sum = bytes_hash(bytes_of(finding->what), sum + finding->offset + 1);
		sum = bytes_hash(bytes_of(finding->file), sum);
	}
	return sum;
}

static enum status look_until_still(struct journal_view *view)
{
	uint64_t before = 0;
	enum status status = ST_BUSY;
	for (unsigned looks = 0; looks < LOOKS_MAX; looks++) {
		if (looks > 0)
			os_clock_sleep_ms(PAUSE_MS);
		status = look(view);
		if (status != ST_OK && status != ST_BUSY)
			return status;
		uint64_t now = status == ST_OK ? digest(view) : 0;
		if (status == ST_OK && (now == 0 || now == before))
			return ST_OK;
		before = now;
	}
	return status;
}

enum status journal_view_open(struct os_fs *fs, const char *dir, enum journal_view_mode mode,
			      struct journal_view **view)
{
	if (strlen(dir) > DIR_MAX || dir[0] == '\0')
		return ST_LIMIT;
	struct journal_view *made = memory_zalloc(sizeof(*made));
	made->fs = fs;
	made->dir = memory_strdup(dir);
	vector_init(&made->findings, sizeof(struct journal_finding));
	vector_init(&made->segments, sizeof(struct journal__view_file));
	vector_init(&made->snapshots, sizeof(struct journal__view_shot));
	vector_init(&made->fragments, sizeof(struct journal__fragment));
	enum status status = mode == JOURNAL_VIEW_LIVE ? look_until_still(made) : look(made);
	if (status == ST_OK)
		*view = made;
	else
		journal_view_free(made);
	return status;
}

void journal_view_free(struct journal_view *view)
{
	if (view == NULL)
		return;
	clear_files(view);
	clear_findings(&view->findings);
	vector_fini(&view->findings);
	vector_fini(&view->segments);
	vector_fini(&view->snapshots);
	vector_fini(&view->fragments);
	memory_free(view->dir);
	memory_free(view);
}

/* ---- what is there ---- */

const struct vector *journal_view_findings(const struct journal_view *view)
{
	return &view->findings;
}

size_t journal_view_segment_count(const struct journal_view *view)
{
	return view->segments.length;
}

size_t journal_view_snapshot_count(const struct journal_view *view)
{
	return view->snapshots.length;
}

const struct journal_view_segment *journal_view_segment_at(const struct journal_view *view, size_t index)
{
	return &journal__view_segment(view, index)->told;
}

const struct journal_view_snapshot *journal_view_snapshot_at(const struct journal_view *view, size_t index)
{
	return &journal__view_shot(view, index)->told;
}

const char *journal_view_segment_name(const struct journal_view *view, uint64_t number)
{
	size_t index = 0;
	while (journal__view_segment(view, index)->told.number != number)
		index++;
	return journal__view_segment(view, index)->told.name;
}

enum status journal_view_get_file(const struct journal_view *view, const char *name, size_t limit,
				  struct buffer *content)
{
	char path[JOURNAL__PATH_SIZE];
	struct journal__entry entry;
	enum status status = journal__entry_look(view->fs, view->dir, name, &entry);
	if (status == ST_OK && entry.fault[0] != '\0')
		return ST_CORRUPT;
	path_of(view, name, path);
	return status == ST_OK ? os_fs_read_whole(view->fs, path, limit, content) : status;
}

bool journal_view_is_new(const struct journal_view *view)
{
	return view->is_new;
}

/* Whether no more is said to have been durable than there is, and none of it to be retired. */
static bool is_closed(const struct journal_view *view)
{
	size_t end = view->first_fragment + view->fragment_count;
	const struct journal__fragment *last = journal__view_fragment(view, end - 1);
	uint64_t position = journal__view_segment(view, last->segment)->header.base + last->end;
	for (size_t i = view->first_fragment; i < end; i++) {
		const struct journal__fragment *fragment = journal__view_fragment(view, i);
		if (fragment->durable > position ||
		    journal__view_segment(view, fragment->segment)->told.is_left_over)
			return false;
	}
	return true;
}

bool journal_view_state(const struct journal_view *view, struct journal_view_state *state)
{
	if (!view->has_state)
		return false;
	*state = (struct journal_view_state){
		.snapshot = view->snapshot, .version = view->version, .first_version = view->version + 1};
	if (view->fragment_count == 0)
		return true;
	const struct journal__fragment *first = journal__view_fragment(view, view->first_fragment);
	state->first_version = first->first_version;
	state->first_segment = first->segment;
	state->segment_count = view->fragment_count; /* one in each segment */
	state->as_it_is = first->from_header && is_closed(view);
	return true;
}

void journal_view_beyond(const struct journal_view *view, uint64_t *number, uint64_t *position,
			 uint64_t *directory)
{
	*number = 1;
	*position = view->durable;
	*directory = view->directory;
	for (size_t i = 0; i < view->segments.length; i++) {
		const struct journal__view_file *file = journal__view_segment(view, i);
		*number = file->told.number + 1;
		if (file->told.has_header && file->header.base + file->told.size > *position)
			*position = file->header.base + file->told.size;
	}
	for (size_t i = 0; i < view->snapshots.length; i++) {
		const struct journal__view_shot *shot = journal__view_shot(view, i);
		if (shot->told.is_whole && shot->first_segment > *number)
			*number = shot->first_segment;
		if (*directory == 0)
			*directory = shot->directory;
	}
	/* Nothing is ever that long; whoever wrote so did not mean us to count on from there. */
	if (*position > POSITION_MAX)
		*position = 0;
	if (*number > POSITION_MAX)
		*number = 1;
}

void journal_view_distrust(struct journal_view *view, uint64_t version)
{
	for (size_t i = 0; i < view->snapshots.length; i++) {
		struct journal__view_shot *shot = journal__view_shot(view, i);
		if (shot->told.version == version)
			shot->told.is_whole = false;
	}
	journal__view_find_state(view);
}

enum status journal_view_load(const struct journal_view *view, uint64_t version,
			      struct journal_snapshot_reader **reader, struct journal_snapshot *snapshot)
{
	for (size_t i = 0; i < view->snapshots.length; i++) {
		const struct journal__view_shot *shot = journal__view_shot(view, i);
		if (shot->told.version != version || !shot->told.is_whole)
			continue;
		journal__snapshot_rewind(shot->reader);
		*reader = shot->reader;
		*snapshot = shot->head;
		return ST_OK;
	}
	return ST_ABSENT;
}

/* ---- records ---- */

typedef enum status record_visit(void *arg, const struct journal_record *record);

struct visiting {
	record_visit *visit;
	void *arg;
	bool names_only;
};

static enum status visit_fragment(const struct journal_view *view, const struct journal__fragment *fragment,
				  const struct visiting *visiting)
{
	struct journal__view_file *file = journal__view_segment(view, fragment->segment);
	enum status status = ST_OK;
	for (uint64_t offset = fragment->start; offset < fragment->end && status == ST_OK;) {
		struct journal__frame frame;
		status = journal__scan_frame(&file->scan, offset, &frame);
		if (status != ST_OK)
			return status == ST_ABSENT ? ST_CORRUPT : status;
		offset = frame.end;
		struct journal_record record = {
			.version = frame.version,
			.location = {file->header.number, frame.offset, frame.payload.size},
			.fingerprint = file->header.fingerprint,
			.payload = frame.payload,
			.names_only = visiting->names_only,
		};
		if (frame.kind == JOURNAL__CHANGE)
			status = visiting->visit(visiting->arg, &record);
	}
	buffer_clear(&file->scan.window, 0);
	return status;
}

/* All that is whole in the fragment's segment, where something in that is not. */
static enum status visit_names(const struct journal_view *view, const struct journal__fragment *fragment,
			       record_visit *visit, void *arg)
{
	const struct visiting visiting = {visit, arg, true};
	const struct journal__fragment *all = view->fragments.data, *end = all + view->fragments.length,
				       *first = fragment, *behind = fragment + 1;
	while (first > all && first[-1].segment == fragment->segment)
		first--;
	while (behind < end && behind->segment == fragment->segment)
		behind++;
	enum status status = ST_OK;
	bool is_whole = first->from_header && behind == first + 1;
	for (; !is_whole && first < behind && status == ST_OK; first++)
		status = visit_fragment(view, first, &visiting);
	return status;
}

static enum status visit_fragments(const struct journal_view *view, size_t first, size_t end,
				   record_visit *visit, void *arg)
{
	const struct visiting visiting = {visit, arg, false};
	enum status status = ST_OK;
	for (size_t i = first; i < end && status == ST_OK; i++) {
		const struct journal__fragment *fragment = journal__view_fragment(view, i);
		if (i == first || fragment[-1].segment != fragment->segment)
			status = visit_names(view, fragment, visit, arg);
		if (status == ST_OK)
			status = visit_fragment(view, fragment, &visiting);
	}
	return status;
}

enum status journal_view_replay(const struct journal_view *view, record_visit *visit, void *arg)
{
	if (!view->has_state || view->fragment_count == 0)
		return ST_OK;
	size_t first = view->first_fragment;
	return visit_fragments(view, first, first + view->fragment_count, visit, arg);
}

enum status journal_view_records(const struct journal_view *view, record_visit *visit, void *arg)
{
	return visit_fragments(view, 0, view->fragments.length, visit, arg);
}
