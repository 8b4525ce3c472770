/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * Provisioning in blocks: what is compared (servers, the echo floor) takes turns every LANE_BLOCK requests,
 * so that what else happens on the machine meets all of them.
 */
#include "run.h"
#include "small_floor.h"
#include "stats.h"

#define LANE_BLOCK 50 /* requests in a row to one server */

/* One session that creates entries, one a request, one request at a time. */
struct lane {
	struct client *client;
	struct stats stats;
	struct buffer request, framed;
	uint64_t reply_size; /* bytes of the last reply on the wire */
};

void lane_init(struct lane *lane, struct client *client); /* borrows the client */
void lane_fini(struct lane *lane);
/* Creates entries first .. first + count - 1. */
enum status lane_provision(struct run *run, struct lane *lane, uint64_t first, uint64_t count) MUST_USE;
/* Creates entries 1 .. n in each of the lanes, block by block in turn; `floor` (NULL: none) gets a block
 * after each of theirs. Ends early, with ST_OK, when the run is interrupted. */
enum status lanes_provision(struct run *run, struct lane *lanes, size_t lane_count, uint64_t n,
			    struct small_floor *floor) MUST_USE;
