/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The check that looks twice: silent where the incremental check is right, and an assertion where it is made
 * to err, here by value indexes that are not those of the old root.
 */
#include "helper_model.h"

#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static const char yang[] = "module m { yang-version 1.1; namespace urn:m; prefix m;"
			   " container top {"
			   "  list target { key name; leaf name { type string; } }"
			   "  list referrer { key name; leaf name { type string; }"
			   "   leaf to { type leafref { path ../../target/name; } } } } }";

enum index { INDEX_RIGHT, INDEX_OF_NOTHING };

/* The child's exit status; the child's words go nowhere. */
static int run_check(struct model *model, const struct tree_record *old, const struct tree_record *new,
		     enum index which)
{
	pid_t child = fork();
	assert_true(child >= 0);
	if (child != 0) {
		int status = 0;
		assert_int_equal(waitpid(child, &status, 0), child);
		return status;
	}
	signal(SIGABRT, SIG_DFL);
	fclose(stderr);
	close(STDERR_FILENO);
	struct arena *arena = arena_new();
	struct tree_record *empty = tree_record_new();
	struct tree_change_set changes;
	tree_diff(model->schema, old, new, arena, &changes);
	struct diag_list diags;
	diag_list_init(&diags, arena, 10);
	struct check_options options = model->options;
	options.verify = true;
	options.index = check_index_new(model->plan, which == INDEX_RIGHT ? old : empty);
	_exit(check_changes(model->plan, &changes, &options, &diags) == ST_OK ? 0 : 3);
}

static void test_difference_aborts(void **state)
{
	(void)state;
	struct model model;
	model_init(&model, "m", yang);
	struct tree_record *old =
		model_edit(&model, NULL, "top/target[a]\ntop/target[b]\ntop/referrer[x]/to=a\n");
	struct tree_record *valid = model_edit(&model, old, "-top/target[b]\n");
	struct tree_record *invalid = model_edit(&model, old, "-top/target[a]\n");
	int status = run_check(&model, old, valid, INDEX_RIGHT);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	status = run_check(&model, old, invalid, INDEX_RIGHT);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 3);
	status = run_check(&model, old, invalid, INDEX_OF_NOTHING);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
	/* The verdict is right by luck, the indexes are not. */
	status = run_check(&model, old, valid, INDEX_OF_NOTHING);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
	model_drop(&model, invalid);
	model_drop(&model, valid);
	model_drop(&model, old);
	model_fini(&model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_difference_aborts)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
