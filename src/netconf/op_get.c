/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * get (RFC 6241 7.7): get-config of running with state data (state.c) grafted on its root, where the filter
 * can select any.
 */
#include "netconf/operation.h"
#include "netconf/read.h"
#include "netconf/state.h"

#define SESSIONS_MAX 64 /* that a worker lists itself; more is work for a job thread */

/* Puts a root with state in place of the pinned one. */
static void add_state(struct netconf_request *request)
{
	struct netconf_server *server = request->link->server;
	const struct tree_record *running = request->root;
	request->root = netconf__state_graft(server, running, request->filter, request->arena);
	tree_record_unref(running, server->schema->root, server->reclaimer);
}

static enum status run(struct netconf_request *request, enum store_wait wait)
{
	struct netconf_server *server = request->link->server;
	enum status status = netconf__read_begin(request, wait);
	if (status != ST_OK)
		return status;
	bool wanted = netconf__state_is_wanted(server->state, request->filter);
	if (wanted && wait == STORE_NO_WAIT && netconf_server_session_count(server) > SESSIONS_MAX) {
		netconf__read_drop(request);
		return ST_BUSY;
	}
	if (wanted)
		add_state(request);
	return netconf__read_end(request);
}

static void prepare(struct netconf_request *request)
{
	struct netconf_param params[] = {{.name = "filter", .content = NETCONF_PARAM_ANY},
					 {.name = "with-defaults"}};
	netconf__params_read(request, params, 2);
	request->datastore = STORE_RUNNING;
	netconf__read_filter(request, &params[0]);
	netconf__read_with_defaults(request, &params[1]);
}

const struct netconf_operation netconf__op_get = {
	.name = "get",
	.kind = OPERATION_READS,
	.prepare = prepare,
	.run = run,
};
