/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * Walks: the nodes of a path one by one, depth first, to a sink.
 *
 * A node that a sink sees may live on the C stack, valid for that call only, unless the walk is `persistent`:
 * then it and its parents are in the arena (or are the context's own).
 */
#include "xpath/eval.h"

struct xpath_walk {
	struct xpath_eval *eval;
	enum status (*sink)(struct xpath_walk *walk, const struct tree_position *node);
	void *arg;
	bool persistent;
	bool stop; /* the sink has seen enough */
	/* NULL, or the only text that matters: nodes of another text may be left out (the sink must look all
	 * the same). */
	const struct bytes *wanted;
	const struct xpath_step *end; /* walk up to before this step; NULL: all */
};

enum xpath_order { ANY_ORDER, DOCUMENT_ORDER };

/* All nodes of any node-set expression, never one twice. */
enum status xpath__walk(struct xpath_walk *walk, const struct xpath_node *node,
			const struct xpath_context *context, enum xpath_order order) MUST_USE;
/* Whether walks of the expression go node by node from one start, without sets in between; only such a walk
 * can have an `end`. */
bool xpath__is_streamed(const struct xpath_node *node);
/* The steps from `step` on, from one node. */
enum status xpath__walk_steps(struct xpath_walk *walk, const struct xpath_step *step,
			      const struct tree_position *node) MUST_USE;

/* eval_step.c: the nodes of one axis that pass the node test, in the axis' own order. Fresh frames live on
 * the C stack. */
enum xpath_frame { FRAME_KEPT, FRAME_FRESH };

struct xpath_visitor {
	enum status (*visit)(struct xpath_visitor *visitor, const struct tree_position *node,
			     enum xpath_frame frame);
	bool persistent; /* parents of what is visited must be in the arena */
	bool stop;
};

enum status xpath__axis_visit(struct xpath_eval *eval, const struct xpath_step *step,
			      const struct tree_position *node, struct xpath_visitor *visitor) MUST_USE;

/* eval_predicate.c */
enum status xpath__predicate_holds(struct xpath_eval *eval, const struct xpath_predicate *predicate,
				   const struct xpath_context *context, bool *holds) MUST_USE;
/* Filters by all predicates in turn. */
enum status xpath__predicates_filter(struct xpath_eval *eval, const struct xpath_predicate *predicates,
				     struct xpath_nodes *nodes) MUST_USE;

/* eval_lookup.c: the entries that a lookup finds below `parent` (before lookup->rest), each to the visitor.
 * *done is false where the lookup cannot tell (then walk all entries). `wanted` as in the walk. */
enum status xpath__lookup_visit(struct xpath_eval *eval, const struct xpath_lookup *lookup,
				const struct tree_position *parent, const struct bytes *wanted,
				struct xpath_visitor *visitor, bool *done) MUST_USE;
/* The value of a leaf-list child with that text. *done is false where stored values do not tell. */
enum status xpath__lookup_value(struct xpath_eval *eval, const struct schema_node *leaf_list,
				const struct tree_position *parent, struct bytes text,
				struct xpath_visitor *visitor, bool *done) MUST_USE;

/* eval_search.c: the entries below `parent` that a search finds, all predicates still to be judged. *done is
 * false where there is no search, or it does not tell. */
enum status xpath__search_visit(struct xpath_eval *eval, const struct xpath_step *step,
				const struct tree_position *parent, struct xpath_visitor *visitor,
				bool *done) MUST_USE;
