/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * The naive model of a tree: every instance a struct of its own with a sorted array of children, copied deep
 * for each version. No sharing, no search trees, nothing to get wrong.
 */
#include "helper_tree.h"

enum { MODEL_NOTES = 3 };

struct model_node {
	const struct schema_node *schema;
	struct value value;		 /* leaf, leaf-list */
	struct tree_any *any;		 /* anydata */
	struct value notes[MODEL_NOTES]; /* annotations, by their index */
	struct model_node **children; /* by slot, then keys or value, or in their own order; list entries have
				       * their key leafs as children */
	size_t length;
};

struct model_node *model_new(const struct schema_node *schema);
struct model_node *model_dup(const struct model_node *node);
void model_free(struct model_node *node);
/* The content of a child at its place, user-ordered and in sequences the last; Takes `child`. Needs that it
 * is not there. */
void model_insert(struct model_node *parent, struct model_node *child);
/* The instance of a leaf, container or any; of a list or leaf-list the one with the keys. NULL: absent. */
struct model_node *model_find(const struct model_node *parent, const struct schema_node *schema,
			      const struct value *keys);
/* Items of one list or leaf-list by their index, from 0 on. */
struct model_node *model_at(const struct model_node *parent, const struct schema_node *schema, size_t index);
size_t model_index(const struct model_node *parent, const struct model_node *child);
size_t model_count(const struct model_node *parent, const struct schema_node *schema);
void model_insert_at(struct model_node *parent, struct model_node *child, size_t index);
/* `index`: where it is afterwards. */
void model_move(struct model_node *parent, struct model_node *child, size_t index);
void model_remove(struct model_node *parent, struct model_node *child);
/* All instances of a child; the number removed. */
size_t model_remove_all(struct model_node *parent, const struct schema_node *schema);
struct model_node *model_new_entry(const struct schema_node *list, const struct value *keys);
/* A model of what is stored, by way of a cursor. */
struct model_node *model_of(const struct schema *schema, const struct tree_position *position);
bool model_has_notes(const struct model_node *node);
bool model_equal(const struct model_node *a, const struct model_node *b);
/* Fails the test where the root is not exactly the model. */
void model_check(const struct schema *schema, const struct tree_record *root, const struct model_node *model);
/* Turns a model of the old root into one of the new root; checks what the change set promises. */
void model_apply(struct model_node *model, const struct schema *schema,
		 const struct tree_change_set *changes);
