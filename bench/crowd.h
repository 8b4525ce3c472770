/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * Several sessions that work at the same time, each with a connection of its own and an equal part of the
 * requests, of which a fixed number are in flight. They are driven by few threads (crowd.c).
 *
 *     struct crowd crowd;
 *     status = crowd_open(&crowd, run, server, (struct crowd_shape){.sessions = 8, .pipeline = 1});
 *     status = crowd_work(&crowd, &work, &figures);    // as often as wanted
 *     crowd_close(&crowd);
 */
#include "operation.h"
#include "stats.h"

struct crowd {
	struct run *run;
	enum run_transport transport;
	struct crowd_session *sessions;
	unsigned count;
};

struct crowd_shape {
	unsigned sessions, pipeline; /* of each session, how many requests are in flight: 1 at least */
};

struct crowd_work {
	operation_make_fn *make; /* request i of all; called before the clock starts */
	void *arg;
	uint64_t count; /* of all sessions; more than a few 100,000 take much memory */
};

struct crowd_figures {
	uint64_t operations, elapsed_ns; /* from when all begin to when the last has ended */
	struct stats latencies;		 /* of each request, appended; the caller's */
};

/* What fails is said; nothing is open then. */
enum status crowd_open(struct crowd *crowd, struct run *run, const struct server *server,
		       struct crowd_shape shape) MUST_USE;
void crowd_close(struct crowd *crowd); /* one that is all zero is allowed */
/* One of them, for other requests while no work is done. */
struct client *crowd_client(const struct crowd *crowd);
/* Fails with the first session that failed (said). */
enum status crowd_work(struct crowd *crowd, const struct crowd_work *work,
		       struct crowd_figures *figures) MUST_USE;
