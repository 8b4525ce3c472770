/* SPDX-License-Identifier: BSD-3-Clause */
/* Large records and trees are read on several threads as on one: the same trees, the same refusals. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"
#include "codec/change_record.h"
#include "codec/helper_build.h"
#include "codec/helper_change.h"

static const char module[] =
	"module runs {\n"
	"  yang-version 1.1; namespace \"urn:runs\"; prefix r;\n"
	"  container c {\n"
	"    list entry {\n"
	"      key \"id\"; leaf id { type uint32; }\n"
	"      leaf kind { type enumeration { enum one; enum other; } }\n"
	"      leaf text { type string; }\n"
	"      container in { leaf a { type string; } }\n"
	"      list inner { key \"k\"; leaf k { type string; } leaf v { type string; } }\n"
	"      leaf-list step { ordered-by user; type string; }\n"
	"      anydata any;\n"
	"    }\n"
	"    leaf last { type string; }\n"
	"  }\n"
	"}\n";

#define ENTRIES 3500u /* some 250 KiB: several pieces */

static struct schema *schema;
static struct arena *arena;
static struct diag_list diags;

static int setup(void **state)
{
	(void)state;
	schema = helper_text_schema("runs", module);
	arena = arena_new();
	diag_list_init(&diags, arena, 10);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	arena_free(arena);
	schema_unref(schema);
	return 0;
}

static uint64_t seed_of_run(void)
{
	const char *text = getenv("YARE_SEED");
	uint64_t seed = text ? strtoull(text, NULL, 10) : (uint64_t)time(NULL);
	printf("YARE_SEED=%llu\n", (unsigned long long)seed);
	return seed;
}

static const struct schema_node *node_of(const struct schema_node *parent, const char *name)
{
	const struct schema_node *node = schema_child_find_any(parent, bytes_of(name), NULL);
	assert_non_null(node);
	return node;
}

static void drop(const struct tree_record *root)
{
	tree_record_unref(root, schema->root, NULL);
}

static void set(struct tree_builder *builder, const struct schema_node *leaf, const char *text)
{
	struct value value = value_new(bytes_of(text), 0);
	if (leaf->kind == SCHEMA_LEAF)
		tree_builder_set_leaf(builder, leaf, value);
	else
		tree_builder_add_value(builder, leaf, value);
	value_unref(value);
}

/* What an entry may have, at random. */
static void fill_entry(struct tree_builder *builder, const struct schema_node *entry, uint64_t *seed)
{
	char text[100];
	snprintf(text, sizeof(text), "some text that fills the entry, number %u",
		 helper_random(seed, 100000));
	set(builder, node_of(entry, "text"), text);
	if (helper_random(seed, 2) == 0)
		set(builder, node_of(entry, "kind"), helper_random(seed, 2) ? "one" : "other");
	if (helper_random(seed, 4) == 0) {
		tree_builder_enter(builder, node_of(entry, "in"));
		set(builder, node_of(node_of(entry, "in"), "a"), text);
		tree_builder_leave(builder);
	}
	for (unsigned i = helper_random(seed, 3); i > 0; i--)
		set(builder, node_of(entry, "step"), text + i);
	for (unsigned i = helper_random(seed, 40) == 0 ? 60 : 0; i > 0; i--) {
		struct value key = value_new((struct bytes){text, 10 + i % 20}, 0);
		bool made;
		tree_builder_enter_entry(builder, node_of(entry, "inner"), &key, &made);
		set(builder, node_of(node_of(entry, "inner"), "v"), text);
		tree_builder_leave(builder);
		value_unref(key);
	}
	if (helper_random(seed, 10) == 0) {
		struct tree_any *any = tree_any_new(text_new(bytes_of("<x xmlns=\"urn:x\"/>"), 0));
		tree_builder_set_any(builder, node_of(entry, "any"), any);
		tree_any_unref(any);
	}
}

/* `base` and entries first, first + step ... below `end`; one reference. */
static struct tree_record *make_tree(const struct tree_record *base, uint32_t first, uint32_t end,
				     uint32_t step, uint64_t *seed)
{
	struct tree_builder *builder = tree_builder_new(schema, base, NULL);
	const struct schema_node *c = node_of(schema->root, "c"), *entry = node_of(c, "entry");
	tree_builder_enter(builder, c);
	for (uint32_t i = first; i < end; i += step) {
		char text[16];
		bool made;
		snprintf(text, sizeof(text), "%u", i);
		struct value key = value_new(bytes_of(text), 0);
		tree_builder_enter_entry(builder, entry, &key, &made);
		fill_entry(builder, entry, seed);
		tree_builder_leave(builder);
		value_unref(key);
	}
	set(builder, node_of(c, "last"), "end");
	return tree_builder_finish(builder);
}

/* What one thread or several make of blocks; NULL: refused. */
static struct tree_record *decode(struct helper_blocks *blocks, unsigned threads, enum status *status)
{
	struct change_dictionary *names = change_dictionary_new(schema);
	struct tree_record *empty = tree_record_new();
	struct tree_builder *builder = tree_builder_new(schema, empty, NULL);
	drop(empty);
	change_dictionary_set_threads(names, threads);
	blocks->at = blocks->next = 0;
	*status = change_tree_decode(names, builder, helper_give_block, blocks, &diags);
	change_dictionary_free(names);
	if (*status == ST_OK)
		return tree_builder_finish(builder);
	tree_builder_abort(builder);
	return NULL;
}

static void encode_tree(const struct tree_record *root, size_t size, struct helper_blocks *blocks)
{
	struct change_dictionary *names = change_dictionary_new(schema);
	helper_blocks_init(blocks);
	assert_int_equal(change_tree_encode(names, root, size, helper_keep_block, blocks), ST_OK);
	change_dictionary_free(names);
}

static struct tree_record *make_whole(uint64_t *seed)
{
	struct tree_record *empty = tree_record_new();
	struct tree_record *root = make_tree(empty, 1, ENTRIES, 1, seed);
	drop(empty);
	return root;
}

static void test_trees_are_the_same(void **state)
{
	(void)state;
	static const size_t sizes[] = {100, 5000, 256 * 1024, SIZE_MAX / 4};
	uint64_t seed = seed_of_run();
	for (unsigned i = 0; i < 4; i++) {
		struct tree_record *root = make_whole(&seed);
		struct helper_blocks blocks;
		enum status status;
		encode_tree(root, sizes[i], &blocks);
		struct tree_record *made = decode(&blocks, 3, &status);
		assert_int_equal(status, ST_OK);
		assert_int_equal(blocks.next, blocks.sizes.length);
		assert_true(tree_record_equal(schema->root, made, root));
		drop(made);
		drop(root);
		helper_blocks_fini(&blocks);
	}
}

static struct tree_record *redo(const struct tree_record *from, struct bytes block, unsigned threads,
				enum status *status)
{
	struct change_dictionary *names = change_dictionary_new(schema);
	struct tree_builder *builder = tree_builder_new(schema, from, NULL);
	change_dictionary_set_threads(names, threads);
	*status = change_record_apply(names, block, CHANGE_REDO, builder, &diags);
	change_dictionary_free(names);
	if (*status == ST_OK)
		return tree_builder_finish(builder);
	tree_builder_abort(builder);
	return NULL;
}

static void encode_change(const struct tree_record *from, const struct tree_record *to, struct buffer *block)
{
	struct change_dictionary *names = change_dictionary_new(schema);
	struct tree_change_set changes;
	struct arena *own = arena_new();
	buffer_init(block, SIZE_MAX);
	tree_diff(schema, from, to, own, &changes);
	assert_int_equal(change_record_encode(names, &changes, block), ST_OK);
	arena_free(own);
	change_dictionary_free(names);
}

/* Entries behind those that there are, before them, and between them. */
static void test_changes_are_the_same(void **state)
{
	(void)state;
	uint64_t seed = seed_of_run();
	struct tree_record *empty = tree_record_new();
	static const uint32_t bases[][3] = {
		{1, 1, 1}, {1, 100, 1}, {ENTRIES + 5, ENTRIES + 9, 1}, {2, ENTRIES, 7}};
	for (unsigned i = 0; i < 4; i++) {
		struct tree_record *from = make_tree(empty, bases[i][0], bases[i][1], bases[i][2], &seed);
		struct tree_record *to = make_tree(from, 1, ENTRIES, 1, &seed), *made;
		struct buffer block;
		enum status status;
		encode_change(from, to, &block);
		made = redo(from, buffer_get(&block), 4, &status);
		assert_int_equal(status, ST_OK);
		assert_true(tree_record_equal(schema->root, made, to));
		drop(made);
		assert_null(redo(to, buffer_get(&block), 4, &status)); /* all of them are there */
		assert_int_equal(status, ST_CORRUPT);
		drop(from);
		drop(to);
		buffer_fini(&block);
	}
	drop(empty);
}

static void test_damage_is_the_same(void **state)
{
	(void)state;
	uint64_t seed = seed_of_run();
	struct tree_record *root = make_whole(&seed);
	struct helper_blocks blocks;
	encode_tree(root, 100000, &blocks);
	char *data = (char *)buffer_get(&blocks.all).data, before[150];
	unsigned refused = 0;
	for (unsigned round = 0; round < 6; round++) {
		size_t at = helper_random(&seed, (uint32_t)buffer_size(&blocks.all) - sizeof(before));
		memcpy(before, data + at, sizeof(before));
		if (round % 2 == 0)
			data[at] ^= (char)(1 << helper_random(&seed, 8));
		else
			memset(data + at, 0xff, sizeof(before)); /* no text is as long */
		enum status one, several;
		struct tree_record *alone = decode(&blocks, 1, &one), *made = decode(&blocks, 3, &several);
		assert_int_equal(several, one);
		refused += one != ST_OK;
		if (one == ST_OK) {
			assert_true(tree_record_equal(schema->root, made, alone));
			drop(made);
			drop(alone);
		}
		memcpy(data + at, before, sizeof(before));
	}
	assert_in_range(refused, 3, 6);
	helper_blocks_fini(&blocks);
	drop(root);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_trees_are_the_same),
		cmocka_unit_test(test_changes_are_the_same),
		cmocka_unit_test(test_damage_is_the_same),
	};
	return cmocka_run_group_tests(tests, setup, teardown);
}
