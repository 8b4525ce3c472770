/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where a leafref leads: the leaf that its path names, seen from one leaf. libyang knows it too, but shares a
 * union among all leafs of a typedef, and with it the target of a leafref inside, though a relative path
 * leads each of them elsewhere. The target's type decides how a value is read, so it is found here, for each
 * leaf.
 *
 * A path (RFC 7950 9.9.2) is made of "..", names and predicates; predicates select entries and never change
 * which schema node is meant. In an rpc or action the path's root is above its input or output.
 */
#include "schema/compile.h"

struct path_walk {
	struct compile *compile;
	const struct schema_xpath *path;
	const char *at;
	const struct schema_node *leaf; /* where it starts */
	const struct schema_node *node; /* NULL: the path leads nowhere that we know */
};

static void skip_blanks(struct path_walk *walk)
{
	walk->at += strspn(walk->at, " \t\r\n");
}

/* Goes over text that begins with `text`. */
static bool take(struct path_walk *walk, const char *text)
{
	size_t size = strlen(text);
	if (strncmp(walk->at, text, size) != 0)
		return false;
	walk->at += size;
	skip_blanks(walk);
	return true;
}

static void skip_predicates(struct path_walk *walk)
{
	char quote = '\0';
	for (unsigned depth = 0; *walk->at != '\0'; walk->at++) {
		char c = *walk->at;
		if (quote != '\0')
			quote = c == quote ? '\0' : quote;
		else if (c == '\'' || c == '"')
			quote = c;
		else if (c == '[')
			depth++;
		else if (c == ']')
			depth--;
		else if (depth == 0 && strchr(" \t\r\n", c) == NULL)
			return;
	}
}

static const struct schema_node *parent_of(const struct compile *compile, const struct schema_node *node)
{
	if (node->kind == SCHEMA_OUTPUT) /* stands for the operation itself */
		node = node->parent;
	if (node->parent == NULL && node->kind != SCHEMA_ROOT)
		return compile->schema->public.root;
	return node->parent;
}

/* The output that the node is in; NULL: it is in none. */
static const struct schema_node *output_of(const struct schema_node *node)
{
	while (node != NULL && node->kind != SCHEMA_OUTPUT)
		node = node->parent;
	return node;
}

static const struct schema_node *child_of(const struct path_walk *walk, const struct schema_node *node,
					  const struct schema_module *module, struct bytes name)
{
	const struct schema *schema = &walk->compile->schema->public;
	const struct schema_node *child = schema_child_find(schema, node, module, name);
	if (child == NULL)
		child = schema_action_find(schema, node, module, name);
	const struct schema_node *output = output_of(walk->leaf);
	if (child != NULL && output != NULL && output->parent == child)
		return output;
	return child != NULL ? child : schema_notification_find(schema, node, module, name);
}

static void step_down(struct path_walk *walk)
{
	size_t size = strcspn(walk->at, " \t\r\n/[:(");
	struct bytes prefix = {NULL, 0}, name = {walk->at, size};
	if (walk->at[size] == ':') {
		prefix = name;
		walk->at += size + 1;
		size = strcspn(walk->at, " \t\r\n/[:(");
		name = (struct bytes){walk->at, size};
	}
	walk->at += size;
	const struct schema_module *module =
		schema_xpath_prefix(&walk->compile->schema->public, walk->path, prefix);
	walk->node = module == NULL || size == 0 ? NULL : child_of(walk, walk->node, module, name);
}

const struct schema_node *compile_leafref_target(struct compile *compile, const struct schema_xpath *path,
						 const struct schema_node *leaf)
{
	struct path_walk walk = {compile, path, path->expression, leaf, leaf};
	skip_blanks(&walk);
	if (take(&walk, "/"))
		walk.node = compile->schema->public.root;
	else if (take(&walk, "current()"))
		take(&walk, "/");
	while (walk.node != NULL && *walk.at != '\0') {
		if (take(&walk, ".."))
			walk.node = parent_of(compile, walk.node);
		else if (!take(&walk, "."))
			step_down(&walk);
		skip_predicates(&walk);
		if (*walk.at != '\0' && !take(&walk, "/"))
			return NULL;
	}
	return walk.node != NULL && (walk.node->kind == SCHEMA_LEAF || walk.node->kind == SCHEMA_LEAF_LIST)
		       ? walk.node
		       : NULL;
}
