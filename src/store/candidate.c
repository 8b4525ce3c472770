/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The shared candidate (RFC 6241 8.3). Clean, it is running and follows it: then it has no root of its own.
 * Dirty, it is a root of its own that later changes of running leave alone. Edits change it without
 * constraints (these wait for commit, RFC 7950 8.3.3) but settled: what is under a `when` that is false goes,
 * or the edit is refused (8.3.2). Edits without a lock survive their session; it is not durable.
 *
 *        edit that changes something
 *   clean ---------------------------> dirty
 *         <---------------------------
 *        commit, discard-changes, end of the candidate's lock
 *
 * Readers see a clean one as running that is published; an edit makes it of the tip, which may not be synced
 * yet, or it would take back at the next commit what was committed just before it. Its answer waits for that
 * tip.
 *
 * Commit proposes exactly the candidate's root, or that of running where it is clean: it may confirm. The
 * candidate's mutex is held from reading that root to its becoming clean, so no edit falls in between and is
 * lost.
 */
#include "store/internal.h"

const struct tree_record *store__candidate_pin(struct store *store)
{
	pthread_mutex_lock(&store->state);
	const struct tree_record *root = store->candidate != NULL ? store->candidate : store->published->root;
	tree_record_ref(root);
	pthread_mutex_unlock(&store->state);
	return root;
}

const struct tree_record *store__candidate_base(struct store *store, const struct store_version *tip)
{
	pthread_mutex_lock(&store->state);
	const struct tree_record *root = store->candidate != NULL ? store->candidate : tip->root;
	tree_record_ref(root);
	bool is_clean = store->candidate == NULL;
	pthread_mutex_unlock(&store->state);
	if (is_clean) /* unlock has discarded it */
		store__index_forget(store, &store->candidate_index);
	return root;
}

void store__candidate_set(struct store *store, const struct tree_record *root)
{
	pthread_mutex_lock(&store->state);
	const struct tree_record *old = store->candidate;
	store->candidate = root;
	pthread_mutex_unlock(&store->state);
	if (old != NULL)
		tree_record_unref(old, store->options.schema->root, store->options.reclaimer);
	if (root != NULL)
		return;
	store__conditions_drop(store);
	store__index_forget(store, &store->candidate_index);
}

/* Applies the edit to the candidate's root; the candidate's mutex is held. */
static enum status edit_root(struct store *store, const struct store_call *call, const struct edit_tree *edit,
			     const struct edit_options *options, struct store_answer *answer)
{
	enum status status = store__check_unlocked(store, STORE_CANDIDATE, call);
	if (status != ST_OK)
		return status;
	const struct schema *schema = store->options.schema;
	struct store_version *tip = store__tip(store);
	const struct tree_record *base = store__candidate_base(store, tip);
	struct tree_record *root = NULL;
	const struct store__edit with = {edit, options};
	status = store__edit_apply(store, call, tip, base, &with, &root);
	if (status == ST_OK)
		status = store__settle_edit(store, call, tip, base, &with, &root,
					    (struct store__settled){&answer->counters, NULL});
	if (status == ST_OK)
		status = store__conditions_keep(store, call);
	if (status == ST_OK && root != base) {
		answer->changed = true;
		store__candidate_set(store, root);
	} else if (root != NULL) {
		tree_record_unref(root, schema->root, store->options.reclaimer);
	}
	tree_record_unref(base, schema->root, store->options.reclaimer);
	answer->after = store__is_published(store, tip->id) ? 0 : tip->id;
	store__version_unref(store, tip);
	return status;
}

enum status store__candidate_edit(struct store *store, const struct store_call *call,
				  const struct edit_tree *edit, const struct edit_options *options,
				  struct store_answer *answer)
{
	if (!store__acquire(&store->candidate_writer, call->wait))
		return ST_BUSY;
	enum status status = edit_root(store, call, edit, options, answer);
	pthread_mutex_unlock(&store->candidate_writer);
	return status;
}

enum status store_discard(struct store *store, const struct store_call *call, struct store_answer *answer)
{
	*answer = (struct store_answer){0};
	if (!store__acquire(&store->candidate_writer, call->wait))
		return ST_BUSY;
	enum status status = store__check_unlocked(store, STORE_CANDIDATE, call);
	if (status == ST_OK)
		store__candidate_set(store, NULL);
	pthread_mutex_unlock(&store->candidate_writer);
	return status;
}

struct commit_source {
	struct store__source source;
	const struct tree_record *root; /* the candidate's; borrowed. NULL: it is clean */
};

static enum status commit_make(const struct store__source *self, struct store *store,
			       const struct tree_record *tip_root, struct diag_list *diags,
			       const struct tree_record **root)
{
	(void)store;
	(void)diags;
	const struct commit_source *commit = (const struct commit_source *)self;
	*root = tree_record_ref(commit->root != NULL ? commit->root : tip_root);
	return ST_OK;
}

/* The candidate's mutex is held. */
static enum status commit_candidate(struct store *store, const struct store_call *call,
				    const struct store_confirm *confirm, struct store_answer *answer)
{
	enum status status = store__check_unlocked(store, STORE_CANDIDATE, call);
	if (status != ST_OK)
		return status;
	pthread_mutex_lock(&store->state);
	const struct tree_record *root = store->candidate;
	if (root != NULL)
		tree_record_ref(root);
	pthread_mutex_unlock(&store->state);
	struct commit_source source = {{.purpose = STORE__COMMIT, .confirm = confirm, .make = commit_make},
				       root};
	struct store_call with = *call;
	with.conditions = store__conditions_kept(store);
	status = store__propose(store, &with, &source.source, answer);
	if (status == ST_OK)
		store__candidate_set(store, NULL);
	if (root == NULL)
		return status;
	tree_record_unref(root, store->options.schema->root, store->options.reclaimer);
	return status;
}

enum status store_commit(struct store *store, const struct store_call *call, struct store_answer *answer)
{
	return store_commit_confirm(store, call, &(struct store_confirm){0}, answer);
}

enum status store_commit_confirm(struct store *store, const struct store_call *call,
				 const struct store_confirm *confirm, struct store_answer *answer)
{
	*answer = (struct store_answer){0};
	if (!store__acquire(&store->candidate_writer, call->wait))
		return ST_BUSY;
	enum status status = commit_candidate(store, call, confirm, answer);
	pthread_mutex_unlock(&store->candidate_writer);
	return status;
}
