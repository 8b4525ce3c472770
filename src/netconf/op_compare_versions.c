/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * compare-versions (yare-history): two versions of running as compare does two datastores. Old versions share
 * with newer ones what did not change, so this costs what differs; making the root of one that is not held in
 * memory reads the journal, which is work for a job thread.
 */
#include <inttypes.h>

#include "netconf/compare.h"
#include "netconf/nmda.h"
#include "netconf/operation.h"
#include "netconf/version_info.h"
#include "store/history.h"

static void prepare(struct netconf_request *request)
{
	enum { SOURCE, TARGET, SUBTREE_FILTER, XPATH_FILTER, COUNT };
	struct netconf_param params[COUNT] = {
		[SOURCE] = {.name = "source", .mandatory = true},
		[TARGET] = {.name = "target"},
		[SUBTREE_FILTER] = {.name = "subtree-filter", .content = NETCONF_PARAM_ANY},
		[XPATH_FILTER] = {.name = "xpath-filter"},
	};
	if (!netconf__history_is_served(request))
		return;
	request->comparison = arena_zalloc(request->arena, sizeof(*request->comparison));
	netconf__params_read(request, params, COUNT);
	netconf__nmda_filters(request, &params[SUBTREE_FILTER], &params[XPATH_FILTER]);
	for (unsigned side = 0; side < 2; side++)
		if (params[side].element != NULL)
			request->comparison->versions[side] =
				netconf__param_number(request, &params[side], UINT64_MAX);
}

/* Version 0: running as it is. */
static enum status pin(struct netconf_request *request, unsigned side)
{
	struct store *store = request->link->server->store;
	struct comparison *comparison = request->comparison;
	const struct tree_record **root = &comparison->input.roots[side];
	if (comparison->versions[side] == 0) {
		const struct store_version *running = store_pin(store);
		comparison->versions[side] = running->id;
		*root = tree_record_ref(running->root);
		store_unpin(store, running);
		return ST_OK;
	}
	enum status status = store_history_pin(store, comparison->versions[side], root);
	return status == ST_OK ? ST_OK : netconf__version_refuse(request, comparison->versions[side], status);
}

static enum status run(struct netconf_request *request, enum store_wait wait)
{
	struct netconf_server *server = request->link->server;
	struct comparison *comparison = request->comparison;
	struct netconf_compare_input *input = &comparison->input;
	if (wait == STORE_NO_WAIT)
		return ST_BUSY;
	enum status status = pin(request, 0);
	if (status != ST_OK)
		return status;
	status = pin(request, 1);
	if (status != ST_OK) {
		tree_record_unref(input->roots[0], server->schema->root, server->reclaimer);
		return status;
	}
	input->patch_id = arena_printf(request->arena, "version %" PRIu64 " to version %" PRIu64,
				       comparison->versions[0], comparison->versions[1]);
	return netconf__comparison_start(request);
}

const struct netconf_operation netconf__op_compare_versions = {
	.name = "compare-versions",
	.ns = NETCONF_HISTORY_NS,
	.prefix = NETCONF_HISTORY_PREFIX,
	.kind = OPERATION_READS,
	.prepare = prepare,
	.run = run,
};
