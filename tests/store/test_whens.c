/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Nodes under a `when` through the store: a request that sets one is refused in its own reply, on running and
 * on the candidate (RFC 7950 8.3.2); one that is there goes when a change makes the `when` false.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/helper_module.h"
#include "store/store.h"
#include "tree/cursor.h"

static const char yang[] = "module w { yang-version 1.1; namespace 'urn:w'; prefix w;\n"
			   " leaf on { type string; }\n"
			   " leaf a { type string; when '/on'; default d; }\n"
			   " leaf b { type string; when '/a = \"d\"'; }\n"
			   " leaf must { type string; must '/on'; }\n"
			   "}\n";

struct fixture {
	struct arena *arena;
	struct schema *schema;
	struct check_plan *plan;
	struct store *store;
	struct diag_list diags;
};

static void load(struct fixture *f)
{
	f->schema = helper_text_schema("w", yang);
	assert_int_equal(check_plan_new(f->schema, &f->diags, &f->plan), ST_OK);
}

static void open(struct fixture *f, const struct tree_record *initial)
{
	struct store_options options = {.schema = f->schema,
					.plan = f->plan,
					.durability = STORE_NONE,
					.check = {.steps = 100000, .max_nodes = 100000},
					.initial_root = initial};
	assert_int_equal(store_open(&options, &f->diags, &f->store), ST_OK);
}

static int set_up(void **state)
{
	static struct fixture f;
	f.arena = arena_new();
	diag_list_init(&f.diags, f.arena, 10);
	load(&f);
	open(&f, NULL);
	*state = &f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;
	store_close(f->store);
	check_plan_free(f->plan);
	schema_unref(f->schema);
	arena_free(f->arena);
	return 0;
}

static const struct schema_node *node_of(struct fixture *f, const char *name, size_t size)
{
	return schema_child_find_any(f->schema->root, (struct bytes){name, size}, NULL);
}

/* Words: NAME=VALUE sets a leaf, -NAME deletes it. */
static struct edit_tree *make_edit(struct fixture *f, const char *text)
{
	struct edit_tree *tree = edit_tree_new(f->schema);
	char *words = arena_strdup(f->arena, bytes_of(text)), *rest;
	for (char *word = strtok_r(words, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
		bool deletes = *word == '-';
		word += deletes;
		size_t size = strcspn(word, "=");
		struct edit_node *leaf = edit_tree_add(tree, tree->top, node_of(f, word, size));
		leaf->operation = deletes ? EDIT_DELETE : EDIT_MERGE;
		leaf->has_value = !deletes;
		if (!deletes)
			leaf->value = value_new(bytes_of(word + size + 1), 0);
	}
	return tree;
}

static struct store_call call_of(struct fixture *f)
{
	static const struct store_actor actor = {1, "tester", NULL};
	diag_list_init(&f->diags, f->arena, 10);
	return (struct store_call){.actor = &actor, .diags = &f->diags, .wait = STORE_WAIT};
}

static enum status edit(struct fixture *f, enum store_datastore target, const char *text)
{
	struct store_call call = call_of(f);
	struct edit_options options = {.default_operation = EDIT_MERGE};
	struct edit_tree *tree = make_edit(f, text);
	struct store_answer answer;
	enum status status = store_edit(f->store, target, &call, tree, &options, &answer);
	edit_tree_free(tree);
	return status;
}

static enum status commit(struct fixture *f)
{
	struct store_call call = call_of(f);
	struct store_answer answer;
	return store_commit(f->store, &call, &answer);
}

static void expect(struct fixture *f, enum store_datastore datastore, const char *wanted)
{
	const struct tree_record *root = store_pin_root(f->store, datastore);
	struct tree_position position = tree_position_root(f->schema, root), child;
	struct tree_cursor cursor;
	char text[256] = "";
	tree_cursor_init(&cursor, f->schema, &position, TREE_EXPLICIT);
	while (tree_cursor_next(&cursor, &child)) {
		struct bytes value = value_bytes(&child.value);
		size_t size = strlen(text);
		snprintf(text + size, sizeof(text) - size, "%s%s=%.*s", size ? " " : "", child.schema->name,
			 (int)value.size, value.data);
	}
	assert_string_equal(text, wanted);
	tree_record_unref(root, f->schema->root, NULL);
}

static void expect_unknown(struct fixture *f, const char *path)
{
	assert_int_equal(f->diags.length, 1);
	assert_int_equal(f->diags.first->tag, DIAG_UNKNOWN_ELEMENT);
	assert_string_equal(f->diags.first->path, path);
	assert_string_equal(f->diags.first->infos->name, "bad-element");
}

static void test_refused_in_its_own_reply(void **state)
{
	struct fixture *f = *state;
	enum store_datastore targets[] = {STORE_RUNNING, STORE_CANDIDATE};
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(edit(f, targets[i], "a=x"), ST_REJECTED);
		expect_unknown(f, "/w:a");
		expect(f, targets[i], "");
	}
	/* On the tree after all edits of the request. */
	assert_int_equal(edit(f, STORE_CANDIDATE, "a=x on=1"), ST_OK);
	assert_int_equal(edit(f, STORE_CANDIDATE, "-on a=y"), ST_REJECTED);
	expect_unknown(f, "/w:a");
	expect(f, STORE_CANDIDATE, "on=1 a=x");
}

static void test_goes_with_the_change(void **state)
{
	struct fixture *f = *state;
	enum store_datastore targets[] = {STORE_RUNNING, STORE_CANDIDATE};
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(edit(f, targets[i], "on=1 a=d b=x"), ST_OK);
		assert_int_equal(edit(f, targets[i], "-on"), ST_OK);
		expect(f, targets[i], "");
		/* Enabled again, the default is in use, and not the old value. */
		assert_int_equal(edit(f, targets[i], "on=1 a=z"), ST_OK);
		assert_int_equal(edit(f, targets[i], "-on"), ST_OK);
		assert_int_equal(edit(f, targets[i], "on=2"), ST_OK);
		expect(f, targets[i], "on=2");
		assert_int_equal(edit(f, targets[i], "b=x"), ST_OK);
		assert_int_equal(edit(f, targets[i], "-on"), ST_OK);
	}
}

/* Other constraints wait for commit; a `when` does not, and is judged there again. */
static void test_candidate_and_commit(void **state)
{
	struct fixture *f = *state;
	assert_int_equal(edit(f, STORE_RUNNING, "on=1 a=d b=x"), ST_OK);
	assert_int_equal(edit(f, STORE_CANDIDATE, "must=1"), ST_OK);
	assert_int_equal(edit(f, STORE_CANDIDATE, "-on"), ST_OK);
	expect(f, STORE_CANDIDATE, "must=1");
	assert_int_equal(commit(f), ST_REJECTED);
	assert_string_equal(f->diags.first->app_tag, "must-violation");
	assert_int_equal(edit(f, STORE_CANDIDATE, "-must"), ST_OK);
	assert_int_equal(commit(f), ST_OK);
	expect(f, STORE_RUNNING, "");
}

/* What a store is opened with is not refused; the first change that is valid removes what may not be there.
 */
static void test_invalid_start(void **state)
{
	struct fixture *f = *state;
	store_close(f->store);
	struct tree_record *empty = tree_record_new(), *root = NULL;
	struct edit_tree *tree = make_edit(f, "a=x b=y");
	struct edit_options options = {.default_operation = EDIT_MERGE};
	assert_int_equal(edit_apply(f->schema, empty, tree, &options, &f->diags, &root), ST_OK);
	edit_tree_free(tree);
	open(f, root);
	expect(f, STORE_RUNNING, "a=x b=y");
	assert_int_equal(edit(f, STORE_RUNNING, "on=1 -b"), ST_OK);
	expect(f, STORE_RUNNING, "on=1 a=x");
	tree_record_unref(root, f->schema->root, NULL);
	tree_record_unref(empty, f->schema->root, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_refused_in_its_own_reply, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_goes_with_the_change, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_candidate_and_commit, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_invalid_start, set_up, tear_down),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
