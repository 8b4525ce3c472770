/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
#include "store/store.h"

/* The plan that the store was opened with. */
const struct check_plan *store_plan(const struct store *store);
/* The tally of its checks; NULL: it was opened without. */
const struct check_tally *store_tally(const struct store *store);
