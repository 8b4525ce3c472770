/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * What is aimed at: a limit on a metric of a scenario, on its ratio to its floor, or on a value that is
 * itself a ratio. Absolute ones (seconds, MB/s) hold for a quiet machine only and are never a gate.
 */
#include <stdbool.h>
#include "environment.h"
#include "results.h"

struct limit {
	const char *scenario, *metric;
	enum { LIMIT_RATIO, LIMIT_VALUE, LIMIT_LEAST } kind; /* least: the value is to be at least so large */
	double bound;
	uint64_t from_n;	/* smaller sizes are not judged */
	const char *durability; /* it is for; NULL: any */
	bool is_absolute;
};

struct limit_verdict {
	const struct limit *limit;
	uint64_t n;
	double measured;
	double excess; /* 1: just met; 2: twice as bad */
};

/* What the figure that a limit is about consists of: why it is not lower. NULL: nothing is known of it. */
const char *limit_reason(const struct limit *limit);

/* Verdict number `index` of what the results have, in the order of the limits; false: there are no more. */
bool limits_judge(const struct environment *environment, const struct results *results, size_t index,
		  struct limit_verdict *verdict);
/* How many ratios are beyond `factor` times their limit; they are said. */
unsigned limits_exceeded(const struct environment *environment, const struct results *results, double factor);
