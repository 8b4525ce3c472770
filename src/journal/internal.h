/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * What the files of the journal on disk share.
 *
 *   names.c      names of files in the directory
 *   frame.c      headers and frames as bytes; reading a segment frame by frame
 *   search.c     frames behind a break
 *   recover.c    what is whole, what is a tail, what is damage
 *   disk.c       opening; reserve, append, sync, seal; reading back
 *   tail.c       what was appended and is not written yet
 *   spare.c      the next segment's file, made ahead of time
 *   snapshot.c   writing, checking and reading snapshots; retiring
 *   attachment.c small files of the store
 */
#include <pthread.h>
#include "base/vector.h"
#include "journal/journal_disk.h"

#define JOURNAL__FORMAT 2u
#define JOURNAL__HEADER_SIZE 80u /* bytes, of segments and snapshots */
#define JOURNAL__FRAME_SIZE 29u	 /* bytes before the payload */
#define JOURNAL__RECORD_MAX (2040u << 20)
#define JOURNAL__PATH_SIZE 4096u

enum journal__kind { JOURNAL__CHANGE = 1, JOURNAL__SEAL = 2 };

/* The header of a segment. Positions count from the first byte of the first segment that ever was. */
struct journal__header {
	uint64_t number;
	uint64_t base; /* position of its first byte */
	uint64_t first_version;
	uint64_t durable; /* everything before this position was durable when the header was written */
	uint32_t format;
	unsigned char fingerprint[JOURNAL_FINGERPRINT_SIZE];
	uint64_t directory; /* a random number, the same in all files of the directory */
	uint32_t previous;  /* checksum of the last frame of the segment before; 0: none */
	uint32_t checksum;
};

struct journal__frame {
	uint64_t offset, end; /* in the segment */
	enum journal__kind kind;
	uint64_t version;
	uint64_t durable;
	uint32_t previous, checksum;
	struct bytes payload;
};

struct journal__segment {
	struct journal__header header;
	uint64_t end;	       /* offset behind its last frame */
	uint64_t last_version; /* first_version - 1: it has none */
	uint32_t checksum;     /* of its last frame, or of its header */
	struct os_file *file;  /* open for writing, or not synced yet; NULL: neither */
};

struct journal__block {
	char *memory; /* owned; NULL: nothing */
	char *data;   /* in it, at a multiple of OS_BLOCK_SIZE */
	size_t capacity;
};

/* Offsets in the last segment. */
struct journal__tail {
	uint64_t start; /* of the block's first byte */
	uint64_t written, end;
	struct journal__block block;
	struct journal__block under_way; /* of the sync; else to be used next */
};

enum journal__spare {
	JOURNAL__SPARE_NONE,
	JOURNAL__SPARE_MAKING,
	JOURNAL__SPARE_READY, /* spare_file is there */
	JOURNAL__SPARE_TAKEN  /* its temporary name is still in use */
};

struct journal_disk {
	struct journal journal;
	struct os_fs *fs;
	char *dir;
	struct journal_disk_options options;
	struct os_file *lock;
	uint64_t directory; /* random number of the directory */
	bool is_new;
	bool needs_segment; /* the last one was cut, or is of another schema: begin a new one */

	/* Of who appends alone. */
	uint64_t capacity;   /* room in the last segment's file, bytes */
	uint64_t reserved;   /* bytes; UINT64_MAX: nothing */
	struct buffer frame; /* the frame that is written */

	pthread_mutex_t syncing; /* one sync at a time; taken before `mutex` */
	pthread_mutex_t mutex;	 /* what follows */
	struct vector segments; /* struct journal__segment, by number, without gaps; appends go to the last */
	struct vector snapshots; /* uint64_t: versions, ascending */
	uint64_t durable;	 /* position */
	uint64_t durable_version;
	uint64_t syncs,
		synced; /* since it was opened: those that made versions durable, and how many versions */
	struct journal__tail tail;
	bool failed; /* a write or sync failed */
	struct journal_location last;
	uint64_t appended_since; /* bytes, since the newest snapshot was begun */
	uint64_t snapshot_size;	 /* bytes, of the newest */
	enum journal__spare spare;
	uint64_t spare_after;	    /* position from which on one is made; after a failure */
	struct os_file *spare_file; /* of options.segment_size, durable but for its name */
};

static inline struct journal_disk *journal__of(struct journal *journal)
{
	return (struct journal_disk *)journal;
}

static inline struct journal__segment *journal__segment_at(const struct journal_disk *disk, size_t index)
{
	return vector_at(&disk->segments, index);
}

static inline struct journal__segment *journal__last_segment(const struct journal_disk *disk)
{
	return vector_at(&disk->segments, disk->segments.length - 1);
}

/* ---- names.c ---- */

#define JOURNAL__RECOVERING "recovering"

enum journal__name {
	JOURNAL__NAME_SEGMENT,
	JOURNAL__NAME_SNAPSHOT,
	JOURNAL__NAME_TEMPORARY,
	JOURNAL__NAME_LOCK,
	JOURNAL__NAME_ATTACHMENT, /* a small file of the store */
	JOURNAL__NAME_RECOVERING, /* yare recover did not come to its end */
	JOURNAL__NAME_OTHER
};

/*
 * What something in a data directory is. It decides for all who list one, a start, a look, and recovering
 * alike, so that none takes for good what another cannot use.
 */
struct journal__entry {
	enum journal__name name;
	uint64_t number; /* of a segment or snapshot */
	char fault[96];	 /* why it cannot be used; "": it can */
};
/* Fails: ST_ABSENT (not there any more), ST_IO (it cannot be looked at, or not be read), ST_LIMIT. */
enum status journal__entry_look(struct os_fs *fs, const char *dir, const char *name,
				struct journal__entry *entry) MUST_USE;
/* "DIR/NAME" into `path`. */
void journal__path(const struct journal_disk *disk, const char *name, char path[JOURNAL__PATH_SIZE]);
void journal__segment_path(const struct journal_disk *disk, uint64_t number, char path[JOURNAL__PATH_SIZE]);
void journal__snapshot_path(const struct journal_disk *disk, uint64_t version, char path[JOURNAL__PATH_SIZE]);

/* ---- frame.c ---- */

void journal__put_u32(char *out, uint32_t number);
void journal__put_u64(char *out, uint64_t number);
uint32_t journal__get_u32(const char *in);
uint64_t journal__get_u64(const char *in);

/* Fills in the checksum of `header`, too. */
void journal__header_encode(struct journal__header *header, char out[JOURNAL__HEADER_SIZE]);
/* Fails: ST_CORRUPT (no whole header), ST_LIMIT (of a newer format). */
enum status journal__header_parse(struct bytes in, struct journal__header *header) MUST_USE;
/* The same, but says in the log what is wrong. Fails: ST_CORRUPT. */
enum status journal__header_decode(const char *path, struct bytes in,
				   struct journal__header *header) MUST_USE;
/* Makes the segment that follows the last one, with room for `size` bytes of frames at least. */
enum status journal__new_segment(struct journal_disk *disk, uint64_t size) MUST_USE;
/* The position behind its last frame. */
static inline uint64_t journal__segment_end(const struct journal__segment *segment)
{
	return segment->header.base + segment->end;
}

/* The head of a frame, for a payload that follows it. Gives the checksum. */
uint32_t journal__frame_encode(const struct journal__frame *frame, struct journal_payload payload,
			       char out[JOURNAL__FRAME_SIZE]);

/* Reads a file through a window that moves forward. */
struct journal__scan {
	struct os_file *file;
	uint64_t size; /* of the file */
	struct buffer window;
	uint64_t start; /* offset of the window */
};

enum status journal__scan_open(struct os_fs *fs, const char *path, struct journal__scan *scan) MUST_USE;
void journal__scan_close(struct journal__scan *scan);
/* Up to `size` bytes at an offset; fewer only at the end of the file. Valid until the next call. */
enum status journal__scan_bytes(struct journal__scan *scan, uint64_t offset, size_t size,
				struct bytes *bytes) MUST_USE;
/* The frame at an offset. Fails: ST_ABSENT (no whole frame is there), ST_IO. */
enum status journal__scan_frame(struct journal__scan *scan, uint64_t offset,
				struct journal__frame *frame) MUST_USE;

/* Moves *offset to the first byte from there on that is not zero, or to the size of the file. */
enum status journal__scan_zeros(struct journal__scan *scan, uint64_t *offset) MUST_USE;

/* Whether a hole is in these bytes that no record or block has: what is written is text mostly, but for its
 * last bytes, which may be a few zeros. Keeps what only claims to be large from being read. */
enum status journal__scan_hole(struct journal__scan *scan, uint64_t offset, uint64_t size,
			       bool *is_there) MUST_USE;

/* ---- search.c ---- */

/* Looks for whole frames behind a break, wherever they begin. */
struct journal__search {
	struct journal__scan *scan;
	uint64_t offset; /* up to where it has looked */
	uint64_t budget; /* bytes that may yet be read in vain; at 0 it has given up */
};

enum status journal__search_begin(struct journal__search *search, struct journal__scan *scan,
				  uint64_t offset) MUST_USE;
/* The next one; goes on behind it. Fails: ST_ABSENT (there is none, or it gave up), ST_IO. */
enum status journal__search_next(struct journal__search *search, struct journal__frame *frame) MUST_USE;

/* ---- recover.c ---- */

/* Reads the segments of these numbers (ascending, at least one) into disk->segments, cuts a tail, and sets
 * disk->durable to what is proven. Damage is logged. */
enum status journal__recover(struct journal_disk *disk, const struct vector *numbers,
			     uint64_t snapshot_version) MUST_USE;

/* ---- disk.c ---- */

/* Syncs up to a version at least. */
enum status journal__sync_to(struct journal_disk *disk, uint64_t version) MUST_USE;

/* ---- tail.c ---- */

/* Bytes of a file that has room for blocks, for `size` of them to be written. */
uint64_t journal__tail_room(uint64_t size);

/* What one write takes: whole blocks. */
struct journal__piece {
	uint64_t offset;
	struct bytes bytes;
};
/* Appending goes on at an offset, all before which is written; `before`: the bytes from the start of its
 * block to it. Needs: no sync is under way in the tail. */
void journal__tail_begin(struct journal__tail *tail, uint64_t offset, const char *before);
/* Makes room for what comes next, so that it is not made piece by piece. */
void journal__tail_expect(struct journal__tail *tail, size_t size);
void journal__tail_put(struct journal__tail *tail, struct bytes bytes);
/* What is to be written, valid until journal__tail_taken, before which nothing more is taken. False: nothing.
 */
bool journal__tail_take(struct journal__tail *tail, struct journal__piece *piece) MUST_USE;
void journal__tail_taken(struct journal__tail *tail);
void journal__tail_fini(struct journal__tail *tail);

/* ---- spare.c ---- */

/* Whether journal_disk_prepare would make one. The mutex is held. */
bool journal__spare_is_due(const struct journal_disk *disk);
/* The file, the caller's from then on, and its temporary name; NULL: there is none. journal__spare_used once
 * that name is not in use any more. */
struct os_file *journal__spare_take(struct journal_disk *disk, char path[JOURNAL__PATH_SIZE]) MUST_USE;
void journal__spare_used(struct journal_disk *disk);
/* At the end. */
void journal__spare_close(struct journal_disk *disk);

/* ---- snapshot.c ---- */

/* What is wrong with a snapshot, for readers that do not log it. */
struct journal__fault {
	uint64_t offset;
	const char *what;
};
/* Opens one; its head is read. `directory` 0: of any. `fault` NULL: what is wrong is logged, now and when it
 * is read. Fails: ST_ABSENT, ST_IO, ST_CORRUPT, ST_LIMIT (of a newer format). */
enum status journal__snapshot_open(struct os_fs *fs, const char *path, uint64_t directory, uint64_t version,
				   struct journal__fault *fault, struct journal_snapshot_reader **reader,
				   struct journal_snapshot *snapshot) MUST_USE;
uint64_t journal__snapshot_first_segment(const struct journal_snapshot_reader *reader);
uint64_t journal__snapshot_directory(const struct journal_snapshot_reader *reader);
uint64_t journal__snapshot_size(const struct journal_snapshot_reader *reader); /* bytes of the file */
/* Back to the block behind the head. */
void journal__snapshot_rewind(struct journal_snapshot_reader *reader);
/* Whether the snapshot is whole; logs where it is not. Segments before *first_segment are retired. Fails:
 * ST_CORRUPT, ST_IO. ST_LIMIT: of a newer format.
 */
enum status journal__snapshot_check(struct journal_disk *disk, uint64_t version,
				    uint64_t *first_segment) MUST_USE;
