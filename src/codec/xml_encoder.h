/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * Encodes a tree as XML, in steps: each call appends to a buffer until that holds about `size` bytes or the
 * work budget is used up, so that a reply of any size is produced as the client takes it, from a pinned root,
 * in bounded memory.
 *
 * Form: no blanks between elements; xmlns declared on each element whose module is not its parent's; prefixes
 * of values (TEXT_QNAME) declared on the leaf. Implicit nodes are not written (RFC 6243 explicit mode).
 *
 * A selector decides which nodes are written (filters); NULL writes everything.
 */
#include "base/buffer.h"
#include "tree/cursor.h"

enum codec_select {
	CODEC_SKIP,  /* not this node */
	CODEC_ENTER, /* the element, and of its children those that the selector picks */
	CODEC_WHOLE, /* the node with all below */
};

/* States are the selector's own, immutable, passed down from parent to child; NULL for the root's parent. */
struct codec_selector {
	const void *root_state; /* the state at the root */
	/* Judges a child of a node in state `state`; on CODEC_ENTER gives the child's state. An element that
	 * was entered but in which nothing is selected is still written; a selector that does not want that
	 * answers CODEC_SKIP. */
	enum codec_select (*judge)(const struct codec_selector *selector, const void *state,
				   const struct tree_position *child, const void **child_state);
	/* Schema-level pruning before instances are visited: false where no instance of `child` can be
	 * selected. */
	bool (*wants)(const struct codec_selector *selector, const void *state,
		      const struct schema_node *child);
	/* Where only known entries of a list can be selected: the number of them, and the keys of number
	 * `index` (borrowed). 0: unknown, all are visited. */
	size_t (*entries)(const struct codec_selector *selector, const void *state,
			  const struct schema_node *list, size_t index, const struct value **keys);
};

struct xml_encoder;

/* Refs the root and the schema. Borrows the selector. */
struct xml_encoder *xml_encoder_new(struct schema *schema, const struct tree_record *root,
				    const struct codec_selector *selector, struct tree_reclaimer *reclaimer);
void xml_encoder_free(struct xml_encoder *encoder);
/* Appends until buffer_size(out) >= size or `budget` nodes were visited; *done when all is written. Never
 * passes the buffer's limit by more than one leaf: give it a limit above size + the largest leaf. Fails:
 * ST_LIMIT. */
enum status xml_encoder_run(struct xml_encoder *encoder, struct buffer *out, size_t size, size_t budget,
			    bool *done) MUST_USE;

/* Appends text with the five XML characters escaped as needed in content (quote: also in attribute values);
 * CR as &#13;. */
enum status xml_escape(struct buffer *out, struct bytes text, bool attribute) MUST_USE;
