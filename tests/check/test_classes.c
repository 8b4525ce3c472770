/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How many of the must, when and leafref statements of real model sets are in each class: at least 95 % are
 * to be in one other than scan. Prints the table; with YARE_LINES set, the plan of each set line by line.
 */
#include "helper_sets.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const class_names[] = {"local", "fan-out", "keyed", "counted", "indexed", "scan"};
enum { CLASSES = sizeof(class_names) / sizeof(*class_names), SCAN = CLASSES - 1 };

struct table {
	size_t must[CLASSES], leafref[CLASSES], when[CLASSES];
};

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

static void run(const char *set)
{
	char folder[256];
	snprintf(folder, sizeof(folder), "yang/%s", set);
	const char *dir = model_shared(folder);
	if (!dir)
		skip();
	struct model model;
	model_init_folder(&model, dir);
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
