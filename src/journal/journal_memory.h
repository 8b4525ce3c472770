/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * A journal in memory, for tests: keeps its records, counts calls, blocks a sync until told, and fails the
 * n-th reserve or sync.
 */
#include <stddef.h>
#include "journal/journal.h"

struct journal *journal_memory_new(void);
size_t journal_memory_length(struct journal *journal); /* records appended */
struct bytes journal_memory_record(struct journal *journal, size_t index, uint64_t *version);
uint64_t journal_memory_syncs(struct journal *journal); /* calls of sync that returned ST_OK */
/* While held, sync blocks. */
void journal_memory_hold_syncs(struct journal *journal, int held);
/* The n-th call from now (1: the next) fails with the status; 0: none. */
void journal_memory_fail_reserve(struct journal *journal, unsigned n, enum status status);
void journal_memory_fail_sync(struct journal *journal, unsigned n);
