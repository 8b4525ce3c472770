/* SPDX-License-Identifier: BSD-3-Clause */
/* get-config (RFC 6241 7.1). */
#include "netconf/operation.h"
#include "netconf/read.h"
#include "netconf/txid.h"

static void prepare(struct netconf_request *request)
{
	struct netconf_param params[] = {
		{.name = "source", .content = NETCONF_PARAM_ELEMENTS, .mandatory = true, .startup = true},
		{.name = "filter", .content = NETCONF_PARAM_ANY},
		{.name = "with-defaults"}};
	netconf__params_read(request, params, 3);
	netconf__param_datastore(request, &params[0]);
	netconf__read_filter(request, &params[1]);
	netconf__read_with_defaults(request, &params[2]);
	netconf__txid_read_prepare(request);
}

const struct netconf_operation netconf__op_get_config = {
	.name = "get-config",
	.kind = OPERATION_READS,
	.prepare = prepare,
	.run = netconf__read_run,
};
