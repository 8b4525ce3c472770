/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * Whether what a request names is still there once its outcome is settled. Settle tells from the two roots
 * alone what a request has made or changed; a node that it names with the value that the node had already
 * looks like one that it does not name. Under a `when` that the request makes false it is refused all the
 * same (RFC 7950 8.3.2).
 */
#include "edit/apply.h"

/*
 * Takes: the root that the edit made, and what settle left of it. Nodes that are only named on the way
 * (operation none), deleted or removed need not be there. Fails: ST_REJECTED, with unknown-element and the
 * path of each node that is gone; what is below one is not told. Cost: nothing where settle removed nothing,
 * else O(nodes of the edit * log n).
 */
enum status edit_check_named(const struct schema *schema, const struct tree_record *applied,
			     const struct tree_record *settled, const struct edit_tree *edit,
			     const struct edit_options *options, struct diag_list *diags) MUST_USE;
