/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * controller/compare (RFC 9144): running against a candidate in which ten devices differ, whatever N is, so
 * that the cost should be flat; and against one in which all do. Left out where the server has no such
 * operation.
 */
#include "controller.h"
#include "generate.h"
#include "say.h"

#define CHANGED 10
#define COMPARISONS 200
#define ROUNDS 3

static void make_comparison(struct buffer *out, uint64_t i, void *arg)
{
	(void)arg;
	generate_rpc_begin(out, i + 1);
	generate_put(out, "<compare xmlns=\"urn:ietf:params:xml:ns:yang:ietf-nmda-compare\" "
			  "xmlns:ds=\"urn:ietf:params:xml:ns:yang:ietf-datastores\">"
			  "<source>ds:running</source><target>ds:candidate</target></compare>");
	generate_rpc_end(out);
}

/* Says how many edits turn running into the candidate; ST_ABSENT where the server cannot tell. */
static enum status count_edits(struct controller *controller, uint64_t expected)
{
	struct scan counter;
	scan_init(&counter, "</edit-id>");
	struct client_reply reply = {.counter = &counter};
	struct buffer request, framed;
	buffer_init(&request, SIZE_MAX);
	buffer_init(&framed, SIZE_MAX);
	make_comparison(&request, 0, NULL);
	client_frame(controller->client, &framed, buffer_get(&request));
	enum status status = client_call(controller->client, buffer_get(&framed), &reply);
	buffer_fini(&framed);
	buffer_fini(&request);
	if (status == ST_REJECTED) {
		say("controller/compare left out: the server does not compare");
		return ST_ABSENT;
	}
	if (status == ST_OK && counter.count != expected)
		return say_failed("%llu edits instead of %llu", (unsigned long long)counter.count,
				  (unsigned long long)expected);
	return status;
}

static enum status compare_few(struct controller *controller)
{
	struct operation operation = controller->operation;
	operation.scenario = "controller/compare";
	return operation_small(&operation,
			       &(struct operation_small){.make = make_comparison, .count = COMPARISONS});
}

static enum status compare_all(struct controller *controller)
{
	struct operation operation = controller->operation;
	operation.scenario = "controller/compare-all";
	operation.items = controller->operation.n;
	operation.rate = "changed devices a second";
	struct client_reply reply = {0};
	struct buffer request;
	buffer_init(&request, SIZE_MAX);
	make_comparison(&request, 0, NULL);
	enum status status = operation_read(&operation, buffer_get(&request), ROUNDS, &reply);
	buffer_fini(&request);
	return status;
}

/* A target of the user's is left as it was. */
static enum status discard(struct controller *controller)
{
	struct client_reply reply = {0};
	struct buffer request;
	uint64_t elapsed_ns;
	buffer_init(&request, SIZE_MAX);
	generate_rpc_begin(&request, 1);
	generate_put(&request, "<discard-changes/>");
	generate_rpc_end(&request);
	enum status status = run_request(controller->client, buffer_get(&request), &reply, &elapsed_ns);
	buffer_fini(&request);
	return status;
}

/* Two leaves of each device differ, of which the one that says success is the same for even rounds. */
static enum status measure(struct controller *controller)
{
	struct openroadm_range all = controller_devices(controller), changed = all;
	changed.count = changed.count < CHANGED ? changed.count : CHANGED;
	changed.round = 2;
	changed.target = "candidate";
	enum status status = controller_load(controller, OPENROADM_STORE, all);
	if (status == ST_OK)
		status = controller_load(controller, OPENROADM_UPDATE, changed);
	if (status == ST_OK)
		status = count_edits(controller, changed.count);
	if (status == ST_ABSENT)
		return discard(controller);
	if (status == ST_OK)
		status = compare_few(controller);
	changed.count = all.count;
	if (status == ST_OK && !run_interrupted())
		status = controller_load(controller, OPENROADM_UPDATE, changed);
	if (status == ST_OK)
		status = count_edits(controller, all.count);
	if (status == ST_OK)
		status = compare_all(controller);
	return status == ST_OK ? discard(controller) : status;
}

enum status scenario_controller_compare(struct run *run, uint64_t n)
{
	return controller_run(run, n, measure);
}
