/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * Latencies of one kind of operation, in the order they were measured, and what is said about them.
 *
 *     struct stats stats;
 *     stats_init(&stats);
 *     stats_add(&stats, elapsed_ns);
 *     struct stats_summary summary = stats_summarize(&stats);
 */
#include <stdint.h>
#include "base/vector.h"

#define STATS_WINDOW 1000 /* operations at either end that "first" and "last" stand for */

struct stats {
	struct vector samples; /* uint64_t, nanoseconds */
};

/* All in nanoseconds; 0 where nothing was measured. */
struct stats_summary {
	uint64_t count;
	double p50, p90, p99, p999, max, mean;
	double first, last; /* means of the first and last STATS_WINDOW, or of either half of fewer samples */
	double sum;
};

void stats_init(struct stats *stats);
void stats_fini(struct stats *stats);
void stats_add(struct stats *stats, uint64_t sample_ns);
/* Cost: a sort of a copy. */
struct stats_summary stats_summarize(const struct stats *stats);

/* The nearest-rank quantile of values in ascending order; permille 0 .. 1000. Needs length > 0. */
uint64_t stats_quantile(const uint64_t *sorted, size_t length, unsigned permille);
/* The median; of an even number the mean of the middle two. Sorts the values. 0 for none. */
double stats_median(double *values, size_t length);
