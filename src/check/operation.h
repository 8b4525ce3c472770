/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * Input and output of operations (RFC 7950 7.14, 7.15): when, must, leafrefs and instance-identifiers into
 * the data, mandatory nodes and choices, numbers of entries, unique. The tree that expressions see is the
 * operation within all data (6.4.1): `top` hangs below the root, or below the instance that has the action,
 * as a child beside the data there, for relative and for absolute paths.
 */
#include "check/check.h"

/*
 * Checks the record at `top`, of which the schema node is an rpc, an action or an output. Needs: a chain of
 * positions up to the root of the data. Fails: ST_REJECTED; as check_changes, with paths from the root on,
 * but a leaf that is mandatory and not there is missing-element with bad-element. Of the options `steps` and
 * `max_nodes` matter. Cost: that of the input, and of what its expressions read.
 */
enum status check_operation(const struct check_plan *plan, const struct tree_position *top,
			    const struct check_options *options, struct diag_list *diags) MUST_USE;
