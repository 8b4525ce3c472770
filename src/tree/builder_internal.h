/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* What the two halves of the builder share: builder.c (frames, ownership), builder_change.c (changes). */
#include "tree/internal.h"

/*
 * A frame is one position of the builder. `owned`: its record is reached through single references only, so
 * it may be changed in place. If a frame is owned, so are all above it up to the root.
 */
struct tree__frame {
	struct tree_position position; /* record NULL: a container that is not stored */
	struct tree__frame *up, *down; /* down: kept for reuse, also beyond the top */
	bool owned;
	bool made;		  /* stored even if empty, by tree_builder_make */
	uint16_t expected;	  /* children that will come, of a container that is not stored; 0: unknown */
	bool shrunk;		  /* something was removed from it since it was entered */
	union tree_item *item;	  /* list entry, owned: the cell that holds the record */
	union tree_item *twin;	  /* list entry, owned: its other cell; NULL: not user-ordered */
	struct tree__place place; /* list entry, not owned: the path to that cell, or its twin */
};

struct tree_builder {
	const struct schema *schema;
	struct tree_record *root; /* the builder holds one reference */
	struct tree_reclaimer *reclaimer;
	struct tree__frame bottom; /* the root's frame */
	struct tree__frame *top;
	uint16_t expected; /* children of the instance that is entered next; 0: unknown */
	uint32_t stamp;	   /* of all that it changes; 0: they keep theirs */
	const struct schema_node
		*appended;	/* the list or leaf-list whose last change was an append; NULL: none */
	struct tree__last last; /* what was appended to it; follows the item where that moves */
};

/* The record at the top, made if need be, and owned from here on. */
struct tree_record *tree__builder_own(struct tree_builder *builder);
/* Says that the record of the owned frame has moved. */
void tree__builder_moved(struct tree_builder *builder, struct tree__frame *frame, struct tree_record *record);
/* The child's content at the top; NULL where absent. */
const union tree_slot *tree__builder_find(const struct tree_builder *builder,
					  const struct schema_node *child);
/* Adds content (Takes its reference) for an absent child at the top. */
void tree__builder_insert(struct tree_builder *builder, const struct schema_node *child,
			  union tree_slot content);
/* Takes the child out of the frame, which is owned. */
void tree__builder_remove(struct tree_builder *builder, struct tree__frame *frame,
			  const struct schema_node *child);
/* Looks for an item in a list or leaf-list at the top. `place` is set even if there is no map yet. True where
 * it exists. */
bool tree__builder_search(struct tree_builder *builder, const struct schema_node *node,
			  const struct tree__key *key, struct tree__place *place);
/* The same for keys, and nothing is set where there is no map. */
bool tree__builder_find_item(const struct tree_builder *builder, const struct schema_node *node,
			     const struct value *keys, struct tree__place *place);
/* Adds an item (Takes its reference) at the place found; a user-ordered one as `insert` says (NULL: last). */
struct tree__order_cells tree__builder_add_item(struct tree_builder *builder, struct tree__place *place,
						struct tree__key *key, union tree_item item,
						const struct tree_insert *insert);
/* The same for an entry that may be shared: it keeps its stamp. */
struct tree__order_cells tree__builder_put_item(struct tree_builder *builder, struct tree__place *place,
						struct tree__key *key, union tree_item item,
						const struct tree_insert *insert);
/* Adds an item (Takes its reference) to a sequence. */
union tree_item *tree__builder_append_item(struct tree_builder *builder, const struct schema_node *node,
					   union tree_item item);
/* A record of nothing but keys, with room for the children expected. */
struct tree_record *tree__builder_new_entry(const struct schema_node *list, const struct value *keys,
					    uint16_t expected);
