/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* The suites and their scenarios: what can be run, on which modules, and the loop that runs it. */
#include "options.h"
#include "run.h"

void suites_list(void);
/* Says and gives false where the options name what is not there. */
bool suites_are_known(const struct options *options);
/* Scenario by scenario, size by size, repetition by repetition. What fails is said and left out of the
 * results; false where something did. */
bool suites_run(struct run *run);
