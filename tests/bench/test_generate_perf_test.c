/* SPDX-License-Identifier: BSD-3-Clause */
/* The same seed gives the same bytes, and they are those of the shared generator in its compact form. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "generate_perf_test.h"

#define RPC(id) "<rpc xmlns=\"urn:ietf:params:xml:ns:netconf:base:1.0\" message-id=\"" id "\">"
#define EDIT "<edit-config><target><running/></target><config>"
#define END "</config></edit-config></rpc>"
#define NS " xmlns=\"http://netconfcentral.org/ns/perf-test\""
#define NC " xmlns:nc=\"urn:ietf:params:xml:ns:netconf:base:1.0\""

static void assert_bytes(struct buffer *buffer, const char *expected)
{
	struct bytes bytes = buffer_get(buffer);
	assert_int_equal(bytes.size, strlen(expected));
	assert_memory_equal(bytes.data, expected, bytes.size);
	buffer_clear(buffer, 0);
}

static void test_documents(void **state)
{
	(void)state;
	struct buffer out;
	buffer_init(&out, SIZE_MAX);
	perf_test_edit(&out, 12, PERF_TEST_ENTRIES, (struct perf_test_range){3, 1, 2});
	assert_bytes(
		&out, RPC("0000012") EDIT
		"<top-container" NS "><local-list><name>vlan3-0000001</name><type>l2vlan</type></local-list>"
		"<local-list><name>vlan3-0000002</name><type>l2vlan</type></local-list></top-container>" END);
	perf_test_edit(&out, 1, PERF_TEST_MEMBERS, (struct perf_test_range){1, 41, 2});
	assert_bytes(&out, RPC("0000001") EDIT
		     "<local-leafref-members" NS "><name>vlan1-0000041</name></local-leafref-members>"
		     "<local-leafref-members" NS "><name>vlan1-0000042</name></local-leafref-members>" END);
	perf_test_edit(&out, 1, PERF_TEST_REMOVE_ENTRIES, (struct perf_test_range){1, 1, 2});
	assert_bytes(&out, RPC("0000001") EDIT "<top-container" NS NC " nc:operation=\"remove\"/>" END);
	perf_test_edit(&out, 1, PERF_TEST_REMOVE_MEMBERS, (struct perf_test_range){1, 1, 1});
	assert_bytes(&out, RPC("0000001") EDIT "<local-leafref-members" NS NC
					       " nc:operation=\"remove\"><name>vlan1-0000001</name>"
					       "</local-leafref-members>" END);
	perf_test_get_all(&out, 7);
	assert_bytes(&out, RPC("0000007") "<get-config><source><running/></source></get-config></rpc>");
	perf_test_get_entry(&out, 7, 1, 5);
	assert_bytes(&out,
		     RPC("0000007") "<get-config><source><running/></source><filter type=\"subtree\">"
				    "<top-container" NS "><local-list><name>vlan1-0000005</name></local-list>"
				    "</top-container></filter></get-config></rpc>");
	buffer_fini(&out);
}

static void test_same_seed_same_bytes(void **state)
{
	(void)state;
	struct buffer first, second;
	buffer_init(&first, SIZE_MAX);
	buffer_init(&second, SIZE_MAX);
	perf_test_edit(&first, 1, PERF_TEST_ENTRIES, (struct perf_test_range){9, 1, 5000});
	perf_test_edit(&second, 1, PERF_TEST_ENTRIES, (struct perf_test_range){9, 1, 5000});
	assert_true(bytes_equal(buffer_get(&first), buffer_get(&second)));
	buffer_clear(&second, 0);
	perf_test_edit(&second, 1, PERF_TEST_ENTRIES, (struct perf_test_range){8, 1, 5000});
	assert_int_equal(buffer_size(&first), buffer_size(&second));
	assert_false(bytes_equal(buffer_get(&first), buffer_get(&second)));
	buffer_fini(&first);
	buffer_fini(&second);
}

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
static int run_shared(const char *arguments, struct buffer *out)
{
	const char *shared = getenv("YARE_SHARED"), *source = getenv("YARE_SOURCE");
	char path[512], command[1024];
	snprintf(path, sizeof(path), "%s%s/workloads/perftest.py",
		 shared != NULL	  ? ""
		 : source != NULL ? source
				  : ".",
		 shared != NULL ? shared : "/../shared");
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

static void test_as_the_shared_generator(void **state)
{
	(void)state;
	static const struct {
		const char *arguments;
		enum perf_test_what what;
	} cases[] = {
		{"--set restore --n 1500 --seed 7", PERF_TEST_ENTRIES},
		{"--set complex --part members --n 1500 --seed 7", PERF_TEST_MEMBERS},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct buffer own, shared;
		buffer_init(&own, SIZE_MAX);
		buffer_init(&shared, SIZE_MAX);
		if (!run_shared(cases[i].arguments, &shared)) {
			print_message("no shared workloads: skipped\n");
			buffer_fini(&shared);
			skip();
		}
		perf_test_edit(&own, 1, cases[i].what, (struct perf_test_range){7, 1, 1500});
		buffer_cut(&shared, 1); /* its line end */
		assert_true(bytes_equal(buffer_get(&own), buffer_get(&shared)));
		buffer_fini(&own);
		buffer_fini(&shared);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_documents),
		cmocka_unit_test(test_same_seed_same_bytes),
		cmocka_unit_test(test_as_the_shared_generator),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
