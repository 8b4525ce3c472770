/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * settle: the first phase of a proposal. What the new root implies is removed, so that from here on it is
 * final: nodes of cases that lost (edit/settle.h), then nodes whose `when` is false, to a fixpoint, as a
 * removal may make further whens false or true.
 *
 * A node under a false `when` that the request itself made or changed is refused with unknown-element (RFC
 * 7950 8.3.2): that is, one that differs from the base's, itself or in anything that came or changed below
 * it. What is as it was goes in silence. The whens are judged on the tree after all edits of the request.
 */
#include "check/check.h"

/*
 * Takes `*root` and gives the settled root in its place: the same pointer where nothing is to be removed.
 * Fails: ST_REJECTED (diags), also at the work limit; the root is without what is refused where that is
 * nodes under a false `when` alone, else some root, to be dropped. Cost:
 * O(changes log n) for whens that are not of class scan, once more for each rank (when.h) of which some
 * are false; nothing where the schema has no `when` and no choice. Of the options `full` says that the
 * base is not known to be settled, so that every `when` and every choice of the new root is due; without a
 * base, two cases of a choice are refused. Of the indexes only those of the base are read; where there are
 * none (NULL, and no source), whens that find their readers by one go through all of them.
 */
enum status check_settle(const struct check_plan *plan, const struct check_options *options,
			 const struct tree_record *base, struct tree_record **root,
			 struct diag_list *diags) MUST_USE;
