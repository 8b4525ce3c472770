/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The edit tree's storage. A request's decoder appends nodes in the order in which elements arrive, so a node
 * is one allocation from the tree's arena and nothing ever moves. What the arena does not own are references:
 * a value may hold a shared text and an anydata node its content, and those are dropped node by node when the
 * tree goes. The walk that does so is recursive; an edit tree is as deep as the schema at most.
 */
#include "edit/edit_tree.h"

#include "base/assert.h"
#include "base/memory.h"

static void release_insert_keys(const struct edit_node *node)
{
	if (!node->insert_keys)
		return;
	size_t length = node->schema->kind == SCHEMA_LIST ? node->schema->key_count : 1;
	for (size_t i = 0; i < length; i++)
		value_unref(node->insert_keys[i]);
}

static void release_below(const struct edit_node *parent)
{
	for (const struct edit_node *node = parent->children; node; node = node->next) {
		value_unref(node->value);
		if (node->any)
			tree_any_unref(node->any);
		release_insert_keys(node);
		for (const struct edit_annotation *at = node->annotations; at; at = at->next)
			value_unref(at->value);
		release_below(node);
	}
}

struct edit_tree *edit_tree_new(const struct schema *schema)
{
	struct edit_tree *tree = memory_zalloc(sizeof(*tree));
	tree->arena = arena_new();
	tree->top = arena_zalloc(tree->arena, sizeof(*tree->top));
	tree->top->schema = schema->root;
	tree->node_count = 1;
	return tree;
}

void edit_tree_free(struct edit_tree *tree)
{
	if (!tree)
		return;
	release_below(tree->top);
	if (tree->prepared)
		tree_record_unref(tree->prepared, tree->top->schema, tree->reclaimer);
	arena_free(tree->arena);
	memory_free(tree);
}

struct edit_node *edit_tree_add(struct edit_tree *tree, struct edit_node *parent,
				const struct schema_node *schema)
{
	ASSERT(schema->parent == parent->schema || schema->kind == SCHEMA_RPC);
	struct edit_node *node = arena_zalloc(tree->arena, sizeof(*node));
	node->schema = schema;
	bool is_same = parent->last_child && parent->last_child->schema == schema;
	if (!is_same && parent->kinds < UINT16_MAX)
		parent->kinds++;
	if (parent->last_child)
		parent->last_child->next = node;
	else
		parent->children = node;
	parent->last_child = node;
	tree->node_count++;
	return node;
}

void edit_tree_annotate(struct edit_tree *tree, struct edit_node *node,
			const struct schema_annotation *annotation, struct value value)
{
	struct edit_annotation **link = &node->annotations;
	while (*link && (*link)->schema != annotation)
		link = &(*link)->next;
	if (!*link) {
		*link = arena_zalloc(tree->arena, sizeof(**link));
		(*link)->schema = annotation;
	}
	value_unref((*link)->value);
	(*link)->value = value;
}

void edit_tree_expect(struct edit_tree *tree, const struct edit_node *node, struct bytes name,
		      struct bytes etag)
{
	struct edit_condition *condition = arena_zalloc(tree->arena, sizeof(*condition));
	condition->node = node;
	condition->is_time = bytes_equal(name, bytes_of("last-modified"));
	condition->etag = arena_strdup(tree->arena, etag);
	if (tree->last_condition != NULL)
		tree->last_condition->next = condition;
	else
		tree->conditions = condition;
	tree->last_condition = condition;
}
