/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The lexer of XPath 1.0. Its one peculiarity is section 3.7: whether `*` is a name test or a multiplication,
 * and whether `and`, `or`, `div`, `mod` are names or operators, depends on the token before: after an operand
 * they are operators. A name before `(` is a function or node type, before `::` an axis.
 *
 * Tokens are slices of the text; nothing is copied. An error is a token, and the lexer stays there.
 */
#include "xpath/lexer.h"

static char peek(const struct xpath_lexer *lexer, size_t ahead)
{
	size_t at = lexer->next + ahead;
	return at < lexer->text.size ? lexer->text.data[at] : '\0';
}

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_name_start(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (unsigned char)c >= 0x80;
}

static bool is_name_char(char c)
{
	return is_name_start(c) || is_digit(c) || c == '-' || c == '.';
}

static void skip_space(struct xpath_lexer *lexer)
{
	while (lexer->next < lexer->text.size && is_space(lexer->text.data[lexer->next]))
		lexer->next++;
}

static enum xpath_token fail(struct xpath_lexer *lexer, const char *message)
{
	lexer->message = message;
	return TOKEN_ERROR;
}

static struct bytes take_name(struct xpath_lexer *lexer)
{
	size_t start = lexer->next;
	while (lexer->next < lexer->text.size && is_name_char(lexer->text.data[lexer->next]))
		lexer->next++;
	return (struct bytes){lexer->text.data + start, lexer->next - start};
}

static enum xpath_token take_number(struct xpath_lexer *lexer)
{
	size_t start = lexer->next;
	while (is_digit(peek(lexer, 0)))
		lexer->next++;
	if (peek(lexer, 0) == '.') {
		lexer->next++;
		while (is_digit(peek(lexer, 0)))
			lexer->next++;
	}
	lexer->name = (struct bytes){lexer->text.data + start, lexer->next - start};
	return TOKEN_NUMBER;
}

static enum xpath_token take_literal(struct xpath_lexer *lexer, char quote)
{
	size_t start = ++lexer->next;
	const char *end = memchr(lexer->text.data + start, quote, lexer->text.size - start);
	if (end == NULL)
		return fail(lexer, "unterminated literal");
	lexer->name = (struct bytes){lexer->text.data + start, (size_t)(end - lexer->text.data) - start};
	lexer->next = (size_t)(end - lexer->text.data) + 1;
	return TOKEN_LITERAL;
}

/* True where the token can end an operand: then an operator must follow. */
static bool ends_operand(enum xpath_token token)
{
	return token == TOKEN_NUMBER || token == TOKEN_LITERAL || token == TOKEN_NAME ||
	       token == TOKEN_STAR || token == TOKEN_CLOSE || token == TOKEN_CLOSE_BRACKET ||
	       token == TOKEN_DOT || token == TOKEN_DOTS;
}

static enum xpath_token operator_name(struct xpath_lexer *lexer)
{
	static const struct {
		const char *name;
		enum xpath_token token;
	} names[] = {{"and", TOKEN_AND}, {"or", TOKEN_OR}, {"div", TOKEN_DIV}, {"mod", TOKEN_MOD}};
	struct bytes name = take_name(lexer);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (bytes_equal(name, bytes_of(names[i].name)))
			return names[i].token;
	}
	return fail(lexer, "an operator is expected");
}

static bool is_node_type(struct bytes name)
{
	return bytes_equal(name, bytes_of("node")) || bytes_equal(name, bytes_of("text")) ||
	       bytes_equal(name, bytes_of("comment")) ||
	       bytes_equal(name, bytes_of("processing-instruction"));
}

/* What a name is, by what follows it. Blanks may stand between a name and `::` or `(`. */
static enum xpath_token classify_name(struct xpath_lexer *lexer)
{
	size_t after_name = lexer->next;
	skip_space(lexer);
	if (peek(lexer, 0) == ':' && peek(lexer, 1) == ':') {
		lexer->next += 2;
		return TOKEN_AXIS;
	}
	bool call = peek(lexer, 0) == '(';
	lexer->next = after_name;
	if (!call)
		return TOKEN_NAME;
	return is_node_type(lexer->name) ? TOKEN_TYPE : TOKEN_FUNCTION;
}

static enum xpath_token take_qname(struct xpath_lexer *lexer)
{
	lexer->prefix = (struct bytes){0};
	lexer->name = take_name(lexer);
	if (peek(lexer, 0) != ':' || peek(lexer, 1) == ':')
		return classify_name(lexer);
	lexer->prefix = lexer->name;
	lexer->next++;
	if (peek(lexer, 0) == '*') {
		lexer->next++;
		return TOKEN_STAR;
	}
	if (!is_name_start(peek(lexer, 0)))
		return fail(lexer, "a name is expected after the colon");
	lexer->name = take_name(lexer);
	enum xpath_token token = classify_name(lexer);
	if (token == TOKEN_AXIS || token == TOKEN_TYPE)
		return fail(lexer, "no prefix is allowed here");
	return token;
}

static enum xpath_token take(struct xpath_lexer *lexer, size_t size, enum xpath_token token)
{
	lexer->next += size;
	return token;
}

static enum xpath_token take_symbol(struct xpath_lexer *lexer, bool after_operand)
{
	char second = peek(lexer, 1);
	switch (peek(lexer, 0)) {
	case '(':
		return take(lexer, 1, TOKEN_OPEN);
	case ')':
		return take(lexer, 1, TOKEN_CLOSE);
	case '[':
		return take(lexer, 1, TOKEN_OPEN_BRACKET);
	case ']':
		return take(lexer, 1, TOKEN_CLOSE_BRACKET);
	case '@':
		return take(lexer, 1, TOKEN_AT);
	case ',':
		return take(lexer, 1, TOKEN_COMMA);
	case '|':
		return take(lexer, 1, TOKEN_PIPE);
	case '+':
		return take(lexer, 1, TOKEN_PLUS);
	case '-':
		return take(lexer, 1, TOKEN_MINUS);
	case '=':
		return take(lexer, 1, TOKEN_EQUAL);
	case '.':
		return second == '.' ? take(lexer, 2, TOKEN_DOTS) : take(lexer, 1, TOKEN_DOT);
	case '/':
		return second == '/' ? take(lexer, 2, TOKEN_SLASHES) : take(lexer, 1, TOKEN_SLASH);
	case '<':
		return second == '=' ? take(lexer, 2, TOKEN_LESS_EQUAL) : take(lexer, 1, TOKEN_LESS);
	case '>':
		return second == '=' ? take(lexer, 2, TOKEN_GREATER_EQUAL) : take(lexer, 1, TOKEN_GREATER);
	case '!':
		return second == '=' ? take(lexer, 2, TOKEN_NOT_EQUAL) : fail(lexer, "unexpected character");
	case '*':
		lexer->prefix = (struct bytes){0};
		return take(lexer, 1, after_operand ? TOKEN_MULTIPLY : TOKEN_STAR);
	case '$':
		return fail(lexer, "variables do not exist in YANG");
	default:
		return fail(lexer, "unexpected character");
	}
}

void xpath__lexer_next(struct xpath_lexer *lexer)
{
	if (lexer->token == TOKEN_ERROR)
		return;
	bool after_operand = ends_operand(lexer->token);
	skip_space(lexer);
	lexer->offset = lexer->next;
	char c = peek(lexer, 0);
	if (lexer->next == lexer->text.size)
		lexer->token = TOKEN_END;
	else if (is_digit(c) || (c == '.' && is_digit(peek(lexer, 1))))
		lexer->token = take_number(lexer);
	else if (c == '\'' || c == '"')
		lexer->token = take_literal(lexer, c);
	else if (is_name_start(c))
		lexer->token = after_operand ? operator_name(lexer) : take_qname(lexer);
	else
		lexer->token = take_symbol(lexer, after_operand);
}

void xpath__lexer_init(struct xpath_lexer *lexer, struct bytes text)
{
	*lexer = (struct xpath_lexer){.text = text, .token = TOKEN_COMMA};
	xpath__lexer_next(lexer);
}
