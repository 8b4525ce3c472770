/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From traces to reads (depend.h): each node that tracing passes is listed with the relation by which its
 * readers are found.
 *
 * A trace says that reader and node share an instance of `ancestor`. If no list is entered from there down to
 * the reader, the reader is one (local). Else, if the node is in an entry that the reader selects by its own
 * values, readers are those with these values (keyed). Else all readers below the ancestor (fan-out), unless
 * that is the root and the node is one of many: then nothing relates them (scan).
 *
 * Implicit nodes change without being in a change set: a default in a case appears when another case's nodes
 * go, and with the list entry or presence container that it is in. So those are reads too. So are
 * user-ordered lists on the way, as a move changes which node is first.
 */
#include "xpath/compile.h"

#define READS_MAX 2048 /* more are everything */

static bool is_ancestor_or_self(const struct schema_node *ancestor, const struct schema_node *node)
{
	while (node != NULL && node != ancestor)
		node = node->parent;
	return node != NULL;
}

/* The innermost entry whose selection depends on the reader; the innermost at all if none does. */
static const struct xpath_keyed *best_keyed(const struct xpath_keyed *keyed)
{
	for (const struct xpath_keyed *k = keyed; k != NULL; k = k->outer) {
		if (k->varies)
			return k;
	}
	return keyed;
}

static void relate(const struct xpath_read_list *list, const struct xpath_trace *trace,
		   struct xpath_read *read)
{
	read->ancestor = trace->ancestor;
	if (list->context == NULL || !is_ancestor_or_self(trace->ancestor, list->context)) {
		read->relation = XPATH_SCAN;
		return;
	}
	const struct xpath_keyed *keyed = best_keyed(trace->keyed);
	if (xpath__single_below(list->context, trace->ancestor)) {
		read->relation = XPATH_LOCAL;
		return;
	}
	if (keyed != NULL) {
		read->list = keyed->list;
		read->selectors = keyed->selectors;
	}
	if (keyed != NULL && keyed->varies)
		read->relation = XPATH_KEYED;
	else if (trace->ancestor->kind == SCHEMA_ROOT && !trace->single && keyed == NULL)
		read->relation = XPATH_SCAN;
	else
		read->relation = XPATH_FAN_OUT;
}

static bool same_read(const struct xpath_read *a, const struct xpath_read *b)
{
	return a->node == b->node && a->relation == b->relation && a->ancestor == b->ancestor &&
	       a->list == b->list && a->selectors == b->selectors;
}

static void append(struct xpath_read_list *list, const struct xpath_read *read)
{
	for (struct xpath_read *known = list->first; known != NULL; known = known->next) {
		if (same_read(known, read)) {
			known->subtree |= read->subtree;
			known->many |= read->many;
			return;
		}
	}
	struct xpath_read *added = arena_alloc(list->arena, sizeof(*added));
	*added = *read;
	added->next = NULL;
	if (list->last == NULL)
		list->first = added;
	else
		list->last->next = added;
	list->last = added;
	list->length++;
}

void xpath__read_everything(struct xpath_read_list *list)
{
	if (list == NULL || list->everything)
		return;
	struct xpath_read all = {.node = list->schema->root,
				 .relation = XPATH_SCAN,
				 .ancestor = list->schema->root,
				 .many = true,
				 .subtree = true};
	list->everything = true;
	append(list, &all);
}

/* The string value of a node goes through all that is below it. */
static bool has_lists_below(const struct schema_node *node)
{
	for (uint16_t i = 0; i < node->child_count; i++) {
		const struct schema_node *child = node->children[i];
		if (child->kind == SCHEMA_LIST || child->kind == SCHEMA_LEAF_LIST || has_lists_below(child))
			return true;
	}
	return false;
}

static void add_read(struct xpath_read_list *list, const struct xpath_trace *trace, enum xpath_extent extent)
{
	struct xpath_read read = {.node = trace->node,
				  .subtree = extent == READ_SUBTREE,
				  .many = trace->many ||
					  (extent == READ_SUBTREE && has_lists_below(trace->node))};
	relate(list, trace, &read);
	append(list, &read);
}

/* Instances need not be stored. */
static bool may_be_implicit(const struct schema_node *node)
{
	return node->default_count > 0 || (node->kind == SCHEMA_CONTAINER && !node->presence);
}

/* All nodes of the outermost choice that the node is in. */
static void add_choice(struct xpath_read_list *list, const struct xpath_trace *trace)
{
	const struct schema_case *outermost = trace->node->in_case;
	while (outermost->choice->outer != NULL)
		outermost = outermost->choice->outer;
	const struct schema_choice *choice = outermost->choice;
	for (size_t i = 0; i < choice->case_count; i++) {
		for (size_t j = 0; j < choice->cases[i].slot_count; j++) {
			struct xpath_trace sibling = *trace;
			sibling.node = trace->node->parent->children[choice->cases[i].slots[j]];
			add_read(list, &sibling, READ_NODE);
		}
	}
}

void xpath__read_add(struct xpath_read_list *list, const struct xpath_trace *trace, enum xpath_extent extent)
{
	if (list == NULL || list->everything)
		return;
	if (list->length >= READS_MAX) {
		xpath__read_everything(list);
		return;
	}
	add_read(list, trace, extent);
	bool implicit = may_be_implicit(trace->node);
	struct xpath_trace up = *trace;
	while (up.node != up.ancestor) {
		bool is_self = up.node == trace->node;
		if (!is_self && (up.node->user_ordered || (implicit && !may_be_implicit(up.node))))
			add_read(list, &up, READ_NODE);
		if (implicit && up.node->in_case != NULL && may_be_implicit(up.node))
			add_choice(list, &up);
		if (!xpath__trace_up(list->schema, &up))
			break;
	}
}

const struct xpath_read *xpath_reads(const struct xpath_expr *expr)
{
	return expr->reads;
}

const char *xpath_relation_name(enum xpath_relation relation)
{
	switch (relation) {
	case XPATH_LOCAL:
		return "local";
	case XPATH_FAN_OUT:
		return "fan-out";
	case XPATH_KEYED:
		return "keyed";
	case XPATH_SCAN:
		return "scan";
	}
	return "?";
}
