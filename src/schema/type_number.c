/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Integers. In data only decimal digits with an optional sign are valid, leading zeros allowed (RFC
 * 7950 9.2.1); hexadecimal and octal are for modules, where libyang has read them. Canonical: no plus sign,
 * no leading zeros.
 */
#include "base/assert.h"
#include "schema/type_parse.h"

#define CANONICAL_SIZE_MAX 20 /* bytes: a sign and 19 digits, or 20 digits */

struct integer_kind {
	const char *name;
	uint64_t most;	/* the largest value */
	uint64_t least; /* the magnitude of the smallest value; 0: unsigned */
};

static struct integer_kind kind_of(enum schema_base base)
{
	switch (base) {
	case BASE_INT8:
		return (struct integer_kind){"int8", INT8_MAX, (uint64_t)INT8_MAX + 1};
	case BASE_INT16:
		return (struct integer_kind){"int16", INT16_MAX, (uint64_t)INT16_MAX + 1};
	case BASE_INT32:
		return (struct integer_kind){"int32", INT32_MAX, (uint64_t)INT32_MAX + 1};
	case BASE_INT64:
		return (struct integer_kind){"int64", INT64_MAX, (uint64_t)INT64_MAX + 1};
	case BASE_UINT8:
		return (struct integer_kind){"uint8", UINT8_MAX, 0};
	case BASE_UINT16:
		return (struct integer_kind){"uint16", UINT16_MAX, 0};
	case BASE_UINT32:
		return (struct integer_kind){"uint32", UINT32_MAX, 0};
	case BASE_UINT64:
		return (struct integer_kind){"uint64", UINT64_MAX, 0};
	case BASE_BINARY:
	case BASE_BITS:
	case BASE_BOOLEAN:
	case BASE_DECIMAL64:
	case BASE_EMPTY:
	case BASE_ENUMERATION:
	case BASE_IDENTITYREF:
	case BASE_INSTANCE_IDENTIFIER:
	case BASE_LEAFREF:
	case BASE_STRING:
	case BASE_UNION:
		break;
	}
	ASSERT(!"an integer type");
	return (struct integer_kind){0};
}

/* Reads an optional sign and digits. Fails where it is none or does not fit in 64 bits (`too_large`). */
static bool read_digits(struct bytes text, bool *negative, uint64_t *magnitude, bool *too_large)
{
	*negative = text.size > 0 && text.data[0] == '-';
	if (text.size > 0 && (text.data[0] == '-' || text.data[0] == '+'))
		text = (struct bytes){text.data + 1, text.size - 1};
	*magnitude = 0;
	*too_large = false;
	for (size_t i = 0; i < text.size; i++) {
		if (text.data[i] < '0' || text.data[i] > '9')
			return false;
		uint64_t digit = (uint64_t)(text.data[i] - '0');
		*too_large |= __builtin_mul_overflow(*magnitude, 10, magnitude) ||
			      __builtin_add_overflow(*magnitude, digit, magnitude);
	}
	return text.size > 0;
}

static bool in_range(const struct lysc_range *range, bool is_signed, uint64_t magnitude, bool negative)
{
	if (range == NULL)
		return true;
	int64_t number = (int64_t)(negative ? -magnitude : magnitude);
	for (size_t i = 0; i < LY_ARRAY_COUNT(range->parts); i++) {
		if (is_signed ? number >= range->parts[i].min_64 && number <= range->parts[i].max_64
			      : magnitude >= range->parts[i].min_u64 && magnitude <= range->parts[i].max_u64)
			return true;
	}
	return false;
}

static struct value print_integer(uint64_t magnitude, bool negative)
{
	char text[CANONICAL_SIZE_MAX];
	size_t start = sizeof(text);
	negative = negative && magnitude > 0;
	do
		text[--start] = (char)('0' + magnitude % 10);
	while ((magnitude /= 10) > 0);
	if (negative)
		text[--start] = '-';
	return value_new((struct bytes){text + start, sizeof(text) - start}, 0);
}

enum status type_parse_integer(struct type_parse *parse, const struct schema_type *type, struct bytes lexical,
			       struct value *value)
{
	struct integer_kind kind = kind_of(type->base);
	bool negative, too_large;
	uint64_t magnitude;
	if (!read_digits(type_trim(lexical), &negative, &magnitude, &too_large))
		return type_refuse(parse, NULL, NULL, "Invalid %s value \"%.*s\".", kind.name,
				   EXCERPT(lexical));
	if (too_large || magnitude > (negative ? kind.least : kind.most))
		return type_refuse(parse, NULL, NULL, "Value \"%.*s\" is out of %s's bounds.",
				   EXCERPT(lexical), kind.name);
	const struct lysc_range *range = ((const struct lysc_type_num *)type->lysc)->range;
	if (!in_range(range, kind.least > 0, magnitude, negative))
		return type_refuse(parse, range->emsg, range->eapptag,
				   "Value \"%.*s\" is in none of the allowed ranges.", EXCERPT(lexical));
	*value = print_integer(magnitude, negative);
	return ST_OK;
}
