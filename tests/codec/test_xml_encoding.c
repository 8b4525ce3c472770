/* SPDX-License-Identifier: BSD-3-Clause */
/* XML in any encoding as UTF-8: what is declared, what the first bytes say, and where the two disagree. */
#include "codec/xml_encoding.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

struct sample {
	const char *data;
	size_t size;
	const char *wanted; /* NULL: refused */
	const char *why;
};
#define SAMPLE(text, wanted, why)                                                                            \
	{                                                                                                    \
		text, sizeof(text) - 1, wanted, why                                                          \
	}
#define AS(encoding) "<?xml version='1.0' encoding='" encoding "'?>"

static const struct sample samples[] = {
	SAMPLE("<a/>", "<a/>", NULL),
	SAMPLE("", "", NULL),
	SAMPLE("<?xml version=\"1.0\"?>\n<a>\xc3\xbc</a>", "\n<a>\xc3\xbc</a>", NULL),
	SAMPLE(AS("utf-8") "<a/>", "<a/>", NULL),
	SAMPLE("\xef\xbb\xbf<a/>", "<a/>", NULL),
	SAMPLE("\xef\xbb\xbf" AS("UTF-8") "<a/>", "<a/>", NULL),
	SAMPLE(AS("ISO-8859-1") "<a>\xfc</a><b/>", "<a>\xc3\xbc</a><b/>", NULL),
	SAMPLE("<?xml version = \"1.0\" encoding=\"ISO-8859-15\" standalone = 'yes' ?><a>\xa4</a>",
	       "<a>\xe2\x82\xac</a>", NULL),
	SAMPLE(AS("windows-1252") "<a>\x80</a>", "<a>\xe2\x82\xac</a>", NULL),
	SAMPLE(AS("US-ASCII") "<a>x</a>", "<a>x</a>", NULL),
	SAMPLE(AS("ISO-8859-1"), "", NULL),
	SAMPLE("\xff\xfe<\0a\0>\0\xfc\0<\0/\0a\0>\0", "<a>\xc3\xbc</a>", NULL),
	SAMPLE("\xfe\xff\0<\0a\0>\0\xfc\0<\0/\0a\0>", "<a>\xc3\xbc</a>", NULL),
	/* A surrogate pair. */
	SAMPLE("\xfe\xff\xd8\x3d\xde\x00", "\xf0\x9f\x98\x80", NULL),
	/* Refused. */
	SAMPLE(AS("no-such") "<a/>", NULL, "the encoding 'no-such' is not known"),
	SAMPLE(AS("UTF-16") "<a/>", NULL, "the declared encoding is 'UTF-16', but the text is in 8 bits"),
	SAMPLE("\xef\xbb\xbf" AS("ISO-8859-1") "<a/>", NULL,
	       "the declared encoding is 'ISO-8859-1', but the text is UTF-8"),
	SAMPLE(AS("US-ASCII") "<a>\xfc</a>", NULL, "the text is not in its encoding, US-ASCII"),
	SAMPLE(AS("EUC-JP") "<a>\xff</a>", NULL, "the text is not in its encoding, EUC-JP"),
	SAMPLE("\xff\xfe<\0a\0>", NULL, "the text is not in its encoding, UTF-16LE"),
	SAMPLE("\xfe\xff\xd8\x3d", NULL, "the text is not in its encoding, UTF-16BE"),
	SAMPLE("<?xml encoding='UTF-8'?><a/>", NULL, "the XML declaration is not valid"),
	SAMPLE("<?xml version='1.0' encoding=UTF-8?><a/>", NULL, "the XML declaration is not valid"),
	SAMPLE("<?xml version='1.0' coding='UTF-8'?><a/>", NULL, "the XML declaration is not valid"),
	/* Not a declaration: the reader's to refuse. */
	SAMPLE("<?xml-model x?><a/>", "<?xml-model x?><a/>", NULL),
	SAMPLE("<?xml version='1.0'", "<?xml version='1.0'", NULL),
};

static void test_samples(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
		const struct sample *sample = &samples[i];
		struct buffer space;
		struct xml_utf8 as;
		buffer_init(&space, SIZE_MAX);
		enum status status = xml_as_utf8((struct bytes){sample->data, sample->size}, &space, &as);
		assert_int_equal(status, sample->wanted != NULL ? ST_OK : ST_REJECTED);
		if (sample->wanted == NULL) {
			assert_string_equal(as.why, sample->why);
		} else {
			assert_int_equal(as.text.size, strlen(sample->wanted));
			assert_memory_equal(as.text.data, sample->wanted, as.text.size);
		}
		buffer_fini(&space);
	}
}

/* A whole declaration in 16 bits, which must agree with itself. */
static void test_wide_declaration(void **state)
{
	(void)state;
	static const char *const names[] = {"UTF-16", "UTF-16LE", "ISO-8859-1"};
	for (size_t i = 0; i < 3; i++) {
		struct buffer wide, space;
		struct xml_utf8 as;
		char text[128];
		snprintf(text, sizeof(text), AS("%s") "<a/>", names[i]);
		buffer_init(&wide, SIZE_MAX);
		buffer_init(&space, SIZE_MAX);
		assert_int_equal(buffer_append(&wide, (struct bytes){"\xff\xfe", 2}), ST_OK);
		for (const char *c = text; *c != '\0'; c++)
			assert_int_equal(buffer_append(&wide, (struct bytes){(char[]){*c, '\0'}, 2}), ST_OK);
		enum status status = xml_as_utf8(buffer_get(&wide), &space, &as);
		assert_int_equal(status, i < 2 ? ST_OK : ST_REJECTED);
		if (i < 2)
			assert_memory_equal(as.text.data, "<a/>", 4);
		else
			assert_string_equal(
				as.why, "the declared encoding is 'ISO-8859-1', but the text is UTF-16LE");
		buffer_fini(&wide);
		buffer_fini(&space);
	}
}

/* Three bytes for each of one, and more than any buffer begins with. */
static void test_text_that_grows(void **state)
{
	(void)state;
	static const size_t lengths[] = {1000, 8000, 100000};
	static const char head[] = AS("windows-1252");
	for (size_t i = 0; i < 3; i++) {
		struct buffer text, space;
		struct xml_utf8 as;
		buffer_init(&text, SIZE_MAX);
		buffer_init(&space, SIZE_MAX);
		assert_int_equal(buffer_append(&text, (struct bytes){head, sizeof(head) - 1}), ST_OK);
		memset(buffer_reserve(&text, lengths[i]), 0x80, lengths[i]);
		buffer_commit(&text, lengths[i]);
		assert_int_equal(xml_as_utf8(buffer_get(&text), &space, &as), ST_OK);
		assert_int_equal(as.text.size, 3 * lengths[i]);
		for (size_t at = 0; at < as.text.size; at += 3)
			assert_memory_equal(as.text.data + at, "\xe2\x82\xac", 3);
		buffer_fini(&text);
		buffer_fini(&space);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_samples),
		cmocka_unit_test(test_wide_declaration),
		cmocka_unit_test(test_text_that_grows),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
