/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * edit-data (RFC 8526 3.1.2): edit-config of running or the candidate without error-option and test-option.
 * It is atomic in any case.
 */
#include "netconf/nmda.h"
#include "netconf/operation.h"
#include "netconf/txid.h"
#include "netconf/url.h"
#include "netconf/version_info.h"

static void prepare(struct netconf_request *request)
{
	enum {
		DATASTORE,
		DEFAULT_OPERATION,
		URL,
		CONFIG,
		COMMENT,
		LABEL,
		WITH_ETAG,
		WITH_LAST_MODIFIED,
		COUNT
	};
	struct netconf_param params[COUNT] = {
		[DATASTORE] = {.name = "datastore", .mandatory = true},
		[DEFAULT_OPERATION] = {.name = "default-operation"},
		[URL] = {.name = "url", .unsupported = !netconf__url_is_served(request)},
		[CONFIG] = {.name = "config", .content = NETCONF_PARAM_ANY},
		[COMMENT] = {.name = "comment"},
		[LABEL] = {.name = "label"},
		[WITH_ETAG] = {.name = "with-etag"},
		[WITH_LAST_MODIFIED] = {.name = "with-last-modified"},
	};
	if (!netconf__nmda_is_served(request))
		return;
	netconf__params_read(request, params, COUNT);
	netconf__edit_options_read(request, &params[DEFAULT_OPERATION]);
	if (params[DATASTORE].element != NULL &&
	    (!netconf__nmda_datastore(params[DATASTORE].element, &request->datastore) ||
	     request->datastore == STORE_STARTUP))
		netconf__param_refuse(request, "datastore", DIAG_INVALID_VALUE,
				      "There is no such datastore that can be edited.");
	netconf__change_info_of_running(request, &params[COMMENT], &params[LABEL]);
	netconf__txid_with_read(request, &params[WITH_ETAG], &params[WITH_LAST_MODIFIED]);
	netconf__edit_content_read(request, &params[CONFIG], &params[URL]);
}

const struct netconf_operation netconf__op_edit_data = {
	.name = "edit-data",
	.ns = NETCONF_NMDA_NS,
	.prefix = "ncds",
	.kind = OPERATION_CHANGES,
	.config = CONFIG_PARAMETER,
	.prepare = prepare,
	.run = netconf__edit_run,
};
