/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * What the files of the history share.
 *
 *   history.c        the row of versions: adding, listing, labels, rollback
 *   history_root.c   roots of old versions: made again, and kept
 *   history_file.c   the file of what no record tells
 */
#include "store/history.h"
#include "store/internal.h"

struct store__past {
	struct store_version *info;	  /* without root; owned */
	struct journal_location location; /* segment 0: it has no record */
	const struct tree_record *root;	  /* NULL: not held */
	uint64_t cost;
	bool relabelled; /* the label is not that of its record */
};

/* Bytes that an old root holds on to that newer ones do not, guessed: its changes, and the paths to them. */
static inline uint64_t store__past_cost(uint64_t change_count)
{
	return 512 + change_count * 512;
}

static inline struct store__past *store__past_at(const struct store__history *history, size_t index)
{
	return vector_at(&history->versions, history->start + index);
}

static inline size_t store__past_length(const struct store__history *history)
{
	return history->versions.length - history->start;
}

/* The version where it is listed, else NULL. The mutex is held. */
struct store__past *store__past_find(const struct store__history *history, uint64_t version);

/* history_root.c; the mutex is held. Drops kept roots of versions before `first`. */
void store__rebuilt_forget(struct store *store, uint64_t first);

/* history_file.c */
#define HISTORY_FILE "history"
#define HISTORY_FILE_LIMIT ((size_t)64 << 20) /* bytes that are read */
/* An entry of the file. */
struct store__told {
	uint64_t version, time_ns;
	bool relabelled;
	const char *label; /* NULL: none; owned where it was read */
};
/* Appends the entries of the file to `told`; nothing where there is no file. Fails: ST_CORRUPT, ST_LIMIT (of
 * a newer format), ST_IO (logged). */
enum status store__history_file_read(struct journal *journal, struct vector *told) MUST_USE;
/* The same of the content of a file; not logged. Fails: ST_CORRUPT, ST_LIMIT. */
enum status store__history_file_decode(struct bytes content, struct vector *told) MUST_USE;
/* Fails: ST_LIMIT, ST_IO (logged); the file is the old one, or the new one. */
enum status store__history_file_write(struct journal *journal, const struct vector *told) MUST_USE;
/* Of entries that were read. */
void store__told_fini(struct vector *told);
