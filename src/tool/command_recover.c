/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * yare recover DIR: makes a damaged data directory one that a server starts with. What can be proven is kept
 * (store/salvage.h); everything else is set aside in a folder of the directory, never removed; what is lost
 * is said version by version, as far as there is a trace of it.
 *
 * What a start repairs by itself, a tail or temporary files, is left to it. What is of a newer format is not
 * touched, as a newer yare may read it well.
 */
#include "tool/command.h"
#include <inttypes.h>
#include <stdio.h>
#include "base/log.h"
#include "store/salvage.h"
#include "tool/data_dir.h"

struct options {
	bool dry_run, empty;
	const char *dir;
};

static const struct tool_option table[] = {
	{"dry-run", NULL, TOOL_FLAG, offsetof(struct options, dry_run), "only say what would be done"},
	{"empty", NULL, TOOL_FLAG, offsetof(struct options, empty),
	 "where no version can be proven: set all aside, so that the next start begins anew"},
};

static const struct tool_usage usage = {
	.command = "recover",
	.arguments = "DIR",
	.argument_count = 1,
	.summary = "Makes the damaged data directory DIR one that a server starts with: keeps what can be\n"
		   "proven, sets the rest aside in a folder of DIR, says what is lost. No server may be "
		   "using it.\n"
		   "Exit code: 0 a server starts with DIR, 1 no version can be proven, nothing was changed,\n"
		   "2 DIR is in use, cannot be read or written, or is of a newer format.",
	.options = table,
	.option_count = sizeof(table) / sizeof(table[0]),
};

struct recovering {
	const struct options *options;
	struct journal_view *view;
	struct store_inspection inspection;
	struct journal_view_state state;
	uint64_t kept_first, kept_last; /* versions whose records are kept */
	uint64_t newest;		/* of which there is a trace */
	uint64_t listed;		/* the newest version behind kept_last that was listed */
};

/* ---- what is lost ---- */

static void print_missing(uint64_t from, uint64_t to)
{
	if (from == to)
		printf("  version %" PRIu64 "  no whole record of it is left\n", from);
	else if (from < to)
		printf("  versions %" PRIu64 " to %" PRIu64 "  no whole records of them are left\n", from,
		       to);
}

/* A whole record that is of no use, as what it builds on is lost. */
static enum status print_lost(void *arg, const struct journal_record *record)
{
	struct recovering *r = arg;
	struct bytes block;
	if (record->version <= r->listed)
		return ST_OK;
	print_missing(r->listed + 1, record->version - 1);
	r->listed = record->version;
	struct store_version *info = store_inspect_record(record, &block);
	printf("  ");
	if (info != NULL)
		data_dir_print_version(info, info->label);
	else
		printf("version %" PRIu64 "\n", record->version);
	store_inspect_free(info);
	return ST_OK;
}

static enum status note_newest(void *arg, const struct journal_record *record)
{
	struct recovering *r = arg;
	r->newest = record->version > r->newest ? record->version : r->newest;
	return ST_OK;
}

static enum status find_newest(struct recovering *r)
{
	r->newest = r->kept_last;
	for (size_t i = 0; i < journal_view_snapshot_count(r->view); i++) {
		uint64_t version = journal_view_snapshot_at(r->view, i)->version;
		r->newest = version > r->newest ? version : r->newest;
	}
	for (size_t i = 0; i < journal_view_segment_count(r->view); i++) {
		const struct journal_view_segment *told = journal_view_segment_at(r->view, i);
		if (told->has_header && told->first_version - 1 > r->newest)
			r->newest = told->first_version - 1;
	}
	return journal_view_records(r->view, note_newest, r);
}

static enum status tell_lost(struct recovering *r)
{
	enum status status = find_newest(r);
	if (status != ST_OK)
		return status;
	if (r->newest == r->kept_last)
		printf("lost: no version behind %" PRIu64 " left a trace\n", r->kept_last);
	else
		printf("lost: versions %" PRIu64 " to %" PRIu64 "\n", r->kept_last + 1, r->newest);
	r->listed = r->kept_last;
	status = journal_view_records(r->view, print_lost, r);
	print_missing(r->listed + 1, r->newest);
	if (r->kept_first > 2)
		printf("the history begins with version %" PRIu64 "\n", r->kept_first);
	return status;
}

static void tell_kept(struct recovering *r)
{
	const struct store_inspection *inspection = &r->inspection;
	printf("kept: version %" PRIu64 ", from the snapshot of version %" PRIu64, r->kept_last,
	       r->state.snapshot);
	if (r->kept_last > r->state.snapshot)
		printf(" and the records behind it");
	printf("\n");
	if (inspection->fallback != 0)
		printf("it is within a confirmed commit: the next start goes back to version %" PRIu64 "\n",
		       inspection->fallback);
}

static void print_aside(const char *name, void *arg)
{
	const struct journal_salvage *salvage = arg;
	printf("set aside: %s/%s\n", journal_salvage_aside(salvage), name);
}

/* ---- what is done ---- */

static int unwritable(const struct options *options, enum status status)
{
	return tool_complain("%s: cannot be written: %s; originals are in the directory or in the folder "
			     "beside them, recover again",
			     options->dir, status_name(status));
}

/* Whether it is what was wanted. */
static int verify(const struct recovering *r)
{
	struct journal_view *view;
	struct store_inspection inspection;
	int code = data_dir_open(r->options->dir, JOURNAL_VIEW_STILL, &view, &inspection);
	if (code >= 0)
		return code;
	const struct journal_finding *damage = data_dir_damage(view);
	if (damage != NULL)
		data_dir_print_finding(stderr, r->options->dir, damage);
	bool is_right = damage == NULL && inspection.sound_version == r->kept_last;
	journal_view_free(view);
	return is_right ? TOOL_DONE : tool_complain("%s: is still not whole", r->options->dir);
}

static int set_all_aside(struct recovering *r, struct journal_salvage *salvage)
{
	if (!r->options->empty) {
		tool_complain("%s: no snapshot is whole, so no version can be proven; nothing was changed. "
			      "Restore a backup, or set all aside with --empty",
			      r->options->dir);
		return TOOL_FAILED;
	}
	printf("kept: nothing; the next start begins anew\n");
	journal_salvage_each_aside(salvage, print_aside, salvage);
	if (r->options->dry_run)
		return TOOL_DONE;
	enum status status = journal_salvage_commit(salvage);
	return status == ST_OK ? verify(r) : unwritable(r->options, status);
}

static int keep_provable(struct recovering *r, struct journal_salvage *salvage)
{
	r->kept_last = r->inspection.sound_version;
	r->kept_first = r->inspection.sound_first;
	tell_kept(r);
	enum status status = tell_lost(r);
	if (status != ST_OK)
		return tool_complain("%s: cannot be read: %s", r->options->dir, status_name(status));
	status = store_salvage_prepare(r->view, &r->inspection, salvage);
	if (status != ST_OK)
		return unwritable(r->options, status);
	journal_salvage_each_aside(salvage, print_aside, salvage);
	if (r->options->dry_run)
		return TOOL_DONE;
	status = journal_salvage_commit(salvage);
	return status == ST_OK ? verify(r) : unwritable(r->options, status);
}

static int recover_view(struct recovering *r, struct journal_salvage *salvage)
{
	const struct vector *findings = journal_view_findings(r->view);
	for (size_t i = 0; i < findings->length; i++)
		data_dir_print_finding(stdout, r->options->dir, vector_at(findings, i));
	switch (journal_view_verdict(r->view)) {
	case JOURNAL_NOTE:
	case JOURNAL_TAIL:
		printf("%s: whole; nothing to recover\n", r->options->dir);
		return TOOL_DONE;
	case JOURNAL_NEWER:
		return tool_complain("%s: is of a newer format; a yare that reads that may find it whole",
				     r->options->dir);
	case JOURNAL_DAMAGED:
		break;
	}
	return journal_view_state(r->view, &r->state) ? keep_provable(r, salvage) : set_all_aside(r, salvage);
}

static int recover(const struct options *options)
{
	struct recovering r = {.options = options};
	struct journal_salvage *salvage;
	/* Before a lock is made there: is it a data directory at all? */
	int code = data_dir_open(options->dir, JOURNAL_VIEW_LIVE, &r.view, &r.inspection);
	if (code >= 0)
		return code;
	bool is_new = journal_view_is_new(r.view);
	journal_view_free(r.view);
	if (is_new)
		return tool_complain("%s: there is no configuration", options->dir);
	enum status status = journal_salvage_open(os_fs_real(), options->dir, &salvage);
	if (status == ST_BUSY)
		return tool_complain("%s: a server uses this data directory; nothing was changed",
				     options->dir);
	if (status != ST_OK)
		return tool_complain("%s: cannot be locked or read: %s", options->dir, status_name(status));
	code = data_dir_open(options->dir, JOURNAL_VIEW_STILL, &r.view, &r.inspection);
	if (code < 0) {
		code = recover_view(&r, salvage);
		journal_view_free(r.view);
	}
	journal_salvage_close(salvage);
	return code;
}

int command_recover(int argc, char **argv)
{
	struct options options = {0};
	struct arena *arena = arena_new();
	log_set_level(LOG_LEVEL_WARNING);
	int code = tool_options_parse(&usage, argc, argv, &options, &options.dir, NULL, arena);
	if (code < 0)
		code = recover(&options);
	arena_free(arena);
	return code;
}
