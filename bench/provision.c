/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * provision: N transactions of one entry each, one request at a time, interleaved with ssh-echo. The question
 * is whether the last entry costs what the first one did, and how much more than the round trip alone.
 */
#include "idle_sessions.h"
#include "lane.h"

#define SCENARIO "perf-test/provision"

static void add(struct run *run, uint64_t n, const char *metric, const char *unit, double value)
{
	results_add(&run->results, (struct result_key){SCENARIO, n, metric}, unit, value, NULL);
}

static double ratio(double value, double of)
{
	return of > 0 ? value / of : 0;
}

static void report(struct run *run, uint64_t n, const struct stats *stats, struct small_floor *floor)
{
	const char *metric;
	small_floor_report(floor, SCENARIO, n, &metric);
	struct stats_summary summary = stats_summarize(stats), echo = stats_summarize(&floor->echo);
	add(run, n, "elapsed", "s", summary.sum / 1e9);
	run_add_latencies(run, SCENARIO, n, RUN_LATENCY_PLAIN, stats, metric);
	add(run, n, "mean of the first 1000", "us", summary.first / 1e3);
	add(run, n, "mean of the last 1000", "us", summary.last / 1e3);
	add(run, n, "last 1000 over first 1000", "x", ratio(summary.last, summary.first));
	if (metric != NULL)
		add(run, n, "ssh-echo last 1000 over first 1000", "x", ratio(echo.last, echo.first));
}

static enum status measure(struct run *run, const struct server *server, struct client *client, uint64_t n)
{
	bool has_floor = run_default_transport(run) == RUN_SSH;
	struct lane lane;
	struct small_floor floor;
	lane_init(&lane, client);
	uint64_t cpu_ns = server->pid > 0 ? process_cpu_ns(server->pid) : 0;
	enum status status = small_floor_begin(&floor, run, true);
	if (status == ST_OK)
		status = lanes_provision(run, &lane, 1, n, has_floor ? &floor : NULL);
	if (server->pid > 0 && status == ST_OK && !run_interrupted())
		add(run, n, "server CPU a request", "us",
		    (double)(process_cpu_settled_ns(server->pid) - cpu_ns) / 1e3 / (double)n);
	if (status == ST_OK && !run_interrupted())
		status = run_verify(client, n, 0);
	if (status == ST_OK && !run_interrupted())
		report(run, n, &lane.stats, &floor);
	small_floor_end(&floor);
	lane_fini(&lane);
	return status;
}

enum status scenario_provision(struct run *run, uint64_t n)
{
	struct server *server;
	unsigned idle_count = run->options->idle_sessions;
	enum status status = run_server(run, idle_count, &server);
	if (status != ST_OK)
		return status;
	struct idle_sessions idle = {0};
	struct client *client = NULL;
	if (idle_count > 0)
		status = idle_sessions_open(run, server, idle_count, &idle);
	if (status == ST_OK)
		status = run_connect(run, server, run_default_transport(run), &client);
	if (status == ST_OK)
		status = measure(run, server, client, n);
	client_close(client);
	idle_sessions_close(&idle);
	server_end(server);
	return status;
}
