/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * get (RFC 6241 7.7), and what reading operations share: the filter and the pinned root. The reply is made
 * from the root by reply.c, while the client takes it.
 *
 * get is get-config of running with state data (state.c) grafted on its root, where the filter can select
 * any.
 */
#include "netconf/filter.h"
#include "netconf/operation.h"
#include "netconf/state.h"

#define SESSIONS_MAX 64 /* that a worker lists itself; more is work for a job thread */

/* The type attribute; anything but subtree is refused. */
static bool is_subtree(struct netconf_request *request, const struct element *filter)
{
	for (size_t i = 0; i < filter->attribute_count; i++) {
		const struct xml_attribute *attribute = &filter->attributes[i];
		bool ours = attribute->ns.size == 0 || bytes_equal(attribute->ns, bytes_of(NETCONF_NS));
		if (!ours || !bytes_equal(attribute->name, bytes_of("type")))
			continue;
		if (bytes_equal(attribute->value, bytes_of("subtree")))
			continue;
		if (bytes_equal(attribute->value, bytes_of("xpath"))) {
			netconf__param_refuse(request, "filter", DIAG_OPERATION_NOT_SUPPORTED,
					      "XPath filters are not supported.");
			return false;
		}
		struct diag *diag = netconf__param_refuse(request, "filter", DIAG_BAD_ATTRIBUTE,
							  "There is no such filter type.");
		diag_add_info(&request->diags, diag, "bad-attribute", "type");
		return false;
	}
	return true;
}

void netconf__read_filter(struct netconf_request *request, const struct netconf_param *param)
{
	if (param->element != NULL && is_subtree(request, param->element))
		request->filter_element = param->element;
}

/* Compiled here and not before: a session may have many requests queued, but reads one at a time. */
enum status netconf__read_run(struct netconf_request *request, enum store_wait wait)
{
	(void)wait;
	struct netconf_server *server = request->link->server;
	if (request->filter_element != NULL && request->filter == NULL &&
	    netconf__filter_new(server->schema, request->filter_element, &request->filter) != ST_OK) {
		netconf__param_refuse(request, "filter", DIAG_TOO_BIG,
				      "The filter has too many alternatives.");
		return ST_REJECTED;
	}
	request->root = store_pin_root(server->store, request->datastore);
	return ST_OK;
}

/* Puts a root with state in place of the pinned one. */
static void add_state(struct netconf_request *request)
{
	struct netconf_server *server = request->link->server;
	const struct tree_record *running = request->root;
	request->root = netconf__state_graft(server, running, request->filter, request->arena);
	tree_record_unref(running, server->schema->root, server->reclaimer);
}

static enum status run(struct netconf_request *request, enum store_wait wait)
{
	struct netconf_server *server = request->link->server;
	enum status status = netconf__read_run(request, wait);
	if (status != ST_OK || !netconf__state_is_wanted(server->state, request->filter))
		return status;
	if (wait == STORE_NO_WAIT && netconf_server_session_count(server) > SESSIONS_MAX) {
		tree_record_unref(request->root, server->schema->root, server->reclaimer);
		request->root = NULL;
		return ST_BUSY;
	}
	add_state(request);
	return ST_OK;
}

static void prepare(struct netconf_request *request)
{
	struct netconf_param params[] = {{.name = "filter", .content = NETCONF_PARAM_ANY}};
	netconf__params_read(request, params, 1);
	request->datastore = STORE_RUNNING;
	netconf__read_filter(request, &params[0]);
}

const struct netconf_operation netconf__op_get = {
	.name = "get",
	.kind = OPERATION_READS,
	.prepare = prepare,
	.run = run,
};
