/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The perf-test documents, byte by byte what a generator with an XML writer would give in compact form. Names
 * need no escaping.
 */
#include "generate_perf_test.h"

#include <inttypes.h>

#include "base/assert.h"

#define NETCONF_BASE "urn:ietf:params:xml:ns:netconf:base:1.0"

static void put(struct buffer *out, const char *text)
{
	enum status status = buffer_append(out, bytes_of(text));
	ASSERT(status == ST_OK);
}

static void put_name(struct buffer *out, uint64_t seed, uint64_t number)
{
	enum status status = buffer_printf(out, "<name>vlan%" PRIu64 "-%07" PRIu64 "</name>", seed, number);
	ASSERT(status == ST_OK);
}

static void put_rpc(struct buffer *out, uint64_t message_id)
{
	enum status status = buffer_printf(
		out, "<rpc xmlns=\"" NETCONF_BASE "\" message-id=\"%07" PRIu64 "\">", message_id);
	ASSERT(status == ST_OK);
}

static void put_entries(struct buffer *out, struct perf_test_range range)
{
	put(out, "<top-container xmlns=\"" PERF_TEST_NS "\">");
	for (uint64_t i = range.first; i < range.first + range.count; i++) {
		put(out, "<local-list>");
		put_name(out, range.seed, i);
		put(out, "<type>l2vlan</type></local-list>");
	}
	put(out, "</top-container>");
}

static void put_members(struct buffer *out, struct perf_test_range range, const char *attribute)
{
	for (uint64_t i = range.first; i < range.first + range.count; i++) {
		put(out, "<local-leafref-members xmlns=\"" PERF_TEST_NS "\"");
		put(out, attribute);
		put(out, ">");
		put_name(out, range.seed, i);
		put(out, "</local-leafref-members>");
	}
}

void perf_test_edit(struct buffer *out, uint64_t message_id, enum perf_test_what what,
		    struct perf_test_range range)
{
	put_rpc(out, message_id);
	put(out, "<edit-config><target><running/></target><config>");
	switch (what) {
	case PERF_TEST_ENTRIES:
		put_entries(out, range);
		break;
	case PERF_TEST_MEMBERS:
		put_members(out, range, "");
		break;
	case PERF_TEST_REMOVE_ENTRIES:
		put(out, "<top-container xmlns=\"" PERF_TEST_NS "\" xmlns:nc=\"" NETCONF_BASE
			 "\" nc:operation=\"remove\"/>");
		break;
	case PERF_TEST_REMOVE_MEMBERS:
		put_members(out, range, " xmlns:nc=\"" NETCONF_BASE "\" nc:operation=\"remove\"");
		break;
	}
	put(out, "</config></edit-config></rpc>");
}

void perf_test_get_all(struct buffer *out, uint64_t message_id)
{
	put_rpc(out, message_id);
	put(out, "<get-config><source><running/></source></get-config></rpc>");
}

void perf_test_get_entry(struct buffer *out, uint64_t message_id, uint64_t seed, uint64_t number)
{
	put_rpc(out, message_id);
	put(out, "<get-config><source><running/></source><filter type=\"subtree\"><top-container "
		 "xmlns=\"" PERF_TEST_NS "\"><local-list>");
	put_name(out, seed, number);
	put(out, "</local-list></top-container></filter></get-config></rpc>");
}
