/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * get (RFC 6241 7.7): get-config of running with state data (state.c) grafted on its root, where the filter
 * can select any.
 */
#include "netconf/operation.h"
#include "netconf/read.h"

static enum status run(struct netconf_request *request, enum store_wait wait)
{
	enum status status = netconf__read_begin(request, wait);
	if (status == ST_OK)
		status = netconf__read_add_state(request, wait);
	return status == ST_OK ? netconf__read_end(request) : status;
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
