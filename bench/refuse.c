/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * refuse: one member more than max-elements allows, in one edit-config. The answer must be the one that RFC
 * 7950 15.2 names, and the datastore what it was before.
 */
#include "run.h"

#include <string.h>

#include "os/clock.h"
#include "say.h"

#define SCENARIO "perf-test/refuse"

/* Gives the time; fails where the edit is taken or refused for another reason. */
static enum status be_refused(struct run *run, struct client *client, uint64_t n, uint64_t *elapsed_ns)
{
	struct buffer document, framed;
	buffer_init(&document, SIZE_MAX);
	buffer_init(&framed, SIZE_MAX);
	perf_test_edit(&document, 1, PERF_TEST_MEMBERS, (struct perf_test_range){run->options->seed, 1, n});
	client_frame(client, &framed, buffer_get(&document));
	struct client_reply reply = {0};
	uint64_t begin_ns = os_clock_monotonic_ns();
	enum status status = client_call(client, buffer_get(&framed), &reply);
	*elapsed_ns = os_clock_monotonic_ns() - begin_ns;
	buffer_fini(&framed);
	buffer_fini(&document);
	if (status == ST_REJECTED) {
		if (memmem(reply.head, reply.head_size, "too-many-elements", 17) != NULL)
			return ST_OK;
		client_say_error(&reply);
		return say_failed("the edit is not refused with too-many-elements");
	}
	return status == ST_OK ? say_failed("the edit is not refused") : status;
}

static enum status measure(struct run *run, const struct server *server, struct client *client, uint64_t n)
{
	struct client_reply before = {0}, after = {0};
	uint64_t elapsed_ns;
	enum status status = run_load(run, server, client, PERF_TEST_ENTRIES,
				      (struct perf_test_range){.first = 1, .count = n});
	if (status == ST_OK)
		status = run_get_all(client, &before);
	if (status == ST_OK)
		status = be_refused(run, client, n, &elapsed_ns);
	if (status == ST_OK)
		status = run_get_all(client, &after);
	if (status == ST_OK)
		status = run_verify(client, n, 0);
	if (status == ST_OK && before.size != after.size)
		status = say_failed("the datastore has changed");
	if (status != ST_OK)
		return status;
	struct result_key key = {SCENARIO, n, "elapsed until too-many-elements"};
	results_add(&run->results, key, "s", (double)elapsed_ns / 1e9, NULL);
	key.metric = "bytes of the datastore that changed";
	results_add(&run->results, key, "", 0, NULL);
	return ST_OK;
}

enum status scenario_refuse(struct run *run, uint64_t n)
{
	return run_on_server(run, 0, measure, n);
}
