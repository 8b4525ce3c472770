/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* Paths whose end chooses by names alone, for those who can choose so without a node-set of all of it. */
#include "xpath/xpath.h"

/* What a path of child steps with names finds: first what `head` finds, and below each of these nodes the
 * instances of tail[0], below these of tail[1], and so on. */
struct xpath_tail {
	const struct xpath_expr *head;
	const struct schema_node *const *tail; /* ends with NULL; at least one */
	bool is_lookup;			       /* head enters no list but by its keys */
};

/* False where the expression is no such path, or ends with a predicate. */
bool xpath_tail_split(const struct xpath_expr *expr, struct arena *arena, struct xpath_tail *split);
