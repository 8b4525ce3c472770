/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* The factory-default datastore (RFC 8808 3), which is read, compared and validated, and never written. */
#include "netconf/op_params.h"

#define NETCONF_FACTORY_NS "urn:ietf:params:xml:ns:yang:ietf-factory-default"

/* Whether the element names it, by its identity, and the server has it. */
bool netconf__factory_is_named(const struct netconf_request *request, const struct element *element);
/* Whether the parameter has <datastore> (RFC 8526 3.2.3) that names it, and nothing else. */
bool netconf__factory_is_source(const struct netconf_request *request, const struct netconf_param *param);
