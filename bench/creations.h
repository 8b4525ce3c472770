/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * Commits that each create one entry of the perf-test list, by several sessions that work at the same time.
 *
 *     struct creations creations = {0};
 *     status = creations_open(&creations, run, server, (struct crowd_shape){8, 1});
 *     status = creations_run(&creations, 1000, &elapsed_ns);    // as often as wanted
 *     creations_close(&creations);
 */
#include "crowd.h"

struct creations {
	struct crowd crowd;
	uint64_t count; /* entries so far */
};

/* Connects the sessions. What fails is said; nothing is open then. */
enum status creations_open(struct creations *creations, struct run *run, const struct server *server,
			   struct crowd_shape shape) MUST_USE;
void creations_close(struct creations *creations); /* one that is all zero is allowed */
/* Creates the next `count` entries, in equal parts by all sessions; adds the time that it took. */
enum status creations_run(struct creations *creations, uint64_t count, uint64_t *elapsed_ns) MUST_USE;
/* Whether the server has all entries, and no other. What fails is said. */
enum status creations_verify(const struct creations *creations) MUST_USE;
