/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The state data as a whole: its top-level nodes, the unchanging tree of them, and the graft on a root
 * of running for a <get>.
 *
 *     running's root --- graft ---> root for the reply
 *     state->root ------/             |
 *     sessions, counters, history ---/
 *
 * The graft shares both trees: it copies the root record and, for what changes, the path to it. A get whose
 * filter selects no state is answered from running's root alone.
 */
#include "netconf/state.h"

#include "base/memory.h"
#include "netconf/hello.h"
#include "netconf/sessions.h"
#include "os/clock.h"
#include "store/history.h"
#include "tree/builder.h"

#define LIBRARY "ietf-yang-library"
#define MONITORING "ietf-netconf-monitoring"
#define CONSTRAINTS "yare-constraints"
#define SESSIONS_MAX 64	 /* that a worker lists itself; more is work for a job thread */
#define VERSIONS_MAX 200 /* likewise */

/* A top-level state node; NULL where it is not there, or was made something else by a deviation. */
static const struct schema_node *find_top(const struct schema *schema, const char *module_name,
					  const char *name)
{
	const struct schema_module *module = schema_module_find(schema, bytes_of(module_name));
	if (module == NULL || !module->implemented)
		return NULL;
	const struct schema_node *node = schema_child_find(schema, schema->root, module, bytes_of(name));
	return node != NULL && node->kind == SCHEMA_CONTAINER && !node->config ? node : NULL;
}

struct netconf_state *netconf__state_new(struct schema *schema, const struct netconf_state_options *options)
{
	struct netconf_state *state = memory_zalloc(sizeof(*state));
	state->schema = schema;
	state->arena = arena_new();
	state->start_ns = os_clock_wall_ns();
	state->has_startup = options->has_startup;
	state->library = find_top(schema, LIBRARY, "yang-library");
	state->modules = find_top(schema, LIBRARY, "modules-state");
	state->monitoring = find_top(schema, MONITORING, "netconf-state");
	state->constraints = find_top(schema, CONSTRAINTS, "constraints");
	state->history = find_top(schema, "yare-history", "history");
	state->content_id = netconf__library_content_id(schema, state->arena);
	netconf__files_init(&state->files, schema, state->arena);
	vector_init(&state->capabilities, sizeof(const char *));
	netconf__hello_capabilities(state, options);
	state->root = netconf__library_build(state, tree_record_new());
	state->root = netconf__monitoring_build(state, state->root);
	return state;
}

void netconf__state_free(struct netconf_state *state)
{
	tree_record_unref(state->root, state->schema->root, NULL);
	vector_fini(&state->capabilities);
	vector_fini(&state->files);
	arena_free(state->arena);
	memory_free(state);
}

static bool wants(const struct netconf_filter *filter, const struct schema_node *node)
{
	if (node == NULL || filter == NULL)
		return node != NULL;
	return netconf__filter_reads_top(filter, node);
}

bool netconf__state_is_wanted(const struct netconf_state *state, const struct netconf_filter *filter)
{
	return wants(filter, state->library) || wants(filter, state->modules) ||
	       wants(filter, state->monitoring) || wants(filter, state->constraints) ||
	       wants(filter, state->history);
}

bool netconf__state_is_work(struct netconf_server *server, const struct netconf_filter *filter)
{
	if (netconf_server_session_count(server) > SESSIONS_MAX)
		return true;
	return wants(filter, server->state->history) && store_history_length(server->store) > VERSIONS_MAX;
}

static void graft(struct tree_builder *builder, const struct netconf_state *state,
		  const struct netconf_filter *filter, const struct schema_node *node)
{
	const union tree_slot *content = wants(filter, node) ? tree_record_find(state->root, node) : NULL;
	if (content != NULL)
		tree_builder_graft(builder, node, content);
}

const struct tree_record *netconf__state_graft(struct netconf_server *server,
					       const struct tree_record *running,
					       const struct netconf_filter *filter, struct arena *arena)
{
	const struct netconf_state *state = server->state;
	struct tree_builder *builder = tree_builder_new(server->schema, running, server->reclaimer);
	graft(builder, state, filter, state->library);
	graft(builder, state, filter, state->modules);
	graft(builder, state, filter, state->monitoring);
	struct tree_record *root = tree_builder_finish(builder);
	if (wants(filter, state->monitoring))
		root = netconf__monitoring_complete(server, root, arena);
	if (wants(filter, state->constraints))
		root = netconf__constraints_complete(server, root, arena);
	return wants(filter, state->history) ? netconf__history_complete(server, root, arena) : root;
}
