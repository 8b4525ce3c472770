/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * The way of an encoder through a tree: the selected nodes in document order, one a call, so that it may stop
 * after any of them. Instances of a list or leaf-list come one after the other. Whatever the encoding is, the
 * encoders write what comes here.
 */
#include "codec/select.h"
#include "codec/view.h"

enum walk_event {
	WALK_NOTHING, /* a node that is not selected, or the end of a list; costs work all the same */
	WALK_OPEN,    /* a container or list entry with children; WALK_CLOSE follows after them */
	WALK_NODE,    /* a leaf, leaf-list value, anydata, or a container or list entry without children */
	WALK_CLOSE,   /* of the node that was opened last */
	WALK_END,
};

struct walk_frame;

struct select_walk {
	const struct schema *schema;
	const struct codec_selector *selector;
	const struct codec_view *view;	 /* NULL: all that is stored */
	struct walk_frame *bottom, *top; /* top NULL: at the end */
	struct walk_frame *pending;	 /* the outermost frame that was not reported yet; NULL: all were */
	bool opening;			 /* the pending frames are being reported */
	bool holding;			 /* ... and then this node: */
	struct tree_position held;
	bool begins_within; /* the first node is this one, and nothing comes after it: */
	struct tree_position first;
};

/* Borrows the root, which must not change, and the selector (NULL: all). */
void codec__walk_init(struct select_walk *walk, const struct schema *schema, const struct tree_record *root,
		      const struct codec_selector *selector);
/* The same below any record; `top` is copied. */
void codec__walk_init_at(struct select_walk *walk, const struct schema *schema,
			 const struct tree_position *top, const struct codec_selector *selector);
/* Only one instance and what is below it. Borrows all above it, and the selector. */
void codec__walk_init_part(struct select_walk *walk, const struct schema *schema,
			   const struct codec_part *part);
/* Before the first node. Borrows the view. */
void codec__walk_set_view(struct select_walk *walk, const struct codec_view *view);
void codec__walk_fini(struct select_walk *walk);
/* Writes the position (for WALK_CLOSE: of the node that ends), valid during the event; its record or shared
 * value is the root's. */
enum walk_event codec__walk_next(struct select_walk *walk, struct tree_position *position);
