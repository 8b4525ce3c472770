/* SPDX-License-Identifier: BSD-3-Clause */
/* Documents of devices. All devices of a round have equal content, as in the published test. */
#include "generate_openroadm.h"

#include <inttypes.h>
#include <stdbool.h>

#include "generate.h"

#define DATE "2022-11-06T14:12:23.260487-06:00"
#define UPDATED_DEGREE 7

static uint64_t number_of(struct openroadm_range range, uint64_t i)
{
	return range.first + i * (range.step != 0 ? range.step : 1);
}

static unsigned degrees_of(struct openroadm_range range)
{
	return range.degrees != 0 ? range.degrees : OPENROADM_DEGREES;
}

uint64_t openroadm_nodes(struct openroadm_range range)
{
	return range.count * (2 + 3 * (uint64_t)degrees_of(range));
}

static const char *state_of(unsigned round)
{
	static const char *const states[] = {"inservice", "jeopardy", "unmanaged", "temporary"};
	return states[round % 4];
}

static void put_device(struct buffer *out, struct openroadm_range range, uint64_t number)
{
	unsigned degrees = degrees_of(range);
	generate_printf(out,
			"<openroadm-device><device-id>C201-7-1A-%" PRIu64
			"</device-id><ne-state>%s</ne-state>"
			"<status>success</status><commission-date-time>" DATE "</commission-date-time>"
			"<org-openroadm-device>",
			number, state_of(range.round));
	for (unsigned degree = 1; degree <= degrees; degree++)
		generate_printf(
			out,
			"<degree><degree-number>%u</degree-number><max-wavelengths>%u</max-wavelengths>"
			"<circuit-packs><index>1</index></circuit-packs>"
			"<connection-ports><index>1</index></connection-ports></degree>",
			degree, 128 - range.round % 64);
	generate_put(out, "</org-openroadm-device></openroadm-device>");
}

static void put_key(struct buffer *out, uint64_t number, const char *attributes)
{
	generate_printf(out, "<openroadm-device%s><device-id>C201-7-1A-%" PRIu64 "</device-id>", attributes,
			number);
}

static void put_update(struct buffer *out, struct openroadm_range range, uint64_t number)
{
	put_key(out, number, "");
	generate_printf(out, "<ne-state>%s</ne-state><status>%s</status></openroadm-device>",
			state_of(range.round), range.round % 2 == 0 ? "success" : "fail");
}

static void put_update_degree(struct buffer *out, struct openroadm_range range, uint64_t number)
{
	put_key(out, number, "");
	generate_printf(out,
			"<org-openroadm-device><degree><degree-number>%u</degree-number><max-wavelengths>%u"
			"</max-wavelengths></degree></org-openroadm-device></openroadm-device>",
			UPDATED_DEGREE, 128 - range.round % 64);
}

static void put_delete_lists(struct buffer *out, struct openroadm_range range, uint64_t number)
{
	unsigned degrees = degrees_of(range);
	put_key(out, number, "");
	generate_put(out, "<org-openroadm-device>");
	for (unsigned degree = 1; degree <= degrees; degree++)
		generate_printf(out,
				"<degree nc:operation=\"delete\"><degree-number>%u</degree-number></degree>",
				degree);
	generate_put(out, "</org-openroadm-device></openroadm-device>");
}

static void put_one(struct buffer *out, enum openroadm_what what, struct openroadm_range range,
		    uint64_t number)
{
	switch (what) {
	case OPENROADM_STORE:
	case OPENROADM_REPLACE:
		put_device(out, range, number);
		break;
	case OPENROADM_UPDATE:
		put_update(out, range, number);
		break;
	case OPENROADM_UPDATE_DEGREE:
		put_update_degree(out, range, number);
		break;
	case OPENROADM_DELETE:
	case OPENROADM_REMOVE:
		put_key(out, number,
			what == OPENROADM_DELETE ? " nc:operation=\"delete\"" : " nc:operation=\"remove\"");
		generate_put(out, "</openroadm-device>");
		break;
	case OPENROADM_DELETE_BODY:
		put_key(out, number, "");
		generate_put(out, "<org-openroadm-device nc:operation=\"delete\"/></openroadm-device>");
		break;
	case OPENROADM_DELETE_LISTS:
		put_delete_lists(out, range, number);
		break;
	}
}

static bool has_operations(enum openroadm_what what)
{
	return what != OPENROADM_STORE && what != OPENROADM_UPDATE && what != OPENROADM_UPDATE_DEGREE;
}

void openroadm_edit(struct buffer *out, uint64_t message_id, enum openroadm_what what,
		    struct openroadm_range range)
{
	generate_edit_of(out, message_id, range.target != NULL ? range.target : "running");
	generate_printf(out, "<openroadm-devices xmlns=\"" OPENROADM_NS "\"%s%s>",
			has_operations(what) ? NETCONF_NS_PREFIX : "",
			what == OPENROADM_REPLACE ? " nc:operation=\"replace\"" : "");
	for (uint64_t i = 0; i < range.count; i++)
		put_one(out, what, range, number_of(range, i));
	generate_put(out, "</openroadm-devices>");
	generate_edit_end(out);
}

void openroadm_get_devices(struct buffer *out, uint64_t message_id, struct openroadm_range range)
{
	generate_rpc_begin(out, message_id);
	generate_put(out, "<get-config><source><running/></source><filter type=\"subtree\">"
			  "<openroadm-devices xmlns=\"" OPENROADM_NS "\">");
	for (uint64_t i = 0; i < range.count; i++) {
		put_key(out, number_of(range, i), "");
		generate_put(out, "</openroadm-device>");
	}
	generate_put(out, "</openroadm-devices></filter></get-config></rpc>");
}
