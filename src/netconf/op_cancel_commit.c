/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cancel-commit (RFC 6241 8.4.4.1). It costs what changed since the confirmed commit, which nothing here
 * tells: work for a job thread.
 */
#include "netconf/operation.h"

static void prepare(struct netconf_request *request)
{
	struct netconf_param param = {.name = "persist-id"};
	netconf__params_read(request, &param, 1);
	request->confirm.persist_id = netconf__persist_read(request, &param);
}

static enum status run(struct netconf_request *request, enum store_wait wait)
{
	if (wait == STORE_NO_WAIT)
		return ST_BUSY;
	struct store_call call = netconf__store_call(request, wait);
	return store_cancel_commit(request->link->server->store, &call, request->confirm.persist_id,
				   &request->answer);
}

const struct netconf_operation netconf__op_cancel_commit = {
	.name = "cancel-commit",
	.kind = OPERATION_CHANGES,
	.prepare = prepare,
	.run = run,
};
