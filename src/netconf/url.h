/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * The :url capability (RFC 6241 8.8) with the scheme file: file:///a/b.xml is a/b.xml below the one folder
 * that the server was given (os/folder.h). A file has one <config>, of the base namespace.
 */
#include "netconf/op_params.h"

bool netconf__url_is_served(const struct netconf_request *request);
/* Whether all that the <target> or <source> holds is a <url>, and urls are served. Gives the path below the
 * folder; NULL, with a diagnostic, where the url is none. */
bool netconf__url_param(struct netconf_request *request, const struct netconf_param *param,
			const char **path);
/* The path of a <url>; NULL, with a diagnostic about that parameter. */
const char *netconf__url_path(struct netconf_request *request, const char *param, const struct element *url);
/* The content of request->url becomes request->edit. Fails: ST_REJECTED (diags): operation-failed, there is
 * no such file; too-big; what is wrong with the content. Cost: that of reading it; for job threads. */
enum status netconf__url_read(struct netconf_request *request) MUST_USE;
/* Writes the root, with the defaults that the request's view has, to request->target_url: whole, or not at
 * all. Fails: ST_REJECTED (diags). */
enum status netconf__url_write(struct netconf_request *request, const struct tree_record *root) MUST_USE;
enum status netconf__url_remove(struct netconf_request *request, const char *path) MUST_USE;
