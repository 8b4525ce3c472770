/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * The edit tree: the content of one <config>, as `codec` built it while bytes arrived, resolved against the
 * schema and with parsed values, but with operations as they were written: <default-operation> may come after
 * <config>, so "unspecified" stays until edit_apply.
 *
 *     struct edit_tree *tree = edit_tree_new(schema);
 *     struct edit_node *entry = edit_tree_add(tree, tree->top, list);
 *     edit_tree_add(tree, entry, key)->value = value_new(bytes, 0); // the tree owns the reference now
 *
 * All nodes are in the tree's arena; values (of annotations too), anys and insert keys are references that
 * edit_tree_free drops. The schema is borrowed and must outlive the tree. One thread at a time.
 */
#include "base/arena.h"
#include "schema/schema.h"
#include "tree/any.h"
#include "tree/reclaim.h"
#include "tree/record.h"

enum edit_operation {
	EDIT_UNSPECIFIED, /* inherits from the parent; at the top the default operation */
	EDIT_MERGE,
	EDIT_REPLACE,
	EDIT_CREATE,
	EDIT_DELETE,
	EDIT_REMOVE,
	EDIT_NONE, /* only as default operation, or inherited from it */
};

enum edit_insert {
	EDIT_INSERT_UNSPECIFIED,
	EDIT_INSERT_FIRST,
	EDIT_INSERT_LAST,
	EDIT_INSERT_BEFORE,
	EDIT_INSERT_AFTER
};

/* A metadata annotation (RFC 7952) of an element. */
struct edit_annotation {
	const struct schema_annotation *schema;
	struct value value; /* the tree owns the reference */
	struct edit_annotation *next;
};

struct edit_node {
	const struct schema_node *schema;	 /* the tree's top node: SCHEMA_ROOT, SCHEMA_OUTPUT */
	struct edit_node *next;			 /* next sibling, in the order written */
	struct edit_node *children, *last_child; /* a list entry's keys come first, in key order, all present
						  * unless the decoder reported an error */
	struct value value;   /* leaf, leaf-list; VALUE_NONE where the element was empty and the operation is
			       * delete or remove (the value does not matter) */
	struct tree_any *any; /* anydata, anyxml */
	uint8_t operation;    /* enum edit_operation, as written */
	uint8_t insert;	      /* enum edit_insert */
	uint16_t kinds;	      /* children, those of one schema node in a row counted once; or UINT16_MAX */
	bool has_value;	      /* leaf: an element content was given (also an empty one) */
	const struct value *insert_keys;     /* before, after: key_count values (leaf-list: 1) */
	struct edit_annotation *annotations; /* each at most once */
};

/* What a client expects of a node that it edits (draft-ietf-netconf-transaction-id): its etag, or when it was
 * last modified. */
struct edit_condition {
	struct edit_condition *next;
	const struct edit_node *node;
	bool is_time;
	const char *etag; /* or last-modified */
};

struct edit_tree {
	struct arena *arena;   /* owned */
	struct edit_node *top; /* SCHEMA_ROOT */
	size_t node_count;
	bool has_operation;				    /* some node has an operation of its own */
	struct edit_condition *conditions, *last_condition; /* as they were written */
	struct tree_record *prepared;	  /* what comes of it where there is nothing (prepare.h); a reference.
					   * NULL: it was not prepared */
	struct tree_reclaimer *reclaimer; /* of that */
};

/* An empty tree: a top node without children. */
struct edit_tree *edit_tree_new(const struct schema *schema);
void edit_tree_free(struct edit_tree *tree); /* NULL is allowed; O(nodes) */
/* Appends a child and returns it, zeroed but for `schema`. Needs `schema` to be a data child of the parent's,
 * or an operation there. O(1) */
struct edit_node *edit_tree_add(struct edit_tree *tree, struct edit_node *parent,
				const struct schema_node *schema);
/* Notes what is expected of the node, the one added last or the top; `name` is the attribute's, which says by
 * which mechanism. */
void edit_tree_expect(struct edit_tree *tree, const struct edit_node *node, struct bytes name,
		      struct bytes etag);
/* Gives the node an annotation, or another value for it; Takes the value. */
void edit_tree_annotate(struct edit_tree *tree, struct edit_node *node,
			const struct schema_annotation *annotation, struct value value);

/* The operation of a node below a parent with the operation `inherited` (RFC 6241 7.2). */
static inline enum edit_operation edit_operation_of(const struct edit_node *node,
						    enum edit_operation inherited)
{
	return node->operation == EDIT_UNSPECIFIED ? inherited : (enum edit_operation)node->operation;
}

/*
 * Whether the node brings data into the configuration, so that it chooses its case and has to be allowed
 * there: everything that is merged, replaced or created does, but a non-presence container that is only a way
 * to deletions.
 */
bool edit_sets(const struct edit_node *node, enum edit_operation operation);
