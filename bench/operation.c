/* SPDX-License-Identifier: BSD-3-Clause */
/* Documents are made and framed before the clock starts; floors are measured before and after, or in turns.
 */
#include "operation.h"

#include <inttypes.h>

#include "edit_floor.h"
#include "os/clock.h"
#include "small_floor.h"
#include "stats.h"

#define BLOCK 50 /* small requests in a row */

static void add(const struct operation *operation, const char *metric, const char *unit, double value,
		const char *floor)
{
	run_add(operation->run, operation->scenario, operation->n, (struct run_metric){metric, unit, floor},
		value);
}

static void add_rate(const struct operation *operation, double elapsed_s)
{
	if (operation->items > 0 && elapsed_s > 0)
		add(operation, operation->rate, "1/s", (double)operation->items / elapsed_s, NULL);
}

enum status operation_edit(const struct operation *operation, struct bytes document)
{
	struct run *run = operation->run;
	struct edit_floor floor = {0};
	struct run_cost cost;
	enum status status = edit_floor_measure(&floor, run, document);
	if (status == ST_OK)
		status = run_edit(operation->server, operation->client, document, &cost);
	if (status == ST_OK)
		status = edit_floor_measure(&floor, run, document);
	if (status != ST_OK)
		return status;
	double elapsed_s = (double)cost.elapsed_ns / 1e9;
	add(operation, "elapsed", "s", elapsed_s,
	    operation->transport == RUN_SSH ? edit_floor_metric(run) : "floor parse");
	add_rate(operation, elapsed_s);
	add(operation, "request", "MB", (double)document.size / 1e6, NULL);
	add(operation, "written", "MB", (double)cost.written / 1e6, NULL);
	if (cost.cpu_ns > 0)
		add(operation, "server CPU", "s", (double)cost.cpu_ns / 1e9, "floor parse, CPU");
	return edit_floor_report(&floor, run, operation->scenario, operation->n, cost.written);
}

/* Each transport has rows of its own. */
static void add_read(const struct operation *operation, double elapsed_s, double mb, double bulk_s)
{
	if (operation->transport == RUN_UNIX) {
		add(operation, "elapsed, UNIX socket", "s", elapsed_s, NULL);
		add(operation, "rate, UNIX socket", "MB/s", mb / elapsed_s, NULL);
		return;
	}
	add(operation, "elapsed", "s", elapsed_s, "floor bulk");
	add(operation, "floor bulk", "s", bulk_s, NULL);
	add(operation, "rate", "MB/s", mb / elapsed_s, NULL);
	add(operation, "rate over that of bulk", "x", bulk_s / elapsed_s, NULL);
	add(operation, "reply", "MB", mb, NULL);
	add_rate(operation, elapsed_s);
}

enum status operation_read(const struct operation *operation, struct bytes request, unsigned rounds,
			   struct client_reply *reply)
{
	enum status status = ST_OK;
	for (unsigned i = 0; i < rounds && status == ST_OK && !run_interrupted(); i++) {
		pid_t pid = operation->server->pid;
		uint64_t elapsed_ns, bulk_ns = 0, cpu_ns = pid > 0 ? process_cpu_ns(pid) : 0;
		*reply = (struct client_reply){.counter = reply->counter};
		status = run_request(operation->client, request, reply, &elapsed_ns);
		if (status == ST_OK && pid > 0)
			add(operation,
			    operation->transport == RUN_SSH ? "server CPU" : "server CPU, UNIX socket", "s",
			    (double)(process_cpu_settled_ns(pid) - cpu_ns) / 1e9, NULL);
		if (status == ST_OK && operation->transport == RUN_SSH)
			status = floor_bulk_receive(operation->run->echo, reply->wire_size, &bulk_ns);
		if (status == ST_OK)
			add_read(operation, (double)elapsed_ns / 1e9, (double)reply->size / 1e6,
				 (double)bulk_ns / 1e9);
	}
	return status;
}

struct sequence {
	struct stats stats;
	struct small_floor floor;
	struct buffer request, framed;
};

static enum status call_one(const struct operation *operation, const struct operation_small *small,
			    struct sequence *sequence, uint64_t i)
{
	buffer_clear(&sequence->request, SIZE_MAX);
	buffer_clear(&sequence->framed, SIZE_MAX);
	small->make(&sequence->request, i, small->arg);
	client_frame(operation->client, &sequence->framed, buffer_get(&sequence->request));
	struct client_reply reply = {0};
	uint64_t begin_ns = os_clock_monotonic_ns();
	enum status status = client_call(operation->client, buffer_get(&sequence->framed), &reply);
	stats_add(&sequence->stats, os_clock_monotonic_ns() - begin_ns);
	if (status == ST_REJECTED && small->allows_errors)
		status = ST_OK;
	if (status == ST_REJECTED)
		client_say_error(&reply);
	if (status != ST_OK || operation->transport != RUN_SSH ||
	    (i % BLOCK != BLOCK - 1 && i + 1 < small->count))
		return status;
	progress_update(&operation->run->progress, i + 1, small->count);
	return small_floor_block(&sequence->floor, buffer_get(&sequence->framed), reply.wire_size, BLOCK);
}

static void report_small(const struct operation *operation, struct sequence *sequence)
{
	const char *metric;
	struct stats_summary summary = stats_summarize(&sequence->stats);
	small_floor_report(&sequence->floor, operation->scenario, operation->n, &metric);
	run_add_latencies(operation->run, operation->scenario, operation->n, RUN_LATENCY_PLAIN,
			  &sequence->stats, metric);
	add(operation, "elapsed", "s", summary.sum / 1e9, NULL);
	add_rate(operation, summary.sum / 1e9);
}

static enum status call_all(const struct operation *operation, const struct operation_small *small,
			    struct sequence *sequence)
{
	enum status status = small_floor_begin(&sequence->floor, operation->run, small->commits);
	pid_t pid = operation->server->pid;
	uint64_t cpu_ns = pid > 0 ? process_cpu_ns(pid) : 0;
	for (uint64_t i = 0; i < small->count && status == ST_OK && !run_interrupted(); i++)
		status = call_one(operation, small, sequence, i);
	if (pid > 0 && status == ST_OK && !run_interrupted())
		add(operation, "server CPU a request", "us",
		    (double)(process_cpu_settled_ns(pid) - cpu_ns) / 1e3 / (double)small->count, NULL);
	return status;
}

enum status operation_small(const struct operation *operation, const struct operation_small *small)
{
	struct sequence sequence;
	stats_init(&sequence.stats);
	buffer_init(&sequence.request, SIZE_MAX);
	buffer_init(&sequence.framed, SIZE_MAX);
	enum status status = call_all(operation, small, &sequence);
	if (status == ST_OK && !run_interrupted())
		report_small(operation, &sequence);
	buffer_fini(&sequence.framed);
	buffer_fini(&sequence.request);
	small_floor_end(&sequence.floor);
	stats_fini(&sequence.stats);
	return status;
}
