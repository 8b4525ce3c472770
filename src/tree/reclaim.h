/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * The reclaimer: releases nodes that nothing reaches any more, in slices, so that dropping a root of a
 * million nodes stalls nobody. Dropping pushes the node; tree_reclaimer_run takes from the queue. Any thread
 * may push and run.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tree_reclaimer;

/* `wake` (may be NULL) is called, from any thread, when work appears in an empty queue. */
struct tree_reclaimer *tree_reclaimer_new(void (*wake)(void *arg), void *arg);
void tree_reclaimer_free(struct tree_reclaimer *reclaimer); /* runs to the end first */
/* Releases for at most `budget_ns` (UINT64_MAX: all); true where work is left. */
bool tree_reclaimer_run(struct tree_reclaimer *reclaimer, uint64_t budget_ns);
#define TREE_INLINE_RELEASE 1024 /* nodes that an unref releases at once before it queues the rest */
