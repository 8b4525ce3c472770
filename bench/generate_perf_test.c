/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The perf-test documents, byte by byte what a generator with an XML writer would give in compact form. Names
 * need no escaping.
 */
#include "generate_perf_test.h"

#include <inttypes.h>

#include "generate.h"

static void put_name(struct buffer *out, uint64_t seed, uint64_t number)
{
	generate_printf(out, "<name>vlan%" PRIu64 "-%07" PRIu64 "</name>", seed, number);
}

static void put_entries(struct buffer *out, struct perf_test_range range)
{
	generate_put(out, "<top-container xmlns=\"" PERF_TEST_NS "\">");
	for (uint64_t i = range.first; i < range.first + range.count; i++) {
		generate_put(out, "<local-list>");
		put_name(out, range.seed, i);
		generate_put(out, "<type>l2vlan</type></local-list>");
	}
	generate_put(out, "</top-container>");
}

static void put_members(struct buffer *out, struct perf_test_range range, const char *attribute)
{
	for (uint64_t i = range.first; i < range.first + range.count; i++) {
		generate_put(out, "<local-leafref-members xmlns=\"" PERF_TEST_NS "\"");
		generate_put(out, attribute);
		generate_put(out, ">");
		put_name(out, range.seed, i);
		generate_put(out, "</local-leafref-members>");
	}
}

void perf_test_edit(struct buffer *out, uint64_t message_id, enum perf_test_what what,
		    struct perf_test_range range)
{
	generate_edit_begin(out, message_id);
	switch (what) {
	case PERF_TEST_ENTRIES:
		put_entries(out, range);
		break;
	case PERF_TEST_MEMBERS:
		put_members(out, range, "");
		break;
	case PERF_TEST_REMOVE_ENTRIES:
		generate_put(out, "<top-container xmlns=\"" PERF_TEST_NS "\" xmlns:nc=\"" NETCONF_NS
				  "\" nc:operation=\"remove\"/>");
		break;
	case PERF_TEST_REMOVE_MEMBERS:
		put_members(out, range, " xmlns:nc=\"" NETCONF_NS "\" nc:operation=\"remove\"");
		break;
	}
	generate_edit_end(out);
}

void perf_test_get_entry(struct buffer *out, uint64_t message_id, uint64_t seed, uint64_t number)
{
	generate_rpc_begin(out, message_id);
	generate_put(out, "<get-config><source><running/></source><filter type=\"subtree\"><top-container "
			  "xmlns=\"" PERF_TEST_NS "\"><local-list>");
	put_name(out, seed, number);
	generate_put(out, "</local-list></top-container></filter></get-config></rpc>");
}
