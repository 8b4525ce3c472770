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

static enum status report(struct run *run, uint64_t n, const struct stats *stats, const struct stats *echo)
{
	const char *floor = NULL;
	enum status status = echo != NULL ? run_add_echo_floor(run, SCENARIO, n, echo, &floor) : ST_OK;
	struct stats_summary summary = stats_summarize(stats);
	add(run, n, "elapsed", "s", summary.sum / 1e9);
	run_add_latencies(run, SCENARIO, n, RUN_LATENCY_PLAIN, stats, floor);
	add(run, n, "mean of the first 1000", "us", summary.first / 1e3);
	add(run, n, "mean of the last 1000", "us", summary.last / 1e3);
	add(run, n, "last 1000 over first 1000", "x", ratio(summary.last, summary.first));
	if (echo != NULL) {
		struct stats_summary floor_summary = stats_summarize(echo);
		add(run, n, "ssh-echo last 1000 over first 1000", "x",
		    ratio(floor_summary.last, floor_summary.first));
	}
	return status;
}

static enum status measure(struct run *run, const struct server *server, struct client *client, uint64_t n)
{
	bool has_echo = run_default_transport(run) == RUN_SSH;
	struct lane lane;
	struct stats echo;
	lane_init(&lane, client);
	stats_init(&echo);
	uint64_t cpu_ns = server->pid > 0 ? process_cpu_ns(server->pid) : 0;
	enum status status = lanes_provision(run, &lane, 1, n, has_echo ? &echo : NULL);
	if (server->pid > 0 && status == ST_OK)
		add(run, n, "server CPU a request", "us",
		    (double)(process_cpu_settled_ns(server->pid) - cpu_ns) / 1e3 / (double)n);
	if (status == ST_OK && !run_interrupted())
		status = run_verify(client, n, 0);
	if (status == ST_OK && !run_interrupted())
		status = report(run, n, &lane.stats, has_echo ? &echo : NULL);
	stats_fini(&echo);
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
