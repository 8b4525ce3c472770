/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * First pass over a parsed expression, bottom up: prefixes become modules, literal identities and patterns
 * are compiled, and each node learns what its value depends on (free, uses_position, uses_last). With that,
 * `//x` becomes descendant::x where no predicate counts positions (which would count among siblings).
 */
#include "xpath/compile.h"

#include "xpath/functions.h"
#include "xpath/parser.h"
#include "xpath/regex.h"

struct resolver {
	const struct xpath_scope *scope;
	struct arena *arena;
	struct xpath_error *error;
	bool plain;
};

static enum status resolve(struct resolver *resolver, struct xpath_node *node);

static enum status resolve_predicates(struct resolver *resolver, struct xpath_predicate *predicates)
{
	for (; predicates != NULL; predicates = predicates->next) {
		enum status status = resolve(resolver, predicates->expr);
		if (status != ST_OK)
			return status;
		predicates->positional =
			predicates->expr->type == XPATH_NUMBER || predicates->expr->uses_position;
		predicates->needs_last = predicates->expr->uses_last;
	}
	return ST_OK;
}

static enum status resolve_step(struct resolver *resolver, struct xpath_step *step)
{
	bool named = step->test == TEST_NAME || (step->test == TEST_ELEMENT && step->prefix.size > 0);
	if (named)
		step->module = xpath__prefix_module(resolver->scope, step->prefix);
	if (step->module == NULL && step->prefix.size > 0)
		return xpath__error_set(resolver->error, step->offset, "unknown prefix %.*s",
					(int)(step->prefix.size > 64 ? 64 : step->prefix.size),
					step->prefix.data);
	enum status status = resolve_predicates(resolver, step->predicates);
	size_t positional = 0;
	step->streamed_numbers = true;
	for (const struct xpath_predicate *p = step->predicates; p != NULL; p = p->next) {
		positional += p->positional;
		if (p->needs_last || positional > XPATH_POSITIONS_MAX)
			step->streamed_numbers = false;
	}
	return status;
}

static bool any_positional(const struct xpath_predicate *predicates)
{
	while (predicates != NULL && !predicates->positional)
		predicates = predicates->next;
	return predicates != NULL;
}

/* Joins each `//` with the child step that follows it. */
static void join_descendant_steps(struct xpath_path *path)
{
	for (struct xpath_step **link = &path->steps; *link != NULL; link = &(*link)->next) {
		struct xpath_step *next = (*link)->next;
		if (!(*link)->abbreviated || next == NULL || next->axis != AXIS_CHILD ||
		    any_positional(next->predicates))
			continue;
		next->axis = AXIS_DESCENDANT;
		*link = next;
	}
}

static enum status resolve_path(struct resolver *resolver, struct xpath_node *node)
{
	enum status status = resolve_predicates(resolver, node->path.predicates);
	for (struct xpath_step *step = node->path.steps; status == ST_OK && step != NULL; step = step->next)
		status = resolve_step(resolver, step);
	join_descendant_steps(&node->path);
	if (node->operands == NULL)
		node->free = node->path.absolute;
	return status;
}

static enum status resolve_pattern(struct resolver *resolver, struct xpath_node *node)
{
	const struct xpath_node *pattern = node->operands->next;
	const char *message;
	if (pattern->op != XPATH_LITERAL)
		return ST_OK;
	if (xpath__regex_compile(pattern->literal, resolver->arena, &node->call.regex, &message) == ST_OK)
		return ST_OK;
	return xpath__error_set(resolver->error, pattern->offset, "pattern: %s", message);
}

/* concat() of literals that is compared is a literal: there is no other way to write one with both kinds of
 * quotes. */
static void join_literals(struct resolver *resolver, struct xpath_node *node)
{
	size_t size = 0;
	if (node->op != XPATH_CALL || node->call.function->call != xpath__concat)
		return;
	for (const struct xpath_node *operand = node->operands; operand != NULL; operand = operand->next) {
		if (operand->op != XPATH_LITERAL)
			return;
		size += operand->literal.size;
	}
	char *text = arena_alloc(resolver->arena, size + 1), *to = text;
	for (const struct xpath_node *operand = node->operands; operand != NULL; operand = operand->next) {
		if (operand->literal.size > 0)
			memcpy(to, operand->literal.data, operand->literal.size);
		to += operand->literal.size;
	}
	node->op = XPATH_LITERAL;
	node->literal = (struct bytes){text, size};
	node->operands = NULL;
	node->height = 1;
}

static enum status resolve_call(struct resolver *resolver, struct xpath_node *node)
{
	const struct xpath_function *function = node->call.function;
	if (function->uses_context || (function->or_context && node->operands == NULL) ||
	    function->uses_position)
		node->free = false;
	node->uses_position |= function->uses_position;
	node->uses_last |= function->uses_last;
	if (function->call == xpath__deref && resolver->plain)
		return xpath__error_set(resolver->error, node->offset, "deref() is not allowed here");
	if (function->call == xpath__re_match)
		return resolve_pattern(resolver, node);
	bool identity =
		function->call == xpath__derived_from || function->call == xpath__derived_from_or_self;
	if (identity && node->operands->next->op == XPATH_LITERAL)
		node->call.canonical = xpath__identity_literal(resolver->scope, node->operands->next->literal,
							       resolver->arena);
	return ST_OK;
}

static enum status resolve(struct resolver *resolver, struct xpath_node *node)
{
	node->free = true;
	bool compares = node->op == XPATH_EQUAL || node->op == XPATH_NOT_EQUAL;
	for (struct xpath_node *operand = node->operands; operand != NULL; operand = operand->next) {
		enum status status = resolve(resolver, operand);
		if (status != ST_OK)
			return status;
		if (compares)
			join_literals(resolver, operand);
		node->free &= operand->free;
		node->uses_position |= operand->uses_position;
		node->uses_last |= operand->uses_last;
	}
	if (node->op == XPATH_PATH)
		return resolve_path(resolver, node);
	if (node->op == XPATH_CALL)
		return resolve_call(resolver, node);
	return ST_OK;
}

enum status xpath__resolve(const struct xpath_scope *scope, struct arena *arena, struct xpath_error *error,
			   bool plain, struct xpath_node *root)
{
	struct resolver resolver = {scope, arena, error, plain};
	return resolve(&resolver, root);
}
