/* SPDX-License-Identifier: BSD-3-Clause */
/* What readers of a root need to know of the store beside it. */
#include "store/plan.h"

#include "store/internal.h"

const struct check_plan *store_plan(const struct store *store)
{
	return store->options.plan;
}

const struct check_tally *store_tally(const struct store *store)
{
	return store->options.check.tally;
}
