/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The files of a data directory:
 *
 *     lock                           held by the server that uses it
 *     journal.00000001               a segment, by number
 *     snapshot.00000000000000000042  a snapshot, by version
 *     recovering                     yare recover is at work, or was stopped: no server may start
 *     *.tmp                          not finished; removed at the next start
 *
 * All else is not ours and left alone.
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

static bool parse_number(const char *text, uint64_t *number)
{
	size_t size = strlen(text);
	if (size < 8 || size > 20 || strspn(text, "0123456789") != size)
		return false;
	*number = strtoull(text, NULL, 10);
	return *number > 0 && *number < UINT64_MAX;
}

enum journal__name journal__name_parse(const char *name, uint64_t *number)
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
	return strcmp(name, "lock") == 0 ? JOURNAL__NAME_LOCK : JOURNAL__NAME_OTHER;
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
