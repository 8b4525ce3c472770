/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The life of a request after its message is complete: execution on the worker or on a job thread, the wait
 * for the version that its answer depends on, and the end. request.h has the picture.
 *
 * References: the session has one; so do a job while it runs, the store's waiter until it was called, and a
 * victim of kill-session until it is gone. So a session may be freed at any time, and what runs on its behalf
 * ends alone. A request that a session gets back with the last reference is used again, with its arena.
 */
#include "netconf/request.h"

#include <stddef.h>
#include <string.h>

#include "base/assert.h"
#include "base/memory.h"
#include "base/memory_settings.h"
#include "check/implicit.h"
#include "netconf/ahead.h"
#include "netconf/filter.h"
#include "netconf/producer.h"
#include "netconf/txid.h"

#define SMALL_SIZE ((size_t)4 * 1024) /* bytes of a message whose memory may stay until it is answered */
#define LARGE_SIZE                                                                                           \
	((size_t)8 << 20) /* bytes of a message whose memory goes back to the system at its end              \
			   */

static void init(struct netconf_request *request)
{
	atomic_init(&request->refs, 1);
	atomic_init(&request->state, REQUEST_READING);
	diag_list_init(&request->diags, request->arena, request->link->server->limits.errors);
}

struct netconf_request *netconf__request_new(struct netconf_link *link)
{
	struct netconf_request *request = memory_zalloc(sizeof(*request));
	request->link = netconf__link_ref(link);
	request->arena = arena_new();
	init(request);
	return request;
}

/* What the request holds of the layers below. */
static void release(struct netconf_request *request)
{
	struct netconf_server *server = request->link->server;
	netconf__ahead_drop(request);
	edit_tree_free(request->edit);
	request->edit = NULL;
	if (request->is_counted)
		atomic_fetch_sub_explicit(&server->large_replies, 1, memory_order_relaxed);
	request->is_counted = false;
	netconf__producer_free(request->producer);
	request->producer = NULL;
	if (request->encoder != NULL)
		xml_encoder_free(request->encoder);
	request->encoder = NULL;
	netconf__filter_free(request->filter);
	request->filter = NULL;
	netconf__txid_read_free(request);
	check_implicit_free(request->implicit);
	request->implicit = NULL;
	if (request->stream != NULL)
		request->stream->free(request->stream);
	request->stream = NULL;
	if (request->root != NULL)
		tree_record_unref(request->root, netconf__request_root_schema(request), server->reclaimer);
	request->root = NULL;
	request->root_schema = NULL;
	netconf__in_flight_remove(request->link, request->accounted);
	request->accounted = 0;
}

static bool drop_reference(struct netconf_request *request)
{
	return atomic_fetch_sub_explicit(&request->refs, 1, memory_order_acq_rel) == 1;
}

void netconf__request_unref(struct netconf_request *request)
{
	if (!drop_reference(request))
		return;
	release(request);
	struct netconf_link *link = request->link;
	arena_free(request->arena);
	memory_free(request);
	netconf__link_unref(link);
}

bool netconf__request_recycle(struct netconf_request *request)
{
	if (!drop_reference(request))
		return false;
	release(request);
	struct netconf_link *link = request->link;
	struct arena *arena = request->arena;
	arena_reset(arena);
	*request = (struct netconf_request){.link = link, .arena = arena};
	init(request);
	return true;
}

enum netconf_request_state netconf__request_state(const struct netconf_request *request)
{
	return atomic_load_explicit(&request->state, memory_order_acquire);
}

void netconf__request_set_state(struct netconf_request *request, enum netconf_request_state state)
{
	atomic_store(&request->state, state);
}

static bool is_admin(const struct netconf_request *request)
{
	const struct netconf_limits *limits = &request->link->server->limits;
	for (size_t i = 0; i < limits->admin_count; i++)
		if (strcmp(request->link->actor.user, limits->admins[i]) == 0)
			return true;
	return false;
}

void netconf__request_prepare(struct netconf_request *request)
{
	const struct netconf_operation *operation = request->operation;
	if (!operation->admins_only || is_admin(request)) {
		operation->prepare(request);
		return;
	}
	struct diag *diag = diag_add(&request->diags, DIAG_PROTOCOL, DIAG_ACCESS_DENIED,
				     "The operation is for the server's administrators.");
	const char *prefix = operation->ns != NULL ? operation->prefix : "nc";
	diag_set_path(&request->diags, diag,
		      arena_printf(request->arena, "/nc:rpc/%s:%s", prefix, operation->name));
	diag_add_prefix(&request->diags, diag, "nc", NETCONF_NS);
	if (operation->ns != NULL)
		diag_add_prefix(&request->diags, diag, prefix, operation->ns);
}

void netconf__request_answer(struct netconf_request *request)
{
	netconf__request_set_state(request, REQUEST_ANSWERED);
	if (!atomic_load(&request->quiet))
		netconf__link_wake(request->link);
}

/* The version that the answer depends on is published, or never will be. */
static void on_published(struct store_waiter *waiter, enum status status)
{
	struct netconf_request *request =
		(struct netconf_request *)((char *)waiter - offsetof(struct netconf_request, waiter));
	if (status != ST_OK) {
		diag_list_init(&request->diags, request->arena, request->diags.limit);
		struct diag *diag = diag_add(&request->diags, DIAG_APPLICATION, DIAG_OPERATION_FAILED,
					     "The change could not be made durable; it may be lost.");
		diag_set_app_tag(&request->diags, diag, "outcome-unknown");
	}
	netconf__request_answer(request);
	netconf__request_unref(request);
}

/*
 * On the worker no wake is wanted for an answer that comes at once: it looks at the state when it is back
 * here. Both sides first write their own word and then read the other's, so either the wake comes or ANSWERED
 * is seen.
 */
static void await(struct netconf_request *request, bool on_worker)
{
	atomic_store(&request->quiet, on_worker);
	atomic_fetch_add_explicit(&request->refs, 1, memory_order_relaxed);
	netconf__request_set_state(request, REQUEST_WAITING);
	request->waiter = (struct store_waiter){.version = request->answer.after, .done = on_published};
	store_await(request->link->server->store, &request->waiter);
	atomic_store(&request->quiet, false);
}

enum status netconf__request_execute(struct netconf_request *request, enum store_wait wait)
{
	enum status status = request->operation->run(request, wait);
	if (status == ST_BUSY && wait == STORE_NO_WAIT)
		return ST_BUSY;
	if (request->answered_elsewhere && status == ST_OK)
		return ST_OK; /* it may be the worker's again by now */
	if (status != ST_OK && !netconf__request_refused(request))
		diag_add(&request->diags, DIAG_APPLICATION, DIAG_OPERATION_FAILED,
			 "The operation failed in the server (%s).", status_name(status));
	/* Freed where the work was done: that of a large edit takes its time. What a read holds stays until
	 * it is answered, and so does the little that a small request has: its session frees it when the
	 * answer is on its way. */
	bool is_small = wait == STORE_NO_WAIT && request->size < SMALL_SIZE;
	if (request->root == NULL && request->stream == NULL && !is_small)
		release(request);
	if (request->answer.after != 0)
		await(request, wait == STORE_NO_WAIT);
	else
		netconf__request_set_state(request, REQUEST_ANSWERED);
	return ST_OK;
}

bool netconf__request_await_end(struct netconf_request *request, struct netconf_link *link, bool kill)
{
	/* Before the other side knows it: from then on it may be answered at any time. */
	request->answered_elsewhere = true;
	atomic_fetch_add_explicit(&request->refs, 1, memory_order_relaxed);
	netconf__request_set_state(request, REQUEST_WAITING);
	if (netconf__link_await_end(link, request, kill))
		return true;
	request->answered_elsewhere = false;
	drop_reference(request);
	return false;
}

static void run_job(struct os_job *job)
{
	struct netconf_request *request =
		(struct netconf_request *)((char *)job - offsetof(struct netconf_request, job));
	bool large = request->size >= LARGE_SIZE;
	enum status status = netconf__request_execute(request, STORE_WAIT);
	ASSERT(status == ST_OK);
	netconf__link_job_end(request->link);
	netconf__request_unref(request);
	if (large)
		memory_return_now();
}

void netconf__request_submit(struct netconf_request *request)
{
	atomic_fetch_add_explicit(&request->refs, 1, memory_order_relaxed);
	netconf__request_set_state(request, REQUEST_RUNNING);
	netconf__link_job_begin(request->link);
	request->job.run = run_job;
	os_pool_submit(request->pool != NULL ? request->pool : request->link->server->pool, &request->job);
}
