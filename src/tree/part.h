/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * Parts of a large list, built apart from the tree, each by a thread of its own, and put behind each other:
 *
 *     struct tree_builder *part = tree_part_new(builder, list->parent);     // any thread
 *     tree_builder_enter_entry(part, list, keys, &made);                    // ...; entries of `list` only
 *
 *     ok = tree_part_join(builder, list, part);                             // the builder's thread
 *
 * Meanwhile the builder is not changed. The entries are those of the part, not copies; what is done is one
 * step for each leaf node of the map.
 */
#include "tree/builder.h"

/* Nodes of the list's map come out full where each part but the last has a multiple of so many entries. */
#define TREE_PART_MULTIPLE 24u

/* A builder that stands at an instance of `parent` without any children. What it makes has the stamp of the
 * other builder. Not in a datastore: only to be joined, or aborted. */
struct tree_builder *tree_part_new(const struct tree_builder *builder, const struct schema_node *parent);
/* Takes the part and puts its entries into the list at the builder's position, which is an instance of the
 * same parent. Needs: it has entries, of that list, system-ordered, and nothing else. False, and the part is
 * gone, and nothing changed: the first of them does not come behind all that are there. */
bool tree_part_join(struct tree_builder *builder, const struct schema_node *list, struct tree_builder *part);
