/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Node-set expressions. A path is walked in one of two ways, which give the same nodes:
 *
 *   streamed      depth first, from the single start node, each result to the sink at once; nothing is
 *                 allocated unless the walk is persistent. For paths that so give no node twice
 *                 (path->unique; in document order: path->ordered).
 *   set by set    each step maps a sorted set to a sorted set without doubles. For the rest: from several
 *                 start nodes, or with steps like x/.. that meet again; streaming those could take time
 *                 exponential in the number of steps.
 *
 * Where predicates of a step make a lookup (compile_lookup.c) the step costs a search in the list's map.
 */
#include "xpath/walk.h"

#include "xpath/functions.h"

/* A step under way: judges candidates as the axis gives them. */
struct candidates {
	struct xpath_visitor visitor;
	struct xpath_walk *walk;
	const struct xpath_step *step;
	const struct xpath_predicate *predicates;
	size_t positions[XPATH_POSITIONS_MAX]; /* candidates that came as far as the n-th positional predicate
						*/
};

static bool is_position(const struct xpath_predicate *predicate, size_t position)
{
	return predicate->expr->op == XPATH_NUMERAL && predicate->expr->number == (double)position;
}

/* Whether the candidate passes; *last: and no later one will. */
static enum status judge(struct candidates *candidates, const struct tree_position *node, bool *passes,
			 bool *last)
{
	size_t i = 0;
	*passes = true;
	*last = false;
	for (const struct xpath_predicate *p = candidates->predicates; p != NULL; p = p->next) {
		size_t position = p->positional ? ++candidates->positions[i++] : 0;
		struct xpath_context context = {node, position, 0};
		enum status status = xpath__predicate_holds(candidates->walk->eval, p, &context, passes);
		if (status != ST_OK || !*passes)
			return status;
		*last |= is_position(p, position);
	}
	return ST_OK;
}

static enum status visit_candidate(struct xpath_visitor *visitor, const struct tree_position *node,
				   enum xpath_frame frame)
{
	struct candidates *candidates = (struct candidates *)visitor;
	struct xpath_walk *walk = candidates->walk;
	bool passes = true, last = false;
	if (candidates->predicates != NULL) {
		enum status status = judge(candidates, node, &passes, &last);
		if (status != ST_OK || !passes)
			return status;
	}
	if (frame == FRAME_FRESH && walk->persistent) {
		struct tree_position *kept = arena_alloc(walk->eval->arena, sizeof(*kept));
		*kept = *node;
		node = kept;
	}
	enum status status = xpath__walk_steps(walk, candidates->step->next, node);
	visitor->stop = walk->stop || last;
	return status;
}

struct gather {
	struct xpath_visitor visitor;
	struct xpath_eval *eval;
	struct xpath_nodes nodes;
};

static enum status gather_candidate(struct xpath_visitor *visitor, const struct tree_position *node,
				    enum xpath_frame frame)
{
	struct gather *gather = (struct gather *)visitor;
	if (frame == FRAME_FRESH) {
		struct tree_position *kept = arena_alloc(gather->eval->arena, sizeof(*kept));
		*kept = *node;
		node = kept;
	}
	return xpath__nodes_add(gather->eval, &gather->nodes, node);
}

/* A step whose predicates want to know the last position. */
static enum status walk_gathered(struct xpath_walk *walk, const struct xpath_step *step,
				 const struct tree_position *node)
{
	struct gather gather = {.visitor = {.visit = gather_candidate, .persistent = true},
				.eval = walk->eval};
	enum status status = xpath__axis_visit(walk->eval, step, node, &gather.visitor);
	if (status == ST_OK)
		status = xpath__predicates_filter(walk->eval, step->predicates, &gather.nodes);
	for (size_t i = 0; status == ST_OK && !walk->stop && i < gather.nodes.length; i++)
		status = xpath__walk_steps(walk, step->next, gather.nodes.items[i]);
	return status;
}

/* Tries the ways that need no walk over all candidates. */
static enum status walk_lookup(struct xpath_walk *walk, const struct xpath_step *step,
			       const struct tree_position *node, bool *done)
{
	struct candidates candidates = {.visitor = {.visit = visit_candidate, .persistent = walk->persistent},
					.walk = walk,
					.step = step};
	struct xpath_eval *eval = walk->eval;
	*done = false;
	const struct xpath_lookup *lookup =
		walk->wanted != NULL && step->wanted != NULL ? step->wanted : step->lookup;
	if (lookup != NULL) {
		candidates.predicates = lookup->rest;
		return xpath__lookup_visit(eval, lookup, node, walk->wanted, &candidates.visitor, done);
	}
	if (step->sought != NULL) {
		candidates.predicates = step->predicates;
		return xpath__search_visit(eval, step, node, &candidates.visitor, done);
	}
	if (walk->wanted != NULL && step->next == walk->end && step->axis == AXIS_CHILD &&
	    step->target != NULL && step->target->kind == SCHEMA_LEAF_LIST && step->predicates == NULL)
		return xpath__lookup_value(eval, step->target, node, *walk->wanted, &candidates.visitor,
					   done);
	return ST_OK;
}

enum status xpath__walk_steps(struct xpath_walk *walk, const struct xpath_step *step,
			      const struct tree_position *node)
{
	if (step == walk->end)
		return walk->sink(walk, node);
	if (step->impossible)
		return ST_OK;
	bool done;
	enum status status = walk_lookup(walk, step, node, &done);
	if (status != ST_OK || done)
		return status;
	if (step->predicates != NULL && !step->streamed_numbers)
		return walk_gathered(walk, step, node);
	struct candidates candidates = {.visitor = {.visit = visit_candidate, .persistent = walk->persistent},
					.walk = walk,
					.step = step,
					.predicates = step->predicates};
	return xpath__axis_visit(walk->eval, step, node, &candidates.visitor);
}

static enum status collect_sink(struct xpath_walk *walk, const struct tree_position *node)
{
	return xpath__nodes_add(walk->eval, walk->arg, node);
}

/* One step from each node of a sorted set. */
static enum status step_set(struct xpath_eval *eval, const struct xpath_step *step, struct xpath_nodes *nodes)
{
	struct xpath_nodes next = {0};
	struct xpath_walk walk = {
		.eval = eval, .sink = collect_sink, .arg = &next, .persistent = true, .end = step->next};
	for (size_t i = 0; i < nodes->length; i++) {
		enum status status = xpath__walk_steps(&walk, step, nodes->items[i]);
		if (status != ST_OK)
			return status;
	}
	*nodes = next;
	return step->unsorted ? xpath__nodes_sort(eval, nodes) : ST_OK;
}

static bool starts_single(const struct xpath_node *node)
{
	const struct xpath_node *start = node->operands;
	return start == NULL || (start->op == XPATH_CALL && start->call.function->call == xpath__current &&
				 node->path.predicates == NULL);
}

static const struct tree_position *single_start(const struct xpath_eval *eval, const struct xpath_node *node,
						const struct xpath_context *context)
{
	if (node->operands != NULL)
		return eval->current;
	return node->path.absolute ? eval->root : context->node;
}

static enum status path_nodes(struct xpath_eval *eval, const struct xpath_node *node,
			      const struct xpath_context *context, struct xpath_nodes *nodes)
{
	*nodes = (struct xpath_nodes){0};
	enum status status;
	if (starts_single(node)) {
		status = xpath__nodes_add(eval, nodes, single_start(eval, node, context));
	} else {
		status = xpath__nodes(eval, node->operands, context, nodes);
		if (status == ST_OK)
			status = xpath__predicates_filter(eval, node->path.predicates, nodes);
	}
	for (const struct xpath_step *step = node->path.steps; status == ST_OK && step != NULL;
	     step = step->next)
		status = step_set(eval, step, nodes);
	return status;
}

static enum status union_nodes(struct xpath_eval *eval, const struct xpath_node *node,
			       const struct xpath_context *context, struct xpath_nodes *nodes)
{
	*nodes = (struct xpath_nodes){0};
	for (const struct xpath_node *operand = node->operands; operand != NULL; operand = operand->next) {
		struct xpath_nodes part;
		enum status status = xpath__nodes(eval, operand, context, &part);
		for (size_t i = 0; status == ST_OK && i < part.length; i++)
			status = xpath__nodes_add(eval, nodes, part.items[i]);
		if (status != ST_OK)
			return status;
	}
	return xpath__nodes_sort(eval, nodes);
}

bool xpath__is_streamed(const struct xpath_node *node)
{
	return node->op == XPATH_PATH && node->path.unique && starts_single(node);
}

/* The nodes of an expression that is not streamed. */
static enum status set_nodes(struct xpath_eval *eval, const struct xpath_node *node,
			     const struct xpath_context *context, struct xpath_nodes *nodes)
{
	if (node->op == XPATH_PATH)
		return path_nodes(eval, node, context, nodes);
	if (node->op == XPATH_UNION)
		return union_nodes(eval, node, context, nodes);
	struct xpath_value value;
	enum status status = node->call.function->call(eval, node, context, &value);
	if (status == ST_OK)
		*nodes = (struct xpath_nodes){value.nodes, value.length, value.length};
	return status;
}

enum status xpath__nodes(struct xpath_eval *eval, const struct xpath_node *node,
			 const struct xpath_context *context, struct xpath_nodes *nodes)
{
	if (!xpath__is_streamed(node))
		return set_nodes(eval, node, context, nodes);
	*nodes = (struct xpath_nodes){0};
	struct xpath_walk walk = {.eval = eval, .sink = collect_sink, .arg = nodes, .persistent = true};
	enum status status = xpath__walk_steps(&walk, node->path.steps, single_start(eval, node, context));
	if (status == ST_OK && !node->path.ordered)
		status = xpath__nodes_sort(eval, nodes);
	return status;
}

enum status xpath__walk(struct xpath_walk *walk, const struct xpath_node *node,
			const struct xpath_context *context, enum xpath_order order)
{
	if (xpath__is_streamed(node) && (node->path.ordered || order == ANY_ORDER))
		return xpath__walk_steps(walk, node->path.steps, single_start(walk->eval, node, context));
	struct xpath_nodes nodes;
	enum status status = order == DOCUMENT_ORDER ? xpath__nodes(walk->eval, node, context, &nodes)
						     : set_nodes(walk->eval, node, context, &nodes);
	for (size_t i = 0; status == ST_OK && !walk->stop && i < nodes.length; i++)
		status = walk->sink(walk, nodes.items[i]);
	return status;
}

static enum status first_sink(struct xpath_walk *walk, const struct tree_position *node)
{
	const struct tree_position **first = walk->arg;
	*first = node;
	walk->stop = true;
	return ST_OK;
}

enum status xpath__first(struct xpath_eval *eval, const struct xpath_node *node,
			 const struct xpath_context *context, const struct tree_position **first)
{
	*first = NULL;
	struct xpath_walk walk = {.eval = eval, .sink = first_sink, .arg = first, .persistent = true};
	return xpath__walk(&walk, node, context, DOCUMENT_ORDER);
}

enum status xpath__first_argument(struct xpath_eval *eval, const struct xpath_node *call,
				  const struct xpath_context *context, const struct tree_position **first)
{
	if (call->operands != NULL)
		return xpath__first(eval, call->operands, context, first);
	*first = context->node;
	return ST_OK;
}
