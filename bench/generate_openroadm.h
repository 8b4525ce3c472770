/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * Requests of the controller workload: an inventory of OpenROADM devices in the shape of ONAP's test of its
 * configuration persistence service: 86 containers and list entries each (the device, its
 * org-openroadm-device, and 28 degrees with a circuit pack and connection ports). Devices are named
 * C201-7-1A-<number>.
 */
#include <stdint.h>
#include "base/buffer.h"

#define OPENROADM_NS "http://com/fujitsu/openroadm/devices/v2"
#define OPENROADM_NAMESPACES " xmlns:d=\"" OPENROADM_NS "\""
#define OPENROADM_DEGREES 28

/* Devices first, first + step, ...: `count` of them. */
struct openroadm_range {
	const char *target;	     /* datastore of an edit; NULL: running */
	uint64_t first, count, step; /* step 0: 1 */
	unsigned degrees;	     /* of each; 0: OPENROADM_DEGREES */
	unsigned round; /* 0: the values of the published test; others differ in a leaf of each device and
			   degree */
};

enum openroadm_what {
	OPENROADM_STORE,	 /* merge of whole devices */
	OPENROADM_REPLACE,	 /* replace of the whole inventory by these */
	OPENROADM_UPDATE,	 /* ne-state and status of each device */
	OPENROADM_UPDATE_DEGREE, /* max-wavelengths of degree 7 of each */
	OPENROADM_DELETE,	 /* each device */
	OPENROADM_REMOVE,	 /* the same without an error where it is not there */
	OPENROADM_DELETE_BODY,	 /* org-openroadm-device of each */
	OPENROADM_DELETE_LISTS,	 /* each degree of each, one by one */
};

/* Containers and list entries of what the range names. */
uint64_t openroadm_nodes(struct openroadm_range range);
/* Appends an edit-config. Needs a buffer without limit. */
void openroadm_edit(struct buffer *out, uint64_t message_id, enum openroadm_what what,
		    struct openroadm_range range);
/* Appends a get-config with a subtree filter that has an entry for each device. */
void openroadm_get_devices(struct buffer *out, uint64_t message_id, struct openroadm_range range);
