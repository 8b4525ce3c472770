/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* Reports with plots, of one or more runs. */
#include <stdio.h>
#include "base/status.h"
#include "figures.h"

/* One self-contained HTML file: environment, limits, plots, all tables. */
void report_html(FILE *out, const struct measured_run *runs, size_t count);
/*
 * The same as Markdown with its plots as SVG files in `plots`, a folder that the page refers to relatively
 * and that is made where it is not there; tables have the headline metrics only. Where the file at `path`
 * exists, what stands between its two marker lines is replaced and the rest is kept. What fails is said.
 */
enum status report_markdown(const char *path, const char *plots, const struct measured_run *runs,
			    size_t count) MUST_USE;
