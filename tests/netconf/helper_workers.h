/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* Several workers on one server, each a thread with random sessions of its own. */
#include "helper_server.h"

#define WORKERS 3

struct worker {
	struct harness harness;
	pthread_t thread;
	uint64_t random;
	_Atomic uint32_t *ids; /* a session of each worker, to be killed by the others */
	int index;
	unsigned answers; /* counted by the work */
	void (*work)(struct worker *worker);
};

/* YARE_SEED, or `otherwise`; printed. */
uint64_t workers_seed(uint64_t otherwise);
uint32_t workers_below(uint64_t *random, uint32_t bound);
/* Runs the work on all of them to its end; gives the sum of their answers. */
unsigned workers_run(struct harness *harness, uint64_t seed, void (*work)(struct worker *worker));
/* kill-session of a session of any worker, the own one too. */
void workers_kill_text(struct worker *worker, char text[static 128]);
