/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * RFC 7951 gives each type one form in JSON; only in a union is it the value that decides, by the member that
 * it belongs to. A tree keeps no member with a value, so the members are tried in order again; not where all
 * have the same form, nor where the text can only be a string.
 */
#include "codec/json_value.h"

#include <string.h>

static enum json_form form_of(const struct schema_type *type)
{
	switch (schema_type_base(schema_type_real(type))) {
	case BASE_INT8:
	case BASE_INT16:
	case BASE_INT32:
	case BASE_UINT8:
	case BASE_UINT16:
	case BASE_UINT32:
		return JSON_FORM_NUMBER;
	case BASE_BOOLEAN:
		return JSON_FORM_BOOLEAN;
	case BASE_EMPTY:
		return JSON_FORM_EMPTY;
	case BASE_BINARY:
	case BASE_BITS:
	case BASE_DECIMAL64:
	case BASE_ENUMERATION:
	case BASE_IDENTITYREF:
	case BASE_INSTANCE_IDENTIFIER:
	case BASE_LEAFREF:
	case BASE_STRING:
	case BASE_UNION:
	case BASE_INT64:
	case BASE_UINT64:
		break;
	}
	return JSON_FORM_STRING;
}

static bool accepts(const struct schema *schema, const struct schema_type *member,
		    const struct schema_prefixes *prefixes, struct bytes text, struct arena *scratch)
{
	struct value value;
	enum status status = schema_type_parse(schema, member, text, prefixes, scratch, &value, NULL);
	arena_reset(scratch);
	if (status == ST_OK)
		value_unref(value);
	return status == ST_OK;
}

/* The only form other than a string that the text of a value may have. */
static enum json_form plausible_form(struct bytes text)
{
	if (text.size == 0)
		return JSON_FORM_EMPTY;
	if (bytes_equal(text, bytes_of("true")) || bytes_equal(text, bytes_of("false")))
		return JSON_FORM_BOOLEAN;
	char last = text.data[text.size - 1];
	return last >= '0' && last <= '9' && text.size <= JSON_INTEGER_MAX ? JSON_FORM_NUMBER
									   : JSON_FORM_STRING;
}

enum json_form codec__json_form(const struct schema *schema, const struct schema_type *type,
				const struct schema_module *local, struct bytes canonical,
				struct arena *scratch)
{
	type = schema_type_real(type);
	size_t count = schema_type_member_count(type);
	if (count == 0)
		return form_of(type);
	enum json_form plausible = plausible_form(canonical);
	if (plausible == JSON_FORM_STRING || !codec__json_may_have(type, plausible))
		return JSON_FORM_STRING;
	struct schema_prefixes_canonical prefixes = schema_prefixes_canonical(schema, local);
	for (size_t i = 0; i < count; i++) {
		const struct schema_type *member = schema_type_member(type, i);
		if (accepts(schema, member, &prefixes.base, canonical, scratch))
			return form_of(member);
	}
	return JSON_FORM_STRING;
}

bool codec__json_accepts(const struct schema *schema, const struct schema_type *type,
			 const struct schema_prefixes *prefixes, enum json_form form, struct bytes lexical,
			 struct arena *scratch)
{
	type = schema_type_real(type);
	size_t count = schema_type_member_count(type);
	if (count == 0)
		return form_of(type) == form;
	for (size_t i = 0; i < count; i++) {
		const struct schema_type *member = schema_type_member(type, i);
		if (form_of(member) == form && accepts(schema, member, prefixes, lexical, scratch))
			return true;
	}
	return false;
}

enum json_form codec__json_first_form(const struct schema_type *type)
{
	type = schema_type_real(type);
	return form_of(schema_type_member_count(type) > 0 ? schema_type_member(type, 0) : type);
}

bool codec__json_may_have(const struct schema_type *type, enum json_form form)
{
	type = schema_type_real(type);
	size_t count = schema_type_member_count(type);
	if (count == 0)
		return form_of(type) == form;
	for (size_t i = 0; i < count; i++) {
		if (form_of(schema_type_member(type, i)) == form)
			return true;
	}
	return false;
}

bool codec__json_scalar(enum json_event event, struct bytes *text, enum json_form *form)
{
	switch (event) {
	case JSON_STRING:
		*form = JSON_FORM_STRING;
		return true;
	case JSON_NUMBER:
		*form = JSON_FORM_NUMBER;
		return true;
	case JSON_TRUE:
	case JSON_FALSE:
		*form = JSON_FORM_BOOLEAN;
		*text = bytes_of(event == JSON_TRUE ? "true" : "false");
		return true;
	case JSON_ARRAY_START:
	case JSON_OBJECT_START:
	case JSON_OBJECT_END:
	case JSON_ARRAY_END:
	case JSON_NAME:
	case JSON_NULL:
		break;
	}
	return false;
}

/* The exponent, which is all of the text from `at` on; large ones are cut, since they make no integer of a
 * few digits. */
static long read_exponent(struct bytes number, size_t at)
{
	long exponent = 0;
	bool negative = false;
	for (; at < number.size; at++) {
		char c = number.data[at];
		if (c == '-')
			negative = true;
		else if (c != '+' && exponent < 1000)
			exponent = exponent * 10 + (c - '0');
	}
	return negative ? -exponent : exponent;
}

size_t codec__json_integer(struct bytes number, char out[JSON_INTEGER_MAX])
{
	char digits[JSON_INTEGER_MAX];
	size_t size = 0, at = 0, sign = 0;
	long point = 0; /* digits behind it */
	bool fraction = false;
	if (number.size > 0 && number.data[0] == '-')
		out[at++] = '-', sign = 1;
	for (; at < number.size && number.data[at] != 'e' && number.data[at] != 'E'; at++) {
		char c = number.data[at];
		if (c == '.') {
			fraction = true;
			continue;
		}
		point += fraction;
		if (size == 0 && c == '0')
			continue;
		if (size == sizeof(digits) - 1)
			return 0;
		digits[size++] = c;
	}
	long shift = (at < number.size ? read_exponent(number, at + 1) : 0) - point;
	for (; shift < 0 && size > 0 && digits[size - 1] == '0'; shift++)
		size--;
	if (size == 0) {
		out[0] = '0';
		return 1;
	}
	if (shift < 0 || size + (size_t)shift + sign > JSON_INTEGER_MAX)
		return 0;
	memcpy(out + sign, digits, size);
	memset(out + sign + size, '0', (size_t)shift);
	return sign + size + (size_t)shift;
}

/* What follows the backslash; 'u': four digits. */
static char escape_of(unsigned char c)
{
	switch (c) {
	case '"':
	case '\\':
		return (char)c;
	case '\b':
		return 'b';
	case '\f':
		return 'f';
	case '\n':
		return 'n';
	case '\r':
		return 'r';
	case '\t':
		return 't';
	default:
		return c < 0x20 ? 'u' : '\0';
	}
}

enum status codec__json_escape(struct buffer *out, struct bytes text)
{
	size_t start = 0;
	for (size_t at = 0; at < text.size; at++) {
		unsigned char c = (unsigned char)text.data[at];
		char escape = escape_of(c);
		if (escape == '\0')
			continue;
		enum status status = buffer_append(out, (struct bytes){text.data + start, at - start});
		if (status == ST_OK && escape == 'u')
			status = buffer_printf(out, "\\u%04x", c);
		else if (status == ST_OK)
			status = buffer_append(out, (struct bytes){(char[]){'\\', escape}, 2});
		if (status != ST_OK)
			return status;
		start = at + 1;
	}
	return buffer_append(out, (struct bytes){text.data + start, text.size - start});
}

enum status codec__json_put(struct buffer *out, enum json_form form, struct bytes text)
{
	if (form == JSON_FORM_EMPTY)
		return buffer_append(out, bytes_of("[null]"));
	if (form != JSON_FORM_STRING)
		return buffer_append(out, text);
	enum status status = buffer_append(out, bytes_of("\""));
	if (status == ST_OK)
		status = codec__json_escape(out, text);
	return status == ST_OK ? buffer_append(out, bytes_of("\"")) : status;
}
