/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * kill-session (RFC 6241 7.9). The victim's worker closes it; the answer is given when the victim's running
 * job has ended and its locks are free, so that a client may take them right after <ok/>.
 */
#include "netconf/operation.h"

#define SESSION_ID "session-id"

static void prepare(struct netconf_request *request)
{
	struct netconf_param param = {.name = SESSION_ID, .mandatory = true};
	netconf__params_read(request, &param, 1);
	if (param.element == NULL)
		return;
	request->victim_id = (uint32_t)netconf__param_number(request, &param, UINT32_MAX);
	if (request->victim_id == request->link->id)
		netconf__param_refuse(request, SESSION_ID, DIAG_INVALID_VALUE,
				      "A session cannot kill itself.");
}

static enum status run(struct netconf_request *request, enum store_wait wait)
{
	(void)wait;
	struct netconf_link *victim = netconf__link_find(request->link->server, request->victim_id);
	bool killed = victim != NULL && netconf__request_await_end(request, victim, true);
	if (victim != NULL)
		netconf__link_unref(victim);
	if (killed)
		return ST_OK;
	netconf__param_refuse(request, SESSION_ID, DIAG_INVALID_VALUE, "There is no such session.");
	return ST_REJECTED;
}

const struct netconf_operation netconf__op_kill_session = {
	.name = "kill-session",
	.kind = OPERATION_CHANGES,
	.admins_only = true,
	.prepare = prepare,
	.run = run,
};
