/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * What a plan is made of, shared by the files of this folder. All of it is made once by plan.c and
 * triggers.c, lives in the plan's arena and is only read afterwards, by any thread.
 *
 *     schema node --own--------> constraints whose context it is (must, leafref)
 *                 --structural-> constraints on its children (mandatory, min/max-elements)
 *                 --touches----> those of its parent that its coming or going makes due
 *                 --triggers---> ways to the readers: instances of other nodes whose constraints read it
 */
#include "check/check.h"

enum check__kind {
	CHECK__MUST,
	CHECK__REFERENCE, /* leafref, or a union that has leafrefs as members */
	CHECK__MIN_ELEMENTS,
	CHECK__MAX_ELEMENTS,
	CHECK__MANDATORY,	 /* leaf, anydata, anyxml */
	CHECK__MANDATORY_CHOICE, /* RFC 7950 7.9.4 */
};

/* A growable array of borrowed pointers in an arena. */
struct check__list {
	const void **items;
	uint32_t length, capacity;
};

/* One type that may accept the value of a reference: a leafref itself, or a member of a union. */
struct check__member {
	const struct schema_type *type;
	const struct schema_xpath *path; /* NULL: no leafref, or one without require-instance */
	const struct xpath_expr *expr;	 /* the path compiled; NULL as path */
};

struct check__constraint {
	uint32_t id; /* index in plan->constraints; of two at one node the lower is reported first */
	enum check__kind kind;
	/* must, reference: the node that it is on. Others: the data parent of what is counted or missing. */
	const struct schema_node *context;
	const struct schema_node *child;    /* min/max-elements, mandatory; else NULL */
	const struct schema_choice *choice; /* mandatory choice; else NULL */
	const struct schema_case *in_case;  /* structural: due only while this case is in use; NULL: always */
	const struct schema_xpath *xpath;   /* must; else NULL */
	const struct xpath_expr *expr;	    /* must; else NULL */
	const struct check__member *members; /* reference: member_count, one for a plain leafref */
	size_t member_count;
	struct check__readers *readers; /* all ways to its readers, a list */
};

/* How readers are found from a change, cheapest first. */
enum check__reach {
	CHECK__LOCAL,	/* from the ancestor's instance down through containers: at most one */
	CHECK__LOOKUP,	/* lists on the way down are entered by map lookup of known keys: at most one */
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

#define CHECK__NO_KEY UINT16_MAX

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
	/* Scan: only readers whose own value equals this key of the entry are due; CHECK__NO_KEY: all are. */
	uint16_t value_key;
	/* The reader's selecting leaf is a leafref to the list's key: in a valid old tree nobody selects an
	 * entry that is not there, so a created entry has no readers but such as changed themselves. */
	bool known_before;
	/* The changed node is the target of a leafref: due only where an instance lost its value, and only
	 * for readers that have this value. */
	bool by_value;
	struct check__list nodes; /* struct schema_node: whose changes trigger it, for describe */
};

struct check__node {
	struct check__list own; /* struct check__constraint: must and reference on instances of the node */
	struct check__list structural; /* struct check__constraint: on children of an instance of the node */
	struct check__list touches;    /* struct check__constraint: structural ones of the parent */
	struct check__list triggers;   /* struct check__readers */
	struct check__list children;   /* struct schema_node: those for which change_below is set */
	bool create_below;	       /* here or below there is something due when an instance is created */
	bool change_below; /* here or below there is something due when an instance comes, goes or changes */
};

struct check_plan {
	struct schema *schema;
	struct arena *arena;
	struct check__node *nodes; /* by schema id */
	struct check__list constraints;
	uint32_t readers_count;
	uint16_t depth_max; /* frames of the deepest node */
	uint16_t keys_max;  /* most keys of a list */
};

static inline const struct check__node *check__node_of(const struct check_plan *plan,
						       const struct schema_node *node)
{
	return &plan->nodes[node->id];
}

static inline bool check__is_multiple(const struct schema_node *node)
{
	return node->kind == SCHEMA_LIST || node->kind == SCHEMA_LEAF_LIST;
}

static inline bool check__is_record(const struct schema_node *node)
{
	return node->kind == SCHEMA_ROOT || node->kind == SCHEMA_CONTAINER || node->kind == SCHEMA_LIST;
}

void check__list_push(struct arena *arena, struct check__list *list, const void *item);
/* The choice at the top of the nest that the case is in. */
const struct schema_choice *check__outermost_choice(const struct schema_case *in_case);
/* The leaf that a leafref's path leads to; NULL where the path is of a form that is not followed (deref). */
const struct schema_node *check__path_target(const struct schema *schema, const struct schema_xpath *path,
					     const struct schema_node *leaf);
/* Fills the triggers of all nodes that a must or reference reads. */
void check__plan_triggers(struct check_plan *plan, struct check__constraint *constraint);
const char *check__kind_name(enum check__kind kind);
