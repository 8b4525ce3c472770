/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Comparisons (XPath 1.0 section 3.4). With a node-set, a comparison holds if it holds for some node:
 *
 *   node-set op boolean     boolean(node-set) op boolean
 *   node-set op number      some number(node) op number
 *   node-set op string      = !=: some text op string; < ...: some number(node) op number(string)
 *   node-set op node-set    = !=: some pair of texts; < ...: some pair of numbers
 *
 * The left set is streamed and the walk stops at the first hit; the right one is reduced to what decides: its
 * texts in a hash table (=), two different texts (!=), its least or greatest number (< ...). So no comparison
 * costs more than the two sets together. If all that can match on the right is one text, the walk is told so
 * (walk->wanted), which may save it all but one entry of a list.
 *
 * A literal may stand for a value with names in the prefixes of its module, an identity's; then it was
 * compiled to the canonical form too (node->literal_forms), and this is what values of such a type are
 * compared with.
 */
#include <math.h>

#include "base/hash_table.h"
#include "schema/type.h"
#include "xpath/compile.h"
#include "xpath/walk.h"

#define NESTED_MAX 8 /* texts on the right that are compared one by one */

/* One comparison of a streamed set with something. */
struct comparison {
	enum xpath_op op; /* the streamed node on the left */
	bool *result;
	struct bytes text;		   /* string */
	const struct xpath_literal *forms; /* string: see node->literal_forms */
	double number;			   /* number */
	const struct bytes *texts;	   /* node-set: few texts ... */
	size_t length;
	const struct hash_table *table; /* ... or many */
	bool other_texts;		/* !=: there are two different texts, so any node differs from one */
};

static bool compare_numbers(enum xpath_op op, double left, double right)
{
	switch (op) {
	case XPATH_EQUAL:
		return left == right;
	case XPATH_NOT_EQUAL:
		return left != right;
	case XPATH_LESS:
		return left < right;
	case XPATH_LESS_EQUAL:
		return left <= right;
	case XPATH_GREATER:
		return left > right;
	default: /* XPATH_GREATER_EQUAL; no other operator comes here */
		return left >= right;
	}
}

static enum xpath_op flip(enum xpath_op op)
{
	switch (op) {
	case XPATH_LESS:
		return XPATH_GREATER;
	case XPATH_LESS_EQUAL:
		return XPATH_GREATER_EQUAL;
	case XPATH_GREATER:
		return XPATH_LESS;
	case XPATH_GREATER_EQUAL:
		return XPATH_LESS_EQUAL;
	default: /* = and != are symmetric */
		return op;
	}
}

static bool is_equality(enum xpath_op op)
{
	return op == XPATH_EQUAL || op == XPATH_NOT_EQUAL;
}

static enum status found(struct xpath_walk *walk, bool hit)
{
	if (hit) {
		*((struct comparison *)walk->arg)->result = true;
		walk->stop = true;
	}
	return ST_OK;
}

static enum status number_sink(struct xpath_walk *walk, const struct tree_position *node)
{
	const struct comparison *comparison = walk->arg;
	struct bytes text;
	enum status status = xpath__passing_text(walk->eval, node, &text);
	if (status == ST_OK)
		status = xpath__charge_bytes(walk->eval, text.size);
	if (status != ST_OK)
		return status;
	return found(walk, compare_numbers(comparison->op, xpath__number_parse(text), comparison->number));
}

static enum status string_sink(struct xpath_walk *walk, const struct tree_position *node)
{
	const struct comparison *comparison = walk->arg;
	struct bytes text;
	enum status status = xpath__passing_text(walk->eval, node, &text);
	if (status != ST_OK)
		return status;
	bool equal = comparison->forms == NULL ? bytes_equal(text, comparison->text)
					       : xpath__literal_equals(comparison->forms, comparison->text,
								       node->schema->type, text);
	return found(walk, equal == (comparison->op == XPATH_EQUAL));
}

static enum status texts_sink(struct xpath_walk *walk, const struct tree_position *node)
{
	const struct comparison *comparison = walk->arg;
	struct bytes text;
	enum status status = xpath__passing_text(walk->eval, node, &text);
	if (status != ST_OK)
		return status;
	if (comparison->op == XPATH_NOT_EQUAL)
		return found(walk, comparison->other_texts || !bytes_equal(text, comparison->texts[0]));
	if (comparison->table != NULL)
		return found(walk, hash_table_find(comparison->table, text) != NULL);
	bool hit = false;
	for (size_t i = 0; i < comparison->length && !hit; i++)
		hit = bytes_equal(text, comparison->texts[i]);
	return found(walk, hit);
}

/* The texts of a set, in the arena. */
static enum status texts_of(struct xpath_eval *eval, const struct xpath_nodes *nodes, struct bytes **texts)
{
	*texts = arena_alloc(eval->arena, (nodes->length + 1) * sizeof(**texts));
	for (size_t i = 0; i < nodes->length; i++) {
		enum status status = xpath__text(eval, nodes->items[i], &(*texts)[i]);
		if (status != ST_OK)
			return status;
	}
	return ST_OK;
}

/* The number on the right that is easiest to compare with: the greatest for <, the least for >. NaN: none. */
static enum status extreme_number(struct xpath_eval *eval, enum xpath_op op, const struct xpath_nodes *nodes,
				  double *extreme)
{
	bool greatest = op == XPATH_LESS || op == XPATH_LESS_EQUAL;
	*extreme = NAN;
	for (size_t i = 0; i < nodes->length; i++) {
		struct bytes text;
		enum status status = xpath__passing_text(eval, nodes->items[i], &text);
		if (status == ST_OK)
			status = xpath__charge_bytes(eval, text.size);
		if (status != ST_OK)
			return status;
		double number = xpath__number_parse(text);
		if (isnan(*extreme) || (greatest ? number > *extreme : number < *extreme))
			*extreme = number;
	}
	return ST_OK;
}

static enum status walk_texts(struct xpath_walk *walk, const struct xpath_node *left,
			      const struct xpath_context *context, size_t length, const struct bytes *texts)
{
	struct comparison *comparison = walk->arg;
	comparison->texts = texts;
	comparison->length = length;
	walk->sink = texts_sink;
	for (size_t i = 1; i < length && !comparison->other_texts; i++)
		comparison->other_texts = !bytes_equal(texts[0], texts[i]);
	if (comparison->op == XPATH_EQUAL && !comparison->other_texts)
		walk->wanted = &texts[0];
	if (comparison->op == XPATH_NOT_EQUAL || length <= NESTED_MAX)
		return xpath__walk(walk, left, context, ANY_ORDER);
	struct hash_table *table = hash_table_new();
	for (size_t i = 0; i < length; i++)
		hash_table_put(table, texts[i], walk);
	comparison->table = table;
	enum status status = xpath__walk(walk, left, context, ANY_ORDER);
	hash_table_free(table);
	return status;
}

static enum status compare_sets(struct xpath_walk *walk, const struct xpath_node *left,
				const struct xpath_node *right, const struct xpath_context *context)
{
	struct comparison *comparison = walk->arg;
	struct xpath_nodes nodes;
	struct bytes *texts;
	enum status status = xpath__nodes(walk->eval, right, context, &nodes);
	if (status != ST_OK || nodes.length == 0)
		return status;
	if (!is_equality(comparison->op)) {
		status = extreme_number(walk->eval, comparison->op, &nodes, &comparison->number);
		walk->sink = number_sink;
		return status != ST_OK ? status : xpath__walk(walk, left, context, ANY_ORDER);
	}
	status = xpath__charge(walk->eval, nodes.length);
	if (status == ST_OK)
		status = texts_of(walk->eval, &nodes, &texts);
	return status != ST_OK ? status : walk_texts(walk, left, context, nodes.length, texts);
}

static enum status compare_with_string(struct xpath_walk *walk, const struct xpath_node *set,
				       const struct xpath_node *other, const struct xpath_context *context)
{
	struct comparison *comparison = walk->arg;
	enum status status = xpath__string_of(walk->eval, other, context, &comparison->text);
	if (status != ST_OK)
		return status;
	if (!is_equality(comparison->op)) {
		comparison->number = xpath__number_parse(comparison->text);
		walk->sink = number_sink;
	} else {
		walk->sink = string_sink;
		if (comparison->op == XPATH_EQUAL && comparison->forms == NULL)
			walk->wanted = &comparison->text;
	}
	return xpath__walk(walk, set, context, ANY_ORDER);
}

static enum status compare_set(struct xpath_eval *eval, const struct xpath_node *set,
			       const struct xpath_node *other, const struct xpath_context *context,
			       struct comparison *comparison)
{
	struct xpath_walk walk = {.eval = eval, .arg = comparison};
	enum status status = ST_OK;
	bool left, right;
	switch (other->type) {
	case XPATH_NODE_SET:
		return compare_sets(&walk, set, other, context);
	case XPATH_STRING:
		return compare_with_string(&walk, set, other, context);
	case XPATH_NUMBER:
		status = xpath__number_of(eval, other, context, &comparison->number);
		walk.sink = number_sink;
		return status != ST_OK ? status : xpath__walk(&walk, set, context, ANY_ORDER);
	case XPATH_BOOLEAN:
		status = xpath__boolean_of(eval, set, context, &left);
		if (status == ST_OK)
			status = xpath__boolean_of(eval, other, context, &right);
		if (status == ST_OK)
			*comparison->result = compare_numbers(comparison->op, left, right);
		return status;
	}
	return status;
}

static enum status compare_scalars(struct xpath_eval *eval, const struct xpath_node *node,
				   const struct xpath_context *context, bool *result)
{
	const struct xpath_node *left = node->operands, *right = left->next;
	struct xpath_value a, b;
	enum status status = xpath__value(eval, left, context, &a);
	if (status == ST_OK)
		status = xpath__value(eval, right, context, &b);
	if (status != ST_OK)
		return status;
	if (is_equality(node->op) && (a.type == XPATH_BOOLEAN || b.type == XPATH_BOOLEAN))
		*result = compare_numbers(node->op, xpath_value_boolean(&a), xpath_value_boolean(&b));
	else if (is_equality(node->op) && a.type == XPATH_STRING && b.type == XPATH_STRING)
		*result = bytes_equal(a.string, b.string) == (node->op == XPATH_EQUAL);
	else
		*result = compare_numbers(node->op, xpath_value_number(&a, eval->arena),
					  xpath_value_number(&b, eval->arena));
	return ST_OK;
}

enum status xpath__compare(struct xpath_eval *eval, const struct xpath_node *node,
			   const struct xpath_context *context, bool *result)
{
	const struct xpath_node *left = node->operands, *right = left->next;
	*result = false;
	if (left->type != XPATH_NODE_SET && right->type != XPATH_NODE_SET)
		return compare_scalars(eval, node, context, result);
	struct comparison comparison = {.op = node->op, .result = result};
	if (is_equality(node->op))
		comparison.forms = node->literal_forms;
	/* Stream the side that is a path and not just current(). */
	bool swap = left->type != XPATH_NODE_SET || (right->type == XPATH_NODE_SET && left->op != XPATH_PATH);
	if (!swap)
		return compare_set(eval, left, right, context, &comparison);
	comparison.op = flip(node->op);
	return compare_set(eval, right, left, context, &comparison);
}
