/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * The builder: the only way to change a tree. It starts from a root, stands at a position (a stack of
 * frames), changes what is at that position, and ends with a new root that shares everything unchanged with
 * the old one.
 *
 *     struct tree_builder *builder = tree_builder_new(schema, old_root, reclaimer);
 *     tree_builder_enter(builder, container);               // made if absent
 *     tree_builder_enter_entry(builder, list, keys, &made); // made if absent
 *     tree_builder_set_leaf(builder, leaf, value);
 *     tree_builder_leave(builder);
 *     tree_builder_leave(builder);
 *     struct tree_record *new_root = tree_builder_finish(builder);
 *
 * Entering copies nothing. The first change at a position makes its frames the builder's own, from the root
 * down: a node that is reached only through nodes with one reference is changed in place (transient), others
 * are copied. So loading n entries costs no path copies, a single change costs O(log n), and setting what is
 * already there (equal values) changes nothing: a builder that changed nothing finishes with the same root
 * pointer. Appending entries in ascending key order, and entering the entry after the last one, take a short
 * cut.
 *
 * One thread a builder. Structure is asserted: entering a node that is no child of the present one is a bug.
 */
#include "tree/annotation.h"
#include "tree/position.h"
#include "tree/reclaim.h"

struct tree_builder;

/* Where an item of a user-ordered list or leaf-list goes. AFTER_RUN is AFTER, and many more will be put
 * behind this one in turn: a hint of how to use the room there. */
enum tree_where { TREE_LAST, TREE_FIRST, TREE_BEFORE, TREE_AFTER, TREE_AFTER_RUN };

struct tree_insert {
	enum tree_where where;
	/* BEFORE, AFTER: the keys (leaf-list: the value) of another item, which must be there. Not to be in
	 * the tree's own memory but by reference: a copy of the `struct value`s. */
	const struct value *anchor;
};

/* Refs `base` itself. `reclaimer` gets what changes release (NULL: at once). */
struct tree_builder *tree_builder_new(const struct schema *schema, const struct tree_record *base,
				      struct tree_reclaimer *reclaimer);
/* The same for what is no datastore: the input or output of an operation. `top` is the schema node of `base`.
 */
struct tree_builder *tree_builder_new_at(const struct schema *schema, const struct schema_node *top,
					 const struct tree_record *base, struct tree_reclaimer *reclaimer);
/* Gives the new root (one reference) and frees the builder. Leaves all open positions. */
struct tree_record *tree_builder_finish(struct tree_builder *builder);
/* Frees the builder and what it made. */
void tree_builder_abort(struct tree_builder *builder);

/* What data are changed at from here on, and what is made, gets this stamp with all above it (stamp.h); 0:
 * stamps stay. For who makes a version of its record. */
void tree_builder_set_stamp(struct tree_builder *builder, uint32_t stamp);

/* The present position. Valid until the next change or enter/leave. */
const struct tree_position *tree_builder_position(const struct tree_builder *builder);

/* Goes into a container that is stored; false (and stays) where it is not. */
bool tree_builder_enter_existing(struct tree_builder *builder, const struct schema_node *container);
/* Goes into a container; where it is absent it is made as soon as something changes below or by
 * tree_builder_make. */
void tree_builder_enter(struct tree_builder *builder, const struct schema_node *container);
/* The present container is stored even if it is empty (presence; explicit creation). */
void tree_builder_make(struct tree_builder *builder);
/* A hint: if the instance that is entered next is made, it will have about so many children. */
void tree_builder_expect(struct tree_builder *builder, uint16_t children);
/* Goes into a list entry; false (and stays) where absent. keys: key_count values, borrowed. */
bool tree_builder_enter_existing_entry(struct tree_builder *builder, const struct schema_node *list,
				       const struct value *keys);
/* Goes into a list entry, made with its key leafs if absent (user-ordered: as the last one); *made tells. */
void tree_builder_enter_entry(struct tree_builder *builder, const struct schema_node *list,
			      const struct value *keys, bool *made);
/* Makes an entry at the end of a list without keys and goes into it. */
void tree_builder_append_entry(struct tree_builder *builder, const struct schema_node *list);
/* Back to the parent. A non-presence container that became empty by removals since it was entered vanishes,
 * unless tree_builder_make was called since, or it has annotations. */
void tree_builder_leave(struct tree_builder *builder);

/* Each returns whether something changed. */
bool tree_builder_set_leaf(struct tree_builder *builder, const struct schema_node *leaf,
			   struct value value); /* borrows */
bool tree_builder_set_any(struct tree_builder *builder, const struct schema_node *node,
			  struct tree_any *any); /* borrows */
/* In a user-ordered leaf-list a new value is the last one; in a sequence (map.h) every one is new. */
bool tree_builder_add_value(struct tree_builder *builder, const struct schema_node *leaf_list,
			    struct value value);
/* User-ordered only: puts an item in its place, made (an entry: with its key leafs) if absent, else moved. */
bool tree_builder_insert_entry(struct tree_builder *builder, const struct schema_node *list,
			       const struct value *keys, const struct tree_insert *insert);
bool tree_builder_insert_value(struct tree_builder *builder, const struct schema_node *leaf_list,
			       struct value value, const struct tree_insert *insert);
bool tree_builder_remove_value(struct tree_builder *builder, const struct schema_node *leaf_list,
			       struct value value);
/* Removes a child of the present position: a leaf, container, any, or a whole list or leaf-list. Not a key.
 */
bool tree_builder_remove(struct tree_builder *builder, const struct schema_node *child);
bool tree_builder_remove_entry(struct tree_builder *builder, const struct schema_node *list,
			       const struct value *keys);
/* Annotations of the present instance (a container that is not stored is made) or of a child of it, which
 * must be stored. They stay when a leaf gets another value, and go with the instance. */
bool tree_builder_annotate(struct tree_builder *builder, struct tree_annotated node,
			   const struct schema_annotation *annotation, struct value value); /* borrows */
/* `annotation` NULL: all of them. */
bool tree_builder_remove_annotation(struct tree_builder *builder, struct tree_annotated node,
				    const struct schema_annotation *annotation);
/* Puts a whole subtree of another root of the same schema in place of the child (container, or list as a
 * whole; borrowed). The annotations of a leaf, leaf-list or anydata are no part of it, and go where it
 * changes.
 */
bool tree_builder_graft(struct tree_builder *builder, const struct schema_node *child,
			const union tree_slot *content);
/* Puts an entry of another root of the same schema (borrowed) into the list, where none has its keys;
 * user-ordered: as the last one. Not for who stamps. */
bool tree_builder_graft_entry(struct tree_builder *builder, const struct schema_node *list,
			      const struct tree_record *entry);
