/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* What /proc and the CPU clock tell about another process of the same user. */
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include "base/status.h"

struct process_memory {
	uint64_t resident, peak; /* bytes: VmRSS, VmHWM */
};

/* Fails with ST_ABSENT where there is no such process. */
enum status process_memory_get(pid_t pid, struct process_memory *memory) MUST_USE;
/* The same once the memory has not shrunk or grown by more than 1 % for a second, at most 15 s from now:
 * a server gives memory back, and writes a snapshot, after it has answered. */
enum status process_memory_settled(pid_t pid, struct process_memory *memory) MUST_USE;
/* From here on the peak counts anew. False where the kernel does not offer it. */
bool process_peak_reset(pid_t pid);
/* CPU time of all its threads so far, in ns; 0 where unknown. */
uint64_t process_cpu_ns(pid_t pid);
/* The same once the process rests, at most 2 s from now: what it does after it has answered is counted. */
uint64_t process_cpu_settled_ns(pid_t pid);
/* Waits until the process rests, at most 15 s: until after the snapshot of what was loaded. */
void process_rest(pid_t pid);
/* Bytes that the process has sent to storage so far, in pages; 0 where unknown, as on a file system in
 * memory. */
uint64_t process_written(pid_t pid);
