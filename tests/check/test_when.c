/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * `when` on every statement that takes it: what a change removes along, what it may not set, and what comes
 * and goes with implicit nodes. Each change is settled and checked from its base; what is left is checked in
 * full as well, with the same result.
 */
#include "helper_model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "helper_oracle.h"
#include "schema/load.h"

#define MODULE(body) "module m {\n yang-version 1.1;\n namespace \"urn:m\";\n prefix m;\n" body "}\n"

#define WHEN(path, expression, name)                                                                         \
	"unknown-element - " path " When condition \"" expression "\" not satisfied. <bad-element>" name "\n"
#define MUST(path, expression)                                                                               \
	"operation-failed must-violation " path " Must condition \"" expression "\" not satisfied.\n"
#define MISSING(path, name) "data-missing - " path " Mandatory node \"" name "\" instance does not exist.\n"
#define FEW(path, name) "operation-failed too-few-elements " path " Too few \"" name "\" instances.\n"
#define CHOICE(path, name)                                                                                   \
	"data-missing missing-choice " path " Mandatory choice \"" name                                      \
	"\" data do not exist. <missing-choice>" name "\n"

static struct model model;

static void begin(const char *yang)
{
	model_init(&model, "m", yang);
}

static void end(void)
{
	model_fini(&model);
}

static void expect_text(char *text, const char *wanted)
{
	assert_string_equal(text, wanted);
	free(text);
}

static void expect_tree(const struct tree_record *root, const char *wanted)
{
	struct tree_record *tree = model_edit(&model, NULL, wanted);
	if (!tree_record_equal(model.schema->root, root, tree)) {
		char *got = oracle_xml(model.schema, root), *want = oracle_xml(model.schema, tree);
		fail_msg("got  %s\nwant %s", got, want);
	}
	model_drop(&model, tree);
}

/* A change that settle refuses. */
static void refused(const char *base, const char *edit, const char *faults)
{
	struct tree_record *old = model_edit(&model, NULL, base);
	expect_text(model_check(&model, NULL, old), "");
	struct tree_record *new = model_edit(&model, old, edit);
	expect_text(model_settle(&model, old, &new), faults);
	model_drop(&model, new);
	model_drop(&model, old);
}

/* A change that settle makes `settled` of, and then has these faults. */
static void changed(const char *base, const char *edit, const char *settled, const char *faults)
{
	struct tree_record *old = model_edit(&model, NULL, base);
	expect_text(model_check(&model, NULL, old), "");
	struct tree_record *new = model_edit(&model, old, edit);
	expect_text(model_settle(&model, old, &new), "");
	expect_tree(new, settled);
	expect_text(model_check(&model, NULL, new), faults);
	expect_text(model_check(&model, old, new), faults);
	if (*faults == '\0')
		expect_text(model_check(&model, new, old), "");
	model_drop(&model, new);
	model_drop(&model, old);
}

static void test_leaf(void **state)
{
	(void)state;
	begin(MODULE("container c { leaf kind { type string; }\n"
		     "  leaf a { type string; when \"../kind = 'x'\"; }\n"
		     "  leaf-list b { type string; when \"../kind = 'x'\"; }\n"
		     "  leaf other { type string; } }\n"));
#define X "../kind = 'x'"
	const char *base = "c/kind=x\nc/a=1\nc/b+1\nc/b+2\n";
	changed(base, "c/kind=y\n", "c/kind=y\n", "");
	changed(base, "-c/kind\nc/other=1\n", "c/other=1\n", "");
	changed(base, "-c/kind\n", "", ""); /* the container goes with the last node in it */
	changed(base, "c/other=1\n", "c/kind=x\nc/a=1\nc/b+1\nc/b+2\nc/other=1\n", "");
	changed(base, "c/kind=y\nc/a=1\nc/b+2\n", "c/kind=y\n", ""); /* as they were before */
	refused(base, "c/kind=y\nc/a=2\n", WHEN("/m:c/m:a", X, "a"));
	refused(base, "c/kind=y\nc/a=2\nc/b+3\n", WHEN("/m:c/m:a", X, "a") WHEN("/m:c/m:b[.='3']", X, "b"));
	refused("", "c/a=1\n", WHEN("/m:c/m:a", X, "a"));
	refused("c/kind=y\n", "c/a=1\n", WHEN("/m:c/m:a", X, "a"));
	changed("c/kind=y\n", "c/a=1\nc/kind=x\n", "c/kind=x\nc/a=1\n", "");
#undef X
	end();
}

static void test_list_and_containers(void **state)
{
	(void)state;
	begin(MODULE("leaf on { type empty; }\n"
		     "list l { key k; when '/on'; leaf k { type string; } leaf v { type string; } }\n"
		     "container p { presence ''; when '/on'; leaf v { type string; }\n"
		     "  container in { leaf w { type string; when '../../v'; } } }\n"
		     "container n { when '/on'; leaf v { type string; } leaf x { type string; } }\n"));
	const char *base = "on=\nl[a]/v=1\nl[b]\np/v=1\np/in/w=1\nn/v=1\nn/x=1\n";
	changed(base, "-on\n", "", "");
	changed(base, "-on\n-l[a]\n-n/x\n", "", ""); /* removals set nothing */
	changed(base, "-p/v\n", "on=\nl[a]/v=1\nl[b]\np!\nn/v=1\nn/x=1\n", "");
	refused(base, "-on\nl[b]/v=2\nl[c]\np/v=2\nn/v=2\n",
		WHEN("/m:l[m:k='b']", "/on", "l") WHEN("/m:l[m:k='c']", "/on", "l") WHEN("/m:p", "/on", "p")
			WHEN("/m:n", "/on", "n"));
	refused("", "p!\n", WHEN("/m:p", "/on", "p"));
	refused("", "p/v=1\np/in/w=1\n", WHEN("/m:p", "/on", "p"));
	end();
}

static void test_augment_uses_choice_case(void **state)
{
	(void)state;
	begin(MODULE(
		"grouping g { leaf g1 { type string; } container g2 { leaf h { type string; } } }\n"
		"list e { key k; leaf k { type string; } leaf type { type string; }\n"
		"  uses g { when \"type = 'g'\"; }\n"
		"  choice c { when \"type = 'c' or type = 'c1'\";\n"
		"    case one { when \"type = 'c1'\"; leaf c1 { type string; } }\n"
		"    leaf c2 { type string; } } }\n"
		"augment /e { when \"type = 'a'\"; leaf a1 { type string; } list a2 { key k; leaf k { type "
		"string; } } }\n"));
	changed("e[1]/type=g\ne[1]/g1=1\ne[1]/g2/h=1\ne[2]/type=g\ne[2]/g1=1\n", "e[1]/type=h\n",
		"e[1]/type=h\ne[2]/type=g\ne[2]/g1=1\n", "");
	changed("e[1]/type=c1\ne[1]/c1=1\n", "e[1]/type=c\n", "e[1]/type=c\n", "");
	changed("e[1]/type=c1\ne[1]/c2=1\n", "e[1]/type=c\n", "e[1]/type=c\ne[1]/c2=1\n", "");
	changed("e[1]/type=c1\ne[1]/c2=1\n", "-e[1]/type\n", "e[1]\n", "");
	refused("e[1]/type=c\n", "e[1]/c1=1\n", WHEN("/m:e[m:k='1']/m:c1", "type = 'c1'", "c1"));
	refused("e[1]\n", "e[1]/c2=1\n", WHEN("/m:e[m:k='1']/m:c2", "type = 'c' or type = 'c1'", "c2"));
	changed("e[1]/type=a\ne[1]/a1=1\ne[1]/a2[x]\ne[1]/a2[y]\n", "e[1]/type=b\n", "e[1]/type=b\n", "");
	refused("e[1]/type=b\n", "e[1]/a2[x]\n", WHEN("/m:e[m:k='1']/m:a2[m:k='x']", "type = 'a'", "a2"));
	/* Moved from one kind to another in one request. */
	changed("e[1]/type=a\ne[1]/a1=1\n", "e[1]/type=g\ne[1]/g1=1\n", "e[1]/type=g\ne[1]/g1=1\n", "");
	end();
}

/* Each reads the one before; written in an order that is neither that of the schema nor its reverse. */
static void test_chain(void **state)
{
	(void)state;
	begin(MODULE("leaf n3 { type string; when '/n2'; } leaf n1 { type string; when '/n0'; }\n"
		     "leaf n5 { type string; when '/n4'; } leaf n0 { type string; }\n"
		     "container c { leaf n2b { type string; when 'not(/n3)'; } }\n"
		     "leaf n2 { type string; when '/n1'; } leaf n4 { type string; when '/n3'; }\n"
		     "leaf even { type string; when 'not(/n1)'; }\n"
		     "leaf odd { type string; when '/even'; }\n"));
	const char *base = "n0=\nn1=\nn2=\nn3=\nn4=\nn5=\n";
	changed(base, "-n0\n", "", "");
	changed(base, "-n2\n", "n0=\nn1=\n", "");
	changed(base, "-n0\neven=\nodd=\n", "even=\nodd=\n", "");
	changed(base, "-n0\nc/n2b=\n", "c/n2b=\n", "");
	changed("even=\nodd=\n", "n0=\nn1=\n", "n0=\nn1=\n", "");
	/* What is judged is the tree that is left: n2b is allowed by what settle removes. */
	refused(base, "-n0\nn5=x\n", WHEN("/m:n5", "/n4", "n5"));
	refused(base, "c/n2b=\n", WHEN("/m:c/m:n2b", "not(/n3)", "n2b"));
	refused("", "n5=\nn4=\n", WHEN("/m:n5", "/n4", "n5") WHEN("/m:n4", "/n3", "n4"));
	end();
}

/* A default is in use while its when holds; re-enabling brings it back, and not the old value. */
static void test_defaults(void **state)
{
	(void)state;
	begin(MODULE("leaf on { type empty; }\n"
		     "leaf d { type uint8; default 5; when '/on'; must '. < 6'; }\n"
		     "leaf follows { type string; when '/d = 5'; }\n"
		     "leaf further { type string; when '/follows'; }\n"
		     "leaf counts { type uint8; must '. = count(/d)'; }\n"
		     "leaf sees { type uint8; must '/d = .'; }\n"
		     "leaf text { type string; must \"string(/box) = .\"; }\n"
		     "container box { when '/on'; leaf in { type string; default x; } }\n"));
	changed("on=\nd=3\n", "-on\n", "", "");
	changed("", "on=\n", "on=\n", "");
	changed("on=\nfollows=\nfurther=\n", "-on\n", "", "");
	changed("on=\nfollows=\nfurther=\n", "d=4\n", "on=\nd=4\n", "");
	changed("on=\nd=4\n", "-d\nfollows=\n", "on=\nfollows=\n", "");
	refused("", "follows=\n", WHEN("/m:follows", "/d = 5", "follows"));
	changed("", "follows=\non=\nfurther=\n", "follows=\non=\nfurther=\n", "");
	changed("counts=0\n", "on=\n", "counts=0\non=\n", MUST("/m:counts", ". = count(/d)"));
	changed("counts=1\non=\n", "-on\n", "counts=1\n", MUST("/m:counts", ". = count(/d)"));
	changed("sees=5\non=\n", "-on\n", "sees=5\n", MUST("/m:sees", "/d = ."));
	changed("sees=5\non=\n", "d=4\n", "sees=5\non=\nd=4\n", MUST("/m:sees", "/d = ."));
	changed("text=x\non=\n", "-on\n", "text=x\n", MUST("/m:text", "string(/box) = ."));
	changed("text=\n", "on=\n", "text=\non=\n", MUST("/m:text", "string(/box) = ."));
	end();
}

static void test_what_is_due(void **state)
{
	(void)state;
	begin(MODULE(
		"list e { key k; leaf k { type string; } leaf on { type boolean; default false; }\n"
		"  leaf m { type string; mandatory true; when \"../on = 'true'\"; }\n"
		"  leaf-list few { type string; min-elements 2; when \"../on = 'true'\"; }\n"
		"  choice c { mandatory true; when \"on = 'true'\"; leaf c1 { type string; } leaf c2 { when "
		"'../c3'; type string; } }\n"
		"  leaf c3 { type string; }\n"
		"  container box { when \"../on = 'true'\"; must '../c3';\n"
		"    leaf need { type string; mandatory true; } } }\n"));
	const char *all = "e[a]/on=true\ne[a]/m=1\ne[a]/few+1\ne[a]/few+2\ne[a]/c1=1\ne[a]/c3=1\n"
			  "e[a]/box/need=1\n";
	changed("", "e[a]\n", "e[a]\n", "");
	changed("e[a]\ne[b]\n", "e[b]/on=true\n", "e[a]\ne[b]/on=true\n",
		MISSING("/m:e[m:k='b']/m:m", "m") FEW("/m:e[m:k='b']/m:few", "few")
			CHOICE("/m:e[m:k='b']", "c") MUST("/m:e[m:k='b']/m:box", "../c3")
				MISSING("/m:e[m:k='b']/m:box/m:need", "need"));
	changed("e[a]\n", all, all, "");
	changed(all, "e[a]/on=false\n", "e[a]/on=false\ne[a]/c3=1\n", "");
	changed(all, "-e[a]/on\n", "e[a]/c3=1\n", "");
	changed(all, "e[a]/c2=1\n",
		"e[a]/on=true\ne[a]/m=1\ne[a]/few+1\ne[a]/few+2\ne[a]/c2=1\ne[a]/c3=1\n"
		"e[a]/box/need=1\n",
		"");
	changed(all, "e[a]/c2=1\n-e[a]/c3\ne[a]/on=false\n-e[a]/c2\n", "e[a]/on=false\n", "");
	end();
}

/* Whens that are found by keys, below other entries, and everywhere. */
static void test_reach(void **state)
{
	(void)state;
	begin(MODULE("list t { key k; leaf k { type string; } leaf on { type boolean; default true; } }\n"
		     "list u { key k; leaf k { type string; }\n"
		     "  leaf w { type string; when \"/t[k = current()/../k]/on = 'true'\"; }\n"
		     "  leaf d { type uint8; default 1; when \"/t[k = current()/../k]/on = 'true'\"; }\n"
		     "  leaf e { type string; must '../d = 1 or count(/u/d) > 1'; } }\n"
		     "leaf sum { type uint8; must '. = sum(/u/d)'; }\n"
		     "leaf-list all { type string; when \"not(/t/on = 'false')\"; }\n"));
	const char *base = "t[a]\nt[b]\nu[a]/w=1\nu[b]/w=1\nall+x\n";
	changed(base, "t[a]/on=false\n", "t[a]/on=false\nt[b]\nu[a]\nu[b]/w=1\n", "");
	changed(base, "-t[b]\n", "t[a]\nu[a]/w=1\nu[b]\nall+x\n", "");
	changed(base, "-t[b]\nt[b]\nt[c]\n", "t[a]\nt[b]\nt[c]\nu[a]/w=1\nu[b]/w=1\nall+x\n", "");
	refused(base, "t[a]/on=false\nu[a]/w=2\nu[c]/w=1\n",
		WHEN("/m:u[m:k='a']/m:w", "/t[k = current()/../k]/on = 'true'", "w")
			WHEN("/m:u[m:k='c']/m:w", "/t[k = current()/../k]/on = 'true'", "w"));
	const char *sum = "t[a]\nt[b]\nu[a]\nu[b]/e=1\nsum=2\n";
	changed(sum, "t[a]/on=false\n", "t[a]/on=false\nt[b]\nu[a]\nu[b]/e=1\nsum=2\n",
		MUST("/m:sum", ". = sum(/u/d)"));
	changed(sum, "t[b]/on=false\n", "t[a]\nt[b]/on=false\nu[a]\nu[b]/e=1\nsum=2\n",
		MUST("/m:u[m:k='b']/m:e", "../d = 1 or count(/u/d) > 1") MUST("/m:sum", ". = sum(/u/d)"));
	changed(sum, "t[c]\nu[c]\nsum=3\n", "t[a]\nt[b]\nt[c]\nu[a]\nu[b]/e=1\nu[c]\nsum=3\n", "");
	end();
}

/* A case goes out of use with the nodes that a when removes; then the defaults of the other are in use. */
static void test_cases(void **state)
{
	(void)state;
	begin(MODULE(
		"leaf on { type empty; }\n"
		"choice c { default two;\n"
		"  case one { leaf o1 { type string; when '/on'; } container o2 { leaf x { type string; when "
		"'/on'; } } }\n"
		"  case two { leaf t1 { type string; default a; } leaf t2 { type string; default b; when "
		"'/on'; } } }\n"
		"leaf sees { type string; must '/t1 = .'; }\n"
		"leaf lives { type string; when '/t1'; }\n"));
	changed("on=\no1=1\n", "-on\n", "", "");
	changed("on=\no1=1\n", "-on\nsees=a\nlives=x\n", "sees=a\nlives=x\n", "");
	changed("on=\no2/x=1\n", "-on\nlives=x\n", "lives=x\n", "");
	changed("on=\nlives=x\nsees=a\n", "o1=1\n", "on=\no1=1\nsees=a\n", MUST("/m:sees", "/t1 = ."));
	refused("on=\no1=1\n", "lives=x\n", WHEN("/m:lives", "/t1", "lives"));
	end();
}

/* In full, as after a start with data that was never settled: what is as it was goes in silence. */
static void test_full(void **state)
{
	(void)state;
	begin(MODULE("leaf a { type string; when '/b'; } leaf b { type string; when '/c'; } leaf c { type "
		     "string; }\n"
		     "leaf x { type string; }\n"));
	model.options.verify = false; /* it would see that the base is not settled */
	struct tree_record *old = model_edit(&model, NULL, "a=1\nb=1\n");
	struct tree_record *new = model_edit(&model, old, "x=1\n");
	expect_text(model_settle(&model, old, &new), "");
	expect_tree(new, "a=1\nb=1\nx=1\n");
	model.options.full = true;
	expect_text(model_settle(&model, old, &new), "");
	expect_tree(new, "x=1\n");
	model_drop(&model, new);
	new = model_edit(&model, old, "b=2\n");
	expect_text(model_settle(&model, old, &new), WHEN("/m:b", "/c", "b"));
	model_drop(&model, new);
	model_drop(&model, old);
	end();
}

static void test_work_limit(void **state)
{
	(void)state;
	begin(MODULE("list l { key k; leaf k { type string; } }\n"
		     "leaf w { type string; when 'not(/l[. = \"none\"])'; }\n"));
	model.options.steps = 20;
	struct tree_record *old = model_edit(&model, NULL, "w=1\n");
	struct tree_record *new = model_edit(
		&model, old, "l[1]\nl[2]\nl[3]\nl[4]\nl[5]\nl[6]\nl[7]\nl[8]\nl[9]\nl[a]\nl[b]\nl[c]\n");
	char *text = model_settle(&model, old, &new);
	assert_non_null(strstr(text, "resource-denied"));
	assert_non_null(strstr(text, "when \"not(/l[. = \"none\"])\""));
	free(text);
	model_drop(&model, new);
	model_drop(&model, old);
	end();
}

/* ---- Cycles. */

/* What making a plan says; "": nothing. NULL: libyang refuses the module already. In the arena. */
static const char *plan_error(const char *yang, struct arena *arena)
{
	char dir[] = "/tmp/check-when-XXXXXX", path[256];
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/m.yang", dir);
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	fputs(yang, file);
	fclose(file);
	struct schema_module_request request = {.name = "m"};
	const char *dirs = dir;
	struct schema_source source = {
		.search_dirs = &dirs, .search_dir_count = 1, .modules = &request, .module_count = 1};
	struct diag_list diags;
	diag_list_init(&diags, arena, 10);
	struct schema *schema = NULL;
	struct check_plan *plan = NULL;
	const char *message = NULL;
	if (schema_load(&source, &diags, &schema) == ST_OK) {
		message = "";
		if (check_plan_new(schema, &diags, &plan) != ST_OK)
			message = diags.first->message;
		check_plan_free(plan);
		schema_unref(schema);
	}
	unlink(path);
	rmdir(dir);
	return message;
}

static void expect_cycle(const char *yang, const char *wanted)
{
	struct arena *arena = arena_new();
	const char *message = plan_error(yang, arena);
	assert_true(message == NULL || strstr(message, wanted) != NULL);
	arena_free(arena);
}

static void test_cycles(void **state)
{
	(void)state;
	struct arena *arena = arena_new();
	assert_string_equal(plan_error(MODULE("leaf y { type string; when '../y'; }\n"), arena),
			    "Module m: the when of /m:y depends on itself: it depends on /m:y.");
	expect_cycle(MODULE("leaf a { type string; when '/b'; } leaf b { type string; when '/a'; }\n"),
		     "depends on itself");
	/* Through an ancestor. */
	expect_cycle(MODULE("container a { when '/b/x'; leaf y { type string; } }\n"
			    "container b { when '/a/y'; leaf x { type string; } }\n"),
		     "depends on itself");
	/* Other entries of the same list. */
	expect_cycle(
		MODULE("list l { key k; leaf k { type string; } leaf v { type string; when '/l[k=\"a\"]/v'; "
		       "} }\n"),
		"depends on itself");
	/* These do not. */
	static const char *const fine[] = {
		MODULE("container a { when '/x'; leaf y { type string; when '../z'; } leaf z { type string; "
		       "} }\n"
		       "leaf x { type string; }\n"),
		MODULE("leaf n { type string; } leaf y { type string; when '/l[k = current()/../n]'; }\n"
		       "list l { key k; leaf k { type string; } }\n"),
		MODULE("choice c { default d; case d { leaf d1 { type string; default x; } }\n"
		       "  case e { leaf e1 { type string; when \"../d1 = 'x' or /f\"; } } } leaf f { type "
		       "string; }\n"),
	};
	for (size_t i = 0; i < sizeof(fine) / sizeof(*fine); i++)
		assert_string_equal(plan_error(fine[i], arena), "");
	arena_free(arena);
}

/* ---- How much is evaluated. */

static void test_cost(void **state)
{
	(void)state;
	begin(MODULE("list t { key k; leaf k { type string; } leaf on { type boolean; default true; }\n"
		     "  leaf d { type uint8; default 1; when \"../on = 'true'\"; }\n"
		     "  leaf w { type uint8; when \"../on = 'true'\"; } leaf v { type string; } }\n"));
	char *text = NULL, line[64];
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	for (unsigned i = 0; i < 1000; i++)
		fprintf(out, "t[%u]/w=1\n", i);
	fclose(out);
	struct tree_record *old = model_edit(&model, NULL, text);
	free(text);
	expect_text(model_check(&model, NULL, old), "");
	for (unsigned i = 0; i < 3; i++) {
		snprintf(line, sizeof(line),
			 i == 0	  ? "t[5]/on=true\n"
			 : i == 1 ? "t[5]/v=x\n"
				  : "t[5]/on=false\n");
		struct tree_record *new = model_edit(&model, old, line);
		uint64_t steps = model.options.steps;
		model.options.steps = 200; /* is enough */
		expect_text(model_settle(&model, old, &new), "");
		expect_text(model_check(&model, old, new), "");
		model.options.steps = steps;
		model_drop(&model, new);
	}
	model_drop(&model, old);
	end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_leaf),
		cmocka_unit_test(test_list_and_containers),
		cmocka_unit_test(test_augment_uses_choice_case),
		cmocka_unit_test(test_chain),
		cmocka_unit_test(test_defaults),
		cmocka_unit_test(test_what_is_due),
		cmocka_unit_test(test_reach),
		cmocka_unit_test(test_cases),
		cmocka_unit_test(test_full),
		cmocka_unit_test(test_work_limit),
		cmocka_unit_test(test_cycles),
		cmocka_unit_test(test_cost),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
