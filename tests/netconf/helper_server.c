/* SPDX-License-Identifier: BSD-3-Clause */
/* The in-process server; see helper_server.h. The test's thread is the only worker. */
#include "helper_server.h"

#include "helper_handlers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/log.h"
#include "base/memory.h"
#include "schema/load.h"

#define PATIENCE_MS 10000

const char *harness_scenario_dir(void)
{
	static char dir[1024];
	const char *source = getenv("YARE_SOURCE");
	snprintf(dir, sizeof(dir), "%s/tests/scenario", source != NULL ? source : ".");
	return dir;
}

static const char *perf_test_dir(void)
{
	static char dir[1024];
	const char *shared = getenv("YARE_SHARED"), *source = getenv("YARE_SOURCE");
	if (shared != NULL)
		snprintf(dir, sizeof(dir), "%s/yang/perf-test", shared);
	else
		snprintf(dir, sizeof(dir), "%s/../shared/yang/perf-test", source != NULL ? source : ".");
	return dir;
}

/* The bundled modules. */
static const char *yang_dir(void)
{
	static char dir[1024];
	const char *source = getenv("YARE_SOURCE");
	snprintf(dir, sizeof(dir), "%s/yang", source != NULL ? source : ".");
	return dir;
}

static void load_schema(struct harness *harness, const char *dir, const struct harness_options *options)
{
	static const char *const all[] = {"*"}, *const nmda[] = {"origin", "with-defaults"},
				 *const lending[] = {"lending"}, *const netconf[] = {"writable-running",
										     "candidate",
										     "confirmed-commit",
										     "rollback-on-error",
										     "validate",
										     "xpath",
										     "startup"};
	struct schema_module_request modules[] = {
		{.name = "example", .features = all, .feature_count = 1},
		{.name = "example-more"},
		{.name = "example-library", .features = lending, .feature_count = 1},
		{.name = "example-deviation"},
		{.name = "example-defaults"},
		{.name = "example-data"},
		{.name = "example-validation"},
		{.name = "example-operations"},
		{.name = "ietf-netconf", .features = netconf, .feature_count = 6 + options->startup},
		{.name = "ietf-netconf-monitoring"},
		{.name = "ietf-netconf-partial-lock"},
		{.name = "ietf-netconf-with-defaults"},
		{.name = "ietf-netconf-nmda", .features = nmda, .feature_count = 2},
		{.name = "ietf-nmda-compare"},
		{.name = "ietf-netconf-txid"},
		{.name = "ietf-origin"},
		{.name = "ietf-datastores"},
		{.name = "ietf-yang-library", .revision = "2019-01-04"},
		{.name = "yare-transport"},
		{.name = "yare-history"},
	};
	static const struct schema_module_request perf = {.name = "perf-test"};
	const char *dirs[] = {dir, yang_dir()};
	struct schema_source source = {
		.search_dirs = dirs,
		.search_dir_count = 2,
		.modules = options->perf_test ? &perf : modules,
		.module_count = options->perf_test  ? 1
				: options->standard ? sizeof(modules) / sizeof(modules[0])
						    : 2,
	};
	struct arena *arena = arena_new();
	struct diag_list diags;
	diag_list_init(&diags, arena, 10);
	enum status status = schema_load(&source, &diags, &harness->schema);
	if (status == ST_OK)
		status = check_plan_new(harness->schema, &diags, &harness->plan);
	for (const struct diag *diag = diags.first; diag != NULL; diag = diag->next)
		print_message("%s\n", diag->message != NULL ? diag->message : "?");
	assert_int_equal(status, ST_OK);
	arena_free(arena);
}

static void open_store(struct harness *harness, struct journal *journal)
{
	struct store_options options = {
		.schema = harness->schema,
		.plan = harness->plan,
		.journal = journal,
		.durability = journal != NULL ? STORE_FULL : STORE_NONE,
		.check = {.steps = 100000000, .max_nodes = 1000000, .verify = true},
		.reclaimer = harness->reclaimer,
		.history_length = 100,
		.separate_startup = harness->startup,
		.history_memory = 16u << 20,
	};
	struct arena *arena = arena_new();
	struct diag_list diags;
	diag_list_init(&diags, arena, 10);
	assert_int_equal(store_open(&options, &diags, &harness->store), ST_OK);
	arena_free(arena);
}

bool harness_init(struct harness *harness, const struct harness_options *options)
{
	const char *dir = options->perf_test ? perf_test_dir() : harness_scenario_dir();
	if (access(dir, R_OK) != 0) {
		print_message("no %s: skipped\n", dir);
		return false;
	}
	log_set_level(LOG_LEVEL_WARNING);
	*harness = (struct harness){0};
	pthread_mutex_init(&harness->lock, NULL);
	pthread_cond_init(&harness->woken, NULL);
	harness->startup = options->startup;
	harness->tells_others = options->tells_others;
	load_schema(harness, dir, options);
	harness->reclaimer = tree_reclaimer_new(NULL, NULL);
	open_store(harness, options->journal);
	assert_int_equal(os_pool_new(2, &harness->pool), ST_OK);
	struct netconf_limits limits;
	netconf_limits_default(&limits);
	if (options->limits != NULL)
		limits = *options->limits;
	static const char *const admins[] = {"tester"};
	if (limits.admins == NULL) {
		limits.admins = admins;
		limits.admin_count = 1;
	}
	harness->server = netconf_server_new(harness->schema, harness->store, harness->reclaimer,
					     harness->pool, &limits);
	if (options->standard)
		handlers_register(harness->server);
	return true;
}

void harness_worker_init(struct harness *worker, const struct harness *harness)
{
	*worker = *harness;
	worker->peers = NULL;
	worker->wakes = 0;
	pthread_mutex_init(&worker->lock, NULL);
	pthread_cond_init(&worker->woken, NULL);
}

void harness_worker_fini(struct harness *worker)
{
	while (worker->peers != NULL) {
		struct peer *peer = worker->peers;
		worker->peers = peer->next;
		peer_drop(peer);
		buffer_fini(&peer->to_server);
		buffer_fini(&peer->from_server);
		buffer_fini(&peer->message);
		memory_free(peer);
	}
	pthread_cond_destroy(&worker->woken);
	pthread_mutex_destroy(&worker->lock);
}

void harness_fini(struct harness *harness)
{
	harness_worker_fini(harness);
	netconf_server_free(harness->server);
	os_pool_free(harness->pool);
	store_close(harness->store);
	tree_reclaimer_free(harness->reclaimer);
	check_plan_free(harness->plan);
	schema_unref(harness->schema);
}

static void wake(void *arg)
{
	struct harness *harness = arg;
	pthread_mutex_lock(&harness->lock);
	harness->wakes++;
	pthread_cond_signal(&harness->woken);
	pthread_mutex_unlock(&harness->lock);
}

static unsigned no_others(void *arg)
{
	struct harness *harness = arg;
	atomic_fetch_add(&harness->asked, 1);
	return 0;
}

static bool wait_for_wake(struct harness *harness, unsigned wait_ms)
{
	struct timespec end;
	clock_gettime(CLOCK_REALTIME, &end);
	end.tv_nsec += (long)(wait_ms % 1000) * 1000000;
	end.tv_sec += wait_ms / 1000 + end.tv_nsec / 1000000000;
	end.tv_nsec %= 1000000000;
	pthread_mutex_lock(&harness->lock);
	int error = 0;
	while (harness->wakes == 0 && error == 0)
		error = pthread_cond_timedwait(&harness->woken, &harness->lock, &end);
	bool woken = harness->wakes > 0;
	harness->wakes = 0;
	pthread_mutex_unlock(&harness->lock);
	return woken;
}

static bool give_input(struct peer *peer)
{
	struct bytes input = buffer_get(&peer->to_server);
	if (input.size == 0) {
		if (peer->ending)
			netconf_session_input_end(peer->session);
		bool ended = peer->ending;
		peer->ending = false;
		return ended;
	}
	if (peer->input_slice != 0 && input.size > peer->input_slice)
		input.size = peer->input_slice;
	size_t taken = netconf_session_input(peer->session, input.data, input.size);
	buffer_consume(&peer->to_server, taken);
	return taken > 0;
}

static bool take_output(struct peer *peer)
{
	struct bytes ready = netconf_session_peek(peer->session);
	size_t size = peer->output_slice != 0 ? peer->output_slice : 16384;
	if (ready.size == 0)
		return false;
	ready.size = ready.size < size ? ready.size : size;
	assert_int_equal(buffer_append(&peer->from_server, ready), ST_OK);
	netconf_session_take(peer->session, ready.size);
	return true;
}

static bool serve(struct peer *peer)
{
	if (peer->session == NULL)
		return false;
	unsigned wants = netconf_session_wants(peer->session);
	bool done = false;
	if ((wants & NETCONF_WANT_OUTPUT) && !peer->deaf)
		done |= take_output(peer);
	if (wants & NETCONF_WANT_RUN) {
		netconf_session_run(peer->session);
		done = true;
	}
	if (wants & NETCONF_WANT_INPUT)
		done |= give_input(peer);
	(void)netconf_session_rest(peer->session, NETCONF_THREAD_IDLE);
	while (!netconf_server_rests(peer->harness->server) &&
	       netconf_server_rest(peer->harness->server, STORE_NOBODY) == 0)
		continue;
	if (wants & NETCONF_WANT_SHUT) { /* a client that has read the end leaves */
		netconf_session_input_end(peer->session);
		done = true;
	}
	if (wants & NETCONF_WANT_CLOSE) {
		peer_drop(peer);
		done = true;
	}
	return done;
}

bool harness_turn(struct harness *harness, unsigned wait_ms)
{
	bool done = false;
	for (struct peer *peer = harness->peers; peer != NULL; peer = peer->next)
		done |= serve(peer);
	tree_reclaimer_run(harness->reclaimer, 1000000);
	return done || (wait_ms > 0 && wait_for_wake(harness, wait_ms));
}

struct peer *harness_connect(struct harness *harness)
{
	struct netconf_peer description = {
		.user = "tester",
		.address = "test",
		.transport = "memory",
		.wake = wake,
		.others_at_work = harness->tells_others ? no_others : NULL,
		.arg = harness,
	};
	struct netconf_session *session = netconf_session_new(harness->server, &description);
	if (session == NULL)
		return NULL;
	struct peer *peer = memory_zalloc(sizeof(*peer));
	peer->harness = harness;
	peer->session = session;
	peer->id = netconf_session_id(session);
	buffer_init(&peer->to_server, SIZE_MAX);
	buffer_init(&peer->from_server, SIZE_MAX);
	buffer_init(&peer->message, SIZE_MAX);
	framing_init(&peer->replies, FRAMING_END_OF_MESSAGE);
	peer->next = harness->peers;
	harness->peers = peer;
	return peer;
}

void peer_drop(struct peer *peer)
{
	netconf_session_free(peer->session);
	peer->session = NULL;
}

void peer_send_bytes(struct peer *peer, struct bytes bytes)
{
	assert_int_equal(buffer_append(&peer->to_server, bytes), ST_OK);
}

void peer_send(struct peer *peer, const char *message)
{
	enum framing_mode mode = peer->chunked ? FRAMING_CHUNKED : FRAMING_END_OF_MESSAGE;
	framing_write(mode, &peer->to_server, bytes_of(message));
	framing_write_end(mode, &peer->to_server);
}

void peer_send_rpc(struct peer *peer, const char *operation)
{
	struct buffer rpc;
	buffer_init(&rpc, SIZE_MAX);
	assert_int_equal(
		buffer_printf(&rpc,
			      "<rpc message-id=\"%u\" xmlns=\"urn:ietf:params:xml:ns:netconf:base:1.0\">",
			      ++peer->ids),
		ST_OK);
	assert_int_equal(buffer_append(&rpc, bytes_of(operation)), ST_OK);
	assert_int_equal(buffer_append(&rpc, (struct bytes){"</rpc>", 7}), ST_OK);
	peer_send(peer, buffer_get(&rpc).data);
	buffer_fini(&rpc);
}

/* True where a message is complete in peer->message. */
static bool read_message(struct peer *peer)
{
	struct bytes input = buffer_get(&peer->from_server), content;
	size_t before = input.size;
	enum framing_event event;
	while ((event = framing_next(&peer->replies, &input, &content)) == FRAMING_CONTENT)
		assert_int_equal(buffer_append(&peer->message, content), ST_OK);
	assert_int_not_equal(event, FRAMING_BROKEN);
	buffer_consume(&peer->from_server, before - input.size);
	return event == FRAMING_END;
}

char *peer_receive(struct peer *peer)
{
	bool late = false;
	while (!read_message(peer)) {
		if (late || (peer->session == NULL && buffer_size(&peer->from_server) == 0))
			return NULL;
		late = !harness_turn(peer->harness, PATIENCE_MS);
	}
	assert_int_equal(buffer_append(&peer->message, (struct bytes){"", 1}), ST_OK);
	char *text = memory_strdup(buffer_get(&peer->message).data);
	buffer_clear(&peer->message, 0);
	return text;
}

char *peer_call(struct peer *peer, const char *operation)
{
	peer_send_rpc(peer, operation);
	return peer_receive(peer);
}

void peer_hello(struct peer *peer, bool base_1_1)
{
	peer_send(peer, base_1_1 ? HELLO_1_1 : HELLO_1_0);
	char *hello = peer_receive(peer);
	assert_non_null(hello);
	assert_non_null(strstr(hello, "<session-id>"));
	memory_free(hello);
	if (!base_1_1)
		return;
	peer->chunked = true;
	framing_init(&peer->replies, FRAMING_CHUNKED);
}

void peer_expect(struct peer *peer, const char *operation, const char *text)
{
	char *reply = peer_call(peer, operation);
	if (reply == NULL || strstr(reply, text) == NULL)
		fail_msg("%s\ngot %s\nwithout %s", operation, reply != NULL ? reply : "nothing", text);
	memory_free(reply);
}

bool peer_is_closed(struct peer *peer)
{
	while (peer->session != NULL && harness_turn(peer->harness, PATIENCE_MS))
		;
	return peer->session == NULL;
}
