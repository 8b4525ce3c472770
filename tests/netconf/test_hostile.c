/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Input that no client should send: conversations with random damage, deep nesting, endless messages, tags
 * that never end. Whatever comes, the session answers or ends, the server goes on, and nothing is left (the
 * sanitizers watch).
 */
#include "helper_server.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#define TOP_START "<top xmlns=\"urn:yare:example?a&amp;b\">"
#define RPC_START "<rpc message-id=\"1\" xmlns=\"urn:ietf:params:xml:ns:netconf:base:1.0\">"
#define ROUNDS 3000

static uint64_t seed;

static uint32_t below(uint32_t bound)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(seed >> 33) % bound;
}

static const char *const requests[] = {
	RPC_START
	"<edit-config><target><running/></target><config>" TOP_START "<item><name>a</name>"
	"<kind>x</kind><size>5</size><part><a>p</a><b>1</b></part></item></top></config></edit-config>"
	"</rpc>",
	RPC_START
	"<edit-config><target><candidate/></target><default-operation>none</default-operation><config "
	"xmlns:nc=\"urn:ietf:params:xml:ns:netconf:base:1.0\">" TOP_START
	"<item nc:operation=\"delete\"><name>a</name></item></top></config></edit-config></rpc>",
	RPC_START "<get><filter type=\"subtree\">" TOP_START "<item><name>a</name><kind/></item>"
		  "<note xmlns=\"\"/></top></filter></get></rpc>",
	RPC_START "<lock><target><candidate/></target></lock></rpc>",
	RPC_START "<commit/></rpc>",
	RPC_START "<kill-session><session-id>4000000000</session-id></kill-session></rpc>",
};

static void add(struct buffer *out, struct bytes bytes)
{
	assert_int_equal(buffer_append(out, bytes), ST_OK);
}

/* Puts `piece` in place of `run` bytes. */
static void replace(struct buffer *text, size_t at, size_t run, struct bytes piece)
{
	struct bytes old = buffer_get(text);
	struct buffer copy;
	buffer_init(&copy, SIZE_MAX);
	add(&copy, (struct bytes){old.data, at});
	add(&copy, piece);
	add(&copy, (struct bytes){old.data + at + run, old.size - at - run});
	buffer_fini(text);
	*text = copy;
}

/* Changes a byte, removes or repeats a few, or inserts something. */
static void damage(struct buffer *text)
{
	static const char *const pieces[] = {
		"<",	"/",	"&",	"]]>",	"<!--",		"<![CDATA[",  "<?x?>", "\n#",	 "\n##\n",
		"\xff", "\xc3", "\x01", "&#0;", "<!DOCTYPE a>", "xmlns=\"\"", "\"",    "]]>]]>", "</rpc>",
	};
	size_t size = buffer_size(text), at = below((uint32_t)size), run = below(20);
	run = run < size - at ? run : size - at;
	char byte = (char)below(256);
	uint32_t kind = below(4);
	if (kind == 0)
		replace(text, at, 1, (struct bytes){&byte, 1});
	else if (kind == 1)
		replace(text, at, run, (struct bytes){NULL, 0});
	else if (kind == 2)
		replace(text, at, 0, (struct bytes){buffer_get(text).data + at, run});
	else
		replace(text, at, 0, bytes_of(pieces[below(sizeof(pieces) / sizeof(pieces[0]))]));
}

static void converse(struct harness *h, bool chunked)
{
	struct buffer text;
	buffer_init(&text, SIZE_MAX);
	enum framing_mode mode = chunked ? FRAMING_CHUNKED : FRAMING_END_OF_MESSAGE;
	for (uint32_t i = below(4) + 1; i > 0; i--) {
		framing_write(mode, &text, bytes_of(requests[below(sizeof(requests) / sizeof(requests[0]))]));
		framing_write_end(mode, &text);
	}
	for (uint32_t i = below(3) + 1; i > 0; i--)
		damage(&text);
	struct peer *peer = harness_connect(h);
	peer_hello(peer, chunked);
	peer->input_slice = below(3) == 0 ? below(40) + 1 : 0;
	peer_send_bytes(peer, buffer_get(&text));
	peer->ending = true;
	buffer_fini(&text);
	/* With the end of input the session ends, whatever state it is in. */
	assert_true(peer_is_closed(peer));
	char *reply;
	while ((reply = peer_receive(peer)) != NULL) {
		assert_non_null(strstr(reply, "rpc-reply"));
		memory_free(reply);
	}
}

static void test_damaged_conversations(void **state)
{
	(void)state;
	const char *given = getenv("YARE_SEED");
	seed = given != NULL ? strtoull(given, NULL, 0) : 99;
	print_message("YARE_SEED=%llu\n", (unsigned long long)seed);
	for (int part = 0; part < 10; part++) {
		struct netconf_limits limits;
		netconf_limits_default(&limits);
		limits.inline_size = part % 2 == 0 ? 65536 : 0;
		struct harness h;
		assert_true(harness_init(&h, &(struct harness_options){.limits = &limits}));
		for (int round = 0; round < ROUNDS / 10; round++)
			converse(&h, round % 2 == 0);
		assert_int_equal(netconf_server_session_count(h.server), 0);
		struct peer *after = harness_connect(&h);
		peer_hello(after, true);
		peer_expect(after, "<get><filter/></get>", "<data></data>");
		harness_fini(&h);
	}
}

/* Sends `start`, then `piece` as often as the session takes it, at most `times`; gives the last reply. */
static char *flood(struct harness *h, const char *start, const char *piece, int times)
{
	struct peer *peer = harness_connect(h);
	peer_hello(peer, false);
	peer_send_bytes(peer, bytes_of(start));
	for (int i = 0; i < times && peer->session != NULL && buffer_size(&peer->from_server) == 0; i++) {
		peer_send_bytes(peer, bytes_of(piece));
		if (i % 100 == 99)
			while (buffer_size(&peer->to_server) > 0 && harness_turn(h, 0))
				;
	}
	char *reply = peer_receive(peer);
	assert_true(peer_is_closed(peer));
	return reply;
}

static void test_floods(void **state)
{
	(void)state;
	struct netconf_limits limits;
	netconf_limits_default(&limits);
	limits.request_size = 3 << 20;
	struct harness h;
	assert_true(harness_init(&h, &(struct harness_options){.limits = &limits}));
	const struct {
		const char *start, *piece, *answer;
	} cases[] = {
		{RPC_START, "<a>", "too-big"},
		{RPC_START "<get><filter>", "<a>", "too-big"},
		{RPC_START "<edit-config><target><running/></target><config>",
		 "<top xmlns=\"urn:yare:example?a&amp;b\">", "too-big"},
		{RPC_START "<get><filter>", "<a xmlns=\"urn:a\"><b>text</b></a>", "too-big"},
		{RPC_START "<get ", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "rpc-error"},
		{RPC_START "<get a=\"", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "rpc-error"},
		{RPC_START "<!-- ", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "rpc-error"},
		{RPC_START "<edit-config><target><running/></target><config><plain "
			   "xmlns=\"urn:yare:example?a&amp;b\"><value>",
		 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "too-big"},
		{"", "                                ", "too-big"},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *reply = flood(&h, cases[i].start, cases[i].piece, 200000);
		if (reply == NULL || strstr(reply, cases[i].answer) == NULL)
			fail_msg("case %zu: %s", i, reply != NULL ? reply : "nothing");
		memory_free(reply);
	}
	harness_fini(&h);
}

/* A parameter tree that is too large is refused, and the session goes on: its framing is intact. */
static void test_large_parameters(void **state)
{
	(void)state;
	struct netconf_limits limits;
	netconf_limits_default(&limits);
	limits.parameters = (size_t)1 << 20;
	struct harness h;
	assert_true(harness_init(&h, &(struct harness_options){.limits = &limits}));
	struct peer *peer = harness_connect(&h);
	peer_hello(peer, true);
	struct buffer text;
	buffer_init(&text, SIZE_MAX);
	add(&text, bytes_of("<get><filter>"));
	for (int i = 0; i < 50000; i++)
		add(&text, bytes_of("<a xmlns=\"urn:a\"/>"));
	add(&text, (struct bytes){"</filter></get>", 16});
	peer_expect(peer, buffer_get(&text).data, "too-big");
	peer_expect(peer, "<get/>", "<data></data>");
	buffer_fini(&text);
	harness_fini(&h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_damaged_conversations),
		cmocka_unit_test(test_floods),
		cmocka_unit_test(test_large_parameters),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
