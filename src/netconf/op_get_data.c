/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * get-data (RFC 8526 3.1.1), of running, candidate, startup, intended, operational and factory-default.
 *
 *   intended      what running holds: there are no templates and nothing inactive
 *   operational   running with the defaults in use, and the server's state; what is configured has the origin
 *                 `intended`, defaults have `default`, state has none
 *
 * Filters beside those of get (by config, by origin, by depth) are the view's, as they apply to what the
 * filter selects.
 */
#include <limits.h>

#include "netconf/factory.h"
#include "netconf/nmda.h"
#include "netconf/operation.h"
#include "netconf/read.h"
#include "netconf/txid.h"

enum {
	DATASTORE,
	SUBTREE_FILTER,
	XPATH_FILTER,
	CONFIG_FILTER,
	ORIGIN_FILTER,
	NEGATED_ORIGIN_FILTER,
	MAX_DEPTH,
	WITH_ORIGIN,
	WITH_DEFAULTS,
	COUNT
};

static void refuse_value(struct netconf_request *request, const struct netconf_param *param,
			 const char *message)
{
	netconf__param_refuse(request, param->name, DIAG_INVALID_VALUE, message);
}

/* The datastore; operational is running with more. */
static void read_datastore(struct netconf_request *request, const struct netconf_param *param)
{
	if (param->element == NULL)
		return;
	bool known = netconf__nmda_datastore(param->element, &request->datastore);
	if (known && (request->datastore != STORE_STARTUP || netconf__startup_is_served(request)))
		return;
	struct bytes name = netconf__identity_name(param->element, NETCONF_DATASTORES_NS);
	request->datastore = STORE_RUNNING;
	request->is_factory = netconf__factory_is_named(request, param->element);
	if (request->is_factory)
		return;
	request->is_operational = bytes_equal(name, bytes_of("operational"));
	if (!request->is_operational && !bytes_equal(name, bytes_of("intended")))
		refuse_value(request, param, "This server has no such datastore.");
}

static void read_config_filter(struct netconf_request *request, const struct netconf_param *param)
{
	static const char *const names[] = {"true", "false"};
	static const enum codec_content contents[] = {CODEC_CONFIG, CODEC_STATE, CODEC_ALL};
	if (param->element != NULL)
		request->view.content = contents[netconf__param_choice(request, param, names, 2)];
}

static void read_max_depth(struct netconf_request *request, const struct netconf_param *param)
{
	if (param->element == NULL)
		return;
	struct bytes text = element_text_trimmed(param->element);
	unsigned long depth = 0;
	for (size_t i = 0; i < text.size && depth <= UINT16_MAX; i++)
		depth = text.data[i] >= '0' && text.data[i] <= '9' ? depth * 10 + (text.data[i] - '0')
								   : ULONG_MAX;
	if (bytes_equal(text, bytes_of("unbounded")))
		return;
	if (depth == 0 || depth > UINT16_MAX)
		refuse_value(request, param, "The depth is from 1 to 65535, or unbounded.");
	request->view.max_depth = (unsigned)depth;
}

/* Adds the origins that an identity stands for: all that are derived from it (RFC 8526 3.1.1). */
static void read_origin(struct netconf_request *request, const struct element *element, const char *param,
			unsigned *origins)
{
	static const char *const others[] = {"dynamic", "system", "learned", "unknown"};
	struct bytes name = netconf__identity_name(element, NETCONF_ORIGIN_NS);
	if (bytes_equal(name, bytes_of("origin")))
		*origins |= CODEC_ORIGIN_INTENDED | CODEC_ORIGIN_DEFAULT;
	else if (bytes_equal(name, bytes_of("intended")))
		*origins |= CODEC_ORIGIN_INTENDED;
	else if (bytes_equal(name, bytes_of("default")))
		*origins |= CODEC_ORIGIN_DEFAULT;
	else {
		bool known = false;
		for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
			known |= bytes_equal(name, bytes_of(others[i]));
		if (!known)
			netconf__param_refuse(request, param, DIAG_INVALID_VALUE, "There is no such origin.");
	}
}

static unsigned read_origins(struct netconf_request *request, const struct netconf_param *param)
{
	unsigned origins = 0;
	const struct element *element = param->element;
	for (; element != NULL;
	     element = element_find(request->parameters, NETCONF_NMDA_NS, param->name, element))
		read_origin(request, element, param->name, &origins);
	return origins;
}

static void read_origin_filters(struct netconf_request *request, const struct netconf_param *params)
{
	unsigned wanted = read_origins(request, &params[ORIGIN_FILTER]);
	unsigned unwanted = read_origins(request, &params[NEGATED_ORIGIN_FILTER]);
	if (params[ORIGIN_FILTER].element != NULL && params[NEGATED_ORIGIN_FILTER].element != NULL)
		netconf__param_refuse(request, "negated-origin-filter", DIAG_BAD_ELEMENT,
				      "There is one kind of origin filter.");
	if (params[ORIGIN_FILTER].element != NULL)
		request->view.hidden_origins = ~wanted;
	else
		request->view.hidden_origins = unwanted;
}

/* What only operational has (the `when` of these parameters). */
static void refuse_origins(struct netconf_request *request, const struct netconf_param *params)
{
	static const int origins[] = {ORIGIN_FILTER, NEGATED_ORIGIN_FILTER, WITH_ORIGIN};
	for (size_t i = 0; i < sizeof(origins) / sizeof(origins[0]); i++)
		if (params[origins[i]].element != NULL)
			netconf__param_refuse(request, params[origins[i]].name, DIAG_UNKNOWN_ELEMENT,
					      "Only the operational datastore has origins.");
}

static void prepare(struct netconf_request *request)
{
	struct netconf_param params[COUNT] = {
		[DATASTORE] = {.name = "datastore", .mandatory = true},
		[SUBTREE_FILTER] = {.name = "subtree-filter", .content = NETCONF_PARAM_ANY},
		[XPATH_FILTER] = {.name = "xpath-filter"},
		[CONFIG_FILTER] = {.name = "config-filter"},
		[ORIGIN_FILTER] = {.name = "origin-filter", .repeats = true},
		[NEGATED_ORIGIN_FILTER] = {.name = "negated-origin-filter", .repeats = true},
		[MAX_DEPTH] = {.name = "max-depth"},
		[WITH_ORIGIN] = {.name = "with-origin", .content = NETCONF_PARAM_EMPTY},
		[WITH_DEFAULTS] = {.name = "with-defaults"},
	};
	if (!netconf__nmda_is_served(request))
		return;
	netconf__params_read(request, params, COUNT);
	read_datastore(request, &params[DATASTORE]);
	netconf__nmda_filters(request, &params[SUBTREE_FILTER], &params[XPATH_FILTER]);
	read_config_filter(request, &params[CONFIG_FILTER]);
	read_origin_filters(request, params);
	read_max_depth(request, &params[MAX_DEPTH]);
	netconf__read_with_defaults(request, &params[WITH_DEFAULTS]);
	netconf__txid_read_prepare(request);
	if (!request->is_operational && params[DATASTORE].element != NULL)
		refuse_origins(request, params);
	/* Defaults in use are part of operational (RFC 8342 5.3). */
	if (request->is_operational && params[WITH_DEFAULTS].element == NULL)
		request->view.defaults = CODEC_REPORT_ALL;
	request->view.origins = params[WITH_ORIGIN].element != NULL;
}

static enum status run(struct netconf_request *request, enum store_wait wait)
{
	enum status status = netconf__read_begin(request, wait);
	if (status == ST_OK && request->is_operational)
		status = netconf__read_add_state(request, wait);
	return status == ST_OK ? netconf__read_end(request) : status;
}

const struct netconf_operation netconf__op_get_data = {
	.name = "get-data",
	.ns = NETCONF_NMDA_NS,
	.prefix = "ncds",
	.kind = OPERATION_READS,
	.prepare = prepare,
	.run = run,
};
