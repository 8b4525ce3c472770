/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Roots of old versions. The root of 13 is that of 15 with the records of 15 and 14 taken back, so it costs
 * what these changed and shares with 15 the rest. What was made is kept (STORE_REBUILT of them, and no more
 * than half of history_memory together, guessed), so that looking at a version again is as cheap as before a
 * restart; the one that was used longest ago goes first.
 *
 * Reading the journal happens without a lock: versions may be retired meanwhile (ST_ABSENT), and two threads
 * may make the same root.
 */
#include <inttypes.h>
#include <string.h>
#include "base/log.h"
#include "store/history_internal.h"

/* The way back from a held root: the records to be taken back. */
struct way {
	const struct tree_record *root; /* one reference */
	struct vector records;		/* struct journal_location, the oldest first */
	uint64_t cost;			/* what the root at its end holds on to alone, guessed */
};

/* The root of a version that is held, or was made again; NULL: neither. */
static const struct tree_record *root_of(const struct store__history *history, const struct store__past *past)
{
	if (past->root != NULL)
		return past->root;
	for (size_t i = 0; i < history->rebuilt_length; i++)
		if (history->rebuilt[i].version == past->info->id)
			return history->rebuilt[i].root;
	return NULL;
}

/* False: not listed, or a record on the way is not on disk. */
static bool find_way(struct store *store, uint64_t version, struct way *way)
{
	const struct store__history *history = &store->history;
	const struct store__past *past = store__past_find(history, version);
	if (past == NULL)
		return false;
	for (; root_of(history, past) == NULL; past++) {
		if ((past + 1)->location.segment == 0)
			return false;
		way->cost += (past + 1)->cost;
		*(struct journal_location *)vector_push(&way->records) = (past + 1)->location;
	}
	way->root = tree_record_ref(root_of(history, past));
	return true;
}

/* Makes the one that is at `index` the first. */
static void use(struct store__history *history, size_t index)
{
	struct store__rebuilt used = history->rebuilt[index];
	memmove(history->rebuilt + 1, history->rebuilt, index * sizeof(used));
	history->rebuilt[0] = used;
}

static void forget(struct store *store, size_t index)
{
	struct store__history *history = &store->history;
	struct store__rebuilt *gone = &history->rebuilt[index];
	tree_record_unref(gone->root, store->options.schema->root, store->options.reclaimer);
	history->rebuilt_cost -= gone->cost;
	history->rebuilt_length--;
	memmove(gone, gone + 1, (history->rebuilt_length - index) * sizeof(*gone));
}

void store__rebuilt_forget(struct store *store, uint64_t first)
{
	for (size_t i = store->history.rebuilt_length; i > 0; i--)
		if (store->history.rebuilt[i - 1].version < first)
			forget(store, i - 1);
}

/* Keeps a root that was made again, and forgets the one that was used longest ago where there are too many.
 */
static void keep(struct store *store, uint64_t version, const struct way *way, const struct tree_record *root)
{
	struct store__history *history = &store->history;
	uint64_t most = store->options.history_memory / 2;
	for (size_t i = 0; i < history->rebuilt_length; i++)
		if (history->rebuilt[i].version == version) {
			use(history, i);
			return; /* another thread made it, too, or it was there */
		}
	if (way->records.length == 0 || way->cost > most || store__past_find(history, version) == NULL)
		return;
	while (history->rebuilt_length == STORE_REBUILT || history->rebuilt_cost + way->cost > most)
		forget(store, history->rebuilt_length - 1);
	history->rebuilt[history->rebuilt_length++] =
		(struct store__rebuilt){version, tree_record_ref(root), way->cost};
	history->rebuilt_cost += way->cost;
	use(history, history->rebuilt_length - 1);
}

/* Names of one segment, and the records of it that are on the way. */
struct undoing {
	struct store *store;
	const struct way *way;
	struct change_dictionary *names;
	size_t left;	    /* records of the way that are not taken back yet, the first ones */
	struct vector kept; /* struct kept: of one segment, the oldest first */
	struct buffer blocks;
	struct tree_builder *builder;
	struct diag_list *diags;
};

/* The changes of a record, in `blocks`. */
struct kept {
	size_t start, size;
};

static const struct journal_location *location_at(const struct undoing *undoing, size_t index)
{
	return vector_at(&undoing->way->records, index);
}

/* Whether it is the next of the segment's records on the way. */
static bool is_wanted(const struct undoing *undoing, const struct journal_record *record, size_t first)
{
	size_t index = first + undoing->kept.length;
	return index < undoing->left && location_at(undoing, index)->offset == record->location.offset;
}

struct reading {
	struct undoing *undoing;
	size_t first; /* of the way's records in the segment */
};

/* Names are of use from the segment's first record on, changes from the first one of the way. */
static enum status read_record(void *arg, const struct journal_record *record)
{
	struct reading *reading = arg;
	struct undoing *undoing = reading->undoing;
	struct bytes block = record->payload, startup;
	struct store_version *info = store__record_take_head(record->version, &block);
	bool good = info != NULL && store__record_take_startup(info, &block, &startup);
	store__info_free(info);
	if (!good)
		return ST_CORRUPT;
	bool same = memcmp(record->fingerprint, journal_disk_fingerprint(undoing->store->options.journal),
			   JOURNAL_FINGERPRINT_SIZE) == 0;
	change_dictionary_set_strict(undoing->names, !same);
	change_dictionary_set_lenient(undoing->names, !same);
	if (is_wanted(undoing, record, reading->first)) {
		*(struct kept *)vector_push(&undoing->kept) =
			(struct kept){buffer_size(&undoing->blocks), block.size};
		enum status status = buffer_append(&undoing->blocks, block);
		if (status != ST_OK)
			return status;
	}
	return change_record_define(undoing->names, block);
}

/* Takes back the last records that are left and in one segment: one pass over that. */
static enum status undo_segment(struct undoing *undoing)
{
	struct journal *journal = undoing->store->options.journal;
	const struct journal_location last = *location_at(undoing, undoing->left - 1);
	size_t first = undoing->left - 1;
	while (first > 0 && location_at(undoing, first - 1)->segment == last.segment)
		first--;
	change_dictionary_reset(undoing->names);
	vector_clear(&undoing->kept);
	buffer_clear(&undoing->blocks, 0);
	struct reading reading = {undoing, first};
	enum status status =
		journal_disk_read_segment(journal, last.segment, last.offset, read_record, &reading);
	if (status == ST_OK && undoing->kept.length != undoing->left - first)
		status = ST_CORRUPT;
	const char *blocks = buffer_get(&undoing->blocks).data;
	for (size_t i = undoing->kept.length; status == ST_OK && i > 0; i--) {
		const struct kept *kept = vector_at(&undoing->kept, i - 1);
		struct bytes block = {blocks + kept->start, kept->size};
		status = change_record_apply(undoing->names, block, CHANGE_UNDO, undoing->builder,
					     undoing->diags);
	}
	undoing->left = first;
	if (status != ST_OK)
		log_error("history: records up to offset %" PRIu64 " of segment %" PRIu64
			  " cannot be taken back: %s",
			  last.offset, last.segment, status_name(status));
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
		.way = way,
		.names = change_dictionary_new(store->options.schema),
		.builder = tree_builder_new(store->options.schema, way->root, store->options.reclaimer),
		.left = way->records.length,
		.diags = &diags,
	};
	vector_init(&undoing.kept, sizeof(struct kept));
	buffer_init(&undoing.blocks, SIZE_MAX);
	tree_record_unref(way->root, store->options.schema->root, store->options.reclaimer);
	enum status status = ST_OK;
	while (undoing.left > 0 && status == ST_OK)
		status = undo_segment(&undoing);
	vector_fini(&undoing.kept);
	buffer_fini(&undoing.blocks);
	uint64_t left_out = change_dictionary_left_out(undoing.names);
	if (left_out > 0)
		log_warning(
			"history: the schema has no place for something in an old version: it is left out "
			"(%" PRIu64 " times)",
			left_out);
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
	struct way way = {0};
	vector_init(&way.records, sizeof(struct journal_location));
	pthread_mutex_lock(&store->history.mutex);
	bool found = find_way(store, version, &way);
	pthread_mutex_unlock(&store->history.mutex);
	enum status status = found ? go_back(store, &way, root) : ST_ABSENT;
	if (status == ST_OK) {
		pthread_mutex_lock(&store->history.mutex);
		keep(store, version, &way, *root);
		pthread_mutex_unlock(&store->history.mutex);
	}
	vector_fini(&way.records);
	return status;
}
