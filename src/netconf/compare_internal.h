/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* What the parts of the comparison share: compare.c (the walk), compare_list.c (lists), compare_edit.c. */
#include "base/buffer.h"
#include "netconf/compare.h"
#include "tree/diff.h"
#include "tree/pair.h"

enum { COMPARE_OLD, COMPARE_NEW, COMPARE_SIDES };

/* An instance of one side. */
struct compare_found {
	bool exists;		       /* the view presents it */
	bool there;		       /* and it is compared */
	bool whole;		       /* with all below; else what is selected of that: */
	bool follows;		       /* what the other side selects; else what `state` picks */
	const void *state;	       /* the selector's */
	struct tree_position position; /* its parent is that of the frame */
};

/* The items of one side of a list or leaf-list. */
struct compare_items {
	const struct tree_map *map;  /* NULL: none is stored */
	bool implicit;		     /* a leaf-list's defaults in use */
	size_t known_count, known;   /* only these entries can be selected (codec_selector.entries); 0: any */
	struct tree_map_iter iter;   /* at `item` */
	const union tree_item *item; /* the next one; NULL: the end */
	struct tree_cursor cursor;   /* implicit */
	uint32_t index;		     /* of the item given last, from 1 on */
};

enum compare_list_phase {
	LIST_ORDER, /* changes that tree_diff_order gave */
	LIST_PAIR,  /* what the maps do not share, by key */
	LIST_GONE,  /* all items of the old side: those that the new side has not */
	LIST_NEXT,  /* all items of the new side, in their order */
};

struct compare_list {
	const struct schema_node *node; /* NULL: no list is being compared */
	enum compare_list_phase phase;
	bool ordered; /* by users */
	struct compare_items items[COMPARE_SIDES];
	struct tree_pair *pair;
	struct arena *arena; /* of the changes; NULL: none */
	const struct tree_change *change;
	/* LIST_NEXT: the item presented last, that before it, and the place in the old order up to which
	 * items stay where they are. */
	struct tree_position last, earlier;
	bool has_last, has_earlier;
	uint64_t kept;
	bool holding; /* an item was moved, and is still to be compared: */
	struct compare_found held[COMPARE_SIDES];
};

/* A container or entry that is in both. */
struct compare_frame {
	struct compare_frame *outer, *inner; /* inner: left from before, to be used again */
	struct compare_found sides[COMPARE_SIDES];
	uint16_t next[COMPARE_SIDES]; /* index of the next child in the record */
	uint16_t slot;		      /* with defaults: of the next child in the schema */
	size_t path_size;	      /* of the target path, without this instance */
	struct compare_list list;
};

enum compare_operation { EDIT_CREATES, EDIT_DELETES, EDIT_REPLACES, EDIT_INSERTS, EDIT_MOVES };

/* The edit that is being written. */
struct compare_edit {
	bool active, begun; /* begun: something of it was written */
	enum compare_operation operation;
	struct compare_found found[COMPARE_SIDES];
	unsigned part; /* COMPARE_NEW: the value; COMPARE_OLD: the source value */
	struct xml_encoder *encoder;
	size_t path_size; /* of the target path, without the instance */
	bool has_point;	  /* insert, move: behind this item; else it is the first one */
	struct tree_position point;
};

struct netconf_compare {
	struct netconf_stream stream; /* first */
	struct netconf_compare_input input;
	bool same_filter;
	bool has_defaults;		    /* a view has */
	bool *defaults_below;		    /* by id of a node: of what both share below it, defaults may
					     * differ; NULL: of nothing */
	struct compare_frame *bottom, *top; /* top NULL: at the end */
	struct buffer path;		    /* the target of `top` */
	struct buffer scratch;		    /* the beginning of a value of which nothing was written yet */
	struct compare_edit edit;
	size_t edit_count;
	struct xml_encoder *matching; /* no edit was found: looks whether the filter selects anything */
	unsigned matching_side;
	size_t visited;
};

/* compare.c */
/* Whether the side has the child of the frame's instance, and selects it; fills the rest of `found`. */
void compare__judge(struct netconf_compare *compare, const struct compare_frame *frame, unsigned side,
		    struct compare_found *found);
/* Whether what both sides share below two instances (or children of two) is presented alike. */
bool compare__is_alike(const struct netconf_compare *compare, const struct compare_found *old_one,
		       const struct compare_found *new_one);
bool compare__shows_more(const struct netconf_compare *compare, const struct schema_node *node);
/* What one side selects is compared on both. After judging both. */
void compare__settle(struct compare_found found[COMPARE_SIDES]);
/* A settled pair, unless it is an item of a user-ordered list in one only. */
void compare__pair(struct netconf_compare *compare, const struct compare_found found[COMPARE_SIDES]);

/* compare_list.c */
void compare__list_begin(struct netconf_compare *compare, struct compare_frame *frame,
			 const struct schema_node *node);
void compare__list_step(struct netconf_compare *compare, struct compare_frame *frame);
void compare__list_fini(struct compare_list *list);

/* compare_edit.c */
void compare__path_add(struct netconf_compare *compare, const struct tree_position *position);
/* `point`: insert and move: the item before; NULL: none. */
void compare__edit_begin(struct netconf_compare *compare, enum compare_operation operation,
			 const struct compare_found found[COMPARE_SIDES], const struct tree_position *point);
/* The next piece of the edit. */
void compare__edit_step(struct netconf_compare *compare, struct buffer *out, size_t size);
/* What is before all edits. */
void compare__patch_begin(struct netconf_compare *compare, struct buffer *out);
