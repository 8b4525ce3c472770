/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* The boot workload with interfaces: VLANs on Ethernet interfaces, by leafref, must and when. */
#include <stdint.h>
#include "base/buffer.h"

/* Appends an edit-config of running with `count` VLAN interfaces, each on one of as many Ethernet interfaces
 * with vlan-tagging as it takes. Needs a buffer without limit. */
void vlan_edit(struct buffer *out, uint64_t message_id, uint64_t seed, uint64_t count);
