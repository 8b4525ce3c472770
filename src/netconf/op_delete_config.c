/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * delete-config (RFC 6241 7.4). Its target is startup, where the server has that, or a url (url.h); whatever
 * else is named is an element that the operation does not have (RFC 7950 8.3.1).
 */
#include "netconf/nmda.h"
#include "netconf/operation.h"
#include "netconf/url.h"

static void prepare(struct netconf_request *request)
{
	struct netconf_param target = {
		.name = "target", .content = NETCONF_PARAM_ELEMENTS, .mandatory = true};
	netconf__params_read(request, &target, 1);
	if (target.element == NULL || netconf__url_param(request, &target, &request->target_url))
		return;
	const struct element *child = target.element->children;
	if (child == NULL) {
		netconf__param_refuse(request, "target", DIAG_MISSING_ELEMENT, "No datastore is named.");
		return;
	}
	if (netconf__startup_is_served(request) && bytes_equal(child->ns, bytes_of(NETCONF_NS)) &&
	    bytes_equal(child->name, bytes_of("startup"))) {
		target.startup = true;
		netconf__param_datastore(request, &target);
		return;
	}
	const char *name = arena_strdup(request->arena, child->name);
	struct diag *diag = netconf__param_refuse(
		request, "target", DIAG_UNKNOWN_ELEMENT,
		arena_printf(request->arena, "\"%s\" cannot be deleted as a whole.", name));
	diag->infos->value = name;
}

static enum status run(struct netconf_request *request, enum store_wait wait)
{
	if (request->target_url != NULL && wait == STORE_NO_WAIT)
		return ST_BUSY;
	if (request->target_url != NULL)
		return netconf__url_remove(request, request->target_url);
	struct store_call call = netconf__store_call(request, wait);
	return store_startup_delete(request->link->server->store, &call, &request->answer);
}

const struct netconf_operation netconf__op_delete_config = {
	.name = "delete-config",
	.kind = OPERATION_CHANGES,
	.admins_only = true,
	.prepare = prepare,
	.run = run,
};
