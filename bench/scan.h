/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * Counts a needle in bytes that come in pieces, at the speed of memmem: the client looks for <rpc-error> and
 * counts elements without parsing.
 *
 *     struct scan scan;
 *     scan_init(&scan, "rpc-error>");
 *     scan_add(&scan, piece);
 */
#include <stdint.h>
#include "base/bytes.h"

#define SCAN_NEEDLE_MAX 64

struct scan {
	const char *needle; /* borrowed */
	size_t needle_size;
	uint64_t count;
	struct scan *next; /* looked for in the same bytes, by whoever adds them; NULL: none */
	/* private: the last bytes seen, fewer than the needle's */
	size_t tail_size;
	char tail[SCAN_NEEDLE_MAX];
};

/* Needs a needle of 2 .. SCAN_NEEDLE_MAX bytes that does not overlap itself. */
void scan_init(struct scan *scan, const char *needle);
void scan_add(struct scan *scan, struct bytes piece);
