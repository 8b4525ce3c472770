/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Random changes under one schema, then a start under another: what is taken over and what is set aside are
 * together what was there, value by value, whatever was created, moved and deleted before. YARE_SEED repeats
 * a run.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "base/log.h"
#include "codec/change_text.h"
#include "os/random.h"
#include "store/helper_module.h"
#include "store/history.h"
#include "store/misfit.h"

#define RUNS 15

static const char before_text[] =
	"module m { yang-version 1.1; namespace \"urn:m\"; prefix m;\n"
	"  import ietf-yang-metadata { prefix md; }\n"
	"  md:annotation note { type string; } md:annotation mark { type string; } md:annotation off { type "
	"string; }\n"
	"  leaf single { type string; }\n"
	"  container top { list item { ordered-by user; key id; leaf id { type string; }\n"
	"      leaf number { type string; } leaf gone { type string; }\n"
	"      leaf-list tag { ordered-by user; type string; }\n"
	"      container inner { leaf x { type string; } leaf y { type string; } } } } }\n";
static const char after_text[] =
	"module m { yang-version 1.1; namespace \"urn:m\"; prefix m;\n"
	"  import ietf-yang-metadata { prefix md; }\n"
	"  md:annotation note { type string; } md:annotation mark { type uint8; }\n"
	"  leaf single { type uint8; }\n"
	"  container top { list item { ordered-by user; key id; leaf id { type uint8 { range \"0..7\"; } }\n"
	"      leaf-list tag { ordered-by user; type union { type uint8; type string { length \"1\"; } } }\n"
	"      leaf number { type uint8; }\n"
	"      container inner { leaf y { type enumeration { enum a; enum bb; } } } } } }\n";

/* ---- random changes ---- */

static uint32_t below(uint64_t *random, uint32_t limit)
{
	return (uint32_t)(os_random_next(random) % limit);
}

static struct value some_value(uint64_t *random)
{
	static const char *const texts[] = {"a", "bb", "7", "12", "300", "a \"quoted\" 'text' / [x]", "07"};
	return value_new(bytes_of(texts[below(random, 7)]), 0);
}

static const struct schema_annotation *notes; /* of the first schema, three */

/* Of a child (NULL: of where the builder stands) that is there. */
static void annotate(struct tree_builder *builder, const struct schema_node *child, struct value item,
		     uint64_t *random)
{
	struct tree_annotated node = {.child = child, .item = item};
	const struct schema_annotation *annotation = &notes[below(random, 3)];
	struct value value = some_value(random);
	if (below(random, 3) > 0)
		tree_builder_annotate(builder, node, annotation, value);
	else
		tree_builder_remove_annotation(builder, node, annotation);
	value_unref(value);
}

static void set_or_remove(struct tree_builder *builder, const struct schema_node *leaf, uint64_t *random)
{
	struct value value = some_value(random);
	uint32_t dice = below(random, 6);
	if (dice > 1)
		tree_builder_set_leaf(builder, leaf, value);
	else if (dice > 0)
		tree_builder_remove(builder, leaf);
	if (dice > 3)
		annotate(builder, leaf, (struct value){0}, random);
	value_unref(value);
}

static void change_tags(struct tree_builder *builder, const struct schema_node *tag, uint64_t *random)
{
	struct value value = some_value(random);
	struct tree_insert insert = {.where = below(random, 2) ? TREE_FIRST : TREE_LAST};
	if (below(random, 3) > 0) {
		tree_builder_insert_value(builder, tag, value, &insert);
		if (below(random, 2))
			annotate(builder, tag, value, random);
	} else {
		tree_builder_remove_value(builder, tag, value);
	}
	value_unref(value);
}

static void change_entry(struct tree_builder *builder, const struct schema_node *item, uint64_t *random)
{
	bool made;
	char id[8];
	/* '1' and '01' are two strings, and one number. */
	snprintf(id, sizeof(id), "%s%u", below(random, 3) == 0 ? "0" : "", below(random, 12));
	struct value key = value_new(bytes_of(id), 0);
	struct tree_insert insert = {.where = below(random, 2) ? TREE_FIRST : TREE_LAST};
	if (below(random, 4) == 0) {
		tree_builder_remove_entry(builder, item, &key);
		value_unref(key);
		return;
	}
	if (below(random, 3) == 0)
		tree_builder_insert_entry(builder, item, &key, &insert);
	tree_builder_enter_entry(builder, item, &key, &made);
	if (below(random, 4) == 0)
		annotate(builder, NULL, (struct value){0}, random);
	if (below(random, 4) == 0)
		annotate(builder, module_node(item, "id"), (struct value){0}, random);
	set_or_remove(builder, module_node(item, "number"), random);
	set_or_remove(builder, module_node(item, "gone"), random);
	change_tags(builder, module_node(item, "tag"), random);
	tree_builder_enter(builder, module_node(item, "inner"));
	set_or_remove(builder, module_node(module_node(item, "inner"), "x"), random);
	set_or_remove(builder, module_node(module_node(item, "inner"), "y"), random);
	tree_builder_leave(builder);
	tree_builder_leave(builder);
	value_unref(key);
}

static struct tree_record *changed(struct disk_bench *bench, uint64_t *random)
{
	assert_int_equal(bench->schema->annotation_count, 3);
	notes = bench->schema->annotations;
	const struct schema_node *root = bench->schema->root, *top = module_node(root, "top");
	struct tree_builder *builder =
		tree_builder_new(bench->schema, bench->store->tip->root, bench->reclaimer);
	if (below(random, 3) == 0)
		set_or_remove(builder, module_node(root, "single"), random);
	tree_builder_enter(builder, top);
	for (uint32_t i = below(random, 4); i > 0; i--)
		change_entry(builder, module_node(top, "item"), random);
	tree_builder_leave(builder);
	return tree_builder_finish(builder);
}

/* ---- counting ---- */

struct blocks {
	struct vector blocks; /* struct buffer */
	size_t next;
};

static enum status add_block(void *arg, struct bytes block)
{
	struct buffer *copy = vector_push(&((struct blocks *)arg)->blocks);
	buffer_init(copy, SIZE_MAX);
	return buffer_append(copy, block);
}

static enum status next_block(void *arg, struct bytes *block)
{
	struct blocks *blocks = arg;
	if (blocks->next == blocks->blocks.length)
		return ST_CORRUPT;
	*block = buffer_get(vector_at(&blocks->blocks, blocks->next++));
	return ST_OK;
}

static enum status count(void *arg, const struct change_text *change)
{
	*(size_t *)arg += change->has_value || memchr(change->path.data, '[', change->path.size) != NULL;
	return ST_OK;
}

/* Values and entries. */
static size_t count_tree(struct disk_bench *bench, const struct tree_record *root)
{
	struct blocks blocks = {.next = 0};
	size_t length = 0;
	vector_init(&blocks.blocks, sizeof(struct buffer));
	struct change_dictionary *dictionary = change_dictionary_new(bench->schema);
	struct change_names *names = change_names_new();
	assert_int_equal(change_tree_encode(dictionary, root, 1 << 16, add_block, &blocks), ST_OK);
	assert_int_equal(change_text_tree(names, next_block, &blocks, count, &length), ST_OK);
	change_names_free(names);
	change_dictionary_free(dictionary);
	for (size_t i = 0; i < blocks.blocks.length; i++)
		buffer_fini(vector_at(&blocks.blocks, i));
	vector_fini(&blocks.blocks);
	return length;
}

static size_t count_misfits(const struct vector *misfits)
{
	size_t length = 0;
	for (size_t i = 0; i < misfits->length; i++) {
		const struct store__misfit *misfit = vector_at(misfits, i);
		length += misfit->value != NULL || strchr(misfit->path, '[') != NULL;
	}
	return length;
}

/* As a start finds them; changes nothing. */
static size_t find_misfits(struct disk_bench *bench, size_t *startup)
{
	struct store__misfits misfits;
	struct journal *journal;
	assert_int_equal(journal_disk_open(&bench->journal_options, &journal), ST_OK);
	assert_int_equal(store__misfits_find(bench->schema, journal, &misfits), ST_OK);
	size_t length = count_misfits(&misfits.running);
	*startup = count_misfits(&misfits.startup);
	store__misfits_fini(&misfits);
	journal->ops->close(journal);
	return length;
}

/* ---- runs ---- */

static void propose_some(struct disk_bench *bench, uint64_t *random)
{
	static const struct store_actor actor = {7, "tester", "unix"};
	for (uint32_t i = 5 + below(random, 40); i > 0; i--) {
		struct tree_record *root = changed(bench, random);
		uint32_t dice = below(random, 12);
		struct store_call call = {.actor = &actor, .diags = &bench->diags};
		struct store_answer answer;
		if (dice == 0 && bench->store_options.separate_startup)
			assert_int_equal(store_replace(bench->store, STORE_STARTUP, &call, root, &answer),
					 ST_OK);
		else
			assert_int_equal(disk_propose(bench, root, NULL), ST_OK);
		store_sync(bench->store);
		disk_unref(bench, root);
		if (dice == 1)
			assert_int_equal(store_snapshot(bench->store), ST_OK);
	}
}

static void run(uint64_t *random)
{
	struct disk_bench bench;
	disk_bench_init(&bench);
	module_use(&bench, "m", before_text);
	bench.store_options.separate_startup = below(random, 2);
	assert_int_equal(disk_open(&bench), ST_OK);
	propose_some(&bench, random);
	const struct store_version *last = bench.store->published;
	size_t running = count_tree(&bench, last->root),
	       startup = last->startup.root != NULL ? count_tree(&bench, last->startup.root) : 0;
	uint64_t id = last->id;
	disk_close(&bench, below(random, 2));

	module_use(&bench, "m", after_text);
	size_t startup_misfits, misfits = find_misfits(&bench, &startup_misfits);
	assert_int_equal(disk_open(&bench), misfits + startup_misfits > 0 ? ST_REJECTED : ST_OK);
	disk_close(&bench, false);
	bench.mismatch = STORE_QUARANTINE;
	assert_int_equal(disk_open(&bench), ST_OK);
	const struct tree_record *root;
	assert_int_equal(store_history_pin(bench.store, id, &root), ST_OK);
	assert_int_equal(count_tree(&bench, root) + misfits, running);
	disk_unref(&bench, root);
	if (startup > 0)
		assert_int_equal(count_tree(&bench, bench.store->published->startup.root) + startup_misfits,
				 startup);
	for (uint64_t version = id > 6 ? id - 5 : 1; version < id; version++) {
		assert_int_equal(store_history_pin(bench.store, version, &root), ST_OK);
		disk_unref(&bench, root);
	}
	bench.mismatch = STORE_REFUSE;
	disk_close(&bench, false);
	assert_int_equal(disk_open(&bench), ST_OK);
	disk_bench_fini(&bench);
}

static void test_nothing_is_lost(void **state)
{
	(void)state;
	const char *seed = getenv("YARE_SEED");
	uint64_t random = seed != NULL ? strtoull(seed, NULL, 10) : (uint64_t)time(NULL);
	printf("YARE_SEED=%llu\n", (unsigned long long)random);
	for (unsigned i = 0; i < RUNS; i++)
		run(&random);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_nothing_is_lost)};
	log_set_level(LOG_LEVEL_ERROR);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
