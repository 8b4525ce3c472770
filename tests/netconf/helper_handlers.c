/* SPDX-License-Identifier: BSD-3-Clause */
/* The handlers of example-operations: they give back what they were given. */
#include "helper_handlers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const struct schema_node *output_child(const struct netconf_call *call, const char *name)
{
	const struct schema_node *output = call->operation->output;
	return schema_child_find_any(output, bytes_of(name), NULL);
}

static void give_leaf(const struct netconf_call *call, const char *name)
{
	struct value value;
	if (netconf_call_leaf(call, name, &value))
		tree_builder_set_leaf(call->output, output_child(call, name), value);
}

static void give_window(const struct netconf_call *call)
{
	const struct schema_node *window = schema_child_find_any(call->operation, bytes_of("window"), NULL);
	const struct schema_node *from = schema_child_find_any(window, bytes_of("from"), NULL);
	struct tree_position container, leaf;
	if (tree_position_find_child(call->input, window, TREE_WITH_DEFAULTS, &container) &&
	    tree_position_find_child(&container, from, TREE_WITH_DEFAULTS, &leaf))
		tree_builder_set_leaf(call->output, output_child(call, "from"), leaf.value);
}

static void give_children(const struct netconf_call *call)
{
	struct tree_cursor cursor;
	struct tree_position child;
	tree_cursor_init(&cursor, NULL, call->input, TREE_EXPLICIT);
	while (tree_cursor_next(&cursor, &child)) {
		const struct schema_node *output = output_child(call, child.schema->name);
		if (output == NULL || child.schema->kind == SCHEMA_LEAF)
			continue;
		if (child.schema->kind == SCHEMA_LEAF_LIST)
			tree_builder_add_value(call->output, output, child.value);
		if (child.schema->kind == SCHEMA_ANYDATA)
			tree_builder_set_any(call->output, output, (struct tree_any *)child.any);
		if (child.schema->kind != SCHEMA_LIST)
			continue;
		bool made;
		struct tree_position order;
		tree_builder_enter_entry(call->output, output, &child.record->slots[0].value, &made);
		if (tree_position_find_child(&child, child.schema->children[1], TREE_EXPLICIT, &order))
			tree_builder_set_leaf(call->output, output->children[1], order.value);
		tree_builder_leave(call->output);
	}
}

static enum status activate(const struct netconf_call *call, void *arg)
{
	(void)arg;
	give_leaf(call, "image");
	give_leaf(call, "retries");
	give_window(call);
	give_children(call);
	return ST_OK;
}

static enum status report(const struct netconf_call *call, void *arg)
{
	(void)arg;
	give_leaf(call, "total");
	give_leaf(call, "of");
	give_leaf(call, "more");
	return ST_OK;
}

static enum status say_nothing(const struct netconf_call *call, void *arg)
{
	(void)call;
	(void)arg;
	return ST_OK;
}

static enum status reset(const struct netconf_call *call, void *arg)
{
	(void)arg;
	struct value at;
	assert_true(netconf_call_leaf(call, "at", &at));
	assert_string_equal(call->input->parent->schema->name, "server");
	tree_builder_set_leaf(call->output, output_child(call, "done-at"), at);
	return ST_OK;
}

static enum status refuse(const struct netconf_call *call, void *arg)
{
	(void)arg;
	diag_add(call->diags, DIAG_APPLICATION, DIAG_RESOURCE_DENIED, "Not now.");
	return ST_REJECTED;
}

void handlers_register(struct netconf_server *server)
{
	const char *module = "example-operations";
	assert_true(netconf_server_handle(server, module, "activate", activate, NULL));
	assert_true(netconf_server_handle(server, module, "choose", refuse, NULL));
	assert_true(netconf_server_handle(server, module, "choose", say_nothing, NULL));
	assert_true(netconf_server_handle(server, module, "report", report, NULL));
	assert_true(netconf_server_handle(server, module, "ping", say_nothing, NULL));
	assert_true(netconf_server_handle(server, module, "server/reset", reset, NULL));
	assert_true(netconf_server_handle(server, module, "store/empty", refuse, NULL));
	assert_false(netconf_server_handle(server, module, "server/none", refuse, NULL));
	assert_false(netconf_server_handle(server, module, "none", refuse, NULL));
}
