/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Constraints that rest on value indexes: unique, instance-identifiers, leafrefs whose referrers or targets
 * no list's own map finds, and musts that select an entry by values of the reader. Each case is judged
 * incrementally and in full, with the same result; that the indexes made from a change are those made in full
 * is asserted by the helper each time.
 */
#include "helper_model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MODULE(body) "module m {\n yang-version 1.1;\n namespace \"urn:m\";\n prefix m;\n" body "}\n"

#define MUST(path, expression)                                                                               \
	"operation-failed must-violation " path " Must condition \"" expression "\" not satisfied.\n"
#define DANGLING(path, value, target)                                                                        \
	"data-missing instance-required " path " Invalid leafref value \"" value                             \
	"\" - no target instance \"" target "\" with the same value.\n"
#define NOT_FOUND(path, value)                                                                               \
	"data-missing instance-required " path " Invalid instance-identifier \"" value                       \
	"\" value - required instance not found.\n"
#define NO_MEMBER(path, value)                                                                               \
	"data-missing instance-required " path " Invalid value \"" value                                     \
	"\" - no member of the union accepts it.\n"
#define NOT_UNIQUE(first, second, names, infos)                                                              \
	"operation-failed data-not-unique " second " Unique data leaf(s) \"" names                           \
	"\" not satisfied in \"" first "\" and \"" second "\"." infos "\n"
#define INFO(path) " <non-unique>" path

static struct model model;

static void begin(const char *yang)
{
	model_init(&model, "m", yang);
}

static void end(void)
{
	model_fini(&model);
}

static void expect_class(const char *start)
{
	char *text = model_describe(&model);
	if (!strstr(text, start))
		print_message("no \"%s\" in\n%s", start, text);
	assert_non_null(strstr(text, start));
	free(text);
}

/* ---- unique ---- */

#define L(key) "/m:l[m:k='" key "']"
#define ADDRESS(a, b)                                                                                        \
	NOT_UNIQUE(L(a), L(b), "ip c/port",                                                                  \
		   INFO(L(a) "/m:ip") INFO(L(a) "/m:c/m:port") INFO(L(b) "/m:ip") INFO(L(b) "/m:c/m:port"))

static void test_unique(void **state)
{
	(void)state;
	begin(MODULE("list l { key k; unique 'ip c/port'; leaf k { type string; } leaf ip { type string; }\n"
		     "  container c { leaf port { type uint16; } } leaf other { type string; } }\n"));
	expect_class("/m:l unique indexed");
	const char *base = "l[a]/ip=x\nl[a]/c/port=1\nl[b]/ip=x\nl[b]/c/port=2\nl[c]/ip=y\nl[d]/ip=y\nl[e]\n";
	model_expect(&model, base, "l[b]/c/port=1\n", ADDRESS("a", "b"));
	assert_int_equal(model.counters.uniques, 1);
	/* One is absent in both: not compared (RFC 7950 7.8.3). */
	model_expect(&model, base, "l[f]/ip=y\n", "");
	model_expect(&model, base, "l[c]/c/port=7\nl[d]/c/port=7\n",
		     NOT_UNIQUE(L("c"), L("d"), "ip c/port",
				INFO(L("c") "/m:ip") INFO(L("c") "/m:c/m:port") INFO(L("d") "/m:ip")
					INFO(L("d") "/m:c/m:port")));
	/* A swap: only the end counts. */
	model_expect(&model, base, "l[a]/c/port=2\nl[b]/c/port=1\n", "");
	assert_int_equal(model.counters.uniques, 2);
	model_expect(&model, base, "l[e]/other=z\n", "");
	assert_int_equal(model.counters.uniques, 0);
	model_expect(&model, base, "-l[a]\nl[n]/ip=x\nl[n]/c/port=1\n", "");
	/* The one that did not change comes after the new one. */
	model_expect(&model, base, "l[0]/ip=x\nl[0]/c/port=2\n", ADDRESS("0", "b"));
	model_expect(&model, base, "l[n]/ip=x\nl[n]/c/port=1\nl[o]/ip=x\nl[o]/c/port=1\n",
		     ADDRESS("a", "n") ADDRESS("a", "o"));
	model_expect(&model, base, "-l\n", "");
	end();
}

static void test_unique_with_defaults(void **state)
{
	(void)state;
	begin(MODULE("list p { key n; leaf n { type uint8; }\n"
		     " list l { key k; unique 'in/v' { } leaf k { type string; }\n"
		     "  container in { leaf v { type int8; default -3; } } } }\n"
		     "list q { key k; unique 'c/x/x'; leaf k { type string; }\n"
		     "  choice c { leaf x { type string; default d; } leaf y { type string; } } }\n"));
#define P(n, k) "/m:p[m:n='" n "']/m:l[m:k='" k "']"
#define P_SAME(n, a, b)                                                                                      \
	NOT_UNIQUE(P(n, a), P(n, b), "in/v", INFO(P(n, a) "/m:in/m:v") INFO(P(n, b) "/m:in/m:v"))
#define Q(k) "/m:q[m:k='" k "']"
#define Q_SAME(a, b) NOT_UNIQUE(Q(a), Q(b), "x", INFO(Q(a) "/m:x") INFO(Q(b) "/m:x"))
	const char *base = "p[1]/l[a]\np[1]/l[b]/in/v=4\np[2]/l[a]/in/v=-4\np[2]/l[b]\nq[a]/y=1\nq[b]/y=1\n";
	model_expect(&model, base, "-p[1]/l[b]/in/v\n", P_SAME("1", "a", "b"));
	model_expect(&model, base, "-p[1]/l[b]/in\n", P_SAME("1", "a", "b"));
	model_expect(&model, base, "p[1]/l[b]/in/v=-3\n", P_SAME("1", "a", "b"));
	model_expect(&model, base, "p[2]/l[c]\n", P_SAME("2", "b", "c"));
	model_expect(&model, base, "-p[1]/l[b]/in/v\np[1]/l[a]/in/v=5\n", "");
	model_expect(&model, base, "p[1]/l[b]/in/v=-4\n", ""); /* in another list */
	/* The choice has no default case, so x is in use only while it is set. */
	model_expect(&model, base, "-q[a]/y\n-q[b]/y\n", "");
	model_expect(&model, base, "q[a]/x=d\nq[b]/x=d\n", Q_SAME("a", "b"));
	end();
}

/* ---- instance-identifier ---- */

static void test_instance(void **state)
{
	(void)state;
	begin(MODULE("container top { list l { key 'k n'; leaf k { type string; } leaf n { type uint8; }\n"
		     "   container c { leaf x { type string; } leaf d { type string; default z; } }\n"
		     "   leaf-list v { type string; } } container c { leaf x { type string; } }\n"
		     "   container c-d { presence p; } }\n"
		     "leaf i { type instance-identifier; }\n"
		     "list r { key k; leaf k { type string; } leaf i { type instance-identifier; }\n"
		     "  leaf loose { type instance-identifier { require-instance false; } } }\n"
		     "leaf-list u { type union { type instance-identifier; type uint8; } }\n"
		     "leaf state { config false; type string; }\n"));
	expect_class("/m:i instance-identifier indexed: any node indexed by value from /\n");
	expect_class("/m:u leafref indexed: any node indexed");
#define E "/m:top/l[k='a'][n='1']"
	const char *base = "top/l[a,1]/c/x=1\ntop/l[a,1]/v+p\ntop/l[a,2]\ntop/c/x=1\ntop/c-d!\n"
			   "r[1]/i=" E "/c/x\nr[2]/i=" E "\nr[3]/i=/m:top/c-d\nr[4]/i=" E "/v[.='p']\n"
			   "r[5]/i=" E "/c/d\nu+" E "\nu+7\ni=/m:top/c\nr[6]/loose=/m:top/l[k='q'][n='9']\n";
	model_expect(&model, base, "-top/l[a,2]\n", "");
	assert_int_equal(model.counters.leafrefs, 0);
	model_expect(&model, base, "-top/l[a,1]/c/x\n", NOT_FOUND("/m:r[m:k='1']/m:i", E "/c/x"));
	assert_int_equal(model.counters.leafrefs, 1);
	model_expect(&model, base, "-top/l[a,1]/v+p\n", NOT_FOUND("/m:r[m:k='4']/m:i", E "/v[.='p']"));
	model_expect(&model, base, "top/l[a,1]/v+q\n-top/c\n", ""); /* a container is there even so */
	model_expect(&model, base, "-top/c-d\n", NOT_FOUND("/m:r[m:k='3']/m:i", "/m:top/c-d"));
	const char *gone = NOT_FOUND("/m:r[m:k='1']/m:i", E "/c/x") NOT_FOUND("/m:r[m:k='2']/m:i", E)
		NOT_FOUND("/m:r[m:k='4']/m:i", E "/v[.='p']") NOT_FOUND("/m:r[m:k='5']/m:i", E "/c/d")
			NO_MEMBER("/m:u[.=\"/m:top/m:l[m:k='a'][m:n='1']\"]", E);
	model_expect(&model, base, "-top/l[a,1]\n", gone);
	assert_int_equal(model.counters.leafrefs, 5);
	model_expect(&model, base, "-top/l[a,1]\n-r\n-u+" E "\n", "");
	model_expect(&model, base, "-top/l[a,1]\ntop/l[a,1]/c/x=2\ntop/l[a,1]/v+p\n", "");
	model_expect(&model, base, "i=/m:state\n", NOT_FOUND("/m:i", "/m:state"));
	model_expect(&model, base, "i=/m:i\n", "");
	model_expect(&model, base, "r[7]/i=/m:r[k='8']\n", NOT_FOUND("/m:r[m:k='7']/m:i", "/m:r[k='8']"));
	model_expect(&model, base, "r[7]/i=/m:r[k='8']\nr[8]\n", "");
	end();
}

/* ---- leafrefs ---- */

static void test_targets_in_nested_lists(void **state)
{
	(void)state;
	begin(MODULE(
		"list a { key k; leaf k { type string; }\n"
		"  list b { key 'i j'; leaf i { type string; } leaf j { type string; } leaf v { type string; "
		"} } }\n"
		"list r { key k; leaf k { type string; }\n"
		"  leaf any { type leafref { path '/a/b/v'; } }\n"
		"  leaf i { type leafref { path '/a/b/i'; } }\n"
		"  leaf a { type leafref { path '/a/k'; } }\n"
		"  leaf in { type leafref { path '/a[k=current()/../a]/b/v'; } }\n"
		"  leaf at { type leafref { path '/a[k = current()/../a]/b[i=current()/../i]/j'; } } }\n"));
	expect_class("/m:r/m:any leafref indexed");
	expect_class("/m:r/m:i leafref indexed");
	expect_class("/m:r/m:in leafref indexed");
	expect_class("/m:r/m:at leafref indexed");
	const char *base =
		"a[1]/b[x,y]/v=p\na[2]/b[x,z]/v=q\na[2]/b[w,z]/v=p\nr[0]/any=p\nr[0]/i=x\nr[0]/a=2\n"
		"r[0]/in=q\nr[0]/at=z\nr[1]/any=q\nr[2]/a=1\nr[2]/in=p\nr[3]/i=x\n";
#define R(k, leaf) "/m:r[m:k='" k "']/m:" leaf
#define IN "/a[k=current()/../a]/b/v"
#define AT "/a[k = current()/../a]/b[i=current()/../i]/j"
	model_expect(&model, base, "-a[2]/b[w,z]\n", "");
	assert_int_equal(model.counters.leafrefs, 1); /* one of them speaks for all that have "p" */
	model_expect(&model, base, "a[1]/b[x,y]/v=n\n", DANGLING(R("2", "in"), "p", IN));
	model_expect(&model, base, "-a[2]/b[x,z]\n",
		     DANGLING(R("0", "in"), "q", IN) DANGLING(R("0", "at"), "z", AT)
			     DANGLING(R("1", "any"), "q", "/a/b/v"));
	model_expect(&model, base, "-a[1]\n",
		     DANGLING(R("2", "a"), "1", "/a/k") DANGLING(R("2", "in"), "p", IN));
	model_expect(&model, base, "r[0]/i=w\n", "");
	model_expect(&model, base, "r[0]/a=1\n",
		     DANGLING(R("0", "in"), "q", IN) DANGLING(R("0", "at"), "z", AT));
	model_expect(&model, base, "-a[2]/b[x,z]\na[2]/b[x,z]/v=q\n", "");
	end();
}

/* Of the keys of a list only the first is selected. */
/* The target is the key of a list that the path goes to through containers: the list's own map is asked. A
 * union's value may be one of another member's type. */
static void test_target_is_key(void **state)
{
	(void)state;
	begin(MODULE(
		"container c { container d { list t { key k; leaf k { type uint8; } } }\n"
		"  leaf r { type leafref { path '../d/t/k'; } }\n"
		"  leaf u { type union { type leafref { path '/c/d/t/k'; } type string { length 3; } } } }\n"
		"list o { key k; leaf k { type string; } list i { key n; leaf n { type int8; } }\n"
		"  leaf r { type leafref { path '../i/n'; } } }\n"));
#define O(k) "/m:o[m:k='" k "']/m:r"
	const char *base = "c/d/t[1]\no[a]/i[1]\no[b]/i[2]\n";
	model_expect(&model, base, "c/r=1\nc/u=1\no[a]/r=1\no[b]/r=2\n", "");
	model_expect(&model, base, "c/r=2\n", DANGLING("/m:c/m:r", "2", "../d/t/k"));
	model_expect(&model, base, "c/r=1\n-c/d\n", DANGLING("/m:c/m:r", "1", "../d/t/k"));
	model_expect(&model, base, "c/u=17\n", NO_MEMBER("/m:c/m:u", "17"));
	model_expect(&model, base, "c/u=117\n", "");
	model_expect(&model, base, "c/u=abc\n", "");
	model_expect(&model, base, "o[b]/r=1\n", DANGLING(O("b"), "1", "../i/n"));
	model_expect(&model, "", "c/r=1\n", DANGLING("/m:c/m:r", "1", "../d/t/k"));
	end();
}

static void test_target_by_some_keys(void **state)
{
	(void)state;
	begin(MODULE("list t { key 'a b'; leaf a { type string; } leaf b { type uint8; } leaf v { type "
		     "string; } }\n"
		     "list r { key k; leaf k { type string; } leaf a { type string; }\n"
		     "  leaf v { type leafref { path '/t[a=current()/../a]/v'; } } }\n"));
#define TV "/t[a=current()/../a]/v"
	expect_class("/m:r/m:v leafref indexed");
	const char *base =
		"t[x,1]/v=p\nt[x,2]/v=p\nt[y,1]/v=p\nt[y,2]/v=q\nr[1]/a=x\nr[1]/v=p\nr[2]/a=y\nr[2]/v=p\n";
	model_expect(&model, base, "-t[x,1]\n", "");
	assert_int_equal(model.counters.leafrefs, 1);
	model_expect(&model, base, "-t[y,1]\n", DANGLING(R("2", "v"), "p", TV));
	model_expect(&model, base, "-t[x,1]\nt[x,2]/v=q\n", DANGLING(R("1", "v"), "p", TV));
	model_expect(&model, base, "r[1]/a=z\n", DANGLING(R("1", "v"), "p", TV));
	model_expect(&model, base, "-r[1]/a\n", DANGLING(R("1", "v"), "p", TV));
	model_expect(&model, base, "r[3]/a=y\nr[3]/v=q\n", "");
	end();
}

/* A leaf-list's values and the leaf of the reader that its path selects by; defaults are values too. */
static void test_leaf_list_with_selection(void **state)
{
	(void)state;
	begin(MODULE("list t { key k; leaf k { type string; } list s { key i; leaf i { type string; }\n"
		     "   leaf v { type string; } } }\n"
		     "list r { key k; leaf k { type string; } leaf t { type string; default b; }\n"
		     "  container p { presence p; leaf-list d { default x; default y;\n"
		     "    type leafref { path '/t[k=current()/../../t]/s/v'; } } } }\n"));
#define DT "/t[k=current()/../../t]/s/v"
#define D(k, v) "/m:r[m:k='" k "']/m:p/m:d[.='" v "']"
	expect_class("/m:r/m:p/m:d leafref indexed");
	const char *base = "t[a]/s[1]/v=x\nt[a]/s[2]/v=z\nt[b]/s[1]/v=x\nt[b]/s[2]/v=y\nt[b]/s[3]/v=y\nt[c]\n"
			   "r[0]/p!\nr[1]/p/d+y\nr[2]/t=a\nr[2]/p/d+x\nr[2]/p/d+z\nr[3]/t=c\n";
	model_expect(&model, base, "-t[b]/s[1]\n", DANGLING(D("0", "x"), "x", DT));
	assert_int_equal(model.counters.leafrefs, 1);
	model_expect(&model, base, "-t[b]/s[2]\n", "");
	assert_int_equal(model.counters.leafrefs, 1);
	model_expect(&model, base, "-t[b]/s[2]/v\n-t[b]/s[3]/v\n",
		     DANGLING(D("0", "y"), "y", DT) DANGLING(D("1", "y"), "y", DT));
	model_expect(&model, base, "r[2]/t=b\n", DANGLING(D("2", "z"), "z", DT));
	model_expect(&model, base, "r[2]/t=b\n-t[a]\n-r[2]/p/d\n", "");
	model_expect(&model, base, "-r[1]/p/d\n-t[b]/s[1]\n",
		     DANGLING(D("0", "x"), "x", DT) DANGLING(D("1", "x"), "x", DT));
	model_expect(&model, base, "r[3]/p!\n",
		     DANGLING(D("3", "x"), "x", DT) DANGLING(D("3", "y"), "y", DT));
	end();
}

static void test_renamed_target(void **state)
{
	(void)state;
	begin(MODULE("list t { key k; leaf k { type string; } }\n"
		     "list r { key k; leaf k { type string; } leaf t { type leafref { path '/t/k'; } } }\n"));
	model_expect(&model, "t[a]\nr[1]/t=a\n", "-t[a]\nt[b]\n", DANGLING(R("1", "t"), "a", "/t/k"));
	model_expect(&model, "t[a]\nr[1]/t=a\n", "-t[a]\nt[b]\nr[1]/t=b\n", "");
	assert_int_equal(model.counters.leafrefs, 1);
	model_expect(&model, "t[a]\nr[1]/t=a\n", "-t[a]\n-r[1]\n", "");
	end();
}

/* ---- musts ---- */

static void test_keyed_by_other_leafs(void **state)
{
	(void)state;
	begin(MODULE("list t { key 'a b'; leaf a { type string; } leaf b { type uint8; } leaf on { type "
		     "boolean; } }\n"
		     "list g { key n; leaf n { type string; } leaf b { type uint8; default 1; }\n"
		     "  list r { key k; leaf k { type string; }\n"
		     "    container c { leaf a { type string; } must 'not(/t[a = current()/a][b = "
		     "current()/../../b]/on"
		     " = \"false\")'; } } }\n"
		     "list w { key k; leaf k { type string; } leaf id { type string; }\n"
		     "  list in { key k; leaf k { type string; must 'not(/t[a=current()/../../id][b=7]/on = "
		     "\"false\")';"
		     " } } }\n"));
	expect_class("/m:g/m:r/m:c must fan-out: /m:t /m:t/m:a /m:t/m:b /m:t/m:on indexed from /; /m:g/m:b "
		     "fan-out");
	expect_class("/m:w/m:in/m:k must fan-out: /m:t /m:t/m:a /m:t/m:b /m:t/m:on indexed from /; ");
#define C(n, k) "/m:g[m:n='" n "']/m:r[m:k='" k "']/m:c"
#define CM "not(/t[a = current()/a][b = current()/../../b]/on = \"false\")"
#define WM "not(/t[a=current()/../../id][b=7]/on = \"false\")"
	const char *base =
		"t[x,1]/on=true\nt[x,2]/on=false\nt[y,7]/on=true\ng[1]/r[a]/c/a=x\ng[1]/r[b]/c/a=y\n"
		"g[1]/r[c]\ng[2]/b=7\ng[2]/r[a]/c/a=x\nw[1]/id=y\nw[1]/in[a]\nw[1]/in[b]\nw[2]/id=x\nw[2]/"
		"in[a]\n";
	model_expect(&model, base, "t[x,1]/on=false\n", MUST(C("1", "a"), CM));
	assert_int_equal(model.counters.musts, 1);
	model_expect(&model, base, "t[z,1]/on=false\n", "");
	assert_int_equal(model.counters.musts, 0);
	model_expect(&model, base, "t[y,7]/on=false\n",
		     MUST("/m:w[m:k='1']/m:in[m:k='a']/m:k", WM) MUST("/m:w[m:k='1']/m:in[m:k='b']/m:k", WM));
	assert_int_equal(model.counters.musts, 2);
	model_expect(&model, base, "g[1]/b=2\n", MUST(C("1", "a"), CM));
	assert_int_equal(model.counters.musts, 3);
	model_expect(&model, base, "g[1]/b=2\nt[x,2]/on=true\nt[x,1]/on=false\n", "");
	model_expect(&model, base, "-t[x,1]\n-t[x,2]\n-t[y,7]\n", "");
	model_expect(&model, base, "-g[2]/b\nt[x,1]/on=false\n", MUST(C("1", "a"), CM) MUST(C("2", "a"), CM));
	end();
}

/* ---- Many. ---- */

static struct value number(const char *prefix, unsigned n)
{
	char text[32];
	int size = snprintf(text, sizeof(text), "%s-%07u", prefix, n);
	return value_new((struct bytes){text, (size_t)size}, 0);
}

static const struct schema_node *top(const char *name)
{
	return schema_child_find_any(model.schema->root, bytes_of(name), NULL);
}

/* Targets t[t-N] and referrers r[r-N] that refer to t-(N modulo `distinct`). */
static struct tree_record *make_hub(unsigned targets, unsigned referrers, unsigned distinct)
{
	const struct schema_node *t = top("t"), *r = top("r");
	struct tree_record *empty = tree_record_new();
	struct tree_builder *builder = tree_builder_new(model.schema, empty, NULL);
	bool made;
	for (unsigned i = 0; i < targets; i++) {
		struct value key = number("t", i);
		tree_builder_enter_entry(builder, t, &key, &made);
		tree_builder_leave(builder);
		value_unref(key);
	}
	for (unsigned i = 0; i < referrers; i++) {
		struct value key = number("r", i), target = number("t", i % distinct);
		tree_builder_enter_entry(builder, r, &key, &made);
		tree_builder_set_leaf(builder, r->children[1], target);
		tree_builder_leave(builder);
		value_unref(key);
		value_unref(target);
	}
	struct tree_record *root = tree_builder_finish(builder);
	model_drop(&model, empty);
	return root;
}

static void begin_hub(void)
{
	begin(MODULE("list t { key k; leaf k { type string; } }\n"
		     "list r { key k; leaf k { type string; } leaf t { type leafref { path '/t/k'; } } }\n"));
}

static void test_deleted_hub(void **state)
{
	(void)state;
	enum { N = 20000 };
	begin_hub();
	struct tree_record *hub = make_hub(2, N, 1), *gone = model_edit(&model, hub, "-t[t-0000000]\n");
	model.limit = 2;
	char *text = model_check(&model, hub, gone);
	assert_string_equal(text, DANGLING(R("r-0000000", "t"), "t-0000000", "/t/k")
					  DANGLING(R("r-0000001", "t"), "t-0000000", "/t/k") "1 more\n");
	assert_int_equal(model.counters.leafrefs, 3);
	free(text);
	struct tree_record *unused = model_edit(&model, hub, "-t[t-0000001]\n");
	text = model_check(&model, hub, unused);
	assert_string_equal(text, "");
	assert_int_equal(model.counters.leafrefs, 0);
	free(text);
	model_drop(&model, unused);
	model_drop(&model, gone);
	model_drop(&model, hub);
	end();
}

/* What a change makes due, and what that reads, in a datastore with so many targets and referrers. */
static void count_work(unsigned size, const char *edit, struct check_counters *counters)
{
	struct tree_record *base = make_hub(size, size, size), *changed = model_edit(&model, base, edit);
	free(model_check(&model, base, changed));
	*counters = model.counters;
	model_drop(&model, changed);
	model_drop(&model, base);
}

static void test_work_does_not_grow(void **state)
{
	(void)state;
	static const char *const edits[] = {
		"r[x]/t=t-0000003\n",	 "r[r-0000001]/t=t-0000003\n",
		"-t[t-0000005]\n",	 "t[x]\n",
		"-t[t-0000005]\nt[y]\n", "-r[r-0000001]\n",
		"r[x]/n=t-0000002\n",	 "t[t-0000007]/n=t-0000002\n",
	};
	begin(MODULE("list t { key k; unique n; leaf k { type string; } leaf n { type string; } }\n"
		     "list r { key k; leaf k { type string; } leaf t { type leafref { path '/t/k'; }\n"
		     "    must 'not(/t[k=current()]/n = \"bad\")'; }\n"
		     "  leaf n { type leafref { path '/t/n'; } } }\n"));
	for (size_t i = 0; i < sizeof(edits) / sizeof(*edits); i++) {
		struct check_counters few, many;
		count_work(20, edits[i], &few);
		count_work(2000, edits[i], &many);
		assert_memory_equal(&few, &many, sizeof(few));
	}
	end();
}

static void test_memory(void **state)
{
	(void)state;
	enum { N = 20000 };
	begin_hub();
	struct tree_record *hub = make_hub(N, N, N);
	struct check_index *index = check_index_new(model.plan, hub);
	assert_int_equal(check_index_count(index), N);
	size_t size = check_index_memory(index);
	print_message("%zu bytes an entry\n", size / N);
	assert_in_range(size / N, 16, 100);
	check_index_unref(index, NULL);
	model_drop(&model, hub);
	end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_unique),
		cmocka_unit_test(test_unique_with_defaults),
		cmocka_unit_test(test_instance),
		cmocka_unit_test(test_targets_in_nested_lists),
		cmocka_unit_test(test_target_is_key),
		cmocka_unit_test(test_target_by_some_keys),
		cmocka_unit_test(test_leaf_list_with_selection),
		cmocka_unit_test(test_renamed_target),
		cmocka_unit_test(test_keyed_by_other_leafs),
		cmocka_unit_test(test_deleted_hub),
		cmocka_unit_test(test_work_does_not_grow),
		cmocka_unit_test(test_memory),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
