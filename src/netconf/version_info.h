/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * Versions of running in requests and replies (the module yare-history): how they are named, what is said of
 * one, and what a client says of the one that its operation makes.
 */
#include "netconf/op_params.h"

#define NETCONF_HISTORY_NS "urn:yare:history"
#define NETCONF_HISTORY_PREFIX "yareh"
#define NETCONF_HISTORY_MODULE "yare-history"

/* Calls `put` for each leaf of the grouping version-info that the version has, in order. Texts are canonical
 * values; Valid as long as the arena. */
void netconf__version_each_leaf(const struct store_version *info, struct arena *arena,
				void (*put)(void *arg, const char *leaf, const char *text), void *arg);
/* False, with a diagnostic, where the server has not the module: then its operations are not there. */
bool netconf__history_is_served(struct netconf_request *request);
/* The choice version-name: `version` or `label` into request->version. */
void netconf__version_name_read(struct netconf_request *request, const struct netconf_param *version,
				const struct netconf_param *label);
/* The number of the version that request->version names; 0: it names none, and diags tell. */
uint64_t netconf__version_find(struct netconf_request *request);
/* Says why a version cannot be read: `status` of the history. Gives ST_REJECTED. */
enum status netconf__version_refuse(struct netconf_request *request, uint64_t id, enum status status);
/* The grouping change-info, into the request. */
void netconf__change_info_read(struct netconf_request *request, const struct netconf_param *comment,
			       const struct netconf_param *label);
/* The same, which is there where request->datastore is one that has versions: not the candidate. */
void netconf__change_info_of_running(struct netconf_request *request, const struct netconf_param *comment,
				     const struct netconf_param *label);
