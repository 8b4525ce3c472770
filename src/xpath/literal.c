/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a literal means that is compared with leafs. A value's string is its canonical form (RFC 7950 6.4),
 * and strings are equal if they are the same: '017' is no integer's. But values with names of modules in them
 * have no canonical form by the RFC (9.10.3, 9.13.2; xpath1.0 of RFC 6991), since what they are written as
 * depends on the prefixes where they stand. So a literal that stands for such a value is read with the
 * prefixes of its expression, and compared as the canonical text that the same value has here: what an
 * error-path names is found by the same path in a filter.
 *
 * Done once, when the expression is compiled, for the types of all leafs that it may be compared with.
 */
#include "xpath/compile.h"

#include "schema/type.h"

#define NAME_SIZE_MAX 1024 /* bytes */

const struct schema_module *xpath__prefix_module(const struct xpath_scope *scope, struct bytes prefix)
{
	return scope->resolve != NULL ? scope->resolve(scope->arg, prefix) : NULL;
}

/* A name without prefix: of an identity. */
static const struct schema_module *default_module(const struct xpath_scope *scope)
{
	return scope->identities != NULL ? scope->identities : xpath__prefix_module(scope, (struct bytes){0});
}

struct bytes xpath__identity_literal(const struct xpath_scope *scope, struct bytes literal,
				     struct arena *arena)
{
	const char *colon = literal.size == 0 ? NULL : memchr(literal.data, ':', literal.size);
	struct bytes prefix = {literal.data, colon == NULL ? 0 : (size_t)(colon - literal.data)};
	struct bytes name = literal;
	if (colon != NULL)
		name = (struct bytes){colon + 1, literal.size - prefix.size - 1};
	const struct schema_module *module =
		colon == NULL ? default_module(scope) : xpath__prefix_module(scope, prefix);
	if (module == NULL || name.size == 0 || name.size > NAME_SIZE_MAX ||
	    (colon != NULL && prefix.size == 0))
		return (struct bytes){0};
	return bytes_of(arena_printf(arena, "%s:%.*s", module->name, (int)name.size, name.data));
}

struct literal_prefixes {
	struct schema_prefixes base;
	const struct xpath_scope *scope;
};

static const struct schema_module *resolve(const struct schema_prefixes *self, struct bytes prefix)
{
	const struct xpath_scope *scope = ((const struct literal_prefixes *)self)->scope;
	return prefix.size == 0 ? default_module(scope) : xpath__prefix_module(scope, prefix);
}

/* By the type's own parser. */
static struct bytes parse(const struct xpath_scope *scope, struct bytes literal,
			  const struct schema_type *type, struct arena *arena)
{
	struct literal_prefixes prefixes = {{.resolve = resolve}, scope};
	struct schema_type_error error;
	struct value value;
	if (schema_type_parse(scope->schema, type, literal, &prefixes.base, arena, &value, &error) != ST_OK)
		return (struct bytes){0};
	struct bytes text = value_bytes(&value);
	text.data = arena_strdup(arena, text);
	value_unref(value);
	return text;
}

/* The member that has names of that kind, or the type itself. */
static const struct schema_type *type_with(const struct schema_type *type, unsigned kind)
{
	type = schema_type_real(type);
	for (size_t i = 0; i < schema_type_member_count(type); i++)
		if (schema_type_names(schema_type_member(type, i)) & kind)
			return schema_type_real(schema_type_member(type, i));
	return type;
}

static void add_form(const struct xpath_scope *scope, struct bytes literal, const struct schema_type *type,
		     unsigned index, struct arena *arena, struct xpath_literal *forms)
{
	unsigned kind = 1u << index;
	if ((forms->tried & kind) != 0)
		return;
	forms->tried |= kind;
	forms->names[index] = kind == SCHEMA_NAMES_IDENTITY
				      ? xpath__identity_literal(scope, literal, arena)
				      : parse(scope, literal, type_with(type, kind), arena);
	forms->any = forms->any || forms->names[index].data != NULL;
}

void xpath__literal_add(const struct xpath_scope *scope, struct bytes literal, const struct schema_type *type,
			struct arena *arena, struct xpath_literal *forms)
{
	unsigned kinds = schema_type_names(type);
	for (unsigned index = 0; index < SCHEMA_NAMES_KINDS; index++)
		if ((kinds & 1u << index) != 0)
			add_form(scope, literal, type, index, arena, forms);
}

bool xpath__literal_equals(const struct xpath_literal *forms, struct bytes literal,
			   const struct schema_type *type, struct bytes text)
{
	unsigned kinds = type == NULL ? SCHEMA_NAMES_NONE : schema_type_names(type);
	bool equal = (kinds & SCHEMA_NAMES_NONE) != 0 && bytes_equal(text, literal);
	for (unsigned index = 0; index < SCHEMA_NAMES_KINDS && !equal; index++) {
		struct bytes form = forms->names[index];
		if ((kinds & 1u << index) != 0)
			equal = bytes_equal(text, form.data != NULL ? form : literal);
	}
	return equal;
}

bool xpath__literal_key(const struct xpath_scope *scope, struct bytes literal, const struct schema_type *type,
			struct arena *arena, struct bytes *canonical)
{
	struct xpath_literal forms = {0};
	unsigned kinds = schema_type_names(type);
	*canonical = (struct bytes){0};
	xpath__literal_add(scope, literal, type, arena, &forms);
	if (!forms.any)
		return true;
	for (unsigned index = 0; index < SCHEMA_NAMES_KINDS; index++)
		if (kinds == 1u << index)
			*canonical = forms.names[index];
	return canonical->data != NULL;
}
