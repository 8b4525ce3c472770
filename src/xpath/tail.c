/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Splits a path:
 *
 *     /a:top/a:list[a:key='x']/a:inner/a:leaf      head: /a:top/a:list[a:key='x']      tail: inner, leaf
 *
 * Only where every step is a child step to the one schema node of its name: then all nodes that the head
 * finds are instances of one schema node, none is within another, and what the tail finds below them is told
 * by schema nodes alone.
 */
#include "xpath/tail.h"

#include "xpath/ast.h"

static bool is_plain(const struct xpath_step *step)
{
	return step->axis == AXIS_CHILD && step->test == TEST_NAME && step->target != NULL &&
	       !step->impossible;
}

/* The number of steps up to the last predicate; SIZE_MAX: it is no such path. */
static size_t head_length(const struct xpath_node *root)
{
	size_t length = 0, head = 0;
	if (root->op != XPATH_PATH || root->operands != NULL)
		return SIZE_MAX;
	for (const struct xpath_step *step = root->path.steps; step != NULL; step = step->next) {
		if (!is_plain(step))
			return SIZE_MAX;
		length++;
		head = step->predicates != NULL ? length : head;
	}
	return head;
}

static struct xpath_node *copy_head(const struct xpath_node *root, size_t length, struct arena *arena)
{
	struct xpath_node *head = arena_alloc(arena, sizeof(*head));
	*head = *root;
	head->path.steps = NULL;
	head->path.length = (uint32_t)length;
	struct xpath_step **link = &head->path.steps;
	const struct xpath_step *step = root->path.steps;
	for (size_t i = 0; i < length; i++, step = step->next) {
		*link = arena_alloc(arena, sizeof(**link));
		**link = *step;
		(*link)->next = NULL;
		link = &(*link)->next;
	}
	return head;
}

bool xpath_tail_split(const struct xpath_expr *expr, struct arena *arena, struct xpath_tail *split)
{
	const struct xpath_path *path = &expr->root->path;
	size_t length = head_length(expr->root);
	if (length == SIZE_MAX || length == path->length)
		return false;
	const struct schema_node **tail = arena_zalloc(arena, (path->length - length + 1) * sizeof(*tail));
	split->is_lookup = true;
	size_t i = 0;
	for (const struct xpath_step *step = path->steps; step != NULL; step = step->next, i++) {
		bool is_many = step->target->kind == SCHEMA_LIST || step->target->kind == SCHEMA_LEAF_LIST;
		if (i >= length)
			tail[i - length] = step->target;
		else if (is_many && step->lookup == NULL)
			split->is_lookup = false;
	}
	struct xpath_expr *head = arena_alloc(arena, sizeof(*head));
	*head = *expr;
	head->root = copy_head(expr->root, length, arena);
	split->head = head;
	split->tail = tail;
	return true;
}
