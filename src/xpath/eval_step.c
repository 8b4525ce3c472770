/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The axes over a tree: the nodes of one axis from one node that pass the step's node test, in the axis' own
 * order (reverse axes from the nearest node outwards), each to a visitor.
 *
 * The data model is that of elements without attributes: every tree position is an element, the root is the
 * document, and a leaf that is not empty has one text node, which is a position below the leaf with the
 * leaf's own schema node. The schema cuts the work: a name test looks only at the children that may match,
 * and a descent only enters what can hold a match (step->below).
 *
 * The operation that the expression is in (eval->operation) is met where its parent's children are, after
 * them.
 *
 * Child frames live on the C stack. In a persistent visit the frames of nodes that are descended through are
 * in the arena, so that the visitor only has to copy the node itself where its frame is fresh.
 */
#include "xpath/walk.h"

static bool has_children(const struct schema_node *schema)
{
	return schema->child_count > 0;
}

static bool module_passes(const struct xpath_step *step, const struct schema_node *schema)
{
	return step->module == NULL || step->module == schema->module;
}

/* The node test on an element's schema node. */
static bool schema_passes(const struct xpath_step *step, const struct schema_node *schema)
{
	switch (step->test) {
	case TEST_NODE:
		return true;
	case TEST_NAME:
		if (step->target != NULL)
			return schema == step->target;
		return schema->kind != SCHEMA_ROOT && module_passes(step, schema) &&
		       bytes_equal(xpath__named(schema)->name_bytes, step->name);
	case TEST_ELEMENT:
		return schema->kind != SCHEMA_ROOT && module_passes(step, schema);
	case TEST_TEXT:
	case TEST_NOTHING:
		return false;
	}
	return false;
}

static bool passes(const struct xpath_step *step, const struct tree_position *node)
{
	if (xpath__is_text(node))
		return step->test == TEST_NODE || step->test == TEST_TEXT;
	return schema_passes(step, node->schema);
}

static enum status visit_one(struct xpath_eval *eval, const struct tree_position *node,
			     enum xpath_frame frame, struct xpath_visitor *visitor)
{
	enum status status = xpath__charge(eval, 1);
	return status != ST_OK ? status : visitor->visit(visitor, node, frame);
}

/* The same for a child just found. */
static enum status visit_child(struct xpath_eval *eval, const struct tree_position *child,
			       struct xpath_visitor *visitor)
{
	bool there;
	enum status status = xpath__is_there(eval, child, &there);
	return status != ST_OK || !there ? status : visit_one(eval, child, FRAME_FRESH, visitor);
}

static bool has_operation(const struct xpath_eval *eval, const struct tree_position *node)
{
	return eval->operation != NULL && node->schema == eval->operation->parent->schema &&
	       !xpath__is_text(node) && tree_position_same(node, eval->operation->parent);
}

/* The operation, where it is a child of the node. */
static enum status visit_operation(struct xpath_eval *eval, const struct xpath_step *step,
				   const struct tree_position *node, struct xpath_visitor *visitor)
{
	if (!has_operation(eval, node) || !schema_passes(step, eval->operation->schema))
		return ST_OK;
	return visit_one(eval, eval->operation, FRAME_KEPT, visitor);
}

/* All instances of one child node. */
static enum status visit_instances(struct xpath_eval *eval, const struct tree_position *node,
				   const struct schema_node *child, struct xpath_visitor *visitor)
{
	struct tree_position position;
	if (child->kind == SCHEMA_LEAF || child->kind == SCHEMA_CONTAINER) {
		if (!tree_position_find_child(node, child, eval->view, &position))
			return ST_OK;
		return visit_child(eval, &position, visitor);
	}
	struct tree_cursor cursor;
	tree_cursor_init_child(&cursor, eval->schema, node, child, eval->view);
	enum status status = ST_OK;
	while (status == ST_OK && !visitor->stop && tree_cursor_next(&cursor, &position))
		status = visit_child(eval, &position, visitor);
	return status;
}

static bool is_leaf(const struct tree_position *node)
{
	return node->schema->kind == SCHEMA_LEAF || node->schema->kind == SCHEMA_LEAF_LIST;
}

/* The text node of a leaf. */
static enum status visit_text(struct xpath_eval *eval, const struct tree_position *leaf,
			      struct xpath_visitor *visitor)
{
	if (xpath__is_text(leaf) || value_bytes(&leaf->value).size == 0)
		return ST_OK;
	struct tree_position text = *leaf;
	text.parent = leaf;
	return visit_one(eval, &text, FRAME_FRESH, visitor);
}

static enum status visit_all_children(struct xpath_eval *eval, const struct xpath_step *step,
				      const struct tree_position *node, struct xpath_visitor *visitor)
{
	struct tree_cursor cursor;
	struct tree_position child;
	tree_cursor_init(&cursor, eval->schema, node, eval->view);
	enum status status = ST_OK;
	while (status == ST_OK && !visitor->stop && tree_cursor_next(&cursor, &child)) {
		if (schema_passes(step, child.schema))
			status = visit_child(eval, &child, visitor);
		else
			status = xpath__charge(eval, 1);
	}
	return status;
}

static enum status visit_named_children(struct xpath_eval *eval, const struct xpath_step *step,
					const struct tree_position *node, struct xpath_visitor *visitor)
{
	if (eval->operation != NULL && step->target == eval->operation->schema)
		return ST_OK;
	if (step->target != NULL) {
		if (step->target->parent != node->schema)
			return ST_OK;
		return visit_instances(eval, node, step->target, visitor);
	}
	if (step->module != NULL) {
		const struct schema_node *child =
			schema_child_find(eval->schema, node->schema, step->module, step->name);
		return child == NULL ? ST_OK : visit_instances(eval, node, child, visitor);
	}
	const struct schema_node *child = NULL;
	enum status status = ST_OK;
	while (status == ST_OK && !visitor->stop &&
	       (child = schema_child_find_any(node->schema, step->name, child)) != NULL)
		status = visit_instances(eval, node, child, visitor);
	return status;
}

static enum status visit_data_children(struct xpath_eval *eval, const struct xpath_step *step,
				       const struct tree_position *node, struct xpath_visitor *visitor)
{
	if (!has_children(node->schema))
		return ST_OK;
	switch (step->test) {
	case TEST_NAME:
		return visit_named_children(eval, step, node, visitor);
	case TEST_NODE:
	case TEST_ELEMENT:
		return visit_all_children(eval, step, node, visitor);
	case TEST_TEXT:
	case TEST_NOTHING:
		return ST_OK;
	}
	return ST_OK;
}

static enum status visit_children(struct xpath_eval *eval, const struct xpath_step *step,
				  const struct tree_position *node, struct xpath_visitor *visitor)
{
	if (is_leaf(node))
		return step->test == TEST_NODE || step->test == TEST_TEXT ? visit_text(eval, node, visitor)
									  : ST_OK;
	enum status status = visit_data_children(eval, step, node, visitor);
	if (status != ST_OK || visitor->stop || eval->operation == NULL)
		return status;
	return visit_operation(eval, step, node, visitor);
}

static bool may_hold(const struct xpath_step *step, const struct schema_node *schema)
{
	return step->below == NULL || (step->below[schema->id / 64] >> (schema->id % 64) & 1) != 0;
}

static enum status descend(struct xpath_eval *eval, const struct xpath_step *step,
			   const struct tree_position *node, struct xpath_visitor *visitor);

/* A node below the start: itself, then what is below it. */
static enum status visit_subtree(struct xpath_eval *eval, const struct xpath_step *step,
				 const struct tree_position *node, struct xpath_visitor *visitor)
{
	struct tree_position *kept = NULL;
	bool there = true;
	enum status status = xpath__charge(eval, 1);
	if (status == ST_OK)
		status = xpath__is_there(eval, node, &there);
	if (status != ST_OK || !there)
		return status;
	if (visitor->persistent && (has_children(node->schema) || is_leaf(node))) {
		kept = arena_alloc(eval->arena, sizeof(*kept));
		*kept = *node;
		node = kept;
	}
	if (passes(step, node))
		status = visitor->visit(visitor, node, kept == NULL ? FRAME_FRESH : FRAME_KEPT);
	if (status == ST_OK && !visitor->stop)
		status = descend(eval, step, node, visitor);
	return status;
}

/* Depth: that of the tree. */
static enum status descend(struct xpath_eval *eval, const struct xpath_step *step,
			   const struct tree_position *node, struct xpath_visitor *visitor)
{
	if (is_leaf(node))
		return step->test == TEST_NODE || step->test == TEST_TEXT ? visit_text(eval, node, visitor)
									  : ST_OK;
	enum status status = ST_OK;
	for (uint16_t i = 0; i < node->schema->child_count; i++) {
		const struct schema_node *child = node->schema->children[i];
		if (!may_hold(step, child))
			continue;
		struct tree_cursor cursor;
		struct tree_position position;
		tree_cursor_init_child(&cursor, eval->schema, node, child, eval->view);
		while (status == ST_OK && !visitor->stop && tree_cursor_next(&cursor, &position))
			status = visit_subtree(eval, step, &position, visitor);
		if (status != ST_OK || visitor->stop)
			return status;
	}
	if (has_operation(eval, node) && may_hold(step, eval->operation->schema))
		status = visit_subtree(eval, step, eval->operation, visitor);
	return status;
}

static enum status visit_self(struct xpath_eval *eval, const struct xpath_step *step,
			      const struct tree_position *node, struct xpath_visitor *visitor)
{
	return passes(step, node) ? visit_one(eval, node, FRAME_KEPT, visitor) : ST_OK;
}

static enum status visit_ancestors(struct xpath_eval *eval, const struct xpath_step *step,
				   const struct tree_position *node, struct xpath_visitor *visitor)
{
	enum status status = ST_OK;
	for (; status == ST_OK && !visitor->stop && node != NULL; node = node->parent)
		status = visit_self(eval, step, node, visitor);
	return status;
}

/* ---- axes that need the nodes collected first ---- */

enum direction { FORWARD, BACKWARD };

struct collector {
	struct xpath_visitor visitor;
	struct xpath_eval *eval;
	struct xpath_nodes nodes;
	const struct tree_position *pivot; /* siblings: of this node */
	int side;			   /* wanted are nodes before (-1) or after (1) the pivot; 0: all */
};

static enum status collect(struct xpath_visitor *visitor, const struct tree_position *node,
			   enum xpath_frame frame)
{
	struct collector *collector = (struct collector *)visitor;
	if (collector->side != 0) {
		int order = xpath__position_compare(node, collector->pivot);
		if (order == 0 || (order < 0) != (collector->side < 0)) {
			visitor->stop = collector->side < 0;
			return ST_OK;
		}
	}
	if (frame == FRAME_FRESH) {
		struct tree_position *kept = arena_alloc(collector->eval->arena, sizeof(*kept));
		*kept = *node;
		node = kept;
	}
	return xpath__nodes_add(collector->eval, &collector->nodes, node);
}

/* The siblings before or after `node` in document order. */
static enum status collect_siblings(struct xpath_eval *eval, const struct xpath_step *step,
				    const struct tree_position *node, int side, struct collector *collector)
{
	collector->visitor = (struct xpath_visitor){.visit = collect, .persistent = true};
	collector->eval = eval;
	collector->pivot = node;
	collector->side = side;
	if (node->parent == NULL || xpath__is_text(node))
		return ST_OK;
	return visit_children(eval, step, node->parent, &collector->visitor);
}

static enum status visit_nodes(struct xpath_eval *eval, const struct xpath_nodes *nodes,
			       enum direction direction, struct xpath_visitor *visitor)
{
	enum status status = ST_OK;
	for (size_t i = 0; status == ST_OK && !visitor->stop && i < nodes->length; i++)
		status = visit_one(eval, nodes->items[direction == BACKWARD ? nodes->length - 1 - i : i],
				   FRAME_KEPT, visitor);
	return status;
}

static enum status visit_siblings(struct xpath_eval *eval, const struct xpath_step *step,
				  const struct tree_position *node, int side, struct xpath_visitor *visitor)
{
	struct collector collector = {0};
	enum status status = collect_siblings(eval, step, node, side, &collector);
	if (status != ST_OK)
		return status;
	return visit_nodes(eval, &collector.nodes, side < 0 ? BACKWARD : FORWARD, visitor);
}

/* The subtrees of all siblings on one side, in document order. */
static enum status collect_sibling_trees(struct xpath_eval *eval, const struct xpath_step *step,
					 const struct tree_position *node, int side, struct collector *trees)
{
	static const struct xpath_step any = {.axis = AXIS_CHILD, .test = TEST_NODE};
	struct collector siblings = {0};
	enum status status = collect_siblings(eval, &any, node, side, &siblings);
	for (size_t i = 0; status == ST_OK && i < siblings.nodes.length; i++)
		status = visit_subtree(eval, step, siblings.nodes.items[i], &trees->visitor);
	return status;
}

static enum status visit_following(struct xpath_eval *eval, const struct xpath_step *step,
				   const struct tree_position *node, struct xpath_visitor *visitor)
{
	struct collector trees = {.visitor = {.visit = collect, .persistent = true}, .eval = eval};
	enum status status = ST_OK;
	for (; status == ST_OK && node != NULL; node = node->parent)
		status = collect_sibling_trees(eval, step, node, 1, &trees);
	return status != ST_OK ? status : visit_nodes(eval, &trees.nodes, FORWARD, visitor);
}

/* What is before `node` in document order but its ancestors: from the top down, the siblings before each
 * ancestor. */
static enum status collect_preceding(struct xpath_eval *eval, const struct xpath_step *step,
				     const struct tree_position *node, struct collector *trees)
{
	if (node->parent == NULL)
		return ST_OK;
	enum status status = collect_preceding(eval, step, node->parent, trees);
	return status != ST_OK ? status : collect_sibling_trees(eval, step, node, -1, trees);
}

static enum status visit_preceding(struct xpath_eval *eval, const struct xpath_step *step,
				   const struct tree_position *node, struct xpath_visitor *visitor)
{
	struct collector trees = {.visitor = {.visit = collect, .persistent = true}, .eval = eval};
	enum status status = collect_preceding(eval, step, node, &trees);
	return status != ST_OK ? status : visit_nodes(eval, &trees.nodes, BACKWARD, visitor);
}

enum status xpath__axis_visit(struct xpath_eval *eval, const struct xpath_step *step,
			      const struct tree_position *node, struct xpath_visitor *visitor)
{
	enum status status = ST_OK;
	switch (step->axis) {
	case AXIS_CHILD:
		return visit_children(eval, step, node, visitor);
	case AXIS_PARENT:
		return node->parent == NULL ? ST_OK : visit_self(eval, step, node->parent, visitor);
	case AXIS_SELF:
		return visit_self(eval, step, node, visitor);
	case AXIS_DESCENDANT_OR_SELF:
		status = visit_self(eval, step, node, visitor);
		if (status != ST_OK || visitor->stop)
			return status;
		return descend(eval, step, node, visitor);
	case AXIS_DESCENDANT:
		return descend(eval, step, node, visitor);
	case AXIS_ANCESTOR:
		return visit_ancestors(eval, step, node->parent, visitor);
	case AXIS_ANCESTOR_OR_SELF:
		return visit_ancestors(eval, step, node, visitor);
	case AXIS_FOLLOWING_SIBLING:
		return visit_siblings(eval, step, node, 1, visitor);
	case AXIS_PRECEDING_SIBLING:
		return visit_siblings(eval, step, node, -1, visitor);
	case AXIS_FOLLOWING:
		return visit_following(eval, step, node, visitor);
	case AXIS_PRECEDING:
		return visit_preceding(eval, step, node, visitor);
	case AXIS_EMPTY:
		return ST_OK;
	}
	return ST_OK;
}
