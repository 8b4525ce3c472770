/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * check_changes: the validate phase of a proposal. The change set is walked once (walk.c); what an instance
 * brings is judged as the walk meets it, what it makes due elsewhere through the triggers of the plan
 * (fire.c); afterwards come the constraints for which all instances below an ancestor are due, and then the
 * report.
 *
 * The full check is the same walk without an old tree: every instance counts as created, nothing needs a
 * trigger.
 *
 * Rules: only the new root is judged. Nothing is judged twice. A work limit refuses.
 */
#include "check/run.h"

static bool is_empty(const struct tree_record *root)
{
	return !root || root->length == 0;
}

static void run_init(struct check__run *run, const struct check_plan *plan,
		     const struct tree_change_set *changes, const struct check_options *options,
		     struct diag_list *diags)
{
	*run = (struct check__run){
		.plan = plan,
		.schema = plan->schema,
		.new_root = changes->new_root,
		.full = options->full || is_empty(changes->old_root),
		.diags = diags,
		.arena = arena_new(),
		.scratch = arena_new(),
		.limits = {.steps = options->steps, .max_nodes = options->max_nodes},
	};
	size_t constraints = plan->constraints.length;
	run->fired = arena_zalloc(run->arena, plan->readers_count * sizeof(*run->fired));
	run->touched = arena_zalloc(run->arena, constraints * sizeof(*run->touched));
	run->values = arena_zalloc(run->arena, constraints * sizeof(*run->values));
	run->all_due = arena_zalloc(run->arena, constraints * sizeof(*run->all_due));
	run->old_way = arena_alloc(run->arena, plan->depth_max * sizeof(*run->old_way));
	run->new_way = arena_alloc(run->arena, plan->depth_max * sizeof(*run->new_way));
	run->keys = arena_alloc(run->arena, (plan->keys_max + 1u) * sizeof(*run->keys));
	vector_init(&run->fans, check__fan_size());
	check__faults_init(&run->faults, diags->limit > diags->length ? diags->limit - diags->length : 0);
}

static void run_fini(struct check__run *run)
{
	check__fire_fini(run);
	check__faults_fini(&run->faults);
	arena_free(run->scratch);
	arena_free(run->arena);
}

enum status check_changes(const struct check_plan *plan, const struct tree_change_set *changes,
			  const struct check_options *options, struct diag_list *diags,
			  struct check_counters *counters)
{
	struct check__run run;
	run_init(&run, plan, changes, options, diags);
	if (run.full || changes->root) {
		struct tree_position new_root = tree_position_root(plan->schema, changes->new_root);
		if (run.full) {
			check__walk(&run, NULL, &new_root, NULL);
		} else {
			struct tree_position old_root = tree_position_root(plan->schema, changes->old_root);
			check__walk(&run, &old_root, &new_root, changes->root);
		}
		check__fire_fans(&run);
	}
	bool valid = run.status == ST_OK && !check__faults_any(&run.faults);
	check__faults_report(&run.faults, diags);
	run.counters.steps = options->steps - run.limits.steps;
	if (counters)
		*counters = run.counters;
	run_fini(&run);
	return valid ? ST_OK : ST_REJECTED;
}
