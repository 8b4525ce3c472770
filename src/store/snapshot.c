/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Snapshots of running in the background: a thread pins the published version, encodes it block by block and
 * hands the blocks to the journal, at a pace that leaves the disk to commits. Commits go on meanwhile; the
 * version stays as it is, being immutable. One is due when the journal has grown by as much as the last
 * snapshot has, and by a least amount, so the time that a start takes and what is written twice are both
 * bounded.
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

#define BLOCK_SIZE ((size_t)256 << 10) /* bytes */

struct writing {
	struct journal_snapshot_writer *writer;
	struct store *store; /* to be paced by; NULL: not */
	uint64_t started_ns;
	uint64_t size; /* written so far */
};

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

enum status store__snapshot_write(struct journal *journal, const struct schema *schema,
				  const struct tree_record *root, const struct store_version *info,
				  struct store *paced)
{
	ASSERT(info->fallback == 0);
	struct writing writing = {.store = paced, .started_ns = os_clock_monotonic_ns()};
	struct buffer head;
	buffer_init(&head, SIZE_MAX);
	store__record_put_head(info, &head);
	enum status status = journal_snapshot_begin(journal, info->id, buffer_get(&head), &writing.writer);
	buffer_fini(&head);
	if (status != ST_OK)
		return status;
	struct change_dictionary *names = change_dictionary_new(schema);
	status = change_tree_encode(names, root, BLOCK_SIZE, write_block, &writing);
	change_dictionary_free(names);
	if (status == ST_OK)
		return journal_snapshot_finish(writing.writer);
	journal_snapshot_abort(writing.writer);
	return status;
}

/* Never within a confirmed commit, so that the records after the newest snapshot lead through its fallback.
 */
static enum status snapshot(struct store *store, struct store *paced)
{
	pthread_mutex_lock(&store->snapshot_writer);
	const struct store_version *version = store_pin(store);
	enum status status = ST_BUSY;
	if (version->fallback == 0)
		status = store__snapshot_write(store->options.journal, store->options.schema, version->root,
					       version, paced);
	if (status == ST_OK)
		log_info("snapshot of version %" PRIu64, version->id);
	else if (status != ST_BUSY)
		log_error("no snapshot of version %" PRIu64 ": %s", version->id, status_name(status));
	store_unpin(store, version);
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
	for (;;) {
		while (!store->snapshot_due && !store->stopping)
			pthread_cond_wait(&store->snapshot_wanted, &store->state);
		if (store->stopping)
			break;
		store->snapshot_due = false;
		pthread_mutex_unlock(&store->state);
		if (snapshot(store, store) != ST_OK)
			log_debug("the next snapshot is tried later");
		pthread_mutex_lock(&store->state);
	}
	pthread_mutex_unlock(&store->state);
	return NULL;
}

void store__snapshot_consider(struct store *store)
{
	uint64_t appended, size;
	if (!store->has_snapshot_thread)
		return;
	journal_disk_growth(store->options.journal, &appended, &size);
	if (appended < store->options.snapshot_growth || appended < size)
		return;
	pthread_mutex_lock(&store->state);
	store->snapshot_due = true;
	pthread_cond_signal(&store->snapshot_wanted);
	pthread_mutex_unlock(&store->state);
}

enum status store__snapshot_start(struct store *store)
{
	if (store->options.recovery == NULL || store->options.snapshot_growth == 0)
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
