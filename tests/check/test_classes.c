/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How many of the must, when and leafref statements of real model sets are in each class: at least 95 % are
 * to be in one other than scan. Prints the table; with YARE_LINES set, the plan of each set line by line.
 */
#include "helper_model.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schema/load.h"

enum { MODULES_MAX = 256 };

static const char *const class_names[] = {"local", "fan-out", "keyed", "counted", "indexed", "scan"};
enum { CLASSES = sizeof(class_names) / sizeof(*class_names), SCAN = CLASSES - 1 };

struct table {
	size_t must[CLASSES], leafref[CLASSES], when[CLASSES];
};

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

static void count(const char *line, void *arg)
{
	struct table *table = arg;
	if (getenv("YARE_LINES"))
		print_message("%s\n", line);
	const char *kind = strchr(line, ' ') + 1, *class = strchr(kind, ' ') + 1;
	size_t *row = NULL;
	if (strncmp(kind, "must ", 5) == 0)
		row = table->must;
	else if (strncmp(kind, "leafref ", 8) == 0)
		row = table->leafref;
	else if (strncmp(kind, "when ", 5) == 0)
		row = table->when;
	for (size_t i = 0; row && i < CLASSES; i++) {
		if (strncmp(class, class_names[i], strlen(class_names[i])) == 0)
			row[i]++;
	}
}

static size_t sum(const size_t *row)
{
	size_t total = 0;
	for (size_t i = 0; i < CLASSES; i++)
		total += row[i];
	return total;
}

static void print_row(const char *set, const char *kind, const size_t *row)
{
	print_message("%-12s %-8s", set, kind);
	for (size_t i = 0; i < CLASSES; i++)
		print_message(" %s %zu", class_names[i], row[i]);
	print_message("\n");
}

static void load_set(const char *dir, const char *set, struct model *model)
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
		print_message("%s: %s\n", set, diag->message ? diag->message : "?");
	assert_int_equal(status, ST_OK);
	arena_free(arena);
	for (size_t i = 0; i < length; i++)
		free((char *)requests[i].name);
}

static void run(const char *set)
{
	char folder[256];
	snprintf(folder, sizeof(folder), "yang/%s", set);
	const char *dir = model_shared(folder);
	if (!dir)
		skip();
	struct model model;
	load_set(dir, set, &model);
	struct table table = {.must = {0}};
	check_plan_describe(model.plan, count, &table);
	print_row(set, "must", table.must);
	print_row(set, "leafref", table.leafref);
	print_row(set, "when", table.when);
	size_t all = sum(table.must) + sum(table.leafref) + sum(table.when);
	size_t scans = table.must[SCAN] + table.leafref[SCAN] + table.when[SCAN];
	print_message("%-12s %zu of %zu are scans\n", set, scans, all);
	assert_true(scans * 20 <= all);
	model_fini(&model);
}

static void test_openconfig(void **state)
{
	(void)state;
	run("openconfig");
}

static void test_openroadm(void **state)
{
	(void)state;
	run("openroadm");
}

static void test_ietf(void **state)
{
	(void)state;
	run("ietf");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_openconfig),
		cmocka_unit_test(test_openroadm),
		cmocka_unit_test(test_ietf),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
