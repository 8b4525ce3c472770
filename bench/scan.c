/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A needle that lies across two pieces is found in a join of the end of one and the beginning of the next;
 * each part is shorter than the needle, so nothing is counted twice.
 */
#include "scan.h"

#include "base/assert.h"

static uint64_t count_in(const struct scan *scan, const char *data, size_t size)
{
	uint64_t count = 0;
	const char *end = data + size, *found;
	while ((found = memmem(data, (size_t)(end - data), scan->needle, scan->needle_size)) != NULL) {
		count++;
		data = found + scan->needle_size;
	}
	return count;
}

static size_t at_most(size_t size, size_t most)
{
	return size < most ? size : most;
}

void scan_init(struct scan *scan, const char *needle)
{
	*scan = (struct scan){.needle = needle, .needle_size = strlen(needle)};
	ASSERT(scan->needle_size >= 2 && scan->needle_size <= SCAN_NEEDLE_MAX);
}

void scan_add(struct scan *scan, struct bytes piece)
{
	if (piece.size == 0)
		return;
	size_t keep = scan->needle_size - 1;
	char join[2 * SCAN_NEEDLE_MAX];
	size_t head = at_most(piece.size, keep);
	memcpy(join, scan->tail, scan->tail_size);
	memcpy(join + scan->tail_size, piece.data, head);
	size_t join_size = scan->tail_size + head;
	scan->count += count_in(scan, join, join_size);
	scan->count += count_in(scan, piece.data, piece.size);
	if (piece.size >= keep) {
		memcpy(scan->tail, piece.data + piece.size - keep, keep);
		scan->tail_size = keep;
		return;
	}
	scan->tail_size = at_most(join_size, keep);
	memcpy(scan->tail, join + join_size - scan->tail_size, scan->tail_size);
}
