/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* What the scenarios of the controller suite share: a server with one session, filled with devices. */
#include "generate_openroadm.h"
#include "operation.h"

struct controller {
	struct operation operation; /* its scenario and items are set for each measurement */
	struct server *server;
	struct client *client;
};

/* Starts a server without data, connects (over SSH but where the target is a UNIX socket), measures, ends it.
 */
enum status controller_run(struct run *run, uint64_t n,
			   enum status (*measure)(struct controller *controller)) MUST_USE;
/* Devices 1 .. n of the workload as a range. */
struct openroadm_range controller_devices(const struct controller *controller);
/* An untimed edit. */
enum status controller_load(struct controller *controller, enum openroadm_what what,
			    struct openroadm_range range) MUST_USE;
/* A timed one, as rows of `scenario` with the rate of `items`. */
enum status controller_edit(struct controller *controller, const char *scenario, enum openroadm_what what,
			    struct openroadm_range range) MUST_USE;
/* Says and fails unless the server holds so many devices. */
enum status controller_verify(struct controller *controller, uint64_t devices) MUST_USE;
/* Adds how many times as long as `other` the scenario took, the last time of each, as a row of the scenario.
 */
void controller_compare(struct controller *controller, const char *scenario, const char *other,
			const char *metric);
