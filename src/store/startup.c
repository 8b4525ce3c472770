/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The startup datastore (RFC 6241 8.7), where the options want one: what running is made of at a start. It is
 * part of each version, beside the root of running, so that it is journaled, synced, published and found
 * again as that is: what changes it makes a version, in which running is the same.
 *
 *     OFF ------ adopt (options want one) ------> KEPT <---- copy-config ----> DELETED
 *      ^                                           |        delete-config        |
 *      +------ adopt (options want none) ----------+-----------------------------+
 *
 * On disk it is what differs from running of that version, mostly nothing: after a copy of running it is the
 * same root. A start in which running and startup differ makes a version: running becomes startup, and what
 * was not copied is in the history. Of a confirmed commit that is pending then nothing is left either way.
 *
 * What becomes startup has passed its constraints, except what was adopted from a running that had not.
 */
#include <inttypes.h>
#include <stdio.h>
#include "base/log.h"
#include "store/internal.h"
#include "store/recover.h"

static const struct store_actor server_actor = {0, "", NULL};

const struct store_startup *store__startup_ref(const struct store_startup *startup)
{
	if (startup->root != NULL)
		tree_record_ref(startup->root);
	return startup;
}

void store__startup_unref(struct store *store, const struct store_startup *startup)
{
	if (startup->root != NULL)
		tree_record_unref(startup->root, store->options.schema->root, store->options.reclaimer);
}

enum store_startup_change store__startup_form(const struct store_startup *startup,
					      const struct tree_record *root)
{
	switch (startup->kind) {
	case STORE_STARTUP_OFF:
		return STORE_STARTUP_GIVEN_UP;
	case STORE_STARTUP_DELETED:
		return STORE_STARTUP_REMOVED;
	case STORE_STARTUP_KEPT:
		break;
	}
	return startup->root == root ? STORE_STARTUP_IS_RUNNING : STORE_STARTUP_REPLACED;
}

enum status store__startup_encode(const struct schema *schema, const struct store_startup *startup,
				  const struct tree_record *root, struct buffer *out)
{
	struct change_dictionary *names = change_dictionary_new(schema);
	struct arena *arena = arena_new();
	struct tree_change_set changes;
	tree_diff(schema, root, startup->root, arena, &changes);
	enum status status = change_record_encode(names, &changes, out);
	change_dictionary_free(names);
	arena_free(arena);
	return status;
}

enum store_startup_kind store_startup_kind(struct store *store)
{
	pthread_mutex_lock(&store->state);
	enum store_startup_kind kind = store->published->startup.kind;
	pthread_mutex_unlock(&store->state);
	return kind;
}

/* ---- changes ---- */

static enum status same_make(const struct store__source *self, struct store *store,
			     const struct tree_record *tip_root, struct diag_list *diags,
			     const struct tree_record **root)
{
	(void)self;
	(void)store;
	(void)diags;
	*root = tree_record_ref(tip_root);
	return ST_OK;
}

static enum status propose(struct store *store, const struct store_call *call, const char *comment,
			   const struct store_startup *startup, struct store_answer *answer)
{
	struct store_call with = *call;
	struct store__source source = {.purpose = STORE__STARTUP, .startup = startup, .make = same_make};
	if (with.comment == NULL)
		with.comment = comment;
	return store__propose(store, &with, &source, answer);
}

/* A root is valid or not by itself; looking at what it has else than running is the fast way to know. */
enum status store__startup_replace(struct store *store, const struct store_call *call,
				   const struct tree_record *root, struct store_answer *answer)
{
	const struct store_version *running = store_pin(store);
	struct tree_record *settled = tree_record_ref(root);
	enum status status = ST_OK;
	if (root != running->root || !running->valid || call->content != NULL)
		status = store__check_root(store, call, running, call->content, &settled);
	store_unpin(store, running);
	struct store_startup startup = {STORE_STARTUP_KEPT, settled};
	if (status == ST_OK)
		status = propose(store, call, "Startup was replaced.", &startup, answer);
	tree_record_unref(settled, store->options.schema->root, store->options.reclaimer);
	return status;
}

enum status store_startup_delete(struct store *store, const struct store_call *call,
				 struct store_answer *answer)
{
	*answer = (struct store_answer){0};
	struct store_startup startup = {.kind = STORE_STARTUP_DELETED};
	return propose(store, call, "Startup was deleted.", &startup, answer);
}

/* ---- starts ---- */

static enum status boot_make(const struct store__source *self, struct store *store,
			     const struct tree_record *tip_root, struct diag_list *diags,
			     const struct tree_record **root)
{
	(void)self;
	(void)tip_root;
	(void)diags;
	const struct tree_record *made = store->tip->startup.root; /* nobody else is there yet */
	if (made == NULL)
		made = store->options.initial_root;
	*root = made != NULL ? tree_record_ref(made) : tree_record_new();
	return ST_OK;
}

/* Nothing is served before what a start makes is published. */
static enum status run_start(struct store *store, const char *comment, const struct store__source *source)
{
	struct arena *arena = arena_new();
	struct diag_list diags;
	diag_list_init(&diags, arena, 1);
	struct store_call call = {.actor = &server_actor, .diags = &diags, .comment = comment};
	struct store_answer answer = {0};
	enum status status = store__propose(store, &call, source, &answer);
	if (status == ST_OK && answer.after != 0)
		status = store__await(store, answer.after);
	if (status == ST_OK && answer.changed)
		log_info("%s", comment);
	else if (status != ST_OK)
		log_error("startup: %s", diags.first != NULL ? diags.first->message : status_name(status));
	arena_free(arena);
	return status;
}

enum status store__startup_boot(struct store *store)
{
	bool was_deleted = store->tip->startup.kind == STORE_STARTUP_DELETED;
	if (!store->options.separate_startup || store->options.recovery == NULL ||
	    store->tip->startup.kind == STORE_STARTUP_OFF)
		return ST_OK;
	struct store__source source = {.purpose = STORE__BOOT, .make = boot_make};
	return run_start(store,
			 was_deleted ? "The server was started after startup was deleted."
				     : "The server was started: running is what startup was.",
			 &source);
}

enum status store__startup_adopt(struct store *store)
{
	bool wanted = store->options.separate_startup;
	if (store->options.recovery == NULL || wanted == (store->tip->startup.kind != STORE_STARTUP_OFF))
		return ST_OK;
	struct store_startup startup = {.kind = STORE_STARTUP_OFF};
	if (wanted)
		startup = (struct store_startup){STORE_STARTUP_KEPT, store->tip->root};
	struct store__source source = {.purpose = STORE__STARTUP, .startup = &startup, .make = same_make};
	return run_start(store,
			 wanted ? "There is a startup datastore from now on, a copy of running."
				: "There is no startup datastore any more.",
			 &source);
}

/* The files are there. From the version on nobody looks for misfits before it; the snapshot spares the next
 * start from reading what does not fit. */
enum status store__startup_settle(struct store *store)
{
	const struct store_recovery *recovery = store->options.recovery;
	char comment[128];
	if (recovery == NULL || recovery->set_aside == 0)
		return ST_OK;
	snprintf(comment, sizeof(comment),
		 "%zu nodes that the schema has no place for were set aside: quarantine.%" PRIu64 ".",
		 recovery->set_aside, recovery->info->id);
	struct store__source source = {.purpose = STORE__SET_ASIDE, .make = same_make};
	enum status status = run_start(store, comment, &source);
	if (status == ST_OK && store_snapshot(store) != ST_OK)
		log_warning("the next start reads what was set aside again"); /* said before why */
	return status;
}
