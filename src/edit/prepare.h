/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * An edit prepared: what edit_apply would make of it where nothing is there yet, made while the rest of the
 * edit is still being decoded, by another thread. edit_apply attaches of it what the datastore does not have
 * (edit_tree.prepared), and does the rest in the ordinary way, so that its outcome is the same.
 *
 *     struct edit_prepare *prepare = edit_prepare_new(schema, tree, reclaimer);
 *     edit_prepare_take(prepare, &mark, root);             // again and again, with newer marks
 *     tree->prepared = edit_prepare_finish(prepare);       // NULL: nothing that could be used
 *
 * One thread at a time, but for edit_prepare_stop. The thread that decodes may go on meanwhile: what a mark
 * says is complete does not change any more.
 */
#include "edit/edit_tree.h"
#include "tree/reclaim.h"
#include "tree/record.h"

#define EDIT_MARK_DEPTH 8

/* How far decoding has come: the nodes that are open, from the top of the tree down. All that stands before
 * each of them is complete, and the children of the last one are up to `last`. */
struct edit_mark {
	const struct edit_node *open[EDIT_MARK_DEPTH];
	size_t depth;		      /* those open; at least 1 */
	const struct edit_node *last; /* NULL: none */
};

struct edit_prepare;

/* Borrows the tree, which must stay until the end. */
struct edit_prepare *edit_prepare_new(const struct schema *schema, const struct edit_tree *tree,
				      struct tree_reclaimer *reclaimer);
/* Drops what was made. NULL is allowed. */
void edit_prepare_free(struct edit_prepare *prepare);
/*
 * Makes what is complete. `root`: where the edit will probably be applied, as a hint; if it has the first
 * entries already, with other content, nothing more is made. False: nothing will come of it, for that or
 * because there is something in the edit whose outcome depends on what is there: an operation that takes
 * away, an order, an error. Cost: O(nodes that became complete * log n)
 */
bool edit_prepare_take(struct edit_prepare *prepare, const struct edit_mark *mark,
		       const struct tree_record *root);
/* The same without more, for a tree that is complete, and frees it. NULL: nothing came of it. */
struct tree_record *edit_prepare_finish(struct edit_prepare *prepare);
/* Any thread: a call of edit_prepare_take returns soon, and nothing will come of it. */
void edit_prepare_stop(struct edit_prepare *prepare);
