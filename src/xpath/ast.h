/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * The abstract syntax tree of an expression, for the files of this folder. The parser makes it, resolve.c
 * fills in what the schema says (members marked "resolved"), analyse.c reads it, and from then on it is
 * immutable.
 *
 * Operands hang below a node as a list: binary operators have two, `or`, `and` and `|` two or more, calls
 * their arguments, a path at most one (the expression that it starts from). Every AST is at most
 * XPATH_HEIGHT_MAX high, so that all recursions over it, and all evaluations, need a bounded stack.
 */
#include "schema/type.h"
#include "xpath/depend.h"

#define XPATH_DEPTH_MAX 100	  /* parentheses, arguments and predicates inside one another */
#define XPATH_HEIGHT_MAX 400	  /* nodes and steps from the root of an AST to its farthest leaf */
#define XPATH_TEXT_MAX (1u << 20) /* bytes of an expression */
#define XPATH_POSITIONS_MAX 8	  /* positional predicates of a step that need no array of the candidates */

enum xpath_op {
	XPATH_OR,
	XPATH_AND,
	XPATH_EQUAL,
	XPATH_NOT_EQUAL,
	XPATH_LESS,
	XPATH_LESS_EQUAL,
	XPATH_GREATER,
	XPATH_GREATER_EQUAL,
	XPATH_ADD,
	XPATH_SUBTRACT,
	XPATH_MULTIPLY,
	XPATH_DIVIDE,
	XPATH_MODULO,
	XPATH_NEGATE,
	XPATH_UNION,
	XPATH_LITERAL,
	XPATH_NUMERAL,
	XPATH_CALL,
	XPATH_PATH,
};

enum xpath_axis {
	AXIS_CHILD,
	AXIS_PARENT,
	AXIS_SELF,
	AXIS_DESCENDANT,
	AXIS_DESCENDANT_OR_SELF,
	AXIS_ANCESTOR,
	AXIS_ANCESTOR_OR_SELF,
	AXIS_FOLLOWING_SIBLING,
	AXIS_PRECEDING_SIBLING,
	AXIS_FOLLOWING,
	AXIS_PRECEDING,
	AXIS_EMPTY, /* attribute, namespace: YANG data has none */
};

enum xpath_test {
	TEST_NAME,    /* name, prefix:name */
	TEST_ELEMENT, /* *, prefix:* */
	TEST_NODE,    /* node() */
	TEST_TEXT,    /* text() */
	TEST_NOTHING, /* comment(), processing-instruction() */
};

/* Operations know no parent where that is the root, and an output stands for the operation itself. */
static inline const struct schema_node *xpath__parent_of(const struct schema *schema,
							 const struct schema_node *node)
{
	if (node->kind == SCHEMA_OUTPUT)
		node = node->parent;
	return node->parent == NULL && node != schema->root ? schema->root : node->parent;
}

static inline const struct schema_node *xpath__named(const struct schema_node *node)
{
	return node->kind == SCHEMA_OUTPUT ? node->parent : node;
}

struct xpath_node;

struct xpath_predicate {
	struct xpath_predicate *next;
	struct xpath_node *expr;
	/* resolved */
	bool positional; /* a number, or uses position() or last() */
	bool needs_last; /* uses last(): all candidates must be there before the first can be judged */
};

/* How a key's value in text is made into one that the map can look for. */
enum xpath_key_form {
	KEY_TEXT,    /* ordered by its bytes: any text */
	KEY_QNAME,   /* the same, with module names */
	KEY_INTEGER, /* a canonical integer in the type's range */
	KEY_OTHER,   /* by the type's parser */
};

struct xpath_key {
	const struct schema_node *leaf;
	const struct xpath_node
		*value;		/* does not depend on the candidate entry; NULL: the wanted text (walk.h) */
	struct bytes canonical; /* data non-NULL: the literal with module names, instead of value */
	enum xpath_key_form form;
};

/* Predicates on all keys of a list, turned into a lookup. */
struct xpath_lookup {
	const struct schema_node *list;
	struct xpath_key *keys;		    /* list->key_count */
	const struct xpath_predicate *rest; /* what is left to judge the entry by */
};

/* A predicate on a leaf or leaf-list that is no key, turned into a search (xpath.h). */
struct xpath_sought {
	const struct schema_node *leaf;
	struct bytes text;
};

struct xpath_step {
	struct xpath_step *next;
	enum xpath_axis axis;
	enum xpath_test test;
	bool abbreviated;    /* made of `//`: descendant-or-self::node() */
	struct bytes prefix; /* as written; size 0: none */
	struct bytes name;
	struct xpath_predicate *predicates;
	size_t offset; /* byte in the expression */
	/* resolved */
	const struct schema_module *module; /* NULL: any */
	const struct schema_node
		*target; /* the only schema node that it can find; NULL: several or unknown */
	const struct xpath_lookup *lookup; /* NULL: none */
	const struct xpath_lookup *wanted; /* usable where the path's final text is given; NULL: none */
	const struct xpath_sought *sought; /* what only some candidates have; NULL: nothing */
	const uint64_t *
		below; /* descendant axes: bit of each schema id that is or has below it a match; NULL: all */
	bool impossible;       /* finds nothing in this schema */
	bool unsorted;	       /* from a set in document order it may give doubles or another order */
	bool streamed_numbers; /* its predicates need no array of the candidates */
};

struct xpath_path {
	bool absolute;
	struct xpath_predicate *predicates; /* of the starting expression (the operand) */
	struct xpath_step *steps;	    /* NULL: just the start */
	uint32_t length;		    /* steps */
	uint32_t highest;		    /* height of the highest predicate or the start */
	/* resolved: step by step, depth first, from a single node */
	bool unique;  /* gives no node twice */
	bool ordered; /* gives document order */
};

/* The compiled path of a leafref that deref() can meet. */
struct xpath_deref {
	struct xpath_deref *next;
	const struct schema_type *type;
	const struct schema_node *leaf;
	const struct xpath_expr *path;
};

/* A literal read with the prefixes of the expression (literal.c). */
struct xpath_literal {
	struct bytes names[SCHEMA_NAMES_KINDS]; /* by kind: canonical; data NULL: it is none */
	unsigned tried;				/* kinds that were looked at */
	bool any;
};

struct xpath_call {
	const struct xpath_function *function;
	size_t length; /* arguments */
	/* resolved */
	struct bytes canonical; /* derived-from: the literal identity with its module's name; data NULL: not
				   static */
	const struct xpath_regex *regex;  /* re-match with a literal pattern */
	const struct xpath_deref *derefs; /* deref */
	bool derefs_complete;		  /* no other leafref can occur */
};

struct xpath_node {
	enum xpath_op op;
	enum xpath_type type; /* static: XPath 1.0 without variables knows it */
	uint32_t height;
	size_t offset;
	struct xpath_node *next;     /* next operand of the same node */
	struct xpath_node *operands; /* first */
	union {
		struct bytes literal;
		double number;
		struct xpath_call call;
		struct xpath_path path;
		/* =, !=: what the literal operand is as a value with names; NULL: nothing, or there is no
		 * literal (resolved) */
		const struct xpath_literal *literal_forms;
	};
	/* resolved */
	/* What tracing a free node-set gave in run number `traced_in`, so that keys (which are traced twice)
	 * inside keys cost no more */
	const struct xpath_traces *traced;
	uint32_t traced_in;
	bool free;	    /* its value does not depend on the context node, position or size */
	bool uses_position; /* position() or last() of its own context */
	bool uses_last;
};

struct xpath_expr {
	const struct xpath_node *root;
	const struct schema *schema;
	const struct schema_module *module; /* of names without prefix; NULL: any */
	const struct xpath_read *reads;
};
