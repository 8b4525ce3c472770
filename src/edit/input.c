/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From the edit tree of an operation to its input as a record. Other than configuration, input is one piece:
 * there is nothing to merge with, so what is named twice is an error, and so is data of two cases. Lists
 * without keys and leaf-lists keep all that came, in the order in which it came (RFC 7950 7.7, 7.8.2).
 *
 * The way down to an action names one instance, so on it nothing stands beside the next step but keys.
 */
#include "edit/input.h"

#include "base/assert.h"
#include "base/memory.h"
#include "tree/builder.h"

struct making {
	struct tree_builder *builder;
	struct diag_list *diags;
	struct value *keys; /* room for those of one entry */
	size_t capacity;
	bool failed;
};

static bool is_operation(const struct edit_node *node)
{
	return node->schema->kind == SCHEMA_RPC || node->schema->kind == SCHEMA_ACTION;
}

static bool is_key(const struct edit_node *node)
{
	return node->schema->is_key;
}

static enum status refuse_way(struct diag_list *diags, enum diag_tag tag, const char *name,
			      const char *message)
{
	struct diag *diag = diag_add(diags, DIAG_PROTOCOL, tag, "%s", message);
	diag_add_info(diags, diag, "bad-element", name);
	return ST_REJECTED;
}

/* The next step; NULL, with *second set or not, where there is not exactly one. */
static const struct edit_node *next_step(const struct edit_node *node, const struct edit_node **second)
{
	const struct edit_node *step = NULL;
	for (const struct edit_node *child = node->children; child; child = child->next) {
		if (is_key(child))
			continue;
		if (step) {
			*second = child;
			return NULL;
		}
		step = child;
	}
	return step;
}

enum status edit_input_find(const struct edit_tree *tree, struct diag_list *diags,
			    const struct edit_node **operation)
{
	const struct edit_node *node = tree->top, *second = NULL;
	while (node && !is_operation(node))
		node = next_step(node, &second);
	if (second)
		return refuse_way(diags, DIAG_BAD_ELEMENT, second->schema->name,
				  "An action names one instance, and one action of it.");
	if (!node)
		return refuse_way(diags, DIAG_MISSING_ELEMENT, "action", "No action is named.");
	*operation = node;
	return ST_OK;
}

static void make_children(struct making *making, const struct edit_node *parent);

static void refuse(struct making *making, const struct schema_node *child, const char *message)
{
	struct diag *diag = diag_add(making->diags, DIAG_APPLICATION, DIAG_BAD_ELEMENT, "%s", message);
	tree_position_set_diag_child(tree_builder_position(making->builder), child, making->diags, diag);
	diag_add_info(making->diags, diag, "bad-element", child->name);
	making->failed = true;
}

static const struct value *keys_of(struct making *making, const struct edit_node *entry)
{
	uint16_t count = entry->schema->key_count;
	if (making->capacity < count) {
		making->keys = memory_resize(making->keys, count, sizeof(*making->keys));
		making->capacity = count;
	}
	const struct edit_node *key = entry->children;
	for (uint16_t i = 0; i < count; i++, key = key->next)
		making->keys[i] = key->value;
	return making->keys;
}

static void make_entry(struct making *making, const struct edit_node *entry)
{
	bool made = true;
	if (entry->schema->key_count == 0)
		tree_builder_append_entry(making->builder, entry->schema);
	else
		tree_builder_enter_entry(making->builder, entry->schema, keys_of(making, entry), &made);
	if (made)
		make_children(making, entry);
	tree_builder_leave(making->builder);
	if (!made)
		refuse(making, entry->schema, "Two entries of the list have the same keys.");
}

static void make_node(struct making *making, const struct edit_node *node)
{
	const struct schema_node *schema = node->schema;
	switch (schema->kind) {
	case SCHEMA_CONTAINER:
		tree_builder_enter(making->builder, schema);
		if (schema->presence || schema->in_case)
			tree_builder_make(making->builder);
		make_children(making, node);
		tree_builder_leave(making->builder);
		return;
	case SCHEMA_LIST:
		make_entry(making, node);
		return;
	case SCHEMA_LEAF:
		if (!schema->is_key)
			tree_builder_set_leaf(making->builder, schema, node->value);
		return;
	case SCHEMA_LEAF_LIST:
		tree_builder_add_value(making->builder, schema, node->value);
		return;
	case SCHEMA_ANYDATA:
	case SCHEMA_ANYXML:
		tree_builder_set_any(making->builder, schema, node->any);
		return;
	case SCHEMA_ROOT:
	case SCHEMA_RPC:
	case SCHEMA_ACTION:
	case SCHEMA_OUTPUT:
	case SCHEMA_NOTIFICATION:
		break;
	}
	ASSERT(!"a node that no input has");
}

/* The case of that choice which the child is in, directly or deeper; NULL: none. */
static const struct schema_case *case_of(const struct schema_node *child, const struct schema_choice *choice)
{
	for (const struct schema_case *c = child->in_case; c; c = c->choice->outer) {
		if (c->choice == choice)
			return c;
	}
	return NULL;
}

static void check_choice(struct making *making, const struct edit_node *parent,
			 const struct schema_choice *choice)
{
	const struct schema_case *used = NULL;
	for (const struct edit_node *child = parent->children; child; child = child->next) {
		const struct schema_case *c = case_of(child->schema, choice);
		if (c && used && c != used) {
			refuse(making, child->schema, "There is data of another case of the choice, too.");
			return;
		}
		used = c ? c : used;
	}
}

static void make_children(struct making *making, const struct edit_node *parent)
{
	const struct schema_node *schema = parent->schema;
	for (size_t i = 0; i < schema->choice_count; i++)
		check_choice(making, parent, schema->choices[i]);
	for (const struct edit_node *child = parent->children; child; child = child->next)
		make_node(making, child);
}

enum status edit_input_make(const struct schema *schema, const struct edit_node *operation,
			    struct tree_reclaimer *reclaimer, struct diag_list *diags,
			    struct tree_record **record)
{
	struct tree_record *empty = tree_record_new();
	struct tree_builder *builder = tree_builder_new_at(schema, operation->schema, empty, reclaimer);
	tree_record_unref(empty, operation->schema, NULL);
	enum status status = edit_input_build(builder, operation, diags);
	if (status == ST_OK)
		*record = tree_builder_finish(builder);
	else
		tree_builder_abort(builder);
	return status;
}

enum status edit_input_build(struct tree_builder *builder, const struct edit_node *operation,
			     struct diag_list *diags)
{
	struct making making = {.builder = builder, .diags = diags};
	make_children(&making, operation);
	memory_free(making.keys);
	return making.failed ? ST_REJECTED : ST_OK;
}
