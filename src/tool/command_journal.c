/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * yare journal DIR: what was changed, when and by whom: a line a version, oldest first, and with --changes a
 * line for each node. Names are stored with the records, so no modules are needed. All whole records are
 * printed, those behind damage too; what is wrong comes last, on standard error.
 *
 *     version 8  2026-11-30T13:45:39.000000000Z  admin  session 3  127.0.0.1:4711  2 changes  "new uplink"
 *       + /m:interfaces/interface[name='eth0']
 *       + /m:interfaces/interface[name='eth0']/mtu: "9000"
 *       ~ /m:system/hostname: "a" -> "b"
 */
#include "tool/command.h"
#include <inttypes.h>
#include <stdio.h>
#include "tool/data_dir.h"
#include "tool/print.h"

struct options {
	bool json, changes;
	uint64_t from, to;
	const char *dir;
};

static const struct tool_option table[] = {
	{"changes", NULL, TOOL_FLAG, offsetof(struct options, changes),
	 "each changed node, with its old and its new value"},
	{"from", "VERSION", TOOL_NUMBER, offsetof(struct options, from), "from this version on"},
	{"to", "VERSION", TOOL_NUMBER, offsetof(struct options, to), "up to this version"},
	{"json", NULL, TOOL_FLAG, offsetof(struct options, json), "a JSON object a line for each version"},
};

static const struct tool_usage usage = {
	.command = "journal",
	.arguments = "DIR",
	.argument_count = 1,
	.summary =
		"Prints the versions that the journal of the data directory DIR has, which a server may be\n"
		"using: when, by whom, and what was changed.\n"
		"Exit code: 0 done, 1 done but something is damaged, 2 it cannot be read.",
	.options = table,
	.option_count = sizeof(table) / sizeof(table[0]),
};

struct printing {
	const struct options *options;
	const struct journal_view *view;
	const struct store_labels *labels;
	struct change_names *names;
	uint64_t segment; /* that the names are of */
	bool is_first;	  /* change of its version */
};

/* ---- changes ---- */

static const char *operation_of(const struct change_text *change)
{
	static const char *const names[] = {"", "create", "delete", "modify"};
	return change->moved ? "move" : names[change->action];
}

static void print_change_json(struct printing *printing, const struct change_text *change)
{
	printf("%s{\"operation\":\"%s\",\"path\":", printing->is_first ? "" : ",", operation_of(change));
	printing->is_first = false;
	print_quoted(stdout, change->path);
	if (change->has_value && change->action != CHANGE_TEXT_CREATED) {
		printf(",\"old\":");
		print_quoted(stdout, change->old_value);
	}
	if (change->has_value && change->action != CHANGE_TEXT_DELETED) {
		printf(",\"new\":");
		print_quoted(stdout, change->new_value);
	}
	printf("}");
}

static enum status print_change(void *arg, const struct change_text *change)
{
	struct printing *printing = arg;
	static const char marks[] = " +-~";
	if (printing->options->json) {
		print_change_json(printing, change);
		return ST_OK;
	}
	printf("  %c ", change->moved ? '>' : marks[change->action]);
	print_plain(stdout, change->path);
	if (change->has_value) {
		printf(": ");
		print_quoted(stdout,
			     change->action == CHANGE_TEXT_CREATED ? change->new_value : change->old_value);
	}
	if (change->has_value && change->action == CHANGE_TEXT_MODIFIED) {
		printf(" -> ");
		print_quoted(stdout, change->new_value);
	}
	printf("\n");
	return ST_OK;
}

/* ---- versions ---- */

static void print_version_json(const struct store_version *info, const char *label)
{
	char time[PRINT_TIME_SIZE];
	printf("{\"version\":%" PRIu64 ",\"time\":\"%s\",\"user\":", info->id,
	       print_time(info->time_ns, time));
	print_quoted(stdout, bytes_of(info->user));
	printf(",\"session\":%" PRIu32 ",\"address\":", info->session_id);
	print_quoted(stdout, bytes_of(info->address));
	if (info->comment != NULL) {
		printf(",\"comment\":");
		print_quoted(stdout, bytes_of(info->comment));
	}
	if (label != NULL) {
		printf(",\"label\":");
		print_quoted(stdout, bytes_of(label));
	}
	if (info->fallback != 0)
		printf(",\"fallback\":%" PRIu64, info->fallback);
	if (data_dir_startup(info) != NULL)
		printf(",\"startup\":\"%s\"", data_dir_startup(info));
	printf(",\"validated\":%s,\"change-count\":%" PRIu64, info->valid ? "true" : "false",
	       info->change_count);
}

static void print_changes(struct printing *printing, struct bytes block, bool is_shown)
{
	bool json = printing->options->json;
	printing->is_first = true;
	if (is_shown && json)
		printf(",\"changes\":[");
	enum status status =
		change_text_record(printing->names, block, is_shown ? print_change : NULL, printing);
	if (is_shown && json)
		printf("]");
	if (status == ST_OK || !is_shown)
		return;
	if (json)
		printf(",\"unreadable\":true");
	else
		printf("  the changes cannot be read: names that they need are lost\n");
}

static enum status print_record(void *arg, const struct journal_record *record)
{
	struct printing *printing = arg;
	const struct options *options = printing->options;
	struct bytes block;
	if (record->location.segment != printing->segment)
		change_names_reset(printing->names);
	printing->segment = record->location.segment;
	struct store_version *info = store_inspect_record(record, &block);
	if (info == NULL)
		return ST_OK; /* it has a finding */
	bool is_shown = !record->names_only && info->id >= options->from &&
			(options->to == 0 || info->id <= options->to);
	if (is_shown && options->json)
		print_version_json(info, store_label_of(printing->labels, info));
	else if (is_shown)
		data_dir_print_version(info, store_label_of(printing->labels, info));
	/* Also of those that are not shown: names are defined in them. */
	print_changes(printing, block, is_shown && options->changes);
	if (is_shown && options->json)
		printf("}\n");
	store_inspect_free(info);
	return ST_OK;
}

/* ---- the command ---- */

static void tell_findings(const struct options *options, const struct journal_view *view)
{
	const struct vector *findings = journal_view_findings(view);
	for (size_t i = 0; i < findings->length; i++) {
		const struct journal_finding *finding = vector_at(findings, i);
		if (finding->severity != JOURNAL_NOTE)
			data_dir_print_finding(stderr, options->dir, finding);
	}
}

static int print_journal(const struct options *options)
{
	struct journal_view *view;
	struct store_inspection inspection;
	int code = data_dir_open(options->dir, JOURNAL_VIEW_LIVE, &view, &inspection);
	if (code >= 0)
		return code;
	struct store_labels *labels = NULL;
	enum status status = store_labels_read(view, &labels);
	if (status != ST_OK)
		labels = NULL; /* there is a finding of it */
	struct printing printing = {
		.options = options, .view = view, .labels = labels, .names = change_names_new()};
	status = journal_view_records(view, print_record, &printing);
	change_names_free(printing.names);
	store_labels_free(labels);
	code = data_dir_code(view);
	if (status != ST_OK)
		code = tool_complain("%s: cannot be read: %s", options->dir, status_name(status));
	if (fflush(stdout) != 0 || ferror(stdout))
		code = tool_complain("standard output cannot be written");
	tell_findings(options, view);
	journal_view_free(view);
	return code;
}

int command_journal(int argc, char **argv)
{
	struct options options = {0};
	struct arena *arena = arena_new();
	int code = tool_options_parse(&usage, argc, argv, &options, &options.dir, NULL, arena);
	if (code < 0)
		code = print_journal(&options);
	arena_free(arena);
	return code;
}
