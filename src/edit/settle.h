/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * settle: the first phase of a proposal. Removes what the edit implies: nodes of cases that lost to another
 * case. (Nodes whose `when` is false will go here as well.) Afterwards the root is final and only read.
 */
#include "base/diag.h"
#include "tree/reclaim.h"
#include "tree/record.h"

/* Takes `*root` and gives the settled root in its place; looks only at what differs from `base`. */
enum status edit_settle(const struct schema *schema, const struct tree_record *base,
			struct tree_record **root, struct tree_reclaimer *reclaimer,
			struct diag_list *diags) MUST_USE;
