/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a filter costs does not grow with the datastore where it need not: an empty one, and one that names
 * the keys, by subtree or by XPath. YARE_FILTER_ENTRIES sets how many entries the large datastore has.
 */
#include "helper_server.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "os/clock.h"

#define NS "http://netconfcentral.org/ns/perf-test"
#define SMALL 1000u
#define LARGE 30000u
#define BATCH 10000u
#define ROUNDS 400
#define FACTOR 3 /* between the two; far above what is measured, as others use the machine */

enum { EMPTY, SUBTREE, BLANKS, XPATH, XPATH_LEAF, KINDS };

static const char *const kind_names[] = {"empty", "subtree by key", "blanks around", "xpath by key",
					 "xpath leaf by key"};

static const char *const filters[] = {
	[EMPTY] = "<filter/>",
	[SUBTREE] = "<filter><top-container xmlns=\"" NS "\"><local-list><name>vlan%u</name></local-list>"
		    "</top-container></filter>",
	[BLANKS] = "<filter><top-container xmlns=\"" NS "\"><local-list>\n <name>\n  vlan%u\n </name>"
		   "</local-list></top-container></filter>",
	[XPATH] = "<filter type=\"xpath\" xmlns:p=\"" NS
		  "\" select=\"/p:top-container/p:local-list[p:name='vlan%u']\"/>",
	[XPATH_LEAF] = "<filter type=\"xpath\" xmlns:p=\"" NS
		       "\" select=\"/p:top-container/p:local-list[p:name='vlan%u']/p:type\"/>",
};

static void load(struct peer *peer, unsigned from, unsigned to)
{
	struct buffer edit;
	buffer_init(&edit, SIZE_MAX);
	static const char *const head =
		"<edit-config><target><running/></target><config><top-container xmlns=\"" NS "\">";
	assert_int_equal(buffer_append(&edit, bytes_of(head)), ST_OK);
	for (unsigned i = from; i < to; i++) {
		char entry[128];
		snprintf(entry, sizeof(entry),
			 "<local-list><name>vlan%u</name><type>l2vlan</type></local-list>", i);
		assert_int_equal(buffer_append(&edit, bytes_of(entry)), ST_OK);
	}
	static const char end[] = "</top-container></config></edit-config>";
	assert_int_equal(buffer_append(&edit, (struct bytes){end, sizeof(end)}), ST_OK);
	peer_expect(peer, buffer_get(&edit).data, "<ok/>");
	buffer_fini(&edit);
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return (x > y) - (x < y);
}

/* The median time of a get-config, ns. */
static uint64_t measure(struct peer *peer, int kind, unsigned entries)
{
	static uint64_t times[ROUNDS];
	for (unsigned i = 0; i < ROUNDS; i++) {
		unsigned entry = (unsigned)((uint64_t)i * 7919 % entries);
		char filter[256], operation[512], wanted[64];
		snprintf(filter, sizeof(filter), filters[kind], entry);
		snprintf(operation, sizeof(operation),
			 "<get-config><source><running/></source>%s</get-config>", filter);
		snprintf(wanted, sizeof(wanted), "<name>vlan%u</name><type>", entry);
		uint64_t start = os_clock_monotonic_ns();
		char *reply = peer_call(peer, operation);
		times[i] = os_clock_monotonic_ns() - start;
		assert_non_null(reply);
		assert_non_null(strstr(reply, kind == EMPTY ? "<data></data>" : wanted));
		memory_free(reply);
	}
	qsort(times, ROUNDS, sizeof(times[0]), compare);
	return times[ROUNDS / 2];
}

static void test_cost(void **state)
{
	(void)state;
	const char *wanted = getenv("YARE_FILTER_ENTRIES");
	unsigned large = wanted != NULL ? (unsigned)atoi(wanted) : LARGE;
	struct harness h;
	if (!harness_init(&h, &(struct harness_options){.perf_test = true}))
		skip();
	struct peer *peer = harness_connect(&h);
	peer_hello(peer, true);
	load(peer, 0, SMALL);
	uint64_t small_ns[KINDS];
	for (int kind = 0; kind < KINDS; kind++)
		small_ns[kind] = measure(peer, kind, SMALL);
	for (unsigned from = SMALL; from < large; from += BATCH)
		load(peer, from, from + BATCH < large ? from + BATCH : large);
	for (int kind = 0; kind < KINDS; kind++) {
		uint64_t large_ns = measure(peer, kind, large);
		print_message("%-18s %u entries: %.1f us, %u: %.1f us, ratio %.2f\n", kind_names[kind], SMALL,
			      (double)small_ns[kind] / 1000, large, (double)large_ns / 1000,
			      (double)large_ns / (double)small_ns[kind]);
		assert_true(large_ns < FACTOR * small_ns[kind]);
	}
	harness_fini(&h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_cost)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
