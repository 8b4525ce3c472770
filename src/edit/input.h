/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * The input of an operation (RFC 7950 7.14.2, 7.15.2), from the edit tree that the decoder made of it to a
 * record, for the check and for who handles it.
 *
 *     status = edit_input_find(tree, arena, diags, &operation);     // the one operation in it
 *     status = edit_input_make(schema, operation, reclaimer, diags, &record);
 *
 * Paths in the diagnostics are those of the data, from the root on.
 */
#include "base/diag.h"
#include "edit/edit_tree.h"
#include "tree/builder.h"
#include "tree/reclaim.h"
#include "tree/record.h"

/* The rpc or action in the tree; of an action, from the top down, each node but keys is the only one. Fails:
 * ST_REJECTED: missing-element, no operation; bad-element, a second one. */
enum status edit_input_find(const struct edit_tree *tree, struct diag_list *diags,
			    const struct edit_node **operation) MUST_USE;
/* The input below the operation's node, as a record of which that is the schema node; one reference. Fails:
 * ST_REJECTED: bad-element, two entries of a list have the same keys, or there is data of two cases of one
 * choice (RFC 7950 8.3.1). Cost: O(nodes * log n) */
enum status edit_input_make(const struct schema *schema, const struct edit_node *operation,
			    struct tree_reclaimer *reclaimer, struct diag_list *diags,
			    struct tree_record **record) MUST_USE;
/* The same into a builder that stands at the operation, or at its output. */
enum status edit_input_build(struct tree_builder *builder, const struct edit_node *operation,
			     struct diag_list *diags) MUST_USE;
