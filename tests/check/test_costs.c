/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Classes are measured, not declared: each must, when and leafref of the shared models that is no scan gets a
 * small and a large datastore of its readers and of what it reads, and single changes of both. In the large
 * one a change may evaluate as many instances as in the small one, and take twice the steps at most; where
 * all readers of a long list hang on one node (fan-out), as many more as there are. With YARE_COSTS_TIME=1
 * the time of settle, diff and check may be twice as long at most, too.
 *
 * Of statements whose plans have the same shape one is measured; YARE_COSTS_EXPRESSIONS=1: one for each
 * expression; YARE_COSTS_ALL=1: all. YARE_COSTS_SIZES=SMALL,LARGE, YARE_COSTS_SETS=NAME,...
 * (scripts/measure-classes).
 */
#include "helper_costs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/hash_table.h"
#include "check/settle.h"
#include "check/when.h"
#include "os/clock.h"

enum { SMALL, LARGE, SIZES };
enum { TIMES = 15, RETRIES = 4, STEPS_SLACK = 32, EVALUATED_SLACK = 8, ERRORS_MAX = 4, KINDS = 3 };
#define GROWTH_MAX 2.0

static size_t sizes[SIZES] = {9, 72};
static bool with_time;
/* Which statements: one of each shape of plan, or with each expression, or all. */
static enum { SHAPES, EXPRESSIONS, ALL } which;

struct set {
	const char *name, *modules[8]; /* none: the whole folder */
};

static const struct set sets[] = {
	{"perf-test", {NULL}},
	{"directory", {NULL}},
	{"ex-vlan", {"iana-if-type", "ex-vlan"}},
	{"zoo", {"zoo-types", "constraints-zoo", "zoo-more", "zoo-deviations"}},
	{"openroadm-cps", {"org-openroadm-interfaces", "openroadm-devices-inventory-v2"}},
	{"openroadm", {NULL}},
	{"openconfig", {NULL}},
	{"ietf", {NULL}},
};

/* One change. */
struct cost {
	bool is_made;
	bool removes; /* settle took something along: that may be as much as there is */
	uint64_t evaluated, steps, ns;
};

struct stage {
	struct tree_record *root;
	struct check_index *index;
};

/* What goes on. */
struct run {
	struct costs costs;
	const struct check_explanation *explanation;
	struct stage stages[SIZES];
	size_t changes, missed;
	bool quiet; /* what is missed is not told */
	double worst;
	enum costs_shape shape; /* of the stages */
	const char *what;	/* of the change under way */
};

static struct cost check(struct run *run, const struct stage *stage, struct tree_record *root)
{
	struct model *model = run->costs.model;
	struct arena *arena = arena_new();
	struct diag_list diags;
	diag_list_init(&diags, arena, ERRORS_MAX);
	struct check_counters counters = {0};
	struct check_options options = {
		.steps = UINT64_MAX, .max_nodes = UINT64_MAX, .index = stage->index, .counters = &counters};
	struct tree_change_set changes;
	const struct tree_record *proposed = root;
	uint64_t began_ns = os_clock_monotonic_ns();
	enum status status = check_settle(model->plan, &options, stage->root, &root, &diags);
	if (status == ST_OK) {
		struct check_index *index = NULL;
		options.new_index = &index;
		tree_diff(model->schema, stage->root, root, arena, &changes);
		status = check_changes(model->plan, &changes, &options, &diags);
		check_index_unref(index, NULL);
	}
	struct cost cost = {.is_made = true,
			    .removes = root != proposed,
			    .ns = os_clock_monotonic_ns() - began_ns,
			    .evaluated = counters.musts + counters.leafrefs + counters.whens,
			    .steps = counters.steps};
	model_drop(model, root);
	arena_free(arena);
	return cost;
}

static int compare_ns(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;
	return *x < *y ? -1 : *x > *y;
}

static bool is_in_list(const struct schema_node *node)
{
	while (node && !check__is_multiple(node))
		node = node->parent;
	return node != NULL;
}

static bool fans_out(const struct check__constraint *constraint, enum costs_shape shape)
{
	const struct check__readers *readers = constraint ? constraint->readers : NULL;
	for (; readers; readers = readers->next) {
		if (readers->reach == CHECK__FAN_OUT &&
		    (shape == COSTS_INNER || !is_in_list(readers->ancestor)))
			return true;
	}
	return false;
}

/* By nature a change has many readers. */
static bool is_fan_out(const struct run *run)
{
	const struct check__constraint *constraint = run->costs.constraint, *settled = NULL;
	if (constraint->kind == CHECK__WHEN)
		settled = check__settle_constraint(run->costs.model->plan, constraint);
	return fans_out(constraint, run->shape) || fans_out(settled, run->shape);
}

/* The change of one size; timed: the median of several. */
static struct cost measure(struct run *run, size_t size, const struct schema_node *node, enum costs_edit edit,
			   size_t part)
{
	const struct stage *stage = &run->stages[size];
	struct cost cost = {.is_made = false};
	uint64_t times[TIMES];
	size_t count = with_time && !is_fan_out(run) ? TIMES : 1;
	for (size_t i = 0; i < count; i++) {
		size_t pick =
			part == 0 ? 1 : sizes[size] / 2 + (i * 2654435761u) % (sizes[size] / 2 - COSTS_FEW);
		pick += COSTS_FEW + 1 - pick % COSTS_FEW; /* the same where there are few */
		struct tree_record *root = costs_apply(&run->costs, stage->root, node, edit, pick);
		if (!root)
			return cost;
		struct cost one = check(run, stage, root);
		if (i == 0)
			cost = one;
		times[i] = one.ns;
	}
	qsort(times, count, sizeof(*times), compare_ns);
	cost.ns = times[count / 2];
	return cost;
}

static bool counts_hold(const struct run *run, const struct cost *small, const struct cost *large)
{
	if (is_fan_out(run)) {
		double ratio = (double)sizes[LARGE] / (double)sizes[SMALL];
		return (double)large->steps <= GROWTH_MAX * ratio * (double)small->steps + STEPS_SLACK;
	}
	/* Slack, since which entry is taken decides what is evaluated; of violations no more than ERRORS_MAX
	 * and one are looked for. */
	return large->evaluated <= small->evaluated + EVALUATED_SLACK &&
	       (double)large->steps <= GROWTH_MAX * (double)small->steps + STEPS_SLACK;
}

/* Of the time. Where a change has many readers by nature, their number is all that is held against it; what
 * takes nodes along costs as much as these; and where it is the entry taken that decides whether a reader is
 * due, there is nothing to compare. */
static double growth(const struct run *run, const struct cost *small, const struct cost *large)
{
	bool is_same = large->evaluated == small->evaluated && !large->removes;
	return is_fan_out(run) || !is_same ? 0 : (double)large->ns / (double)small->ns;
}

static void say(const struct run *run, const struct schema_node *node, const struct cost *small,
		const struct cost *large)
{
	const struct check_explanation *explanation = run->explanation;
	char path[1024], changed[1024];
	schema_node_path(explanation->node, path, sizeof(path));
	schema_node_path(node, changed, sizeof(changed));
	print_message("%s %s, %s: %s\n  %s of %s: %lu evaluated with %lu steps in %.1f us; of many %lu, %lu, "
		      "%.1f us\n",
		      path, explanation->kind, explanation->class,
		      explanation->expression_count > 0 ? explanation->expressions[0] : "", run->what,
		      changed, small->evaluated, small->steps, (double)small->ns / 1e3, large->evaluated,
		      large->steps, (double)large->ns / 1e3);
}

static void compare(struct run *run, const struct schema_node *node, enum costs_edit edit, size_t part)
{
	static const char *const names[] = {"change", "deletion", "creation"};
	run->what = names[edit];
	struct cost small = measure(run, SMALL, node, edit, part),
		    large = measure(run, LARGE, node, edit, part);
	if (!small.is_made || !large.is_made)
		return;
	run->changes++;
	bool holds = counts_hold(run, &small, &large);
	double ratio = with_time ? growth(run, &small, &large) : 0;
	for (size_t i = 0; holds && ratio > GROWTH_MAX && i < RETRIES; i++) {
		small = measure(run, SMALL, node, edit, part);
		large = measure(run, LARGE, node, edit, part);
		double again = growth(run, &small, &large);
		ratio = again < ratio ? again : ratio;
	}
	run->worst = ratio > run->worst ? ratio : run->worst;
	if (holds && ratio <= GROWTH_MAX)
		return;
	run->missed++;
	if (!run->quiet)
		say(run, node, &small, &large);
}

static void compare_node(struct run *run, const struct schema_node *node)
{
	for (int edit = 0; edit < KINDS; edit++) {
		for (size_t part = 0; part < 2; part++)
			compare(run, node, (enum costs_edit)edit, part);
	}
}

static void compare_all(struct run *run)
{
	const struct check__constraint *constraint = run->costs.constraint;
	compare_node(run, run->explanation->node);
	for (const struct check__readers *readers = constraint->readers; readers; readers = readers->next) {
		for (uint32_t i = 0; i < readers->nodes.length; i++) {
			const struct schema_node *node = readers->nodes.items[i];
			if (node != run->explanation->node && run->costs.wanted[node->id])
				compare_node(run, node);
		}
	}
}

static void measure_shape(struct run *run, enum costs_shape shape)
{
	struct costs *costs = &run->costs;
	run->shape = shape;
	for (size_t i = 0; i < SIZES; i++) {
		run->stages[i].root = costs_build(costs, sizes[i], shape);
		run->stages[i].index = check_index_new(costs->model->plan, run->stages[i].root);
	}
	compare_all(run);
	for (size_t i = 0; i < SIZES; i++) {
		check_index_unref(run->stages[i].index, NULL);
		model_drop(costs->model, run->stages[i].root);
	}
}

static void measure_constraint(struct run *run, struct model *model,
			       const struct check__constraint *constraint)
{
	costs_init(&run->costs, model, constraint);
	/* Other leafs are numbers, then one literal after the other; in a short run just the first literal.
	 */
	size_t variants = run->costs.literal_count + 1;
	size_t first = which == SHAPES && variants > 1 ? 1 : 0;
	for (size_t i = first; i < (which == SHAPES ? first + 1 : variants); i++) {
		run->costs.literal = i == 0 ? NULL : &run->costs.literals[i - 1];
		measure_shape(run, COSTS_OUTER);
		measure_shape(run, COSTS_INNER);
	}
	costs_fini(&run->costs);
}

/* ---- which statements ---- */

struct survey {
	struct model *model;
	struct hash_table *seen;
	struct run run;
	size_t statements, measured;
	bool scans; /* are measured, and nothing else */
};

/* What the engine sees of the statement, names aside. */
static const char *signature(const struct check__constraint *constraint,
			     const struct check_explanation *explanation, struct arena *arena)
{
	const char *text = arena_printf(arena, "%s %s", explanation->kind, explanation->class);
	for (size_t i = 0; which != SHAPES && i < explanation->expression_count; i++)
		text = arena_printf(arena, "%s %s", text, explanation->expressions[i]);
	for (const struct schema_node *node = constraint->context; node; node = node->parent)
		text = arena_printf(arena, "%s %d", text, (int)node->kind);
	for (const struct check__readers *readers = constraint->readers; readers; readers = readers->next)
		text = arena_printf(arena, "%s; %d %d %u", text, (int)readers->reach,
				    readers->ancestor->depth, readers->nodes.length);
	return text;
}

static bool is_new(struct survey *survey, const struct check__constraint *constraint,
		   const struct check_explanation *explanation)
{
	static const char present;
	struct arena *arena = arena_new();
	struct bytes text = bytes_of(signature(constraint, explanation, arena));
	bool is_new = hash_table_put(survey->seen, text, (void *)&present) == NULL;
	arena_free(arena);
	return is_new || which == ALL;
}

static void visit(const struct check_explanation *explanation, void *arg)
{
	struct survey *survey = arg;
	const struct check__constraint *constraint = survey->model->plan->constraints.items[explanation->id];
	bool is_statement = constraint->kind == CHECK__MUST || constraint->kind == CHECK__WHEN ||
			    (constraint->kind == CHECK__REFERENCE && explanation->expression_count > 0);
	if (!is_statement || (strcmp(explanation->class, "scan") == 0) != survey->scans)
		return;
	survey->statements++;
	if (!is_new(survey, constraint, explanation))
		return;
	survey->measured++;
	survey->run.explanation = explanation;
	measure_constraint(&survey->run, survey->model, constraint);
}

static bool open_set(struct model *model, const struct set *set)
{
	char folder[256];
	snprintf(folder, sizeof(folder), "yang/%s", set->name);
	const char *dir = model_shared(folder);
	if (dir && set->modules[0])
		model_init_set(model, dir, set->modules, MODEL_IMPORTS_AS_NEEDED);
	else if (dir)
		model_init_folder(model, dir);
	return dir != NULL;
}

static bool is_chosen(const struct set *set)
{
	const char *chosen = getenv("YARE_COSTS_SETS");
	char wanted[64], list[512];
	snprintf(wanted, sizeof(wanted), ",%s,", set->name);
	snprintf(list, sizeof(list), ",%s,", chosen ? chosen : "");
	return !chosen || strstr(list, wanted);
}

static void test_costs(void **state)
{
	(void)state;
	size_t missed = 0;
	struct hash_table *seen = hash_table_new();
	for (size_t i = 0; i < sizeof(sets) / sizeof(*sets); i++) {
		struct model model;
		if (!is_chosen(&sets[i]))
			continue;
		if (!open_set(&model, &sets[i])) {
			hash_table_free(seen);
			skip();
		}
		struct survey survey = {.model = &model, .seen = seen};
		check_plan_each(model.plan, visit, &survey);
		print_message(
			"%-14s %4zu statements that are no scans, %4zu of them measured with %6zu changes: "
			"%zu grow, worst ratio of time %.2f\n",
			sets[i].name, survey.statements, survey.measured, survey.run.changes,
			survey.run.missed, survey.run.worst);
		missed += survey.run.missed;
		model_fini(&model);
	}
	hash_table_free(seen);
	assert_int_equal(missed, 0);
}

static const char *const scan_yang =
	"module m { yang-version 1.1; namespace urn:m; prefix m;\n"
	" list l { key k; leaf k { type string; } leaf v { type string; } }\n"
	" list r { key k; leaf k { type string; } leaf x { type string; must 'not(/l[v = current()])'; } }\n"
	"}\n";

/* The measure would show it. */
static void test_scan_grows(void **state)
{
	(void)state;
	struct model model;
	model_init(&model, "m", scan_yang);
	struct survey survey = {
		.model = &model, .seen = hash_table_new(), .run = {.quiet = true}, .scans = true};
	check_plan_each(model.plan, visit, &survey);
	assert_int_equal(survey.measured, 1);
	assert_true(survey.run.missed > 0);
	hash_table_free(survey.seen);
	model_fini(&model);
}

int main(void)
{
	const char *given = getenv("YARE_COSTS_SIZES");
	with_time = getenv("YARE_COSTS_TIME") != NULL;
	if (getenv("YARE_COSTS_ALL"))
		which = ALL;
	else if (getenv("YARE_COSTS_EXPRESSIONS"))
		which = EXPRESSIONS;
	if (given && (sscanf(given, "%zu,%zu", &sizes[SMALL], &sizes[LARGE]) != SIZES || sizes[SMALL] < 9))
		return 2;
	/* Sizes that are given are for what grows little; a scan takes their product. */
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_costs), cmocka_unit_test(test_scan_grows)};
	return _cmocka_run_group_tests("costs", tests, given ? 1 : 2, NULL, NULL);
}
