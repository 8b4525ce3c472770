/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Changes read by their stored names: every change is told, records can begin a segment anew, and bytes that
 * were spoilt at random, which no checksum holds back here, do no harm. YARE_RUNS sets how many.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>
#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"
#include "base/vector.h"
#include "codec/change_record.h"
#include "codec/change_text.h"
#include "codec/helper_build.h"
#include "codec/helper_decode.h"

#define RUNS 3000u
#define ROOTS 6

/* Random trees, and the blocks that lead from each to the next, with one dictionary. */
struct chain {
	struct schema *schema;
	struct tree_record *roots[ROOTS];
	struct buffer blocks[ROOTS]; /* the first is empty */
	size_t changes[ROOTS];	     /* leaves of the change sets */
};

static void chain_init(struct chain *chain, uint64_t seed)
{
	chain->schema = helper_schema();
	struct change_dictionary *names = change_dictionary_new(chain->schema);
	for (unsigned i = 0; i < ROOTS; i++) {
		chain->roots[i] =
			i == 0 ? tree_record_new() : helper_build_random(chain->schema, seed + i % 4);
		buffer_init(&chain->blocks[i], SIZE_MAX);
		if (i == 0)
			continue;
		struct arena *arena = arena_new();
		struct tree_change_set changes;
		tree_diff(chain->schema, chain->roots[i - 1], chain->roots[i], arena, &changes);
		chain->changes[i] = changes.length;
		assert_int_equal(change_record_encode(names, &changes, &chain->blocks[i]), ST_OK);
		arena_free(arena);
	}
	change_dictionary_free(names);
}

static void chain_fini(struct chain *chain)
{
	for (unsigned i = 0; i < ROOTS; i++) {
		tree_record_unref(chain->roots[i], chain->schema->root, NULL);
		buffer_fini(&chain->blocks[i]);
	}
	schema_unref(chain->schema);
}

static uint64_t seed_of_run(void)
{
	const char *text = getenv("YARE_SEED");
	uint64_t seed = text != NULL ? strtoull(text, NULL, 10) : (uint64_t)time(NULL);
	print_message("YARE_SEED=%" PRIu64 "\n", seed);
	return seed;
}

static enum status count(void *arg, const struct change_text *change)
{
	size_t *told = arg;
	assert_true(change->path.size > 1 && change->path.data[0] == '/');
	assert_true(change->action >= CHANGE_TEXT_CREATED && change->action <= CHANGE_TEXT_MODIFIED);
	++*told;
	return ST_OK;
}

static void test_all_is_told(void **state)
{
	(void)state;
	uint64_t seed = seed_of_run();
	for (unsigned round = 0; round < 20; round++) {
		struct chain chain;
		struct change_names *names = change_names_new();
		chain_init(&chain, seed + round * 10);
		for (unsigned i = 1; i < ROOTS; i++) {
			size_t told = 0;
			struct bytes block = buffer_get(&chain.blocks[i]);
			assert_int_equal(change_text_record(names, block, count, &told), ST_OK);
			assert_true(told >= chain.changes[i]);
		}
		/* Once more: what is defined already is passed over. */
		assert_int_equal(change_text_record(names, buffer_get(&chain.blocks[1]), NULL, NULL), ST_OK);
		change_names_free(names);
		chain_fini(&chain);
	}
}

/* Without the blocks before it, a block that does not define all its names cannot be read; completed it can.
 */
static void test_a_record_can_begin_a_segment(void **state)
{
	(void)state;
	uint64_t seed = seed_of_run();
	for (unsigned round = 0; round < 20; round++) {
		struct chain chain;
		struct change_names *names = change_names_new();
		chain_init(&chain, seed + round * 10);
		for (unsigned i = 1; i < ROOTS; i++) {
			struct buffer made;
			buffer_init(&made, SIZE_MAX);
			assert_int_equal(change_text_complete(names, buffer_get(&chain.blocks[i]), &made),
					 ST_OK);
			struct change_dictionary *reader = change_dictionary_new(chain.schema);
			struct tree_builder *builder =
				tree_builder_new(chain.schema, chain.roots[i - 1], NULL);
			struct bytes block = buffer_get(&made);
			assert_int_equal(change_record_apply(reader, block, CHANGE_REDO, builder, NULL),
					 ST_OK);
			struct tree_record *root = tree_builder_finish(builder);
			assert_true(tree_record_equal(chain.schema->root, root, chain.roots[i]));
			tree_record_unref(root, chain.schema->root, NULL);
			change_dictionary_free(reader);
			buffer_fini(&made);
		}
		change_names_free(names);
		chain_fini(&chain);
	}
}

/* ---- trees ---- */

static enum status collect(void *arg, struct bytes block)
{
	struct buffer *made = vector_push(arg);
	buffer_init(made, SIZE_MAX);
	return buffer_append(made, block);
}

struct blocks {
	const struct vector *all;
	size_t next;
};

static enum status next_block(void *arg, struct bytes *block)
{
	struct blocks *blocks = arg;
	if (blocks->next == blocks->all->length)
		return ST_CORRUPT;
	*block = buffer_get(vector_at(blocks->all, blocks->next++));
	return ST_OK;
}

static void drop_blocks(struct vector *all)
{
	for (size_t i = 0; i < all->length; i++)
		buffer_fini(vector_at(all, i));
	vector_clear(all);
}

static void test_trees_in_blocks(void **state)
{
	(void)state;
	struct schema *schema = helper_schema();
	struct tree_record *root = NULL;
	struct change_dictionary *writer = NULL;
	struct vector all;
	vector_init(&all, sizeof(struct buffer));
	/* Some random trees fit into one block. */
	for (uint64_t seed = seed_of_run(); all.length < 2; seed++) {
		drop_blocks(&all);
		if (root != NULL)
			tree_record_unref(root, schema->root, NULL);
		change_dictionary_free(writer);
		root = helper_build_random(schema, seed);
		writer = change_dictionary_new(schema);
		assert_int_equal(change_tree_encode(writer, root, 50, collect, &all), ST_OK);
	}
	struct change_names *names = change_names_new();
	struct blocks blocks = {&all, 0};
	size_t told = 0;
	assert_int_equal(change_text_tree(names, next_block, &blocks, count, &told), ST_OK);
	assert_int_equal(blocks.next, all.length);
	assert_true(told > all.length);
	/* Not without the last one. */
	change_names_reset(names);
	buffer_fini(vector_at(&all, all.length - 1));
	vector_pop(&all);
	blocks.next = 0;
	assert_int_equal(change_text_tree(names, next_block, &blocks, NULL, NULL), ST_CORRUPT);
	drop_blocks(&all);
	vector_fini(&all);
	change_names_free(names);
	change_dictionary_free(writer);
	tree_record_unref(root, schema->root, NULL);
	schema_unref(schema);
}

/* ---- damage ---- */

/* In memory of exactly its size, so that a read beyond it is seen. */
static char *spoil(struct bytes block, uint64_t *seed, size_t *size)
{
	*size = helper_random(seed, 4) == 0 ? helper_random(seed, (uint32_t)block.size) : block.size;
	char *copy = memory_alloc(*size + (*size == 0));
	memcpy(copy, block.data, *size);
	for (uint32_t faults = helper_random(seed, 4); faults > 0 && *size > 0; faults--)
		copy[helper_random(seed, (uint32_t)*size)] ^= (char)(1 << helper_random(seed, 8));
	return copy;
}

static void test_random_damage(void **state)
{
	(void)state;
	const char *text = getenv("YARE_RUNS");
	unsigned runs = text != NULL ? (unsigned)strtoul(text, NULL, 10) : RUNS, sound = 0;
	uint64_t seed = seed_of_run();
	struct chain chain;
	chain_init(&chain, seed);
	for (unsigned i = 0; i < runs; i++) {
		struct change_names *names = change_names_new();
		size_t told = 0, size, index = 1 + i % (ROOTS - 1);
		for (size_t k = 1; k < index; k++)
			assert_int_equal(change_text_record(names, buffer_get(&chain.blocks[k]), NULL, NULL),
					 ST_OK);
		char *copy = spoil(buffer_get(&chain.blocks[index]), &seed, &size);
		enum status status = change_text_record(names, (struct bytes){copy, size}, count, &told);
		assert_true(status == ST_OK || status == ST_CORRUPT);
		sound += status == ST_OK;
		struct buffer made;
		buffer_init(&made, SIZE_MAX);
		status = change_text_complete(names, (struct bytes){copy, size}, &made);
		assert_true(status == ST_OK || status == ST_CORRUPT);
		buffer_fini(&made);
		memory_free(copy);
		change_names_free(names);
	}
	assert_true(sound > 0 && sound < runs);
	chain_fini(&chain);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_is_told),
		cmocka_unit_test(test_a_record_can_begin_a_segment),
		cmocka_unit_test(test_trees_in_blocks),
		cmocka_unit_test(test_random_damage),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
