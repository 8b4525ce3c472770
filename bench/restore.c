/* SPDX-License-Identifier: BSD-3-Clause */
/* restore: N entries in one edit-config on an empty datastore. */
#include "bulk_edit.h"

enum status scenario_restore(struct run *run, uint64_t n)
{
	static const struct bulk_edit edit = {"perf-test/restore", PERF_TEST_ENTRIES, false};
	return bulk_edit_measure(run, &edit, n);
}
