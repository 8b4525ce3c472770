/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* Sections of the Markdown report that draw on all runs at once. */
#include <stdio.h>
#include "figures.h"

/* Each limit that is missed at some size, with where it is met, and why as far as that is known. */
void report_misses(FILE *out, const struct measured_run *runs, size_t count);
/* What others published of the same workloads, and the peers that were measured, beside yared. */
void report_others(FILE *out, const struct measured_run *runs, size_t count);
