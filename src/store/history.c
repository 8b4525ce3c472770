/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The history: a row of versions, each with who made it, where its record is in the journal, and for the
 * newer ones their root.
 *
 *     version   12   13   14   15   16   17       17 is what is published
 *     root       -    -    -    x    x    x       as many as history_memory allows, the newest at least
 *     record     x    x    x    x    x    x       with a journal on disk
 *
 * The root of 13 is that of 15 with the records of 15 and 14 taken back. Nothing is kept of it: it is wanted
 * rarely, and costs what the changes cost.
 *
 * Invariant: those without a root are the first ones, and ids follow each other without a gap.
 */
#include "store/history.h"
#include <inttypes.h>
#include "base/assert.h"
#include "base/log.h"
#include "base/memory.h"
#include "store/internal.h"
#include "store/recover.h"

/* What an old root holds on to that newer ones do not, guessed: its changes, and the paths to them. */
#define COST_LEAST 512u /* bytes */
#define COST_PER_CHANGE 512u

struct store__past {
	struct store_version *info;	  /* without root; owned */
	struct journal_location location; /* segment 0: it has no record */
	const struct tree_record *root;	  /* NULL: not held */
	uint64_t cost;
};

static struct store__past *past_at(const struct store__history *history, size_t index)
{
	return vector_at(&history->versions, history->start + index);
}

static size_t length_of(const struct store__history *history)
{
	return history->versions.length - history->start;
}

static void drop_root(struct store *store, struct store__past *past)
{
	if (past->root == NULL)
		return;
	store->history.cost -= past->cost;
	tree_record_unref(past->root, store->options.schema->root, store->options.reclaimer);
	past->root = NULL;
}

/* Room at the front is given back when it is half of all, so forgetting one costs O(1). */
static void forget_first(struct store *store)
{
	struct store__history *history = &store->history;
	struct store__past *first = past_at(history, 0);
	drop_root(store, first);
	store__info_free(first->info);
	history->start++;
	history->rootless -= history->rootless > 0;
	size_t left = length_of(history);
	if (history->start <= left)
		return;
	if (left > 0)
		memmove(history->versions.data, past_at(history, 0), left * sizeof(struct store__past));
	history->versions.length = left;
	history->start = 0;
}

/* Takes `info`, and a reference of its own of `root`. The mutex is held. */
static void push(struct store *store, struct store_version *info, const struct journal_location *location,
		 const struct tree_record *root)
{
	struct store__history *history = &store->history;
	struct store__past *past = vector_push(&history->versions);
	*past = (struct store__past){.info = info,
				     .location = *location,
				     .cost = COST_LEAST + info->change_count * COST_PER_CHANGE};
	if (root != NULL) {
		past->root = tree_record_ref(root);
		history->cost += past->cost;
	} else {
		ASSERT(history->rootless == length_of(history) - 1);
		history->rootless++;
	}
	while (length_of(history) > store->options.history_length && length_of(history) > 1)
		forget_first(store);
	while (history->cost > store->options.history_memory && history->rootless + 1 < length_of(history))
		drop_root(store, past_at(history, history->rootless++));
}

void store__history_init(struct store *store)
{
	static const struct journal_location nowhere;
	const struct store_recovery *recovery = store->options.recovery;
	size_t length = recovery != NULL ? recovery->versions.length : 0;
	pthread_mutex_init(&store->history.mutex, NULL);
	vector_init(&store->history.versions, sizeof(struct store__past));
	const struct journal_location *location = &nowhere;
	for (size_t i = 0; i < length; i++) {
		const struct store_recovered_version *found = vector_at(&recovery->versions, i);
		if (found->info->id == store->published->id)
			location = &found->location;
		else
			push(store, store__info_copy(found->info), &found->location, NULL);
	}
	push(store, store__info_copy(store->published), location, store->published->root);
}

void store__history_fini(struct store *store)
{
	while (length_of(&store->history) > 0)
		forget_first(store);
	vector_fini(&store->history.versions);
	pthread_mutex_destroy(&store->history.mutex);
}

void store__history_add(struct store *store, const struct store_version *version)
{
	pthread_mutex_lock(&store->history.mutex);
	push(store, store__info_copy(version), &version->location, version->root);
	pthread_mutex_unlock(&store->history.mutex);
}

void store_history_each(struct store *store, bool (*visit)(void *arg, const struct store_version *info),
			void *arg)
{
	pthread_mutex_lock(&store->history.mutex);
	bool going = true;
	for (size_t i = length_of(&store->history); going && i > 0; i--)
		going = visit(arg, past_at(&store->history, i - 1)->info);
	pthread_mutex_unlock(&store->history.mutex);
}

/* ---- old roots ---- */

/* The way back from a held root: the records to be taken back, the newest first. */
struct way {
	const struct tree_record *root; /* one reference */
	struct vector records;		/* struct journal_location */
};

/* False: not listed, or a record on the way is not on disk. */
static bool find_way(struct store *store, uint64_t version, struct way *way)
{
	const struct store__history *history = &store->history;
	size_t length = length_of(history);
	uint64_t first = past_at(history, 0)->info->id;
	if (version < first || version - first >= length)
		return false;
	size_t index = (size_t)(version - first),
	       held = index < history->rootless ? history->rootless : index;
	for (size_t i = held; i > index; i--) {
		const struct store__past *past = past_at(history, i);
		if (past->location.segment == 0)
			return false;
		*(struct journal_location *)vector_push(&way->records) = past->location;
	}
	way->root = tree_record_ref(past_at(history, held)->root);
	return true;
}

/* Names of one segment, and the records that were read with them. */
struct undoing {
	struct store *store;
	struct change_dictionary *names;
	uint64_t segment; /* that `names` are of; 0: none */
	struct tree_builder *builder;
	struct diag_list *diags;
};

static enum status define_names(void *arg, const struct journal_record *record)
{
	struct undoing *undoing = arg;
	struct bytes block = record->payload;
	struct store_version *info = store__record_take_head(record->version, &block);
	if (info == NULL)
		return ST_CORRUPT;
	store__info_free(info);
	bool same = memcmp(record->fingerprint, journal_disk_fingerprint(undoing->store->options.journal),
			   JOURNAL_FINGERPRINT_SIZE) == 0;
	change_dictionary_set_strict(undoing->names, !same);
	return change_record_define(undoing->names, block);
}

static enum status undo_record(struct undoing *undoing, const struct journal_location *location)
{
	struct journal *journal = undoing->store->options.journal;
	enum status status = ST_OK;
	if (undoing->segment != location->segment) {
		change_dictionary_reset(undoing->names);
		undoing->segment = location->segment;
		status = journal_disk_read_segment(journal, location->segment, location->offset, define_names,
						   undoing);
	}
	struct buffer payload;
	buffer_init(&payload, SIZE_MAX);
	if (status == ST_OK)
		status = journal_disk_read(journal, location, &payload);
	struct bytes block = buffer_get(&payload);
	struct store_version *info = status == ST_OK ? store__record_take_head(0, &block) : NULL;
	if (status == ST_OK && info == NULL)
		status = ST_CORRUPT;
	if (status == ST_OK)
		status = change_record_apply(undoing->names, block, CHANGE_UNDO, undoing->builder,
					     undoing->diags);
	store__info_free(info);
	buffer_fini(&payload);
	if (status != ST_OK)
		log_error("history: the record at offset %" PRIu64 " of segment %" PRIu64
			  " cannot be taken back: %s",
			  location->offset, location->segment, status_name(status));
	return status;
}

/* Goes the way. Takes the way's root; gives the one at its end. */
static enum status go_back(struct store *store, const struct way *way, const struct tree_record **root)
{
	if (way->records.length == 0) {
		*root = way->root;
		return ST_OK;
	}
	struct diag_list diags;
	struct arena *arena = arena_new();
	diag_list_init(&diags, arena, 1);
	struct undoing undoing = {
		.store = store,
		.names = change_dictionary_new(store->options.schema),
		.builder = tree_builder_new(store->options.schema, way->root, store->options.reclaimer),
		.diags = &diags,
	};
	tree_record_unref(way->root, store->options.schema->root, store->options.reclaimer);
	enum status status = ST_OK;
	for (size_t i = 0; i < way->records.length && status == ST_OK; i++)
		status = undo_record(&undoing, vector_at(&way->records, i));
	if (status == ST_OK)
		*root = tree_builder_finish(undoing.builder);
	else
		tree_builder_abort(undoing.builder);
	change_dictionary_free(undoing.names);
	arena_free(arena);
	return status == ST_REJECTED ? ST_ABSENT : status;
}

enum status store_history_pin(struct store *store, uint64_t version, const struct tree_record **root)
{
	struct way way = {NULL, {0}};
	vector_init(&way.records, sizeof(struct journal_location));
	pthread_mutex_lock(&store->history.mutex);
	bool found = find_way(store, version, &way);
	pthread_mutex_unlock(&store->history.mutex);
	enum status status = found ? go_back(store, &way, root) : ST_ABSENT;
	vector_fini(&way.records);
	return status;
}

enum status store_history_rollback(struct store *store, const struct store_call *call, uint64_t version,
				   struct store_answer *answer)
{
	const struct tree_record *root;
	*answer = (struct store_answer){0};
	enum status status = store_history_pin(store, version, &root);
	if (status == ST_ABSENT) {
		diag_add(call->diags, DIAG_APPLICATION, DIAG_DATA_MISSING,
			 "The history has no version %" PRIu64 ".", version);
		return ST_REJECTED;
	}
	if (status != ST_OK) {
		diag_add(call->diags, DIAG_APPLICATION, DIAG_OPERATION_FAILED,
			 "Version %" PRIu64 " cannot be read from the journal.", version);
		return status;
	}
	status = store__replace_running(store, call, STORE__ROLLBACK, root, answer);
	tree_record_unref(root, store->options.schema->root, store->options.reclaimer);
	return status;
}
