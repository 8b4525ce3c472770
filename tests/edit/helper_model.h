/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * A naive model of edit-config: trees of linked nodes, copied whole before each edit, searched from front to
 * back. It shares no code with src/edit or src/tree; what it shares is the reading of the RFCs.
 */
#include "edit/edit_tree.h"

struct model {
	const struct schema_node *schema;
	const char *value;    /* leaf, leaf-list, any */
	const char *keys[2];  /* list entry */
	const char *notes[2]; /* annotations, by their index */
	struct model *first, *next;
	struct model *pending; /* below a replace: user-ordered ones that it names, but has not come to yet */
	size_t place;	       /* among the parent's children, while it is printed */
	bool shrunk;	       /* since the present edit entered it */
};

struct model_result {
	struct model *root; /* NULL: refused */
	const char *tags;   /* of the errors, in order, separated by blanks */
};

struct model *model_new(const struct schema *schema, struct arena *arena);
/* The result is in the arena and shares nothing with `base`. */
struct model_result model_apply(const struct model *base, const struct edit_tree *edit,
				enum edit_operation default_operation, struct arena *arena);
/* In the notation of helper_edit.h. */
char *model_dump(struct model *root, struct arena *arena);
