/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * list-versions and show-version (yare-history): the history as operations. What they say of versions is made
 * as XML in the request's arena, at most LIST_MAX versions of it; the configuration of a version is encoded
 * from its root while the client takes it, as any read.
 *
 * The root of an old version may have to be made from the journal, which reads files: work for a job thread.
 */
#include <inttypes.h>

#include "netconf/operation.h"
#include "netconf/read.h"
#include "netconf/version_info.h"
#include "netconf/write.h"
#include "store/history.h"

#define LIST_DEFAULT 100
#define LIST_MAX 1000

/* The reply in the making. */
struct listing {
	struct buffer out;
	struct arena *arena;
	uint64_t count; /* versions that may still come */
};

static void put_leaf(void *arg, const char *leaf, const char *text)
{
	struct buffer *out = arg;
	netconf__put(out, "<");
	netconf__put(out, leaf);
	netconf__put(out, ">");
	netconf__put_escaped(out, bytes_of(text), false);
	netconf__put(out, "</");
	netconf__put(out, leaf);
	netconf__put(out, ">");
}

static bool put_version(void *arg, const struct store_version *info)
{
	struct listing *listing = arg;
	netconf__put(&listing->out, "<version xmlns=\"" NETCONF_HISTORY_NS "\">");
	put_leaf(&listing->out, "id", arena_printf(listing->arena, "%" PRIu64, info->id));
	netconf__version_each_leaf(info, listing->arena, put_leaf, &listing->out);
	netconf__put(&listing->out, "</version>");
	return --listing->count > 0;
}

static void listing_init(struct listing *listing, const struct netconf_request *request, uint64_t count)
{
	*listing = (struct listing){.arena = request->arena, .count = count};
	buffer_init(&listing->out, SIZE_MAX);
}

/* The request's body is what was put. */
static void listing_finish(struct listing *listing, struct netconf_request *request)
{
	struct bytes made = buffer_get(&listing->out);
	request->body = (struct bytes){arena_strdup(request->arena, made), made.size};
	buffer_fini(&listing->out);
}

/* ---- list-versions ---- */

static void prepare_list(struct netconf_request *request)
{
	enum { BEFORE, VERSIONS, COUNT };
	struct netconf_param params[COUNT] = {
		[BEFORE] = {.name = "before"},
		[VERSIONS] = {.name = "count"},
	};
	if (!netconf__history_is_served(request))
		return;
	netconf__params_read(request, params, COUNT);
	request->version.id = UINT64_MAX;
	request->count = LIST_DEFAULT;
	if (params[BEFORE].element != NULL)
		request->version.id = netconf__param_number(request, &params[BEFORE], UINT64_MAX);
	if (params[VERSIONS].element != NULL)
		request->count = netconf__param_number(request, &params[VERSIONS], LIST_MAX);
}

static enum status run_list(struct netconf_request *request, enum store_wait wait)
{
	(void)wait;
	struct listing listing;
	listing_init(&listing, request, request->count);
	store_history_each_before(request->link->server->store, request->version.id, put_version, &listing);
	listing_finish(&listing, request);
	return ST_OK;
}

/* ---- show-version ---- */

static void prepare_show(struct netconf_request *request)
{
	enum { VERSION, LABEL, WITH_DATA, COUNT };
	struct netconf_param params[COUNT] = {
		[VERSION] = {.name = "version"},
		[LABEL] = {.name = "label"},
		[WITH_DATA] = {.name = "with-data", .content = NETCONF_PARAM_EMPTY},
	};
	if (!netconf__history_is_served(request))
		return;
	netconf__params_read(request, params, COUNT);
	netconf__version_name_read(request, &params[VERSION], &params[LABEL]);
	request->with_data = params[WITH_DATA].element != NULL;
}

static void put_shown(void *arg, const struct store_version *info)
{
	(void)put_version(arg, info);
}

enum status netconf__version_refuse(struct netconf_request *request, uint64_t id, enum status status)
{
	bool absent = status == ST_ABSENT;
	diag_add(&request->diags, DIAG_APPLICATION, absent ? DIAG_DATA_MISSING : DIAG_OPERATION_FAILED,
		 absent ? "The history has no version %" PRIu64 "."
			: "Version %" PRIu64 " cannot be read from the journal.",
		 id);
	return ST_REJECTED;
}

static enum status run_show(struct netconf_request *request, enum store_wait wait)
{
	struct store *store = request->link->server->store;
	if (wait == STORE_NO_WAIT && request->with_data)
		return ST_BUSY;
	uint64_t id = netconf__version_find(request);
	if (id == 0)
		return ST_REJECTED;
	const struct tree_record *root = NULL;
	enum status status = request->with_data ? store_history_pin(store, id, &root) : ST_OK;
	if (status != ST_OK)
		return netconf__version_refuse(request, id, status);
	struct listing listing;
	listing_init(&listing, request, 1);
	bool found = store_history_visit(store, id, put_shown, &listing);
	listing_finish(&listing, request);
	request->root = root;
	return found ? ST_OK : netconf__version_refuse(request, id, ST_ABSENT);
}

/* ---- rollback, label-version ---- */

static void prepare_rollback(struct netconf_request *request)
{
	enum { VERSION, LABEL, COMMENT, NEW_LABEL, COUNT };
	struct netconf_param params[COUNT] = {
		[VERSION] = {.name = "version"},
		[LABEL] = {.name = "label"},
		[COMMENT] = {.name = "comment"},
		[NEW_LABEL] = {.name = "new-label"},
	};
	if (!netconf__history_is_served(request))
		return;
	netconf__params_read(request, params, COUNT);
	netconf__version_name_read(request, &params[VERSION], &params[LABEL]);
	netconf__change_info_read(request, &params[COMMENT], &params[NEW_LABEL]);
}

static enum status run_rollback(struct netconf_request *request, enum store_wait wait)
{
	if (wait == STORE_NO_WAIT)
		return ST_BUSY;
	uint64_t id = netconf__version_find(request);
	if (id == 0)
		return ST_REJECTED;
	if (request->comment == NULL)
		request->comment = arena_printf(request->arena, "Rollback to version %" PRIu64 ".", id);
	struct store_call call = netconf__store_call(request, wait);
	return store_history_rollback(request->link->server->store, &call, id, &request->answer);
}

static void prepare_label(struct netconf_request *request)
{
	enum { VERSION, LABEL, COUNT };
	struct netconf_param none = {.name = "comment"},
			     params[COUNT] = {
				     [VERSION] = {.name = "version", .mandatory = true},
				     [LABEL] = {.name = "label"},
			     };
	if (!netconf__history_is_served(request))
		return;
	netconf__params_read(request, params, COUNT);
	if (params[VERSION].element != NULL)
		request->version.id = netconf__param_number(request, &params[VERSION], UINT64_MAX);
	netconf__change_info_read(request, &none, &params[LABEL]);
}

/* Writes and syncs a file. */
static enum status run_label(struct netconf_request *request, enum store_wait wait)
{
	if (wait == STORE_NO_WAIT)
		return ST_BUSY;
	struct store_call call = netconf__store_call(request, wait);
	return store_history_label(request->link->server->store, &call, request->version.id, request->label);
}

const struct netconf_operation netconf__op_list_versions = {
	.name = "list-versions",
	.ns = NETCONF_HISTORY_NS,
	.prefix = NETCONF_HISTORY_PREFIX,
	.kind = OPERATION_READS,
	.prepare = prepare_list,
	.run = run_list,
};

const struct netconf_operation netconf__op_show_version = {
	.name = "show-version",
	.ns = NETCONF_HISTORY_NS,
	.prefix = NETCONF_HISTORY_PREFIX,
	.kind = OPERATION_READS,
	.prepare = prepare_show,
	.run = run_show,
};

/* It waits for the answers before it, as reads do: the version that it names must be listed by then. */
const struct netconf_operation netconf__op_rollback = {
	.name = "rollback",
	.ns = NETCONF_HISTORY_NS,
	.prefix = NETCONF_HISTORY_PREFIX,
	.kind = OPERATION_READS,
	.prepare = prepare_rollback,
	.run = run_rollback,
};

const struct netconf_operation netconf__op_label_version = {
	.name = "label-version",
	.ns = NETCONF_HISTORY_NS,
	.prefix = NETCONF_HISTORY_PREFIX,
	.kind = OPERATION_READS,
	.prepare = prepare_label,
	.run = run_label,
};
