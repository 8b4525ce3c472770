/* SPDX-License-Identifier: BSD-3-Clause */
/* Servers of the controller suite, and edits of devices on them. */
#include "controller.h"

#include "say.h"

enum status controller_run(struct run *run, uint64_t n, enum status (*measure)(struct controller *controller))
{
	struct controller controller = {.operation = {.run = run, .n = n, .rate = "nodes a second"}};
	struct operation *operation = &controller.operation;
	enum status status = run_server(run, 0, &controller.server);
	if (status != ST_OK)
		return status;
	operation->transport = run_default_transport(run);
	operation->server = controller.server;
	status = run_connect(run, controller.server, operation->transport, &controller.client);
	operation->client = controller.client;
	if (status == ST_OK)
		status = measure(&controller);
	client_close(controller.client);
	server_end(controller.server);
	return status;
}

struct openroadm_range controller_devices(const struct controller *controller)
{
	return (struct openroadm_range){.first = 1, .count = controller->operation.n};
}

enum status controller_load(struct controller *controller, enum openroadm_what what,
			    struct openroadm_range range)
{
	struct buffer document;
	buffer_init(&document, SIZE_MAX);
	openroadm_edit(&document, 1, what, range);
	enum status status = run_edit(controller->server, controller->client, buffer_get(&document), NULL);
	buffer_fini(&document);
	return status;
}

enum status controller_edit(struct controller *controller, const char *scenario, enum openroadm_what what,
			    struct openroadm_range range)
{
	struct operation operation = controller->operation;
	struct buffer document;
	if (run_interrupted())
		return ST_OK;
	buffer_init(&document, SIZE_MAX);
	openroadm_edit(&document, 1, what, range);
	operation.scenario = scenario;
	operation.items = openroadm_nodes(range);
	enum status status = operation_edit(&operation, buffer_get(&document));
	buffer_fini(&document);
	return status;
}

enum status controller_verify(struct controller *controller, uint64_t devices)
{
	struct scan counter;
	scan_init(&counter, "</device-id>");
	struct client_reply reply = {.counter = &counter};
	enum status status = run_get_all(controller->client, &reply);
	if (status == ST_OK && counter.count != devices)
		return say_failed("the server has %llu devices instead of %llu",
				  (unsigned long long)counter.count, (unsigned long long)devices);
	return status;
}

static double last_elapsed(const struct controller *controller, const char *scenario)
{
	const struct operation *operation = &controller->operation;
	const struct result_row *row = results_find(&operation->run->results,
						    (struct result_key){scenario, operation->n, "elapsed"});
	return row != NULL ? *(double *)vector_at(&row->samples, row->samples.length - 1) : 0;
}

void controller_compare(struct controller *controller, const char *scenario, const char *other,
			const char *metric)
{
	double value = last_elapsed(controller, scenario), base = last_elapsed(controller, other);
	if (value > 0 && base > 0)
		run_add(controller->operation.run, scenario, controller->operation.n,
			(struct run_metric){metric, "x", NULL}, value / base);
}
