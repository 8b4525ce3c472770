/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sort keys: bytes whose memcmp order is the order of values, made from canonical texts without parsing
 * numbers. Every search in a map of entries makes one, so there is no allocation and no call of libyang.
 *
 *     integer     0x80 + digits  d d d             a longer number is greater, then digit by digit
 *     negative    0x7f - digits  ~d ~d ~d          the other way round
 *     decimal64   as above by the digits before the point, then those after it, then 0x00 (negative: 0xff),
 * so that 1.5 < 1.55 and -1.55 < -1.5 other       the text, then 0x00
 *
 * All forms tell their own end: integers by the first byte, the others by the terminator, which cannot occur
 * in the text (XML has no NUL). Hence keys of several leafs can be put one after another and still compare
 * right.
 */
#include "schema/internal.h"

#define NUMBER_KEY_MAX 24 /* bytes: of the first byte, 20 digits, a terminator */

struct key_writer {
	uint8_t *out;
	size_t size;   /* room */
	size_t needed; /* bytes so far, also those without room */
};

static void put(struct key_writer *writer, uint8_t byte)
{
	if (writer->needed < writer->size)
		writer->out[writer->needed] = byte;
	writer->needed++;
}

static void put_number(struct key_writer *writer, struct bytes text, bool decimal)
{
	bool negative = text.size > 0 && text.data[0] == '-';
	uint8_t flip = negative ? 0xff : 0;
	if (negative)
		text = (struct bytes){text.data + 1, text.size - 1};
	const char *point = decimal && text.size > 0 ? memchr(text.data, '.', text.size) : NULL;
	size_t digits = point != NULL ? (size_t)(point - text.data) : text.size;
	put(writer, (uint8_t)((0x80 + digits) ^ flip));
	for (size_t i = 0; i < text.size; i++)
		if (text.data[i] != '.')
			put(writer, (uint8_t)text.data[i] ^ flip);
	if (decimal)
		put(writer, flip);
}

static void put_text(struct key_writer *writer, struct bytes text)
{
	size_t room = writer->needed < writer->size ? writer->size - writer->needed : 0;
	size_t copied = text.size < room ? text.size : room;
	if (copied > 0)
		memcpy(writer->out + writer->needed, text.data, copied);
	writer->needed += text.size;
	put(writer, 0);
}

static bool is_number(enum schema_base base)
{
	return base >= BASE_INT8 || base == BASE_DECIMAL64;
}

size_t schema_type_sort_key(const struct schema_type *type, struct value value, uint8_t *out, size_t size)
{
	struct key_writer writer = {out, size, 0};
	if (is_number(type->sort_base))
		put_number(&writer, value_bytes(&value), type->sort_base == BASE_DECIMAL64);
	else
		put_text(&writer, value_bytes(&value));
	return writer.needed;
}

int schema_type_compare(const struct schema_type *type, struct value a, struct value b)
{
	if (a.word == b.word)
		return 0;
	if (!is_number(type->sort_base))
		return bytes_compare(value_bytes(&a), value_bytes(&b));
	uint8_t x[NUMBER_KEY_MAX], y[NUMBER_KEY_MAX];
	size_t x_size = schema_type_sort_key(type, a, x, sizeof(x));
	size_t y_size = schema_type_sort_key(type, b, y, sizeof(y));
	return bytes_compare((struct bytes){(const char *)x, x_size},
			     (struct bytes){(const char *)y, y_size});
}
