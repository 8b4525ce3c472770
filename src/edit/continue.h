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

/* Settles a root as the caller will in the end; takes it and gives another. Fails: ST_REJECTED, with
 * unknown-element where a `when` is false. */
struct edit_settler {
	enum status (*settle)(struct edit_settler *self, const struct tree_record *base,
			      struct tree_record **root, struct diag_list *diags);
};

/*
 * As edit_apply, but an edit that fails with data-exists, data-missing or missing-instance, or for a `when`,
 * is left out, and its errors are in `diags` though the status is ST_OK. A `when` is judged with all edits
 * applied; only where one is false then, edit by edit. Fails: ST_REJECTED, for any other error. Cost: as
 * edit_apply, and paths anew for each edit.
 */
enum status edit_apply_continue(const struct schema *schema, const struct tree_record *base,
				const struct edit_tree *edit, const struct edit_options *options,
				struct edit_settler *settler, struct diag_list *diags,
				struct tree_record **new_root) MUST_USE;
