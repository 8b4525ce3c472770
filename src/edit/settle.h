/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * settle: the first phase of a proposal. Removes what the edit implies: nodes of cases that lost to another
 * case. Nodes whose `when` is false go after that (check/settle.h, which calls this). Then the root is final and
 * only read.
 *
 * Where an instance that differs from the base's has several cases of a choice, the one that is not in the
 * base stays; if several or none are new, the first in schema order.
 */
#include "base/diag.h"
#include "tree/reclaim.h"
#include "tree/record.h"

/*
 * Takes `*root` and gives the settled root in its place (the same pointer where nothing is to be removed).
 * Fails: never so far.
 * Cost: O(differences from `base` * log n), nothing where no choice is above or below a difference.
 */
enum status edit_settle(const struct schema *schema, const struct tree_record *base,
			struct tree_record **root, struct tree_reclaimer *reclaimer,
			struct diag_list *diags) MUST_USE;
