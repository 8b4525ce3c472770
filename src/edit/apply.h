/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * edit_apply: edit tree + root -> new root, by the rules of edit-config (RFC 6241 7.2, RFC 7950 7.x.x
 * "NETCONF <edit-config> Operations"): merge, replace, create, delete, remove at any depth, inherited
 * operations, the default operation. A pure function of its inputs: on any error nothing is made and `diags`
 * says what is wrong where.
 *
 * A node of a case takes the place of the other cases' nodes (RFC 7950 7.9): setting it removes them.
 */
#include "base/diag.h"
#include "edit/edit_tree.h"
#include "tree/reclaim.h"
#include "tree/record.h"

struct edit_options {
	enum edit_operation default_operation; /* EDIT_MERGE, EDIT_REPLACE or EDIT_NONE */
	struct tree_reclaimer *reclaimer;      /* may be NULL */
};

/*
 * Gives the new root (one reference; the same pointer as `base`, with a reference more, where nothing
 * changes). Fails: ST_REJECTED with data-exists, data-missing, bad-element, ... each with the path of the
 * instance. Cost: O(nodes of the edit * log n), never of the datastore.
 */
enum status edit_apply(const struct schema *schema, const struct tree_record *base,
		       const struct edit_tree *edit, const struct edit_options *options,
		       struct diag_list *diags, struct tree_record **new_root) MUST_USE;
