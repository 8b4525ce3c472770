/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * compare (RFC 9144) of any two datastores. The reply is a YANG patch, written while the client takes it
 * (compare.c); here: what is compared.
 *
 *   running, intended, candidate    as they are stored; so are startup and factory-default (RFC 8808 3)
 *   operational                     running with the defaults in use, as get-data has it; with <all/> also
 *                                   state, which the others cannot have. Without it a difference that only
 *                                   says so is none (RFC 9144 4)
 *
 * The two datastores are of one moment: a commit between the pinning of the one and of the other would
 * otherwise show as a difference that never was.
 *
 * An XPath filter is evaluated on each of the two trees, with half of what a filter may take; a subtree
 * filter is one for both where both are presented alike.
 */
#include "netconf/compare.h"
#include "netconf/factory.h"
#include "netconf/nmda.h"
#include "netconf/operation.h"
#include "netconf/read.h"
#include "netconf/state.h"
#include "store/plan.h"

#define COMPARE_MODULE "ietf-nmda-compare"
#define SESSIONS_MAX 64 /* that a worker lists itself */

static const char *const side_names[] = {"source", "target"};

static bool is_served(struct netconf_request *request)
{
	const struct schema *schema = request->link->server->schema;
	const struct schema_module *module = schema_module_find(schema, bytes_of(COMPARE_MODULE));
	if (module != NULL && module->implemented)
		return true;
	netconf__param_refuse(request, NULL, DIAG_OPERATION_NOT_SUPPORTED,
			      "The module of this operation is not served.");
	return false;
}

static void read_side(struct netconf_request *request, const struct netconf_param *param, unsigned side)
{
	struct comparison *comparison = request->comparison;
	if (param->element == NULL)
		return;
	bool known = netconf__nmda_datastore(param->element, &comparison->stored[side]);
	if (known && (comparison->stored[side] != STORE_STARTUP || netconf__startup_is_served(request)))
		return;
	struct bytes name = netconf__identity_name(param->element, NETCONF_DATASTORES_NS);
	comparison->stored[side] = STORE_RUNNING;
	comparison->is_factory[side] = netconf__factory_is_named(request, param->element);
	if (comparison->is_factory[side])
		return;
	comparison->is_operational[side] = bytes_equal(name, bytes_of("operational"));
	if (!comparison->is_operational[side] && !bytes_equal(name, bytes_of("intended")))
		netconf__param_refuse(request, param->name, DIAG_INVALID_VALUE,
				      "This server has no such datastore.");
}

static void name_patch(struct netconf_request *request, const struct netconf_param *params)
{
	const char *names[2];
	for (unsigned side = 0; side < 2; side++) {
		bool is_factory = request->comparison->is_factory[side];
		const char *ns = is_factory ? NETCONF_FACTORY_NS : NETCONF_DATASTORES_NS;
		names[side] = arena_strdup(request->arena, netconf__identity_name(params[side].element, ns));
	}
	request->comparison->input.patch_id = arena_printf(request->arena, "%s to %s", names[0], names[1]);
}

static void prepare(struct netconf_request *request)
{
	enum { SOURCE, TARGET, ALL, REPORT_ORIGIN, SUBTREE_FILTER, XPATH_FILTER, COUNT };
	struct netconf_param params[COUNT] = {
		[SOURCE] = {.name = side_names[0], .mandatory = true},
		[TARGET] = {.name = side_names[1], .mandatory = true},
		[ALL] = {.name = "all", .content = NETCONF_PARAM_EMPTY},
		[REPORT_ORIGIN] = {.name = "report-origin", .content = NETCONF_PARAM_EMPTY},
		[SUBTREE_FILTER] = {.name = "subtree-filter", .content = NETCONF_PARAM_ANY},
		[XPATH_FILTER] = {.name = "xpath-filter"},
	};
	if (!is_served(request))
		return;
	request->comparison = arena_zalloc(request->arena, sizeof(*request->comparison));
	netconf__params_read(request, params, COUNT);
	read_side(request, &params[SOURCE], 0);
	read_side(request, &params[TARGET], 1);
	netconf__nmda_filters(request, &params[SUBTREE_FILTER], &params[XPATH_FILTER]);
	request->comparison->all = params[ALL].element != NULL;
	request->comparison->reports_origin = params[REPORT_ORIGIN].element != NULL;
	if (!netconf__request_refused(request))
		name_patch(request, params);
}

/* ---- the two trees ---- */

static void drop_roots(struct netconf_request *request)
{
	struct netconf_server *server = request->link->server;
	struct netconf_compare_input *input = &request->comparison->input;
	for (unsigned side = 0; side < 2; side++) {
		check_implicit_free(input->implicit[side]);
		input->implicit[side] = NULL;
		if (input->roots[side] != NULL)
			tree_record_unref(input->roots[side], server->schema->root, server->reclaimer);
		input->roots[side] = NULL;
	}
	if (input->filters[1] != input->filters[0])
		netconf__filter_free(input->filters[1]);
	netconf__filter_free(input->filters[0]);
	input->filters[0] = input->filters[1] = NULL;
}

static const struct tree_record *pin_root(struct netconf_request *request, unsigned side)
{
	struct netconf_server *server = request->link->server;
	if (request->comparison->is_factory[side])
		return tree_record_ref(server->limits.factory_root);
	return store_pin_root(server->store, request->comparison->stored[side]);
}

/* Both of one moment: the first one is still the same when the second one was pinned. */
static void pin_roots(struct netconf_request *request)
{
	struct netconf_server *server = request->link->server;
	struct comparison *comparison = request->comparison;
	const struct tree_record **roots = comparison->input.roots;
	roots[0] = pin_root(request, 0);
	if (comparison->stored[0] == comparison->stored[1] &&
	    comparison->is_factory[0] == comparison->is_factory[1]) {
		roots[1] = tree_record_ref(roots[0]);
		return;
	}
	for (;;) {
		roots[1] = pin_root(request, 1);
		const struct tree_record *again = pin_root(request, 0);
		bool same = again == roots[0];
		tree_record_unref(roots[0], server->schema->root, server->reclaimer);
		roots[0] = again;
		if (same)
			return;
		tree_record_unref(roots[1], server->schema->root, server->reclaimer);
	}
}

/* State is in both, or, where it is asked for, in the one that is operational. */
static bool has_state(const struct comparison *comparison, unsigned side)
{
	return comparison->is_operational[side] && (comparison->all || comparison->is_operational[1 - side]);
}

static void graft_state(struct netconf_request *request)
{
	struct netconf_server *server = request->link->server;
	struct comparison *comparison = request->comparison;
	const struct tree_record **roots = comparison->input.roots;
	for (unsigned side = 0; side < 2; side++) {
		if (!has_state(comparison, side))
			continue;
		const struct tree_record *stored = roots[side];
		roots[side] = side == 1 && has_state(comparison, 0)
				      ? tree_record_ref(roots[0])
				      : netconf__state_graft(server, stored, NULL, request->arena);
		tree_record_unref(stored, server->schema->root, server->reclaimer);
	}
}

/* ---- how they are seen ---- */

static void set_views(struct netconf_request *request)
{
	struct comparison *comparison = request->comparison;
	struct netconf_compare_input *input = &comparison->input;
	for (unsigned side = 0; side < 2; side++) {
		input->views[side] = (struct codec_view){.defaults = CODEC_EXPLICIT};
		if (!comparison->is_operational[side])
			continue;
		input->views[side].defaults = CODEC_REPORT_ALL;
		input->views[side].origins = comparison->reports_origin;
		input->implicit[side] =
			check_implicit_new(store_plan(request->link->server->store), input->roots[side]);
		input->views[side].implicit = check_implicit_get(input->implicit[side]);
	}
}

static enum status set_filters(struct netconf_request *request)
{
	struct netconf_compare_input *input = &request->comparison->input;
	bool alike = input->views[0].defaults == input->views[1].defaults &&
		     (!request->filter_is_xpath || input->roots[0] == input->roots[1]);
	unsigned count = alike ? 1 : 2;
	for (unsigned side = 0; side < count; side++) {
		enum status status = netconf__read_compile(request, &input->filters[side]);
		if (status == ST_OK && input->filters[side] != NULL) {
			input->filters[side]->looks_ahead = true;
			status = netconf__read_evaluate(request, input->filters[side], input->roots[side],
							&input->views[side], count);
		}
		if (status != ST_OK)
			return status;
	}
	if (alike)
		input->filters[1] = input->filters[0];
	return ST_OK;
}

/* An XPath filter may be any work; so may many sessions. */
static bool is_work(struct netconf_request *request)
{
	const struct comparison *comparison = request->comparison;
	bool lists_sessions = has_state(comparison, 0) || has_state(comparison, 1);
	return request->filter_is_xpath ||
	       (lists_sessions && netconf_server_session_count(request->link->server) > SESSIONS_MAX);
}

enum status netconf__comparison_start(struct netconf_request *request)
{
	struct netconf_server *server = request->link->server;
	struct netconf_compare_input *input = &request->comparison->input;
	input->schema = server->schema;
	input->reclaimer = server->reclaimer;
	input->ns = netconf__operation_ns(request->operation);
	set_views(request);
	enum status status = set_filters(request);
	if (status == ST_OK)
		request->stream = netconf__compare_new(input);
	else
		drop_roots(request);
	return status;
}

static enum status run(struct netconf_request *request, enum store_wait wait)
{
	if (wait == STORE_NO_WAIT && is_work(request))
		return ST_BUSY;
	pin_roots(request);
	graft_state(request);
	return netconf__comparison_start(request);
}

const struct netconf_operation netconf__op_compare = {
	.name = "compare",
	.ns = NETCONF_COMPARE_NS,
	.prefix = "cmp",
	.kind = OPERATION_READS,
	.prepare = prepare,
	.run = run,
};
