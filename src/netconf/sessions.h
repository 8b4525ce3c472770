/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * What is behind struct netconf_server, and the part of a session that other threads may touch: a link. The
 * session's worker owns struct netconf_session; jobs, the sync thread and other sessions (kill-session) see
 * its link only, which outlives it as long as one of its requests does.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "base/vector.h"
#include "netconf/server.h"
#include "netconf/session.h"
#include "xpath/xpath.h"

struct netconf_request;

struct netconf_atomic_counters {
	_Atomic uint64_t in_bad_hellos, in_sessions, dropped_sessions, in_rpcs, in_bad_rpcs, out_rpc_errors;
};

struct netconf_link {
	struct netconf_link *next, *previous; /* in the table; under the server's lock */
	_Atomic uint32_t refs;
	uint32_t id; /* of the session; never 0 */
	struct netconf_server *server;
	struct store_actor actor;	       /* user and address are the link's */
	const char *transport;		       /* static */
	uint64_t login_ns;		       /* wall clock */
	unsigned (*others_at_work)(void *arg); /* of its peer; the worker's; NULL: not known */
	void *others_arg;
	_Atomic bool open; /* from the hellos to the end */
	struct netconf_atomic_counters counters;
	_Atomic bool killed;		  /* by another session */
	_Atomic bool shutdown;		  /* answer what is in flight, then close */
	struct xpath_interrupt interrupt; /* of what is evaluated for it, once it is killed or shut down */
	_Atomic bool paused;		  /* wants input, but the server's requests in flight are too many */
	pthread_mutex_t lock;		  /* over all below */
	void (*wake)(void *arg);	  /* NULL: the session is gone */
	void *wake_arg;
	unsigned jobs; /* of the session that run; a second one may begin while the first one is leaving */
	bool over;     /* none will be started any more */
	bool ending;   /* store_session_end_await was called, or is about to be */
	bool ended;    /* and is done */
	struct store_waiter end_waiter;	     /* until what the end takes back is published */
	struct netconf_request *end_waiters; /* kill-session and close-session; a reference each */
};

struct netconf_state;

struct netconf_server {
	struct schema *schema;
	struct store *store;
	struct tree_reclaimer *reclaimer;
	struct os_pool *pool;
	struct netconf_limits limits;
	char *hello; /* its text up to the session-id */
	struct netconf_state *state;
	struct store_search *search;
	struct vector handlers; /* struct netconf_handler_entry (handlers.h) */
	struct netconf_atomic_counters counters;
	_Atomic size_t in_flight;      /* bytes of requests that are read or run */
	_Atomic size_t candidate_size; /* bytes of the edits of the candidate since it was clean */
	_Atomic size_t large_replies;  /* that are in the middle (producer.c) */
	_Atomic uint32_t paused_count; /* links with `paused` */
	_Atomic uint32_t
		overdraft_id; /* the session that may read past limits.in_flight; 0: none; set under `lock` */
	pthread_mutex_t lock; /* over all below */
	pthread_cond_t empty; /* link_count fell to 0 */
	struct netconf_link *first_link; /* of sessions that were not freed */
	size_t session_count;
	size_t link_count; /* also those of freed sessions */
	uint32_t last_id;
	bool shutdown;
};

void netconf__counters_read(const struct netconf_atomic_counters *from, struct netconf_counters *counters);

/* NULL where the server is full or shutting down. One reference. */
struct netconf_link *netconf__link_new(struct netconf_server *server, const struct netconf_peer *peer);
struct netconf_link *netconf__link_ref(struct netconf_link *link);
void netconf__link_unref(struct netconf_link *link);
/* The session is freed: no wake any more, out of the table; its reference goes. */
void netconf__link_detach(struct netconf_link *link);
/* With a reference; NULL: no such session. */
struct netconf_link *netconf__link_find(struct netconf_server *server, uint32_t id);
void netconf__link_wake(struct netconf_link *link);

/* Around each job. The end of a session waits for its job. */
void netconf__link_job_begin(struct netconf_link *link);
void netconf__link_job_end(struct netconf_link *link);
/* No request will be started any more: the session's locks are released, at once or when its job has ended.
 */
void netconf__link_over(struct netconf_link *link);
/* `request` (Takes a reference) is answered when the session's locks are released; `kill`: and its worker is
 * told to close it. False where that has happened already (the reference is not taken). */
bool netconf__link_await_end(struct netconf_link *link, struct netconf_request *request, bool kill);

/*
 * Accounts for requests in flight. Over the limit, one session at a time may still read, to the end of its
 * request, so that sessions that are all in mid-request do not wait for each other for ever. False: take no
 * input now; the link is woken later.
 */
bool netconf__in_flight_admit(struct netconf_link *link);
/* It takes input in any case. */
void netconf__in_flight_pass(struct netconf_link *link);
/* Whether those who send much have to wait. */
bool netconf__in_flight_full(struct netconf_server *server);
void netconf__in_flight_add(struct netconf_link *link, size_t size);
/* Of a request that is done or dropped. */
void netconf__in_flight_remove(struct netconf_link *link, size_t size);
/* The session's request is complete: another one may have its turn. */
void netconf__in_flight_yield(struct netconf_link *link);
