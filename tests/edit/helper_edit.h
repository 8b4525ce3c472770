/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * Edits and trees as short texts.
 *
 *     top@merge{ a=1 ll=x@delete np{ x=2 } e[k1]@create{ v=3 sub[7,b] } pc@remove }
 *
 * name [keys] = value @operation { children }, each part optional. The keys of an entry become its first
 * children; a key named again inside gets the operation written there (`e[k]{ k@delete }`). A name of module
 * edit-other is looked up like one of edit-test. An anydata's value is its XML. `name!first` has a
 * yang:insert attribute, and so have `name!last`, `name!before=k` and `name!after=k1,k2`.
 *
 * Annotations follow, `name#note=x#rank=4`.
 *
 * helper_dump writes a tree in the same notation, in document order, one blank between nodes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/buffer.h"
#include "edit/apply.h"
#include "edit/edit_tree.h"
#include "tree/record.h"

struct schema *helper_schema(void); /* the two modules; one reference */
struct edit_tree *helper_parse(const struct schema *schema, const char *text);
char *helper_dump(const struct schema *schema, const struct tree_record *root, struct arena *arena);
/* The root with just that content. */
struct tree_record *helper_tree(const struct schema *schema, const char *text);

/* What edit_apply said: the new root (NULL: refused) and "tag path" or "tag path app-tag" of each error, one
 * a line. Paths are without the prefix "edit-test:". */
struct helper_result {
	struct tree_record *root;
	const char *errors;
	size_t error_count, dropped;
};
struct helper_result helper_apply(const struct schema *schema, const struct tree_record *base,
				  const struct edit_tree *edit, enum edit_operation default_operation,
				  struct arena *arena);
void helper_unref(const struct schema *schema, const struct tree_record *root);
