/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* Sessions that are connected, have exchanged hellos, and do nothing. */
#include "run.h"

struct idle_sessions {
	struct client **clients;
	unsigned count;
};

/* Connects `count` of them, one after the other. What fails is said. */
enum status idle_sessions_open(struct run *run, const struct server *server, unsigned count,
			       struct idle_sessions *sessions) MUST_USE;
void idle_sessions_close(struct idle_sessions *sessions);
