/* SPDX-License-Identifier: BSD-3-Clause */
/* Evaluation: core functions, axes, node-set comparisons, YANG functions, lookups, limits. */
#include "helper_xpath.h"

#include <stdio.h>
#include <string.h>

#include "os/clock.h"

static const char module_text[] =
	"module m { yang-version 1.1; namespace \"urn:m\"; prefix m;\n"
	"  identity animal; identity dog { base animal; } identity puppy { base dog; } identity rock;\n"
	"  container c { leaf a { type string; } leaf n { type int32; } leaf d { type string; default dflt; "
	"}\n"
	"    leaf-list ll { type string; } leaf-list lld { type uint8; default 3; default 1; }\n"
	"    container p { presence \"yes\"; leaf inner { type string; default deep; } }\n"
	"    leaf e { type enumeration { enum red { value 7; } enum blue { value 9; } } }\n"
	"    leaf bits { type bits { bit r; bit w; bit x; } }\n"
	"    leaf id { type identityref { base animal; } }\n"
	"    leaf un { type union { type uint8; type identityref { base animal; } } }\n"
	"    leaf dec { type decimal64 { fraction-digits 2; } }\n"
	"  }\n"
	"  container t {\n"
	"    list l { key k; leaf k { type string; } leaf v { type string; } leaf w { type int32; }\n"
	"      list s { key \"x y\"; leaf x { type uint8; } leaf y { type string; } leaf z { type string; } "
	"} }\n"
	"    list num { key i; leaf i { type int16; } leaf v { type string; } }\n"
	"    list ik { key i; leaf i { type identityref { base animal; } } leaf v { type string; } }\n"
	"    list jk { key i; leaf i { type instance-identifier { require-instance false; } }\n"
	"      leaf v { type string; } }\n"
	"    list uk { key i; leaf i { type union { type uint8; type instance-identifier { require-instance "
	"false; }\n"
	"      type string; } } leaf v { type string; } }\n"
	"    list dk { key i; leaf i { type decimal64 { fraction-digits 1; } } leaf v { type string; } }\n"
	"    leaf ref { type leafref { path \"../l/k\"; } }\n"
	"    leaf-list refs { type leafref { path \"../l/k\"; } }\n"
	"    leaf lref { type string; }\n"
	"    leaf sref { type leafref { path \"../l[k = current()/../ref]/s/y\"; } }\n"
	"    leaf ii { type instance-identifier { require-instance false; } }\n"
	"  }\n"
	"}\n";
static const char other_text[] =
	"module o { yang-version 1.1; namespace \"urn:o\"; prefix oo; import m { prefix m; }\n"
	"  identity cat { base m:animal; }\n"
	"  augment \"/m:c\" { leaf a { type string; } leaf extra { type string; } } }\n";

static struct xpath_fixture f;

static int set_up(void **state)
{
	(void)state;
	const struct xpath_module_text modules[] = {{"m", module_text}, {"o", other_text}};
	fixture_init(&f, modules, 2);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	fixture_fini(&f);
	return 0;
}

struct expected {
	const char *expression, *result;
};

static void check(const struct tree_position *context, const struct expected *cases, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const char *result = fixture_eval(&f, context, cases[i].expression);
		if (strcmp(result, cases[i].result) != 0)
			print_message("%s: '%s', not '%s'\n", cases[i].expression, result, cases[i].result);
		assert_string_equal(result, cases[i].result);
	}
}

#define CHECK(context, ...)                                                                                  \
	do {                                                                                                 \
		const struct expected cases[] = {__VA_ARGS__};                                               \
		check(context, cases, sizeof(cases) / sizeof(cases[0]));                                     \
	} while (0)

static void numbers(void **state)
{
	(void)state;
	CHECK(NULL, {"1", "1"}, {"-0", "0"}, {"1 div 0", "Infinity"}, {"-1 div 0", "-Infinity"},
	      {"0 div 0", "NaN"}, {"0.1 + 0.2", "0.30000000000000004"}, {"1.50", "1.5"}, {"0.5", "0.5"},
	      {"0.05", "0.05"}, {"-0.00123", "-0.00123"}, {".5", "0.5"}, {"5.", "5"},
	      {"1000000000000000000000", "1000000000000000000000"}, {"0.1 div 1000000000", "0.0000000001"},
	      {"123456.789", "123456.789"}, {"5 mod 2", "1"}, {"5 mod -2", "1"}, {"-5 mod 2", "-1"},
	      {"1.5 mod 0.5", "0"}, {"2 * 3 + 4 * 5", "26"}, {"2 + 3 * 4 - 6 div 2", "11"}, {"- - 3", "3"},
	      {"--'x'", "NaN"}, {"-'4'", "-4"}, {"'3' + true()", "4"}, {"number(' 12 ')", "12"},
	      {"number('1e3')", "NaN"}, {"number('+1')", "NaN"}, {"number('')", "NaN"},
	      {"number('.')", "NaN"}, {"number('-')", "NaN"}, {"number('-.5')", "-0.5"},
	      {"number('1 2')", "NaN"}, {"number(true())", "1"}, {"round(2.5)", "3"}, {"round(-2.5)", "-2"},
	      {"round(0.49999999999999994)", "0"}, {"round(-0.2)", "0"}, {"1 div round(-0.2)", "-Infinity"},
	      {"round(0 div 0)", "NaN"}, {"round(1 div 0)", "Infinity"}, {"round(-1 div 0)", "-Infinity"},
	      {"floor(-1.5)", "-2"}, {"ceiling(-1.5)", "-1"}, {"1 div ceiling(-0.5)", "-Infinity"},
	      {"floor(1.5)", "1"}, {"6 div 4", "1.5"});
}

static void booleans(void **state)
{
	(void)state;
	CHECK(NULL, {"true()", "true"}, {"boolean(0)", "false"}, {"boolean(0 div 0)", "false"},
	      {"boolean('')", "false"}, {"boolean('false')", "true"}, {"not(1)", "false"},
	      {"1 = 1.0", "true"}, {"'1' = 1", "true"}, {"'a' = 'a'", "true"}, {"'a' != 'b'", "true"},
	      {"'a' < 'b'", "false"}, {"'1' < '2'", "true"}, {"0 div 0 = 0 div 0", "false"},
	      {"0 div 0 != 0 div 0", "true"}, {"true() = 'x'", "true"}, {"true() > false()", "true"},
	      {"1 < 2 < 3", "true"}, {"3 > 2 > 1", "false"}, {"1 = 1 = 1", "true"},
	      {"true() or 1 div 0", "true"}, {"false() and true()", "false"},
	      {"1 and 'x' and true()", "true"}, {"false() or false() or 0", "false"}, {"lang('en')", "false"},
	      {"2 >= 2", "true"}, {"2 <= 1", "false"});
}

static void strings(void **state)
{
	(void)state;
	CHECK(NULL, {"substring('12345', 2, 3)", "234"}, {"substring('12345', 2)", "2345"},
	      {"substring('12345', 1.5, 2.6)", "234"}, {"substring('12345', 0, 3)", "12"},
	      {"substring('12345', 0 div 0, 3)", ""}, {"substring('12345', 1, 0 div 0)", ""},
	      {"substring('12345', -42, 1 div 0)", "12345"}, {"substring('12345', -1 div 0, 1 div 0)", ""},
	      {"substring('12345', -1 div 0)", "12345"}, {"substring('12345', 1 div 0)", ""},
	      {"substring('12345', 6)", ""}, {"substring('12345', 5)", "5"}, {"substring('12345', 3, 0)", ""},
	      {"substring('12345', 3, -1)", ""}, {"substring('', 1)", ""},
	      {"substring('h\u00e9llo', 2, 2)", "\u00e9l"}, {"string-length('h\u00e9llo')", "5"},
	      {"string-length('')", "0"}, {"concat('a', 1, true())", "a1true"}, {"concat('', '')", ""},
	      {"starts-with('abc', 'ab')", "true"}, {"starts-with('abc', '')", "true"},
	      {"starts-with('a', 'ab')", "false"}, {"contains('abc', 'bc')", "true"},
	      {"contains('abc', '')", "true"}, {"contains('', 'a')", "false"},
	      {"substring-before('1999/04/01', '/')", "1999"}, {"substring-before('abc', 'x')", ""},
	      {"substring-after('1999/04/01', '/')", "04/01"}, {"substring-after('abc', '')", "abc"},
	      {"substring-after('abc', 'c')", ""}, {"normalize-space('  a  b\t\nc ')", "a b c"},
	      {"normalize-space('   ')", ""}, {"translate('bar', 'abc', 'ABC')", "BAr"},
	      {"translate('--aaa--', 'abc-', 'ABC')", "AAA"}, {"translate('aba', 'aa', 'xy')", "xbx"},
	      {"translate('\u00e9a', '\u00e9', '\u20ac')", "\u20aca"},
	      {"string(1 div 3)", "0.3333333333333333"}, {"\"it's\"", "it's"}, {"'say \"x\"'", "say \"x\""});
}

static const char small_tree[] = "c/a = hello\nc/n = 42\nc/ll = x\nc/ll = y\nc/extra = aug\n"
				 "t/l[a]/v = 1\nt/l[a]/w = 10\nt/l[b]/v = 2\nt/l[b]/w = 20\nt/l[c]/v = 2\n"
				 "t/l[a]/s[1][p]/z = 1p\nt/l[a]/s[1][q]/z = 1q\nt/l[b]/s[10][p]/z = 10p\n"
				 "t/l[b]/s[2][p]/z = 2p\n"
				 "t/num[5]/v = five\nt/num[-3]/v = minus\nt/num[20]/v = twenty\n"
				 "t/ref = b\nt/refs = a\nt/refs = c\nt/refs = zz\n";

static void axes(void **state)
{
	(void)state;
	fixture_tree(&f, small_tree);
	CHECK(NULL, {"c/a", "hello"}, {"/m:c/m:a", "hello"}, {"/m:c/oo:extra", "aug"}, {"/m:c/m:extra", ""},
	      {"/m:c/oo:*", "aug"}, {"count(/m:c/*)", "8"}, {"t/l/k", "a b c"}, {"t/num/i", "-3 5 20"},
	      {"//v", "1 2 2 minus five twenty"}, {"//s/z", "1p 1q 2p 10p"},
	      {"/descendant::z", "1p 1q 2p 10p"}, {"t/l[2]/k", "b"}, {"t/l[last()]/k", "c"},
	      {"t/l[position() > 1]/k", "b c"}, {"(t/l/k)[2]", "b"}, {"(//z)[last()]", "10p"},
	      {"t/l/s[1]/z", "1p 2p"}, {"(t/l/s)[1]/z", "1p"}, {"t/l[v = 2][1]/k", "b"},
	      {"t/l[v = 2][2]/k", "c"}, {"t/l[2][v = 1]/k", ""}, {"t/l[s/z = '10p']/k", "b"},
	      {"t/l[k = 'b']/preceding-sibling::l/k", "a"}, {"t/l[k = 'a']/following-sibling::l/k", "b c"},
	      {"t/l[k = 'c']/preceding-sibling::l[1]/k", "b"},
	      {"t/l[k = 'b']/following-sibling::num/i", "-3 5 20"}, {"t/l/v/..", "l l l"},
	      {"t/l/v/../k", "a b c"}, {"//z/ancestor::l/k", "a b"},
	      {"t/l[k = 'a']/s/ancestor-or-self::*", "t l s s"}, {"//z[. = '1q']/ancestor::*[1]", "s"},
	      {"//z[. = '1q']/ancestor::*[2]/k", "a"}, {"t/l[k='b']/k/following::z", "2p 10p"},
	      {"t/l[k='b']/preceding::z", "1p 1q"}, {"t/l[k='b']/s[1]/preceding::*[1]", "20"},
	      {"t/ref/preceding::i", "-3 5 20"}, {"count(/)", "1"}, {"count(//.)", "89"},
	      {"count(//.) = 1 + count(//*) + count(//text())", "true"}, {"c/a/text()", "hello"},
	      {"c/a/text()/..", "hello"}, {"count(c/a/node())", "1"}, {"name(c/a/text())", ""}, {"c/@x", ""},
	      {"c/namespace::*", ""}, {"c/comment()", ""}, {"c/processing-instruction('x')", ""},
	      {"t/l/self::l/k", "a b c"}, {"t/l/self::num", ""}, {"t/l/descendant-or-self::l/k", "a b c"},
	      {"./t/./ref", "b"}, {"/t/ref/../..", "/"}, {"/..", ""}, {"c/attribute::*", ""},
	      {"c/a/attribute::node()", ""}, {"t/l/v/parent::l/k", "a b c"}, {"t/l/v/parent::num", ""},
	      {"t/child::l/child::k", "a b c"}, {"/parent::node()", ""},
	      {"t/l/k | t/num/i | t/l/v", "a 1 b 2 c 2 -3 5 20"}, {"t/ref | t/ref", "b"},
	      {"nothing/at/all", ""}, {"(t/l | t/num)/v", "1 2 2 minus five twenty"},
	      {"//l//z[../x = 10]", "10p"}, {"//*[. = 'five']", "five"}, {"t/l/s/../../ref", "b"},
	      {"t/*[self::l or self::num]/v", "1 2 2 minus five twenty"});
	CHECK(fixture_find(&f, "/t/l[k='b']/v"), {".", "2"}, {"../k", "b"}, {"current()/../k", "b"},
	      {"../../l[k != current()/../k]/k", "a c"}, {"count(../../l)", "3"},
	      {"count(../preceding-sibling::*)", "1"}, {"../s[x = 2]/z", "2p"},
	      {"/t/l[v = current()]/k", "b c"}, {"string()", "2"}, {"number() + 1", "3"},
	      {"string-length()", "1"}, {"local-name()", "v"}, {"name(..)", "m:l"},
	      {"namespace-uri(/c/oo:extra)", "urn:o"}, {"normalize-space()", "2"},
	      {"string(..)", "b2202p2p10p10p"});
}

static void comparisons(void **state)
{
	(void)state;
	fixture_tree(&f, small_tree);
	CHECK(NULL, {"t/l/v = 2", "true"}, {"t/l/v = '2'", "true"}, {"t/l/v != 2", "true"},
	      {"t/l/v = 3", "false"}, {"t/l/v > 1", "true"}, {"t/l/v > 2", "false"}, {"2 < t/l/w", "true"},
	      {"20 < t/l/w", "false"}, {"t/l/w >= t/num/i", "true"}, {"t/l[k='b']/w < t/num/i", "false"},
	      {"t/l[k='a']/w < t/num/i", "true"}, {"t/l/k = t/refs", "true"}, {"t/l/k != t/refs", "true"},
	      {"t/l[k='a']/k != t/refs[. = 'a']", "false"}, {"t/l[k='a']/k = t/refs[. = 'c']", "false"},
	      {"t/nothing = t/l/k", "false"}, {"t/nothing != t/l/k", "false"}, {"t/nothing = ''", "false"},
	      {"t/nothing = false()", "true"}, {"t/l = true()", "true"}, {"t/l != false()", "true"},
	      {"t/l/k < 'a'", "false"}, {"c/a = c/a", "true"}, {"c/a != c/a", "false"},
	      {"t/l/v != t/l/v", "true"}, {"not(t/l/v = 2)", "false"}, {"t/l = 'a1101p1p1q1q'", "true"},
	      {"string(t/l)", "a1101p1p1q1q"}, {"t/l/v = (t/l/w | t/num/i | t/l/v)", "true"},
	      {"t/num/v = (//z | //k | //y | //x | //w | //v)", "true"},
	      {"//z = (//k | //y | //x | //w | //v | c/*)", "false"}, {"sum(t/l/w)", "30"},
	      {"sum(t/l/k)", "NaN"}, {"sum(t/none)", "0"}, {"count(t/l)", "3"}, {"count(t/l/s)", "4"},
	      {"count(t/l[k='a']/s)", "2"}, {"count(//s)", "4"}, {"count(//*/ll)", "2"},
	      {"count(//*/s)", "4"}, {"count((t | t/l)/s)", "4"}, {"count(c/ll)", "2"}, {"count(c/lld)", "2"},
	      {"count((t/l | t/num)/v)", "6"}, {"count((t | t)/l)", "3"}, {"count(t/l/..)", "1"},
	      {"count(t/l/../num)", "3"}, {"id('a')", ""}, {"string(t/none)", ""},
	      {"concat(t/l/k, t/l[2]/k)", "ab"});
}

static void defaults(void **state)
{
	(void)state;
	fixture_tree(&f, "");
	CHECK(NULL, {"c/d", "dflt"}, {"c/lld", "3 1"}, {"c/p", ""}, {"//inner", ""}, {"boolean(c)", "true"},
	      {"count(c/*)", "3"}, {"c/lld = 1", "true"}, {"c/d = 'dflt'", "true"}, {"c/lld[2]", "1"});
	fixture_tree(&f, "c/p\nc/d = set\nc/lld = 9\n");
	CHECK(NULL, {"c/d", "set"}, {"c/lld", "9"}, {"c/p/inner", "deep"}, {"string(c)", "set9deep"});
}

static void lookups(void **state)
{
	(void)state;
	fixture_tree(&f, small_tree);
	CHECK(NULL, {"t/l[k='b']/v", "2"}, {"t/l['b' = k]/v", "2"}, {"t/l[m:k='b']/v", "2"},
	      {"t/l[./k='b']/v", "2"}, {"t/l[k=/t/ref]/v", "2"}, {"t/l[k=concat('', 'b')]/v", "2"},
	      {"t/l[k='zz']/v", ""}, {"t/l[k='b' and v=2]/k", "b"}, {"t/l[k='b' and v=1]/k", ""},
	      {"t/l[v=2][k='b']/k", "b"}, {"t/l[k='b'][1]/k", "b"}, {"t/l[k='b'][2]/k", ""},
	      {"t/l[k='b'][last()]/k", "b"}, {"t/l[2][k='b']/k", "b"}, {"t/l[1][k='b']/k", ""},
	      {"t/l[k='b' and 2]/k", "b"}, {"t/l[k='b' and 0]/k", ""}, {"t/l[k='a' and k='b']/k", ""},
	      {"t/l[k='a' or k='b']/k", "a b"}, {"t/l[k=/t/refs]/k", "a c"}, {"t/l[k=/t/refs][2]/k", "c"},
	      {"t/l[k=/t/none]/k", ""}, {"t/num[i=5]/v", "five"}, {"t/num[i='5']/v", "five"},
	      {"t/num[i='05']/v", ""}, {"t/num[i=5.5]/v", ""}, {"t/num[i=-3]/v", "minus"},
	      {"t/num[i='-3']/v", "minus"}, {"t/num[i='-0']/v", ""}, {"t/num[i=99999999]/v", ""},
	      {"t/num[i='abc']/v", ""}, {"t/num[i=0 div 0]/v", ""}, {"t/num[i=/t/l/w]/v", "twenty"},
	      {"t/num[i='']/v", ""}, {"t/num[i=true()]/v", "minus five twenty"},
	      {"t/l[k='a']/s[x=1][y='q']/z", "1q"}, {"t/l[k='a']/s[y='q' and x=1]/z", "1q"},
	      {"t/l/s[x=1][y='p']/z", "1p"}, {"t/l/s[x='10' and y='p']/z", "10p"},
	      {"t/l[k='a']/s[x=1]/z", "1p 1q"}, {"/t/l[k='a']/s[x=/t/none][y='q']/z", ""},
	      {"/t/l/s[y=/t/l/s/y][x=/t/l/s/x]/z", "1p 1q 2p 10p"}, {"t/refs[. = 'c']", "c"},
	      {"t/refs = 'c'", "true"}, {"t/refs = 'd'", "false"}, {"c/lld = 3", "true"},
	      {"c/lld = '3'", "true"}, {"c/ll = 'y'", "true"}, {"t/l/k = 'b'", "true"},
	      {"t/l/k = 'q'", "false"}, {"t/num/i = '5'", "true"}, {"t/num/i = 'x'", "false"},
	      {"t/l/s[x = 1]/y = 'q'", "true"}, {"t/l/s[x = 2]/y = 'q'", "false"},
	      {"'q' = t/l/s[x = 1]/y", "true"}, {"t/l[2]/k = 'a'", "false"}, {"t/l[2]/k = 'b'", "true"},
	      {"t/l[v = 2]/k = 'a'", "false"});
	fixture_tree(&f, "t/ik[dog]/v = d\nt/ik[o:cat]/v = c\nt/dk[1.5]/v = x\nt/dk[2]/v = y\n");
	CHECK(NULL, {"t/ik[i='dog']/v", "d"}, {"t/ik[i='m:dog']/v", "d"}, {"t/ik[i='oo:cat']/v", "c"},
	      {"t/ik[i='cat']/v", ""}, {"t/ik[i='o:cat']/v", "c"}, {"t/ik[i=concat('o:','cat')]/v", "c"},
	      {"t/dk[i='1.5']/v", "x"}, {"t/dk[i=1.5]/v", "x"}, {"t/dk[i='1.50']/v", ""},
	      {"t/dk[i='2.0']/v", "y"}, {"t/dk[i=2]/v", "y"}, {"t/dk[i='2']/v", ""},
	      {"t/dk[i='junk']/v", ""});
}

static void yang_functions(void **state)
{
	(void)state;
	fixture_tree(
		&f, "c/e = blue\nc/bits = x r\nc/id = puppy\nc/un = o:cat\nc/dec = 1.50\n"
		    "t/l[a]/v = 1\nt/l[b]/v = 2\nt/l[b]/s[1][p]/z = here\nt/ref = b\nt/refs = a\nt/sref = p\n"
		    "t/ii = /m:t/m:l[m:k='b']/m:v\n");
	CHECK(NULL, {"enum-value(c/e)", "9"}, {"enum-value(c/a)", "NaN"}, {"enum-value(c/none)", "NaN"},
	      {"bit-is-set(c/bits, 'r')", "true"}, {"bit-is-set(c/bits, 'w')", "false"},
	      {"bit-is-set(c/bits, '')", "false"}, {"bit-is-set(c/e, 'blue')", "false"}, {"c/bits", "r x"},
	      {"derived-from(c/id, 'dog')", "true"}, {"derived-from(c/id, 'm:puppy')", "false"},
	      {"derived-from-or-self(c/id, 'm:puppy')", "true"}, {"derived-from(c/id, 'rock')", "false"},
	      {"derived-from(c/id, 'xx:dog')", "false"}, {"derived-from(c/un, 'm:animal')", "true"},
	      {"derived-from(c/none, 'm:animal')", "false"}, {"derived-from-or-self(c/un, 'oo:cat')", "true"},
	      {"derived-from(c/id, concat('do','g'))", "true"},
	      {"derived-from(c/id, concat('m:do','g'))", "true"}, {"c/id = 'puppy'", "true"},
	      {"c/id = 'm:puppy'", "true"}, {"c/id != 'm:puppy'", "false"}, {"c/un = 'oo:cat'", "true"},
	      {"c/un = 'o:cat'", "true"}, {"'oo:cat' = c/un", "true"}, {"//id = 'puppy'", "true"},
	      {"string(c/id) = 'm:puppy'", "true"}, {"c/dec", "1.5"}, {"c/dec = 1.5", "true"},
	      {"deref(t/ref)/../v", "2"}, {"deref(t/ref)", "b"}, {"deref(t/refs)/../v", "1"},
	      {"deref(t/none)", ""}, {"deref(c/a)", ""}, {"deref(t/sref)/../z", "here"}, {"deref(t/ii)", "2"},
	      {"deref(t/ii)/../k", "b"}, {"deref(deref(t/ref)/../k)", ""}, {"count(deref(t/ref)/../s)", "1"},
	      {"re-match('1.22.333', '\\d{1,3}\\.\\d{1,3}\\.\\d{1,3}')", "true"},
	      {"re-match('xabc', 'abc')", "false"}, {"re-match('abc\n', 'abc')", "false"},
	      {"re-match('a$b^', 'a$b^')", "true"}, {"re-match('', '')", "true"},
	      {"re-match('ab', concat('a','b'))", "true"}, {"re-match('ab', concat('a','('))", "false"},
	      {"re-match('eth0', '[a-z]+\\d')", "true"}, {"re-match('_x-1', '\\i\\c*')", "true"},
	      {"re-match('-x', '\\i\\c*')", "false"}, {"re-match('\u00e9', '\\p{L}')", "true"},
	      {"re-match('a', '\\P{L}')", "false"},
	      {"re-match('\u00e9', '\\p{IsLatin-1Supplement}')", "true"},
	      {"re-match('a-z', '[a\\-z]+')", "true"}, {"re-match('^', '[\\^x]')", "true"},
	      {"re-match('a b', '\\S+\\s\\S+')", "true"}, {"re-match('-', '[+-]')", "true"},
	      {"re-match('&', '[^a-z]')", "true"}, {"re-match('ab', 'a|b')", "false"},
	      {"re-match('a\nb', 'a.b')", "false"}, {"re-match('a#b', 'a#b')", "true"},
	      {"re-match('a/b', 'a\\/b')", "true"});
}

static const char *const refusals[] = {
	"",
	" ",
	"(",
	")",
	"1 +",
	"+ 1",
	"a b",
	"a/",
	"a//",
	"//",
	"/a/",
	"a[",
	"a[]",
	"a]",
	"a[1",
	"f()",
	"m:count(a)",
	"count()",
	"count(1)",
	"count(a, b)",
	"sum('x')",
	"concat('a')",
	"true(1)",
	"not()",
	"1/a",
	"'a'[1]",
	"1 | a",
	"a | 1",
	"$x",
	"$x/a",
	"'abc",
	"\"abc",
	"xx:a",
	"xx:*",
	"m:",
	":a",
	"a:b:c",
	"foo::a",
	"child::",
	"a::b",
	"child::1",
	"m:child::a",
	"@",
	"a!b",
	"a = = b",
	"a,b",
	"..a",
	"...",
	"1..2",
	"a and",
	"or or",
	"a div",
	"id()",
	"lang()",
	"current(1)",
	"deref(1)",
	"re-match('a', '(')",
	"re-match('a', 'a**')",
	"re-match('a', '[a-z-[aeiou]]')",
	"re-match('a', '(?i)a')",
	"re-match('a', 'a+?')",
	"re-match('a', '\\q')",
	"re-match('a', '\\')",
	"re-match('a', '[')",
	"re-match('a', '[]')",
	"re-match('a', 'a)')",
	"re-match('a', '*')",
	"re-match('a', 'a{2')",
	"re-match('a', 'a{x}')",
	"re-match('a', '\\p{Foo}')",
	"re-match('a', '\\p{Q}')",
	"re-match('a', '\\pL')",
	"re-match('a', '[b-a]')",
	"a\x01",
	"processing-instruction(x)",
	"text(1)",
	"node(",
	"substring('a')",
	"round()",
	"position(1)",
	"last(1)",
};

static void refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++) {
		struct xpath_error error = {0};
		bool ok = fixture_compile(&f, f.schema->root, refusals[i], &error) != NULL;
		if (ok)
			print_message("accepted: %s\n", refusals[i]);
		assert_false(ok);
		assert_true(error.message[0] != '\0');
		assert_true(error.offset <= strlen(refusals[i]));
	}
	/* A byte 0 is an error like any other. */
	struct xpath_scope scope = {.schema = f.schema, .context = f.schema->root};
	const struct xpath_expr *expr;
	assert_int_equal(xpath_compile(&scope, (struct bytes){"1\0", 2}, f.arena, NULL, &expr), ST_REJECTED);
}

static void names_that_are_operators(void **state)
{
	(void)state;
	CHECK(NULL, {"div div div", "NaN"}, {"and or or", "false"}, {"count(div) * count(* )", "0"},
	      {"4*4", "16"}, {"mod mod mod", "NaN"}, {"child :: c / a", ""}, {"count ( c )", "1"},
	      {"/ = 'x'", "false"}, {"- - - 1", "-1"});
}

static char *repeat(const char *start, const char *part, const char *end, size_t count)
{
	size_t size = strlen(part);
	char *text = arena_alloc(f.arena, strlen(start) + count * size + strlen(end) + 1), *at = text;
	at = stpcpy(at, start);
	for (size_t i = 0; i < count; i++)
		at = stpcpy(at, part);
	strcpy(at, end);
	return text;
}

static void deep_and_long(void **state)
{
	(void)state;
	struct xpath_error error;
	const struct schema_node *root = f.schema->root;
	char *inner = repeat("1", ")", "", 99);
	assert_non_null(fixture_compile(&f, root, repeat("", "(", inner, 99), &error));
	inner = repeat("1", ")", "", 101);
	assert_null(fixture_compile(&f, root, repeat("", "(", inner, 101), &error));
	assert_non_null(strstr(error.message, "deep"));
	inner = repeat("1", ")", "", 200000);
	assert_null(fixture_compile(&f, root, repeat("", "(", inner, 200000), &error));
	assert_null(fixture_compile(&f, root, repeat("", "not(", "1", 100000), &error));
	assert_null(fixture_compile(&f, root, repeat("", "c[", "1", 100000), &error));
	assert_null(fixture_compile(&f, root, repeat("c", "/.", "", 100000), &error));
	assert_null(fixture_compile(&f, root, repeat("1", "+1-1", "", 100000), &error));
	assert_null(fixture_compile(&f, root, repeat("1", "=1", "", 100000), &error));
	assert_null(fixture_compile(&f, root, repeat("1", "1", "", 2000000), &error));
	assert_non_null(fixture_compile(&f, root, repeat("", "-", "1", 100000), &error));
	CHECK(NULL, {repeat("1", " or 1", "", 10000), "true"}, {repeat("0", " or 0", "", 10000), "false"},
	      {repeat("1", " and 1", "", 10000), "true"}, {repeat("c/a", "|c/a", "", 2000), ""},
	      {repeat("1", "+1", "", 300), "301"});
	/* The highest there can be also evaluate. */
	CHECK(NULL, {repeat("count(c", "/././.", "/a)", 130), "0"},
	      {repeat("count(", "self::node()[./self::node()/.]/self::node()[", repeat("1", "]", ")", 95),
		      95),
	       "1"});
	/* Keys inside keys are traced once. */
	char *keys = repeat("'a'", "]/k", "", 50);
	assert_non_null(fixture_compile(&f, root, repeat("", "/t/l[k=", keys, 50), &error));
}

static enum status run(const char *expression, uint64_t steps, uint64_t max_nodes)
{
	const struct xpath_expr *expr = fixture_compile(&f, f.schema->root, expression, NULL);
	assert_non_null(expr);
	struct xpath_limits limits = {.steps = steps, .max_nodes = max_nodes};
	struct xpath_env env = {.schema = f.schema,
				.root = f.root,
				.arena = f.arena,
				.limits = &limits,
				.view = TREE_WITH_DEFAULTS};
	struct xpath_value value;
	return xpath_eval(expr, &env, &f.root_position, &value);
}

static void limits(void **state)
{
	(void)state;
	fixture_tree(&f, small_tree);
	assert_int_equal(run("count(//v)", 1000, 100), ST_OK);
	assert_int_equal(run("count(//*)", 20, 100), ST_LIMIT);
	assert_int_equal(run("//*", 100000, 5), ST_LIMIT);
	assert_int_equal(run("//*[//*[//*[//*[//*[. = 'nope']]]]]", 100000, 1000), ST_LIMIT);
	assert_int_equal(run(repeat("t/l", "/../l", "", 100), 1000000, 100), ST_OK);
	assert_int_equal(run("1 + 1", 1, 1), ST_LIMIT);
	assert_int_equal(
		run("re-match('aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', '(a|a)*(b|c)')", 100000000, 10),
		ST_LIMIT);
	assert_int_equal(run("count(t/l)", 10, 1), ST_OK);
	assert_int_equal(run("t/l[k = 'b']/v", 10, 1), ST_OK);
}

struct interrupt {
	struct xpath_interrupt interrupt;
	unsigned asked, most;
};

static bool is_due(struct xpath_interrupt *self)
{
	struct interrupt *interrupt = (struct interrupt *)self;
	return ++interrupt->asked > interrupt->most;
}

static enum status run_limits(const char *expression, struct xpath_limits *bounds)
{
	const struct xpath_expr *expr = fixture_compile(&f, f.schema->root, expression, NULL);
	assert_non_null(expr);
	struct xpath_env env = {.schema = f.schema,
				.root = f.root,
				.arena = f.arena,
				.limits = bounds,
				.view = TREE_WITH_DEFAULTS};
	bool value;
	return xpath_eval_boolean(expr, &env, &f.root_position, &value);
}

/* Every some thousand steps somebody may end it, and so may its time; a short one is not asked for. */
static void time_and_interrupt(void **state)
{
	(void)state;
	static const char hog[] = "//*[//*[//*[//*[//*[//*[//*[. = 'nope']]]]]]]";
	fixture_tree(&f, small_tree);
	struct interrupt interrupt = {{is_due}, 0, 10};
	struct xpath_limits bounds = {
		.steps = UINT64_MAX, .max_nodes = 1000, .interrupt = &interrupt.interrupt};
	assert_int_equal(run_limits("count(//v) > 0", &bounds), ST_OK);
	assert_true(interrupt.asked <= 1);
	interrupt.asked = 0;
	assert_int_equal(run_limits(hog, &bounds), ST_LIMIT);
	assert_int_equal(bounds.stop, XPATH_INTERRUPTED);
	assert_int_equal(interrupt.asked, 11);
	assert_true(UINT64_MAX - bounds.steps < 20 * 4096);
	bounds = (struct xpath_limits){
		.steps = UINT64_MAX, .max_nodes = 1000, .due_ns = os_clock_thread_ns() + 20 * 1000 * 1000};
	assert_int_equal(run_limits(hog, &bounds), ST_LIMIT);
	assert_int_equal(bounds.stop, XPATH_OUT_OF_TIME);
	uint64_t ended_ns = os_clock_thread_ns();
	assert_true(ended_ns >= bounds.due_ns && ended_ns < bounds.due_ns + 200 * 1000 * 1000);
	/* Steps are still what they were. */
	bounds = (struct xpath_limits){.steps = 5000, .max_nodes = 1000, .due_ns = UINT64_MAX};
	assert_int_equal(run_limits(hog, &bounds), ST_LIMIT);
	assert_int_equal(bounds.stop, XPATH_GOES_ON);
}

/* Texts of inner nodes that are compared, added up or sought take the memory of one. */
static void texts_that_pass(void **state)
{
	(void)state;
	static const char *const expressions[] = {"//*[//*[//*[. = 'nope']]]", "//*[//*[//*[. < -1]]]",
						  "//*[//*[//*[-1 > //*]]]", "//*[//*[sum(//*) = 'nope']]"};
	fixture_tree(&f, small_tree);
	for (size_t i = 0; i < sizeof(expressions) / sizeof(expressions[0]); i++) {
		struct arena *arena = arena_new();
		struct xpath_limits bounds = {.steps = UINT64_MAX, .max_nodes = 1000};
		struct xpath_env env = {.schema = f.schema,
					.root = f.root,
					.arena = arena,
					.limits = &bounds,
					.memory = 16384,
					.view = TREE_WITH_DEFAULTS};
		struct xpath_value value;
		const struct xpath_expr *expr = fixture_compile(&f, f.schema->root, expressions[i], NULL);
		if (xpath_eval(expr, &env, &f.root_position, &value) != ST_OK)
			fail_msg("%s: %zu bytes", expressions[i], arena_size(arena));
		arena_free(arena);
	}
}

/* A lookup visits one entry, not all. */
static void lookup_cost(void **state)
{
	(void)state;
	struct tree_builder *builder = tree_builder_new(f.schema, f.root, NULL);
	const struct schema_node *t = fixture_node(&f, "t"), *list = fixture_node(&f, "t/l");
	tree_builder_enter(builder, t);
	for (int i = 0; i < 20000; i++) {
		char name[16];
		bool made;
		struct value key = value_new(
			(struct bytes){name, (size_t)snprintf(name, sizeof(name), "name-%06d", i)}, 0);
		tree_builder_enter_entry(builder, list, &key, &made);
		tree_builder_set_leaf(builder, list->children[1], key);
		tree_builder_leave(builder);
		value_unref(key);
	}
	tree_builder_leave(builder);
	tree_record_unref(f.root, f.schema->root, NULL);
	f.root = tree_builder_finish(builder);
	f.root_position = tree_position_root(f.schema, f.root);
	assert_int_equal(run("t/l[k = 'name-012345']/v = 'name-012345'", 20, 10), ST_OK);
	assert_int_equal(run("t/l/k = 'name-012345'", 20, 10), ST_OK);
	assert_int_equal(run("count(t/l) > 10000", 20, 10), ST_OK);
	assert_int_equal(run("t/l[3]/v", 20, 10), ST_OK);
	assert_int_equal(run("boolean(t/l)", 20, 10), ST_OK);
	assert_int_equal(run("not(t/l[k = /t/l[k = 'name-000001']/v])", 20, 10), ST_OK);
	assert_int_equal(run("t/l[v = 'name-012345']", 1000, 10), ST_LIMIT);
	assert_string_equal(fixture_eval(&f, NULL, "count(t/l)"), "20003");
	assert_string_equal(fixture_eval(&f, NULL, "t/l[k = t/l/k]/k"), "");
}

static void exists(void **state)
{
	(void)state;
	fixture_tree(&f, small_tree);
	static const struct {
		const char *path, *text;
		bool result;
	} cases[] = {
		{"/t/l/k", "b", true},	       {"/t/l/k", "q", false},	       {"/t/l/v", "2", true},
		{"/t/l/v", "9", false},	       {"/t/refs", "c", true},	       {"/t/refs", "d", false},
		{"/t/num/i", "5", true},       {"/t/num/i", "05", false},      {"/t/l[v = 1]/k", "a", true},
		{"/t/l[v = 1]/k", "b", false}, {"/c/lld", "3", true},	       {"/c/lld", "4", false},
		{"/c/d", "dflt", true},	       {"/t/l/s[x = 1]/y", "q", true}, {"/t/l/s/y", "q", true},
		{"/t/l | /c/d", "dflt", true},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct xpath_expr *expr = fixture_compile(&f, f.schema->root, cases[i].path, NULL);
		struct xpath_limits bounds = {.steps = 1000, .max_nodes = 100};
		struct xpath_env env = {.schema = f.schema,
					.root = f.root,
					.arena = f.arena,
					.limits = &bounds,
					.view = TREE_WITH_DEFAULTS};
		bool result;
		assert_int_equal(
			xpath_eval_exists(expr, &env, &f.root_position, bytes_of(cases[i].text), &result),
			ST_OK);
		assert_int_equal(result, cases[i].result);
	}
}

/* Without a context node, and with names in any module, as in filters. */
static void unknown_context(void **state)
{
	(void)state;
	fixture_tree(&f, small_tree);
	static const struct expected cases[] = {{"/c/extra", "aug"},
						{"c/extra", "aug"},
						{"/c/a", "hello"},
						{"//extra", "aug"},
						{"t/l[k='b']/v", "2"},
						{"*[l]/ref", "b"},
						{"t/l/k | c/extra", "aug a b c"}};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct xpath_scope scope = {.schema = f.schema};
		const struct xpath_expr *expr;
		assert_int_equal(xpath_compile(&scope, bytes_of(cases[i].expression), f.arena, NULL, &expr),
				 ST_OK);
		struct xpath_limits bounds = {.steps = 1000, .max_nodes = 100};
		struct xpath_env env = {.schema = f.schema,
					.root = f.root,
					.arena = f.arena,
					.limits = &bounds,
					.view = TREE_WITH_DEFAULTS};
		struct xpath_value value;
		assert_int_equal(xpath_eval(expr, &env, &f.root_position, &value), ST_OK);
		const char *text = "";
		for (size_t j = 0; j < value.length; j++) {
			struct bytes leaf = value_bytes(&value.nodes[j]->value);
			text = arena_printf(f.arena, "%s%s%.*s", text, j == 0 ? "" : " ", (int)leaf.size,
					    leaf.data);
		}
		assert_string_equal(text, cases[i].result);
	}
}

/* What stands for an instance-identifier is read with the expression's prefixes, as an identity is; other
 * types have a canonical form, and another is another text (RFC 7950 6.4, 9.13.2). */
static void literals_of_instances(void **state)
{
	(void)state;
	fixture_tree(&f,
		     "t/jk[/m:c/m:a]/v = a\nt/jk[/m:c/o:a]/v = other\nt/uk[/m:c/m:a]/v = u\nt/uk[7]/v = n\n"
		     "t/ii = /m:t/m:l[m:k='b']/m:v\nc/bits = x r\nc/dec = 1.50\n");
	CHECK(NULL, {"t/jk[i='/m:c/m:a']/v", "a"}, {"t/jk[i='/m:c/oo:a']/v", "other"},
	      {"t/jk[i=' /m:c/m:a ']/v", "a"}, {"t/jk[i='/oo:c/m:a']/v", ""}, {"t/jk[i='/m:c/none:a']/v", ""},
	      {"t/jk[i=concat('/m:c', '/a')]/v", "a"}, {"t/jk[i='junk']/v", ""}, {"t/jk[i='7']/v", ""},
	      {"t/uk[i='/m:c/m:a']/v", "u"}, {"t/uk[i='7']/v", "n"}, {"t/uk[i='07']/v", ""},
	      {"t/jk[v='a' and i='/m:c/m:a']/v", "a"}, {"//jk[i != '/m:c/m:a']/v", "other"},
	      {"t/ii = \"/m:t/m:l[m:k='b']/m:v\"", "true"}, {"t/ii != \"/m:t/m:l[m:k='b']/m:v\"", "false"},
	      {"'/m:t/m:l[m:k=\"b\"]/m:v' = t/ii", "true"}, {"t/ii = \"/m:t/m:l[m:k='c']/m:v\"", "false"},
	      {"count(//*[. = '/m:c/m:a'])", "2"}, {"c/bits = 'r x'", "true"}, {"c/bits = 'x r'", "false"},
	      {"c/dec = '1.5'", "true"}, {"c/dec = '1.50'", "false"});
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers),
		cmocka_unit_test(booleans),
		cmocka_unit_test(strings),
		cmocka_unit_test(axes),
		cmocka_unit_test(comparisons),
		cmocka_unit_test(defaults),
		cmocka_unit_test(lookups),
		cmocka_unit_test(yang_functions),
		cmocka_unit_test(refused),
		cmocka_unit_test(names_that_are_operators),
		cmocka_unit_test(deep_and_long),
		cmocka_unit_test(limits),
		cmocka_unit_test(time_and_interrupt),
		cmocka_unit_test(texts_that_pass),
		cmocka_unit_test(lookup_cost),
		cmocka_unit_test(exists),
		cmocka_unit_test(unknown_context),
		cmocka_unit_test(literals_of_instances),
	};
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
