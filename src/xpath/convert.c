/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Conversions of XPath 1.0 section 4 and string values of section 5.
 *
 * The string value of a leaf is its canonical value, of anything else the concatenation of all leafs below it
 * in document order, without the white space that a pretty printer might put between them (YANG data has no
 * mixed content). That of an anydata or anyxml is the text in its XML.
 *
 * Numbers are printed without an exponent, with as many digits after the point as distinguish the number from
 * its neighbours.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "xpath/eval.h"
#include "xpath/utf8.h"

#define DIGITS_MAX 17	/* of a double that round-trips */
#define NUMBER_LOCAL 64 /* bytes of a number's text that need no arena */

bool xpath__is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* ---- numbers ---- */

/* '-'? (digits ('.' digits?)? | '.' digits), nothing else. */
static bool is_number(struct bytes text)
{
	size_t i = 0, digits = 0;
	if (i < text.size && text.data[i] == '-')
		i++;
	for (; i < text.size && text.data[i] >= '0' && text.data[i] <= '9'; i++)
		digits++;
	if (i < text.size && text.data[i] == '.') {
		for (i++; i < text.size && text.data[i] >= '0' && text.data[i] <= '9'; i++)
			digits++;
	}
	return digits > 0 && i == text.size;
}

double xpath__number_parse(struct bytes text)
{
	while (text.size > 0 && xpath__is_space(text.data[0]))
		text = (struct bytes){text.data + 1, text.size - 1};
	while (text.size > 0 && xpath__is_space(text.data[text.size - 1]))
		text.size--;
	if (!is_number(text))
		return NAN;
	char local[NUMBER_LOCAL];
	if (text.size < sizeof(local)) {
		memcpy(local, text.data, text.size);
		local[text.size] = '\0';
		return strtod(local, NULL);
	}
	struct arena *arena = arena_new();
	double number = strtod(arena_strdup(arena, text), NULL);
	arena_free(arena);
	return number;
}

/* 0.00123 from digits "123" and exponent -3 (that of the first digit). */
static struct bytes print_fraction(const char *digits, int exponent, bool negative, struct arena *arena)
{
	size_t zeros = exponent < 0 ? (size_t)-exponent : 0; /* one of them before the point */
	size_t length = strlen(digits), whole = exponent < 0 ? 0 : (size_t)exponent + 1;
	char *text = arena_alloc(arena, 2 + zeros + length), *end = text;
	if (negative)
		*end++ = '-';
	memcpy(end, digits, whole);
	end += whole;
	if (zeros > 0)
		*end++ = '0';
	*end++ = '.';
	if (zeros > 1)
		memset(end, '0', zeros - 1);
	end += zeros > 1 ? zeros - 1 : 0;
	memcpy(end, digits + whole, length - whole);
	end += length - whole;
	return (struct bytes){text, (size_t)(end - text)};
}

struct bytes xpath__number_print(double number, struct arena *arena)
{
	if (isnan(number))
		return bytes_of("NaN");
	if (isinf(number))
		return bytes_of(number > 0 ? "Infinity" : "-Infinity");
	if (number == 0)
		return bytes_of("0");
	if (number == floor(number))
		return bytes_of(arena_printf(arena, "%.0f", number));
	char text[DIGITS_MAX + 16];
	for (int precision = 0; precision < DIGITS_MAX; precision++) {
		snprintf(text, sizeof(text), "%.*e", precision, fabs(number));
		if (strtod(text, NULL) == fabs(number))
			break;
	}
	/* d.ddde-xx: the digits without the point, and the exponent. */
	char *mark = strchr(text, 'e');
	int exponent = atoi(mark + 1);
	*mark = '\0';
	if (text[1] == '.')
		memmove(text + 1, text + 2, strlen(text + 2) + 1);
	return print_fraction(text, exponent, number < 0, arena);
}

/* ---- string values ---- */

struct text_builder {
	struct xpath_eval *eval;
	char *data;
	size_t size, capacity;
};

static enum status append(struct text_builder *builder, struct bytes bytes)
{
	enum status status = xpath__charge_bytes(builder->eval, bytes.size);
	if (status != ST_OK || bytes.size == 0)
		return status;
	if (builder->capacity - builder->size < bytes.size) {
		size_t capacity = (builder->size + bytes.size) * 2;
		char *data = arena_alloc(builder->eval->arena, capacity);
		if (builder->size > 0)
			memcpy(data, builder->data, builder->size);
		builder->data = data;
		builder->capacity = capacity;
	}
	memcpy(builder->data + builder->size, bytes.data, bytes.size);
	builder->size += bytes.size;
	return ST_OK;
}

/* &lt; &gt; &amp; &quot; &apos; and character references, which `codec` writes where XML needs them. */
static enum status append_reference(struct text_builder *builder, struct bytes name)
{
	static const struct {
		const char *name;
		char c;
	} names[] = {{"lt", '<'}, {"gt", '>'}, {"amp", '&'}, {"quot", '"'}, {"apos", '\''}};
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (bytes_equal(name, bytes_of(names[i].name)))
			return append(builder, (struct bytes){&names[i].c, 1});
	}
	if (name.size < 2 || name.size > 9 || name.data[0] != '#')
		return ST_OK;
	char digits[10] = {0}, encoded[4];
	memcpy(digits, name.data + 1, name.size - 1);
	unsigned long code = digits[0] == 'x' ? strtoul(digits + 1, NULL, 16) : strtoul(digits, NULL, 10);
	if (code > 0x10ffff)
		return ST_OK;
	return append(builder, (struct bytes){encoded, xpath__character_encode(code, encoded)});
}

/* The text in an XML fragment: what is outside tags. */
static enum status append_xml(struct text_builder *builder, struct bytes xml)
{
	size_t i = 0;
	enum status status = ST_OK;
	while (status == ST_OK && i < xml.size) {
		char c = xml.data[i];
		char ends = c == '<' ? '>' : c == '&' ? ';' : '\0';
		if (ends == '\0') {
			size_t start = i;
			while (i < xml.size && xml.data[i] != '<' && xml.data[i] != '&')
				i++;
			status = append(builder, (struct bytes){xml.data + start, i - start});
			continue;
		}
		const char *end = memchr(xml.data + i, ends, xml.size - i);
		if (end == NULL)
			return ST_OK;
		if (c == '&')
			status = append_reference(
				builder, (struct bytes){xml.data + i + 1, (size_t)(end - xml.data) - i - 1});
		i = (size_t)(end - xml.data) + 1;
	}
	return status;
}

static enum status append_below(struct text_builder *builder, const struct tree_position *node)
{
	enum status status = xpath__charge(builder->eval, 1);
	if (status != ST_OK)
		return status;
	switch (node->schema->kind) {
	case SCHEMA_LEAF:
	case SCHEMA_LEAF_LIST:
		return append(builder, value_bytes(&node->value));
	case SCHEMA_ANYDATA:
	case SCHEMA_ANYXML:
		return node->any == NULL ? ST_OK : append_xml(builder, text_bytes(node->any->xml));
	case SCHEMA_ROOT:
	case SCHEMA_CONTAINER:
	case SCHEMA_LIST:
	case SCHEMA_RPC:
	case SCHEMA_ACTION:
	case SCHEMA_OUTPUT:
	case SCHEMA_NOTIFICATION:
		break;
	}
	struct tree_cursor cursor;
	struct tree_position child;
	tree_cursor_init(&cursor, builder->eval->schema, node, builder->eval->view);
	while (status == ST_OK && tree_cursor_next(&cursor, &child)) {
		bool there;
		status = xpath__is_there(builder->eval, &child, &there);
		if (status == ST_OK && there)
			status = append_below(builder, &child);
	}
	return status;
}

/* Whether the text needs none to be made. */
static bool is_borrowed(const struct tree_position *node, struct bytes *text)
{
	bool is_leaf = node->schema->kind == SCHEMA_LEAF || node->schema->kind == SCHEMA_LEAF_LIST;
	if (is_leaf)
		*text = value_bytes(&node->value);
	return is_leaf;
}

enum status xpath__text(struct xpath_eval *eval, const struct tree_position *node, struct bytes *text)
{
	if (is_borrowed(node, text))
		return ST_OK;
	struct text_builder builder = {.eval = eval};
	enum status status = append_below(&builder, node);
	if (status == ST_OK)
		*text = (struct bytes){builder.data, builder.size};
	return status;
}

enum status xpath__passing_text(struct xpath_eval *eval, const struct tree_position *node, struct bytes *text)
{
	if (is_borrowed(node, text))
		return ST_OK;
	struct text_builder builder = {.eval = eval, .data = eval->room, .capacity = eval->room_size};
	enum status status = append_below(&builder, node);
	eval->room = builder.data;
	eval->room_size = builder.capacity;
	if (status == ST_OK)
		*text = (struct bytes){builder.data, builder.size};
	return status;
}

/* ---- values ---- */

bool xpath_value_boolean(const struct xpath_value *value)
{
	switch (value->type) {
	case XPATH_NODE_SET:
		return value->length > 0;
	case XPATH_STRING:
		return value->string.size > 0;
	case XPATH_NUMBER:
		return value->number != 0 && !isnan(value->number);
	case XPATH_BOOLEAN:
		return value->boolean;
	}
	return false;
}

/* Of the first node; the tree's view with defaults, as in constraints, and no limit, as the set was bounded.
 */
static struct bytes first_text(const struct xpath_value *value, struct arena *arena)
{
	if (value->length == 0)
		return (struct bytes){0};
	struct xpath_limits limits = {.steps = UINT64_MAX, .max_nodes = UINT64_MAX};
	struct xpath_eval eval = {.schema = value->schema,
				  .arena = arena,
				  .limits = &limits,
				  .view = value->view,
				  .implicit = value->implicit};
	struct bytes text = {0};
	enum status status = xpath__text(&eval, value->nodes[0], &text);
	return status == ST_OK ? text : (struct bytes){0};
}

struct bytes xpath_value_string(const struct xpath_value *value, struct arena *arena)
{
	switch (value->type) {
	case XPATH_NODE_SET:
		return first_text(value, arena);
	case XPATH_STRING:
		return value->string;
	case XPATH_NUMBER:
		return xpath__number_print(value->number, arena);
	case XPATH_BOOLEAN:
		return bytes_of(value->boolean ? "true" : "false");
	}
	return (struct bytes){0};
}

double xpath_value_number(const struct xpath_value *value, struct arena *arena)
{
	switch (value->type) {
	case XPATH_NODE_SET:
	case XPATH_STRING:
		return xpath__number_parse(xpath_value_string(value, arena));
	case XPATH_NUMBER:
		return value->number;
	case XPATH_BOOLEAN:
		return value->boolean ? 1 : 0;
	}
	return NAN;
}
