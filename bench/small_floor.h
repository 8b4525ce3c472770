/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * The floor under small requests, measured in blocks that take turns with theirs: round trips of the same
 * sizes (ssh-echo), and where they are commits that are synced, synced appends.
 *
 *     struct small_floor floor;
 *     status = small_floor_begin(&floor, run, true);
 *     ... a block of requests ...
 *     status = small_floor_block(&floor, framed, reply_size, 500);     // and so on
 *     small_floor_report(&floor, scenario, n, &metric);
 *     small_floor_end(&floor);
 */
#include "run.h"
#include "stats.h"

struct small_floor {
	struct run *run;
	struct stats echo;
	struct sync_floor *sync; /* NULL: no part of it */
};

/* `commits`: so that a sync is part of it where the server syncs. What fails is said; end it all the same. */
enum status small_floor_begin(struct small_floor *floor, struct run *run, bool commits) MUST_USE;
void small_floor_end(struct small_floor *floor);
/* `count` round trips of such a request and reply, and a few syncs. */
enum status small_floor_block(struct small_floor *floor, struct bytes framed, uint64_t reply_size,
			      uint64_t count) MUST_USE;
/* Adds its rows; gives the metric that a request is held against, NULL where there were no blocks. */
void small_floor_report(struct small_floor *floor, const char *scenario, uint64_t n, const char **metric);
