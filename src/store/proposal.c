/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The pipeline: "propose this root as the next version of running". Every change of running goes through
 * store__propose, which reads as its phases:
 *
 *     make        the new root from the tip (an edit applied, the candidate's root)
 *     settle      what the change implies; from here the root is final and only read
 *     prepare     diff(tip, new) -> change set
 *     authorise   access control over the change set
 *     validate    constraints, incrementally
 *     consult     observers may veto; by then a large change is encoded beside (beside.c)
 *     reserve     everything that may still fail: the version, journal space
 *     append      record into the journal; the new root is tip            (publish.c)
 *     -- the writer lock is released --
 *     sync, publish, announce                                             (publish.c)
 *
 * Everything before append only reads tip and makes memory of its own, so giving up is dropping the new root.
 * Going back to what was running before a confirmed commit is not asked whether it may be: it is settled, and
 * nobody may refuse it. It is validated for the indexes' sake.
 *
 * Every answer is computed from tip; where tip is not durable yet, `after` makes the answer wait for it, a
 * refusal's too.
 */
#include "store/internal.h"
#include "store/txid.h"
#include <inttypes.h>
#include "base/log.h"
#include "base/memory.h"
#include "check/named.h"
#include "check/settle.h"
#include "edit/continue.h"
#include "os/clock.h"
#include "tree/stamp.h"

#define RECORD_KEEP ((size_t)64 << 10) /* bytes of the record's buffers that stay allocated */
#define NAME_SIZE 64		       /* bytes that a definition has at most, more or less */

/* What the phases share. */
struct proposal {
	struct store *store;
	const struct store_call *call;
	struct store__step step;
	bool goes_back; /* to the version before a confirmed commit */
	bool is_forced; /* nobody is asked: it goes back, or running is not served yet, or the same */
	bool valid;	/* the new root is */
	struct store_version *tip;	    /* referenced */
	const struct tree_record *root;	    /* the new one, referenced until append takes it */
	struct arena *arena;		    /* the change set */
	struct check_difference difference; /* if settle knows it already */
	struct tree_change_set changes;
	struct store__beside beside;
	struct check_index *index;     /* of root, made by validate, until reserve takes it */
	struct store_version *version; /* made by reserve */
};

static struct check_options settle_options(const struct store *store, const struct store_call *call,
					   const struct store_version *running,
					   struct store__index_source *source)
{
	struct check_options options = store->options.check;
	options.full = !running->valid;
	options.reclaimer = store->options.reclaimer;
	options.interrupt = call->interrupt;
	if (source->base == running->root)
		options.index = running->index;
	else if (running->valid && running->index != NULL && source->known != NULL)
		options.index_source = &source->source;
	return options;
}

enum status store__settle(struct store *store, const struct store_call *call,
			  const struct store_version *running, const struct tree_record *base,
			  struct store__index_of *known, struct tree_record **root, struct diag_list *diags)
{
	struct store__index_source source = store__index_source(store, running, base, known);
	struct check_options options = settle_options(store, call, running, &source);
	return check_settle(store->options.plan, &options, base, root, diags);
}

enum status store__settle_edit(struct store *store, const struct store_call *call,
			       const struct store_version *running, const struct tree_record *base,
			       const struct store__edit *edit, struct tree_record **root,
			       struct store__settled settled)
{
	struct store__index_of *known = base != running->root ? &store->candidate_index : NULL;
	struct store__index_source source = store__index_source(store, running, base, known);
	struct check_options options = settle_options(store, call, running, &source);
	options.counters = settled.counters;
	options.difference = settled.difference;
	struct tree_record *applied = tree_record_ref(*root);
	enum status status = check_settle(store->options.plan, &options, base, root, call->diags);
	if (status == ST_OK && edit != NULL && !edit_is_taken_apart(edit->options)) {
		struct check_named_edit named = {edit->tree->top, edit->options->default_operation};
		status = check_named(store->options.plan, &options, &named, applied, *root, call->diags);
	}
	tree_record_unref(applied, store->options.schema->root, store->options.reclaimer);
	return status;
}

static enum status phase_settle(struct proposal *p, struct check_counters *counters)
{
	struct tree_record *root = (struct tree_record *)p->root;
	p->difference.arena = p->arena;
	enum status status = store__settle_edit(p->store, p->call, p->tip, p->tip->root, p->step.source->edit,
						&root, (struct store__settled){counters, &p->difference});
	p->root = root;
	return status;
}

static void phase_prepare(struct proposal *p)
{
	if (p->difference.is_known)
		p->changes = p->difference.changes;
	else
		tree_diff(p->store->options.schema, p->tip->root, p->root, p->arena, &p->changes);
}

static enum status phase_authorise(struct proposal *p)
{
	const struct store_options *options = &p->store->options;
	if (options->authorise == NULL)
		return ST_OK;
	return options->authorise(options->authorise_arg, p->call->actor, &p->changes, p->call->diags);
}

static enum status check(struct proposal *p, struct diag_list *diags, struct check_counters *counters)
{
	struct check_options options = p->store->options.check;
	options.full = !p->tip->valid;
	options.index = p->tip->index;
	options.interrupt = p->is_forced ? NULL : p->call->interrupt;
	options.new_index = &p->index;
	options.reclaimer = p->store->options.reclaimer;
	options.counters = counters;
	return check_changes(p->store->options.plan, &p->changes, &options, diags);
}

/* What was running once may be again, also where it was not valid, and so may what was startup. */
static void check_forced(struct proposal *p, struct check_counters *counters)
{
	struct diag_list diags;
	diag_list_init(&diags, p->arena, 1);
	bool may_be_valid = !p->goes_back || p->store->confirmed.fallback->valid;
	p->valid = may_be_valid && check(p, &diags, counters) == ST_OK;
	if (!p->valid)
		log_warning("the configuration %s is not valid; it is restored all the same",
			    p->goes_back ? "before the confirmed commit" : "of startup");
}

static enum status phase_validate(struct proposal *p, struct check_counters *counters)
{
	p->valid = true;
	if (p->changes.root == NULL && (p->tip->valid || p->is_forced)) {
		p->valid = p->tip->valid;
		p->index = check_index_ref(p->tip->index);
	} else if (p->is_forced)
		check_forced(p, counters);
	else
		return check(p, p->call->diags, counters);
	return ST_OK;
}

/* Validates, and logs at debug level what that took. */
static enum status validate_and_log(struct proposal *p, struct check_counters *counters)
{
	uint64_t began_ns = os_clock_monotonic_ns();
	enum status status = phase_validate(p, counters);
	log_debug("version %" PRIu64 " %s: changes %zu, musts %" PRIu64 ", leafrefs %" PRIu64
		  ", uniques %" PRIu64 ", counts %" PRIu64 ", mandatories %" PRIu64 ", whens %" PRIu64
		  ", steps %" PRIu64 ", %" PRIu64 " us",
		  p->tip->id + 1, status == ST_OK ? "valid" : "refused", p->changes.length, counters->musts,
		  counters->leafrefs, counters->uniques, counters->counts, counters->mandatories,
		  counters->whens, counters->steps, (os_clock_monotonic_ns() - began_ns) / 1000);
	return status;
}

static enum status phase_consult(struct proposal *p)
{
	for (struct store_observer *observer = p->store->observers; observer != NULL;
	     observer = observer->next) {
		if (observer->consult == NULL)
			continue;
		enum status status = observer->consult(observer, p->call->actor, &p->changes, p->call->diags);
		if (status != ST_OK)
			return status;
	}
	return ST_OK;
}

/* What is before the items, which depends on what else the journal's segment has. */
static enum status encode_head(struct proposal *p)
{
	struct buffer *head = &p->store->record.head;
	buffer_clear(head, RECORD_KEEP);
	store__record_put_head(p->version, p->version->startup_change, head);
	return change_record_head(p->store->names, head);
}

/* What is behind them: the startup datastore, where it is another one than running. */
static enum status encode_end(struct proposal *p)
{
	struct buffer *end = &p->store->record.end;
	buffer_clear(end, RECORD_KEEP);
	if (p->version->startup_change != STORE_STARTUP_REPLACED)
		return ST_OK;
	enum status status =
		store__startup_encode(p->store->options.schema, &p->version->startup, p->root, end);
	if (status == ST_OK)
		store__record_put_size(buffer_size(end), end);
	return status;
}

static size_t record_size(const struct store *store)
{
	return buffer_size(&store->record.head) + change_record_items(store->names).size +
	       buffer_size(&store->record.end);
}

/* The record will be in a new segment, which names nothing yet. A small one is encoded again and names what
 * it has; one that is large beside all that was named before is left as it is, and names that. */
static void begin_segment(struct proposal *p, uint64_t segment)
{
	struct change_dictionary *names = p->store->names;
	p->store->names_segment = segment;
	size_t all = change_dictionary_length(names) * NAME_SIZE;
	if (change_record_items(names).size > all && change_dictionary_forget(names))
		return;
	change_record_abandon(names);
	change_dictionary_reset(names);
	change_record_begin(names, &p->changes);
}

/* What is made of the record beside its items goes: the next change may be long in coming. */
static void clear_record(struct store *store)
{
	buffer_clear(&store->record.head, RECORD_KEEP);
	buffer_clear(&store->record.end, RECORD_KEEP);
}

/* Encodes the record, as far as that was not done beside the check, and reserves room for it. *size: bytes.
 */
static enum status reserve_record(struct proposal *p, size_t *size)
{
	struct store *store = p->store;
	struct journal *journal = store->options.journal;
	if (!change_record_begun(store->names))
		change_record_begin(store->names, &p->changes);
	enum status status = encode_end(p);
	for (bool settled = false; status == ST_OK && !settled;) {
		uint64_t segment;
		status = encode_head(p);
		*size = record_size(store);
		if (status == ST_OK)
			status = journal->ops->reserve(journal, *size, &segment);
		settled = status != ST_OK || segment == store->names_segment;
		if (!settled)
			begin_segment(p, segment);
	}
	if (status != ST_OK) {
		change_record_abandon(store->names);
		clear_record(store);
	}
	return status;
}

/* What was reserved goes to the journal, if there is one, and the version to those who wait. */
static enum status append(struct proposal *p)
{
	struct store *store = p->store;
	bool is_journaled = store->options.journal != NULL;
	struct bytes pieces[] = {buffer_get(&store->record.head), change_record_items(store->names),
				 buffer_get(&store->record.end)};
	const struct journal_payload record = {pieces, sizeof(pieces) / sizeof(pieces[0])};
	enum status status = store__append(store, &p->step, p->version, record);
	if (is_journaled)
		change_record_end(store->names);
	clear_record(store);
	return status;
}

/* NULL stays NULL. */
static char *copy_text(const char *text, size_t most)
{
	if (text == NULL)
		return NULL;
	size_t size = strnlen(text, most);
	char *copy = memory_zalloc(size + 1);
	memcpy(copy, text, size);
	return copy;
}

static bool changes_startup(const struct proposal *p)
{
	const struct store_startup *wanted = p->step.source->startup, *present = &p->tip->startup;
	return wanted != NULL && (wanted->kind != present->kind || wanted->root != present->root);
}

static void make_version(struct proposal *p)
{
	tree_record_ref(p->root);
	p->version = store__version_new(p->tip->id + 1, p->root, p->call->actor, p->valid);
	p->version->fallback = p->step.fallback;
	p->version->change_count = p->changes.length;
	p->version->set_aside = p->step.source->purpose == STORE__SET_ASIDE;
	p->version->txids = store__txids_next(p->store, p->tip->txids, p->version, &p->changes);
	p->version->index = p->index;
	p->index = NULL;
	p->version->startup =
		*store__startup_ref(changes_startup(p) ? p->step.source->startup : &p->tip->startup);
	if (changes_startup(p))
		p->version->startup_change = store__startup_form(&p->version->startup, p->root);
	p->version->comment = copy_text(p->call->comment, STORE_COMMENT_MAX);
	p->version->label = copy_text(p->call->label, STORE_LABEL_MAX);
}

static enum status phase_reserve(struct proposal *p)
{
	size_t size = 0;
	make_version(p);
	enum status status = p->store->options.journal == NULL ? ST_OK : reserve_record(p, &size);
	if (status == ST_OK)
		return ST_OK;
	store__version_unref(p->store, p->version);
	if (status == ST_IO && store__check_writable(p->store, p->call->diags) != ST_OK)
		return ST_IO;
	bool is_full = status != ST_IO;
	log_error("journal: %s for a record of %zu bytes: %s", is_full ? "no room" : "no segment", size,
		  status_name(status));
	diag_add(p->call->diags, DIAG_APPLICATION, is_full ? DIAG_RESOURCE_DENIED : DIAG_OPERATION_FAILED,
		 is_full ? "The journal has no room for the change." : "The journal cannot be written.");
	return ST_REJECTED;
}

/* Nothing changed: no version, no record. But the timer of a confirmed commit may start again. */
static enum status nothing_changed(struct proposal *p)
{
	pthread_mutex_lock(&p->store->state);
	store__confirmed_apply(p->store, &p->step, p->tip->id);
	pthread_mutex_unlock(&p->store->state);
	return ST_OK;
}

static bool is_nothing(const struct proposal *p)
{
	return p->changes.root == NULL && (p->tip->valid || p->is_forced) &&
	       p->step.fallback == p->tip->fallback && !changes_startup(p) &&
	       p->step.source->purpose != STORE__SET_ASIDE;
}

/* The phases up to append; the writer lock is held. */
static enum status run_phases(struct proposal *p, struct store_answer *answer)
{
	enum status status = p->is_forced ? ST_OK : phase_settle(p, &answer->counters);
	if (status != ST_OK)
		return status;
	phase_prepare(p);
	if (is_nothing(p))
		return nothing_changed(p);
	store__beside_start(&p->beside, p->store, &p->changes);
	if (!p->is_forced)
		status = phase_authorise(p);
	if (status == ST_OK && !p->goes_back)
		status = store__partial_check(p->store, p->call, p->tip->root, p->root);
	if (status == ST_OK)
		status = validate_and_log(p, &answer->counters);
	if (status == ST_OK && !p->is_forced)
		status = phase_consult(p);
	store__beside_finish(&p->beside, status == ST_OK);
	if (status == ST_OK)
		status = phase_reserve(p);
	if (status != ST_OK)
		return status;
	tree_stamp_changes(&p->changes, tree_stamp_of(p->version->id));
	answer->after = p->version->id;
	answer->txid = p->version->txids->datastore;
	status = append(p);
	answer->changed = status == ST_OK;
	if (status == ST_OK)
		store__partial_settle(p->store, p->tip->root, p->root);
	return status;
}

/* Whether anything may be proposed at all. */
static enum status check_admitted(struct proposal *p)
{
	enum status status = store__check_writable(p->store, p->call->diags);
	if (status == ST_OK && p->step.source->purpose == STORE__STARTUP)
		return store__check_unlocked(p->store, STORE_STARTUP, p->call);
	if (status == ST_OK && !p->is_forced)
		status = store__check_unlocked(p->store, STORE_RUNNING, p->call);
	return status;
}

static void drop_root(struct store *store, const struct tree_record *root)
{
	if (root != NULL)
		tree_record_unref(root, store->options.schema->root, store->options.reclaimer);
}

/* The writer lock is held. */
static enum status propose_locked(struct store *store, const struct store_call *call,
				  const struct store__source *source, struct store_answer *answer)
{
	struct proposal p = {
		.store = store,
		.call = call,
		.goes_back = source->purpose == STORE__CANCEL || source->purpose == STORE__REVERT,
		.tip = store__tip(store),
	};
	p.is_forced = p.goes_back || source->purpose == STORE__STARTUP || source->purpose == STORE__BOOT ||
		      source->purpose == STORE__SET_ASIDE;
	p.step = (struct store__step){.call = call, .source = source, .tip = p.tip};
	enum status status = check_admitted(&p);
	if (status == ST_OK)
		status = store__conditions_check(store, call->conditions, p.tip, call->diags);
	if (status == ST_OK) {
		answer->txid = p.tip->txids->datastore;
		answer->after = p.tip->id; /* whatever becomes of tip meanwhile: what the answer rests on */
		status = store__confirmed_check(store, &p.step);
	}
	if (status == ST_OK)
		status = source->make(source, store, p.tip->root, call->diags, &p.root);
	if (status == ST_OK) {
		p.arena = arena_new();
		status = run_phases(&p, answer);
		arena_free(p.arena);
		check_index_unref(p.index, store->options.reclaimer);
		drop_root(store, p.root);
		if (p.step.dropped != NULL)
			store__version_unref(store, p.step.dropped);
	}
	if (store__is_published(store, answer->after))
		answer->after = 0;
	store__version_unref(store, p.tip);
	return status;
}

enum status store__propose(struct store *store, const struct store_call *call,
			   const struct store__source *source, struct store_answer *answer)
{
	if (!store__writer_acquire(store, call->wait))
		return ST_BUSY;
	enum status status = propose_locked(store, call, source, answer);
	store__writer_release(store);
	store__announce(store);
	return status;
}
