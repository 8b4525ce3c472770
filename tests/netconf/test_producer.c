/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Replies that job threads make ahead of the client: the same bytes as without, in any slices; in order with
 * what is asked behind them; with a pool that has no time; clients that do not read; sessions that vanish or
 * are killed in mid-reply, on several workers (meant for the thread sanitizer as well).
 */
#include "helper_workers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "netconf/producer.h"

#define GET "<get-config><source><running/></source></get-config>"
#define NS "urn:yare:example?a&amp;b"
#define ITEMS 8000 /* of some 100 bytes */
#define ROUNDS 25

/* As if there were so many processors. */
static void begin(struct harness *h, unsigned cores)
{
	struct netconf_limits limits;
	netconf_limits_default(&limits);
	limits.cores = cores;
	assert_true(harness_init(h, &(struct harness_options){.limits = &limits, .tells_others = true}));
}

/* Values of characters of 1 to 4 bytes, so that pieces end anywhere in them. */
static void fill(struct peer *peer)
{
	struct buffer edit;
	buffer_init(&edit, SIZE_MAX);
	assert_int_equal(buffer_printf(&edit,
				       "<edit-config><target><running/></target><config><top xmlns=\"" NS
				       "\">"),
			 ST_OK);
	for (int i = 0; i < ITEMS; i++)
		assert_int_equal(
			buffer_printf(&edit,
				      "<item><name>%d</name><kind>a\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80%0*d</"
				      "kind></item>",
				      i, 40 + i % 31, i),
			ST_OK);
	assert_int_equal(buffer_append(&edit, bytes_of("</top></config></edit-config>")), ST_OK);
	assert_int_equal(buffer_append(&edit, (struct bytes){"", 1}), ST_OK);
	peer_expect(peer, buffer_get(&edit).data, "<ok/>");
	buffer_fini(&edit);
}

/* From <data> on: without the message-id. */
static const char *data_of(const char *reply)
{
	assert_non_null(reply);
	const char *data = strstr(reply, "<data");
	assert_non_null(data);
	return data;
}

/* What it is without jobs. */
static char *expected_reply(void)
{
	struct harness h;
	begin(&h, 1);
	struct peer *peer = harness_connect(&h);
	peer_hello(peer, true);
	fill(peer);
	char *reply = peer_call(peer, GET);
	assert_int_equal(atomic_load(&h.asked), 0);
	assert_true(strlen(reply) > 8 * NETCONF_PRODUCER_SIZE);
	harness_fini(&h);
	return reply;
}

static void test_same_bytes(void **state)
{
	(void)state;
	static const size_t slices[] = {0, 900, 5000, 32000, 70000, 1000000};
	char *expected = expected_reply();
	struct harness h;
	begin(&h, 8);
	for (size_t i = 0; i < sizeof(slices) / sizeof(slices[0]); i++) {
		struct peer *peer = harness_connect(&h);
		peer_hello(peer, i % 2 == 0);
		if (i == 0)
			fill(peer);
		peer->output_slice = slices[i];
		/* What is behind a large reply waits for it. */
		peer_send_rpc(peer, GET);
		peer_send_rpc(peer, "<edit-config><target><candidate/></target><config/></edit-config>");
		peer_send_rpc(peer, GET);
		for (int j = 0; j < 3; j++) {
			char *reply = peer_receive(peer);
			if (j == 1)
				assert_non_null(strstr(reply, "<ok/>"));
			else
				assert_string_equal(data_of(reply), data_of(expected));
			memory_free(reply);
		}
		peer_drop(peer);
	}
	assert_true(atomic_load(&h.asked) > 0);
	memory_free(expected);
	harness_fini(&h);
}

struct jam {
	struct os_job job;
	pthread_mutex_t *lock;
};

static void run_jam(struct os_job *job)
{
	struct jam *jam = (struct jam *)job;
	pthread_mutex_lock(jam->lock);
	pthread_mutex_unlock(jam->lock);
}

/* No job thread has time: the session makes its reply itself. */
static void test_no_thread(void **state)
{
	(void)state;
	struct harness h;
	begin(&h, 8);
	struct peer *peer = harness_connect(&h);
	peer_hello(peer, true);
	fill(peer);
	pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	pthread_mutex_lock(&lock);
	struct jam jams[16];
	for (size_t i = 0; i < 16; i++) {
		jams[i] = (struct jam){.job.run = run_jam, .lock = &lock};
		os_pool_submit(h.pool, &jams[i].job);
	}
	char *reply = peer_call(peer, GET);
	assert_non_null(strstr(data_of(reply), "</data></rpc-reply>"));
	memory_free(reply);
	pthread_mutex_unlock(&lock);
	harness_fini(&h);
}

static void settle(struct harness *h)
{
	while (harness_turn(h, 0) || os_pool_load(h->pool) > 0)
		continue;
}

/* Many who ask for all and take nothing hold no thread, and each no more than its buffers. */
static void test_deaf_clients(void **state)
{
	(void)state;
	enum { COUNT = 60 };
	struct harness h;
	begin(&h, 8);
	struct peer *peers[COUNT], *good = harness_connect(&h);
	peer_hello(good, true);
	fill(good);
	for (int i = 0; i < COUNT; i++) {
		peers[i] = harness_connect(&h);
		peer_hello(peers[i], true);
		peers[i]->deaf = true;
		peer_send_rpc(peers[i], GET);
		peer_send_rpc(peers[i], GET);
	}
	settle(&h);
	for (int i = 0; i < COUNT; i++) {
		unsigned wants = netconf_session_wants(peers[i]->session);
		assert_int_equal(wants & (NETCONF_WANT_RUN | NETCONF_WANT_OUTPUT), NETCONF_WANT_OUTPUT);
	}
	char *reply = peer_call(good, GET);
	assert_non_null(strstr(reply, "</data></rpc-reply>"));
	memory_free(reply);
	/* One goes on where it was; one is ended by its timeout; the others vanish. */
	peers[0]->deaf = false;
	reply = peer_receive(peers[0]);
	assert_non_null(strstr(reply, "</data></rpc-reply>"));
	memory_free(reply);
	netconf_session_expire(peers[1]->session, netconf_session_deadline(peers[1]->session));
	assert_int_equal(netconf_session_wants(peers[1]->session), NETCONF_WANT_CLOSE);
	for (int i = 2; i < COUNT; i++)
		peer_drop(peers[i]);
	peer_expect(good, "<edit-config><target><running/></target><config/></edit-config>", "<ok/>");
	harness_fini(&h);
}

/* Some turns, in which some of the reply is taken. */
static void read_some(struct worker *worker, struct peer *peer)
{
	uint32_t turns = workers_below(&worker->random, 60);
	for (uint32_t i = 0; i < turns && peer->session != NULL; i++)
		harness_turn(&worker->harness, 1);
}

static void kill_other(struct worker *worker, struct peer *peer)
{
	char text[128];
	workers_kill_text(worker, text);
	memory_free(peer_call(peer, text)); /* it may be gone, or we may be killed */
}

static void work(struct worker *worker)
{
	for (int round = 0; round < ROUNDS; round++) {
		struct peer *peer = harness_connect(&worker->harness);
		peer_hello(peer, workers_below(&worker->random, 2) == 0);
		atomic_store(&worker->ids[worker->index], peer->id);
		peer->output_slice = 1 + workers_below(&worker->random, 100000);
		if (workers_below(&worker->random, 3) == 0)
			kill_other(worker, peer);
		if (peer->session == NULL)
			continue;
		peer_send_rpc(peer, GET);
		char edit[256];
		snprintf(edit, sizeof(edit),
			 "<edit-config><target><running/></target><config><top xmlns=\"" NS
			 "\"><item><name>%u</name><kind>x</kind></item></top></config></edit-config>",
			 workers_below(&worker->random, ITEMS));
		peer_send_rpc(peer, edit);
		peer_send_rpc(peer, GET);
		read_some(worker, peer);
		if (workers_below(&worker->random, 3) > 0) {
			char *reply = peer_receive(peer);
			worker->answers += reply != NULL;
			assert_true(reply == NULL || strstr(reply, "</top></data></rpc-reply>") != NULL);
			memory_free(reply);
		}
		peer_drop(peer);
	}
}

static void test_workers(void **state)
{
	(void)state;
	uint64_t seed = workers_seed(11);
	struct harness h;
	begin(&h, 64);
	struct peer *peer = harness_connect(&h);
	peer_hello(peer, true);
	fill(peer);
	assert_true(workers_run(&h, seed, work) > 0);
	assert_int_equal(netconf_server_session_count(h.server), 1);
	harness_fini(&h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same_bytes),
		cmocka_unit_test(test_no_thread),
		cmocka_unit_test(test_deaf_clients),
		cmocka_unit_test(test_workers),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
