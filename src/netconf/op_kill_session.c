/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * kill-session (RFC 6241 7.9). The victim's worker closes it; the answer is given when the victim's running
 * job has ended and its locks are free, so that a client may take them right after <ok/>.
 */
#include "netconf/operation.h"

#define SESSION_ID "session-id"

static bool parse_id(struct bytes text, uint32_t *id)
{
	uint64_t value = 0;
	for (size_t i = 0; i < text.size; i++) {
		if (text.data[i] < '0' || text.data[i] > '9')
			return false;
		value = value * 10 + (uint64_t)(text.data[i] - '0');
		if (value > UINT32_MAX)
			return false;
	}
	*id = (uint32_t)value;
	return value > 0;
}

static void prepare(struct netconf_request *request)
{
	struct netconf_param param = {.name = SESSION_ID, .mandatory = true};
	netconf__params_read(request, &param, 1);
	if (param.element == NULL)
		return;
	if (!parse_id(element_text_trimmed(param.element), &request->victim_id))
		netconf__param_refuse(request, SESSION_ID, DIAG_INVALID_VALUE, "This is no session-id.");
	else if (request->victim_id == request->link->id)
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
