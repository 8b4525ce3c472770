/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Evaluation of expressions: the operators, and the public entry points. A value is computed in the form that
 * its user wants (a boolean, a number, a string, an array of nodes), so that boolean(path) stops at the first
 * node and string(path) takes no second one.
 *
 * Recursion is bounded by the height of the AST (XPATH_HEIGHT_MAX) and the depth of the tree; work by
 * limits->steps.
 */
#include <math.h>

#include "base/assert.h"
#include "xpath/functions.h"
#include "xpath/walk.h"

static enum status binary_numbers(struct xpath_eval *eval, const struct xpath_node *node,
				  const struct xpath_context *context, double *left, double *right)
{
	enum status status = xpath__number_of(eval, node->operands, context, left);
	return status != ST_OK ? status : xpath__number_of(eval, node->operands->next, context, right);
}

static enum status arithmetic(struct xpath_eval *eval, const struct xpath_node *node,
			      const struct xpath_context *context, double *number)
{
	double left, right;
	enum status status = binary_numbers(eval, node, context, &left, &right);
	if (status != ST_OK)
		return status;
	if (node->op == XPATH_ADD)
		*number = left + right;
	else if (node->op == XPATH_SUBTRACT)
		*number = left - right;
	else if (node->op == XPATH_MULTIPLY)
		*number = left * right;
	else if (node->op == XPATH_DIVIDE)
		*number = left / right;
	else
		*number = fmod(left, right);
	return ST_OK;
}

/* The first operand that decides does. */
static enum status logic(struct xpath_eval *eval, const struct xpath_node *node,
			 const struct xpath_context *context, bool *result)
{
	bool decisive = node->op == XPATH_OR;
	*result = !decisive;
	for (const struct xpath_node *operand = node->operands; operand != NULL; operand = operand->next) {
		enum status status = xpath__boolean_of(eval, operand, context, result);
		if (status != ST_OK || *result == decisive)
			return status;
	}
	return ST_OK;
}

static enum status any_sink(struct xpath_walk *walk, const struct tree_position *node)
{
	(void)node;
	*(bool *)walk->arg = true;
	walk->stop = true;
	return ST_OK;
}

static enum status any_node(struct xpath_eval *eval, const struct xpath_node *node,
			    const struct xpath_context *context, bool *any)
{
	*any = false;
	if (node->op != XPATH_UNION) {
		struct xpath_walk walk = {.eval = eval, .sink = any_sink, .arg = any};
		return xpath__walk(&walk, node, context, ANY_ORDER);
	}
	for (const struct xpath_node *operand = node->operands; operand != NULL; operand = operand->next) {
		enum status status = any_node(eval, operand, context, any);
		if (status != ST_OK || *any)
			return status;
	}
	return ST_OK;
}

static enum status call(struct xpath_eval *eval, const struct xpath_node *node,
			const struct xpath_context *context, struct xpath_value *value)
{
	*value = (struct xpath_value){
		.type = node->type, .schema = eval->schema, .view = eval->view, .implicit = eval->implicit};
	return node->call.function->call(eval, node, context, value);
}

enum status xpath__boolean_of(struct xpath_eval *eval, const struct xpath_node *node,
			      const struct xpath_context *context, bool *boolean)
{
	if (node->type == XPATH_NODE_SET)
		return any_node(eval, node, context, boolean);
	struct xpath_value value;
	enum status status = xpath__value(eval, node, context, &value);
	if (status == ST_OK)
		*boolean = xpath_value_boolean(&value);
	return status;
}

enum status xpath__number_of(struct xpath_eval *eval, const struct xpath_node *node,
			     const struct xpath_context *context, double *number)
{
	if (node->type == XPATH_NODE_SET) {
		struct bytes text;
		enum status status = xpath__string_of(eval, node, context, &text);
		if (status == ST_OK)
			status = xpath__charge_bytes(eval, text.size);
		if (status == ST_OK)
			*number = xpath__number_parse(text);
		return status;
	}
	struct xpath_value value;
	enum status status = xpath__value(eval, node, context, &value);
	if (status == ST_OK)
		*number = xpath_value_number(&value, eval->arena);
	return status;
}

enum status xpath__string_of(struct xpath_eval *eval, const struct xpath_node *node,
			     const struct xpath_context *context, struct bytes *string)
{
	if (node->type == XPATH_NODE_SET) {
		const struct tree_position *first;
		enum status status = xpath__first(eval, node, context, &first);
		*string = (struct bytes){0};
		return status != ST_OK || first == NULL ? status : xpath__text(eval, first, string);
	}
	struct xpath_value value;
	enum status status = xpath__value(eval, node, context, &value);
	if (status == ST_OK)
		*string = xpath_value_string(&value, eval->arena);
	return status;
}

static enum status node_set_value(struct xpath_eval *eval, const struct xpath_node *node,
				  const struct xpath_context *context, struct xpath_value *value)
{
	struct xpath_nodes nodes;
	enum status status = xpath__nodes(eval, node, context, &nodes);
	value->nodes = nodes.items;
	value->length = nodes.length;
	return status;
}

enum status xpath__value(struct xpath_eval *eval, const struct xpath_node *node,
			 const struct xpath_context *context, struct xpath_value *value)
{
	*value = (struct xpath_value){
		.type = node->type, .schema = eval->schema, .view = eval->view, .implicit = eval->implicit};
	enum status status = xpath__charge(eval, 1);
	if (status != ST_OK)
		return status;
	switch (node->op) {
	case XPATH_OR:
	case XPATH_AND:
		return logic(eval, node, context, &value->boolean);
	case XPATH_EQUAL:
	case XPATH_NOT_EQUAL:
	case XPATH_LESS:
	case XPATH_LESS_EQUAL:
	case XPATH_GREATER:
	case XPATH_GREATER_EQUAL:
		return xpath__compare(eval, node, context, &value->boolean);
	case XPATH_ADD:
	case XPATH_SUBTRACT:
	case XPATH_MULTIPLY:
	case XPATH_DIVIDE:
	case XPATH_MODULO:
		return arithmetic(eval, node, context, &value->number);
	case XPATH_NEGATE:
		status = xpath__number_of(eval, node->operands, context, &value->number);
		value->number = -value->number;
		return status;
	case XPATH_UNION:
	case XPATH_PATH:
		return node_set_value(eval, node, context, value);
	case XPATH_LITERAL:
		value->string = node->literal;
		return ST_OK;
	case XPATH_NUMERAL:
		value->number = node->number;
		return ST_OK;
	case XPATH_CALL:
		return call(eval, node, context, value);
	}
	return ST_OK;
}

/* ---- public ---- */

/* The root frame of the context is that of the results too. */
static const struct tree_position *find_root(const struct xpath_env *env, const struct tree_position *context)
{
	while (context->parent != NULL)
		context = context->parent;
	if (context->schema == env->schema->root)
		return context;
	struct tree_position *root = arena_alloc(env->arena, sizeof(*root));
	*root = tree_position_root(env->schema, env->root);
	return root;
}

static struct xpath_eval begin(const struct xpath_expr *expr, const struct xpath_env *env,
			       const struct tree_position *context)
{
	ASSERT(env->limits != NULL && context != NULL && env->schema == expr->schema);
	return (struct xpath_eval){
		.schema = env->schema,
		.root = find_root(env, context),
		.operation = env->operation,
		.current = env->current != NULL ? env->current : context,
		.arena = env->arena,
		.limits = env->limits,
		.memory = env->memory,
		.view = env->view,
		.implicit = env->implicit,
		.search = env->search,
		.module = expr->module,
	};
}

enum status xpath_eval(const struct xpath_expr *expr, const struct xpath_env *env,
		       const struct tree_position *context, struct xpath_value *value)
{
	struct xpath_eval eval = begin(expr, env, context);
	struct xpath_context initial = {context, 1, 1};
	struct xpath_value result;
	enum status status = xpath__value(&eval, expr->root, &initial, &result);
	if (status == ST_OK)
		*value = result;
	return status;
}

enum status xpath_eval_boolean(const struct xpath_expr *expr, const struct xpath_env *env,
			       const struct tree_position *context, bool *value)
{
	struct xpath_eval eval = begin(expr, env, context);
	struct xpath_context initial = {context, 1, 1};
	bool result = false;
	enum status status = xpath__boolean_of(&eval, expr->root, &initial, &result);
	if (status == ST_OK)
		*value = result;
	return status;
}

static enum status text_sink(struct xpath_walk *walk, const struct tree_position *node)
{
	struct bytes text;
	enum status status = xpath__passing_text(walk->eval, node, &text);
	if (status == ST_OK && bytes_equal(text, *walk->wanted)) {
		*(bool *)walk->arg = true;
		walk->stop = true;
	}
	return status;
}

enum status xpath_eval_exists(const struct xpath_expr *expr, const struct xpath_env *env,
			      const struct tree_position *context, struct bytes text, bool *exists)
{
	ASSERT(expr->root->type == XPATH_NODE_SET);
	struct xpath_eval eval = begin(expr, env, context);
	struct xpath_context initial = {context, 1, 1};
	bool result = false;
	struct xpath_walk walk = {.eval = &eval, .sink = text_sink, .arg = &result, .wanted = &text};
	enum status status = xpath__walk(&walk, expr->root, &initial, ANY_ORDER);
	if (status == ST_OK)
		*exists = result;
	return status;
}
