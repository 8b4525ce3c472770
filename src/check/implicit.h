/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * Which implicit nodes of one root are there, for those who read it: what a `when` says, as the check judges
 * it.
 *
 *     struct check_implicit *implicit = check_implicit_new(plan, root);
 *     env.implicit = check_implicit_get(implicit);
 */
#include "check/check.h"

struct check_implicit;

/* Borrows both. One thread at a time. */
struct check_implicit *check_implicit_new(const struct check_plan *plan, const struct tree_record *root);
/* The same of an operation's input or output, which hangs within the data of the root (operation.h). Borrows
 * it too. */
void check_implicit_set_operation(struct check_implicit *implicit, const struct tree_position *operation);
void check_implicit_free(struct check_implicit *implicit); /* NULL is allowed */
/* Valid as long as it. */
struct xpath_implicit *check_implicit_get(struct check_implicit *implicit);
