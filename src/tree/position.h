/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * A position: one instance in a tree. Records have no parent pointers (they are shared), so a position is a
 * chain of frames up to the root, in memory of the request (arena or stack); it is a borrow of the tree below
 * it.
 */
#include "base/arena.h"
#include "base/diag.h"
#include "tree/map.h"
#include "tree/record.h"

struct tree_position {
	const struct tree_position *parent; /* NULL: this is the root */
	const struct schema_node *schema;   /* the root: SCHEMA_ROOT */
	union {
		const struct tree_record
			*record;    /* root, container, list entry; NULL: an implicit container */
		struct value value; /* leaf, leaf-list (for an implicit leaf: the default) */
		const struct tree_any *any;
	};
	/* List entry, leaf-list value: its place among its siblings, from 1 on, as cursors know it; 0: not
	 * known. Entries of lists without keys are told apart by it alone (RFC 7950 9.13), so they need it.
	 * Elsewhere it saves looking the place up when document order is asked for. */
	uint32_t index;
	bool implicit; /* not stored: a non-presence container or a default in use (RFC 7950 7.5.1, 7.6.1) */
};

struct tree_position tree_position_root(const struct schema *schema, const struct tree_record *root);
/* Both of one tree, as for the comparison. The same instance: same schema node, same keys or leaf-list value
 * (sequence: same index), same parents. */
bool tree_position_same(const struct tree_position *a, const struct tree_position *b);
/* Document order: <0, 0 (same), >0. An ancestor is before its descendants. A user-ordered item whose index is
 * not known is looked up, O(log n). */
int tree_position_compare(const struct tree_position *a, const struct tree_position *b);
/* The position copied, with all its parents, into the arena. */
const struct tree_position *tree_position_dup(const struct tree_position *position, struct arena *arena);
/*
 * An instance-identifier of the position as error-path or in messages: module names as prefixes, keys as
 * predicates: /perf-test:top-container/perf-test:local-list[perf-test:name='a']. A quote in a key value is
 * written with the other kind of quote (with both kinds in it, &quot; style is not XPath: concat() form). In
 * the arena.
 */
const char *tree_position_path(const struct tree_position *position, struct arena *arena);
/* A key's or leaf-list's value as such a path has it, with its quotes. */
const char *tree_value_literal(const struct schema_node *leaf, struct value value, struct arena *arena);
/* Sets the diag's path to that of the position and declares its prefixes. */
void tree_position_set_diag(const struct tree_position *position, struct diag_list *list, struct diag *diag);
/* The path of a child that is not there (a missing leaf, a list as a whole): position's path plus
 * /module:name. */
void tree_position_set_diag_child(const struct tree_position *position, const struct schema_node *child,
				  struct diag_list *list, struct diag *diag);
