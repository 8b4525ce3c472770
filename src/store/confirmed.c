/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The confirmed commit that is pending (RFC 6241 8.4).
 *
 *              confirmed commit                     confirming commit
 *     NONE ----------------------> PENDING --------------------------------> NONE
 *                                   |   ^
 *                                   |   +--- confirmed commit: the fallback stays, the timer starts again
 *                                   |
 *                                   +--- timeout, end of the session, cancel-commit, restart: the fallback is
 *                                        proposed ----------------------------------------------------> NONE
 *
 * All three ways are proposals. Whether one may be is checked, and what it does is done, under the writer
 * lock: so a confirming commit and the end of the time cannot both succeed, and a proposal that fails changes
 * nothing here.
 *
 * On disk it is a field of each version: `fallback` names the version to go back to while one is pending.
 * What begins or ends it makes a version even where no data changes. So nothing needs to be written but the
 * record of the commit, and the last record tells a start whether it has to go back (recover.c). Timer and
 * name are in memory only: no commit is pending after a restart.
 *
 * The timer starts at publish. A thread waits for it and for the ends of sessions, as both may have to wait
 * for the writer lock. Going back that fails (no room in the journal) is tried again.
 */
#include "store/confirmed.h"
#include <string.h>
#include <time.h>
#include "base/log.h"
#include "base/memory.h"
#include "os/clock.h"
#include "store/internal.h"
#include "store/recover.h"

#define NEVER UINT64_MAX
#define RETRY_NS (1000 * 1000 * 1000ull)

static const struct store_actor server_actor = {0, "", NULL};

/* ---- what a proposal may do ---- */

static enum status refuse(const struct store_call *call, enum diag_tag tag, const char *why)
{
	diag_add(call->diags, DIAG_APPLICATION, tag, "%s", why);
	return ST_REJECTED;
}

static bool is_pending(const struct store__confirmed *confirmed)
{
	return confirmed->fallback != NULL;
}

/* Whether the commit is of the one that is pending: confirms or prolongs it. */
static bool is_own(const struct store__confirmed *confirmed, const struct store__step *step)
{
	if (!is_pending(confirmed))
		return false;
	const char *id = step->source->confirm->persist_id;
	if (confirmed->persist != NULL)
		return id != NULL && strcmp(id, confirmed->persist) == 0;
	return id == NULL && confirmed->session_id == step->call->actor->session_id;
}

/* The name is the one that is needed, or none is and none is given. */
static enum status check_name(const struct store__confirmed *confirmed, const struct store__step *step)
{
	const char *id = step->source->confirm->persist_id;
	if (id == NULL && confirmed->persist != NULL)
		return refuse(step->call, DIAG_INVALID_VALUE,
			      "A persistent confirmed commit is pending: its persist-id is needed.");
	if (id != NULL && (confirmed->persist == NULL || strcmp(id, confirmed->persist) != 0))
		return refuse(step->call, DIAG_INVALID_VALUE,
			      "No confirmed commit with this persist-id is pending.");
	return ST_OK;
}

static enum status check_commit(const struct store__confirmed *confirmed, struct store__step *step)
{
	const struct store_confirm *confirm = step->source->confirm;
	enum status status = check_name(confirmed, step);
	if (status != ST_OK)
		return status;
	if (!is_pending(confirmed)) {
		step->fallback = confirm->is_confirmed ? step->tip->id : 0;
		return ST_OK;
	}
	bool own = is_own(confirmed, step);
	if (!own && confirm->is_confirmed)
		return refuse(step->call, DIAG_IN_USE, "The confirmed commit of another session is pending.");
	/* Another session's plain commit is a change like any other. */
	step->fallback = own && !confirm->is_confirmed ? 0 : confirmed->fallback->id;
	return ST_OK;
}

static enum status check_cancel(const struct store__confirmed *confirmed, const struct store__step *step)
{
	if (!is_pending(confirmed))
		return refuse(step->call, DIAG_OPERATION_FAILED, "No confirmed commit is pending.");
	enum status status = check_name(confirmed, step);
	if (status == ST_OK && !is_own(confirmed, step))
		return refuse(step->call, DIAG_OPERATION_FAILED,
			      "The confirmed commit that is pending is another session's.");
	return status;
}

static bool is_due(const struct store__confirmed *confirmed)
{
	return is_pending(confirmed) &&
	       (confirmed->ended_id != 0 || os_clock_monotonic_ns() >= confirmed->due_ns);
}

/* The state mutex is held. */
static enum status check_step(const struct store__confirmed *confirmed, struct store__step *step)
{
	step->fallback = is_pending(confirmed) ? confirmed->fallback->id : 0;
	switch (step->source->purpose) {
	case STORE__CHANGE:
	case STORE__STARTUP:
	case STORE__SET_ASIDE:
		return ST_OK;
	case STORE__BOOT:
		step->fallback = 0;
		return ST_OK;
	case STORE__COMMIT:
		return check_commit(confirmed, step);
	case STORE__ROLLBACK:
		return is_pending(confirmed)
			       ? refuse(step->call, DIAG_IN_USE, "A confirmed commit is pending.")
			       : ST_OK;
	case STORE__CANCEL:
		step->fallback = 0;
		return check_cancel(confirmed, step);
	case STORE__REVERT:
		step->fallback = 0;
		return is_due(confirmed) ? ST_OK : ST_ABSENT;
	}
	return ST_OK;
}

enum status store__confirmed_check(struct store *store, struct store__step *step)
{
	pthread_mutex_lock(&store->state);
	enum status status = check_step(&store->confirmed, step);
	pthread_mutex_unlock(&store->state);
	return status;
}

/* ---- what it does ---- */

/* Gives the reference of the fallback. Who waits for the end of the session is told by the thread. */
static struct store_version *forget(struct store__confirmed *confirmed)
{
	struct store_version *fallback = confirmed->fallback;
	confirmed->fallback = NULL;
	confirmed->session_id = 0;
	memory_free(confirmed->persist);
	confirmed->persist = NULL;
	return fallback;
}

struct store_version *store__confirmed_forget(struct store *store)
{
	pthread_cond_signal(&store->confirmed_changed);
	return forget(&store->confirmed);
}

static void arm(struct store__confirmed *confirmed, const struct store__step *step, uint64_t version)
{
	const struct store_confirm *confirm = step->source->confirm;
	if (!is_pending(confirmed)) {
		confirmed->fallback = step->tip;
		store__version_ref(step->tip);
	}
	if (confirm->persist != NULL) {
		memory_free(confirmed->persist);
		confirmed->persist = memory_strdup(confirm->persist);
	}
	confirmed->session_id = step->call->actor->session_id;
	confirmed->timeout_ns = (uint64_t)confirm->timeout_s * 1000000000;
	confirmed->version = version;
	confirmed->due_ns = NEVER;
}

void store__confirmed_apply(struct store *store, struct store__step *step, uint64_t version)
{
	struct store__confirmed *confirmed = &store->confirmed;
	switch (step->source->purpose) {
	case STORE__CHANGE:
	case STORE__ROLLBACK:
	case STORE__STARTUP:
	case STORE__BOOT:
	case STORE__SET_ASIDE:
		return;
	case STORE__COMMIT:
		if (step->source->confirm->is_confirmed)
			arm(confirmed, step, version);
		else if (is_own(confirmed, step))
			step->dropped = forget(confirmed);
		store__confirmed_published(store, store->published->id);
		return;
	case STORE__CANCEL:
	case STORE__REVERT:
		step->dropped = forget(confirmed);
		return;
	}
}

void store__confirmed_published(struct store *store, uint64_t version)
{
	struct store__confirmed *confirmed = &store->confirmed;
	if (!is_pending(confirmed) || confirmed->due_ns != NEVER || confirmed->version > version)
		return;
	confirmed->due_ns = os_clock_monotonic_ns() + confirmed->timeout_ns;
	pthread_cond_signal(&store->confirmed_changed);
}

bool store__confirmed_is_pending(const struct store *store)
{
	return is_pending(&store->confirmed);
}

bool store__confirmed_denies(const struct store *store, uint32_t session_id, uint32_t *holder)
{
	*holder = store->confirmed.session_id;
	return is_pending(&store->confirmed) && *holder != session_id;
}

/* ---- going back ---- */

static enum status fallback_make(const struct store__source *self, struct store *store,
				 const struct tree_record *tip_root, struct diag_list *diags,
				 const struct tree_record **root)
{
	(void)self;
	(void)tip_root;
	(void)diags;
	*root = tree_record_ref(store->confirmed.fallback->root); /* changed under the writer lock only */
	return ST_OK;
}

enum status store_cancel_commit(struct store *store, const struct store_call *call, const char *persist_id,
				struct store_answer *answer)
{
	*answer = (struct store_answer){0};
	struct store_confirm confirm = {.persist_id = persist_id};
	struct store__source source = {.purpose = STORE__CANCEL, .confirm = &confirm, .make = fallback_make};
	struct store_call with = *call;
	with.comment = "The confirmed commit was cancelled.";
	return store__propose(store, &with, &source, answer);
}

/* Fails: ST_ABSENT (nothing is due), as a proposal (logged). */
static enum status go_back(struct store *store, const char *comment, struct store_answer *answer)
{
	struct arena *arena = arena_new();
	struct diag_list diags;
	diag_list_init(&diags, arena, 1);
	struct store_call call = {.actor = &server_actor, .diags = &diags, .comment = comment};
	struct store__source source = {.purpose = STORE__REVERT, .make = fallback_make};
	*answer = (struct store_answer){0};
	enum status status = store__propose(store, &call, &source, answer);
	if (status == ST_OK)
		log_info("%s", comment);
	else if (status != ST_ABSENT)
		log_error("the version before the confirmed commit is not restored: %s",
			  diags.first != NULL ? diags.first->message : status_name(status));
	arena_free(arena);
	return status;
}

/* The state mutex is held; without it meanwhile. */
static void revert(struct store *store)
{
	struct store__confirmed *confirmed = &store->confirmed;
	uint32_t ended_id = confirmed->ended_id;
	pthread_mutex_unlock(&store->state);
	struct store_answer answer;
	enum status status = go_back(store,
				     ended_id != 0 ? "The session of the confirmed commit has ended."
						   : "The confirmed commit was not confirmed in time.",
				     &answer);
	if (ended_id != 0)
		store__locks_release(store, ended_id);
	pthread_mutex_lock(&store->state);
	if (status != ST_OK && status != ST_ABSENT && is_pending(confirmed))
		confirmed->due_ns = os_clock_monotonic_ns() + RETRY_NS;
	if (ended_id == 0)
		return;
	struct store_waiter *waiter = confirmed->waiter;
	confirmed->waiter = NULL;
	confirmed->ended_id = 0;
	if (is_pending(confirmed))
		confirmed->session_id = 0;
	pthread_mutex_unlock(&store->state);
	if (waiter != NULL && (status == ST_OK || status == ST_ABSENT)) {
		waiter->version = answer.after;
		store_await(store, waiter);
	} else if (waiter != NULL) {
		waiter->done(waiter, status);
	}
	pthread_mutex_lock(&store->state);
}

/* Something is to be done now; a session that has ended is even where nothing is pending any more. */
static bool has_work(const struct store *store)
{
	return store->confirmed.ended_id != 0 || is_due(&store->confirmed);
}

bool store__confirmed_revert(struct store *store)
{
	pthread_mutex_lock(&store->state);
	bool due = has_work(store);
	if (due)
		revert(store);
	pthread_mutex_unlock(&store->state);
	return due;
}

static void wait_for_change(struct store *store)
{
	uint64_t due_ns = store->confirmed.due_ns;
	if (!is_pending(&store->confirmed) || due_ns == NEVER) {
		pthread_cond_wait(&store->confirmed_changed, &store->state);
		return;
	}
	struct timespec due = {(time_t)(due_ns / 1000000000), (long)(due_ns % 1000000000)};
	pthread_cond_clockwait(&store->confirmed_changed, &store->state, CLOCK_MONOTONIC, &due);
}

static void *confirmed_run(void *arg)
{
	struct store *store = arg;
	pthread_mutex_lock(&store->state);
	while (!store->confirmed_stopping || store->confirmed.ended_id != 0) {
		if (has_work(store))
			revert(store);
		else
			wait_for_change(store);
	}
	pthread_mutex_unlock(&store->state);
	return NULL;
}

/* ---- sessions ---- */

static void session_end(struct store *store, uint32_t session_id, struct store_waiter *waiter)
{
	struct store__confirmed *confirmed = &store->confirmed;
	pthread_mutex_lock(&store->state);
	bool is_owner = is_pending(confirmed) && session_id != 0 && confirmed->session_id == session_id;
	bool goes_back = is_owner && confirmed->persist == NULL;
	if (goes_back) {
		confirmed->ended_id = session_id;
		confirmed->waiter = waiter;
		pthread_cond_signal(&store->confirmed_changed);
	} else if (is_owner) {
		confirmed->session_id = 0;
	}
	pthread_mutex_unlock(&store->state);
	if (goes_back)
		return; /* the locks are released afterwards */
	store__locks_release(store, session_id);
	if (waiter == NULL)
		return;
	waiter->version = 0;
	store_await(store, waiter);
}

void store_session_end(struct store *store, uint32_t session_id)
{
	session_end(store, session_id, NULL);
}

void store_session_end_await(struct store *store, uint32_t session_id, struct store_waiter *waiter)
{
	session_end(store, session_id, waiter);
}

/* ---- start and end ---- */

struct awaited {
	struct store_waiter waiter;
	pthread_mutex_t mutex;
	pthread_cond_t changed;
	bool done;
	enum status status;
};

static void on_published(struct store_waiter *waiter, enum status status)
{
	struct awaited *awaited = (struct awaited *)waiter;
	pthread_mutex_lock(&awaited->mutex);
	awaited->done = true;
	awaited->status = status;
	pthread_cond_signal(&awaited->changed);
	pthread_mutex_unlock(&awaited->mutex);
}

enum status store__await(struct store *store, uint64_t version)
{
	struct awaited awaited = {.waiter = {.version = version, .done = on_published},
				  .mutex = PTHREAD_MUTEX_INITIALIZER,
				  .changed = PTHREAD_COND_INITIALIZER};
	store_await(store, &awaited.waiter);
	if (store->options.manual_sync)
		store_sync(store);
	pthread_mutex_lock(&awaited.mutex);
	while (!awaited.done)
		pthread_cond_wait(&awaited.changed, &awaited.mutex);
	pthread_mutex_unlock(&awaited.mutex);
	return awaited.status;
}

/* Nothing is served before the version that a restart goes back to is the one that is published. */
static enum status recover(struct store *store, const struct store_recovery *recovery)
{
	store->confirmed.fallback =
		store__version_new(recovery->fallback_id, tree_record_ref(recovery->fallback), &server_actor,
				   recovery->fallback_valid);
	struct store_answer answer;
	enum status status =
		go_back(store, "The server was started before the confirmed commit was confirmed.", &answer);
	return status == ST_OK && answer.after != 0 ? store__await(store, answer.after) : status;
}

enum status store__confirmed_start(struct store *store)
{
	const struct store_recovery *recovery = store->options.recovery;
	enum status status = ST_OK;
	if (recovery != NULL && recovery->fallback != NULL && store->tip->fallback != 0)
		status = recover(store, recovery);
	if (status != ST_OK || store->options.manual_sync)
		return status;
	store->has_confirmed_thread =
		pthread_create(&store->confirmed_thread, NULL, confirmed_run, store) == 0;
	return store->has_confirmed_thread ? ST_OK : ST_IO;
}

void store__confirmed_stop(struct store *store)
{
	if (store->has_confirmed_thread) {
		pthread_mutex_lock(&store->state);
		store->confirmed_stopping = true;
		pthread_cond_signal(&store->confirmed_changed);
		pthread_mutex_unlock(&store->state);
		pthread_join(store->confirmed_thread, NULL);
	}
	/* The sync thread may still publish the last versions. */
	pthread_mutex_lock(&store->state);
	struct store_version *fallback = forget(&store->confirmed);
	pthread_mutex_unlock(&store->state);
	if (fallback != NULL)
		store__version_unref(store, fallback);
}
