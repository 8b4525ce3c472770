/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* Two JSON results of this program, row by row. */
#include <stdio.h>
#include "base/status.h"

struct compare_outcome {
	unsigned compared, worse; /* rows in both; of these, worse by more than the noise */
	double noise;		  /* % */
};

/*
 * Prints a table: A, B, change in %, "worse" or "better" where it is beyond `noise` %. Rows that have a floor
 * are compared by their ratio to it, which survives another day's machine; floors themselves are left out.
 * Fails (said) where a file cannot be read or is none of this program's.
 */
enum status compare_files(FILE *out, const char *a, const char *b, double noise,
			  struct compare_outcome *outcome) MUST_USE;
