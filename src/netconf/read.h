/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * What operations that read have in common: the filter parameter, the pinned root, the view.
 *
 *     prepare:  netconf__read_filter(request, &params[FILTER]);
 *     run:      status = netconf__read_begin(request, wait);      // filter compiled, root pinned
 *               ... another root in place of request->root ...
 *               status = netconf__read_end(request);              // filter evaluated on it
 *
 * The reply is made from the root by reply.c, while the client takes it.
 */
#include "netconf/op_params.h"

/* <filter> of RFC 6241, with its attributes. */
void netconf__read_filter(struct netconf_request *request, const struct netconf_param *param);
/* <with-defaults> of RFC 6243. */
void netconf__read_with_defaults(struct netconf_request *request, const struct netconf_param *param);
/* Compiles the request's filter, unless there is none or it was. Fails: ST_REJECTED (diags). */
enum status netconf__read_compile(struct netconf_request *request, struct netconf_filter **filter) MUST_USE;
/* Evaluates it on the root, in the view, with one of `share` parts of what a filter may take. Fails:
 * ST_REJECTED (diags). */
enum status netconf__read_evaluate(struct netconf_request *request, struct netconf_filter *filter,
				   const struct tree_record *root, const struct codec_view *view,
				   unsigned share) MUST_USE;
/* Compiles the filter and pins the root of request->datastore. Fails: ST_REJECTED (diags); ST_BUSY with
 * STORE_NO_WAIT, where the filter is work for a job thread. */
enum status netconf__read_begin(struct netconf_request *request, enum store_wait wait) MUST_USE;
/* Puts a root with the server's state, as far as the filter can select any, in place of the pinned one.
 * Fails: ST_BUSY with STORE_NO_WAIT, where that is work for a job thread; the root was given back. */
enum status netconf__read_add_state(struct netconf_request *request, enum store_wait wait) MUST_USE;
/* Evaluates the filter on request->root. Fails: ST_REJECTED (diags). */
enum status netconf__read_end(struct netconf_request *request) MUST_USE;
/* Gives the root back, and begins anew with the next call. */
void netconf__read_drop(struct netconf_request *request);
/* Both, for an operation that reads a datastore as it is. */
enum status netconf__read_run(struct netconf_request *request, enum store_wait wait) MUST_USE;
