/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* Results that report_json() has written, read back. */
#include "base/arena.h"
#include "environment.h"
#include "results.h"

/* Initializes `results`, which is the caller's to free; texts are the arena's. Fails (said) where the file is
 * none of ours. */
enum status results_read(const char *path, struct arena *arena, struct environment *environment,
			 struct results *results) MUST_USE;
