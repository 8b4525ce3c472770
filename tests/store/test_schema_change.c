/* SPDX-License-Identifier: BSD-3-Clause */
/* A data directory under another schema than it was written under: taken over by names, or refused as it is.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "schema/fingerprint.h"
#include "store/helper_module.h"
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

static void set(struct tree_builder *builder, const struct schema_node *parent, const char *leaf,
		const char *text)
{
	struct value value = value_new(bytes_of(text), 0);
	tree_builder_set_leaf(builder, module_node(parent, leaf), value);
	value_unref(value);
}

/* Two versions: name, gone and item 1, then item 2. `snapshot`: of both. */
static void write_first(struct disk_bench *bench, bool snapshot)
{
	disk_bench_init(bench);
	module_use(bench, "changing", first_text);
	assert_int_equal(disk_open(bench), ST_OK);
	const struct schema_node *top = module_node(bench->schema->root, "top"),
				 *item = module_node(top, "item");
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
		tree_builder_add_value(builder, module_node(item, "tag"), tag);
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

struct cutting {
	struct os_fs *fs;
	unsigned left; /* operations that change something, until the cut; 0: it was */
	uint64_t seed;
};

static void on_operation(enum os_fs_kind kind, void *arg)
{
	struct cutting *cutting = arg;
	if (kind == OS_FS_READ || kind == OS_FS_LIST || cutting->left == 0 || --cutting->left > 0)
		return;
	os_fs_fake_power_cut(cutting->fs, cutting->seed);
}

static void assert_items(struct disk_bench *bench, const struct tree_record *root, uint64_t expected)
{
	struct tree_position top, position = tree_position_root(bench->schema, root);
	const struct schema_node *container = module_node(bench->schema->root, "top");
	assert_true(tree_position_find_child(&position, container, TREE_EXPLICIT, &top));
	assert_int_equal(tree_position_count(&top, module_node(container, "item")), expected);
}

static void test_wider_schema(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		struct disk_bench bench;
		const struct tree_record *old;
		write_first(&bench, i);
		module_use(&bench, "changing", wider_text);
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
		module_use(&bench, "changing", narrower_text);
		assert_int_equal(disk_open(&bench), ST_REJECTED);
		assert_true(bench.diags.length >= 2);
		assert_non_null(strstr(bench.diags.first->message, "/changing:top/gone = 'yes'"));
		assert_non_null(strstr(bench.diags.first->next->message, "/changing:top/name = 'me'"));
		assert_null(bench.diags.first->next->next);
		module_use(&bench, "changing", first_text);
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
	module_use(&bench, "changing", stricter_text);
	assert_int_equal(disk_open(&bench), ST_OK);
	assert_false(bench.store->published->valid);
	assert_int_equal(bench.diags.length, 1);
	disk_close(&bench, true);
	module_use(&bench, "changing", first_text);
	assert_int_equal(disk_open(&bench), ST_OK);
	assert_true(bench.store->published->valid);
	disk_bench_fini(&bench);
}

/* ---- set aside ---- */

static const char *file_text(struct disk_bench *bench, const char *name)
{
	static struct buffer content;
	char path[64];
	snprintf(path, sizeof(path), "data/%s", name);
	buffer_fini(&content);
	buffer_init(&content, SIZE_MAX);
	if (os_fs_read_whole(bench->fs, path, SIZE_MAX, &content) != ST_OK)
		return NULL;
	assert_int_equal(buffer_append(&content, (struct bytes){"", 1}), ST_OK);
	return buffer_get(&content).data;
}

static const struct tree_record *top_of(struct disk_bench *bench)
{
	struct tree_position top, position = tree_position_root(bench->schema, bench->store->published->root);
	if (!tree_position_find_child(&position, module_node(bench->schema->root, "top"), TREE_EXPLICIT,
				      &top))
		return NULL;
	return top.record;
}

static bool has_leaf(struct disk_bench *bench, const char *name)
{
	const struct schema_node *leaf =
		schema_child_find_any(module_node(bench->schema->root, "top"), bytes_of(name), NULL);
	return leaf != NULL && tree_record_find(top_of(bench), leaf) != NULL;
}

static void put_leaf(struct disk_bench *bench, const char *name, const char *text)
{
	const struct schema_node *top = module_node(bench->schema->root, "top");
	struct tree_builder *builder =
		tree_builder_new(bench->schema, bench->store->tip->root, bench->reclaimer);
	tree_builder_enter(builder, top);
	if (text != NULL)
		set(builder, top, name, text);
	else
		tree_builder_remove(builder, module_node(top, name));
	struct tree_record *root = tree_builder_finish(builder);
	assert_int_equal(disk_propose(bench, root, NULL), ST_OK);
	store_sync(bench->store);
	disk_unref(bench, root);
}

static void test_what_does_not_fit_is_set_aside(void **state)
{
	(void)state;
	static const char content[] = "\"content-data\": {\n\"changing:top\": {\n\"gone\": \"yes\",\n"
				      "\"name\": \"me\"}}";
	for (unsigned i = 0; i < 2; i++) {
		struct disk_bench bench;
		const struct tree_record *old;
		write_first(&bench, i);
		module_use(&bench, "changing", narrower_text);
		bench.mismatch = STORE_QUARANTINE;
		assert_int_equal(disk_open(&bench), ST_OK);
		assert_non_null(strstr(file_text(&bench, "quarantine.3.running.json"), content));
		assert_null(file_text(&bench, "quarantine.3.startup.json"));
		assert_items(&bench, bench.store->published->root, 2);
		assert_false(has_leaf(&bench, "name"));
		/* A version says so, and nobody asks again. */
		assert_int_equal(bench.store->published->id, 4);
		assert_non_null(strstr(bench.store->published->comment, "quarantine.3"));
		bench.mismatch = STORE_REFUSE;
		put_leaf(&bench, "name", "7");
		disk_close(&bench, i);
		assert_int_equal(disk_open(&bench), ST_OK);
		assert_int_equal(bench.store->published->id, 5);
		assert_true(has_leaf(&bench, "name"));
		/* The history has what fits. */
		assert_int_equal(store_history_length(bench.store), 5);
		assert_int_equal(store_history_pin(bench.store, 2, &old), ST_OK);
		assert_items(&bench, old, 1);
		disk_unref(&bench, old);
		disk_bench_fini(&bench);
	}
}

/* What was wrong in between only refuses nothing. */
static void test_only_the_last_version_counts(void **state)
{
	(void)state;
	struct disk_bench bench;
	write_first(&bench, true);
	assert_int_equal(disk_open(&bench), ST_OK);
	put_leaf(&bench, "gone", NULL);
	put_leaf(&bench, "name", "12");
	disk_close(&bench, true);
	module_use(&bench, "changing", narrower_text);
	assert_int_equal(disk_open(&bench), ST_OK);
	assert_int_equal(bench.store->published->id, 5);
	assert_true(has_leaf(&bench, "name"));
	assert_items(&bench, bench.store->published->root, 2);
	disk_close(&bench, true);
	/* And what was right in between does not stay. */
	module_use(&bench, "changing", first_text);
	assert_int_equal(disk_open(&bench), ST_OK);
	put_leaf(&bench, "name", "word");
	disk_close(&bench, true);
	module_use(&bench, "changing", narrower_text);
	assert_int_equal(disk_open(&bench), ST_REJECTED);
	assert_non_null(strstr(bench.diags.first->message, "name = 'word'"));
	bench.mismatch = STORE_QUARANTINE;
	assert_int_equal(disk_open(&bench), ST_OK);
	assert_false(has_leaf(&bench, "name"));
	disk_bench_fini(&bench);
}

/* Entries by key, values of leaf-lists, and all below them; then in the module's own absence. */
static void test_entries_are_set_aside(void **state)
{
	(void)state;
	static const char other_keys[] =
		"module changing { yang-version 1.1; namespace \"urn:changing\"; prefix c;\n"
		"  container top { leaf name { type string; } leaf gone { type string; }\n"
		"    list item { key id; leaf id { type string { pattern \"2.*\"; } }\n"
		"      leaf-list tag { type string; } } } }\n";
	static const char other_module[] =
		"module changing { yang-version 1.1; namespace \"urn:changing\"; prefix c;\n"
		"  container new { leaf name { type string; } } }\n";
	struct disk_bench bench;
	write_first(&bench, true);
	bench.mismatch = STORE_QUARANTINE;
	module_use(&bench, "changing", other_keys);
	assert_int_equal(disk_open(&bench), ST_OK);
	assert_items(&bench, bench.store->published->root, 1);
	assert_non_null(strstr(file_text(&bench, "quarantine.3.running.json"),
			       "{\n\"changing:top\": {\n\"item\": [\n{\n\"id\": \"1\",\n"
			       "\"tag\": [\"a tag that is long\"]}]}}"));
	disk_close(&bench, false);
	module_use(&bench, "changing", other_module);
	assert_int_equal(disk_open(&bench), ST_OK);
	assert_int_equal(bench.store->published->root->length, 0);
	assert_non_null(strstr(file_text(&bench, "quarantine.4.running.json"),
			       "{\n\"changing:top\": {\n\"gone\": \"yes\",\n\"item\": [\n{\n\"id\": \"2\",\n"
			       "\"tag\": [\"a tag that is long\"]}],\n\"name\": \"me\"}}"));
	disk_bench_fini(&bench);
}

static void test_startup_is_looked_at_too(void **state)
{
	(void)state;
	static const struct store_actor actor = {7, "tester", "unix"};
	struct disk_bench bench;
	write_first(&bench, false);
	bench.store_options.separate_startup = true;
	assert_int_equal(disk_open(&bench), ST_OK); /* startup is a copy */
	put_leaf(&bench, "gone", NULL);
	put_leaf(&bench, "name", "12");
	disk_close(&bench, true);
	module_use(&bench, "changing", narrower_text);
	assert_int_equal(disk_open(&bench), ST_REJECTED);
	assert_non_null(strstr(bench.diags.first->message, "startup: /changing:top/gone = 'yes'"));
	module_use(&bench, "changing", first_text);
	bench.store_options.separate_startup = false; /* gives startup up */
	assert_int_equal(disk_open(&bench), ST_OK);
	disk_close(&bench, true);
	bench.store_options.separate_startup = true;
	assert_int_equal(disk_open(&bench), ST_OK);
	/* Startup of its own content. */
	const struct schema_node *top = module_node(bench.schema->root, "top");
	struct tree_builder *builder =
		tree_builder_new(bench.schema, bench.store->tip->root, bench.reclaimer);
	tree_builder_enter(builder, top);
	set(builder, top, "name", "later");
	struct tree_record *root = tree_builder_finish(builder);
	struct store_call call = {.actor = &actor, .diags = &bench.diags};
	struct store_answer answer;
	assert_int_equal(store_replace(bench.store, STORE_STARTUP, &call, root, &answer), ST_OK);
	store_sync(bench.store);
	disk_unref(&bench, root);
	uint64_t id = bench.store->published->id;
	disk_close(&bench, true);
	module_use(&bench, "changing", narrower_text);
	bench.mismatch = STORE_QUARANTINE;
	assert_int_equal(disk_open(&bench), ST_OK);
	char name[64];
	snprintf(name, sizeof(name), "quarantine.%u.startup.json", (unsigned)id);
	assert_non_null(strstr(file_text(&bench, name), "\"name\": \"later\""));
	assert_items(&bench, bench.store->published->root, 2);
	disk_bench_fini(&bench);
}

/* The power goes at each operation of a start that sets aside: afterwards it sets the same aside, or has. */
static void test_power_cuts_while_setting_aside(void **state)
{
	(void)state;
	bool is_done = false;
	for (unsigned cut = 1; !is_done; cut++) {
		struct disk_bench bench;
		write_first(&bench, cut % 2);
		module_use(&bench, "changing", narrower_text);
		bench.mismatch = STORE_QUARANTINE;
		struct cutting cutting = {bench.fs, cut, cut};
		os_fs_fake_set_hook(bench.fs, on_operation, &cutting);
		is_done = disk_open(&bench) == ST_OK && cutting.left > 0;
		disk_close(&bench, false);
		os_fs_fake_set_hook(bench.fs, NULL, NULL);
		os_fs_fake_power_on(bench.fs);
		assert_int_equal(disk_open(&bench), ST_OK);
		assert_int_equal(bench.store->published->id, 4);
		assert_items(&bench, bench.store->published->root, 2);
		assert_non_null(strstr(file_text(&bench, "quarantine.3.running.json"), "\"name\": \"me\""));
		disk_bench_fini(&bench);
	}
}

static void test_fingerprints(void **state)
{
	(void)state;
	static const char *const texts[] = {first_text, wider_text, narrower_text, stricter_text, first_text};
	unsigned char prints[5][SCHEMA_FINGERPRINT_SIZE];
	for (unsigned i = 0; i < 5; i++) {
		struct schema *schema = helper_text_schema("changing", texts[i]);
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
		cmocka_unit_test(test_what_does_not_fit_is_set_aside),
		cmocka_unit_test(test_only_the_last_version_counts),
		cmocka_unit_test(test_entries_are_set_aside),
		cmocka_unit_test(test_startup_is_looked_at_too),
		cmocka_unit_test(test_power_cuts_while_setting_aside),
		cmocka_unit_test(test_fingerprints),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
