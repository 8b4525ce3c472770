/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Choices. At most one case of a choice may have data (RFC 7950 7.9): what a request sets takes the place of
 * what other cases had, and a request that sets two cases of one choice is refused (8.3.1). Before an
 * instance's children are applied, the request's choice of cases is read off all of them:
 *
 *     frame on run->chosen:   choice 0 -> case or NULL    choice 1 -> ...     (order of schema_node.choices)
 *
 * A node's cases are those from its innermost one outwards, so setting a node of a nested choice chooses in
 * all of them. Then the children in cases that lost are applied first (they can only be deletions, and a
 * deletion of the old case beside the new one must find what it deletes), what is left of these cases is
 * removed, and the other children follow.
 */
#include "base/assert.h"
#include "edit/run.h"

static bool any_child_sets(const struct edit_node *node, enum edit_operation operation)
{
	for (const struct edit_node *child = node->children; child; child = child->next) {
		if (!child->schema->is_key && edit_sets(child, edit_operation_of(child, operation)))
			return true;
	}
	return false;
}

bool edit_sets(const struct edit_node *node, enum edit_operation operation)
{
	const struct schema_node *schema = node->schema;
	switch (operation) {
	case EDIT_DELETE:
	case EDIT_REMOVE:
		return false;
	case EDIT_NONE:
		return any_child_sets(node, operation);
	case EDIT_MERGE:
	case EDIT_REPLACE:
	case EDIT_CREATE:
		if (schema->kind == SCHEMA_CONTAINER && !schema->presence && node->children &&
		    !node->annotations)
			return any_child_sets(node, operation);
		return true;
	case EDIT_UNSPECIFIED:
		break;
	}
	ASSERT(!"an operation is resolved before it is used");
	return false;
}

static const struct schema_case **chosen_of(const struct edit_run *run, const struct schema_choice *choice)
{
	const struct schema_node *parent = choice->parent;
	size_t base = run->chosen.length - parent->choice_count;
	for (size_t i = 0; i < parent->choice_count; i++) {
		if (parent->choices[i] == choice)
			return vector_at(&run->chosen, base + i);
	}
	ASSERT(!"a case's choice is one of its parent's choices");
	return NULL;
}

/* False where another case of one of its choices was chosen before. */
static bool choose(struct edit_run *run, const struct schema_node *child)
{
	for (const struct schema_case *c = child->in_case; c; c = c->choice->outer) {
		const struct schema_case **chosen = chosen_of(run, c->choice);
		if (*chosen && *chosen != c)
			return false;
		*chosen = c;
	}
	return true;
}

void edit__choose_cases(struct edit_run *run, const struct edit_group *group, enum edit_operation operation)
{
	const struct schema_node *parent = group->node->schema;
	for (size_t i = 0; i < parent->choice_count; i++)
		vector_push(&run->chosen);
	const struct schema_node *before = NULL; /* chose; entries of one list come in runs */
	struct edit_iter iter = edit__iter(group);
	for (const struct edit_node *node; (node = edit__next(&iter)) && !edit__full(run);) {
		const struct schema_node *child = node->schema;
		if (!child->in_case || child == before ||
		    !edit_sets(node, edit_operation_of(node, operation)))
			continue;
		if (choose(run, child))
			before = child;
		else
			edit__refuse_node(run, node, DIAG_BAD_ELEMENT,
					  "is of another case than data before it.");
	}
}

bool edit__lost(const struct edit_run *run, const struct schema_node *child)
{
	for (const struct schema_case *c = child->in_case; c; c = c->choice->outer) {
		const struct schema_case *chosen = *chosen_of(run, c->choice);
		if (chosen && chosen != c)
			return true;
	}
	return false;
}

void edit__remove_lost(struct edit_run *run)
{
	const struct tree_position *position = tree_builder_position(run->builder);
	if (!position->record)
		return;
	const struct schema_node *parent = position->schema;
	/* From the end, since a removal closes the gap. */
	for (size_t i = position->record->length; i-- > 0;) {
		const struct tree_record *record = tree_builder_position(run->builder)->record;
		const struct schema_node *child = parent->children[tree_record_indexes(record)[i]];
		if (child->in_case && edit__lost(run, child))
			tree_builder_remove(run->builder, child);
	}
}

void edit__forget_cases(struct edit_run *run, const struct schema_node *parent)
{
	for (size_t i = 0; i < parent->choice_count; i++)
		vector_pop(&run->chosen);
}
