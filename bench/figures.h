/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* The plots of a report: which metrics are lines of which plot, and what others have published. */
#include "environment.h"
#include "plot.h"
#include "results.h"

/* Results of one run, as it was read or just measured. */
struct measured_run {
	struct environment environment;
	struct results results;
};

/* How many plots there are, and the file name of one without its ending. */
size_t figures_count(void);
const char *figures_name(size_t index);
/* Fills an empty plot with the lines of all runs; false where none has a point of it. Texts are the arena's.
 */
struct arena;
int figures_make(size_t index, const struct measured_run *runs, size_t run_count, struct arena *arena,
		 struct plot *plot);
