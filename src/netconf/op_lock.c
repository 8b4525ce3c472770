/* SPDX-License-Identifier: BSD-3-Clause */
/* lock and unlock (RFC 6241 7.5, 7.6): the rules are the store's. */
#include "netconf/operation.h"

static void prepare(struct netconf_request *request)
{
	struct netconf_param target = {.name = "target",
				       .content = NETCONF_PARAM_ELEMENTS,
				       .mandatory = true,
				       .nmda = true,
				       .startup = true};
	netconf__params_read(request, &target, 1);
	netconf__param_datastore(request, &target);
}

static enum status run_lock(struct netconf_request *request, enum store_wait wait)
{
	struct store_call call = netconf__store_call(request, wait);
	return store_lock(request->link->server->store, request->datastore, &call);
}

static enum status run_unlock(struct netconf_request *request, enum store_wait wait)
{
	struct store_call call = netconf__store_call(request, wait);
	return store_unlock(request->link->server->store, request->datastore, &call);
}

const struct netconf_operation netconf__op_lock = {
	.name = "lock",
	.kind = OPERATION_CHANGES,
	.prepare = prepare,
	.run = run_lock,
};

const struct netconf_operation netconf__op_unlock = {
	.name = "unlock",
	.kind = OPERATION_CHANGES,
	.prepare = prepare,
	.run = run_unlock,
};
