/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Canonical values hold module names where XML has prefixes. Since module names are valid prefixes, XML
 * output declares them as such and writes the values as they are; only an instance-identifier, which in
 * canonical form names a module only where it changes, is written out. The scanner knows just enough of
 * XPath's lexical form: names, colons, and literals to skip.
 */
#include "codec/qname.h"

#include "schema/type.h"

static bool is_name_start(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (unsigned char)c >= 0x80;
}

static bool is_name(char c)
{
	return is_name_start(c) || (c >= '0' && c <= '9') || c == '-' || c == '.';
}

enum token_kind { TOKEN_PREFIX, TOKEN_NAME, TOKEN_OTHER };

/* The token at the front: a prefix with its colon, a name, or anything else (a literal, a number, one
 * character). */
static struct bytes next_token(struct bytes text, enum token_kind *kind)
{
	char c = text.data[0];
	size_t size = 1;
	*kind = TOKEN_OTHER;
	if (c == '\'' || c == '"') {
		while (size < text.size && text.data[size] != c)
			size++;
		return (struct bytes){text.data, size < text.size ? size + 1 : size};
	}
	if (!is_name(c))
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

bool codec__qname_next(const struct schema *schema, struct bytes text, size_t *at,
		       const struct schema_module **module)
{
	while (*at < text.size) {
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

bool codec__qname_is_instance_identifier(const struct schema_type *type, struct bytes text)
{
	if (text.size == 0 || text.data[0] != '/')
		return false;
	const struct schema_type *real = schema_type_real(type);
	if (schema_type_base(real) == BASE_INSTANCE_IDENTIFIER)
		return true;
	for (size_t i = 0; i < schema_type_member_count(real); i++) {
		const struct schema_type *member = schema_type_real(schema_type_member(real, i));
		if (schema_type_base(member) == BASE_INSTANCE_IDENTIFIER)
			return true;
	}
	return false;
}

enum status codec__qname_expand(struct buffer *out, struct bytes text)
{
	struct bytes prefix = {0}; /* with its colon; that of the step, which its keys share */
	bool prefixed = false;	   /* the token before was a prefix */
	enum status status = ST_OK;
	while (text.size > 0 && status == ST_OK) {
		enum token_kind kind;
		struct bytes token = next_token(text, &kind);
		if (kind == TOKEN_PREFIX)
			prefix = token;
		else if (kind == TOKEN_NAME && !prefixed)
			status = buffer_append(out, prefix);
		if (status == ST_OK)
			status = buffer_append(out, token);
		prefixed = kind == TOKEN_PREFIX;
		text.data += token.size;
		text.size -= token.size;
	}
	return status;
}
