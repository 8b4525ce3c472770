/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* What the operations of RFC 8526 have in common: datastores and origins are named by identities. */
#include "netconf/op_params.h"

#define NETCONF_NMDA_NS "urn:ietf:params:xml:ns:yang:ietf-netconf-nmda"
#define NETCONF_NMDA_MODULE "ietf-netconf-nmda"
#define NETCONF_DATASTORES_NS "urn:ietf:params:xml:ns:yang:ietf-datastores"
#define NETCONF_ORIGIN_NS "urn:ietf:params:xml:ns:yang:ietf-origin"

/* The local name of an identity of that namespace that is the element's text; data NULL: it is none. */
struct bytes netconf__identity_name(const struct element *element, const char *ns);
/* False, with a diagnostic, where the server has not the module: then its operations are not there. */
bool netconf__module_is_served(struct netconf_request *request, const char *name);
bool netconf__nmda_is_served(struct netconf_request *request);
/* The filter, which is given by subtree or by XPath. */
void netconf__nmda_filters(struct netconf_request *request, const struct netconf_param *subtree,
			   const struct netconf_param *xpath);
/* RFC 6241 8.7. */
bool netconf__startup_is_served(const struct netconf_request *request);
/* "running", "candidate" and "startup" (whether there is one or not) into *datastore; false where the element names another
 * one. */
bool netconf__nmda_datastore(const struct element *element, enum store_datastore *datastore);
