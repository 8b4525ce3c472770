/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * copy-config, validate and edit-config's test-option: operations on whole roots. A root that becomes running
 * is a proposal like any other; one that becomes the candidate is settled and takes the place of the old
 * one without a look at constraints, which wait for commit. Validating is the part of the pipeline that only
 * reads (settle, prepare, validate), against what is published.
 */
#include "store/internal.h"

/* The root is made of this. */
static const struct edit_options content_options = {.default_operation = EDIT_MERGE};

struct replace_source {
	struct store__source source;
	struct store__edit content;
	const struct tree_record *root; /* borrowed */
};

static enum status replace_make(const struct store__source *self, struct store *store,
				const struct tree_record *tip_root, struct diag_list *diags,
				const struct tree_record **root)
{
	(void)store;
	(void)tip_root;
	(void)diags;
	*root = tree_record_ref(((const struct replace_source *)self)->root);
	return ST_OK;
}

/* The candidate's mutex is held. */
static enum status replace_candidate(struct store *store, const struct store_call *call,
				     const struct tree_record *root, struct store_answer *answer)
{
	enum status status = store__check_unlocked(store, STORE_CANDIDATE, call);
	if (status != ST_OK)
		return status;
	const struct tree_record *old = store__candidate_pin(store);
	const struct store_version *version = store_pin(store);
	const struct tree_record *running = version->root;
	const struct store__edit content = {call->content, &content_options};
	struct tree_record *settled = tree_record_ref(root);
	if (root != running || content.tree != NULL)
		status = store__settle_edit(store, call, version, old, content.tree != NULL ? &content : NULL,
					    &settled, (struct store__settled){&answer->counters, NULL});
	answer->changed = status == ST_OK && old != settled;
	if (status == ST_OK)
		store__candidate_set(store, root == running ? NULL : tree_record_ref(settled));
	tree_record_unref(settled, store->options.schema->root, store->options.reclaimer);
	tree_record_unref(old, store->options.schema->root, store->options.reclaimer);
	store_unpin(store, version);
	return status;
}

enum status store__replace_running(struct store *store, const struct store_call *call,
				   enum store__purpose purpose, const struct tree_record *root,
				   struct store_answer *answer)
{
	struct replace_source source = {
		{.purpose = purpose, .make = replace_make}, {call->content, &content_options}, root};
	if (call->content != NULL)
		source.source.edit = &source.content;
	return store__propose(store, call, &source.source, answer);
}

enum status store_replace(struct store *store, enum store_datastore target, const struct store_call *call,
			  const struct tree_record *root, struct store_answer *answer)
{
	*answer = (struct store_answer){0};
	if (target == STORE_RUNNING)
		return store__replace_running(store, call, STORE__CHANGE, root, answer);
	if (target == STORE_STARTUP)
		return store__startup_replace(store, call, root, answer);
	if (!store__acquire(&store->candidate_writer, call->wait))
		return ST_BUSY;
	enum status status = replace_candidate(store, call, root, answer);
	pthread_mutex_unlock(&store->candidate_writer);
	return status;
}

enum status store__check_root(struct store *store, const struct store_call *call,
			      const struct store_version *version, const struct edit_tree *content,
			      struct tree_record **root)
{
	const struct store_options *options = &store->options;
	const struct store__edit edit = {content, &content_options};
	enum status status =
		store__settle_edit(store, call, version, version->root, content != NULL ? &edit : NULL, root,
				   (struct store__settled){NULL, NULL});
	if (status == ST_OK) {
		struct arena *arena = arena_new();
		struct tree_change_set changes;
		struct check_options check = options->check;
		check.full = !version->valid;
		check.index = version->index;
		check.reclaimer = options->reclaimer;
		check.interrupt = call->interrupt;
		tree_diff(options->schema, version->root, *root, arena, &changes);
		if (changes.root != NULL || check.full)
			status = check_changes(options->plan, &changes, &check, call->diags);
		arena_free(arena);
	}
	return status;
}

enum status store_validate(struct store *store, const struct store_call *call, const struct tree_record *root)
{
	const struct store_version *version = store_pin(store);
	struct tree_record *settled = tree_record_ref(root);
	enum status status = store__check_root(store, call, version, call->content, &settled);
	tree_record_unref(settled, store->options.schema->root, store->options.reclaimer);
	store_unpin(store, version);
	return status;
}

struct edit_test {
	struct store__edit edit;
	bool set; /* the candidate becomes the edited root */
};

/* The candidate's mutex is held where that is the target. */
static enum status edit_test_root(struct store *store, enum store_datastore target,
				  const struct store_call *call, const struct edit_test *test,
				  struct store_answer *answer)
{
	const struct store_options *options = &store->options;
	enum status status = store__check_unlocked(store, target, call);
	if (status != ST_OK)
		return status;
	struct store_version *tip = store__tip(store);
	const struct tree_record *base =
		target == STORE_CANDIDATE ? store__candidate_base(store, tip) : tree_record_ref(tip->root);
	struct tree_record *root = NULL;
	status = store__edit_apply(store, call, tip, base, &test->edit, &root);
	if (status == ST_OK)
		status = store__settle_edit(store, call, tip, base, &test->edit, &root,
					    (struct store__settled){NULL, NULL});
	if (status == ST_OK && target == STORE_RUNNING)
		status = store__partial_check(store, call, tip->root, root);
	if (status == ST_OK)
		status = store__check_root(store, call, tip, NULL, &root);
	if (status == ST_OK && target == STORE_CANDIDATE && test->set)
		status = store__conditions_keep(store, call);
	else if (status == ST_OK && target == STORE_RUNNING)
		status = store__conditions_check(store, call->conditions, tip, call->diags);
	answer->changed = status == ST_OK && test->set && root != base;
	if (answer->changed)
		store__candidate_set(store, tree_record_ref(root));
	if (root != NULL)
		tree_record_unref(root, options->schema->root, options->reclaimer);
	tree_record_unref(base, options->schema->root, options->reclaimer);
	answer->after = store__is_published(store, tip->id) ? 0 : tip->id;
	store__version_unref(store, tip);
	return status;
}

enum status store_edit_test(struct store *store, enum store_datastore target, const struct store_call *call,
			    const struct edit_tree *edit, const struct edit_options *options,
			    enum store_test test, struct store_answer *answer)
{
	if (target == STORE_RUNNING && test == STORE_TEST_THEN_SET)
		return store_edit(store, target, call, edit, options, answer);
	*answer = (struct store_answer){0};
	struct edit_test with = {{edit, options}, test == STORE_TEST_THEN_SET};
	if (target == STORE_RUNNING)
		return edit_test_root(store, target, call, &with, answer);
	if (!store__acquire(&store->candidate_writer, call->wait))
		return ST_BUSY;
	enum status status = edit_test_root(store, target, call, &with, answer);
	pthread_mutex_unlock(&store->candidate_writer);
	return status;
}
