/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * controller/delete, of at most 300 devices, as in the published test: one request each; removal of what is
 * gone by now; all in one request. controller/lists: the 300 containers below devices in one request; and
 * lists of 100 entries each, entry by entry in one request, which should take no longer than storing them.
 */
#include "controller.h"

#define DELETED_MOST 300
#define LIST_ENTRIES 100

struct deletion {
	enum openroadm_what what;
	struct openroadm_range range;
};

static void make_deletion(struct buffer *out, uint64_t i, void *arg)
{
	const struct deletion *deletion = arg;
	struct openroadm_range one = deletion->range;
	one.first += i;
	one.count = 1;
	openroadm_edit(out, i + 1, deletion->what, one);
}

static enum status one_by_one(struct controller *controller, const char *scenario, enum openroadm_what what,
			      struct openroadm_range range)
{
	struct deletion deletion = {what, range};
	struct operation operation = controller->operation;
	operation.scenario = scenario;
	return operation_small(&operation, &(struct operation_small){make_deletion, &deletion, range.count,
								     false, what == OPENROADM_DELETE});
}

static struct openroadm_range at_most(struct openroadm_range range)
{
	range.count = range.count < DELETED_MOST ? range.count : DELETED_MOST;
	return range;
}

static enum status measure_delete(struct controller *controller)
{
	struct openroadm_range all = controller_devices(controller), some = at_most(all);
	enum status status = controller_load(controller, OPENROADM_STORE, all);
	if (status == ST_OK)
		status = one_by_one(controller, "controller/delete-each", OPENROADM_DELETE, some);
	if (status == ST_OK && !run_interrupted())
		status = controller_verify(controller, all.count - some.count);
	if (status == ST_OK)
		status = one_by_one(controller, "controller/remove-missing", OPENROADM_REMOVE, some);
	if (status == ST_OK)
		status = controller_load(controller, OPENROADM_STORE, all);
	if (status == ST_OK)
		status = controller_edit(controller, "controller/delete", OPENROADM_DELETE, some);
	if (status == ST_OK && !run_interrupted())
		status = controller_verify(controller, all.count - some.count);
	return status;
}

static enum status measure_lists(struct controller *controller)
{
	struct openroadm_range all = controller_devices(controller), lists = at_most(all);
	enum status status = controller_load(controller, OPENROADM_STORE, all);
	if (status == ST_OK)
		status = controller_edit(controller, "controller/delete-containers", OPENROADM_DELETE_BODY,
					 at_most(all));
	lists.degrees = LIST_ENTRIES;
	if (status == ST_OK)
		status = controller_edit(controller, "controller/store-lists", OPENROADM_STORE, lists);
	if (status == ST_OK)
		status =
			controller_edit(controller, "controller/delete-lists", OPENROADM_DELETE_LISTS, lists);
	if (status == ST_OK)
		controller_compare(controller, "controller/delete-lists", "controller/store-lists",
				   "elapsed over that of storing");
	return status == ST_OK ? controller_verify(controller, all.count) : status;
}

enum status scenario_controller_delete(struct run *run, uint64_t n)
{
	return controller_run(run, n, measure_delete);
}

enum status scenario_controller_lists(struct run *run, uint64_t n)
{
	return controller_run(run, n, measure_lists);
}
