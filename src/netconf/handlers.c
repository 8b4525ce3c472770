/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of handlers: few, made before sessions are there, and only read afterwards. */
#include "netconf/handlers.h"

#include <string.h>

#include "netconf/request.h"

/* The node that a path of names leads to, an action at its end. */
static const struct schema_node *find_operation(const struct schema *schema,
						const struct schema_module *module, const char *name)
{
	const struct schema_node *node = schema->root;
	const char *slash = strchr(name, '/');
	if (slash == NULL)
		return schema_rpc_find(schema, module, bytes_of(name));
	for (; node != NULL && slash != NULL; slash = strchr(name, '/')) {
		node = schema_child_find(schema, node, module, (struct bytes){name, (size_t)(slash - name)});
		name = slash + 1;
	}
	return node != NULL ? schema_action_find(schema, node, module, bytes_of(name)) : NULL;
}

const struct netconf_handler_entry *netconf__handler_find(const struct netconf_server *server,
							  const struct schema_node *operation)
{
	for (size_t i = 0; i < server->handlers.length; i++) {
		const struct netconf_handler_entry *entry = vector_at(&server->handlers, i);
		if (entry->operation == operation)
			return entry;
	}
	return NULL;
}

/* Where operations that are built in are looked for first, a handler of one would never be called. */
static bool is_built_in(const struct schema *schema, const struct schema_node *operation)
{
	return operation->parent == NULL &&
	       netconf__operation_find(schema, bytes_of(operation->module->ns), operation->name_bytes)
			       ->config != CONFIG_IS_RPC;
}

static bool add(struct netconf_server *server, const char *module, const char *name,
		const struct netconf_handler_entry *how)
{
	const struct schema_module *found = schema_module_find(server->schema, bytes_of(module));
	const struct schema_node *operation =
		found != NULL ? find_operation(server->schema, found, name) : NULL;
	if (operation == NULL || is_built_in(server->schema, operation))
		return false;
	struct netconf_handler_entry *entry =
		(struct netconf_handler_entry *)netconf__handler_find(server, operation);
	if (entry == NULL)
		entry = vector_push(&server->handlers);
	*entry = *how;
	entry->operation = operation;
	return true;
}

bool netconf_server_handle(struct netconf_server *server, const char *module, const char *name,
			   netconf_handler handler, void *arg)
{
	return add(server, module, name, &(struct netconf_handler_entry){.handler = handler, .arg = arg});
}

bool netconf_server_handle_slowly(struct netconf_server *server, const char *module, const char *name,
				  netconf_handler handler, void *arg, struct os_pool *pool)
{
	return add(server, module, name,
		   &(struct netconf_handler_entry){.handler = handler, .arg = arg, .pool = pool});
}

bool netconf_call_is_wanted(const struct netconf_call *call)
{
	return atomic_load_explicit(&call->link->open, memory_order_relaxed) &&
	       !atomic_load_explicit(&call->link->killed, memory_order_relaxed);
}

bool netconf_call_leaf(const struct netconf_call *call, const char *name, struct value *value)
{
	const struct schema_node *leaf = schema_child_find(call->server->schema, call->operation,
							   call->operation->module, bytes_of(name));
	struct tree_position position;
	if (leaf == NULL || leaf->kind != SCHEMA_LEAF ||
	    !tree_position_find_child(call->input, leaf, TREE_WITH_DEFAULTS, &position))
		return false;
	*value = position.value;
	return true;
}
