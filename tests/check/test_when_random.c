/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Random edits over models full of whens. From any valid root: settle gives the same tree as in full, and the
 * one that libyang leaves of it; it refuses just where a change of the request's own is lost; and the
 * incremental check of what is left finds what the full one and libyang find.
 *
 * YARE_SEED repeats a run; YARE_ROUNDS makes it longer.
 */
#include "helper_random.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ROUNDS = 400, KEPT = 5 };

static const char *const whens_yang =
	"module whens { yang-version 1.1; namespace 'urn:whens'; prefix w;\n"
	" leaf on { type empty; } leaf off { type empty; }\n"
	" leaf a { type string { pattern '[a-c]'; } when '/on'; default a; must 'not(/off) or . "
	"!= \"b\"'; }\n"
	" leaf b { type string { pattern '[a-c]'; } when \"/a = 'a' or /a = 'b'\"; default c; }\n"
	" leaf-list c { type string { pattern '[a-c]'; } when '/b = \"c\"'; default a; default "
	"b; }\n"
	" container d { when 'count(/c) > 1'; leaf d1 { type uint8 { range '1..3'; } default 2; "
	"must '. < 3 or /off'; }\n"
	"  leaf d2 { type string { pattern '[a-c]'; } when '../d1 = 2'; }\n"
	"  container d3 { when '../d2'; must 'not(/p)'; leaf d4 { type string { pattern '[a-c]'; "
	"} default b; } } }\n"
	" container p { presence ''; when 'not(/d/d3/d4 = \"c\")'; leaf q { type string { "
	"pattern '[a-c]'; } mandatory true;\n"
	"  when '/on or ../r'; } leaf r { type string { pattern '[a-c]'; } } }\n"
	" leaf sees { type string { pattern '[a-c]'; } must '. = /a or . = /d/d3/d4 or . = /c'; }\n"
	" leaf counts { type uint8 { range '1..3'; } must 'count(//d1) + count(//x) <= .'; }\n"
	" list l { key k; leaf k { type string { pattern '[a-b]'; } }\n"
	"  leaf kind { type string { pattern '[a-c]'; } default a; }\n"
	"  leaf x { type uint8 { range '1..3'; } default 1; when \"../kind = 'a'\"; must '. < 3 "
	"or /off'; }\n"
	"  leaf m { type string { pattern '[a-c]'; } mandatory true; when \"../kind = 'b'\"; }\n"
	"  leaf-list few { type string { pattern '[a-c]'; } min-elements 2; when \"../x = 2\"; }\n"
	"  choice ch { mandatory true; when \"kind = 'c'\"; leaf c1 { type string { pattern "
	"'[a-c]'; } }\n"
	"    leaf c2 { type string { pattern '[a-c]'; } when 'not(../x)'; } }\n"
	"  list t { key i; unique 'z zz'; when \"../kind != 'c'\"; leaf zz { type string { "
	"pattern '[a-c]'; } default b; when '../../../on'; } leaf i { type uint8 { range '1..3'; "
	"} } leaf z { type string { pattern '[a-c]'; } } } }\n"
	" augment /l { when \"w:kind = 'b' or w:kind = 'a'\"; leaf z { type string { pattern "
	"'[a-c]'; } default a; when \"../x = 1 or ../kind = 'b'\"; }\n"
	"  container zc { leaf zz { type string { pattern '[a-c]'; } default a; when '../../z = "
	"\"a\"'; } } }\n"
	" list s { key i; leaf i { type uint8 { range '1..3'; } } leaf peer { type string { "
	"pattern '[a-b]'; } }\n"
	"  leaf v { type string { pattern '[a-c]'; } when '/l[k = current()/../peer]/x'; }\n"
	"  leaf y { type string { pattern '[a-c]'; } when \"/l[k = current()/../peer]/kind = "
	"'a'\"; default b; must '. != /b'; } }\n"
	" leaf-list zs { type string { pattern '[a-c]'; } must '. = /l/zc/zz or . = /s/y or "
	"not(/l)'; }\n"
	"}\n";

static const char *const cases_yang =
	"module cases { yang-version 1.1; namespace 'urn:cases'; prefix w;\n"
	" leaf on { type empty; } leaf kind { type string { pattern '[a-c]'; } default a; }\n"
	" grouping g { choice c { default d;\n"
	"   case d { leaf d1 { type string { pattern '[a-c]'; } default a; }\n"
	"    leaf d2 { type string { pattern '[a-c]'; } default b; when '/on'; must '. != /not'; } }\n"
	"   case e { when \"/kind = 'a' or /kind = 'b'\"; leaf e1 { type string { pattern '[a-c]'; } }\n"
	"    leaf e2 { type string { pattern '[a-c]'; } default c; when \"/kind = 'b'\"; } }\n"
	"   case f { container fc { leaf f1 { type string { pattern '[a-c]'; } when '/on'; } leaf f2 { type "
	"string { pattern "
	"'[a-c]'; } } } } } }\n"
	" uses g;\n"
	" list l { key k; leaf k { type string { pattern '[a-b]'; } } uses g { when \"k = 'a' or /on\"; } }\n"
	" leaf not { type string { pattern '[a-c]'; } }\n"
	" leaf m1 { type string { pattern '[a-c]'; } when '/d1 = \"a\"'; }\n"
	" leaf m2 { type string { pattern '[a-c]'; } when '/d2'; default a; }\n"
	" leaf m3 { type string { pattern '[a-c]'; } when \"/m2 = 'a' and not(/m1)\"; must '. != /l/d1 or "
	"not(/l)'; }\n"
	" leaf m4 { type string { pattern '[a-c]'; } must '. = /l/e2 or . = /e2 or . = /l/d2'; }\n"
	"}\n";

/*
 * One that libyang 2.1.30 judges right. It takes a default that is itself under a `when` for absent where
 * another `when` reads it, and removes what is under a "when not(x)" also where x itself is about to be
 * removed.
 */
static const char *const plain_yang =
	"module plain { yang-version 1.1; namespace 'urn:plain'; prefix w;\n"
	" leaf on { type empty; } leaf off { type empty; } leaf kind { type string { pattern "
	"'[a-c]'; } default a; }\n"
	" leaf a { type string { pattern '[a-c]'; } when '/on'; }\n"
	" leaf b { type string { pattern '[a-c]'; } when \"/a = 'a' or /a = 'b'\"; }\n"
	" leaf-list c { type string { pattern '[a-c]'; } when '/b = \"c\"'; }\n"
	" container d { presence ''; when 'count(/c) > 1'; leaf d1 { type uint8 { range '1..3'; "
	"} default 2; must '. < 3 or /off'; }\n"
	"  leaf d2 { type string { pattern '[a-c]'; } when '../d1 = 2'; }\n"
	"  container d3 { when '../d2'; must 'not(/off)'; leaf d4 { type string { pattern "
	"'[a-c]'; } default b; must '. = /d/d2'; } } }\n"
	" leaf sees { type string { pattern '[a-c]'; } must '. = /l/x or . = /d/d3/d4 or . = "
	"/c'; }\n"
	" list l { key k; leaf k { type string { pattern '[a-b]'; } }\n"
	"  leaf kind { type string { pattern '[a-c]'; } default a; }\n"
	"  leaf x { type string { pattern '[a-c]'; } default a; when \"../kind = 'a'\"; must '. "
	"!= \"b\" or /off'; }\n"
	"  leaf m { type string { pattern '[a-c]'; } mandatory true; when \"../kind = 'b'\"; }\n"
	"  leaf-list few { type string { pattern '[a-c]'; } min-elements 1; when \"../m = 'b'\"; "
	"}\n"
	"  choice ch { mandatory true; when \"kind = 'c' and /on\"; leaf c1 { type string { "
	"pattern '[a-c]'; } }\n"
	"    case two { when 'not(/off)'; leaf c2 { type string { pattern '[a-c]'; } } } }\n"
	"  list t { key i; when \"../kind != 'c'\"; unique z; leaf i { type uint8 { range "
	"'1..3'; } }\n"
	"   leaf z { type string { pattern '[a-c]'; } when '../../../on'; } } }\n"
	" augment /l { when \"w:kind = 'b' or /w:on\"; leaf z { type string { pattern '[a-c]'; } "
	"} list zl { key k; leaf k { type string { pattern '[a-c]'; } } } }\n"
	" list s { key i; leaf i { type uint8 { range '1..3'; } } leaf peer { type string { "
	"pattern '[a-b]'; } }\n"
	"  leaf v { type string { pattern '[a-c]'; } when '/l[k = current()/../peer]/m'; }\n"
	"  leaf y { type string { pattern '[a-c]'; } when \"/l[k = current()/../peer]/kind = "
	"'a'\"; default b; must '. != /kind'; } }\n"
	"}\n";

static unsigned rounds = ROUNDS;
static uint64_t first_seed;
static struct model model;

static void expect_equal(struct random *random, const struct tree_record *from, const struct tree_record *a,
			 const struct tree_record *b, const char *what)
{
	const struct schema *schema = random->model->schema;
	if (tree_record_equal(schema->root, a, b))
		return;
	char *x = oracle_xml(schema, from), *y = oracle_xml(schema, a), *z = oracle_xml(schema, b);
	print_message("of\n%s\nin full\n%s\nother\n%s\n", x, y, z);
	fail_msg("%s", what);
}

/* Settles; the result is the tree that is wanted. */
static char *settle(struct random *random, const struct tree_record *base, const struct tree_record *root,
		    const struct tree_record *wanted)
{
	struct tree_record *settled = tree_record_ref(root);
	char *text = model_settle(random->model, base, &settled);
	expect_equal(random, root, wanted, settled, "incrementally");
	model_drop(random->model, settled);
	return text;
}

static struct tree_record *settle_in_full(struct random *random, const struct tree_record *root)
{
	struct tree_record *settled = tree_record_ref(root);
	random->model->options.full = true;
	char *text = model_settle(random->model, root, &settled);
	random->model->options.full = false;
	assert_string_equal(text, "");
	free(text);
	if (!random->oracle)
		return settled;
	struct tree_record *theirs = oracle_settle(random->oracle, random->model->schema, root);
	expect_equal(random, root, settled, theirs, "libyang");
	model_drop(random->model, theirs);
	return settled;
}

/* Whether the request lost something of its own does not depend on how it was found. */
static void compare_refusals(struct random *random, const struct tree_record *base,
			     const struct tree_record *root, const struct tree_record *settled)
{
	char *incremental = settle(random, base, root, settled);
	random->model->options.full = true;
	char *full = settle(random, base, root, settled);
	random->model->options.full = false;
	assert_string_equal(incremental, full);
	if (settled == root)
		assert_string_equal(full, "");
	free(incremental);
	free(full);
}

static bool round_once(struct random *random, struct tree_record **kept)
{
	struct tree_record *root = random_edit(random, kept[random_pick(random, KEPT)]);
	struct tree_record *settled = settle_in_full(random, root);
	for (unsigned i = 0; i < KEPT; i++)
		compare_refusals(random, kept[i], root, settled);
	model_drop(random->model, root);
	char *full = model_check(random->model, NULL, settled);
	if (random->oracle)
		random_compare_oracle(random, settled, full);
	for (unsigned i = 0; i < KEPT; i++) {
		char *text = model_check(random->model, kept[i], settled);
		assert_string_equal(text, full);
		free(text);
	}
	bool valid = *full == '\0';
	free(full);
	unsigned place = random_pick(random, KEPT);
	model_drop(random->model, valid ? kept[place] : settled);
	if (valid)
		kept[place] = settled;
	return valid;
}

enum with_oracle { WITHOUT_ORACLE, WITH_ORACLE };

static void run(const char *name, const char *yang, enum with_oracle with_oracle)
{
	model_init(&model, name, yang);
	struct random random = {.seed = first_seed, .model = &model};
	if (with_oracle == WITH_ORACLE)
		random.oracle = oracle_new(yang);
	struct tree_record *kept[KEPT];
	for (unsigned i = 0; i < KEPT; i++)
		kept[i] = model_edit(&model, NULL, "");
	unsigned valid = 0;
	for (unsigned i = 0; i < rounds; i++)
		valid += round_once(&random, kept);
	print_message("%u of %u roots were valid\n", valid, rounds);
	assert_in_range(valid, rounds / 20, rounds);
	for (unsigned i = 0; i < KEPT; i++)
		model_drop(&model, kept[i]);
	if (random.oracle)
		oracle_free(random.oracle);
	model_fini(&model);
}

static void test_whens(void **state)
{
	(void)state;
	run("whens", whens_yang, WITHOUT_ORACLE);
}

static void test_cases(void **state)
{
	(void)state;
	run("cases", cases_yang, WITHOUT_ORACLE);
}

static void test_plain(void **state)
{
	(void)state;
	run("plain", plain_yang, WITH_ORACLE);
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
		cmocka_unit_test(test_whens),
		cmocka_unit_test(test_cases),
		cmocka_unit_test(test_plain),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
