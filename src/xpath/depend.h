/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * Static dependency analysis: which schema nodes an expression reads, and how, from a changed instance of one
 * of them, the instances of the expression's context node (the readers) are found whose result may differ. It
 * over-approximates: every node that an evaluation can read is listed.
 *
 *   local    readers are found by going up from the changed node to `ancestor` and down to the reader without
 * entering a list: at most one fan-out  the expression went up by parent steps from the reader to `ancestor`,
 * or reads the ancestor's own content: the readers are all instances of the context node below that instance
 * of `ancestor`, due by nature keyed    the expression selects an entry of `list` (below `ancestor`) by
 * values of the reader: the readers are those below that instance of `ancestor` (or of the root) whose
 * selector values equal the keys of the changed entry scan     none of these: all instances of the context
 * node
 */
#include "xpath/xpath.h"

enum xpath_relation { XPATH_LOCAL, XPATH_FAN_OUT, XPATH_KEYED, XPATH_SCAN };

/* One key of a keyed read. */
struct xpath_selector {
	/* Where the value is: the leaf itself (context node) or a leaf found from the reader by `up` parent
	 * steps and down to it without entering a list. NULL: a constant */
	const struct schema_node *leaf;
	struct bytes constant; /* where leaf is NULL */
};

struct xpath_read {
	struct xpath_read *next;
	const struct schema_node *node; /* what is read: its existence, and (leaf) its value */
	enum xpath_relation relation;
	const struct schema_node *ancestor; /* local, fan-out, keyed: closest common instance; the root where
					       the path is absolute */
	const struct schema_node *list;	    /* keyed: the list whose keys select */
	const struct xpath_selector *selectors; /* keyed: one for each key of list, in key order */
	bool many;    /* one evaluation may read any number of instances (a list on the way is not selected by
			 keys): its cost grows */
	bool subtree; /* everything below node is read too (string value of a container, descendant axes) */
};

/* The reads of an expression, in the arena that it was compiled in; computed once by xpath_compile. */
const struct xpath_read *xpath_reads(const struct xpath_expr *expr);
/* The name of a relation: "local", ... */
const char *xpath_relation_name(enum xpath_relation relation);
