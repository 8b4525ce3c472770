/* SPDX-License-Identifier: BSD-3-Clause */
/* The encoder's short way: it writes what its steps write, wherever it begins and stops; a character to be
 * escaped is found at every place of values of every size. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <cmocka.h>

#include "codec/helper_build.h"
#include "codec/helper_decode.h"
#include "codec/xml_encoder.h"
#include "helper_fixture.h"

#define TEXT_SIZE 300 /* longer than what the short way writes */

SCHEMA_OF_ALL_TESTS(helper_schema())

static uint64_t test_seed(void)
{
	const char *text = getenv("YARE_SEED");
	uint64_t seed = text ? strtoull(text, NULL, 10) : (uint64_t)time(NULL);
	print_message("YARE_SEED=%llu\n", (unsigned long long)seed);
	return seed;
}

/* In random steps, or with `seed` NULL at once. */
static void encode(const struct tree_record *root, const struct codec_view *view, uint64_t *seed,
		   struct buffer *out)
{
	struct xml_encoder *encoder = xml_encoder_new(schema, root, NULL, NULL);
	if (view != NULL)
		xml_encoder_set_view(encoder, view);
	bool done = false;
	while (!done) {
		size_t more = seed != NULL ? helper_random(seed, 2000) + 1 : SIZE_MAX - buffer_size(out);
		size_t budget = seed != NULL ? helper_random(seed, 50) + 1 : SIZE_MAX;
		assert_int_equal(xml_encoder_run(encoder, out, buffer_size(out) + more, budget, &done),
				 ST_OK);
	}
	xml_encoder_free(encoder);
}

/* A view that shows everything, and so keeps the encoder from its short way. */
static const struct codec_view EVERYTHING = {.max_depth = 1000};

static void test_as_steps(void **state)
{
	(void)state;
	uint64_t seed = test_seed();
	for (int round = 0; round < 100; round++) {
		struct tree_record *root = helper_build_random(schema, seed + (uint64_t)round);
		struct buffer expected, once, steps;
		buffer_init(&expected, SIZE_MAX);
		buffer_init(&once, SIZE_MAX);
		buffer_init(&steps, SIZE_MAX);
		encode(root, &EVERYTHING, NULL, &expected);
		encode(root, NULL, NULL, &once);
		encode(root, NULL, &seed, &steps);
		assert_true(bytes_equal(buffer_get(&expected), buffer_get(&once)));
		assert_true(bytes_equal(buffer_get(&expected), buffer_get(&steps)));
		buffer_fini(&expected);
		buffer_fini(&once);
		buffer_fini(&steps);
		tree_record_unref(root, schema->root, NULL);
	}
}

static void check_value(struct bytes text)
{
	const struct schema_node *top = schema_child_find_any(schema->root, bytes_of("top"), NULL);
	struct tree_record *empty = tree_record_new();
	struct tree_builder *builder = tree_builder_new(schema, empty, NULL);
	tree_record_unref(empty, schema->root, NULL);
	struct value value = value_new(text, 0);
	tree_builder_enter(builder, top);
	tree_builder_set_leaf(builder, schema_child_find_any(top, bytes_of("name"), NULL), value);
	value_unref(value);
	struct tree_record *root = tree_builder_finish(builder);
	struct buffer out, expected;
	buffer_init(&out, SIZE_MAX);
	buffer_init(&expected, SIZE_MAX);
	assert_int_equal(buffer_append(&expected, bytes_of("<top xmlns=\"urn:yare:codec-test\"><name>")),
			 ST_OK);
	assert_int_equal(xml_escape(&expected, text, false), ST_OK);
	assert_int_equal(buffer_append(&expected, bytes_of("</name></top>")), ST_OK);
	encode(root, NULL, NULL, &out);
	assert_true(bytes_equal(buffer_get(&out), buffer_get(&expected)));
	buffer_fini(&out);
	buffer_fini(&expected);
	tree_record_unref(root, schema->root, NULL);
}

static void test_every_place(void **state)
{
	(void)state;
	/* With their neighbours, of which nothing becomes. */
	static const char CHARACTERS[] = "&<>\r%'=;?\n\f$/6^\x01\x7f";
	char text[TEXT_SIZE];
	memset(text, 'x', sizeof(text));
	for (size_t size = 1; size <= 40; size++) {
		for (size_t at = 0; at < size; at++) {
			for (const char *c = CHARACTERS; *c != '\0'; c++) {
				text[at] = *c;
				check_value((struct bytes){text, size});
			}
			text[at] = 'x';
		}
	}
	for (size_t size = 250; size <= TEXT_SIZE; size++) {
		check_value((struct bytes){text, size});
		text[size - 1] = '&';
		check_value((struct bytes){text, size});
		text[size - 1] = 'x';
	}
	memset(text, '&', sizeof(text));
	check_value((struct bytes){text, 256});
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_as_steps),
		cmocka_unit_test(test_every_place),
	};
	return cmocka_run_group_tests(tests, load_schema, unload_schema);
}
