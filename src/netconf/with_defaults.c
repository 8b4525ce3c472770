/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A copy with other defaults than the source: the source is walked as the view presents it, and what the copy
 * has to have more or less goes into a builder that starts from it. What is not touched stays shared.
 *
 * Defaults in use are seen by all that reads the configuration, so setting them changes no `when`.
 */
#include "netconf/with_defaults.h"

#include "check/implicit.h"
#include "store/plan.h"
#include "tree/builder.h"

struct rewrite {
	const struct schema *schema;
	struct codec_view view;
	struct tree_builder *builder;
};

static void rewrite_children(struct rewrite *rewrite, const struct tree_position *parent);

/* Within a node that the builder has entered. */
static void rewrite_inner(struct rewrite *rewrite, const struct tree_position *node)
{
	rewrite_children(rewrite, node);
	tree_builder_leave(rewrite->builder);
}

static void rewrite_leaf(struct rewrite *rewrite, const struct tree_position *leaf)
{
	if (leaf->implicit && leaf->schema->kind == SCHEMA_LEAF)
		tree_builder_set_leaf(rewrite->builder, leaf->schema, leaf->value);
	else if (leaf->implicit)
		tree_builder_add_value(rewrite->builder, leaf->schema, leaf->value);
}

static bool is_trimmed(const struct rewrite *rewrite, const struct tree_position *node)
{
	if (rewrite->view.defaults != CODEC_TRIM)
		return false;
	if (node->schema->kind == SCHEMA_LEAF_LIST)
		return node->index == 1 &&
		       codec_view_is_default(node->schema,
					     tree_record_find(node->parent->record, node->schema)->map);
	return !codec_view_shows(&rewrite->view, node);
}

static void rewrite_child(struct rewrite *rewrite, const struct tree_position *child)
{
	if (is_trimmed(rewrite, child)) {
		tree_builder_remove(rewrite->builder, child->schema);
		return;
	}
	if (child->implicit && !codec_view_shows(&rewrite->view, child))
		return;
	if (child->schema->kind == SCHEMA_CONTAINER) {
		tree_builder_enter(rewrite->builder, child->schema);
		rewrite_inner(rewrite, child);
	} else if (child->schema->kind == SCHEMA_LIST) {
		if (tree_builder_enter_existing_entry(rewrite->builder, child->schema,
						      &child->record->slots[0].value))
			rewrite_inner(rewrite, child);
	} else {
		rewrite_leaf(rewrite, child);
	}
}

static void rewrite_children(struct rewrite *rewrite, const struct tree_position *parent)
{
	struct tree_cursor cursor;
	struct tree_position child;
	tree_cursor_init(&cursor, rewrite->schema, parent, codec_view_tree(&rewrite->view));
	while (tree_cursor_next(&cursor, &child))
		rewrite_child(rewrite, &child);
}

const struct tree_record *netconf__defaults_apply(struct netconf_server *server,
						  const struct tree_record *root,
						  enum codec_defaults defaults)
{
	if (defaults == CODEC_EXPLICIT)
		return root;
	struct check_implicit *implicit = check_implicit_new(store_plan(server->store), root);
	struct rewrite rewrite = {
		.schema = server->schema,
		.view = {.defaults = defaults, .implicit = check_implicit_get(implicit)},
		.builder = tree_builder_new(server->schema, root, server->reclaimer),
	};
	struct tree_position top = tree_position_root(server->schema, root);
	rewrite_children(&rewrite, &top);
	const struct tree_record *made = tree_builder_finish(rewrite.builder);
	check_implicit_free(implicit);
	tree_record_unref(root, server->schema->root, server->reclaimer);
	return made;
}
