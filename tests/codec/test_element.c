/* SPDX-License-Identifier: BSD-3-Clause */
/* The element tree: structure, texts in pieces, namespaces in scope, the limit on its size. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "codec/element.h"

static const struct xml_reader_limits LIMITS = {.depth = 64, .text_size = 1 << 20, .attributes = 16};

static enum status build(struct element_builder *builder, const char *document)
{
	struct xml_reader *reader = xml_reader_new(&element_builder_handlers, builder, &LIMITS);
	enum status status = ST_OK;
	for (size_t at = 0; document[at] != '\0' && status == ST_OK; at++)
		status = xml_reader_feed(reader, (struct bytes){document + at, 1});
	if (status == ST_OK)
		status = xml_reader_finish(reader);
	xml_reader_free(reader);
	return status;
}

static bool is(struct bytes bytes, const char *text)
{
	return bytes_equal(bytes, bytes_of(text));
}

static void test_structure(void **state)
{
	(void)state;
	struct arena *arena = arena_new();
	struct element_builder builder;
	element_builder_init(&builder, arena, 10000);
	assert_int_equal(build(&builder,
			       "<f xmlns='u' xmlns:p='v' p:k='&lt;'>x<a/><b> \n1&amp;2\t</b><p:b/>y<b/></f>"),
			 ST_OK);
	assert_null(builder.current);
	const struct element *root = builder.root;
	assert_true(is(root->name, "f") && is(root->ns, "u") && is(root->text, "xy"));
	assert_int_equal(root->attribute_count, 1);
	assert_true(is(root->attributes[0].ns, "v") && is(root->attributes[0].prefix, "p"));
	assert_true(is(root->attributes[0].name, "k") && is(root->attributes[0].value, "<"));
	assert_int_equal(root->namespace_count, 2);
	const struct element *b = element_find(root, "u", "b", NULL);
	assert_true(b && is(b->text, " \n1&2\t") && is(element_text_trimmed(b), "1&2"));
	const struct element *last = element_find(root, "u", "b", b);
	assert_ptr_equal(last, root->last_child);
	assert_null(element_find(root, "u", "b", last));
	assert_non_null(element_find(root, "v", "b", NULL));
	assert_null(element_find(root, "", "a", NULL));
	arena_free(arena);
}

static void test_resolve(void **state)
{
	(void)state;
	struct arena *arena = arena_new();
	struct element_builder builder;
	element_builder_init(&builder, arena, 10000);
	assert_int_equal(build(&builder, "<a xmlns='u' xmlns:p='v'><b xmlns='' xmlns:p='w'/></a>"), ST_OK);
	const struct element *b = builder.root->children;
	assert_true(is(element_resolve(b, bytes_of("p")), "w"));
	assert_null(element_resolve(b, bytes_of("")).data);
	assert_null(element_resolve(b, bytes_of("q")).data);
	assert_true(is(element_resolve(b->parent, bytes_of("p")), "v"));
	assert_true(is(element_resolve(b->parent, bytes_of("")), "u"));
	arena_free(arena);
}

static void test_text_in_many_pieces(void **state)
{
	(void)state;
	struct arena *arena = arena_new();
	struct element_builder builder;
	element_builder_init(&builder, arena, 1 << 20);
	struct xml_start start = {.name = bytes_of("a"), .depth = 1};
	assert_int_equal(element_builder_start(&builder, &start), ST_OK);
	for (int i = 0; i < 100000; i++)
		assert_int_equal(element_builder_text(&builder, bytes_of("ab")), ST_OK);
	element_builder_end(&builder);
	assert_int_equal(builder.root->text.size, 200000);
	assert_memory_equal(builder.root->text.data + 199998, "ab", 2);
	assert_true(arena_size(arena) < (1 << 20) + 65536);
	arena_free(arena);
}

static void test_limit(void **state)
{
	(void)state;
	static const char *const DOCUMENTS[] = {
		"<a><b/><b/><b/><b/><b/><b/><b/></a>",
		"<a xmlns:p='0123456789' xmlns:q='0123456789'><b/><b/><b/></a>",
		"<a b='' c='' d='' e='' f='' g='' h='' i=''/>",
		"<a>0123456789012345678901234567890123456789012345678901234567890123456789"
		"012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789"
		"012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789"
		"012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789</"
		"a>",
	};
	struct arena *arena = arena_new();
	for (size_t i = 0; i < sizeof(DOCUMENTS) / sizeof(DOCUMENTS[0]); i++) {
		struct element_builder builder;
		element_builder_init(&builder, arena, 400);
		assert_int_equal(build(&builder, DOCUMENTS[i]), ST_LIMIT);
		element_builder_init(&builder, arena, 6000);
		assert_int_equal(build(&builder, DOCUMENTS[i]), ST_OK);
	}
	arena_free(arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_structure),
		cmocka_unit_test(test_resolve),
		cmocka_unit_test(test_text_in_many_pieces),
		cmocka_unit_test(test_limit),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
