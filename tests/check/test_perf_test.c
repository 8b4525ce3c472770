/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The perf-test module: each way to violate it, with the exact error; what an edit makes due, counted; and
 * that a check costs what the change costs. The model is read from the shared inputs.
 */
#include "helper_model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LIST "/perf-test:top-container/perf-test:local-list"
#define MEMBERS "/perf-test:local-leafref-members"
#define PATH_TEXT "/top-container/local-list/name"
#define BASE                                                                                                 \
	"top-container/local-list[a]/type=l2vlan\n"                                                          \
	"top-container/local-list[b]/type=l2vlan\n"                                                          \
	"top-container/local-list[t]/type=tunnel\n"                                                          \
	"local-leafref-members[a]\n"                                                                         \
	"local-leafref-leaf=t\n"

#define DANGLING(path, value)                                                                                \
	"data-missing instance-required " path " Invalid leafref value \"" value                             \
	"\" - no target instance \"" PATH_TEXT "\" with the same value.\n"
#define NOT_VLAN(name)                                                                                       \
	"operation-failed must-violation " MEMBERS "[perf-test:name='" name                                  \
	"']/perf-test:name Only VLAN interfaces can be added!\n"

static struct model model;

static void expect(const char *edit, const char *faults)
{
	model_expect(&model, BASE, edit, faults);
}

static void test_valid(void **state)
{
	(void)state;
	expect("", "");
	expect("local-leafref-members[b]\n", "");
	expect("-local-leafref-leaf\n-local-leafref-members\n-top-container\n", "");
}

static void test_leafref_to_missing(void **state)
{
	(void)state;
	expect("local-leafref-leaf=x\n", DANGLING("/perf-test:local-leafref-leaf", "x"));
	expect("local-leafref-members[x]\n",
	       NOT_VLAN("x") DANGLING(MEMBERS "[perf-test:name='x']/perf-test:name", "x"));
}

static void test_must_on_wrong_type(void **state)
{
	(void)state;
	expect("local-leafref-members[t]\n", NOT_VLAN("t"));
	expect("top-container/local-list[a]/type=tunnel\n", NOT_VLAN("a"));
	expect("top-container/local-list[b]/type=tunnel\n", "");
}

static void test_deleted_target(void **state)
{
	(void)state;
	expect("-top-container/local-list[t]\n", DANGLING("/perf-test:local-leafref-leaf", "t"));
	expect("-top-container/local-list[a]\n",
	       NOT_VLAN("a") DANGLING(MEMBERS "[perf-test:name='a']/perf-test:name", "a"));
	expect("-top-container\n", NOT_VLAN("a") DANGLING(MEMBERS "[perf-test:name='a']/perf-test:name", "a")
					   DANGLING("/perf-test:local-leafref-leaf", "t"));
	expect("-top-container/local-list[b]\n", "");
}

static void test_renamed_target(void **state)
{
	(void)state;
	expect("-top-container/local-list[t]\ntop-container/local-list[t2]/type=tunnel\n",
	       DANGLING("/perf-test:local-leafref-leaf", "t"));
	expect("-top-container/local-list[t]\ntop-container/local-list[t2]/"
	       "type=tunnel\nlocal-leafref-leaf=t2\n",
	       "");
}

static void test_satisfied_again(void **state)
{
	(void)state;
	expect("-top-container\ntop-container/local-list[a]/type=l2vlan\ntop-container/local-list[t]/"
	       "type=x\n",
	       "");
	expect("top-container/local-list[t]/type=l2vlan\ntop-container/local-list[a]/type=tunnel\n"
	       "-local-leafref-members[a]\nlocal-leafref-members[t]\nlocal-leafref-leaf=a\n",
	       "");
}

static void test_mandatory_type(void **state)
{
	(void)state;
	expect("top-container/local-list[n]\n",
	       "data-missing - " LIST
	       "[perf-test:name='n']/perf-test:type Mandatory node \"type\" instance does not "
	       "exist.\n");
	expect("-top-container/local-list[b]/type\n",
	       "data-missing - " LIST
	       "[perf-test:name='b']/perf-test:type Mandatory node \"type\" instance does not "
	       "exist.\n");
}

/* ---- Large edits. */

static struct value name_value(unsigned number)
{
	char name[32];
	int size = snprintf(name, sizeof(name), "vlan1-%07u", number);
	return value_new((struct bytes){name, (size_t)size}, 0);
}

static const struct schema_node *child(const struct schema_node *parent, const char *name)
{
	return schema_child_find_any(parent, bytes_of(name), NULL);
}

static void add_entry(struct tree_builder *builder, const struct schema_node *list, unsigned number,
		      const char *type)
{
	struct value key = name_value(number), value = value_new(bytes_of(type), 0);
	bool made;
	tree_builder_enter_entry(builder, list, &key, &made);
	if (list->child_count > 1)
		tree_builder_set_leaf(builder, list->children[1], value);
	tree_builder_leave(builder);
	value_unref(key);
	value_unref(value);
}

/* The base with `entries` list entries and `members` members more. */
static struct tree_record *make_large(const struct tree_record *base, unsigned entries, unsigned members)
{
	const struct schema_node *root = model.schema->root, *top = child(root, "top-container");
	struct tree_record *empty = tree_record_new();
	struct tree_builder *builder = tree_builder_new(model.schema, base ? base : empty, NULL);
	if (entries > 0) {
		tree_builder_enter(builder, top);
		for (unsigned i = 0; i < entries; i++)
			add_entry(builder, child(top, "local-list"), i, "l2vlan");
		tree_builder_leave(builder);
	}
	for (unsigned i = 0; i < members; i++)
		add_entry(builder, child(root, "local-leafref-members"), i, "");
	struct tree_record *result = tree_builder_finish(builder);
	model_drop(&model, empty);
	return result;
}

static void expect_change(const struct tree_record *old, const struct tree_record *new, const char *faults)
{
	char *text = model_check(&model, old, new);
	assert_string_equal(text, faults);
	free(text);
}

static void expect_counters(uint64_t musts, uint64_t leafrefs, uint64_t counts, uint64_t mandatories)
{
	assert_int_equal(model.counters.musts, musts);
	assert_int_equal(model.counters.leafrefs, leafrefs);
	assert_int_equal(model.counters.counts, counts);
	assert_int_equal(model.counters.mandatories, mandatories);
}

static void test_counters_complex(void **state)
{
	(void)state;
	enum { N = 1000 };
	struct tree_record *base = make_large(NULL, N, 0), *both = make_large(base, 0, N);
	expect_change(NULL, base, "");
	assert_null(check_index_new(model.plan, base)); /* the lists' own maps answer */
	expect_counters(0, 0, 1, N);
	expect_change(base, both, "");
	expect_counters(N, N, 1, 0);
	expect_change(NULL, both, "");
	expect_counters(N, N, 1, N);

	/* Entries and members in one edit to a datastore that has others: the readers are new, so nobody asks
	 * twice. */
	struct tree_record *small = model_edit(&model, NULL, BASE), *grown = make_large(small, N, N);
	expect_change(small, grown, "");
	expect_counters(N, N, 1, N);
	model_drop(&model, grown);
	model_drop(&model, small);
	model_drop(&model, both);
	model_drop(&model, base);
}

static void test_counters_small_change(void **state)
{
	(void)state;
	struct tree_record *base = make_large(NULL, 2000, 1000);
	struct tree_record *one =
		model_edit(&model, base, "top-container/local-list[vlan1-0000007]/type=l2vlan2");
	expect_change(base, one, NOT_VLAN("vlan1-0000007"));
	expect_counters(1, 0, 0, 0);
	struct tree_record *unused =
		model_edit(&model, base, "top-container/local-list[vlan1-0001500]/type=l2vlan2");
	expect_change(base, unused, "");
	expect_counters(0, 0, 0, 0);
	struct tree_record *gone = model_edit(&model, base, "-top-container/local-list[vlan1-0000007]");
	expect_change(base, gone,
		      NOT_VLAN("vlan1-0000007") DANGLING(
			      MEMBERS "[perf-test:name='vlan1-0000007']/perf-test:name", "vlan1-0000007"));
	expect_counters(1, 1, 0, 0);
	struct tree_record *more = model_edit(&model, base, "top-container/local-list[zzz]/type=l2vlan");
	expect_change(base, more, "");
	expect_counters(0, 0, 0, 1);
	model_drop(&model, more);
	model_drop(&model, gone);
	model_drop(&model, unused);
	model_drop(&model, one);
	model_drop(&model, base);
}

static void test_too_many_members(void **state)
{
	(void)state;
	struct tree_record *base = make_large(NULL, 100001, 100000), *over = make_large(base, 0, 100001);
	expect_change(NULL, base, "");
	expect_change(base, over,
		      "operation-failed too-many-elements " MEMBERS
		      " Too many \"local-leafref-members\" instances.\n");
	expect_counters(1, 1, 1, 0);
	struct tree_record *swapped = model_edit(
		&model, base, "-local-leafref-members[vlan1-0000000]\nlocal-leafref-members[vlan1-0100000]");
	expect_change(base, swapped, "");
	expect_counters(1, 1, 1, 0);
	model_drop(&model, swapped);
	model_drop(&model, over);
	model_drop(&model, base);
}

static void test_many_faults(void **state)
{
	(void)state;
	struct tree_record *base = make_large(NULL, 5000, 5000);
	struct tree_record *none = model_edit(&model, base, "-top-container");
	model.limit = 3;
	const char *faults = NOT_VLAN("vlan1-0000000")
		DANGLING(MEMBERS "[perf-test:name='vlan1-0000000']/perf-test:name", "vlan1-0000000")
			NOT_VLAN("vlan1-0000001") "9997 more\n";
	expect_change(base, none, faults);
	expect_change(NULL, none, faults);
	model.limit = 1000;
	model_drop(&model, none);
	model_drop(&model, base);
}

static void test_work_limit(void **state)
{
	(void)state;
	struct tree_record *base = make_large(NULL, 1000, 0), *both = make_large(base, 0, 1000);
	uint64_t steps = model.options.steps;
	model.options.steps = 50;
	char *text = model_check(&model, base, both);
	assert_non_null(strstr(text, "resource-denied - " MEMBERS "[perf-test:name='vlan1-"));
	assert_non_null(strstr(text, "of " MEMBERS "/perf-test:name takes more work than the limit"));
	free(text);
	model.options.steps = steps;
	model_drop(&model, both);
	model_drop(&model, base);
}

static void test_describe(void **state)
{
	(void)state;
	char *text = model_describe(&model);
	print_message("%s", text);
	assert_non_null(strstr(text, MEMBERS "/perf-test:name must keyed"));
	assert_non_null(strstr(text, MEMBERS "/perf-test:name leafref keyed: " LIST));
	assert_non_null(strstr(text, MEMBERS " max-elements counted\n"));
	assert_non_null(strstr(text, "/perf-test:type mandatory local\n"));
	assert_non_null(strstr(text, "/perf-test:local-leafref-leaf leafref local: "));
	assert_null(strstr(text, "scan"));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_valid),
		cmocka_unit_test(test_leafref_to_missing),
		cmocka_unit_test(test_must_on_wrong_type),
		cmocka_unit_test(test_deleted_target),
		cmocka_unit_test(test_renamed_target),
		cmocka_unit_test(test_satisfied_again),
		cmocka_unit_test(test_mandatory_type),
		cmocka_unit_test(test_counters_complex),
		cmocka_unit_test(test_counters_small_change),
		cmocka_unit_test(test_too_many_members),
		cmocka_unit_test(test_many_faults),
		cmocka_unit_test(test_work_limit),
		cmocka_unit_test(test_describe),
	};
	if (!model_init_perf_test(&model))
		return 0;
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	model_fini(&model);
	return failed;
}
