/* SPDX-License-Identifier: BSD-3-Clause */
/* discard-changes (RFC 6241 8.3.4.2). */
#include "netconf/operation.h"

static void prepare(struct netconf_request *request)
{
	netconf__params_read(request, NULL, 0);
}

static enum status run(struct netconf_request *request, enum store_wait wait)
{
	struct netconf_server *server = request->link->server;
	struct store_call call = netconf__store_call(request, wait);
	enum status status = store_discard(server->store, &call, &request->answer);
	if (status == ST_OK)
		atomic_store(&server->candidate_size, 0);
	return status;
}

const struct netconf_operation netconf__op_discard_changes = {
	.name = "discard-changes",
	.kind = OPERATION_CHANGES,
	.prepare = prepare,
	.run = run,
};
