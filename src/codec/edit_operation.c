/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What differs where an edit decoder reads an operation rather than <config>: which elements there are, and
 * that no attribute steers anything.
 *
 *     <rpc>                                   <rpc>
 *       <reset xmlns="...">  operation          <action xmlns="urn:ietf:params:xml:ns:yang:1">
 *         <at>...</at>       input                <server xmlns="...">      way: containers, entries
 *                                                   <name>a</name>          ... with their keys alone
 *                                                   <reset>                 action
 *                                                     <at>...</at>          input
 *
 * The way may lead through state data (RFC 7950 7.15).
 */
#include "codec/edit_decode.h"

#define NS_NETCONF "urn:ietf:params:xml:ns:netconf:base:1.0"
#define NS_YANG "urn:ietf:params:xml:ns:yang:1"

const char *codec__operation_prefix(enum edit_content content)
{
	switch (content) {
	case EDIT_CONTENT_CONFIG:
	case EDIT_CONTENT_OUTPUT:
		return "";
	case EDIT_CONTENT_RPC:
		return "/nc:rpc";
	case EDIT_CONTENT_ACTION:
		return "/nc:rpc/yang:action";
	}
	return "";
}

static bool is_in_operation(const struct schema_node *node)
{
	while (node && !codec__edit_is_operation(node))
		node = node->parent;
	return node != NULL;
}

static const struct schema_node *find_on_way(const struct schema *schema, const struct schema_node *parent,
					     const struct schema_module *module, struct bytes name)
{
	const struct schema_node *action = NULL;
	if (parent->kind != SCHEMA_ROOT)
		action = schema_action_find(schema, parent, module, name);
	if (action)
		return action;
	const struct schema_node *child = schema_child_find(schema, parent, module, name);
	bool leads_on = child && (child->kind == SCHEMA_CONTAINER || child->kind == SCHEMA_LIST);
	return leads_on || (child && child->is_key) ? child : NULL;
}

const struct schema_node *codec__operation_find_child(const struct edit_assembler *assembler,
						      const struct schema_module *module, struct bytes name)
{
	const struct schema_node *parent = codec__edit_top(assembler)->node->schema;
	if (is_in_operation(parent))
		return schema_child_find(assembler->schema, parent, module, name);
	if (assembler->content == EDIT_CONTENT_RPC)
		return schema_rpc_find(assembler->schema, module, name);
	return find_on_way(assembler->schema, parent, module, name);
}

/* Those that would steer an edit are refused, as nothing here heeds them (RFC 6241 7.2, RFC 7950 7.7.9);
 * those of other namespaces are passed over. */
void codec__operation_attributes(struct edit_assembler *assembler, const struct xml_start *start)
{
	for (size_t i = 0; i < start->attribute_count; i++) {
		const struct xml_attribute *attribute = &start->attributes[i];
		bool steers = bytes_equal(attribute->ns, bytes_of(NS_NETCONF)) ||
			      bytes_equal(attribute->ns, bytes_of(NS_YANG));
		if (attribute->ns.size > 0 && !steers)
			continue;
		codec__edit_report_attribute(assembler, DIAG_UNKNOWN_ATTRIBUTE, NULL, attribute->name,
					     "The attribute is not expected here.");
	}
}
