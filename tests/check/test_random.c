/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The property that the whole engine rests on: from any valid old root, the incremental check of any new root
 * gives the verdict and the errors of the full check. Random edits over perf-test and two models of our own
 * that have every kind and class of constraint; the new root is checked against several valid roots met
 * before, near and far.
 *
 * YARE_SEED repeats a run; YARE_ROUNDS makes it longer.
 */
#include "helper_model.h"
#include "helper_oracle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "schema/type.h"

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

static const char *const words[] = {"a",
				    "b",
				    "c",
				    "1",
				    "2",
				    "3",
				    "",
				    "true",
				    "false",
				    "l2vlan",
				    "/vals:t[k='a'][n='1']",
				    "/vals:t[k='b'][n='2']/in/c",
				    "/vals:t[k='a'][n='1']/in",
				    "/vals:t[k='a'][n='2']/s[i='1']/m[.='b']",
				    "/vals:t[k='a'][n='2']/in/b",
				    "/vals:r[k='b']/i",
				    "/vals:first"};

static unsigned rounds = ROUNDS;
static uint64_t first_seed, seed; /* seed: of the next number; each test starts from the first */
static struct model model;
static struct oracle *oracle;

static unsigned pick(unsigned count)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (unsigned)((seed >> 16) % count);
}

static struct value pick_value(const struct schema_node *leaf)
{
	struct arena *arena = arena_new();
	struct value value = VALUE_NONE;
	struct schema_type_error error;
	struct schema_prefixes_canonical prefixes = schema_prefixes_canonical(model.schema, leaf->module);
	for (int i = 0; i < 2000; i++) {
		const char *word = words[pick(sizeof(words) / sizeof(*words))];
		if (schema_type_parse(model.schema, leaf->type, bytes_of(word), &prefixes.base, arena, &value,
				      &error) == ST_OK)
			break;
	}
	arena_free(arena);
	return value;
}

static void edit_below(struct tree_builder *builder, const struct schema_node *parent);

static void edit_leaf(struct tree_builder *builder, const struct schema_node *leaf)
{
	if (leaf->is_key)
		return;
	bool is_list = leaf->kind == SCHEMA_LEAF_LIST;
	if (!is_list && pick(4) == 0) {
		tree_builder_remove(builder, leaf);
		return;
	}
	struct value value = pick_value(leaf);
	if (value_is_none(value))
		return;
	if (is_list && pick(3) == 0) {
		tree_builder_remove_value(builder, leaf, value);
	} else {
		struct tree_insert insert = {.where = pick(2) ? TREE_FIRST : TREE_LAST};
		model_clear_cases(builder, leaf);
		if (is_list && leaf->user_ordered)
			tree_builder_insert_value(builder, leaf, value, &insert);
		else if (is_list)
			tree_builder_add_value(builder, leaf, value);
		else
			tree_builder_set_leaf(builder, leaf, value);
	}
	value_unref(value);
}

static void edit_container(struct tree_builder *builder, const struct schema_node *container)
{
	if (pick(8) == 0) {
		tree_builder_remove(builder, container);
		return;
	}
	model_clear_cases(builder, container);
	tree_builder_enter(builder, container);
	/* An empty container that is stored puts its case in use; to libyang it does not. */
	if (container->presence || (pick(6) == 0 && !container->in_case))
		tree_builder_make(builder);
	edit_below(builder, container);
	tree_builder_leave(builder);
}

static void edit_entry(struct tree_builder *builder, const struct schema_node *list)
{
	struct value keys[4];
	bool made;
	for (size_t i = 0; i < list->key_count; i++)
		keys[i] = pick_value(list->children[i]);
	if (pick(5) == 0) {
		tree_builder_remove_entry(builder, list, keys);
	} else {
		model_clear_cases(builder, list);
		struct tree_insert insert = {.where = pick(2) ? TREE_FIRST : TREE_LAST};
		if (list->user_ordered && pick(2))
			tree_builder_insert_entry(builder, list, keys, &insert);
		tree_builder_enter_entry(builder, list, keys, &made);
		for (unsigned i = pick(4); i > 0; i--)
			edit_below(builder, list);
		tree_builder_leave(builder);
	}
	for (size_t i = 0; i < list->key_count; i++)
		value_unref(keys[i]);
}

static void edit_below(struct tree_builder *builder, const struct schema_node *parent)
{
	const struct schema_node *child = parent->children[pick(parent->child_count)];
	if (child->kind == SCHEMA_CONTAINER)
		edit_container(builder, child);
	else if (child->kind != SCHEMA_LIST)
		edit_leaf(builder, child);
	else if (pick(40) == 0)
		tree_builder_remove(builder, child);
	else
		edit_entry(builder, child);
}

static struct tree_record *random_edit(const struct tree_record *base)
{
	struct tree_builder *builder = tree_builder_new(model.schema, base, NULL);
	for (unsigned i = 1 + pick(8); i > 0; i--)
		edit_below(builder, model.schema->root);
	return tree_builder_finish(builder);
}

static void compare(const struct tree_record *old, const struct tree_record *new, const char *full)
{
	char *text = model_check(&model, old, new);
	assert_string_equal(text, full);
	free(text);
}

/* libyang agrees; its first error is one of ours (app-tag; of the node it names, or on a child of that). */
static void compare_with_oracle(const struct tree_record *root, const char *full)
{
	char *app_tag = NULL, *node = NULL;
	bool valid = oracle_check(oracle, model.schema, root, &app_tag, &node);
	bool agrees = valid == (*full == '\0');
	char tag[256];
	snprintf(tag, sizeof(tag), " %s ", app_tag ? app_tag : "");
	if (!valid && strcmp(app_tag, "-") != 0)
		agrees = agrees && strstr(full, tag);
	if (!valid)
		agrees = agrees && strstr(full, node);
	if (!agrees) {
		char *xml = oracle_xml(model.schema, root);
		print_message("%s\nours:\n%slibyang: %s, %s at %s\n", xml, full, valid ? "valid" : "invalid",
			      app_tag ? app_tag : "", node ? node : "");
		free(xml);
	}
	assert_true(agrees);
	free(app_tag);
	free(node);
}

/* A new root from one of the valid roots; a valid one takes a place among them. */
static bool round_once(struct tree_record **kept)
{
	struct tree_record *root = random_edit(kept[pick(KEPT)]);
	char *full = model_check(&model, NULL, root);
	bool valid = *full == '\0';
	compare_with_oracle(root, full);
	for (unsigned i = 0; i < KEPT; i++)
		compare(kept[i], root, full);
	free(full);
	unsigned place = pick(KEPT);
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
	seed = first_seed;
	struct tree_record *kept[KEPT];
	for (unsigned i = 0; i < KEPT; i++)
		kept[i] = model_edit(&model, NULL, "");
	char *empty = model_check(&model, NULL, kept[0]);
	assert_string_equal(empty, "");
	free(empty);
	unsigned valid = 0;
	for (unsigned i = 0; i < rounds; i++)
		valid += round_once(kept);
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
