/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * netconf-state (RFC 6022). Capabilities and schemas do not change and are built once; datastores with their
 * locks, sessions and statistics are built for each reply, from what the store, the table of sessions and the
 * counters say at that moment. Each is right, though not all are of one moment.
 *
 * Sessions are copied under the server's lock and made into data without it. A session is listed from its
 * hello to its end.
 */
#include <string.h>

#include "netconf/sessions.h"
#include "netconf/state.h"
#include "netconf/state_build.h"
#include "store/partial.h"

#define FORMAT_YANG "ietf-netconf-monitoring:yang"

static void add_schemas(struct state_builder *build, const struct netconf_state *state)
{
	if (!state__enter(build, "schemas"))
		return;
	for (size_t i = 0; i < state->files.length; i++) {
		const struct netconf_file *file = vector_at(&state->files, i);
		const char *keys[] = {file->name, file->revision, FORMAT_YANG};
		if (!state__entry(build, "schema", keys, 2))
			continue;
		state__leaf(build, "namespace", file->ns);
		state__value(build, "location", "NETCONF");
		state__leave(build);
	}
	state__leave(build);
}

struct tree_record *netconf__monitoring_build(const struct netconf_state *state, struct tree_record *root)
{
	if (state->monitoring == NULL)
		return root;
	struct state_builder build;
	state__begin(&build, state->monitoring->module, state->schema, root, NULL);
	tree_record_unref(root, state->schema->root, NULL);
	state__enter(&build, "netconf-state");
	if (state__enter(&build, "capabilities")) {
		for (size_t i = 0; i < state->capabilities.length; i++)
			state__value(&build, "capability",
				     *(const char **)vector_at(&state->capabilities, i));
		state__leave(&build);
	}
	add_schemas(&build, state);
	state__leave(&build);
	return state__finish(&build);
}

/* ---- What changes. */

static void add_lock_info(struct state_builder *build, uint32_t holder, uint64_t since_ns)
{
	state__number(build, "locked-by-session", holder);
	state__time(build, "locked-time", since_ns);
}

static void add_partial_locks(struct state_builder *build, const struct store_partial_info *locks,
			      size_t count, struct arena *arena)
{
	for (size_t i = 0; i < count; i++) {
		const char *id = arena_printf(arena, "%u", locks[i].id);
		if (!state__entry(build, "partial-lock", &id, -1))
			continue;
		add_lock_info(build, locks[i].session_id, locks[i].since_ns);
		for (size_t k = 0; k < locks[i].select_count; k++)
			state__value(build, "select", locks[i].selects[k]);
		for (size_t k = 0; k < locks[i].node_count; k++)
			state__instance(build, "locked-node", locks[i].nodes[k]);
		state__leave(build);
	}
}

static void add_locks(struct state_builder *build, struct store *store, enum store_datastore datastore,
		      struct arena *arena)
{
	uint64_t since_ns;
	uint32_t holder = store_lock_holder(store, datastore, &since_ns);
	size_t count = 0;
	const struct store_partial_info *parts =
		datastore == STORE_RUNNING ? store_partial_list(store, arena, &count) : NULL;
	if ((holder == 0 && count == 0) || !state__enter_made(build, "locks"))
		return;
	if (holder == 0) {
		add_partial_locks(build, parts, count, arena);
	} else if (state__enter(build, "global-lock")) {
		add_lock_info(build, holder, since_ns);
		state__leave(build);
	}
	state__leave(build);
}

static void add_datastores(struct state_builder *build, struct store *store, struct arena *arena)
{
	static const char *const names[] = {
		[STORE_RUNNING] = "running", [STORE_CANDIDATE] = "candidate", [STORE_STARTUP] = "startup"};
	bool has_startup = store_startup_kind(store) != STORE_STARTUP_OFF;
	if (!state__enter(build, "datastores"))
		return;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (i == STORE_STARTUP && !has_startup)
			continue;
		if (!state__entry(build, "datastore", &names[i], -1))
			continue;
		add_locks(build, store, (enum store_datastore)i, arena);
		state__leave(build);
	}
	state__leave(build);
}

/* The counters that sessions and the server have in common; zero-based-counter32 wraps. */
static void add_common_counters(struct state_builder *build, const struct netconf_counters *counters)
{
	state__number(build, "in-rpcs", (uint32_t)counters->in_rpcs);
	state__number(build, "in-bad-rpcs", (uint32_t)counters->in_bad_rpcs);
	state__number(build, "out-rpc-errors", (uint32_t)counters->out_rpc_errors);
	state__number(build, "out-notifications", (uint32_t)counters->out_notifications);
}

static void add_statistics(struct state_builder *build, struct netconf_server *server)
{
	struct netconf_counters counters;
	if (!state__enter(build, "statistics"))
		return;
	netconf_server_counters(server, &counters);
	state__time(build, "netconf-start-time", server->state->start_ns);
	state__number(build, "in-bad-hellos", (uint32_t)counters.in_bad_hellos);
	state__number(build, "in-sessions", (uint32_t)counters.in_sessions);
	state__number(build, "dropped-sessions", (uint32_t)counters.dropped_sessions);
	add_common_counters(build, &counters);
	state__leave(build);
}

struct session_copy {
	uint32_t id;
	const char *user, *host, *transport;
	uint64_t login_ns;
	struct netconf_counters counters;
};

/* "127.0.0.1:830" -> "127.0.0.1", "[::1]:830" -> "::1"; NULL where it is no address of a network. */
static const char *host_of(const char *address, struct arena *arena)
{
	const char *port = strrchr(address, ':');
	if (port == NULL)
		return NULL;
	struct bytes host = {address, (size_t)(port - address)};
	if (host.size >= 2 && host.data[0] == '[')
		host = (struct bytes){host.data + 1, host.size - 2};
	return arena_strdup(arena, host);
}

/* Clients choose it; no rule says that it is text. */
static const char *user_of(const struct netconf_link *link, struct arena *arena)
{
	return arena_strdup(arena, netconf__files_readable(bytes_of(link->actor.user), arena));
}

static const char *transport_of(const struct netconf_link *link)
{
	return strcmp(link->transport, "ssh") == 0 ? "ietf-netconf-monitoring:netconf-ssh"
						   : "yare-transport:unix-socket";
}

static struct session_copy *copy_sessions(struct netconf_server *server, struct arena *arena, size_t *count)
{
	pthread_mutex_lock(&server->lock);
	struct session_copy *copies = arena_alloc(arena, server->session_count * sizeof(*copies));
	*count = 0;
	for (struct netconf_link *link = server->first_link; link != NULL; link = link->next) {
		if (!atomic_load_explicit(&link->open, memory_order_acquire))
			continue;
		struct session_copy *copy = &copies[(*count)++];
		*copy = (struct session_copy){
			.id = link->id,
			.user = user_of(link, arena),
			.host = host_of(link->actor.address, arena),
			.transport = transport_of(link),
			.login_ns = link->login_ns,
		};
		netconf__counters_read(&link->counters, &copy->counters);
	}
	pthread_mutex_unlock(&server->lock);
	return copies;
}

static void add_session(struct state_builder *build, const struct session_copy *session, struct arena *arena)
{
	const char *id = arena_printf(arena, "%u", session->id);
	if (!state__entry(build, "session", &id, -1))
		return;
	state__identity(build, "transport", session->transport);
	state__leaf(build, "username", session->user);
	state__leaf(build, "source-host", session->host);
	state__time(build, "login-time", session->login_ns);
	add_common_counters(build, &session->counters);
	state__leave(build);
}

static void add_sessions(struct state_builder *build, struct netconf_server *server, struct arena *arena)
{
	size_t count;
	if (!state__enter(build, "sessions"))
		return;
	const struct session_copy *sessions = copy_sessions(server, arena, &count);
	for (size_t i = 0; i < count; i++)
		add_session(build, &sessions[i], arena);
	state__leave(build);
}

struct tree_record *netconf__monitoring_complete(struct netconf_server *server, struct tree_record *root,
						 struct arena *arena)
{
	struct state_builder build;
	state__begin(&build, server->state->monitoring->module, server->schema, root, server->reclaimer);
	tree_record_unref(root, server->schema->root, server->reclaimer);
	if (state__enter(&build, "netconf-state")) {
		add_datastores(&build, server->store, arena);
		add_sessions(&build, server, arena);
		add_statistics(&build, server);
		state__leave(&build);
	}
	return state__finish(&build);
}
