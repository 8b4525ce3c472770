/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of operations. What is not in it is answered with operation-not-supported. */
#include "netconf/operation.h"

static const struct netconf_operation *const operations[] = {
	&netconf__op_edit_config,      &netconf__op_get_config,	     &netconf__op_get,
	&netconf__op_commit,	       &netconf__op_discard_changes, &netconf__op_lock,
	&netconf__op_unlock,	       &netconf__op_close_session,   &netconf__op_kill_session,
	&netconf__op_validate,	       &netconf__op_copy_config,     &netconf__op_delete_config,
	&netconf__op_get_schema,       &netconf__op_get_data,	     &netconf__op_edit_data,
	&netconf__op_cancel_commit,    &netconf__op_list_versions,   &netconf__op_show_version,
	&netconf__op_rollback,	       &netconf__op_label_version,   &netconf__op_compare,
	&netconf__op_compare_versions, &netconf__op_partial_lock,    &netconf__op_partial_unlock,
	&netconf__op_factory_reset,
};

const char *netconf__operation_ns(const struct netconf_operation *operation)
{
	return operation->ns != NULL ? operation->ns : NETCONF_NS;
}

/* Those that only the schema knows (op_invoke.c). */
static const struct netconf_operation *find_in_schema(const struct schema *schema, struct bytes ns,
						      struct bytes name)
{
	if (bytes_equal(ns, bytes_of(NETCONF_YANG_NS)) && bytes_equal(name, bytes_of("action")))
		return &netconf__op_action;
	const struct schema_module *module = schema_module_find_ns(schema, ns);
	bool known = module != NULL && schema_rpc_find(schema, module, name) != NULL;
	return known ? &netconf__op_rpc : NULL;
}

const struct netconf_operation *netconf__operation_find(const struct schema *schema, struct bytes ns,
							struct bytes name)
{
	for (size_t i = 0; i < sizeof(operations) / sizeof(operations[0]); i++)
		if (bytes_equal(name, bytes_of(operations[i]->name)) &&
		    bytes_equal(ns, bytes_of(netconf__operation_ns(operations[i]))))
			return operations[i];
	return find_in_schema(schema, ns, name);
}

struct store_call netconf__store_call(struct netconf_request *request, enum store_wait wait)
{
	/* A worker goes on with the session's next request; session.c says when there is none. */
	return (struct store_call){
		.actor = &request->link->actor,
		.diags = &request->diags,
		.comment = request->comment,
		.label = request->label,
		.interrupt = &request->link->interrupt,
		.wait = wait,
		.sync = wait == STORE_NO_WAIT ? STORE_SYNC_LATER : STORE_SYNC_NOW,
	};
}
