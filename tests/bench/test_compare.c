/* SPDX-License-Identifier: BSD-3-Clause */
/* What report_json writes, compare reads; what counts as worse. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "compare.h"
#include "report.h"

struct figures {
	double elapsed, floor, rate, max;
};

/* The path is the caller's to remove and free. */
static char *write_result(const struct figures *figures)
{
	struct environment environment = {.cpu = "a \"quoted\\ CPU",
					  .libssh = "",
					  .libyang = "",
					  .libxml2 = "",
					  .durability = "none",
					  .transport = "ssh"};
	struct results results;
	results_init(&results);
	results_add(&results, (struct result_key){"perf-test/restore", 10, "elapsed"}, "s", figures->elapsed,
		    "floor parse");
	results_add(&results, (struct result_key){"perf-test/restore", 10, "floor parse"}, "s",
		    figures->floor, NULL);
	results_add(&results, (struct result_key){"perf-test/restore", 10, "rate"}, "MB/s", figures->rate,
		    NULL);
	results_add(&results, (struct result_key){"perf-test/restore", 10, "max"}, "us", figures->max, NULL);
	char *path = strdup("/tmp/yare-test-compare-XXXXXX");
	FILE *file = fdopen(mkstemp(path), "w");
	assert_non_null(file);
	report_json(file, &environment, &results);
	fclose(file);
	results_fini(&results);
	return path;
}

static struct compare_outcome compare(struct figures before, struct figures after)
{
	char *a = write_result(&before), *b = write_result(&after);
	FILE *out = fopen("/dev/null", "w");
	struct compare_outcome outcome;
	assert_int_equal(compare_files(out, a, b, 10, &outcome), ST_OK);
	fclose(out);
	unlink(a);
	unlink(b);
	free(a);
	free(b);
	return outcome;
}

static void test_outcomes(void **state)
{
	(void)state;
	struct figures base = {4, 2, 100, 5};
	assert_int_equal(compare(base, base).compared, 2); /* elapsed by ratio, and the rate */
	assert_int_equal(compare(base, base).worse, 0);
	/* A slower machine: the floor has grown as well. A maximum is not judged. */
	assert_int_equal(compare(base, (struct figures){8, 4, 100, 500}).worse, 0);
	assert_int_equal(compare(base, (struct figures){4.5, 2, 100, 5}).worse, 1);
	assert_int_equal(compare(base, (struct figures){4.3, 2, 95, 5}).worse, 0);
	assert_int_equal(compare(base, (struct figures){4, 2, 80, 5}).worse, 1);
	assert_int_equal(compare(base, (struct figures){1, 2, 200, 5}).worse, 0);
}

static void test_other_files_are_refused(void **state)
{
	(void)state;
	struct compare_outcome outcome;
	assert_int_equal(compare_files(stdout, "/dev/null", "/dev/null", 10, &outcome), ST_IO);
	assert_int_equal(compare_files(stdout, "/nonexistent", "/dev/null", 10, &outcome), ST_IO);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_outcomes),
		cmocka_unit_test(test_other_files_are_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
