/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * A large edit is prepared (edit/prepare.h) by the server's job threads while the rest of it arrives.
 *
 *     netconf__ahead_go_on(request, decoder);     // the worker, after each part
 *     netconf__ahead_finish(request);             // a job, which then applies the edit
 *     netconf__ahead_drop(request);               // either, instead, before the tree is freed
 */
#include "codec/edit_decoder.h"

struct netconf_request;
struct netconf_ahead;

/* To be called as parts of <config> were decoded: begins once the request is large, and goes on then. */
void netconf__ahead_go_on(struct netconf_request *request, const struct edit_decoder *decoder);
/* The tree, which is the request's by now, gets what was prepared, with what was missing. */
void netconf__ahead_finish(struct netconf_request *request);
/* Gives up what was begun, if anything was; nobody looks at the tree afterwards. Cost: may wait for a job
 * thread to finish with one node. */
void netconf__ahead_drop(struct netconf_request *request);
