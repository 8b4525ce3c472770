/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * The floor under one large edit: the same bytes one way through SSH (bulk), a SAX parse of them, and a
 * synced append of what the server wrote.
 *
 *     struct edit_floor floor = {0};
 *     status = edit_floor_measure(&floor, run, document);     // before,
 *     ... the edit ...
 *     status = edit_floor_measure(&floor, run, document);     // and after
 *     status = edit_floor_report(&floor, run, key, written);
 */
#include "run.h"

#define EDIT_FLOOR_ROUNDS 3 /* a measurement: the first is cold */
#define EDIT_FLOOR_MOST (2 * EDIT_FLOOR_ROUNDS)

struct edit_floor {
	unsigned count;
	uint64_t document_size;
	struct {
		uint64_t parse_ns, parse_cpu_ns, bulk_ns;
	} rounds[EDIT_FLOOR_MOST];
};

enum status edit_floor_measure(struct edit_floor *floor, struct run *run, struct bytes document) MUST_USE;
/* Adds the rows of the floor; `written`: bytes that the server sent to storage meanwhile, 0: unknown. The
 * sync is part of it where commits are synced. */
enum status edit_floor_report(const struct edit_floor *floor, struct run *run, const char *scenario,
			      uint64_t n, uint64_t written) MUST_USE;
/* The metric that an edit over SSH is held against. */
const char *edit_floor_metric(const struct run *run);
