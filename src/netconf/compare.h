/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * The comparison of two trees as a YANG patch (RFC 9144, RFC 8072): what a reply to <compare> holds, written
 * piece by piece while the client takes it.
 *
 *     struct netconf_compare_input input = {.schema = schema, ..., .roots = {source, target}};
 *     request->stream = netconf__compare_new(&input);
 *
 * Each tree is seen through a view and a filter of its own. The edits, applied in turn to what the source
 * shows, make what the target shows.
 */
#include "check/implicit.h"
#include "netconf/filter.h"
#include "netconf/request.h"

#define NETCONF_COMPARE_NS "urn:ietf:params:xml:ns:yang:ietf-nmda-compare"

struct netconf_compare_input {
	struct schema *schema;
	struct tree_reclaimer *reclaimer;
	const char *ns;	      /* of the reply's elements */
	const char *patch_id; /* copied */
	/* [0]: the source; [1]: the target. The comparison takes the references, the filters (NULL: all; may
	 * be one for both; evaluated on its root with its view) and the implicit nodes (NULL: none). */
	const struct tree_record *roots[2];
	struct netconf_filter *filters[2];
	struct codec_view views[2];
	struct check_implicit *implicit[2];
};

/* An operation that compares (request->comparison). */
struct comparison {
	struct netconf_compare_input input; /* the operation sets patch_id and roots */
	enum store_datastore stored[2];
	bool is_operational[2];
	bool is_factory[2];
	uint64_t versions[2]; /* compare-versions: their numbers; 0: running as it is */
	bool all, reports_origin;
};

/* Takes the roots of request->comparison, compiles and evaluates the request's filter, and makes the reply's
 * content. Fails: ST_REJECTED (diags); the roots were given back. */
enum status netconf__comparison_start(struct netconf_request *request) MUST_USE;

/* A reply's content. */
struct netconf_stream *netconf__compare_new(const struct netconf_compare_input *input);
/* Nodes, map nodes and items that were looked at so far, beside those written: what the comparison did cost.
 */
size_t netconf__compare_visited(const struct netconf_stream *stream);
