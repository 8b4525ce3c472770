/* SPDX-License-Identifier: BSD-3-Clause */
/* Filters in the content of anydata: what no scenario can show, large content and filters that are much work.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/text.h"
#include "netconf/filter_any.h"
#include "os/clock.h"

static struct buffer repeat(const char *before, const char *piece, unsigned count, const char *behind)
{
	struct buffer text;
	buffer_init(&text, SIZE_MAX);
	assert_int_equal(buffer_append(&text, bytes_of(before)), ST_OK);
	for (unsigned i = 0; i < count; i++)
		assert_int_equal(buffer_append(&text, bytes_of(piece)), ST_OK);
	assert_int_equal(buffer_append(&text, bytes_of(behind)), ST_OK);
	return text;
}

static struct filter_any *compile(struct arena *arena, struct bytes text)
{
	static const struct xml_reader_limits limits = {.depth = 100, .text_size = 1 << 20, .attributes = 10};
	struct element_builder builder;
	element_builder_init(&builder, arena, (size_t)1 << 30);
	struct xml_reader *reader = xml_reader_new(&element_builder_handlers, &builder, &limits);
	assert_int_equal(xml_reader_feed(reader, text), ST_OK);
	assert_int_equal(xml_reader_finish(reader), ST_OK);
	xml_reader_free(reader);
	return netconf__filter_any_new(arena, builder.root);
}

/* Takes both texts; gives what is selected. */
static enum filter_any_part select_by(struct buffer filter, struct buffer content, size_t most, size_t *size)
{
	struct arena *arena = arena_new();
	const struct filter_any *compiled = compile(arena, buffer_get(&filter));
	struct tree_any *any = tree_any_new(text_new(buffer_get(&content), 0)), *part = NULL;
	enum filter_any_part selected = netconf__filter_any_select(&compiled, 1, any, most, &part);
	assert_int_equal(part != NULL, selected == FILTER_ANY_PART);
	*size = part != NULL ? text_bytes(part->xml).size : 0;
	if (part != NULL)
		tree_any_unref(part);
	tree_any_unref(any);
	arena_free(arena);
	buffer_fini(&filter);
	buffer_fini(&content);
	return selected;
}

static void test_size(void **state)
{
	(void)state;
	size_t size;
	enum filter_any_part part =
		select_by(repeat("<any><b/></any>", "", 0, ""), repeat("", "<a/>", 100, "<b/>"), 404, &size);
	assert_int_equal(part, FILTER_ANY_PART);
	assert_int_equal(size, strlen("<b xmlns=\"\"/>"));
	part = select_by(repeat("<any><b/></any>", "", 0, ""), repeat("", "<a/>", 100, "<b/>"), 403, &size);
	assert_int_equal(part, FILTER_ANY_WHOLE);
}

/* Many elements held against many; one text in very many pieces: neither takes long. */
static void test_work(void **state)
{
	(void)state;
	size_t size;
	uint64_t begun = os_clock_monotonic_ns();
	enum filter_any_part part = select_by(repeat("<any>", "<b/>", 20000, "</any>"),
					      repeat("", "<a/>", 200000, "<b/>"), 1 << 20, &size);
	assert_int_equal(part, FILTER_ANY_WHOLE);
	part = select_by(repeat("<any><a>x</a></any>", "", 0, ""), repeat("<a>", "&lt;", 200000, "</a>"),
			 1 << 20, &size);
	assert_int_equal(part, FILTER_ANY_NOTHING);
	part = select_by(repeat("<any><a/></any>", "", 0, ""), repeat("<b/><a>", "&lt;", 200000, "</a>"),
			 1 << 20, &size);
	assert_int_equal(part, FILTER_ANY_PART);
	assert_int_equal(size, 200000 * strlen("&lt;") + strlen("<a xmlns=\"\"></a>"));
	assert_true(os_clock_monotonic_ns() - begun < UINT64_C(20) * 1000000000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_size), cmocka_unit_test(test_work)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
