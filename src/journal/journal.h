/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * The journal as the store sees it: opaque records in version order. It knows no YANG. A back end is a table
 * of functions: one is on disk (journal_disk.h), one in memory for tests (journal_memory.h).
 *
 * Order of calls, for every record: reserve (may fail), append (must not), later sync (covers all that was
 * appended before it was called). A failed sync is terminal: the store syncs no more. A proposal that runs
 * beside it may still call reserve (ST_IO) or append (dropped). reserve and append are called under the
 * store's writer lock; sync from the sync thread, at the same time as reserve and append of later records.
 */
#include <stdint.h>
#include "base/bytes.h"
#include "base/status.h"

struct journal;

/* In pieces that follow each other; the caller's, for the time of the call. */
struct journal_payload {
	const struct bytes *pieces;
	size_t count;
};

size_t journal_payload_size(struct journal_payload record); /* bytes */

struct journal_ops {
	/* Room for one record of `size` bytes. Gives the number of the segment that it will be in: where that
	 * is another one than before, records begin anew with naming things, and this one may need other
	 * room: repeat. ST_LIMIT: no space; ST_IO: else. Repeated without append:
	 * replaces. */
	enum status (*reserve)(struct journal *journal, size_t size, uint64_t *segment);
	/* Appends within what was reserved. Never fails: a failure to write is told by the next sync. */
	void (*append)(struct journal *journal, uint64_t version, struct journal_payload record);
	/* Everything appended before this call is durable when it returns ST_OK; *version gets the last such
	 * version. */
	enum status (*sync)(struct journal *journal, uint64_t *version);
	void (*close)(struct journal *journal);
};

struct journal {
	const struct journal_ops *ops;
};
