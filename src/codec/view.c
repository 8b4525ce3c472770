/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a view presents, node by node. Both sides of a reply ask here, the walk that writes it and the filter
 * that picks: so a content match sees a default exactly where the reply would show it.
 *
 * An implicit node is asked for only where all above it are there.
 */
#include "codec/view.h"

static bool is_there(const struct codec_view *view, const struct tree_position *node)
{
	if (!node->schema->config)
		return false;
	if (node->schema->when_count == 0 || view->implicit == NULL)
		return true;
	bool there = false;
	return view->implicit->exists(view->implicit, node, &there) == ST_OK && there;
}

/* By itself, whatever may be in it. */
static bool is_hidden(const struct codec_view *view, const struct tree_position *node)
{
	unsigned origin = node->implicit ? CODEC_ORIGIN_DEFAULT : CODEC_ORIGIN_INTENDED;
	if (!node->schema->config)
		return view->content == CODEC_CONFIG;
	return view->content == CODEC_STATE || (view->hidden_origins & origin) != 0;
}

static bool has_children(const struct schema_node *schema)
{
	return schema->kind == SCHEMA_CONTAINER || schema->kind == SCHEMA_LIST;
}

bool codec_view_shows_as_frame(const struct codec_view *view, const struct tree_position *node)
{
	return is_hidden(view, node);
}

bool codec_view_shows(const struct codec_view *view, const struct tree_position *node)
{
	if (view == NULL)
		return !node->implicit;
	/* Below state is only state; below configuration there may be what is not hidden. */
	if (is_hidden(view, node) && (!node->schema->config || !has_children(node->schema)))
		return node->schema->is_key && node->schema->config;
	switch (view->defaults) {
	case CODEC_EXPLICIT:
		break;
	case CODEC_REPORT_ALL:
		return !node->implicit || is_there(view, node);
	case CODEC_TRIM:
		if (node->schema->kind == SCHEMA_LEAF && node->schema->default_count == 1 &&
		    value_equal(node->value, node->schema->defaults[0]))
			return false;
		break;
	}
	return !node->implicit;
}

bool codec_view_is_default(const struct schema_node *leaf_list, const struct tree_map *map)
{
	struct tree_map_iter iter;
	if (leaf_list->default_count == 0 || tree_map_count(map) != leaf_list->default_count)
		return false;
	bool ordered = tree_node_is_user_ordered(leaf_list) || tree_node_is_sequence(leaf_list);
	const union tree_item *item = ordered ? tree_map_first(&iter, map, leaf_list) : NULL;
	for (size_t i = 0; i < leaf_list->default_count; i++) {
		if (!ordered)
			item = tree_map_find(map, leaf_list, &leaf_list->defaults[i]);
		if (item == NULL || !value_equal(item->value, leaf_list->defaults[i]))
			return false;
		if (ordered)
			item = tree_map_next(&iter);
	}
	return true;
}
