/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Recovery above the journal: bytes that were found to be whole become a tree. One builder takes the snapshot
 * and then the records, so the tree is changed in place and a million small records copy no paths. Records up
 * to the snapshot's version are read too, for the names that they define and for the history.
 *
 * Where a confirmed commit begins, the tree as it is before it is kept until the commit is confirmed or taken
 * back: in the last version neither has happened, and the store goes back there (confirmed.c). Startup is
 * kept as it was last written; it shares with running what they have in common (startup.c).
 *
 * Names in a snapshot or a segment that was written under another schema are looked up in the present one,
 * and their values parsed again. What does not fit is left out, and where anything was, misfit.c finds out
 * what of it the last version has: that is refused or set aside. Whether the whole is still valid is then
 * checked by store_open, as for a first start.
 */
#include "store/recover.h"
#include <inttypes.h>
#include "base/log.h"
#include "base/memory.h"
#include "base/vector.h"
#include "store/history_internal.h"
#include "store/misfit.h"
#include "store/txid_internal.h"

#define LOGGED_MAX 100 /* misfits by name */

struct recovering {
	struct store_recovery *recovery;
	struct journal *journal;
	struct tree_builder *builder;
	struct diag_list *diags;
	size_t history;
	unsigned threads;
	uint64_t snapshot_version;
	const unsigned char *fingerprint;   /* of the schema as it is */
	const struct store_version *record; /* that is being applied */
	bool same_schema;		    /* all that was applied was written under it */
	uint64_t left_out;		    /* times that something did not fit */
	enum store_mismatch mismatch;
	uint64_t memory, held; /* bytes: that old roots may hold, and that they do, guessed */
	size_t rootless;       /* the first of the versions, without root */
	const struct tree_record *snapshot_root; /* a reference; NULL: its version is not listed */
};

/* ---- versions that can be listed ---- */

/* The tree as it is now; the builder goes on from it. One reference. */
static struct tree_record *take_root(struct recovering *r)
{
	struct tree_record *root = tree_builder_finish(r->builder);
	r->builder = tree_builder_new(r->recovery->schema, root, NULL);
	return root;
}

static void drop_root(struct recovering *r, struct store_recovered_version *entry)
{
	if (entry->root == NULL)
		return;
	tree_record_unref(entry->root, r->recovery->schema->root, NULL);
	entry->root = NULL;
	r->held -= store__past_cost(entry->info->change_count);
}

static void forget(struct recovering *r, size_t count)
{
	struct vector *versions = &r->recovery->versions;
	struct store_recovered_version *first = versions->data;
	for (size_t i = 0; i < count; i++) {
		drop_root(r, &first[i]);
		store__info_free(first[i].info);
	}
	memmove(first, first + count, (versions->length - count) * sizeof(*first));
	versions->length -= count;
	r->rootless -= r->rootless < count ? r->rootless : count;
}

/* The last versions keep their roots, as they do in a server that goes on: who looks at one after a restart
 * need not wait for the journal. Those before the snapshot have none. */
static const struct tree_record *root_to_keep(struct recovering *r, uint64_t version)
{
	if (version + r->history <= journal_disk_version(r->journal) || version < r->snapshot_version)
		return NULL;
	return version == r->snapshot_version ? tree_record_ref(r->snapshot_root) : take_root(r);
}

/* Takes `info`. Forgetting is done in batches, so that it costs O(1) for each. */
static void note_version(struct recovering *r, struct store_version *info,
			 const struct journal_location *location)
{
	struct vector *versions = &r->recovery->versions;
	struct store_recovered_version *entry = vector_push(versions);
	*entry = (struct store_recovered_version){info, *location, root_to_keep(r, info->id)};
	if (entry->root != NULL)
		r->held += store__past_cost(info->change_count);
	else
		r->rootless = versions->length;
	while (r->held > r->memory && r->rootless < versions->length)
		drop_root(r, vector_at(versions, r->rootless++));
	if (versions->length >= 2 * r->history + 16)
		forget(r, versions->length - r->history);
}

/* ---- schema ---- */

static enum status next_block(void *arg, struct bytes *block)
{
	enum status status = journal_snapshot_next(arg, block);
	return status == ST_ABSENT ? ST_CORRUPT : status;
}

static bool is_same_schema(const struct recovering *r, const unsigned char *fingerprint)
{
	return memcmp(fingerprint, r->fingerprint, JOURNAL_FINGERPRINT_SIZE) == 0;
}

static void note_schema(struct recovering *r, struct change_dictionary *names,
			const unsigned char *fingerprint)
{
	bool same = is_same_schema(r, fingerprint);
	change_dictionary_set_strict(names, !same);
	change_dictionary_set_lenient(names, !same);
	r->same_schema = r->same_schema && same;
}

/* ---- startup ---- */

static void drop_startup(struct store_recovery *recovery)
{
	if (recovery->startup.root != NULL)
		tree_record_unref(recovery->startup.root, recovery->schema->root, NULL);
	recovery->startup = (struct store_startup){STORE_STARTUP_OFF, NULL};
}

/* The root that a block makes of running's, which it takes. */
static enum status make_startup(struct recovering *r, const struct tree_record *running, bool strict,
				struct bytes block, const struct tree_record **root)
{
	const struct schema *schema = r->recovery->schema;
	struct change_dictionary *names = change_dictionary_new(schema);
	struct tree_builder *builder = tree_builder_new(schema, running, NULL);
	tree_record_unref(running, schema->root, NULL);
	change_dictionary_set_strict(names, strict);
	change_dictionary_set_lenient(names, strict);
	enum status status = change_record_apply(names, block, CHANGE_REDO, builder, r->diags);
	r->left_out += change_dictionary_left_out(names);
	if (status == ST_OK)
		*root = tree_builder_finish(builder);
	else
		tree_builder_abort(builder);
	change_dictionary_free(names);
	return status;
}

/* What it is from now on, when running is what the builder has; `block`: REPLACED, from running to it. */
static enum status note_startup(struct recovering *r, enum store_startup_change change,
				const unsigned char *fingerprint, struct bytes block)
{
	struct store_recovery *recovery = r->recovery;
	if (change == STORE_STARTUP_UNCHANGED)
		return ST_OK;
	drop_startup(recovery);
	if (change == STORE_STARTUP_GIVEN_UP)
		return ST_OK;
	recovery->startup.kind = STORE_STARTUP_DELETED;
	if (change == STORE_STARTUP_REMOVED)
		return ST_OK;
	const struct tree_record *root = take_root(r);
	enum status status = ST_OK;
	if (change == STORE_STARTUP_REPLACED)
		status = make_startup(r, root, !is_same_schema(r, fingerprint), block, &root);
	if (status == ST_OK)
		recovery->startup = (struct store_startup){STORE_STARTUP_KEPT, root};
	return status;
}

/* ---- snapshot ---- */

static enum status read_startup(struct recovering *r, const unsigned char *fingerprint,
				struct journal_snapshot_reader *reader)
{
	enum store_startup_change change = r->recovery->info->startup_change;
	struct bytes block = {NULL, 0};
	enum status status = change == STORE_STARTUP_REPLACED ? next_block(reader, &block) : ST_OK;
	return status == ST_OK ? note_startup(r, change, fingerprint, block) : status;
}

/* Goes on without them only where they are not there any more: the file is replaced when the next one is
 * given. */
static enum status load_labels(struct recovering *r)
{
	enum status status = store__history_file_read(r->journal, &r->recovery->told); /* says why not */
	if (status == ST_CORRUPT)
		log_warning("labels that were given after a commit are lost");
	return status == ST_CORRUPT ? ST_OK : status;
}

static enum status load_snapshot(struct recovering *r)
{
	struct journal_snapshot_reader *reader;
	struct journal_snapshot snapshot;
	enum status status = journal_disk_load(r->journal, &reader, &snapshot);
	if (status != ST_OK)
		return status;
	struct change_dictionary *names = change_dictionary_new(r->recovery->schema);
	change_dictionary_set_threads(names, r->threads);
	struct bytes head = snapshot.head;
	r->snapshot_version = snapshot.version;
	r->recovery->info = store__record_take_head(snapshot.version, &head);
	note_schema(r, names, snapshot.fingerprint);
	status = r->recovery->info == NULL || r->recovery->info->fallback != 0
			 ? ST_CORRUPT
			 : change_tree_decode(names, r->builder, next_block, reader, r->diags);
	if (status == ST_OK)
		status = read_startup(r, snapshot.fingerprint, reader);
	if (status == ST_OK && snapshot.version + r->history > journal_disk_version(r->journal))
		r->snapshot_root = take_root(r);
	if (status == ST_CORRUPT)
		log_error("the snapshot of version %" PRIu64 " is whole, but not what this version writes",
			  snapshot.version);
	r->left_out += change_dictionary_left_out(names);
	change_dictionary_free(names);
	journal_snapshot_reader_free(reader);
	return status;
}

/* ---- records ---- */

static void drop_fallback(struct store_recovery *recovery)
{
	if (recovery->fallback == NULL)
		return;
	tree_record_unref(recovery->fallback, recovery->schema->root, NULL);
	recovery->fallback = NULL;
}

/* Before the record of `info` is applied. */
static void note_fallback(struct recovering *r, const struct store_version *info)
{
	struct store_recovery *recovery = r->recovery;
	if (info->fallback == 0) {
		drop_fallback(recovery);
	} else if (recovery->fallback == NULL) {
		recovery->fallback = take_root(r);
		recovery->fallback_id = recovery->info->id;
		recovery->fallback_valid = recovery->info->valid;
	}
}

/* A record says that something at or below the node has changed. */
static void note_change(void *arg, const struct schema_node *node)
{
	struct recovering *r = arg;
	store__txid_touch(r->recovery->txids, r->record, node);
}

static enum status define_names(struct change_dictionary *names, const struct store_version *info,
				struct bytes block)
{
	struct bytes startup;
	if (!store__record_take_startup(info, &block, &startup))
		return ST_CORRUPT;
	return change_record_define(names, block);
}

static enum status redo(struct recovering *r, const struct journal_record *record,
			const struct store_version *info, struct bytes block)
{
	struct change_dictionary *names = r->recovery->names;
	struct bytes startup;
	if (!store__record_take_startup(info, &block, &startup))
		return ST_CORRUPT;
	note_fallback(r, info);
	change_dictionary_watch(names, note_change, r);
	tree_builder_set_stamp(r->builder, store__txid_stamp(r->recovery->txids, record->version));
	enum status status = change_record_apply(names, block, CHANGE_REDO, r->builder, r->diags);
	change_dictionary_watch(names, NULL, NULL);
	tree_builder_set_stamp(r->builder, 0);
	if (info->set_aside)
		store__txid_touch_all(r->recovery->txids, info);
	if (status == ST_OK)
		store__txid_reach(r->recovery->txids, record->version,
				  tree_builder_position(r->builder)->record);
	return status == ST_OK ? note_startup(r, info->startup_change, record->fingerprint, startup) : status;
}

static enum status apply_record(void *arg, const struct journal_record *record)
{
	struct recovering *r = arg;
	struct store_recovery *recovery = r->recovery;
	struct bytes block = record->payload;
	if (record->location.segment != recovery->names_segment) {
		change_dictionary_reset(recovery->names);
		recovery->names_segment = record->location.segment;
	}
	bool is_older = record->version <= r->snapshot_version;
	bool same = r->same_schema;
	note_schema(r, recovery->names, record->fingerprint);
	if (is_older)
		r->same_schema = same;
	struct store_version *info = store__record_take_head(record->version, &block);
	enum status status = info == NULL ? ST_CORRUPT : ST_OK;
	r->record = info;
	if (status == ST_OK)
		status = is_older ? define_names(recovery->names, info, block) : redo(r, record, info, block);
	if (status == ST_CORRUPT)
		log_error("the record of version %" PRIu64 " at offset %" PRIu64 " of segment %" PRIu64
			  " is whole, but does not fit what was before it",
			  record->version, record->location.offset, record->location.segment);
	if (status == ST_OK && !is_older) {
		store__info_free(recovery->info);
		recovery->info = store__info_copy(info);
	}
	if (status == ST_OK)
		note_version(r, info, &record->location);
	else
		store__info_free(info);
	return status;
}

/* Version 1 has no record; who has that of version 2 can go back to it. */
static void list_first(struct recovering *r)
{
	struct store_recovery *recovery = r->recovery;
	struct vector *versions = &recovery->versions;
	if (versions->length == 0 || versions->length >= r->history ||
	    ((struct store_recovered_version *)vector_at(versions, 0))->info->id != 2)
		return;
	static const struct store_actor server = {0, "", NULL};
	struct store_version *info = store__version_new(1, NULL, &server, false);
	info->time_ns = 0; /* not known, where the file does not tell */
	for (size_t i = 0; i < recovery->told.length; i++) {
		const struct store__told *told = vector_at(&recovery->told, i);
		if (told->version == 1)
			info->time_ns = told->time_ns;
	}
	vector_push(versions);
	struct store_recovered_version *first = versions->data;
	memmove(first + 1, first, (versions->length - 1) * sizeof(*first));
	*first = (struct store_recovered_version){.info = info};
}

/* ---- what does not fit ---- */

static void list_misfits(struct recovering *r, const struct vector *misfits, const char *datastore)
{
	for (size_t i = 0; i < misfits->length; i++) {
		const struct store__misfit *misfit = vector_at(misfits, i);
		bool has_value = misfit->value != NULL;
		diag_add(r->diags, DIAG_APPLICATION, DIAG_INVALID_VALUE,
			 "%s: %s%s%.80s%s: the schema has no place for it", datastore, misfit->path,
			 has_value ? " = '" : "", has_value ? misfit->value : "", has_value ? "'" : "");
	}
}

static enum status set_aside(struct recovering *r, const struct vector *misfits, const char *datastore)
{
	uint64_t version = r->recovery->info->id;
	char name[STORE__QUARANTINE_NAME_SIZE];
	if (misfits->length == 0)
		return ST_OK;
	enum status status = store__quarantine_write(r->journal, version, datastore, misfits);
	store__quarantine_name(version, datastore, name);
	for (size_t i = 0; status == ST_OK && i < misfits->length && i < LOGGED_MAX; i++)
		log_warning("%s: set aside: %s", datastore,
			    ((struct store__misfit *)vector_at(misfits, i))->path);
	if (status == ST_OK)
		log_warning("%s: the schema has no place for %zu nodes of version %" PRIu64
			    ": they are in %s",
			    datastore, misfits->length, version, name);
	r->recovery->set_aside += misfits->length;
	return status;
}

/* Something did not fit, in the last version or in one before it only. */
static enum status settle_misfits(struct recovering *r)
{
	struct store__misfits misfits;
	enum status status = store__misfits_find(r->recovery->schema, r->journal, &misfits);
	if (status == ST_OK && r->mismatch == STORE_REFUSE) {
		list_misfits(r, &misfits.running, "running");
		list_misfits(r, &misfits.startup, "startup");
		status = misfits.running.length + misfits.startup.length > 0 ? ST_REJECTED : ST_OK;
	} else if (status == ST_OK) {
		status = set_aside(r, &misfits.running, "running");
		if (status == ST_OK)
			status = set_aside(r, &misfits.startup, "startup");
	}
	store__misfits_fini(&misfits);
	return status;
}

/* Where the file is older than the snapshot, what changed in between is not known. */
static void load_txids(struct recovering *r)
{
	struct store_recovery *recovery = r->recovery;
	enum status status = store__txid_file_read(r->journal, recovery->txids);
	if (status == ST_OK && recovery->txids->version < r->snapshot_version)
		store__txid_forget(recovery->txids);
	store__txid_reach(recovery->txids, r->snapshot_version, tree_builder_position(r->builder)->record);
}

/* A snapshot says of its version what startup is, its record what the version did to it. */
static void note_last_change(struct store_recovery *recovery)
{
	const struct vector *versions = &recovery->versions;
	recovery->info->startup_change = STORE_STARTUP_UNCHANGED;
	if (versions->length == 0)
		return;
	const struct store_recovered_version *last = vector_at(versions, versions->length - 1);
	if (last->info->id == recovery->info->id)
		recovery->info->startup_change = last->info->startup_change;
}

static enum status load(struct recovering *r, const unsigned char *fingerprint)
{
	struct store_recovery *recovery = r->recovery;
	struct tree_record *empty = tree_record_new();
	r->builder = tree_builder_new(recovery->schema, empty, NULL);
	tree_record_unref(empty, recovery->schema->root, NULL);
	r->fingerprint = fingerprint;
	r->same_schema = true;
	enum status status = load_snapshot(r);
	if (status == ST_OK)
		status = load_labels(r);
	if (status == ST_OK)
		load_txids(r);
	if (status == ST_OK)
		status = journal_disk_replay(r->journal, apply_record, r);
	if (r->snapshot_root != NULL)
		tree_record_unref(r->snapshot_root, recovery->schema->root, NULL);
	if (status != ST_OK) {
		tree_builder_abort(r->builder);
		return status;
	}
	recovery->root = tree_builder_finish(r->builder);
	change_dictionary_set_threads(recovery->names, 1); /* of a server that goes on */
	note_last_change(recovery);
	recovery->info->valid = recovery->info->valid && r->same_schema;
	recovery->fallback_valid = recovery->fallback_valid && r->same_schema;
	if (recovery->versions.length > r->history)
		forget(r, recovery->versions.length - r->history);
	list_first(r);
	r->left_out += change_dictionary_left_out(recovery->names);
	return r->left_out > 0 ? settle_misfits(r) : ST_OK;
}

/* ---- a new directory ---- */

static enum status begin(struct recovering *r, const struct tree_record *initial_root)
{
	static const struct store_actor server = {0, "", NULL};
	struct store_recovery *recovery = r->recovery;
	recovery->is_new = true;
	recovery->root = initial_root != NULL ? tree_record_ref(initial_root) : tree_record_new();
	recovery->info = store__version_new(1, NULL, &server, false);
	struct store__told *told = vector_push(&recovery->told);
	*told = (struct store__told){.version = 1, .time_ns = recovery->info->time_ns};
	enum status status = store__history_file_write(r->journal, &recovery->told);
	if (status == ST_OK)
		status = store__snapshot_write(r->journal, recovery->schema, recovery->root, recovery->info,
					       NULL);
	if (status != ST_OK)
		log_error("the data directory cannot be set up: %s", status_name(status));
	return status;
}

/* The ids of what was recovered, and the file anew. */
static void settle_txids(struct store_recovery *recovery, struct journal *journal)
{
	struct store__txid_state *state = recovery->txids;
	uint64_t version = recovery->info->id;
	/* What was set aside is gone from the version; the next one says so (store__startup_settle), and is
	 * what the nodes around it are of. */
	bool forgets = recovery->set_aside > 0;
	if (forgets)
		store__txid_forget(state);
	store__txid_settle(state, version, recovery->info->time_ns);
	if (forgets)
		store__stamps_forget(recovery->schema, recovery->root);
	if (forgets || state->incomplete)
		store__stamps_fill(recovery->schema, recovery->root, state->txids, version,
				   forgets ? version + 1 : 0);
	/* Those of the last version are what the file had. */
	bool same = !forgets && !state->incomplete && !state->has_runs && state->version == version;
	struct store__txid_file file = {
		recovery->schema, version,	  recovery->root,
		state->txids,	  &state->epochs, same ? buffer_get(&state->runs) : (struct bytes){NULL, 0}};
	/* Without the file ids are other ones after the next start, and never wrong. */
	if (store__txid_file_write(journal, &file) != ST_OK)
		log_warning("transaction ids will not outlast this run of the server");
}

enum status store_recover(const struct store_recover_options *options, struct diag_list *diags,
			  struct store_recovery **recovery)
{
	struct store_recovery *made = memory_zalloc(sizeof(*made));
	struct journal *journal = options->journal;
	struct recovering r = {.recovery = made,
			       .journal = journal,
			       .diags = diags,
			       .history = options->history,
			       .threads = options->threads,
			       .memory = options->history_memory,
			       .mismatch = options->mismatch};
	made->schema = options->schema;
	made->names = change_dictionary_new(options->schema);
	change_dictionary_set_threads(made->names, options->threads);
	vector_init(&made->versions, sizeof(struct store_recovered_version));
	vector_init(&made->told, sizeof(struct store__told));
	made->txids = memory_zalloc(sizeof(*made->txids));
	store__txid_state_init(made->txids, options->schema);
	enum status status = journal_disk_is_new(journal) ? begin(&r, options->initial_root)
							  : load(&r, journal_disk_fingerprint(journal));
	if (status == ST_OK)
		status = journal_disk_start(journal);
	if (status == ST_OK) {
		settle_txids(made, journal);
		*recovery = made;
	} else {
		store_recovery_free(made);
	}
	return status;
}

void store_recovery_free(struct store_recovery *recovery)
{
	if (recovery == NULL)
		return;
	if (recovery->root != NULL)
		tree_record_unref(recovery->root, recovery->schema->root, NULL);
	drop_fallback(recovery);
	drop_startup(recovery);
	store__info_free(recovery->info);
	change_dictionary_free(recovery->names);
	for (size_t i = 0; i < recovery->versions.length; i++) {
		const struct store_recovered_version *entry = vector_at(&recovery->versions, i);
		store__info_free(entry->info);
		if (entry->root != NULL)
			tree_record_unref(entry->root, recovery->schema->root, NULL);
	}
	vector_fini(&recovery->versions);
	store__told_fini(&recovery->told);
	store__txid_state_fini(recovery->txids);
	memory_free(recovery->txids);
	memory_free(recovery);
}
