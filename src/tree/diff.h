/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * The structural difference of two roots of one schema: a change set. It is a tree of changes in document
 * order; every change pairs the old and the new content of one instance:
 *
 *   old set, new set     the instance is in both: a leaf's value or any content differs, or (container,
 * entry, root) something below differs: then `children` has exactly those that differ, and they are not empty
 * (but see below for moved ones)
 *   old unset, new set   created, with all that is below (not expanded: walk the new subtree)
 *   old set, new unset   deleted, with all that is below (not expanded: walk the old subtree)
 *
 * Where the annotations of an instance that is in both differ, its change is `annotated`, and may have
 * nothing else: a leaf whose value is the same, a container without children, a leaf-list value in both.
 * Those of a leaf-list come after the others of it.
 *
 * Leaf-list values are created or deleted, never modified otherwise. Shared subtrees are not visited:
 * O(change * log n). Borrows both roots: hold them as long as the change set.
 *
 * Of a user-ordered list or leaf-list, an item in both is `moved` if its place among the others in both is
 * another: as few of them as explain the new order. A moved entry with nothing else changed has no children.
 * The changes of one such list are those deleted, in the old order, then all others in the new order; applied
 * one by one in this order (created and moved ones: put behind `predecessor`) they make the new list of the
 * old one.
 *
 * Items of a sequence (map.h) are compared position by position.
 */
#include "base/arena.h"
#include "tree/annotation.h"
#include "tree/position.h"

struct tree_change {
	const struct tree_change *parent; /* NULL: the root's change */
	const struct schema_node *schema;
	union tree_slot old_content,
		new_content; /* record, value or any of the instance (lists: one entry a change) */
	bool has_old, has_new;
	bool moved;		      /* user-ordered, in both */
	bool annotated;		      /* in both, with other annotations */
	uint32_t index;		      /* sequence: the position of the item, from 1 on; elsewhere 0 */
	struct tree_change *children; /* in document order */
	union {
		struct tree_change *last_child; /* private: while the diff is made */
		/* User-ordered, created or moved: the item that it follows in the new tree; NULL: it is the
		 * first. Means nothing elsewhere. */
		const union tree_item *predecessor;
	};
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
/*
 * What makes the order of a user-ordered list (or leaf-list) another one, and no more: the items deleted,
 * created and moved, as the children of a root that stands for their parent, in the order said above. Items
 * that only differ in what is below are not among them. Either map may be NULL (empty). False, and nothing,
 * where more than `limit` items differ in any way.
 */
bool tree_diff_order(const struct schema_node *node, const struct tree_map *old_map,
		     const struct tree_map *new_map, size_t limit, struct arena *arena,
		     struct tree_change_set *changes);
/* The annotations of the change's instance in the old or in the new tree, where it is there. */
const struct tree_annotation *tree_change_annotations(const struct tree_change *change, bool in_new,
						      size_t *count);
/* The position of a change in the old or in the new tree (NULL where it has none there), in the arena. */
const struct tree_position *tree_change_position(const struct tree_change *change, bool in_new,
						 struct arena *arena);
