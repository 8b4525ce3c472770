/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The schema source of the server: the modules of the command line and, after them, the standard modules that
 * the server implements itself; the user's come first so that revisions of what both import are the user's.
 * The list of features of ietf-netconf is a promise of the operations in netconf/: what is announced in the
 * hello is made from it.
 *
 * Bundled modules are in the folder yang/, found from where the program is: installed it is
 * PREFIX/bin/yared beside PREFIX/share/yare/yang, built it is SOURCE/build/yared below SOURCE/yang; from a
 * build folder elsewhere the source's place at compile time helps.
 */
#include "server/yang_path.h"

#include <unistd.h>

#include "base/assert.h"

#define PATH_SIZE 4096 /* bytes */

static const char *const host_dirs[] = {
	"/usr/share/yang/modules/libyang",
	"/usr/local/share/yang/modules/libyang",
	"/usr/share/yang",
	"/usr/local/share/yang",
	"/usr/share/yuma/modules/ietf",
	"/usr/share/yuma/nmda-modules/ietf",
};

/* Always, and such as an option brings. */
static const char *const netconf_features[] = {"writable-running",  "candidate", "confirmed-commit",
					       "rollback-on-error", "validate",	 "xpath"};

static const char *const txid_features[] = {"last-modified"};
static const char *const nmda_features[] = {"origin", "with-defaults"};

static const struct schema_module_request standard_modules[] = {
	{.name = "ietf-netconf",
	 .revision = "2011-06-01",
	 .features = netconf_features,
	 .feature_count = sizeof(netconf_features) / sizeof(netconf_features[0])},
	{.name = "ietf-netconf-monitoring", .revision = "2010-10-04"},
	{.name = "ietf-netconf-partial-lock", .revision = "2009-10-19"},
	{.name = "ietf-netconf-with-defaults", .revision = "2011-06-01"},
	{.name = "ietf-netconf-nmda",
	 .revision = "2019-01-07",
	 .features = nmda_features,
	 .feature_count = sizeof(nmda_features) / sizeof(nmda_features[0])},
	{.name = "ietf-origin", .revision = "2018-02-14"},
	{.name = "ietf-datastores", .revision = "2018-02-14"},
	{.name = "ietf-nmda-compare", .revision = "2021-12-10"},
	{.name = "ietf-netconf-txid",
	 .revision = "2025-08-01",
	 .features = txid_features,
	 .feature_count = sizeof(txid_features) / sizeof(txid_features[0])},
	{.name = "ietf-yang-library", .revision = "2019-01-04"},
	{.name = "yare-transport", .revision = "2026-11-30"},
	{.name = "yare-constraints", .revision = "2026-11-30"},
	{.name = "yare-history", .revision = "2026-11-30"},
};

static const char *const factory_features[] = {"factory-default-datastore"};

/* With --factory-default. */
static const struct schema_module_request factory_module = {.name = "ietf-factory-default",
							    .revision = "2020-08-31",
							    .features = factory_features,
							    .feature_count = 1};

#define HOST_DIR_COUNT (sizeof(host_dirs) / sizeof(host_dirs[0]))
#define BUNDLED_DIRS_MAX 3
#define STANDARD_COUNT (sizeof(standard_modules) / sizeof(standard_modules[0]))

struct dirs {
	const char **items;
	size_t length;
};

static void add_dir(struct dirs *dirs, const char *path)
{
	if (access(path, R_OK | X_OK) == 0)
		dirs->items[dirs->length++] = path;
}

/* The folder of a path, without its end; "" where it names none. */
static struct bytes folder_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	return (struct bytes){path, slash == NULL ? 0 : (size_t)(slash - path)};
}

static void add_below(struct dirs *dirs, struct arena *arena, struct bytes folder, const char *path)
{
	if (folder.size > 0)
		add_dir(dirs, arena_printf(arena, "%.*s/%s", (int)folder.size, folder.data, path));
}

static void add_bundled_dirs(struct dirs *dirs, struct arena *arena)
{
	char program[PATH_SIZE];
	ssize_t size = readlink("/proc/self/exe", program, sizeof(program) - 1);
	program[size < 0 ? 0 : size] = '\0';
	add_below(dirs, arena, folder_of(program), "../share/yare/yang");
	add_below(dirs, arena, folder_of(program), "../yang");
	add_below(dirs, arena, folder_of(__FILE__), "../../yang");
}

static bool is_standard(const char *name)
{
	for (size_t i = 0; i < STANDARD_COUNT; i++)
		if (strcmp(standard_modules[i].name, name) == 0)
			return true;
	return false;
}

/* Features of ietf-netconf that options bring. */
static void add_features(const struct server_options *options, struct arena *arena,
			 struct schema_module_request *module)
{
	const char **features = arena_alloc(arena, (module->feature_count + 2) * sizeof(*features));
	size_t count = module->feature_count;
	memcpy(features, module->features, count * sizeof(*features));
	if (options->separate_startup)
		features[count++] = "startup";
	if (options->url_dir != NULL)
		features[count++] = "url";
	module->features = features;
	module->feature_count = count;
}

static void fill_modules(const struct server_options *options, struct arena *arena,
			 struct schema_source *source)
{
	struct schema_module_request *modules =
		arena_alloc(arena, (options->module_count + STANDARD_COUNT + 1) * sizeof(*modules));
	size_t count = 0;
	for (size_t i = 0; i < options->module_count; i++)
		if (!is_standard(options->modules[i].name))
			modules[count++] = options->modules[i];
	memcpy(modules + count, standard_modules, sizeof(standard_modules));
	ASSERT(strcmp(modules[count].name, "ietf-netconf") == 0);
	add_features(options, arena, &modules[count]);
	source->modules = modules;
	source->module_count = count + STANDARD_COUNT;
	if (options->factory_default != NULL)
		modules[source->module_count++] = factory_module;
}

void yang_path_source(const struct server_options *options, struct arena *arena, struct schema_source *source)
{
	*source = (struct schema_source){0};
	size_t most = options->yang_dir_count + HOST_DIR_COUNT + BUNDLED_DIRS_MAX;
	struct dirs dirs = {arena_alloc(arena, most * sizeof(*dirs.items)), 0};
	/* Also those that do not exist, so that a message about a missing module names them. */
	for (size_t i = 0; i < options->yang_dir_count; i++)
		dirs.items[dirs.length++] = options->yang_dirs[i];
	for (size_t i = 0; i < HOST_DIR_COUNT; i++)
		add_dir(&dirs, host_dirs[i]);
	add_bundled_dirs(&dirs, arena);
	source->search_dirs = dirs.items;
	source->search_dir_count = dirs.length;
	fill_modules(options, arena, source);
}
