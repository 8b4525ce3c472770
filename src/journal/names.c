/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The files of a data directory:
 *
 *     lock                           held by the server that uses it
 *     history, txids                 small files of the store (attachment.c)
 *     journal.00000001               a segment, by number
 *     snapshot.00000000000000000042  a snapshot, by version
 *     recovering                     yare recover is at work, or was stopped: no server may start
 *     *.tmp                          not finished; removed at the next start
 *
 * All else is not ours and left alone, also folders whose names end in .tmp. Files of ours are regular files,
 * or links to some. A segment or snapshot has the one name that its number is written as.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/assert.h"
#include "journal/internal.h"

#define SEGMENT "journal."
#define SNAPSHOT "snapshot."
#define TEMPORARY ".tmp"

static const char *const attachments[] = {"history", "txids", NULL};

static bool parse_number(const char *text, uint64_t *number)
{
	size_t size = strlen(text);
	if (size < 8 || size > 20 || strspn(text, "0123456789") != size)
		return false;
	*number = strtoull(text, NULL, 10);
	return *number > 0 && *number < UINT64_MAX;
}

static bool is_one_of(const char *name, const char *const *names)
{
	while (*names != NULL && strcmp(*names, name) != 0)
		names++;
	return *names != NULL;
}

static enum journal__name parse(const char *name, uint64_t *number)
{
	size_t size = strlen(name), suffix = strlen(TEMPORARY);
	if (size > suffix && strcmp(name + size - suffix, TEMPORARY) == 0)
		return JOURNAL__NAME_TEMPORARY;
	if (strncmp(name, SEGMENT, strlen(SEGMENT)) == 0 && parse_number(name + strlen(SEGMENT), number))
		return JOURNAL__NAME_SEGMENT;
	if (strncmp(name, SNAPSHOT, strlen(SNAPSHOT)) == 0 && parse_number(name + strlen(SNAPSHOT), number))
		return JOURNAL__NAME_SNAPSHOT;
	if (strcmp(name, JOURNAL__RECOVERING) == 0)
		return JOURNAL__NAME_RECOVERING;
	if (is_one_of(name, attachments))
		return JOURNAL__NAME_ATTACHMENT;
	return strcmp(name, "lock") == 0 ? JOURNAL__NAME_LOCK : JOURNAL__NAME_OTHER;
}

static enum status look(struct os_fs *fs, const char *dir, const char *name, enum os_kind *kind, bool reads)
{
	char path[JOURNAL__PATH_SIZE + 256];
	struct os_file *file;
	snprintf(path, sizeof(path), "%s/%s", dir, name);
	enum status status = fs->kind(fs, path, kind);
	if (status != ST_OK || *kind != OS_KIND_FILE || !reads)
		return status;
	status = fs->open(fs, path, OS_OPEN_READ, &file);
	if (status == ST_OK)
		fs->close(file);
	return status;
}

/* Segments and snapshots are known by their numbers, and would be looked for under another name. */
static void judge_name(struct journal__entry *entry, const char *name)
{
	char right[64];
	if (entry->name == JOURNAL__NAME_SEGMENT)
		snprintf(right, sizeof(right), SEGMENT "%08" PRIu64, entry->number);
	else
		snprintf(right, sizeof(right), SNAPSHOT "%020" PRIu64, entry->number);
	if (strcmp(name, right) != 0)
		snprintf(entry->fault, sizeof(entry->fault), "the name should be %s", right);
}

static void judge_kind(struct journal__entry *entry, enum os_kind kind)
{
	if (kind != OS_KIND_FILE)
		snprintf(entry->fault, sizeof(entry->fault), "%s",
			 kind == OS_KIND_FOLDER ? "it is a folder, not a file" : "it is not a regular file");
}

enum status journal__entry_look(struct os_fs *fs, const char *dir, const char *name,
				struct journal__entry *entry)
{
	static const char *const temporaries[] = {SEGMENT "tmp", "spare.tmp", SNAPSHOT "tmp",
						  "history.tmp", "txids.tmp", JOURNAL__RECOVERING TEMPORARY,
						  NULL};
	enum os_kind kind = OS_KIND_FILE;
	enum status status = ST_OK;
	*entry = (struct journal__entry){.number = 0};
	entry->name = parse(name, &entry->number);
	switch (entry->name) {
	case JOURNAL__NAME_SEGMENT:
	case JOURNAL__NAME_SNAPSHOT:
		status = look(fs, dir, name, &kind, false); /* who uses it opens it */
		judge_kind(entry, kind);
		judge_name(entry, name);
		return status;
	case JOURNAL__NAME_TEMPORARY:
		status = look(fs, dir, name, &kind, false);
		if (kind == OS_KIND_FOLDER && !is_one_of(name, temporaries))
			entry->name = JOURNAL__NAME_OTHER;
		else if (kind == OS_KIND_FOLDER)
			judge_kind(entry, kind);
		return status;
	case JOURNAL__NAME_LOCK:
	case JOURNAL__NAME_ATTACHMENT:
		status = look(fs, dir, name, &kind, true);
		judge_kind(entry, kind);
		return status;
	case JOURNAL__NAME_RECOVERING:
	case JOURNAL__NAME_OTHER:
		return ST_OK;
	}
	return ST_OK;
}

/* The directory's name was checked to be short enough. */
static void check_size(int size)
{
	ASSERT(size > 0 && (size_t)size < JOURNAL__PATH_SIZE);
}

void journal__path(const struct journal_disk *disk, const char *name, char path[JOURNAL__PATH_SIZE])
{
	check_size(snprintf(path, JOURNAL__PATH_SIZE, "%s/%s", disk->dir, name));
}

void journal__segment_path(const struct journal_disk *disk, uint64_t number, char path[JOURNAL__PATH_SIZE])
{
	check_size(snprintf(path, JOURNAL__PATH_SIZE, "%s/" SEGMENT "%08" PRIu64, disk->dir, number));
}

void journal__snapshot_path(const struct journal_disk *disk, uint64_t version, char path[JOURNAL__PATH_SIZE])
{
	check_size(snprintf(path, JOURNAL__PATH_SIZE, "%s/" SNAPSHOT "%020" PRIu64, disk->dir, version));
}
