/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * yare import DIR FILE: a configuration becomes a data directory, or with --replace the next version of one.
 * It is read and validated in full before anything is touched; then the directory is opened as yared opens
 * it, so a server that has it keeps this out, and a replacement is an ordinary commit with a record of its
 * own.
 */
#include "tool/command.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include "base/log.h"
#include "schema/fingerprint.h"
#include "server/init_file.h"
#include "store/recover.h"
#include "tool/data_dir.h"

#define DIAGS_MAX 100
#define SEGMENT_SIZE (16u << 20) /* bytes, as yared has by default */
#define SNAPSHOTS 2
#define HISTORY 100

struct options {
	bool replace;
	const char *comment, *format;
	const char *arguments[2]; /* directory, file */
	struct server_options schema;
};

static const struct tool_option table[] = {
	{"replace", NULL, TOOL_FLAG, offsetof(struct options, replace),
	 "DIR has a configuration already: this becomes its next version"},
	{"comment", "TEXT", TOOL_TEXT, offsetof(struct options, comment), "of that version"},
	{"format", "xml|json", TOOL_TEXT, offsetof(struct options, format), "of FILE; default: as it begins"},
	TOOL_SCHEMA_OPTIONS,
};

static const struct tool_usage usage = {
	.command = "import",
	.arguments = "DIR FILE",
	.argument_count = 2,
	.summary =
		"Makes a data directory of FILE: YANG instance data (RFC 9195) as yare export prints it, or\n"
		"top-level nodes, bare or in one <config> or <data>. A server must not be using DIR.\n"
		"Exit code: 0 done, 1 FILE is not valid, 2 DIR is in use, not empty or cannot be written.",
	.options = table,
	.option_count = sizeof(table) / sizeof(table[0]),
};

struct importing {
	const struct options *options;
	const char *dir, *file;
	const struct data_dir_schema *schema;
	struct tree_record *root;
	struct diag_list diags;
	struct journal *journal;
	struct store_recovery *recovery;
};

/* ---- the file ---- */

static int load(struct importing *in)
{
	enum init_file_format format = INIT_FILE_ANY;
	if (in->options->format != NULL && strcmp(in->options->format, "xml") == 0)
		format = INIT_FILE_XML;
	else if (in->options->format != NULL)
		format = INIT_FILE_JSON;
	enum status status = init_file_load_as(in->schema->schema, in->file, format, &in->diags, &in->root);
	if (status == ST_OK)
		status = data_dir_validate(in->schema, in->root, &in->diags);
	if (status == ST_OK)
		return -1;
	data_dir_print_diags(&in->diags);
	tool_complain("%s: %s; %s is as it was", in->file,
		      status == ST_REJECTED ? "refused" : "cannot be read", in->dir);
	return status == ST_REJECTED ? TOOL_FAILED : TOOL_USAGE;
}

/* ---- the directory ---- */

static enum status open_journal(struct importing *in)
{
	struct journal_disk_options disk = {.fs = os_fs_real(),
					    .dir = in->dir,
					    .segment_size = SEGMENT_SIZE,
					    .snapshot_count = SNAPSHOTS,
					    .history = HISTORY};
	schema_fingerprint(in->schema->schema, disk.fingerprint);
	return journal_disk_open(&disk, &in->journal);
}

struct waiting {
	struct store_waiter waiter;
	enum status status;
};

static void answered(struct store_waiter *waiter, enum status status)
{
	((struct waiting *)waiter)->status = status;
}

/* The next version, by the pipeline that every change goes through. */
static enum status replace(struct importing *in)
{
	const char *user = getenv("USER");
	struct store_actor actor = {0, user != NULL ? user : "", "import"};
	struct store_call call = {
		.actor = &actor, .diags = &in->diags, .comment = in->options->comment, .wait = STORE_WAIT};
	struct store_options options = {.schema = in->schema->schema,
					.plan = in->schema->plan,
					.journal = in->journal,
					.durability = STORE_FULL,
					.check = data_dir_check_options(),
					.recovery = in->recovery,
					.history_length = HISTORY};
	struct store *store;
	struct store_answer answer = {0};
	enum status status = store_open(&options, &in->diags, &store);
	if (status != ST_OK)
		return status;
	struct waiting waiting = {.waiter = {.done = answered}, .status = ST_OK};
	status = store_replace(store, STORE_RUNNING, &call, in->root, &answer);
	waiting.waiter.version = answer.after;
	if (status == ST_OK)
		store_await(store, &waiting.waiter);
	store_close(store); /* answers whoever waits */
	return status == ST_OK ? waiting.status : status;
}

static enum status fill(struct importing *in)
{
	bool is_new = journal_disk_is_new(in->journal);
	struct store_recover_options options = {.schema = in->schema->schema,
						.journal = in->journal,
						.history = HISTORY,
						.initial_root = in->root};
	enum status status = store_recover(&options, &in->diags, &in->recovery);
	if (status == ST_OK && !is_new)
		status = replace(in);
	store_recovery_free(in->recovery);
	return status == ST_OK ? journal_disk_seal(in->journal) : status;
}

static int store_root(struct importing *in)
{
	enum status status = open_journal(in);
	if (status == ST_BUSY)
		return tool_complain("%s: a server uses this data directory; nothing was changed", in->dir);
	if (status != ST_OK)
		return tool_complain("%s: cannot be opened: %s", in->dir, status_name(status));
	int code = TOOL_DONE;
	if (!journal_disk_is_new(in->journal) && !in->options->replace)
		code = tool_complain("%s: has a configuration; --replace makes this its next version",
				     in->dir);
	else
		status = fill(in);
	in->journal->ops->close(in->journal);
	if (status == ST_OK)
		return code;
	data_dir_print_diags(&in->diags);
	tool_complain("%s: not imported: %s", in->dir, status_name(status));
	return status == ST_REJECTED ? TOOL_FAILED : TOOL_USAGE;
}

static int import(const struct options *options, struct arena *arena)
{
	struct data_dir_schema schema;
	const char *format = options->format;
	if (format != NULL && strcmp(format, "xml") != 0 && strcmp(format, "json") != 0)
		return tool_complain("--format: xml or json");
	int code = data_dir_schema_load(&options->schema, &schema);
	if (code >= 0)
		return code;
	struct importing in = {.options = options,
			       .dir = options->arguments[0],
			       .file = options->arguments[1],
			       .schema = &schema};
	diag_list_init(&in.diags, arena, DIAGS_MAX);
	code = load(&in);
	if (code < 0)
		code = store_root(&in);
	if (in.root != NULL)
		tree_record_unref(in.root, schema.schema->root, NULL);
	data_dir_schema_free(&schema);
	return code;
}

int command_import(int argc, char **argv)
{
	struct options options = {0};
	struct arena *arena = arena_new();
	log_set_level(LOG_LEVEL_WARNING);
	int code =
		tool_options_parse(&usage, argc, argv, &options, options.arguments, &options.schema, arena);
	if (code < 0)
		code = import(&options, arena);
	arena_free(arena);
	return code;
}
