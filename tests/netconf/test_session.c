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
#include "journal/journal_memory.h"

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

static int count_of(const char *text, const char *word)
{
	int count = 0;
	while ((text = strstr(text, word)) != NULL) {
		text += strlen(word);
		count++;
	}
	return count;
}

/* What is announced is there, and all of it is announced; modules of YANG 1.1 are not listed. */
static void test_hello(void **state)
{
	(void)state;
	struct harness h;
	assert_true(harness_init(&h, &(struct harness_options){0}));
	struct peer *peer = harness_connect(&h);
	char *hello = peer_receive(peer);
	const char *const capabilities[] = {
		"urn:ietf:params:netconf:base:1.0",
		"urn:ietf:params:netconf:base:1.1",
		"urn:ietf:params:netconf:capability:writable-running:1.0",
		"urn:ietf:params:netconf:capability:candidate:1.0",
		"urn:ietf:params:netconf:capability:confirmed-commit:1.1",
		"urn:ietf:params:netconf:capability:rollback-on-error:1.0",
		"urn:ietf:params:netconf:capability:validate:1.1",
		"urn:ietf:params:netconf:capability:xpath:1.0",
		"urn:ietf:params:netconf:capability:with-defaults:1.0?basic-mode=explicit&amp;"
		"also-supported=report-all,report-all-tagged,trim",
		"urn:yare:example?a&amp;b?module=example&amp;revision=2024-01-01&amp;features=extras",
	};
	for (size_t i = 0; i < sizeof(capabilities) / sizeof(capabilities[0]); i++) {
		char element[256];
		snprintf(element, sizeof(element), "<capability>%s</capability>", capabilities[i]);
		assert_int_equal(count_of(hello, element), 1);
	}
	assert_int_equal(count_of(hello, "<capability>"), sizeof(capabilities) / sizeof(capabilities[0]));
	assert_int_equal(count_of(hello, "<session-id>1</session-id></hello>"), 1);
	memory_free(hello);
	harness_fini(&h);
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

/* Requests are answered in order however many come at once, more than the queue takes. */
static void test_hundreds_pipelined(void **state)
{
	(void)state;
	for (size_t inline_size = 0; inline_size <= 65536; inline_size += 65536) {
		struct netconf_limits limits;
		netconf_limits_default(&limits);
		limits.inline_size = inline_size;
		limits.pipeline = 7;
		struct harness h;
		assert_true(harness_init(&h, &(struct harness_options){.limits = &limits}));
		struct peer *peer = harness_connect(&h);
		peer_hello(peer, true);
		for (int i = 0; i < 300; i++) {
			char edit[256];
			snprintf(edit, sizeof(edit),
				 EDIT("<plain xmlns=\"urn:yare:example?a&amp;b\"><value>%d</value></plain>"),
				 i);
			peer_send_rpc(peer, i % 3 == 2 ? GET : edit);
		}
		for (int i = 0; i < 300; i++) {
			char id[32], value[32];
			snprintf(id, sizeof(id), "message-id=\"%d\"", i + 1);
			snprintf(value, sizeof(value), "<value>%d</value>", i - 1);
			char *reply = peer_receive(peer);
			assert_non_null(reply);
			assert_non_null(strstr(reply, id));
			assert_non_null(strstr(reply, i % 3 == 2 ? value : "<ok/>"));
			memory_free(reply);
		}
		struct netconf_counters counters;
		netconf_server_counters(h.server, &counters);
		assert_int_equal(counters.in_rpcs, 300);
		harness_fini(&h);
	}
}

/* Makes `count` entries with names of three-byte characters. */
static void fill(struct peer *peer, int count)
{
	struct buffer edit;
	buffer_init(&edit, SIZE_MAX);
	assert_int_equal(buffer_append(&edit, bytes_of("<edit-config><target><running/></target><config>"
						       "<top xmlns=\"urn:yare:example?a&amp;b\">")),
			 ST_OK);
	for (int i = 0; i < count; i++)
		assert_int_equal(buffer_printf(&edit,
					       "<item><name>\xe2\x82\xac\xe2\x82\xac%d\xe2\x82\xac</"
					       "name><kind>k</kind></item>",
					       i),
				 ST_OK);
	assert_int_equal(buffer_append(&edit, (struct bytes){"</top></config></edit-config>", 30}), ST_OK);
	peer_expect(peer, buffer_get(&edit).data, "<ok/>");
	buffer_fini(&edit);
}

/* A client that takes nothing holds up nobody, and its session stops producing and reading. */
static void test_output_not_taken(void **state)
{
	(void)state;
	struct netconf_limits limits;
	netconf_limits_default(&limits);
	limits.output_high = 100 * 1024;
	struct harness h;
	assert_true(harness_init(&h, &(struct harness_options){.limits = &limits}));
	struct peer *peer = harness_connect(&h), *other = harness_connect(&h);
	peer_hello(peer, true);
	peer_hello(other, true);
	fill(other, 20000); /* a reply of more than 1 MiB */
	peer->deaf = true;
	for (int i = 0; i < 500; i++)
		peer_send_rpc(peer, GET);
	while (harness_turn(&h, 0))
		;
	assert_true(netconf_session_wants(peer->session) & NETCONF_WANT_OUTPUT);
	assert_false(netconf_session_wants(peer->session) & (NETCONF_WANT_INPUT | NETCONF_WANT_RUN));
	assert_true(buffer_size(&peer->to_server) > 0);
	peer_expect(other, EDIT(TOP("<item><name>late</name><kind>x</kind></item>")), "<ok/>");
	/* It is ended when it has taken nothing for too long, by the clock of its last taking. */
	uint64_t deadline = netconf_session_deadline(peer->session);
	assert_true(deadline != UINT64_MAX);
	peer->deaf = false;
	char *first = peer_receive(peer);
	assert_null(strstr(first, "late")); /* pinned before the edit */
	memory_free(first);
	char *second = peer_receive(peer);
	assert_non_null(strstr(second, "late"));
	memory_free(second);
	peer->deaf = true;
	while (harness_turn(&h, 0))
		;
	assert_true(netconf_session_deadline(peer->session) > deadline);
	netconf_session_expire(peer->session, netconf_session_deadline(peer->session) - 1);
	assert_false(netconf_session_wants(peer->session) & NETCONF_WANT_CLOSE);
	netconf_session_expire(peer->session, netconf_session_deadline(peer->session));
	assert_int_equal(netconf_session_wants(peer->session), NETCONF_WANT_CLOSE);
	harness_fini(&h);
}

/* Behaviour case 6: no chunk ends within a character; no chunk is larger than what is produced at once. */
static void test_chunks_of_characters(void **state)
{
	(void)state;
	struct harness h;
	assert_true(harness_init(&h, &(struct harness_options){0}));
	struct peer *peer = harness_connect(&h);
	peer_hello(peer, true);
	fill(peer, 5000);
	peer_send_rpc(peer, GET);
	while (harness_turn(&h, 0))
		;
	struct bytes all = buffer_get(&peer->from_server);
	const char *at = all.data;
	int chunks = 0;
	while (at[2] != '#') {
		char *content;
		unsigned long size = strtoul(at + 2, &content, 10);
		assert_true(size > 0 && size <= 300 * 1024);
		content++;
		assert_int_equal(framing_whole_characters((struct bytes){content, size}), size);
		assert_int_not_equal((unsigned char)content[0] & 0xc0, 0x80);
		at = content + size;
		chunks++;
	}
	assert_true(chunks > 5);
	harness_fini(&h);
}

/* A session may vanish while its requests run; what they hold goes when they end, and locks with it. */
static void test_freed_in_flight(void **state)
{
	(void)state;
	struct netconf_limits limits;
	netconf_limits_default(&limits);
	limits.inline_size = 0;
	struct harness h;
	assert_true(harness_init(&h, &(struct harness_options){.limits = &limits}));
	for (int round = 0; round < 200; round++) {
		struct peer *peer = harness_connect(&h);
		assert_non_null(peer);
		peer_hello(peer, true);
		peer_send_rpc(peer, "<lock><target><candidate/></target></lock>");
		peer_send_rpc(peer,
			      "<edit-config><target><candidate/></target><config>" TOP(
				      "<item><name>a</name><kind>x</kind></item>") "</config></edit-config>");
		peer_send_rpc(peer, "<commit/>");
		for (int turn = 0; turn < round % 8; turn++)
			harness_turn(&h, round % 3 == 0 ? 1 : 0);
		peer_drop(peer);
	}
	assert_int_equal(netconf_server_session_count(h.server), 0);
	struct peer *last = harness_connect(&h);
	peer_hello(last, true);
	/* The last of the jobs may still be about to release its lock. */
	char *reply = NULL;
	for (int tries = 0; tries < 1000; tries++) {
		memory_free(reply);
		reply = peer_call(last, "<lock><target><candidate/></target></lock>");
		if (strstr(reply, "<ok/>") != NULL)
			break;
		harness_turn(&h, 5);
	}
	assert_non_null(strstr(reply, "<ok/>"));
	memory_free(reply);
	harness_fini(&h);
}

/* Answers wait for the disk; the session's next change does not, its next read does. */
static void test_answers_wait_for_sync(void **state)
{
	(void)state;
	struct journal *journal = journal_memory_new();
	struct harness h;
	assert_true(harness_init(&h, &(struct harness_options){.journal = journal}));
	struct peer *peer = harness_connect(&h), *other = harness_connect(&h);
	peer_hello(peer, true);
	peer_hello(other, true);
	journal_memory_hold_syncs(journal, 1);
	peer_send_rpc(peer, EDIT(TOP("<item><name>a</name><kind>x</kind></item>")));
	peer_send_rpc(peer, EDIT(TOP("<item><name>b</name><kind>x</kind></item>")));
	peer_send_rpc(peer, GET);
	peer_send_rpc(peer, EDIT(TOP("<item><name>c</name><kind>x</kind></item>")));
	while (harness_turn(&h, 20))
		;
	assert_int_equal(buffer_size(&peer->from_server), 0);
	assert_int_equal(journal_memory_length(journal), 2);
	/* Others read what is durable. */
	peer_expect(other, GET, "<data></data>");
	journal_memory_hold_syncs(journal, 0);
	const char *const answers[] = {"<ok/>", "<ok/>", "<name>b</name>", "<ok/>"};
	for (int i = 0; i < 4; i++) {
		char *reply = peer_receive(peer);
		assert_non_null(reply);
		assert_non_null(strstr(reply, answers[i]));
		assert_null(strstr(reply, "<name>c</name>"));
		memory_free(reply);
	}
	/* A sync that fails is told to those who wait for it. */
	journal_memory_hold_syncs(journal, 1);
	journal_memory_fail_sync(journal, 1);
	peer_send_rpc(peer, EDIT(TOP("<item><name>d</name><kind>x</kind></item>")));
	while (harness_turn(&h, 20))
		;
	journal_memory_hold_syncs(journal, 0);
	char *unknown = peer_receive(peer);
	assert_non_null(strstr(unknown, "<error-app-tag>outcome-unknown</error-app-tag>"));
	memory_free(unknown);
	peer_expect(peer, EDIT(TOP("<item><name>e</name><kind>x</kind></item>")), "operation-failed");
	peer_expect(peer, GET, "<name>c</name>");
	harness_fini(&h);
	journal->ops->close(journal);
}

/* A session may go while its answers wait for the disk. */
static void test_freed_while_waiting(void **state)
{
	(void)state;
	struct journal *journal = journal_memory_new();
	struct harness h;
	assert_true(harness_init(&h, &(struct harness_options){.journal = journal}));
	struct peer *peer = harness_connect(&h);
	peer_hello(peer, true);
	journal_memory_hold_syncs(journal, 1);
	for (int i = 0; i < 10; i++)
		peer_send_rpc(peer, EDIT(TOP("<item><name>a</name><kind>x</kind></item>")));
	while (harness_turn(&h, 5))
		;
	peer_drop(peer);
	journal_memory_hold_syncs(journal, 0);
	struct peer *other = harness_connect(&h);
	peer_hello(other, true);
	peer_expect(other, EDIT(TOP("<item><name>b</name><kind>x</kind></item>")), "<ok/>");
	peer_expect(other, GET, "<name>a</name>");
	harness_fini(&h);
	journal->ops->close(journal);
}

/* Requests of all sessions together: over the limit one session at a time reads on. */
static void test_in_flight_limit(void **state)
{
	(void)state;
	struct netconf_limits limits;
	netconf_limits_default(&limits);
	limits.in_flight = 3000;
	limits.inline_size = 100; /* so much is taken of each session in any case */
	struct harness h;
	assert_true(harness_init(&h, &(struct harness_options){.limits = &limits}));
	struct peer *peers[4];
	char content[1501];
	memset(content, 'x', sizeof(content) - 1);
	content[sizeof(content) - 1] = '\0';
	for (int i = 0; i < 4; i++) {
		peers[i] = harness_connect(&h);
		peer_hello(peers[i], false);
		peers[i]->input_slice = 100;
		peer_send_bytes(
			peers[i],
			bytes_of("<rpc message-id=\"1\" xmlns=\"urn:ietf:params:xml:ns:netconf:base:1.0\">"
				 "<edit-config><target><running/></target><config>"
				 "<plain xmlns=\"urn:yare:example?a&amp;b\"><value>"));
		peer_send_bytes(peers[i], bytes_of(content));
	}
	while (harness_turn(&h, 0))
		;
	/* Two and the overdraft were read; the fourth waits. */
	int waiting = 0;
	for (int i = 0; i < 4; i++) {
		waiting += buffer_size(&peers[i]->to_server) > 0;
		peer_send_bytes(peers[i], bytes_of("</value></plain></config></edit-config></rpc>]]>]]>"));
	}
	assert_true(waiting > 0);
	for (int i = 0; i < 4; i++) {
		char *reply = peer_receive(peers[i]);
		assert_non_null(reply);
		assert_non_null(strstr(reply, "<ok/>"));
		memory_free(reply);
	}
	harness_fini(&h);
}

static void stop_in_the_middle(struct peer *peer)
{
	char content[2001];
	memset(content, 'x', sizeof(content) - 1);
	content[sizeof(content) - 1] = '\0';
	peer_send_bytes(peer,
			bytes_of("<rpc message-id=\"1\" xmlns=\"urn:ietf:params:xml:ns:netconf:base:1.0\">"
				 "<edit-config><target><running/></target><config>"
				 "<plain xmlns=\"urn:yare:example?a&amp;b\"><value>"));
	peer_send_bytes(peer, bytes_of(content));
}

/* Clients that fill the account and then say nothing are in nobody's way for longer than the timeout, and
 * never in that of small requests. */
static void test_in_flight_held(void **state)
{
	(void)state;
	struct netconf_limits limits;
	netconf_limits_default(&limits);
	limits.in_flight = 3000;
	limits.inline_size = 500;
	struct harness h;
	assert_true(harness_init(&h, &(struct harness_options){.limits = &limits}));
	struct peer *peers[5];
	for (int i = 0; i < 5; i++) {
		peers[i] = harness_connect(&h);
		peer_hello(peers[i], false);
		peers[i]->input_slice = 100;
		stop_in_the_middle(peers[i]);
	}
	while (harness_turn(&h, 0))
		;
	struct peer *small = harness_connect(&h);
	peer_hello(small, true);
	for (int i = 0; i < 100; i++)
		peer_expect(small, "<get-config><source><running/></source></get-config>", "<data>");
	struct peer *waiting = NULL, *holder = NULL;
	for (int i = 0; i < 5; i++)
		*(buffer_size(&peers[i]->to_server) > 0 ? &waiting : &holder) = peers[i];
	assert_non_null(waiting);
	assert_non_null(holder);
	uint64_t deadline = netconf_session_deadline(waiting->session);
	netconf_session_expire(waiting->session, deadline - 1);
	netconf_session_expire(waiting->session, deadline);
	char *reply = peer_receive(waiting);
	assert_non_null(reply);
	assert_non_null(strstr(reply, "<error-tag>resource-denied</error-tag>"));
	memory_free(reply);
	assert_true(peer_is_closed(waiting));
	netconf_session_expire(holder->session, netconf_session_deadline(holder->session));
	assert_true(peer_is_closed(holder));
	for (int i = 0; i < 5; i++)
		peer_drop(peers[i]);
	/* Now there is room: silence in mid-request is no reason to end a session. */
	struct peer *slow = harness_connect(&h);
	peer_hello(slow, false);
	stop_in_the_middle(slow);
	while (harness_turn(&h, 0))
		;
	deadline = netconf_session_deadline(slow->session);
	netconf_session_expire(slow->session, deadline);
	assert_true(netconf_session_deadline(slow->session) > deadline);
	peer_send_bytes(slow, bytes_of("</value></plain></config></edit-config></rpc>]]>]]>"));
	reply = peer_receive(slow);
	assert_non_null(reply);
	assert_non_null(strstr(reply, "<ok/>"));
	memory_free(reply);
	harness_fini(&h);
}

static void test_timeouts(void **state)
{
	(void)state;
	struct netconf_limits limits;
	netconf_limits_default(&limits);
	limits.hello_timeout_ms = 5000;
	limits.idle_timeout_ms = 7000;
	struct harness h;
	assert_true(harness_init(&h, &(struct harness_options){.limits = &limits}));
	struct peer *silent = harness_connect(&h), *idle = harness_connect(&h);
	peer_hello(idle, true);
	while (harness_turn(&h, 0))
		;
	/* Behaviour case 3 */
	netconf_session_expire(silent->session, netconf_session_deadline(silent->session) - 1);
	assert_false(netconf_session_wants(silent->session) & NETCONF_WANT_CLOSE);
	netconf_session_expire(silent->session, netconf_session_deadline(silent->session));
	assert_true(peer_is_closed(silent));
	peer_expect(idle, "<lock><target><running/></target></lock>", "<ok/>");
	while (harness_turn(&h, 0))
		;
	assert_true(netconf_session_deadline(idle->session) != UINT64_MAX);
	netconf_session_expire(idle->session, netconf_session_deadline(idle->session));
	assert_true(peer_is_closed(idle));
	struct peer *next = harness_connect(&h);
	peer_hello(next, true);
	peer_expect(next, "<lock><target><running/></target></lock>", "<ok/>");
	struct netconf_counters counters;
	netconf_server_counters(h.server, &counters);
	assert_int_equal(counters.in_sessions, 3);
	assert_int_equal(counters.in_bad_hellos, 1);
	assert_int_equal(counters.dropped_sessions, 2);
	harness_fini(&h);
}

static void test_timeout_of_never(void **state)
{
	(void)state;
	struct netconf_limits limits;
	netconf_limits_default(&limits);
	limits.hello_timeout_ms = limits.stall_timeout_ms = UINT64_MAX;
	limits.idle_timeout_ms = UINT64_MAX / 1000000 + 1;
	struct harness h;
	assert_true(harness_init(&h, &(struct harness_options){.limits = &limits}));
	struct peer *peer = harness_connect(&h);
	assert_true(netconf_session_deadline(peer->session) == UINT64_MAX);
	peer_hello(peer, true);
	assert_true(netconf_session_deadline(peer->session) == UINT64_MAX);
	harness_fini(&h);
}

static void test_shutdown(void **state)
{
	(void)state;
	struct harness h;
	assert_true(harness_init(&h, &(struct harness_options){0}));
	struct peer *peer = harness_connect(&h), *half = harness_connect(&h), *unborn = harness_connect(&h);
	peer_hello(peer, true);
	peer_hello(half, false);
	fill(peer, 20000);
	peer_send_rpc(peer, GET);
	peer->output_slice = 100;
	peer_send_bytes(half, bytes_of("<rpc "));
	for (int i = 0; i < 5; i++)
		harness_turn(&h, 0);
	netconf_server_shutdown(h.server);
	assert_null(harness_connect(&h));
	peer->output_slice = 0;
	char *reply = peer_receive(peer);
	assert_non_null(strstr(reply, "</rpc-reply>"));
	memory_free(reply);
	assert_true(peer_is_closed(peer));
	assert_true(peer_is_closed(half));
	assert_true(peer_is_closed(unborn));
	harness_fini(&h);
}

/* Two sessions that kill each other, and one that is killed while its job runs. */
static void test_kills(void **state)
{
	(void)state;
	struct netconf_limits limits;
	netconf_limits_default(&limits);
	limits.inline_size = 0;
	struct harness h;
	assert_true(harness_init(&h, &(struct harness_options){.limits = &limits}));
	for (int round = 0; round < 100; round++) {
		struct peer *a = harness_connect(&h), *b = harness_connect(&h);
		char kill[128];
		peer_hello(a, true);
		peer_hello(b, true);
		peer_send_rpc(b, EDIT(TOP("<item><name>a</name><kind>x</kind></item>")));
		snprintf(kill, sizeof(kill), "<kill-session><session-id>%u</session-id></kill-session>",
			 b->id);
		peer_send_rpc(a, kill);
		snprintf(kill, sizeof(kill), "<kill-session><session-id>%u</session-id></kill-session>",
			 a->id);
		if (round % 2 == 0)
			peer_send_rpc(b, kill);
		if (round % 2 == 0) {
			while (a->session != NULL && b->session != NULL)
				assert_true(harness_turn(&h, 10000));
		} else {
			char *reply = peer_receive(a);
			assert_non_null(strstr(reply, "<ok/>"));
			memory_free(reply);
			assert_true(peer_is_closed(b));
		}
		peer_drop(a);
		peer_drop(b);
	}
	harness_fini(&h);
}

/* A small edit that meets a large one waits on a job thread; its worker goes on with other sessions. */
static void test_lock_held_by_a_job(void **state)
{
	(void)state;
	struct harness h;
	assert_true(harness_init(&h, &(struct harness_options){0}));
	struct peer *large = harness_connect(&h), *small = harness_connect(&h), *reader = harness_connect(&h);
	peer_hello(large, true);
	peer_hello(small, true);
	peer_hello(reader, true);
	for (int round = 0; round < 5; round++) {
		struct buffer edit;
		buffer_init(&edit, SIZE_MAX);
		assert_int_equal(buffer_printf(&edit, "%s",
					       "<edit-config><target><running/></target><config>"
					       "<top xmlns=\"urn:yare:example?a&amp;b\">"),
				 ST_OK);
		for (int i = 0; i < 5000; i++)
			assert_int_equal(
				buffer_printf(&edit, "<item><name>%d</name><kind>%d</kind></item>", i, round),
				ST_OK);
		assert_int_equal(buffer_printf(&edit, "%s", "</top></config></edit-config>"), ST_OK);
		peer_send_rpc(large, buffer_get(&edit).data);
		buffer_fini(&edit);
		while (buffer_size(&large->to_server) > 0)
			assert_true(harness_turn(&h, 1000));
		peer_send_rpc(small, EDIT(TOP("<item><name>a</name><kind>x</kind></item>")));
		peer_send_rpc(small, GET);
		peer_expect(reader, "<get><filter/></get>", "<data></data>");
		for (int i = 0; i < 3; i++) {
			char *reply = peer_receive(i == 0 ? large : small);
			assert_non_null(strstr(reply, i < 2 ? "<ok/>" : "<name>a</name>"));
			memory_free(reply);
		}
	}
	harness_fini(&h);
}

struct blocker {
	struct os_job job;
	pthread_mutex_t *held;
};

static void block(struct os_job *job)
{
	struct blocker *blocker = (struct blocker *)job;
	pthread_mutex_lock(blocker->held);
	pthread_mutex_unlock(blocker->held);
}

/* A small request that removes a large tree is work for a job thread, not for the worker: while all job
 * threads are held up, it is not answered, and others are. */
static void test_removals_are_jobs(void **state)
{
	(void)state;
	static const char *const removals[] = {
		EDIT("<top xmlns=\"urn:yare:example?a&amp;b\" "
		     "xmlns:nc=\"urn:ietf:params:xml:ns:netconf:base:1.0\" "
		     "nc:operation=\"remove\"/>"),
		EDIT("<top xmlns=\"urn:yare:example?a&amp;b\" "
		     "xmlns:nc=\"urn:ietf:params:xml:ns:netconf:base:1.0\" "
		     "nc:operation=\"replace\"/>"),
		"<edit-config><target><candidate/></target><default-operation>replace</default-operation>"
		"<config/></edit-config>",
	};
	struct harness h;
	assert_true(harness_init(&h, &(struct harness_options){0}));
	struct peer *peer = harness_connect(&h), *other = harness_connect(&h);
	peer_hello(peer, true);
	peer_hello(other, true);
	/* A job may still be ending when the next round begins. */
	pthread_mutex_t held[sizeof(removals) / sizeof(removals[0])];
	struct blocker blockers[sizeof(removals) / sizeof(removals[0])][2];
	for (size_t i = 0; i < sizeof(removals) / sizeof(removals[0]); i++) {
		pthread_mutex_init(&held[i], NULL);
		pthread_mutex_lock(&held[i]);
		for (size_t j = 0; j < 2; j++) {
			blockers[i][j] = (struct blocker){{.run = block}, &held[i]};
			os_pool_submit(h.pool, &blockers[i][j].job);
		}
		peer_send_rpc(peer, removals[i]);
		while (harness_turn(&h, 0))
			;
		peer_expect(other, EDIT("<numbered xmlns=\"urn:yare:example?a&amp;b\"><id>1</id></numbered>"),
			    "<ok/>");
		peer_expect(other,
			    EDIT("<numbered xmlns=\"urn:yare:example?a&amp;b\" "
				 "xmlns:nc=\"urn:ietf:params:xml:ns:netconf:base:1.0\" "
				 "nc:operation=\"delete\"><id>1</id></numbered>"),
			    "<ok/>");
		assert_int_equal(buffer_size(&peer->from_server), 0);
		pthread_mutex_unlock(&held[i]);
		char *reply = peer_receive(peer);
		assert_non_null(reply);
		assert_non_null(strstr(reply, "<ok/>"));
		memory_free(reply);
		peer_expect(peer, "<discard-changes/>", "<ok/>");
	}
	harness_fini(&h);
}

/* A session that dies in mid-message, at every byte of it. */
static void test_vanishes_anywhere(void **state)
{
	(void)state;
	struct harness h;
	assert_true(harness_init(&h, &(struct harness_options){0}));
	static const char conversation[] =
		HELLO_1_1 "]]>]]>\n#300\n<rpc message-id=\"1\" "
			  "xmlns=\"urn:ietf:params:xml:ns:netconf:base:1.0\"><edit-config>"
			  "<target><running/></target><config>" TOP(
				  "<item><name>a</name><kind>x</kind><part><a>1</a><b>2</b></part></item>");
	for (size_t size = 0; size < sizeof(conversation); size++) {
		struct peer *peer = harness_connect(&h);
		peer_send_bytes(peer, (struct bytes){conversation, size});
		if (size % 3 == 0)
			peer->ending = true;
		while (harness_turn(&h, 0))
			;
		peer_drop(peer);
	}
	assert_int_equal(netconf_server_session_count(h.server), 0);
	harness_fini(&h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_edit_and_read),
		cmocka_unit_test(test_hello),
		cmocka_unit_test(test_cuts),
		cmocka_unit_test(test_lock_held_by_a_job),
		cmocka_unit_test(test_removals_are_jobs),
		cmocka_unit_test(test_hundreds_pipelined),
		cmocka_unit_test(test_output_not_taken),
		cmocka_unit_test(test_chunks_of_characters),
		cmocka_unit_test(test_freed_in_flight),
		cmocka_unit_test(test_answers_wait_for_sync),
		cmocka_unit_test(test_freed_while_waiting),
		cmocka_unit_test(test_in_flight_limit),
		cmocka_unit_test(test_in_flight_held),
		cmocka_unit_test(test_timeouts),
		cmocka_unit_test(test_timeout_of_never),
		cmocka_unit_test(test_shutdown),
		cmocka_unit_test(test_kills),
		cmocka_unit_test(test_vanishes_anywhere),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
