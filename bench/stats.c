/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Quantiles are nearest-rank: a value that was measured, never one between two. A ratio of benchmarks is
 * one of medians, since a mean carries every pause of a shared machine.
 */
#include "stats.h"

#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/memory.h"

static int compare_u64(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
	return (a > b) - (a < b);
}

static int compare_double(const void *left, const void *right)
{
	double a = *(const double *)left, b = *(const double *)right;
	return (a > b) - (a < b);
}

static double sum_of(const uint64_t *samples, size_t length)
{
	double sum = 0;
	for (size_t i = 0; i < length; i++)
		sum += (double)samples[i];
	return sum;
}

void stats_init(struct stats *stats)
{
	vector_init(&stats->samples, sizeof(uint64_t));
}

void stats_fini(struct stats *stats)
{
	vector_fini(&stats->samples);
}

void stats_add(struct stats *stats, uint64_t sample_ns)
{
	*(uint64_t *)vector_push(&stats->samples) = sample_ns;
}

uint64_t stats_quantile(const uint64_t *sorted, size_t length, unsigned permille)
{
	ASSERT(length > 0 && permille <= 1000);
	size_t rank = (length * permille + 999) / 1000;
	return sorted[rank > 0 ? rank - 1 : 0];
}

struct stats_summary stats_summarize(const struct stats *stats)
{
	struct stats_summary summary = {.count = stats->samples.length};
	size_t length = stats->samples.length;
	if (length == 0)
		return summary;
	const uint64_t *samples = stats->samples.data;
	size_t window = length >= 2 * (size_t)STATS_WINDOW ? (size_t)STATS_WINDOW : (length + 1) / 2;
	summary.sum = sum_of(samples, length);
	summary.mean = summary.sum / (double)length;
	summary.first = sum_of(samples, window) / (double)window;
	summary.last = sum_of(samples + length - window, window) / (double)window;
	uint64_t *sorted = memory_alloc(length * sizeof(*sorted));
	memcpy(sorted, samples, length * sizeof(*sorted));
	qsort(sorted, length, sizeof(*sorted), compare_u64);
	summary.p50 = (double)stats_quantile(sorted, length, 500);
	summary.p90 = (double)stats_quantile(sorted, length, 900);
	summary.p99 = (double)stats_quantile(sorted, length, 990);
	summary.p999 = (double)stats_quantile(sorted, length, 999);
	summary.max = (double)sorted[length - 1];
	memory_free(sorted);
	return summary;
}

double stats_median(double *values, size_t length)
{
	if (length == 0)
		return 0;
	qsort(values, length, sizeof(*values), compare_double);
	return length % 2 == 1 ? values[length / 2] : (values[length / 2 - 1] + values[length / 2]) / 2;
}
