/* SPDX-License-Identifier: BSD-3-Clause */
/* Annotations are on disk: there after a restart, from records and from a snapshot, and gone with a rollback.
 */
#include <stdlib.h>
#include <unistd.h>
#include "store/helper_disk.h"
#include "store/history.h"
#include <stdio.h>

static const char module_text[] = "module noted { yang-version 1.1; namespace \"urn:noted\"; prefix n;"
				  " import ietf-yang-metadata { prefix md; }"
				  " md:annotation note { type string; } md:annotation level { type uint8; }"
				  " leaf a { type string; } leaf-list u { type string; ordered-by user; }"
				  " container c { presence p; leaf b { type string; } } }";

/* The bench with that module instead of its own. */
static void bench_init(struct disk_bench *bench)
{
	char dir[] = "/tmp/yare-store-XXXXXX", path[64];
	disk_bench_init(bench);
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/noted.yang", dir);
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	fputs(module_text, file);
	fclose(file);
	check_plan_free(bench->plan);
	schema_unref(bench->schema);
	const char *const dirs[] = {dir};
	const struct schema_module_request module = {.name = "noted"};
	struct schema_source source = {
		.search_dirs = dirs, .search_dir_count = 1, .modules = &module, .module_count = 1};
	assert_int_equal(schema_load(&source, &bench->diags, &bench->schema), ST_OK);
	assert_int_equal(check_plan_new(bench->schema, &bench->diags, &bench->plan), ST_OK);
	bench->store_options.schema = bench->schema;
	bench->store_options.plan = bench->plan;
	unlink(path);
	rmdir(dir);
}

static const struct schema_node *node(const struct disk_bench *bench, const char *name)
{
	return schema_child_find_any(bench->schema->root, bytes_of(name), NULL);
}

static struct value text(const char *bytes)
{
	return value_new(bytes_of(bytes), 0);
}

/* The tip with more or other annotations, by the step; one reference. */
static struct tree_record *change(struct disk_bench *bench, unsigned step)
{
	const struct schema_annotation *note = &bench->schema->annotations[0],
				       *level = &bench->schema->annotations[1];
	const struct schema_node *a = node(bench, "a"), *u = node(bench, "u"), *c = node(bench, "c");
	struct tree_builder *builder = tree_builder_new(bench->schema, bench->store->tip->root, NULL);
	struct tree_annotated of_a = {.child = a}, of_x = {u, text("x")}, of_y = {u, text("y")}, own = {0};
	switch (step) {
	case 0:
		tree_builder_set_leaf(builder, a, text("v"));
		tree_builder_annotate(builder, of_a, note, text("first"));
		tree_builder_add_value(builder, u, text("x"));
		tree_builder_add_value(builder, u, text("y"));
		tree_builder_annotate(builder, of_y, level, text("1"));
		break;
	case 1: /* nothing but annotations */
		tree_builder_annotate(builder, of_a, note, text("second"));
		tree_builder_annotate(builder, of_a, level, text("2"));
		tree_builder_annotate(builder, of_x, note, text("x"));
		break;
	case 2: /* with moves and other values */
		tree_builder_insert_value(builder, u, text("y"), &(struct tree_insert){.where = TREE_FIRST});
		tree_builder_annotate(builder, of_y, level, text("3"));
		tree_builder_set_leaf(builder, a, text("w"));
		tree_builder_remove_annotation(builder, of_a, level);
		tree_builder_enter(builder, c);
		tree_builder_make(builder);
		tree_builder_annotate(builder, own, note, text("c"));
		break;
	default:
		tree_builder_remove_value(builder, u, text("y"));
		tree_builder_remove(builder, a);
		tree_builder_enter(builder, c);
		tree_builder_annotate(builder, own, level, text("4"));
		break;
	}
	return tree_builder_finish(builder);
}

enum { STEPS = 4 };

static void check_restart(bool with_snapshot)
{
	struct disk_bench bench;
	struct tree_record *roots[STEPS];
	bench_init(&bench);
	assert_int_equal(disk_open(&bench), ST_OK);
	for (unsigned i = 0; i < STEPS; i++) {
		roots[i] = change(&bench, i);
		assert_int_equal(disk_propose(&bench, roots[i], "step"), ST_OK);
		store_sync(bench.store);
		if (with_snapshot && i + 2 == STEPS)
			assert_int_equal(store_snapshot(bench.store), ST_OK);
		disk_close(&bench, i % 2);
		assert_int_equal(disk_open(&bench), ST_OK);
		assert_true(disk_equal(&bench, bench.store->tip->root, roots[i]));
	}
	for (unsigned i = 0; i < STEPS; i++) {
		const struct tree_record *root;
		assert_int_equal(store_history_pin(bench.store, i + 2, &root), ST_OK);
		assert_true(disk_equal(&bench, root, roots[i]));
		disk_unref(&bench, root);
		disk_unref(&bench, roots[i]);
	}
	disk_bench_fini(&bench);
}

static void test_from_records(void **state)
{
	(void)state;
	check_restart(false);
}

static void test_from_a_snapshot(void **state)
{
	(void)state;
	check_restart(true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_from_records),
		cmocka_unit_test(test_from_a_snapshot),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
