/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Recursive descent over XPath 1.0's grammar, the binary operators by precedence:
 *
 *   0  or     1  and     2  = !=     3  < <= > >=     4  + -     5  * div mod     then unary -, then |
 *
 * Hostile input is bounded twice: XPATH_DEPTH_MAX bounds the parser's own recursion (parentheses, arguments,
 * predicates), XPATH_HEIGHT_MAX what later recursions over the AST need (long operator chains and paths count
 * too). Chains of `or`, `and` and `|` are one node, so they may be long.
 *
 * Types are checked here, since XPath without variables types every expression statically: paths start from
 * node-sets, `|` joins node-sets, and functions that want a node-set get one.
 */
#include "xpath/parser.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "xpath/functions.h"
#include "xpath/lexer.h"

struct parser {
	struct xpath_lexer lexer;
	struct arena *arena;
	struct xpath_error *error;
	unsigned depth;
};

#define LEVEL_UNARY 6

static enum status parse_binary(struct parser *parser, unsigned level, struct xpath_node **node);

enum status xpath__error_set(struct xpath_error *error, size_t offset, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	vsnprintf(error->message, sizeof(error->message), format, args);
	va_end(args);
	error->offset = offset;
	return ST_REJECTED;
}

static enum status fail(struct parser *parser, const char *message)
{
	const struct xpath_lexer *lexer = &parser->lexer;
	if (lexer->token == TOKEN_ERROR)
		message = lexer->message;
	return xpath__error_set(parser->error, lexer->offset, "%s", message);
}

static bool accept(struct parser *parser, enum xpath_token token)
{
	if (parser->lexer.token != token)
		return false;
	xpath__lexer_next(&parser->lexer);
	return true;
}

static struct xpath_node *new_node(struct parser *parser, enum xpath_op op, enum xpath_type type)
{
	struct xpath_node *node = arena_zalloc(parser->arena, sizeof(*node));
	node->op = op;
	node->type = type;
	node->height = 1;
	node->offset = parser->lexer.offset;
	return node;
}

/* Makes room for `height` below `node`. */
static enum status raise_height(struct parser *parser, struct xpath_node *node, uint32_t height)
{
	if (node->height <= height)
		node->height = height + 1;
	if (node->height > XPATH_HEIGHT_MAX)
		return fail(parser, "the expression is nested too deep or too long");
	return ST_OK;
}

/* Appends an operand after `last` (NULL: the first). */
static enum status add_operand(struct parser *parser, struct xpath_node *node, struct xpath_node *last,
			       struct xpath_node *operand)
{
	if (last == NULL)
		node->operands = operand;
	else
		last->next = operand;
	return raise_height(parser, node, operand->height);
}

static enum status parse_nested(struct parser *parser, struct xpath_node **node)
{
	if (parser->depth == XPATH_DEPTH_MAX)
		return fail(parser, "the expression is nested too deep");
	parser->depth++;
	enum status status = parse_binary(parser, 0, node);
	parser->depth--;
	return status;
}

/* A step is a level, as is what its predicates need above the steps before it: their sum is an upper bound.
 */
static enum status measure_path(struct parser *parser, struct xpath_node *path, uint32_t highest)
{
	if (path->path.highest < highest)
		path->path.highest = highest;
	return raise_height(parser, path, path->path.length + path->path.highest);
}

/* Predicate* */
static enum status parse_predicates(struct parser *parser, struct xpath_node *path,
				    struct xpath_predicate **list)
{
	while (accept(parser, TOKEN_OPEN_BRACKET)) {
		struct xpath_predicate *predicate = arena_zalloc(parser->arena, sizeof(*predicate));
		enum status status = parse_nested(parser, &predicate->expr);
		if (status != ST_OK)
			return status;
		if (!accept(parser, TOKEN_CLOSE_BRACKET))
			return fail(parser, "']' is expected");
		status = measure_path(parser, path, predicate->expr->height);
		if (status != ST_OK)
			return status;
		*list = predicate;
		list = &predicate->next;
	}
	return ST_OK;
}

static enum status axis_by_name(struct parser *parser, enum xpath_axis *axis)
{
	static const struct {
		const char *name;
		enum xpath_axis axis;
	} axes[] = {
		{"child", AXIS_CHILD},
		{"parent", AXIS_PARENT},
		{"self", AXIS_SELF},
		{"descendant", AXIS_DESCENDANT},
		{"descendant-or-self", AXIS_DESCENDANT_OR_SELF},
		{"ancestor", AXIS_ANCESTOR},
		{"ancestor-or-self", AXIS_ANCESTOR_OR_SELF},
		{"following-sibling", AXIS_FOLLOWING_SIBLING},
		{"preceding-sibling", AXIS_PRECEDING_SIBLING},
		{"following", AXIS_FOLLOWING},
		{"preceding", AXIS_PRECEDING},
		{"attribute", AXIS_EMPTY},
		{"namespace", AXIS_EMPTY},
	};
	for (size_t i = 0; i < sizeof(axes) / sizeof(axes[0]); i++) {
		if (bytes_equal(parser->lexer.name, bytes_of(axes[i].name))) {
			*axis = axes[i].axis;
			return ST_OK;
		}
	}
	return fail(parser, "unknown axis");
}

/* node(), text(), comment(), processing-instruction('target'?) */
static enum status parse_node_type(struct parser *parser, struct xpath_step *step)
{
	struct bytes type = parser->lexer.name;
	xpath__lexer_next(&parser->lexer);
	if (!accept(parser, TOKEN_OPEN))
		return fail(parser, "'(' is expected");
	step->test = TEST_NOTHING;
	if (bytes_equal(type, bytes_of("node")))
		step->test = TEST_NODE;
	else if (bytes_equal(type, bytes_of("text")))
		step->test = TEST_TEXT;
	else if (bytes_equal(type, bytes_of("processing-instruction")))
		accept(parser, TOKEN_LITERAL);
	if (!accept(parser, TOKEN_CLOSE))
		return fail(parser, "')' is expected");
	return ST_OK;
}

static enum status parse_node_test(struct parser *parser, struct xpath_step *step)
{
	if (parser->lexer.token == TOKEN_TYPE)
		return parse_node_type(parser, step);
	if (parser->lexer.token != TOKEN_NAME && parser->lexer.token != TOKEN_STAR)
		return fail(parser, "a name, '*' or node type is expected");
	step->test = parser->lexer.token == TOKEN_NAME ? TEST_NAME : TEST_ELEMENT;
	step->prefix = parser->lexer.prefix;
	step->name = parser->lexer.name;
	xpath__lexer_next(&parser->lexer);
	return ST_OK;
}

static struct xpath_step *add_step(struct parser *parser, struct xpath_node *path, struct xpath_step *last)
{
	struct xpath_step *step = arena_zalloc(parser->arena, sizeof(*step));
	step->offset = parser->lexer.offset;
	if (last == NULL)
		path->path.steps = step;
	else
		last->next = step;
	path->path.length++;
	return step;
}

static enum status parse_step(struct parser *parser, struct xpath_node *path, struct xpath_step *step)
{
	step->test = TEST_NODE;
	if (accept(parser, TOKEN_DOT)) {
		step->axis = AXIS_SELF;
		return ST_OK;
	}
	if (accept(parser, TOKEN_DOTS)) {
		step->axis = AXIS_PARENT;
		return ST_OK;
	}
	step->axis = AXIS_CHILD;
	enum status status = ST_OK;
	if (accept(parser, TOKEN_AT)) {
		step->axis = AXIS_EMPTY;
	} else if (parser->lexer.token == TOKEN_AXIS) {
		status = axis_by_name(parser, &step->axis);
		xpath__lexer_next(&parser->lexer);
	}
	if (status == ST_OK)
		status = parse_node_test(parser, step);
	if (status == ST_OK)
		status = parse_predicates(parser, path, &step->predicates);
	return status;
}

static struct xpath_step *add_descendant_step(struct parser *parser, struct xpath_node *path,
					      struct xpath_step *last)
{
	struct xpath_step *step = add_step(parser, path, last);
	step->axis = AXIS_DESCENDANT_OR_SELF;
	step->test = TEST_NODE;
	step->abbreviated = true;
	return step;
}

/* Step (('/' | '//') Step)* ; `deep`: `//` came before the first. */
static enum status parse_steps(struct parser *parser, struct xpath_node *path, bool deep)
{
	struct xpath_step *last = NULL;
	do {
		if (deep)
			last = add_descendant_step(parser, path, last);
		last = add_step(parser, path, last);
		enum status status = parse_step(parser, path, last);
		if (status == ST_OK)
			status = measure_path(parser, path, 0);
		if (status != ST_OK)
			return status;
		deep = parser->lexer.token == TOKEN_SLASHES;
	} while (accept(parser, TOKEN_SLASH) || accept(parser, TOKEN_SLASHES));
	return ST_OK;
}

static bool begins_step(enum xpath_token token)
{
	return token == TOKEN_DOT || token == TOKEN_DOTS || token == TOKEN_AT || token == TOKEN_AXIS ||
	       token == TOKEN_NAME || token == TOKEN_STAR || token == TOKEN_TYPE;
}

static enum status parse_location_path(struct parser *parser, struct xpath_node **node)
{
	*node = new_node(parser, XPATH_PATH, XPATH_NODE_SET);
	bool deep = parser->lexer.token == TOKEN_SLASHES;
	(*node)->path.absolute = deep || parser->lexer.token == TOKEN_SLASH;
	if ((*node)->path.absolute) {
		xpath__lexer_next(&parser->lexer);
		if (!deep && !begins_step(parser->lexer.token))
			return ST_OK;
	}
	return parse_steps(parser, *node, deep);
}

static enum status check_arguments(struct parser *parser, const struct xpath_node *call)
{
	const struct xpath_function *function = call->call.function;
	if (call->call.length < function->min_args || call->call.length > function->max_args)
		return xpath__error_set(parser->error, call->offset, "wrong number of arguments of %s()",
					function->name);
	size_t index = 0;
	for (const struct xpath_node *arg = call->operands; arg != NULL; arg = arg->next, index++) {
		if (index == 0 && function->takes_nodes && arg->type != XPATH_NODE_SET)
			return xpath__error_set(parser->error, arg->offset, "%s() needs a node-set",
						function->name);
	}
	return ST_OK;
}

static enum status parse_call(struct parser *parser, struct xpath_node **node)
{
	struct bytes name = parser->lexer.name;
	const struct xpath_function *function =
		parser->lexer.prefix.size == 0 ? xpath__function_find(name) : NULL;
	if (function == NULL)
		return xpath__error_set(parser->error, parser->lexer.offset, "unknown function %.*s()",
					(int)(name.size > 64 ? 64 : name.size), name.data);
	struct xpath_node *call = new_node(parser, XPATH_CALL, function->type);
	call->call.function = function;
	*node = call;
	xpath__lexer_next(&parser->lexer);
	xpath__lexer_next(&parser->lexer); /* the ( that made it a function */
	if (accept(parser, TOKEN_CLOSE))
		return check_arguments(parser, call);
	struct xpath_node *last = NULL;
	do {
		struct xpath_node *arg;
		enum status status = parse_nested(parser, &arg);
		if (status == ST_OK)
			status = add_operand(parser, call, last, arg);
		if (status != ST_OK)
			return status;
		last = arg;
		call->call.length++;
	} while (accept(parser, TOKEN_COMMA));
	if (!accept(parser, TOKEN_CLOSE))
		return fail(parser, "')' is expected");
	return check_arguments(parser, call);
}

static enum status parse_numeral(struct parser *parser, struct xpath_node **node)
{
	*node = new_node(parser, XPATH_NUMERAL, XPATH_NUMBER);
	(*node)->number = strtod(arena_strdup(parser->arena, parser->lexer.name), NULL);
	xpath__lexer_next(&parser->lexer);
	return ST_OK;
}

static enum status parse_primary(struct parser *parser, struct xpath_node **node)
{
	if (parser->lexer.token == TOKEN_NUMBER)
		return parse_numeral(parser, node);
	if (parser->lexer.token == TOKEN_FUNCTION)
		return parse_call(parser, node);
	if (parser->lexer.token == TOKEN_LITERAL) {
		*node = new_node(parser, XPATH_LITERAL, XPATH_STRING);
		(*node)->literal = parser->lexer.name;
		xpath__lexer_next(&parser->lexer);
		return ST_OK;
	}
	if (!accept(parser, TOKEN_OPEN))
		return fail(parser,
			    parser->lexer.token == TOKEN_END ? "unexpected end" : "an operand is expected");
	enum status status = parse_nested(parser, node);
	if (status == ST_OK && !accept(parser, TOKEN_CLOSE))
		return fail(parser, "')' is expected");
	return status;
}

/* FilterExpr (('/' | '//') RelativeLocationPath)? */
static enum status parse_filter_path(struct parser *parser, struct xpath_node **node)
{
	struct xpath_node *start;
	enum status status = parse_primary(parser, &start);
	if (status != ST_OK)
		return status;
	enum xpath_token token = parser->lexer.token;
	*node = start;
	if (token != TOKEN_OPEN_BRACKET && token != TOKEN_SLASH && token != TOKEN_SLASHES)
		return ST_OK;
	if (start->type != XPATH_NODE_SET)
		return fail(parser, "only a node-set has predicates and steps");
	*node = new_node(parser, XPATH_PATH, XPATH_NODE_SET);
	(*node)->path.highest = start->height;
	status = add_operand(parser, *node, NULL, start);
	if (status == ST_OK)
		status = parse_predicates(parser, *node, &(*node)->path.predicates);
	if (status != ST_OK)
		return status;
	bool deep = parser->lexer.token == TOKEN_SLASHES;
	if (accept(parser, TOKEN_SLASH) || accept(parser, TOKEN_SLASHES))
		return parse_steps(parser, *node, deep);
	return ST_OK;
}

static enum status parse_path(struct parser *parser, struct xpath_node **node)
{
	enum xpath_token token = parser->lexer.token;
	if (token == TOKEN_SLASH || token == TOKEN_SLASHES || begins_step(token))
		return parse_location_path(parser, node);
	return parse_filter_path(parser, node);
}

static enum status parse_union(struct parser *parser, struct xpath_node **node)
{
	enum status status = parse_path(parser, node);
	if (status != ST_OK || parser->lexer.token != TOKEN_PIPE)
		return status;
	struct xpath_node *joined = new_node(parser, XPATH_UNION, XPATH_NODE_SET);
	struct xpath_node *operand = *node, *last = NULL;
	*node = joined;
	for (;;) {
		if (operand->type != XPATH_NODE_SET)
			return fail(parser, "'|' joins node-sets only");
		status = add_operand(parser, joined, last, operand);
		last = operand;
		if (status != ST_OK || !accept(parser, TOKEN_PIPE))
			return status;
		status = parse_path(parser, &operand);
		if (status != ST_OK)
			return status;
	}
}

static enum status parse_unary(struct parser *parser, struct xpath_node **node)
{
	bool any = false, negative = false;
	while (accept(parser, TOKEN_MINUS)) {
		any = true;
		negative = !negative;
	}
	enum status status = parse_union(parser, node);
	if (status != ST_OK || !any)
		return status;
	/* An even number of signs is still a conversion to a number: --x */
	for (int i = 0; i < (negative ? 1 : 2); i++) {
		struct xpath_node *operand = *node;
		*node = new_node(parser, XPATH_NEGATE, XPATH_NUMBER);
		status = add_operand(parser, *node, NULL, operand);
		if (status != ST_OK)
			return status;
	}
	return ST_OK;
}

struct binary {
	enum xpath_token token;
	unsigned level;
	enum xpath_op op;
	enum xpath_type type;
};

static const struct binary *find_binary(enum xpath_token token)
{
	static const struct binary operators[] = {
		{TOKEN_OR, 0, XPATH_OR, XPATH_BOOLEAN},
		{TOKEN_AND, 1, XPATH_AND, XPATH_BOOLEAN},
		{TOKEN_EQUAL, 2, XPATH_EQUAL, XPATH_BOOLEAN},
		{TOKEN_NOT_EQUAL, 2, XPATH_NOT_EQUAL, XPATH_BOOLEAN},
		{TOKEN_LESS, 3, XPATH_LESS, XPATH_BOOLEAN},
		{TOKEN_LESS_EQUAL, 3, XPATH_LESS_EQUAL, XPATH_BOOLEAN},
		{TOKEN_GREATER, 3, XPATH_GREATER, XPATH_BOOLEAN},
		{TOKEN_GREATER_EQUAL, 3, XPATH_GREATER_EQUAL, XPATH_BOOLEAN},
		{TOKEN_PLUS, 4, XPATH_ADD, XPATH_NUMBER},
		{TOKEN_MINUS, 4, XPATH_SUBTRACT, XPATH_NUMBER},
		{TOKEN_MULTIPLY, 5, XPATH_MULTIPLY, XPATH_NUMBER},
		{TOKEN_DIV, 5, XPATH_DIVIDE, XPATH_NUMBER},
		{TOKEN_MOD, 5, XPATH_MODULO, XPATH_NUMBER},
	};
	for (size_t i = 0; i < sizeof(operators) / sizeof(operators[0]); i++) {
		if (operators[i].token == token)
			return &operators[i];
	}
	return NULL;
}

static enum status parse_binary(struct parser *parser, unsigned level, struct xpath_node **node)
{
	if (level == LEVEL_UNARY)
		return parse_unary(parser, node);
	enum status status = parse_binary(parser, level + 1, node);
	struct xpath_node *last = NULL; /* operand of a chain that may go on */
	while (status == ST_OK) {
		const struct binary *found = find_binary(parser->lexer.token);
		if (found == NULL || found->level != level)
			return ST_OK;
		if (last == NULL || level > 1) {
			struct xpath_node *left = *node;
			*node = new_node(parser, found->op, found->type);
			status = add_operand(parser, *node, NULL, left);
			last = left;
		}
		if (status != ST_OK)
			return status;
		xpath__lexer_next(&parser->lexer);
		struct xpath_node *right;
		status = parse_binary(parser, level + 1, &right);
		if (status == ST_OK)
			status = add_operand(parser, *node, last, right);
		last = right;
	}
	return status;
}

enum status xpath__parse(struct bytes text, struct arena *arena, struct xpath_error *error,
			 struct xpath_node **root)
{
	struct parser parser = {.arena = arena, .error = error};
	if (text.size > XPATH_TEXT_MAX)
		return xpath__error_set(error, 0, "the expression is too long");
	xpath__lexer_init(&parser.lexer, text);
	enum status status = parse_binary(&parser, 0, root);
	if (status == ST_OK && parser.lexer.token != TOKEN_END)
		return fail(&parser, "unexpected text after the expression");
	return status;
}
