/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * controller/query: XPath filters over all devices, of which one in a hundred has other values: by a leaf's
 * value, by the ancestor of such a leaf, and with `//`. Held against a SAX parse of what is searched.
 */
#include "controller.h"
#include "generate.h"
#include "say.h"

#define ROUNDS 3
#define STEP 100
#define DEVICES "/d:openroadm-devices/d:openroadm-device"
#define VALUE "d:max-wavelengths='127'"

static const struct query {
	const char *scenario, *xpath, *counted;
} queries[] = {
	{"controller/query-leaf", DEVICES "[d:ne-state='jeopardy']", "</device-id>"},
	{"controller/query-deep-leaf", DEVICES "/d:org-openroadm-device/d:degree[" VALUE "]", "</device-id>"},
	{"controller/query-ancestor",
	 DEVICES "/d:org-openroadm-device/d:degree[" VALUE "]/ancestor::d:openroadm-device", "</device-id>"},
	{"controller/query-anywhere", "//d:degree[" VALUE "]", "</device-id>"},
};

/* The first round may build what the others use, so that it has a row of its own. */
static enum status ask(struct controller *controller, const struct query *query, struct bytes stored)
{
	struct run *run = controller->operation.run;
	uint64_t n = controller->operation.n;
	struct buffer request;
	struct scan counter;
	buffer_init(&request, SIZE_MAX);
	generate_get_xpath(&request, 1, OPENROADM_NAMESPACES, query->xpath);
	enum status status = ST_OK;
	for (unsigned i = 0; i <= ROUNDS && status == ST_OK && !run_interrupted(); i++) {
		uint64_t elapsed_ns, parse_ns, cpu_ns;
		scan_init(&counter, query->counted);
		struct client_reply reply = {.counter = &counter};
		status = run_request(controller->client, buffer_get(&request), &reply, &elapsed_ns);
		if (status == ST_OK && counter.count != (n + STEP - 1) / STEP)
			status = say_failed("%s found %llu devices", query->xpath,
					    (unsigned long long)counter.count);
		if (status == ST_OK)
			status = floor_parse(stored, &parse_ns, &cpu_ns);
		if (status != ST_OK)
			break;
		run_add(run, query->scenario, n, (struct run_metric){"floor parse", "s", NULL},
			(double)parse_ns / 1e9);
		run_add(run, query->scenario, n,
			(struct run_metric){i == 0 ? "elapsed, first" : "elapsed", "s", "floor parse"},
			(double)elapsed_ns / 1e9);
	}
	buffer_fini(&request);
	return status;
}

static enum status ask_all(struct controller *controller, struct bytes stored)
{
	struct openroadm_range some = controller_devices(controller);
	some.count = (some.count + STEP - 1) / STEP;
	some.step = STEP;
	some.round = 1;
	enum status status = run_edit(controller->server, controller->client, stored, NULL);
	if (status == ST_OK)
		status = controller_load(controller, OPENROADM_UPDATE, some);
	if (status == ST_OK)
		status = controller_load(controller, OPENROADM_UPDATE_DEGREE, some);
	for (size_t i = 0; i < sizeof(queries) / sizeof(queries[0]) && status == ST_OK; i++)
		status = ask(controller, &queries[i], stored);
	return status;
}

static enum status measure(struct controller *controller)
{
	struct buffer stored;
	buffer_init(&stored, SIZE_MAX);
	openroadm_edit(&stored, 1, OPENROADM_STORE, controller_devices(controller));
	enum status status = ask_all(controller, buffer_get(&stored));
	buffer_fini(&stored);
	return status;
}

enum status scenario_controller_query(struct run *run, uint64_t n)
{
	return controller_run(run, n, measure);
}
