/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * commit (RFC 6241 8.3.4.1). Its cost follows from what the candidate's edits changed, not from the size of
 * the request: where these edits were large, the commit is work for a job thread.
 */
#include "netconf/operation.h"

static void prepare(struct netconf_request *request)
{
	struct netconf_param params[] = {
		{.name = "confirmed", .unsupported = true},
		{.name = "confirm-timeout", .unsupported = true},
		{.name = "persist", .unsupported = true},
		{.name = "persist-id", .unsupported = true},
	};
	netconf__params_read(request, params, sizeof(params) / sizeof(params[0]));
}

static enum status run(struct netconf_request *request, enum store_wait wait)
{
	struct netconf_server *server = request->link->server;
	if (wait == STORE_NO_WAIT && atomic_load(&server->candidate_size) >= server->limits.inline_size)
		return ST_BUSY;
	struct store_call call = netconf__store_call(request, wait);
	enum status status = store_commit(server->store, &call, &request->answer);
	if (status == ST_OK)
		atomic_store(&server->candidate_size, 0);
	return status;
}

const struct netconf_operation netconf__op_commit = {
	.name = "commit",
	.kind = OPERATION_CHANGES,
	.prepare = prepare,
	.run = run,
};
