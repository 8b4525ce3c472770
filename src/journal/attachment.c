/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Small files of the store beside the journal: what belongs to the data directory and is neither a change nor
 * a version. Each is replaced as a whole, by a temporary file that is synced and renamed, so that a crash
 * leaves the old one or the new one; what a crash leaves of the temporary file is removed at the next start,
 * with all that ends in `.tmp`.
 */
#include <stdio.h>
#include "journal/internal.h"

static enum status write_temporary(struct journal_disk *disk, const char *path, struct bytes content)
{
	struct os_file *file;
	enum status status = disk->fs->open(disk->fs, path, OS_OPEN_CREATE, &file);
	if (status != ST_OK)
		return status;
	status = disk->fs->truncate(file, 0);
	if (status == ST_OK)
		status = disk->fs->write(file, 0, content);
	if (status == ST_OK)
		status = disk->fs->sync(file);
	disk->fs->close(file);
	return status;
}

enum status journal_disk_put_file(struct journal *journal, const char *name, struct bytes content)
{
	struct journal_disk *disk = journal__of(journal);
	char temporary_name[JOURNAL_FILE_NAME_SIZE + 4], temporary[JOURNAL__PATH_SIZE],
		path[JOURNAL__PATH_SIZE];
	snprintf(temporary_name, sizeof(temporary_name), "%s.tmp", name);
	journal__path(disk, temporary_name, temporary);
	journal__path(disk, name, path);
	enum status status = write_temporary(disk, temporary, content);
	if (status == ST_OK)
		status = disk->fs->rename(disk->fs, temporary, path);
	return status == ST_OK ? disk->fs->sync_dir(disk->fs, disk->dir) : status;
}

enum status journal_disk_get_file(struct journal *journal, const char *name, size_t limit,
				  struct buffer *content)
{
	struct journal_disk *disk = journal__of(journal);
	char path[JOURNAL__PATH_SIZE];
	journal__path(disk, name, path);
	return os_fs_read_whole(disk->fs, path, limit, content);
}
