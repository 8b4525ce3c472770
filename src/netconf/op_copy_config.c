/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * copy-config (RFC 6241 7.3), between datastores and files (url.h) and from <config>; and the source
 * parameter, which validate has as well. The content of <config> was decoded while it arrived; as a source it
 * is the whole of a datastore, so operations in it mean nothing and are refused.
 *
 * The copy replaces a datastore as a whole and costs what differs, which the size of the request does not
 * tell: it is work for a job thread. It reads a datastore, so it runs when the changes before it were
 * answered, and sees them.
 */
#include "netconf/factory.h"
#include "netconf/operation.h"
#include "netconf/read.h"
#include "netconf/url.h"
#include "netconf/version_info.h"
#include "netconf/with_defaults.h"

static bool is_config(const struct element *source)
{
	const struct element *child = source->children;
	return child != NULL && child->next == NULL && bytes_equal(child->ns, bytes_of(NETCONF_NS)) &&
	       bytes_equal(child->name, bytes_of("config"));
}

static void refuse_operation(struct netconf_request *request)
{
	struct diag *diag = netconf__param_refuse(request, "source", DIAG_UNKNOWN_ATTRIBUTE,
						  "A source has no operations in it.");
	diag_add_info(&request->diags, diag, "bad-attribute", "operation");
}

void netconf__source_read(struct netconf_request *request, const struct netconf_param *param,
			  enum store_datastore *datastore)
{
	if (param->element == NULL)
		return;
	if (netconf__url_param(request, param, &request->url)) {
		request->source_is_config = true;
		return;
	}
	if (param->nmda && netconf__factory_is_source(request, param)) {
		request->is_factory = true;
		return;
	}
	if (!is_config(param->element)) {
		enum store_datastore other = request->datastore;
		netconf__param_datastore(request, param);
		*datastore = request->datastore;
		if (datastore != &request->datastore)
			request->datastore = other;
		return;
	}
	request->source_is_config = true;
	if (request->edit != NULL && request->edit->has_operation)
		refuse_operation(request);
}

/* A startup that was deleted can be read, and is empty; but nobody means to make that running. */
static enum status pin_source(struct netconf_request *request, enum store_datastore datastore,
			      const struct tree_record **root)
{
	struct store *store = request->link->server->store;
	if (datastore == STORE_STARTUP && store_startup_kind(store) == STORE_STARTUP_DELETED) {
		diag_add(&request->diags, DIAG_APPLICATION, DIAG_DATA_MISSING,
			 "The startup datastore was deleted.");
		return ST_REJECTED;
	}
	*root = store_pin_root(store, datastore);
	return ST_OK;
}

enum status netconf__source_root(struct netconf_request *request, enum store_datastore datastore,
				 const struct tree_record **root)
{
	struct netconf_server *server = request->link->server;
	if (request->is_factory) {
		*root = tree_record_ref(server->limits.factory_root);
		return ST_OK;
	}
	if (!request->source_is_config)
		return pin_source(request, datastore, root);
	if (request->url != NULL && netconf__url_read(request) != ST_OK)
		return ST_REJECTED;
	if (request->edit->has_operation) {
		refuse_operation(request);
		return ST_REJECTED;
	}
	struct edit_options options = {.default_operation = EDIT_MERGE, .reclaimer = server->reclaimer};
	struct tree_record *empty = tree_record_new(), *made = NULL;
	enum status status =
		edit_apply(server->schema, empty, request->edit, &options, &request->diags, &made);
	tree_record_unref(empty, server->schema->root, server->reclaimer);
	if (status == ST_OK)
		*root = made;
	return status;
}

const struct edit_tree *netconf__source_content(const struct netconf_request *request)
{
	return request->source_is_config ? request->edit : NULL;
}

static bool is_same_place(const struct netconf_request *request)
{
	if (request->target_url != NULL)
		return request->url != NULL && strcmp(request->url, request->target_url) == 0;
	return !request->source_is_config && request->source == request->datastore;
}

static void prepare(struct netconf_request *request)
{
	enum { TARGET, SOURCE, WITH_DEFAULTS, COMMENT, LABEL, COUNT };
	struct netconf_param params[COUNT] = {
		[TARGET] = {.name = "target",
			    .content = NETCONF_PARAM_ELEMENTS,
			    .mandatory = true,
			    .startup = true},
		[SOURCE] = {.name = "source",
			    .content = NETCONF_PARAM_ELEMENTS,
			    .mandatory = true,
			    .startup = true},
		[WITH_DEFAULTS] = {.name = "with-defaults"},
		[COMMENT] = {.name = "comment"},
		[LABEL] = {.name = "label"},
	};
	netconf__params_read(request, params, COUNT);
	if (!netconf__url_param(request, &params[TARGET], &request->target_url))
		netconf__param_datastore(request, &params[TARGET]);
	netconf__change_info_of_running(request, &params[COMMENT], &params[LABEL]);
	netconf__read_with_defaults(request, &params[WITH_DEFAULTS]);
	/* Between datastores a copy is exact unless something else is asked for. */
	if (params[WITH_DEFAULTS].element == NULL && request->target_url == NULL)
		request->view.defaults = CODEC_EXPLICIT;
	netconf__source_read(request, &params[SOURCE], &request->source);
	if (!netconf__request_refused(request) && is_same_place(request))
		netconf__param_refuse(request, "source", DIAG_INVALID_VALUE,
				      "Source and target are the same datastore.");
}

static enum status replace(struct netconf_request *request, enum store_wait wait,
			   const struct tree_record *root)
{
	struct netconf_server *server = request->link->server;
	struct store_call call = netconf__store_call(request, wait);
	call.content = netconf__source_content(request);
	enum status status = store_replace(server->store, request->datastore, &call, root, &request->answer);
	/* Committing what came in one piece may be work as large as this. */
	if (status == ST_OK && request->datastore == STORE_CANDIDATE)
		atomic_store(&server->candidate_size,
			     request->source_is_config ? server->limits.inline_size : 0);
	return status;
}

static enum status run(struct netconf_request *request, enum store_wait wait)
{
	if (wait == STORE_NO_WAIT)
		return ST_BUSY;
	struct netconf_server *server = request->link->server;
	const struct tree_record *root;
	enum status status = netconf__source_root(request, request->source, &root);
	if (status != ST_OK)
		return status;
	/* Tagged defaults are defaults again where they arrive; a file has them as they are told. */
	if (!request->view.tags_defaults && request->target_url == NULL)
		root = netconf__defaults_apply(server, root, request->view.defaults);
	status = request->target_url != NULL ? netconf__url_write(request, root)
					     : replace(request, wait, root);
	tree_record_unref(root, server->schema->root, server->reclaimer);
	return status;
}

const struct netconf_operation netconf__op_copy_config = {
	.name = "copy-config",
	.kind = OPERATION_READS,
	.config = CONFIG_IN_SOURCE,
	.prepare = prepare,
	.run = run,
};
