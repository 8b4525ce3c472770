/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * boot: from the start of the process until it says that it is ready, with N entries and with none, in turns;
 * against a SAX parse of the same data. The server has ended cleanly before.
 */
#include "generate_vlan.h"
#include "run.h"
#include "say.h"

#define ROUNDS 5

struct boot {
	struct run *run;
	const char *scenario;
	uint64_t n;
	struct bytes document; /* the edit that makes the data */
	const char *counted;   /* what the server then has N times, or that and a few */
};

static void add(const struct boot *boot, const char *metric, double value, const char *floor)
{
	run_add(boot->run, boot->scenario, boot->n, (struct run_metric){metric, "s", floor}, value);
}

static enum status fill(const struct boot *boot, const struct server *server)
{
	struct client *client;
	enum status status = run_connect(boot->run, server, RUN_UNIX, &client);
	if (status != ST_OK)
		return status;
	status = run_edit(server, client, boot->document, NULL);
	client_close(client);
	return status;
}

static enum status verify(const struct boot *boot, const struct server *server)
{
	struct scan counter;
	scan_init(&counter, boot->counted);
	struct client_reply reply = {.counter = &counter};
	struct client *client;
	enum status status = run_connect(boot->run, server, RUN_UNIX, &client);
	if (status != ST_OK)
		return status;
	status = run_get_all(client, &reply);
	client_close(client);
	if (status == ST_OK && counter.count < boot->n)
		return say_failed("the server has %llu of %llu after its start",
				  (unsigned long long)counter.count, (unsigned long long)boot->n);
	return status;
}

/* The pages of a data directory that was just written are in memory, for the full server as for the empty
 * one. */
static enum status boot_once(const struct boot *boot, struct server *full, struct server *empty)
{
	uint64_t full_ns, empty_ns, parse_ns, cpu_ns, full_cpu_ns = 0, empty_cpu_ns = 0;
	enum status status = server_restart(boot->run->home, empty, &empty_ns);
	if (status == ST_OK) {
		empty_cpu_ns = process_cpu_ns(empty->pid);
		status = server_restart(boot->run->home, full, &full_ns);
	}
	if (status == ST_OK) {
		full_cpu_ns = process_cpu_ns(full->pid);
		status = floor_parse(boot->document, &parse_ns, &cpu_ns);
	}
	if (status != ST_OK)
		return status;
	add(boot, "server CPU beyond an empty boot", ((double)full_cpu_ns - (double)empty_cpu_ns) / 1e9,
	    "floor parse, CPU");
	add(boot, "floor parse, CPU", (double)cpu_ns / 1e9, NULL);
	add(boot, "elapsed", (double)full_ns / 1e9, "floor parse");
	add(boot, "elapsed, empty", (double)empty_ns / 1e9, NULL);
	add(boot, "beyond an empty boot", ((double)full_ns - (double)empty_ns) / 1e9, "floor parse");
	add(boot, "floor parse", (double)parse_ns / 1e9, NULL);
	return ST_OK;
}

/* What the data takes in a process that has only read it. */
static enum status add_memory(const struct boot *boot, const struct server *full, const struct server *empty)
{
	struct process_memory with, without;
	enum status status = process_memory_settled(full->pid, &with);
	if (status == ST_OK)
		status = process_memory_settled(empty->pid, &without);
	if (status == ST_OK)
		run_add(boot->run, boot->scenario, boot->n,
			(struct run_metric){"resident an entry", "B", NULL},
			((double)with.resident - (double)without.resident) / (double)boot->n);
	return status;
}

static enum status measure(const struct boot *boot, struct server *full, struct server *empty)
{
	enum status status = fill(boot, full);
	for (unsigned i = 0; i < ROUNDS && status == ST_OK && !run_interrupted(); i++)
		status = boot_once(boot, full, empty);
	if (status == ST_OK && !run_interrupted())
		status = add_memory(boot, full, empty);
	return status == ST_OK ? verify(boot, full) : status;
}

static enum status measure_servers(const struct boot *boot)
{
	struct server *full, *empty;
	enum status status = run_server(boot->run, 0, &full);
	if (status != ST_OK)
		return status;
	status = run_server(boot->run, 0, &empty);
	if (status == ST_OK) {
		status = measure(boot, full, empty);
		server_end(empty);
	}
	server_end(full);
	return status;
}

enum status scenario_boot(struct run *run, uint64_t n)
{
	struct buffer document;
	buffer_init(&document, SIZE_MAX);
	perf_test_edit(&document, 1, PERF_TEST_ENTRIES, (struct perf_test_range){run->options->seed, 1, n});
	struct boot boot = {run, "perf-test/boot", n, buffer_get(&document), "</local-list>"};
	enum status status = measure_servers(&boot);
	buffer_fini(&document);
	return status;
}

enum status scenario_boot_vlan(struct run *run, uint64_t n)
{
	struct buffer document;
	buffer_init(&document, SIZE_MAX);
	vlan_edit(&document, 1, run->options->seed, n);
	struct boot boot = {run, "perf-test/boot-vlan", n, buffer_get(&document), "</interface>"};
	enum status status = measure_servers(&boot);
	buffer_fini(&document);
	return status;
}
