/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * String functions (XPath 1.0 section 4.2). Results are slices of their arguments where they can be;
 * positions and lengths count characters, not bytes. Work on long strings and copies of them are charged to
 * the step limit.
 */
#include <math.h>

#include "xpath/functions.h"
#include "xpath/utf8.h"

enum status xpath__string(struct xpath_eval *eval, const struct xpath_node *call,
			  const struct xpath_context *context, struct xpath_value *value)
{
	if (call->operands != NULL)
		return xpath__string_of(eval, call->operands, context, &value->string);
	return xpath__text(eval, context->node, &value->string);
}

/* Two string arguments. */
static enum status two_strings(struct xpath_eval *eval, const struct xpath_node *call,
			       const struct xpath_context *context, struct bytes *a, struct bytes *b)
{
	enum status status = xpath__string_of(eval, call->operands, context, a);
	if (status == ST_OK)
		status = xpath__string_of(eval, call->operands->next, context, b);
	if (status == ST_OK)
		status = xpath__charge_bytes(eval, a->size + b->size);
	return status;
}

enum status xpath__concat(struct xpath_eval *eval, const struct xpath_node *call,
			  const struct xpath_context *context, struct xpath_value *value)
{
	struct bytes *parts = arena_alloc(eval->arena, call->call.length * sizeof(*parts));
	size_t size = 0, index = 0;
	for (const struct xpath_node *arg = call->operands; arg != NULL; arg = arg->next, index++) {
		enum status status = xpath__string_of(eval, arg, context, &parts[index]);
		if (status == ST_OK)
			status = xpath__charge_bytes(eval, parts[index].size);
		if (status != ST_OK)
			return status;
		size += parts[index].size;
	}
	char *data = arena_alloc(eval->arena, size + 1), *end = data;
	for (size_t i = 0; i < index; i++) {
		if (parts[i].size > 0)
			memcpy(end, parts[i].data, parts[i].size);
		end += parts[i].size;
	}
	value->string = (struct bytes){data, size};
	return ST_OK;
}

static bool begins_with(struct bytes text, struct bytes start)
{
	return start.size <= text.size && (start.size == 0 || memcmp(text.data, start.data, start.size) == 0);
}

/* Where `needle` begins in `text`; false: nowhere. An empty needle begins at 0. */
static bool find(struct bytes text, struct bytes needle, size_t *at)
{
	*at = 0;
	if (needle.size == 0)
		return true;
	if (needle.size > text.size)
		return false;
	const char *found = memmem(text.data, text.size, needle.data, needle.size);
	if (found != NULL)
		*at = (size_t)(found - text.data);
	return found != NULL;
}

enum status xpath__starts_with(struct xpath_eval *eval, const struct xpath_node *call,
			       const struct xpath_context *context, struct xpath_value *value)
{
	struct bytes text, start;
	enum status status = two_strings(eval, call, context, &text, &start);
	if (status == ST_OK)
		value->boolean = begins_with(text, start);
	return status;
}

enum status xpath__contains(struct xpath_eval *eval, const struct xpath_node *call,
			    const struct xpath_context *context, struct xpath_value *value)
{
	struct bytes text, needle;
	size_t at;
	enum status status = two_strings(eval, call, context, &text, &needle);
	if (status == ST_OK)
		value->boolean = find(text, needle, &at);
	return status;
}

enum status xpath__substring_before(struct xpath_eval *eval, const struct xpath_node *call,
				    const struct xpath_context *context, struct xpath_value *value)
{
	struct bytes text, needle;
	size_t at;
	enum status status = two_strings(eval, call, context, &text, &needle);
	value->string = (struct bytes){0};
	if (status == ST_OK && find(text, needle, &at))
		value->string = (struct bytes){text.data, at};
	return status;
}

enum status xpath__substring_after(struct xpath_eval *eval, const struct xpath_node *call,
				   const struct xpath_context *context, struct xpath_value *value)
{
	struct bytes text, needle;
	size_t at;
	enum status status = two_strings(eval, call, context, &text, &needle);
	value->string = (struct bytes){0};
	if (status == ST_OK && find(text, needle, &at) && text.size > 0)
		value->string = (struct bytes){text.data + at + needle.size, text.size - at - needle.size};
	return status;
}

double xpath__round_number(double number)
{
	double below = floor(number);
	if (number - below < 0.5)
		return below;
	/* Halves go up; from (-0.5, 0) and -0.5 itself to negative zero. */
	return copysign(below + 1, number < 0 && below + 1 == 0 ? -1.0 : below + 1);
}

/* The characters whose 1-based position p has from <= p < to; comparisons with NaN are false. */
static struct bytes slice(struct bytes text, double from, double to)
{
	size_t start = text.size, at = 0;
	for (double position = 1; at < text.size && (position < from || !(position >= to)); position++) {
		if (position >= from && start == text.size)
			start = at;
		at += xpath__character_size(text, at);
	}
	if (start == text.size)
		return (struct bytes){0};
	return (struct bytes){text.data + start, at - start};
}

enum status xpath__substring(struct xpath_eval *eval, const struct xpath_node *call,
			     const struct xpath_context *context, struct xpath_value *value)
{
	const struct xpath_node *first = call->operands, *second = first->next;
	struct bytes text;
	double from, length = INFINITY;
	enum status status = xpath__string_of(eval, first, context, &text);
	if (status == ST_OK)
		status = xpath__number_of(eval, second, context, &from);
	if (status == ST_OK && second->next != NULL)
		status = xpath__number_of(eval, second->next, context, &length);
	if (status == ST_OK)
		status = xpath__charge_bytes(eval, text.size);
	if (status != ST_OK)
		return status;
	from = xpath__round_number(from);
	double to = second->next != NULL ? from + xpath__round_number(length) : INFINITY;
	value->string = isnan(from) || isnan(to) ? (struct bytes){0} : slice(text, from, to);
	return ST_OK;
}

/* The only argument, or the string value of the context node. */
static enum status one_string(struct xpath_eval *eval, const struct xpath_node *call,
			      const struct xpath_context *context, struct bytes *text)
{
	struct xpath_value value;
	enum status status = xpath__string(eval, call, context, &value);
	if (status == ST_OK)
		status = xpath__charge_bytes(eval, value.string.size);
	if (status == ST_OK)
		*text = value.string;
	return status;
}

enum status xpath__string_length(struct xpath_eval *eval, const struct xpath_node *call,
				 const struct xpath_context *context, struct xpath_value *value)
{
	struct bytes text;
	enum status status = one_string(eval, call, context, &text);
	if (status == ST_OK)
		value->number = (double)xpath__character_count(text);
	return status;
}

enum status xpath__normalize_space(struct xpath_eval *eval, const struct xpath_node *call,
				   const struct xpath_context *context, struct xpath_value *value)
{
	struct bytes text;
	enum status status = one_string(eval, call, context, &text);
	if (status != ST_OK)
		return status;
	char *data = arena_alloc(eval->arena, text.size + 1), *end = data;
	bool gap = false;
	for (size_t i = 0; i < text.size; i++) {
		if (xpath__is_space(text.data[i])) {
			gap = end > data;
			continue;
		}
		if (gap)
			*end++ = ' ';
		gap = false;
		*end++ = text.data[i];
	}
	value->string = (struct bytes){data, (size_t)(end - data)};
	return ST_OK;
}

/* The index of a character in a text; SIZE_MAX: it is not in there. */
static size_t character_index(struct bytes text, struct bytes character)
{
	size_t index = 0;
	for (size_t at = 0; at < text.size; index++) {
		size_t size = xpath__character_size(text, at);
		if (bytes_equal((struct bytes){text.data + at, size}, character))
			return index;
		at += size;
	}
	return SIZE_MAX;
}

static struct bytes character_at(struct bytes text, size_t index)
{
	size_t at = 0;
	for (; at < text.size && index > 0; index--)
		at += xpath__character_size(text, at);
	return at < text.size ? (struct bytes){text.data + at, xpath__character_size(text, at)}
			      : (struct bytes){0};
}

enum status xpath__translate(struct xpath_eval *eval, const struct xpath_node *call,
			     const struct xpath_context *context, struct xpath_value *value)
{
	struct bytes text, from, to;
	enum status status = two_strings(eval, call, context, &text, &from);
	if (status == ST_OK)
		status = xpath__string_of(eval, call->operands->next->next, context, &to);
	/* Each character of the text is looked for in `from`. */
	if (status == ST_OK)
		status = xpath__charge(eval,
				       (text.size + 1) * (from.size / 32 + 1) / 32 + (text.size * 4) / 32);
	if (status != ST_OK)
		return status;
	char *data = arena_alloc(eval->arena, text.size * 4 + 1), *end = data;
	for (size_t at = 0; at < text.size;) {
		struct bytes character = {text.data + at, xpath__character_size(text, at)};
		at += character.size;
		size_t index = character_index(from, character);
		if (index != SIZE_MAX)
			character = character_at(to, index);
		if (character.size > 0)
			memcpy(end, character.data, character.size);
		end += character.size;
	}
	value->string = (struct bytes){data, (size_t)(end - data)};
	return ST_OK;
}
