/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * A data directory as it stands, for tools that only look: nothing is locked, written or removed, and a
 * server may append, begin segments and retire files meanwhile. All files are opened first and stay readable
 * when they are retired; what looks wrong is looked at again until it holds still.
 *
 *     status = journal_view_open(fs, "data", JOURNAL_VIEW_LIVE, &view);
 *     ... journal_view_findings(view): what is wrong, in the order of files and offsets
 *     if (journal_view_state(view, &state)) {
 *             journal_view_load(view, state.snapshot, &reader, &snapshot);    the snapshot to begin with
 *             journal_view_replay(view, visit, arg);                         the records that lead on from it
 *     }
 *     journal_view_free(view);
 *
 * The state is the newest version that can be proven: of all whole snapshots, and all runs of whole records
 * that follow each other, the pair that leads furthest. In a directory without damage that is what a server
 * starts with.
 *
 * One thread a view.
 */
#include "base/vector.h"
#include "journal/journal_disk.h"

#define JOURNAL_VIEW_BODY 80 /* offset of a snapshot's content */
#define JOURNAL_VIEW_NAME 32 /* bytes of a file's name, its end included */

enum journal_severity {
	JOURNAL_NOTE,	 /* nothing is lost, and a server starts */
	JOURNAL_TAIL,	 /* never proven to be durable; the next start cuts it */
	JOURNAL_DAMAGED, /* something that was durable is not whole */
	JOURNAL_NEWER,	 /* of a newer format: not to be judged */
};

struct journal_finding {
	enum journal_severity severity;
	char file[JOURNAL_VIEW_NAME]; /* "": the directory */
	uint64_t offset;
	char *what;
};

struct journal_view_segment {
	char name[JOURNAL_VIEW_NAME];
	uint64_t number, size; /* bytes of the file */
	bool has_header;       /* a whole one, of this directory; else the rest is not set */
	bool sealed;	       /* its last record says that the server ended cleanly */
	bool is_left_over;     /* retired once */
	uint64_t first_version,
		last_version; /* of its records from the first one on; first_version - 1: none */
	uint64_t end;	      /* offset behind these */
	bool has_more;	      /* bytes that are not zero, behind that */
};

struct journal_view_snapshot {
	char name[JOURNAL_VIEW_NAME];
	uint64_t version, size;
	bool is_whole;
};

struct journal_view_state {
	uint64_t snapshot;	/* version of the snapshot that it begins with */
	uint64_t version;	/* that the records lead to */
	uint64_t first_version; /* of the first record that is in the run */
	/* Segments that the run is in, by index; 0: there is none. */
	size_t first_segment, segment_count;
	/* A server would start with these segments: the run begins with the first of them, not behind damage
	 * in it, and nothing in them says that there was more. */
	bool as_it_is;
};

struct journal_view;

enum journal_view_mode {
	JOURNAL_VIEW_LIVE,  /* a server may write meanwhile */
	JOURNAL_VIEW_STILL, /* none does: one look is enough */
};

/* Fails: ST_ABSENT (there is no such directory), ST_IO, ST_LIMIT, ST_BUSY (a server moved files faster than
 * they could be opened); not logged. */
enum status journal_view_open(struct os_fs *fs, const char *dir, enum journal_view_mode mode,
			      struct journal_view **view) MUST_USE;
void journal_view_free(struct journal_view *view); /* NULL is allowed */

const struct vector *journal_view_findings(const struct journal_view *view); /* struct journal_finding */
size_t journal_view_segment_count(const struct journal_view *view);
size_t journal_view_snapshot_count(const struct journal_view *view);
/* By number, and by version. */
const struct journal_view_segment *journal_view_segment_at(const struct journal_view *view, size_t index);
const struct journal_view_snapshot *journal_view_snapshot_at(const struct journal_view *view, size_t index);
/* The worst severity; JOURNAL_NOTE also where nothing was found. */
enum journal_severity journal_view_verdict(const struct journal_view *view);
/* For whoever looks deeper: into what is in records and snapshots. */
void journal_view_add(struct journal_view *view, enum journal_severity severity, const char *file,
		      uint64_t offset, const char *format, ...) PRINTF_LIKE(5, 6);
/* The name of a segment's file; Needs one that there is. */
const char *journal_view_segment_name(const struct journal_view *view, uint64_t number);

/* Appends a file of the store's (journal_disk_get_file). Fails likewise; ST_CORRUPT: it is no file. */
enum status journal_view_get_file(const struct journal_view *view, const char *name, size_t limit,
				  struct buffer *content) MUST_USE;

/* Nothing is in the directory, or what a first start left that did not come to its end. */
bool journal_view_is_new(const struct journal_view *view);
/* False: no snapshot is whole. */
bool journal_view_state(const struct journal_view *view, struct journal_view_state *state);
/* The number, and the position of the first byte, of a segment that is behind all there are; and the random
 * number of the directory. */
void journal_view_beyond(const struct journal_view *view, uint64_t *number, uint64_t *position,
			 uint64_t *directory);
/* The snapshot is whole, but its content is no good: the state is to do without it. */
void journal_view_distrust(struct journal_view *view, uint64_t version);
/* A whole snapshot; the reader is the view's, from the block behind the head on. Fails: ST_ABSENT: there is
 * none of that version. */
enum status journal_view_load(const struct journal_view *view, uint64_t version,
			      struct journal_snapshot_reader **reader,
			      struct journal_snapshot *snapshot) MUST_USE;
/*
 * The records of the state's run in order, those before the snapshot as well, until `visit` fails. Of a
 * segment with damage all whole records come first, before and behind it, as names_only: any of them may
 * define names that the lost ones defined.
 */
enum status journal_view_replay(const struct journal_view *view,
				enum status (*visit)(void *arg, const struct journal_record *record),
				void *arg) MUST_USE;
/* All whole records of all segments, in the order of files and offsets; names_only ones as above. */
enum status journal_view_records(const struct journal_view *view,
				 enum status (*visit)(void *arg, const struct journal_record *record),
				 void *arg) MUST_USE;
