/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Releasing in slices. Every entry of the tree refers to one text, so the text's reference count tells how
 * many entries are not released yet.
 */
#include "helper_tree.h"

#include <pthread.h>

#include "base/text.h"
#include "tree/internal.h"

static const char module[] = "module m { yang-version 1.1; namespace urn:m; prefix m;"
			     " list e { key k; leaf k { type int32; } leaf x { type string; } } }";

enum { LENGTH = 20000 };

static struct schema *schema;
static struct value shared;
static int wakes;

static int setup(void **state)
{
	(void)state;
	schema = helper_schema("m", module);
	shared = helper_value("a text that is not inline");
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	value_unref(shared);
	schema_unref(schema);
	return 0;
}

static size_t alive(void)
{
	return atomic_load(&value_shared_text(shared)->refs) - 1;
}

static struct tree_record *sample(size_t length)
{
	struct tree_record *empty = tree_record_new();
	struct tree_builder *builder = tree_builder_new(schema, empty, NULL);
	tree_record_unref(empty, schema->root, NULL);
	for (size_t i = 0; i < length; i++) {
		struct value key = helper_number((int64_t)i);
		bool made;
		tree_builder_enter_entry(builder, helper_node(schema, "e"), &key, &made);
		tree_builder_set_leaf(builder, helper_node(schema, "e/x"), shared);
		tree_builder_leave(builder);
	}
	return tree_builder_finish(builder);
}

static void count_wake(void *arg)
{
	(void)arg;
	wakes++;
}

static void dropping_releases_at_most_a_slice(void **state)
{
	(void)state;
	struct tree_record *root = sample(LENGTH);
	struct tree_reclaimer *reclaimer = tree_reclaimer_new(count_wake, NULL);
	assert_int_equal(alive(), LENGTH);
	wakes = 0;
	tree_record_unref(root, schema->root, reclaimer);
	assert_int_equal(wakes, 1);
	assert_in_range(alive(), LENGTH - TREE_INLINE_RELEASE, LENGTH - 1);
	size_t before = alive();
	int slices = 0;
	while (tree_reclaimer_run(reclaimer, 0)) {
		assert_true(alive() < before);
		assert_true(before - alive() <= 200);
		before = alive();
		slices++;
	}
	assert_int_equal(alive(), 0);
	assert_true(slices > 10);
	assert_false(tree_reclaimer_run(reclaimer, UINT64_MAX));
	tree_reclaimer_free(reclaimer);
}

static void small_drops_do_not_queue(void **state)
{
	(void)state;
	struct tree_record *root = sample(900);
	struct tree_reclaimer *reclaimer = tree_reclaimer_new(count_wake, NULL);
	wakes = 0;
	tree_record_unref(root, schema->root, reclaimer);
	assert_int_equal(alive(), 0);
	assert_int_equal(wakes, 0);
	tree_reclaimer_free(reclaimer);
}

static void what_another_root_shares_stays(void **state)
{
	(void)state;
	struct tree_record *root = sample(LENGTH);
	struct tree_reclaimer *reclaimer = tree_reclaimer_new(NULL, NULL);
	struct tree_builder *builder = tree_builder_new(schema, root, reclaimer);
	struct value key = helper_number(LENGTH / 2);
	assert_true(tree_builder_remove_entry(builder, helper_node(schema, "e"), &key));
	struct tree_record *after = tree_builder_finish(builder);
	tree_record_unref(root, schema->root, reclaimer);
	assert_false(tree_reclaimer_run(reclaimer, UINT64_MAX));
	assert_int_equal(alive(), LENGTH - 1);
	helper_check(schema->root, after);
	tree_record_unref(after, schema->root, reclaimer);
	tree_reclaimer_free(reclaimer);
	assert_int_equal(alive(), 0);
	value_unref(key);
}

static void removed_lists_go_to_the_reclaimer(void **state)
{
	(void)state;
	struct tree_record *root = sample(LENGTH);
	struct tree_reclaimer *reclaimer = tree_reclaimer_new(NULL, NULL);
	struct tree_builder *builder = tree_builder_new(schema, root, reclaimer);
	tree_record_unref(root, schema->root, reclaimer);
	assert_true(tree_builder_remove(builder, helper_node(schema, "e")));
	assert_true(alive() >= LENGTH - TREE_INLINE_RELEASE);
	struct tree_record *after = tree_builder_finish(builder);
	assert_int_equal(after->length, 0);
	tree_record_unref(after, schema->root, reclaimer);
	tree_reclaimer_free(reclaimer);
	assert_int_equal(alive(), 0);
}

static void *run_slices(void *arg)
{
	while (tree_reclaimer_run(arg, 10000))
		;
	return NULL;
}

static void threads_may_run_it_together(void **state)
{
	(void)state;
	struct tree_reclaimer *reclaimer = tree_reclaimer_new(NULL, NULL);
	struct tree_record *roots[2] = {sample(LENGTH), sample(LENGTH)};
	pthread_t threads[3];
	tree_record_unref(roots[0], schema->root, reclaimer);
	for (int i = 0; i < 3; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, run_slices, reclaimer), 0);
	tree_record_unref(roots[1], schema->root, reclaimer);
	for (int i = 0; i < 3; i++)
		assert_int_equal(pthread_join(threads[i], NULL), 0);
	tree_reclaimer_free(reclaimer);
	assert_int_equal(alive(), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(dropping_releases_at_most_a_slice),
		cmocka_unit_test(small_drops_do_not_queue),
		cmocka_unit_test(what_another_root_shares_stays),
		cmocka_unit_test(removed_lists_go_to_the_reclaimer),
		cmocka_unit_test(threads_may_run_it_together),
	};
	return cmocka_run_group_tests(tests, setup, teardown);
}
