/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * delete-config (RFC 6241 7.4). Its target is startup or a url, both of capabilities that are not there: so
 * there is no valid target, and whatever is named is an element that the operation does not have (RFC 7950
 * 8.3.1).
 */
#include "netconf/operation.h"

static void prepare(struct netconf_request *request)
{
	struct netconf_param target = {
		.name = "target", .content = NETCONF_PARAM_ELEMENTS, .mandatory = true};
	netconf__params_read(request, &target, 1);
	if (target.element == NULL)
		return;
	const struct element *child = target.element->children;
	if (child == NULL) {
		netconf__param_refuse(request, "target", DIAG_MISSING_ELEMENT, "No datastore is named.");
		return;
	}
	const char *name = arena_strdup(request->arena, child->name);
	struct diag *diag = netconf__param_refuse(
		request, "target", DIAG_UNKNOWN_ELEMENT,
		arena_printf(request->arena, "\"%s\" cannot be deleted as a whole.", name));
	diag->infos->value = name;
}

/* Never called: prepare refuses all. */
static enum status run(struct netconf_request *request, enum store_wait wait)
{
	(void)request;
	(void)wait;
	return ST_REJECTED;
}

const struct netconf_operation netconf__op_delete_config = {
	.name = "delete-config",
	.kind = OPERATION_CHANGES,
	.admins_only = true,
	.prepare = prepare,
	.run = run,
};
