/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * What the generators of requests share. All append compact XML without framing to a buffer that has no
 * limit; message ids have 7 digits, so that requests of one kind are of one size.
 *
 *     generate_edit_begin(out, 1);
 *     generate_put(out, "<top xmlns=\"urn:x\"/>");
 *     generate_edit_end(out);
 */
#include <stdint.h>
#include "base/buffer.h"

#define NETCONF_NS "urn:ietf:params:xml:ns:netconf:base:1.0"
/* As an attribute list of the data's topmost element, for those below that have an nc:operation. */
#define NETCONF_NS_PREFIX " xmlns:nc=\"" NETCONF_NS "\""

void generate_put(struct buffer *out, const char *text);
void generate_printf(struct buffer *out, const char *format, ...) PRINTF_LIKE(2, 3);

void generate_rpc_begin(struct buffer *out, uint64_t message_id);
void generate_rpc_end(struct buffer *out);
/* An edit-config of running, or of another datastore, up to its <config>. */
void generate_edit_begin(struct buffer *out, uint64_t message_id);
void generate_edit_of(struct buffer *out, uint64_t message_id, const char *datastore);
void generate_edit_end(struct buffer *out);
/* A get-config of running, whole, with the content of a subtree filter, or with an XPath filter whose
 * prefixes `namespaces` declares. */
void generate_get_config(struct buffer *out, uint64_t message_id);
void generate_get_subtree(struct buffer *out, uint64_t message_id, const char *filter);
void generate_get_xpath(struct buffer *out, uint64_t message_id, const char *namespaces, const char *xpath);

/* Field k of record i of a seed, as good as random (splitmix64). */
uint64_t generate_mix(uint64_t seed, uint64_t i, uint64_t k);
