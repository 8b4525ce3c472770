/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * Sessions that commit side by side, each in a thread of its own with a number of requests outstanding: a
 * session sends as many as it may, reads what replies have come, and sends again.
 */
#include "run.h"

struct committers_shape {
	unsigned sessions, pipeline;
};

struct committers {
	struct run *run;
	struct committers_shape shape;
	struct client **clients; /* shape.sessions */
	uint64_t next;		 /* number of the entry that is created next */
};

/* Connects the sessions. What fails is said. */
enum status committers_open(struct run *run, const struct server *server, struct committers_shape shape,
			    struct committers *committers) MUST_USE;
void committers_close(struct committers *committers);
/* Creates the next `count` entries, one a commit, in equal parts by all sessions; adds the time that it took.
 */
enum status committers_run(struct committers *committers, uint64_t count, uint64_t *elapsed_ns) MUST_USE;
