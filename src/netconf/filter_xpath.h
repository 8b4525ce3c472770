/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* XPath filters (RFC 6241 8.9): a filter.h filter from an expression. */
#include "netconf/filter.h"

/* For struct xpath_scope: prefixes are those in scope at the element; no prefix means any module. */
struct netconf__scope {
	const struct schema *schema;
	const struct element *element;
};
const struct schema_module *netconf__scope_resolve(void *scope, struct bytes prefix);

/* Prefixes are those in scope at `element`; a name without prefix is of any module. The element is not needed
 * afterwards. Fails: ST_REJECTED, no expression, an undeclared prefix, or one whose value is no node-set;
 * *message says which, in `arena`. */
enum status netconf__filter_new_xpath(const struct schema *schema, const struct element *element,
				      struct bytes select, struct arena *arena, const char **message,
				      struct netconf_filter **compiled) MUST_USE;

/* The limits of one evaluation, whose time begins now; and which of them it has come to. */
struct xpath_limits netconf__xpath_limits(const struct netconf__filter_limits *limits);
const char *netconf__xpath_limit_name(const struct xpath_limits *left, bool is_memory);
