/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Types seen from outside, and the first step of reading a value: by the built-in type. Integers, strings,
 * booleans, enumerations, identities and instance-identifiers are read here, without locks; libyang's plugins
 * (whose dictionary has a lock) read bits, binary, decimal64 and the derived types that it knows by name.
 *
 * Blanks around a value are dropped for numbers, bits and instance-identifiers, belong to strings, and make
 * any other value invalid.
 */
#include "schema/type_parse.h"

#include <stdarg.h>
#include <stdlib.h>

#include "base/assert.h"

struct bytes type_cut(struct bytes text, size_t size)
{
	if (text.size <= size)
		return text;
	while (size > 0 && ((unsigned char)text.data[size] & 0xc0) == 0x80)
		size--;
	return (struct bytes){text.data, size};
}

enum status type_refuse(struct type_parse *parse, const char *own_message, const char *app_tag,
			const char *format, ...)
{
	if (parse->error == NULL)
		return ST_REJECTED;
	parse->error->message = own_message;
	parse->error->app_tag = app_tag;
	if (own_message == NULL) {
		va_list args;
		va_start(args, format);
		parse->error->message = arena_vprintf(parse->arena, format, args);
		va_end(args);
	}
	return ST_REJECTED;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

struct bytes type_trim(struct bytes text)
{
	while (text.size > 0 && is_blank(text.data[0]))
		text = (struct bytes){text.data + 1, text.size - 1};
	while (text.size > 0 && is_blank(text.data[text.size - 1]))
		text.size--;
	return text;
}

const struct schema_module *type_prefix_module(const struct type_parse *parse, struct bytes prefix)
{
	return parse->prefixes == NULL ? NULL : parse->prefixes->resolve(parse->prefixes, prefix);
}

static enum status parse_boolean(struct type_parse *parse, struct bytes lexical, struct value *value)
{
	if (!bytes_equal(lexical, bytes_of("true")) && !bytes_equal(lexical, bytes_of("false")))
		return type_refuse(parse, NULL, NULL, "Invalid boolean value \"%.*s\".", EXCERPT(lexical));
	*value = value_new(lexical, 0);
	return ST_OK;
}

static enum status parse_empty(struct type_parse *parse, struct bytes lexical, struct value *value)
{
	if (lexical.size > 0)
		return type_refuse(parse, NULL, NULL,
				   "Invalid empty value \"%.*s\": it must have no content.",
				   EXCERPT(lexical));
	*value = value_new(lexical, 0);
	return ST_OK;
}

static int compare_enum(const void *name, const void *item)
{
	return bytes_compare(*(const struct bytes *)name, ((const struct schema__enum *)item)->name);
}

static const struct schema__enum *enum_find(const struct schema_type *type, struct bytes name)
{
	if (type->enum_count == 0)
		return NULL;
	return bsearch(&name, type->enums, type->enum_count, sizeof(*type->enums), compare_enum);
}

static enum status parse_enumeration(struct type_parse *parse, const struct schema_type *type,
				     struct bytes lexical, struct value *value)
{
	const struct schema__enum *item = enum_find(type, lexical);
	if (item == NULL)
		return type_refuse(parse, NULL, NULL, "Invalid enumeration value \"%.*s\".",
				   EXCERPT(lexical));
	*value = item->value;
	return ST_OK;
}

static enum status parse_string(struct type_parse *parse, const struct schema_type *type,
				struct bytes lexical, struct value *value)
{
	if (lexical.size > TEXT_SIZE_MAX)
		return type_refuse(parse, NULL, NULL, "The value is larger than %u bytes.", TEXT_SIZE_MAX);
	enum status status = type_check_string(parse, type, lexical);
	if (status != ST_OK)
		return status;
	if (type->by_plugin)
		return type_parse_by_plugin(parse, type, lexical, value);
	*value = value_new(lexical, 0);
	return ST_OK;
}

static bool may_be_passed_over(const struct schema_type *member)
{
	return member->base == BASE_LEAFREF && member->require_instance;
}

static bool has_names(const struct value *value)
{
	const struct text *text = value_shared_text(*value);
	return text != NULL && (text->flags & TEXT_QNAME) != 0;
}

/*
 * A leafref has taken the value, but only for as long as its target exists; else it is of the next member
 * that takes it, and so on after another leafref. What prefixes mean is known now only: so where one of them
 * finds names with prefixes in the value, it is kept in its form.
 */
static void prefer_names(struct type_parse *quiet, const struct schema_type *type, size_t after,
			 struct bytes lexical, struct value *value)
{
	bool has_prefix = lexical.size > 0 && memchr(lexical.data, ':', lexical.size) != NULL;
	if (!has_prefix || has_names(value))
		return;
	for (size_t i = after; i < type->member_count; i++) {
		struct value other;
		if (type_parse_any(quiet, type->members[i], lexical, &other) != ST_OK)
			continue;
		bool is_better = has_names(&other);
		value_unref(is_better ? *value : other);
		if (is_better)
			*value = other;
		if (is_better || !may_be_passed_over(type->members[i]))
			return;
	}
}

/* The first member whose value space has the value (RFC 7950 9.12). */
static enum status parse_union(struct type_parse *parse, const struct schema_type *type, struct bytes lexical,
			       struct value *value)
{
	struct type_parse quiet = *parse;
	quiet.error = NULL;
	for (size_t i = 0; i < type->member_count; i++) {
		if (type_parse_any(&quiet, type->members[i], lexical, value) != ST_OK)
			continue;
		if (may_be_passed_over(type->members[i]))
			prefer_names(&quiet, type, i + 1, lexical, value);
		return ST_OK;
	}
	return type_refuse(parse, NULL, NULL, "Invalid union value \"%.*s\": no member type accepts it.",
			   EXCERPT(lexical));
}

enum status type_parse_any(struct type_parse *parse, const struct schema_type *type, struct bytes lexical,
			   struct value *value)
{
	switch (type->base) {
	case BASE_INT8:
	case BASE_INT16:
	case BASE_INT32:
	case BASE_INT64:
	case BASE_UINT8:
	case BASE_UINT16:
	case BASE_UINT32:
	case BASE_UINT64:
		return type_parse_integer(parse, type, lexical, value);
	case BASE_STRING:
		return parse_string(parse, type, lexical, value);
	case BASE_BOOLEAN:
		return parse_boolean(parse, lexical, value);
	case BASE_EMPTY:
		return parse_empty(parse, lexical, value);
	case BASE_ENUMERATION:
		return parse_enumeration(parse, type, lexical, value);
	case BASE_IDENTITYREF:
		return type_parse_identity(parse, type, lexical, value);
	case BASE_INSTANCE_IDENTIFIER:
		return type_parse_instance(parse, lexical, value);
	case BASE_UNION:
		return parse_union(parse, type, lexical, value);
	case BASE_LEAFREF:
		return type_parse_any(parse, type->real, lexical, value);
	case BASE_BINARY:
	case BASE_BITS:
	case BASE_DECIMAL64:
		return type_parse_by_plugin(parse, type, lexical, value);
	}
	ASSERT(!"a base type");
	return ST_REJECTED;
}

static const struct schema_module *resolve_canonical(const struct schema_prefixes *self, struct bytes prefix)
{
	const struct schema_prefixes_canonical *prefixes = (const struct schema_prefixes_canonical *)self;
	return prefix.size == 0 ? prefixes->local : schema_module_find(prefixes->schema, prefix);
}

struct schema_prefixes_canonical schema_prefixes_canonical(const struct schema *schema,
							   const struct schema_module *local)
{
	return (struct schema_prefixes_canonical){
		.base = {.resolve = resolve_canonical, .inherit = true}, .schema = schema, .local = local};
}

enum schema_base schema_type_base(const struct schema_type *type)
{
	return type->base;
}

const struct schema_type *schema_type_real(const struct schema_type *type)
{
	return type->real;
}

size_t schema_type_member_count(const struct schema_type *type)
{
	return type->member_count;
}

const struct schema_type *schema_type_member(const struct schema_type *type, size_t index)
{
	ASSERT(index < type->member_count);
	return type->members[index];
}

const struct schema_xpath *schema_type_leafref_path(const struct schema_type *type)
{
	return type->path;
}

bool schema_type_require_instance(const struct schema_type *type)
{
	return type->require_instance;
}

unsigned schema_type_names(const struct schema_type *type)
{
	const struct schema_type *real = schema_type_real(type);
	unsigned kinds = 0;
	for (size_t i = 0; i < real->member_count; i++)
		kinds |= schema_type_names(real->members[i]);
	if (real->base == BASE_UNION)
		return kinds;
	if (real->base == BASE_IDENTITYREF)
		return SCHEMA_NAMES_IDENTITY;
	if (real->base == BASE_INSTANCE_IDENTIFIER)
		return SCHEMA_NAMES_INSTANCE;
	return real->qnames ? SCHEMA_NAMES_XPATH : SCHEMA_NAMES_NONE;
}

bool schema_type_has_reference(const struct schema_type *type)
{
	return type->has_reference;
}

enum status schema_type_parse(const struct schema *schema, const struct schema_type *type,
			      struct bytes lexical, const struct schema_prefixes *prefixes,
			      struct arena *arena, struct value *value, struct schema_type_error *error)
{
	struct type_parse parse = {schema__private(schema), prefixes, arena, error};
	struct schema_type_budget *budget = prefixes == NULL ? NULL : prefixes->budget;
	uint64_t refusals = budget == NULL ? 0 : budget->refusals;
	struct value parsed;
	enum status status = type_parse_any(&parse, type, lexical, &parsed);
	if (status != ST_OK)
		return status;
	if (budget == NULL || budget->refusals == refusals) {
		*value = parsed;
		return ST_OK;
	}
	/* A member of a union was given up: which one the value is of is not known. */
	value_unref(parsed);
	return type_refuse(&parse, NULL, NULL,
			   "The values of the request take too much work to match patterns.");
}

bool schema_enum_number(const struct schema_type *type, struct value value, int32_t *number)
{
	type = type->real;
	const struct schema__enum *item = enum_find(type, value_bytes(&value));
	for (size_t i = 0; i < type->member_count && item == NULL; i++)
		item = enum_find(type->members[i]->real, value_bytes(&value));
	if (item == NULL)
		return false;
	*number = item->number;
	return true;
}
