/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * How far a run is, for the person at the terminal: a bar, what is measured now, its rate, and the time left.
 * Steps have weights, by which the time left is told from the time gone; it is as good as they are.
 */
#include <stdint.h>

struct progress {
	uint64_t begin_ns;
	double total, done; /* weight of all steps, and of those that have ended */
	double step;	    /* weight of this one */
	uint64_t step_begin_ns;
	char name[96]; /* of this step */
};

void progress_begin(struct progress *progress, double total);
/* Ends the step before, and begins one. */
void progress_step(struct progress *progress, const char *name, uint64_t n, double weight);
/* So many of `all` operations of the step are done. Cheap, but not for each of many. */
void progress_update(const struct progress *progress, uint64_t operations, uint64_t all);
void progress_end(struct progress *progress);
