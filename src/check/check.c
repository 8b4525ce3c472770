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
 * Where a plan has value indexes, the change set is walked for them first: what is judged finds the indexes
 * of the new tree done.
 *
 * What is large is walked on several threads (split.c). A check that came to its work limit so is done again
 * on one: which constraint is refused is not to depend on what the threads happened to do.
 *
 * Rules: only the new root is judged. Nothing is judged twice. A work limit refuses.
 */
#include "check/index.h"
#include "check/split.h"

#include "base/assert.h"
#include "base/memory.h"

static bool is_empty(const struct tree_record *root)
{
	return !root || root->length == 0;
}

/* The memory that a run needs whatever happens, and which is its own. */
static void make_room(struct check__run *run)
{
	const struct check_plan *plan = run->plan;
	run->arena = arena_new();
	run->scratch = arena_new();
	run->flip_arena = arena_new();
	run->fired = arena_zalloc(run->arena, plan->readers_count * sizeof(*run->fired));
	run->touched = arena_zalloc(run->arena, plan->constraints.length * sizeof(*run->touched));
	run->gathering_of =
		arena_zalloc(run->arena, plan->indexes.length * sizeof(struct check__gathering *));
	run->old_way = arena_alloc(run->arena, plan->depth_max * sizeof(*run->old_way));
	run->new_way = arena_alloc(run->arena, plan->depth_max * sizeof(*run->new_way));
	run->anchor_way = arena_alloc(run->arena, plan->depth_max * sizeof(*run->anchor_way));
	run->instance_way = arena_alloc(run->arena, plan->depth_max * sizeof(*run->instance_way));
	run->keys = arena_alloc(run->arena, (plan->keys_max + 1u) * sizeof(*run->keys));
	run->columns = arena_alloc(run->arena, (plan->host->columns_max + 1u) * sizeof(*run->columns));
	run->due = arena_alloc(run->arena, (plan->host->columns_max + 1u) * sizeof(*run->due));
	vector_init(&run->fans, check__fan_size());
	vector_init(&run->when_fans, check__fan_size());
	vector_init(&run->flips, check__flip_size());
}

void check__run_init(struct check__run *run, const struct check_plan *plan,
		     const struct tree_change_set *changes, const struct check_options *options,
		     struct diag_list *diags)
{
	*run = (struct check__run){
		.plan = plan,
		.schema = plan->schema,
		.old_root = changes->old_root,
		.new_root = changes->new_root,
		.phase = CHECK__JUDGING,
		.full = options->full || is_empty(changes->old_root),
		.diags = diags,
		.reclaimer = options->reclaimer,
		.tally = options->tally,
		.change_count = changes->length,
		.limits = {.steps = options->steps,
			   .max_nodes = options->max_nodes,
			   .interrupt = options->interrupt},
	};
	make_room(run);
	run->distinct = arena_zalloc(run->arena, plan->indexes.length * sizeof(*run->distinct));
	check__view_init(&run->old_view, run, changes->old_root);
	check__view_init(&run->new_view, run, changes->new_root);
	check__faults_init(&run->faults, diags->limit > diags->length ? diags->limit - diags->length : 0);
}

void check__run_init_part(struct check__run *part, const struct check__run *whole)
{
	*part = (struct check__run){
		.plan = whole->plan,
		.schema = whole->schema,
		.old_root = whole->old_root,
		.new_root = whole->new_root,
		.operation = whole->operation,
		.diags = whole->diags,
		.reclaimer = whole->reclaimer,
		.limits = whole->limits,
		.distinct = whole->distinct,
		.split = whole->split,
		.whole = whole,
	};
	make_room(part);
	check__view_init(&part->old_view, part, whole->old_view.root);
	check__view_init(&part->new_view, part, whole->new_view.root);
	check__faults_init(&part->faults, whole->faults.keep);
}

/* Both trees side by side; without the old one everything in the new one is created. */
static void walk(struct check__run *run, const struct tree_record *old_root,
		 const struct tree_record *new_root, const struct tree_change *change)
{
	struct tree_position new_position = tree_position_root(run->schema, new_root);
	struct tree_position old_position = {.parent = NULL};
	if (old_root)
		old_position = tree_position_root(run->schema, old_root);
	check__walk(run, old_root ? &old_position : NULL, &new_position, old_root ? change : NULL);
	check__flips_walk(run);
}

/* The indexes of `root`, from those of `old_root` and the change between. Gives a reference. */
static const struct tree_record *make_index(struct check__run *run, const struct tree_record *old_root,
					    const struct tree_record *old_index,
					    const struct tree_record *root, const struct tree_change *change)
{
	struct tree_record *empty = old_index ? NULL : tree_record_new();
	bool full = run->full;
	run->full = !old_root;
	run->phase = CHECK__INDEXING;
	run->builder =
		tree_builder_new(run->plan->index_schema, old_index ? old_index : empty, run->reclaimer);
	if (!old_root || change)
		walk(run, old_root, root, change);
	const struct tree_record *index = check__index_put(run);
	check__fire_reset(run);
	run->phase = CHECK__JUDGING;
	run->full = full;
	if (empty)
		tree_record_unref(empty, run->plan->index_schema->root, NULL);
	return index;
}

static void make_indexes(struct check__run *run, const struct check_options *options,
			 const struct tree_change *change)
{
	if (run->plan->indexes.length == 0)
		return;
	if (run->full) {
		run->new_index = make_index(run, NULL, NULL, run->new_root, NULL);
		return;
	}
	run->old_index = options->index ? tree_record_ref(options->index->root)
					: make_index(run, NULL, NULL, run->old_root, NULL);
	run->new_index = make_index(run, run->old_root, run->old_index, run->new_root, change);
}

/* The old tree has a value that names an instance. */
static bool has_instances(const struct check__run *run)
{
	const struct check__list *instances = &run->plan->instances;
	for (uint32_t i = 0; run->old_index && i < instances->length; i++) {
		const struct check__readers *readers = instances->items[i];
		if (tree_record_find(run->old_index, readers->index->list))
			return true;
	}
	return false;
}

/* Takes the new index out of the run. */
static struct check_index *take_index(struct check__run *run)
{
	if (!run->new_index)
		return NULL;
	struct check_index *index = memory_zalloc(sizeof(*index));
	atomic_init(&index->refs, 1);
	index->plan = run->plan;
	index->root = run->new_index;
	run->new_index = NULL;
	return index;
}

static void drop_index(const struct check__run *run, const struct tree_record *index)
{
	if (index)
		tree_record_unref(index, run->plan->host->index_schema->root, run->reclaimer);
}

void check__run_fini(struct check__run *run)
{
	if (!run->whole) { /* a part borrows */
		check__split_fini(run);
		drop_index(run, run->old_index);
		drop_index(run, run->new_index);
	}
	check__fire_fini(run);
	check__view_fini(&run->old_view);
	check__view_fini(&run->new_view);
	vector_fini(&run->flips);
	check__faults_fini(&run->faults);
	arena_free(run->flip_arena);
	arena_free(run->scratch);
	arena_free(run->arena);
}

void check__run_walk(struct check__run *run, const struct tree_change *change)
{
	if (run->full || change)
		walk(run, run->full ? NULL : run->old_root, run->new_root, change);
}

void check__counters_add(struct check_counters *sum, const struct check_counters *more)
{
	sum->musts += more->musts;
	sum->leafrefs += more->leafrefs;
	sum->counts += more->counts;
	sum->mandatories += more->mandatories;
	sum->uniques += more->uniques;
	sum->whens += more->whens;
}

void check__run_count(const struct check__run *run, const struct check_options *options)
{
	struct check_counters *sum = options->counters;
	if (!sum)
		return;
	check__counters_add(sum, &run->counters);
	sum->steps += options->steps - run->limits.steps;
}

/* False: the threads came to the work limit together, and nobody was told but the tally, which counts what
 * was evaluated. */
static bool check_with(const struct check_plan *plan, const struct tree_change_set *changes,
		       const struct check_options *options, struct diag_list *diags, bool *is_valid)
{
	struct diag_list before = *diags;
	struct check__run run;
	check__run_init(&run, plan, changes, options, diags);
	run.threads = options->threads;
	make_indexes(&run, options, changes->root);
	run.is_watching = has_instances(&run);
	check__run_walk(&run, changes->root);
	check__fire_fans(&run);
	if (!check__split_stands(&run)) {
		check__run_fini(&run);
		return false;
	}
	bool valid = run.status == ST_OK && !check__faults_any(&run.faults);
	check__faults_report(&run.faults, diags);
	check__run_count(&run, options);
	struct check_index *index = valid ? take_index(&run) : NULL;
	if (options->verify && !run.full && run.status == ST_OK)
		check__verify(plan, changes, valid, diags, &before, index);
	if (options->new_index && valid)
		*options->new_index = index;
	else
		check_index_unref(index, options->reclaimer);
	check__run_fini(&run);
	*is_valid = valid;
	return true;
}

enum status check_changes(const struct check_plan *plan, const struct tree_change_set *changes,
			  const struct check_options *options, struct diag_list *diags)
{
	struct check_options own = *options;
	bool valid = false;
	if (!check_with(plan, changes, &own, diags, &valid)) {
		own.threads = (struct check_threads){.count = 1};
		bool stands = check_with(plan, changes, &own, diags, &valid);
		ASSERT(stands);
	}
	return valid ? ST_OK : ST_REJECTED;
}

/* Those of `root`; `changes->old_root` NULL: made anew. */
static struct check_index *index_changes(const struct check_plan *plan, const struct tree_change_set *changes,
					 const struct check_index *index, struct tree_reclaimer *reclaimer,
					 const struct check_threads *threads)
{
	struct check__run run;
	struct arena *arena = arena_new();
	struct diag_list diags;
	diag_list_init(&diags, arena, 0);
	struct check_options options = {
		.full = index == NULL, .steps = UINT64_MAX, .max_nodes = UINT64_MAX, .reclaimer = reclaimer};
	check__run_init(&run, plan, changes, &options, &diags);
	if (threads)
		run.threads = *threads;
	run.new_index = make_index(&run, changes->old_root, index != NULL ? index->root : NULL,
				   changes->new_root, changes->root);
	struct check_index *made = take_index(&run);
	check__run_fini(&run);
	arena_free(arena);
	return made;
}

struct check_index *check_index_make(const struct check_plan *plan, const struct tree_record *root,
				     const struct check_threads *threads)
{
	if (plan->indexes.length == 0)
		return NULL;
	struct tree_change_set changes = {.new_root = root};
	return index_changes(plan, &changes, NULL, NULL, threads);
}

struct check_index *check_index_new(const struct check_plan *plan, const struct tree_record *root)
{
	return check_index_make(plan, root, NULL);
}

struct check_index *check_index_follow(const struct check_plan *plan, const struct tree_record *old_root,
				       const struct check_index *index, const struct tree_record *root,
				       struct tree_reclaimer *reclaimer)
{
	if (index == NULL || is_empty(old_root))
		return check_index_new(plan, root);
	struct arena *arena = arena_new();
	struct tree_change_set changes;
	tree_diff(plan->schema, old_root, root, arena, &changes);
	struct check_index *made = index_changes(plan, &changes, index, reclaimer, NULL);
	arena_free(arena);
	return made;
}
