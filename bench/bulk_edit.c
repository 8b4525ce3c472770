/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A large edit-config, its document made beforehand. In one repetition, in this order: floors, edit over SSH,
 * edit over the UNIX socket, floors; each edit on a server of its own,
 * so that none finds memory that another one has left.
 *
 * The parse floor is what the server cannot do without; "server CPU" over the UNIX socket is what it did,
 * without encryption. Over SSH, client and server work at the same time, so elapsed is held against bulk +
 * parse + sync.
 */
#include "bulk_edit.h"

#include "edit_floor.h"

struct measured {
	struct run *run;
	const struct bulk_edit *edit;
	uint64_t n;
	struct bytes document;
	uint64_t written; /* by the server, of one edit */
};

static void add(const struct measured *measured, const char *metric, const char *unit, double value,
		const char *floor)
{
	struct result_key key = {measured->edit->scenario, measured->n, metric};
	results_add(&measured->run->results, key, unit, value, floor);
}

static void add_cost(const struct measured *measured, enum run_transport transport,
		     const struct run_cost *cost)
{
	double elapsed_s = (double)cost->elapsed_ns / 1e9, cpu_s = (double)cost->cpu_ns / 1e9;
	double n = (double)measured->n;
	if (transport == RUN_SSH) {
		add(measured, "elapsed, SSH", "s", elapsed_s, edit_floor_metric(measured->run));
		add(measured, "elapsed an entry, SSH", "us", elapsed_s * 1e6 / n, NULL);
	} else {
		add(measured, "elapsed, UNIX socket", "s", elapsed_s, "floor parse");
		add(measured, "elapsed an entry, UNIX socket", "us", elapsed_s * 1e6 / n, NULL);
	}
	if (cost->cpu_ns == 0)
		return;
	if (transport == RUN_SSH) {
		add(measured, "server CPU, SSH", "s", cpu_s, "floor parse, CPU");
	} else {
		add(measured, "server CPU, UNIX socket", "s", cpu_s, "floor parse, CPU");
		add(measured, "server CPU an entry, UNIX socket", "us", cpu_s * 1e6 / n, NULL);
	}
}

static enum status edit_once(struct measured *measured, const struct server *server,
			     enum run_transport transport)
{
	struct run *run = measured->run;
	bool needs_entries = measured->edit->needs_entries;
	struct client *client;
	enum status status = run_connect(run, server, transport, &client);
	if (status != ST_OK)
		return status;
	struct run_cost cost;
	if (needs_entries)
		status = run_load(run, server, client, PERF_TEST_ENTRIES,
				  (struct perf_test_range){.first = 1, .count = measured->n});
	if (status == ST_OK)
		status = run_edit(server, client, measured->document, &cost);
	if (status == ST_OK)
		status = run_verify(client, measured->n, needs_entries ? measured->n : 0);
	if (status == ST_OK) {
		measured->written = cost.written;
		add_cost(measured, transport, &cost);
	}
	client_close(client);
	return status;
}

static enum status measure(struct measured *measured, enum run_transport transport)
{
	const struct options *options = measured->run->options;
	if (run_interrupted() || (measured->run->peer != NULL && transport == RUN_UNIX) ||
	    (!options->spawns && transport != run_default_transport(measured->run)))
		return ST_OK;
	struct server *server;
	enum status status = run_server(measured->run, 0, &server);
	if (status != ST_OK)
		return status;
	status = edit_once(measured, server, transport);
	server_end(server);
	return status;
}

enum status bulk_edit_measure(struct run *run, const struct bulk_edit *edit, uint64_t n)
{
	struct buffer document;
	buffer_init(&document, SIZE_MAX);
	perf_test_edit(&document, 1, edit->what, (struct perf_test_range){run->options->seed, 1, n});
	struct measured measured = {run, edit, n, buffer_get(&document), 0};
	struct edit_floor floor = {0};
	enum status status = edit_floor_measure(&floor, run, measured.document);
	if (status == ST_OK)
		status = measure(&measured, RUN_SSH);
	if (status == ST_OK)
		status = measure(&measured, RUN_UNIX);
	if (status == ST_OK)
		status = edit_floor_measure(&floor, run, measured.document);
	if (status == ST_OK)
		status = edit_floor_report(&floor, run, edit->scenario, n, measured.written);
	buffer_fini(&document);
	return status;
}
