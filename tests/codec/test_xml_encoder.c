/* SPDX-License-Identifier: BSD-3-Clause */
/* The encoder: exact text, round trips of random trees in random steps, bounded memory, selectors. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <cmocka.h>

#include "base/memory.h"
#include "codec/helper_build.h"
#include "codec/helper_decode.h"
#include "codec/xml_encoder.h"
#include "helper_fixture.h"

#define CT "urn:yare:codec-test"
#define MORE "urn:yare:codec-test-more?a=1&amp;b='2'"

SCHEMA_OF_ALL_TESTS(helper_schema())

struct steps {
	size_t size, budget; /* of each call; 0: random ones from `seed` */
	uint64_t seed;
};

/* All that the encoder writes, appended to `all`. */
static void encode(const struct tree_record *root, const struct codec_selector *selector, struct steps steps,
		   struct buffer *all)
{
	struct xml_encoder *encoder = xml_encoder_new(schema, root, selector, NULL);
	struct buffer out;
	buffer_init(&out, 10000 + XML_ENCODER_ROOM);
	bool done = false;
	while (!done) {
		size_t size = steps.size ? steps.size : helper_random(&steps.seed, 10000) + 1;
		size_t budget = steps.budget ? steps.budget : helper_random(&steps.seed, 50) + 1;
		assert_int_equal(xml_encoder_run(encoder, &out, size, budget, &done), ST_OK);
		assert_true(helper_ends_whole(buffer_get(&out)));
		assert_int_equal(buffer_append(all, buffer_get(&out)), ST_OK);
		buffer_consume(&out, buffer_size(&out));
	}
	buffer_fini(&out);
	xml_encoder_free(encoder);
}

static const struct steps AT_ONCE = {.size = 10000, .budget = SIZE_MAX};

static struct tree_record *decode(const char *document, size_t size)
{
	struct decode_options options = {.memory_limit = (size_t)1 << 28, .diag_limit = 10};
	struct decoding decoding;
	helper_decode(&decoding, schema, (struct bytes){document, size}, &options);
	if (decoding.status != ST_OK)
		fail_msg("%s", helper_diag_text(&decoding.diags, decoding.arena));
	struct tree_record *root = helper_build(schema, decoding.tree);
	helper_decode_fini(&decoding);
	return root;
}

static void check_text(struct tree_record *root, const struct codec_selector *selector, const char *expected)
{
	struct buffer all;
	buffer_init(&all, SIZE_MAX);
	encode(root, selector, AT_ONCE, &all);
	assert_int_equal(buffer_append(&all, (struct bytes){"", 1}), ST_OK);
	assert_string_equal(buffer_get(&all).data, expected);
	buffer_fini(&all);
}

#define HEAD "<data xmlns:c='" CT "' xmlns:m=\"" MORE "\">"

/* What is decoded and the text that is written for it, or NULL: the same. */
static const struct {
	const char *input, *output;
} EXACT[] = {
	{"", NULL},
	{"<word xmlns=\"" CT "\">a&amp;&lt;&gt;\"'\t\n&#13;</word>", NULL},
	{"<word xmlns=\"" CT "\"/><word xmlns=\"" MORE "\"/>", NULL},
	{"<top xmlns=\"" CT "\"><entry><first>a</first><second>1</second><text/><nothing/><box/>"
	 "<extra xmlns=\"" MORE "\">5</extra></entry><name>n</name><deep xmlns=\"" MORE
	 "\"><name>d</name></deep></top>",
	 NULL},
	{"<c:top><c:empty/></c:top>", "<top xmlns=\"" CT "\"><empty/></top>"},
	{"<c:top/>", "<top xmlns=\"" CT "\"/>"},
	{"<c:top><c:entry><c:second>1</c:second><c:first>a</c:first><c:pet>m:dog</c:pet><c:mixed>c:cat</"
	 "c:mixed>"
	 "</c:entry></c:top>",
	 "<top xmlns=\"" CT "\"><entry><first>a</first><second>1</second>"
	 "<pet xmlns:codec-test-more=\"" MORE "\">codec-test-more:dog</pet>"
	 "<mixed xmlns:codec-test=\"" CT "\">codec-test:cat</mixed></entry></top>"},
	{"<c:top><c:entry><c:first>a</c:first><c:second>1</c:second>"
	 "<c:where>/c:top/c:entry[c:first='b:c'][c:second='1']/m:extra</c:where></c:entry></c:top>",
	 "<top xmlns=\"" CT "\"><entry><first>a</first><second>1</second>"
	 "<where xmlns:codec-test=\"" CT "\" xmlns:codec-test-more=\"" MORE "\">"
	 "/codec-test:top/codec-test:entry[codec-test:first='b:c'][codec-test:second='1']/"
	 "codec-test-more:extra"
	 "</where></entry></top>"},
	{"<c:top c:note='a&#10;&quot;' c:level=' 07 '><c:name c:animal='m:dog' "
	 "c:place='/c:top/m:extra'>n</c:name>"
	 "<c:step c:done=''>s</c:step><c:data c:note=''><x xmlns='urn:x'/></c:data></c:top>",
	 "<top xmlns=\"" CT "\" xmlns:codec-test=\"" CT
	 "\" codec-test:note=\"a&#10;&quot;\" codec-test:level=\"7\">"
	 "<step xmlns:codec-test=\"" CT "\" codec-test:done=\"\">s</step>"
	 "<name xmlns:codec-test=\"" CT "\" xmlns:codec-test-more=\"" MORE "\" "
	 "codec-test:animal=\"codec-test-more:dog\" "
	 "codec-test:place=\"/codec-test:top/codec-test-more:extra\">n</name>"
	 "<data xmlns:codec-test=\"" CT "\" codec-test:note=\"\"><x xmlns=\"urn:x\"/></data></top>"},
	{"<c:top><c:step>a</c:step><c:data><x xmlns='urn:x'> "
	 "1&#13;<y/></x></c:data><c:mess>m&lt;<b/></c:mess></c:top>",
	 "<top xmlns=\"" CT "\"><step>a</step><data><x xmlns=\"urn:x\"> 1&#13;<y/></x></data>"
	 "<mess>m&lt;<b xmlns=\"\"/></mess></top>"},
};

static void test_exact_text(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(EXACT) / sizeof(EXACT[0]); i++) {
		char document[2000];
		int size = snprintf(document, sizeof(document), HEAD "%s</data>", EXACT[i].input);
		struct tree_record *root = decode(document, (size_t)size);
		check_text(root, NULL, EXACT[i].output ? EXACT[i].output : EXACT[i].input);
		tree_record_unref(root, schema->root, NULL);
	}
}

static uint64_t test_seed(void)
{
	const char *text = getenv("YARE_SEED");
	uint64_t seed = text ? strtoull(text, NULL, 10) : (uint64_t)time(NULL);
	print_message("YARE_SEED=%llu\n", (unsigned long long)seed);
	return seed;
}

static void test_round_trips(void **state)
{
	(void)state;
	uint64_t seed = test_seed();
	for (int round = 0; round < 200; round++) {
		struct tree_record *root = helper_build_random(schema, seed + (uint64_t)round);
		struct buffer once, steps;
		buffer_init(&once, SIZE_MAX);
		buffer_init(&steps, SIZE_MAX);
		assert_int_equal(buffer_append(&once, bytes_of("<data>")), ST_OK);
		assert_int_equal(buffer_append(&steps, bytes_of("<data>")), ST_OK);
		encode(root, NULL, AT_ONCE, &once);
		encode(root, NULL, (struct steps){.seed = seed}, &steps);
		assert_true(bytes_equal(buffer_get(&once), buffer_get(&steps)));
		assert_int_equal(buffer_append(&once, bytes_of("</data>")), ST_OK);
		struct tree_record *again = decode(buffer_get(&once).data, buffer_size(&once));
		assert_true(tree_record_equal(schema->root, root, again));
		tree_record_unref(root, schema->root, NULL);
		tree_record_unref(again, schema->root, NULL);
		buffer_fini(&once);
		buffer_fini(&steps);
	}
}

static const struct schema_node *find(const struct schema_node *parent, const char *name)
{
	return schema_child_find_any(parent, bytes_of(name), NULL);
}

static struct tree_record *make_lines(uint32_t count)
{
	struct tree_record *empty = tree_record_new();
	struct tree_builder *builder = tree_builder_new(schema, empty, NULL);
	tree_record_unref(empty, schema->root, NULL);
	const struct schema_node *top = find(schema->root, "top");
	tree_builder_enter(builder, top);
	for (uint32_t i = 0; i < count; i++) {
		char name[20];
		snprintf(name, sizeof(name), "line-%08u", i);
		struct value key = value_new(bytes_of(name), 0);
		bool made;
		tree_builder_enter_entry(builder, find(top, "line"), &key, &made);
		tree_builder_leave(builder);
		value_unref(key);
	}
	return tree_builder_finish(builder);
}

static void test_memory_is_bounded(void **state)
{
	(void)state;
	struct tree_record *root = make_lines(100000);
	struct xml_encoder *encoder = xml_encoder_new(schema, root, NULL, NULL);
	/* The encoder pins the root itself. */
	tree_record_unref(root, schema->root, NULL);
	struct buffer out;
	buffer_init(&out, 4096 + XML_ENCODER_ROOM);
	size_t total = 0;
	bool done = false;
	while (!done) {
		assert_int_equal(xml_encoder_run(encoder, &out, 4096, SIZE_MAX, &done), ST_OK);
		assert_true(buffer_size(&out) < 4096 + 256);
		total += buffer_size(&out);
		buffer_consume(&out, buffer_size(&out));
	}
	assert_true(out.capacity <= 32768);
	assert_int_equal(total, 100000 * strlen("<line><name>line-00000000</name></line>") +
					strlen("<top xmlns=\"" CT "\"></top>"));
	/* Once it is done, it stays done. */
	assert_int_equal(xml_encoder_run(encoder, &out, 4096, SIZE_MAX, &done), ST_OK);
	assert_true(done && buffer_size(&out) == 0);
	buffer_fini(&out);
	xml_encoder_free(encoder);
}

static void test_long_value_comes_in_pieces(void **state)
{
	(void)state;
	size_t size = (size_t)4 << 20;
	char *text = memory_alloc(size);
	for (size_t i = 0; i + 3 <= size; i += 3)
		memcpy(text + i, i % 7 ? "\u20ac" : "<\r&", 3);
	text[size - 1] = 'x';
	struct tree_record *empty = tree_record_new();
	struct tree_builder *builder = tree_builder_new(schema, empty, NULL);
	tree_record_unref(empty, schema->root, NULL);
	struct value value = value_new((struct bytes){text, size}, 0);
	tree_builder_enter(builder, find(schema->root, "top"));
	tree_builder_set_leaf(builder, find(find(schema->root, "top"), "name"), value);
	value_unref(value);
	struct tree_record *root = tree_builder_finish(builder);
	struct buffer all;
	buffer_init(&all, SIZE_MAX);
	assert_int_equal(buffer_append(&all, bytes_of("<data>")), ST_OK);
	encode(root, NULL, (struct steps){.size = 1, .budget = SIZE_MAX}, &all);
	assert_int_equal(buffer_append(&all, bytes_of("</data>")), ST_OK);
	struct tree_record *again = decode(buffer_get(&all).data, buffer_size(&all));
	assert_true(tree_record_equal(schema->root, root, again));
	buffer_fini(&all);
	tree_record_unref(root, schema->root, NULL);
	tree_record_unref(again, schema->root, NULL);
	memory_free(text);
}

static void test_buffer_limit(void **state)
{
	(void)state;
	struct tree_record *root = make_lines(10);
	for (size_t limit = 0; limit < 400; limit++) {
		struct xml_encoder *encoder = xml_encoder_new(schema, root, NULL, NULL);
		struct buffer out;
		buffer_init(&out, limit);
		bool done = false;
		assert_int_equal(xml_encoder_run(encoder, &out, 10000, SIZE_MAX, &done), ST_LIMIT);
		assert_false(done);
		assert_true(buffer_size(&out) <= limit);
		buffer_fini(&out);
		xml_encoder_free(encoder);
	}
	tree_record_unref(root, schema->root, NULL);
}

/* A selector for tests: entries of top/line whose names are in `names`, of entry all that have the key
 * `first` "b", with their keys and `text`, and `box` as a whole. */
struct picker {
	struct codec_selector selector; /* first */
	struct value names[3];
	bool know_entries;
	size_t judged;
};

static enum codec_select judge(const struct codec_selector *selector, const void *state,
			       const struct tree_position *child, const void **child_state)
{
	struct picker *picker = (struct picker *)(uintptr_t)selector;
	const char *name = child->schema->name;
	const char *at = state;
	picker->judged++;
	*child_state = name;
	if (strcmp(at, "root") == 0 || strcmp(name, "box") == 0)
		return strcmp(name, "box") == 0 ? CODEC_WHOLE : CODEC_ENTER;
	if (strcmp(name, "line") == 0) {
		for (int i = 0; i < 3; i++) {
			if (value_equal(child->record->slots[0].value, picker->names[i]))
				return CODEC_WHOLE;
		}
		return CODEC_SKIP;
	}
	if (strcmp(name, "entry") == 0) {
		struct bytes first = value_bytes(&child->record->slots[0].value);
		return bytes_equal(first, bytes_of("b")) ? CODEC_ENTER : CODEC_SKIP;
	}
	if (strcmp(at, "entry") == 0)
		return child->schema->is_key || strcmp(name, "text") == 0 ? CODEC_WHOLE : CODEC_SKIP;
	return CODEC_SKIP;
}

static bool wants(const struct codec_selector *selector, const void *state, const struct schema_node *child)
{
	(void)selector;
	(void)state;
	return strcmp(child->name, "word") != 0 && strcmp(child->name, "step") != 0;
}

static size_t entries(const struct codec_selector *selector, const void *state,
		      const struct schema_node *list, size_t index, const struct value **keys)
{
	const struct picker *picker = (const struct picker *)selector;
	(void)state;
	if (!picker->know_entries || strcmp(list->name, "line") != 0)
		return 0;
	*keys = &picker->names[index];
	return 3;
}

static void test_selector(void **state)
{
	(void)state;
	static const char DOCUMENT[] = HEAD
		"<c:word>w</c:word><c:top><c:entry><c:first>a</c:first><c:second>1</c:second><c:text>x</"
		"c:text></c:entry>"
		"<c:entry><c:first>b</c:first><c:second>2</c:second><c:text>y</c:text><c:number>1</c:number>"
		"<c:box><c:width>1.0</c:width></c:box></c:entry><c:line><c:name>l1</c:name></c:line>"
		"<c:line><c:name>l2</c:name><c:kind>c:cat</c:kind></c:line><c:line><c:name>l3</c:name></"
		"c:line>"
		"<c:step>s</c:step><c:name>n</c:name></c:top></data>";
	static const char EXPECTED[] =
		"<top xmlns=\"" CT "\"><entry><first>b</first><second>2</second><text>y</text>"
		"<box><width>1.0</width></box></entry><line><name>l1</name></line><line><name>l3</name></"
		"line></top>";
	struct picker picker = {
		.selector = {.root_state = "root", .judge = judge, .wants = wants, .entries = entries},
		.names = {value_new(bytes_of("l1"), 0), value_new(bytes_of("l4"), 0),
			  value_new(bytes_of("l3"), 0)},
	};
	struct tree_record *root = decode(DOCUMENT, strlen(DOCUMENT));
	check_text(root, &picker.selector, EXPECTED);
	assert_int_equal(picker.judged, 12);
	picker.know_entries = true;
	picker.judged = 0;
	check_text(root, &picker.selector, EXPECTED);
	assert_int_equal(picker.judged, 11);
	picker.selector.wants = NULL;
	picker.selector.entries = NULL;
	picker.selector.root_state = "nothing";
	check_text(root, &picker.selector, "");
	tree_record_unref(root, schema->root, NULL);
}

static void test_escape(void **state)
{
	(void)state;
	struct buffer out;
	buffer_init(&out, 200);
	struct bytes text = bytes_of("a\t\n\r\"'<>&]]>\u00e4");
	assert_int_equal(xml_escape(&out, text, false), ST_OK);
	assert_true(bytes_equal(buffer_get(&out), bytes_of("a\t\n&#13;\"'&lt;&gt;&amp;]]&gt;\u00e4")));
	buffer_clear(&out, 0);
	assert_int_equal(xml_escape(&out, text, true), ST_OK);
	assert_true(
		bytes_equal(buffer_get(&out), bytes_of("a&#9;&#10;&#13;&quot;'&lt;&gt;&amp;]]&gt;\u00e4")));
	buffer_clear(&out, 0);
	assert_int_equal(xml_escape(&out, (struct bytes){0}, false), ST_OK);
	assert_int_equal(buffer_size(&out), 0);
	out.limit = 3;
	assert_int_equal(xml_escape(&out, bytes_of("&"), false), ST_LIMIT);
	buffer_fini(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_exact_text),
		cmocka_unit_test(test_round_trips),
		cmocka_unit_test(test_memory_is_bounded),
		cmocka_unit_test(test_long_value_comes_in_pieces),
		cmocka_unit_test(test_buffer_limit),
		cmocka_unit_test(test_selector),
		cmocka_unit_test(test_escape),
	};
	return cmocka_run_group_tests(tests, load_schema, unload_schema);
}
