/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which value indexes a plan has, and the schema of the tree that they are stored in. Constraints that need
 * the same leafs at the same anchor share an index.
 */
#include "check/index.h"

#include <string.h>

#include "schema/type.h"

/* Less than any other value of a number's type by the order of sort keys. */
#define LEAST_NUMBER "-99999999999999999999.9"

uint16_t check__keys_above(const struct schema_node *node)
{
	uint16_t count = 0;
	for (; node; node = node->parent)
		count = (uint16_t)(count + (node->kind == SCHEMA_LIST ? node->key_count : 0));
	return count;
}

size_t check__index_column(const struct check__index *index, const struct schema_node *leaf)
{
	size_t column = 0;
	while (index->leafs[column] != leaf)
		column++;
	return column;
}

const struct schema_node *check__index_turn(const struct schema_node *leaf, const struct schema_node *context)
{
	const struct schema_node *above = leaf->parent;
	while (!check__is_above_or_at(above, context)) {
		if (above->kind != SCHEMA_CONTAINER)
			return NULL;
		above = above->parent;
	}
	return above;
}

/* Sorted by id without doubles; gives how many. */
static size_t sort_leafs(const struct schema_node **leafs, size_t count)
{
	size_t length = 0;
	for (size_t i = 0; i < count; i++) {
		const struct schema_node *leaf = leafs[i];
		size_t at = length;
		while (at > 0 && leafs[at - 1]->id > leaf->id)
			at--;
		if (at > 0 && leafs[at - 1] == leaf)
			continue;
		memmove(&leafs[at + 1], &leafs[at], (length - at) * sizeof(*leafs));
		leafs[at] = leaf;
		length++;
	}
	return length;
}

static const struct check__index *find_index(const struct check_plan *plan, const struct check__index *wanted)
{
	for (uint32_t i = 0; i < plan->indexes.length; i++) {
		const struct check__index *index = plan->indexes.items[i];
		if (index->anchor == wanted->anchor && index->leaf_count == wanted->leaf_count &&
		    memcmp(index->leafs, wanted->leafs, wanted->leaf_count * sizeof(*index->leafs)) == 0)
			return index;
	}
	return NULL;
}

static void add_feeds(struct check_plan *plan, const struct check__index *index)
{
	for (size_t i = 0; i < index->leaf_count; i++)
		check__list_push(plan->arena, &plan->nodes[index->leafs[i]->id].feeds, index);
}

const struct check__index *check__index_make(struct check_plan *plan, const struct schema_node *context,
					     const struct schema_node *const *leafs, size_t count)
{
	struct check__index *index = arena_zalloc(plan->arena, sizeof(*index));
	index->leafs = arena_alloc(plan->arena, (count + 1) * sizeof(*index->leafs));
	memcpy(index->leafs, leafs, count * sizeof(*leafs));
	index->leaf_count = (uint16_t)sort_leafs(index->leafs, count);
	index->anchor = plan->schema->root;
	for (size_t i = 0; i < index->leaf_count; i++) {
		const struct schema_node *leaf = index->leafs[i], *turn = check__index_turn(leaf, context);
		if (!turn || (leaf->kind == SCHEMA_LEAF_LIST && leaf != context))
			return NULL;
		if (leaf->kind == SCHEMA_LEAF_LIST)
			index->values = leaf;
		if (turn->depth > index->anchor->depth)
			index->anchor = turn;
	}
	const struct check__index *known = find_index(plan, index);
	if (known)
		return known;
	index->id = plan->indexes.length;
	index->key_count = check__keys_above(index->anchor);
	uint16_t columns = (uint16_t)(index->leaf_count + index->key_count);
	if (columns > plan->columns_max)
		plan->columns_max = columns;
	check__list_push(plan->arena, &plan->indexes, index);
	add_feeds(plan, index);
	return index;
}

/* ---- The schema of the indexes. ---- */

static struct schema_node *new_node(struct arena *arena, enum schema_kind kind, const char *name)
{
	struct schema_node *node = arena_zalloc(arena, sizeof(*node));
	node->kind = kind;
	node->name = name;
	node->name_bytes = bytes_of(name);
	node->config = true;
	node->max_elements = UINT32_MAX;
	return node;
}

static void add_child(struct schema_node *parent, struct schema_node *child)
{
	child->parent = parent;
	child->slot = parent->child_count;
	child->depth = (uint16_t)(parent->depth + 1);
	parent->children[parent->child_count++] = child;
}

static void add_column(struct arena *arena, struct schema_node *list, const struct schema_node *leaf)
{
	struct schema_node *column = new_node(arena, SCHEMA_LEAF, leaf->name);
	column->type = leaf->type;
	column->is_key = true;
	add_child(list, column);
	list->key_count++;
}

static void add_key_columns(struct arena *arena, struct schema_node *list, const struct schema_node *node)
{
	if (!node)
		return;
	add_key_columns(arena, list, node->parent);
	for (size_t i = 0; node->kind == SCHEMA_LIST && i < node->key_count; i++)
		add_column(arena, list, node->children[i]);
}

static struct schema_node *make_list(struct arena *arena, const struct check__index *index)
{
	struct schema_node *list = new_node(arena, SCHEMA_LIST, index->anchor->name);
	size_t columns = (size_t)index->leaf_count + index->key_count;
	list->children = arena_alloc(arena, columns * sizeof(*list->children));
	for (size_t i = 0; i < index->leaf_count; i++)
		add_column(arena, list, index->leafs[i]);
	add_key_columns(arena, list, index->anchor);
	return list;
}

void check__index_finish(struct check_plan *plan)
{
	plan->least_number = value_new(bytes_of(LEAST_NUMBER), 0);
	if (plan->indexes.length == 0)
		return;
	struct arena *arena = plan->arena;
	struct schema_node *root = new_node(arena, SCHEMA_ROOT, "");
	root->children = arena_alloc(arena, plan->indexes.length * sizeof(*root->children));
	for (uint32_t i = 0; i < plan->indexes.length; i++) {
		struct check__index *index = (struct check__index *)plan->indexes.items[i];
		struct schema_node *list = make_list(arena, index);
		list->id = i + 1;
		add_child(root, list);
		index->list = list;
	}
	plan->index_schema = arena_zalloc(arena, sizeof(*plan->index_schema));
	plan->index_schema->root = root;
}
