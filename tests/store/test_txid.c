/* SPDX-License-Identifier: BSD-3-Clause */
/* Transaction ids over restarts, snapshots and power cuts. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "store/helper_disk.h"
#include "store/history.h"
#include "store/txid.h"
#include "tree/stamp.h"

/* Ids of the datastore, of top-container and of the leaf at top level, as texts and as times; and of all
 * inner nodes, in document order. */
struct ids {
	char texts[3][STORE_TXID_SIZE], times[3][STORE_TXID_SIZE];
	size_t count;
	uint64_t inner[64];
};

static void read_one(void *arg, const struct tree_record *record)
{
	struct ids *ids = arg;
	assert_true(ids->count < 64);
	ids->inner[ids->count++] = tree_record_stamp_get(record);
}

static const struct schema_node *top_node(struct disk_bench *bench, const char *name)
{
	return schema_child_find_any(bench->schema->root, bytes_of(name), NULL);
}

static void read_ids(struct disk_bench *bench, struct ids *ids)
{
	const struct store_txids *txids = bench->store->published->txids;
	const struct schema_node *nodes[] = {NULL, top_node(bench, "top-container"),
					     top_node(bench, "local-leafref-leaf")};
	for (size_t i = 0; i < 3; i++) {
		store_txid_text(store_txid_of(txids, nodes[i]), ids->texts[i]);
		store_txid_time_text(store_txid_of(txids, nodes[i]), ids->times[i]);
	}
	ids->count = 0;
	tree_stamp_walk(bench->schema->root, bench->store->published->root, read_one, ids);
	for (size_t i = 1; i < ids->count; i++)
		assert_in_range(ids->inner[i], 1, ids->inner[0]);
}

static void assert_ids(struct disk_bench *bench, const struct ids *expected)
{
	struct ids is;
	read_ids(bench, &is);
	for (unsigned i = 0; i < 3; i++) {
		assert_string_equal(is.texts[i], expected->texts[i]);
		assert_string_equal(is.times[i], expected->times[i]);
	}
	assert_int_equal(is.count, expected->count);
	assert_memory_equal(is.inner, expected->inner, is.count * sizeof(is.inner[0]));
}

static bool is_known(struct disk_bench *bench, const char *text, struct store_txid server)
{
	struct store_txid_client client;
	store_txid_client_init(&client, bench->store, STORE_TXID_ETAG, bytes_of(text));
	return store_txid_client_knows(&client, server);
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
		struct store_txid older = {1, 1, 0};
		assert_int_equal(is_known(&bench, lost.texts[0], older), !is_lost);
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

static bool is_known_time(struct disk_bench *bench, const char *text, struct store_txid server)
{
	struct store_txid_client client;
	store_txid_client_init(&client, bench->store, STORE_TXID_LAST_MODIFIED, bytes_of(text));
	return store_txid_client_knows(&client, server);
}

static void later_times_are_known(void **state)
{
	(void)state;
	struct disk_bench bench;
	struct ids ids;
	begin(&bench);
	read_ids(&bench, &ids);
	const struct store_txids *txids = bench.store->published->txids;
	struct store_txid leaf = store_txid_of(txids, top_node(&bench, "local-leafref-leaf"));
	struct store_txid data = store_txid_of(txids, NULL);
	assert_true(leaf.time_us < data.time_us);
	assert_true(is_known_time(&bench, ids.times[2], leaf));
	assert_true(is_known_time(&bench, ids.times[0], leaf));
	assert_false(is_known_time(&bench, ids.times[2], data));
	static const char *const never[] = {"?",
					    "!",
					    "=",
					    "",
					    "2022-04-01T12:34:56.123456Z",
					    "2922-04-01T12:34:56.123456Z",
					    "2022-04-01T12:34:56Z",
					    "2022-99-99T12:34:56.123456Z"};
	for (size_t i = 0; i < sizeof(never) / sizeof(never[0]); i++)
		assert_false(is_known_time(&bench, never[i], leaf));
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
	assert_true(is_known(&bench, ids.texts[2], leaf));
	assert_true(is_known(&bench, ids.texts[0], leaf));
	struct store_txid data = store_txid_of(bench.store->published->txids, NULL);
	assert_false(is_known(&bench, ids.texts[2], data));
	static const char *const never[] = {"?", "!", "=", "", "-", "1-2", "zz-3", "0000000000000001-4"};
	for (size_t i = 0; i < sizeof(never) / sizeof(never[0]); i++)
		assert_false(is_known(&bench, never[i], leaf));
	/* A number that is not given yet, of the right epoch. */
	char future[STORE_TXID_SIZE];
	store_txid_text((struct store_txid){data.epoch, data.version + 1, 0}, future);
	assert_false(is_known(&bench, future, leaf));
	disk_bench_fini(&bench);
}

#define ENTRIES 6

/* What the entries are, and the version that made them so; the last one is the container around them. */
struct model {
	char types[ENTRIES + 1][ENTRIES * 2 + 1]; /* "": it is not there */
	uint64_t stamps[ENTRIES + 1];
};

static void look(struct disk_bench *bench, struct model *model)
{
	*model = (struct model){0};
	const struct schema_node *container = top_node(bench, "top-container");
	const struct schema_node *list = schema_child_find_any(container, bytes_of("local-list"), NULL);
	const struct schema_node *type = schema_child_find_any(list, bytes_of("type"), NULL);
	const union tree_slot *slot = tree_record_find(bench->store->published->root, container);
	if (slot == NULL)
		return;
	model->stamps[ENTRIES] = tree_record_stamp_get(slot->record);
	const union tree_slot *entries = tree_record_find(slot->record, list);
	for (size_t i = 0; i < ENTRIES; i++) {
		char name[8];
		snprintf(name, sizeof(name), "n%zu", i);
		struct value key = value_new(bytes_of(name), 0);
		const union tree_item *item =
			entries != NULL ? tree_map_find(entries->map, list, &key) : NULL;
		value_unref(key);
		if (item != NULL) {
			struct value value = tree_record_find(item->record, type)->value;
			model->types[i][0] = value_bytes(&value).data[0];
			model->stamps[i] = tree_record_stamp_get(item->record);
		}
		strcat(model->types[ENTRIES], item != NULL ? model->types[i] : "-");
	}
}

/* Proposes something at random: entries changed, made, deleted; deleted and made again; an old version. */
static void step(struct disk_bench *bench, unsigned *random)
{
	static const char *const types[] = {"x", "y", NULL};
	unsigned entry = (unsigned)rand_r(random) % ENTRIES;
	const struct tree_record *tip = bench->store->tip->root;
	struct tree_record *root = NULL, *other;
	uint64_t past = bench->store->tip->id - (uint64_t)rand_r(random) % 6;
	const struct tree_record *old;
	switch (rand_r(random) % 4) {
	case 0:
		if (store_history_pin(bench->store, past, &old) == ST_OK) {
			assert_int_equal(disk_propose(bench, old, NULL), ST_OK);
			disk_unref(bench, old);
		}
		break;
	case 1:
		other = disk_change(bench, tip, entry, NULL);
		root = disk_change(bench, other, entry, types[rand_r(random) % 2]);
		disk_unref(bench, other);
		break;
	default:
		root = disk_change(bench, tip, entry, types[rand_r(random) % 3]);
		if (rand_r(random) % 2 == 0) {
			other = root;
			root = disk_change(bench, other, (entry + 1) % ENTRIES, types[rand_r(random) % 3]);
			disk_unref(bench, other);
		}
	}
	if (root != NULL) {
		(void)!disk_propose(bench, root, NULL);
		disk_unref(bench, root);
	}
	if (rand_r(random) % 2 == 0)
		store_sync(bench->store);
}

/* An id is that of the version that changed the node last, whatever way there was. YARE_SEED repeats a run.
 */
static void as_a_model_says(void **state)
{
	(void)state;
	const char *seed = getenv("YARE_SEED");
	unsigned random = seed != NULL ? (unsigned)strtoul(seed, NULL, 10) : (unsigned)time(NULL);
	printf("YARE_SEED=%u\n", random);
	struct disk_bench bench;
	struct model before, after;
	disk_bench_init(&bench);
	assert_int_equal(disk_open(&bench), ST_OK);
	look(&bench, &before);
	for (unsigned i = 0; i < 1500; i++) {
		uint64_t version = bench.store->published->id;
		step(&bench, &random);
		store_sync(bench.store);
		look(&bench, &after);
		for (size_t k = 0; k <= ENTRIES; k++) {
			bool same = strcmp(before.types[k], after.types[k]) == 0;
			if (after.types[k][0] != '\0')
				assert_int_equal(after.stamps[k],
						 same ? before.stamps[k] : bench.store->published->id);
			assert_true(same || bench.store->published->id > version);
		}
		before = after;
		if (rand_r(&random) % 20 == 0)
			assert_int_equal(store_snapshot(bench.store), ST_OK);
		if (rand_r(&random) % 10 == 0) {
			reopen(&bench, rand_r(&random) % 2 == 0);
			look(&bench, &after);
			assert_memory_equal(&after, &before, sizeof(after));
		}
	}
	disk_bench_fini(&bench);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(same_after_a_restart),	    cmocka_unit_test(same_after_a_power_cut),
		cmocka_unit_test(never_again_after_a_loss), cmocka_unit_test(a_damaged_file_begins_anew),
		cmocka_unit_test(later_ids_are_known),	    cmocka_unit_test(later_times_are_known),
		cmocka_unit_test(as_a_model_says),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
