/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* The plots of a report: which metrics are lines of which plot, and what others have published. */
#include <stdbool.h>
#include "environment.h"
#include "plot.h"
#include "results.h"

/* Results of one run, as it was read or just measured. */
struct measured_run {
	struct environment environment;
	struct results results;
};

#define PUBLISHED_MAX 4
#define PUBLISHED_POINTS 6

/* A line that others published, or that was measured elsewhere. */
struct published {
	const char *label;
	struct plot_point points[PUBLISHED_POINTS]; /* by ascending x, up to the first x of 0 */
};

/* How many plots there are, and the file name of one without its ending. */
size_t figures_count(void);
const char *figures_name(size_t index);
const char *figures_title(size_t index);
/* Whether it shows seconds, and not a rate. */
bool figures_are_seconds(size_t index);
/* The first line: what others' figures are about. */
struct result_key figures_key(size_t index);
/* PUBLISHED_MAX of them, up to the first one without a label. */
const struct published *figures_published(size_t index);
/* Fills an empty plot with the lines of all runs; false where none has a point of it. Texts are the arena's.
 */
struct arena;
int figures_make(size_t index, const struct measured_run *runs, size_t run_count, struct arena *arena,
		 struct plot *plot);
