/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The table of sessions and the life of a link.
 *
 * A link has one reference of its session and one of each request, so that a job which still runs when its
 * session is freed finds everything that it needs, and nobody to wake.
 *
 * The end of a session, in whatever way it comes:
 *
 *     link_over ----> no job runs ----------------------> end: the store's too, answer who waits for it
 *          \-------> a job runs ----> link_job_end ----/
 *
 * so that nothing of the session changes the store after its locks were released, and that a kill-session is
 * answered when the locks are free and a confirmed commit of it is taken back. Locks are taken in the order
 * server->lock, link->lock; neither is held in a call of the store.
 */
#include "netconf/sessions.h"

#include <stddef.h>

#include "base/assert.h"
#include "base/memory.h"
#include "netconf/request.h"
#include "os/clock.h"
#include "store/confirmed.h"

/* With the server's lock held. */
static uint32_t next_id(struct netconf_server *server)
{
	bool used = true;
	while (used) {
		server->last_id = server->last_id == UINT32_MAX ? 1 : server->last_id + 1;
		used = false;
		/* Ids only meet again after 2^32 sessions, so the search is for correctness alone. */
		for (struct netconf_link *link = server->first_link; link != NULL && !used; link = link->next)
			used = link->id == server->last_id;
	}
	return server->last_id;
}

static void table_insert(struct netconf_server *server, struct netconf_link *link)
{
	link->id = next_id(server);
	link->next = server->first_link;
	if (link->next != NULL)
		link->next->previous = link;
	server->first_link = link;
	server->session_count++;
	server->link_count++;
}

static void table_remove(struct netconf_server *server, struct netconf_link *link)
{
	if (link->next != NULL)
		link->next->previous = link->previous;
	if (link->previous != NULL)
		link->previous->next = link->next;
	else
		server->first_link = link->next;
	server->session_count--;
}

static void link_destroy(struct netconf_link *link)
{
	ASSERT(link->end_waiters == NULL);
	pthread_mutex_destroy(&link->lock);
	memory_free((char *)link->actor.user);
	memory_free((char *)link->actor.address);
	memory_free(link);
}

static bool is_ending(struct xpath_interrupt *self)
{
	struct netconf_link *link =
		(struct netconf_link *)((char *)self - offsetof(struct netconf_link, interrupt));
	return atomic_load_explicit(&link->killed, memory_order_relaxed) ||
	       atomic_load_explicit(&link->shutdown, memory_order_relaxed);
}

struct netconf_link *netconf__link_new(struct netconf_server *server, const struct netconf_peer *peer)
{
	struct netconf_link *link = memory_zalloc(sizeof(*link));
	link->server = server;
	link->interrupt.is_due = is_ending;
	link->wake = peer->wake;
	link->wake_arg = link->others_arg = peer->arg;
	link->others_at_work = peer->others_at_work;
	link->actor.user = memory_strdup(peer->user);
	link->actor.address = memory_strdup(peer->address);
	link->transport = peer->transport;
	link->login_ns = os_clock_wall_ns();
	atomic_init(&link->refs, 1);
	pthread_mutex_init(&link->lock, NULL);
	pthread_mutex_lock(&server->lock);
	bool admitted = !server->shutdown && server->session_count < server->limits.sessions;
	if (admitted)
		table_insert(server, link);
	pthread_mutex_unlock(&server->lock);
	if (!admitted) {
		link_destroy(link);
		return NULL;
	}
	link->actor.session_id = link->id;
	return link;
}

struct netconf_link *netconf__link_ref(struct netconf_link *link)
{
	atomic_fetch_add_explicit(&link->refs, 1, memory_order_relaxed);
	return link;
}

void netconf__link_unref(struct netconf_link *link)
{
	if (atomic_fetch_sub_explicit(&link->refs, 1, memory_order_acq_rel) > 1)
		return;
	struct netconf_server *server = link->server;
	link_destroy(link);
	/* The last touch of the server: netconf_server_free may be waiting for it. */
	pthread_mutex_lock(&server->lock);
	if (--server->link_count == 0)
		pthread_cond_signal(&server->empty);
	pthread_mutex_unlock(&server->lock);
}

void netconf__link_detach(struct netconf_link *link)
{
	struct netconf_server *server = link->server;
	pthread_mutex_lock(&server->lock);
	table_remove(server, link);
	if (atomic_exchange(&link->paused, false))
		atomic_fetch_sub(&server->paused_count, 1);
	pthread_mutex_lock(&link->lock);
	link->wake = NULL;
	pthread_mutex_unlock(&link->lock);
	pthread_mutex_unlock(&server->lock);
	netconf__in_flight_yield(link);
	netconf__link_unref(link);
}

struct netconf_link *netconf__link_find(struct netconf_server *server, uint32_t id)
{
	pthread_mutex_lock(&server->lock);
	struct netconf_link *link = server->first_link;
	while (link != NULL && link->id != id)
		link = link->next;
	if (link != NULL)
		netconf__link_ref(link);
	pthread_mutex_unlock(&server->lock);
	return link;
}

void netconf__link_wake(struct netconf_link *link)
{
	pthread_mutex_lock(&link->lock);
	if (link->wake != NULL)
		link->wake(link->wake_arg);
	pthread_mutex_unlock(&link->lock);
}

/* In a thread of the store, or in end_if_due's. Nothing depends on whether it could take back what it had to.
 */
static void on_ended(struct store_waiter *end_waiter, enum status status)
{
	(void)status;
	struct netconf_link *link =
		(struct netconf_link *)((char *)end_waiter - offsetof(struct netconf_link, end_waiter));
	pthread_mutex_lock(&link->lock);
	link->ended = true;
	struct netconf_request *waiter = link->end_waiters;
	link->end_waiters = NULL;
	pthread_mutex_unlock(&link->lock);
	while (waiter != NULL) {
		struct netconf_request *next = waiter->next_waiter;
		netconf__request_answer(waiter);
		netconf__request_unref(waiter);
		waiter = next;
	}
	netconf__link_unref(link);
}

static void end_if_due(struct netconf_link *link)
{
	pthread_mutex_lock(&link->lock);
	bool due = link->over && link->jobs == 0 && !link->ending;
	if (due)
		link->ending = true;
	pthread_mutex_unlock(&link->lock);
	if (!due)
		return;
	netconf__link_ref(link);
	link->end_waiter.done = on_ended;
	store_session_end_await(link->server->store, link->id, &link->end_waiter);
}

void netconf__link_job_begin(struct netconf_link *link)
{
	pthread_mutex_lock(&link->lock);
	ASSERT(!link->over);
	link->jobs++;
	pthread_mutex_unlock(&link->lock);
}

void netconf__link_job_end(struct netconf_link *link)
{
	pthread_mutex_lock(&link->lock);
	link->jobs--;
	pthread_mutex_unlock(&link->lock);
	end_if_due(link);
	netconf__link_wake(link);
}

void netconf__link_over(struct netconf_link *link)
{
	pthread_mutex_lock(&link->lock);
	link->over = true;
	pthread_mutex_unlock(&link->lock);
	end_if_due(link);
}

bool netconf__link_await_end(struct netconf_link *link, struct netconf_request *request, bool kill)
{
	pthread_mutex_lock(&link->lock);
	bool alive = !link->ended;
	if (alive) {
		request->next_waiter = link->end_waiters;
		link->end_waiters = request;
	}
	if (alive && kill && !link->ending) {
		atomic_store(&link->killed, true);
		if (link->wake != NULL)
			link->wake(link->wake_arg);
	}
	pthread_mutex_unlock(&link->lock);
	return alive;
}
