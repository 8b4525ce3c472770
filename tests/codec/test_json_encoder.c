/* SPDX-License-Identifier: BSD-3-Clause */
/* The JSON encoder: exact text, indented text, random trees there and back in random steps, selectors,
 * bounded output, damaged documents. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <cmocka.h>

#include "codec/helper_build.h"
#include "codec/helper_json.h"
#include "codec/json_encoder.h"
#include "helper_fixture.h"

#define CT "urn:yare:codec-test"
#define MORE "urn:yare:codec-test-more?a=1&amp;b='2'"

SCHEMA_OF_ALL_TESTS(helper_schema())

static uint64_t test_seed(void)
{
	const char *text = getenv("YARE_SEED");
	uint64_t seed = text ? strtoull(text, NULL, 10) : (uint64_t)time(NULL);
	print_message("YARE_SEED=%llu\n", (unsigned long long)seed);
	return seed;
}

static struct tree_record *build(struct decoding *decoding)
{
	if (decoding->status != ST_OK)
		fail_msg("%s%s", decoding->error, helper_diag_text(&decoding->diags, decoding->arena));
	struct tree_record *root = helper_build(schema, decoding->tree);
	helper_decode_fini(decoding);
	return root;
}

static const struct decode_options OPTIONS = {.memory_limit = (size_t)1 << 28, .diag_limit = 10};

static struct tree_record *from_xml(const char *content)
{
	char document[8000];
	int size = snprintf(document, sizeof(document),
			    "<data xmlns:c='" CT "' xmlns:m=\"" MORE "\">%s</data>", content);
	struct decoding decoding;
	helper_decode(&decoding, schema, (struct bytes){document, (size_t)size}, &OPTIONS);
	return build(&decoding);
}

static struct tree_record *from_json(struct bytes document)
{
	struct decoding decoding;
	helper_json_decode(&decoding, schema, document, &OPTIONS);
	return build(&decoding);
}

/* In steps of random size and budget. */
static void encode_in_steps(const struct tree_record *root, unsigned indent, uint64_t *seed,
			    struct buffer *all)
{
	struct json_encoder *encoder = json_encoder_new(schema, root, NULL, NULL, indent);
	struct buffer out;
	buffer_init(&out, 10000 + JSON_ENCODER_ROOM);
	bool done = false;
	while (!done) {
		size_t size = helper_random(seed, 10000) + 1;
		size_t budget = helper_random(seed, 50) + 1;
		assert_int_equal(json_encoder_run(encoder, &out, size, budget, &done), ST_OK);
		assert_true(helper_ends_whole(buffer_get(&out)));
		assert_int_equal(buffer_append(all, buffer_get(&out)), ST_OK);
		buffer_consume(&out, buffer_size(&out));
	}
	buffer_fini(&out);
	json_encoder_free(encoder);
}

static void check_text(const struct tree_record *root, const struct codec_selector *selector, unsigned indent,
		       const char *expected)
{
	struct json_encoder *encoder = json_encoder_new(schema, root, selector, NULL, indent);
	struct buffer out;
	buffer_init(&out, SIZE_MAX);
	bool done = false;
	assert_int_equal(json_encoder_run(encoder, &out, SIZE_MAX, SIZE_MAX, &done), ST_OK);
	assert_true(done);
	assert_int_equal(buffer_append(&out, (struct bytes){"", 1}), ST_OK);
	assert_string_equal(buffer_get(&out).data, expected);
	buffer_fini(&out);
	json_encoder_free(encoder);
}

#define ENTRY(content)                                                                                       \
	"<top xmlns='" CT "'><entry><first>a</first><second>1</second>" content "</entry></top>"
#define IN_ENTRY(members) "{\"codec-test:top\":{\"entry\":[{\"first\":\"a\",\"second\":1," members "}]}}"
#define TYPES(content) "<types xmlns='urn:yare:codec-test-types'>" content "</types>"
#define IN_TYPES(members) "{\"codec-test-types:types\":{" members "}}"
#define ANY(content) "<c:top><c:data>" content "</c:data></c:top>"
#define IN_ANY(json) "{\"codec-test:top\":{\"data\":" json "}}"
#define MESS(content) "<c:top><c:mess>" content "</c:mess></c:top>"
#define IN_MESS(json) "{\"codec-test:top\":{\"mess\":" json "}}"

static const struct {
	const char *xml, *json;
} EXACT[] = {
	{"", "{}"},
	{"<c:top/>", "{\"codec-test:top\":{}}"},
	{"<c:top c:level='7'/>", "{\"codec-test:top\":{\"@\":{\"codec-test:level\":7}}}"},
	{"<c:word c:done=''>a</c:word><c:word>b</c:word><c:word c:note='x' "
	 "c:animal='c:cat'>c</c:word><c:word>d</c:word>"
	 "<m:word c:note='y'>w</m:word>",
	 "{\"codec-test:word\":[\"a\",\"b\",\"c\",\"d\"],\"@codec-test:word\":[{\"codec-test:done\":[null]},"
	 "null,"
	 "{\"codec-test:note\":\"x\",\"codec-test:animal\":\"codec-test:cat\"},null],"
	 "\"codec-test-more:word\":\"w\",\"@codec-test-more:word\":{\"codec-test:note\":\"y\"}}"},
	{"<c:top c:note='t'><c:data c:note='d'><c:x>1</c:x></c:data><c:mess c:note='m'><c:x>1</c:x></c:mess>"
	 "<c:step c:level='1'>s</c:step></c:top>",
	 "{\"codec-test:top\":{\"@\":{\"codec-test:note\":\"t\"},\"step\":[\"s\"],\"@step\":[{\"codec-test:"
	 "level\":1}],"
	 "\"data\":{\"@\":{\"codec-test:note\":\"d\"},\"x\":1},\"mess\":{\"x\":1},\"@mess\":{\"codec-test:"
	 "note\":\"m\"}}}"},
	{"<c:word>b</c:word><c:word>a</c:word><m:word>\"\\/&#9;&#10;&#13;\u20ac&lt;\x7f</m:word>",
	 "{\"codec-test:word\":[\"a\",\"b\"],\"codec-test-more:word\":\"\\\"\\\\/\\t\\n\\r\u20ac<\x7f\"}"},
	{"<c:top><c:name>n</c:name><m:extra>e</m:extra><m:deep><m:name>d</m:name></m:deep></c:top>",
	 "{\"codec-test:top\":{\"name\":\"n\",\"codec-test-more:extra\":\"e\","
	 "\"codec-test-more:deep\":{\"name\":\"d\"}}}"},
	{ENTRY("<number>17</number><flag>true</flag><nothing/><color>red</color><box/>"),
	 IN_ENTRY("\"number\":17,\"flag\":true,\"nothing\":[null],\"color\":\"red\",\"box\":{}")},
	{ENTRY("<pet>cat</pet><mixed>m:dog</mixed>"),
	 IN_ENTRY("\"pet\":\"codec-test:cat\",\"mixed\":\"codec-test-more:dog\"")},
	{ENTRY("<mixed>17</mixed><box><width>1.50</width></box><m:extra>5</m:extra>"),
	 IN_ENTRY("\"mixed\":17,\"box\":{\"width\":\"1.5\"},\"codec-test-more:extra\":\"5\"")},
	{ENTRY("<mixed>170</mixed>"), IN_ENTRY("\"mixed\":\"170\"")},
	{ENTRY("<mixed>true</mixed>"), IN_ENTRY("\"mixed\":\"true\"")},
	{ENTRY("<mixed/>"), IN_ENTRY("\"mixed\":\"\"")},
	{ENTRY("<where>/c:top/c:entry[c:first='x'][c:second='1']/m:extra</where>"),
	 IN_ENTRY("\"where\":\"/codec-test:top/entry[first='x'][second='1']/codec-test-more:extra\"")},
	/* types */
	{TYPES("<small>-1</small><medium>5</medium><large>5</large><huge>5</huge><fraction>5</fraction>"
	       "<bytes>AAE=</bytes><flags>two one</flags><same>-1</same>"),
	 IN_TYPES("\"small\":-1,\"medium\":5,\"large\":\"5\",\"huge\":\"5\",\"fraction\":\"5.0\","
		  "\"bytes\":\"AAE=\",\"flags\":\"one two\",\"same\":-1")},
	{TYPES("<either>15</either>"), IN_TYPES("\"either\":\"15\"")},
	{TYPES("<either>5</either>"), IN_TYPES("\"either\":5")},
	{TYPES("<either>500</either>"), IN_TYPES("\"either\":\"500\"")},
	{TYPES("<either>true</either>"), IN_TYPES("\"either\":true")},
	{TYPES("<either/>"), IN_TYPES("\"either\":[null]")},
	{TYPES("<either>x1</either>"), IN_TYPES("\"either\":\"x1\"")},
	{TYPES("<nothings/>"), IN_TYPES("\"nothings\":[[null]]")},
	{TYPES("<mixed>7</mixed><mixed/><mixed>true</mixed><mixed>256</mixed>"),
	 IN_TYPES("\"mixed\":[[null],\"256\",7,true]")},
	{TYPES("<pair><kind xmlns:c='" CT "'>c:cat</kind><nothing/></pair>"),
	 IN_TYPES("\"pair\":[{\"kind\":\"codec-test:cat\",\"nothing\":[null]}]")},
	/* anydata */
	{ANY(""), IN_ANY("{}")},
	{ANY("<x xmlns='urn:x'/>"), IN_ANY("{\"urn:x:x\":[null]}")},
	{ANY("<c:a><c:b>1</c:b><c:c>x</c:c><c:b>-20</c:b><c:d><e xmlns=''>true</e></c:d></c:a>"),
	 IN_ANY("{\"a\":{\"b\":[1,-20],\"c\":\"x\",\"d\":{\":e\":true}}}")},
	{ANY("<c:a>007</c:a><c:b>-</c:b><c:c>1234567890123456</c:c><c:d>1.5</c:d><c:e>0</c:e><c:f> 1</c:f>"),
	 IN_ANY("{\"a\":\"007\",\"b\":\"-\",\"c\":\"1234567890123456\",\"d\":\"1.5\",\"e\":0,\"f\":\" 1\"}")},
	{ANY("<c:a x='1' m:y='\"'><c:b z='2'>v</c:b></c:a><c:c/><c:c w='3'/>"),
	 IN_ANY("{\"a\":{\"@\":{\"x\":\"1\",\"codec-test-more:y\":\"\\\"\"},\"b\":\"v\",\"@b\":{\"z\":\"2\"}}"
		","
		"\"c\":[[null],[null]],\"@c\":[null,{\"w\":\"3\"}]}")},
	{ANY("<m:word>5</m:word><c:word>5</c:word><c:top><c:entry><c:first>1</c:first><c:second>01</c:second>"
	     "<c:pet>m:dog</c:pet><c:box/></c:entry><c:step>x</c:step></c:top>"),
	 IN_ANY("{\"codec-test-more:word\":\"5\",\"word\":[\"5\"],\"top\":{\"entry\":[{\"first\":\"1\","
		"\"second\":1,\"pet\":\"codec-test-more:dog\",\"box\":{}}],\"step\":[\"x\"]}}")},
	{ANY("<c:top><c:entry><c:second>no number</c:second></c:entry></c:top>"),
	 IN_ANY("{\"top\":{\"entry\":[{\"second\":\"no number\"}]}}")},
	{ANY("<c:a>text<c:b/></c:a>"), IN_ANY("\"<c:a xmlns:c=\\\"" CT "\\\">text<c:b/></c:a>\"")},
	{MESS("5"), IN_MESS("\"5\"")},
	{MESS(""), IN_MESS("{}")},
	{MESS(" "), IN_MESS("\" \"")},
	{MESS("<c:x>5</c:x>"), IN_MESS("{\"x\":5}")},
	{MESS("a <c:x>5</c:x>"), IN_MESS("\"a <c:x xmlns:c=\\\"" CT "\\\">5</c:x>\"")},
};

static void test_exact_text(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(EXACT) / sizeof(EXACT[0]); i++) {
		struct tree_record *root = from_xml(EXACT[i].xml);
		check_text(root, NULL, 0, EXACT[i].json);
		tree_record_unref(root, schema->root, NULL);
	}
}

static void test_indented(void **state)
{
	(void)state;
	struct tree_record *root =
		from_xml("<c:top><c:entry><c:first>a</c:first><c:second>1</c:second><c:box/><c:tag>t</c:tag>"
			 "<c:tag>u</c:tag></c:entry><c:data><c:x>1</c:x></c:data></c:top><m:word>w</m:word>");
	check_text(root, NULL, 2,
		   "{\n"
		   "  \"codec-test:top\": {\n"
		   "    \"entry\": [\n"
		   "      {\n"
		   "        \"first\": \"a\",\n"
		   "        \"second\": 1,\n"
		   "        \"tag\": [\n"
		   "          \"t\",\n"
		   "          \"u\"\n"
		   "        ],\n"
		   "        \"box\": {}\n"
		   "      }\n"
		   "    ],\n"
		   "    \"data\": {\"x\":1}\n"
		   "  },\n"
		   "  \"codec-test-more:word\": \"w\"\n"
		   "}\n");
	tree_record_unref(root, schema->root, NULL);
	root = from_xml("");
	check_text(root, NULL, 2, "{}\n");
	tree_record_unref(root, schema->root, NULL);
}

/* Without anydata that has attributes, which JSON input cannot bring back yet. */
static struct tree_record *random_tree(uint64_t seed)
{
	struct tree_record *root = helper_build_random(schema, seed);
	struct tree_builder *builder = tree_builder_new(schema, root, NULL);
	tree_record_unref(root, schema->root, NULL);
	const struct schema_node *top = schema_child_find_any(schema->root, bytes_of("top"), NULL);
	if (tree_builder_enter_existing(builder, top)) {
		static const char *const NAMES[] = {"data", "mess"};
		for (size_t i = 0; i < 2; i++) {
			const struct schema_node *node = schema_child_find_any(top, bytes_of(NAMES[i]), NULL);
			const union tree_slot *slot =
				tree_record_find(tree_builder_position(builder)->record, node);
			struct bytes xml = slot ? text_bytes(slot->any->xml) : (struct bytes){0};
			if (xml.size > 0 && memmem(xml.data, xml.size, "y:a", 3))
				tree_builder_remove(builder, node);
		}
		tree_builder_make(builder);
		tree_builder_leave(builder);
	}
	return tree_builder_finish(builder);
}

static void test_round_trips(void **state)
{
	(void)state;
	uint64_t seed = test_seed();
	for (int round = 0; round < 150; round++) {
		struct tree_record *root = random_tree(seed + (uint64_t)round);
		unsigned indent = helper_random(&seed, 2) ? 3 : 0;
		struct buffer steps, whole, normal, compact;
		buffer_init(&steps, SIZE_MAX);
		buffer_init(&whole, SIZE_MAX);
		buffer_init(&normal, SIZE_MAX);
		buffer_init(&compact, SIZE_MAX);
		encode_in_steps(root, indent, &seed, &steps);
		helper_json_encode(schema, root, indent, &whole);
		assert_true(bytes_equal(buffer_get(&steps), buffer_get(&whole)));
		assert_int_equal(helper_json_normal(buffer_get(&whole), &normal), ST_OK);
		helper_json_encode(schema, root, 0, &compact);
		assert_true(bytes_equal(buffer_get(&normal), buffer_get(&compact)));
		struct tree_record *again = from_json(buffer_get(&whole));
		assert_true(tree_record_equal(schema->root, root, again));
		tree_record_unref(again, schema->root, NULL);
		tree_record_unref(root, schema->root, NULL);
		buffer_fini(&steps);
		buffer_fini(&whole);
		buffer_fini(&normal);
		buffer_fini(&compact);
	}
}

/* A value of a megabyte of characters that become six bytes each comes in bounded pieces. */
/* Attributes within anydata (RFC 7952 5.2): XML as any_writer has it, what it is in JSON, and the same XML
 * again. */
static const struct {
	const char *xml, *json;
} ANNOTATED_ANY[] = {
	{"<a xmlns=\"urn:x\" b=\"1\"/>", "{\"urn:x:a\":[null],\"@urn:x:a\":{\"b\":\"1\"}}"},
	{"<a xmlns=\"" CT "\" xmlns:codec-test=\"" CT
	 "\" codec-test:level=\"7\" codec-test:note=\"&quot;&amp;\">v</a>",
	 "{\"a\":\"v\",\"@a\":{\"codec-test:level\":7,\"codec-test:note\":\"\\\"&\"}}"},
	{"<a xmlns=\"" CT "\" xmlns:codec-test=\"" CT
	 "\" codec-test:done=\"\" codec-test:animal=\"codec-test:cat\">"
	 "<b>1</b><b codec-test:note=\"n\">codec-test:x</b><b/><c xml:lang=\"de\"/></a>",
	 "{\"a\":{\"@\":{\"codec-test:done\":[null],\"codec-test:animal\":\"codec-test:cat\"},"
	 "\"b\":[1,\"codec-test:x\",[null]],\"@b\":[null,{\"codec-test:note\":\"n\"},null],"
	 "\"c\":[null],\"@c\":{\"http://www.w3.org/XML/1998/namespace:lang\":\"de\"}}}"},
	{"<a xmlns=\"" CT "\" xmlns:n0=\"urn:n\" n0:x=\"1\"><b xmlns:n64=\"urn:m\" n0:x=\"2\" n64:y=\"3\">"
	 "<c>4</c></b></a>",
	 "{\"a\":{\"@\":{\"urn:n:x\":\"1\"},\"b\":{\"@\":{\"urn:n:x\":\"2\",\"urn:m:y\":\"3\"},\"c\":4}}}"},
};

static void test_annotated_any(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(ANNOTATED_ANY) / sizeof(ANNOTATED_ANY[0]); i++) {
		struct buffer document, json, xml;
		buffer_init(&document, SIZE_MAX);
		buffer_init(&json, SIZE_MAX);
		buffer_init(&xml, SIZE_MAX);
		assert_int_equal(buffer_printf(&document, ANY("%s"), ANNOTATED_ANY[i].xml), ST_OK);
		struct tree_record *root = from_xml(buffer_get(&document).data);
		helper_json_encode(schema, root, 0, &json);
		buffer_clear(&document, SIZE_MAX);
		assert_int_equal(buffer_printf(&document, IN_ANY("%s"), ANNOTATED_ANY[i].json), ST_OK);
		assert_int_equal(buffer_append(&json, (struct bytes){"", 1}), ST_OK);
		assert_string_equal(buffer_get(&json).data, buffer_get(&document).data);
		struct tree_record *again = from_json(buffer_get(&document));
		helper_xml_encode(schema, again, &xml);
		assert_int_equal(buffer_append(&xml, (struct bytes){"", 1}), ST_OK);
		if (!strstr(buffer_get(&xml).data, ANNOTATED_ANY[i].xml))
			fail_msg("want %s\ngot %s", ANNOTATED_ANY[i].xml, buffer_get(&xml).data);
		assert_true(tree_record_equal(schema->root, root, again));
		tree_record_unref(again, schema->root, NULL);
		tree_record_unref(root, schema->root, NULL);
		buffer_fini(&document);
		buffer_fini(&json);
		buffer_fini(&xml);
	}
}

static void test_long_value(void **state)
{
	(void)state;
	size_t size = (size_t)1 << 20;
	char *text = malloc(size);
	memset(text, '\r', size);
	struct tree_record *empty = tree_record_new();
	struct tree_builder *builder = tree_builder_new(schema, empty, NULL);
	tree_record_unref(empty, schema->root, NULL);
	struct value value = value_new((struct bytes){text, size}, 0);
	tree_builder_add_value(builder, schema_child_find_any(schema->root, bytes_of("word"), NULL), value);
	value_unref(value);
	free(text);
	struct tree_record *root = tree_builder_finish(builder);
	struct json_encoder *encoder = json_encoder_new(schema, root, NULL, NULL, 0);
	struct buffer out;
	buffer_init(&out, 1000 + JSON_ENCODER_ROOM);
	size_t total = 0;
	for (bool done = false; !done;) {
		assert_int_equal(json_encoder_run(encoder, &out, 1000, SIZE_MAX, &done), ST_OK);
		assert_true(buffer_size(&out) < 1000 + JSON_ENCODER_ROOM / 2);
		total += buffer_size(&out);
		buffer_consume(&out, buffer_size(&out));
	}
	assert_int_equal(total, 2 * size + strlen("{\"codec-test:word\":[\"\"]}"));
	buffer_fini(&out);
	json_encoder_free(encoder);
	tree_record_unref(root, schema->root, NULL);
}

/* Too large to be converted: a string that holds the XML. */
static void test_large_any(void **state)
{
	(void)state;
	static const char PIECE[] = "<x xmlns=\"u\"/>";
	size_t count = ((size_t)16 << 20) / strlen(PIECE) + 1;
	struct buffer content;
	buffer_init(&content, SIZE_MAX);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(buffer_append(&content, bytes_of(PIECE)), ST_OK);
	struct tree_record *root = from_xml(ANY("<x/>"));
	struct tree_builder *builder = tree_builder_new(schema, root, NULL);
	tree_record_unref(root, schema->root, NULL);
	const struct schema_node *top = schema_child_find_any(schema->root, bytes_of("top"), NULL);
	struct tree_any *any = tree_any_new(text_new(buffer_get(&content), 0));
	tree_builder_enter(builder, top);
	tree_builder_set_any(builder, schema_child_find_any(top, bytes_of("data"), NULL), any);
	root = tree_builder_finish(builder);
	tree_any_unref(any);
	struct buffer out;
	buffer_init(&out, SIZE_MAX);
	helper_json_encode(schema, root, 0, &out);
	assert_int_equal(buffer_size(&out), strlen(IN_ANY("\"\"")) + count * (strlen(PIECE) + 2));
	tree_record_unref(root, schema->root, NULL);
	buffer_fini(&out);
	buffer_fini(&content);
}

/* By name: those that begin with "e" are entered, "name" is written. */
static enum codec_select judge(const struct codec_selector *selector, const void *state,
			       const struct tree_position *child, const void **child_state)
{
	(void)selector;
	(void)state;
	*child_state = NULL;
	const char *name = child->schema->name;
	if (strcmp(name, "top") == 0 || name[0] == 'e')
		return CODEC_ENTER;
	return strcmp(name, "name") == 0 ? CODEC_WHOLE : CODEC_SKIP;
}

static void test_selector(void **state)
{
	(void)state;
	struct codec_selector selector = {.judge = judge};
	struct tree_record *root =
		from_xml("<c:top><c:entry><c:first>a</c:first><c:second>1</c:second></c:entry><c:entry>"
			 "<c:first>b</c:first><c:second>1</c:second></c:entry><c:step>s</c:step>"
			 "<c:name>n</c:name></c:top><c:word>w</c:word>");
	check_text(root, &selector, 0, "{\"codec-test:top\":{\"entry\":[{},{}],\"name\":\"n\"}}");
	check_text(
		root, &selector, 1,
		"{\n \"codec-test:top\": {\n  \"entry\": [\n   {},\n   {}\n  ],\n  \"name\": \"n\"\n }\n}\n");
	tree_record_unref(root, schema->root, NULL);
}

static const char *const PIECES[] = {
	"{",	  "}",	  "[",	   "]",	     ",",     ":",     "\"",	   "null",
	"[null]", "true", "1",	   "-0.5e1", "\"a\"", "\\u00", "\\ud800",  "\xff",
	"\u00e4", " ",	  "\"@\"", "\"@x\"", "{}",    "[{}]",  "\"step\"", "[[]]",
};

/* Whole members, that may go before others. */
static const char *const MEMBERS[] = {
	"\"a\":1,",
	"\"codec-test:x\":{\"y\":[{}]},",
	"\"codec-test-more:word\":\"w\",",
	"\"codec-test-more:extra\":\"5\",",
	"\"number\":50,",
	"\"number\":\"50\",",
	"\"first\":\"g\",",
	"\"name\":\"\\u00e4\",",
	"\"@name\":{},",
	"\"@\":{\"a:b\":1},",
	"\"tag\":[],",
	"\"z\":[1,{\"z\":[null]},\"\\n\"],",
	"\"codec-test:line\":[{\"name\":\"l\",\"kind\":\"codec-test-more:dog\"}],",
	"\"pair\":[{\"number\":5,\"kind\":\"cat\"}],",
	"\"codec-test:empty\":{},",
	"",
	" ",
};

struct change {
	size_t at, removed;
	const char *added;
};

static struct change random_change(const char *document, size_t size, uint64_t *seed)
{
	struct change change = {.at = helper_random(seed, (uint32_t)size)};
	if (helper_random(seed, 4) > 0) {
		while (change.at > 0 && document[change.at - 1] != '{')
			change.at--;
		change.added = MEMBERS[helper_random(seed, sizeof(MEMBERS) / sizeof(MEMBERS[0]))];
		return change;
	}
	change.removed = helper_random(seed, 12);
	if (change.removed > size - change.at)
		change.removed = size - change.at;
	change.added = PIECES[helper_random(seed, sizeof(PIECES) / sizeof(PIECES[0]))];
	return change;
}

static size_t damage(char *document, size_t size, size_t capacity, uint64_t *seed)
{
	for (uint32_t i = helper_random(seed, 3) + 1; i > 0; i--) {
		struct change change = random_change(document, size, seed);
		size_t added = strlen(change.added);
		if (size - change.removed + added > capacity)
			continue;
		memmove(document + change.at + added, document + change.at + change.removed,
			size - change.at - change.removed);
		memcpy(document + change.at, change.added, added);
		size = size - change.removed + added;
	}
	return size;
}

static const char DOCUMENT[] =
	"{\"codec-test:top\":{\"entry\":[{\"text\":\"a\\n\\ud83d\\ude00\",\"second\":1,\"first\":\"f\","
	"\"pet\":\"cat\",\"where\":\"/codec-test:top/name\",\"mixed\":17,\"box\":{\"width\":\"1.5\"},"
	"\"nothing\":[null],\"inner\":[{\"name\":\"n\"}],\"tag\":[\"t\",\"u\"]}],\"step\":[\"s\"],"
	"\"data\":{\"a\":[1,{\"b\":null,\"@\":{\"codec-test:note\":\"o\"}}],\"@a\":[{\"urn:y:z\":2},null],"
	"\"urn:x:c\":{\"@d\":{\"codec-test:level\":3},\"d\":true}},\"mess\":\"m\",\"@name\":{}},"
	"\"codec-test-more:word\":\"w\"}";

/* What was decoded can be written, read back and written again, in both forms. */
static void check_rewritten(struct decoding *decoding)
{
	assert_int_equal(decoding->diags.length, 0);
	struct tree_record *root = build(decoding);
	struct buffer first, second, xml;
	buffer_init(&first, SIZE_MAX);
	buffer_init(&second, SIZE_MAX);
	buffer_init(&xml, SIZE_MAX);
	helper_json_encode(schema, root, 0, &first);
	struct tree_record *again = from_json(buffer_get(&first));
	helper_json_encode(schema, again, 0, &second);
	assert_true(bytes_equal(buffer_get(&first), buffer_get(&second)));
	tree_record_unref(again, schema->root, NULL);
	helper_xml_encode(schema, root, &xml);
	assert_int_equal(buffer_append(&xml, (struct bytes){"", 1}), ST_OK);
	again = from_xml(buffer_get(&xml).data);
	assert_true(tree_record_equal(schema->root, root, again));
	tree_record_unref(again, schema->root, NULL);
	tree_record_unref(root, schema->root, NULL);
	buffer_fini(&first);
	buffer_fini(&second);
	buffer_fini(&xml);
}

static void test_damaged_documents(void **state)
{
	(void)state;
	uint64_t seed = test_seed();
	size_t accepted = 0, refused = 0;
	for (int round = 0; round < 4000; round++) {
		char document[2 * sizeof(DOCUMENT)];
		memcpy(document, DOCUMENT, sizeof(DOCUMENT) - 1);
		size_t size = damage(document, sizeof(DOCUMENT) - 1, sizeof(document), &seed);
		struct decode_options options = {
			.memory_limit = 1 << 16, .diag_limit = 5, .step = helper_random(&seed, 100)};
		struct decoding decoding;
		helper_json_decode(&decoding, schema, (struct bytes){document, size}, &options);
		if (decoding.status == ST_OK) {
			check_rewritten(&decoding);
			accepted++;
			continue;
		}
		assert_int_equal(decoding.status, ST_REJECTED);
		assert_true(decoding.diags.length > 0);
		helper_decode_fini(&decoding);
		refused++;
	}
	print_message("%zu accepted, %zu refused\n", accepted, refused);
	assert_true(accepted > 50 && refused > 50);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_exact_text),	  cmocka_unit_test(test_indented),
		cmocka_unit_test(test_round_trips),	  cmocka_unit_test(test_long_value),
		cmocka_unit_test(test_large_any),	  cmocka_unit_test(test_selector),
		cmocka_unit_test(test_damaged_documents), cmocka_unit_test(test_annotated_any),
	};
	return cmocka_run_group_tests(tests, load_schema, unload_schema);
}
