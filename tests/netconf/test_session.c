/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sessions end to end in the process: requests by way of framing, decoder, store and encoder, in both
 * framings, cut at every byte and at random, pipelined, with output that is not taken, and with sessions that
 * vanish.
 */
#include "helper_server.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#define EDIT(content) "<edit-config><target><running/></target><config>" content "</config></edit-config>"
#define TOP(content) "<top xmlns=\"urn:yare:example?a&amp;b\">" content "</top>"
#define GET "<get-config><source><running/></source></get-config>"

static void test_edit_and_read(void **state)
{
	(void)state;
	for (int base_1_1 = 0; base_1_1 <= 1; base_1_1++) {
		struct harness h;
		assert_true(harness_init(&h, &(struct harness_options){0}));
		struct peer *peer = harness_connect(&h);
		peer_hello(peer, base_1_1);
		peer_expect(peer, GET, "<data></data>");
		peer_expect(peer, EDIT(TOP("<item><name>a</name><kind>x</kind></item>")), "<ok/>");
		peer_expect(peer, GET, "<data>" TOP("<item><name>a</name><kind>x</kind></item>") "</data>");
		peer_expect(peer, EDIT(TOP("<item><name>b</name></item>")), "data-missing");
		peer_expect(peer, "<get/>", "<kind>x</kind>");
		peer_expect(peer, "<close-session/>", "<ok/>");
		assert_true(peer_is_closed(peer));
		assert_int_equal(netconf_server_session_count(h.server), 0);
		harness_fini(&h);
	}
}

/* The whole conversation, for comparing: all bytes that the server sends. */
static void converse(size_t input_slice, size_t output_slice, uint64_t seed, struct buffer *out)
{
	struct harness h;
	assert_true(harness_init(&h, &(struct harness_options){0}));
	struct peer *peer = harness_connect(&h);
	peer->input_slice = input_slice;
	peer->output_slice = output_slice;
	peer_send(peer, HELLO_1_1);
	peer->chunked = true;
	peer_send_rpc(peer, EDIT(TOP("<item><name>\xc3\xa4\xe2\x82\xac</name><kind>x]]&gt;</kind></item>")));
	peer_send_rpc(peer, GET);
	peer_send_rpc(peer, EDIT(TOP("<item><name>b</name><size>0</size></item>")));
	peer_send_rpc(peer, "<nonsense/>");
	peer_send_rpc(peer, "<get><filter><top xmlns=\"urn:yare:example?a&amp;b\"/></filter></get>");
	peer_send_rpc(peer, "<close-session/>");
	while (peer->session != NULL) {
		if (seed != 0) {
			seed = seed * 6364136223846793005u + 1442695040888963407u;
			peer->input_slice = (seed >> 33) % 50 + 1;
			peer->output_slice = (seed >> 43) % 50 + 1;
		}
		assert_true(harness_turn(&h, 10000));
	}
	assert_int_equal(buffer_append(out, buffer_get(&peer->from_server)), ST_OK);
	harness_fini(&h);
}

static void test_cuts(void **state)
{
	(void)state;
	struct buffer whole, cut;
	buffer_init(&whole, SIZE_MAX);
	buffer_init(&cut, SIZE_MAX);
	converse(0, 0, 0, &whole);
	assert_true(buffer_size(&whole) > 1000);
	converse(1, 1, 0, &cut);
	assert_true(bytes_equal(buffer_get(&whole), buffer_get(&cut)));
	const char *given = getenv("YARE_SEED");
	uint64_t seed = given != NULL ? strtoull(given, NULL, 0) : 1;
	print_message("YARE_SEED=%llu\n", (unsigned long long)seed);
	for (uint64_t round = 0; round < 30; round++) {
		buffer_clear(&cut, 1 << 16);
		converse(0, 0, seed + round, &cut);
		assert_true(bytes_equal(buffer_get(&whole), buffer_get(&cut)));
	}
	buffer_fini(&whole);
	buffer_fini(&cut);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_edit_and_read),
		cmocka_unit_test(test_cuts),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
