/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Data directories as commands open them: what cannot be read is said here, in one way, and so are findings
 * and refusals. The modules are loaded as yared does it, so that fingerprints agree.
 */
#include "tool/data_dir.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include "base/log.h"
#include "check/settle.h"
#include "os/pieces.h"
#include "server/yang_path.h"
#include "tool/print.h"

#define DIAGS_MAX 100
#define CHECK_STEPS 1000000000u /* as yared has by default */
#define CHECK_NODES 10000000u

/* A view holds a descriptor for each file of the directory, and of segments there may be many. */
static void raise_descriptor_limit(void)
{
	struct rlimit limit;
	if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == limit.rlim_max)
		return;
	limit.rlim_cur = limit.rlim_max;
	if (setrlimit(RLIMIT_NOFILE, &limit) != 0)
		log_debug("the limit of open files stays as it is");
}

int data_dir_open(const char *dir, enum journal_view_mode mode, struct journal_view **view,
		  struct store_inspection *inspection)
{
	raise_descriptor_limit();
	enum status status = journal_view_open(os_fs_real(), dir, mode, view);
	switch (status) {
	case ST_OK:
		break;
	case ST_ABSENT:
		return tool_complain("%s: there is no such directory", dir);
	case ST_BUSY:
		return tool_complain("%s: a server moves its files faster than they can be opened", dir);
	case ST_IO:
	case ST_LIMIT:
	case ST_CORRUPT:
	case ST_REJECTED:
		return tool_complain("%s: cannot be read: %s", dir, status_name(status));
	}
	status = store_inspect(*view, inspection);
	if (status == ST_OK)
		return -1;
	journal_view_free(*view);
	return tool_complain("%s: cannot be read: %s", dir, status_name(status));
}

/* ---- schema ---- */

static int load(const struct server_options *options, struct arena *arena, struct data_dir_schema *schema)
{
	struct diag_list diags;
	struct schema_source source;
	diag_list_init(&diags, arena, DIAGS_MAX);
	yang_path_source(options, arena, &source);
	*schema = (struct data_dir_schema){0};
	enum status status = schema_load(&source, &diags, &schema->schema);
	if (status == ST_OK)
		status = check_plan_new(schema->schema, &diags, &schema->plan);
	if (status == ST_OK)
		return -1;
	data_dir_print_diags(&diags);
	data_dir_schema_free(schema);
	return tool_complain("the modules do not load");
}

int data_dir_schema_load(const struct server_options *options, struct data_dir_schema *schema)
{
	if (options->module_count == 0)
		return tool_complain("no --module");
	/* The canonical form of date-and-time names an offset (RFC 6991 3): it must not move with the host's
	 * zone. */
	setenv("TZ", "UTC", 1);
	struct arena *arena = arena_new();
	int code = load(options, arena, schema);
	arena_free(arena);
	return code;
}

void data_dir_schema_free(struct data_dir_schema *schema)
{
	if (schema->plan != NULL)
		check_plan_free(schema->plan);
	if (schema->schema != NULL)
		schema_unref(schema->schema);
	*schema = (struct data_dir_schema){0};
}

struct check_options data_dir_check_options(void)
{
	return (struct check_options){.steps = CHECK_STEPS,
				      .max_nodes = CHECK_NODES,
				      .threads = {.count = (unsigned)os_processors()}};
}

enum status data_dir_validate(const struct data_dir_schema *schema, const struct tree_record *root,
			      struct diag_list *diags)
{
	struct check_options options = data_dir_check_options();
	options.full = true;
	struct arena *arena = arena_new();
	struct tree_record *empty = tree_record_new(), *settled = tree_record_ref(root);
	struct tree_change_set changes;
	tree_diff(schema->schema, empty, root, arena, &changes);
	enum status status = check_settle(schema->plan, &options, empty, &settled, diags);
	if (status == ST_OK)
		status = check_changes(schema->plan, &changes, &options, diags);
	tree_record_unref(settled, schema->schema->root, NULL);
	tree_record_unref(empty, schema->schema->root, NULL);
	arena_free(arena);
	return status;
}

void data_dir_print_diags(const struct diag_list *diags)
{
	for (const struct diag *diag = diags->first; diag != NULL; diag = diag->next) {
		fprintf(stderr, "yare: %s", diag_tag_name(diag->tag));
		if (diag->app_tag != NULL)
			fprintf(stderr, " (%s)", diag->app_tag);
		if (diag->path != NULL) {
			fputs(" at ", stderr);
			print_plain(stderr, bytes_of(diag->path));
		}
		fputs(": ", stderr);
		print_plain(stderr, bytes_of(diag->message != NULL ? diag->message : "refused"));
		fputc('\n', stderr);
	}
	if (diags->dropped > 0)
		fprintf(stderr, "yare: and %zu more\n", diags->dropped);
}

/* ---- findings ---- */

const char *data_dir_severity(enum journal_severity severity)
{
	switch (severity) {
	case JOURNAL_NOTE:
		return "note";
	case JOURNAL_TAIL:
		return "tail";
	case JOURNAL_DAMAGED:
		return "damage";
	case JOURNAL_NEWER:
		return "newer-format";
	}
	return "";
}

const struct journal_finding *data_dir_damage(const struct journal_view *view)
{
	const struct vector *findings = journal_view_findings(view);
	enum journal_severity verdict = journal_view_verdict(view);
	for (size_t i = 0; i < findings->length && verdict >= JOURNAL_DAMAGED; i++) {
		const struct journal_finding *finding = vector_at(findings, i);
		if (finding->severity == verdict)
			return finding;
	}
	return NULL;
}

void data_dir_print_finding(FILE *out, const char *dir, const struct journal_finding *finding)
{
	fprintf(out, "%s%s%s: %s", dir, finding->file[0] != '\0' ? "/" : "", finding->file,
		data_dir_severity(finding->severity));
	if (finding->file[0] != '\0')
		fprintf(out, " at offset %" PRIu64, finding->offset);
	fprintf(out, ": %s\n", finding->what);
}

const char *data_dir_startup(const struct store_version *info)
{
	switch (info->startup_change) {
	case STORE_STARTUP_UNCHANGED:
		return NULL;
	case STORE_STARTUP_GIVEN_UP:
		return "given up";
	case STORE_STARTUP_REMOVED:
		return "deleted";
	case STORE_STARTUP_IS_RUNNING:
		return "a copy of running";
	case STORE_STARTUP_REPLACED:
		return "replaced";
	}
	return NULL;
}

void data_dir_print_version(const struct store_version *info, const char *label)
{
	char time[PRINT_TIME_SIZE];
	printf("version %" PRIu64 "  %s  ", info->id, print_time(info->time_ns, time));
	print_plain(stdout, bytes_of(info->user[0] != '\0' ? info->user : "server"));
	if (info->session_id != 0)
		printf("  session %" PRIu32, info->session_id);
	if (info->address[0] != '\0') {
		printf("  ");
		print_plain(stdout, bytes_of(info->address));
	}
	printf("  %" PRIu64 " change%s", info->change_count, info->change_count == 1 ? "" : "s");
	if (info->fallback != 0)
		printf("  confirmed, else back to %" PRIu64, info->fallback);
	if (data_dir_startup(info) != NULL)
		printf("  startup: %s", data_dir_startup(info));
	if (!info->valid)
		printf("  not validated");
	if (label != NULL) {
		printf("  label ");
		print_quoted(stdout, bytes_of(label));
	}
	if (info->comment != NULL) {
		printf("  ");
		print_quoted(stdout, bytes_of(info->comment));
	}
	printf("\n");
}

int data_dir_code(const struct journal_view *view)
{
	switch (journal_view_verdict(view)) {
	case JOURNAL_NOTE:
	case JOURNAL_TAIL:
		return TOOL_DONE;
	case JOURNAL_DAMAGED:
		return TOOL_FAILED;
	case JOURNAL_NEWER:
		return TOOL_USAGE;
	}
	return TOOL_USAGE;
}
