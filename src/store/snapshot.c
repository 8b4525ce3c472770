/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Snapshots of running in the background: a thread pins the published version, encodes it block by block and
 * hands the blocks to the journal, at a pace that leaves the disk to commits. Commits go on meanwhile; the
 * version stays as it is, being immutable. One is due when the journal has grown by as much as the last
 * snapshot has, and by a least amount, so the time that a start takes and what is written twice are both
 * bounded. The same thread makes the file of the journal's next segment.
 *
 * A snapshot that fails leaves everything as it was; the next is tried after as much growth again.
 */
#include <inttypes.h>
#include <time.h>
#include "base/assert.h"
#include "base/log.h"
#include "base/memory.h"
#include "journal/journal_disk.h"
#include "os/clock.h"
#include "store/internal.h"
#include "store/recover.h"
#include "store/txid_internal.h"

#define BLOCK_SIZE ((size_t)256 << 10) /* bytes */

struct writing {
	struct journal_snapshot_writer *writer;
	struct store *store; /* to be paced by; NULL: not */
	uint64_t started_ns;
	uint64_t size; /* written so far */
};

/* What is due of the other thing that the thread does. The state mutex is held; without it meanwhile. */
static void prepare(struct store *store)
{
	if (!store->room_due)
		return;
	pthread_mutex_unlock(&store->state);
	journal_disk_prepare(store->options.journal);
	pthread_mutex_lock(&store->state);
	store->room_due = false;
}

/* Waits until what is written is no more than the pace allows. Ends early when the store does: false. */
static bool keep_pace(struct writing *writing)
{
	struct store *store = writing->store;
	if (store == NULL || store->options.snapshot_pace == 0)
		return true;
	uint64_t due_ns = writing->started_ns +
			  (uint64_t)((double)writing->size * 1e9 / (double)store->options.snapshot_pace);
	struct timespec due = {(time_t)(due_ns / 1000000000), (long)(due_ns % 1000000000)};
	pthread_mutex_lock(&store->state);
	int error = 0;
	prepare(store);
	while (!store->stopping && error == 0 && os_clock_monotonic_ns() < due_ns)
		error = pthread_cond_clockwait(&store->snapshot_wanted, &store->state, CLOCK_MONOTONIC, &due);
	bool going = !store->stopping;
	pthread_mutex_unlock(&store->state);
	return going;
}

static enum status write_block(void *arg, struct bytes block)
{
	struct writing *writing = arg;
	enum status status = journal_snapshot_write(writing->writer, block);
	writing->size += block.size;
	if (status == ST_OK && !keep_pace(writing))
		return ST_BUSY;
	return status;
}

/* What startup has else than running, as one block. */
static enum status write_startup(struct writing *writing, const struct schema *schema,
				 const struct store_startup *startup, const struct tree_record *root)
{
	struct buffer block;
	buffer_init(&block, SIZE_MAX);
	enum status status = store__startup_encode(schema, startup, root, &block);
	if (status == ST_OK)
		status = write_block(writing, buffer_get(&block));
	buffer_fini(&block);
	return status;
}

enum status store__snapshot_write(struct journal *journal, const struct schema *schema,
				  const struct tree_record *root, const struct store_version *info,
				  struct store *paced)
{
	ASSERT(info->fallback == 0);
	struct writing writing = {.store = paced, .started_ns = os_clock_monotonic_ns()};
	struct buffer head;
	buffer_init(&head, SIZE_MAX);
	enum store_startup_change form = store__startup_form(&info->startup, root);
	store__record_put_head(info, form, &head);
	enum status status = journal_snapshot_begin(journal, info->id, buffer_get(&head), &writing.writer);
	buffer_fini(&head);
	if (status != ST_OK)
		return status;
	struct change_dictionary *names = change_dictionary_new(schema);
	status = change_tree_encode(names, root, BLOCK_SIZE, write_block, &writing);
	if (status == ST_OK && form == STORE_STARTUP_REPLACED)
		status = write_startup(&writing, schema, &info->startup, root);
	change_dictionary_free(names);
	if (status == ST_OK)
		return journal_snapshot_finish(writing.writer);
	journal_snapshot_abort(writing.writer);
	return status;
}

/* Whether the newest snapshot is as new as any may be now. The state mutex is held. */
static bool is_newest(const struct store *store, uint64_t snapshot)
{
	uint64_t fallback = store->published->fallback;
	return fallback != 0 && fallback <= snapshot;
}

/*
 * What a snapshot is made of, with a reference: what is published; while a confirmed commit is pending, the
 * version to go back to, as the records after the newest snapshot have to lead through that. NULL: none.
 */
static struct store_version *pin_source(struct store *store)
{
	uint64_t snapshot = journal_disk_growth(store->options.journal).snapshot;
	pthread_mutex_lock(&store->state);
	struct store_version *version = store->published;
	if (is_newest(store, snapshot))
		version = NULL;
	else if (version->fallback != 0)
		version = store->confirmed.fallback; /* NULL where the next version to be published ends it */
	if (version != NULL && version->id > store->published->id)
		version = NULL;
	if (version != NULL)
		store__version_ref(version);
	pthread_mutex_unlock(&store->state);
	return version;
}

static enum status write_txids(struct store *store, const struct store_version *version)
{
	struct store__txid_file file = {.schema = store->options.schema,
					.version = version->id,
					.root = version->root,
					.txids = version->txids,
					.epochs = &store->epochs};
	return store__txid_file_write(store->options.journal, &file);
}

static enum status snapshot(struct store *store, struct store *paced)
{
	pthread_mutex_lock(&store->snapshot_writer);
	struct store_version *version = pin_source(store);
	enum status status = ST_BUSY;
	/* The ids first, so that a start finds those of this version or of a later one. What a start found to
	 * go back to has none. */
	if (version != NULL)
		status = version->txids == NULL ? ST_OK : write_txids(store, version);
	if (status == ST_OK)
		status = store__snapshot_write(store->options.journal, store->options.schema, version->root,
					       version, paced);
	if (status == ST_OK)
		log_info("snapshot of version %" PRIu64, version->id);
	else if (status != ST_BUSY)
		log_error("no snapshot of version %" PRIu64 ": %s", version->id, status_name(status));
	if (version != NULL)
		store__version_unref(store, version);
	pthread_mutex_unlock(&store->snapshot_writer);
	return status;
}

enum status store_snapshot(struct store *store)
{
	return snapshot(store, NULL);
}

static void *snapshot_run(void *arg)
{
	struct store *store = arg;
	pthread_mutex_lock(&store->state);
	while (!store->stopping) {
		prepare(store);
		if (!store->snapshot_due) {
			if (!store->stopping && !store->room_due)
				pthread_cond_wait(&store->snapshot_wanted, &store->state);
			continue;
		}
		store->snapshot_due = false;
		pthread_mutex_unlock(&store->state);
		if (snapshot(store, store) != ST_OK)
			log_debug("the next snapshot is tried later");
		pthread_mutex_lock(&store->state);
	}
	pthread_mutex_unlock(&store->state);
	return NULL;
}

static bool has_grown(const struct store *store, const struct journal_growth *growth)
{
	uint64_t least = store->options.snapshot_growth;
	return least != 0 && growth->appended >= least && growth->appended >= growth->snapshot_size;
}

void store__snapshot_consider(struct store *store)
{
	if (!store->has_snapshot_thread)
		return;
	struct journal_growth growth = journal_disk_growth(store->options.journal);
	bool has = has_grown(store, &growth);
	if (!has && !growth.wants_room)
		return;
	pthread_mutex_lock(&store->state);
	bool snapshot_due = store->snapshot_due || (has && !is_newest(store, growth.snapshot));
	bool room_due = store->room_due || growth.wants_room;
	if (snapshot_due != store->snapshot_due || room_due != store->room_due)
		pthread_cond_signal(&store->snapshot_wanted);
	store->snapshot_due = snapshot_due;
	store->room_due = room_due;
	pthread_mutex_unlock(&store->state);
}

enum status store__snapshot_start(struct store *store)
{
	if (store->options.recovery == NULL || store->options.manual_sync)
		return ST_OK;
	store->has_snapshot_thread = pthread_create(&store->snapshot_thread, NULL, snapshot_run, store) == 0;
	if (!store->has_snapshot_thread)
		return ST_IO;
	store__snapshot_consider(store);
	return ST_OK;
}

void store__snapshot_stop(struct store *store)
{
	if (!store->has_snapshot_thread)
		return;
	pthread_mutex_lock(&store->state);
	store->stopping = true;
	pthread_cond_signal(&store->snapshot_wanted);
	pthread_mutex_unlock(&store->state);
	pthread_join(store->snapshot_thread, NULL);
}
