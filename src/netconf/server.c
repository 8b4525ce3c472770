/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The server as its sessions see it: limits, the table's owner, counters, and the account of requests in
 * flight.
 *
 * The account: each session adds what it takes from the wire and removes it when the request was executed.
 * Over the limit sessions take no input but for small requests (session.c), except one: the first that asks
 * holds the overdraft until its request is complete, so that total <= limit + one request + a small one for
 * each session. After the stall timeout, sessions that are silent in mid-request are ended while there is no
 * room, and requests that still wait for it are refused (resource-denied).
 */
#include "netconf/server.h"

#include "base/assert.h"
#include "base/memory.h"
#include "netconf/handlers.h"
#include "netconf/hello.h"
#include "netconf/producer.h"
#include "netconf/sessions.h"
#include "netconf/state.h"
#include "os/pieces.h"

void netconf_limits_default(struct netconf_limits *limits)
{
	*limits = (struct netconf_limits){
		.request_size = (size_t)1 << 30,
		.depth = 256,
		.value_size = (size_t)16 << 20,
		.attributes = 256,
		.envelope_size = (size_t)64 << 10,
		.hello_size = (size_t)256 << 10,
		.in_flight = (size_t)2 << 30,
		.inline_size = 64 * 1024,
		.ahead_size = os_processors() > 1 ? 256 * 1024 : 0,
		.output_high = 256 * 1024,
		.reply_ahead = 4 * NETCONF_PRODUCER_SIZE,
		.sessions = 1024,
		.errors = 32,
		.hello_timeout_ms = 60000,
		.idle_timeout_ms = 0,
		.stall_timeout_ms = 60000,
		.linger_ms = 10000,
		.linger_size = (size_t)256 << 20,
		.pipeline = 64,
		.filter_steps = 50000000,
		.filter_time_ms = 1000,
		.filter_nodes = 100000,
		.filter_memory = (size_t)5 << 20,
		.filter_alternatives = 64,
		.filter_elements = 65536,
		.filter_any = (size_t)1 << 20,
		.search = {.indexes = 8, .memory = (size_t)64 << 20, .entries = 1000},
		.parameters = (size_t)8 << 20,
		.cores = os_processors(),
	};
}

struct netconf_server *netconf_server_new(struct schema *schema, struct store *store,
					  struct tree_reclaimer *reclaimer, struct os_pool *pool,
					  const struct netconf_limits *limits)
{
	ASSERT(limits->pipeline > 0 && limits->errors > 0);
	struct netconf_server *server = memory_zalloc(sizeof(*server));
	server->schema = schema;
	server->store = store;
	server->reclaimer = reclaimer;
	server->pool = pool;
	server->limits = *limits;
	struct netconf_state_options state_options = {
		.hello_all_modules = limits->hello_all_modules,
		.has_startup = store_startup_kind(store) != STORE_STARTUP_OFF,
		.basic_defaults = limits->basic_defaults,
		.has_urls = limits->url_folder != NULL,
	};
	server->state = netconf__state_new(schema, &state_options);
	server->hello = netconf__hello_text(server->state);
	server->search = store_search_new(&limits->search, reclaimer);
	vector_init(&server->handlers, sizeof(struct netconf_handler_entry));
	pthread_mutex_init(&server->lock, NULL);
	pthread_cond_init(&server->empty, NULL);
	return server;
}

void netconf_server_free(struct netconf_server *server)
{
	if (server == NULL)
		return;
	/* Jobs of sessions that are gone may still run; they end on their own. */
	pthread_mutex_lock(&server->lock);
	ASSERT(server->session_count == 0);
	while (server->link_count > 0)
		pthread_cond_wait(&server->empty, &server->lock);
	pthread_mutex_unlock(&server->lock);
	pthread_cond_destroy(&server->empty);
	pthread_mutex_destroy(&server->lock);
	vector_fini(&server->handlers);
	store_search_free(server->search);
	memory_free(server->hello);
	netconf__state_free(server->state);
	memory_free(server);
}

void netconf_server_shutdown(struct netconf_server *server)
{
	pthread_mutex_lock(&server->lock);
	server->shutdown = true;
	for (struct netconf_link *link = server->first_link; link != NULL; link = link->next) {
		atomic_store(&link->shutdown, true);
		netconf__link_wake(link);
	}
	pthread_mutex_unlock(&server->lock);
}

void netconf_server_tidy(struct netconf_server *server)
{
	store_tidy(server->store);
}

bool netconf_server_rests(struct netconf_server *server)
{
	return !store_sync_is_due(server->store);
}

void netconf_server_leave(struct netconf_server *server)
{
	store_sync_soon(server->store);
}

uint64_t netconf_server_rest(struct netconf_server *server, enum store_company company)
{
	return store_sync_at_rest(server->store, company);
}

size_t netconf_server_session_count(struct netconf_server *server)
{
	pthread_mutex_lock(&server->lock);
	size_t count = server->session_count;
	pthread_mutex_unlock(&server->lock);
	return count;
}

void netconf__counters_read(const struct netconf_atomic_counters *from, struct netconf_counters *counters)
{
	*counters = (struct netconf_counters){
		.in_bad_hellos = atomic_load(&from->in_bad_hellos),
		.in_sessions = atomic_load(&from->in_sessions),
		.dropped_sessions = atomic_load(&from->dropped_sessions),
		.in_rpcs = atomic_load(&from->in_rpcs),
		.in_bad_rpcs = atomic_load(&from->in_bad_rpcs),
		.out_rpc_errors = atomic_load(&from->out_rpc_errors),
	};
}

void netconf_server_counters(struct netconf_server *server, struct netconf_counters *counters)
{
	netconf__counters_read(&server->counters, counters);
}

static void pause_link(struct netconf_link *link)
{
	if (!atomic_exchange(&link->paused, true))
		atomic_fetch_add(&link->server->paused_count, 1);
}

static void resume_link(struct netconf_link *link)
{
	if (atomic_exchange(&link->paused, false))
		atomic_fetch_sub(&link->server->paused_count, 1);
}

bool netconf__in_flight_admit(struct netconf_link *link)
{
	struct netconf_server *server = link->server;
	if (atomic_load(&server->in_flight) < server->limits.in_flight) {
		if (atomic_load_explicit(&link->paused, memory_order_relaxed))
			resume_link(link);
		return true;
	}
	pthread_mutex_lock(&server->lock);
	/* Announced as paused before the account is looked at again: who makes room then sees it. */
	pause_link(link);
	bool room = atomic_load(&server->in_flight) < server->limits.in_flight;
	if (!room && atomic_load(&server->overdraft_id) == 0)
		atomic_store(&server->overdraft_id, link->id);
	bool admitted = room || atomic_load(&server->overdraft_id) == link->id;
	if (admitted)
		resume_link(link);
	pthread_mutex_unlock(&server->lock);
	return admitted;
}

void netconf__in_flight_pass(struct netconf_link *link)
{
	if (atomic_load_explicit(&link->paused, memory_order_relaxed))
		resume_link(link);
}

bool netconf__in_flight_full(struct netconf_server *server)
{
	return atomic_load(&server->in_flight) >= server->limits.in_flight;
}

void netconf__in_flight_add(struct netconf_link *link, size_t size)
{
	atomic_fetch_add(&link->server->in_flight, size);
}

static void wake_paused(struct netconf_server *server)
{
	if (atomic_load(&server->paused_count) == 0)
		return;
	pthread_mutex_lock(&server->lock);
	for (struct netconf_link *link = server->first_link; link != NULL; link = link->next) {
		if (!atomic_load(&link->paused))
			continue;
		resume_link(link);
		netconf__link_wake(link);
	}
	pthread_mutex_unlock(&server->lock);
}

void netconf__in_flight_remove(struct netconf_link *link, size_t size)
{
	if (size == 0)
		return;
	size_t before = atomic_fetch_sub(&link->server->in_flight, size);
	ASSERT(before >= size);
	wake_paused(link->server);
}

void netconf__in_flight_yield(struct netconf_link *link)
{
	struct netconf_server *server = link->server;
	/* Only this session's own thread sets or clears its id here. */
	if (atomic_load_explicit(&server->overdraft_id, memory_order_relaxed) != link->id)
		return;
	atomic_store(&server->overdraft_id, 0);
	wake_paused(server);
}
