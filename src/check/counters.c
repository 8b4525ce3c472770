/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A tally is a table of two numbers a constraint. An evaluation adds to them at once with relaxed atomics:
 * some nanoseconds beside the fraction of a microsecond that the cheapest evaluation takes, and no table a
 * check to be cleared and summed up, which would cost each small commit as much as the schema is large.
 */
#include "check/counters.h"

#include <stdatomic.h>

#include "base/assert.h"
#include "base/memory.h"
#include "check/plan.h"
#include "os/clock.h"

struct cell {
	_Atomic uint64_t evaluated, nanoseconds;
};

struct check_tally {
	_Atomic int timing; /* enum check_timing */
	size_t length;
	struct cell cells[]; /* by constraint id */
};

struct check_tally *check_tally_new(const struct check_plan *plan)
{
	size_t length = plan->constraints.length;
	struct check_tally *tally = memory_zalloc(sizeof(*tally) + length * sizeof(struct cell));
	tally->length = length;
	return tally;
}

void check_tally_free(struct check_tally *tally)
{
	memory_free(tally);
}

size_t check_tally_length(const struct check_tally *tally)
{
	return tally->length;
}

struct check_count check_tally_get(const struct check_tally *tally, uint32_t id)
{
	ASSERT(id < tally->length);
	const struct cell *cell = &tally->cells[id];
	return (struct check_count){atomic_load_explicit(&cell->evaluated, memory_order_relaxed),
				    atomic_load_explicit(&cell->nanoseconds, memory_order_relaxed)};
}

void check_tally_set_timing(struct check_tally *tally, enum check_timing timing)
{
	atomic_store_explicit(&tally->timing, (int)timing, memory_order_relaxed);
}

enum check_timing check_tally_timing(const struct check_tally *tally)
{
	return (enum check_timing)atomic_load_explicit(&tally->timing, memory_order_relaxed);
}

uint64_t check__tally_begin(const struct check_tally *tally)
{
	return tally && check_tally_timing(tally) == CHECK_TIMED ? os_clock_monotonic_ns() : 0;
}

void check__tally_end(struct check_tally *tally, uint32_t id, uint64_t began_ns)
{
	if (!tally)
		return;
	ASSERT(id < tally->length);
	struct cell *cell = &tally->cells[id];
	atomic_fetch_add_explicit(&cell->evaluated, 1, memory_order_relaxed);
	if (began_ns != 0)
		atomic_fetch_add_explicit(&cell->nanoseconds, os_clock_monotonic_ns() - began_ns,
					  memory_order_relaxed);
}

void check__tally_add(struct check_tally *tally, const struct check_tally *more)
{
	ASSERT(tally->length == more->length);
	for (size_t i = 0; i < tally->length; i++) {
		struct check_count count = check_tally_get(more, (uint32_t)i);
		if (count.evaluated == 0)
			continue;
		struct cell *cell = &tally->cells[i];
		atomic_fetch_add_explicit(&cell->evaluated, count.evaluated, memory_order_relaxed);
		atomic_fetch_add_explicit(&cell->nanoseconds, count.nanoseconds, memory_order_relaxed);
	}
}
