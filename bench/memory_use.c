/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * memory: what N entries take in the server, and the peak while one edit-config brings them. From the
 * resident set, so with all that the allocator holds, minus that of the empty server with one session.
 */
#include "run.h"

#define SCENARIO "perf-test/memory"

static void add(struct run *run, uint64_t n, const char *metric, const char *unit, double value)
{
	results_add(&run->results, (struct result_key){SCENARIO, n, metric}, unit, value, NULL);
}

static void report(struct run *run, uint64_t n, uint64_t empty, const struct process_memory *peak,
		   const struct process_memory *full)
{
	double mib = 1024 * 1024, count = (double)n, base = (double)empty;
	add(run, n, "resident, empty", "MiB", base / mib);
	add(run, n, "resident", "MiB", (double)full->resident / mib);
	add(run, n, "peak", "MiB", (double)peak->peak / mib);
	add(run, n, "resident an entry", "B", ((double)full->resident - base) / count);
	add(run, n, "peak an entry", "B", ((double)peak->peak - base) / count);
}

static enum status measure(struct run *run, const struct server *server, struct client *client, uint64_t n)
{
	struct process_memory empty, peak, full;
	enum status status = process_memory_settled(server->pid, &empty);
	if (status == ST_OK)
		status = run_load(run, server, client, PERF_TEST_ENTRIES,
				  (struct perf_test_range){.first = 1, .count = n});
	if (status == ST_OK)
		status = process_memory_get(server->pid, &peak);
	if (status == ST_OK)
		status = process_memory_settled(server->pid, &full);
	if (status == ST_OK)
		status = run_verify(client, n, 0);
	if (status == ST_OK)
		report(run, n, empty.resident, &peak, &full);
	return status;
}

enum status scenario_memory(struct run *run, uint64_t n)
{
	return run_on_server(run, 0, measure, n);
}
