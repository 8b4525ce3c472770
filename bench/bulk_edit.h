/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* What restore and complex share: one large edit, over each transport, against its floors. */
#include "run.h"

struct bulk_edit {
	const char *scenario;
	enum perf_test_what what;
	bool needs_entries; /* loaded before, untimed */
};

/* Measures once and checks what the server holds then. */
enum status bulk_edit_measure(struct run *run, const struct bulk_edit *edit, uint64_t n) MUST_USE;
