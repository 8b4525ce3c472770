/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * Requests of the perf-test workloads, as compact XML without framing. The same arguments give the same
 * bytes; entry i is named vlan<seed>-<i, 7 digits> whatever the number of entries is.
 */
#include <stdint.h>
#include "base/buffer.h"

#define PERF_TEST_NS "http://netconfcentral.org/ns/perf-test"

/* Entries first .. first + count - 1. */
struct perf_test_range {
	uint64_t seed, first, count;
};

enum perf_test_what {
	PERF_TEST_ENTRIES,	  /* top-container/local-list, of type l2vlan */
	PERF_TEST_MEMBERS,	  /* local-leafref-members that refer to them */
	PERF_TEST_REMOVE_ENTRIES, /* operation remove of all of top-container */
	PERF_TEST_REMOVE_MEMBERS, /* operation remove of each member */
};

/* Appends an edit-config of running. Needs a buffer without limit. Message ids have 7 digits, so that
 * requests of one kind are of one size. */
void perf_test_edit(struct buffer *out, uint64_t message_id, enum perf_test_what what,
		    struct perf_test_range range);
/* Appends a get-config of one entry, selected by its key. */
void perf_test_get_entry(struct buffer *out, uint64_t message_id, uint64_t seed, uint64_t number);
