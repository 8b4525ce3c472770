/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * edit-config (RFC 6241 7.2). The content of <config> was decoded while it arrived; here the other
 * parameters, which may stand before or after it, and the call of the store.
 *
 * error-option: stop-on-error and rollback-on-error are one: nothing is applied when anything is wrong.
 * continue-on-error (edit/continue.h) leaves out what cannot be applied; the reply is its errors then, though
 * the rest is done. Content that is no valid <config>, and a result that is not valid, refuse everything with
 * it too.
 *
 * test-option: on running constraints hold in any case, so that `set` is the same as test-then-set. On the
 * candidate they wait for validate and commit (RFC 7950 8.3.3) unless a test is asked for.
 */
#include "edit/continue.h"
#include "netconf/ahead.h"
#include "netconf/operation.h"
#include "netconf/txid.h"
#include "netconf/version_info.h"
#include "netconf/url.h"

static void read_default_operation(struct netconf_request *request, const struct netconf_param *param)
{
	static const char *const names[] = {"merge", "replace", "none"};
	static const enum edit_operation operations[] = {EDIT_MERGE, EDIT_REPLACE, EDIT_NONE, EDIT_MERGE};
	if (param->element != NULL)
		request->edit_options.default_operation =
			operations[netconf__param_choice(request, param, names, 3)];
}

void netconf__edit_options_read(struct netconf_request *request,
				const struct netconf_param *default_operation)
{
	static const enum edit_basic basics[] = {[CODEC_EXPLICIT] = EDIT_BASIC_EXPLICIT,
						 [CODEC_REPORT_ALL] = EDIT_BASIC_REPORT_ALL,
						 [CODEC_TRIM] = EDIT_BASIC_TRIM};
	request->edit_options = (struct edit_options){
		.default_operation = EDIT_MERGE,
		.reclaimer = request->link->server->reclaimer,
		.basic = basics[request->link->server->limits.basic_defaults],
	};
	read_default_operation(request, default_operation);
}

static void read_error_option(struct netconf_request *request, const struct netconf_param *param)
{
	static const char *const names[] = {"stop-on-error", "rollback-on-error", "continue-on-error"};
	if (param->element != NULL)
		request->edit_options.continue_on_error =
			netconf__param_choice(request, param, names, 3) == 2;
}

static void read_test_option(struct netconf_request *request, const struct netconf_param *param)
{
	static const char *const names[] = {"test-then-set", "set", "test-only"};
	static const enum netconf_test tests[] = {TEST_THEN_SET, TEST_SET, TEST_ONLY, TEST_DEFAULT};
	if (param->element != NULL)
		request->test = tests[netconf__param_choice(request, param, names, 3)];
}

void netconf__edit_content_read(struct netconf_request *request, const struct netconf_param *config,
				const struct netconf_param *url)
{
	if (config->element != NULL && url->element != NULL)
		netconf__param_refuse(request, "url", DIAG_BAD_ELEMENT,
				      "The content is in <config> or behind <url>, not in both.");
	else if (url->element != NULL)
		request->url = netconf__url_path(request, "url", url->element);
	else if (config->element == NULL && !netconf__request_refused(request))
		netconf__param_refuse(request, "config", DIAG_MISSING_ELEMENT, "There is nothing to apply.");
}

static void prepare(struct netconf_request *request)
{
	enum {
		TARGET,
		DEFAULT_OPERATION,
		ERROR_OPTION,
		TEST_OPTION,
		URL,
		CONFIG,
		COMMENT,
		LABEL,
		WITH_ETAG,
		WITH_LAST_MODIFIED,
		COUNT
	};
	struct netconf_param params[COUNT] = {
		[TARGET] = {.name = "target", .content = NETCONF_PARAM_ELEMENTS, .mandatory = true},
		[DEFAULT_OPERATION] = {.name = "default-operation"},
		[ERROR_OPTION] = {.name = "error-option"},
		[TEST_OPTION] = {.name = "test-option"},
		[URL] = {.name = "url", .unsupported = !netconf__url_is_served(request)},
		[CONFIG] = {.name = "config", .content = NETCONF_PARAM_ANY},
		[COMMENT] = {.name = "comment"},
		[LABEL] = {.name = "label"},
		[WITH_ETAG] = {.name = "with-etag"},
		[WITH_LAST_MODIFIED] = {.name = "with-last-modified"},
	};
	netconf__params_read(request, params, COUNT);
	netconf__param_datastore(request, &params[TARGET]);
	netconf__change_info_of_running(request, &params[COMMENT], &params[LABEL]);
	netconf__txid_with_read(request, &params[WITH_ETAG], &params[WITH_LAST_MODIFIED]);
	netconf__edit_options_read(request, &params[DEFAULT_OPERATION]);
	read_error_option(request, &params[ERROR_OPTION]);
	read_test_option(request, &params[TEST_OPTION]);
	netconf__edit_content_read(request, &params[CONFIG], &params[URL]);
}

/* True where one instance may hold any number of others. */
static bool holds_many(const struct schema_node *node)
{
	for (unsigned i = 0; i < node->child_count; i++) {
		const struct schema_node *child = node->children[i];
		if (child->kind == SCHEMA_LIST || child->kind == SCHEMA_LEAF_LIST ||
		    (child->kind == SCHEMA_CONTAINER && holds_many(child)))
			return true;
	}
	return false;
}

static bool removes_many(const struct edit_node *node)
{
	for (const struct edit_node *child = node->children; child != NULL; child = child->next) {
		bool removes = child->operation == EDIT_DELETE || child->operation == EDIT_REMOVE ||
			       child->operation == EDIT_REPLACE;
		if ((removes && holds_many(child->schema)) || removes_many(child))
			return true;
	}
	return false;
}

/* What an edit costs follows from what it changes, which for a removal does not show in the request's size.
 */
static bool is_large(const struct netconf_request *request)
{
	size_t inline_size = request->link->server->limits.inline_size;
	return request->size >= inline_size || request->edit_options.default_operation == EDIT_REPLACE ||
	       (request->edit->has_operation && removes_many(request->edit->top));
}

/* Else it is dropped with the request. */
static bool uses_prepared(const struct edit_options *options)
{
	return options->basic == EDIT_BASIC_EXPLICIT && !edit_is_taken_apart(options);
}

enum status netconf__edit_run(struct netconf_request *request, enum store_wait wait)
{
	struct netconf_server *server = request->link->server;
	if (request->url != NULL && wait == STORE_NO_WAIT)
		return ST_BUSY;
	if (request->url != NULL && netconf__url_read(request) != ST_OK)
		return ST_REJECTED;
	struct store_call call = netconf__store_call(request, wait);
	bool tests = request->test == TEST_THEN_SET || request->test == TEST_ONLY;
	bool on_candidate = request->datastore == STORE_CANDIDATE;
	bool large = is_large(request);
	if (large && wait == STORE_NO_WAIT)
		return ST_BUSY;
	/* A test looks at all that the candidate's earlier edits changed. */
	if (tests && on_candidate && wait == STORE_NO_WAIT &&
	    atomic_load(&server->candidate_size) >= server->limits.inline_size)
		return ST_BUSY;
	if (uses_prepared(&request->edit_options))
		netconf__ahead_finish(request);
	call.conditions = netconf__txid_conditions(request);
	enum status status;
	if (tests)
		status = store_edit_test(
			server->store, request->datastore, &call, request->edit, &request->edit_options,
			request->test == TEST_ONLY ? STORE_TEST_ONLY : STORE_TEST_THEN_SET, &request->answer);
	else
		status = store_edit(server->store, request->datastore, &call, request->edit,
				    &request->edit_options, &request->answer);
	if (status == ST_OK)
		netconf__txid_note(request);
	if (status == ST_OK && on_candidate && request->test != TEST_ONLY)
		atomic_fetch_add(&server->candidate_size,
				 large ? request->size + server->limits.inline_size : request->size);
	return status;
}

const struct netconf_operation netconf__op_edit_config = {
	.name = "edit-config",
	.kind = OPERATION_CHANGES,
	.config = CONFIG_PARAMETER,
	.prepare = prepare,
	.run = netconf__edit_run,
};
