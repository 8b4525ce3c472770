/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A `when` that selects an entry by a leaf of its reader, and a candidate that was edited before: the next
 * edit goes to the readers that it concerns, however many others there are.
 *
 * Times are held to with YARE_READERS=100000 only, on an idle machine; the numbers of evaluations always.
 *
 *     kind[k]/on    unit[u]/kind -> k    unit[u]/speed   when "/kind[name = current()/../kind]/on"
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "os/clock.h"
#include "store/helper_module.h"
#include "store/store.h"
#include "tree/builder.h"
#include "tree/map.h"

enum { FEW = 1000, MANY = 30000, ROUNDS = 50 };

static const char yang[] = "module w { yang-version 1.1; namespace 'urn:w'; prefix w;\n"
			   " list kind { key name; leaf name { type string; } leaf on { type string; } }\n"
			   " list unit { key name; leaf name { type string; } leaf kind { type string; }\n"
			   "  leaf speed { type string; when '/kind[name = current()/../kind]/on'; } } }\n";

struct fixture {
	struct arena *arena;
	struct schema *schema;
	struct check_plan *plan;
	struct store *store;
	struct diag_list diags;
	const struct schema_node *kind, *on, *unit, *unit_kind, *speed;
};

static const struct schema_node *child(const struct schema_node *parent, const char *name)
{
	return schema_child_find_any(parent, bytes_of(name), NULL);
}

static void load(struct fixture *f)
{
	f->schema = helper_text_schema("w", yang);
	assert_int_equal(check_plan_new(f->schema, &f->diags, &f->plan), ST_OK);
	f->kind = child(f->schema->root, "kind");
	f->on = child(f->kind, "on");
	f->unit = child(f->schema->root, "unit");
	f->unit_kind = child(f->unit, "kind");
	f->speed = child(f->unit, "speed");
}

static struct value number(const char *prefix, unsigned i)
{
	char text[32];
	snprintf(text, sizeof(text), "%s%u", prefix, i);
	return value_new(bytes_of(text), 0);
}

static void set_leaf(struct tree_builder *builder, const struct schema_node *leaf, struct value value)
{
	tree_builder_set_leaf(builder, leaf, value);
	value_unref(value);
}

/* Units u0, u1, ... of kinds k0, k1, ..., one of each. */
static struct tree_record *make_root(struct fixture *f, unsigned units)
{
	struct tree_record *empty = tree_record_new();
	struct tree_builder *builder = tree_builder_new(f->schema, empty, NULL);
	for (unsigned i = 0; i < units; i++) {
		bool made;
		struct value name = number("k", i), unit = number("u", i);
		tree_builder_enter_entry(builder, f->kind, &name, &made);
		set_leaf(builder, f->on, number("", 1));
		tree_builder_leave(builder);
		tree_builder_enter_entry(builder, f->unit, &unit, &made);
		tree_builder_set_leaf(builder, f->unit_kind, name);
		set_leaf(builder, f->speed, number("", i));
		tree_builder_leave(builder);
		value_unref(name);
		value_unref(unit);
	}
	tree_record_unref(empty, f->schema->root, NULL);
	return tree_builder_finish(builder);
}

static void open(struct fixture *f, unsigned units)
{
	f->arena = arena_new();
	diag_list_init(&f->diags, f->arena, 10);
	load(f);
	struct tree_record *initial = make_root(f, units);
	struct store_options options = {.schema = f->schema,
					.plan = f->plan,
					.durability = STORE_NONE,
					.check = {.steps = 100000000, .max_nodes = 100000000},
					.initial_root = initial};
	assert_int_equal(store_open(&options, &f->diags, &f->store), ST_OK);
	tree_record_unref(initial, f->schema->root, NULL);
}

static void close_all(struct fixture *f)
{
	store_close(f->store);
	check_plan_free(f->plan);
	schema_unref(f->schema);
	arena_free(f->arena);
}

/* Sets a leaf of an entry of a list, or deletes it (NULL). */
static enum status edit(struct fixture *f, const struct schema_node *list, const char *name,
			const struct schema_node *leaf, const char *value, struct store_answer *answer)
{
	static const struct store_actor actor = {1, "tester", NULL};
	diag_list_init(&f->diags, f->arena, 10);
	struct store_call call = {.actor = &actor, .diags = &f->diags, .wait = STORE_WAIT};
	struct edit_options options = {.default_operation = EDIT_MERGE};
	struct edit_tree *tree = edit_tree_new(f->schema);
	struct edit_node *entry = edit_tree_add(tree, tree->top, list);
	edit_tree_add(tree, entry, list->children[0])->value = value_new(bytes_of(name), 0);
	struct edit_node *node = edit_tree_add(tree, entry, leaf);
	node->has_value = value != NULL;
	node->operation = value != NULL ? EDIT_MERGE : EDIT_REMOVE;
	if (value != NULL)
		node->value = value_new(bytes_of(value), 0);
	enum status status = store_edit(f->store, STORE_CANDIDATE, &call, tree, &options, answer);
	edit_tree_free(tree);
	return status;
}

static bool has_speed(struct fixture *f, const char *unit)
{
	const struct tree_record *root = store_pin_root(f->store, STORE_CANDIDATE);
	struct value key = value_new(bytes_of(unit), 0);
	const union tree_item *item = tree_map_find(tree_record_find(root, f->unit)->map, f->unit, &key);
	bool has = item != NULL && tree_record_find(item->record, f->speed) != NULL;
	value_unref(key);
	tree_record_unref(root, f->schema->root, NULL);
	return has;
}

static uint64_t median(uint64_t *times)
{
	for (unsigned i = 0; i < ROUNDS; i++) {
		for (unsigned j = i; j > 0 && times[j] < times[j - 1]; j--) {
			uint64_t time = times[j];
			times[j] = times[j - 1];
			times[j - 1] = time;
		}
	}
	return times[ROUNDS / 2];
}

/* Of the candidate, as it is then. */
static uint64_t measure_validate(struct fixture *f)
{
	uint64_t times[ROUNDS];
	const struct tree_record *root = store_pin_root(f->store, STORE_CANDIDATE);
	struct store_call call = {.diags = &f->diags};
	for (unsigned i = 0; i < ROUNDS; i++) {
		uint64_t began_ns = os_clock_monotonic_ns();
		assert_int_equal(store_validate(f->store, &call, root), ST_OK);
		times[i] = os_clock_monotonic_ns() - began_ns;
	}
	tree_record_unref(root, f->schema->root, NULL);
	return median(times);
}

/* Median times of an edit that makes one of that many readers due, in a candidate that was edited before, and
 * of validating what the edits have made. */
static void measure(unsigned units, uint64_t *edit_ns, uint64_t *validate_ns)
{
	struct fixture f;
	struct store_answer answer;
	uint64_t times[ROUNDS];
	open(&f, units);
	assert_int_equal(edit(&f, f.unit, "u1", f.speed, "9", &answer), ST_OK);
	for (unsigned i = 0; i < ROUNDS; i++) {
		char kind[32], unit[32];
		snprintf(kind, sizeof(kind), "k%u", i * 7 + 3);
		snprintf(unit, sizeof(unit), "u%u", i * 7 + 3);
		uint64_t began_ns = os_clock_monotonic_ns();
		assert_int_equal(edit(&f, f.kind, kind, f.on, NULL, &answer), ST_OK);
		times[i] = os_clock_monotonic_ns() - began_ns;
		assert_int_equal(answer.counters.whens, 1);
		assert_false(has_speed(&f, unit));
	}
	*edit_ns = median(times);
	*validate_ns = measure_validate(&f);
	struct store_call call = {.actor = &(struct store_actor){1, "tester", NULL}, .diags = &f.diags};
	assert_int_equal(store_commit(f.store, &call, &answer), ST_OK);
	assert_true(answer.counters.whens <= 2 * ROUNDS + 2);
	close_all(&f);
}

static void expect_alike(const char *what, unsigned units, uint64_t few_ns, uint64_t many_ns)
{
	printf("%s: %u readers: %.1f us, %u: %.1f us, ratio %.2f\n", what, FEW, (double)few_ns / 1e3, units,
	       (double)many_ns / 1e3, (double)many_ns / (double)few_ns);
	if (getenv("YARE_READERS") != NULL)
		assert_true(many_ns < 2 * few_ns);
}

static void test_cost(void **state)
{
	(void)state;
	const char *most = getenv("YARE_READERS");
	unsigned many = most != NULL ? (unsigned)atoi(most) : MANY;
	uint64_t few_edit, few_validate, many_edit, many_validate;
	measure(FEW, &few_edit, &few_validate);
	measure(many, &many_edit, &many_validate);
	expect_alike("edit", many, few_edit, many_edit);
	expect_alike("validate", many, few_validate, many_validate);
}

/* Readers that only the candidate has, and such as it has no more. */
static void test_readers_of_the_candidate(void **state)
{
	(void)state;
	struct fixture f;
	struct store_answer answer;
	open(&f, 10);
	assert_int_equal(edit(&f, f.unit, "u1", f.unit_kind, "k2", &answer), ST_OK);
	assert_int_equal(edit(&f, f.unit, "new", f.unit_kind, "k2", &answer), ST_OK);
	assert_int_equal(edit(&f, f.unit, "new", f.speed, "5", &answer), ST_OK);
	assert_int_equal(edit(&f, f.kind, "k1", f.on, NULL, &answer), ST_OK);
	assert_true(has_speed(&f, "u1") && has_speed(&f, "new") && has_speed(&f, "u2"));
	assert_int_equal(edit(&f, f.kind, "k2", f.on, NULL, &answer), ST_OK);
	assert_false(has_speed(&f, "u1") || has_speed(&f, "new") || has_speed(&f, "u2"));
	assert_true(has_speed(&f, "u3"));
	/* What is discarded is forgotten. */
	struct store_call call = {.actor = &(struct store_actor){1, "tester", NULL}, .diags = &f.diags};
	assert_int_equal(store_discard(f.store, &call, &answer), ST_OK);
	assert_int_equal(edit(&f, f.unit, "u3", f.speed, "7", &answer), ST_OK);
	assert_int_equal(edit(&f, f.kind, "k1", f.on, NULL, &answer), ST_OK);
	assert_int_equal(edit(&f, f.kind, "k3", f.on, NULL, &answer), ST_OK);
	assert_false(has_speed(&f, "u1") || has_speed(&f, "u3"));
	assert_true(has_speed(&f, "u2"));
	/* An unlock discards too, without the mutex of the candidate. */
	assert_int_equal(store_discard(f.store, &call, &answer), ST_OK);
	assert_int_equal(store_lock(f.store, STORE_CANDIDATE, &call), ST_OK);
	assert_int_equal(edit(&f, f.unit, "u1", f.unit_kind, "k2", &answer), ST_OK);
	assert_int_equal(edit(&f, f.kind, "k1", f.on, NULL, &answer), ST_OK);
	assert_true(has_speed(&f, "u1"));
	assert_int_equal(store_unlock(f.store, STORE_CANDIDATE, &call), ST_OK);
	assert_int_equal(edit(&f, f.unit, "u4", f.speed, "7", &answer), ST_OK);
	assert_int_equal(edit(&f, f.kind, "k1", f.on, NULL, &answer), ST_OK);
	assert_false(has_speed(&f, "u1"));
	close_all(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cost),
		cmocka_unit_test(test_readers_of_the_candidate),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
