/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The property that the whole engine rests on: from any valid old root, the incremental check of any new root
 * gives the verdict and the errors of the full check. Random edits over perf-test and two models of our own
 * that have every kind and class of constraint; the new root is checked against several valid roots met
 * before, near and far.
 *
 * YARE_SEED repeats a run; YARE_ROUNDS makes it longer.
 */
#include "helper_random.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ROUNDS = 400, KEPT = 6 };

static const char references_yang[] =
	"module refs { yang-version 1.1; namespace 'urn:refs'; prefix r;\n"
	" list t { key 'k'; leaf k { type string { pattern '[a-c]'; } }\n"
	"  leaf name { type string { pattern '[a-c]'; } must 'count(/t[name = current()]) < 3'; }\n"
	"  leaf on { type boolean; default true; must '. = \"true\" or not(/u/r[x = current()/../k])'; }\n"
	"  leaf parent { type leafref { path '/t/k'; } must '. != ../k'; }\n"
	"  list s { key 'i j'; max-elements 3; leaf i { type uint8 { range '1..3'; } }\n"
	"   leaf j { type leafref { path '/t/k'; } }\n"
	"   leaf v { type uint8 { range '1..3'; } must '. <= /limit'; must '../../s[i = current()]'; } } }\n"
	" container u { must 'count(r) < 5';\n"
	"  list r { key 'x y'; leaf x { type leafref { path '/t/k'; } } leaf y { type uint8 { range '1..3'; "
	"} }\n"
	"   must '/t[k = current()/x]/on = \"true\"';\n"
	"   leaf i { type leafref { path '/t[k=current()/../x]/s/i'; } }\n"
	"   leaf tt { type leafref { path '/t/k'; } } leaf ti { type leafref { path "
	"'/t[k=current()/../tt]/s/i'; } }\n"
	"   leaf-list names { type leafref { path '/t/name'; } } } }\n"
	" leaf limit { type uint8 { range '1..3'; } default 2; }\n"
	" leaf-list keys { type leafref { path '/t/k'; } must 'not(/t[k = current()]/on = \"false\")'; }\n"
	" leaf chain { type leafref { path '/keys'; } }\n"
	" leaf mixed { type union { type leafref { path '/t/name'; } type uint8 { range '1..2'; } } }\n"
	" leaf sum { type uint8 { range '1..3'; } must '. * 4 >= sum(//v)'; }\n"
	"}\n";

static const char choices_yang[] =
	"module opts { yang-version 1.1; namespace 'urn:opts'; prefix o;\n"
	" list e { key k; leaf k { type string { pattern '[a-b]'; } }\n"
	"  container c { must 'not(../flag) or in/m';\n"
	"   container in { leaf m { type uint8 { range '1..3'; } default 2; must '. < 3 or /p'; } } }\n"
	"  leaf flag { type empty; }\n"
	"  choice one { mandatory true;\n"
	"   case a { leaf a1 { type string { pattern '[a-c]'; } mandatory true; } leaf a2 { type string; "
	"default a; }\n"
	"    container ac { leaf x { type uint8 { range '1..3'; } default 1; must '. = 1 or ../../flag'; } } "
	"}\n"
	"   case b { leaf b1 { type uint8 { range '1..3'; } must '. != ../d1'; }\n"
	"    choice two { leaf x { type string; must '/p/q = .'; } container y { presence ''; leaf z { type "
	"string; "
	"mandatory true; } }\n"
	"     case w { leaf-list w { type string; min-elements 2; } leaf w2 { type string; } } } } }\n"
	"  choice three { default d;\n"
	"   case d { leaf d1 { type uint8 { range '1..3'; } default 3; must '. != 3 or not(/watch)'; }\n"
	"    container dc { must 'not(/alarm)'; leaf-list dl { type string; default a; default b; } } }\n"
	"   case e { leaf e1 { type string; } leaf e2 { type uint8 { range '1..3'; } default 1; must "
	"'not(/alarm)'; } } }\n"
	" }\n"
	" container p { presence ''; leaf q { type string { pattern '[a-c]'; } mandatory true; }\n"
	"  container r { list n { key k; min-elements 1; max-elements 2; leaf k { type string { pattern "
	"'[a-c]'; } } } } }\n"
	" leaf watch { type empty; } leaf alarm { type empty; }\n"
	" leaf picks { type leafref { path '/e/dc/dl'; } }\n"
	" leaf-list sees { type leafref { path '/e/in2/deep'; } }\n"
	" augment /e { container in2 { leaf deep { type string; default c; must 'count(/sees) < 2 or "
	"../../flag'; } } }\n"
	" leaf reads { type string; must 'not(/e/e2 = 1)'; }\n"
	"}\n";

static const char values_yang[] =
	"module vals { yang-version 1.1; namespace 'urn:vals'; prefix v;\n"
	" list t { key 'k n'; unique 'a in/b'; unique 'in/c'; leaf k { type string { pattern '[a-b]'; } }\n"
	"  leaf n { type uint8 { range '1..2'; } } leaf a { type string { pattern '[a-c]'; } }\n"
	"  container in { leaf b { type uint8 { range '1..3'; } default 2; } leaf c { type string { pattern "
	"'[a-c]'; } }\n"
	"   leaf on { type boolean; default true; } }\n"
	"  list s { key i; unique v; leaf i { type uint8 { range '1..3'; } } leaf v { type string { pattern "
	"'[a-c]'; "
	"} }\n"
	"   leaf-list m { type string { pattern '[a-c]'; } } } }\n"
	" list r { key k; leaf k { type string { pattern '[a-c]'; } }\n"
	"  leaf i { type instance-identifier; }\n"
	"  leaf-list u { type union { type instance-identifier; type leafref { path '/t/s/v'; } type uint8 { "
	"range "
	"'1..1'; } } }\n"
	"  leaf a { type leafref { path '/t/a'; } } leaf n { type leafref { path '/t/n'; } }\n"
	"  leaf m { type leafref { path '/t/s/m'; } }\n"
	"  leaf kk { type string { pattern '[a-b]'; } default a; }\n"
	"  container pc { presence ''; leaf z { type empty; } must "
	"'not(/t[k=current()/../kk][n=current()/../nn]/in/on = "
	"\"false\")'; "
	"}\n"
	"  container ic { leaf z { type empty; } must 'not(/t[k=current()/../kk][n=current()/../nn]/in/on = "
	"\"false\")'; }\n"
	"  leaf nn { type uint8 { range '1..2'; } }\n"
	"  leaf ka { type leafref { path '/t[k=current()/../kk]/a'; } }\n"
	"  leaf v { type leafref { path '/t[k=current()/../kk]/s/v'; } }\n"
	"  leaf w { type leafref { path '/t[k=current()/../kk][n=current()/../n]/s/i'; } }\n"
	"  list in { key j; leaf j { type uint8 { range '1..2'; }\n"
	"    must 'not(/t[k=current()/../../kk][n=current()]/in/on = \"false\")'; }\n"
	"   leaf-list l { type leafref { path '/t/in/c'; } must '. != \"a\" or "
	"not(/t[k=current()][n=current()/../j]/in/on = \"false\")'; }\n"
	"   leaf s { type leafref { path '../../../t[k=current()/../../kk]/s/i'; } } } }\n"
	" leaf first { type instance-identifier; }\n"
	"}\n";

/*
 * What libyang 2.1.30 does otherwise is not in here: it looks for a leafref's target before it adds the
 * defaults of containers that are not stored, adds no default where all that is set of its case is in a
 * nested choice, and crashes on preceding-sibling.
 */
static const char flips_yang[] =
	"module flips { yang-version 1.1; namespace 'urn:flips'; prefix f;\n"
	" grouping g { choice three { default d;\n"
	"   case d { leaf d1 { type uint8 { range '1..3'; } default 3; must '. != 3 or not(/watch)'; }\n"
	"    container dc { must 'not(/alarm)'; leaf-list dl { type string { pattern '[a-c]'; } default a; "
	"default b; } } }\n"
	"   case e { leaf e1 { type string; } leaf e2 { type uint8 { range '1..3'; } default 1; must "
	"'not(/alarm) or . = 2'; } }\n"
	"   case m { choice four { case h { leaf h1 { type string; } leaf h2 { type string; default b; must "
	"'. != "
	"/word'; } }\n"
	"     leaf j { type uint8 { range '1..3'; } } } }\n"
	"   leaf-list k { type string { pattern '[a-c]'; } default c; } } }\n"
	" uses g;\n"
	" container np { uses g; }\n"
	" list l { key k; leaf k { type string { pattern '[a-b]'; } } container in { uses g; } }\n"
	" leaf watch { type empty; } leaf alarm { type empty; } leaf word { type string { pattern '[a-c]'; } "
	"}\n"
	" leaf-list x { type string { pattern '[a-c]'; } must '. = /dc/dl'; }\n"
	" leaf-list y { type string { pattern '[a-c]'; } must '. = /np/dc/dl'; }\n"
	" leaf-list z { type string { pattern '[a-c]'; } must '. = /l/in/dc/dl'; }\n"
	" list q { ordered-by user; key k; leaf k { type string { pattern '[a-c]'; } } leaf v { type uint8 { "
	"range '1..3'; "
	"} }\n"
	"  must 'not(v) or not(/q[1]/v > v)'; }\n"
	" leaf qfirst { type string { pattern '[a-c]'; } must '/q[1]/k = . or not(/q)'; }\n"
	" leaf-list w { ordered-by user; type string { pattern '[a-c]'; } must '. != \"a\" or not(../w[1] = "
	"\"c\")'; }\n"
	" leaf text { type string { pattern '[a-c]'; } must 'not(contains(/np, .))'; }\n"
	" leaf many { type uint8 { range '1..3'; } must 'count(/l/in//*) < . * 4'; }\n"
	" leaf h { type string; must '/h2 or /np/h2 or /l[k=\"a\"]/in/h2 or /l[k=current()]'; }\n"
	"}\n";

static unsigned rounds = ROUNDS;
static uint64_t first_seed; /* each test starts from it */
static struct model model;
static struct oracle *oracle;

static void compare(const struct tree_record *old, const struct tree_record *new, const char *full)
{
	char *text = model_check(&model, old, new);
	assert_string_equal(text, full);
	free(text);
}

/* A new root from one of the valid roots; a valid one takes a place among them. */
static bool round_once(struct random *random, struct tree_record **kept)
{
	struct tree_record *root = random_edit(random, kept[random_pick(random, KEPT)]);
	char *full = model_check(&model, NULL, root);
	bool valid = *full == '\0';
	random_compare_oracle(random, root, full);
	for (unsigned i = 0; i < KEPT; i++)
		compare(kept[i], root, full);
	free(full);
	unsigned place = random_pick(random, KEPT);
	if (!valid) {
		model_drop(&model, root);
		return false;
	}
	model_drop(&model, kept[place]);
	kept[place] = root;
	return true;
}

static void run_rounds(void)
{
	struct random random = {
		.seed = first_seed, .model = &model, .oracle = oracle, .empty_containers = true};
	struct tree_record *kept[KEPT];
	for (unsigned i = 0; i < KEPT; i++)
		kept[i] = model_edit(&model, NULL, "");
	char *empty = model_check(&model, NULL, kept[0]);
	assert_string_equal(empty, "");
	free(empty);
	unsigned valid = 0;
	for (unsigned i = 0; i < rounds; i++)
		valid += round_once(&random, kept);
	print_message("%u of %u roots were valid\n", valid, rounds);
	assert_in_range(valid, rounds / 20, rounds - rounds / 20);
	for (unsigned i = 0; i < KEPT; i++)
		model_drop(&model, kept[i]);
	model_fini(&model);
	oracle_free(oracle);
}

static void test_perf_test(void **state)
{
	(void)state;
	if (!model_init_perf_test(&model))
		skip();
	oracle = oracle_new_from(model_shared("yang/perf-test"), "perf-test");
	run_rounds();
}

static void test_references(void **state)
{
	(void)state;
	model_init(&model, "refs", references_yang);
	oracle = oracle_new(references_yang);
	char *text = model_describe(&model);
	print_message("%s", text);
	free(text);
	run_rounds();
}

static void test_values(void **state)
{
	(void)state;
	model_init(&model, "vals", values_yang);
	oracle = oracle_new(values_yang);
	char *text = model_describe(&model);
	print_message("%s", text);
	free(text);
	run_rounds();
}

static void test_choices(void **state)
{
	(void)state;
	model_init(&model, "opts", choices_yang);
	oracle = oracle_new(choices_yang);
	run_rounds();
}

static void test_flips(void **state)
{
	(void)state;
	model_init(&model, "flips", flips_yang);
	oracle = oracle_new(flips_yang);
	run_rounds();
}

int main(void)
{
	const char *given = getenv("YARE_SEED");
	first_seed = given ? strtoull(given, NULL, 0) : (uint64_t)time(NULL) * 2654435761u + 1;
	const char *given_rounds = getenv("YARE_ROUNDS");
	if (given_rounds)
		rounds = (unsigned)strtoul(given_rounds, NULL, 0);
	print_message("YARE_SEED=%llu\n", (unsigned long long)first_seed);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_perf_test), cmocka_unit_test(test_references),
		cmocka_unit_test(test_values),	  cmocka_unit_test(test_choices),
		cmocka_unit_test(test_flips),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
