/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* The factory-default datastore (RFC 8808 3), which only get-data reads. */
#include "netconf/request.h"

#define NETCONF_FACTORY_NS "urn:ietf:params:xml:ns:yang:ietf-factory-default"

/* Whether the element names it, by its identity, and the server has it. */
bool netconf__factory_is_named(const struct netconf_request *request, const struct element *element);
