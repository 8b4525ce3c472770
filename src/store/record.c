/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The journal record of a version. So far its head alone, as text, enough to see in a journal what was
 * appended in which order; the changes themselves join it with the on-disk journal.
 */
#include <inttypes.h>
#include <stdio.h>
#include "base/assert.h"
#include "store/internal.h"

size_t store__record_encode(const struct store_version *version, size_t change_count,
			    char record[STORE_RECORD_MAX])
{
	int size = snprintf(record, STORE_RECORD_MAX,
			    "version %" PRIu64 " time %" PRIu64 " session %" PRIu32 " changes %zu user %s",
			    version->id, version->time_ns, version->session_id, change_count, version->user);
	ASSERT(size > 0 && size < STORE_RECORD_MAX);
	return (size_t)size;
}
