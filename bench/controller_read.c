/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * controller/read: all devices, over SSH and over the UNIX socket; the top node alone (get-data with
 * max-depth 1); a subtree filter with an entry for each of up to 1,000 devices; devices that are not there.
 */
#include "controller.h"
#include "generate.h"

#define ROUNDS 3
#define TOP_READS 200
#define FILTER_ENTRIES 1000
#define MISSING_READS 500

static void make_get_data(struct buffer *out, unsigned max_depth)
{
	generate_rpc_begin(out, 1);
	generate_put(out, "<get-data xmlns=\"urn:ietf:params:xml:ns:yang:ietf-netconf-nmda\" "
			  "xmlns:ds=\"urn:ietf:params:xml:ns:yang:ietf-datastores\">"
			  "<datastore>ds:running</datastore><subtree-filter>"
			  "<openroadm-devices xmlns=\"" OPENROADM_NS "\"/></subtree-filter>");
	if (max_depth > 0)
		generate_printf(out, "<max-depth>%u</max-depth>", max_depth);
	generate_put(out, "</get-data>");
	generate_rpc_end(out);
}

static void make_top(struct buffer *out, uint64_t i, void *arg)
{
	(void)i;
	(void)arg;
	make_get_data(out, 1);
}

static void make_missing(struct buffer *out, uint64_t i, void *arg)
{
	const uint64_t *n = arg;
	openroadm_get_devices(out, i + 1, (struct openroadm_range){.first = *n + 1 + i, .count = 1});
}

static enum status read_all(struct controller *controller, enum run_transport transport)
{
	struct operation operation = controller->operation;
	struct run *run = operation.run;
	if (!run->options->spawns && transport != operation.transport)
		return ST_OK;
	operation.scenario = "controller/read";
	operation.items = openroadm_nodes(controller_devices(controller));
	operation.transport = transport;
	struct buffer request;
	buffer_init(&request, SIZE_MAX);
	make_get_data(&request, 0);
	struct client_reply reply = {0};
	struct client *client;
	enum status status = run_connect(run, controller->server, transport, &client);
	if (status == ST_OK) {
		operation.client = client;
		status = operation_read(&operation, buffer_get(&request), ROUNDS, &reply);
		client_close(client);
	}
	buffer_fini(&request);
	return status;
}

static enum status read_filtered(struct controller *controller)
{
	struct operation operation = controller->operation;
	struct openroadm_range range = controller_devices(controller);
	range.count = range.count < FILTER_ENTRIES ? range.count : FILTER_ENTRIES;
	range.step = controller->operation.n / range.count;
	operation.scenario = "controller/read-filter";
	operation.items = openroadm_nodes(range);
	struct buffer request;
	buffer_init(&request, SIZE_MAX);
	openroadm_get_devices(&request, 1, range);
	struct client_reply reply = {0};
	enum status status = operation_read(&operation, buffer_get(&request), ROUNDS, &reply);
	buffer_fini(&request);
	return status;
}

static enum status measure(struct controller *controller)
{
	struct operation small = controller->operation;
	struct operation_small top = {make_top, NULL, TOP_READS, false, false};
	struct operation_small missing = {make_missing, &small.n, MISSING_READS, false, false};
	enum status status = controller_load(controller, OPENROADM_STORE, controller_devices(controller));
	if (status == ST_OK)
		status = read_all(controller, RUN_SSH);
	if (status == ST_OK)
		status = read_all(controller, RUN_UNIX);
	if (status == ST_OK)
		status = read_filtered(controller);
	small.scenario = "controller/read-top";
	if (status == ST_OK)
		status = operation_small(&small, &top);
	small.scenario = "controller/read-missing";
	return status == ST_OK ? operation_small(&small, &missing) : status;
}

enum status scenario_controller_read(struct run *run, uint64_t n)
{
	return controller_run(run, n, measure);
}
