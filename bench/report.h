/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* Results as a table for people, as JSON and as CSV for programs. */
#include <stdio.h>
#include "environment.h"
#include "results.h"

void report_table(FILE *out, const struct environment *environment, const struct results *results);
void report_json(FILE *out, const struct environment *environment, const struct results *results);
void report_csv(FILE *out, const struct results *results);
