/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * beside-readers: one session writes, an entry a request, while four others read all N entries again and
 * again. A writer should not wait for readers: latencies of the writes, without and with them.
 */
#include "run.h"

#include <pthread.h>
#include <stdatomic.h>

#include "lane.h"
#include "say.h"

#define SCENARIO "perf-test/beside-readers"
#define READERS 4
#define WRITES 1000 /* of either phase */

struct reader {
	struct client *client;
	pthread_t thread;
	atomic_bool *stop;
	uint64_t reads;
	enum status status;
};

static void *read_on(void *arg)
{
	struct reader *reader = arg;
	while (reader->status == ST_OK && !atomic_load(reader->stop)) {
		struct client_reply reply = {0};
		reader->status = run_get_all(reader->client, &reply);
		reader->reads++;
	}
	return NULL;
}

static enum status open_readers(struct run *run, const struct server *server, struct reader *readers,
				atomic_bool *stop)
{
	enum status status = ST_OK;
	for (unsigned i = 0; i < READERS && status == ST_OK; i++) {
		readers[i].stop = stop;
		status = run_connect(run, server, run_default_transport(run), &readers[i].client);
	}
	return status;
}

/* Entries behind the N that the readers read. */
static enum status write_beside(struct run *run, struct lane *lane, uint64_t n, struct reader *readers)
{
	unsigned started = 0;
	while (started < READERS &&
	       pthread_create(&readers[started].thread, NULL, read_on, &readers[started]) == 0)
		started++;
	enum status status = lane_provision(run, lane, n + WRITES + 1, WRITES);
	atomic_store(readers[0].stop, true);
	uint64_t reads = 0;
	for (unsigned i = 0; i < started; i++) {
		pthread_join(readers[i].thread, NULL);
		reads += readers[i].reads;
		status = status == ST_OK ? readers[i].status : status;
	}
	if (started < READERS)
		return say_failed("no threads for the readers");
	run_add(run, SCENARIO, n, (struct run_metric){"reads of everything", "", NULL}, (double)reads);
	return status;
}

static enum status measure(struct run *run, const struct server *server, struct client *client, uint64_t n)
{
	atomic_bool stop = false;
	struct reader readers[READERS] = {0};
	struct lane lane;
	lane_init(&lane, client);
	enum status status = run_load(run, server, client, PERF_TEST_ENTRIES,
				      (struct perf_test_range){.first = 1, .count = n});
	if (status == ST_OK)
		status = open_readers(run, server, readers, &stop);
	if (status == ST_OK)
		status = lane_provision(run, &lane, n + 1, WRITES);
	if (status == ST_OK) {
		run_add_latencies(run, SCENARIO, n, RUN_LATENCY_ALONE, &lane.stats, NULL);
		vector_clear(&lane.stats.samples);
		status = write_beside(run, &lane, n, readers);
	}
	if (status == ST_OK)
		run_add_latencies(run, SCENARIO, n, RUN_LATENCY_PLAIN, &lane.stats, NULL);
	for (unsigned i = 0; i < READERS; i++)
		client_close(readers[i].client);
	lane_fini(&lane);
	return status == ST_OK ? run_verify(client, n + 2 * WRITES, 0) : status;
}

enum status scenario_beside_readers(struct run *run, uint64_t n)
{
	return run_on_server(run, READERS, measure, n);
}
