/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A state machine that takes a byte at a time, and runs of string bytes at once. What may come next is the
 * state; whether the innermost open structure is an object or an array is a bit of `objects`.
 *
 *     VALUE   "{" -> FIRST_NAME, "[" -> FIRST_VALUE, a quote -> STRING, else WORD
 *     names   STRING -> COLON -> VALUE
 *     values  STRING (with ESCAPE and UNICODE in it), WORD, "}" or "]" -> AFTER; at the outermost END
 *     AFTER   "," -> NAME in an object, VALUE in an array
 *
 * A token is gathered in `token`: escapes are resolved as they come; that a string is UTF-8 and of characters
 * that are allowed is checked when it ends. A resolved escape is whole characters, so it cannot complete a
 * broken sequence of raw bytes.
 */
#include "codec/json_reader.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/buffer.h"
#include "base/memory.h"

#define ERROR_SIZE 160
#define TOKEN_KEEP ((size_t)64 * 1024) /* bytes of the token buffer that stay */

enum state {
	STATE_VALUE,	   /* a value must come */
	STATE_FIRST_VALUE, /* after "[": a value or "]" */
	STATE_FIRST_NAME,  /* after "{": a name or "}" */
	STATE_NAME,	   /* after "," in an object */
	STATE_COLON,
	STATE_AFTER,   /* after a value in an object or array */
	STATE_STRING,  /* within a string */
	STATE_ESCAPE,  /* after a backslash */
	STATE_UNICODE, /* within the four digits after \u */
	STATE_WORD,    /* within a number or literal */
	STATE_END,     /* blanks may come */
};

struct json_reader {
	json_handler *handler;
	void *arg;
	struct json_reader_limits limits;
	enum state state;
	bool is_name;	   /* the string is a member's name */
	unsigned depth;	   /* open structures */
	uint64_t *objects; /* a bit for each of them: it is an object */
	struct buffer token;
	unsigned digits;     /* of STATE_UNICODE that came */
	uint32_t code, high; /* of these digits; the first half of a surrogate pair, 0: none */
	size_t line;	     /* 1-based */
	char error[ERROR_SIZE];
};

static enum status refuse(struct json_reader *reader, enum status status, const char *why)
{
	snprintf(reader->error, sizeof(reader->error), "line %zu: %s", reader->line, why);
	return status;
}

static enum status malformed(struct json_reader *reader, const char *why)
{
	return refuse(reader, ST_REJECTED, why);
}

static enum status append(struct json_reader *reader, struct bytes bytes)
{
	if (buffer_append(&reader->token, bytes) == ST_OK)
		return ST_OK;
	return refuse(reader, ST_LIMIT, "a string, name or number is too long");
}

static bool in_object(const struct json_reader *reader)
{
	unsigned top = reader->depth - 1;
	return reader->objects[top / 64] >> (top % 64) & 1;
}

static enum status open(struct json_reader *reader, bool is_object)
{
	if (reader->depth == reader->limits.depth)
		return refuse(reader, ST_LIMIT, "objects and arrays are nested too deeply");
	unsigned top = reader->depth++;
	uint64_t bit = (uint64_t)1 << (top % 64);
	reader->objects[top / 64] =
		is_object ? reader->objects[top / 64] | bit : reader->objects[top / 64] & ~bit;
	reader->state = is_object ? STATE_FIRST_NAME : STATE_FIRST_VALUE;
	return reader->handler(reader->arg, is_object ? JSON_OBJECT_START : JSON_ARRAY_START,
			       (struct bytes){0});
}

static void after_value(struct json_reader *reader)
{
	reader->state = reader->depth > 0 ? STATE_AFTER : STATE_END;
}

static enum status close(struct json_reader *reader, bool is_object)
{
	if (in_object(reader) != is_object)
		return malformed(reader, "a bracket does not match the one that it closes");
	reader->depth--;
	after_value(reader);
	return reader->handler(reader->arg, is_object ? JSON_OBJECT_END : JSON_ARRAY_END, (struct bytes){0});
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static size_t skip_digits(struct bytes text, size_t at)
{
	while (at < text.size && is_digit(text.data[at]))
		at++;
	return at;
}

/* RFC 8259 6 */
static bool is_number(struct bytes text)
{
	size_t at = text.size > 0 && text.data[0] == '-' ? 1 : 0;
	size_t end = skip_digits(text, at);
	if (end == at || (text.data[at] == '0' && end > at + 1))
		return false;
	if (end < text.size && text.data[end] == '.') {
		at = end + 1;
		end = skip_digits(text, at);
		if (end == at)
			return false;
	}
	if (end < text.size && (text.data[end] == 'e' || text.data[end] == 'E')) {
		at = end + 1;
		if (at < text.size && (text.data[at] == '+' || text.data[at] == '-'))
			at++;
		end = skip_digits(text, at);
		if (end == at)
			return false;
	}
	return end == text.size;
}

static enum status end_word(struct json_reader *reader)
{
	struct bytes word = buffer_get(&reader->token);
	enum json_event event;
	if (bytes_equal(word, bytes_of("true")))
		event = JSON_TRUE;
	else if (bytes_equal(word, bytes_of("false")))
		event = JSON_FALSE;
	else if (bytes_equal(word, bytes_of("null")))
		event = JSON_NULL;
	else if (is_number(word))
		event = JSON_NUMBER;
	else
		return malformed(reader, "a word is no number, true, false or null");
	after_value(reader);
	enum status status =
		reader->handler(reader->arg, event, event == JSON_NUMBER ? word : (struct bytes){0});
	buffer_clear(&reader->token, TOKEN_KEEP);
	return status;
}

/* The size of the sequence at the front of the text that is not ASCII; 0: not UTF-8. */
static size_t read_sequence(struct bytes text, uint32_t *code)
{
	unsigned char lead = (unsigned char)text.data[0];
	size_t size = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
	static const uint32_t LEAST[] = {0, 0, 0x80, 0x800, 0x10000};
	if (lead < 0xc2 || lead > 0xf4 || size > text.size)
		return 0;
	*code = lead & (0xff >> (size + 1));
	for (size_t i = 1; i < size; i++) {
		unsigned char next = (unsigned char)text.data[i];
		if ((next & 0xc0) != 0x80)
			return 0;
		*code = *code << 6 | (next & 0x3f);
	}
	bool is_surrogate = *code >= 0xd800 && *code <= 0xdfff;
	return *code < LEAST[size] || *code > 0x10ffff || is_surrogate ? 0 : size;
}

/* The characters of XML 1.0 (2.2). */
static enum status check_text(struct json_reader *reader, struct bytes text)
{
	for (size_t at = 0; at < text.size;) {
		unsigned char c = (unsigned char)text.data[at];
		uint32_t code = c;
		size_t size = 1;
		if (c >= 0x80)
			size = read_sequence((struct bytes){text.data + at, text.size - at}, &code);
		if (size == 0)
			return malformed(reader, "a string is not UTF-8");
		if ((code < 0x20 && code != '\t' && code != '\n' && code != '\r') || code == 0xfffe ||
		    code == 0xffff)
			return malformed(reader, "a string has a character that data cannot have");
		at += size;
	}
	return ST_OK;
}

static enum status end_string(struct json_reader *reader)
{
	if (reader->high)
		return malformed(reader, "half of a surrogate pair");
	struct bytes text = buffer_get(&reader->token);
	if (text.size == 0)
		text.data = ""; /* an empty one is not none */
	enum status status = check_text(reader, text);
	if (status != ST_OK)
		return status;
	if (reader->is_name)
		reader->state = STATE_COLON;
	else
		after_value(reader);
	status = reader->handler(reader->arg, reader->is_name ? JSON_NAME : JSON_STRING, text);
	buffer_clear(&reader->token, TOKEN_KEEP);
	return status;
}

/* A run of a string's bytes, up to a quote or backslash; *taken of them were used. */
static enum status take_run(struct json_reader *reader, struct bytes bytes, size_t *taken)
{
	size_t size = 0;
	while (size < bytes.size && bytes.data[size] != '"' && bytes.data[size] != '\\' &&
	       (unsigned char)bytes.data[size] >= 0x20)
		size++;
	if (size > 0 && reader->high)
		return malformed(reader, "half of a surrogate pair");
	enum status status = append(reader, (struct bytes){bytes.data, size});
	*taken = size;
	if (status != ST_OK || size == bytes.size)
		return status;
	*taken = size + 1;
	if (bytes.data[size] == '"')
		return end_string(reader);
	if (bytes.data[size] != '\\')
		return malformed(reader, "a control character in a string");
	reader->state = STATE_ESCAPE;
	return ST_OK;
}

static enum status take_escape(struct json_reader *reader, char c)
{
	static const char NAMES[] = "\"\\/bfnrt", MEANINGS[] = "\"\\/\b\f\n\r\t";
	if (c == 'u') {
		reader->state = STATE_UNICODE;
		reader->digits = 0;
		reader->code = 0;
		return ST_OK;
	}
	const char *name = c == '\0' ? NULL : strchr(NAMES, c);
	if (!name)
		return malformed(reader, "an unknown escape in a string");
	if (reader->high)
		return malformed(reader, "half of a surrogate pair");
	reader->state = STATE_STRING;
	return append(reader, (struct bytes){&MEANINGS[name - NAMES], 1});
}

static enum status append_code(struct json_reader *reader, uint32_t code)
{
	char text[4];
	size_t size = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
	static const unsigned char LEADS[] = {0, 0, 0xc0, 0xe0, 0xf0};
	for (size_t i = size - 1; i > 0; i--) {
		text[i] = (char)(0x80 | (code & 0x3f));
		code >>= 6;
	}
	text[0] = (char)(LEADS[size] | code);
	return append(reader, (struct bytes){text, size});
}

static enum status take_unicode(struct json_reader *reader, char c)
{
	static const char DIGITS[] = "0123456789abcdef";
	char lower = c >= 'A' && c <= 'F' ? (char)(c - 'A' + 'a') : c;
	const char *digit = lower == '\0' ? NULL : strchr(DIGITS, lower);
	if (!digit)
		return malformed(reader, "\\u wants four hexadecimal digits");
	reader->code = reader->code << 4 | (uint32_t)(digit - DIGITS);
	if (++reader->digits < 4)
		return ST_OK;
	reader->state = STATE_STRING;
	uint32_t code = reader->code, high = reader->high;
	bool is_low = code >= 0xdc00 && code <= 0xdfff;
	if ((high != 0) != is_low)
		return malformed(reader, "half of a surrogate pair");
	reader->high = code >= 0xd800 && code <= 0xdbff ? code : 0;
	if (reader->high)
		return ST_OK;
	return append_code(reader, is_low ? 0x10000 + ((high - 0xd800) << 10) + (code - 0xdc00) : code);
}

static bool is_word(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '+' ||
	       c == '.';
}

static enum status begin_string(struct json_reader *reader, bool is_name)
{
	reader->is_name = is_name;
	reader->state = STATE_STRING;
	return ST_OK;
}

static enum status begin_value(struct json_reader *reader, char c)
{
	if (c == '{' || c == '[')
		return open(reader, c == '{');
	if (c == '"')
		return begin_string(reader, false);
	if (!is_word(c))
		return malformed(reader, "a value is expected");
	reader->state = STATE_WORD;
	return append(reader, (struct bytes){&c, 1});
}

static enum status take_after(struct json_reader *reader, char c)
{
	if (c == '}' || c == ']')
		return close(reader, c == '}');
	if (c != ',')
		return malformed(reader, "a comma or the end of the object or array is expected");
	reader->state = in_object(reader) ? STATE_NAME : STATE_VALUE;
	return ST_OK;
}

/* A byte between tokens that is not blank. */
static enum status take_byte(struct json_reader *reader, char c)
{
	switch (reader->state) {
	case STATE_FIRST_VALUE:
		if (c == ']')
			return close(reader, false);
		return begin_value(reader, c);
	case STATE_VALUE:
		return begin_value(reader, c);
	case STATE_FIRST_NAME:
		if (c == '}')
			return close(reader, true);
		return c == '"' ? begin_string(reader, true) : malformed(reader, "a name is expected");
	case STATE_NAME:
		return c == '"' ? begin_string(reader, true) : malformed(reader, "a name is expected");
	case STATE_COLON:
		if (c != ':')
			return malformed(reader, "a colon is expected");
		reader->state = STATE_VALUE;
		return ST_OK;
	case STATE_AFTER:
		return take_after(reader, c);
	case STATE_END:
		return malformed(reader, "something follows the document");
	case STATE_STRING:
	case STATE_ESCAPE:
	case STATE_UNICODE:
	case STATE_WORD:
		break;
	}
	return malformed(reader, "a token is expected");
}

static enum status take_blank_or_byte(struct json_reader *reader, char c)
{
	if (c == '\n')
		reader->line++;
	if (c == ' ' || c == '\n' || c == '\t' || c == '\r')
		return ST_OK;
	return take_byte(reader, c);
}

/* At least one byte, or the end of a word before the first one. */
static enum status take(struct json_reader *reader, struct bytes bytes, size_t *taken)
{
	char c = bytes.data[0];
	*taken = 1;
	switch (reader->state) {
	case STATE_STRING:
		return take_run(reader, bytes, taken);
	case STATE_ESCAPE:
		return take_escape(reader, c);
	case STATE_UNICODE:
		return take_unicode(reader, c);
	case STATE_WORD:
		if (is_word(c))
			return append(reader, (struct bytes){&c, 1});
		*taken = 0;
		return end_word(reader);
	case STATE_VALUE:
	case STATE_FIRST_VALUE:
	case STATE_FIRST_NAME:
	case STATE_NAME:
	case STATE_COLON:
	case STATE_AFTER:
	case STATE_END:
		break;
	}
	return take_blank_or_byte(reader, c);
}

struct json_reader *json_reader_new(json_handler *handler, void *arg, const struct json_reader_limits *limits)
{
	struct json_reader *reader = memory_zalloc(sizeof(*reader));
	reader->handler = handler;
	reader->arg = arg;
	reader->limits = *limits;
	reader->objects = memory_zalloc((limits->depth / 64 + 1) * sizeof(*reader->objects));
	reader->line = 1;
	buffer_init(&reader->token, limits->text_size);
	return reader;
}

void json_reader_free(struct json_reader *reader)
{
	if (!reader)
		return;
	memory_free(reader->objects);
	buffer_fini(&reader->token);
	memory_free(reader);
}

enum status json_reader_feed(struct json_reader *reader, struct bytes bytes)
{
	enum status status = ST_OK;
	while (bytes.size > 0 && status == ST_OK) {
		size_t taken;
		status = take(reader, bytes, &taken);
		bytes = (struct bytes){bytes.data + taken, bytes.size - taken};
	}
	return status;
}

enum status json_reader_finish(struct json_reader *reader)
{
	enum status status = reader->state == STATE_WORD ? end_word(reader) : ST_OK;
	if (status == ST_OK && reader->state != STATE_END)
		return malformed(reader, "the document is not complete");
	return status;
}

const char *json_reader_error(const struct json_reader *reader)
{
	return reader->error;
}

unsigned json_reader_depth(const struct json_reader *reader)
{
	return reader->depth;
}
