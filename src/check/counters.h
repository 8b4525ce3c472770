/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * How often each constraint of a plan was evaluated, and how long that took, over all checks that were given
 * the tally:
 *
 *     struct check_tally *tally = check_tally_new(plan);
 *     check_tally_set_timing(tally, CHECK_TIMED);
 *     options.tally = tally;                         of check_changes and check_settle
 *     struct check_count count = check_tally_get(tally, explanation->id);
 *
 * A constraint is known by the id that check_plan_each tells (check_explanation). The whens that settle
 * judges count where the check's own do. The second look of `verify` is not counted.
 *
 * Any number of checks may add to one tally while any thread reads it; what is read of several constraints is
 * not of one moment.
 */
#include "check/check.h"

struct check_tally;

enum check_timing { CHECK_UNTIMED, CHECK_TIMED };

struct check_count {
	uint64_t evaluated; /* instances */
	/* Spent in evaluations while timing was on. A `when` that is asked for inside another evaluation
	 * counts for both. */
	uint64_t nanoseconds;
};

/* All zero, and untimed. */
struct check_tally *check_tally_new(const struct check_plan *plan);
void check_tally_free(struct check_tally *tally); /* NULL is allowed */
/* How many constraints there are: ids are below it. */
size_t check_tally_length(const struct check_tally *tally);
/* Needs an id below the length. Any thread. */
struct check_count check_tally_get(const struct check_tally *tally, uint32_t id);
/* Any thread. Cost of timing: two reads of the clock an evaluation. */
void check_tally_set_timing(struct check_tally *tally, enum check_timing timing);
enum check_timing check_tally_timing(const struct check_tally *tally); /* any thread */

/* ---- for the engine ---- */

/* When an evaluation begins: a moment, or 0 where nobody times. NULL is allowed. */
uint64_t check__tally_begin(const struct check_tally *tally);
/* Adds what another tally of the plan has counted. */
void check__tally_add(struct check_tally *tally, const struct check_tally *more);
/* One evaluation of the constraint that began then. NULL is allowed. */
void check__tally_end(struct check_tally *tally, uint32_t id, uint64_t began_ns);
