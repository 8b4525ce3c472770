/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * What the files type_*.c share: one parse of one value. Each parser takes a lexical value and gives a
 * canonical one, or refuses.
 */
#include "schema/internal.h"

struct type_parse {
	const struct schema__private *schema;
	const struct schema_prefixes *prefixes; /* NULL: none */
	struct arena *arena;			/* for messages and scratch */
	struct schema_type_error *error;	/* NULL: a member of a union, whose message nobody reads */
};

/* How much of a refused value a message shows. */
#define EXCERPT_MAX 64 /* bytes */

/* The beginning of a text, at most `size` bytes, cut between characters. */
struct bytes type_cut(struct bytes text, size_t size);
/* Arguments for "%.*s". */
#define EXCERPT(value) (int)type_cut(value, EXCERPT_MAX).size, ((value).data == NULL ? "" : (value).data)

/* Gives ST_REJECTED. `own_message`, from the schema, wins over the formatted one where not NULL. */
enum status type_refuse(struct type_parse *parse, const char *own_message, const char *app_tag,
			const char *format, ...) PRINTF_LIKE(4, 5);
/* Without blanks, tabs and line ends on both sides. */
struct bytes type_trim(struct bytes text);
const struct schema_module *type_prefix_module(const struct type_parse *parse, struct bytes prefix);

enum status type_parse_any(struct type_parse *parse, const struct schema_type *type, struct bytes lexical,
			   struct value *value) MUST_USE;
/* type_number.c */
enum status type_parse_integer(struct type_parse *parse, const struct schema_type *type, struct bytes lexical,
			       struct value *value) MUST_USE;
/* type_string.c: length and patterns. */
enum status type_check_string(struct type_parse *parse, const struct schema_type *type,
			      struct bytes text) MUST_USE;
/* Once, before values are checked. */
void type_prepare_string(const struct schema_type *type);
/* type_plugin.c: libyang's plugin of the type decides. */
enum status type_parse_by_plugin(struct type_parse *parse, const struct schema_type *type,
				 struct bytes lexical, struct value *value) MUST_USE;
/* type_instance.c */
enum status type_parse_instance(struct type_parse *parse, struct bytes lexical, struct value *value) MUST_USE;
/* identity.c */
enum status type_parse_identity(struct type_parse *parse, const struct schema_type *type,
				struct bytes lexical, struct value *value) MUST_USE;
