/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * yare check DIR: verifies a data directory without changing it, beside a server or without one. In four
 * steps, each on what the one before found whole: frames and their chain, snapshots and how they fit
 * (journal/view.h); what is in them, by its stored names (store/inspect.h); with --module the newest version
 * as a tree of the schema, and all its constraints.
 *
 * Exit code 0 means that a server starts with all that was proven to be durable. Where a confirmed commit is
 * pending, the version that a start goes back to is what is rebuilt and validated.
 */
#include "tool/command.h"
#include <inttypes.h>
#include <stdio.h>
#include "tool/data_dir.h"
#include "tool/print.h"

#define DIAGS_MAX 100

struct options {
	bool json, quiet;
	const char *dir;
	struct server_options schema;
};

static const struct tool_option table[] = {
	{"json", NULL, TOOL_FLAG, offsetof(struct options, json), "print one JSON object"},
	{"quiet", NULL, TOOL_FLAG, offsetof(struct options, quiet), "print only what is wrong"},
	TOOL_SCHEMA_OPTIONS,
};

static const struct tool_usage usage = {
	.command = "check",
	.arguments = "DIR",
	.argument_count = 1,
	.summary = "Verifies the data directory DIR, which a server may be using; nothing is changed.\n"
		   "With --module also that the configuration fits the modules and is valid.\n"
		   "Exit code: 0 whole, 1 damaged or not valid, 2 it cannot be read or is of a newer format.",
	.options = table,
	.option_count = sizeof(table) / sizeof(table[0]),
};

/* What was found, to be printed. */
struct result {
	const struct options *options;
	struct journal_view *view;
	struct store_inspection inspection;
	enum { NOT_ASKED, VALID, INVALID } validity;
	struct diag_list diags;
	int code;
};

/* ---- the configuration ---- */

static void add_schema_note(struct result *result, const struct store_rebuilt *rebuilt)
{
	if (!rebuilt->same_schema)
		journal_view_add(result->view, JOURNAL_NOTE, "", 0,
				 "it was written under another schema than the one given; the next start "
				 "with that validates all of it");
}

static int validate(struct result *result, const struct data_dir_schema *schema, struct arena *arena)
{
	const struct store_inspection *inspection = &result->inspection;
	uint64_t version = inspection->fallback != 0 ? inspection->fallback : inspection->sound_version;
	struct store_rebuilt rebuilt = {0};
	diag_list_init(&result->diags, arena, DIAGS_MAX);
	enum status status = store_rebuild(schema->schema, result->view, version, &result->diags, &rebuilt);
	if (status == ST_OK) {
		add_schema_note(result, &rebuilt);
		status = data_dir_validate(schema, rebuilt.root, &result->diags);
	}
	store_rebuilt_fini(&rebuilt, schema->schema);
	if (status == ST_CORRUPT || status == ST_ABSENT)
		journal_view_add(result->view, JOURNAL_DAMAGED, "", 0,
				 "the records that lead to version %" PRIu64
				 " do not fit what was before them",
				 version);
	else if (status == ST_IO)
		return tool_complain("%s: cannot be read", result->options->dir);
	result->validity = status == ST_OK ? VALID : INVALID;
	return -1;
}

static int check_configuration(struct result *result, struct arena *arena)
{
	struct data_dir_schema schema = {0};
	if (result->options->schema.module_count == 0)
		return -1;
	int code = data_dir_schema_load(&result->options->schema, &schema);
	if (code >= 0)
		return code;
	if (result->inspection.sound_version != 0)
		code = validate(result, &schema, arena);
	data_dir_schema_free(&schema);
	return code;
}

/* ---- as text ---- */

static void print_files(const struct result *result)
{
	size_t snapshot_count = journal_view_snapshot_count(result->view),
	       segment_count = journal_view_segment_count(result->view);
	for (size_t i = 0; i < snapshot_count; i++) {
		const struct journal_view_snapshot *told = journal_view_snapshot_at(result->view, i);
		printf("%s: %s, %" PRIu64 " bytes\n", told->name, told->is_whole ? "whole" : "not whole",
		       told->size);
	}
	for (size_t i = 0; i < segment_count; i++) {
		const struct journal_view_segment *told = journal_view_segment_at(result->view, i);
		if (!told->has_header)
			printf("%s: not whole\n", told->name);
		else if (told->last_version < told->first_version)
			printf("%s: no records%s\n", told->name, told->sealed ? ", sealed" : "");
		else
			printf("%s: versions %" PRIu64 " to %" PRIu64 ", %" PRIu64 " of %" PRIu64
			       " bytes used%s\n",
			       told->name, told->first_version, told->last_version, told->end, told->size,
			       told->sealed ? ", sealed" : "");
	}
}

static void print_verdict(const struct result *result)
{
	const struct journal_finding *damage = data_dir_damage(result->view);
	const struct store_inspection *inspection = &result->inspection;
	if (damage != NULL) {
		printf("%s: first at %s%s%s offset %" PRIu64 "\n", data_dir_severity(damage->severity),
		       result->options->dir, damage->file[0] != '\0' ? "/" : "", damage->file,
		       damage->offset);
	} else if (journal_view_is_new(result->view)) {
		printf("whole: there is no configuration yet\n");
	} else {
		printf("whole: version %" PRIu64 "%s\n", inspection->sound_version,
		       result->validity == VALID     ? ", valid"
		       : result->validity == INVALID ? ", but it is not valid"
						     : "");
	}
	if (inspection->fallback != 0)
		printf("a confirmed commit is pending: a start goes back to version %" PRIu64 "\n",
		       inspection->fallback);
}

static void print_text(const struct result *result)
{
	if (!result->options->quiet)
		print_files(result);
	const struct vector *findings = journal_view_findings(result->view);
	for (size_t i = 0; i < findings->length; i++) {
		const struct journal_finding *finding = vector_at(findings, i);
		if (!result->options->quiet || finding->severity >= JOURNAL_DAMAGED)
			data_dir_print_finding(stdout, result->options->dir, finding);
	}
	if (!result->options->quiet || result->code != TOOL_DONE)
		print_verdict(result);
	fflush(stdout);
	if (result->validity == INVALID)
		data_dir_print_diags(&result->diags);
}

/* ---- as JSON ---- */

static void print_json_files(const struct result *result)
{
	size_t snapshot_count = journal_view_snapshot_count(result->view),
	       segment_count = journal_view_segment_count(result->view);
	printf(",\"snapshots\":[");
	for (size_t i = 0; i < snapshot_count; i++) {
		const struct journal_view_snapshot *told = journal_view_snapshot_at(result->view, i);
		printf("%s{\"file\":\"%s\",\"version\":%" PRIu64 ",\"size\":%" PRIu64 ",\"whole\":%s}",
		       i > 0 ? "," : "", told->name, told->version, told->size,
		       told->is_whole ? "true" : "false");
	}
	printf("],\"segments\":[");
	for (size_t i = 0; i < segment_count; i++) {
		const struct journal_view_segment *told = journal_view_segment_at(result->view, i);
		printf("%s{\"file\":\"%s\",\"size\":%" PRIu64, i > 0 ? "," : "", told->name, told->size);
		if (told->has_header)
			printf(",\"first-version\":%" PRIu64 ",\"last-version\":%" PRIu64 ",\"end\":%" PRIu64
			       ",\"sealed\":%s",
			       told->first_version, told->last_version, told->end,
			       told->sealed ? "true" : "false");
		printf("}");
	}
	printf("]");
}

static void print_json_findings(const struct result *result)
{
	const struct vector *findings = journal_view_findings(result->view);
	printf(",\"findings\":[");
	for (size_t i = 0; i < findings->length; i++) {
		const struct journal_finding *finding = vector_at(findings, i);
		printf("%s{\"severity\":\"%s\",\"file\":", i > 0 ? "," : "",
		       data_dir_severity(finding->severity));
		print_quoted(stdout, bytes_of(finding->file));
		printf(",\"offset\":%" PRIu64 ",\"what\":", finding->offset);
		print_quoted(stdout, bytes_of(finding->what));
		printf("}");
	}
	printf("]");
}

static void print_json_errors(const struct result *result)
{
	printf(",\"valid\":%s,\"errors\":[", result->validity == VALID ? "true" : "false");
	for (const struct diag *diag = result->diags.first; diag != NULL; diag = diag->next) {
		printf("%s{\"error-tag\":\"%s\",\"error-path\":", diag != result->diags.first ? "," : "",
		       diag_tag_name(diag->tag));
		print_quoted(stdout, bytes_of(diag->path != NULL ? diag->path : ""));
		printf(",\"error-message\":");
		print_quoted(stdout, bytes_of(diag->message != NULL ? diag->message : ""));
		printf("}");
	}
	printf("]");
}

static void print_json(const struct result *result)
{
	const struct journal_finding *damage = data_dir_damage(result->view);
	printf("{\"directory\":");
	print_quoted(stdout, bytes_of(result->options->dir));
	printf(",\"verdict\":\"%s\",\"version\":%" PRIu64 ",\"records\":%" PRIu64,
	       damage != NULL ? data_dir_severity(damage->severity) : "whole",
	       result->inspection.sound_version, result->inspection.records);
	if (result->inspection.fallback != 0)
		printf(",\"fallback\":%" PRIu64, result->inspection.fallback);
	print_json_files(result);
	print_json_findings(result);
	if (result->validity != NOT_ASKED)
		print_json_errors(result);
	printf("}\n");
}

/* ---- the command ---- */

static int check(const struct options *options, struct arena *arena)
{
	struct result result = {.options = options};
	int code = data_dir_open(options->dir, JOURNAL_VIEW_LIVE, &result.view, &result.inspection);
	if (code >= 0)
		return code;
	code = check_configuration(&result, arena);
	if (code < 0) {
		result.code = data_dir_code(result.view);
		if (result.code == TOOL_DONE && result.validity == INVALID)
			result.code = TOOL_FAILED;
		if (options->json)
			print_json(&result);
		else
			print_text(&result);
		code = result.code;
	}
	journal_view_free(result.view);
	return code;
}

int command_check(int argc, char **argv)
{
	struct options options = {0};
	struct arena *arena = arena_new();
	int code = tool_options_parse(&usage, argc, argv, &options, &options.dir, &options.schema, arena);
	if (code < 0)
		code = check(&options, arena);
	arena_free(arena);
	return code;
}
