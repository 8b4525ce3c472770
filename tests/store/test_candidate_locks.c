/* SPDX-License-Identifier: BSD-3-Clause */
/* Candidate and locks: RFC 6241 7.5, 7.6, 8.3. */
#include "store/helper_store.h"

static enum status commit(struct fixture *f, uint32_t session_id)
{
	struct store_actor actor = {session_id, "tester", NULL};
	struct store_call call = fixture_call(f, &actor);
	struct store_answer answer;
	return store_commit(f->store, &call, &answer);
}

static enum status discard(struct fixture *f, uint32_t session_id)
{
	struct store_actor actor = {session_id, "tester", NULL};
	struct store_call call = fixture_call(f, &actor);
	struct store_answer answer;
	return store_discard(f->store, &call, &answer);
}

static enum status lock(struct fixture *f, enum store_datastore target, uint32_t session_id)
{
	struct store_actor actor = {session_id, "tester", NULL};
	struct store_call call = fixture_call(f, &actor);
	return store_lock(f->store, target, &call);
}

static enum status unlock(struct fixture *f, enum store_datastore target, uint32_t session_id)
{
	struct store_actor actor = {session_id, "tester", NULL};
	struct store_call call = fixture_call(f, &actor);
	return store_unlock(f->store, target, &call);
}

static void assert_refused(const struct fixture *f, enum diag_tag tag, const char *info)
{
	assert_int_equal(f->diags.length, 1);
	assert_int_equal(f->diags.first->tag, tag);
	if (info != NULL) {
		assert_string_equal(f->diags.first->infos->name, "session-id");
		assert_string_equal(f->diags.first->infos->value, info);
	}
}

static void test_clean_candidate_follows_running(void **state)
{
	(void)state;
	struct fixture f;
	fixture_open(&f, STORE_NONE, NULL);
	assert_int_equal(fixture_run(&f, STORE_RUNNING, 1, "+a=x", NULL), ST_OK);
	assert_string_equal(fixture_type(&f, STORE_CANDIDATE, "a"), "x");
	fixture_close(&f);
}

static void test_dirty_candidate_is_left_alone_and_committed_exactly(void **state)
{
	(void)state;
	struct fixture f;
	fixture_open(&f, STORE_NONE, NULL);
	assert_int_equal(fixture_run(&f, STORE_CANDIDATE, 1, "+a=x", NULL), ST_OK);
	assert_int_equal(fixture_run(&f, STORE_RUNNING, 2, "+b=y", NULL), ST_OK);
	assert_string_equal(fixture_type(&f, STORE_CANDIDATE, "b"), "");
	assert_string_equal(fixture_type(&f, STORE_RUNNING, "a"), "");
	assert_int_equal(commit(&f, 1), ST_OK);
	assert_string_equal(fixture_type(&f, STORE_RUNNING, "a"), "x");
	assert_string_equal(fixture_type(&f, STORE_RUNNING, "b"), "");
	/* Clean again: it follows. */
	assert_int_equal(fixture_run(&f, STORE_RUNNING, 2, "+c=z", NULL), ST_OK);
	assert_string_equal(fixture_type(&f, STORE_CANDIDATE, "c"), "z");
	fixture_close(&f);
}

static void test_failed_commit_keeps_both(void **state)
{
	(void)state;
	struct fixture f;
	fixture_open(&f, STORE_NONE, NULL);
	assert_int_equal(fixture_run(&f, STORE_CANDIDATE, 1, "+a=x ?a", NULL), ST_OK);
	assert_int_equal(commit(&f, 1), ST_REJECTED);
	assert_refused(&f, DIAG_OPERATION_FAILED, NULL);
	assert_string_equal(f.diags.first->message, "Only VLAN interfaces can be added!");
	assert_string_equal(fixture_type(&f, STORE_RUNNING, "a"), "");
	assert_string_equal(fixture_type(&f, STORE_CANDIDATE, "a"), "x");
	assert_int_equal(discard(&f, 1), ST_OK);
	assert_string_equal(fixture_type(&f, STORE_CANDIDATE, "a"), "");
	fixture_close(&f);
}

static void test_lock_keeps_others_out(void **state)
{
	(void)state;
	struct fixture f;
	fixture_open(&f, STORE_NONE, NULL);
	assert_int_equal(lock(&f, STORE_RUNNING, 7), ST_OK);
	assert_int_equal(lock(&f, STORE_RUNNING, 8), ST_REJECTED);
	assert_refused(&f, DIAG_LOCK_DENIED, "7");
	assert_int_equal(lock(&f, STORE_RUNNING, 7), ST_REJECTED);
	assert_refused(&f, DIAG_LOCK_DENIED, "7");
	assert_int_equal(fixture_run(&f, STORE_RUNNING, 8, "+a=x", NULL), ST_REJECTED);
	assert_refused(&f, DIAG_IN_USE, NULL);
	assert_int_equal(fixture_run(&f, STORE_RUNNING, 7, "+a=x", NULL), ST_OK);
	assert_int_equal(fixture_run(&f, STORE_CANDIDATE, 8, "+b=x", NULL), ST_OK);
	assert_int_equal(commit(&f, 8), ST_REJECTED);
	assert_refused(&f, DIAG_IN_USE, NULL);
	assert_string_equal(fixture_type(&f, STORE_CANDIDATE, "b"), "x");
	assert_int_equal(unlock(&f, STORE_RUNNING, 8), ST_REJECTED);
	assert_int_equal(unlock(&f, STORE_RUNNING, 7), ST_OK);
	assert_int_equal(unlock(&f, STORE_RUNNING, 7), ST_REJECTED);
	assert_int_equal(commit(&f, 8), ST_OK);
	fixture_close(&f);
}

static void test_candidate_lock(void **state)
{
	(void)state;
	struct fixture f;
	fixture_open(&f, STORE_NONE, NULL);
	assert_int_equal(fixture_run(&f, STORE_CANDIDATE, 1, "+a=x", NULL), ST_OK);
	assert_int_equal(lock(&f, STORE_CANDIDATE, 2), ST_REJECTED);
	assert_refused(&f, DIAG_LOCK_DENIED, "0");
	assert_int_equal(discard(&f, 2), ST_OK);
	assert_int_equal(lock(&f, STORE_CANDIDATE, 1), ST_OK);
	assert_int_equal(fixture_run(&f, STORE_CANDIDATE, 1, "+a=x", NULL), ST_OK);
	assert_int_equal(discard(&f, 2), ST_REJECTED);
	assert_refused(&f, DIAG_IN_USE, NULL);
	assert_int_equal(commit(&f, 2), ST_REJECTED);
	assert_refused(&f, DIAG_IN_USE, NULL);
	assert_string_equal(fixture_type(&f, STORE_CANDIDATE, "a"), "x");
	/* Unlock, and the end of the session, discard. */
	assert_int_equal(unlock(&f, STORE_CANDIDATE, 1), ST_OK);
	assert_string_equal(fixture_type(&f, STORE_CANDIDATE, "a"), "");
	assert_int_equal(lock(&f, STORE_CANDIDATE, 1), ST_OK);
	assert_int_equal(fixture_run(&f, STORE_CANDIDATE, 1, "+a=x", NULL), ST_OK);
	store_session_end(f.store, 1);
	assert_string_equal(fixture_type(&f, STORE_CANDIDATE, "a"), "");
	assert_int_equal(lock(&f, STORE_CANDIDATE, 2), ST_OK);
	fixture_close(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_clean_candidate_follows_running),
		cmocka_unit_test(test_dirty_candidate_is_left_alone_and_committed_exactly),
		cmocka_unit_test(test_failed_commit_keeps_both),
		cmocka_unit_test(test_lock_keeps_others_out),
		cmocka_unit_test(test_candidate_lock),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
