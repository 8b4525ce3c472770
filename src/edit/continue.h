/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * error-option continue-on-error (RFC 6241 7.2): of a request, the edits that can be applied.
 *
 * An edit is an outermost element with an operation; what a top-level node holds beside these is an edit too,
 * and comes before them, as the ways to them go through it. They are applied in the order written, each to
 * what those before it made. With default-operation replace <config> as a whole has an operation: it is one
 * edit.
 */
#include "edit/apply.h"

/* What the caller does with the outcome (check/settle.h, check/named.h). */
struct edit_settler {
	/* Takes a root and gives the settled one. Fails: ST_REJECTED; where with nothing but unknown-element,
	 * the root is the settled one all the same, without what is refused. */
	enum status (*settle)(struct edit_settler *self, const struct tree_record *base,
			      struct tree_record **root, struct diag_list *diags);
	/* Whether all that the children of `top` name may be there. Fails: ST_REJECTED. */
	enum status (*check_named)(struct edit_settler *self, const struct edit_node *top,
				   const struct tree_record *applied, const struct tree_record *settled,
				   struct diag_list *diags);
};

/*
 * As edit_apply, but an edit that fails with data-exists, data-missing or missing-instance, or for a `when`,
 * is left out, and its errors are in `diags` though the status is ST_OK. A `when` is judged with all edits
 * applied; those that it stops are left out, and then it is judged anew. The root is settled. Fails:
 * ST_REJECTED, for any other error. Cost: as edit_apply, and paths anew for each edit, as often as edits are
 * left out for whens that depend on one another.
 */
enum status edit_apply_continue(const struct schema *schema, const struct tree_record *base,
				const struct edit_tree *edit, const struct edit_options *options,
				struct edit_settler *settler, struct diag_list *diags,
				struct tree_record **new_root) MUST_USE;

/* Whether that takes a request apart: what it names was checked then, edit by edit. */
static inline bool edit_is_taken_apart(const struct edit_options *options)
{
	return options->continue_on_error && options->default_operation != EDIT_REPLACE;
}
