/* SPDX-License-Identifier: BSD-3-Clause */
/* complex: N members in one edit-config, each with a leafref to an entry and a must on it; the N entries are
 * there before. */
#include "bulk_edit.h"

enum status scenario_complex(struct run *run, uint64_t n)
{
	static const struct bulk_edit edit = {"perf-test/complex", PERF_TEST_MEMBERS, true};
	return bulk_edit_measure(run, &edit, n);
}
