/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * `yare explain`: what each constraint of a set of modules costs, before there is any data. As text: for each
 * constraint its node, kind and class, what triggers it, what it reads and, where it is a scan, why; or as a
 * table of how many constraints are in each class.
 */
#include "base/buffer.h"
#include "check/check.h"

/* Whether constraints can be of a class of this name. */
bool explain_is_class(const char *name);
/* Appends a paragraph for each constraint; those of one class only, or (NULL) all. The buffer has no limit.
 */
void explain_constraints(const struct check_plan *plan, const char *only_class, struct buffer *out);
/* Appends a table in Markdown: a row a kind of constraint, one for must, when and leafref together, and one
 * for all. Each row begins with `title`. */
void explain_summary(const struct check_plan *plan, const char *title, struct buffer *out);
