/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Looking into records and snapshots by the names that are stored with them, so without modules. What the
 * journal found whole by its checksums is held to its format here: heads, names, changes, and the rule that a
 * confirmed commit has: the first names the version before it as its fallback, those that follow the same one
 * (docs/format/journal.md).
 *
 * Something whole that is not sound was written so: a bug or a forgery, not a bad disk. The state is taken to
 * end before it, as a start would not get further either.
 */
#include "store/inspect.h"
#include <inttypes.h>
#include "base/memory.h"
#include "store/history_internal.h"

struct inspecting {
	struct journal_view *view;
	struct store_inspection *told;
	struct journal_view_state state;
	struct change_names *names;
	uint64_t segment;  /* that the names are of */
	uint64_t fallback; /* of the record before */
	bool is_broken;	   /* a record behind the snapshot was not sound */
	uint64_t unsound; /* records that were not; only the first is told, the others often follow from it */
};

struct store_version *store_inspect_record_startup(const struct journal_record *record, struct bytes *block,
						   struct bytes *startup)
{
	*block = record->payload;
	struct store_version *info = store__record_take_head(record->version, block);
	if (info == NULL || store__record_take_startup(info, block, startup))
		return info;
	store__info_free(info);
	return NULL;
}

struct store_version *store_inspect_record(const struct journal_record *record, struct bytes *block)
{
	struct bytes startup;
	return store_inspect_record_startup(record, block, &startup);
}

struct store_version *store_inspect_snapshot(const struct journal_snapshot *snapshot)
{
	struct bytes head = snapshot->head;
	return store__record_take_head(snapshot->version, &head);
}

void store_inspect_free(struct store_version *info)
{
	store__info_free(info);
}

/* ---- labels ---- */

struct store_labels {
	struct vector told; /* struct store__told */
};

enum status store_labels_read(const struct journal_view *view, struct store_labels **labels)
{
	struct store_labels *made = memory_zalloc(sizeof(*made));
	struct buffer content;
	vector_init(&made->told, sizeof(struct store__told));
	buffer_init(&content, SIZE_MAX);
	enum status status = journal_view_get_file(view, HISTORY_FILE, HISTORY_FILE_LIMIT, &content);
	if (status == ST_OK)
		status = store__history_file_decode(buffer_get(&content), &made->told);
	else if (status == ST_ABSENT)
		status = ST_OK;
	buffer_fini(&content);
	if (status == ST_OK)
		*labels = made;
	else
		store_labels_free(made);
	return status;
}

void store_labels_free(struct store_labels *labels)
{
	if (labels == NULL)
		return;
	store__told_fini(&labels->told);
	memory_free(labels);
}

const char *store_label_of(const struct store_labels *labels, const struct store_version *info)
{
	for (size_t i = 0; labels != NULL && i < labels->told.length; i++) {
		const struct store__told *told = vector_at(&labels->told, i);
		if (told->relabelled && told->version == info->id && told->time_ns == info->time_ns)
			return told->label;
	}
	return info->label;
}

/* A start goes on without it. */
static enum status inspect_labels(struct journal_view *view, struct store_inspection *told)
{
	struct store_labels *labels = NULL;
	enum status status = store_labels_read(view, &labels);
	store_labels_free(labels);
	if (status == ST_LIMIT)
		journal_view_add(view, JOURNAL_NEWER, HISTORY_FILE, 8,
				 "it is of a newer format than this version reads");
	if (status == ST_CORRUPT)
		journal_view_add(view, JOURNAL_DAMAGED, HISTORY_FILE, 0,
				 "it is not whole: labels that were given after their commits are lost");
	told->loses_labels = status == ST_CORRUPT;
	return status == ST_IO ? status : ST_OK;
}

/* ---- snapshots ---- */

static enum status next_block(void *arg, struct bytes *block)
{
	enum status status = journal_snapshot_next(arg, block);
	return status == ST_ABSENT ? ST_CORRUPT : status;
}

/* Its names are its own. */
static bool is_startup(struct bytes block)
{
	struct change_names *names = change_names_new();
	bool good = change_text_record(names, block, NULL, NULL) == ST_OK;
	change_names_free(names);
	return good;
}

static enum status inspect_snapshot(struct inspecting *in, const struct journal_view_snapshot *told)
{
	struct journal_snapshot_reader *reader;
	struct journal_snapshot snapshot;
	enum status status = journal_view_load(in->view, told->version, &reader, &snapshot);
	if (status != ST_OK)
		return status;
	struct store_version *info = store_inspect_snapshot(&snapshot);
	const char *problem = NULL;
	if (info == NULL)
		problem = "its head is not what this version writes";
	else if (info->fallback != 0)
		problem = "it is of a version within a confirmed commit";
	change_names_reset(in->names);
	bool has_startup = info != NULL && info->startup_change == STORE_STARTUP_REPLACED;
	store_inspect_free(info);
	status = change_text_tree(in->names, next_block, reader, NULL, NULL);
	struct bytes startup;
	if (status == ST_OK && has_startup) {
		status = next_block(reader, &startup);
		if (status == ST_OK && !is_startup(startup))
			status = ST_CORRUPT;
	}
	if (status == ST_CORRUPT && problem == NULL)
		problem = "it is whole, but its content is not what this version writes";
	if (problem != NULL) {
		journal_view_add(in->view, JOURNAL_DAMAGED, told->name, JOURNAL_VIEW_BODY, "%s", problem);
		journal_view_distrust(in->view, told->version);
	}
	return status == ST_CORRUPT ? ST_OK : status;
}

static enum status inspect_snapshots(struct inspecting *in)
{
	size_t count = journal_view_snapshot_count(in->view);
	enum status status = ST_OK;
	for (size_t i = 0; i < count && status == ST_OK; i++) {
		const struct journal_view_snapshot *told = journal_view_snapshot_at(in->view, i);
		if (told->is_whole)
			status = inspect_snapshot(in, told);
	}
	return status;
}

/* ---- records ---- */

static const char *judge_fallback(const struct inspecting *in, const struct store_version *info)
{
	if (info->fallback == 0 || info->id == in->state.first_version)
		return info->fallback < info->id ? NULL
						 : "the fallback of its confirmed commit is not before it";
	uint64_t expected = in->fallback != 0 ? in->fallback : info->id - 1;
	return info->fallback == expected ? NULL
					  : "the fallback of its confirmed commit is another than before";
}

static const char *judge_record(struct inspecting *in, const struct journal_record *record,
				uint64_t *fallback)
{
	struct bytes block, startup;
	struct store_version *info = store_inspect_record_startup(record, &block, &startup);
	if (info == NULL)
		return "its head is not what this version writes";
	const char *problem = judge_fallback(in, info);
	*fallback = info->fallback;
	store_inspect_free(info);
	if (startup.size > 0 && !is_startup(startup))
		problem = "what it makes of startup is not what this version writes";
	if (change_text_record(in->names, block, NULL, NULL) != ST_OK)
		problem = "its changes are not what this version writes, or names they need are lost";
	return problem;
}

static enum status inspect_record(void *arg, const struct journal_record *record)
{
	struct inspecting *in = arg;
	struct store_inspection *told = in->told;
	if (record->location.segment != in->segment)
		change_names_reset(in->names);
	in->segment = record->location.segment;
	if (record->names_only) {
		/* Whoever needs one that is lost will say so. */
		uint64_t ignored;
		judge_record(in, record, &ignored);
		return ST_OK;
	}
	told->records++;
	uint64_t fallback = 0;
	const char *problem = judge_record(in, record, &fallback);
	if (problem != NULL && in->unsound++ == 0)
		journal_view_add(in->view, JOURNAL_DAMAGED,
				 journal_view_segment_name(in->view, record->location.segment),
				 record->location.offset,
				 "the record of version %" PRIu64 " is whole, but %s", record->version,
				 problem);
	in->fallback = fallback;
	bool is_newer = record->version > in->state.snapshot;
	if (problem != NULL && is_newer)
		in->is_broken = true;
	else if (problem != NULL)
		told->sound_first = record->version + 1;
	if (in->is_broken || !is_newer)
		return ST_OK;
	told->sound_version = record->version;
	told->fallback = fallback;
	memcpy(told->fingerprint, record->fingerprint, JOURNAL_FINGERPRINT_SIZE);
	return ST_OK;
}

enum status store_inspect(struct journal_view *view, struct store_inspection *inspection)
{
	struct inspecting in = {.view = view, .told = inspection};
	*inspection = (struct store_inspection){0};
	in.names = change_names_new();
	enum status status = inspect_snapshots(&in);
	change_names_reset(in.names);
	if (status == ST_OK && journal_view_state(view, &in.state)) {
		struct journal_snapshot_reader *reader;
		struct journal_snapshot snapshot;
		inspection->version = in.state.version;
		inspection->sound_first = in.state.first_version;
		inspection->sound_version = in.state.snapshot;
		status = journal_view_load(view, in.state.snapshot, &reader, &snapshot);
		if (status == ST_OK)
			memcpy(inspection->fingerprint, snapshot.fingerprint, JOURNAL_FINGERPRINT_SIZE);
		if (status == ST_OK)
			status = journal_view_replay(view, inspect_record, &in);
		if (in.unsound > 1)
			journal_view_add(view, JOURNAL_DAMAGED, "", 0,
					 "the same is so of %" PRIu64 " records behind it", in.unsound - 1);
	}
	change_names_free(in.names);
	if (status == ST_OK)
		status = inspect_labels(view, inspection);
	return status;
}
