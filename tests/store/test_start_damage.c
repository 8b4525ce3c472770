/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A damaged directory is judged alike by a start that reads it on several threads and by one that does so on
 * one: the same status and messages, the same version and data. Half of the damage has checksums that fit, so
 * that it gets to those who read the runs of entries.
 */
#include "store/helper_disk.h"

#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "journal/crc32c.h"
#include "journal/helper_mutate.h"
#include "journal/internal.h"

#define ENTRIES 4000u /* some 200 KB: several pieces */
#define RUNS 60u
#define BLOCK_HEAD 8u /* docs/format/snapshot.md */

struct world {
	struct disk_bench bench;
	struct mutate_dir dir;
};

static const struct schema_node *child(const struct schema_node *parent, const char *name)
{
	const struct schema_node *node = schema_child_find_any(parent, bytes_of(name), NULL);
	assert_non_null(node);
	return node;
}

/* Proposes the tip with every `step`th entry from `first` on. */
static void add_entries(struct disk_bench *bench, unsigned first, unsigned step)
{
	const struct schema_node *top = child(bench->schema->root, "top-container"),
				 *list = child(top, "local-list");
	struct tree_builder *builder =
		tree_builder_new(bench->schema, bench->store->tip->root, bench->reclaimer);
	tree_builder_enter(builder, top);
	for (unsigned i = first; i < ENTRIES; i += step) {
		char text[64];
		bool made;
		snprintf(text, sizeof(text), "n%05u", i);
		struct value key = value_new(bytes_of(text), 0);
		snprintf(text, sizeof(text), "what the entry with the number %u has", i);
		struct value type = value_new(bytes_of(text), 0);
		tree_builder_enter_entry(builder, list, &key, &made);
		tree_builder_set_leaf(builder, child(list, "type"), type);
		tree_builder_leave(builder);
		value_unref(key);
		value_unref(type);
	}
	struct tree_record *root = tree_builder_finish(builder);
	assert_int_equal(disk_propose(bench, root, NULL), ST_OK);
	disk_unref(bench, root);
	store_sync(bench->store);
}

/* A large record, a snapshot of it, and a large record behind that with entries between the others. */
static int make_world(void **state)
{
	struct world *world = memory_zalloc(sizeof(*world));
	struct disk_bench *bench = &world->bench;
	log_set_level((enum log_level) - 1); /* not what a start says of each damage */
	disk_bench_init(bench);
	bench->journal_options.segment_size = 1 << 20;
	bench->store_options.check.steps = 100000000;
	assert_int_equal(disk_open(bench), ST_OK);
	add_entries(bench, 0, 2);
	assert_int_equal(store_snapshot(bench->store), ST_OK);
	add_entries(bench, 1, 2);
	assert_int_equal(disk_put(bench, 7, "x"), ST_OK);
	store_sync(bench->store);
	disk_close(bench, false);
	mutate_read(&world->dir, bench->fs, "data");
	*state = world;
	return 0;
}

static int free_world(void **state)
{
	struct world *world = *state;
	mutate_free(&world->dir);
	disk_bench_fini(&world->bench);
	memory_free(world);
	return 0;
}

/* ---- damage with checksums that fit ---- */

static void seal_segment(char *data, size_t size)
{
	uint32_t checksum = journal__get_u32(data + 76);
	for (size_t at = JOURNAL__HEADER_SIZE; at + JOURNAL__FRAME_SIZE <= size && data[at + 8] != 0;) {
		size_t payload = journal__get_u32(data + at + 4);
		if (payload > size - at - JOURNAL__FRAME_SIZE)
			return;
		journal__put_u32(data + at + 25, checksum);
		checksum = crc32c(0, (struct bytes){data + at + 4, JOURNAL__FRAME_SIZE - 4 + payload});
		journal__put_u32(data + at, checksum);
		at += JOURNAL__FRAME_SIZE + payload;
	}
}

static void seal_snapshot(char *data, size_t size)
{
	uint32_t checksum = journal__get_u32(data + 76);
	for (size_t at = JOURNAL__HEADER_SIZE; at + BLOCK_HEAD <= size;) {
		size_t block = journal__get_u32(data + at + 4);
		if (block > size - at - BLOCK_HEAD)
			return;
		checksum = crc32c(checksum, (struct bytes){data + at + 4, 4 + block});
		journal__put_u32(data + at, checksum);
		at += BLOCK_HEAD + block;
	}
}

/* Bytes of what is used of a file: behind that, segments are zeros. */
static size_t used(const char *data, size_t size)
{
	while (size > 0 && data[size - 1] == 0)
		size--;
	return size;
}

/* One byte, or a range that stands a second time in the place of others: entries twice, or in another order.
 */
static void spoil(char *data, size_t size, uint64_t *random)
{
	char range[200];
	size_t first = JOURNAL__HEADER_SIZE + JOURNAL__FRAME_SIZE + 100, room = size - first - sizeof(range);
	size_t at = first + mutate_random(random, room), from = first + mutate_random(random, room);
	size_t length = 1 + mutate_random(random, sizeof(range) - 1);
	if (mutate_random(random, 2) == 0) {
		data[at] ^= (char)(1 << mutate_random(random, 8));
		return;
	}
	memcpy(range, data + from, length);
	memcpy(data + at, range, length);
}

static void damage_and_seal(struct mutate_dir *dir, uint64_t *random)
{
	struct mutate_file *file = vector_at(&dir->files, mutate_random(random, dir->files.length));
	char *data = file->content.data + file->content.start;
	size_t size = buffer_size(&file->content);
	bool is_segment = strncmp(file->name, "journal.", 8) == 0;
	if (used(data, size) < 1000)
		return;
	spoil(data, used(data, size), random);
	if (is_segment)
		seal_segment(data, size);
	else if (strncmp(file->name, "snapshot.", 9) == 0)
		seal_snapshot(data, size);
}

/* ---- starts ---- */

struct outcome {
	enum status status;
	uint64_t version;
	struct tree_record *root; /* NULL: no start */
	struct buffer says;
};

/* A start from a fresh disk with the files. */
static struct outcome start(struct world *world, const struct mutate_dir *dir, unsigned threads)
{
	struct disk_bench *bench = &world->bench;
	struct outcome outcome = {0};
	buffer_init(&outcome.says, SIZE_MAX);
	os_fs_fake_free(bench->fs);
	bench->fs = bench->journal_options.fs = os_fs_fake_new();
	mutate_write(dir, bench->fs, "data");
	bench->start_threads = threads;
	outcome.status = disk_open(bench);
	for (const struct diag *diag = bench->diags.first; diag != NULL; diag = diag->next)
		assert_int_equal(buffer_append(&outcome.says, bytes_of(diag->message)), ST_OK);
	if (outcome.status != ST_OK)
		return outcome;
	outcome.version = bench->store->tip->id;
	outcome.root = tree_record_ref(bench->store->tip->root);
	disk_close(bench, false);
	return outcome;
}

static void drop(struct world *world, struct outcome *outcome)
{
	if (outcome->root != NULL)
		disk_unref(&world->bench, outcome->root);
	buffer_fini(&outcome->says);
}

/* Whether it started. */
static bool starts_alike(struct world *world, const struct mutate_dir *dir)
{
	struct outcome one = start(world, dir, 1), several = start(world, dir, 4);
	assert_int_equal(several.status, one.status);
	assert_int_equal(several.version, one.version);
	assert_true(bytes_equal(buffer_get(&several.says), buffer_get(&one.says)));
	bool is_started = one.root != NULL;
	if (is_started)
		assert_true(disk_equal(&world->bench, several.root, one.root));
	drop(world, &one);
	drop(world, &several);
	return is_started;
}

static void test_no_damage(void **state)
{
	struct world *world = *state;
	struct outcome outcome = start(world, &world->dir, 4);
	assert_int_equal(outcome.status, ST_OK);
	assert_int_equal(outcome.version, 4);
	drop(world, &outcome);
	assert_true(starts_alike(world, &world->dir));
}

/* Sealing what is whole changes no byte: damage that is sealed has the checksums of the format. */
static void test_sealing_is_of_the_format(void **state)
{
	struct world *world = *state;
	struct mutate_dir dir;
	mutate_copy(&dir, &world->dir);
	for (size_t i = 0; i < dir.files.length; i++) {
		struct mutate_file *file = vector_at(&dir.files, i),
				   *before = vector_at(&world->dir.files, i);
		char *data = file->content.data + file->content.start;
		if (strncmp(file->name, "journal.", 8) == 0)
			seal_segment(data, buffer_size(&file->content));
		else if (strncmp(file->name, "snapshot.", 9) == 0)
			seal_snapshot(data, buffer_size(&file->content));
		assert_true(bytes_equal(buffer_get(&file->content), buffer_get(&before->content)));
	}
	mutate_free(&dir);
}

static void test_random_damage(void **state)
{
	struct world *world = *state;
	uint64_t seed = mutate_seed();
	unsigned started = 0, runs = mutate_runs(RUNS);
	for (unsigned i = 0; i < runs; i++) {
		uint64_t random = seed + i;
		struct mutate_dir dir;
		mutate_copy(&dir, &world->dir);
		if (i % 2 == 0)
			mutate_damage(&dir, &random);
		else
			damage_and_seal(&dir, &random);
		started += starts_alike(world, &dir);
		mutate_free(&dir);
	}
	print_message("%u of %u started\n", started, runs);
	assert_in_range(started, 1, runs - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_damage),
		cmocka_unit_test(test_sealing_is_of_the_format),
		cmocka_unit_test(test_random_damage),
	};
	return cmocka_run_group_tests(tests, make_world, free_world);
}
