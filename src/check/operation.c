/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The check of an operation's input or output: all of it is new, so it is walked as a whole, and each
 * constraint is judged where it is met. Nothing is triggered and nothing is indexed; unique compares the
 * entries pair by pair, a step of work each, so that the limit bounds it.
 *
 * A node under a false `when` is an error where it was given (RFC 7950 8.3.2), and otherwise not there.
 *
 * The constraints are compiled for no context: the schema knows an operation as a tree of its own, but its
 * instance stands within the data, where absolute paths find it too (RFC 7950 6.4.1, 7.15.2).
 */
#include "check/operation.h"

#include "check/run.h"

/* ---- Planning. ---- */

static void plan_tree(struct check__making *making, const struct schema_node *node)
{
	check__plan_node(making, node);
	for (size_t i = 0; i < node->child_count; i++)
		plan_tree(making, node->children[i]);
}

static void plan_operation(struct check__making *making, const struct schema_node *operation)
{
	making->operation = operation;
	plan_tree(making, operation);
	making->operation = NULL;
}

void check__plan_operations(struct check__making *making)
{
	const struct schema *schema = making->plan->schema;
	making->plan->is_for_operation = true;
	for (size_t i = 0; i < schema->node_count; i++) {
		const struct schema_node *node = schema->nodes[i];
		if (node->kind == SCHEMA_RPC || node->kind == SCHEMA_ACTION || node->kind == SCHEMA_OUTPUT)
			plan_operation(making, node);
	}
	making->plan->is_for_operation = false;
}

/* ---- Unique. ---- */

/* The leaf below the entry, through containers. */
static bool find_leaf(struct check__run *run, const struct tree_position *entry,
		      const struct schema_node *leaf, struct value *value)
{
	const struct schema_node *nodes[UINT8_MAX];
	struct tree_position way[UINT8_MAX];
	size_t length = 0;
	for (const struct schema_node *node = leaf; node != entry->schema && length < UINT8_MAX;
	     node = node->parent)
		nodes[length++] = node;
	const struct tree_position *at = entry;
	for (size_t i = 0; i < length; i++, at = &way[i - 1]) {
		if (!check__find_child(run, at, nodes[length - 1 - i], &way[i]))
			return false;
	}
	*value = at->value;
	return true;
}

/* RFC 7950 7.8.3: only where all leafs exist in both. */
static bool is_same(struct check__run *run, const struct schema_unique *unique, const struct tree_position *a,
		    const struct tree_position *b)
{
	for (size_t i = 0; i < unique->leaf_count; i++) {
		struct value left, right;
		if (!find_leaf(run, a, unique->leafs[i], &left) ||
		    !find_leaf(run, b, unique->leafs[i], &right) || !value_equal(left, right))
			return false;
	}
	return true;
}

/* Against the entries before it. */
static void judge_unique(struct check__run *run, const struct check__constraint *constraint,
			 const struct tree_position *entry)
{
	struct tree_cursor cursor;
	struct tree_position other;
	tree_cursor_init_child(&cursor, run->schema, entry->parent, entry->schema, TREE_EXPLICIT);
	while (tree_cursor_next(&cursor, &other) && other.record != entry->record) {
		if (!check__tick(run, constraint, entry))
			return;
		if (is_same(run, constraint->unique, entry, &other)) {
			check__faults_add(&run->faults, constraint, entry, &other);
			return;
		}
	}
}

/* ---- The walk. ---- */

static void visit(struct check__run *run, const struct tree_position *position);

/* Whether the child is there, as its `when` has it. */
static bool is_allowed(struct check__run *run, const struct tree_position *child)
{
	const struct check__constraint *when = check__node_of(run->plan, child->schema)->when;
	const struct schema_xpath *broken = NULL;
	bool holds = true;
	if (when == NULL)
		return true;
	if (check__view_judge(&run->new_view, when, child->parent, &holds, &broken) != ST_OK) {
		check__refuse_limit(run, when, child);
		return false;
	}
	if (!holds && !child->implicit)
		check__faults_add_when(&run->faults, when, child, broken);
	return holds;
}

static void visit_children(struct check__run *run, const struct tree_position *parent)
{
	struct tree_cursor cursor;
	struct tree_position child;
	tree_cursor_init(&cursor, run->schema, parent, TREE_WITH_DEFAULTS);
	while (run->status == ST_OK && tree_cursor_next(&cursor, &child)) {
		if (is_allowed(run, &child))
			visit(run, &child);
	}
}

static void judge_all(struct check__run *run, const struct check__list *constraints,
		      const struct tree_position *position)
{
	for (uint32_t i = 0; i < constraints->length && run->status == ST_OK; i++) {
		const struct check__constraint *constraint = constraints->items[i];
		if (constraint->kind == CHECK__UNIQUE)
			judge_unique(run, constraint, position);
		else
			check__judge(run, constraint, position);
	}
}

static void visit(struct check__run *run, const struct tree_position *position)
{
	const struct schema_node *schema = position->schema;
	const struct check__node *node = check__node_of(run->plan, schema);
	judge_all(run, &node->own, position);
	if (schema->kind == SCHEMA_LEAF || schema->kind == SCHEMA_LEAF_LIST ||
	    schema->kind == SCHEMA_ANYDATA || schema->kind == SCHEMA_ANYXML)
		return;
	judge_all(run, &node->structural, position);
	visit_children(run, position);
}

enum status check_operation(const struct check_plan *plan, const struct tree_position *top,
			    const struct check_options *options, struct diag_list *diags)
{
	const struct tree_position *root = top;
	while (root->parent != NULL)
		root = root->parent;
	struct tree_change_set changes = {.new_root = root->record};
	struct check_options all = {.full = true, .steps = options->steps, .max_nodes = options->max_nodes};
	struct check__run run;
	check__run_init(&run, plan, &changes, &all, diags);
	run.operation = top;
	visit(&run, top);
	bool valid = run.status == ST_OK && !check__faults_any(&run.faults);
	check__faults_report(&run.faults, diags);
	check__run_fini(&run);
	return valid ? ST_OK : ST_REJECTED;
}
