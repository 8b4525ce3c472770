/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * Static dependency analysis: which schema nodes an expression reads, and how, from a changed instance of one
 * of them, the instances of the expression's context node (the readers) are found whose result may differ. It
 * over-approximates: every node that an evaluation can read is listed.
 *
 *   local     there is at most one reader: up from the changed node to `ancestor`, and down from there to the
 *             reader, which enters no list
 *   fan-out   the readers are all instances of the context node below that instance of `ancestor`: the
 *             expression went up from the reader by parent steps, or it is the root
 *   keyed     the expression selects an entry of `list` (below `ancestor`) by values of the reader: the
 *             readers are those below that instance of `ancestor` whose selector values equal, as text, the
 *             keys of the entry of `list` that the changed node is in
 *   scan      nothing relates them: all instances of the context node
 *
 * A changed node is one that is stored before or after the change and not, or not so, on the other side. What
 * is implicit need not be looked at: reads name the stored nodes that implicit ones come and go with. The
 * `when` statements of what is read are not considered.
 *
 * A leafref's path P, as the check that some node has the leaf's text, is best analysed as "P = current()":
 * then its target's key is a keyed read.
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
	const struct schema_node *ancestor; /* shared by node and reader; never NULL */
	/* keyed: the list whose keys select. Also fan-out, where all selectors are constants: then only
	 * changes in that entry matter. NULL: none */
	const struct schema_node *list;
	const struct xpath_selector *selectors; /* one for each key of list, in key order */
	/* One evaluation may read any number of instances: a list on the way is not selected by its keys. */
	bool many;
	bool subtree; /* everything below node is read too (string value of a container) */
};

/* The reads of an expression, in the arena that it was compiled in; computed once by xpath_compile. */
const struct xpath_read *xpath_reads(const struct xpath_expr *expr);
/* The name of a relation: "local", ... */
const char *xpath_relation_name(enum xpath_relation relation);
