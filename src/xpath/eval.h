/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * Evaluation, for the files of this folder: what an expression gives in a context.
 *
 * Node-sets are streamed where that gives the same answer: a walk (walk.h) calls a sink for each node, on
 * frames of the C stack, and stops when the sink has seen enough. xpath__nodes builds the array where one is
 * needed.
 *
 * Every function returns ST_OK or ST_LIMIT.
 */
#include "xpath/ast.h"

struct xpath_eval {
	const struct schema *schema;
	const struct tree_position *root; /* lives as long as results do */
	const struct tree_position *current;
	const struct tree_position *operation; /* NULL: none stands within the data */
	struct arena *arena;
	struct xpath_limits *limits;
	size_t memory; /* of the arena; 0: no limit */
	enum tree_view view;
	struct xpath_implicit *implicit; /* NULL: all implicit nodes are there */
	struct xpath_search *search;	 /* NULL: there is none */
	char *room;			 /* in the arena; for texts that are not kept. NULL: none yet */
	size_t room_size;		 /* bytes */
	const struct schema_module
		*module; /* of identity names without prefix in computed strings; NULL: any */
};

struct xpath_context {
	const struct tree_position *node;
	size_t position, size; /* 1-based; size 0: not known, as nothing asks for it */
};

/* A growing node-set. */
struct xpath_nodes {
	const struct tree_position **items;
	size_t length, capacity;
};

/* Whether a child that a cursor gave is in the accessible tree. */
static inline enum status xpath__is_there(struct xpath_eval *eval, const struct tree_position *child,
					  bool *there)
{
	*there = true;
	if (!child->implicit || child->schema->when_count == 0 || eval->implicit == NULL)
		return ST_OK;
	return eval->implicit->exists(eval->implicit, child, there);
}

/* Takes `amount` steps off the limit. */
enum status xpath__charge(struct xpath_eval *eval, uint64_t amount) MUST_USE;
/* The same for work on, or a copy of, so many bytes. */
enum status xpath__charge_bytes(struct xpath_eval *eval, uint64_t size) MUST_USE;

/* eval.c */
enum status xpath__value(struct xpath_eval *eval, const struct xpath_node *node,
			 const struct xpath_context *context, struct xpath_value *value) MUST_USE;
enum status xpath__boolean_of(struct xpath_eval *eval, const struct xpath_node *node,
			      const struct xpath_context *context, bool *boolean) MUST_USE;
enum status xpath__number_of(struct xpath_eval *eval, const struct xpath_node *node,
			     const struct xpath_context *context, double *number) MUST_USE;
enum status xpath__string_of(struct xpath_eval *eval, const struct xpath_node *node,
			     const struct xpath_context *context, struct bytes *string) MUST_USE;

/* eval_path.c: node-set expressions */
/* All nodes, in document order, without doubles, in the arena. */
enum status xpath__nodes(struct xpath_eval *eval, const struct xpath_node *node,
			 const struct xpath_context *context, struct xpath_nodes *nodes) MUST_USE;
/* The first node in document order; NULL: the set is empty. In the arena. */
enum status xpath__first(struct xpath_eval *eval, const struct xpath_node *node,
			 const struct xpath_context *context, const struct tree_position **first) MUST_USE;
/* As the first argument of a function, or the context node where it has none. */
enum status xpath__first_argument(struct xpath_eval *eval, const struct xpath_node *call,
				  const struct xpath_context *context,
				  const struct tree_position **first) MUST_USE;

/* eval_compare.c: = != < <= > >= */
enum status xpath__compare(struct xpath_eval *eval, const struct xpath_node *node,
			   const struct xpath_context *context, bool *result) MUST_USE;

/* node_set.c */
enum status xpath__nodes_add(struct xpath_eval *eval, struct xpath_nodes *nodes,
			     const struct tree_position *node) MUST_USE;
/* Into document order, without doubles. */
enum status xpath__nodes_sort(struct xpath_eval *eval, struct xpath_nodes *nodes) MUST_USE;
int xpath__position_compare(const struct tree_position *a, const struct tree_position *b);
/* A text node is the position of a leaf below that same leaf. */
static inline bool xpath__is_text(const struct tree_position *node)
{
	return node->parent != NULL && node->parent->schema == node->schema;
}

/* convert.c */
/* The string value of a node (XPath 1.0 section 5): borrowed from the node, or in the arena. */
enum status xpath__text(struct xpath_eval *eval, const struct tree_position *node,
			struct bytes *text) MUST_USE;
/* The same for who looks at it and keeps nothing of it: valid until the next call, so that the texts of many
 * nodes take the memory of the largest. */
enum status xpath__passing_text(struct xpath_eval *eval, const struct tree_position *node,
				struct bytes *text) MUST_USE;
double xpath__number_parse(struct bytes text);
struct bytes xpath__number_print(double number, struct arena *arena);
bool xpath__is_space(char c);
