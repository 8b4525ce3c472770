/* SPDX-License-Identifier: BSD-3-Clause */
/* Change sets and trees to bytes and back: redo and undo on random trees, user order, damage, other schemas.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>
#include <stdio.h>
#include <time.h>

#include "base/memory.h"
#include "codec/change_record.h"
#include "codec/helper_build.h"
#include "codec/helper_change.h"
#include "codec/helper_decode.h"

static uint64_t seed_of_run(void)
{
	const char *text = getenv("YARE_SEED");
	uint64_t seed = text ? strtoull(text, NULL, 10) : (uint64_t)time(NULL);
	printf("YARE_SEED=%llu\n", (unsigned long long)seed);
	return seed;
}

struct bench {
	struct schema *schema;
	struct arena *arena;
	struct diag_list diags;
};

static void bench_init(struct bench *bench, struct schema *schema)
{
	bench->schema = schema;
	bench->arena = arena_new();
	diag_list_init(&bench->diags, bench->arena, 10);
}

static void bench_fini(struct bench *bench)
{
	arena_free(bench->arena);
	schema_unref(bench->schema);
}

static void drop(struct bench *bench, const struct tree_record *root)
{
	tree_record_unref(root, bench->schema->root, NULL);
}

static enum status encode(struct bench *bench, struct change_dictionary *names,
			  const struct tree_record *from, const struct tree_record *to, struct buffer *out)
{
	struct tree_change_set changes;
	struct arena *arena = arena_new();
	tree_diff(bench->schema, from, to, arena, &changes);
	enum status status = change_record_encode(names, &changes, out);
	arena_free(arena);
	return status;
}

static enum status apply(struct bench *bench, struct change_dictionary *names, struct bytes block,
			 enum change_direction direction, const struct tree_record *from,
			 struct tree_record **to)
{
	struct tree_builder *builder = tree_builder_new(bench->schema, from, NULL);
	enum status status = change_record_apply(names, block, direction, builder, &bench->diags);
	if (status == ST_OK)
		*to = tree_builder_finish(builder);
	else
		tree_builder_abort(builder);
	return status;
}

static void assert_applies(struct bench *bench, struct change_dictionary *names, struct bytes block,
			   enum change_direction direction, const struct tree_record *from,
			   const struct tree_record *to)
{
	struct tree_record *made;
	assert_int_equal(apply(bench, names, block, direction, from, &made), ST_OK);
	assert_true(tree_record_equal(bench->schema->root, made, to));
	drop(bench, made);
}

/* A chain of versions through one pair of dictionaries, forward as it grows, and all the way back. */
static void check_chain(struct bench *bench, struct tree_record **roots, size_t length)
{
	struct change_dictionary *writer = change_dictionary_new(bench->schema);
	struct change_dictionary *reader = change_dictionary_new(bench->schema);
	struct change_dictionary *late = change_dictionary_new(bench->schema);
	struct buffer blocks[16];
	for (size_t i = 1; i < length; i++) {
		buffer_init(&blocks[i], SIZE_MAX);
		assert_int_equal(encode(bench, writer, roots[i - 1], roots[i], &blocks[i]), ST_OK);
		assert_applies(bench, reader, buffer_get(&blocks[i]), CHANGE_REDO, roots[i - 1], roots[i]);
		assert_int_equal(change_record_define(late, buffer_get(&blocks[i])), ST_OK);
	}
	for (size_t i = length; --i > 0;) {
		assert_applies(bench, late, buffer_get(&blocks[i]), CHANGE_UNDO, roots[i], roots[i - 1]);
		buffer_fini(&blocks[i]);
	}
	change_dictionary_free(writer);
	change_dictionary_free(reader);
	change_dictionary_free(late);
}

static void test_random_trees_forward_and_back(void **state)
{
	(void)state;
	struct bench bench;
	bench_init(&bench, helper_schema());
	uint64_t seed = seed_of_run();
	for (unsigned round = 0; round < 40; round++) {
		struct tree_record *roots[6];
		for (unsigned i = 0; i < 6; i++)
			roots[i] = i == 0 || i == 4 ? tree_record_new()
						    : helper_build_random(bench.schema, seed + round * 6 + i);
		check_chain(&bench, roots, 6);
		for (unsigned i = 0; i < 6; i++)
			drop(&bench, roots[i]);
	}
	bench_fini(&bench);
}

/* ---- user order ---- */

static const char ordered_module[] = "module ordered {\n"
				     "  yang-version 1.1; namespace \"urn:ordered\"; prefix o;\n"
				     "  container c {\n"
				     "    list rule { key \"name\"; ordered-by user; leaf name { type "
				     "string; } leaf note { type string; } }\n"
				     "    leaf-list step { ordered-by user; type string; }\n"
				     "    leaf-list other { type string; }\n"
				     "    anydata any;\n"
				     "  }\n"
				     "}\n";

static const struct schema_node *node_of(const struct schema_node *parent, const char *name)
{
	const struct schema_node *node = schema_child_find_any(parent, bytes_of(name), NULL);
	assert_non_null(node);
	return node;
}

/* Items "0" .. "19", each there or not, in any order, with notes that vary. */
static struct tree_record *random_order(struct bench *bench, uint64_t *seed)
{
	struct tree_record *empty = tree_record_new();
	struct tree_builder *builder = tree_builder_new(bench->schema, empty, NULL);
	drop(bench, empty);
	const struct schema_node *c = node_of(bench->schema->root, "c"), *rule = node_of(c, "rule"),
				 *step = node_of(c, "step"), *note = node_of(rule, "note");
	tree_builder_enter(builder, c);
	tree_builder_make(builder);
	unsigned length = helper_random(seed, 20);
	for (unsigned i = 0; i < length; i++) {
		char text[16];
		bool made;
		snprintf(text, sizeof(text), "%u", helper_random(seed, 20));
		struct value key = value_new(bytes_of(text), 0);
		tree_builder_enter_entry(builder, rule, &key, &made);
		if (helper_random(seed, 2) == 0) {
			struct value value = value_new(bytes_of(text), 0);
			tree_builder_set_leaf(builder, note, value);
			value_unref(value);
		}
		tree_builder_leave(builder);
		if (helper_random(seed, 3) != 0)
			tree_builder_add_value(builder, step, key);
		value_unref(key);
	}
	return tree_builder_finish(builder);
}

static void test_user_order_forward_and_back(void **state)
{
	(void)state;
	struct bench bench;
	bench_init(&bench, helper_text_schema("ordered", ordered_module));
	uint64_t seed = seed_of_run();
	for (unsigned round = 0; round < 200; round++) {
		struct tree_record *roots[4];
		for (unsigned i = 0; i < 4; i++)
			roots[i] = random_order(&bench, &seed);
		check_chain(&bench, roots, 4);
		for (unsigned i = 0; i < 4; i++)
			drop(&bench, roots[i]);
	}
	bench_fini(&bench);
}

/* ---- whole trees ---- */

static void test_trees_in_blocks(void **state)
{
	(void)state;
	struct bench bench;
	bench_init(&bench, helper_schema());
	uint64_t seed = seed_of_run();
	for (unsigned round = 0; round < 30; round++) {
		struct tree_record *root = helper_build_random(bench.schema, seed + round);
		struct change_dictionary *writer = change_dictionary_new(bench.schema);
		struct change_dictionary *reader = change_dictionary_new(bench.schema);
		struct helper_blocks blocks;
		helper_blocks_init(&blocks);
		size_t size = round % 3 == 0 ? 1 : round % 3 == 1 ? 100 : 65536;
		change_dictionary_set_strict(reader, round % 2);
		assert_int_equal(change_tree_encode(writer, root, size, helper_keep_block, &blocks), ST_OK);
		struct tree_record *empty = tree_record_new();
		struct tree_builder *builder = tree_builder_new(bench.schema, empty, NULL);
		enum status status =
			change_tree_decode(reader, builder, helper_give_block, &blocks, &bench.diags);
		assert_int_equal(status, ST_OK);
		assert_int_equal(blocks.next, blocks.sizes.length);
		struct tree_record *made = tree_builder_finish(builder);
		assert_true(tree_record_equal(bench.schema->root, made, root));
		drop(&bench, made);
		drop(&bench, empty);
		drop(&bench, root);
		helper_blocks_fini(&blocks);
		change_dictionary_free(writer);
		change_dictionary_free(reader);
	}
	bench_fini(&bench);
}

static void test_empty_tree(void **state)
{
	(void)state;
	struct bench bench;
	bench_init(&bench, helper_schema());
	struct tree_record *roots[2] = {tree_record_new(), tree_record_new()};
	check_chain(&bench, roots, 2);
	drop(&bench, roots[0]);
	drop(&bench, roots[1]);
	bench_fini(&bench);
}

/* ---- blocks that are lost ---- */

#define CHAIN 200u

/* Blocks that each change one value of a random tree; of the first one all names are new. */
static void make_long_chain(struct bench *bench, struct tree_record **roots, struct buffer *blocks)
{
	struct change_dictionary *writer = change_dictionary_new(bench->schema);
	roots[0] = tree_record_new();
	for (unsigned i = 1; i <= CHAIN; i++) {
		roots[i] = helper_build_random(bench->schema, 100 + (i - 1) % 3);
		buffer_init(&blocks[i], SIZE_MAX);
		assert_int_equal(encode(bench, writer, roots[i - 1], roots[i], &blocks[i]), ST_OK);
	}
	change_dictionary_free(writer);
}

/* All blocks but those from `first` up to `last` define what is needed to read any of them. */
static void assert_survives(struct bench *bench, struct tree_record **roots, struct buffer *blocks,
			    unsigned first, unsigned last)
{
	struct change_dictionary *reader = change_dictionary_new(bench->schema);
	for (unsigned i = 1; i <= CHAIN; i++) {
		if (i >= first && i <= last)
			continue;
		enum status status = change_record_define(reader, buffer_get(&blocks[i]));
		assert_true(status == ST_OK ||
			    status == ST_CORRUPT); /* names before its own are not known yet */
	}
	for (unsigned i = 1; i <= CHAIN; i++) {
		if (i < first || i > last)
			assert_applies(bench, reader, buffer_get(&blocks[i]), CHANGE_REDO, roots[i - 1],
				       roots[i]);
	}
	change_dictionary_free(reader);
}

static void test_lost_blocks_do_not_take_names_along(void **state)
{
	(void)state;
	struct bench bench;
	bench_init(&bench, helper_schema());
	struct tree_record *roots[CHAIN + 1];
	struct buffer blocks[CHAIN + 1];
	make_long_chain(&bench, roots, blocks);
	for (unsigned first = 1; first <= 6; first++)
		assert_survives(&bench, roots, blocks, first, first);
	assert_survives(&bench, roots, blocks, 1, 2); /* both that define the first names */
	assert_survives(&bench, roots, blocks, 1, 50);
	assert_survives(&bench, roots, blocks, CHAIN / 2, CHAIN);
	for (unsigned i = 0; i <= CHAIN; i++)
		drop(&bench, roots[i]);
	for (unsigned i = 1; i <= CHAIN; i++)
		buffer_fini(&blocks[i]);
	bench_fini(&bench);
}

/* What repeating costs of many small blocks is little; one that was taken back does not count as a
 * repetition. */
static void test_repeated_names_are_few(void **state)
{
	(void)state;
	struct bench bench;
	bench_init(&bench, helper_text_schema("ordered", ordered_module));
	struct change_dictionary *writer = change_dictionary_new(bench.schema);
	const struct schema_node *c = node_of(bench.schema->root, "c");
	struct tree_record *root = tree_record_new();
	size_t total = 0, least = SIZE_MAX, first = 0;
	for (unsigned i = 0; i < 2000; i++) {
		char text[16];
		snprintf(text, sizeof(text), "%05u", i);
		struct value value = value_new(bytes_of(text), 0);
		struct tree_builder *builder = tree_builder_new(bench.schema, root, NULL);
		tree_builder_enter(builder, c);
		tree_builder_add_value(builder, node_of(c, "step"), value);
		struct tree_record *next = tree_builder_finish(builder);
		struct buffer block;
		buffer_init(&block, SIZE_MAX);
		if (i == 1) { /* not written after all: the next one still is the second */
			assert_int_equal(encode(&bench, writer, root, next, &block), ST_OK);
			change_dictionary_cut(writer, change_dictionary_length(writer));
			first = buffer_size(&block);
			buffer_clear(&block, 4096);
		}
		assert_int_equal(encode(&bench, writer, root, next, &block), ST_OK);
		if (i == 1)
			assert_int_equal(buffer_size(&block), first);
		total += buffer_size(&block);
		least = buffer_size(&block) < least ? buffer_size(&block) : least;
		buffer_fini(&block);
		value_unref(value);
		drop(&bench, root);
		root = next;
	}
	assert_true(total <= 2000 * (least + 2));
	drop(&bench, root);
	change_dictionary_free(writer);
	bench_fini(&bench);
}

/* A block that is to stand first after all: read alone it gives the change, and the one behind it names all
 * once more. Encoded in steps, with its head twice. */
static void test_names_are_forgotten(void **state)
{
	(void)state;
	struct bench bench;
	bench_init(&bench, helper_schema());
	struct change_dictionary *writer = change_dictionary_new(bench.schema),
				 *reader = change_dictionary_new(bench.schema);
	struct tree_record *roots[4];
	struct buffer blocks[4], head;
	struct tree_change_set changes;
	struct arena *arena = arena_new();
	for (unsigned i = 0; i < 4; i++) {
		roots[i] = i == 0 ? tree_record_new() : helper_build_random(bench.schema, i);
		buffer_init(&blocks[i], SIZE_MAX);
	}
	assert_int_equal(encode(&bench, writer, roots[0], roots[1], &blocks[0]), ST_OK);
	assert_int_equal(encode(&bench, writer, roots[0], roots[1], &blocks[1]),
			 ST_OK); /* names them twice */
	tree_diff(bench.schema, roots[1], roots[2], arena, &changes);
	change_record_begin(writer, &changes);
	assert_true(change_record_begun(writer));
	buffer_init(&head, SIZE_MAX);
	assert_int_equal(change_record_head(writer, &head), ST_OK);
	assert_true(change_dictionary_forget(writer));
	assert_int_equal(change_record_head(writer, &blocks[2]), ST_OK);
	assert_true(buffer_size(&blocks[2]) > buffer_size(&head));
	assert_int_equal(buffer_append(&blocks[2], change_record_items(writer)), ST_OK);
	change_record_end(writer);
	assert_false(change_record_begun(writer));
	assert_int_equal(encode(&bench, writer, roots[2], roots[3], &blocks[3]), ST_OK);

	assert_applies(&bench, reader, buffer_get(&blocks[2]), CHANGE_REDO, roots[1], roots[2]);
	assert_applies(&bench, reader, buffer_get(&blocks[3]), CHANGE_REDO, roots[2], roots[3]);
	change_dictionary_reset(reader);
	assert_applies(&bench, reader, buffer_get(&blocks[3]), CHANGE_UNDO, roots[3], roots[2]);

	for (unsigned i = 0; i < 4; i++) {
		buffer_fini(&blocks[i]);
		drop(&bench, roots[i]);
	}
	buffer_fini(&head);
	arena_free(arena);
	change_dictionary_free(reader);
	change_dictionary_free(writer);
	bench_fini(&bench);
}

/* ---- limits, damage ---- */

static void test_limit_leaves_everything_as_it_was(void **state)
{
	(void)state;
	struct bench bench;
	bench_init(&bench, helper_schema());
	struct change_dictionary *names = change_dictionary_new(bench.schema);
	struct tree_record *empty = tree_record_new(), *root = helper_build_random(bench.schema, 5);
	struct buffer small, large;
	buffer_init(&small, 20);
	buffer_init(&large, SIZE_MAX);
	assert_int_equal(buffer_append(&small, bytes_of("head")), ST_OK);
	assert_int_equal(encode(&bench, names, empty, root, &small), ST_LIMIT);
	assert_int_equal(buffer_size(&small), 4);
	assert_int_equal(change_dictionary_length(names), 0);
	assert_int_equal(encode(&bench, names, empty, root, &large), ST_OK);
	change_dictionary_reset(names);
	assert_applies(&bench, names, buffer_get(&large), CHANGE_REDO, empty, root);
	buffer_fini(&small);
	buffer_fini(&large);
	drop(&bench, empty);
	drop(&bench, root);
	change_dictionary_free(names);
	bench_fini(&bench);
}

/* Cut, flipped and overwritten bytes never do worse than a status. */
static void test_damage(void **state)
{
	(void)state;
	struct bench bench;
	bench_init(&bench, helper_text_schema("ordered", ordered_module));
	uint64_t seed = seed_of_run();
	for (unsigned round = 0; round < 3000; round++) {
		struct tree_record *from = random_order(&bench, &seed), *to = random_order(&bench, &seed);
		struct change_dictionary *names = change_dictionary_new(bench.schema);
		struct change_dictionary *reader = change_dictionary_new(bench.schema);
		struct buffer block;
		buffer_init(&block, SIZE_MAX);
		assert_int_equal(encode(&bench, names, from, to, &block), ST_OK);
		size_t size = buffer_size(&block);
		char *copy = memory_alloc(size + 1); /* exact, so that a read beyond it is seen */
		memcpy(copy, buffer_get(&block).data, size);
		if (round % 3 == 0)
			size = helper_random(&seed, (uint32_t)size);
		else
			for (unsigned i = 0; i < round % 3; i++)
				copy[helper_random(&seed, (uint32_t)size)] ^=
					(char)(1 << helper_random(&seed, 8));
		struct tree_record *made = NULL;
		change_dictionary_set_strict(reader, round % 2);
		enum change_direction direction = helper_random(&seed, 2) ? CHANGE_REDO : CHANGE_UNDO;
		enum status status = apply(&bench, reader, (struct bytes){copy, size}, direction,
					   direction == CHANGE_REDO ? from : to, &made);
		assert_true(status == ST_OK || status == ST_CORRUPT || status == ST_REJECTED);
		if (status == ST_OK)
			drop(&bench, made);
		memory_free(copy);
		buffer_fini(&block);
		change_dictionary_free(names);
		change_dictionary_free(reader);
		drop(&bench, from);
		drop(&bench, to);
	}
	bench_fini(&bench);
}

/* ---- another schema ---- */

/* No `note`, another order of nodes, `step` no longer ordered by users, a type that is narrower. */
static const char later_module[] = "module ordered {\n"
				   "  yang-version 1.1; namespace \"urn:ordered\"; prefix o;\n"
				   "  container c {\n"
				   "    leaf-list step { type uint8; }\n"
				   "    list rule { key \"name\"; ordered-by user; leaf name { type string; "
				   "} leaf new { type string; } }\n"
				   "  }\n"
				   "}\n";

static void test_another_schema(void **state)
{
	(void)state;
	struct bench old, later;
	bench_init(&old, helper_text_schema("ordered", ordered_module));
	bench_init(&later, helper_text_schema("ordered", later_module));
	const struct schema_node *c = node_of(old.schema->root, "c");
	struct tree_record *empty = tree_record_new(), *made = NULL;
	struct value text = value_new(bytes_of("17"), 0), bad = value_new(bytes_of("seventeen"), 0);
	for (unsigned round = 0; round < 3; round++) {
		struct tree_builder *builder = tree_builder_new(old.schema, empty, NULL);
		bool is_new;
		tree_builder_enter(builder, c);
		tree_builder_add_value(builder, node_of(c, "step"), round == 1 ? bad : text);
		tree_builder_enter_entry(builder, node_of(c, "rule"), &text, &is_new);
		if (round == 2)
			tree_builder_set_leaf(builder, node_of(node_of(c, "rule"), "note"), text);
		struct tree_record *root = tree_builder_finish(builder);
		struct change_dictionary *writer = change_dictionary_new(old.schema);
		struct change_dictionary *reader = change_dictionary_new(later.schema);
		struct buffer block;
		buffer_init(&block, SIZE_MAX);
		assert_int_equal(encode(&old, writer, empty, root, &block), ST_OK);
		change_dictionary_set_strict(reader, true);
		enum status status = apply(&later, reader, buffer_get(&block), CHANGE_REDO, empty, &made);
		assert_int_equal(status, round == 0 ? ST_OK : ST_REJECTED);
		assert_int_equal(later.diags.length, round);
		if (status == ST_OK)
			drop(&later, made);
		buffer_fini(&block);
		change_dictionary_free(writer);
		change_dictionary_free(reader);
		drop(&old, root);
	}
	assert_non_null(strstr(later.diags.first->message, "step: 'seventeen'"));
	assert_non_null(strstr(later.diags.last->message, "rule/note"));
	value_unref(text);
	value_unref(bad);
	drop(&old, empty);
	bench_fini(&old);
	bench_fini(&later);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_trees_forward_and_back),
		cmocka_unit_test(test_user_order_forward_and_back),
		cmocka_unit_test(test_trees_in_blocks),
		cmocka_unit_test(test_empty_tree),
		cmocka_unit_test(test_lost_blocks_do_not_take_names_along),
		cmocka_unit_test(test_repeated_names_are_few),
		cmocka_unit_test(test_names_are_forgotten),
		cmocka_unit_test(test_limit_leaves_everything_as_it_was),
		cmocka_unit_test(test_damage),
		cmocka_unit_test(test_another_schema),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
