/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * The structural difference of two roots of one schema: a change set. It is a tree of changes in document
 * order; every change pairs the old and the new content of one instance:
 *
 *   old set, new set     the instance is in both: a leaf's value or any content differs, or (container,
 * entry, root) something below differs: then `children` has exactly those that differ, and they are not empty
 *   old unset, new set   created, with all that is below (not expanded: walk the new subtree)
 *   old set, new unset   deleted, with all that is below (not expanded: walk the old subtree)
 *
 * Leaf-list values are created or deleted, never modified. Shared subtrees are not visited: O(change * log
 * n). Borrows both roots: hold them as long as the change set.
 */
#include "base/arena.h"
#include "tree/position.h"

struct tree_change {
	const struct tree_change *parent; /* NULL: the root's change */
	const struct schema_node *schema;
	union tree_slot old_content,
		new_content; /* record, value or any of the instance (lists: one entry a change) */
	bool has_old, has_new;
	struct tree_change *children, *last_child; /* in document order */
	struct tree_change *next;
};

struct tree_change_set {
	const struct tree_record *old_root, *new_root;
	struct tree_change *root; /* NULL: the roots are equal */
	size_t length;		  /* changes that are leaves of the tree of changes */
	size_t visited; /* children, map nodes and items that were looked at: what the diff did cost */
};

/* Never fails; the memory is the arena's. */
void tree_diff(const struct schema *schema, const struct tree_record *old_root,
	       const struct tree_record *new_root, struct arena *arena, struct tree_change_set *changes);
/* The position of a change in the old or in the new tree (NULL where it has none there), in the arena. */
const struct tree_position *tree_change_position(const struct tree_change *change, bool in_new,
						 struct arena *arena);
