/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * A cursor: the children of one position, in document order (schema order, then map order), list entries and
 * leaf-list values one by one, with or without implicit nodes.
 *
 *     struct tree_cursor cursor;
 *     struct tree_position child;
 *     tree_cursor_init(&cursor, schema, &position, TREE_WITH_DEFAULTS);
 *     while (tree_cursor_next(&cursor, &child)) ...
 *
 * With TREE_EXPLICIT: what is stored. With TREE_WITH_DEFAULTS: also non-presence containers that are not
 * stored, and the defaults in use (of leafs and leaf-lists; a default in a case is in use only if that case
 * or no case and it is the default one, RFC 7950 7.6.1, 7.9.3; below list entries and presence containers
 * that exist). Every `when` is treated as true here; the engine above judges it.
 */
#include "tree/position.h"

enum tree_view { TREE_EXPLICIT, TREE_WITH_DEFAULTS };

struct tree_cursor {
	const struct schema *schema;
	const struct tree_position *parent;
	enum tree_view view;
	uint16_t slot, end_slot; /* schema slots [slot, end_slot) of the parent are still to visit */
	uint16_t record_index;	 /* next present child in the parent's record */
	uint32_t default_index;	 /* next default of a leaf-list in use; 0: none begun */
	bool in_map;
	uint32_t index; /* in the map: that of the child given last, from 1 on */
	struct tree_map_iter iter;
};

void tree_cursor_init(struct tree_cursor *cursor, const struct schema *schema,
		      const struct tree_position *parent, enum tree_view view);
/* Only the instances of one child node. */
void tree_cursor_init_child(struct tree_cursor *cursor, const struct schema *schema,
			    const struct tree_position *parent, const struct schema_node *child,
			    enum tree_view view);
/* Writes the next child (its parent is cursor->parent) and returns true; false at the end. */
bool tree_cursor_next(struct tree_cursor *cursor, struct tree_position *child);
/* For a cursor inside a list: the entry with these keys, if it is there. O(log n). */
bool tree_position_find_entry(const struct tree_position *parent, const struct schema_node *list,
			      const struct value *keys, struct tree_position *entry);
/* The single instance of a leaf or container child; false where absent (in that view). */
bool tree_position_find_child(const struct tree_position *parent, const struct schema_node *child,
			      enum tree_view view, struct tree_position *position);
/* The number of instances of a list or leaf-list child. O(1) */
uint64_t tree_position_count(const struct tree_position *parent, const struct schema_node *child);
/* True where the case is in use for defaults below `parent`: some node of it is stored, or it is the default
 * case and no other case of that choice has stored nodes; outer cases likewise. */
bool tree_case_in_use(const struct tree_position *parent, const struct schema_case *c);
