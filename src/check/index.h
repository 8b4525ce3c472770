/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * Value indexes: from values to the instances that have them, where no list's own map answers. An index has
 * an *anchor*, a record of the schema, and *leafs*, each below the anchor or one of its ancestors with no
 * list between, so that an instance of the anchor settles which instances they are. For each instance of the
 * anchor of which all leafs have a value there is one tuple
 *
 *     value of each leaf ..., keys of each list from the root down to the anchor ...
 *
 * One of the leafs may be a leaf-list below the anchor: then each of its values makes a tuple. Defaults in
 * use are values like others. All indexes of a version are one tree of a schema of their own: a list an
 * index, whose keys are the columns of its tuples. So finding, adding and sharing them is the tree's
 * business, and tuples with the same values are in document order (but for user-ordered lists).
 *
 * Values are matched as text whatever the type of the leaf is. The order of a column is that of its leaf's
 * type, though, so what is found is compared.
 */
#include "check/run.h"
#include "tree/bulk.h"

struct check__index {
	uint32_t id;
	const struct schema_node *list; /* in plan->index_schema */
	const struct schema_node *anchor;
	const struct schema_node **leafs; /* leaf_count, by schema id; the first columns */
	const struct schema_node *values; /* the leaf-list among them; NULL: none */
	uint16_t leaf_count, key_count;	  /* key_count: the other columns */
};

struct check_index {
	_Atomic uint32_t refs;
	const struct check_plan *plan;
	const struct tree_record *root; /* of plan->index_schema */
};

/* ---- index_plan.c: while a plan is made ---- */

/* The closest record above both, where only containers are between it and the leaf; NULL: there is none. */
const struct schema_node *check__index_turn(const struct schema_node *leaf,
					    const struct schema_node *context);
/* The index of these leafs for the readers `context` (itself may be one of them). NULL: there can be none. */
const struct check__index *check__index_make(struct check_plan *plan, const struct schema_node *context,
					     const struct schema_node *const *leafs, size_t count);
/* The column of a leaf. */
size_t check__index_column(const struct check__index *index, const struct schema_node *leaf);
/* How many lists are on the way from the root down to the node, itself included: their keys. */
uint16_t check__keys_above(const struct schema_node *node);
/* Makes plan->index_schema, once all indexes are known. */
void check__index_finish(struct check_plan *plan);

/* ---- index.c ---- */

/* The tuples of both trees that the frame's values are in: old ones go, new ones come. */
void check__index_feed(struct check__run *run, const struct check__frame *frame);
/* What comes into one index, and what goes; they are a list, newest first. */
struct check__gathering {
	struct check__gathering *next;
	const struct check__index *index;
	struct tree_bulk come, go; /* go: in a part, which has no builder */
};

/* Puts in what came, once all is fed, and ends the builder. Gives the indexes. */
const struct tree_record *check__index_put(struct check__run *run);
/* Lets go and come what was gathered for one index, which is noted in run->distinct. */
void check__gathering_put(struct check__run *run, struct check__gathering *gathering,
			  struct tree_builder *builder);
/* The value of a leaf that is found from the position by going up and down, without entering a list. */
bool check__related_value(struct check__run *run, const struct tree_position *position,
			  const struct schema_node *leaf, struct value *value);
/* The columns of the anchor's instance; false where a leaf has no value. Needs an index without leaf-list. */
bool check__index_tuple(struct check__run *run, const struct check__index *index,
			const struct tree_position *anchor, struct value *columns);
/* The keys of all lists from the root down to the position, borrowed. Gives how many. */
size_t check__keys_of(const struct tree_position *position, struct value *keys);

/* Tuples that begin with the same values. */
struct check__range {
	const struct check__index *index;
	const struct value *columns;
	size_t prefix;		     /* columns that are given */
	bool is_beginning;	     /* of the first column its beginning is given */
	const union tree_item *item; /* the next one; NULL: the end */
	struct tree_map_iter iter;
};

/* `columns` has room for all of the index; `prefix` of them are set. The columns are borrowed. */
void check__range_init(struct check__range *range, const struct check_plan *plan,
		       const struct check__index *index, const struct tree_record *root,
		       struct value *columns, size_t prefix);
/* Those whose first column begins with columns[0]. Needs a first column that is ordered as text. */
void check__range_init_beginning(struct check__range *range, const struct check_plan *plan,
				 const struct check__index *index, const struct tree_record *root,
				 struct value *columns);
const struct tree_record *check__range_next(struct check__range *range); /* NULL: the end */
/* Whether the same tuple is in that root. */
bool check__index_has(const struct check__index *index, const struct tree_record *root,
		      const struct tree_record *tuple);
/* The instance of the anchor that a tuple is of, in the tree of `root`; the positions are made in `way`, room
 * for plan->depth_max. NULL where it is not there. */
const struct tree_position *check__index_anchor(struct check__run *run, const struct check__index *index,
						const struct tree_record *tuple,
						const struct tree_position *root, struct tree_position *way);
