/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * Inside the store. Three mutexes, taken in this order when more than one is needed:
 *
 *   candidate_writer   one change of the candidate at a time
 *   writer             one proposal at a time: THE writer lock of the pipeline
 *   state              pointers and small tables (heads, candidate, locks, waiters); held for a few
 * instructions only
 *   partial_mutex      partial locks
 */
#include <pthread.h>
#include "base/vector.h"
#include "codec/change_record.h"
#include "store/confirmed.h"
#include "store/store.h"

#define STORE_DATASTORES 3			/* values of enum store_datastore */
#define STORE_REBUILT 16			/* old roots kept that were made again */
#define STORE_GROUP_MOST 32			/* versions that are left for a later sync */
#define STORE_RELAXED_NS (100 * 1000 * 1000ull) /* longest time between syncs with durability relaxed */

/* A version that was appended and is not announced yet, in version order. */
struct store__pending {
	struct store__pending *next;
	struct store_version *old_version, *new_version; /* one reference each */
};

/* history.c; `versions` from `start` on */
struct store__history {
	pthread_mutex_t mutex;	/* taken after all others */
	struct vector versions; /* struct store__past, ascending */
	size_t start;
	size_t rootless;	 /* the first ones, whose roots are not held */
	uint64_t cost;		 /* of the roots that are, bytes, guessed */
	struct vector forgotten; /* struct store__past: out of the list, still to be freed */
	struct store__rebuilt {
		uint64_t version;
		const struct tree_record *root; /* one reference */
		uint64_t cost;
	} rebuilt[STORE_REBUILT]; /* old roots that were made again, the one used last first */
	size_t rebuilt_length;
	uint64_t rebuilt_cost;
	pthread_mutex_t labelling; /* one label at a time; taken before `mutex` */
};

/* confirmed.c: the confirmed commit that is pending. Guarded by state, changed under writer as well. */
struct store__confirmed {
	struct store_version *fallback; /* to go back to: one reference; NULL: none is pending */
	char *persist;			/* owned; NULL: it ends with its session */
	uint32_t session_id;		/* that gave it last; 0: it is gone */
	uint64_t timeout_ns;
	uint64_t version; /* the timer starts when this is published */
	uint64_t due_ns;  /* monotonic; UINT64_MAX: the timer has not started */
	/* A session whose end takes it back, until that is done; 0: none. */
	uint32_t ended_id;
	struct store_waiter *waiter; /* for that; borrowed, NULL: nobody waits */
};

/* index.c: value indexes of a root that is no version's. */
struct store__index_of {
	const struct tree_record *root;	 /* one reference; NULL: of none yet */
	const struct check_index *index; /* likewise */
};

struct store__writer_lock {
	pthread_mutex_t mutex;
	bool may_spin;	       /* there is more than one processor */
	_Atomic bool is_held;  /* as far as one can see without asking for it */
	_Atomic bool is_brief; /* who holds it may not wait itself: it is soon done */
};

struct store {
	struct store_options options; /* schema: one reference */
	struct store_observer *observers;
	pthread_mutex_t candidate_writer;
	struct store__writer_lock writer;

	pthread_mutex_t state;
	/* Guarded by state. tip->id >= published->id; equal but for what is appended and not synced. */
	struct store_version *tip, *published;
	const struct tree_record *candidate; /* NULL: clean, it is published's root */
	struct store__index_of
		candidate_index; /* guarded by candidate_writer: of an earlier root of it, or of none */
	uint32_t lock_holders[STORE_DATASTORES];  /* session id; 0: free */
	uint64_t lock_times_ns[STORE_DATASTORES]; /* wall clock, where held */
	pthread_mutex_t partial_mutex;
	struct store__partial *partials; /* partial.c; by id; granted under writer as well */
	uint32_t partial_id;		 /* the last one given */
	struct store_waiter *waiters;	 /* unordered */
	struct store__pending *unpublished, *unpublished_last;
	struct store__pending *unannounced, *unannounced_last;
	struct store__pending *spent; /* announced; what they hold is to be freed */
	unsigned spent_length;
	_Atomic bool is_untidy; /* there are some */
	bool announcing;	/* some thread is in store__announce */
	bool failed;		/* a sync failed: read-only for good */
	bool stopping;
	uint64_t sync_wanted;	 /* version up to which somebody wants a sync */
	uint64_t durable, group; /* what was synced last, and how many versions that were */
	bool syncing;		 /* some thread makes a sync, and publishes what it covered */
	bool thread_syncs;	 /* it is the sync thread */
	bool thread_told;	 /* the sync thread is to make the next one */
	_Atomic bool
		uncovered; /* something is appended that no sync covers, done or under way; full durability */
	uint64_t uncovered_ns;	  /* since when, monotonic */
	uint32_t last_session;	  /* that appended */
	uint64_t last_turn;	  /* the version with which it began to be the only one */
	uint64_t sync_average_ns; /* of the last few */
	pthread_cond_t appended;  /* the sync thread waits here */
	pthread_t sync_thread;
	bool has_sync_thread;

	bool snapshot_due, room_due;	/* for the snapshot thread: journal_disk_prepare */
	pthread_cond_t snapshot_wanted; /* the snapshot thread waits here */
	pthread_t snapshot_thread;
	bool has_snapshot_thread;
	pthread_mutex_t snapshot_writer; /* one snapshot at a time; taken before all others */

	/* Guarded by writer: names of nodes as records use them, anew in each segment of the journal. */
	struct change_dictionary *names;
	uint64_t names_segment;
	struct { /* the one that is being made; its items are in `names` */
		struct buffer head, end;
	} record;
	struct store__history history;

	struct vector epochs; /* struct store__epoch; never changes */
	/* Guarded by candidate_writer: what edits of the candidate want of running; the arena has them. NULL:
	 * nothing. */
	struct store_condition *conditions;
	struct arena *conditions_arena;
	size_t condition_count;
	bool conditions_stale; /* guarded by state: the candidate was discarded with its lock, and they with
				  it */

	struct store__confirmed confirmed;
	pthread_cond_t confirmed_changed; /* the thread of confirmed.c waits here */
	pthread_t confirmed_thread;
	bool has_confirmed_thread, confirmed_stopping;
};

/* version.c */
/* Takes `root`. Gives a version with one reference. */
struct store_version *store__version_new(uint64_t id, const struct tree_record *root,
					 const struct store_actor *actor, bool valid);
void store__version_ref(struct store_version *version);
void store__version_unref(struct store *store, const struct store_version *version);
/* The tip with a reference; its id and whether it is published yet. */
struct store_version *store__tip(struct store *store);
bool store__is_published(struct store *store, uint64_t version);

/* txid.c */
/* Those that a store begins with, one reference; fills in its epochs, and where it was not recovered the
 * stamps of its root. */
const struct store_txids *store__txids_begin(struct store *store, const struct store_version *version);
/* Those of the next version, one reference. */
const struct store_txids *store__txids_next(const struct store *store, const struct store_txids *txids,
					    const struct store_version *version,
					    const struct tree_change_set *changes);
void store__txids_unref(const struct store_txids *txids); /* NULL is allowed */
/* Fails: ST_REJECTED; each one that is not met is in diags. */
enum status store__conditions_check(struct store *store, const struct store_condition *conditions,
				    const struct store_version *version, struct diag_list *diags) MUST_USE;
/* Keeps those of an edit of the candidate; the last one of a path counts. The candidate's mutex is held.
 * Fails: ST_REJECTED, there are too many (diags). */
enum status store__conditions_keep(struct store *store, const struct store_call *call) MUST_USE;
void store__conditions_drop(struct store *store);
/* Those that are kept. The candidate's mutex is held; valid as long. */
const struct store_condition *store__conditions_kept(struct store *store);

/* confirmed.c */
/* What a proposal does to the confirmed commit that is pending. */
struct store__step {
	const struct store_call *call;
	const struct store__source *source;
	struct store_version *tip; /* that it is made from */
	uint64_t fallback;	   /* that its version has; by _check */
	struct store_version
		*dropped; /* a reference, to be given back without locks; NULL: none; by _apply */
};
/* Whether it may be done. Needs the writer lock. Fails: ST_REJECTED (diags), ST_ABSENT (STORE__REVERT:
 * nothing is due). */
enum status store__confirmed_check(struct store *store, struct store__step *step) MUST_USE;
/* Does what was checked; `version`: what the proposal made, or the tip. Needs the writer lock and the state
 * mutex. */
void store__confirmed_apply(struct store *store, struct store__step *step, uint64_t version);
/* With the state mutex held. */
void store__confirmed_published(struct store *store, uint64_t version);
/* Nothing can be taken back any more. With the state mutex held; gives a reference to be dropped, or NULL. */
struct store_version *store__confirmed_forget(struct store *store);
/* The session whose confirmed commit keeps `session_id` from the lock of running. With the state mutex held.
 */
bool store__confirmed_denies(const struct store *store, uint32_t session_id, uint32_t *holder);
bool store__confirmed_is_pending(const struct store *store); /* with the state mutex held */
/* Starts the thread; goes back first where the recovery found one pending. */
enum status store__confirmed_start(struct store *store) MUST_USE;
/* With manual_sync: goes back where that is due, as the thread would; false where it is not. */
bool store__confirmed_revert(struct store *store);
void store__confirmed_stop(struct store *store);

/* Waits until a version is published. */
enum status store__await(struct store *store, uint64_t version) MUST_USE;

/* locks.c */
/* Releases the session's locks. */
void store__locks_release(struct store *store, uint32_t session_id);
/* in-use in `diags` and ST_REJECTED where another session holds the lock of the datastore. */
enum status store__check_unlocked(struct store *store, enum store_datastore datastore,
				  const struct store_call *call) MUST_USE;

/* lock-denied in `diags`, with the session that has it; ST_REJECTED. */
enum status store__lock_denied(const struct store_call *call, uint32_t holder, const char *why);

/* partial.c */
struct store__partial;
/* Whether the change of running touches a node that another session has locked. Needs the writer lock where
 * it is to be made, and not only tried. Fails: ST_REJECTED, in-use. */
enum status store__partial_check(struct store *store, const struct store_call *call,
				 const struct tree_record *old_root,
				 const struct tree_record *new_root) MUST_USE;
/* The change was made: what it deleted is not locked any more. */
void store__partial_settle(struct store *store, const struct tree_record *old_root,
			   const struct tree_record *new_root);
uint32_t store__partial_holder(struct store *store); /* the session of one of them; 0: there is none */
void store__partial_release(struct store *store, uint32_t session_id);
void store__partial_fini(struct store *store);

/* candidate.c */
/* The candidate's root with a reference. */
const struct tree_record *store__candidate_pin(struct store *store);
/* The same for who changes it: where it is clean, the root of the tip. The candidate's mutex is held. */
const struct tree_record *store__candidate_base(struct store *store, const struct store_version *tip);
/* Takes `root` (NULL: clean). */
void store__candidate_set(struct store *store, const struct tree_record *root);
enum status store__candidate_edit(struct store *store, const struct store_call *call,
				  const struct edit_tree *edit, const struct edit_options *options,
				  struct store_answer *answer) MUST_USE;

/* store.c */
struct store__edit {
	const struct edit_tree *tree;
	const struct edit_options *options;
};
/* edit_apply; with continue_on_error edit_apply_continue, of a root that is settled against `running` later.
 */
enum status store__edit_apply(struct store *store, const struct store_call *call,
			      const struct store_version *running, const struct tree_record *base,
			      const struct store__edit *edit, struct tree_record **root) MUST_USE;

/* proposal.c */
/* Makes the root that a proposal proposes from the tip; runs under the writer lock. Gives a reference. */
struct store__source {
	enum store__purpose {
		STORE__CHANGE,
		STORE__COMMIT,	  /* `confirm` */
		STORE__ROLLBACK,  /* not while a confirmed commit is pending */
		STORE__CANCEL,	  /* `confirm`: its persist_id */
		STORE__REVERT,	  /* the server's own: what is due by now */
		STORE__STARTUP,	  /* `startup`; running stays as it is */
		STORE__BOOT,	  /* the server's own: running is what startup is */
		STORE__SET_ASIDE, /* the server's own: a version to say that misfits were set aside */
	} purpose;
	const struct store_confirm *confirm; /* COMMIT, CANCEL */
	const struct store_startup *startup; /* STARTUP; borrowed */
	const struct store__edit
		*edit; /* that, or whose content, the root is made of; borrowed; NULL: none */
	enum status (*make)(const struct store__source *self, struct store *store,
			    const struct tree_record *tip_root, struct diag_list *diags,
			    const struct tree_record **root);
};

/* beside.c: a large change's record, encoded while the change is checked. The writer lock is held. */
struct store__beside {
	struct change_dictionary *names;
	const struct tree_change_set *changes;
	pthread_t thread;
	bool is_running;
};
/* Borrows the change set until finish. */
void store__beside_start(struct store__beside *beside, const struct store *store,
			 const struct tree_change_set *changes);
/* Waits. Where the change is not accepted, what was encoded is dropped. */
void store__beside_finish(struct store__beside *beside, bool accepted);

/* The pipeline. Needs: the writer lock is not held by the caller. */
enum status store__propose(struct store *store, const struct store_call *call,
			   const struct store__source *source, struct store_answer *answer) MUST_USE;

/* Proposes a root (borrowed) as running. */
enum status store__replace_running(struct store *store, const struct store_call *call,
				   enum store__purpose purpose, const struct tree_record *root,
				   struct store_answer *answer) MUST_USE;

/* index.c */
/* For check_options: the indexes of `base`, from those that `known` has, or of running; they are kept there.
 */
struct store__index_source {
	struct check_index_source source;
	const struct store *store;
	const struct store_version *running; /* Needs: valid */
	const struct tree_record *base;
	struct store__index_of *known;
};
struct store__index_source store__index_source(const struct store *store, const struct store_version *running,
					       const struct tree_record *base, struct store__index_of *known);
void store__index_forget(const struct store *store, struct store__index_of *known);

/* Removes what the change from `base` to `*root` implies, or refuses (check/settle.h). Where `running` is not
 * valid all of the root is looked at. `known`: of indexes of a base that is not running's root; may be NULL.
 */
enum status store__settle(struct store *store, const struct store_call *call,
			  const struct store_version *running, const struct tree_record *base,
			  struct store__index_of *known, struct tree_record **root,
			  struct diag_list *diags) MUST_USE;
/* What else it gives; either may be NULL. */
struct store__settled {
	struct check_counters *counters;
	struct check_difference *difference;
};
/* The same of what an edit made of `base`, or of the content of a request (NULL: neither): what it names must
 * stay (check/named.h). */
enum status store__settle_edit(struct store *store, const struct store_call *call,
			       const struct store_version *running, const struct tree_record *base,
			       const struct store__edit *edit, struct tree_record **root,
			       struct store__settled settled) MUST_USE;

struct store__step;

/* publish.c */
/* append: the new version becomes tip (and is published where it does not wait for a sync). Takes `version`.
 * Needs the writer lock; journal space for the record is reserved. Fails: ST_IO where a sync failed
 * meanwhile. */
enum status store__append(struct store *store, struct store__step *step, struct store_version *version,
			  struct journal_payload record) MUST_USE;
/* Tells the observers what was published, in order. Needs: no lock held. */
void store__announce(struct store *store);
/* Publishes what waits, up to a version that is durable, and wakes who waits for it. Needs: no lock held. */
void store__publish(struct store *store, uint64_t version);
/* A sync has failed: what waits never will be durable as far as anybody knows. Needs: no lock held. */
void store__fail(struct store *store);
/* At the end: what nobody has synced. */
void store__unpublished_drop(struct store *store);
/* operation-failed in `diags` and ST_IO where the store is read-only. */
enum status store__check_writable(struct store *store, struct diag_list *diags) MUST_USE;

/* sync.c */
enum status store__sync_start(struct store *store) MUST_USE;
void store__sync_stop(struct store *store);
/* A version was appended. With the state mutex held. */
void store__sync_note(struct store *store, const struct store_version *version);
/* With the state mutex held. */
void store__want_sync(struct store *store, uint64_t version);

/* record.c */
/* What stands before the changes in a record, and is the head of a snapshot: all of a version but its root.
 */
void store__record_put_head(const struct store_version *version, enum store_startup_change startup,
			    struct buffer *out);
/* The size of startup's block, behind it. */
void store__record_put_size(size_t size, struct buffer *out);
/* Takes the block of startup's changes, which startup_change says is there, off the end of what follows the
 * head; false where it is none. */
bool store__record_take_startup(const struct store_version *info, struct bytes *payload,
				struct bytes *startup);
/* Takes the head off the front of `in` into a version without root, one reference; NULL: it is none. */
struct store_version *store__record_take_head(uint64_t id, struct bytes *in);
struct store_version *store__info_copy(const struct store_version *version); /* likewise, without root */
void store__info_free(struct store_version *version); /* of a version without root; NULL is allowed */

/* startup.c */
const struct store_startup *store__startup_ref(const struct store_startup *startup);
void store__startup_unref(struct store *store, const struct store_startup *startup);
/* How startup, new in a version or a snapshot of running's `root`, is written. */
enum store_startup_change store__startup_form(const struct store_startup *startup,
					      const struct tree_record *root);
/* With STORE_STARTUP_REPLACED: appends the block of changes from `root` to startup, which has a dictionary of
 * its own. Fails: ST_LIMIT. */
enum status store__startup_encode(const struct schema *schema, const struct store_startup *startup,
				  const struct tree_record *root, struct buffer *out) MUST_USE;
enum status store__startup_replace(struct store *store, const struct store_call *call,
				   const struct tree_record *root, struct store_answer *answer) MUST_USE;
/* A start: running becomes what startup is, where there is one. */
enum status store__startup_boot(struct store *store) MUST_USE;
/* After that: there is one, or none, as the options want it. */
enum status store__startup_adopt(struct store *store) MUST_USE;

/* A start: says in a version that misfits were set aside, and makes a snapshot without them. */
enum status store__startup_settle(struct store *store) MUST_USE;

/* replace.c */
/* Whether `*root` is valid, and what the content that it was made of (NULL: none) names may be there; settles
 * it. Against a version's root and indexes. */
enum status store__check_root(struct store *store, const struct store_call *call,
			      const struct store_version *version, const struct edit_tree *content,
			      struct tree_record **root) MUST_USE;

/* history.c */
/* Needs `published`. */
void store__history_init(struct store *store);
void store__history_fini(struct store *store);
void store__history_add(struct store *store, const struct store_version *version);
/* Frees what has left the list: who adds calls it when nobody waits for that. */
void store__history_release(struct store *store);

/* snapshot.c */
/* Writes one of `root`, with what `info` says of it (Needs: no confirmed commit is pending in it); as slowly
 * as the options of `paced` say (NULL: not). Fails: ST_BUSY (the store ends), as the journal does. */
enum status store__snapshot_write(struct journal *journal, const struct schema *schema,
				  const struct tree_record *root, const struct store_version *info,
				  struct store *paced) MUST_USE;
/* After a publish: wakes the snapshot thread where there is work for it. */
void store__snapshot_consider(struct store *store);
enum status store__snapshot_start(struct store *store) MUST_USE;
void store__snapshot_stop(struct store *store);

/* writer_lock.c: the writer lock, as a call may wait for it; false where it may not. */
bool store__writer_acquire(struct store *store, enum store_wait wait);
void store__writer_release(struct store *store);
void store__writer_init(struct store *store);
void store__writer_fini(struct store *store);

/* Locks `mutex`; with STORE_NO_WAIT false where another thread holds it. */
bool store__acquire(pthread_mutex_t *mutex, enum store_wait wait);
