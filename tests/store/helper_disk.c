/* SPDX-License-Identifier: BSD-3-Clause */
#include "store/helper_disk.h"
#include <stdio.h>
#include <string.h>

void disk_bench_init(struct disk_bench *bench)
{
	static const char *const dirs[] = {"bench/yang"};
	static const struct schema_module_request module = {.name = "perf-test"};
	struct schema_source source = {
		.search_dirs = dirs, .search_dir_count = 1, .modules = &module, .module_count = 1};
	*bench = (struct disk_bench){.arena = arena_new(), .fs = os_fs_fake_new()};
	diag_list_init(&bench->diags, bench->arena, 10);
	assert_int_equal(schema_load(&source, &bench->diags, &bench->schema), ST_OK);
	assert_int_equal(check_plan_new(bench->schema, &bench->diags, &bench->plan), ST_OK);
	bench->reclaimer = tree_reclaimer_new(NULL, NULL);
	bench->journal_options = (struct journal_disk_options){
		.fs = bench->fs, .dir = "data", .segment_size = 4096, .snapshot_count = 2, .history = 10};
	bench->store_options = (struct store_options){
		.schema = bench->schema,
		.plan = bench->plan,
		.durability = STORE_FULL,
		.check = {.steps = 1000000, .max_nodes = 1000000},
		.reclaimer = bench->reclaimer,
		.history_length = 10,
		.history_memory = 1 << 20,
		.manual_sync = true,
	};
}

void disk_bench_fini(struct disk_bench *bench)
{
	disk_close(bench, false);
	tree_reclaimer_free(bench->reclaimer);
	check_plan_free(bench->plan);
	schema_unref(bench->schema);
	os_fs_fake_free(bench->fs);
	arena_free(bench->arena);
}

enum status disk_open(struct disk_bench *bench)
{
	arena_reset(bench->arena);
	diag_list_init(&bench->diags, bench->arena, 10);
	bench->journal_options.write_at_append = bench->store_options.durability != STORE_FULL;
	enum status status = journal_disk_open(&bench->journal_options, &bench->journal);
	if (status == ST_OK)
		status = store_recover(
			&(struct store_recover_options){.schema = bench->schema,
							.journal = bench->journal,
							.history = bench->journal_options.history,
							.history_memory = bench->store_options.history_memory,
							.mismatch = bench->mismatch,
							.threads = bench->start_threads},
			&bench->diags, &bench->recovery);
	bench->store_options.journal = bench->journal;
	bench->store_options.recovery = bench->recovery;
	if (status == ST_OK)
		status = store_open(&bench->store_options, &bench->diags, &bench->store);
	if (status != ST_OK)
		disk_close(bench, false);
	return status;
}

void disk_close(struct disk_bench *bench, bool seal)
{
	if (bench->store != NULL)
		store_close(bench->store);
	store_recovery_free(bench->recovery);
	if (bench->journal != NULL && seal)
		(void)!journal_disk_seal(bench->journal);
	if (bench->journal != NULL)
		bench->journal->ops->close(bench->journal);
	bench->store = NULL;
	bench->recovery = NULL;
	bench->journal = NULL;
	tree_reclaimer_run(bench->reclaimer, UINT64_MAX);
}

static const struct schema_node *child(const struct schema_node *parent, const char *name)
{
	const struct schema_node *node = schema_child_find_any(parent, bytes_of(name), NULL);
	assert_non_null(node);
	return node;
}

struct tree_record *disk_change(struct disk_bench *bench, const struct tree_record *base, unsigned number,
				const char *type)
{
	const struct schema_node *container = child(bench->schema->root, "top-container"),
				 *list = child(container, "local-list");
	struct tree_builder *builder = tree_builder_new(bench->schema, base, bench->reclaimer);
	char name[16];
	snprintf(name, sizeof(name), "n%u", number);
	struct value key = value_new(bytes_of(name), 0);
	tree_builder_enter(builder, container);
	if (type == NULL) {
		tree_builder_remove_entry(builder, list, &key);
	} else {
		bool made;
		struct value value = value_new(bytes_of(type), 0);
		tree_builder_enter_entry(builder, list, &key, &made);
		tree_builder_set_leaf(builder, child(list, "type"), value);
		value_unref(value);
	}
	value_unref(key);
	return tree_builder_finish(builder);
}

enum status disk_propose(struct disk_bench *bench, const struct tree_record *root, const char *comment)
{
	static const struct store_actor actor = {7, "tester", "unix"};
	struct store_answer answer;
	arena_reset(bench->arena);
	diag_list_init(&bench->diags, bench->arena, 10);
	struct store_call call = {
		.actor = &actor, .diags = &bench->diags, .comment = comment, .wait = STORE_WAIT};
	return store_replace(bench->store, STORE_RUNNING, &call, root, &answer);
}

enum status disk_put(struct disk_bench *bench, unsigned number, const char *type)
{
	struct tree_record *root = disk_change(bench, bench->store->tip->root, number, type);
	enum status status = disk_propose(bench, root, NULL);
	disk_unref(bench, root);
	return status;
}

bool disk_equal(struct disk_bench *bench, const struct tree_record *a, const struct tree_record *b)
{
	return tree_record_equal(bench->schema->root, a, b);
}

void disk_unref(struct disk_bench *bench, const struct tree_record *root)
{
	tree_record_unref(root, bench->schema->root, bench->reclaimer);
}
