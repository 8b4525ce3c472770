/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * yare export DIR: a version of a data directory as YANG instance data (RFC 9195), beside a server or without
 * one: a backup that does not stop anything. The version is rebuilt from a snapshot and the records around it
 * (store/inspect.h) and encoded as stored: explicit values only, annotations, user order; import brings
 * exactly that back.
 *
 * Within a confirmed commit the version to go back to is exported unless another is asked for: what is not
 * confirmed yet is not to survive a restart (RFC 6241 8.4.1), so it is not to come back from a backup either.
 * The startup datastore is rebuilt likewise; a candidate is nowhere in a directory.
 */
#include "tool/command.h"
#include <inttypes.h>
#include <stdio.h>
#include "codec/json_encoder.h"
#include "codec/xml_encoder.h"
#include "server/instance_json.h"
#include "tool/data_dir.h"
#include "tool/print.h"

#define CHUNK ((size_t)256 << 10) /* bytes */
#define BUDGET 100000		  /* nodes a step */
#define DIAGS_MAX 100
#define NEWEST UINT64_MAX /* no --version */

struct options {
	uint64_t version;
	const char *format, *output, *datastore;
	bool data_only, damaged;
	const char *dir;
	struct server_options schema;
};

static const struct tool_option table[] = {
	{"version", "VERSION", TOOL_NUMBER, offsetof(struct options, version),
	 "this version; default: the one that a start would come up with"},
	{"datastore", "running|startup", TOOL_TEXT, offsetof(struct options, datastore), "default: running"},
	{"format", "xml|json", TOOL_TEXT, offsetof(struct options, format), "default: xml"},
	{"output", "FILE", TOOL_TEXT, offsetof(struct options, output),
	 "there instead of standard output; whole and synced, or not at all"},
	{"data-only", NULL, TOOL_FLAG, offsetof(struct options, data_only),
	 "the data alone, without instance-data-set around it"},
	{"damaged", NULL, TOOL_FLAG, offsetof(struct options, damaged),
	 "also what can be proven of a directory that is damaged"},
	TOOL_SCHEMA_OPTIONS,
};

static const struct tool_usage usage = {
	.command = "export",
	.arguments = "DIR",
	.argument_count = 1,
	.summary =
		"Prints the configuration in the data directory DIR, which a server may be using, as YANG\n"
		"instance data (RFC 9195).\n"
		"Exit code: 0 done, 1 damaged, or the modules do not fit, 2 it cannot be read or written.",
	.options = table,
	.option_count = sizeof(table) / sizeof(table[0]),
};

struct exporting {
	const struct options *options;
	const struct data_dir_schema *schema;
	const struct store_rebuilt *rebuilt;
	uint64_t version;
	bool json;
	/* Where it goes: */
	struct os_file *file; /* NULL: standard output */
	uint64_t offset;
	struct buffer out;
};

/* ---- output ---- */

static enum status flush(struct exporting *e)
{
	struct bytes bytes = buffer_get(&e->out);
	enum status status = ST_OK;
	if (e->file != NULL && bytes.size > 0)
		status = e->file->fs->write(e->file, e->offset, bytes);
	else if (bytes.size > 0 && fwrite(bytes.data, 1, bytes.size, stdout) != bytes.size)
		status = ST_IO;
	e->offset += bytes.size;
	buffer_clear(&e->out, SIZE_MAX);
	return status;
}

static enum status put(struct exporting *e, const char *text)
{
	return buffer_append(&e->out, bytes_of(text));
}

/* ---- the envelope ---- */

/* A leaf with a text that needs no escaping. */
static enum status put_leaf(struct exporting *e, const char *name, const char *text)
{
	return buffer_printf(&e->out, e->json ? "\"%1$s\":\"%2$s\"," : "<%1$s>%2$s</%1$s>\n", name, text);
}

static enum status put_description(struct exporting *e)
{
	return buffer_printf(&e->out,
			     e->json ? "\"description\":[\"version %" PRIu64 "\"],"
				     : "<description>version %" PRIu64 "</description>\n",
			     e->version);
}

static enum status put_datastore(struct exporting *e)
{
	return buffer_printf(&e->out,
			     e->json ? "\"datastore\":\"ietf-datastores:%s\","
				     : "<datastore xmlns:ds=\"urn:ietf:params:xml:ns:yang:ietf-datastores\">"
				       "ds:%s</datastore>\n",
			     e->options->datastore);
}

static enum status put_head(struct exporting *e)
{
	if (e->options->data_only)
		return ST_OK;
	enum status status = put(e, e->json ? "{\"ietf-yang-instance-data:instance-data-set\":{"
					    : "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
					      "<instance-data-set xmlns=\"" INSTANCE_DATA_NS "\">\n");
	if (status == ST_OK)
		status = put_leaf(e, "format-version", "2022-02-17");
	if (status == ST_OK)
		status = put_leaf(e, "includes-defaults", "explicit");
	if (status == ST_OK)
		status = put_description(e);
	if (status == ST_OK)
		status = put_datastore(e);
	const struct store_version *info = e->rebuilt->info;
	char time[PRINT_TIME_SIZE];
	if (status == ST_OK && info != NULL)
		status = put_leaf(e, "timestamp", print_time(info->time_ns, time));
	return status == ST_OK ? put(e, e->json ? "\"content-data\":" : "<content-data>") : status;
}

static enum status put_end(struct exporting *e)
{
	if (e->options->data_only)
		return put(e, "\n");
	return put(e, e->json ? "}}\n" : "</content-data>\n</instance-data-set>\n");
}

/* ---- the data ---- */

static enum status put_xml(struct exporting *e)
{
	struct xml_encoder *encoder = xml_encoder_new(e->schema->schema, e->rebuilt->root, NULL, NULL);
	enum status status = ST_OK;
	for (bool done = false; status == ST_OK && !done;) {
		status = xml_encoder_run(encoder, &e->out, CHUNK, BUDGET, &done);
		if (status == ST_OK)
			status = flush(e);
	}
	xml_encoder_free(encoder);
	return status;
}

static enum status put_json(struct exporting *e)
{
	struct json_encoder *encoder = json_encoder_new(e->schema->schema, e->rebuilt->root, NULL, NULL, 0);
	enum status status = ST_OK;
	for (bool done = false; status == ST_OK && !done;) {
		status = json_encoder_run(encoder, &e->out, CHUNK, BUDGET, &done);
		if (status == ST_OK)
			status = flush(e);
	}
	size_t formless = json_encoder_formless(encoder);
	if (formless > 0)
		fprintf(stderr,
			"yare: %zu anydata or anyxml have content that JSON has no form for, so that import "
			"does "
			"not give it back; --format xml does.\n",
			formless);
	json_encoder_free(encoder);
	return status;
}

static enum status put_all(struct exporting *e)
{
	enum status status = put_head(e);
	if (status == ST_OK)
		status = e->json ? put_json(e) : put_xml(e);
	if (status == ST_OK)
		status = put_end(e);
	return status == ST_OK ? flush(e) : status;
}

/* Under a temporary name until it is whole. */
static enum status put_file(struct exporting *e, const char *path)
{
	struct os_fs *fs = os_fs_real();
	struct arena *arena = arena_new();
	const char *temporary = arena_printf(arena, "%s.tmp", path), *slash = strrchr(path, '/');
	const char *dir =
		slash == NULL ? "." : arena_strdup(arena, (struct bytes){path, (size_t)(slash - path) + 1});
	enum status status = fs->open(fs, temporary, OS_OPEN_CREATE, &e->file);
	bool is_open = status == ST_OK;
	if (status == ST_OK)
		status = fs->truncate(e->file, 0);
	if (status == ST_OK)
		status = put_all(e);
	if (status == ST_OK)
		status = fs->sync(e->file);
	fs->close(e->file);
	if (status == ST_OK)
		status = fs->rename(fs, temporary, path);
	if (status == ST_OK)
		status = fs->sync_dir(fs, dir);
	else if (is_open && fs->unlink(fs, temporary) != ST_OK)
		tool_complain("%s: left over", temporary);
	arena_free(arena);
	return status;
}

static int write_out(struct exporting *e)
{
	const char *path = e->options->output;
	buffer_init(&e->out, SIZE_MAX);
	enum status status = path != NULL ? put_file(e, path) : put_all(e);
	if (status == ST_OK && path == NULL && fflush(stdout) != 0)
		status = ST_IO;
	buffer_fini(&e->out);
	if (status != ST_OK)
		return tool_complain("%s: cannot be written: %s", path != NULL ? path : "standard output",
				     status_name(status));
	return TOOL_DONE;
}

/* ---- the command ---- */

static int refuse(const struct diag_list *diags, const char *dir, uint64_t version, enum status status)
{
	data_dir_print_diags(diags);
	if (status == ST_ABSENT)
		tool_complain("%s: version %" PRIu64 " is not kept", dir, version);
	else if (status == ST_REJECTED)
		tool_complain("%s: these modules have no place for what version %" PRIu64 " has", dir,
			      version);
	else if (status == ST_CORRUPT)
		tool_complain("%s: the records of version %" PRIu64 " do not fit what is before them", dir,
			      version);
	else if (status != ST_BUSY)
		return tool_complain("%s: cannot be read: %s", dir, status_name(status));
	return TOOL_FAILED;
}

static bool is_startup(const struct options *options)
{
	return strcmp(options->datastore, "startup") == 0;
}

/* Of a version whose startup cannot be rebuilt: whether that is because it is gone, or because no record or
 * snapshot that is left tells what startup was, as before the first that does. Says the latter. */
static enum status startup_absent(const struct options *options, const struct schema *schema,
				  const struct journal_view *view, uint64_t version, struct diag_list *diags)
{
	struct store_rebuilt running;
	if (store_rebuild(schema, view, version, diags, &running) != ST_OK)
		return ST_ABSENT;
	store_rebuilt_fini(&running, schema);
	tool_complain("%s: what startup was in version %" PRIu64 " is not known: nothing that is kept tells",
		      options->dir, version);
	return ST_BUSY;
}

/* Fails also: ST_BUSY, there is none to be exported, which is said. */
static enum status rebuild(const struct options *options, const struct schema *schema,
			   const struct journal_view *view, uint64_t version, struct diag_list *diags,
			   struct store_rebuilt *rebuilt)
{
	enum store_startup_kind kind;
	if (!is_startup(options))
		return store_rebuild(schema, view, version, diags, rebuilt);
	enum status status = store_rebuild_startup(schema, view, version, diags, &kind, rebuilt);
	if (status == ST_ABSENT)
		return startup_absent(options, schema, view, version, diags);
	if (status != ST_OK || kind == STORE_STARTUP_KEPT)
		return status;
	tool_complain("%s: %s in version %" PRIu64, options->dir,
		      kind == STORE_STARTUP_DELETED ? "startup was deleted"
						    : "there was no startup datastore",
		      version);
	return ST_BUSY;
}

static int export_version(const struct options *options, const struct journal_view *view, uint64_t version)
{
	struct data_dir_schema schema;
	int code = data_dir_schema_load(&options->schema, &schema);
	if (code >= 0)
		return code;
	struct arena *arena = arena_new();
	struct diag_list diags;
	struct store_rebuilt rebuilt = {0};
	diag_list_init(&diags, arena, DIAGS_MAX);
	enum status status = rebuild(options, schema.schema, view, version, &diags, &rebuilt);
	struct exporting exporting = {.options = options,
				      .schema = &schema,
				      .rebuilt = &rebuilt,
				      .version = version,
				      .json = strcmp(options->format, "json") == 0};
	code = status == ST_OK ? write_out(&exporting) : refuse(&diags, options->dir, version, status);
	store_rebuilt_fini(&rebuilt, schema.schema);
	arena_free(arena);
	data_dir_schema_free(&schema);
	return code;
}

static int export_view(const struct options *options, const struct journal_view *view,
		       const struct store_inspection *inspection)
{
	const struct journal_finding *damage = data_dir_damage(view);
	if (damage != NULL && !options->damaged) {
		data_dir_print_finding(stderr, options->dir, damage);
		tool_complain("%s: damaged; --damaged exports what can be proven", options->dir);
		return data_dir_code(view);
	}
	if (inspection->sound_version == 0) {
		tool_complain("%s: there is no configuration", options->dir);
		return TOOL_FAILED;
	}
	uint64_t version = options->version;
	/* Startup is no part of what is taken back. */
	if (version == NEWEST && is_startup(options))
		version = inspection->sound_version;
	if (version == NEWEST && inspection->fallback != 0)
		fprintf(stderr,
			"yare: a confirmed commit is pending: this is version %" PRIu64
			", which a start goes back to\n",
			inspection->fallback);
	if (version == NEWEST)
		version = inspection->fallback != 0 ? inspection->fallback : inspection->sound_version;
	return export_version(options, view, version);
}

static int export_dir(const struct options *options)
{
	if (strcmp(options->format, "xml") != 0 && strcmp(options->format, "json") != 0)
		return tool_complain("--format: xml or json");
	if (strcmp(options->datastore, "running") != 0 && !is_startup(options))
		return tool_complain("--datastore: running or startup; a directory has no other");
	if (options->schema.module_count == 0)
		return tool_complain("no --module");
	struct journal_view *view;
	struct store_inspection inspection;
	int code = data_dir_open(options->dir, JOURNAL_VIEW_LIVE, &view, &inspection);
	if (code >= 0)
		return code;
	code = export_view(options, view, &inspection);
	journal_view_free(view);
	return code;
}

int command_export(int argc, char **argv)
{
	struct options options = {.version = NEWEST, .format = "xml", .datastore = "running"};
	struct arena *arena = arena_new();
	int code = tool_options_parse(&usage, argc, argv, &options, &options.dir, &options.schema, arena);
	if (code < 0)
		code = export_dir(&options);
	arena_free(arena);
	return code;
}
