/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * Many new entries of one list at once, where they come in no order: they are gathered first, and put into
 * the list in the order of their keys. A list that is empty is then built from below, full node by full node,
 * without a search; into another one they go side by side, so that a search finds its nodes in the cache.
 *
 *     struct tree_bulk bulk;
 *     tree_bulk_init(&bulk, list);
 *     tree_bulk_add(&bulk, keys); // as often as there are entries
 *     bool distinct = tree_bulk_put(&bulk, builder, 1);
 *     tree_bulk_fini(&bulk);
 *
 * Until it is put in, an entry takes 8 bytes more than it does in the tree; while they are sorted, 48 and up
 * to 64 of its key.
 */
#include "base/vector.h"
#include "tree/builder.h"

struct tree_bulk {
	const struct schema_node *list;
	struct vector records; /* struct tree_record * */
};

/* Needs a system-ordered list without children but keys. */
void tree_bulk_init(struct tree_bulk *bulk, const struct schema_node *list);
/* Drops what was not put. */
void tree_bulk_fini(struct tree_bulk *bulk);
/* An entry with these keys (key_count values). The same one may be added any number of times. */
void tree_bulk_add(struct tree_bulk *bulk, const struct value *keys);
/* Adds what another bulk of the same list has, behind its own; the other one has nothing then. */
void tree_bulk_join(struct tree_bulk *bulk, struct tree_bulk *more);
/* Removes these entries from the list, as far as it has them. Nothing is left in the bulk. */
void tree_bulk_remove(struct tree_bulk *bulk, struct tree_builder *builder);
/*
 * Puts all entries into the list, which is a child at the builder's position; those that it has already stay.
 * Nothing is left in the bulk. Gives whether it is known that no two entries of the list have the same first
 * `prefix` keys: false where two have, or where the list had entries before. Cost: n log n.
 */
bool tree_bulk_put(struct tree_bulk *bulk, struct tree_builder *builder, size_t prefix);
