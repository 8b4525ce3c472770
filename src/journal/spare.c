/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The file of the segment after the last one, made ahead of time: when the last one is half full, a thread in
 * the background makes a file of a segment's size and syncs it, so that changing over, which commits wait
 * for, is only to write its header and to name it.
 *
 *     NONE --prepare--> MAKING --> READY --changing over--> TAKEN --> NONE
 *                          |                                  |
 *                          +------ it cannot be made ---------+--> NONE
 *
 * It has a temporary name until then: a start that finds it removes it. It is only ever an advantage: where
 * it is not ready, or the segment must be larger, the one who reserves makes a file himself. That it cannot
 * be made is the first that is known of a disk that is full, so the log says how much room is left.
 */
#include <inttypes.h>

#include "base/log.h"
#include "journal/internal.h"

#define NAME "spare.tmp"
#define ATTEMPTS 16 /* over a segment: where it cannot be made, not with each commit */

bool journal__spare_is_due(const struct journal_disk *disk)
{
	return disk->spare == JOURNAL__SPARE_NONE && !disk->failed &&
	       journal__last_segment(disk)->end > disk->options.segment_size / 2 &&
	       journal__last_segment(disk)->header.base + journal__last_segment(disk)->end >=
		       disk->spare_after;
}

static enum status make(struct journal_disk *disk, const char *path, struct os_file **file)
{
	struct os_fs *fs = disk->fs;
	enum status status = fs->open(fs, path, OS_OPEN_CREATE, file);
	if (status != ST_OK)
		return status;
	status = fs->truncate(*file, 0);
	if (status == ST_OK)
		status = fs->preallocate(*file, journal__tail_room(disk->options.segment_size));
	if (status == ST_OK)
		status = fs->sync(*file);
	if (status != ST_OK)
		fs->close(*file);
	return status;
}

static void remove_spare(struct journal_disk *disk, const char *path)
{
	if (disk->fs->unlink(disk->fs, path) != ST_OK)
		log_debug("%s: left over", path);
}

void journal_disk_prepare(struct journal *journal)
{
	struct journal_disk *disk = journal__of(journal);
	pthread_mutex_lock(&disk->mutex);
	bool is_due = journal__spare_is_due(disk);
	if (is_due)
		disk->spare = JOURNAL__SPARE_MAKING;
	pthread_mutex_unlock(&disk->mutex);
	if (!is_due)
		return;
	char path[JOURNAL__PATH_SIZE];
	struct os_file *file;
	journal__path(disk, NAME, path);
	enum status status = make(disk, path, &file);
	if (status == ST_OK) {
		pthread_mutex_lock(&disk->mutex);
		disk->spare = JOURNAL__SPARE_READY;
		disk->spare_file = file;
		pthread_mutex_unlock(&disk->mutex);
		return;
	}
	remove_spare(disk, path);
	pthread_mutex_lock(&disk->mutex);
	const struct journal__segment *last = journal__last_segment(disk);
	uint64_t room = disk->capacity - last->end;
	disk->spare_after = last->header.base + last->end + disk->options.segment_size / ATTEMPTS;
	disk->spare = JOURNAL__SPARE_NONE;
	pthread_mutex_unlock(&disk->mutex);
	log_warning("%s: the next segment cannot be made: %s; there is room for %" PRIu64 " bytes of changes",
		    disk->dir, status_name(status), room);
}

struct os_file *journal__spare_take(struct journal_disk *disk, char path[JOURNAL__PATH_SIZE])
{
	struct os_file *file = NULL;
	pthread_mutex_lock(&disk->mutex);
	if (disk->spare == JOURNAL__SPARE_READY) {
		disk->spare = JOURNAL__SPARE_TAKEN;
		file = disk->spare_file;
		disk->spare_file = NULL;
	}
	pthread_mutex_unlock(&disk->mutex);
	if (file != NULL)
		journal__path(disk, NAME, path);
	return file;
}

void journal__spare_used(struct journal_disk *disk)
{
	pthread_mutex_lock(&disk->mutex);
	if (disk->spare == JOURNAL__SPARE_TAKEN)
		disk->spare = JOURNAL__SPARE_NONE;
	pthread_mutex_unlock(&disk->mutex);
}

void journal__spare_close(struct journal_disk *disk)
{
	if (disk->spare != JOURNAL__SPARE_READY)
		return;
	char path[JOURNAL__PATH_SIZE];
	journal__path(disk, NAME, path);
	disk->fs->close(disk->spare_file);
	remove_spare(disk, path);
}
