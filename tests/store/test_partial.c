/* SPDX-License-Identifier: BSD-3-Clause */
/* Locks on parts of running (RFC 5717): what is chosen while running changes, and who may change what. */
#include "store/partial.h"
#include "store/helper_store.h"

struct chooser {
	struct fixture *fixture;
	const char *name;   /* of the entry to be locked */
	const char *change; /* that another session makes while the first choice is made; NULL: none */
	unsigned calls;
	struct tree_position positions[3];
	const struct tree_position *chosen;
};

/* The entry of that name, by its key. */
static enum status choose(void *arg, const struct tree_record *root, struct diag_list *diags,
			  struct store_partial_nodes *nodes)
{
	struct chooser *chooser = arg;
	struct fixture *f = chooser->fixture;
	const struct schema *schema = f->schema;
	struct tree_position *at = chooser->positions;
	if (chooser->calls++ == 0 && chooser->change != NULL)
		assert_int_equal(fixture_run(f, STORE_RUNNING, 9, chooser->change, NULL), ST_OK);
	at[0] = tree_position_root(schema, root);
	const struct schema_node *container =
		schema_child_find_any(schema->root, bytes_of("top-container"), NULL);
	const struct schema_node *list = schema_child_find_any(container, bytes_of("local-list"), NULL);
	struct value key = value_new(bytes_of(chooser->name), 0);
	bool found = tree_position_find_child(&at[0], container, TREE_EXPLICIT, &at[1]) &&
		     tree_position_find_entry(&at[1], list, &key, &at[2]);
	value_unref(key);
	if (!found) {
		diag_add(diags, DIAG_APPLICATION, DIAG_OPERATION_FAILED, "Nothing is selected.");
		return ST_REJECTED;
	}
	chooser->chosen = &at[2];
	*nodes = (struct store_partial_nodes){&chooser->chosen, 1};
	return ST_OK;
}

static enum status lock_entry(struct fixture *f, uint32_t session_id, struct chooser *chooser, uint32_t *id)
{
	static const char *const selects[] = {"x"};
	struct store_actor actor = {session_id, "tester", NULL};
	struct store_call call = fixture_call(f, &actor);
	struct store_partial_request request = {selects, 1, choose, chooser};
	struct store_answer answer;
	chooser->fixture = f;
	return store_partial_lock(f->store, &call, &request, id, &answer);
}

static void test_chosen_again_where_running_changed(void **state)
{
	(void)state;
	struct fixture f;
	uint32_t id = 0;
	fixture_open(&f, STORE_NONE, NULL);
	assert_int_equal(fixture_run(&f, STORE_RUNNING, 1, "+a=x", NULL), ST_OK);
	struct chooser chooser = {.name = "a", .change = "+b=y"};
	assert_int_equal(lock_entry(&f, 1, &chooser, &id), ST_OK);
	assert_int_equal(chooser.calls, 2);
	assert_int_equal(id, 1);
	fixture_close(&f);
}

static void test_gone_while_it_was_chosen(void **state)
{
	(void)state;
	struct fixture f;
	uint32_t id = 0;
	fixture_open(&f, STORE_NONE, NULL);
	assert_int_equal(fixture_run(&f, STORE_RUNNING, 1, "+a=x", NULL), ST_OK);
	struct chooser chooser = {.name = "a", .change = "-a"};
	assert_int_equal(lock_entry(&f, 1, &chooser, &id), ST_REJECTED);
	assert_int_equal(chooser.calls, 2);
	fixture_close(&f);
}

static void test_others_are_kept_out_until_the_session_ends(void **state)
{
	(void)state;
	struct fixture f;
	uint32_t id = 0;
	fixture_open(&f, STORE_NONE, NULL);
	assert_int_equal(fixture_run(&f, STORE_RUNNING, 1, "+a=x", NULL), ST_OK);
	struct chooser chooser = {.name = "a"};
	assert_int_equal(lock_entry(&f, 1, &chooser, &id), ST_OK);
	assert_int_equal(fixture_run(&f, STORE_RUNNING, 2, "-a", NULL), ST_REJECTED);
	assert_int_equal(f.diags.first->tag, DIAG_IN_USE);
	assert_int_equal(fixture_run(&f, STORE_RUNNING, 2, "+b=y", NULL), ST_OK);
	assert_false(store_partial_unlock(f.store, 2, id));
	store_session_end(f.store, 1);
	assert_int_equal(fixture_run(&f, STORE_RUNNING, 2, "-a", NULL), ST_OK);
	fixture_close(&f);
}

static void test_what_its_owner_deletes_is_free(void **state)
{
	(void)state;
	struct fixture f;
	uint32_t id = 0;
	size_t count;
	fixture_open(&f, STORE_NONE, NULL);
	assert_int_equal(fixture_run(&f, STORE_RUNNING, 1, "+a=x", NULL), ST_OK);
	struct chooser chooser = {.name = "a"};
	assert_int_equal(lock_entry(&f, 1, &chooser, &id), ST_OK);
	assert_int_equal(fixture_run(&f, STORE_RUNNING, 1, "-a", NULL), ST_OK);
	assert_int_equal(fixture_run(&f, STORE_RUNNING, 2, "+a=y", NULL), ST_OK);
	assert_int_equal(fixture_run(&f, STORE_RUNNING, 2, "-a", NULL), ST_OK);
	struct arena *arena = arena_new();
	const struct store_partial_info *infos = store_partial_list(f.store, arena, &count);
	assert_int_equal(count, 1);
	assert_int_equal(infos[0].node_count, 0);
	arena_free(arena);
	assert_true(store_partial_unlock(f.store, 1, id));
	fixture_close(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_chosen_again_where_running_changed),
		cmocka_unit_test(test_gone_while_it_was_chosen),
		cmocka_unit_test(test_others_are_kept_out_until_the_session_ends),
		cmocka_unit_test(test_what_its_owner_deletes_is_free),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
