/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * commit (RFC 6241 8.3.4.1), also confirmed (8.4.5.1). Its cost follows from what the candidate's edits
 * changed, not from the size of the request: where these edits were large, the commit is work for a job
 * thread.
 *
 * confirm-timeout and persist say something about a confirmed commit only: without <confirmed/> they are
 * refused, so that nobody believes in a way back that is not there.
 */
#include "netconf/operation.h"
#include "netconf/txid.h"
#include "netconf/version_info.h"

#define PERSIST_MAX 1024 /* bytes */

const char *netconf__persist_read(struct netconf_request *request, const struct netconf_param *param)
{
	if (param->element == NULL)
		return NULL;
	if (param->element->text.size > PERSIST_MAX) {
		netconf__param_refuse(request, param->name, DIAG_INVALID_VALUE, "The token is too long.");
		return NULL;
	}
	return arena_strdup(request->arena, param->element->text);
}

/* Seconds: "1..max" of uint32. */
static uint32_t read_timeout(struct netconf_request *request, const struct netconf_param *param)
{
	if (param->element == NULL)
		return STORE_CONFIRM_TIMEOUT_S;
	return (uint32_t)netconf__param_number(request, param, UINT32_MAX);
}

static void prepare(struct netconf_request *request)
{
	enum {
		CONFIRMED,
		TIMEOUT,
		PERSIST,
		PERSIST_ID,
		COMMENT,
		LABEL,
		WITH_ETAG,
		WITH_LAST_MODIFIED,
		COUNT
	};
	struct netconf_param params[COUNT] = {
		[CONFIRMED] = {.name = "confirmed", .content = NETCONF_PARAM_EMPTY},
		[TIMEOUT] = {.name = "confirm-timeout"},
		[PERSIST] = {.name = "persist"},
		[PERSIST_ID] = {.name = "persist-id"},
		[COMMENT] = {.name = "comment"},
		[LABEL] = {.name = "label"},
		[WITH_ETAG] = {.name = "with-etag"},
		[WITH_LAST_MODIFIED] = {.name = "with-last-modified"},
	};
	netconf__params_read(request, params, COUNT);
	netconf__change_info_read(request, &params[COMMENT], &params[LABEL]);
	netconf__txid_with_read(request, &params[WITH_ETAG], &params[WITH_LAST_MODIFIED]);
	request->confirm = (struct store_confirm){
		.is_confirmed = params[CONFIRMED].element != NULL,
		.timeout_s = read_timeout(request, &params[TIMEOUT]),
		.persist = netconf__persist_read(request, &params[PERSIST]),
		.persist_id = netconf__persist_read(request, &params[PERSIST_ID]),
	};
	if (!request->confirm.is_confirmed &&
	    (params[TIMEOUT].element != NULL || params[PERSIST].element != NULL))
		netconf__param_refuse(request, "confirmed", DIAG_MISSING_ELEMENT,
				      "The parameters are those of a confirmed commit.");
}

static enum status run(struct netconf_request *request, enum store_wait wait)
{
	struct netconf_server *server = request->link->server;
	if (wait == STORE_NO_WAIT && atomic_load(&server->candidate_size) >= server->limits.inline_size)
		return ST_BUSY;
	struct store_call call = netconf__store_call(request, wait);
	enum status status = store_commit_confirm(server->store, &call, &request->confirm, &request->answer);
	if (status == ST_OK) {
		atomic_store(&server->candidate_size, 0);
		netconf__txid_note(request);
	}
	return status;
}

const struct netconf_operation netconf__op_commit = {
	.name = "commit",
	.kind = OPERATION_CHANGES,
	.prepare = prepare,
	.run = run,
};
