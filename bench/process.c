/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory is read from /proc/PID/status (both figures in one look), CPU time from the process's CPU clock,
 * which counts nanoseconds where /proc/PID/stat counts ticks of 10 ms, and what it wrote from /proc/PID/io.
 */
#include "process.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "os/clock.h"

#define SETTLE_STEP_US 100000
#define SETTLE_MAX_NS ((uint64_t)15000000000)
#define SETTLE_STEPS 10
#define REST_STEP_US 5000
#define REST_MAX_NS ((uint64_t)2000000000)
#define REST_STEPS 4
#define REST_NS 50000 /* CPU time in a step that counts as rest */

static void read_kib(const char *line, const char *name, uint64_t *bytes)
{
	unsigned long long kib;
	size_t size = strlen(name);
	if (strncmp(line, name, size) == 0 && sscanf(line + size, "%llu", &kib) == 1)
		*bytes = kib * 1024;
}

enum status process_memory_get(pid_t pid, struct process_memory *memory)
{
	char path[64], line[256];
	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	FILE *file = fopen(path, "re");
	if (file == NULL)
		return ST_ABSENT;
	struct process_memory found = {0};
	while (fgets(line, sizeof(line), file) != NULL) {
		read_kib(line, "VmRSS:", &found.resident);
		read_kib(line, "VmHWM:", &found.peak);
	}
	fclose(file);
	if (found.resident == 0)
		return ST_ABSENT;
	*memory = found;
	return ST_OK;
}

enum status process_memory_settled(pid_t pid, struct process_memory *memory)
{
	uint64_t end_ns = os_clock_monotonic_ns() + SETTLE_MAX_NS;
	enum status status = process_memory_get(pid, memory);
	for (unsigned still = 0;
	     status == ST_OK && still < SETTLE_STEPS && os_clock_monotonic_ns() < end_ns;) {
		uint64_t before = memory->resident;
		usleep(SETTLE_STEP_US);
		status = process_memory_get(pid, memory);
		uint64_t after = memory->resident;
		uint64_t moved = before > after ? before - after : after - before;
		still = moved <= before / 100 ? still + 1 : 0;
	}
	return status;
}

bool process_peak_reset(pid_t pid)
{
	char path[64];
	snprintf(path, sizeof(path), "/proc/%d/clear_refs", (int)pid);
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	bool done = write(fd, "5", 1) == 1;
	close(fd);
	return done;
}

uint64_t process_cpu_ns(pid_t pid)
{
	clockid_t clock;
	struct timespec time;
	if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &time) != 0)
		return 0;
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static uint64_t wait_for_rest(pid_t pid, uint64_t most_ns)
{
	uint64_t end_ns = os_clock_monotonic_ns() + most_ns;
	uint64_t cpu_ns = process_cpu_ns(pid);
	for (unsigned still = 0; still < REST_STEPS && os_clock_monotonic_ns() < end_ns;) {
		usleep(REST_STEP_US);
		uint64_t now_ns = process_cpu_ns(pid);
		still = now_ns - cpu_ns <= REST_NS ? still + 1 : 0;
		cpu_ns = now_ns;
	}
	return cpu_ns;
}

uint64_t process_cpu_settled_ns(pid_t pid)
{
	return wait_for_rest(pid, REST_MAX_NS);
}

void process_rest(pid_t pid)
{
	(void)wait_for_rest(pid, SETTLE_MAX_NS);
}

uint64_t process_written(pid_t pid)
{
	char path[64], line[256];
	unsigned long long bytes = 0;
	snprintf(path, sizeof(path), "/proc/%d/io", (int)pid);
	FILE *file = fopen(path, "re");
	if (file == NULL)
		return 0;
	while (fgets(line, sizeof(line), file) != NULL)
		if (sscanf(line, "write_bytes: %llu", &bytes) == 1)
			break;
	fclose(file);
	return bytes;
}
