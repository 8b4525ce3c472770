/* SPDX-License-Identifier: BSD-3-Clause */
/* A data directory under another schema than it was written under: taken over by names, or refused as it is.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "schema/fingerprint.h"
#include "store/helper_disk.h"
#include "store/history.h"

static const char first_text[] =
	"module changing { yang-version 1.1; namespace \"urn:changing\"; prefix c;\n"
	"  container top { leaf name { type string; } leaf gone { type string; }\n"
	"    list item { key id; leaf id { type string; } leaf-list tag { type string; } } } }\n";
/* More nodes in another order, and types that what is stored fits. */
static const char wider_text[] =
	"module changing { yang-version 1.1; namespace \"urn:changing\"; prefix c;\n"
	"  container other { leaf x { type string; } }\n"
	"  container top { leaf more { type string; } leaf gone { type string; }\n"
	"    list item { key id; leaf-list tag { ordered-by user; type string; } leaf id { type uint16; } }\n"
	"    leaf name { type enumeration { enum me; enum a-name-that-is-longer; } } } }\n";
/* `gone` is gone, and a name must be a number. */
static const char narrower_text[] =
	"module changing { yang-version 1.1; namespace \"urn:changing\"; prefix c;\n"
	"  container top { leaf name { type uint8; }\n"
	"    list item { key id; leaf id { type string; } leaf-list tag { type string; } } } }\n";
/* All that is stored fits, but it is not valid any more. */
static const char stricter_text[] =
	"module changing { yang-version 1.1; namespace \"urn:changing\"; prefix c;\n"
	"  container top { leaf name { type string; } leaf gone { type string; }\n"
	"    list item { max-elements 1; key id; leaf id { type string; }\n"
	"      leaf-list tag { type string; } } } }\n";

static struct schema *load_text(const char *text)
{
	char dir[] = "/tmp/yare-changing-XXXXXX", path[64];
	struct diag_list diags;
	struct arena *arena = arena_new();
	diag_list_init(&diags, arena, 10);
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/changing.yang", dir);
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
	const char *dirs[] = {dir};
	struct schema_module_request module = {.name = "changing"};
	struct schema_source source = {
		.search_dirs = dirs, .search_dir_count = 1, .modules = &module, .module_count = 1};
	struct schema *schema = NULL;
	assert_int_equal(schema_load(&source, &diags, &schema), ST_OK);
	remove(path);
	remove(dir);
	arena_free(arena);
	return schema;
}

static void use_schema(struct disk_bench *bench, const char *text)
{
	check_plan_free(bench->plan);
	schema_unref(bench->schema);
	bench->schema = load_text(text);
	assert_int_equal(check_plan_new(bench->schema, &bench->diags, &bench->plan), ST_OK);
	bench->store_options.schema = bench->schema;
	bench->store_options.plan = bench->plan;
	schema_fingerprint(bench->schema, bench->journal_options.fingerprint);
}

static const struct schema_node *node(const struct schema_node *parent, const char *name)
{
	const struct schema_node *found = schema_child_find_any(parent, bytes_of(name), NULL);
	assert_non_null(found);
	return found;
}

static void set(struct tree_builder *builder, const struct schema_node *parent, const char *leaf,
		const char *text)
{
	struct value value = value_new(bytes_of(text), 0);
	tree_builder_set_leaf(builder, node(parent, leaf), value);
	value_unref(value);
}

/* Two versions: name, gone and item 1, then item 2. `snapshot`: of both. */
static void write_first(struct disk_bench *bench, bool snapshot)
{
	disk_bench_init(bench);
	use_schema(bench, first_text);
	assert_int_equal(disk_open(bench), ST_OK);
	const struct schema_node *top = node(bench->schema->root, "top"), *item = node(top, "item");
	for (unsigned i = 1; i <= 2; i++) {
		bool made;
		char id[8];
		snprintf(id, sizeof(id), "%u", i);
		struct value key = value_new(bytes_of(id), 0),
			     tag = value_new(bytes_of("a tag that is long"), 0);
		struct tree_builder *builder =
			tree_builder_new(bench->schema, bench->store->tip->root, bench->reclaimer);
		tree_builder_enter(builder, top);
		set(builder, top, "name", "me");
		set(builder, top, "gone", "yes");
		tree_builder_enter_entry(builder, item, &key, &made);
		tree_builder_add_value(builder, node(item, "tag"), tag);
		struct tree_record *root = tree_builder_finish(builder);
		assert_int_equal(disk_propose(bench, root, NULL), ST_OK);
		store_sync(bench->store);
		disk_unref(bench, root);
		value_unref(key);
		value_unref(tag);
	}
	if (snapshot)
		assert_int_equal(store_snapshot(bench->store), ST_OK);
	disk_close(bench, true);
}

static void assert_items(struct disk_bench *bench, const struct tree_record *root, uint64_t expected)
{
	struct tree_position top, position = tree_position_root(bench->schema, root);
	const struct schema_node *container = node(bench->schema->root, "top");
	assert_true(tree_position_find_child(&position, container, TREE_EXPLICIT, &top));
	assert_int_equal(tree_position_count(&top, node(container, "item")), expected);
}

static void test_wider_schema(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		struct disk_bench bench;
		const struct tree_record *old;
		write_first(&bench, i);
		use_schema(&bench, wider_text);
		assert_int_equal(disk_open(&bench), ST_OK);
		assert_items(&bench, bench.store->published->root, 2);
		assert_true(bench.store->published->valid);
		/* The history goes back over the change. */
		assert_int_equal(store_history_pin(bench.store, 2, &old), ST_OK);
		assert_items(&bench, old, 1);
		/* And it goes on, in a segment of the new schema. */
		assert_int_equal(disk_propose(&bench, old, NULL), ST_OK);
		store_sync(bench.store);
		disk_unref(&bench, old);
		assert_int_equal(bench.store->published->location.segment, 2);
		disk_close(&bench, false);
		assert_int_equal(disk_open(&bench), ST_OK);
		assert_int_equal(bench.store->published->id, 4);
		assert_items(&bench, bench.store->published->root, 1);
		disk_bench_fini(&bench);
	}
}

static void test_narrower_schema_is_refused_and_the_old_one_still_works(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		struct disk_bench bench;
		write_first(&bench, i);
		use_schema(&bench, narrower_text);
		assert_int_equal(disk_open(&bench), ST_REJECTED);
		assert_true(bench.diags.length >= 2);
		assert_non_null(strstr(bench.diags.first->message, "name"));
		assert_non_null(strstr(bench.diags.first->next->message, "gone"));
		use_schema(&bench, first_text);
		assert_int_equal(disk_open(&bench), ST_OK);
		assert_items(&bench, bench.store->published->root, 2);
		disk_bench_fini(&bench);
	}
}

static void test_stricter_schema_checks_in_full(void **state)
{
	(void)state;
	struct disk_bench bench;
	write_first(&bench, true);
	use_schema(&bench, stricter_text);
	assert_int_equal(disk_open(&bench), ST_OK);
	assert_false(bench.store->published->valid);
	assert_int_equal(bench.diags.length, 1);
	disk_close(&bench, true);
	use_schema(&bench, first_text);
	assert_int_equal(disk_open(&bench), ST_OK);
	assert_true(bench.store->published->valid);
	disk_bench_fini(&bench);
}

static void test_fingerprints(void **state)
{
	(void)state;
	static const char *const texts[] = {first_text, wider_text, narrower_text, stricter_text, first_text};
	unsigned char prints[5][SCHEMA_FINGERPRINT_SIZE];
	for (unsigned i = 0; i < 5; i++) {
		struct schema *schema = load_text(texts[i]);
		schema_fingerprint(schema, prints[i]);
		schema_unref(schema);
	}
	for (unsigned i = 0; i < 4; i++)
		for (unsigned k = 0; k < i; k++)
			assert_memory_not_equal(prints[i], prints[k], SCHEMA_FINGERPRINT_SIZE);
	assert_memory_equal(prints[0], prints[4], SCHEMA_FINGERPRINT_SIZE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_wider_schema),
		cmocka_unit_test(test_narrower_schema_is_refused_and_the_old_one_still_works),
		cmocka_unit_test(test_stricter_schema_checks_in_full),
		cmocka_unit_test(test_fingerprints),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
