/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The journal on disk: opening a directory, and the calls of journal.h. Changes come from the pipeline's
 * reserve and append, under the writer lock; the sync thread makes them durable.
 *
 *     segments   [ number 1 ][ number 2 ][ number 3, preallocated ....... ]
 *                                            ^ durable     ^ end
 *
 * Everything that may fail for want of space is done in reserve: the last segment has room for the record and
 * for a seal, or a new one is begun, under a temporary name until its header is durable (mostly in a file
 * that was made ahead of time: spare.c). Append keeps the record in memory, and the sync that covers it
 * writes it (tail.c): one call for many records, and none that waits for another. Where answers do not wait
 * for a sync, append writes. A failure of a write or a sync is one of the sync: after either one no byte is
 * written any more.
 *
 * Invariant: segments that are neither the last one nor have unsynced frames have no open file.
 */
#include <inttypes.h>
#include <stdlib.h>
#include "base/assert.h"
#include "base/log.h"
#include "base/memory.h"
#include "journal/internal.h"
#include "os/random.h"

#define NOTHING UINT64_MAX
#define FRAME_KEEP ((size_t)64 << 10)	  /* bytes of the frame's buffer that stay allocated */
#define MORE_MOST ((uint64_t)256 << 10)	  /* bytes, see room_of */
#define DIR_MAX (JOURNAL__PATH_SIZE - 64) /* bytes of the directory's name */

/* ---- segments ---- */

static void next_header(const struct journal_disk *disk, struct journal__header *header)
{
	*header = (struct journal__header){.number = 1, .first_version = 2, .directory = disk->directory};
	memcpy(header->fingerprint, disk->options.fingerprint, JOURNAL_FINGERPRINT_SIZE);
	if (disk->segments.length == 0)
		return;
	const struct journal__segment *last = journal__last_segment(disk);
	header->number = last->header.number + 1;
	header->base = journal__segment_end(last);
	header->first_version = last->last_version + 1;
	header->durable = disk->durable;
	header->previous = last->checksum;
}

/* An empty file of that size under a temporary name. */
static enum status make_file(struct journal_disk *disk, uint64_t size, char path[JOURNAL__PATH_SIZE],
			     struct os_file **file)
{
	struct os_fs *fs = disk->fs;
	journal__path(disk, "journal.tmp", path);
	enum status status = fs->open(fs, path, OS_OPEN_CREATE, file);
	if (status != ST_OK)
		return status;
	status = fs->truncate(*file, 0);
	if (status == ST_OK)
		status = fs->preallocate(*file, journal__tail_room(size));
	if (status != ST_OK)
		fs->close(*file);
	return status;
}

/* The same, made ahead of time where there is one and it is large enough. */
static enum status find_file(struct journal_disk *disk, uint64_t size, char path[JOURNAL__PATH_SIZE],
			     struct os_file **file)
{
	*file = size <= disk->options.segment_size ? journal__spare_take(disk, path) : NULL;
	return *file != NULL ? ST_OK : make_file(disk, size, path, file);
}

static enum status write_header(struct journal_disk *disk, struct journal__header *header,
				struct os_file *file)
{
	char bytes[JOURNAL__HEADER_SIZE];
	journal__header_encode(header, bytes);
	enum status status = disk->fs->write(file, 0, (struct bytes){bytes, sizeof(bytes)});
	return status == ST_OK ? disk->fs->sync(file) : status;
}

static void set_failed(struct journal_disk *disk)
{
	pthread_mutex_lock(&disk->mutex);
	disk->failed = true;
	pthread_mutex_unlock(&disk->mutex);
}

/* Gives the file its name. Whether a directory that could not be synced has it is not known: no going on. */
static enum status name_file(struct journal_disk *disk, const char *temporary, const char *path)
{
	enum status status = disk->fs->rename(disk->fs, temporary, path);
	if (status != ST_OK)
		return status;
	status = disk->fs->sync_dir(disk->fs, disk->dir);
	if (status != ST_OK) {
		log_error("%s: cannot be synced: %s; nothing more is written", disk->dir,
			  status_name(status));
		set_failed(disk);
	}
	return status;
}

static void add_segment(struct journal_disk *disk, struct journal__header *header, struct os_file *file,
			uint64_t capacity)
{
	char header_bytes[JOURNAL__HEADER_SIZE];
	journal__header_encode(header, header_bytes);
	pthread_mutex_lock(&disk->mutex);
	struct journal__segment *segment = vector_push(&disk->segments);
	*segment = (struct journal__segment){.header = *header,
					     .end = JOURNAL__HEADER_SIZE,
					     .last_version = header->first_version - 1,
					     .checksum = header->checksum,
					     .file = file};
	disk->capacity = capacity;
	disk->needs_segment = false;
	journal__tail_begin(&disk->tail, JOURNAL__HEADER_SIZE, header_bytes);
	pthread_mutex_unlock(&disk->mutex);
}

/* What a segment has room for that begins with `size` bytes of frames. A record that turns out to begin a
 * segment is reserved once more, with all names defined: one that is larger than a segment must not need
 * another file for these. */
static uint64_t room_of(const struct journal_disk *disk, uint64_t size)
{
	uint64_t more = size / 16 < MORE_MOST ? size / 16 : MORE_MOST;
	uint64_t room = JOURNAL__HEADER_SIZE + size + more;
	return room > disk->options.segment_size ? room : disk->options.segment_size;
}

enum status journal__new_segment(struct journal_disk *disk, uint64_t size)
{
	char temporary[JOURNAL__PATH_SIZE], path[JOURNAL__PATH_SIZE];
	struct journal__header header;
	struct os_file *file = NULL;
	pthread_mutex_lock(&disk->mutex);
	next_header(disk, &header);
	pthread_mutex_unlock(&disk->mutex);
	journal__segment_path(disk, header.number, path);
	uint64_t capacity = room_of(disk, size);
	enum status status = find_file(disk, capacity, temporary, &file);
	bool made = status == ST_OK;
	if (made)
		status = write_header(disk, &header, file);
	if (status == ST_OK)
		status = name_file(disk, temporary, path);
	if (status == ST_OK)
		add_segment(disk, &header, file, capacity);
	else if (made)
		disk->fs->close(file);
	/* Room that is not used. If it stays, the next start removes it. */
	if (status != ST_OK && disk->fs->unlink(disk->fs, temporary) != ST_OK)
		log_debug("%s: left over", temporary);
	journal__spare_used(disk);
	return status;
}

/* ---- syncs ---- */

/* What one sync covers. */
struct sync_scope {
	struct vector files; /* struct os_file *; the last one may be written as well */
	struct journal__piece piece;
	bool has_piece;
	uint64_t position, version;
};

/* The mutex is held. */
static void scope_take(struct journal_disk *disk, struct sync_scope *scope)
{
	const struct journal__segment *last = journal__last_segment(disk);
	vector_init(&scope->files, sizeof(struct os_file *));
	scope->position = journal__segment_end(last);
	scope->version = last->last_version;
	for (size_t i = 0; i < disk->segments.length; i++) {
		struct os_file *file = journal__segment_at(disk, i)->file;
		if (file != NULL)
			*(struct os_file **)vector_push(&scope->files) = file;
	}
	scope->has_piece = !disk->options.write_at_append && journal__tail_take(&disk->tail, &scope->piece);
}

static enum status scope_sync(struct journal_disk *disk, const struct sync_scope *scope)
{
	enum status status = ST_OK;
	for (size_t i = 0; i < scope->files.length && status == ST_OK; i++) {
		struct os_file *file = *(struct os_file **)vector_at(&scope->files, i);
		bool is_last = i + 1 == scope->files.length;
		status = is_last && scope->has_piece
				 ? disk->fs->write_durably(file, scope->piece.offset, scope->piece.bytes)
				 : disk->fs->sync(file);
	}
	return status;
}

/* Closes what is durable as a whole: it was in the scope and not the last one. The mutex is held. */
static void scope_close(struct journal_disk *disk, const struct sync_scope *scope)
{
	for (size_t i = 0; i + 1 < scope->files.length; i++) {
		struct os_file *file = *(struct os_file **)vector_at(&scope->files, i);
		for (size_t k = 0; k < disk->segments.length; k++) {
			if (journal__segment_at(disk, k)->file == file)
				journal__segment_at(disk, k)->file = NULL;
		}
		disk->fs->close(file);
	}
}

static enum status sync_all(struct journal_disk *disk)
{
	struct sync_scope scope;
	pthread_mutex_lock(&disk->mutex);
	scope_take(disk, &scope);
	enum status status = disk->failed ? ST_IO : ST_OK;
	pthread_mutex_unlock(&disk->mutex);
	if (status == ST_OK)
		status = scope_sync(disk, &scope);
	pthread_mutex_lock(&disk->mutex);
	if (scope.has_piece)
		journal__tail_taken(&disk->tail);
	/* A write that failed meanwhile may have been before one that this sync covers. */
	if (status != ST_OK || disk->failed) {
		disk->failed = true;
		status = ST_IO;
	} else {
		disk->durable = scope.position;
		disk->syncs += scope.version > disk->durable_version;
		disk->synced += scope.version - disk->durable_version;
		disk->durable_version = scope.version;
		scope_close(disk, &scope);
	}
	pthread_mutex_unlock(&disk->mutex);
	vector_fini(&scope.files);
	return status;
}

static enum status sync_appended(struct journal_disk *disk)
{
	pthread_mutex_lock(&disk->syncing);
	enum status status = sync_all(disk);
	pthread_mutex_unlock(&disk->syncing);
	return status;
}

/* ---- the calls of journal.h ---- */

static enum status disk_reserve(struct journal *journal, size_t size, uint64_t *segment)
{
	struct journal_disk *disk = journal__of(journal);
	pthread_mutex_lock(&disk->mutex);
	bool failed = disk->failed;
	uint64_t end = journal__last_segment(disk)->end;
	pthread_mutex_unlock(&disk->mutex);
	disk->reserved = NOTHING;
	if (failed)
		return ST_IO;
	if (size > JOURNAL__RECORD_MAX)
		return ST_LIMIT;
	uint64_t needed = size + 2 * JOURNAL__FRAME_SIZE;
	if (end + needed > disk->capacity) {
		/* The tail is of the last segment only. */
		enum status status = disk->options.write_at_append ? ST_OK : sync_appended(disk);
		if (status == ST_OK)
			status = journal__new_segment(disk, needed);
		if (status != ST_OK)
			return status;
	}
	disk->reserved = size;
	pthread_mutex_lock(&disk->mutex);
	*segment = journal__last_segment(disk)->header.number;
	pthread_mutex_unlock(&disk->mutex);
	return ST_OK;
}

static enum status write_now(struct journal_disk *disk, struct os_file *file, uint64_t offset,
			     struct journal_payload payload, const char head[JOURNAL__FRAME_SIZE])
{
	(void)buffer_reserve(&disk->frame, JOURNAL__FRAME_SIZE + journal_payload_size(payload));
	enum status status = buffer_append(&disk->frame, (struct bytes){head, JOURNAL__FRAME_SIZE});
	for (size_t i = 0; i < payload.count && status == ST_OK; i++)
		status = buffer_append(&disk->frame, payload.pieces[i]);
	if (status == ST_OK)
		status = disk->fs->write(file, offset, buffer_get(&disk->frame));
	buffer_clear(&disk->frame, FRAME_KEEP); /* now: the next one may be long in coming */
	return status;
}

static void put_in_tail(struct journal__tail *tail, struct journal_payload payload,
			const char head[JOURNAL__FRAME_SIZE])
{
	journal__tail_expect(tail, JOURNAL__FRAME_SIZE + journal_payload_size(payload));
	journal__tail_put(tail, (struct bytes){head, JOURNAL__FRAME_SIZE});
	for (size_t i = 0; i < payload.count; i++)
		journal__tail_put(tail, payload.pieces[i]);
}

/* Puts a frame with the payload behind the last one. */
static enum status write_frame(struct journal_disk *disk, struct journal__frame *frame,
			       struct journal_payload payload)
{
	pthread_mutex_lock(&disk->mutex);
	struct journal__segment *segment = journal__last_segment(disk);
	struct os_file *file = segment->file;
	ASSERT(frame->version == segment->last_version + (frame->kind == JOURNAL__CHANGE));
	frame->offset = segment->end;
	frame->previous = segment->checksum;
	frame->durable = disk->durable;
	bool failed = disk->failed;
	pthread_mutex_unlock(&disk->mutex);
	if (failed)
		return ST_IO;

	char head[JOURNAL__FRAME_SIZE];
	size_t size = journal_payload_size(payload);
	frame->checksum = journal__frame_encode(frame, payload, head);
	enum status status = ST_OK;
	if (disk->options.write_at_append)
		status = write_now(disk, file, frame->offset, payload, head);

	pthread_mutex_lock(&disk->mutex);
	if (!disk->options.write_at_append)
		put_in_tail(&disk->tail, payload, head);
	segment = journal__last_segment(disk); /* retiring moves it */
	segment->end += JOURNAL__FRAME_SIZE + size;
	segment->checksum = frame->checksum;
	segment->last_version = frame->version;
	disk->appended_since += JOURNAL__FRAME_SIZE + size;
	disk->last = (struct journal_location){segment->header.number, frame->offset, size};
	disk->failed = disk->failed || status != ST_OK;
	pthread_mutex_unlock(&disk->mutex);
	return status;
}

static void disk_append(struct journal *journal, uint64_t version, struct journal_payload record)
{
	struct journal_disk *disk = journal__of(journal);
	ASSERT(disk->reserved != NOTHING && journal_payload_size(record) <= disk->reserved);
	disk->reserved = NOTHING;
	struct journal__frame frame = {.kind = JOURNAL__CHANGE, .version = version};
	enum status status = write_frame(disk, &frame, record);
	if (status != ST_OK)
		log_error("journal: version %" PRIu64 " could not be written: %s", version,
			  status_name(status));
}

static enum status disk_sync(struct journal *journal, uint64_t *version)
{
	struct journal_disk *disk = journal__of(journal);
	pthread_mutex_lock(&disk->syncing);
	enum status status = sync_all(disk);
	if (status == ST_OK)
		*version = disk->durable_version;
	pthread_mutex_unlock(&disk->syncing);
	return status;
}

enum status journal__sync_to(struct journal_disk *disk, uint64_t version)
{
	pthread_mutex_lock(&disk->syncing);
	pthread_mutex_lock(&disk->mutex);
	bool reached = disk->durable_version >= version && !disk->failed;
	pthread_mutex_unlock(&disk->mutex);
	enum status status = reached ? ST_OK : sync_all(disk);
	pthread_mutex_unlock(&disk->syncing);
	return status;
}

static void disk_close(struct journal *journal)
{
	struct journal_disk *disk = journal__of(journal);
	for (size_t i = 0; i < disk->segments.length; i++)
		disk->fs->close(journal__segment_at(disk, i)->file);
	journal__spare_close(disk);
	disk->fs->close(disk->lock);
	vector_fini(&disk->segments);
	vector_fini(&disk->snapshots);
	buffer_fini(&disk->frame);
	journal__tail_fini(&disk->tail);
	pthread_mutex_destroy(&disk->mutex);
	pthread_mutex_destroy(&disk->syncing);
	memory_free(disk->dir);
	memory_free(disk);
}

/* ---- opening ---- */

/* What the directory holds. */
struct listing {
	struct journal_disk *disk;
	struct vector segments, snapshots; /* uint64_t */
	struct vector temporaries;	   /* char *, owned */
	bool is_recovering;		   /* `yare recover` did not come to its end */
	enum status status;		   /* what kept it from being listed; logged */
};

/* False: it is not to be listed. */
static bool look_at(struct listing *listing, const char *name, struct journal__entry *entry)
{
	const struct journal_disk *disk = listing->disk;
	enum status status = journal__entry_look(disk->fs, disk->dir, name, entry);
	bool is_good = status == ST_OK && entry->fault[0] == '\0';
	if (is_good || status == ST_ABSENT)
		return is_good;
	if (status == ST_OK)
		log_error("%s/%s: %s", disk->dir, name, entry->fault);
	else
		log_error("%s/%s: cannot be read: %s", disk->dir, name, status_name(status));
	listing->status = status == ST_OK ? ST_CORRUPT : status;
	return false;
}

static void note_name(const char *name, void *arg)
{
	struct listing *listing = arg;
	struct journal__entry entry;
	if (!look_at(listing, name, &entry))
		return;
	switch (entry.name) {
	case JOURNAL__NAME_SEGMENT:
		*(uint64_t *)vector_push(&listing->segments) = entry.number;
		return;
	case JOURNAL__NAME_SNAPSHOT:
		*(uint64_t *)vector_push(&listing->snapshots) = entry.number;
		return;
	case JOURNAL__NAME_TEMPORARY:
		*(char **)vector_push(&listing->temporaries) = memory_strdup(name);
		return;
	case JOURNAL__NAME_RECOVERING:
		listing->is_recovering = true;
		return;
	case JOURNAL__NAME_LOCK:
	case JOURNAL__NAME_ATTACHMENT:
	case JOURNAL__NAME_OTHER:
		return;
	}
}

static int compare_numbers(const void *left, const void *right)
{
	const uint64_t *a = left, *b = right;
	return (*a > *b) - (*a < *b);
}

static void sort_numbers(struct vector *numbers)
{
	if (numbers->length > 1)
		qsort(numbers->data, numbers->length, sizeof(uint64_t), compare_numbers);
}

static enum status list_directory(struct journal_disk *disk, struct listing *listing)
{
	vector_init(&listing->segments, sizeof(uint64_t));
	vector_init(&listing->snapshots, sizeof(uint64_t));
	vector_init(&listing->temporaries, sizeof(char *));
	enum status status = disk->fs->list(disk->fs, disk->dir, note_name, listing);
	if (status != ST_OK)
		log_error("%s: cannot be read: %s", disk->dir, status_name(status));
	sort_numbers(&listing->segments);
	sort_numbers(&listing->snapshots);
	if (status == ST_OK)
		status = listing->status;
	if (status == ST_OK && listing->is_recovering) {
		log_error("%s: yare recover did not come to its end there: run it again", disk->dir);
		return ST_CORRUPT;
	}
	return status;
}

static void listing_fini(struct listing *listing)
{
	for (size_t i = 0; i < listing->temporaries.length; i++)
		memory_free(*(char **)vector_at(&listing->temporaries, i));
	vector_fini(&listing->temporaries);
	vector_fini(&listing->segments);
	vector_fini(&listing->snapshots);
}

static enum status remove_temporaries(struct journal_disk *disk, const struct listing *listing)
{
	enum status status = ST_OK;
	for (size_t i = 0; i < listing->temporaries.length && status == ST_OK; i++) {
		char path[JOURNAL__PATH_SIZE];
		journal__path(disk, *(char **)vector_at(&listing->temporaries, i), path);
		log_info("%s: left over, removed", path);
		status = disk->fs->unlink(disk->fs, path);
	}
	return status;
}

static enum status lock_directory(struct journal_disk *disk)
{
	char path[JOURNAL__PATH_SIZE];
	enum status status = disk->fs->make_dir(disk->fs, disk->dir);
	if (status != ST_OK) {
		log_error("%s: cannot be made: %s", disk->dir, status_name(status));
		return status;
	}
	journal__path(disk, "lock", path);
	status = disk->fs->open(disk->fs, path, OS_OPEN_CREATE, &disk->lock);
	if (status == ST_OK)
		status = disk->fs->lock(disk->lock);
	if (status == ST_BUSY)
		log_error("%s: another server uses this data directory", disk->dir);
	else if (status != ST_OK)
		log_error("%s: cannot be locked: %s", path, status_name(status));
	return status;
}

/* Finds the newest whole snapshot; *version 0: there is none at all. */
static enum status choose_snapshot(struct journal_disk *disk, const struct listing *listing,
				   uint64_t *version, uint64_t *first_segment)
{
	enum status status = ST_ABSENT;
	*version = 0;
	for (size_t i = listing->snapshots.length; i > 0 && status != ST_OK; i--) {
		*version = *(uint64_t *)vector_at(&listing->snapshots, i - 1);
		status = journal__snapshot_check(disk, *version, first_segment);
		if (status != ST_OK && status != ST_CORRUPT)
			return status;
		if (status != ST_OK && i > 1)
			log_warning("falling back to the snapshot before it");
	}
	if (status == ST_CORRUPT)
		log_error("%s: no snapshot is whole", disk->dir);
	for (size_t i = 0; i < listing->snapshots.length && status == ST_OK; i++) {
		uint64_t found = *(uint64_t *)vector_at(&listing->snapshots, i);
		if (found <= *version)
			*(uint64_t *)vector_push(&disk->snapshots) = found;
	}
	return status == ST_ABSENT ? ST_OK : status;
}

/* A directory without a snapshot is new, or was left in the middle of being set up: with one segment, in
 * which there is nothing. */
static enum status set_up(struct journal_disk *disk, const struct listing *listing)
{
	enum status status = ST_OK;
	if (listing->segments.length > 0) {
		status = journal__recover(disk, &listing->segments, 1);
		if (status != ST_OK)
			return status;
		if (disk->segments.length > 1 || journal__last_segment(disk)->last_version > 1) {
			log_error("%s: there is a journal but no snapshot", disk->dir);
			return ST_CORRUPT;
		}
		char path[JOURNAL__PATH_SIZE];
		journal__segment_path(disk, journal__last_segment(disk)->header.number, path);
		vector_clear(&disk->segments);
		status = disk->fs->unlink(disk->fs, path);
	}
	os_random_bytes(&disk->directory, sizeof(disk->directory));
	disk->directory |= 1;
	disk->durable = 0;
	disk->is_new = true;
	return status == ST_OK ? journal__new_segment(disk, 0) : status;
}

/* Takes the segments before `first` out of the listing into `retired`. */
static void split_retired(struct listing *listing, uint64_t first, struct vector *retired)
{
	size_t kept = 0;
	for (size_t i = 0; i < listing->segments.length; i++) {
		uint64_t number = *(uint64_t *)vector_at(&listing->segments, i);
		struct vector *to = number < first ? retired : NULL;
		uint64_t *place = to != NULL ? vector_push(to) : vector_at(&listing->segments, kept++);
		*place = number;
	}
	listing->segments.length = kept;
}

/* Segments that were removed once and are there again, as their directory could not be synced then. */
static enum status remove_retired(struct journal_disk *disk, const struct vector *retired)
{
	enum status status = ST_OK;
	for (size_t i = 0; i < retired->length && status == ST_OK; i++) {
		char path[JOURNAL__PATH_SIZE];
		journal__segment_path(disk, *(uint64_t *)vector_at(retired, i), path);
		log_info("%s: left over, removed", path);
		status = disk->fs->unlink(disk->fs, path);
	}
	return status;
}

static enum status find_chain(struct journal_disk *disk, struct listing *listing, uint64_t version)
{
	if (listing->segments.length == 0) {
		log_error("%s: there are snapshots but no journal", disk->dir);
		return ST_CORRUPT;
	}
	enum status status = journal__recover(disk, &listing->segments, version);
	for (size_t i = 0; i < disk->segments.length && status == ST_OK; i++) {
		const struct journal__segment *segment = journal__segment_at(disk, i);
		if (segment->last_version > version)
			disk->appended_since += segment->end;
	}
	return status;
}

static enum status find_state(struct journal_disk *disk, struct listing *listing)
{
	uint64_t version, first_segment = 0;
	enum status status = choose_snapshot(disk, listing, &version, &first_segment);
	if (status != ST_OK)
		return status;
	if (version == 0)
		return set_up(disk, listing);
	struct vector retired;
	vector_init(&retired, sizeof(uint64_t));
	split_retired(listing, first_segment, &retired);
	status = find_chain(disk, listing, version);
	if (status == ST_OK)
		status = remove_retired(disk, &retired);
	vector_fini(&retired);
	return status;
}

enum status journal_disk_open(const struct journal_disk_options *options, struct journal **journal)
{
	static const struct journal_ops ops = {disk_reserve, disk_append, disk_sync, disk_close};
	if (strlen(options->dir) > DIR_MAX || options->dir[0] == '\0') {
		log_error("%s: not a name that a data directory can have", options->dir);
		return ST_LIMIT;
	}
	struct journal_disk *disk = memory_zalloc(sizeof(*disk));
	disk->journal.ops = &ops;
	disk->fs = options->fs;
	disk->dir = memory_strdup(options->dir);
	disk->options = *options;
	disk->options.dir = disk->dir;
	disk->reserved = NOTHING;
	pthread_mutex_init(&disk->syncing, NULL);
	pthread_mutex_init(&disk->mutex, NULL);
	vector_init(&disk->segments, sizeof(struct journal__segment));
	vector_init(&disk->snapshots, sizeof(uint64_t));
	buffer_init(&disk->frame, SIZE_MAX);
	struct listing listing = {.disk = disk};
	enum status status = lock_directory(disk);
	if (status == ST_OK) {
		status = list_directory(disk, &listing);
		if (status == ST_OK)
			status = remove_temporaries(disk, &listing);
		if (status == ST_OK)
			status = find_state(disk, &listing);
		listing_fini(&listing);
	}
	if (status == ST_OK)
		*journal = &disk->journal;
	else
		disk_close(&disk->journal);
	return status;
}

bool journal_disk_is_new(struct journal *journal)
{
	return journal__of(journal)->is_new;
}

const unsigned char *journal_disk_fingerprint(struct journal *journal)
{
	return journal__of(journal)->options.fingerprint;
}

uint64_t journal_disk_version(struct journal *journal)
{
	return journal__last_segment(journal__of(journal))->last_version;
}

struct journal_location journal_disk_last(struct journal *journal)
{
	struct journal_disk *disk = journal__of(journal);
	pthread_mutex_lock(&disk->mutex);
	struct journal_location last = disk->last;
	pthread_mutex_unlock(&disk->mutex);
	return last;
}

struct journal_growth journal_disk_growth(struct journal *journal)
{
	struct journal_disk *disk = journal__of(journal);
	pthread_mutex_lock(&disk->mutex);
	size_t snapshots = disk->snapshots.length;
	struct journal_growth growth = {
		.appended = disk->appended_since,
		.snapshot_size = disk->snapshot_size,
		.snapshot = snapshots > 0 ? *(uint64_t *)vector_at(&disk->snapshots, snapshots - 1) : 0,
		.wants_room = journal__spare_is_due(disk),
	};
	pthread_mutex_unlock(&disk->mutex);
	return growth;
}

enum status journal_disk_seal(struct journal *journal)
{
	struct journal_disk *disk = journal__of(journal);
	uint64_t version;
	enum status status = disk_sync(journal, &version);
	if (status != ST_OK)
		return status;
	log_info("journal: %" PRIu64 " versions in %" PRIu64 " syncs", disk->synced, disk->syncs);
	struct journal__frame frame = {.kind = JOURNAL__SEAL, .version = version};
	status = write_frame(disk, &frame, (struct journal_payload){NULL, 0});
	return status == ST_OK ? disk_sync(journal, &version) : status;
}
