/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* Job threads: run long work off the workers. A job is the caller's; it must stay until `run` returned. */
#include <stddef.h>
#include "base/status.h"

struct os_job {
	void (*run)(struct os_job *job);
	/* private */
	struct os_job *next;
};

struct os_pool;

enum status os_pool_new(size_t threads, struct os_pool **pool) MUST_USE;
/* Waits for the jobs that were submitted, then ends the threads. */
void os_pool_free(struct os_pool *pool);
/* Jobs that run or are queued; it may be otherwise a moment later. Any thread. */
size_t os_pool_load(const struct os_pool *pool);
void os_pool_submit(struct os_pool *pool, struct os_job *job); /* first in, first out; any thread */
