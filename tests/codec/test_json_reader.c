/* SPDX-License-Identifier: BSD-3-Clause */
/* The JSON reader: events, escapes, what is malformed, limits, the same events for any cut. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/buffer.h"
#include "codec/json_reader.h"

struct log {
	struct buffer out;
	size_t fail_after; /* events; 0: never */
	size_t events;
};

static enum status on_event(void *arg, enum json_event event, struct bytes text)
{
	static const char *const NAMES[] = {"{",       "}",	  "[",	  "]",	   "name ",
					    "string ", "number ", "true", "false", "null"};
	struct log *log = arg;
	if (++log->events == log->fail_after)
		return ST_BUSY;
	assert_int_equal(buffer_append(&log->out, bytes_of(NAMES[event])), ST_OK);
	assert_int_equal(buffer_append(&log->out, text), ST_OK);
	assert_int_equal(buffer_append(&log->out, bytes_of(";")), ST_OK);
	return ST_OK;
}

static const struct json_reader_limits LIMITS = {.depth = 70, .text_size = 100};

struct reading {
	struct log log;
	enum status status;
	char error[200];
};

/* In two pieces, cut at `cut`, each in memory of its own; or, with SIZE_MAX, byte by byte. */
static void read_cut(struct reading *reading, struct bytes document, size_t cut, size_t fail_after)
{
	*reading = (struct reading){.log.fail_after = fail_after};
	buffer_init(&reading->log.out, SIZE_MAX);
	struct json_reader *reader = json_reader_new(on_event, &reading->log, &LIMITS);
	size_t step = cut == SIZE_MAX ? 1 : cut == 0 ? document.size + 1 : cut;
	for (size_t at = 0; at < document.size && reading->status == ST_OK;) {
		size_t size = document.size - at < step ? document.size - at : step;
		char *piece = malloc(size);
		memcpy(piece, document.data + at, size);
		reading->status = json_reader_feed(reader, (struct bytes){piece, size});
		free(piece);
		at += size;
		if (cut != SIZE_MAX)
			step = document.size;
	}
	if (reading->status == ST_OK)
		reading->status = json_reader_finish(reader);
	if (reading->status == ST_OK)
		assert_int_equal(json_reader_depth(reader), 0);
	snprintf(reading->error, sizeof(reading->error), "%s", json_reader_error(reader));
	assert_int_equal(buffer_append(&reading->log.out, (struct bytes){"", 1}), ST_OK);
	json_reader_free(reader);
}

static void check(struct bytes document, const char *events)
{
	for (size_t cut = 0; cut <= document.size; cut++) {
		struct reading reading;
		read_cut(&reading, document, cut == document.size ? SIZE_MAX : cut, 0);
		assert_string_equal(reading.error, "");
		assert_int_equal(reading.status, ST_OK);
		assert_string_equal(buffer_get(&reading.log.out).data, events);
		buffer_fini(&reading.log.out);
	}
}

static const struct {
	const char *document, *events;
} GOOD[] = {
	{"{}", "{;};"},
	{" [ ] \r\n\t", "[;];"},
	{"null", "null;"},
	{"0", "number 0;"},
	{"-12.50e+3", "number -12.50e+3;"},
	{"[0,1E5,-0,0.1,2e-7]", "[;number 0;number 1E5;number -0;number 0.1;number 2e-7;];"},
	{"{\"a\":1,\"b\":[true,false,null],\"\":{}}",
	 "{;name a;number 1;name b;[;true;false;null;];name ;{;};};"},
	{"\"\\n\\r\\t\\/\\\\\\\"x\"", "string \n\r\t/\\\"x;"},
	{"\"\\u0041\\u00e4\\u20AC\\uD83D\\uDE00\"", "string A\u00e4\u20ac\U0001f600;"},
	{"\"\u00e4\u20ac\U0001f600\x7f\"", "string \u00e4\u20ac\U0001f600\x7f;"},
	{"[[[{\"a\":[{}]}]]]", "[;[;[;{;name a;[;{;};];};];];];"},
};

static void test_good(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(GOOD) / sizeof(GOOD[0]); i++)
		check(bytes_of(GOOD[i].document), GOOD[i].events);
}

#define TEXT(literal)                                                                                        \
	{                                                                                                    \
		literal, sizeof(literal) - 1                                                                 \
	}

static const struct {
	struct bytes document;
	const char *error;
} BAD[] = {
	{TEXT(""), "line 1: the document is not complete"},
	{TEXT("\n\n "), "line 3: the document is not complete"},
	{TEXT("{"), "line 1: the document is not complete"},
	{TEXT("[1,"), "line 1: the document is not complete"},
	{TEXT("\"a"), "line 1: the document is not complete"},
	{TEXT("\"\\u00e"), "line 1: the document is not complete"},
	{TEXT("{\n\"a\"\n:\n"), "line 4: the document is not complete"},
	{TEXT("{]"), "line 1: a name is expected"},
	{TEXT("[}"), "line 1: a value is expected"},
	{TEXT("[1}"), "line 1: a bracket does not match the one that it closes"},
	{TEXT("{\"a\":1]"), "line 1: a bracket does not match the one that it closes"},
	{TEXT("{\"a\"}"), "line 1: a colon is expected"},
	{TEXT("{\"a\":}"), "line 1: a value is expected"},
	{TEXT("{\"a\":1,}"), "line 1: a name is expected"},
	{TEXT("[1,]"), "line 1: a value is expected"},
	{TEXT("[1 2]"), "line 1: a comma or the end of the object or array is expected"},
	{TEXT("{\"a\" 1}"), "line 1: a colon is expected"},
	{TEXT("{a:1}"), "line 1: a name is expected"},
	{TEXT("{1:1}"), "line 1: a name is expected"},
	{TEXT("{'a':1}"), "line 1: a name is expected"},
	{TEXT("{} {}"), "line 1: something follows the document"},
	{TEXT("1 2"), "line 1: something follows the document"},
	{TEXT("]"), "line 1: a value is expected"},
	{TEXT("// x\n1"), "line 1: a value is expected"},
	{TEXT("\xef\xbb\xbf{}"), "line 1: a value is expected"},
	{TEXT("{\0}"), "line 1: a name is expected"},
	{TEXT("01"), "line 1: a word is no number, true, false or null"},
	{TEXT("-"), "line 1: a word is no number, true, false or null"},
	{TEXT("+1"), "line 1: a word is no number, true, false or null"},
	{TEXT(".5"), "line 1: a word is no number, true, false or null"},
	{TEXT("1."), "line 1: a word is no number, true, false or null"},
	{TEXT("1e"), "line 1: a word is no number, true, false or null"},
	{TEXT("1e+"), "line 1: a word is no number, true, false or null"},
	{TEXT("0x1"), "line 1: a word is no number, true, false or null"},
	{TEXT("1-2"), "line 1: a word is no number, true, false or null"},
	{TEXT("NaN"), "line 1: a word is no number, true, false or null"},
	{TEXT("True"), "line 1: a word is no number, true, false or null"},
	{TEXT("truex"), "line 1: a word is no number, true, false or null"},
	{TEXT("\"\t\""), "line 1: a control character in a string"},
	{TEXT("\"\n\""), "line 1: a control character in a string"},
	{TEXT("\"\0\""), "line 1: a control character in a string"},
	{TEXT("\"\\x\""), "line 1: an unknown escape in a string"},
	{TEXT("\"\\\0\""), "line 1: an unknown escape in a string"},
	{TEXT("\"\\u12g4\""), "line 1: \\u wants four hexadecimal digits"},
	{TEXT("\"\\u12\""), "line 1: \\u wants four hexadecimal digits"},
	{TEXT("\"\\u123\0\""), "line 1: \\u wants four hexadecimal digits"},
	{TEXT("\"\\ud800\""), "line 1: half of a surrogate pair"},
	{TEXT("\"\\ud800x\""), "line 1: half of a surrogate pair"},
	{TEXT("\"\\ud800\\n\""), "line 1: half of a surrogate pair"},
	{TEXT("\"\\ud800\\u0041\""), "line 1: half of a surrogate pair"},
	{TEXT("\"\\ud800\\ud800\""), "line 1: half of a surrogate pair"},
	{TEXT("\"\\udc00\""), "line 1: half of a surrogate pair"},
	{TEXT("\"\\u0000\""), "line 1: a string has a character that data cannot have"},
	{TEXT("\"\\b\""), "line 1: a string has a character that data cannot have"},
	{TEXT("\"\\ufffe\""), "line 1: a string has a character that data cannot have"},
	{TEXT("\"\xef\xbf\xbf\""), "line 1: a string has a character that data cannot have"},
	{TEXT("\"\x80\""), "line 1: a string is not UTF-8"},
	{TEXT("\"\xc0\xaf\""), "line 1: a string is not UTF-8"},
	{TEXT("\"\xc3\""), "line 1: a string is not UTF-8"},
	{TEXT("\"\xc3(\""), "line 1: a string is not UTF-8"},
	{TEXT("\"\xe2\x82\\u00ac\""), "line 1: a string is not UTF-8"},
	{TEXT("\"\xe0\x80\xaf\""), "line 1: a string is not UTF-8"},
	{TEXT("\"\xed\xa0\x80\""), "line 1: a string is not UTF-8"},
	{TEXT("\"\xf4\x90\x80\x80\""), "line 1: a string is not UTF-8"},
	{TEXT("\"\xf8\x88\x80\x80\x80\""), "line 1: a string is not UTF-8"},
	{TEXT("{\"\xff\":1}"), "line 1: a string is not UTF-8"},
};

static void test_malformed(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(BAD) / sizeof(BAD[0]); i++) {
		for (size_t cut = 0; cut <= BAD[i].document.size; cut++) {
			struct reading reading;
			read_cut(&reading, BAD[i].document, cut == BAD[i].document.size ? SIZE_MAX : cut, 0);
			assert_string_equal(reading.error, BAD[i].error);
			assert_int_equal(reading.status, ST_REJECTED);
			buffer_fini(&reading.log.out);
		}
	}
}

static void check_limit(const char *document, size_t size, enum status status, const char *error)
{
	struct reading reading;
	read_cut(&reading, (struct bytes){document, size}, 0, 0);
	assert_string_equal(reading.error, error);
	assert_int_equal(reading.status, status);
	buffer_fini(&reading.log.out);
}

static void test_limits(void **state)
{
	(void)state;
	char text[300];
	memset(text, '[', 71);
	memset(text + 71, ']', 71);
	check_limit(text + 1, 140, ST_OK, "");
	check_limit(text, 142, ST_LIMIT, "line 1: objects and arrays are nested too deeply");
	memset(text, 'a', 102);
	text[0] = text[101] = '"';
	check_limit(text, 102, ST_OK, "");
	text[101] = 'a';
	text[102] = '"';
	check_limit(text, 103, ST_LIMIT, "line 1: a string, name or number is too long");
	memset(text, '1', 102);
	check_limit(text, 100, ST_OK, "");
	check_limit(text, 101, ST_LIMIT, "line 1: a string, name or number is too long");
	memcpy(text, "\"\\u20ac", 7);
	memset(text + 7, 'a', 98);
	check_limit(text, 105, ST_LIMIT, "line 1: a string, name or number is too long");
}

static void test_handler_fails(void **state)
{
	(void)state;
	struct bytes document = bytes_of("{\"a\":[1,\"x\",true,{}]}");
	for (size_t i = 1; i <= 11; i++) {
		struct reading reading;
		read_cut(&reading, document, 0, i);
		assert_int_equal(reading.status, i <= 10 ? ST_BUSY : ST_OK);
		assert_string_equal(reading.error, "");
		buffer_fini(&reading.log.out);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good),
		cmocka_unit_test(test_malformed),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_handler_fails),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
