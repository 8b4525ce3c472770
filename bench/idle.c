/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * idle: provision on two servers in turns, one of which has 1,000 idle sessions (--idle-sessions). Sessions
 * that do nothing should cost the working one nothing.
 */
#include "idle_sessions.h"
#include "lane.h"

#define SCENARIO "perf-test/idle"
#define IDLE_SESSIONS 1000

struct pair {
	struct server *with, *without;
	struct idle_sessions idle;
	struct client *clients[2]; /* of `with`, `without` */
};

static enum status open_pair(struct run *run, unsigned count, struct pair *pair)
{
	enum status status = run_server(run, count, &pair->with);
	if (status == ST_OK)
		status = run_server(run, 0, &pair->without);
	if (status == ST_OK)
		status = idle_sessions_open(run, pair->with, count, &pair->idle);
	if (status == ST_OK)
		status = run_connect(run, pair->with, run_default_transport(run), &pair->clients[0]);
	if (status == ST_OK)
		status = run_connect(run, pair->without, run_default_transport(run), &pair->clients[1]);
	return status;
}

static void close_pair(struct pair *pair)
{
	client_close(pair->clients[0]);
	client_close(pair->clients[1]);
	idle_sessions_close(&pair->idle);
	server_end(pair->with);
	server_end(pair->without);
}

static void report(struct run *run, uint64_t n, unsigned count, const struct lane lanes[2])
{
	run_add_latencies(run, SCENARIO, n, RUN_LATENCY_PLAIN, &lanes[1].stats, NULL);
	run_add_latencies(run, SCENARIO, n, RUN_LATENCY_IDLE, &lanes[0].stats, "p50");
	results_add(&run->results, (struct result_key){SCENARIO, n, "sessions that are idle"}, "", count,
		    NULL);
}

enum status scenario_idle(struct run *run, uint64_t n)
{
	const struct options *options = run->options;
	unsigned count = options->idle_sessions_given ? options->idle_sessions : IDLE_SESSIONS;
	struct pair pair = {0};
	enum status status = open_pair(run, count, &pair);
	if (status == ST_OK) {
		struct lane lanes[2];
		lane_init(&lanes[0], pair.clients[0]);
		lane_init(&lanes[1], pair.clients[1]);
		status = lanes_provision(run, lanes, 2, n, NULL);
		if (status == ST_OK && !run_interrupted())
			report(run, n, count, lanes);
		lane_fini(&lanes[0]);
		lane_fini(&lanes[1]);
	}
	close_pair(&pair);
	return status;
}
