/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * Constraints. A plan is made once for a schema: every constraint, compiled, with its class and its triggers
 * (for each schema node, which constraints a change of an instance makes due). Checking a change set runs
 * just the constraints that are due; the full check is the same engine with the empty datastore as the old
 * root. Both give the same verdict always.
 *
 * Kinds: leafref, instance-identifier, must, unique, min/max-elements, mandatory (leaf, anydata, choice); and
 * `when` for what it says of implicit nodes, as settle.h sees to what is stored.
 *
 * Some constraints need value indexes (who has this value?) that live in a version beside its root: a check
 * takes those of the old root and gives those of the new one, which share all that did not change.
 */
#include "base/diag.h"
#include "tree/diff.h"
#include "xpath/depend.h"

struct check_plan;

/* Fails: ST_REJECTED (an expression does not compile: diags name module, node and place). Refs the schema. */
enum status check_plan_new(struct schema *schema, struct diag_list *diags, struct check_plan **plan) MUST_USE;
void check_plan_free(struct check_plan *plan);

struct check_counters {
	uint64_t musts, leafrefs, counts, mandatories, uniques, whens; /* instances evaluated */
	uint64_t steps;						       /* XPath nodes visited */
};

struct check_tally; /* counters.h */

/* The caller's thread and others beside it: where much is to be walked, they share it. The answer is the same
 * as of one. */
struct check_threads {
	unsigned count; /* the caller's included; 0 and 1: no other */
	uint32_t least; /* instances of a list that are worth it; 0: as was measured */
};

/* The value indexes of one root; immutable, reference counted. NULL stands for those of a plan that needs
 * none. The plan must outlive it. */
struct check_index;
/* Those of a root that is known to be valid. Cost: O(size of the root). */
struct check_index *check_index_new(const struct check_plan *plan, const struct tree_record *root);
/* The same, on several threads. */
struct check_index *check_index_make(const struct check_plan *plan, const struct tree_record *root,
				     const struct check_threads *threads);
struct check_index *check_index_ref(const struct check_index *index);
void check_index_unref(const struct check_index *index, struct tree_reclaimer *reclaimer);
/* Those of `root`, from the indexes of another. The roots need not be valid, but settled. Cost: that of what
 * they do not share. */
struct check_index *check_index_follow(const struct check_plan *plan, const struct tree_record *old_root,
				       const struct check_index *index, const struct tree_record *root,
				       struct tree_reclaimer *reclaimer);
bool check_index_equal(const struct check_index *a, const struct check_index *b);
uint64_t check_index_count(const struct check_index *index); /* tuples */
/* Bytes of heap; long values are counted, though the tree shares them. */
size_t check_index_memory(const struct check_index *index);

/* Makes the indexes of a root once they are wanted; the caller's. */
struct check_index_source {
	/* Borrowed; valid as long as the check runs. */
	const struct check_index *(*get)(struct check_index_source *self);
};

/* The difference of the two roots that settle is about, for who needs it next. */
struct check_difference {
	struct arena *arena; /* the caller's, of the changes */
	bool is_known;	     /* of the base and the root that settle gave, where it came to know it */
	struct tree_change_set changes;
};

struct check_options {
	uint64_t steps; /* XPath work limit of the whole check; reaching it refuses, naming the constraint */
	uint64_t max_nodes;		   /* of one node-set */
	struct xpath_interrupt *interrupt; /* refuses as at a limit; NULL: nobody */
	/* The old root is not known to be valid (or there is none): everything in the new root is due. */
	bool full;
	/* Of the old root. NULL in a check that is not full: made from the old root first, at the cost of its
	 * size. Settle makes none (settle.h). */
	const struct check_index *index;
	struct check_index_source *index_source; /* for settle, where `index` is NULL; may be NULL */
	struct check_index **new_index;	  /* gets that of the new root where it is valid; NULL: not wanted */
	struct tree_reclaimer *reclaimer; /* for what the indexes release; may be NULL */
	struct check_counters *counters;  /* what was evaluated is added to it; NULL: not wanted */
	struct check_tally *tally;	  /* likewise, by constraint; NULL: not wanted */
	struct check_threads threads;	  /* of check_changes; settle has the caller's alone */
	struct check_difference *difference; /* of settle; NULL: not wanted */
	/* Checks in full too, without limits, and asserts that both agree: verdict, violations, indexes; what
	 * was settled is settled in full again. For tests; costs O(size of the root). */
	bool verify;
};

/*
 * Checks the new root of the change set. All violations are added to `diags` (its limit bounds them), in
 * document order, with path, tag, app-tag and message of RFC 7950 section 15. Past the limit the search
 * for more may end early: that `dropped` is not 0 says that there are more, not how many. Fails: ST_REJECTED.
 * Cost: O(changes * log n) for constraints that are not of class scan.
 */
enum status check_changes(const struct check_plan *plan, const struct tree_change_set *changes,
			  const struct check_options *options, struct diag_list *diags) MUST_USE;

/* A way from changes to the readers of a constraint: those instances of it that are due then. */
struct check_trigger {
	const struct check_trigger *next;
	const struct schema_node *const *nodes; /* whose changes they are, node_count; 0: any node */
	size_t node_count;
	const char *reach;		    /* "local", "keyed", "indexed", "fan-out", "scan" */
	bool by_value;			    /* only readers that have the value that was lost */
	const struct schema_node *ancestor; /* readers are looked for below its instance */
};

/* A constraint, as `yare explain` tells of it. */
struct check_explanation {
	uint32_t id;			/* below check_tally_length; the same in every plan of the schema */
	const struct schema_node *node; /* that has it; a mandatory choice: the node that the choice is in */
	const char *choice;		/* its name; NULL: no choice */
	const char *kind;		/* "must", "leafref", "min-elements", ... */
	const char *class;		/* "local", "fan-out", "keyed", "counted", "indexed", "scan" */
	/* must: one; leafref: as many as the type has members that are leafrefs; when: all that govern the
	 * node; else none */
	const char *const *expressions;
	const struct xpath_expr *const *compiled; /* of each expression; what it reads: xpath_reads */
	size_t expression_count;
	const struct check_trigger *triggers; /* NULL: only changes of the node itself, or of its children */
	bool reads_list;		      /* one evaluation may go through a list: then it is a scan */
};

/* Calls `visit` for each constraint, in schema order; what it gets is valid during the call. */
void check_plan_each(const struct check_plan *plan,
		     void (*visit)(const struct check_explanation *explanation, void *arg), void *arg);
/* Prints one line a constraint: node path, kind, class, triggers. For tests. */
void check_plan_describe(const struct check_plan *plan, void (*line)(const char *text, void *arg), void *arg);
