/* SPDX-License-Identifier: BSD-3-Clause */
/* The edit decoder: trees of good documents cut at every byte, a table of refusals, limits, the shared
 * workload. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "codec/helper_decode.h"
#include "helper_fixture.h"

#define CT "urn:yare:codec-test"
#define MORE "urn:yare:codec-test-more?a=1&amp;b='2'"
#define HEAD                                                                                                 \
	"<config xmlns='urn:ietf:params:xml:ns:netconf:base:1.0' "                                           \
	"xmlns:nc='urn:ietf:params:xml:ns:netconf:base:1.0' xmlns:yang='urn:ietf:params:xml:ns:yang:1' "     \
	"xmlns:c='" CT "' xmlns:m=\"" MORE "\">"
#define IN_TOP(body) HEAD "<top xmlns='" CT "'>" body "</top></config>"
#define IN_ENTRY(body) IN_TOP("<entry><first>a</first><second>1</second>" body "</entry>")
#define ENTRY_PATH "/codec-test:top/codec-test:entry[codec-test:first='a'][codec-test:second='1']"

SCHEMA_OF_ALL_TESTS(helper_schema())

struct good {
	const char *document;
	const char *tree;
};

static const struct good GOOD[] = {
	{HEAD "</config>", ""},
	{HEAD "\n  <!-- --> </config>", ""},
	{IN_TOP(""), "(top)"},
	{HEAD "<c:top xmlns:c='" CT
	      "'><c:name>x</c:name></c:top><c:word>1</c:word><m:word>2</m:word></config>",
	 "(top(name=x) word=1 word=2)"},
	{IN_TOP("<name/><m:extra>&lt;&#13;</m:extra><m:deep><m:name> </m:name></m:deep>"),
	 "(top(name= extra=<\r deep(name= )))"},
	{IN_TOP("<name>a<![CDATA[<b>]]>c<!-- d -->e</name>"), "(top(name=a<b>ce))"},
	{IN_ENTRY("<text>x</text>"), "(top(entry(first=a second=1 text=x)))"},
	/* Keys in another order, behind other nodes, and alone. */
	{IN_TOP("<entry><second>01</second><first>a</first></entry>"), "(top(entry(first=a second=1)))"},
	{IN_TOP("<entry><text>x</text><second> 2 </second><tag>t</tag><first>a</first><tag>u</tag></entry>"),
	 "(top(entry(first=a second=2 text=x tag=t tag=u)))"},
	{IN_TOP("<entry><tag>t</tag><first>a</first><inner><value>v</value><name>n</name></inner>"
		"<second>2</second></entry>"),
	 "(top(entry(first=a second=2 tag=t inner(name=n value=v))))"},
	/* Values. */
	{IN_ENTRY("<number>\n+5 </number><flag>true</flag><nothing/><color>a-very-long-color-name</color>"
		  "<box><width>1.50</width></box><m:extra>18446744073709551615</m:extra>"),
	 "(top(entry(first=a second=1 number=5 flag=true nothing= color=a-very-long-color-name "
	 "box(width=1.5) "
	 "extra=18446744073709551615)))"},
	{IN_ENTRY("<pet>cat</pet><mixed>m:dog</mixed>"),
	 "(top(entry(first=a second=1 pet=codec-test:cat mixed=codec-test-more:dog)))"},
	{IN_ENTRY("<pet xmlns:c=\"" MORE "\" xmlns:q='" CT "'>c:dog</pet><mixed>m:cat</mixed>"),
	 "(top(entry(first=a second=1 pet=codec-test-more:dog mixed=m:cat)))"},
	{IN_ENTRY("<where>/c:top/c:entry[c:first='x'][c:second=\"2\"]/m:extra</where>"),
	 "(top(entry(first=a second=1 "
	 "where=/codec-test:top/entry[first='x'][second='2']/codec-test-more:extra)))"},
	/* The same text for a type that depends on the namespaces in scope. */
	{IN_TOP("<entry><first>a</first><second>1</second><pet>c:cat</pet></entry>"
		"<entry><first>a</first><second>2</second><pet xmlns:c=\"" MORE "\">c:dog</pet></entry>"
		"<entry><first>a</first><second>3</second><mixed>c:cat</mixed></entry>"
		"<entry><first>a</first><second>4</second><mixed xmlns:c='urn:x'>c:cat</mixed></entry>"),
	 "(top(entry(first=a second=1 pet=codec-test:cat) entry(first=a second=2 pet=codec-test-more:dog) "
	 "entry(first=a second=3 mixed=codec-test:cat) entry(first=a second=4 mixed=c:cat)))"},
	/* Operations. */
	{HEAD
	 "<top xmlns='" CT "' nc:operation='replace'><entry nc:operation='create'><first>a</first>"
	 "<second>1</second><text nc:operation='merge'>x</text></entry><name nc:operation='remove'>x</name>"
	 "</top></config>",
	 "(top[replace](entry[create](first=a second=1 text[merge]=x) name[remove]=x))"},
	{IN_TOP("<name nc:operation='delete'/><line nc:operation='remove'><name/></line>"
		"<step nc:operation='delete'/>"),
	 "(top(name[delete] line[remove](name=) step[delete]=))"},
	{IN_ENTRY("<number nc:operation='delete'/><flag nc:operation='remove'> </flag>"),
	 "(top(entry(first=a second=1 number[delete] flag[remove])))"},
	{IN_ENTRY("<box nc:operation='delete'><width/></box>"),
	 "(top(entry(first=a second=1 box[delete](width))))"},
	/* Order. */
	{IN_TOP("<line yang:insert='first'><name>a</name></line><line "
		"yang:insert='last'><name>b</name></line>"
		"<line yang:insert='after' yang:key=\"[c:name='a']\"><name>c</name></line>"
		"<line yang:key=' [ name = \"b]\" ] ' yang:insert='before'><name>d</name></line>"),
	 "(top(line{first}(name=a) line{last}(name=b) line{after a}(name=c) line{before b]}(name=d)))"},
	{IN_TOP("<step yang:insert='before' yang:value='x y'>z</step>"
		"<pair yang:insert='before' yang:key=\"[c:number='07'][c:kind='m:dog']\"><kind>cat</kind>"
		"<number>1</number></pair>"),
	 "(top(step{before x y}=z pair{before codec-test-more:dog 7}(kind=codec-test:cat number=1)))"},
	/* Attributes of xml are nobody's business. */
	{IN_TOP("<name xml:lang='en' xml:space='preserve'>x</name>"), "(top(name=x))"},
	/* anydata, anyxml. */
	{IN_TOP("<data/><mess/>"), "(top(data= mess=))"},
	{IN_TOP("<data>\n <x>1</x> <c:y c:z='&quot;&amp;'><w xmlns=''/></c:y>\n</data>"),
	 "(top(data=<x xmlns=\"" CT "\">1</x><c:y xmlns:c=\"" CT
	 "\" c:z=\"&quot;&amp;\"><w xmlns=\"\"/></c:y>))"},
	{IN_TOP("<mess>a &lt;<b xmlns='urn:b'><b><c xmlns='urn:c'/></b><![CDATA[<]]></b> c</mess>"),
	 "(top(mess=a &lt;<b xmlns=\"urn:b\"><b><c xmlns=\"urn:c\"/></b>&lt;</b> c))"},
	{IN_TOP("<data><x xmlns=''>c:cat</x><x xmlns='' xmlns:c='urn:other' a='m:dog'>http://x "
		"c:y</x></data>"),
	 "(top(data=<x xmlns=\"\" xmlns:c=\"" CT
	 "\">c:cat</x><x xmlns=\"\" xmlns:c=\"urn:other\" xmlns:m=\"" MORE
	 "\" a=\"m:dog\">http://x c:y</x>))"},
	/* Declarations that the text needs stand before the attributes, too. */
	{IN_TOP("<data><x xmlns='' m:a='1'>c:y</x></data>"),
	 "(top(data=<x xmlns=\"\" xmlns:m=\"" MORE "\" xmlns:c=\"" CT "\" m:a=\"1\">c:y</x>))"},
	{IN_TOP("<mess><x xmlns=''>m:a<y xmlns:m='urn:other'>m:b</y></x></mess>"),
	 "(top(mess=<x xmlns=\"\">m:a<y xmlns:m=\"urn:other\">m:b</y></x>))"},
	{IN_TOP("<data><x xmlns='' nc:operation='delete'>\r\n\t<y/></x></data><name>n</name>"),
	 "(top(data=<x xmlns=\"\" xmlns:nc=\"urn:ietf:params:xml:ns:netconf:base:1.0\" "
	 "nc:operation=\"delete\">\n\t<y/></x> name=n))"},
};

static void check_good(const struct good *good, size_t step)
{
	struct decode_options options = {.step = step, .memory_limit = 1 << 20, .diag_limit = 10};
	struct decoding decoding;
	helper_decode(&decoding, schema, bytes_of(good->document), &options);
	assert_string_equal(helper_diag_text(&decoding.diags, decoding.arena), "");
	assert_int_equal(decoding.status, ST_OK);
	assert_string_equal(helper_edit_text(decoding.tree, decoding.arena), good->tree);
	helper_decode_fini(&decoding);
}

static void test_trees(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(GOOD) / sizeof(GOOD[0]); i++) {
		check_good(&GOOD[i], 0);
		check_good(&GOOD[i], 1);
		check_good(&GOOD[i], 7);
	}
}

struct bad {
	const char *document;
	const char *diags;
};

static const struct bad BAD[] = {
	/* Elements and namespaces. */
	{HEAD "<top xmlns='urn:nowhere'><x/></top></config>",
	 "unknown-namespace bad-element=top bad-namespace=urn:nowhere"},
	{HEAD "<top xmlns=''/></config>", "unknown-namespace bad-element=top bad-namespace="},
	{HEAD "<nothing xmlns='" CT "'><x/></nothing></config>", "unknown-element bad-element=nothing"},
	{IN_TOP("<extra>1</extra>"), "unknown-element path=/codec-test:top bad-element=extra codec-test=" CT},
	{IN_ENTRY("<x xmlns='urn:x'><y/></x>"),
	 "unknown-namespace path=" ENTRY_PATH " bad-element=x bad-namespace=urn:x codec-test=" CT},
	{IN_TOP("<name><b>x</b></name>"),
	 "unknown-element path=/codec-test:top/codec-test:name bad-element=b "
	 "codec-test=" CT},
	{IN_TOP("<way/>"), "unknown-element path=/codec-test:top bad-element=way codec-test=" CT},
	/* State data. */
	{IN_TOP("<state><up>true</up></state><count>1</count>"),
	 "unknown-element path=/codec-test:top/codec-test:state bad-element=state codec-test=" CT "\n"
	 "unknown-element path=/codec-test:top/codec-test:count bad-element=count codec-test=" CT},
	/* Doubled nodes. */
	{IN_TOP("<name>x</name><name>x</name>"),
	 "bad-element path=/codec-test:top/codec-test:name bad-element=name codec-test=" CT},
	{IN_ENTRY("<first>b</first>"),
	 "bad-element path=" ENTRY_PATH "/codec-test:first bad-element=first codec-test=" CT},
	{IN_TOP("<empty/><empty><a>1</a></empty><data/><data/>"),
	 "bad-element path=/codec-test:top/codec-test:empty bad-element=empty codec-test=" CT "\n"
	 "bad-element path=/codec-test:top/codec-test:data bad-element=data codec-test=" CT},
	/* Keys. */
	{IN_TOP("<entry><second>1</second></entry>"),
	 "missing-element path=/codec-test:top/codec-test:entry[codec-test:second='1'] bad-element=first "
	 "codec-test=" CT},
	{IN_TOP("<entry/><entry nc:operation='delete'><text/></entry>"),
	 "missing-element path=/codec-test:top/codec-test:entry bad-element=first codec-test=" CT "\n"
	 "missing-element path=/codec-test:top/codec-test:entry bad-element=second codec-test=" CT "\n"
	 "missing-element path=/codec-test:top/codec-test:entry bad-element=first codec-test=" CT "\n"
	 "missing-element path=/codec-test:top/codec-test:entry bad-element=second codec-test=" CT},
	{IN_TOP("<entry><first>a</first><second>x</second></entry>"),
	 "invalid-value path=/codec-test:top/codec-test:entry[codec-test:first='a']/codec-test:second "
	 "codec-test=" CT},
	/* Values. */
	{IN_ENTRY("<number>101</number><number>1</number><flag>yes</flag>"),
	 "invalid-value path=" ENTRY_PATH "/codec-test:number app-tag=odd-range codec-test=" CT "\n"
	 "bad-element path=" ENTRY_PATH "/codec-test:number bad-element=number codec-test=" CT "\n"
	 "invalid-value path=" ENTRY_PATH "/codec-test:flag codec-test=" CT},
	{IN_ENTRY("<flag> true</flag>"), "invalid-value path=" ENTRY_PATH "/codec-test:flag codec-test=" CT},
	{IN_ENTRY("<number/>"), "invalid-value path=" ENTRY_PATH "/codec-test:number codec-test=" CT},
	{IN_ENTRY("<number nc:operation='delete'>x</number>"),
	 "invalid-value path=" ENTRY_PATH "/codec-test:number codec-test=" CT},
	{IN_ENTRY("<nothing>x</nothing>"),
	 "invalid-value path=" ENTRY_PATH "/codec-test:nothing codec-test=" CT},
	{IN_ENTRY("<pet>q:cat</pet>"), "invalid-value path=" ENTRY_PATH "/codec-test:pet codec-test=" CT},
	{IN_ENTRY("<pet xmlns='urn:x'/>"),
	 "unknown-namespace path=" ENTRY_PATH " bad-element=pet bad-namespace=urn:x codec-test=" CT},
	{IN_TOP("<entry><first>it's</first><second>1</second><number>0</number></entry>"
		"<entry><first>'\"\"'</first><second>1</second><number>0</number></entry>"),
	 "invalid-value path=/codec-test:top/codec-test:entry[codec-test:first=\"it's\"]"
	 "[codec-test:second='1']/codec-test:number app-tag=odd-range codec-test=" CT "\n"
	 "invalid-value path=/codec-test:top/codec-test:entry[codec-test:first=concat(\"'\",'\"\"',\"'\")]"
	 "[codec-test:second='1']/codec-test:number app-tag=odd-range codec-test=" CT},
	{IN_TOP("<pair><kind>m:dog</kind><number>x</number></pair>"),
	 "invalid-value path=/codec-test:top/codec-test:pair[codec-test:kind='codec-test-more:dog']/"
	 "codec-test:number codec-test=" CT " codec-test-more=urn:yare:codec-test-more?a=1&b='2'"},
	/* Text. */
	{HEAD " x </config>", "bad-element bad-element=config"},
	{IN_TOP("x<name>y</name>z"), "bad-element path=/codec-test:top bad-element=top codec-test=" CT},
	{IN_TOP("<data><x/>y</data>"),
	 "bad-element path=/codec-test:top/codec-test:data bad-element=data codec-test=" CT},
	/* Attributes. */
	{IN_TOP("<name nc:operation='change'>x</name>"),
	 "bad-attribute path=/codec-test:top/codec-test:name bad-attribute=operation bad-element=name "
	 "codec-test=" CT},
	{IN_TOP("<name nc:operation=''>x</name>"),
	 "bad-attribute path=/codec-test:top/codec-test:name bad-attribute=operation bad-element=name "
	 "codec-test=" CT},
	{IN_TOP("<name nc:other='x' operation='delete' c:x=''>x</name>"),
	 "unknown-attribute path=/codec-test:top/codec-test:name bad-attribute=other bad-element=name "
	 "codec-test=" CT "\n"
	 "unknown-attribute path=/codec-test:top/codec-test:name bad-attribute=operation bad-element=name "
	 "codec-test=" CT "\n"
	 "unknown-attribute path=/codec-test:top/codec-test:name bad-attribute=x bad-element=name "
	 "codec-test=" CT},
	{IN_TOP("<name c:level='x' c:levels='1' m:level='1'>x</name>"),
	 "bad-attribute path=/codec-test:top/codec-test:name bad-attribute=level bad-element=name "
	 "codec-test=" CT "\n"
	 "unknown-attribute path=/codec-test:top/codec-test:name bad-attribute=levels bad-element=name "
	 "codec-test=" CT "\n"
	 "unknown-attribute path=/codec-test:top/codec-test:name bad-attribute=level bad-element=name "
	 "codec-test=" CT},
	{IN_TOP("<entry yang:insert='first'><first>a</first><second>1</second></entry>"),
	 "unknown-attribute path=/codec-test:top/codec-test:entry bad-attribute=insert bad-element=entry "
	 "codec-test=" CT},
	{HEAD "<c:word yang:value='x'>y</c:word></config>",
	 "unknown-attribute path=/codec-test:word bad-attribute=value bad-element=word codec-test=" CT},
	{IN_TOP("<line yang:insert='middle'><name>a</name></line>"),
	 "bad-attribute path=/codec-test:top/codec-test:line bad-attribute=insert bad-element=line "
	 "codec-test=" CT},
	{IN_TOP("<line yang:insert='after'><name>a</name></line><step yang:insert='before'>a</step>"),
	 "missing-attribute path=/codec-test:top/codec-test:line bad-attribute=key bad-element=line "
	 "codec-test=" CT "\n"
	 "missing-attribute path=/codec-test:top/codec-test:step bad-attribute=value bad-element=step "
	 "codec-test=" CT},
	{IN_TOP("<line yang:insert='first' yang:key=\"[name='a']\"><name>a</name></line>"),
	 "bad-attribute path=/codec-test:top/codec-test:line bad-attribute=key bad-element=line "
	 "codec-test=" CT},
	{IN_TOP("<line yang:insert='first' yang:value='a'><name>a</name></line>"),
	 "unknown-attribute path=/codec-test:top/codec-test:line bad-attribute=value bad-element=line "
	 "codec-test=" CT},
};

static const char *const BAD_KEYS[] = {
	"",
	"a",
	"[]",
	"[name]",
	"[name='a'",
	"[name='a]",
	"[name=a]",
	"[name='a'][name='a']",
	"[other='a']",
	"[kind='cat']",
	"[q:name='a']",
	"[m:name='a']",
	"[name='a']x",
	"[name='a' and 1]",
	"[:='a']",
	"[='a']",
};

static void check_bad(const char *document, const char *expected, size_t step)
{
	struct decode_options options = {.step = step, .memory_limit = 1 << 20, .diag_limit = 10};
	struct decoding decoding;
	helper_decode(&decoding, schema, bytes_of(document), &options);
	assert_int_equal(decoding.status, ST_REJECTED);
	/* Messages are for people: they are there, but not compared. */
	struct buffer got;
	buffer_init(&got, SIZE_MAX);
	const char *text = helper_diag_text(&decoding.diags, decoding.arena);
	for (const char *line = text; *line; line = strchr(line, '\n') + 1) {
		const char *end = strstr(line, "; ");
		assert_true(end[2] != '\n');
		assert_int_equal(buffer_append(&got, (struct bytes){line == text ? "" : "\n", line != text}),
				 ST_OK);
		assert_int_equal(buffer_append(&got, (struct bytes){line, (size_t)(end - line)}), ST_OK);
	}
	assert_int_equal(buffer_append(&got, (struct bytes){"", 1}), ST_OK);
	assert_string_equal(buffer_get(&got).data, expected);
	buffer_fini(&got);
	helper_decode_fini(&decoding);
}

static void test_refusals(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(BAD) / sizeof(BAD[0]); i++) {
		check_bad(BAD[i].document, BAD[i].diags, 0);
		check_bad(BAD[i].document, BAD[i].diags, 1);
	}
}

static void test_bad_insert_keys(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(BAD_KEYS) / sizeof(BAD_KEYS[0]); i++) {
		char document[1000];
		snprintf(document, sizeof(document),
			 IN_TOP("<line yang:insert='after' yang:key=\"%s\"><name>a</name></line>"),
			 BAD_KEYS[i]);
		check_bad(document,
			  "bad-attribute path=/codec-test:top/codec-test:line bad-attribute=key "
			  "bad-element=line "
			  "codec-test=" CT,
			  0);
	}
	check_bad(IN_TOP("<pair yang:insert='after' "
			 "yang:key=\"[kind='cat']\"><kind>cat</kind><number>1</number></pair>"
			 "<pair yang:insert='after' yang:key=\"[kind='cat'][number='x']\"><kind>cat</kind>"
			 "<number>2</number></pair>"),
		  "bad-attribute path=/codec-test:top/codec-test:pair bad-attribute=key bad-element=pair "
		  "codec-test=" CT "\n"
		  "bad-attribute path=/codec-test:top/codec-test:pair bad-attribute=key bad-element=pair "
		  "codec-test=" CT,
		  0);
}

static void test_message_of_the_type(void **state)
{
	(void)state;
	struct decode_options options = {.memory_limit = 1 << 20, .diag_limit = 10};
	struct decoding decoding;
	helper_decode(&decoding, schema, bytes_of(IN_ENTRY("<number>0</number>")), &options);
	assert_string_equal(decoding.diags.first->message, "Between 1 and 100, please.");
	helper_decode_fini(&decoding);
}

static char *repeat(const char *head, const char *piece, size_t count, const char *tail, size_t *size)
{
	size_t lengths[3] = {strlen(head), strlen(piece), strlen(tail)};
	*size = lengths[0] + lengths[1] * count + lengths[2];
	char *text = memory_alloc(*size + 1);
	memcpy(text, head, lengths[0]);
	for (size_t i = 0; i < count; i++)
		memcpy(text + lengths[0] + i * lengths[1], piece, lengths[1]);
	memcpy(text + lengths[0] + lengths[1] * count, tail, lengths[2] + 1);
	return text;
}

static void test_memory_limit(void **state)
{
	(void)state;
	static const struct {
		const char *head, *piece, *tail;
	} CASES[] = {
		{HEAD "<top xmlns='" CT "'>", "<step>abc</step>", "</top></config>"},
		{HEAD "<top xmlns='" CT "'><name>", "0123456789", "</name></top></config>"},
		{HEAD "<top xmlns='" CT "'><data>", "<x/>", "</data></top></config>"},
		{HEAD "<top xmlns='" CT "'>", "<step>a text that is too long for a word</step>",
		 "</top></config>"},
	};
	struct decode_options options = {.memory_limit = 100000, .diag_limit = 10};
	for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
		for (size_t count = 10; count <= 100000; count *= 10000) {
			size_t size;
			char *document = repeat(CASES[i].head, CASES[i].piece, count, CASES[i].tail, &size);
			struct decoding decoding;
			helper_decode(&decoding, schema, (struct bytes){document, size}, &options);
			assert_int_equal(decoding.status, count == 10 ? ST_OK : ST_LIMIT);
			if (count > 10)
				assert_int_equal(decoding.diags.first->tag, DIAG_TOO_BIG);
			helper_decode_fini(&decoding);
			memory_free(document);
		}
	}
}

/* A million errors cost neither memory nor time. */
static void test_many_errors(void **state)
{
	(void)state;
	size_t size;
	char *document = repeat(HEAD "<top xmlns='" CT "'>", "<line><name/><kind>x</kind><y/></line>", 100000,
				"</top></config>", &size);
	struct decode_options options = {.memory_limit = (size_t)1 << 30, .diag_limit = 5};
	struct decoding decoding;
	helper_decode(&decoding, schema, (struct bytes){document, size}, &options);
	assert_int_equal(decoding.status, ST_REJECTED);
	assert_int_equal(decoding.diags.length, 5);
	assert_int_equal(decoding.diags.dropped, 199995);
	assert_true(arena_size(decoding.arena) < 65536);
	helper_decode_fini(&decoding);
	memory_free(document);
}

static void test_equal_values_share_a_text(void **state)
{
	(void)state;
	size_t size;
	char *document =
		repeat(HEAD "<top xmlns='" CT "'>", "<step>a text that is too long for a word</step>", 100,
		       "</top></config>", &size);
	struct decode_options options = {.memory_limit = 1 << 20, .diag_limit = 5};
	struct decoding decoding;
	helper_decode(&decoding, schema, (struct bytes){document, size}, &options);
	assert_int_equal(decoding.status, ST_OK);
	const struct edit_node *first = decoding.tree->top->children->children;
	for (const struct edit_node *node = first; node; node = node->next)
		assert_int_equal(node->value.word, first->value.word);
	helper_decode_fini(&decoding);
	memory_free(document);
}

static void test_shared_workload(void **state)
{
	(void)state;
	static const char *const MODULE = "perf-test";
	struct schema *perf = helper_shared_schema("yang/perf-test", &MODULE, 1, IMPORTS_ONLY);
	if (!perf) {
		print_message("skipped: the shared inputs are absent\n");
		skip();
	}
	static const char *const ARGUMENTS[] = {
		"--set complex --n 500 --wrap config",
		"--set complex --n 500 --wrap config --compact --leaf",
		"--set restore --n 500 --types mixed --wrap config",
	};
	static const size_t NODES[] = {2 + 500 * 3 + 500 * 2, 3 + 500 * 3 + 500 * 2, 2 + 500 * 3};
	for (size_t i = 0; i < 3; i++) {
		size_t size;
		char *document = helper_run_generator("perftest.py", ARGUMENTS[i], &size);
		assert_true(size > 0);
		struct decode_options options = {.memory_limit = 1 << 24, .diag_limit = 5, .step = 1000};
		struct decoding decoding;
		helper_decode(&decoding, perf, (struct bytes){document, size}, &options);
		assert_int_equal(decoding.status, ST_OK);
		assert_int_equal(decoding.tree->node_count, NODES[i]);
		helper_decode_fini(&decoding);
		memory_free(document);
	}
	schema_unref(perf);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_trees),
		cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_bad_insert_keys),
		cmocka_unit_test(test_message_of_the_type),
		cmocka_unit_test(test_memory_limit),
		cmocka_unit_test(test_many_errors),
		cmocka_unit_test(test_equal_values_share_a_text),
		cmocka_unit_test(test_shared_workload),
	};
	return cmocka_run_group_tests(tests, load_schema, unload_schema);
}
