/* SPDX-License-Identifier: BSD-3-Clause */
/* Large changes, whose records are encoded while they are checked: accepted, refused, and what follows these.
 */
#include <pthread.h>
#include <stdio.h>
#include "store/helper_disk.h"

#define LARGE 1500u /* changes: enough for a thread */

static bool refuses;

static enum status authorise(void *arg, const struct store_actor *actor,
			     const struct tree_change_set *changes, struct diag_list *diags)
{
	(void)arg;
	(void)actor;
	(void)changes;
	if (refuses)
		diag_add(diags, DIAG_PROTOCOL, DIAG_ACCESS_DENIED, "refused");
	return refuses ? ST_REJECTED : ST_OK;
}

static void set_up(struct disk_bench *bench)
{
	disk_bench_init(bench);
	bench->store_options.authorise = authorise;
	refuses = false;
	assert_int_equal(disk_open(bench), ST_OK);
}

/* A root like the tip with many entries of one type, from number `first` on. */
static struct tree_record *make_large(struct disk_bench *bench, unsigned first, const char *type)
{
	struct tree_record *root = tree_record_ref(bench->store->tip->root);
	for (unsigned i = 0; i < LARGE; i++) {
		struct tree_record *next = disk_change(bench, root, first + i, type);
		disk_unref(bench, root);
		root = next;
	}
	return root;
}

/* Proposes it, and gives it back where it was accepted; else the tip. */
static const struct tree_record *put_large(struct disk_bench *bench, unsigned first, const char *type)
{
	struct tree_record *root = make_large(bench, first, type);
	assert_int_equal(disk_propose(bench, root, NULL), refuses ? ST_REJECTED : ST_OK);
	if (!refuses)
		return root;
	disk_unref(bench, root);
	return tree_record_ref(bench->store->tip->root);
}

static void assert_survives(struct disk_bench *bench, const struct tree_record *root)
{
	store_sync(bench->store);
	disk_close(bench, false);
	assert_int_equal(disk_open(bench), ST_OK);
	assert_true(disk_equal(bench, bench->store->tip->root, root));
}

static void test_accepted(void **state)
{
	(void)state;
	struct disk_bench bench;
	set_up(&bench);
	for (unsigned i = 0; i < 3; i++) {
		const struct tree_record *root = put_large(&bench, i * 1000, i == 1 ? NULL : "large");
		assert_survives(&bench, root);
		disk_unref(&bench, root);
	}
	disk_bench_fini(&bench);
}

/* No thread can be made, here for want of room for its stack: the record is encoded after the check. */
static void test_no_thread(void **state)
{
	(void)state;
	struct disk_bench bench;
	pthread_attr_t usual, huge;
	set_up(&bench);
	assert_int_equal(pthread_getattr_default_np(&usual), 0);
	assert_int_equal(pthread_getattr_default_np(&huge), 0);
	assert_int_equal(pthread_attr_setstacksize(&huge, (size_t)1 << 50), 0);
	assert_int_equal(pthread_setattr_default_np(&huge), 0);
	const struct tree_record *root = put_large(&bench, 0, "large");
	assert_int_equal(pthread_setattr_default_np(&usual), 0);
	assert_survives(&bench, root);
	disk_unref(&bench, root);
	disk_bench_fini(&bench);
	pthread_attr_destroy(&usual);
	pthread_attr_destroy(&huge);
}

/* The names that the refused one would have been the first to use are defined by the next one. */
static void test_refused_first(void **state)
{
	(void)state;
	struct disk_bench bench;
	set_up(&bench);
	refuses = true;
	disk_unref(&bench, put_large(&bench, 0, "refused"));
	refuses = false;
	assert_int_equal(disk_put(&bench, 1, "small"), ST_OK);
	const struct tree_record *root = tree_record_ref(bench.store->tip->root);
	assert_survives(&bench, root);
	disk_unref(&bench, root);
	disk_bench_fini(&bench);
}

static void test_refused_between(void **state)
{
	(void)state;
	struct disk_bench bench;
	set_up(&bench);
	for (unsigned i = 0; i < 4; i++) {
		assert_int_equal(disk_put(&bench, i, "small"), ST_OK);
		refuses = i % 2 == 1;
		const struct tree_record *root = put_large(&bench, i * 500, i % 2 == 1 ? "refused" : "large");
		refuses = false;
		assert_survives(&bench, root);
		disk_unref(&bench, root);
	}
	disk_bench_fini(&bench);
}

/* A record that is larger than a segment gets one of its own, and only that, though it defines more names
 * there than it would have behind the last one. */
static void test_next_segment(void **state)
{
	(void)state;
	struct disk_bench bench;
	disk_bench_init(&bench);
	bench.store_options.authorise = authorise;
	bench.journal_options.segment_size = 900;
	refuses = false;
	assert_int_equal(disk_open(&bench), ST_OK);
	for (unsigned i = 0; i < 3; i++) {
		for (unsigned k = 0; k < 3; k++) /* by then the names are defined twice */
			assert_int_equal(disk_put(&bench, k, k + i == 2 ? "little" : "small"), ST_OK);
		uint64_t segment = bench.store->names_segment;
		const struct tree_record *root = put_large(&bench, i, i == 1 ? "other" : "large");
		assert_int_equal(bench.store->names_segment, segment + 1);
		assert_survives(&bench, root);
		disk_unref(&bench, root);
	}
	disk_bench_fini(&bench);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_accepted),      cmocka_unit_test(test_no_thread),
		cmocka_unit_test(test_refused_first), cmocka_unit_test(test_refused_between),
		cmocka_unit_test(test_next_segment),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
