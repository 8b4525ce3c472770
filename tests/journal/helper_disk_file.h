/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* A journal of small text records on a fake disk, and ways to look at its files and to spoil them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "journal/journal_disk.h"
#include "os/file_fake.h"

struct disk {
	struct os_fs *fs;
	struct journal_disk_options options;
	struct journal *journal; /* NULL: closed */
	uint64_t version;	 /* the last one */
};

void disk_init(struct disk *disk);
void disk_fini(struct disk *disk);
/* Opens the journal; a new one is set up with a snapshot of version 1. On success everything that is read
 * back is what helper records say. */
enum status disk_open(struct disk *disk);
void disk_close(struct disk *disk, bool seal);
/* Appends the record of the next version. */
enum status disk_append(struct disk *disk);
enum status disk_sync(struct disk *disk);
enum status disk_snapshot(struct disk *disk);
/* Appends and syncs each, up to a version. */
void disk_fill(struct disk *disk, uint64_t version);
/* The path of a segment or snapshot. */
const char *disk_segment(uint64_t number);
const char *disk_snapshot_file(uint64_t version);
uint64_t disk_size(struct disk *disk, const char *path);
bool disk_exists(struct disk *disk, const char *path);
void disk_write(struct disk *disk, const char *path, uint64_t offset, const void *data, size_t size);
void disk_truncate(struct disk *disk, const char *path, uint64_t size);
void disk_remove(struct disk *disk, const char *path);
void disk_copy(struct disk *disk, const char *from, const char *to);
/* Offset behind the last frame of a segment. */
uint64_t disk_end(struct disk *disk, uint64_t segment);
