/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * Changing the files of a damaged data directory so that a crash at any moment loses nothing: what is new is
 * written under temporary names first; what is not kept is moved into a folder of its own, never removed; a
 * file `recovering` says while that goes on that it is not done, so no server starts, and the next salvage
 * begins by taking it all back.
 *
 *     status = journal_salvage_open(fs, dir, &salvage);                   locks, as a server would
 *     status = journal_view_open(fs, dir, JOURNAL_VIEW_STILL, &view);
 *     journal_salvage_keep(salvage, name);                                of files that are right as they are
 *     status = journal_salvage_copy(salvage, name, size);                 of a file, only the first bytes
 *     status = journal_salvage_begin(salvage, &segment); _append(); ..    segments made anew
 *     status = journal_salvage_finish(salvage);
 *     status = journal_salvage_commit(salvage);                           all else is set aside
 *     journal_salvage_close(salvage);                                     without commit nothing has changed
 */
#include "journal/journal_disk.h"

struct journal_salvage;

/* Fails: ST_BUSY (a server has the directory), ST_IO, ST_LIMIT, ST_CORRUPT (an earlier salvage cannot be
 * taken back); logged but for ST_BUSY. */
enum status journal_salvage_open(struct os_fs *fs, const char *dir,
				 struct journal_salvage **salvage) MUST_USE;
void journal_salvage_close(struct journal_salvage *salvage); /* NULL is allowed */

void journal_salvage_keep(struct journal_salvage *salvage, const char *name);
/* Another file that is to be set aside; of journals and snapshots those are that are not kept. */
void journal_salvage_drop(struct journal_salvage *salvage, const char *name);
enum status journal_salvage_copy(struct journal_salvage *salvage, const char *name, uint64_t size) MUST_USE;

/* The first of the segments that are made; those after it follow from it. */
struct journal_salvage_start {
	uint64_t number, position; /* greater than those of all that ever was */
	uint64_t directory;	   /* the random number of the directory */
	uint64_t first_version;
};
void journal_salvage_start(struct journal_salvage *salvage, const struct journal_salvage_start *start);
/* Begins a segment; the one before it is done. */
enum status journal_salvage_begin(struct journal_salvage *salvage,
				  const unsigned char fingerprint[JOURNAL_FINGERPRINT_SIZE]) MUST_USE;
enum status journal_salvage_append(struct journal_salvage *salvage, uint64_t version,
				   struct bytes payload) MUST_USE;
/* Seals the last one. */
enum status journal_salvage_finish(struct journal_salvage *salvage) MUST_USE;

/* The name of the folder that what is not kept goes to. */
const char *journal_salvage_aside(const struct journal_salvage *salvage);
/* Calls `visit` with the name of each file that will be set aside, or was. */
void journal_salvage_each_aside(const struct journal_salvage *salvage,
				void (*visit)(const char *name, void *arg), void *arg);
/* Fails: ST_IO, ST_LIMIT: the next salvage takes back what was done. */
enum status journal_salvage_commit(struct journal_salvage *salvage) MUST_USE;
