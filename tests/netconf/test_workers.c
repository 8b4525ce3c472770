/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Several workers with sessions of their own on one server: edits on the workers and on job threads, locks,
 * commits, reads, kills across workers, sessions that vanish. Every request is answered or its session is
 * over; nothing is left. Meant for the thread sanitizer as well.
 */
#include "helper_workers.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"

#define ROUNDS 60
#define REQUESTS 12

static void send_random(struct worker *worker, struct peer *peer)
{
	static const char *const plain[] = {
		"<get/>",
		"<get-config><source><candidate/></source></get-config>",
		"<lock><target><running/></target></lock>",
		"<unlock><target><running/></target></unlock>",
		"<lock><target><candidate/></target></lock>",
		"<commit/>",
		"<discard-changes/>",
	};
	char text[512];
	uint32_t choice = workers_below(&worker->random, 20);
	if (choice < 7) {
		peer_send_rpc(peer, plain[choice]);
		return;
	}
	if (choice == 7 && worker->index > 0) {
		char kill[128];
		workers_kill_text(worker, kill);
		peer_send_rpc(peer, kill);
		return;
	}
	snprintf(text, sizeof(text),
		 "<edit-config><target><%s/></target><config><top "
		 "xmlns=\"urn:yare:example?a&amp;b\"><item>"
		 "<name>%u</name><kind>%u</kind>%*s</item></top></config></edit-config>",
		 workers_below(&worker->random, 2) ? "running" : "candidate",
		 workers_below(&worker->random, 50), workers_below(&worker->random, 3),
		 workers_below(&worker->random, 2) ? 200 : 1, "");
	peer_send_rpc(peer, text);
}

static void work(struct worker *worker)
{
	for (int round = 0; round < ROUNDS; round++) {
		struct peer *peer = harness_connect(&worker->harness);
		peer_hello(peer, true);
		atomic_store(&worker->ids[worker->index], peer->id);
		for (int i = 0; i < REQUESTS; i++)
			send_random(worker, peer);
		uint32_t expected = workers_below(&worker->random, REQUESTS + 1);
		for (uint32_t i = 0; i < expected; i++) {
			char *reply = peer_receive(peer);
			if (reply == NULL) {
				assert_null(peer->session); /* it was killed */
				break;
			}
			worker->answers++;
			memory_free(reply);
		}
		peer_drop(peer);
	}
}

static void test_workers(void **state)
{
	(void)state;
	uint64_t seed = workers_seed(7);
	struct netconf_limits limits;
	netconf_limits_default(&limits);
	limits.inline_size = 400; /* some of the edits are above it */
	limits.in_flight = 3000;
	struct harness h;
	assert_true(harness_init(&h, &(struct harness_options){.limits = &limits}));
	unsigned answers = workers_run(&h, seed, work);
	assert_int_equal(netconf_server_session_count(h.server), 0);
	assert_true(answers > ROUNDS);
	/* Whatever was locked is free. */
	struct peer *last = harness_connect(&h);
	peer_hello(last, true);
	char *reply = NULL;
	for (int tries = 0; tries < 1000 && (reply == NULL || strstr(reply, "<ok/>") == NULL); tries++) {
		memory_free(reply);
		reply = peer_call(last, "<lock><target><running/></target></lock>");
		harness_turn(&h, 1);
	}
	assert_non_null(strstr(reply, "<ok/>"));
	memory_free(reply);
	harness_fini(&h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_workers)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
