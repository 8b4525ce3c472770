/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Framing: both modes, whole and cut at every byte and at random places, hostile headers, chunk boundaries of
 * output.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "netconf/framing.h"

/* Decodes `input` in pieces of at most `step` bytes; the messages are written to `text`, each ended by "|". A
 * broken framing adds "!". */
static void decode(enum framing_mode mode, struct bytes input, size_t step, struct buffer *text)
{
	struct framing framing;
	framing_init(&framing, mode);
	while (input.size > 0) {
		size_t size = input.size < step ? input.size : step;
		struct bytes piece = {input.data, size}, content;
		enum framing_event event;
		while ((event = framing_next(&framing, &piece, &content)) != FRAMING_NEED_MORE) {
			if (event == FRAMING_BROKEN) {
				assert_int_equal(buffer_append(text, bytes_of("!")), ST_OK);
				return;
			}
			struct bytes add = event == FRAMING_END ? bytes_of("|") : content;
			assert_true(add.size > 0);
			assert_int_equal(buffer_append(text, add), ST_OK);
		}
		input.data += size;
		input.size -= size;
	}
}

static void expect(enum framing_mode mode, const char *input, const char *messages)
{
	for (size_t step = 1; step <= strlen(input) + 1; step++) {
		struct buffer text;
		buffer_init(&text, SIZE_MAX);
		decode(mode, bytes_of(input), step, &text);
		assert_int_equal(buffer_append(&text, (struct bytes){"", 1}), ST_OK);
		assert_string_equal(buffer_get(&text).data, messages);
		buffer_fini(&text);
	}
}

static void test_end_of_message(void **state)
{
	(void)state;
	expect(FRAMING_END_OF_MESSAGE, "<a/>]]>]]><b/>]]>]]>", "<a/>|<b/>|");
	expect(FRAMING_END_OF_MESSAGE, "a]]]>]]>b", "a]|b");
	expect(FRAMING_END_OF_MESSAGE, "a]]>]>]]>]]>", "a]]>]>|");
	expect(FRAMING_END_OF_MESSAGE, "]]>]]]]>]]>", "]]>]]|");
	expect(FRAMING_END_OF_MESSAGE, "]]>]x]]>]]>", "]]>]x|");
	expect(FRAMING_END_OF_MESSAGE, "]]>]]>]]>]]>", "||");
	expect(FRAMING_END_OF_MESSAGE, "]]]]]]]]>]]>", "]]]]]]|");
}

static void test_chunked(void **state)
{
	(void)state;
	expect(FRAMING_CHUNKED, "\n#4\n<a/>\n##\n", "<a/>|");
	expect(FRAMING_CHUNKED, "\n#1\n<\n#3\na/>\n##\n\n#2\n\n#\n##\n", "<a/>|\n#|");
	expect(FRAMING_CHUNKED, "\n#10\n0123456789\n##\n", "0123456789|");
	/* A size that the RFC allows is believed, and nothing is reserved for it. */
	expect(FRAMING_CHUNKED, "\n#4294967295\nabc", "abc");
}

static void test_broken_chunks(void **state)
{
	(void)state;
	const char *const broken[] = {
		"x",
		"\nx",
		"\n#x",
		"\n#0\n",
		"\n#01\n",
		"\n#-1\n",
		"\n# 1\n",
		"\n#1 \n",
		"\n#+1\n",
		"\n#4294967296\n",
		"\n#99999999999999999999999999\n",
		"\n#\n",
		"\n##\n",
		"\r\n#1\n",
		"<rpc/>]]>]]>",
	};
	for (size_t i = 0; i < sizeof(broken) / sizeof(broken[0]); i++)
		expect(FRAMING_CHUNKED, broken[i], "!");
	expect(FRAMING_CHUNKED, "\n#1\nax", "a!");
	expect(FRAMING_CHUNKED, "\n#1\na\n##x", "a!");
	expect(FRAMING_CHUNKED, "\n#1\na\n##\n<", "a|!");
	expect(FRAMING_CHUNKED, "\n#1\na\n##\n\n##\n", "a|!");
}

static uint64_t seed_of_run(void)
{
	const char *given = getenv("YARE_SEED");
	uint64_t seed = given != NULL ? strtoull(given, NULL, 0) : 20240607;
	print_message("YARE_SEED=%llu\n", (unsigned long long)seed);
	return seed;
}

static uint32_t next_random(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*seed >> 33);
}

/* What is written in random pieces is read back the same, cut at random places. */
static void test_round_trip(void **state)
{
	(void)state;
	uint64_t seed = seed_of_run();
	static const char alphabet[] = "]]]>>\n##19ab";
	for (int round = 0; round < 2000; round++) {
		enum framing_mode mode = round % 2 == 0 ? FRAMING_CHUNKED : FRAMING_END_OF_MESSAGE;
		struct buffer framed, plain, read;
		buffer_init(&framed, SIZE_MAX);
		buffer_init(&plain, SIZE_MAX);
		buffer_init(&read, SIZE_MAX);
		for (uint32_t pieces = next_random(&seed) % 5 + 1; pieces > 0; pieces--) {
			char piece[40];
			size_t size = next_random(&seed) % sizeof(piece) + 1;
			for (size_t i = 0; i < size; i++)
				piece[i] = alphabet[next_random(&seed) % (mode == FRAMING_CHUNKED ? 12 : 3)];
			piece[size - 1] = 'x';
			framing_write(mode, &framed, (struct bytes){piece, size});
			assert_int_equal(buffer_append(&plain, (struct bytes){piece, size}), ST_OK);
		}
		framing_write_end(mode, &framed);
		assert_int_equal(buffer_append(&plain, bytes_of("|")), ST_OK);
		decode(mode, buffer_get(&framed), next_random(&seed) % 20 + 1, &read);
		assert_true(bytes_equal(buffer_get(&plain), buffer_get(&read)));
		buffer_fini(&framed);
		buffer_fini(&plain);
		buffer_fini(&read);
	}
}

static void test_whole_characters(void **state)
{
	(void)state;
	const struct {
		const char *text;
		size_t whole;
	} cases[] = {
		{"", 0},
		{"a", 1},
		{"\xc3\xa4", 2},
		{"\xc3", 0},
		{"a\xc3", 1},
		{"\xe2\x82", 0},
		{"\xe2\x82\xac", 3},
		{"x\xe2\x82", 1},
		{"x\xe2", 1},
		{"\xf0\x9f\x98", 0},
		{"\xf0\x9f\x98\x80", 4},
		{"ab\xf0\x9f", 2},
		{"\xf0\x9f\x98\x80z", 5},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(framing_whole_characters(bytes_of(cases[i].text)), cases[i].whole);
}

/* A piece that is made in place is the piece that is written at once, whatever its header takes. */
static void test_in_place(void **state)
{
	(void)state;
	static const size_t sizes[] = {0, 1, 9, 10, 999, 1000, 9999, 10000, 99999, 100000, 1234567};
	static char content[1234567];
	for (size_t i = 0; i < sizeof(content); i++)
		content[i] = (char)('a' + i % 26);
	struct buffer written, made;
	buffer_init(&written, SIZE_MAX);
	buffer_init(&made, SIZE_MAX);
	for (size_t i = 0; i < 2 * sizeof(sizes) / sizeof(sizes[0]); i++) {
		enum framing_mode mode = i % 2 == 0 ? FRAMING_CHUNKED : FRAMING_END_OF_MESSAGE;
		struct bytes piece = {content, sizes[i / 2]};
		framing_write(mode, &written, piece);
		size_t mark = framing_begin(mode, &made);
		assert_int_equal(framing_piece(mode, &made, mark).size, 0);
		assert_int_equal(buffer_append(&made, piece), ST_OK);
		assert_true(bytes_equal(framing_piece(mode, &made, mark), piece));
		framing_end(mode, &made, mark);
		assert_true(bytes_equal(buffer_get(&written), buffer_get(&made)));
	}
	buffer_fini(&written);
	buffer_fini(&made);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_end_of_message),	 cmocka_unit_test(test_chunked),
		cmocka_unit_test(test_broken_chunks),	 cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_whole_characters), cmocka_unit_test(test_in_place),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
