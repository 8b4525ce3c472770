/* SPDX-License-Identifier: BSD-3-Clause */
/* factory-reset (RFC 8808 2): for administrators; the datastores are the store's to set back. */
#include "netconf/factory.h"
#include "netconf/nmda.h"
#include "netconf/operation.h"

bool netconf__factory_is_named(const struct netconf_request *request, const struct element *element)
{
	struct bytes name = netconf__identity_name(element, NETCONF_FACTORY_NS);
	return request->link->server->limits.factory_root != NULL &&
	       bytes_equal(name, bytes_of("factory-default"));
}

bool netconf__factory_is_source(const struct netconf_request *request, const struct netconf_param *param)
{
	const struct element *child = param->element->children;
	return child != NULL && child->next == NULL && child->children == NULL && child->attribute_count == 0 &&
	       bytes_equal(child->ns, bytes_of(NETCONF_NMDA_NS)) &&
	       bytes_equal(child->name, bytes_of("datastore")) && netconf__factory_is_named(request, child);
}

static void prepare(struct netconf_request *request)
{
	if (request->link->server->limits.factory_root == NULL)
		netconf__param_refuse(request, NULL, DIAG_OPERATION_NOT_SUPPORTED,
				      "This server has no factory default.");
	else
		netconf__params_read(request, NULL, 0);
}

static enum status run(struct netconf_request *request, enum store_wait wait)
{
	struct netconf_server *server = request->link->server;
	if (wait == STORE_NO_WAIT)
		return ST_BUSY;
	struct store_call call = netconf__store_call(request, wait);
	enum status status =
		store_factory_reset(server->store, &call, server->limits.factory_root, &request->answer);
	if (status == ST_OK)
		atomic_store(&server->candidate_size, 0);
	return status;
}

const struct netconf_operation netconf__op_factory_reset = {
	.name = "factory-reset",
	.ns = NETCONF_FACTORY_NS,
	.prefix = "fd",
	.kind = OPERATION_READS,
	.admins_only = true,
	.prepare = prepare,
	.run = run,
};
