/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* Defaults in what is copied (RFC 6243 4.5.1: copy-config). */
#include "codec/view.h"
#include "netconf/sessions.h"

/* The root as the view presents it, as a root: CODEC_REPORT_ALL sets what is implicit, CODEC_TRIM takes away
 * what has its default value. Takes the reference of `root` and gives one. O(nodes), but for CODEC_EXPLICIT.
 */
const struct tree_record *netconf__defaults_apply(struct netconf_server *server,
						  const struct tree_record *root,
						  enum codec_defaults defaults);
