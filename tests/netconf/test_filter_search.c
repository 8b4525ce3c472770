/* SPDX-License-Identifier: BSD-3-Clause */
/* Subtree filters by leafs that are no keys: a server that searches by indexes answers as one that looks at
 * all entries, whatever is asked for and changed in between. */
#include "helper_server.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "netconf/sessions.h"
#include "os/random.h"

#define ROUNDS 400
#define NAMES 40
#define NS "urn:yare:example?a&amp;b"

struct side {
	struct netconf_limits limits;
	struct harness harness;
	struct peer *peer;
};

static void begin(struct side *side, unsigned indexes)
{
	netconf_limits_default(&side->limits);
	side->limits.search.indexes = indexes;
	side->limits.search.entries = 1;
	assert_true(harness_init(&side->harness, &(struct harness_options){.limits = &side->limits}));
	side->peer = harness_connect(&side->harness);
	peer_hello(side->peer, true);
}

static unsigned draw(uint64_t *state, unsigned below)
{
	return (unsigned)(os_random_next(state) % below);
}

static void put(struct buffer *out, const char *format, unsigned number)
{
	assert_int_equal(buffer_printf(out, format, number), ST_OK);
}

static void put_some(struct buffer *out, uint64_t *state, bool matches)
{
	static const char *const leafs[] = {"<kind>k%u</kind>",
					    "<size>%u</size>",
					    "<note>n%u</note>",
					    "<tag>t%u</tag>",
					    "<tag> t%u </tag>",
					    "<size>0%u</size>",
					    "<detail><first>%u</first></detail>"};
	static const char *const selections[] = {"<kind/>", "<tag/>", "<detail/>",
						 "<detail><second/></detail>", "<part/>"};
	unsigned most = matches ? 7 : 5;
	for (unsigned i = 0; i < most; i++)
		if (draw(state, 3) == 0)
			put(out, matches ? leafs[i] : selections[i], 1 + draw(state, 3));
}

static void put_filter(struct buffer *out, uint64_t *state)
{
	static const char *const sources[] = {"running", "candidate"};
	put(out, "<get-config><source><", 0);
	put(out, sources[draw(state, 2)], 0);
	put(out, "/></source><filter><top xmlns=\"" NS "\">", 0);
	for (unsigned i = 0; i < 1 + draw(state, 3); i++) {
		put(out, "<item>", 0);
		if (draw(state, 5) == 0)
			put(out, "<name>e%u</name>", draw(state, NAMES));
		put_some(out, state, true);
		put_some(out, state, false);
		put(out, "</item>", 0);
	}
	put(out, "</top></filter></get-config>", 0);
}

static void put_edit(struct buffer *out, uint64_t *state)
{
	static const char *const targets[] = {"running", "candidate"};
	put(out, "<edit-config><target><", 0);
	put(out, targets[draw(state, 2)], 0);
	put(out,
	    "/></target><config xmlns:nc=\"urn:ietf:params:xml:ns:netconf:base:1.0\"><top xmlns=\"" NS "\">",
	    0);
	unsigned name = draw(state, NAMES);
	if (draw(state, 4) == 0) {
		put(out, "<item nc:operation=\"remove\"><name>e%u</name></item>", name);
	} else {
		put(out, "<item nc:operation=\"replace\"><name>e%u</name>", name);
		put(out, "<kind>k%u</kind>", 1 + draw(state, 3));
		for (unsigned i = 1; i < 4; i++)
			if (draw(state, 2) == 0)
				put(out, "<tag>t%u</tag>", i);
		if (draw(state, 2) == 0)
			put(out, "<size>%u</size>", 1 + draw(state, 3));
		if (draw(state, 2) == 0)
			put(out, "<detail><first>%u</first><second>x</second></detail>", 1 + draw(state, 3));
		put(out, "</item>", 0);
	}
	put(out, "</top></config></edit-config>", 0);
}

static void put_any(struct buffer *out, uint64_t *state)
{
	unsigned what = draw(state, 10);
	if (what < 4)
		put_edit(out, state);
	else if (what == 4)
		put(out, draw(state, 2) == 0 ? "<commit/>" : "<discard-changes/>", 0);
	else
		put_filter(out, state);
}

static void same_answers(void **state)
{
	(void)state;
	const char *given = getenv("YARE_SEED");
	uint64_t seed = 0;
	os_random_bytes(&seed, sizeof(seed));
	if (given != NULL)
		seed = strtoull(given, NULL, 10);
	printf("YARE_SEED=%llu\n", (unsigned long long)seed);
	struct side searching, looking;
	begin(&searching, 3);
	begin(&looking, 0);
	for (unsigned i = 0; i < ROUNDS; i++) {
		struct buffer request;
		buffer_init(&request, SIZE_MAX);
		put_any(&request, &seed);
		assert_int_equal(buffer_append(&request, (struct bytes){"", 1}), ST_OK);
		char *found = peer_call(searching.peer, buffer_get(&request).data);
		char *expected = peer_call(looking.peer, buffer_get(&request).data);
		if (strcmp(found, expected) != 0)
			fail_msg("%s\n%s\n%s", buffer_get(&request).data, found, expected);
		memory_free(found);
		memory_free(expected);
		buffer_fini(&request);
	}
	struct store_search_counters counters;
	store_search_counters(searching.harness.server->search, &counters);
	assert_true(counters.found > 10 && counters.moved > 10 && counters.made > 2);
	harness_fini(&searching.harness);
	harness_fini(&looking.harness);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(same_answers)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
