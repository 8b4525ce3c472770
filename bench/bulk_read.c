/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * bulk-read: get-config of N entries, as fast as the client can and then to a client that reads slowly: how
 * fast, and how much the server's memory rises. It should not depend on N: replies are streamed.
 */
#include "run.h"

#include <unistd.h>

#include "os/clock.h"

#define SCENARIO "perf-test/bulk-read"
#define TIMED_ROUNDS 3
#define MIB (1024.0 * 1024.0)
#define PAUSE_US 1000000	       /* of the slow reader before the first byte */
#define SLOW_STEP_US 10000	       /* and between reads, */
#define SLOW_NS ((uint64_t)4000000000) /* for so long */

static void add(struct run *run, uint64_t n, const char *metric, const char *unit, double value,
		const char *floor)
{
	results_add(&run->results, (struct result_key){SCENARIO, n, metric}, unit, value, floor);
}

struct slow_reader {
	uint64_t begin_ns; /* 0: not begun */
};

static void be_slow(void *arg, uint64_t size)
{
	struct slow_reader *reader = arg;
	(void)size;
	uint64_t now_ns = os_clock_monotonic_ns();
	if (reader->begin_ns == 0) {
		reader->begin_ns = now_ns;
		usleep(PAUSE_US);
	} else if (now_ns - reader->begin_ns < SLOW_NS) {
		usleep(SLOW_STEP_US);
	}
}

/* Reads all; gives by how much the server's peak rose meanwhile, 0 where it is not ours. */
static enum status read_watched(const struct server *server, struct client *client,
				struct client_reply *reply, double *rise)
{
	struct process_memory before = {0}, after = {0};
	bool watched = server->pid > 0 && process_peak_reset(server->pid) &&
		       process_memory_settled(server->pid, &before) == ST_OK &&
		       process_peak_reset(server->pid);
	enum status status = run_get_all(client, reply);
	if (watched && status == ST_OK)
		status = process_memory_get(server->pid, &after);
	*rise = after.peak > before.resident ? (double)(after.peak - before.resident) : 0;
	return status;
}

/* In turns with its floor. */
static enum status read_timed(struct run *run, struct client *client, uint64_t n)
{
	bool has_floor = run_default_transport(run) == RUN_SSH;
	struct client_reply reply = {0};
	uint64_t bulk_ns = 0, begin_ns = os_clock_monotonic_ns();
	enum status status = run_get_all(client, &reply);
	double elapsed_s = (double)(os_clock_monotonic_ns() - begin_ns) / 1e9;
	if (status == ST_OK && has_floor)
		status = floor_bulk_receive(run->echo, reply.wire_size, &bulk_ns);
	if (status != ST_OK)
		return status;
	if (has_floor)
		add(run, n, "floor bulk", "s", (double)bulk_ns / 1e9, NULL);
	add(run, n, "elapsed", "s", elapsed_s, has_floor ? "floor bulk" : NULL);
	add(run, n, "size", "MB", (double)reply.size / 1e6, NULL);
	add(run, n, "rate", "MB/s", (double)reply.size / 1e6 / elapsed_s, NULL);
	return ST_OK;
}

static enum status read_fast(struct run *run, const struct server *server, struct client *client, uint64_t n)
{
	struct client_reply reply = {0};
	double rise;
	enum status status = read_watched(server, client, &reply, &rise);
	if (status != ST_OK)
		return status;
	if (server->pid > 0)
		add(run, n, "peak rise", "MiB", rise / MIB, NULL);
	for (unsigned i = 0; i < TIMED_ROUNDS && status == ST_OK; i++)
		status = read_timed(run, client, n);
	return status;
}

static enum status read_slowly(struct run *run, const struct server *server, struct client *client,
			       uint64_t n)
{
	struct slow_reader reader = {0};
	struct client_reply reply = {.pace = be_slow, .pace_arg = &reader};
	double rise;
	enum status status = read_watched(server, client, &reply, &rise);
	if (status == ST_OK && server->pid > 0)
		add(run, n, "peak rise, slow reader", "MiB", rise / MIB, NULL);
	return status;
}

enum status scenario_bulk_read(struct run *run, uint64_t n)
{
	struct server *server;
	enum status status = run_server(run, 0, &server);
	if (status != ST_OK)
		return status;
	struct client *client = NULL;
	status = run_connect(run, server, run_default_transport(run), &client);
	if (status == ST_OK)
		status = run_load(run, server, client, PERF_TEST_ENTRIES,
				  (struct perf_test_range){.first = 1, .count = n});
	if (status == ST_OK)
		status = read_fast(run, server, client, n);
	if (status == ST_OK)
		status = read_slowly(run, server, client, n);
	client_close(client);
	server_end(server);
	return status;
}
