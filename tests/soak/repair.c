/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Takes out of a root what our violations name: the node itself; where nothing is stored there (it is
 * missing, a default, a key), the closest node above that can go. libyang stops at its first error, so what
 * it thinks of the rest is only seen in what is left.
 */
#include "soak.h"

#include <string.h>

#include "xpath/xpath.h"

static const struct schema_module *module_named(void *arg, struct bytes prefix)
{
	return schema_module_find(arg, prefix);
}

/* The nodes of an instance path, stored ones only. False where there are none. */
static bool find_nodes(struct soak *soak, const struct tree_record *root, struct bytes path,
		       struct xpath_value *value)
{
	struct xpath_scope scope = {.schema = soak->schema,
				    .context = soak->schema->root,
				    .resolve = module_named,
				    .arg = soak->schema};
	struct xpath_error error;
	const struct xpath_expr *expr;
	if (path.size == 0 || xpath_compile(&scope, path, soak->round, &error, &expr) != ST_OK)
		return false;
	struct xpath_limits limits = {.steps = 1000000, .max_nodes = 100000};
	struct xpath_env env = {.schema = soak->schema,
				.root = root,
				.arena = soak->round,
				.limits = &limits,
				.view = TREE_EXPLICIT};
	struct tree_position *position = arena_alloc(soak->round, sizeof(*position));
	*position = tree_position_root(soak->schema, root);
	return xpath_eval(expr, &env, position, value) == ST_OK && value->type == XPATH_NODE_SET &&
	       value->length > 0;
}

/* The path without its last step; size 0 at the end. */
static struct bytes parent_path(struct bytes path)
{
	size_t slash = 0;
	char quote = 0;
	for (size_t i = 0; i < path.size; i++) {
		char c = path.data[i];
		if (quote ? c == quote : c == '\'' || c == '"')
			quote = quote ? 0 : c;
		else if (!quote && c == '/')
			slash = i;
	}
	return (struct bytes){path.data, slash};
}

static size_t enter(struct tree_builder *builder, const struct tree_position *position, bool *there)
{
	if (!position->parent)
		return 0;
	size_t entered = enter(builder, position->parent, there);
	if (!*there)
		return entered;
	if (position->schema->kind == SCHEMA_LIST)
		*there = tree_builder_enter_existing_entry(builder, position->schema,
							   &position->record->slots[0].value);
	else
		*there = tree_builder_enter_existing(builder, position->schema);
	return entered + *there;
}

bool soak_remove(struct tree_builder *builder, const struct tree_position *position)
{
	const struct schema_node *node = position->schema;
	bool there = true, removed = false;
	size_t entered = enter(builder, position->parent, &there);
	if (there && node->kind == SCHEMA_LIST)
		removed = tree_builder_remove_entry(builder, node, &position->record->slots[0].value);
	else if (there && node->kind == SCHEMA_LEAF_LIST)
		removed = tree_builder_remove_value(builder, node, position->value);
	else if (there)
		removed = tree_builder_remove(builder, node);
	while (entered-- > 0)
		tree_builder_leave(builder);
	return removed;
}

static void remove_named(struct soak *soak, const struct tree_record *root, struct tree_builder *builder,
			 const struct diag *diag)
{
	struct xpath_value found;
	struct bytes path = bytes_of(diag->path ? diag->path : "");
	while (path.size > 0 && !find_nodes(soak, root, path, &found))
		path = parent_path(path);
	for (size_t i = 0; path.size > 0 && i < found.length; i++) {
		const struct tree_position *node = found.nodes[i];
		if (node->schema->is_key)
			node = node->parent;
		if (node->parent)
			soak_remove(builder, node);
	}
}

struct tree_record *soak_without_named(struct soak *soak, const struct tree_record *root,
				       const struct diag_list *diags)
{
	struct tree_builder *builder = tree_builder_new(soak->schema, root, NULL);
	for (const struct diag *diag = diags->first; diag; diag = diag->next)
		remove_named(soak, root, builder, diag);
	struct tree_record *rest = tree_builder_finish(builder);
	if (rest != root)
		return rest;
	soak_drop(soak, rest);
	return NULL;
}
