/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The sync floor: append and fdatasync in the folder of the data. A growing file pays for its length and
 * blocks with every sync, a preallocated one not; which is faster depends on the file system.
 */
#include "floor.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/memory.h"
#include "os/clock.h"
#include "say.h"
#include "stats.h"

#define ROUNDS_LEAST 5
#define ROUNDS_MOST 50
#define BYTES_MOST ((uint64_t)32 * 1024 * 1024) /* of all rounds together, beyond the least */
#define RECORDS_AHEAD 200			/* that are preallocated at a time, if they are small */

struct sync_file {
	int fd;
	bool preallocated;
	struct stats stats;
};

struct sync_floor {
	struct bytes record;
	struct sync_file files[2];
	size_t faster; /* of the two */
};

static bool open_file(struct sync_file *file, const char *folder, bool preallocated)
{
	char path[4096];
	snprintf(path, sizeof(path), "%s/sync-floor", folder);
	file->preallocated = preallocated;
	stats_init(&file->stats);
	file->fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	return file->fd >= 0 && unlink(path) == 0;
}

/* Large ones one by one: 200 of some hundred MB would fill a disk. */
static size_t records_ahead(size_t size)
{
	size_t count = BYTES_MOST / size;
	return count < 1 ? 1 : count > RECORDS_AHEAD ? RECORDS_AHEAD : count;
}

static bool append(struct sync_file *file, struct bytes record)
{
	size_t done = file->stats.samples.length, ahead = records_ahead(record.size);
	off_t at = (off_t)(record.size * done);
	if (file->preallocated && done % ahead == 0 &&
	    (posix_fallocate(file->fd, at, (off_t)(record.size * ahead)) != 0 || fsync(file->fd) != 0))
		return false;
	uint64_t begin_ns = os_clock_monotonic_ns();
	bool good = pwrite(file->fd, record.data, record.size, at) == (ssize_t)record.size &&
		    fdatasync(file->fd) == 0;
	stats_add(&file->stats, os_clock_monotonic_ns() - begin_ns);
	return good;
}

static bool append_all(struct sync_file *file, struct bytes record, unsigned rounds)
{
	bool good = true;
	for (unsigned i = 0; i < rounds && good; i++)
		good = append(file, record);
	return good;
}

static double median(const struct sync_file *file)
{
	return stats_summarize(&file->stats).p50;
}

static unsigned round_count(uint64_t size)
{
	uint64_t count = BYTES_MOST / size;
	return count < ROUNDS_LEAST ? ROUNDS_LEAST : count > ROUNDS_MOST ? ROUNDS_MOST : (unsigned)count;
}

enum status sync_floor_begin(const char *folder, uint64_t size, struct sync_floor **floor)
{
	struct sync_floor *made = memory_zalloc(sizeof(*made));
	made->record = (struct bytes){memory_zalloc(size), size};
	bool good = open_file(&made->files[0], folder, false);
	good = open_file(&made->files[1], folder, true) && good;
	/* One after the other: a sync of the growing one makes that of the other wait for metadata. */
	unsigned rounds = round_count(size);
	for (size_t i = 0; i < 2 && good; i++)
		good = append_all(&made->files[i], made->record, rounds);
	if (!good) {
		sync_floor_end(made);
		return say_failed("cannot write and sync in %s", folder);
	}
	made->faster = median(&made->files[1]) < median(&made->files[0]);
	*floor = made;
	return ST_OK;
}

void sync_floor_end(struct sync_floor *floor)
{
	if (floor == NULL)
		return;
	for (size_t i = 0; i < 2; i++) {
		if (floor->files[i].fd >= 0)
			close(floor->files[i].fd);
		stats_fini(&floor->files[i].stats);
	}
	memory_free((char *)floor->record.data);
	memory_free(floor);
}

enum status sync_floor_measure(struct sync_floor *floor, unsigned rounds)
{
	return append_all(&floor->files[floor->faster], floor->record, rounds)
		       ? ST_OK
		       : say_failed("cannot write and sync");
}

uint64_t sync_floor_median_ns(const struct sync_floor *floor)
{
	return (uint64_t)median(&floor->files[floor->faster]);
}

enum status floor_sync(const char *folder, uint64_t size, uint64_t *elapsed_ns)
{
	struct sync_floor *floor;
	enum status status = sync_floor_begin(folder, size, &floor);
	if (status != ST_OK)
		return status;
	*elapsed_ns = sync_floor_median_ns(floor);
	sync_floor_end(floor);
	return ST_OK;
}
