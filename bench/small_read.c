/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads that should cost what the session costs, whatever the datastore holds:
 *
 *     read-key     get-config of one entry of N, by its key
 *     keepalive    get with an empty filter, as controllers send it to see whether the session lives
 */
#include "operation.h"

#define READS 3000

struct keys {
	uint64_t seed, n;
};

static void make_read(struct buffer *out, uint64_t i, void *arg)
{
	const struct keys *keys = arg;
	perf_test_get_entry(out, i + 1, keys->seed, 1 + i * 2654435761u % keys->n);
}

static void make_keepalive(struct buffer *out, uint64_t i, void *arg)
{
	(void)arg;
	(void)!buffer_printf(
		out,
		"<rpc xmlns=\"urn:ietf:params:xml:ns:netconf:base:1.0\" message-id=\"%07u\"><get>"
		"<filter/></get></rpc>",
		(unsigned)i + 1);
}

static enum status measure(struct run *run, const char *scenario, uint64_t n, operation_make_fn *make)
{
	struct server *server = NULL;
	struct client *client = NULL;
	enum run_transport transport = run_default_transport(run);
	enum status status = run_server(run, 1, &server);
	if (status == ST_OK)
		status = run_connect(run, server, transport, &client);
	if (status == ST_OK)
		status = run_load(run, server, client, PERF_TEST_ENTRIES,
				  (struct perf_test_range){.first = 1, .count = n});
	if (status == ST_OK) {
		struct keys keys = {run->options->seed, n};
		struct operation operation = {run,	server, client, transport,
					      scenario, n,	READS,	"reads a second"};
		status = operation_small(
			&operation, &(struct operation_small){.make = make, .arg = &keys, .count = READS});
	}
	client_close(client);
	server_end(server);
	return status;
}

enum status scenario_read_key(struct run *run, uint64_t n)
{
	return measure(run, "perf-test/read-key", n, make_read);
}

enum status scenario_keepalive(struct run *run, uint64_t n)
{
	return measure(run, "perf-test/keepalive", n, make_keepalive);
}
