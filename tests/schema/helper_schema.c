/* SPDX-License-Identifier: BSD-3-Clause */
/* Helpers of the schema tests; see the header. */
#include "helper_schema.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"

struct schema_type_error helper_error;
static char temporary[64];

static const char *shared_path(const char *folder)
{
	static char path[512];
	const char *shared = getenv("YARE_SHARED"), *source = getenv("YARE_SOURCE");
	if (shared != NULL)
		snprintf(path, sizeof(path), "%s/%s", shared, folder);
	else
		snprintf(path, sizeof(path), "%s/../shared/%s", source != NULL ? source : ".", folder);
	return path;
}

bool helper_shared_absent(void)
{
	const char *path = shared_path("yang");
	if (access(path, R_OK) == 0)
		return false;
	print_message("skipped: the shared inputs are absent (%s)\n", path);
	return true;
}

const char *helper_shared(const char *folder)
{
	if (helper_shared_absent())
		skip();
	return shared_path(folder);
}

static void write_file(const char *folder, const char *name, const char *text)
{
	char path[512];
	snprintf(path, sizeof(path), "%s/%s.yang", folder, name);
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

const char *helper_write_module(const char *name, const char *text)
{
	if (temporary[0] == '\0') {
		snprintf(temporary, sizeof(temporary), "/tmp/yare-test-schema-XXXXXX");
		assert_non_null(mkdtemp(temporary));
	}
	write_file(temporary, name, text);
	return temporary;
}

void helper_write_module_in(const char *folder, const char *name, const char *text)
{
	char path[256];
	assert_true(temporary[0] != '\0');
	snprintf(path, sizeof(path), "%s/%s", temporary, folder);
	mkdir(path, 0700);
	write_file(path, name, text);
}

static void remove_folder(const char *folder, bool has_folders)
{
	DIR *entries = opendir(folder);
	assert_non_null(entries);
	struct dirent *entry;
	while ((entry = readdir(entries)) != NULL) {
		char path[512];
		snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
		if (entry->d_name[0] == '.')
			continue;
		if (has_folders && entry->d_type == DT_DIR)
			remove_folder(path, false);
		else
			unlink(path);
	}
	closedir(entries);
	rmdir(folder);
}

void helper_remove_modules(void)
{
	if (temporary[0] != '\0')
		remove_folder(temporary, true);
	temporary[0] = '\0';
}

#define REQUESTS_MAX 256
#define FEATURES_MAX 16

/* "name@revision:feature,feature" */
static struct schema_module_request parse_request(char *text, const char **features)
{
	struct schema_module_request request = {.name = text, .features = features};
	char *colon = strchr(text, ':');
	if (colon != NULL) {
		*colon = '\0';
		for (char *feature = strtok(colon + 1, ","); feature != NULL; feature = strtok(NULL, ","))
			features[request.feature_count++] = feature;
	}
	char *at = strchr(text, '@');
	if (at != NULL) {
		*at = '\0';
		request.revision = at + 1;
	}
	return request;
}

static enum status load(const char *folder, const char *const *modules, bool implement_imports,
			struct diag_list *diags, struct schema **schema)
{
	static struct schema_module_request requests[REQUESTS_MAX];
	static const char *features[REQUESTS_MAX][FEATURES_MAX];
	char *names[REQUESTS_MAX];
	size_t count = 0;
	for (; modules[count] != NULL; count++) {
		names[count] = memory_strdup(modules[count]);
		requests[count] = parse_request(names[count], features[count]);
	}
	const char *folders[] = {folder};
	struct schema_source source = {
		.search_dirs = folders,
		.search_dir_count = 1,
		.modules = requests,
		.module_count = count,
		.implement_imports = implement_imports,
	};
	enum status status = schema_load(&source, diags, schema);
	for (size_t i = 0; i < count; i++)
		memory_free(names[i]);
	return status;
}

struct schema *helper_load(const char *folder, const char *const *modules, bool implement_imports)
{
	struct arena *arena = arena_new();
	struct diag_list diags;
	diag_list_init(&diags, arena, 10);
	struct schema *schema = NULL;
	enum status status = load(folder, modules, implement_imports, &diags, &schema);
	for (const struct diag *diag = diags.first; diag != NULL; diag = diag->next)
		print_message("%s\n", diag->message);
	arena_free(arena);
	assert_int_equal(status, ST_OK);
	return schema;
}

struct schema *helper_load_text(const char *name, const char *text)
{
	const char *modules[] = {name, NULL};
	return helper_load(helper_write_module(name, text), modules, false);
}

const char *helper_load_refused(const char *folder, const char *module)
{
	static char messages[4096];
	struct arena *arena = arena_new();
	struct diag_list diags;
	diag_list_init(&diags, arena, 10);
	struct schema *schema = NULL;
	const char *modules[] = {module, NULL};
	enum status status = load(folder, modules, false, &diags, &schema);
	size_t used = 0;
	for (const struct diag *diag = diags.first; diag != NULL; diag = diag->next)
		used += (size_t)snprintf(messages + used, sizeof(messages) - used, "%s\n", diag->message);
	arena_free(arena);
	assert_int_equal(status, ST_REJECTED);
	assert_null(schema);
	return messages;
}

const struct schema_node *helper_node(const struct schema *schema, const char *path)
{
	const struct schema_node *node = schema->root;
	const struct schema_module *module = NULL;
	while (*path != '\0') {
		size_t size = strcspn(path, "/:");
		if (path[size] == ':') {
			module = schema_module_find(schema, (struct bytes){path, size});
			assert_non_null(module);
			path += size + 1;
			size = strcspn(path, "/");
		}
		node = schema_child_find(schema, node, module, (struct bytes){path, size});
		if (node == NULL)
			fail_msg("no node at %s", path);
		path += size + (path[size] == '/');
	}
	return node;
}

static const struct schema_module *resolve(const struct schema_prefixes *self, struct bytes prefix)
{
	const struct helper_prefixes *prefixes = (const struct helper_prefixes *)self;
	const char *at = prefixes->map;
	while (*at != '\0') {
		size_t size = strcspn(at, "="), module_size = strcspn(at + size + 1, " ");
		if (bytes_equal(prefix, (struct bytes){at, size}))
			return schema_module_find(prefixes->schema,
						  (struct bytes){at + size + 1, module_size});
		at += size + 1 + module_size;
		at += *at == ' ';
	}
	return NULL;
}

struct helper_prefixes helper_prefixes(const struct schema *schema, const char *map)
{
	return (struct helper_prefixes){{.resolve = resolve}, schema, map};
}

const char *helper_canonical(const struct schema *schema, const char *path, const char *lexical,
			     const char *map)
{
	static char canonical[4096], message[512], app_tag[64];
	struct arena *arena = arena_new();
	struct helper_prefixes prefixes = helper_prefixes(schema, map == NULL ? "" : map);
	struct schema_type_error error = {NULL, NULL};
	struct value value = VALUE_NONE;
	const struct schema_node *node = helper_node(schema, path);
	/* A copy of the exact size, so that reading past its end is found. */
	size_t size = strlen(lexical);
	char *copy = memory_alloc(size + 1);
	memcpy(copy, lexical, size);
	enum status status = schema_type_parse(schema, node->type, (struct bytes){copy, size}, &prefixes.base,
					       arena, &value, &error);
	memory_free(copy);
	helper_error = (struct schema_type_error){NULL, NULL};
	if (status == ST_OK) {
		struct bytes text = value_bytes(&value);
		snprintf(canonical, sizeof(canonical), "%.*s", (int)text.size, text.data);
	} else {
		assert_int_equal(status, ST_REJECTED);
		assert_non_null(error.message);
		snprintf(message, sizeof(message), "%s", error.message);
		helper_error.message = message;
		if (error.app_tag != NULL) {
			snprintf(app_tag, sizeof(app_tag), "%s", error.app_tag);
			helper_error.app_tag = app_tag;
		}
	}
	value_unref(value);
	arena_free(arena);
	return status == ST_OK ? canonical : NULL;
}
