/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The table of a change. Most figures are better when smaller; a rate is not. Counts and sizes (units "" and
 * "MB") say what was done rather than how well, so they are not judged, nor are maxima and p99.9: one pause
 * of the machine makes them.
 */
#include "compare.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "results_read.h"

static bool ends_with(const char *text, const char *end)
{
	size_t size = strlen(text), end_size = strlen(end);
	return size >= end_size && strcmp(text + size - end_size, end) == 0;
}

static bool is_judged(const struct result_row *row)
{
	const char *metric = row->key.metric;
	if (row->unit[0] == '\0' || strcmp(row->unit, "MB") == 0)
		return false;
	if (strncmp(metric, "floor ", 6) == 0 || strncmp(metric, "ssh-echo", 8) == 0)
		return false;
	return !ends_with(metric, "max") && !ends_with(metric, "p99.9") && strncmp(metric, "max ", 4) != 0 &&
	       strcmp(metric, "sync") != 0;
}

/* By how many % b is worse than a; below 0: better. */
static double worsening(const struct result_row *row, double a, double b)
{
	double change = (b - a) / a * 100;
	return ends_with(row->unit, "/s") ? -change : change;
}

static void compare_row(FILE *out, const struct results *before, const struct result_row *a,
			const struct results *after, const struct result_row *b,
			struct compare_outcome *outcome)
{
	double from = result_ratio(before, a), to = result_ratio(after, b), noise = outcome->noise;
	bool by_ratio = from > 0 && to > 0;
	if (!by_ratio) {
		from = result_value(a);
		to = result_value(b);
	}
	if (from <= 0)
		return;
	double worse = worsening(a, from, to);
	outcome->compared++;
	outcome->worse += worse > noise;
	fprintf(out, "%-24s %8" PRIu64 "  %-34s %12.5g %12.5g %-8s %+7.1f %%%s\n", a->key.scenario, a->key.n,
		a->key.metric, from, to, by_ratio ? "x floor" : a->unit, (to - from) / from * 100,
		worse > noise	 ? "  worse"
		: worse < -noise ? "  better"
				 : "");
}

static void compare_results(FILE *out, const struct results *before, struct results *after,
			    struct compare_outcome *outcome)
{
	for (size_t i = 0; i < before->rows.length; i++) {
		const struct result_row *row = vector_at(&before->rows, i);
		after->server = row->server;
		const struct result_row *other = results_find(after, row->key);
		if (other != NULL && is_judged(row))
			compare_row(out, before, row, after, other, outcome);
	}
}

enum status compare_files(FILE *out, const char *a, const char *b, double noise,
			  struct compare_outcome *outcome)
{
	struct arena *arena = arena_new();
	struct environment environment;
	struct results before, after;
	*outcome = (struct compare_outcome){.noise = noise};
	enum status status = results_read(a, arena, &environment, &before);
	enum status other = results_read(b, arena, &environment, &after);
	status = status == ST_OK ? other : status;
	if (status == ST_OK)
		compare_results(out, &before, &after, outcome);
	results_fini(&after);
	results_fini(&before);
	arena_free(arena);
	return status;
}
