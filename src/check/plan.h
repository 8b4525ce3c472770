/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * What a plan is made of, shared by the files of this folder. All of it is made once by plan.c and
 * triggers.c, lives in the plan's arena and is only read afterwards, by any thread.
 *
 *     schema node --own--------> constraints whose context it is (must, leafref, instance-identifier)
 *                 --structural-> constraints on what is below it (mandatory, min/max-elements, unique)
 *                 --touches----> those of its parent that its coming or going makes due
 *                 --uniques----> those of the list entry above it that are due when its value differs
 *                 --triggers---> ways to the readers: instances of other nodes whose constraints read it
 *                 --feeds------> value indexes that its values are in (index.h)
 */
#include "check/check.h"

enum check__kind {
	CHECK__MUST,
	CHECK__REFERENCE, /* leafref, instance-identifier, or a union that has such members */
	CHECK__UNIQUE,
	CHECK__MIN_ELEMENTS,
	CHECK__MAX_ELEMENTS,
	CHECK__MANDATORY,	 /* leaf, anydata, anyxml */
	CHECK__MANDATORY_CHOICE, /* RFC 7950 7.9.4 */
	CHECK__WHEN,		 /* when.h */
};

/* A growable array of borrowed pointers in an arena. */
struct check__list {
	const void **items;
	uint32_t length, capacity;
};

struct check__index;

/* A predicate of a leafref's path: the key of the list equals a leaf of the reader. */
struct check__bound {
	const struct schema_node *list;
	uint16_t key;
	const struct schema_node *leaf;
};

/* What the text of a leafref's path says (path.c). */
struct check__path {
	const struct schema_node *target;   /* NULL: the path is of a form that is not followed (deref) */
	const struct schema_node *ancestor; /* the reader's own, where the path turns down */
	const struct check__bound *bounds;  /* bound_count, from the top down */
	size_t bound_count;
	bool complete; /* there is no other predicate: ancestor, value and bounds decide everything */
};

/* One type that may accept the value of a reference: itself, or a member of a union. */
struct check__member {
	const struct schema_type *type;
	bool is_instance;		 /* an instance-identifier with require-instance */
	const struct schema_xpath *path; /* NULL: no leafref, or one without require-instance */
	const struct xpath_expr *expr;	 /* the path compiled; NULL as path */
	struct check__path parsed;	 /* where there is a path */
	/* The values of the target, where looking for one would mean to go through a list; NULL: it does not.
	 * Wanted are those with the keys of the path's ancestor and then the values of these leafs of the
	 * reader. */
	const struct check__index *targets;
	const struct schema_node **sources; /* bound_count */
	size_t bound_count;
	/* The list whose only key is the target, and which nothing but containers are above from the path's
	 * ancestor on: its own map answers. NULL: it is not like that. */
	const struct schema_node *keyed;
};

/* A `when` that governs a node or choice. */
struct check__when {
	const struct schema_xpath *xpath;
	const struct xpath_expr *expr;
};

struct check__constraint {
	uint32_t id; /* index in plan->constraints; of two at one node the lower is reported first */
	/* Of the same constraint in the plan of a check: what a tally knows it by. It differs from `id` in
	 * the plan for settle. */
	uint32_t tally_id;
	enum check__kind kind;
	bool is_of_operation;
	/* must, reference: the node that it is on. Others: the data parent of what is counted or missing. */
	const struct schema_node *context;
	const struct schema_node *child;    /* min/max-elements, mandatory; else NULL */
	const struct schema_choice *choice; /* mandatory choice; else NULL */
	const struct schema_case *in_case;  /* structural: due only while this case is in use; NULL: always */
	const struct schema_xpath *xpath;   /* must; else NULL */
	const struct xpath_expr *expr;	    /* must; else NULL */
	struct check__member *members;	    /* reference: member_count, one unless the type is a union */
	size_t member_count;
	const struct schema_unique *unique; /* unique; else NULL */
	const struct check__index *index;   /* unique: its tuples; else NULL */
	bool many; /* must: one evaluation may go through a list; likewise a reference */
	const struct check__when *whens; /* when: all that govern the child or choice, when_count */
	size_t when_count;
	uint32_t rank; /* when: greater than those of all whens that it depends on */
	/* Structural: the constraint is due only while this holds; NULL: always. */
	const struct check__constraint *when;
	struct check__readers *readers; /* all ways to its readers, a list */
};

/* How readers are found from a change, cheapest first. */
enum check__reach {
	CHECK__LOCAL,	/* from the ancestor's instance down through containers: at most one */
	CHECK__LOOKUP,	/* lists on the way down are entered by map lookup of known keys: at most one */
	CHECK__INDEX,	/* a value index has them by the known values: just those that are due */
	CHECK__FAN_OUT, /* all instances below the ancestor's instance, due by nature */
	CHECK__SCAN,	/* the same, but most of them read something else: no way to tell but to try each */
};

/* One step down from the ancestor to the reader. */
struct check__step {
	const struct schema_node *node;
	/* List (key_count) or leaf-list (1) entered by lookup: for each key its index in the known values;
	 * else NULL. */
	const uint16_t *bind;
};

/* Where the value of an index's column comes from at a change. */
struct check__source {
	const struct schema_node *list; /* the key of this list's entry; NULL: the value that was lost */
	uint16_t key;
};

/* A way from a change to the readers of a constraint: up to the instance of `ancestor` above the change, then
 * down. */
struct check__readers {
	struct check__readers *next;
	uint32_t id; /* index for the per-check memory of what fired last */
	const struct check__constraint *constraint;
	enum check__reach reach;
	const struct schema_node *ancestor; /* above or at both the changed node and the context */
	const struct check__step
		*path; /* from below ancestor to the context, included; path_length may be 0 */
	size_t path_length;
	/* The expression selects an entry of this list by values of the reader, so that its keys are values
	 * known at a change; NULL: there is none, or it is of no use. */
	const struct schema_node *list;
	/* Of list, which constants among them must equal; NULL: no list. */
	const struct xpath_selector *selectors;
	const struct check__index *index;    /* reach INDEX; else NULL */
	const struct check__source *sources; /* of the index's columns */
	/* What holds for one reader of those with these values holds for all. */
	bool uniform;
	/* The reader's selecting leaf is a leafref to the list's key: in a valid old tree nobody selects an
	 * entry that is not there, so a created entry has no readers but such as changed themselves. */
	bool known_before;
	/* The changed node is the target of a leafref: due only where an instance lost its value, and only
	 * for readers that have this value. */
	bool by_value;
	struct check__list nodes; /* struct schema_node: whose changes trigger it, for describe */
};

/* A check goes through the changes twice: first for the indexes, so that the constraints find them done. */
enum check__phase { CHECK__INDEXING, CHECK__JUDGING };

/* What a walk of one phase need not enter. */
struct check__part {
	/* struct schema_node: those for which change_below is set; all where a node may be named by an
	 * instance-identifier */
	struct check__list children;
	bool create_below; /* here or below there is something due when an instance is created */
	bool change_below; /* here or below there is something due when an instance comes, goes or changes */
};

struct check__node {
	const struct check__constraint *when; /* what governs the node; NULL: nothing */
	struct check__list own; /* struct check__constraint: must and reference on instances of the node */
	struct check__list structural; /* struct check__constraint: on children of an instance of the node */
	struct check__list touches;    /* struct check__constraint: structural ones of the parent */
	struct check__list triggers;   /* struct check__readers */
	struct check__list uniques;    /* struct check__constraint: those that have this leaf */
	struct check__list feeds;      /* struct check__index */
	bool names_below; /* it is a non-presence container with a `when`, or has one below it (named.c) */
	struct check__part parts[2]; /* by enum check__phase */
};

struct check_plan {
	struct schema *schema;
	struct arena *arena;
	struct check__node *nodes; /* by schema id */
	struct check__list constraints;
	struct check__list operations; /* constraints of operations (operation.h); their ids follow */
	bool is_for_operation;	       /* while making: what is added is of an operation */
	struct check__list instances;  /* struct check__readers: of those that name a node by its path */
	struct check__list indexes;    /* struct check__index */
	struct schema *index_schema;   /* lists that hold the indexes; NULL: there are none (index_plan.c) */
	struct value least_number;     /* not greater than any */
	uint16_t columns_max;	       /* most columns of an index */
	uint32_t readers_count;
	/* The same schema with nothing but whens, for settle; it lives in this one's arena. NULL: it has
	 * none. */
	struct check_plan *settle;
	bool only_whens; /* it is that plan */
	struct check_plan
		*host;	    /* has the indexes that this one uses: itself, or (only_whens) the plan around */
	bool whens_feed;    /* implicit nodes that are governed by a when are in indexes */
	uint16_t depth_max; /* frames of the deepest node */
	uint16_t keys_max;  /* most keys of a list */
};

/* A plan under way. */
struct check__making {
	struct check_plan *plan;
	struct diag_list *diags;
	const struct schema_node *operation; /* the one that is planned; NULL: data */
	bool failed;
};

static inline const struct check__node *check__node_of(const struct check_plan *plan,
						       const struct schema_node *node)
{
	return &plan->nodes[node->id];
}

/* The first node is the second one or above it. */
static inline bool check__is_above_or_at(const struct schema_node *above, const struct schema_node *node)
{
	while (node && node != above)
		node = node->parent;
	return node != NULL;
}

static inline bool check__is_multiple(const struct schema_node *node)
{
	return node->kind == SCHEMA_LIST || node->kind == SCHEMA_LEAF_LIST;
}

static inline bool check__is_record(const struct schema_node *node)
{
	return node->kind == SCHEMA_ROOT || node->kind == SCHEMA_CONTAINER || node->kind == SCHEMA_LIST;
}

/* NULL, and the making has failed: it does not compile. */
const struct xpath_expr *check__compile(struct check__making *making, const struct schema_node *node,
					const struct schema_xpath *xpath);
struct check__constraint *check__constraint_add(struct check_plan *plan, enum check__kind kind,
						const struct schema_node *context);
/* When all constraints are there: triggers, indexes, touches, and what a walk need not enter. */
void check__plan_finish(struct check_plan *plan);
void check__list_push(struct arena *arena, struct check__list *list, const void *item);
/* The choice at the top of the nest that the case is in. */
const struct schema_choice *check__outermost_choice(const struct schema_case *in_case);
/* plan.c: the constraints of one node itself, and of its children as a whole. */
void check__plan_node(struct check__making *making, const struct schema_node *node);
/* operation.c: those of all operations, when all of the data are there. */
void check__plan_operations(struct check__making *making);
/* Reads the path of a leafref that `leaf` has. */
struct check__path check__path_parse(const struct schema *schema, struct arena *arena,
				     const struct schema_xpath *path, const struct schema_node *leaf);
/* Fills the triggers of all nodes that a must or reference reads. */
void check__plan_triggers(struct check_plan *plan, struct check__constraint *constraint);
const char *check__kind_name(enum check__kind kind);
