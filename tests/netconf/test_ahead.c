/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Edits that are prepared while they arrive, in small parts. Two servers, of which one prepares nothing, give
 * the same answers and come to the same data; and requests that end in their middle, by kill-session or as
 * the client leaves, leave nothing behind. Meant for the thread sanitizer as well. The seed is printed and
 * taken from YARE_SEED.
 */
#include "helper_workers.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"

#define EDITS 40
#define ITEMS 150 /* of an edit */
#define NAMES 600
#define ROUNDS 25
#define SLICE 300 /* bytes that a session takes in a call */

static void put(struct buffer *out, const char *text)
{
	assert_int_equal(buffer_append(out, bytes_of(text)), 0);
}

/* Items mostly without an operation; and of three edits one has some that take away, or are there twice. */
static void put_items(uint64_t *random, struct buffer *out)
{
	static const char *const operations[] = {"create", "replace", "merge", "remove", "delete"};
	bool is_special = workers_below(random, 3) == 0;
	uint32_t first = workers_below(random, NAMES);
	for (uint32_t i = 0; i < ITEMS; i++) {
		char text[256], operation[64] = "";
		uint32_t name = is_special ? workers_below(random, NAMES) : (first + i) % NAMES;
		if (is_special && workers_below(random, 50) == 0)
			snprintf(operation, sizeof(operation), " nc:operation=\"%s\"",
				 operations[workers_below(random, 5)]);
		snprintf(text, sizeof(text), "<item%s><name>%u</name><kind>%u</kind></item>", operation, name,
			 workers_below(random, 3));
		put(out, text);
	}
}

static char *make_edit(uint64_t *random)
{
	static const char *const defaults[] = {"merge", "merge", "merge", "replace", "none"};
	struct buffer out;
	buffer_init(&out, SIZE_MAX);
	put(&out, "<edit-config><target><running/></target><default-operation>");
	put(&out, defaults[workers_below(random, 5)]);
	put(&out, "</default-operation><config xmlns:nc=\"urn:ietf:params:xml:ns:netconf:base:1.0\"><top "
		  "xmlns=\"urn:yare:example?a&amp;b\"");
	put(&out, workers_below(random, 6) == 0 ? " nc:operation=\"replace\">" : ">");
	put_items(random, &out);
	put(&out, "</top></config></edit-config>");
	char *text = memory_strdup("");
	text = memory_resize(text, buffer_size(&out) + 1, 1);
	memcpy(text, buffer_get(&out).data, buffer_size(&out));
	text[buffer_size(&out)] = '\0';
	buffer_fini(&out);
	return text;
}

static struct peer *connect_in_slices(struct harness *h)
{
	struct peer *peer = harness_connect(h);
	peer_hello(peer, true);
	peer->input_slice = SLICE;
	return peer;
}

static void expect_same(struct peer *left, struct peer *right, const char *operation)
{
	char *one = peer_call(left, operation), *other = peer_call(right, operation);
	assert_non_null(one);
	assert_string_equal(one, other);
	memory_free(one);
	memory_free(other);
}

static void init(struct harness *h, size_t ahead_size)
{
	struct netconf_limits limits;
	netconf_limits_default(&limits);
	limits.inline_size = 400;
	limits.ahead_size = ahead_size;
	assert_true(harness_init(h, &(struct harness_options){.limits = &limits}));
}

static void prepared_edits_are_the_same(void **state)
{
	(void)state;
	uint64_t random = workers_seed(11);
	struct harness with, without;
	init(&with, 2);
	init(&without, 0);
	struct peer *left = connect_in_slices(&with), *right = connect_in_slices(&without);
	for (int i = 0; i < EDITS; i++) {
		char *edit = make_edit(&random);
		expect_same(left, right, edit);
		memory_free(edit);
		expect_same(left, right, "<get-config><source><running/></source></get-config>");
	}
	harness_fini(&with);
	harness_fini(&without);
}

/* Part of an edit, and then the client leaves, or is killed. */
static void leave_in_the_middle(struct worker *worker, struct peer *peer, const char *edit)
{
	peer_send_rpc(peer, edit);
	for (uint32_t turns = workers_below(&worker->random, 30); turns > 0; turns--)
		harness_turn(&worker->harness, 0);
	peer_drop(peer);
}

static void kill_another(struct worker *worker, struct peer *peer)
{
	char text[128];
	workers_kill_text(worker, text);
	peer_send_rpc(peer, text);
}

static void work(struct worker *worker)
{
	for (int round = 0; round < ROUNDS; round++) {
		struct peer *peer = connect_in_slices(&worker->harness);
		atomic_store(&worker->ids[worker->index], peer->id);
		char *edit = make_edit(&worker->random);
		uint32_t choice = workers_below(&worker->random, 4);
		if (choice == 0) {
			leave_in_the_middle(worker, peer, edit);
			memory_free(edit);
			continue;
		}
		if (choice == 1)
			kill_another(worker, peer);
		peer_send_rpc(peer, edit);
		char *reply = peer_receive(peer);
		worker->answers += reply != NULL;
		memory_free(reply);
		memory_free(edit);
		peer_drop(peer);
	}
}

static void requests_end_in_their_middle(void **state)
{
	(void)state;
	uint64_t seed = workers_seed(11);
	struct harness h;
	init(&h, 2);
	unsigned answers = workers_run(&h, seed, work);
	assert_int_equal(netconf_server_session_count(h.server), 0);
	assert_true(answers > ROUNDS);
	harness_fini(&h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(prepared_edits_are_the_same),
		cmocka_unit_test(requests_end_in_their_middle),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
