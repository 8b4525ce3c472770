/* SPDX-License-Identifier: BSD-3-Clause */
/* Transaction ids over restarts, snapshots and power cuts. */
#include <string.h>

#include "store/helper_disk.h"
#include "store/txid.h"

/* Ids of the datastore, of top-container and of the leaf at top level, as texts. */
struct ids {
	char texts[3][STORE_TXID_SIZE];
};

static const struct schema_node *top_node(struct disk_bench *bench, const char *name)
{
	return schema_child_find_any(bench->schema->root, bytes_of(name), NULL);
}

static void read_ids(struct disk_bench *bench, struct ids *ids)
{
	const struct store_txids *txids = bench->store->published->txids;
	store_txid_text(store_txid_of(txids, NULL), ids->texts[0]);
	store_txid_text(store_txid_of(txids, top_node(bench, "top-container")), ids->texts[1]);
	store_txid_text(store_txid_of(txids, top_node(bench, "local-leafref-leaf")), ids->texts[2]);
}

static void assert_ids(struct disk_bench *bench, const struct ids *expected)
{
	struct ids is;
	read_ids(bench, &is);
	for (unsigned i = 0; i < 3; i++)
		assert_string_equal(is.texts[i], expected->texts[i]);
}

/* A change of what top-container has. */
static void change(struct disk_bench *bench, unsigned number, const char *type)
{
	assert_int_equal(disk_put(bench, number, type), ST_OK);
	store_sync(bench->store);
}

/* A change of the leaf at top level, which names an entry. */
static void change_leaf(struct disk_bench *bench, const char *text)
{
	struct tree_builder *builder =
		tree_builder_new(bench->schema, bench->store->tip->root, bench->reclaimer);
	struct value value = value_new(bytes_of(text), 0);
	tree_builder_set_leaf(builder, top_node(bench, "local-leafref-leaf"), value);
	value_unref(value);
	struct tree_record *root = tree_builder_finish(builder);
	assert_int_equal(disk_propose(bench, root, NULL), ST_OK);
	disk_unref(bench, root);
	store_sync(bench->store);
}

static void reopen(struct disk_bench *bench, bool seal)
{
	disk_close(bench, seal);
	assert_int_equal(disk_open(bench), ST_OK);
}

static void begin(struct disk_bench *bench)
{
	disk_bench_init(bench);
	assert_int_equal(disk_open(bench), ST_OK);
	change(bench, 1, "a");
	change_leaf(bench, "n1");
	change(bench, 2, "b");
}

static void same_after_a_restart(void **state)
{
	(void)state;
	struct disk_bench bench;
	struct ids ids, later;
	begin(&bench);
	read_ids(&bench, &ids);
	assert_string_not_equal(ids.texts[1], ids.texts[2]);
	assert_string_equal(ids.texts[0], ids.texts[1]);
	reopen(&bench, true);
	assert_ids(&bench, &ids);
	reopen(&bench, false);
	assert_ids(&bench, &ids);
	/* From the file alone, from a snapshot, and with records of several epochs. */
	change_leaf(&bench, "n2");
	read_ids(&bench, &later);
	assert_string_equal(later.texts[1], ids.texts[1]);
	assert_string_not_equal(later.texts[2], ids.texts[2]);
	assert_int_equal(store_snapshot(bench.store), ST_OK);
	reopen(&bench, false);
	assert_ids(&bench, &later);
	change(&bench, 3, "c");
	read_ids(&bench, &later);
	reopen(&bench, true);
	reopen(&bench, true);
	assert_ids(&bench, &later);
	disk_bench_fini(&bench);
}

static void same_after_a_power_cut(void **state)
{
	(void)state;
	struct disk_bench bench;
	struct ids ids;
	begin(&bench);
	for (uint64_t seed = 1; seed < 30; seed++) {
		if (seed % 3 == 0)
			change_leaf(&bench, seed % 2 == 0 ? "n1" : "n2");
		else
			change(&bench, (unsigned)seed % 5, seed % 2 == 0 ? "x" : "y");
		if (seed % 7 == 0)
			assert_int_equal(store_snapshot(bench.store), ST_OK);
		read_ids(&bench, &ids);
		os_fs_fake_power_cut(bench.fs, seed);
		disk_close(&bench, false);
		os_fs_fake_power_on(bench.fs);
		assert_int_equal(disk_open(&bench), ST_OK);
		assert_ids(&bench, &ids);
	}
	disk_bench_fini(&bench);
}

/* With durability relaxed a version that readers saw may be gone, and its number is given again: no id is. */
static void never_again_after_a_loss(void **state)
{
	(void)state;
	struct disk_bench bench;
	struct ids lost, ids;
	bool any_lost = false;
	disk_bench_init(&bench);
	bench.store_options.durability = STORE_RELAXED;
	assert_int_equal(disk_open(&bench), ST_OK);
	change(&bench, 1, "a");
	for (uint64_t seed = 1; seed < 30; seed++) {
		assert_int_equal(disk_put(&bench, 1, seed % 2 == 0 ? "p" : "q"), ST_OK); /* not synced */
		if (seed % 5 == 0)
			(void)!store_snapshot(bench.store);
		read_ids(&bench, &lost);
		uint64_t version = bench.store->published->id;
		os_fs_fake_power_cut(bench.fs, seed);
		disk_close(&bench, false);
		os_fs_fake_power_on(bench.fs);
		assert_int_equal(disk_open(&bench), ST_OK);
		bool is_lost = bench.store->published->id < version;
		any_lost |= is_lost;
		read_ids(&bench, &ids);
		if (is_lost)
			assert_string_not_equal(ids.texts[0], lost.texts[0]);
		while (bench.store->published->id < version)
			change(&bench, 2, bench.store->published->id % 2 == 0 ? "r" : "s");
		read_ids(&bench, &ids);
		if (is_lost)
			assert_string_not_equal(ids.texts[0], lost.texts[0]);
		/* What is lost is not in the history of ids. */
		struct store_txid older = {1, 1};
		assert_int_equal(store_txid_is_known(bench.store, bytes_of(lost.texts[0]), older), !is_lost);
	}
	assert_true(any_lost);
	disk_bench_fini(&bench);
}

static void a_damaged_file_begins_anew(void **state)
{
	(void)state;
	struct disk_bench bench;
	struct ids ids, fresh;
	begin(&bench);
	read_ids(&bench, &ids);
	disk_close(&bench, true);
	os_fs_fake_corrupt(bench.fs, "data/txids", 20, 0x10);
	assert_int_equal(disk_open(&bench), ST_OK);
	read_ids(&bench, &fresh);
	for (unsigned i = 0; i < 3; i++)
		assert_string_not_equal(fresh.texts[i], ids.texts[i]);
	reopen(&bench, true);
	assert_ids(&bench, &fresh);
	disk_bench_fini(&bench);
}

static void later_ids_are_known(void **state)
{
	(void)state;
	struct disk_bench bench;
	struct ids ids;
	begin(&bench);
	read_ids(&bench, &ids);
	struct store_txid leaf =
		store_txid_of(bench.store->published->txids, top_node(&bench, "local-leafref-leaf"));
	assert_true(store_txid_is_known(bench.store, bytes_of(ids.texts[2]), leaf));
	assert_true(store_txid_is_known(bench.store, bytes_of(ids.texts[0]), leaf));
	struct store_txid data = store_txid_of(bench.store->published->txids, NULL);
	assert_false(store_txid_is_known(bench.store, bytes_of(ids.texts[2]), data));
	static const char *const never[] = {"?", "!", "=", "", "-", "1-2", "zz-3", "0000000000000001-4"};
	for (size_t i = 0; i < sizeof(never) / sizeof(never[0]); i++)
		assert_false(store_txid_is_known(bench.store, bytes_of(never[i]), leaf));
	/* A number that is not given yet, of the right epoch. */
	char future[STORE_TXID_SIZE];
	store_txid_text((struct store_txid){data.epoch, data.version + 1}, future);
	assert_false(store_txid_is_known(bench.store, bytes_of(future), leaf));
	disk_bench_fini(&bench);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(same_after_a_restart),	    cmocka_unit_test(same_after_a_power_cut),
		cmocka_unit_test(never_again_after_a_loss), cmocka_unit_test(a_damaged_file_begins_anew),
		cmocka_unit_test(later_ids_are_known),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
