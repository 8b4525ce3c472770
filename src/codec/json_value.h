/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* Leaf values in JSON: which form a type has (RFC 7951 6), and text with the escapes that JSON wants. */
#include "base/buffer.h"
#include "codec/json_reader.h"
#include "schema/type.h"

enum json_form {
	JSON_FORM_STRING,
	JSON_FORM_NUMBER,  /* integers of up to 32 bits */
	JSON_FORM_BOOLEAN, /* true, false */
	JSON_FORM_EMPTY,   /* [null] */
};

/* The form of a canonical value. For a union that of the first member that accepts it, as when it was parsed.
 * `local`: the leaf's module. `scratch` is used where members must be tried, and reset. */
enum json_form codec__json_form(const struct schema *schema, const struct schema_type *type,
				const struct schema_module *local, struct bytes canonical,
				struct arena *scratch);
/* Whether a text that came in that form may be a value of the type: the type has this form; in a union, a
 * member that has it accepts the text (RFC 7951 6.10). */
bool codec__json_accepts(const struct schema *schema, const struct schema_type *type,
			 const struct schema_prefixes *prefixes, enum json_form form, struct bytes lexical,
			 struct arena *scratch);
/* The form of values of the type; a union: that of its first member. For messages. */
enum json_form codec__json_first_form(const struct schema_type *type);
/* Whether some value of the type has that form. */
bool codec__json_may_have(const struct schema_type *type, enum json_form form);
/* The form that a value of one event has, and its lexical value in *text; false where the event is none. */
bool codec__json_scalar(enum json_event event, struct bytes *text, enum json_form *form);

#define JSON_INTEGER_MAX 24 /* bytes, more than any number of a type that is written as one */
/* A JSON number that is an integer, also as 10e2 or 5.0, in plain digits: returns the size, 0 where it is
 * none or too long. */
size_t codec__json_integer(struct bytes number, char out[JSON_INTEGER_MAX]);

/* Appends text in a string, without the quotes. Fails: ST_LIMIT, part of it may be appended. */
enum status codec__json_escape(struct buffer *out, struct bytes text) MUST_USE;
/* Appends a value in its form. Fails: as above. */
enum status codec__json_put(struct buffer *out, enum json_form form, struct bytes text) MUST_USE;
