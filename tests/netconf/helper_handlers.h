/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* Handlers of the operations of example-operations; `nobody` and `power/off` have none. */
#include "netconf/handler.h"

void handlers_register(struct netconf_server *server);
