/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * Handlers of operations that modules define (RFC 7950 7.14, 7.15). The server validates the input against
 * the schema, calls the handler, and validates and writes the output:
 *
 *     static enum status reset(const struct netconf_call *call, void *arg)
 *     {
 *             struct value at;
 *             if (!netconf_call_leaf(call, "reset-at", &at)) ...              // defaults are there as well
 *             tree_builder_set_leaf(call->output, leaf, value);
 *             return ST_OK;
 *     }
 *     netconf_server_handle(server, "example", "reset", reset, NULL);
 *
 * A handler runs on a worker or, where the request is large, on a job thread; several may run at a time.
 */
#include "base/diag.h"
#include "netconf/server.h"
#include "tree/builder.h"

struct netconf_call {
	struct netconf_server *server;
	struct netconf_link *link; /* the session's, for netconf_call_is_wanted */
	const struct store_actor *actor;
	const char *transport; /* of the session: static */
	const struct tree_record *root; /* of the data that the input stands in */
	const struct schema_node *operation; /* SCHEMA_RPC or SCHEMA_ACTION */
	/* Valid input. Its parents are what the action is on, up to the root of running; of an rpc that root
	 * alone. The root has the server's state, too, where expressions of the operation may see it. */
	const struct tree_position *input;
	/* At the output's node: what the reply has; nothing means <ok/>. */
	struct tree_builder *output;
	struct diag_list *diags;
	/* For calls of the store. With STORE_NO_WAIT a handler may return ST_BUSY, with nothing done and
	 * nothing in `output`, and is called again from a job thread. */
	enum store_wait wait;
	struct store_answer *answer;
};

/* Fails: ST_REJECTED with diags; others become operation-failed. */
typedef enum status (*netconf_handler)(const struct netconf_call *call, void *arg);

/* Before the first session; a second handler of one operation replaces the first. `name`: an rpc's, or the
 * path to an action by names of the same module, "server/reset". Fails: false where the schema has no such
 * operation, or it is built in. Those without a handler, and not built in, are answered with operation-not-supported. */
bool netconf_server_handle(struct netconf_server *server, const char *module, const char *name,
			   netconf_handler handler, void *arg);
/* The same for one that takes its time: it is called on the pool's threads alone, so that no other request waits for
 * it but those behind it in its session. Borrows the pool. */
bool netconf_server_handle_slowly(struct netconf_server *server, const char *module, const char *name,
				  netconf_handler handler, void *arg, struct os_pool *pool);
/* Whether the session is still there to be answered; for handlers that take their time. */
bool netconf_call_is_wanted(const struct netconf_call *call);
/* The value of a leaf at the top of the input, which a default may have given; borrowed. False: it has none.
 */
bool netconf_call_leaf(const struct netconf_call *call, const char *name, struct value *value);
