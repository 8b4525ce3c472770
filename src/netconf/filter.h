/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * Subtree filters (RFC 6241 section 6): compiled against the schema, then asked by the encoder which nodes to
 * write.
 */
#include "codec/element.h"
#include "codec/xml_encoder.h"

struct netconf_filter;

/* Compiles the content of <filter>, which is not needed afterwards. Fails: ST_LIMIT, more alternatives than
 * can be judged at a bounded cost for each instance. */
enum status netconf__filter_new(const struct schema *schema, const struct element *filter,
				struct netconf_filter **compiled) MUST_USE;
void netconf__filter_free(struct netconf_filter *filter); /* NULL is allowed */
/* True where nothing of this schema can be selected: the reply is empty. */
bool netconf__filter_is_empty(const struct netconf_filter *filter);
/* Borrowed. */
const struct codec_selector *netconf__filter_selector(const struct netconf_filter *filter);
