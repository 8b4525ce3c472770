/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From append to announce: the two heads.
 *
 *     append     (writer lock)  record into the journal, tip = new version
 *     sync       (sync.c)       one call covers all that was appended before it: group commit
 *     publish    (state mutex)  published = version, in order                      COMMIT
 *     announce   (no lock)      observers, then the waiters' answers
 *     tidy       (no lock)      what only older versions held is freed, when a thread has nothing else to do
 *
 * With durability none or relaxed a version is published at append; relaxed still syncs within
 * STORE_RELAXED_NS.
 *
 * A failed sync is terminal. Whether the bytes are on disk is unknown and a retry could lose what was
 * acknowledged, so: tip falls back to published, all waiters hear ST_IO, writes are refused from then on,
 * reads go on.
 */
#include "store/internal.h"
#include "base/assert.h"
#include "base/log.h"
#include "base/memory.h"

#define SPENT_MOST 64 /* versions that are announced and not let go */

static void pending_push(struct store__pending **first, struct store__pending **last,
			 struct store__pending *pending)
{
	pending->next = NULL;
	if (*first == NULL)
		*first = pending;
	else
		(*last)->next = pending;
	*last = pending;
}

/* Publishes one version; the state mutex is held. Takes the pending's old and new reference. */
static void publish(struct store *store, struct store__pending *pending)
{
	ASSERT(pending->new_version->id == store->published->id + 1);
	/* published's reference goes over to the pending, which holds one of the old version already: drop
	 * the spare. */
	struct store_version *old = store->published;
	store->published = pending->new_version; /* COMMIT */
	store__version_ref(pending->new_version);
	atomic_fetch_sub_explicit(&old->refs, 1, memory_order_acq_rel);
	store__confirmed_published(store, store->published->id);
	pending_push(&store->unannounced, &store->unannounced_last, pending);
}

/* Unlinks the waiters that hear `status` now; the state mutex is held. All of them where `version` is
 * UINT64_MAX. */
static struct store_waiter *waiters_take(struct store *store, uint64_t version)
{
	struct store_waiter *taken = NULL, **link = &store->waiters;
	while (*link != NULL) {
		struct store_waiter *waiter = *link;
		if (waiter->version > version) {
			link = &waiter->next;
			continue;
		}
		*link = waiter->next;
		waiter->next = taken;
		taken = waiter;
	}
	return taken;
}

static void waiters_tell(struct store_waiter *waiters, enum status status)
{
	while (waiters != NULL) {
		struct store_waiter *next = waiters->next;
		waiters->done(waiters, status);
		waiters = next;
	}
}

/* Whether the sync begins at once: who waits for none is not heard of again, and a group has an end. */
static bool syncs_now(const struct store *store, const struct store_call *call, uint64_t version)
{
	return call->sync == STORE_SYNC_NOW || store->options.durability != STORE_FULL ||
	       version >= store->sync_wanted + STORE_GROUP_MOST;
}

enum status store__append(struct store *store, struct store__step *step, struct store_version *version,
			  struct journal_payload record)
{
	struct journal *journal = store->options.journal;
	struct store__pending *pending = memory_zalloc(sizeof(*pending));
	if (journal != NULL)
		journal->ops->append(journal, version->id, record);
	if (store->options.recovery != NULL)
		version->location = journal_disk_last(journal);

	pthread_mutex_lock(&store->state);
	if (store->failed) { /* a sync failed while this was checked: what it was checked against is lost */
		pthread_mutex_unlock(&store->state);
		memory_free(pending);
		store__version_unref(store, version);
		return store__check_writable(store, step->call->diags);
	}
	store__confirmed_apply(store, step, version->id);
	pending->old_version = store->tip; /* tip's reference goes over */
	pending->new_version = version;
	store->tip = version;
	store__version_ref(version);
	if (journal == NULL || store->options.durability != STORE_FULL) {
		publish(store, pending);
	} else {
		pending_push(&store->unpublished, &store->unpublished_last, pending);
		store__sync_note(store, version);
	}
	if (syncs_now(store, step->call, version->id))
		store__want_sync(store, version->id);
	pthread_mutex_unlock(&store->state);
	return ST_OK;
}

static struct store__pending *unannounced_pop(struct store *store)
{
	struct store__pending *pending = store->unannounced;
	if (pending != NULL)
		store->unannounced = pending->next;
	return pending;
}

static void announce_one(struct store *store, const struct store__pending *pending)
{
	store__history_add(store, pending->new_version);
	for (struct store_observer *observer = store->observers; observer != NULL; observer = observer->next)
		if (observer->announce != NULL)
			observer->announce(observer, pending->old_version, pending->new_version);
}

/* Gives what was announced, for pending_drop. */
static struct store__pending *announce_all(struct store *store)
{
	struct store__pending *first = NULL, *last = NULL;
	pthread_mutex_lock(&store->state);
	bool mine = !store->announcing;
	bool any = store->unannounced != NULL;
	store->announcing = true;
	struct store__pending *pending;
	while (mine && (pending = unannounced_pop(store)) != NULL) {
		pthread_mutex_unlock(&store->state);
		announce_one(store, pending);
		pending_push(&first, &last, pending);
		pthread_mutex_lock(&store->state);
	}
	if (mine)
		store->announcing = false;
	pthread_mutex_unlock(&store->state);
	if (any)
		store__snapshot_consider(store);
	return first;
}

static void pending_drop(struct store *store, struct store__pending *pending)
{
	while (pending != NULL) {
		struct store__pending *next = pending->next;
		store__version_unref(store, pending->old_version);
		store__version_unref(store, pending->new_version);
		memory_free(pending);
		pending = next;
	}
}

/* Leaves what was announced to who has nothing to do, as far as there is not much of it. */
static void leave_spent(struct store *store, struct store__pending *announced)
{
	pthread_mutex_lock(&store->state);
	while (announced != NULL) {
		struct store__pending *next = announced->next;
		announced->next = store->spent;
		store->spent = announced;
		store->spent_length++;
		announced = next;
	}
	bool is_much = store->spent_length >= SPENT_MOST;
	atomic_store_explicit(&store->is_untidy, store->spent != NULL, memory_order_relaxed);
	pthread_mutex_unlock(&store->state);
	if (is_much)
		store_tidy(store);
}

void store_tidy(struct store *store)
{
	if (!atomic_load_explicit(&store->is_untidy, memory_order_relaxed))
		return;
	pthread_mutex_lock(&store->state);
	struct store__pending *spent = store->spent;
	store->spent = NULL;
	store->spent_length = 0;
	atomic_store_explicit(&store->is_untidy, false, memory_order_relaxed);
	pthread_mutex_unlock(&store->state);
	pending_drop(store, spent);
	store__history_release(store);
}

void store__announce(struct store *store)
{
	struct store__pending *announced = announce_all(store);
	if (announced != NULL)
		leave_spent(store, announced); /* published at append: an answer waits for that, too */
}

void store__publish(struct store *store, uint64_t version)
{
	pthread_mutex_lock(&store->state);
	while (store->unpublished != NULL && store->unpublished->new_version->id <= version) {
		struct store__pending *pending = store->unpublished;
		store->unpublished = pending->next;
		publish(store, pending);
	}
	struct store_waiter *waiters = waiters_take(store, store->published->id);
	pthread_mutex_unlock(&store->state);
	struct store__pending *announced = announce_all(store);
	waiters_tell(waiters, ST_OK);
	leave_spent(store, announced);
}

void store__fail(struct store *store)
{
	log_error("journal: a sync failed; what was not acknowledged may be lost; the datastores are "
		  "read-only until the "
		  "server is started again");
	pthread_mutex_lock(&store->state);
	store->failed = true;
	struct store_version *fallback = store__confirmed_forget(store);
	struct store__pending *lost = store->unpublished;
	store->unpublished = NULL;
	struct store_version *tip = store->tip;
	store->tip = store->published;
	store__version_ref(store->published);
	struct store_waiter *waiters = waiters_take(store, UINT64_MAX);
	pthread_mutex_unlock(&store->state);
	store__version_unref(store, tip);
	if (fallback != NULL)
		store__version_unref(store, fallback);
	pending_drop(store, lost);
	waiters_tell(waiters, ST_IO);
}

void store__unpublished_drop(struct store *store)
{
	pending_drop(store, store->unpublished);
	store->unpublished = NULL;
}

enum status store__check_writable(struct store *store, struct diag_list *diags)
{
	pthread_mutex_lock(&store->state);
	bool failed = store->failed;
	pthread_mutex_unlock(&store->state);
	if (!failed)
		return ST_OK;
	diag_add(diags, DIAG_APPLICATION, DIAG_OPERATION_FAILED,
		 "The datastores are read-only since the journal could not be written.");
	return ST_IO;
}

void store_await(struct store *store, struct store_waiter *waiter)
{
	pthread_mutex_lock(&store->state);
	bool reached = store->published->id >= waiter->version;
	bool never = !reached && store->failed;
	if (!reached && !never) {
		waiter->next = store->waiters;
		store->waiters = waiter;
	}
	pthread_mutex_unlock(&store->state);
	if (reached || never)
		waiter->done(waiter, reached ? ST_OK : ST_IO);
}
