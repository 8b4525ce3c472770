/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Constraints of each kind and class on small models of our own: what a change makes due elsewhere, what
 * implicit nodes bring with them, where the error points. Each case is judged incrementally and in full, with
 * the same result.
 */
#include "helper_model.h"

#include <stdlib.h>
#include <string.h>

#define MODULE(body) "module m {\n yang-version 1.1;\n namespace \"urn:m\";\n prefix m;\n" body "}\n"

static struct model model;

static void begin(const char *yang)
{
	model_init(&model, "m", yang);
}

static void end(void)
{
	model_fini(&model);
}

#define MUST(path, expression)                                                                               \
	"operation-failed must-violation " path " Must condition \"" expression "\" not satisfied.\n"
#define MISSING(path, name) "data-missing - " path " Mandatory node \"" name "\" instance does not exist.\n"
#define FEW(path, name) "operation-failed too-few-elements " path " Too few \"" name "\" instances.\n"
#define MANY(path, name) "operation-failed too-many-elements " path " Too many \"" name "\" instances.\n"
#define CHOICE(path, name)                                                                                   \
	"data-missing missing-choice " path " Mandatory choice \"" name                                      \
	"\" data do not exist. <missing-choice>" name "\n"
#define DANGLING(path, value, target)                                                                        \
	"data-missing instance-required " path " Invalid leafref value \"" value                             \
	"\" - no target instance \"" target "\" with the same value.\n"

static void test_local(void **state)
{
	(void)state;
	begin(MODULE(
		"container c {\n"
		"  must 'count(l) < 3' { error-message 'too much'; error-app-tag 'my-tag'; }\n"
		"  leaf a { type uint8; must '../b > .'; }\n"
		"  leaf b { type uint8; }\n"
		"  list l { key k; leaf k { type string; } leaf v { type uint8; must '. <= ../../b'; } }\n"
		"}\n"));
	const char *base = "c/a=3\nc/b=5\nc/l[x]/v=1\nc/l[y]/v=5\n";
	model_expect(&model, base, "c/b=6\n", "");
	model_expect(&model, base, "c/b=4\n", MUST("/m:c/m:l[m:k='y']/m:v", ". <= ../../b"));
	model_expect(&model, base, "-c/b\n",
		     MUST("/m:c/m:a", "../b > .") MUST("/m:c/m:l[m:k='x']/m:v", ". <= ../../b")
			     MUST("/m:c/m:l[m:k='y']/m:v", ". <= ../../b"));
	model_expect(&model, base, "c/l[z]\n", "operation-failed my-tag /m:c too much\n");
	model_expect(&model, base, "c/l[z]\n-c/l[x]\n", "");
	model_expect(&model, base, "c/a=9\n", MUST("/m:c/m:a", "../b > ."));
	model_expect(&model, base, "-c\n", "");
	end();
}

static void test_fan_out_below_list_entry(void **state)
{
	(void)state;
	begin(MODULE("list g { key n; leaf n { type string; } leaf max { type uint8; default 10; }\n"
		     "  list l { key k; leaf k { type string; } container c {\n"
		     "    leaf v { type uint8; must '. <= ../../../max'; } } } }\n"));
	const char *base = "g[1]/l[a]/c/v=8\ng[1]/l[b]/c/v=3\ng[2]/max=20\ng[2]/l[a]/c/v=20\n";
	model_expect(&model, base, "g[1]/max=5\n",
		     MUST("/m:g[m:n='1']/m:l[m:k='a']/m:c/m:v", ". <= ../../../max"));
	assert_int_equal(model.counters.musts, 2);
	model_expect(&model, base, "g[1]/max=10\n", "");
	assert_int_equal(model.counters.musts, 0);
	model_expect(&model, base, "-g[2]/max\n",
		     MUST("/m:g[m:n='2']/m:l[m:k='a']/m:c/m:v", ". <= ../../../max"));
	model_expect(&model, base, "-g[2]\n", "");
	assert_int_equal(model.counters.musts, 0);
	end();
}

static void test_keyed(void **state)
{
	(void)state;
	begin(MODULE("list t { key 'a b'; leaf a { type string; } leaf b { type uint16; } leaf on { type "
		     "boolean; } }\n"
		     "container u { list r { key 'x y'; leaf x { type uint16; } leaf y { type string; }\n"
		     "  must '/t[a=current()/y][b=current()/x]/on = \"true\"'; } }\n"
		     "container w { leaf id { type string; } leaf ok { type string;\n"
		     "  must '/t[a=current()/../id][b=\"7\"]'; } }\n"));
	const char *base =
		"t[p,1]/on=true\nt[p,7]/on=true\nt[q,1]/on=true\nu/r[1,p]\nu/r[1,q]\nw/id=p\nw/ok=yes\n";
	char *text = model_describe(&model);
	print_message("%s", text);
	assert_null(strstr(text, "scan"));
	free(text);
#define R "/t[a=current()/y][b=current()/x]/on = \"true\""
	model_expect(&model, base, "t[p,1]/on=false\n", MUST("/m:u/m:r[m:x='1'][m:y='p']", R));
	assert_int_equal(model.counters.musts, 1);
	/* The one in w is asked, once: it is cheaper to ask a single reader than to compare its selectors. */
	model_expect(&model, base, "t[p,2]/on=false\nt[p,3]/on=false\n", "");
	assert_int_equal(model.counters.musts, 1);
	model_expect(&model, base, "-t[q,1]\n", MUST("/m:u/m:r[m:x='1'][m:y='q']", R));
	model_expect(&model, base, "-t\n",
		     MUST("/m:u/m:r[m:x='1'][m:y='p']", R) MUST("/m:u/m:r[m:x='1'][m:y='q']", R)
			     MUST("/m:w/m:ok", "/t[a=current()/../id][b=\"7\"]"));
	model_expect(&model, base, "-t[p,7]\n", MUST("/m:w/m:ok", "/t[a=current()/../id][b=\"7\"]"));
	model_expect(&model, base, "w/id=q\n", MUST("/m:w/m:ok", "/t[a=current()/../id][b=\"7\"]"));
	model_expect(&model, base, "w/id=q\nt[q,7]/on=true\n", "");
	end();
}

static void test_scan(void **state)
{
	(void)state;
	begin(MODULE("list p { key k; leaf k { type string; } leaf addr { type string;\n"
		     "   must 'count(/p[addr = current()]) = 1' { error-message 'twice'; } } }\n"
		     "leaf total { type uint8; must '. >= sum(//size)'; }\n"
		     "container d { container e { list f { key k; leaf k { type string; } leaf size { type "
		     "uint8; } } } }\n"));
	const char *base = "p[a]/addr=1\np[b]/addr=2\ntotal=10\nd/e/f[x]/size=4\nd/e/f[y]/size=6\n";
	const char *twice = "operation-failed must-violation /m:p[m:k='a']/m:addr twice\n"
			    "operation-failed must-violation /m:p[m:k='b']/m:addr twice\n";
	model_expect(&model, base, "p[b]/addr=1\n", twice);
	assert_int_equal(model.counters.musts, 2);
	model_expect(&model, base, "p[b]/addr=1\np[a]/addr=2\n", "");
	model_expect(&model, base, "p[c]/addr=1\n",
		     "operation-failed must-violation /m:p[m:k='a']/m:addr twice\n"
		     "operation-failed must-violation /m:p[m:k='c']/m:addr twice\n");
	model_expect(&model, base, "d/e/f[z]/size=1\n", MUST("/m:total", ". >= sum(//size)"));
	model_expect(&model, base, "d/e/f[z]/size=1\n-d/e/f[x]\n", "");
	model_expect(&model, base, "-d\ntotal=0\n", "");
	end();
}

static void test_keyed_with_constant(void **state)
{
	(void)state;
	begin(MODULE("list t { key 'a b'; leaf a { type string; } leaf b { type uint16; } leaf on { type "
		     "boolean; } }\n"
		     "list r { key y; leaf y { type string; must '/t[a=current()][b=\"7\"]/on = \"true\"'; } "
		     "}\n"));
	const char *base = "t[p,7]/on=true\nt[q,7]/on=true\nt[p,1]/on=true\nr[p]\n";
	model_expect(&model, base, "t[p,1]/on=false\n-t[q,7]\n", "");
	assert_int_equal(model.counters.musts, 0);
	model_expect(&model, base, "t[p,7]/on=false\n",
		     MUST("/m:r[m:y='p']/m:y", "/t[a=current()][b=\"7\"]/on = \"true\""));
	assert_int_equal(model.counters.musts, 1);
	end();
}

static void test_keyed_by_value(void **state)
{
	(void)state;
	begin(MODULE(
		"container is { list i { key name; leaf name { type string; } leaf tag { type boolean; }\n"
		"  leaf base { type leafref { path '../../i/name'; }\n"
		"    must '/is/i[name = current()]/tag = \"true\"'; }\n"
		"  leaf free { type string; must 'not(/is/i[name = current()]/tag = \"false\")'; } } }\n"));
	const char *base =
		"is/i[a]/tag=true\nis/i[b]/tag=true\nis/i[c]/base=a\nis/i[d]/base=a\nis/i[e]/base=b\n"
		"is/i[f]/free=x\nis/i[g]/free=y\n";
#define BASE_MUST "/is/i[name = current()]/tag = \"true\""
	model_expect(&model, base, "is/i[n]/tag=false\n", "");
	assert_int_equal(model.counters.musts, 0);
	model_expect(&model, base, "is/i[a]/tag=false\n",
		     MUST("/m:is/m:i[m:name='c']/m:base", BASE_MUST)
			     MUST("/m:is/m:i[m:name='d']/m:base", BASE_MUST));
	assert_int_equal(model.counters.musts, 2);
	model_expect(&model, base, "is/i[x]/tag=false\n",
		     MUST("/m:is/m:i[m:name='f']/m:free", "not(/is/i[name = current()]/tag = \"false\")"));
	assert_int_equal(model.counters.musts, 1);
	model_expect(&model, base, "is/i[n]/tag=false\nis/i[c]/base=n\n",
		     MUST("/m:is/m:i[m:name='c']/m:base", BASE_MUST));
	assert_int_equal(model.counters.musts, 1);
	end();
}

static void test_fans_within_fans(void **state)
{
	(void)state;
	begin(MODULE("list g { key n; leaf n { type string; } leaf max { type uint8; }\n"
		     "  list l { key k; leaf k { type string; } leaf v { type uint8; must '. <= ../../max "
		     "and . <= /max'; } } "
		     "}\n"
		     "leaf max { type uint8; }\n"));
	const char *base = "max=9\ng[1]/max=9\ng[1]/l[a]/v=1\ng[1]/l[b]/v=2\ng[2]/max=9\ng[2]/l[a]/v=3\n";
	model_expect(&model, base, "max=8\ng[1]/max=8\ng[2]/max=7\ng[2]/l[a]/v=4\ng[2]/l[b]/v=1\n", "");
	assert_int_equal(model.counters.musts, 4 + 0); /* each reader once; the new one by itself */
	end();
}

static void test_read_subtree(void **state)
{
	(void)state;
	begin(MODULE(
		"container box { leaf a { type string; } container in { leaf b { type string; default z; } } "
		"}\n"
		"leaf r { type string; must 'string(/box) != \"xy\"'; must 'count(/box/in//*) < 5'; }\n"));
	model_expect(&model, "r=1\nbox/a=x\n", "box/in/b=y\n", MUST("/m:r", "string(/box) != \"xy\""));
	model_expect(&model, "r=1\nbox/in/b=y\n", "box/a=x\n", MUST("/m:r", "string(/box) != \"xy\""));
	model_expect(&model, "r=1\nbox/in/b=y\nbox/a=q\n", "box/a=x\n-box/in\n", "");
	end();
}

static void test_leafref(void **state)
{
	(void)state;
	begin(MODULE("list t { key k; leaf k { type string; } leaf name { type string; }\n"
		     "  list s { key i; leaf i { type uint8; } } }\n"
		     "list r { key k; leaf k { type string; }\n"
		     "  leaf by-name { type leafref { path '/t/name'; } }\n"
		     "  leaf t { type leafref { path '/t/k'; } }\n"
		     "  leaf s { type leafref { path '/t[k=current()/../t]/s/i'; } }\n"
		     "  leaf loose { type leafref { path '/t/k'; require-instance false; } }\n"
		     "  leaf-list many { type leafref { path '/t/k'; } } }\n"
		     "leaf-list keys { type leafref { path '/t/k'; } }\n"
		     "leaf chain { type leafref { path '/keys'; } }\n"));
	char *text = model_describe(&model);
	print_message("%s", text);
	assert_non_null(strstr(text, "/m:keys leafref keyed"));
	assert_non_null(strstr(text, "by-name leafref indexed"));
	assert_null(strstr(text, "loose"));
	free(text);
	const char *base =
		"t[a]/name=n\nt[b]/name=n\nt[c]/s[1]\nt[c]/s[2]\nr[1]/by-name=n\nr[1]/t=c\nr[1]/s=2\n"
		"r[1]/many+a\nr[1]/many+b\nr[2]/loose=zzz\nkeys+a\nkeys+c\nchain=c\n";
#define R1 "/m:r[m:k='1']"
	model_expect(&model, base, "-t[c]/s[1]\n", "");
	assert_int_equal(model.counters.leafrefs, 0);
	model_expect(&model, base, "-t[c]/s[2]\n", DANGLING(R1 "/m:s", "2", "/t[k=current()/../t]/s/i"));
	model_expect(&model, base, "r[1]/t=a\n", DANGLING(R1 "/m:s", "2", "/t[k=current()/../t]/s/i"));
	model_expect(&model, base, "-t[c]\n",
		     DANGLING(R1 "/m:t", "c", "/t/k") DANGLING(R1 "/m:s", "2", "/t[k=current()/../t]/s/i")
			     DANGLING("/m:keys[.='c']", "c", "/t/k"));
	model_expect(&model, base, "-keys+c\n", DANGLING("/m:chain", "c", "/keys"));
	model_expect(&model, base, "t[a]/name=x\n", "");
	assert_int_equal(model.counters.leafrefs, 1);
	model_expect(&model, base, "t[a]/name=x\n-t[b]/name\n", DANGLING(R1 "/m:by-name", "n", "/t/name"));
	model_expect(&model, base, "-t[a]\n",
		     DANGLING(R1 "/m:many[.='a']", "a", "/t/k") DANGLING("/m:keys[.='a']", "a", "/t/k"));
	model_expect(&model, base, "-t[b]\n", DANGLING(R1 "/m:many[.='b']", "b", "/t/k"));
	model_expect(&model, base, "r[3]/by-name=q\n", DANGLING("/m:r[m:k='3']/m:by-name", "q", "/t/name"));
	end();
}

static void test_leafref_inside_entry(void **state)
{
	(void)state;
	begin(MODULE("list i { key name; leaf name { type leafref { path '../config/name'; } }\n"
		     "  container config { leaf name { type string; } } }\n"));
	model_expect(&model, "i[a]/config/name=a\n", "-i[a]/config/name\n",
		     DANGLING("/m:i[m:name='a']/m:name", "a", "../config/name"));
	assert_int_equal(model.counters.leafrefs, 1);
	model_expect(&model, "i[a]/config/name=a\n", "-i[a]/config\n",
		     DANGLING("/m:i[m:name='a']/m:name", "a", "../config/name"));
	model_expect(&model, "i[a]/config/name=a\n", "i[b]/config/name=a\n",
		     DANGLING("/m:i[m:name='b']/m:name", "b", "../config/name"));
	end();
}

static void test_union_with_leafref(void **state)
{
	(void)state;
	begin(MODULE("list t { key k; leaf k { type string; } }\n"
		     "leaf u { type union { type leafref { path '/t/k'; } type uint8; type enumeration { "
		     "enum all; } } }\n"));
	model_expect(&model, "t[a]\nu=a\n", "u=7\n", "");
	model_expect(&model, "t[a]\nu=a\n", "u=all\n", "");
	model_expect(&model, "t[a]\nt[b]\nu=a\n", "-t[b]\n", "");
	model_expect(&model, "t[7]\nu=7\n", "-t[7]\n", "");
	model_expect(&model, "t[a]\nu=a\n", "-t[a]\n",
		     "data-missing instance-required /m:u Invalid value \"a\" - no member of the union "
		     "accepts it.\n");
	end();
}

static void test_defaults(void **state)
{
	(void)state;
	begin(MODULE("leaf d { type uint8; default 5; must '. < 100'; }\n"
		     "leaf r { type string; must '../d >= 5'; }\n"
		     "leaf-list ll { type string; default x; default y; }\n"
		     "leaf ref { type leafref { path '/ll'; } }\n"
		     "container p { presence ''; leaf bad { type leafref { path '/ll'; } default y; }\n"
		     "   leaf z { type uint8; default 1; must '. != /d'; } }\n"));
	model_expect(&model, "r=1\n", "d=7\n", "");
	model_expect(&model, "r=1\n", "d=4\n", MUST("/m:r", "../d >= 5"));
	model_expect(&model, "r=1\nd=7\n", "-d\n", "");
	assert_int_equal(model.counters.musts, 2);
	model_expect(&model, "r=1\n", "d=5\n", "");
	assert_int_equal(model.counters.musts, 0);
	model_expect(&model, "d=4\n", "r=1\nd=4\n", MUST("/m:r", "../d >= 5"));
	model_expect(&model, "d=4\n", "r=1\n-d\n", "");
	model_expect(&model, "ref=x\n", "ll+y\n", DANGLING("/m:ref", "x", "/ll"));
	model_expect(&model, "ref=x\n", "ll+x\n", "");
	model_expect(&model, "ll+q\nref=q\n", "-ll+q\n", DANGLING("/m:ref", "q", "/ll"));
	model_expect(&model, "ll+q\n", "p!\n", DANGLING("/m:p/m:bad", "y", "/ll"));
	model_expect(&model, "p!\n", "ll+q\n", DANGLING("/m:p/m:bad", "y", "/ll"));
	model_expect(&model, "p!\n", "d=1\n", MUST("/m:p/m:z", ". != /d"));
	model_expect(&model, "d=1\np/z=2\n", "-p/z\n", MUST("/m:p/m:z", ". != /d"));
	model_expect(&model, "d=1\np/z=2\n", "-p\n", "");
	end();
}

static void test_implicit_containers(void **state)
{
	(void)state;
	begin(MODULE(
		"list e { key k; leaf k { type string; }\n"
		"  container c { must '../ok'; container in { leaf m { type string; mandatory true; } } }\n"
		"  leaf ok { type empty; } }\n"
		"container pr { presence ''; container c { list n { key k; min-elements 1; leaf k { type "
		"string; } } "
		"}\n"
		"  container x { must 'not(y = 1)'; leaf y { type uint8; default 1; } } }\n"));
	model_expect(&model, "", "e[a]\n",
		     MUST("/m:e[m:k='a']/m:c", "../ok") MISSING("/m:e[m:k='a']/m:c/m:in/m:m", "m"));
	model_expect(&model, "e[a]/ok=\ne[a]/c/in/m=1\n", "-e[a]/c\n",
		     MISSING("/m:e[m:k='a']/m:c/m:in/m:m", "m"));
	model_expect(&model, "e[a]/ok=\ne[a]/c/in/m=1\n", "-e[a]/c/in/m\n",
		     MISSING("/m:e[m:k='a']/m:c/m:in/m:m", "m"));
	model_expect(&model, "e[a]/ok=\ne[a]/c/in/m=1\n", "-e[a]/ok\n", MUST("/m:e[m:k='a']/m:c", "../ok"));
	model_expect(&model, "e[a]/ok=\ne[a]/c/in/m=1\n", "-e[a]\n", "");
	model_expect(&model, "", "pr!\n", FEW("/m:pr/m:c/m:n", "n") MUST("/m:pr/m:x", "not(y = 1)"));
	model_expect(&model, "pr/x/y=2\npr/c/n[1]\n", "-pr/c/n[1]\n", FEW("/m:pr/m:c/m:n", "n"));
	model_expect(&model, "pr/x/y=2\npr/c/n[1]\n", "-pr/x\n", MUST("/m:pr/m:x", "not(y = 1)"));
	model_expect(&model, "pr/x/y=2\npr/c/n[1]\n", "-pr\n", "");
	end();
}

static void test_top_level(void **state)
{
	(void)state;
	begin(MODULE("leaf a { type string; mandatory true; }\n"
		     "leaf-list b { type string; min-elements 2; max-elements 3; }\n"
		     "container c { leaf d { type string; mandatory true; } must 'd'; }\n"
		     "choice ch { mandatory true; leaf x { type string; } leaf y { type string; } }\n"));
	struct tree_record *empty = tree_record_new();
	char *text = model_check(&model, NULL, empty);
	assert_string_equal(text, MISSING("/m:a", "a") FEW("/m:b", "b") MUST("/m:c", "d")
					  MISSING("/m:c/m:d", "d") CHOICE("/", "ch"));
	free(text);
	model_drop(&model, empty);
	const char *base = "a=1\nb+1\nb+2\nc/d=1\nx=1\n";
	model_expect(&model, base, "-a\n", MISSING("/m:a", "a"));
	model_expect(&model, base, "b+3\nb+4\n", MANY("/m:b", "b"));
	model_expect(&model, base, "b+3\n-b+1\n", "");
	model_expect(&model, base, "-b+1\n", FEW("/m:b", "b"));
	model_expect(&model, base, "-b\n", FEW("/m:b", "b"));
	model_expect(&model, base, "-c\n", MUST("/m:c", "d") MISSING("/m:c/m:d", "d"));
	model_expect(&model, base, "y=1\n", "");
	model_expect(&model, base, "-x\n", CHOICE("/", "ch"));
	end();
}

static void test_presence(void **state)
{
	(void)state;
	begin(MODULE("container p { presence ''; leaf m { type string; mandatory true; }\n"
		     "  list l { key k; min-elements 1; max-elements 2; leaf k { type string; } } }\n"
		     "container q { presence ''; must '/p'; }\n"));
	model_expect(&model, "", "p!\n", MISSING("/m:p/m:m", "m") FEW("/m:p/m:l", "l"));
	model_expect(&model, "", "p/m=1\np/l[a]\n", "");
	model_expect(&model, "", "p/m=1\np/l[a]\np/l[b]\np/l[c]\n", MANY("/m:p/m:l", "l"));
	model_expect(&model, "p/m=1\np/l[a]\nq!\n", "-p\n", MUST("/m:q", "/p"));
	model_expect(&model, "p/m=1\np/l[a]\nq!\n", "-p\n-q\n", "");
	model_expect(&model, "", "q!\n", MUST("/m:q", "/p"));
	end();
}

static void test_cases(void **state)
{
	(void)state;
	begin(MODULE("container c { presence '';\n"
		     "  choice one { mandatory true;\n"
		     "    case a { leaf a1 { type string; mandatory true; } leaf a2 { type string; }\n"
		     "             container ac { leaf m { type string; mandatory true; } } }\n"
		     "    case b { leaf b1 { type string; }\n"
		     "      choice two { mandatory true; leaf x { type string; } container y { presence ''; "
		     "} } }\n"
		     "    list l { key k; min-elements 2; leaf k { type string; } } }\n"
		     "  choice three { default d;\n"
		     "    case d { leaf d1 { type uint8; default 3; must '. = 4 or not(/watch)'; } container "
		     "dc { must "
		     "'not(/alarm)'; } }\n"
		     "    case e { leaf e1 { type string; } leaf e2 { type uint8; default 9; must "
		     "'not(/alarm)'; } } } }\n"
		     "leaf watch { type empty; } leaf alarm { type empty; }\n"
		     "leaf reads { type string; must 'not(/c/e2)'; }\n"));
	model_expect(&model, "", "c!\n", CHOICE("/m:c", "one"));
	model_expect(&model, "", "c/a2=1\n", MISSING("/m:c/m:a1", "a1") MISSING("/m:c/m:ac/m:m", "m"));
	model_expect(&model, "", "c/a2=1\nc/a1=1\nc/ac/m=1\n", "");
	model_expect(&model, "c/a1=1\nc/ac/m=1\n", "-c/ac\n", MISSING("/m:c/m:ac/m:m", "m"));
	model_expect(&model, "c/a1=1\nc/ac/m=1\n", "-c/a1\n", MISSING("/m:c/m:a1", "a1"));
	model_expect(&model, "c/a1=1\nc/ac/m=1\n", "-c/a1\n-c/ac\n", CHOICE("/m:c", "one"));
	model_expect(&model, "c/a1=1\nc/ac/m=1\n", "c/b1=1\n", CHOICE("/m:c", "two"));
	model_expect(&model, "c/a1=1\nc/ac/m=1\n", "c/b1=1\nc/y!\n", "");
	model_expect(&model, "c/b1=1\nc/x=1\n", "-c/x\n", CHOICE("/m:c", "two"));
	model_expect(&model, "c/x=1\n", "-c/x\n", CHOICE("/m:c", "one"));
	model_expect(&model, "c/x=1\n", "c/l[1]\n", FEW("/m:c/m:l", "l"));
	model_expect(&model, "c/x=1\n", "c/l[1]\nc/l[2]\n", "");
	model_expect(&model, "c/x=1\n", "watch=\n", MUST("/m:c/m:d1", ". = 4 or not(/watch)"));
	model_expect(&model, "c/x=1\nc/e1=1\nwatch=\n", "-c/e1\n", MUST("/m:c/m:d1", ". = 4 or not(/watch)"));
	model_expect(&model, "c/x=1\nc/e1=1\n", "alarm=\n", MUST("/m:c/m:e2", "not(/alarm)"));
	model_expect(&model, "c/x=1\n", "alarm=\n", MUST("/m:c/m:dc", "not(/alarm)"));
	model_expect(&model, "c/x=1\nreads=1\n", "c/e1=1\n", MUST("/m:reads", "not(/c/e2)"));
	model_expect(&model, "c/x=1\n", "c/e1=1\nalarm=\n", MUST("/m:c/m:e2", "not(/alarm)"));
	end();
}

static void test_deleted_ancestor(void **state)
{
	(void)state;
	begin(MODULE("container a { presence ''; list b { key k; leaf k { type string; } container c { leaf "
		     "v { type uint8; } "
		     "leaf w { type uint8; default 2; } } } }\n"
		     "leaf r { type string; must 'sum(/a/b/c/w) > 3'; }\n"
		     "leaf q { type leafref { path '/a/b/c/v'; } }\n"));
	const char *base = "a/b[1]/c/v=1\na/b[2]/c/v=2\nr=1\nq=2\n";
	model_expect(&model, base, "-a\n",
		     MUST("/m:r", "sum(/a/b/c/w) > 3") DANGLING("/m:q", "2", "/a/b/c/v"));
	model_expect(&model, base, "-a/b[2]\n",
		     MUST("/m:r", "sum(/a/b/c/w) > 3") DANGLING("/m:q", "2", "/a/b/c/v"));
	model_expect(&model, base, "-a/b[1]\n", MUST("/m:r", "sum(/a/b/c/w) > 3"));
	model_expect(&model, base, "-a/b[1]\na/b[3]\n", "");
	model_expect(&model, base, "-a/b[2]/c\n", DANGLING("/m:q", "2", "/a/b/c/v"));
	end();
}

static void test_user_order(void **state)
{
	(void)state;
	begin(MODULE("container c { list l { key k; ordered-by user; leaf k { type string; } leaf v { type "
		     "uint8; } } }\n"
		     "leaf first { type string; must '/c/l[1]/k = .'; }\n"
		     "leaf-list x { type string; ordered-by user; must '. != \"z\" or "
		     "not(following-sibling::x)'; }\n"));
	const struct schema_node *root = model.schema->root;
	const struct schema_node *c = schema_child_find_any(root, bytes_of("c"), NULL);
	const struct schema_node *l = schema_child_find_any(c, bytes_of("l"), NULL);
	const struct schema_node *x = schema_child_find_any(root, bytes_of("x"), NULL);
	struct value b = value_new(bytes_of("b"), 0), z = value_new(bytes_of("z"), 0);
	struct tree_insert to_front = {.where = TREE_FIRST};
	struct tree_record *old =
		model_edit(&model, NULL, "c/l[a]/v=1\nc/l[b]/v=2\nfirst=a\nx+a\nx+b\nx+z\n");
	struct tree_builder *builder = tree_builder_new(model.schema, old, NULL);
	tree_builder_enter(builder, c);
	tree_builder_insert_entry(builder, l, &b, &to_front);
	tree_builder_leave(builder);
	tree_builder_insert_value(builder, x, z, &to_front);
	struct tree_record *new = tree_builder_finish(builder);
	for (int full = 0; full < 2; full++) {
		char *text = model_check(&model, full ? NULL : old, new);
		assert_string_equal(text, MUST("/m:first", "/c/l[1]/k = .") MUST(
						  "/m:x[.='z']", ". != \"z\" or not(following-sibling::x)"));
		free(text);
	}
	value_unref(b);
	value_unref(z);
	model_drop(&model, new);
	model_drop(&model, old);
	end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_local),
		cmocka_unit_test(test_fan_out_below_list_entry),
		cmocka_unit_test(test_keyed),
		cmocka_unit_test(test_scan),
		cmocka_unit_test(test_keyed_with_constant),
		cmocka_unit_test(test_keyed_by_value),
		cmocka_unit_test(test_fans_within_fans),
		cmocka_unit_test(test_read_subtree),
		cmocka_unit_test(test_leafref),
		cmocka_unit_test(test_leafref_inside_entry),
		cmocka_unit_test(test_union_with_leafref),
		cmocka_unit_test(test_defaults),
		cmocka_unit_test(test_implicit_containers),
		cmocka_unit_test(test_top_level),
		cmocka_unit_test(test_presence),
		cmocka_unit_test(test_cases),
		cmocka_unit_test(test_deleted_ancestor),
		cmocka_unit_test(test_user_order),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
