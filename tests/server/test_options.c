/* SPDX-License-Identifier: BSD-3-Clause */
/* The command line of yared: what is taken, and that what is wrong with it is seen before anything is
 * started. */
#include "server/options.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena.h"

#define MOST 16

/* The result for "--module m --listen-unix s --durability none" and what follows, up to NULL. */
static enum server_options_result parse(struct server_options *options, char *const *more,
					struct arena *arena)
{
	char *argv[MOST + 1] = {"yared", "--module", "m", "--listen-unix", "s", "--durability", "none"};
	int argc = 7;
	for (; *more != NULL; more++)
		argv[argc++] = *more;
	return server_options_parse(options, argc, argv, arena);
}

static void assert_result(enum server_options_result expected, char *const *more)
{
	struct arena *arena = arena_new();
	struct server_options options;
	assert_int_equal(parse(&options, more, arena), expected);
	arena_free(arena);
}

#define ASSERT_RESULT(expected, ...) assert_result(expected, (char *[]){__VA_ARGS__, NULL})

static void test_taken(void **state)
{
	(void)state;
	struct arena *arena = arena_new();
	struct server_options options;
	char *more[] = {"--max-sessions", "7",	     "--startup", "separate", "--module",
			"n:f,g",	  "--admin", "root",	  "--verify", NULL};
	assert_int_equal(parse(&options, more, arena), SERVER_OPTIONS_RUN);
	assert_int_equal(options.limits.sessions, 7);
	assert_true(options.separate_startup);
	assert_true(options.verify);
	assert_int_equal(options.module_count, 2);
	assert_string_equal(options.modules[1].name, "n");
	assert_int_equal(options.modules[1].feature_count, 2);
	assert_int_equal(options.limits.admin_count, 1);
	arena_free(arena);
}

static void test_refused(void **state)
{
	(void)state;
	ASSERT_RESULT(SERVER_OPTIONS_USAGE, "--no-such-option");
	ASSERT_RESULT(SERVER_OPTIONS_USAGE, "no-option");
	ASSERT_RESULT(SERVER_OPTIONS_USAGE, "--max-sessions", "-1");
	ASSERT_RESULT(SERVER_OPTIONS_USAGE, "--max-sessions", "7x");
	ASSERT_RESULT(SERVER_OPTIONS_USAGE, "--max-sessions", "4294967296");
	ASSERT_RESULT(SERVER_OPTIONS_USAGE, "--startup", "both");
	ASSERT_RESULT(SERVER_OPTIONS_USAGE, "--durability", "full");	/* without a directory */
	ASSERT_RESULT(SERVER_OPTIONS_USAGE, "--listen", "127.0.0.1:0"); /* without keys */
	ASSERT_RESULT(SERVER_OPTIONS_USAGE, "--segment-size", "4095");
}

static void test_zeros(void **state)
{
	(void)state;
	static char *const least_1[] = {"--workers",
					"--job-threads",
					"--snapshots",
					"--history",
					"--check-steps",
					"--check-nodes",
					"--auth-timeout",
					"--max-sessions",
					"--max-request",
					"--max-in-flight",
					"--max-depth",
					"--max-errors",
					"--max-pipeline",
					"--max-filter-steps",
					"--max-filter-nodes",
					"--max-filter-memory",
					"--max-parameters",
					"--max-filter-alternatives",
					"--max-filter-elements"};
	for (size_t i = 0; i < sizeof(least_1) / sizeof(least_1[0]); i++)
		ASSERT_RESULT(SERVER_OPTIONS_USAGE, least_1[i], "0");
	static char *const least_0[] = {"--idle-timeout", "--hello-timeout", "--stall-timeout",
					"--grace",	  "--keepalive",     "--snapshot-pace"};
	for (size_t i = 0; i < sizeof(least_0) / sizeof(least_0[0]); i++)
		ASSERT_RESULT(SERVER_OPTIONS_RUN, least_0[i], "0");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_taken),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_zeros),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
