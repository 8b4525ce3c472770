/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * edit_apply: edit tree + root -> new root, by the rules of edit-config (RFC 6241 7.2; RFC
 * 7950 7.5.8, 7.6.8, 7.7.9, 7.8.6 and 7.10.4): merge, replace, create, delete, remove at any depth, inherited
 * operations, the default operation. A pure function of its inputs: on any error nothing is made and `diags`
 * says what is wrong where.
 *
 *     struct edit_options options = {.default_operation = EDIT_MERGE, .reclaimer = reclaimer};
 *     enum status status = edit_apply(schema, base, edit, &options, diags, &root);
 *
 * Where the RFCs leave room:
 * - `none` refuses list entries and presence containers that are not there (data-missing), also where
 * something below has an operation; a leaf or leaf-list value under it is not touched, there or not.
 * - Default operation replace: the datastore becomes exactly the edit; what is equal already keeps its nodes.
 * Below a replace, a child's own operation acts on what was there.
 * - What stands below a delete or remove is not looked at. Deleting a key without its entry is refused
 * (bad-element).
 * - Entries and values named twice are applied one after the other; a container named twice is taken
 * together, and refused (bad-element) if its operations differ.
 * - A node of a case takes the place of the other cases' nodes (RFC 7950 7.9); data of two cases in one
 * instance is refused (8.3.1), a deletion of the old case beside the new one is not, in any order.
 * - Non-presence containers are stored only with something below; except one in a case that is named for
 * itself: it chooses the case.
 * - Metadata annotations (RFC 7952): merge sets those given and keeps others, replace and create leave
 * exactly those given. A non-presence container that has some is stored.
 * - User-ordered entries and values go where yang:insert says, one after the other, so an anchor may be one
 * that the request has just made or moved; one that is not there is bad-attribute with missing-instance (RFC
 * 7950 15.7). Below a replace the order written is the new order, and anchors are what stands before. With
 * delete, remove or none yang:insert is refused (bad-attribute).
 */
#include "base/diag.h"
#include "edit/edit_tree.h"
#include "tree/reclaim.h"
#include "tree/record.h"

/* Which nodes are there for create and delete: RFC 6243 2.1.2, 2.2.2, 2.3.2. */
enum edit_basic {
	EDIT_BASIC_EXPLICIT,   /* what is stored */
	EDIT_BASIC_REPORT_ALL, /* also leafs whose default is in use; deleting one of these changes nothing */
	EDIT_BASIC_TRIM,       /* what is stored, but no leaf that has its default value */
};

struct edit_options {
	enum edit_operation default_operation; /* EDIT_MERGE, EDIT_REPLACE or EDIT_NONE */
	struct tree_reclaimer *reclaimer;      /* may be NULL */
	enum edit_basic basic;
	bool continue_on_error; /* for who chooses between edit_apply and edit/continue.h */
};

/*
 * Gives the new root (one reference; the same pointer as `base`, with a reference more, where nothing
 * changes). Needs: an edit of the same schema; keys of entries as edit_tree.h has them. Fails: ST_REJECTED
 * with data-exists, data-missing, bad-element, ... each with the path of the instance. As many as the list
 * keeps are found in one pass; an error may follow from one before it. Cost: O(nodes of the edit * log n)
 * and, for replace, of what it replaces; never of the datastore.
 */
enum status edit_apply(const struct schema *schema, const struct tree_record *base,
		       const struct edit_tree *edit, const struct edit_options *options,
		       struct diag_list *diags, struct tree_record **new_root) MUST_USE;
