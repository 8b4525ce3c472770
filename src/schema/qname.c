/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Canonical values hold module names where XML has prefixes. Since module names are valid prefixes, XML
 * output declares them as such and writes the values as they are; an instance-identifier and an XPath
 * expression, which in canonical form name a module only where it changes, are written out. The scanner knows
 * just enough of XPath's lexical form: names, colons, literals, and which names are not of nodes. What is in
 * a literal depends on the type of what it is compared with: only for an instance-identifier that is the key
 * of another does it matter, and the schema knows that.
 */
#include "schema/qname.h"

#include "schema/type.h"

#define QNAME_DEPTH 32 /* deeper predicates share no prefix with their step */

static bool is_name_start(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (unsigned char)c >= 0x80;
}

static bool is_name(char c)
{
	return is_name_start(c) || (c >= '0' && c <= '9') || c == '-' || c == '.';
}

static bool is_quote(char c)
{
	return c == '\'' || c == '"';
}

enum token_kind { TOKEN_PREFIX, TOKEN_NAME, TOKEN_OTHER };

/* The token at the front: a prefix with its colon, a name, or anything else (a literal, a number, one
 * character). */
static struct bytes next_token(struct bytes text, enum token_kind *kind)
{
	char c = text.data[0];
	size_t size = 1;
	*kind = TOKEN_OTHER;
	if (is_quote(c)) {
		while (size < text.size && text.data[size] != c)
			size++;
		return (struct bytes){text.data, size < text.size ? size + 1 : size};
	}
	if (!is_name(c) || c == '-')
		return (struct bytes){text.data, 1};
	while (size < text.size && is_name(text.data[size]))
		size++;
	if (!is_name_start(c))
		return (struct bytes){text.data, size};
	*kind = TOKEN_NAME;
	bool colon = size < text.size && text.data[size] == ':';
	if (colon && !(size + 1 < text.size && text.data[size + 1] == ':')) {
		*kind = TOKEN_PREFIX;
		size++;
	}
	return (struct bytes){text.data, size};
}

bool schema_qname_next(const struct schema *schema, struct bytes text, size_t *at,
		       const struct schema_module **module)
{
	while (*at < text.size) {
		if (is_quote(text.data[*at])) {
			(*at)++;
			continue;
		}
		enum token_kind kind;
		struct bytes token = next_token((struct bytes){text.data + *at, text.size - *at}, &kind);
		*at += token.size;
		if (kind != TOKEN_PREFIX)
			continue;
		*module = schema_module_find(schema, (struct bytes){token.data, token.size - 1});
		if (*module)
			return true;
	}
	return false;
}

void schema_qname_declare(const struct schema *schema, struct bytes text, struct diag_list *list,
			  struct diag *diag)
{
	const struct schema_module *module;
	size_t at = 0;
	while (schema_qname_next(schema, text, &at, &module))
		diag_add_prefix(list, diag, module->name, module->ns);
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* What of an expression was read so far, as far as it tells what a name is. */
struct expansion {
	struct bytes prefix; /* with its colon: that of the path so far, which names without one share; size
				0: none */
	bool prefixed;	     /* the token before was a prefix */
	bool operand;	     /* an operand ends here: a name that follows is an operator (XPath 1.0 3.7) */
	unsigned depth;	     /* of predicates, at most QNAME_DEPTH are remembered */
	struct bytes outer[QNAME_DEPTH]; /* the prefix before each open predicate */
};

/* A name that is a function, a node type or an axis, by what comes after it. */
static bool is_no_node(struct bytes after)
{
	while (after.size > 0 && is_blank(after.data[0])) {
		after.data++;
		after.size--;
	}
	bool calls = after.size > 0 && after.data[0] == '(';
	bool axis = after.size > 1 && after.data[0] == ':' && after.data[1] == ':';
	return calls || axis;
}

/* The prefix that a path beginning here has: that of the step whose predicate it is in. */
static struct bytes outer_prefix(const struct expansion *e)
{
	return e->depth > 0 && e->depth <= QNAME_DEPTH ? e->outer[e->depth - 1] : (struct bytes){0};
}

static void pass_symbol(struct expansion *e, char c)
{
	if (is_blank(c))
		return;
	e->operand = c == ')' || c == ']' || c == '.' || c == '*';
	if (c == '[') {
		if (e->depth < QNAME_DEPTH)
			e->outer[e->depth] = e->prefix;
		e->depth++;
	} else if (c == ']') {
		e->prefix = outer_prefix(e);
		e->depth -= e->depth > 0;
	} else if (strchr("|=!<>+-,(", c) != NULL) {
		e->prefix = outer_prefix(e);
	}
}

/* Takes a token in; true where the path's prefix goes before it. */
static bool pass_token(struct expansion *e, struct bytes token, enum token_kind kind, struct bytes after)
{
	bool insert = false;
	switch (kind) {
	case TOKEN_PREFIX:
		e->prefix = token;
		break;
	case TOKEN_NAME:
		if (!e->prefixed && e->operand) {
			e->operand = false;
			e->prefix = outer_prefix(e);
		} else {
			insert = !e->prefixed && !is_no_node(after);
			e->operand = e->prefixed || insert;
		}
		break;
	case TOKEN_OTHER:
		if (token.size > 1 || (is_name(token.data[0]) && token.data[0] != '-'))
			e->operand = true; /* a literal or a number, or a dot */
		else
			pass_symbol(e, token.data[0]);
		break;
	}
	e->prefixed = kind == TOKEN_PREFIX;
	return insert;
}

/* As far as the text tells: a literal that begins with a slash. */
static bool has_path_in_literal(struct bytes text)
{
	for (size_t i = 1; i < text.size; i++) {
		if (text.data[i] == '/' && is_quote(text.data[i - 1]))
			return true;
	}
	return false;
}

enum status schema_qname_expand(const struct schema *schema, struct buffer *out, struct bytes text)
{
	if (text.size > 0 && text.data[0] == '/' && has_path_in_literal(text)) {
		enum status nested = schema_instance_for_xml(schema, text, out);
		if (nested != ST_REJECTED)
			return nested;
	}
	struct expansion e = {0};
	enum status status = ST_OK;
	while (text.size > 0 && status == ST_OK) {
		enum token_kind kind;
		struct bytes token = next_token(text, &kind);
		text.data += token.size;
		text.size -= token.size;
		if (pass_token(&e, token, kind, text))
			status = buffer_append(out, e.prefix);
		if (status == ST_OK)
			status = buffer_append(out, token);
	}
	return status;
}
