/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ready, replay, snapshot: what a data directory of N entries costs. Ready again from a snapshot, or from N
 * small commits without one, against a SAX pass over the same data as XML before and after it; and commits
 * while a snapshot is written against the same commits without.
 */
#include "creations.h"
#include "stats.h"

#include <stdio.h>

#include "os/clock.h"
#include "say.h"

#define LOOK_EVERY 50 /* commits: at the server's log */

static const char *const no_snapshots[] = {"--snapshot-growth", "1000000000000", NULL};
static const char *const small_growth[] = {"--snapshot-growth", "100000", NULL};

static enum status parse_pass(struct run *run, const char *scenario, uint64_t n)
{
	struct buffer document;
	uint64_t elapsed_ns, cpu_ns;
	buffer_init(&document, SIZE_MAX);
	perf_test_edit(&document, 1, PERF_TEST_ENTRIES, (struct perf_test_range){run->options->seed, 1, n});
	enum status status = floor_parse(buffer_get(&document), &elapsed_ns, &cpu_ns);
	if (status == ST_OK)
		results_add(&run->results, (struct result_key){scenario, n, "parse"}, "s",
			    (double)elapsed_ns / 1e9, NULL);
	buffer_fini(&document);
	return status;
}

/* From the start of the process to its line that says so; then what it has is counted. */
static enum status start_again(struct run *run, const char *scenario, uint64_t n, struct server *server)
{
	uint64_t elapsed_ns;
	struct client *client = NULL;
	enum status status = parse_pass(run, scenario, n);
	if (status == ST_OK)
		status = server_restart(run->home, server, &elapsed_ns);
	if (status != ST_OK)
		return status;
	results_add(&run->results, (struct result_key){scenario, n, "start to ready"}, "s",
		    (double)elapsed_ns / 1e9, "parse");
	status = parse_pass(run, scenario, n);
	if (status == ST_OK)
		status = run_connect(run, server, RUN_UNIX, &client);
	if (status == ST_OK)
		status = run_verify(client, n, 0);
	client_close(client);
	return status;
}

static enum status load(struct run *run, const struct server *server, struct client **client, uint64_t n)
{
	enum status status = run_connect(run, server, RUN_UNIX, client);
	if (status == ST_OK)
		status = run_load(run, server, *client, PERF_TEST_ENTRIES,
				  (struct perf_test_range){.first = 1, .count = n});
	return status;
}

enum status scenario_ready(struct run *run, uint64_t n)
{
	struct server_settings settings = run_settings(run, 1);
	settings.more = small_growth;
	struct server *server;
	struct client *client = NULL;
	enum status status = server_start(run->home, &settings, &server);
	if (status != ST_OK)
		return status;
	status = load(run, server, &client, n);
	if (status == ST_OK && !server_await_log(server, "snapshot of version 2"))
		status = say_failed("the server has made no snapshot");
	client_close(client);
	if (status == ST_OK)
		status = start_again(run, "perf-test/ready", n, server);
	server_end(server);
	return status;
}

enum status scenario_replay(struct run *run, uint64_t n)
{
	struct server_settings settings = run_settings(run, 1);
	settings.durability = "none"; /* the records are the same */
	settings.more = no_snapshots;
	struct server *server;
	struct creations creations = {0};
	uint64_t elapsed_ns = 0;
	enum status status = server_start(run->home, &settings, &server);
	if (status != ST_OK)
		return status;
	status = creations_open(&creations, run, server, (struct crowd_shape){1, 64});
	if (status == ST_OK)
		status = creations_run(&creations, n, &elapsed_ns);
	creations_close(&creations);
	if (status == ST_OK)
		status = start_again(run, "perf-test/replay", n, server);
	server_end(server);
	return status;
}

/* One session that creates entries one at a time. */
struct single {
	struct run *run;
	struct client *client;
	struct buffer request, framed;
	uint64_t next;
};

static enum status commit(struct single *single, struct stats *stats)
{
	struct client_reply reply = {0};
	buffer_clear(&single->request, SIZE_MAX);
	buffer_clear(&single->framed, SIZE_MAX);
	perf_test_edit(&single->request, single->next, PERF_TEST_ENTRIES,
		       (struct perf_test_range){single->run->options->seed, single->next, 1});
	client_frame(single->client, &single->framed, buffer_get(&single->request));
	single->next++;
	uint64_t begin_ns = os_clock_monotonic_ns();
	enum status status = client_call(single->client, buffer_get(&single->framed), &reply);
	stats_add(stats, os_clock_monotonic_ns() - begin_ns);
	return status;
}

/* The snapshot begins when the server does. */
static enum status measure_beside(struct single *single, const struct server *server, uint64_t n)
{
	struct stats beside, without;
	stats_init(&beside);
	stats_init(&without);
	enum status status = ST_OK;
	uint64_t count = 0;
	for (bool going = true; going && status == ST_OK && !run_interrupted(); count++) {
		status = commit(single, &beside);
		going = count % LOOK_EVERY != 0 || !server_has_logged(server, "snapshot of version");
	}
	for (uint64_t i = 0; i < count && status == ST_OK && !run_interrupted(); i++)
		status = commit(single, &without);
	if (status == ST_OK && !run_interrupted()) {
		results_add(&single->run->results,
			    (struct result_key){"perf-test/snapshot", n, "commits beside it"}, "",
			    (double)count, NULL);
		run_add_latencies(single->run, "perf-test/snapshot", n, RUN_LATENCY_PLAIN, &without, NULL);
		run_add_latencies(single->run, "perf-test/snapshot", n, RUN_LATENCY_SNAPSHOT, &beside, NULL);
		results_add(&single->run->results,
			    (struct result_key){"perf-test/snapshot", n, "p99 beside it"}, "us",
			    stats_summarize(&beside).p99 / 1e3, "p99");
	}
	stats_fini(&beside);
	stats_fini(&without);
	return status;
}

enum status scenario_snapshot(struct run *run, uint64_t n)
{
	struct server_settings settings = run_settings(run, 1);
	settings.more = no_snapshots;
	struct server *server;
	struct single single = {.run = run, .next = n + 1};
	uint64_t elapsed_ns;
	enum status status = server_start(run->home, &settings, &server);
	if (status != ST_OK)
		return status;
	buffer_init(&single.request, SIZE_MAX);
	buffer_init(&single.framed, SIZE_MAX);
	status = load(run, server, &single.client, n);
	client_close(single.client);
	single.client = NULL;
	server->settings.more = small_growth;
	if (status == ST_OK)
		status = server_restart(run->home, server, &elapsed_ns);
	if (status == ST_OK)
		status = run_connect(run, server, RUN_UNIX, &single.client);
	if (status == ST_OK)
		status = measure_beside(&single, server, n);
	client_close(single.client);
	buffer_fini(&single.request);
	buffer_fini(&single.framed);
	server_end(server);
	return status;
}
