/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * Parameters of operations: found by name, in any order; what is unknown, doubled, missing or of a wrong
 * value becomes a diagnostic with the path /nc:rpc/nc:OPERATION/nc:PARAMETER. Nothing in them is ignored but
 * attributes of other namespaces.
 *
 *     struct netconf_param params[] = {
 *             {.name = "target", .content = NETCONF_PARAM_ELEMENTS, .mandatory = true}, {.name =
 * "error-option"}}; netconf__params_read(request, params, 2); if (params[0].element != NULL) ...
 */
#include "netconf/request.h"

enum netconf_param_content {
	NETCONF_PARAM_TEXT,	/* or none at all */
	NETCONF_PARAM_EMPTY,	/* nothing */
	NETCONF_PARAM_ELEMENTS, /* no text; the elements are up to the operation */
	NETCONF_PARAM_ANY,	/* all that is in it, attributes included, is up to the operation */
};

struct netconf_param {
	const char *name; /* in the operation's namespace, or one of the foreign ones (op_params.c) */
	enum netconf_param_content content;
	bool mandatory;
	bool repeats;	  /* may be given several times; `element` is the first one */
	bool nmda;	  /* a datastore may be named by <datastore> of RFC 8526 as well */
	bool startup;	  /* it may be startup, where the server has that (RFC 6241 8.7) */
	bool unsupported; /* known, but of a capability that is not announced: operation-not-supported */
	struct element *element; /* NULL: not given */
};

#define NETCONF_WITH_DEFAULTS_NS "urn:ietf:params:xml:ns:yang:ietf-netconf-with-defaults"

void netconf__params_read(struct netconf_request *request, struct netconf_param *params, size_t count);
/* Refuses attributes of the operation's own element. */
void netconf__params_attributes(struct netconf_request *request);
/* Adds a diagnostic about a parameter (NULL: the operation itself): path, and bad-element. */
struct diag *netconf__param_refuse(struct netconf_request *request, const char *param, enum diag_tag tag,
				   const char *message);
/* Refuses attributes and elements of an element in a parameter that is text. */
void netconf__param_plain(struct netconf_request *request, const struct netconf_param *param,
			  const struct element *element);
/* The datastore that a <target> or <source> names. */
void netconf__param_datastore(struct netconf_request *request, const struct netconf_param *param);
/* A number from 1 to `most`; where it is none: a diagnostic, and 0. */
uint64_t netconf__param_number(struct netconf_request *request, const struct netconf_param *param,
			       uint64_t most);
/* The index of the parameter's text among the names; where it is none of them: a diagnostic, and `count`. */
size_t netconf__param_choice(struct netconf_request *request, const struct netconf_param *param,
			     const char *const *names, size_t count);
