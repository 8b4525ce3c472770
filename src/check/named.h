/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * Whether what a request names may be there once its outcome is settled. Settle tells from the two roots
 * alone what a request has made or changed; a node that it names with the value that the node had already
 * looks like one that it does not name, and of a non-presence container with nothing in it neither root has
 * anything. Under a `when` that is false both are refused all the same (RFC 7950 8.3.1, 8.3.2).
 */
#include "check/check.h"
#include "edit/edit_tree.h"

/* What a request names: the children of `top`. */
struct check_named_edit {
	const struct edit_node *top; /* of kind SCHEMA_ROOT */
	enum edit_operation default_operation;
};

/*
 * Takes: the root that the edit made, and what settle left of it, which may be the same. Nodes that are only
 * named on the way (operation none), deleted or removed need not be there. Of the options the limits and the
 * counters count. Fails: ST_REJECTED, with unknown-element and the path of each node that may not be there,
 * but not of those below it; or at the work limit. Cost: O(nodes of the edit * log n) where settle removed
 * something; else only nodes are visited above and at containers that have a `when`.
 */
enum status check_named(const struct check_plan *plan, const struct check_options *options,
			const struct check_named_edit *edit, const struct tree_record *applied,
			const struct tree_record *settled, struct diag_list *diags) MUST_USE;
