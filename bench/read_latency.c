/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * read-latency: a session reads one entry by its key every 2 ms while another one restores N entries in one
 * edit.
 *
 * Two figures of the same reads: from sending to the reply ("read during"), and from the moment when the read
 * was due
 * ("from when due"), which also counts the reads that a long one has held up.
 */
#include "run.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "os/clock.h"
#include "say.h"
#include "stats.h"

#define SCENARIO "perf-test/read-latency"
#define PERIOD_NS ((uint64_t)2000000)
#define READS_BEFORE 500

struct reader {
	struct client *client;
	struct buffer framed;
	struct stats reads, due; /* of the phase now */
	atomic_bool stop;
	enum status status;
};

static void sleep_until(uint64_t time_ns)
{
	struct timespec time = {.tv_sec = (time_t)(time_ns / 1000000000),
				.tv_nsec = (long)(time_ns % 1000000000)};
	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL);
}

/* At most `count` reads, or until told to stop. */
static enum status read_periodically(struct reader *reader, uint64_t count)
{
	uint64_t due_ns = os_clock_monotonic_ns();
	for (uint64_t i = 0; i < count && !atomic_load(&reader->stop); i++) {
		sleep_until(due_ns);
		struct client_reply reply = {0};
		uint64_t begin_ns = os_clock_monotonic_ns();
		enum status status = client_call(reader->client, buffer_get(&reader->framed), &reply);
		uint64_t end_ns = os_clock_monotonic_ns();
		if (status != ST_OK)
			return status;
		stats_add(&reader->reads, end_ns - begin_ns);
		stats_add(&reader->due, end_ns - due_ns);
		due_ns += PERIOD_NS;
	}
	return ST_OK;
}

static void *run_reader(void *arg)
{
	struct reader *reader = arg;
	reader->status = read_periodically(reader, UINT64_MAX);
	return NULL;
}

static void forget_reads(struct reader *reader)
{
	vector_clear(&reader->reads.samples);
	vector_clear(&reader->due.samples);
}

static void report(struct run *run, uint64_t n, const struct reader *reader, uint64_t elapsed_ns)
{
	struct results *results = &run->results;
	run_add_latencies(run, SCENARIO, n, RUN_LATENCY_DURING, &reader->reads, NULL);
	struct stats_summary due = stats_summarize(&reader->due);
	results_add(results, (struct result_key){SCENARIO, n, "p99 from when due"}, "us", due.p99 / 1e3,
		    NULL);
	results_add(results, (struct result_key){SCENARIO, n, "max from when due"}, "us", due.max / 1e3,
		    NULL);
	results_add(results, (struct result_key){SCENARIO, n, "reads"}, "", (double)due.count, NULL);
	results_add(results, (struct result_key){SCENARIO, n, "elapsed of the restore"}, "s",
		    (double)elapsed_ns / 1e9, NULL);
}

/* The reader runs from just before the request's first byte to just after the reply's last. */
static enum status restore_beside(struct client *writer, struct reader *reader, struct bytes framed,
				  uint64_t *elapsed_ns)
{
	pthread_t thread;
	forget_reads(reader);
	if (pthread_create(&thread, NULL, run_reader, reader) != 0)
		return say_failed("no thread for the reads");
	struct client_reply reply = {0};
	uint64_t begin_ns = os_clock_monotonic_ns();
	enum status status = client_call(writer, framed, &reply);
	*elapsed_ns = os_clock_monotonic_ns() - begin_ns;
	atomic_store(&reader->stop, true);
	pthread_join(thread, NULL);
	if (status == ST_REJECTED)
		client_say_error(&reply);
	return status == ST_OK ? reader->status : status;
}

static enum status measure_during(struct run *run, struct client *writer, struct reader *reader, uint64_t n)
{
	struct buffer document, framed;
	buffer_init(&document, SIZE_MAX);
	buffer_init(&framed, SIZE_MAX);
	perf_test_edit(&document, 1, PERF_TEST_ENTRIES, (struct perf_test_range){run->options->seed, 1, n});
	client_frame(writer, &framed, buffer_get(&document));
	uint64_t elapsed_ns = 0;
	enum status status = restore_beside(writer, reader, buffer_get(&framed), &elapsed_ns);
	buffer_fini(&framed);
	buffer_fini(&document);
	if (status == ST_OK)
		status = run_verify(writer, n + 1, 0);
	if (status == ST_OK)
		report(run, n, reader, elapsed_ns);
	return status;
}

static enum status measure(struct run *run, const struct server *server, struct client *writer,
			   struct client *client, uint64_t n)
{
	struct reader reader = {.client = client};
	stats_init(&reader.reads);
	stats_init(&reader.due);
	buffer_init(&reader.framed, SIZE_MAX);
	struct buffer request;
	buffer_init(&request, SIZE_MAX);
	perf_test_get_entry(&request, 1, run->options->seed, 0);
	client_frame(client, &reader.framed, buffer_get(&request));
	buffer_fini(&request);
	enum status status =
		run_load(run, server, writer, PERF_TEST_ENTRIES, (struct perf_test_range){.count = 1});
	if (status == ST_OK)
		status = read_periodically(&reader, READS_BEFORE);
	if (status == ST_OK) {
		run_add_latencies(run, SCENARIO, n, RUN_LATENCY_BEFORE, &reader.reads, NULL);
		status = measure_during(run, writer, &reader, n);
	}
	buffer_fini(&reader.framed);
	stats_fini(&reader.due);
	stats_fini(&reader.reads);
	return status;
}

enum status scenario_read_latency(struct run *run, uint64_t n)
{
	struct server *server;
	enum status status = run_server(run, 0, &server);
	if (status != ST_OK)
		return status;
	struct client *writer = NULL, *client = NULL;
	status = run_connect(run, server, run_default_transport(run), &writer);
	if (status == ST_OK)
		status = run_connect(run, server, run_default_transport(run), &client);
	if (status == ST_OK)
		status = measure(run, server, writer, client, n);
	client_close(client);
	client_close(writer);
	server_end(server);
	return status;
}
