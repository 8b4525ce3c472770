/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * The journal in a directory: segments, snapshots, a lock. Formats: docs/format/journal.md, snapshot.md.
 *
 *     status = journal_disk_open(&options, &journal);         locks the directory, finds the whole part
 *     if (journal_disk_is_new(journal)) {
 *             ... journal_snapshot_begin .. finish            the first version
 *     } else {
 *             journal_disk_load(journal, ...);                the newest whole snapshot, block by block
 *             journal_disk_replay(journal, ...);              then all records that are there
 *     }
 *     status = journal_disk_start(journal);                   from here on it is a struct journal
 *     journal->ops->...
 *     journal_disk_seal(journal); journal->ops->close(journal);
 *
 * Damage at or beyond the highest durable end that anything in the directory proves is a tail: it is cut,
 * with a warning that names file and offset. Damage below it, a gap, and whatever is of a newer format are
 * refused, logged with file and offset, and nothing is changed.
 *
 * Threads: reserve and append from one thread at a time; sync, snapshots and reads from others meanwhile.
 */
#include <stdbool.h>
#include "base/buffer.h"
#include "journal/journal.h"
#include "os/file.h"

#define JOURNAL_FINGERPRINT_SIZE 16 /* bytes */

struct journal_disk_options {
	struct os_fs *fs;
	const char *dir;
	uint64_t segment_size;	 /* bytes of one segment; records that are larger get one of their own */
	unsigned snapshot_count; /* kept; at least 1 */
	uint64_t history;	 /* newest versions whose records are kept */
	/* Records are written when they are appended, for who answers before a sync: so they outlive the process.
	 * Else the sync that covers them writes them. */
	bool write_at_append;
	unsigned char fingerprint[JOURNAL_FINGERPRINT_SIZE]; /* of the schema that is written under */
};

/* Where a record is. */
struct journal_location {
	uint64_t segment; /* number */
	uint64_t offset;
	uint64_t size; /* of the payload */
};

struct journal_record {
	uint64_t version;
	struct journal_location location;
	const unsigned char *fingerprint; /* of the schema that it was written under */
	struct bytes payload;
	bool names_only; /* of a view: not asked for, but it may define names for others of its segment */
};

/* Fails: ST_BUSY (another process has it), ST_CORRUPT, ST_IO, ST_LIMIT; all logged. */
enum status journal_disk_open(const struct journal_disk_options *options, struct journal **journal) MUST_USE;
/* Nothing is in the directory yet: write a snapshot of version 1, then start. */
bool journal_disk_is_new(struct journal *journal);
/* Of the schema that is written under; as in the options. */
const unsigned char *journal_disk_fingerprint(struct journal *journal);
/* The last version that is whole. */
uint64_t journal_disk_version(struct journal *journal);
/* The newest whole snapshot: its version, fingerprint and head, then block after block to `visit`, until that
 * fails. */
struct journal_snapshot {
	uint64_t version;
	unsigned char fingerprint[JOURNAL_FINGERPRINT_SIZE];
	struct bytes head; /* as given to journal_snapshot_begin */
};
struct journal_snapshot_reader;
enum status journal_disk_load(struct journal *journal, struct journal_snapshot_reader **reader,
			      struct journal_snapshot *snapshot) MUST_USE;
/* The next block; valid until the next call. ST_ABSENT: there are no more. */
enum status journal_snapshot_next(struct journal_snapshot_reader *reader, struct bytes *block) MUST_USE;
void journal_snapshot_reader_free(struct journal_snapshot_reader *reader); /* NULL is allowed */
/* All records in order, those older than the snapshot as well, until `visit` fails. */
enum status journal_disk_replay(struct journal *journal,
				enum status (*visit)(void *arg, const struct journal_record *record),
				void *arg) MUST_USE;
/* Appends the payload of one record to the buffer. ST_ABSENT: it was retired. */
enum status journal_disk_read(struct journal *journal, const struct journal_location *location,
			      struct buffer *payload) MUST_USE;
/* All records of one segment, from its first to the one at `end` (included); for the names they define. */
enum status journal_disk_read_segment(struct journal *journal, uint64_t segment, uint64_t end,
				      enum status (*visit)(void *arg, const struct journal_record *record),
				      void *arg) MUST_USE;
/* Makes durable what was found, and ready for the first append. */
enum status journal_disk_start(struct journal *journal) MUST_USE;
/* Where the last record was appended. */
struct journal_location journal_disk_last(struct journal *journal);
struct journal_growth {
	uint64_t appended;	/* bytes, since the newest snapshot was begun */
	uint64_t snapshot_size; /* of that */
	uint64_t snapshot;	/* its version */
	bool wants_room;	/* journal_disk_prepare is due */
};
struct journal_growth journal_disk_growth(struct journal *journal);
/* Makes the file of the next segment, so that no commit has to wait for that. From one thread at a time,
 * beside all others. What fails is told by the commit that needs the segment. */
void journal_disk_prepare(struct journal *journal);

/* A snapshot of a version that was appended. One at a time. */
struct journal_snapshot_writer;
enum status journal_snapshot_begin(struct journal *journal, uint64_t version, struct bytes head,
				   struct journal_snapshot_writer **writer) MUST_USE;
enum status journal_snapshot_write(struct journal_snapshot_writer *writer, struct bytes block) MUST_USE;
/* Syncs it and the journal up to its version, puts it in place and retires what it makes superfluous. Frees
 * the writer, as abort does; fails without a trace. */
enum status journal_snapshot_finish(struct journal_snapshot_writer *writer) MUST_USE;
void journal_snapshot_abort(struct journal_snapshot_writer *writer);

/* A small file of the caller's in the directory, replaced as a whole and durably (attachment.c). The name has
 * less than JOURNAL_FILE_NAME_SIZE bytes and is none of the journal's. One thread at a time. */
#define JOURNAL_FILE_NAME_SIZE 64 /* bytes */
enum status journal_disk_put_file(struct journal *journal, const char *name, struct bytes content) MUST_USE;
/* Appends its content. Fails: ST_ABSENT (there is none), ST_LIMIT (it has more bytes than `limit`), ST_IO. */
enum status journal_disk_get_file(struct journal *journal, const char *name, size_t limit,
				  struct buffer *content) MUST_USE;

/* The clean end: everything is synced, and a last record says so. Before close; no append may follow. */
enum status journal_disk_seal(struct journal *journal) MUST_USE;
