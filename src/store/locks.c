/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Locks of whole datastores: RFC 6241 7.5 (lock), 7.6 (unlock), 8.3.5 (the candidate's rules). The lock of
 * running is denied to others while a confirmed commit is pending.
 *
 * While a part of running is locked (partial.c), the whole of it is not, by whomever (RFC 6241 7.5).
 *
 * A lock is granted between changes, never in the middle of one: lock takes the mutex that changes of that
 * datastore take. Releasing needs no such order, so the end of a session waits for nobody.
 */
#include "store/internal.h"
#include <inttypes.h>
#include <stdio.h>
#include "os/clock.h"

static const char *const datastore_names[STORE_DATASTORES] = {"running", "candidate", "startup"};

enum status store__check_unlocked(struct store *store, enum store_datastore datastore,
				  const struct store_call *call)
{
	pthread_mutex_lock(&store->state);
	uint32_t holder = store->lock_holders[datastore];
	pthread_mutex_unlock(&store->state);
	if (holder == 0 || holder == call->actor->session_id)
		return ST_OK;
	diag_add(call->diags, DIAG_PROTOCOL, DIAG_IN_USE,
		 "The %s datastore is locked by session %" PRIu32 ".", datastore_names[datastore], holder);
	return ST_REJECTED;
}

enum status store__lock_denied(const struct store_call *call, uint32_t holder, const char *why)
{
	struct diag *diag = diag_add(call->diags, DIAG_PROTOCOL, DIAG_LOCK_DENIED, "%s", why);
	char id[16];
	snprintf(id, sizeof(id), "%" PRIu32, holder);
	diag_add_info(call->diags, diag, "session-id", id);
	return ST_REJECTED;
}

/* Under the state mutex, so that the check and the grant are one. */
static enum status lock_grant(struct store *store, enum store_datastore target, const struct store_call *call)
{
	pthread_mutex_lock(&store->state);
	uint32_t holder = store->lock_holders[target], denier;
	uint32_t part_holder = target == STORE_RUNNING ? store__partial_holder(store) : 0;
	bool denied =
		target == STORE_RUNNING && store__confirmed_denies(store, call->actor->session_id, &denier);
	bool dirty = target == STORE_CANDIDATE && store->candidate != NULL;
	if (holder == 0 && !dirty && !denied && part_holder == 0) {
		store->lock_holders[target] = call->actor->session_id;
		store->lock_times_ns[target] = os_clock_wall_ns();
	}
	pthread_mutex_unlock(&store->state);
	if (holder != 0)
		return store__lock_denied(call, holder, "The lock is already held.");
	if (part_holder != 0)
		return store__lock_denied(call, part_holder, "A part of the datastore is locked.");
	if (denied)
		return store__lock_denied(call, denier, "A confirmed commit is pending.");
	if (dirty)
		return store__lock_denied(
			call, 0, "The candidate has changes that were neither committed nor discarded.");
	return ST_OK;
}

enum status store_lock(struct store *store, enum store_datastore target, const struct store_call *call)
{
	bool of_candidate = target == STORE_CANDIDATE;
	if (of_candidate ? !store__acquire(&store->candidate_writer, call->wait)
			 : !store__writer_acquire(store, call->wait))
		return ST_BUSY;
	enum status status = lock_grant(store, target, call);
	if (of_candidate)
		pthread_mutex_unlock(&store->candidate_writer);
	else
		store__writer_release(store);
	return status;
}

/* Frees the lock; the candidate's changes go with its lock (RFC 6241 8.3.5.2). Under the state mutex; gives
 * the candidate root to drop. */
static const struct tree_record *lock_release(struct store *store, enum store_datastore target)
{
	store->lock_holders[target] = 0;
	if (target != STORE_CANDIDATE)
		return NULL;
	const struct tree_record *dropped = store->candidate;
	store->candidate = NULL;
	store->conditions_stale = true;
	return dropped;
}

static void drop_root(struct store *store, const struct tree_record *root)
{
	if (root != NULL)
		tree_record_unref(root, store->options.schema->root, store->options.reclaimer);
}

enum status store_unlock(struct store *store, enum store_datastore target, const struct store_call *call)
{
	pthread_mutex_lock(&store->state);
	uint32_t holder = store->lock_holders[target];
	const struct tree_record *dropped = NULL;
	if (holder != 0 && holder == call->actor->session_id)
		dropped = lock_release(store, target);
	pthread_mutex_unlock(&store->state);
	drop_root(store, dropped);
	if (holder == call->actor->session_id && holder != 0)
		return ST_OK;
	if (holder == 0)
		diag_add(call->diags, DIAG_PROTOCOL, DIAG_OPERATION_FAILED, "The %s datastore is not locked.",
			 datastore_names[target]);
	else
		diag_add(call->diags, DIAG_PROTOCOL, DIAG_OPERATION_FAILED,
			 "The lock of the %s datastore is held by session %" PRIu32 ".",
			 datastore_names[target], holder);
	return ST_REJECTED;
}

uint32_t store_lock_holder(struct store *store, enum store_datastore target, uint64_t *since_ns)
{
	pthread_mutex_lock(&store->state);
	uint32_t holder = store->lock_holders[target];
	if (holder != 0)
		*since_ns = store->lock_times_ns[target];
	pthread_mutex_unlock(&store->state);
	return holder;
}

void store__locks_release(struct store *store, uint32_t session_id)
{
	const struct tree_record *dropped = NULL;
	pthread_mutex_lock(&store->state);
	for (unsigned i = 0; i < STORE_DATASTORES; i++) {
		if (session_id == 0 || store->lock_holders[i] != session_id)
			continue;
		const struct tree_record *root = lock_release(store, (enum store_datastore)i);
		dropped = root != NULL ? root : dropped;
	}
	pthread_mutex_unlock(&store->state);
	drop_root(store, dropped);
	if (session_id != 0)
		store__partial_release(store, session_id);
}
