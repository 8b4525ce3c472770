/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * controller/edit, one request each, one after the other on one server: all devices stored; replaced by equal
 * ones, which changes nothing; two leaves of each merged; all replaced by others.
 */
#include "controller.h"

static enum status measure(struct controller *controller)
{
	struct openroadm_range devices = controller_devices(controller), changed = devices;
	changed.round = 1;
	enum status status = controller_edit(controller, "controller/store", OPENROADM_STORE, devices);
	if (status == ST_OK)
		status = controller_verify(controller, devices.count);
	if (status == ST_OK)
		status = controller_edit(controller, "controller/replace-same", OPENROADM_REPLACE, devices);
	if (status == ST_OK)
		controller_compare(controller, "controller/replace-same", "controller/store",
				   "elapsed over that of the store");
	if (status == ST_OK)
		status = controller_edit(controller, "controller/update", OPENROADM_UPDATE, changed);
	changed.round = 2;
	if (status == ST_OK)
		status = controller_edit(controller, "controller/replace", OPENROADM_REPLACE, changed);
	return status == ST_OK ? controller_verify(controller, devices.count) : status;
}

enum status scenario_controller_edit(struct run *run, uint64_t n)
{
	return controller_run(run, n, measure);
}
