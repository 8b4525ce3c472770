/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * yare explain --counters PATH [--class NAME]
 * yare explain [--summary] [--class NAME] [--title TEXT] [--all-modules] [--implement-imports]
 *              --yang-dir DIR... [--module NAME[:FEATURE,...]]...
 *
 * Loads the modules as a server would, makes the plan and prints what it says; nothing is stored. Or asks a
 * running server what its constraints have cost so far.
 */
#include "tool/command.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "os/file.h"
#include "schema/load.h"
#include "tool/ask.h"
#include "tool/explain.h"
#include "tool/explain_counters.h"

#define MODULES_MAX 4096
#define SOURCE_SIZE_MAX ((size_t)64 << 20) /* bytes of a module's file */

struct options {
	const char **dirs;
	size_t dir_count;
	struct schema_module_request *modules; /* MODULES_MAX */
	size_t module_count;
	bool all_modules, implement_imports, summary;
	const char *class, *title, *counters;
};

static const char help[] =
	"Usage: yare explain --yang-dir DIR... --module NAME[:FEATURE,...]... [OPTION]...\n"
	"       yare explain --counters PATH [--class NAME]\n"
	"Prints each constraint of the modules: its class, what makes it due, what it reads, what it "
	"costs.\n"
	"With --counters: how often each was evaluated by a running server, and the time spent.\n\n"
	"  --yang-dir DIR        where modules are searched; repeatable, searched in order\n"
	"  --module NAME[:F,...] a module to implement, with features (* for all); repeatable\n"
	"  --all-modules         all modules of the folders, too, with all features\n"
	"  --implement-imports   imported modules are implemented as well\n"
	"  --summary             a table of how many constraints are in each class instead\n"
	"  --title TEXT          first column of the table\n"
	"  --class NAME          only constraints of that class (local, fan-out, keyed, counted, indexed, "
	"scan)\n"
	"  --counters PATH       UNIX socket of the running server\n"
	"  --help                print this and exit\n";

static const char *const all_features = "*";

static void add_module(struct options *options, const char *text, struct arena *arena)
{
	struct schema_module_request *request = &options->modules[options->module_count++];
	size_t size = strcspn(text, ":");
	*request = (struct schema_module_request){.name = arena_strdup(arena, (struct bytes){text, size})};
	if (text[size] == '\0')
		return;
	const char **features = arena_alloc(arena, strlen(text) * sizeof(*features));
	char *list = arena_strdup(arena, bytes_of(text + size + 1)), *rest;
	for (char *feature = strtok_r(list, ",", &rest); feature; feature = strtok_r(NULL, ",", &rest))
		features[request->feature_count++] = feature;
	request->features = features;
}

/* ---- all modules of a folder ---- */

struct listing {
	struct options *options;
	const char *dir;
	struct arena *arena;
};

static bool is_requested(const struct options *options, struct bytes name)
{
	for (size_t i = 0; i < options->module_count; i++) {
		if (bytes_equal(bytes_of(options->modules[i].name), name))
			return true;
	}
	return false;
}

/* The first statement of the text, comments aside. */
static bool is_submodule(struct bytes text)
{
	const char *at = text.data, *end = text.data + text.size;
	while (at < end) {
		if (strchr(" \t\r\n", *at) != NULL) {
			at++;
			continue;
		}
		bool is_line = end - at > 1 && memcmp(at, "//", 2) == 0;
		bool is_block = end - at > 1 && memcmp(at, "/*", 2) == 0;
		if (!is_line && !is_block)
			break;
		const char *mark = is_line ? "\n" : "*/";
		const char *close = memmem(at + 2, (size_t)(end - at) - 2, mark, strlen(mark));
		at = close == NULL ? end : close + strlen(mark);
	}
	return end - at > 9 && memcmp(at, "submodule", 9) == 0;
}

static bool holds_module(const struct listing *listing, const char *file)
{
	struct buffer text;
	buffer_init(&text, SIZE_MAX);
	const char *path = arena_printf(listing->arena, "%s/%s", listing->dir, file);
	enum status status = os_path_read(path, SOURCE_SIZE_MAX, &text);
	bool holds = status == ST_OK && !is_submodule(buffer_get(&text));
	buffer_fini(&text);
	return holds;
}

static void add_file(const char *file, void *arg)
{
	struct listing *listing = arg;
	struct options *options = listing->options;
	size_t size = strlen(file);
	if (size < 6 || strcmp(file + size - 5, ".yang") != 0 || options->module_count == MODULES_MAX)
		return;
	size_t name = strcspn(file, "@");
	struct bytes module = {file, name < size ? name : size - 5};
	if (is_requested(options, module) || !holds_module(listing, file))
		return;
	options->modules[options->module_count++] = (struct schema_module_request){
		.name = arena_strdup(listing->arena, module), .features = &all_features, .feature_count = 1};
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(((const struct schema_module_request *)a)->name,
		      ((const struct schema_module_request *)b)->name);
}

static enum status add_all_modules(struct options *options, struct arena *arena)
{
	size_t given = options->module_count;
	struct os_fs *fs = os_fs_real();
	for (size_t i = 0; i < options->dir_count; i++) {
		struct listing listing = {.options = options, .dir = options->dirs[i], .arena = arena};
		enum status status = fs->list(fs, options->dirs[i], add_file, &listing);
		if (status != ST_OK)
			return status;
	}
	qsort(options->modules + given, options->module_count - given, sizeof(*options->modules),
	      compare_names);
	return ST_OK;
}

/* ---- the command ---- */

static int report(const struct diag_list *diags, const char *what)
{
	for (const struct diag *diag = diags->first; diag != NULL; diag = diag->next)
		fprintf(stderr, "yare: %s\n", diag->message != NULL ? diag->message : "?");
	fprintf(stderr, "yare: %s\n", what);
	return 1;
}

static void write_out(const struct buffer *out)
{
	struct bytes text = buffer_get(out);
	if (text.size > 0)
		fwrite(text.data, 1, text.size, stdout);
}

static void print(const struct options *options, const struct check_plan *plan)
{
	struct buffer out;
	buffer_init(&out, SIZE_MAX);
	if (options->summary)
		explain_summary(plan, options->title, &out);
	else
		explain_constraints(plan, options->class, &out);
	write_out(&out);
	buffer_fini(&out);
}

static int explain(struct options *options, struct arena *arena)
{
	struct diag_list diags;
	diag_list_init(&diags, arena, 20);
	if (options->all_modules && add_all_modules(options, arena) != ST_OK)
		return report(&diags, "a folder cannot be read");
	struct schema_source source = {.search_dirs = options->dirs,
				       .search_dir_count = options->dir_count,
				       .modules = options->modules,
				       .module_count = options->module_count,
				       .implement_imports = options->implement_imports};
	struct schema *schema;
	if (schema_load(&source, &diags, &schema) != ST_OK)
		return report(&diags, "the modules do not load");
	struct check_plan *plan;
	enum status status = check_plan_new(schema, &diags, &plan);
	schema_unref(schema);
	if (status != ST_OK)
		return report(&diags, "the constraints do not compile");
	print(options, plan);
	check_plan_free(plan);
	return 0;
}

static int count(const struct options *options, struct arena *arena)
{
	static const char get[] = "<get><filter><constraints xmlns=\"urn:yare:constraints\"/></filter></get>";
	struct element *reply;
	const char *problem;
	if (ask_server(options->counters, get, arena, &reply, &problem) != ST_OK) {
		fprintf(stderr, "yare: %s: %s\n", options->counters, problem);
		return 1;
	}
	struct buffer out;
	buffer_init(&out, SIZE_MAX);
	enum status status = explain_counters(reply, options->class, arena, &out);
	if (status == ST_OK)
		write_out(&out);
	else
		fprintf(stderr, "yare: %s: the server does not tell\n", options->counters);
	buffer_fini(&out);
	return status == ST_OK ? 0 : 1;
}

static int usage(const char *problem)
{
	fprintf(stderr, "yare: %s; see yare explain --help\n", problem);
	return 2;
}

static bool set_option(struct options *options, int option, struct arena *arena)
{
	switch (option) {
	case 'd':
		options->dirs[options->dir_count++] = optarg;
		return true;
	case 'm':
		if (options->module_count < MODULES_MAX)
			add_module(options, optarg, arena);
		return true;
	case 'a':
		options->all_modules = true;
		return true;
	case 'i':
		options->implement_imports = true;
		return true;
	case 's':
		options->summary = true;
		return true;
	case 't':
		options->title = optarg;
		return true;
	case 'c':
		options->class = optarg;
		if (!explain_is_class(optarg))
			(void)usage("--class: local, fan-out, keyed, counted, indexed or scan");
		return explain_is_class(optarg);
	case 'n':
		options->counters = optarg;
		return true;
	default:
		return false;
	}
}

static int parse_and_run(int argc, char **argv, struct arena *arena)
{
	static const struct option longs[] = {
		{"yang-dir", required_argument, NULL, 'd'}, {"module", required_argument, NULL, 'm'},
		{"all-modules", no_argument, NULL, 'a'},    {"implement-imports", no_argument, NULL, 'i'},
		{"summary", no_argument, NULL, 's'},	    {"title", required_argument, NULL, 't'},
		{"class", required_argument, NULL, 'c'},    {"counters", required_argument, NULL, 'n'},
		{"help", no_argument, NULL, 'h'},	    {NULL, 0, NULL, 0}};
	struct options options = {
		.dirs = arena_zalloc(arena, (size_t)argc * sizeof(*options.dirs)),
		.modules = arena_zalloc(arena, MODULES_MAX * sizeof(*options.modules)),
		.title = "-",
	};
	optind = 1;
	for (int option; (option = getopt_long(argc, argv, "", longs, NULL)) != -1;) {
		if (option == 'h') {
			fputs(help, stdout);
			return 0;
		}
		if (!set_option(&options, option, arena))
			return 2; /* it has been said what */
	}
	if (optind < argc)
		return usage("an argument that is no option");
	if (options.counters != NULL)
		return count(&options, arena);
	if (options.module_count == 0 && !options.all_modules)
		return usage("neither --module nor --all-modules");
	if (options.all_modules && options.dir_count == 0)
		return usage("--all-modules needs --yang-dir");
	return explain(&options, arena);
}

int command_explain(int argc, char **argv)
{
	struct arena *arena = arena_new();
	int code = parse_and_run(argc, argv, arena);
	arena_free(arena);
	return code;
}
