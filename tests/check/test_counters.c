/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is counted: instances evaluated, each once, by kind and by constraint, in a check and in settle.
 */
#include "helper_model.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check/counters.h"

static const char *const yang =
	"module m { yang-version 1.1; namespace urn:m; prefix m;\n"
	" list a { key k; leaf k { type string; } leaf v { type uint8; must '. < 200'; }\n"
	"  leaf w { when '../v < 100'; type string; }\n"
	"  leaf d { when '../v < 50'; type string; default x; } }\n"
	" list r { key k; leaf k { type leafref { path /a/k; } } }\n"
	"}\n";

static struct model model;

struct search {
	const char *kind, *node;
	uint32_t id;
};

static void match(const struct check_explanation *explanation, void *arg)
{
	struct search *search = arg;
	if (strcmp(explanation->kind, search->kind) == 0 &&
	    strcmp(explanation->node->name, search->node) == 0)
		search->id = explanation->id;
}

static struct check_count count_of(const struct check_tally *tally, const char *kind, const char *node)
{
	struct search search = {kind, node, UINT32_MAX};
	check_plan_each(model.plan, match, &search);
	assert_true(search.id < check_tally_length(tally));
	return check_tally_get(tally, search.id);
}

static void expect(const struct check_tally *tally, const char *kind, const char *node, uint64_t evaluated)
{
	assert_int_equal(count_of(tally, kind, node).evaluated, evaluated);
}

static struct tree_record *step(const struct tree_record *base, const char *edit, const char *faults)
{
	struct tree_record *root = model_edit(&model, base, edit);
	char *text = model_settle(&model, base, &root);
	assert_string_equal(text, "");
	free(text);
	text = model_check(&model, base, root);
	assert_string_equal(text, faults);
	free(text);
	return root;
}

static void test_by_constraint(void **state)
{
	(void)state;
	model_init(&model, "m", yang);
	struct check_tally *tally = check_tally_new(model.plan);
	struct tree_record *base =
		step(NULL, "a[1]/v=10\na[1]/w=x\na[2]/v=10\na[2]/w=x\na[2]/d=y\nr[1]/k=1", "");
	model.options.tally = tally;
	struct tree_record *next = step(base, "a[1]/v=120\na[3]/v=60\nr[3]", "");
	expect(tally, "must", "v", 2);
	expect(tally, "leafref", "k", 1);
	expect(tally, "when", "w", 1);
	assert_true(count_of(tally, "when", "d").evaluated > 0);
	assert_int_equal(count_of(tally, "must", "v").nanoseconds, 0);
	check_tally_set_timing(tally, CHECK_TIMED);
	struct tree_record *last = step(next, "a[1]/v=121", "");
	expect(tally, "must", "v", 3);
	assert_true(count_of(tally, "must", "v").nanoseconds > 0);
	assert_int_equal(count_of(tally, "leafref", "k").nanoseconds, 0);
	model_drop(&model, last);
	model_drop(&model, next);
	model_drop(&model, base);
	check_tally_free(tally);
	model_fini(&model);
}

/* The second look of --verify is nobody's business. */
static void test_verify_is_not_counted(void **state)
{
	(void)state;
	model_init(&model, "m", yang);
	struct check_tally *tally = check_tally_new(model.plan);
	struct tree_record *base = step(NULL, "a[1]/v=10\na[2]/v=10", "");
	model.options.tally = tally;
	model.options.verify = true;
	struct tree_record *next = step(base, "a[1]/v=20", "");
	expect(tally, "must", "v", 1);
	model_drop(&model, next);
	model_drop(&model, base);
	check_tally_free(tally);
	model_fini(&model);
}

static void test_settle_counts(void **state)
{
	(void)state;
	model_init(&model, "m", yang);
	struct tree_record *base = step(NULL, "a[1]/v=10\na[1]/w=x\na[2]/v=10", "");
	struct check_counters counters = {0};
	struct tree_record *next = model_edit(&model, base, "a[1]/v=20");
	model.options.counters = &counters;
	char *text = model_settle(&model, base, &next);
	assert_string_equal(text, "");
	free(text);
	assert_int_equal(counters.whens, 3); /* of w, and of the default of d before and after */
	assert_int_equal(counters.musts, 0);
	assert_true(counters.steps > 0);
	model_drop(&model, next);
	model_drop(&model, base);
	model_fini(&model);
}

static const char *const keyed_yang =
	"module m { yang-version 1.1; namespace urn:m; prefix m;\n"
	" list port { key name; leaf name { type string; } leaf speed { type uint8; } }\n"
	" list use { key k; leaf k { type uint16; } leaf port { type string; }\n"
	"  leaf set { when \"/port[name = current()/../port]/speed > 5\"; type string; }\n"
	"  leaf implied { when \"/port[name = current()/../port]/speed > 6\"; type string; default x; } }\n"
	"}\n";

enum { USES = 100 };

/* Who selects the entry that changed is found by the index of the base: the others are left alone. */
static void test_keyed_whens(void **state)
{
	(void)state;
	model_init(&model, "m", keyed_yang);
	char edit[USES * 64] = "port[a]/speed=9\nport[b]/speed=9\n";
	for (size_t i = 0, at = strlen(edit); i < USES; i++)
		at += (size_t)snprintf(edit + at, sizeof(edit) - at, "use[%zu]/port=%s\nuse[%zu]/set=x\n", i,
				       i == 7 ? "a" : "b", i);
	struct tree_record *base = step(NULL, edit, "");
	struct check_counters counters = {0};
	model.options.counters = &counters;
	struct tree_record *next = model_edit(&model, base, "port[a]/speed=1");
	char *text = model_settle(&model, base, &next);
	assert_string_equal(text, "");
	free(text);
	assert_in_range(counters.whens, 2, 6);
	text = model_check(&model, base, next);
	assert_string_equal(text, "");
	free(text);
	assert_in_range(model.counters.whens, 1, 4);
	model_drop(&model, next);
	model_drop(&model, base);
	model_fini(&model);
}

static const char *const hub_yang =
	"module m { yang-version 1.1; namespace urn:m; prefix m;\n"
	" list port { key name; leaf name { type string; } leaf speed { type uint8; } }\n"
	" list use { key k; leaf k { type uint16; }\n"
	"  leaf port { type string; must 'not(/port[name = current()]/speed = 13)'; }\n"
	"  leaf own { type string; must '/port[name = current()]/speed != ../k'; } }\n"
	"}\n";

/* What holds for one reader of an entry holds for all that select it by nothing else; but not where the
 * reader has a say. What is violated is told of each. */
static void test_one_for_all(void **state)
{
	(void)state;
	model_init(&model, "m", hub_yang);
	char edit[USES * 64] = "port[a]/speed=9\nport[b]/speed=9\nuse[200]/own=b\nuse[201]/own=b\n";
	for (size_t i = 0, at = strlen(edit); i < USES; i++)
		at += (size_t)snprintf(edit + at, sizeof(edit) - at, "use[%zu]/port=a\n", i + 1);
	struct tree_record *base = step(NULL, edit, "");
	model_drop(&model, step(base, "port[a]/speed=7", ""));
	assert_int_equal(model.counters.musts, 1);
	model_drop(&model, step(base, "port[b]/speed=7", ""));
	assert_int_equal(model.counters.musts, 2);
	struct tree_record *broken = model_edit(&model, base, "port[a]/speed=13");
	model.limit = USES;
	char *text = model_check(&model, base, broken);
	size_t lines = 0;
	for (const char *at = text; (at = strchr(at, '\n')); at++)
		lines++;
	assert_int_equal(lines, USES);
	free(text);
	model_drop(&model, broken);
	model_drop(&model, base);
	model_fini(&model);
}

enum { THREADS = 4, EVALUATIONS = 10000 };

static void *add(void *arg)
{
	for (size_t i = 0; i < EVALUATIONS; i++)
		check__tally_end(arg, 0, check__tally_begin(arg));
	return NULL;
}

static void test_threads(void **state)
{
	(void)state;
	model_init(&model, "m", yang);
	struct check_tally *tally = check_tally_new(model.plan);
	pthread_t threads[THREADS];
	for (size_t i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, add, tally), 0);
	check_tally_set_timing(tally, CHECK_TIMED);
	for (size_t i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	assert_int_equal(check_tally_get(tally, 0).evaluated, THREADS * EVALUATIONS);
	check_tally_free(tally);
	model_fini(&model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_by_constraint), cmocka_unit_test(test_verify_is_not_counted),
		cmocka_unit_test(test_settle_counts), cmocka_unit_test(test_keyed_whens),
		cmocka_unit_test(test_one_for_all),   cmocka_unit_test(test_threads),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
