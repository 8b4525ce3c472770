/* SPDX-License-Identifier: BSD-3-Clause */
#include "generate_vlan.h"

#include <inttypes.h>

#include "generate.h"

#define INTERFACES_NS "urn:ietf:params:xml:ns:yang:ietf-interfaces"
#define TYPES_NS "urn:ietf:params:xml:ns:yang:iana-if-type"
#define VLAN_NS "http://example.com/vlan"
#define VLANS_A_BASE 4094

static void put_base(struct buffer *out, uint64_t number)
{
	generate_printf(out,
			"<interface><name>eth%" PRIu64 "</name><description>uplink %" PRIu64 "</description>"
			"<type>t:ethernetCsmacd</type><enabled>true</enabled>"
			"<v:vlan-tagging>true</v:vlan-tagging></interface>",
			number, number);
}

static void put_vlan(struct buffer *out, uint64_t seed, uint64_t number)
{
	uint64_t base = number / VLANS_A_BASE, vlan = number % VLANS_A_BASE + 1;
	uint64_t mixed = generate_mix(seed, number, 1);
	generate_printf(out,
			"<interface><name>eth%" PRIu64 ".%" PRIu64 "</name>"
			"<description>customer %" PRIu64 "</description><type>t:l2vlan</type>"
			"<enabled>%s</enabled><v:base-interface>eth%" PRIu64 "</v:base-interface>"
			"<v:vlan-id>%" PRIu64 "</v:vlan-id></interface>",
			base, vlan, mixed % 10000, mixed >> 32 & 7 ? "true" : "false", base, vlan);
}

void vlan_edit(struct buffer *out, uint64_t message_id, uint64_t seed, uint64_t count)
{
	generate_edit_begin(out, message_id);
	generate_put(out, "<interfaces xmlns=\"" INTERFACES_NS "\" xmlns:t=\"" TYPES_NS
			  "\" xmlns:v=\"" VLAN_NS "\">");
	for (uint64_t i = 0; i * VLANS_A_BASE < count; i++)
		put_base(out, i);
	for (uint64_t i = 0; i < count; i++)
		put_vlan(out, seed, i);
	generate_put(out, "</interfaces>");
	generate_edit_end(out);
}
