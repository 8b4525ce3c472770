/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* What the parts of the diff share: diff.c (records, maps by key), diff_order.c (user order, sequences). */
#include "tree/diff.h"
#include "tree/internal.h"

struct tree__diff {
	struct arena *arena;
	struct tree_change_set *changes;
	bool order_only;    /* tree_diff_order: nothing is looked for within an item */
	size_t order_limit; /* ... and so many items may differ; else 0 */
};

/* A change below `parent` of an instance that is in one tree only, or is a value that differs or moved. */
struct tree_change *tree__diff_add(struct tree__diff *diff, struct tree_change *parent,
				   const struct schema_node *schema, const union tree_slot *old_content,
				   const union tree_slot *new_content);
/* A container, list entry or root in both. Gives NULL where nothing below differs, unless `moved`. */
struct tree_change *tree__diff_instance(struct tree__diff *diff, struct tree_change *parent,
					const struct schema_node *schema, const union tree_slot *old_content,
					const union tree_slot *new_content, bool moved);

/* Annotations that differ, of the record that `change` is of itself (diff_annotations.c). */
bool tree__diff_own_annotations(const struct tree_change *change);
/* The same of a child that is stored in both. `before`: the last change of `parent` before those of the
 * child; NULL: they are the first. */
void tree__diff_annotations(struct tree__diff *diff, struct tree_change *parent,
			    const struct schema_node *child, struct tree_change *before);

/* Either map may be NULL (absent). */
void tree__diff_user_ordered(struct tree__diff *diff, struct tree_change *parent,
			     const struct schema_node *node, const struct tree_map *old_map,
			     const struct tree_map *new_map);
void tree__diff_sequences(struct tree__diff *diff, struct tree_change *parent, const struct schema_node *node,
			  const struct tree_map *old_map, const struct tree_map *new_map);
