/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* What is behind handler.h, for the operation that calls them. */
#include "netconf/handler.h"
#include "netconf/sessions.h"

struct netconf_handler_entry {
	const struct schema_node *operation;
	netconf_handler handler;
	void *arg;
	struct os_pool *pool; /* NULL: it runs where other requests do */
};

/* NULL: there is none. */
const struct netconf_handler_entry *netconf__handler_find(const struct netconf_server *server,
							  const struct schema_node *operation);
