/* SPDX-License-Identifier: BSD-3-Clause */
/* The JSON decoder: names, forms of values, errors with their paths, anydata, cuts, limits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "codec/helper_json.h"
#include "helper_fixture.h"

#define MORE_NS "urn:yare:codec-test-more?a=1&b='2'"

SCHEMA_OF_ALL_TESTS(helper_schema())

static const struct decode_options OPTIONS = {.memory_limit = (size_t)1 << 20, .diag_limit = 10};

static void check_step(const char *document, const char *expected, size_t step)
{
	struct decode_options options = OPTIONS;
	options.step = step;
	struct decoding decoding;
	helper_json_decode(&decoding, schema, bytes_of(document), &options);
	const char *text = helper_diag_text(&decoding.diags, decoding.arena);
	assert_string_equal(text, "");
	assert_int_equal(decoding.status, ST_OK);
	assert_string_equal(helper_edit_text(decoding.tree, decoding.arena), expected);
	helper_decode_fini(&decoding);
}

static void check_error(const char *document, const char *expected, size_t step)
{
	struct decode_options options = OPTIONS;
	options.step = step;
	struct decoding decoding;
	helper_json_decode(&decoding, schema, bytes_of(document), &options);
	assert_string_equal(helper_diag_text(&decoding.diags, decoding.arena), expected);
	assert_int_equal(decoding.status, ST_REJECTED);
	assert_null(decoding.tree);
	helper_decode_fini(&decoding);
}

#define TOP(members) "{\"codec-test:top\":{" members "}}"
#define ENTRY(members) TOP("\"entry\":[{\"first\":\"a\",\"second\":1," members "}]")
#define TYPES(members) "{\"codec-test-types:types\":{" members "}}"
#define IN_ENTRY(text) "(top(entry(first=a second=1 " text ")))"

static const struct {
	const char *document, *tree;
} GOOD[] = {
	{"{}", ""},
	{TOP(""), "(top)"},
	{TOP("\"empty\":{}"), "(top(empty))"},
	{TOP("\"entry\":[],\"step\":[]"), "(top)"},
	{TOP("\"entry\":[{\"text\":\"t\",\"second\":1,\"first\":\"a\"}]"), IN_ENTRY("text=t")},
	{TOP("\"step\":[\"b\",\"a\"]"), "(top(step=b step=a))"},
	{TOP("\"codec-test:name\":\"n\",\"codec-test-more:extra\":\"e\""), "(top(name=n extra=e))"},
	{TOP("\"codec-test-more:deep\":{\"name\":\"d\"}"), "(top(deep(name=d)))"},
	{"{\"codec-test:word\":[\"\\u00e4\\ud83d\\ude00\\n\"],\"codec-test-more:word\":\"w\"}",
	 "(word=\u00e4\U0001f600\n word=w)"},
	{ENTRY("\"number\":17"), IN_ENTRY("number=17")},
	{ENTRY("\"number\":1.7e1"), IN_ENTRY("number=17")},
	{ENTRY("\"number\":0.00017e+5"), IN_ENTRY("number=17")},
	{ENTRY("\"number\":1700e-2"), IN_ENTRY("number=17")},
	{ENTRY("\"flag\":true"), IN_ENTRY("flag=true")},
	{ENTRY("\"flag\":false"), IN_ENTRY("flag=false")},
	{ENTRY("\"nothing\":[null]"), IN_ENTRY("nothing=")},
	{ENTRY("\"color\":\"red\""), IN_ENTRY("color=red")},
	{ENTRY("\"pet\":\"cat\""), IN_ENTRY("pet=codec-test:cat")},
	{ENTRY("\"pet\":\"codec-test-more:dog\""), IN_ENTRY("pet=codec-test-more:dog")},
	{ENTRY("\"where\":\"/codec-test:top/codec-test-more:deep/name\""),
	 IN_ENTRY("where=/codec-test:top/codec-test-more:deep/name")},
	{ENTRY("\"where\":\"/codec-test:top/entry[second='1'][codec-test:first='x']/codec-test:text\""),
	 IN_ENTRY("where=/codec-test:top/entry[first='x'][second='1']/text")},
	{ENTRY("\"mixed\":17"), IN_ENTRY("mixed=17")},
	{ENTRY("\"mixed\":\"cat\""), IN_ENTRY("mixed=codec-test:cat")},
	{ENTRY("\"mixed\":\"cats\""), IN_ENTRY("mixed=cats")},
	{ENTRY("\"mixed\":\"017\""), IN_ENTRY("mixed=17")},
	{ENTRY("\"box\":{\"width\":\"1.50\"}"), IN_ENTRY("box(width=1.5)")},
	{ENTRY("\"codec-test-more:extra\":\"18446744073709551615\""), IN_ENTRY("extra=18446744073709551615")},
	{ENTRY("\"inner\":[{\"name\":\"x\"},{\"value\":\"v\",\"name\":\"y\"}]"),
	 IN_ENTRY("inner(name=x) inner(name=y value=v)")},
	{TOP("\"@\":{},\"name\":\"n\",\"@name\":{},\"@step\":[null,{}]"), "(top(name=n))"},
	/* annotations: before and behind their nodes */
	{TOP("\"@\":{\"codec-test:note\":\"x\",\"codec-test:level\":2.0},\"@name\":{\"codec-test:done\":["
	     "null]},"
	     "\"name\":\"n\""),
	 "(top#note=x#level=2(name=n#done=))"},
	{TOP("\"step\":[\"a\",\"b\",\"c\"],\"@step\":[null,{\"codec-test:animal\":\"cat\"}]"),
	 "(top(step=a step=b#animal=codec-test:cat step=c))"},
	{TOP("\"data\":{\"x\":1,\"@\":{\"codec-test:note\":\"d\"}},\"mess\":{\"x\":1},"
	     "\"@mess\":{\"codec-test:note\":\"m\"}"),
	 "(top(data=<x xmlns=\"urn:yare:codec-test\">1</x>#note=d "
	 "mess=<x xmlns=\"urn:yare:codec-test\">1</x>#note=m))"},
	{ENTRY("\"@\":{\"codec-test:note\":\"e\"},\"@first\":{\"codec-test:level\":3}"),
	 "(top(entry#note=e(first=a#level=3 second=1)))"},
	{"{\"@codec-test:word\":[{\"codec-test:level\":1}],\"codec-test:word\":[\"w\"]}", "(word=w#level=1)"},
	/* types */
	{TYPES("\"small\":-128,\"medium\":4294967295,\"large\":\"-9223372036854775808\","
	       "\"huge\":\"18446744073709551615\",\"fraction\":\"-0.500\""),
	 "(types(small=-128 medium=4294967295 large=-9223372036854775808 huge=18446744073709551615 "
	 "fraction=-0.5))"},
	{TYPES("\"small\":-0,\"medium\":0.0e9,\"bytes\":\"AAE=\",\"flags\":\"two one\",\"same\":5"),
	 "(types(small=0 medium=0 bytes=AAE= flags=one two same=5))"},
	{TYPES("\"either\":15"), "(types(either=15))"},
	{TYPES("\"either\":5"), "(types(either=5))"},
	{TYPES("\"either\":\"5\""), "(types(either=5))"}, /* an int64 */
	{TYPES("\"either\":true"), "(types(either=true))"},
	{TYPES("\"either\":\"true\""), "(types(either=true))"},
	{TYPES("\"either\":[null]"), "(types(either=))"},
	{TYPES("\"either\":4294967295"), "(types(either=4294967295))"},
	{TYPES("\"nothings\":[[null]]"), "(types(nothings=))"},
	{TYPES("\"mixed\":[1,[null],false,\"1x\",2e1]"),
	 "(types(mixed=1 mixed= mixed=false mixed=1x mixed=20))"},
	{TYPES("\"pair\":[{\"nothing\":[null],\"kind\":\"codec-test:cat\"}]"),
	 "(types(pair(kind=codec-test:cat nothing=)))"},
	/* anydata and anyxml */
	{TOP("\"data\":{}"), "(top(data=))"},
	{TOP("\"data\":{\"a\":1,\"b\":{\"c\":[\"x\",\"<&\"],\"d\":null,\"e\":[null]},\"f\":[],\"g\":-1.5e3}"),
	 "(top(data=<a xmlns=\"urn:yare:codec-test\">1</a><b xmlns=\"urn:yare:codec-test\"><c>x</c>"
	 "<c>&lt;&amp;</c><d/><e/></b><g xmlns=\"urn:yare:codec-test\">-1.5e3</g>))"},
	{TOP("\"data\":{\"codec-test-more:word\":[true],\"u:a\":{\"b\":\"\",\":c\":false,\"u:d\":[{},{}]}}"),
	 "(top(data=<word xmlns=\"urn:yare:codec-test-more?a=1&amp;b='2'\">true</word>"
	 "<a xmlns=\"u\"><b/><c xmlns=\"\">false</c><d/><d/></a>))"},
	{TOP("\"data\":{\"urn:a:b\":{\"c\":\"codec-test:cat and codec-test:top\"}}"),
	 "(top(data=<b xmlns=\"urn:a\"><c xmlns:codec-test=\"urn:yare:codec-test\">"
	 "codec-test:cat and codec-test:top</c></b>))"},
	{TOP("\"data\":{\"a\":[[null],5,[null]]}"),
	 "(top(data=<a xmlns=\"urn:yare:codec-test\"/><a xmlns=\"urn:yare:codec-test\">5</a>"
	 "<a xmlns=\"urn:yare:codec-test\"/>))"},
	{TOP("\"mess\":[]"), "(top(mess=))"},
	{TOP("\"mess\":\"<x>\""), "(top(mess=&lt;x&gt;))"},
	{TOP("\"mess\":12"), "(top(mess=12))"},
	{TOP("\"mess\":null"), "(top(mess=))"},
	{TOP("\"mess\":[null]"), "(top(mess=))"},
	{TOP("\"mess\":{\"x\":[1,2]},\"name\":\"n\""),
	 "(top(mess=<x xmlns=\"urn:yare:codec-test\">1</x><x xmlns=\"urn:yare:codec-test\">2</x> name=n))"},
};

static void test_good(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(GOOD) / sizeof(GOOD[0]); i++) {
		check_step(GOOD[i].document, GOOD[i].tree, 0);
		check_step(GOOD[i].document, GOOD[i].tree, 1);
	}
}

#define IN_TOP " path=/codec-test:top"
#define CT " codec-test=urn:yare:codec-test"
#define MORE " codec-test-more=" MORE_NS
#define IN_TYPES " path=/codec-test-types:types"
#define TT " codec-test-types=urn:yare:codec-test-types"
#define ENTRY_PATH IN_TOP "/codec-test:entry[codec-test:first='a'][codec-test:second='1']"

static const struct {
	const char *document, *diags;
} BAD[] = {
	{"", "malformed-message; Not valid JSON: line 1: the document is not complete.\n"},
	{"{\"codec-test:top\":{}\n,}", "malformed-message; Not valid JSON: line 2: a name is expected.\n"},
	{"[]", "bad-element; The document must be an object.\n"},
	{"[{\"a\":[1]}]", "bad-element; The document must be an object.\n"},
	{"17", "bad-element; The document must be an object.\n"},
	{"{\"top\":{}}", "unknown-element bad-element=top; The name of a member at top level must have its "
			 "module's name before it.\n"},
	{"{\"x:top\":{\"a\":[{}]},\"y:z\":1}",
	 "unknown-namespace bad-element=top bad-namespace=x; The namespace of the element is not one of the "
	 "schema.\n"
	 "unknown-namespace bad-element=z bad-namespace=y; The namespace of the element is not one of the "
	 "schema.\n"},
	{"{\"codec-test:x\":1}", "unknown-element bad-element=x; The schema has no such element here.\n"},
	{"{\"codec-test:\":1}", "unknown-element bad-element=; The schema has no such element here.\n"},
	{"{\"\":1}", "unknown-element bad-element=; The name of a member at top level must have its module's "
		     "name before it.\n"},
	{TOP("\"x\":1"),
	 "unknown-element" IN_TOP " bad-element=x" CT "; The schema has no such element here.\n"},
	{TOP("\"deep\":{}"),
	 "unknown-element" IN_TOP " bad-element=deep" CT "; The schema has no such element here.\n"},
	{TOP("\"count\":1"), "unknown-element" IN_TOP "/codec-test:count bad-element=count" CT
			     "; The element is state data, not configuration.\n"},
	{TOP("\"name\":\"a\",\"codec-test:name\":\"a\""),
	 "bad-element" IN_TOP "/codec-test:name bad-element=name" CT "; The member is there twice.\n"},
	{TOP("\"step\":[],\"step\":[1]"),
	 "bad-element" IN_TOP "/codec-test:step bad-element=step" CT "; The member is there twice.\n"},
	{"{\"codec-test:top\":5}",
	 "bad-element" IN_TOP " bad-element=top" CT "; The value must be an object.\n"},
	{"{\"codec-test:top\":[{}]}",
	 "bad-element" IN_TOP " bad-element=top" CT "; The value must be an object.\n"},
	{TOP("\"entry\":{\"a\":{}}"),
	 "bad-element" IN_TOP "/codec-test:entry bad-element=entry" CT "; The value must be an array.\n"},
	{TOP("\"entry\":[5,[{}]]"), "bad-element" IN_TOP "/codec-test:entry bad-element=entry" CT
				    "; An entry of a list must be an object.\n"
				    "bad-element" IN_TOP "/codec-test:entry bad-element=entry" CT
				    "; An entry of a list must be an object.\n"},
	{TOP("\"step\":\"a\""),
	 "bad-element" IN_TOP "/codec-test:step bad-element=step" CT "; The value must be an array.\n"},
	{TOP("\"entry\":[{\"second\":1}]"),
	 "missing-element" IN_TOP "/codec-test:entry[codec-test:second='1'] bad-element=first" CT
	 "; A key of the list entry is missing.\n"},
	{TOP("\"entry\":[{\"second\":1,\"text\":\"t\",\"first\":{}}]"),
	 "bad-element" IN_TOP "/codec-test:entry[codec-test:second='1']/codec-test:first bad-element=first" CT
	 "; The value must be a string, number, true, false or [null].\n"},
	{TOP("\"name\":[\"a\"]"), "bad-element" IN_TOP "/codec-test:name bad-element=name" CT
				  "; The value must be a string, number, true, false or [null].\n"},
	{TOP("\"name\":null"), "bad-element" IN_TOP "/codec-test:name bad-element=name" CT
			       "; The value must be a string, number, true, false or [null].\n"},
	{TOP("\"name\":5"),
	 "invalid-value" IN_TOP "/codec-test:name" CT "; A value of the type is a string.\n"},
	{TOP("\"step\":[true,{\"a\":[]}]"),
	 "invalid-value" IN_TOP "/codec-test:step" CT "; A value of the type is a string.\n"
	 "bad-element" IN_TOP "/codec-test:step bad-element=step" CT
	 "; The value must be a string, number, true, false or [null].\n"},
	{ENTRY("\"number\":\"17\""),
	 "invalid-value" ENTRY_PATH "/codec-test:number" CT "; A value of the type is a number.\n"},
	{ENTRY("\"number\":1.75"),
	 "invalid-value" ENTRY_PATH "/codec-test:number" CT "; Invalid int32 value \"1.75\".\n"},
	{ENTRY("\"number\":1e99999999999999999999"), "invalid-value" ENTRY_PATH "/codec-test:number" CT
						     "; Invalid int32 value \"1e99999999999999999999\".\n"},
	{ENTRY("\"number\":1000"), "invalid-value" ENTRY_PATH "/codec-test:number app-tag=odd-range" CT
				   "; Between 1 and 100, please.\n"},
	{ENTRY("\"flag\":\"true\""),
	 "invalid-value" ENTRY_PATH "/codec-test:flag" CT "; A value of the type is true or false.\n"},
	{ENTRY("\"nothing\":\"\""),
	 "invalid-value" ENTRY_PATH "/codec-test:nothing" CT "; A value of the type is [null].\n"},
	{ENTRY("\"nothing\":[]"), "bad-element" ENTRY_PATH "/codec-test:nothing bad-element=nothing" CT
				  "; An array as a value must be [null].\n"},
	{ENTRY("\"nothing\":[null,{\"a\":[]}],\"x\":1"),
	 "bad-element" ENTRY_PATH "/codec-test:nothing bad-element=nothing" CT
	 "; An array as a value must be [null].\n"
	 "unknown-element" ENTRY_PATH " bad-element=x" CT "; The schema has no such element here.\n"},
	{ENTRY("\"nothing\":[5,6],\"x\":1"),
	 "bad-element" ENTRY_PATH "/codec-test:nothing bad-element=nothing" CT
	 "; An array as a value must be [null].\n"
	 "unknown-element" ENTRY_PATH " bad-element=x" CT "; The schema has no such element here.\n"},
	{ENTRY("\"codec-test-more:extra\":5"),
	 "invalid-value" ENTRY_PATH "/codec-test-more:extra" CT MORE "; A value of the type is a string.\n"},
	{ENTRY("\"box\":{\"width\":1.5}"), "invalid-value" ENTRY_PATH "/codec-test:box/codec-test:width" CT
					   "; A value of the type is a string.\n"},
	{ENTRY("\"pet\":\"dog\""), "invalid-value" ENTRY_PATH "/codec-test:pet" CT
				   "; Invalid identityref value \"dog\": no identity of module "
				   "\"codec-test\".\n"},
	{ENTRY("\"mixed\":1000"), "invalid-value" ENTRY_PATH "/codec-test:mixed" CT
				  "; No member of the union takes the value in this form.\n"},
	{ENTRY("\"mixed\":true"), "invalid-value" ENTRY_PATH "/codec-test:mixed" CT
				  "; No member of the union takes the value in this form.\n"},
	{TYPES("\"same\":\"5\",\"small\":128,\"medium\":-1,\"large\":5,\"huge\":5,\"fraction\":0.5,"
	       "\"nothings\":"
	       "[null]"),
	 "invalid-value" IN_TYPES "/codec-test-types:same" TT "; A value of the type is a number.\n"
	 "invalid-value" IN_TYPES "/codec-test-types:small" TT "; Value \"128\" is out of int8's bounds.\n"
	 "invalid-value" IN_TYPES "/codec-test-types:medium" TT "; Value \"-1\" is out of uint32's bounds.\n"
	 "invalid-value" IN_TYPES "/codec-test-types:large" TT "; A value of the type is a string.\n"
	 "invalid-value" IN_TYPES "/codec-test-types:huge" TT "; A value of the type is a string.\n"
	 "invalid-value" IN_TYPES "/codec-test-types:fraction" TT "; A value of the type is a string.\n"
	 "bad-element" IN_TYPES "/codec-test-types:nothings bad-element=nothings" TT
	 "; The value must be a string, number, true, false or [null].\n"},
	{TYPES("\"pair\":[{\"kind\":\"cat\",\"nothing\":[null]}]"),
	 "invalid-value" IN_TYPES "/codec-test-types:pair/codec-test-types:kind" TT
	 "; Invalid identityref value \"cat\": no identity of module \"codec-test-types\".\n"},
	/* metadata */
	{"{\"@\":{\"a:b\":1}}",
	 "unknown-attribute bad-attribute=a:b; The annotation is not one that the server knows.\n"},
	{TOP("\"@\":{\"a:b\":{\"c\":1},\"a:d\":1}"),
	 "unknown-attribute" IN_TOP " bad-attribute=a:b bad-element=top" CT
	 "; The annotation is not one that the server knows.\n"
	 "unknown-attribute" IN_TOP " bad-attribute=a:d bad-element=top" CT
	 "; The annotation is not one that the server knows.\n"},
	{TOP("\"name\":\"n\",\"@name\":{\"ietf-netconf:operation\":\"delete\"}"),
	 "unknown-attribute" IN_TOP
	 "/codec-test:name bad-attribute=ietf-netconf:operation bad-element=name" CT
	 "; The annotation is not one that the server knows.\n"},
	{TOP("\"@step\":[null,{\"a:b\":[{}]},null]"),
	 "unknown-attribute" IN_TOP "/codec-test:step bad-attribute=a:b bad-element=step" CT
	 "; The annotation is not one that the server knows.\n"},
	{TOP("\"@x\":{\"a:b\":1}"),
	 "unknown-element" IN_TOP " bad-element=x" CT "; The schema has no such element here.\n"},
	{TOP("\"@name\":5"), "bad-element" IN_TOP "/codec-test:name bad-element=name" CT
			     "; The metadata is not in the form for it.\n"},
	{TOP("\"@name\":[{\"a:b\":1}]"), "bad-element" IN_TOP "/codec-test:name bad-element=name" CT
					 "; The metadata is not in the form for it.\n"},
	{TOP("\"@step\":{\"a:b\":1}"), "bad-element" IN_TOP "/codec-test:step bad-element=step" CT
				       "; The metadata is not in the form for it.\n"},
	{TOP("\"@step\":[[]],\"x\":1"),
	 "bad-element" IN_TOP "/codec-test:step bad-element=step" CT
	 "; The metadata is not in the form for it.\n"
	 "unknown-element" IN_TOP " bad-element=x" CT "; The schema has no such element here.\n"},
	{TOP("\"@\":{\"codec-test:level\":256}"),
	 "bad-attribute" IN_TOP " bad-attribute=level bad-element=top" CT
	 "; Value \"256\" is out of uint8's bounds.\n"},
	{TOP("\"@\":{\"codec-test:level\":\"2\"}"),
	 "bad-attribute" IN_TOP " bad-attribute=level bad-element=top" CT
	 "; The value is not in the form of the annotation's type.\n"},
	{TOP("\"@\":{\"codec-test:note\":{\"x\":[]},\"codec-test:level\":[1]},\"x\":1"),
	 "bad-attribute" IN_TOP " bad-attribute=note bad-element=top" CT
	 "; The value must be a string, number, true, false or [null].\n"
	 "bad-attribute" IN_TOP " bad-attribute=level bad-element=top" CT
	 "; The value must be a string, number, true, false or [null].\n"
	 "unknown-element" IN_TOP " bad-element=x" CT "; The schema has no such element here.\n"},
	{TOP("\"@\":{\"codec-test:note\":\"a\",\"codec-test:note\":\"b\"}"),
	 "bad-attribute" IN_TOP " bad-attribute=note bad-element=top" CT
	 "; The annotation is there twice.\n"},
	{TOP("\"step\":[\"a\"],\"@step\":[null,{\"codec-test:note\":\"b\"}]"),
	 "bad-attribute" IN_TOP "/codec-test:step bad-attribute=note bad-element=step" CT
	 "; The annotation is of an instance that is not there.\n"},
	{TOP("\"name\":\"n\",\"@name\":{\"codec-test:note\":\"a\"},\"@name\":{\"codec-test:note\":\"b\"}"),
	 "bad-attribute" IN_TOP "/codec-test:name bad-attribute=note bad-element=name" CT
	 "; The annotation is there twice.\n"},
	{TOP("\"deep\":1,\"@entry\":{\"codec-test:note\":\"a\"}"),
	 "unknown-element" IN_TOP " bad-element=deep" CT "; The schema has no such element here.\n"
	 "bad-element" IN_TOP "/codec-test:entry bad-element=entry" CT
	 "; The metadata is not in the form for it.\n"},
	{"{\"@\":{\"codec-test:note\":\"a\"}}",
	 "bad-attribute bad-attribute=note; A datastore as a whole has no annotations.\n"},
	/* anydata */
	{TOP("\"data\":5,\"x\":1"),
	 "bad-element" IN_TOP "/codec-test:data bad-element=data" CT
	 "; The content of anydata must be an object.\n"
	 "unknown-element" IN_TOP " bad-element=x" CT "; The schema has no such element here.\n"},
	{TOP("\"data\":[{\"a\":[]},1],\"x\":1"),
	 "bad-element" IN_TOP "/codec-test:data bad-element=data" CT
	 "; The content of anydata must be an object.\n"
	 "unknown-element" IN_TOP " bad-element=x" CT "; The schema has no such element here.\n"},
	{TOP("\"data\":{\"a\":{\"b\":1,\"codec-test:b\":{\"c\":[]}}}"),
	 "bad-element" IN_TOP "/codec-test:data bad-element=codec-test:b" CT
	 "; The member is there twice.\n"},
	{TOP("\"data\":{\"a\":{\"@b\":{\"c:d\":[]}}}"),
	 "bad-element" IN_TOP "/codec-test:data bad-element=b" CT
	 "; The value of an annotation is none that a leaf has.\n"},
	{TOP("\"data\":{\"a\":1,\"@a\":5}"),
	 "bad-element" IN_TOP "/codec-test:data bad-element=a" CT
	 "; Annotations are an object, or an array of objects and nulls.\n"},
	{TOP("\"data\":{\"a\":{\"@\":[]}}"),
	 "bad-element" IN_TOP "/codec-test:data bad-element=data" CT
	 "; Annotations are an object, or an array of objects and nulls.\n"},
	{TOP("\"data\":{\"a\":[1],\"@a\":[null,{\"c:d\":1}]}"),
	 "unknown-attribute" IN_TOP "/codec-test:data bad-attribute=a bad-element=data" CT
	 "; The annotation is of an element that is not there.\n"},
	{TOP("\"data\":{\"a\":{},\"@a\":{},\"@a\":{}}"),
	 "bad-element" IN_TOP "/codec-test:data bad-element=@a" CT "; The member is there twice.\n"},
	{TOP("\"data\":{\"a\":{\"@\":{\"c:d\":1}},\"@a\":{\"c:d\":1}}"),
	 "bad-attribute" IN_TOP "/codec-test:data bad-attribute=d bad-element=data" CT
	 "; The annotation is there twice.\n"},
	{TOP("\"data\":{\"a\":1,\"@a\":{\"xmlns\":\"urn:x\"}}"),
	 "unknown-attribute" IN_TOP "/codec-test:data bad-attribute=xmlns bad-element=data" CT
	 "; The annotation's name is no name with a module or namespace.\n"},
	{TOP("\"data\":{\"a b\":1}"), "bad-element" IN_TOP "/codec-test:data bad-element=a b" CT
				      "; The member's name is not an identifier.\n"},
	{TOP("\"data\":{\"urn:}x:b\":1}"),
	 "unknown-namespace" IN_TOP "/codec-test:data bad-element=urn:}x:b" CT
	 "; The member's name has neither a module nor a namespace.\n"},
	{TOP("\"data\":{\"http://www.w3.org/2000/xmlns/:b\":1}"),
	 "unknown-namespace" IN_TOP "/codec-test:data bad-element=http://www.w3.org/2000/xmlns/:b" CT
	 "; The member's name has neither a module nor a namespace.\n"},
	{TOP("\"data\":{\"a\":[[1]]}"), "bad-element" IN_TOP "/codec-test:data bad-element=data" CT
					"; An array in an array cannot be stored.\n"},
	{TOP("\"data\":{\"a\":[[]]}"), "bad-element" IN_TOP "/codec-test:data bad-element=data" CT
				       "; An array in an array cannot be stored.\n"},
	{TOP("\"data\":{\"a\":[[[null]]]}"), "bad-element" IN_TOP "/codec-test:data bad-element=data" CT
					     "; An array in an array cannot be stored.\n"},
	{TOP("\"mess\":[1]"), "bad-element" IN_TOP "/codec-test:mess bad-element=mess" CT
			      "; An array without a name cannot be stored.\n"},
	{TOP("\"mess\":[null,null]"), "bad-element" IN_TOP "/codec-test:mess bad-element=mess" CT
				      "; An array without a name cannot be stored.\n"},
};

static void test_bad(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(BAD) / sizeof(BAD[0]); i++) {
		check_error(BAD[i].document, BAD[i].diags, 0);
		check_error(BAD[i].document, BAD[i].diags, 1);
	}
}

/* A document with a bit of everything, cut at every byte: complete it gives a tree, cut off it is refused. */
static void test_cuts(void **state)
{
	(void)state;
	const char *document =
		ENTRY("\"number\":17,\"nothing\":[null],\"text\":\"\\ud83d\\ude00\u20ac\",\"inner\":[]},"
		      "{\"first\":\"b\",\"second\":2");
	char whole[1000];
	snprintf(whole, sizeof(whole), "%.*s,\"data\":{\"a\":[1,{\"b\":[null]}]},\"step\":[\"x\"]}}",
		 (int)strlen(document) - 2, document);
	size_t size = strlen(whole);
	for (size_t cut = 1; cut < size; cut++) {
		check_step(whole,
			   "(top(entry(first=a second=1 number=17 nothing= text=\U0001f600\u20ac) "
			   "entry(first=b second=2) "
			   "data=<a xmlns=\"urn:yare:codec-test\">1</a><a xmlns=\"urn:yare:codec-test\">"
			   "<b/></a> step=x))",
			   cut);
		struct decoding decoding;
		helper_json_decode(&decoding, schema, (struct bytes){whole, cut}, &OPTIONS);
		assert_int_equal(decoding.status, ST_REJECTED);
		assert_int_equal(decoding.diags.length, 1);
		assert_int_equal(decoding.diags.first->tag, DIAG_MALFORMED_MESSAGE);
		helper_decode_fini(&decoding);
	}
}

static void check_too_big(const char *begin, const char *repeated, size_t limit)
{
	struct buffer document;
	buffer_init(&document, SIZE_MAX);
	assert_int_equal(buffer_append(&document, bytes_of(begin)), ST_OK);
	for (size_t i = 0; i < 20000; i++)
		assert_int_equal(buffer_printf(&document, repeated, (int)i, (int)i), ST_OK);
	struct decode_options options = {.memory_limit = limit, .diag_limit = 5};
	struct decoding decoding;
	helper_json_decode(&decoding, schema, buffer_get(&document), &options);
	assert_int_equal(decoding.status, ST_LIMIT);
	assert_int_equal(decoding.diags.length, 1);
	assert_int_equal(decoding.diags.first->tag, DIAG_TOO_BIG);
	helper_decode_fini(&decoding);
	buffer_fini(&document);
}

static void test_limits(void **state)
{
	(void)state;
	check_too_big("{\"codec-test:word\":[", "\"%d a long enough value %d\",", 500000);
	check_too_big("{\"codec-test:top\":{\"entry\":[", "{\"first\":\"%d\",\"second\":1},", 1000000);
	check_too_big("{\"codec-test:top\":{\"data\":{", "\"a%d\":%d,", 500000);
	check_too_big("{\"codec-test:top\":{\"data\":{\"a\":[", "%d,%d,", 100000);
	/* Depth, in anydata and in what is skipped. */
	char deep[200];
	memset(deep, '[', sizeof(deep));
	char document[400];
	snprintf(document, sizeof(document), "{\"codec-test:x\":%.*s", (int)sizeof(deep), deep);
	struct decoding decoding;
	helper_json_decode(&decoding, schema, bytes_of(document), &OPTIONS);
	assert_int_equal(decoding.status, ST_LIMIT);
	assert_string_equal(helper_diag_text(&decoding.diags, decoding.arena),
			    "unknown-element bad-element=x; The schema has no such element here.\n"
			    "too-big; Not valid JSON: line 1: objects and arrays are nested too deeply.\n");
	helper_decode_fini(&decoding);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good),
		cmocka_unit_test(test_bad),
		cmocka_unit_test(test_cuts),
		cmocka_unit_test(test_limits),
	};
	return cmocka_run_group_tests(tests, load_schema, unload_schema);
}
