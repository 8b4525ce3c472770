/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where a leafref's path leads in the schema: path-arg of RFC 7950 section 14, absolute or relative steps,
 * with predicates skipped. The expression itself was compiled already, so this only has to follow what is
 * right.
 */
#include "check/plan.h"

static struct bytes path_token(const char **at)
{
	const char *start = *at + strspn(*at, " \t\r\n/");
	size_t size = strcspn(start, " \t\r\n/[");
	*at = start + size;
	return (struct bytes){start, size};
}

static void skip_predicates(const char **at)
{
	const char *p = *at + strspn(*at, " \t\r\n");
	while (*p == '[') {
		char quote = 0;
		for (; *p && (quote || *p != ']'); p++) {
			if (quote == *p)
				quote = 0;
			else if (!quote && (*p == '\'' || *p == '"'))
				quote = *p;
		}
		if (*p)
			p++;
		p += strspn(p, " \t\r\n");
	}
	*at = p;
}

static const struct schema_node *path_child(const struct schema *schema, const struct schema_xpath *path,
					    const struct schema_node *node, struct bytes name)
{
	const char *colon = memchr(name.data, ':', name.size);
	struct bytes prefix = {name.data, colon ? (size_t)(colon - name.data) : 0};
	if (colon)
		name = (struct bytes){colon + 1, name.size - prefix.size - 1};
	const struct schema_module *module = schema_xpath_prefix(schema, path, prefix);
	return module ? schema_child_find(schema, node, module, name) : NULL;
}

const struct schema_node *check__path_target(const struct schema *schema, const struct schema_xpath *path,
					     const struct schema_node *leaf)
{
	const char *at = path->expression + strspn(path->expression, " \t\r\n");
	const struct schema_node *node = *at == '/' ? schema->root : leaf;
	while (node) {
		struct bytes name = path_token(&at);
		if (name.size == 0)
			break;
		if (bytes_equal(name, bytes_of("..")))
			node = node->parent;
		else if (!bytes_equal(name, bytes_of(".")) && !bytes_equal(name, bytes_of("current()")))
			node = path_child(schema, path, node, name);
		skip_predicates(&at);
	}
	bool is_value = node && (node->kind == SCHEMA_LEAF || node->kind == SCHEMA_LEAF_LIST);
	return is_value ? node : NULL;
}
