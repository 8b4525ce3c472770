/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* Tokens of an expression (XPath 1.0 section 3.7). The lexer looks one token ahead: `token` is the present
 * one. */
#include "base/bytes.h"
#include "base/status.h"

enum xpath_token {
	TOKEN_END,
	TOKEN_ERROR, /* lexer->message says what */
	TOKEN_NUMBER,
	TOKEN_LITERAL,
	TOKEN_NAME,	/* a name test: prefix (may be empty) and name */
	TOKEN_STAR,	/* a name test *, or prefix:* with prefix */
	TOKEN_AXIS,	/* name of an axis, the :: consumed */
	TOKEN_FUNCTION, /* name before ( that is no node type; the ( is the next token */
	TOKEN_TYPE,	/* node, text, comment, processing-instruction before ( */
	TOKEN_OPEN,
	TOKEN_CLOSE,
	TOKEN_OPEN_BRACKET,
	TOKEN_CLOSE_BRACKET,
	TOKEN_DOT,
	TOKEN_DOTS,
	TOKEN_AT,
	TOKEN_COMMA,
	TOKEN_SLASH,
	TOKEN_SLASHES,
	TOKEN_PIPE,
	TOKEN_PLUS,
	TOKEN_MINUS,
	TOKEN_EQUAL,
	TOKEN_NOT_EQUAL,
	TOKEN_LESS,
	TOKEN_LESS_EQUAL,
	TOKEN_GREATER,
	TOKEN_GREATER_EQUAL,
	TOKEN_MULTIPLY,
	TOKEN_AND,
	TOKEN_OR,
	TOKEN_DIV,
	TOKEN_MOD,
};

struct xpath_lexer {
	struct bytes text;
	size_t next;   /* byte after the present token */
	size_t offset; /* byte where the present token begins */
	enum xpath_token token;
	struct bytes prefix, name; /* names: their parts; literals and numbers: name is the text */
	const char *message;	   /* of TOKEN_ERROR */
};

void xpath__lexer_init(struct xpath_lexer *lexer, struct bytes text); /* stands at the first token */
void xpath__lexer_next(struct xpath_lexer *lexer);
