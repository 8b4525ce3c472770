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
#define ROUNDS_MOST 200
#define BYTES_MOST ((uint64_t)32 * 1024 * 1024) /* of all rounds together, beyond the least */

static unsigned round_count(uint64_t size)
{
	uint64_t count = BYTES_MOST / size;
	return count < ROUNDS_LEAST ? ROUNDS_LEAST : count > ROUNDS_MOST ? ROUNDS_MOST : (unsigned)count;
}

static enum status measure(const char *path, struct bytes record, bool preallocated, uint64_t *median_ns)
{
	unsigned rounds = round_count(record.size);
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0)
		return say_failed("cannot write %s", path);
	unlink(path);
	struct stats stats;
	stats_init(&stats);
	bool good = !preallocated || posix_fallocate(fd, 0, (off_t)(record.size * rounds)) == 0;
	for (unsigned i = 0; i < rounds && good; i++) {
		uint64_t begin_ns = os_clock_monotonic_ns();
		good = pwrite(fd, record.data, record.size, (off_t)(record.size * i)) ==
			       (ssize_t)record.size &&
		       fdatasync(fd) == 0;
		stats_add(&stats, os_clock_monotonic_ns() - begin_ns);
	}
	close(fd);
	if (good)
		*median_ns = (uint64_t)stats_summarize(&stats).p50;
	stats_fini(&stats);
	return good ? ST_OK : say_failed("cannot write and sync %s", path);
}

enum status floor_sync(const char *folder, uint64_t size, uint64_t *elapsed_ns)
{
	char path[4096];
	snprintf(path, sizeof(path), "%s/sync-floor", folder);
	struct bytes record = {memory_zalloc(size), size};
	uint64_t growing_ns, preallocated_ns;
	enum status status = measure(path, record, false, &growing_ns);
	if (status == ST_OK)
		status = measure(path, record, true, &preallocated_ns);
	memory_free((char *)record.data);
	if (status == ST_OK)
		*elapsed_ns = growing_ns < preallocated_ns ? growing_ns : preallocated_ns;
	return status;
}
