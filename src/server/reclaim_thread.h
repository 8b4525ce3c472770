/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* A thread that runs a reclaimer whenever it has work, in slices. */
#include "base/status.h"
#include "tree/reclaim.h"

struct reclaim_thread;

/* Starts the thread with a reclaimer of its own. Fails: ST_IO. */
enum status reclaim_thread_start(struct reclaim_thread **thread) MUST_USE;
struct tree_reclaimer *reclaim_thread_reclaimer(struct reclaim_thread *thread);
/* Releases what is queued, ends the thread, frees the reclaimer. */
void reclaim_thread_stop(struct reclaim_thread *thread);
