/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * `when` (RFC 7950 7.21.5): a node under one that is false is not there. What is stored is kept so by settle
 * (settle.h), before a root becomes a version. What is implicit, a default or a non-presence container, is
 * there while its whens hold, and nobody stores that: a view answers it for one root, for xpath as for the
 * walk of a check.
 *
 * All whens that govern a node (its own, those of uses, augment, choice and case) are one constraint, on the
 * node's parent: they are judged for all its instances below one parent at once, since the context is the
 * parent or a dummy in the place of all instances. Whens depend on one another through the nodes that they
 * read. A schema where one depends on itself is refused; so each has a rank above those that it depends on.
 */
#include "base/hash_table.h"
#include "check/plan.h"

struct check__run;

/* What is implicit in one root. */
struct check__view {
	struct xpath_implicit implicit; /* for xpath: the same answers */
	struct check__run *run;
	const struct tree_record *root;
	struct arena *arena;	 /* of the evaluations under way */
	struct hash_table *memo; /* (when, parent) -> what is known of it (when.c) */
	unsigned depth;		 /* evaluations under way, one inside the other */
};

void check__view_init(struct check__view *view, struct check__run *run, const struct tree_record *root);
void check__view_fini(struct check__view *view);
/* Whether the node that a cursor gave is there. At a limit the run gets ST_LIMIT, and the answer is no. */
bool check__view_has(struct check__view *view, const struct tree_position *node);
/* Whether all whens of the constraint hold below the parent; `broken` (may be NULL): the first that does not.
 * Fails: ST_LIMIT. */
enum status check__view_judge(struct check__view *view, const struct check__constraint *when,
			      const struct tree_position *parent, bool *holds,
			      const struct schema_xpath **broken) MUST_USE;

/* when_plan.c */
/* The constraint of the whens that govern a node or choice; NULL: there are none, or one does not compile. */
const struct check__constraint *check__when_node(struct check__making *making,
						 const struct schema_node *node);
const struct check__constraint *check__when_choice(struct check__making *making,
						   const struct schema_choice *choice);
/* When all are there: ranks, and the plan for settle. The making fails where whens depend on themselves. */
void check__when_plan(struct check__making *making);
/* The read is of the dummy that stands for the governed node: the same in every tree. */
bool check__when_reads_itself(const struct check__when *when, const struct xpath_read *read);
/* Whether anything but settle depends on it: implicit nodes, or what is missing. */
bool check__when_matters(const struct check__constraint *when);
/* Once the triggers and indexes are there: whether some value index has values of implicit nodes that come
 * and go with their `when`. */
bool check__when_feeds(const struct check_plan *plan);
/* A change of the node makes some `when` due. */
bool check__when_triggered(const struct check__node *node);
/* The same constraint in the plan for settle; itself where it is only in this one. */
const struct check__constraint *check__settle_constraint(const struct check_plan *plan,
							 const struct check__constraint *when);
