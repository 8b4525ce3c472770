/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * The store: datastores, versions, locks, and the one pipeline through which every change of running goes
 * (proposal.c).
 *
 * Two heads: `tip` is the newest version that was checked and appended; `published` the newest that is
 * durable. Proposals work against tip, one at a time (the writer lock). Readers pin `published` and are never
 * blocked.
 *
 * An operation runs to its end in the call, but its answer may depend on a version that is not durable yet:
 * then answer->after names it, and the answer (success or refusal) must not be given before store_await says
 * so:
 *
 *     status = store_edit(store, STORE_RUNNING, &actor, edit, &options, diags, &answer);
 *     waiter.version = answer.after; waiter.done = send_reply;
 *     store_await(store, &waiter);
 *
 * With durability `none` a version is published at append and `after` is reached at once.
 * A failed sync is terminal: waiters get ST_IO, tip falls back to published, writes are refused from then on.
 */
#include <stdbool.h>
#include "base/diag.h"
#include "check/check.h"
#include "edit/apply.h"
#include "journal/journal_disk.h"
#include "tree/reclaim.h"

enum store_datastore { STORE_RUNNING, STORE_CANDIDATE, STORE_STARTUP };
struct store_recovery;
enum store_durability { STORE_FULL, STORE_RELAXED, STORE_NONE };

/* Who asks. */
struct store_actor {
	uint32_t session_id; /* 0: the server itself */
	const char *user;
	const char *address; /* "127.0.0.1:4711", "unix"; NULL: none */
};

/* The startup datastore (startup.c) as of a version. */
struct store_startup {
	enum store_startup_kind {
		STORE_STARTUP_OFF,     /* there is none: running is what a start begins with */
		STORE_STARTUP_DELETED, /* a start begins with what a new directory does */
		STORE_STARTUP_KEPT,
	} kind;
	const struct tree_record *root; /* KEPT: one reference; else NULL */
};

/* What a version did to it. Values as written; never renumber. */
enum store_startup_change {
	STORE_STARTUP_UNCHANGED = 0,
	STORE_STARTUP_GIVEN_UP = 1,   /* now OFF */
	STORE_STARTUP_REMOVED = 2,    /* now DELETED */
	STORE_STARTUP_IS_RUNNING = 3, /* now what running is in this version */
	STORE_STARTUP_REPLACED = 4,   /* now something else */
};
/* A transaction id (txid.h). */
struct store_txid {
	uint64_t epoch, version;
	uint64_t time_us; /* wall clock, of that version; of inner nodes 0 */
};
struct store_txids;
struct store_condition;

/* A version: immutable, reference counted. */
struct store_version {
	_Atomic uint32_t refs;
	uint64_t id;			/* 1, 2, ...: the first is what the store was opened with */
	const struct tree_record *root; /* of running */
	uint64_t time_ns;		/* wall clock */
	uint32_t session_id;
	char user[64];	  /* cut where longer */
	char address[64]; /* likewise; "": none */
	char *comment;	  /* owned; NULL: none */
	char *label;	  /* owned; NULL: none */
	uint64_t change_count;
	uint64_t fallback; /* a confirmed commit is pending: the version to go back to, else 0 */
	struct store_startup startup;
	enum store_startup_change startup_change;
	bool set_aside; /* before it, what the schema had no place for was set aside (recover.h) */
	struct journal_location location; /* of its record, on disk; segment 0: it has none */
	const struct store_txids *txids;  /* one reference; NULL where the version has no root */
	bool valid;			  /* passed the full check, or follows from one that did */
	const struct check_index
		*index; /* value indexes of root, where it is valid and the plan has any; else NULL */
};

/* What may refuse a proposal or hears of a published one; called in the order of registration. */
struct store_observer {
	struct store_observer *next;
	/* Under the writer lock, after validation; may refuse with diags. NULL: does not take part. */
	enum status (*consult)(struct store_observer *self, const struct store_actor *actor,
			       const struct tree_change_set *changes, struct diag_list *diags);
	/* After publish, in version order, outside the writer lock. The versions are pinned during the call.
	 */
	void (*announce)(struct store_observer *self, const struct store_version *old_version,
			 const struct store_version *new_version);
};

struct store_options {
	struct schema *schema;
	const struct check_plan *plan;
	struct journal *journal; /* NULL: nothing is journaled (durability none) */
	enum store_durability durability;
	struct check_options check; /* limits; `full` is ignored */
	struct tree_reclaimer *reclaimer;
	/* The authorise phase; NULL: everybody may do everything. Refuses with access-denied in diags. */
	enum status (*authorise)(void *arg, const struct store_actor *actor,
				 const struct tree_change_set *changes, struct diag_list *diags);
	void *authorise_arg;
	const struct tree_record *initial_root; /* borrowed; NULL: empty; also after startup was deleted */
	/* What the journal, which is then one on disk, held (recover.h); borrowed. NULL: version 1,
	 * initial_root. */
	struct store_recovery *recovery;
	/* With `recovery`: a snapshot is due when the journal grew by this and by the size of the last one;
	 * 0: none by itself. */
	uint64_t snapshot_growth; /* bytes */
	uint64_t snapshot_pace;	  /* bytes a second that a snapshot writes at most; 0: as fast as it can */
	size_t history_length; /* versions that can be listed and rolled back to, the present one included */
	uint64_t history_memory; /* bytes of old roots kept for them, estimated */
	size_t partial_nodes;	 /* of all partial locks together; 0: STORE_PARTIAL_NODES */
	bool separate_startup;	 /* RFC 6241 8.7: a start begins with the startup datastore */
	bool manual_sync;	 /* no sync thread: store_sync does what it would; for tests */
};

struct store;

/* Starts the sync thread where there is a journal. The initial root is checked in full; if it is invalid the
 * store opens all the same, says so (diags, log), and checks every proposal in full until one is valid.
 * Fails: ST_IO. */
enum status store_open(const struct store_options *options, struct diag_list *diags,
		       struct store **store) MUST_USE;
/* Syncs what is pending, ends the thread, releases everything. No call may be running. */
void store_close(struct store *store);
/* With manual_sync: syncs what is appended, publishes and announces it. */
void store_sync(struct store *store);
/* With a journal on disk: writes a snapshot of the published version now; while a confirmed commit is
 * pending, of the one to go back to. Fails: ST_IO, ST_LIMIT (logged), ST_BUSY (a confirmed commit is pending,
 * and that is there). */
enum status store_snapshot(struct store *store) MUST_USE;
void store_add_observer(struct store *store,
			struct store_observer *observer); /* before any proposal; borrowed */

/* Pins the published version. Cost: O(1), never blocks on a writer. Any thread. */
const struct store_version *store_pin(struct store *store);
void store_unpin(struct store *store, const struct store_version *version);
/* Pins the root of a datastore for reading: running = published; a clean candidate = published, else its own
 * root; startup = that of published, empty where it was deleted. Give it back with tree_record_unref(root,
 * schema->root, reclaimer). */
const struct tree_record *store_pin_root(struct store *store, enum store_datastore datastore);

struct store_answer {
	uint64_t after; /* the answer may be given once this version is published; 0: at once */
	struct check_counters counters;
	struct store_txid txid; /* running's, then; version 0: not told */
	bool changed;		/* the datastore is another one than before */
};

enum store_wait { STORE_WAIT, STORE_NO_WAIT };
enum store_sync { STORE_SYNC_NOW, STORE_SYNC_LATER };

#define STORE_COMMENT_MAX 4096 /* bytes */
#define STORE_LABEL_MAX 512    /* bytes */

struct store_call {
	const struct store_actor *actor;
	struct diag_list *diags;
	const char *comment; /* of the version that it makes; NULL: none; cut at STORE_COMMENT_MAX bytes */
	const char *label;   /* likewise; cut at STORE_LABEL_MAX bytes */
	/* STORE_NO_WAIT: where the writer lock is held by another thread, return ST_BUSY at once without any
	 * diag (the caller repeats the call from a thread that may wait). Where that one may not wait either,
	 * it has a small change to make, which is waited for, for at most a millisecond. */
	enum store_wait wait;
	/* STORE_SYNC_LATER: the caller has more to propose, and calls store_sync_soon or store_sync_turn when
	 * it has not: one sync covers what it has proposed until then, or a few of them where that is much.
	 */
	enum store_sync sync;
	/* What running must be like, or nothing is done; of edits. Of one of the candidate it is kept, and
	 * asked for by the commit. NULL: anything. */
	const struct store_condition *conditions;
	/* Of store_replace: the content of a request that the root was made of. What it names under a `when`
	 * that is false is refused (RFC 7950 8.3.2). NULL: there is none. */
	const struct edit_tree *content;
	struct xpath_interrupt *interrupt; /* of long checks: they refuse then; NULL: nobody */
};

/* Begins the sync of all that was appended and left for later; does not wait for it. */
void store_sync_soon(struct store *store);
/* A session has nothing more to propose for now. Where only one session commits, a lone commit is synced in
 * this call if syncs are fast here, and waiters are told; several are as with store_sync_soon. Where more
 * sessions commit it is left to store_sync_at_rest, which the thread then calls before it waits for anything.
 * STORE_TURN_BUSY: the thread has more to do. */
enum store_turn { STORE_TURN_IDLE, STORE_TURN_BUSY };
void store_sync_turn(struct store *store, enum store_turn turn);
/* Frees what the versions before those that were published of late held alone: after the answers, for who has
 * nothing to do. Where nobody calls it, that is done when it has become much. Cost: a load, where there is
 * nothing. */
void store_tidy(struct store *store);
/* Whether store_sync_at_rest is due. Cost: a load. */
bool store_sync_is_due(struct store *store);
/* The thread has nothing to do, as far as it knows. Syncs in this call, and tells waiters; but where
 * STORE_COMPANIONS will append soon, only if what is appended has waited for as long as a sync takes. Gives
 * for how many ns to wait for something to do before this is called again; UINT64_MAX: for ever. */
enum store_company { STORE_NOBODY, STORE_COMPANIONS };
uint64_t store_sync_at_rest(struct store *store, enum store_company company);

/*
 * edit-config. On running: apply to tip, then propose. On the candidate: apply to its root; constraints wait
 * for commit (RFC 7950 8.3.3). Refused with in-use where another session holds the datastore's lock. Fails:
 * ST_REJECTED (diags), ST_IO (the store is read-only after a failed sync: operation-failed in diags), ST_BUSY
 * (see store_wait).
 */
enum status store_edit(struct store *store, enum store_datastore target, const struct store_call *call,
		       const struct edit_tree *edit, const struct edit_options *options,
		       struct store_answer *answer) MUST_USE;
/* commit: proposes the candidate's root as running; afterwards the candidate is clean. RFC 6241 8.3.4.1. A
 * failure leaves the candidate as it was. */
enum status store_commit(struct store *store, const struct store_call *call,
			 struct store_answer *answer) MUST_USE;
/* discard-changes: the candidate is clean again. RFC 6241 8.3.4.2 */
enum status store_discard(struct store *store, const struct store_call *call,
			  struct store_answer *answer) MUST_USE;
/* copy-config (RFC 6241 7.3): the datastore becomes exactly the given root (borrowed), of the store's schema.
 * Running: a proposal, as an edit. Startup: must pass its constraints; makes a version, durable as any, in
 * which running is the same. The candidate: at once, without constraints; it is clean afterwards where the
 * root is that of running. Locks and failures as for store_edit. */
enum status store_replace(struct store *store, enum store_datastore target, const struct store_call *call,
			  const struct tree_record *root, struct store_answer *answer) MUST_USE;
/* Whether there is a startup datastore, and what of it is published. */
enum store_startup_kind store_startup_kind(struct store *store);
/* delete-config of startup (RFC 6241 7.4): the next start begins with what a new directory does. Locks and
 * failures as for store_replace. Nothing happens where it is deleted already. */
enum status store_startup_delete(struct store *store, const struct store_call *call,
				 struct store_answer *answer) MUST_USE;
/* edit-config with test-option (RFC 6241 7.2): the edited root must pass its constraints, on the candidate
 * too; it is set then, or never. Failures as for store_edit. */
enum store_test { STORE_TEST_ONLY, STORE_TEST_THEN_SET };
enum status store_edit_test(struct store *store, enum store_datastore target, const struct store_call *call,
			    const struct edit_tree *edit, const struct edit_options *options,
			    enum store_test test, struct store_answer *answer) MUST_USE;
/* validate (RFC 6241 8.6): whether a commit of this root (borrowed) would pass its constraints now. Of the
 * call diags, content and interrupt count. Changes nothing and takes no lock. Fails: ST_REJECTED (diags).
 * Cost: that of the difference from running. */
enum status store_validate(struct store *store, const struct store_call *call,
			   const struct tree_record *root) MUST_USE;
/* lock, unlock: RFC 6241 7.5, 7.6, 8.3.5. lock-denied carries error-info session-id of the holder; a dirty
 * candidate cannot be locked; unlock and the end of a session that held the candidate's lock discard its
 * changes. */
enum status store_lock(struct store *store, enum store_datastore target,
		       const struct store_call *call) MUST_USE;
enum status store_unlock(struct store *store, enum store_datastore target,
			 const struct store_call *call) MUST_USE;
/* The session that holds the lock, and since when (wall clock); 0: none, `since_ns` is left alone. */
uint32_t store_lock_holder(struct store *store, enum store_datastore target, uint64_t *since_ns);
/* Releases the locks of a session that ended, and takes its confirmed commit back, soon (confirmed.h). */
void store_session_end(struct store *store, uint32_t session_id);

/* factory-reset (RFC 8808 2): running, the candidate and, where there is one, startup become the root
 * (borrowed). Fails: as store_replace of running, with nothing changed; in-use too where another session has
 * locked any of them, or a confirmed commit is pending. */
enum status store_factory_reset(struct store *store, const struct store_call *call,
				const struct tree_record *root, struct store_answer *answer) MUST_USE;

struct store_waiter {
	uint64_t version;
	/* Once: ST_OK when the version is published, ST_IO when it never will be (outcome unknown). Called
	 * from this call or later from the sync thread; must not block. */
	void (*done)(struct store_waiter *waiter, enum status status);
	/* private */
	struct store_waiter *next;
};

/* The waiter is the caller's and must stay until done was called. */
void store_await(struct store *store, struct store_waiter *waiter);
