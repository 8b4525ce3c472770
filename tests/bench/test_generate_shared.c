/* SPDX-License-Identifier: BSD-3-Clause */
/* The documents of each workload are byte by byte those of the shared generators in their compact form. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "generate_directory.h"
#include "generate_openroadm.h"
#include "generate_perf_test.h"

static void read_all(FILE *file, struct buffer *out)
{
	size_t got;
	do {
		char *room = buffer_reserve(out, 65536);
		got = fread(room, 1, 65536, file);
		buffer_commit(out, got);
	} while (got > 0);
}

/* False where the generator is not there. */
static int run_shared(const char *generator, const char *arguments, struct buffer *out)
{
	const char *shared = getenv("YARE_SHARED"), *source = getenv("YARE_SOURCE");
	char path[512], command[1024];
	snprintf(path, sizeof(path), "%s%s/workloads/%s",
		 shared != NULL	  ? ""
		 : source != NULL ? source
				  : ".",
		 shared != NULL ? shared : "/../shared", generator);
	if (access(path, R_OK) != 0)
		return 0;
	snprintf(command, sizeof(command), "python3 -B '%s' --compact --wrap edit --message-id 0000001 %s",
		 path, arguments);
	FILE *pipe = popen(command, "re");
	assert_non_null(pipe);
	read_all(pipe, out);
	assert_int_equal(pclose(pipe), 0);
	return 1;
}

/* Compares and empties `own`. */
static void assert_as_shared(const char *generator, const char *arguments, struct buffer *own)
{
	struct buffer shared;
	buffer_init(&shared, SIZE_MAX);
	int there = run_shared(generator, arguments, &shared);
	if (there) {
		struct bytes a = buffer_get(own), b = buffer_get(&shared);
		size_t at = 0;
		b.size--; /* its line end */
		while (at < a.size && at < b.size && a.data[at] == b.data[at])
			at++;
		if (at != a.size || a.size != b.size)
			fail_msg("%s %s: differs at %zu: %.60s | %.60s", generator, arguments, at,
				 a.data + at, b.data + at);
	}
	buffer_fini(&shared);
	buffer_clear(own, 0);
	if (!there) {
		print_message("no shared workloads: skipped\n");
		buffer_fini(own);
		skip();
	}
}

static void test_perf_test(void **state)
{
	(void)state;
	struct buffer own;
	buffer_init(&own, SIZE_MAX);
	perf_test_edit(&own, 1, PERF_TEST_ENTRIES, (struct perf_test_range){7, 1, 1500});
	assert_as_shared("perftest.py", "--set restore --n 1500 --seed 7", &own);
	perf_test_edit(&own, 1, PERF_TEST_MEMBERS, (struct perf_test_range){7, 1, 1500});
	assert_as_shared("perftest.py", "--set complex --part members --n 1500 --seed 7", &own);
	buffer_fini(&own);
}

static void test_openroadm(void **state)
{
	(void)state;
	struct buffer own;
	buffer_init(&own, SIZE_MAX);
	openroadm_edit(&own, 1, OPENROADM_STORE, (struct openroadm_range){.first = 5, .count = 20});
	assert_as_shared("openroadm.py", "--first 5 --n 20", &own);
	buffer_fini(&own);
	assert_int_equal(openroadm_nodes((struct openroadm_range){.count = 1}), 86);
}

static void test_directory(void **state)
{
	(void)state;
	struct buffer own;
	buffer_init(&own, SIZE_MAX);
	directory_import(&own, 1, (struct directory){3, 1});
	assert_as_shared("directory.py", "--n 1 --seed 3", &own);
	directory_import(&own, 1, (struct directory){3, 399});
	assert_as_shared("directory.py", "--n 399 --seed 3", &own);
	directory_import(&own, 1, (struct directory){5, 2250});
	assert_as_shared("directory.py", "--n 2250 --seed 5", &own);
	buffer_fini(&own);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_perf_test),
		cmocka_unit_test(test_openroadm),
		cmocka_unit_test(test_directory),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
