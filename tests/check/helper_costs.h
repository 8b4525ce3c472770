/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * A datastore of any size for one constraint: as many readers and as many of what it reads as are wanted, and
 * single changes of it. Entries are numbered; the i-th reader selects the i-th entry, so far as values can do
 * that.
 */
#include "helper_sets.h"

#include "check/plan.h"

enum { COSTS_LITERALS = 4, COSTS_FEW = 2 };

/* Which lists on a way have many entries; the others have COSTS_FEW. */
enum costs_shape { COSTS_OUTER, COSTS_INNER };

struct costs {
	struct model *model;
	const struct check__constraint *constraint;
	struct arena *arena;
	bool *wanted;	 /* by schema id: has instances */
	size_t *count;	 /* by schema id: entries of a list or leaf-list under one parent */
	size_t *modulus; /* by schema id: a leaf's value is its entry's number modulo this; 0: just the number
			  */
	bool *is_related; /* by schema id: a leaf that selects or is selected, so that no literal is its value
			   */
	struct check__list nodes; /* struct schema_node: those that are wanted, parents first */
	struct bytes literals[COSTS_LITERALS];
	size_t literal_count;
	const struct bytes *literal;		  /* value of the other leafs; NULL: numbers */
	struct check__node *saved, *saved_settle; /* of nodes, as the plan had them */
};

/* Leaves in the plan nothing but the constraint, as far as the wanted nodes go, until costs_fini. */
void costs_init(struct costs *costs, struct model *model, const struct check__constraint *constraint);
void costs_fini(struct costs *costs);

/* A root (one reference) in which lists have `size` entries by the shape. */
struct tree_record *costs_build(struct costs *costs, size_t size, enum costs_shape shape);

enum costs_edit { COSTS_CHANGE, COSTS_DELETE, COSTS_CREATE };
/* Changes the pick-th instance of the node. NULL: there is no such change. */
struct tree_record *costs_apply(struct costs *costs, const struct tree_record *base,
				const struct schema_node *node, enum costs_edit edit, size_t pick);
