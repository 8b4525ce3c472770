/* SPDX-License-Identifier: BSD-3-Clause */
/* The perf-test documents; the same seed gives the same bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "generate.h"
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
	generate_get_config(&out, 7);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_documents),
		cmocka_unit_test(test_same_seed_same_bytes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
