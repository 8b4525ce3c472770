/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * What was measured: rows of scenario, size and metric, each with one sample a repetition. A row may name the
 * metric of the same scenario and size that is its floor; ratios are of medians.
 *
 *     results_add(results, (struct result_key){"restore", n, "elapsed, SSH"}, "s", elapsed, "floor bulk +
 * parse");
 */
#include <stdbool.h>
#include <stdint.h>
#include "base/vector.h"

struct result_key {
	const char *scenario;
	uint64_t n;
	const char *metric;
};

/* What a report names the run's own rows that were measured beside peers, where there are others of it alone.
 */
#define RESULTS_BESIDE "yared, beside a peer"

struct result_row {
	struct result_key key;
	const char *unit;
	const char *floor;     /* metric of the floor; NULL: none */
	const char *server;    /* that was measured; NULL: the run's own */
	struct vector samples; /* double */
};

struct results {
	struct vector rows; /* struct result_row, in the order they were first added */
	/* What results_add and results_find are about from here on; NULL: the run's own server. Borrowed. */
	const char *server;
};

void results_init(struct results *results);
void results_fini(struct results *results);
/* Adds a sample. All texts are borrowed: literals. */
void results_add(struct results *results, struct result_key key, const char *unit, double value,
		 const char *floor);
/* NULL where there is none. Valid until the next results_add. */
const struct result_row *results_find(const struct results *results, struct result_key key);
/* The median of the samples. */
double result_value(const struct result_row *row);
/* The mean of the samples; `trimmed`: of those that lie within 1.5 interquartile ranges of the quartiles. */
double result_mean(const struct result_row *row, bool trimmed);
/* The row's value over its floor's; 0 where there is no floor. */
double result_ratio(const struct results *results, const struct result_row *row);

/* Rows of one scenario, size and server; whether the row at `index` is the first of its group. */
bool result_rows_belong(const struct result_row *a, const struct result_row *b);
bool result_begins_group(const struct results *results, size_t index);
