/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The worker decodes, and after each step of some bytes says how far it has come; a job thread makes tree
 * records of that meanwhile:
 *
 *     worker      decode | decode | decode ... decode |
 *     job thread         | prepare | prepare ...      | finish, attach, settle, check ...
 *
 * A job takes what one step gave and ends, so that it never waits for a client, and other requests' jobs have
 * their turn. There is one at a time for a request; where the job threads are busy, what it has missed is
 * done by the next one, in the end by the request's own job.
 *
 *     IDLE --go_on--> QUEUED --a job thread--> RUNNING --> IDLE
 *                       |
 *                       +--- finish, drop: the job finds `left`, and frees it
 *
 * Who holds the request: `prepare` in IDLE and QUEUED, the job in RUNNING, which is waited for; on `drop` it
 * is told to stop at the next node. So nothing that runs here outlives the request's tree.
 *
 * What it takes: no thread; memory of the records, which are part of the new root in most cases, and are a
 * fraction of the edit tree's.
 */
#include "netconf/ahead.h"

#include <pthread.h>
#include <stddef.h>

#include "base/memory.h"
#include "edit/prepare.h"
#include "netconf/request.h"

#define STEPS 2 /* of limits.ahead_size: bytes after which a job is queued, which takes some 5 us */

struct netconf_ahead {
	struct os_job job;
	struct netconf_server *server;
	struct edit_prepare *prepare;
	size_t due; /* the worker's: bytes of the message at which a job is due; SIZE_MAX: never again */
	pthread_mutex_t lock; /* over all below */
	pthread_cond_t rested;
	enum { AHEAD_IDLE, AHEAD_QUEUED, AHEAD_RUNNING } state;
	bool left;    /* the queued job is all that is left of it */
	bool is_over; /* nothing will come of it */
	struct edit_mark mark;
};

static void free_ahead(struct netconf_ahead *ahead)
{
	pthread_cond_destroy(&ahead->rested);
	pthread_mutex_destroy(&ahead->lock);
	memory_free(ahead);
}

static bool prepare_by_mark(struct netconf_ahead *ahead, const struct edit_mark *mark)
{
	struct store *store = ahead->server->store;
	const struct store_version *running = store_pin(store);
	bool goes_on = edit_prepare_take(ahead->prepare, mark, running->root);
	store_unpin(store, running);
	return goes_on;
}

static void run(struct os_job *job)
{
	struct netconf_ahead *ahead =
		(struct netconf_ahead *)((char *)job - offsetof(struct netconf_ahead, job));
	pthread_mutex_lock(&ahead->lock);
	bool left = ahead->left;
	struct edit_mark mark = ahead->mark;
	ahead->state = AHEAD_RUNNING;
	pthread_mutex_unlock(&ahead->lock);
	if (left) {
		free_ahead(ahead);
		return;
	}
	bool goes_on = prepare_by_mark(ahead, &mark);
	pthread_mutex_lock(&ahead->lock);
	ahead->is_over = ahead->is_over || !goes_on;
	ahead->state = AHEAD_IDLE;
	pthread_cond_signal(&ahead->rested);
	pthread_mutex_unlock(&ahead->lock);
}

static void begin(struct netconf_request *request, const struct edit_decoder *decoder)
{
	struct netconf_server *server = request->link->server;
	struct netconf_ahead *ahead = memory_zalloc(sizeof(*ahead));
	*ahead = (struct netconf_ahead){.job.run = run, .server = server};
	ahead->prepare = edit_prepare_new(server->schema, edit_decoder_tree(decoder), server->reclaimer);
	pthread_mutex_init(&ahead->lock, NULL);
	pthread_cond_init(&ahead->rested, NULL);
	request->ahead = ahead;
}

void netconf__ahead_go_on(struct netconf_request *request, const struct edit_decoder *decoder)
{
	size_t least = request->link->server->limits.ahead_size;
	struct netconf_ahead *ahead = request->ahead;
	if (ahead == NULL && (least == 0 || request->size < least))
		return;
	if (ahead == NULL)
		begin(request, decoder);
	ahead = request->ahead;
	if (request->size < ahead->due)
		return;
	ahead->due = request->size + least / STEPS;
	struct edit_mark mark;
	pthread_mutex_lock(&ahead->lock);
	/* What is wrong with the request is no edit to be applied. */
	ahead->is_over = ahead->is_over || !edit_decoder_mark(decoder, &mark);
	bool submits = !ahead->is_over && ahead->state == AHEAD_IDLE;
	if (!ahead->is_over)
		ahead->mark = mark;
	else
		ahead->due = SIZE_MAX;
	if (submits)
		ahead->state = AHEAD_QUEUED;
	pthread_mutex_unlock(&ahead->lock);
	if (submits)
		os_pool_submit(ahead->server->pool, &ahead->job);
}

/* Takes `prepare` back from the job threads, and frees all else. */
static struct edit_prepare *take_back(struct netconf_request *request, bool *is_over)
{
	struct netconf_ahead *ahead = request->ahead;
	struct edit_prepare *prepare = ahead->prepare;
	request->ahead = NULL;
	pthread_mutex_lock(&ahead->lock);
	while (ahead->state == AHEAD_RUNNING)
		pthread_cond_wait(&ahead->rested, &ahead->lock);
	*is_over = ahead->is_over;
	bool is_queued = ahead->state == AHEAD_QUEUED;
	ahead->left = is_queued;
	pthread_mutex_unlock(&ahead->lock);
	if (!is_queued)
		free_ahead(ahead);
	return prepare;
}

void netconf__ahead_finish(struct netconf_request *request)
{
	if (request->ahead == NULL)
		return;
	bool is_over;
	struct edit_prepare *prepare = take_back(request, &is_over);
	if (is_over) {
		edit_prepare_free(prepare);
		return;
	}
	request->edit->reclaimer = request->link->server->reclaimer;
	request->edit->prepared = edit_prepare_finish(prepare);
}

void netconf__ahead_drop(struct netconf_request *request)
{
	if (request->ahead == NULL)
		return;
	bool is_over;
	edit_prepare_stop(request->ahead->prepare);
	edit_prepare_free(take_back(request, &is_over));
}
