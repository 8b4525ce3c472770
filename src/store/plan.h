/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
#include "store/store.h"

/* The plan that the store was opened with. */
const struct check_plan *store_plan(const struct store *store);
