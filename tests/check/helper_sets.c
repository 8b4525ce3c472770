/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Whole folders of modules as one schema, for tests that look at the constraints of real models.
 */
#include "helper_sets.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schema/load.h"

enum { MODULES_MAX = 256 };

static const char *strip(char *name)
{
	char *at = strchr(name, '@');
	char *dot = strstr(name, ".yang");
	if (at)
		*at = '\0';
	else if (dot)
		*dot = '\0';
	return name;
}

static bool is_submodule(const char *dir, const char *file)
{
	char path[1024], line[512];
	snprintf(path, sizeof(path), "%s/%s", dir, file);
	FILE *in = fopen(path, "r");
	assert_non_null(in);
	bool is_submodule = false;
	for (int i = 0; i < 200 && fgets(line, sizeof(line), in); i++) {
		const char *text = line + strspn(line, " \t");
		if (strncmp(text, "module ", 7) == 0)
			break;
		is_submodule |= strncmp(text, "submodule ", 10) == 0;
	}
	fclose(in);
	return is_submodule;
}

static int compare_names(const void *a, const void *b)
{
	/* Features of this one are needed by modules after it. */
	const char *x = ((const struct schema_module_request *)a)->name;
	const char *y = ((const struct schema_module_request *)b)->name;
	bool first = strcmp(x, "ietf-tls-common") == 0, second = strcmp(y, "ietf-tls-common") == 0;
	return first != second ? (first ? -1 : 1) : strcmp(x, y);
}

void model_init_folder(struct model *model, const char *dir)
{
	struct schema_module_request requests[MODULES_MAX];
	static const char *const all = "*";
	size_t length = 0;
	DIR *folder = opendir(dir);
	assert_non_null(folder);
	for (struct dirent *entry; (entry = readdir(folder)) && length < MODULES_MAX;) {
		if (!strstr(entry->d_name, ".yang") || is_submodule(dir, entry->d_name))
			continue;
		char *name = strdup(entry->d_name);
		requests[length++] = (struct schema_module_request){
			.name = strip(name), .features = &all, .feature_count = 1};
	}
	closedir(folder);
	qsort(requests, length, sizeof(*requests), compare_names);
	struct schema_source source = {
		.search_dirs = &dir, .search_dir_count = 1, .modules = requests, .module_count = length};
	struct arena *arena = arena_new();
	struct diag_list diags;
	diag_list_init(&diags, arena, 10);
	*model = (struct model){.schema = NULL};
	enum status status = schema_load(&source, &diags, &model->schema);
	if (status == ST_OK)
		status = check_plan_new(model->schema, &diags, &model->plan);
	for (const struct diag *diag = diags.first; diag; diag = diag->next)
		print_message("%s: %s\n", dir, diag->message ? diag->message : "?");
	assert_int_equal(status, ST_OK);
	arena_free(arena);
	for (size_t i = 0; i < length; i++)
		free((char *)requests[i].name);
}
