/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * close-session (RFC 6241 7.8): everything before it was executed; locks are released before the answer; what
 * comes after it is ignored (session.c).
 */
#include "netconf/operation.h"

static void prepare(struct netconf_request *request)
{
	netconf__params_read(request, NULL, 0);
}

static enum status run(struct netconf_request *request, enum store_wait wait)
{
	(void)wait;
	request->ends_session = true;
	netconf__request_await_end(request, request->link, false);
	netconf__link_over(request->link);
	return ST_OK;
}

const struct netconf_operation netconf__op_close_session = {
	.name = "close-session",
	.kind = OPERATION_CLOSES,
	.prepare = prepare,
	.run = run,
};
