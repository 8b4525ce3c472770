/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Measures the tree; no test. Built by hand in a Release build, for example
 *     cc -O2 -Isrc -Itests/tree tests/tree/bench_tree.c tests/tree/helper_tree.c -L... -lyare_tree ...
 * and run with the number of entries. Prints bytes an entry and nanoseconds an operation.
 */
#include "helper_tree.h"

#include <malloc.h>
#include <stdio.h>
#include <string.h>

#include "os/clock.h"

static const char module[] =
	"module m { namespace urn:m; prefix m;"
	" list entry { key name; leaf name { type string; } leaf type { type string; } }"
	" list user { ordered-by user; key name; leaf name { type string; } leaf type { type string; } } }";

struct bench {
	const struct schema *schema;
	const struct schema_node *list, *type;
	struct value vlan;
	uint64_t length;
};

static struct value name_of(uint64_t number)
{
	char text[32];
	snprintf(text, sizeof(text), "vlan%llu", 1000000 + (unsigned long long)number);
	return helper_value(text);
}

static void add(const struct bench *bench, struct tree_builder *builder, uint64_t number)
{
	struct value name = name_of(number);
	bool made;
	tree_builder_enter_entry(builder, bench->list, &name, &made);
	tree_builder_set_leaf(builder, bench->type, bench->vlan);
	tree_builder_leave(builder);
	value_unref(name);
}

static uint64_t shuffled(uint64_t i, uint64_t length)
{
	return i * 2654435761u % length;
}

static void report(const char *what, uint64_t start_ns, uint64_t count)
{
	printf("%-52s %8.0f ns\n", what, (double)(os_clock_monotonic_ns() - start_ns) / (double)count);
}

static struct tree_record *load(const struct bench *bench, bool in_order)
{
	struct tree_record *empty = tree_record_new();
	struct tree_builder *builder = tree_builder_new(bench->schema, empty, NULL);
	tree_record_unref(empty, bench->schema->root, NULL);
	size_t before = mallinfo2().uordblks;
	uint64_t start = os_clock_monotonic_ns();
	for (uint64_t i = 0; i < bench->length; i++)
		add(bench, builder, in_order ? i : shuffled(i, bench->length));
	report(in_order ? "insert in order, one builder" : "insert at random, one builder", start,
	       bench->length);
	struct tree_record *root = tree_builder_finish(builder);
	printf("%-52s %8.1f bytes\n", "  an entry",
	       (double)(mallinfo2().uordblks - before) / (double)bench->length);
	return root;
}

static size_t resident(void)
{
	size_t pages = 0;
	FILE *file = fopen("/proc/self/statm", "r");
	assert_non_null(file);
	assert_int_equal(fscanf(file, "%*u %zu", &pages), 1);
	fclose(file);
	return pages * 4096;
}

/* As clients do who send one entry a transaction: what path copies and releases do to the heap. */
static void provision(const struct bench *bench, bool in_order)
{
	struct tree_reclaimer *reclaimer = tree_reclaimer_new(NULL, NULL);
	struct tree_record *root = tree_record_new();
	malloc_trim(0);
	size_t before = resident();
	uint64_t start = os_clock_monotonic_ns();
	for (uint64_t i = 0; i < bench->length; i++) {
		struct tree_builder *builder = tree_builder_new(bench->schema, root, reclaimer);
		add(bench, builder, in_order ? i : shuffled(i, bench->length));
		struct tree_record *next = tree_builder_finish(builder);
		tree_record_unref(root, bench->schema->root, reclaimer);
		root = next;
	}
	report(in_order ? "provision in order, one builder each" : "provision at random, one builder each",
	       start, bench->length);
	printf("%-52s %8.1f bytes\n", "  resident, an entry",
	       (double)(resident() - before) / (double)bench->length);
	tree_record_unref(root, bench->schema->root, reclaimer);
	tree_reclaimer_free(reclaimer);
}

static struct tree_record *change_singly(const struct bench *bench, struct tree_record *root, uint64_t count)
{
	uint64_t start = os_clock_monotonic_ns();
	struct tree_reclaimer *reclaimer = tree_reclaimer_new(NULL, NULL);
	for (uint64_t i = 0; i < count; i++) {
		struct tree_builder *builder = tree_builder_new(bench->schema, root, reclaimer);
		add(bench, builder, bench->length + 7 + shuffled(i, bench->length) * 3);
		struct tree_record *next = tree_builder_finish(builder);
		tree_record_unref(root, bench->schema->root, reclaimer);
		root = next;
	}
	report("insert, one builder each, old root released", start, count);
	start = os_clock_monotonic_ns();
	for (uint64_t i = 0; i < count; i++) {
		struct tree_builder *builder = tree_builder_new(bench->schema, root, reclaimer);
		struct value name = name_of(shuffled(i, bench->length));
		bool made;
		tree_builder_enter_entry(builder, bench->list, &name, &made);
		tree_builder_set_leaf(builder, bench->type, name);
		struct tree_record *next = tree_builder_finish(builder);
		tree_record_unref(root, bench->schema->root, reclaimer);
		root = next;
		value_unref(name);
	}
	report("change of a leaf, one builder each", start, count);
	tree_reclaimer_free(reclaimer);
	return root;
}

static void look_up(const struct bench *bench, const struct tree_record *root)
{
	const struct tree_map *map = tree_record_find(root, bench->list)->map;
	enum { BATCH = 1000 };
	struct value names[BATCH];
	uint64_t spent = 0, found = 0, rounds = 200;
	for (uint64_t round = 0; round < rounds; round++) {
		for (uint64_t i = 0; i < BATCH; i++)
			names[i] = name_of(shuffled(round * BATCH + i, bench->length));
		uint64_t start = os_clock_monotonic_ns();
		for (uint64_t i = 0; i < BATCH; i++)
			found += tree_map_find(map, bench->list, &names[i]) != NULL;
		spent += os_clock_monotonic_ns() - start;
		for (uint64_t i = 0; i < BATCH; i++)
			value_unref(names[i]);
	}
	printf("%-52s %8.0f ns\n", "lookup at random", (double)spent / (double)(rounds * BATCH));
	assert_int_equal(found, rounds * BATCH);
}

static void walk(const struct bench *bench, const struct tree_record *root)
{
	uint64_t start = os_clock_monotonic_ns(), nodes = 0;
	struct tree_position position = tree_position_root(bench->schema, root), entry, leaf;
	struct tree_cursor entries, leafs;
	tree_cursor_init(&entries, bench->schema, &position, TREE_WITH_DEFAULTS);
	while (tree_cursor_next(&entries, &entry)) {
		tree_cursor_init(&leafs, bench->schema, &entry, TREE_WITH_DEFAULTS);
		while (tree_cursor_next(&leafs, &leaf))
			nodes++;
	}
	assert_int_equal(nodes, 2 * bench->length);
	report("walk by cursor, an entry", start, bench->length);
}

static void diff_one(const struct bench *bench, const struct tree_record *root)
{
	struct tree_builder *builder = tree_builder_new(bench->schema, root, NULL);
	add(bench, builder, bench->length / 2);
	add(bench, builder, bench->length + 5);
	struct tree_record *next = tree_builder_finish(builder);
	struct arena *arena = arena_new();
	struct tree_change_set changes;
	uint64_t start = os_clock_monotonic_ns();
	for (int i = 0; i < 1000; i++)
		tree_diff(bench->schema, root, next, arena, &changes);
	report("diff of one new entry", start, 1000);
	printf("%-52s %8zu\n", "  nodes and items visited", changes.visited);
	arena_free(arena);
	tree_record_unref(next, bench->schema->root, NULL);
}

static struct tree_record *load_user(const struct bench *bench, const struct schema_node *list,
				     uint64_t length)
{
	struct tree_record *empty = tree_record_new();
	struct tree_builder *builder = tree_builder_new(bench->schema, empty, NULL);
	tree_record_unref(empty, bench->schema->root, NULL);
	size_t before = mallinfo2().uordblks;
	uint64_t start = os_clock_monotonic_ns();
	for (uint64_t i = 0; i < length; i++) {
		struct value name = name_of(shuffled(i, length));
		bool made;
		tree_builder_enter_entry(builder, list, &name, &made);
		tree_builder_set_leaf(builder, helper_node(bench->schema, "user/type"), bench->vlan);
		tree_builder_leave(builder);
		value_unref(name);
	}
	report("user-ordered: append, one builder", start, length);
	struct tree_record *root = tree_builder_finish(builder);
	printf("%-52s %8.1f bytes\n", "  an entry", (double)(mallinfo2().uordblks - before) / (double)length);
	return root;
}

/* One of many entries goes somewhere else: new root, compare, release of the old one. */
static void move(const struct bench *bench, uint64_t length)
{
	enum { MOVES = 20000 };
	const struct schema_node *list = helper_node(bench->schema, "user");
	struct tree_record *root = load_user(bench, list, length);
	struct arena *arena = arena_new();
	struct tree_reclaimer *reclaimer = tree_reclaimer_new(NULL, NULL);
	uint64_t random = 1, moved = 0, moving_ns = 0, start = os_clock_monotonic_ns();
	for (int i = 0; i < MOVES; i++) {
		random = random * 6364136223846793005u + 1442695040888963407u;
		struct value name = name_of((random >> 20) % length),
			     next_to = name_of((random >> 40) % length);
		struct tree_insert insert = {.where = TREE_AFTER, .anchor = &next_to};
		if (!value_equal(name, next_to)) {
			uint64_t at = os_clock_monotonic_ns();
			struct tree_builder *builder = tree_builder_new(bench->schema, root, reclaimer);
			tree_builder_insert_entry(builder, list, &name, &insert);
			struct tree_record *next = tree_builder_finish(builder);
			moving_ns += os_clock_monotonic_ns() - at;
			struct tree_change_set changes;
			tree_diff(bench->schema, root, next, arena, &changes);
			moved += changes.length;
			arena_reset(arena);
			tree_record_unref(root, bench->schema->root, reclaimer);
			root = next;
		}
		value_unref(name);
		value_unref(next_to);
	}
	assert_in_range(moved, MOVES - MOVES / 100, MOVES);
	printf("%-52s %8llu\n", "  entries", (unsigned long long)length);
	report("  move one, compare, release", start, MOVES);
	printf("%-52s %8.0f ns\n", "    of this the move", (double)moving_ns / MOVES);
	tree_record_unref(root, bench->schema->root, reclaimer);
	tree_reclaimer_free(reclaimer);
	arena_free(arena);
}

int main(int argc, char **argv)
{
	struct schema *schema = helper_schema("m", module);
	struct bench bench = {.schema = schema, .length = argc > 1 ? strtoull(argv[1], NULL, 0) : 1000000};
	bench.list = helper_node(schema, "entry");
	bench.type = helper_node(schema, "entry/type");
	bench.vlan = helper_value("l2vlan");
	for (int in_order = 1; in_order >= 0; in_order--) {
		provision(&bench, in_order);
		struct tree_record *root = load(&bench, in_order);
		look_up(&bench, root);
		walk(&bench, root);
		diff_one(&bench, root);
		root = change_singly(&bench, root, 100000);
		uint64_t start = os_clock_monotonic_ns();
		tree_record_unref(root, schema->root, NULL);
		report("release, an entry", start, bench.length);
	}
	move(&bench, 1000);
	move(&bench, 100000);
	schema_unref(schema);
	return 0;
}
