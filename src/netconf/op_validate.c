/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * validate (RFC 6241 8.6.4.1): whether running, the candidate or a <config> could be running. Nothing is
 * changed. The cost is that of the difference from running: work for a job thread. It reads a datastore, so
 * it runs when the changes before it were answered, and sees them.
 */
#include "netconf/operation.h"

static void prepare(struct netconf_request *request)
{
	struct netconf_param source = {.name = "source",
				       .content = NETCONF_PARAM_ELEMENTS,
				       .mandatory = true,
				       .nmda = true,
				       .startup = true};
	netconf__params_read(request, &source, 1);
	netconf__source_read(request, &source, &request->datastore);
}

static enum status run(struct netconf_request *request, enum store_wait wait)
{
	if (wait == STORE_NO_WAIT)
		return ST_BUSY;
	struct netconf_server *server = request->link->server;
	const struct tree_record *root;
	enum status status = netconf__source_root(request, request->datastore, &root);
	if (status != ST_OK)
		return status;
	struct store_call call = netconf__store_call(request, wait);
	call.content = netconf__source_content(request);
	status = store_validate(server->store, &call, root);
	tree_record_unref(root, server->schema->root, server->reclaimer);
	return status;
}

const struct netconf_operation netconf__op_validate = {
	.name = "validate",
	.kind = OPERATION_READS,
	.config = CONFIG_IN_SOURCE,
	.prepare = prepare,
	.run = run,
};
