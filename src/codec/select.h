/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* A selector decides which nodes of a tree an encoder writes: what a filter is to the encoders of XML and
 * JSON. */
#include "tree/cursor.h"

enum codec_select {
	CODEC_SKIP,  /* not this node */
	CODEC_ENTER, /* the element, and of its children (of anydata: of its content) those that the selector
			picks */
	CODEC_TRY,   /* the same where something in it is picked; else it is not written either */
	CODEC_WHOLE, /* the node with all below */
};

struct codec_selector;

/* One instance of a tree. */
struct codec_part {
	const struct tree_position *position; /* with its parents; not the root */
	const struct codec_selector *selector;
	const void *parent_state; /* the selector's, at the parent */
	bool whole;		  /* all of it: `selector` is not asked */
};

/* States are the selector's own, immutable, passed down from parent to child; NULL for the root's parent. */
struct codec_selector {
	const void *root_state; /* the state at the root */
	/* Judges a child of a node in state `state`; on CODEC_ENTER and CODEC_TRY gives the child's state. A
	 * leaf has no children: all answers but CODEC_SKIP write it. Keys of an entry that is tried are
	 * written with it and not asked for. The child may be implicit where the walk has such a view. */
	enum codec_select (*judge)(const struct codec_selector *selector, const void *state,
				   const struct tree_position *child, const void **child_state);
	/* Of anydata or anyxml that was judged last, with CODEC_ENTER: what is written in its place; borrowed
	 * until the next one is judged. NULL: there is never such an answer. */
	const struct tree_any *(*content)(const struct codec_selector *selector);
	/* Schema-level pruning before instances are visited: false where no instance of `child` can be
	 * selected. NULL: all are visited. */
	bool (*wants)(const struct codec_selector *selector, const void *state,
		      const struct schema_node *child);
	/* Where only known entries of a list (or values of a leaf-list) can be selected: the number of them,
	 * and the keys of number `index` (borrowed). 0: unknown, all are visited. Each entry at most once, in
	 * the order in which they are to be written; those that do not exist are passed over. NULL: never
	 * known. */
	size_t (*entries)(const struct codec_selector *selector, const void *state,
			  const struct schema_node *list, size_t index, const struct value **keys);
};
