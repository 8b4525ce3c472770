/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Whens in a plan: compiled, ranked, and once more in a plan of their own for settle.
 *
 * The rank: a when W depends on the whens of each node that it reads and of this node's ancestors, since
 * without them the node is not there. Depth first through these dependencies, each rank is one above the
 * greatest of those that it depends on; a dependency that leads back to where it came from is a cycle, and
 * the schema is refused. Not counted there are dependencies that are only in the analysis, so that no schema
 * is refused for them: that a default in a case goes with what is set in other cases of the same choice, and
 * what an expression reads that may be anything.
 *
 * In the plan of a check a when is due for what is implicit and what is missing; it is none of the structural
 * constraints there. In the plan for settle it is: an instance that comes is settled.
 */
#include "check/when.h"

#include <stdio.h>

#include "base/buffer.h"

enum color { WHITE, GREY, BLACK };

/* A node whose whens are being ranked, and the one that led to it. */
struct visit {
	const struct visit *from;
	struct check__constraint *when;
};

struct ranking {
	struct check__making *making;
	uint8_t *colors; /* enum color, by constraint id */
	bool *last;	 /* by constraint id: it may depend on anything */
};

static struct check__constraint *add(struct check__making *making, const struct schema_node *parent,
				     const struct schema_xpath *whens, size_t count)
{
	struct check_plan *plan = making->plan;
	struct check__when *compiled = arena_zalloc(plan->arena, count * sizeof(*compiled));
	for (size_t i = 0; i < count; i++) {
		compiled[i].xpath = &whens[i];
		compiled[i].expr = check__compile(making, whens[i].context, &whens[i]);
		if (!compiled[i].expr)
			return NULL;
	}
	struct check__constraint *when = check__constraint_add(plan, CHECK__WHEN, parent);
	when->whens = compiled;
	when->when_count = count;
	return when;
}

const struct check__constraint *check__when_node(struct check__making *making, const struct schema_node *node)
{
	if (node->when_count == 0)
		return NULL;
	struct check__constraint *when = add(making, node->parent, node->whens, node->when_count);
	if (when)
		when->child = node;
	making->plan->nodes[node->id].when = when;
	return when;
}

const struct check__constraint *check__when_choice(struct check__making *making,
						   const struct schema_choice *choice)
{
	if (choice->when_count == 0)
		return NULL;
	struct check__constraint *when = add(making, choice->parent, choice->whens, choice->when_count);
	if (when)
		when->choice = choice;
	return when;
}

bool check__when_reads_itself(const struct check__when *when, const struct xpath_read *read)
{
	return !when->xpath->context_is_parent && read->ancestor == when->xpath->context;
}

bool check__when_matters(const struct check__constraint *when)
{
	const struct schema_node *node = when->child;
	if (!node) /* a mandatory choice */
		return true;
	bool is_implied = node->default_count > 0 || (node->kind == SCHEMA_CONTAINER && !node->presence);
	return is_implied || node->mandatory || node->min_elements > 0;
}

static bool feeds_below(const struct check_plan *plan, const struct schema_node *node)
{
	bool feeds = check__node_of(plan, node)->feeds.length > 0;
	for (size_t i = 0; !feeds && i < node->child_count; i++)
		feeds = feeds_below(plan, node->children[i]);
	return feeds;
}

bool check__when_feeds(const struct check_plan *plan)
{
	for (uint32_t i = 0; i < plan->constraints.length; i++) {
		const struct check__constraint *when = plan->constraints.items[i];
		if (when->kind == CHECK__WHEN && when->child && check__when_matters(when) &&
		    feeds_below(plan, when->child))
			return true;
	}
	return false;
}

bool check__when_triggered(const struct check__node *node)
{
	for (uint32_t i = 0; i < node->triggers.length; i++) {
		const struct check__readers *readers = node->triggers.items[i];
		if (readers->constraint->kind == CHECK__WHEN)
			return true;
	}
	return false;
}

/* ---- Ranks. ---- */

enum strength { HARD, SOFT };

static bool rank(struct ranking *ranking, const struct visit *visit);

static void refuse(struct ranking *ranking, const struct visit *visit, const struct check__constraint *again)
{
	struct buffer text;
	buffer_init(&text, 4096);
	const struct schema_node *node = again->child;
	for (const struct visit *at = visit; at; at = at->from) {
		char path[1024], line[1100];
		schema_node_path(at->when->child, path, sizeof(path));
		int size =
			snprintf(line, sizeof(line), "%s%s", at == visit ? "" : ", on which depends ", path);
		if (buffer_append(&text, (struct bytes){line, (size_t)size}) != ST_OK || at->when == again)
			break;
	}
	char path[1024];
	schema_node_path(node, path, sizeof(path));
	diag_add(ranking->making->diags, DIAG_APPLICATION, DIAG_OPERATION_FAILED,
		 "Module %s: the when of %s depends on itself: it depends on %.*s.", node->module->name, path,
		 (int)buffer_get(&text).size, buffer_get(&text).data);
	buffer_fini(&text);
	ranking->making->failed = true;
}

static bool depend_on(struct ranking *ranking, const struct visit *visit, const struct schema_node *node,
		      enum strength strength)
{
	struct check__constraint *on =
		(struct check__constraint *)check__node_of(ranking->making->plan, node)->when;
	if (!on)
		return true;
	if (ranking->colors[on->id] == GREY) {
		if (strength == HARD)
			refuse(ranking, visit, on);
		return strength == SOFT;
	}
	if (ranking->colors[on->id] == WHITE && !rank(ranking, &(struct visit){visit, on}))
		return false;
	if (visit->when->rank <= on->rank)
		visit->when->rank = on->rank + 1;
	return true;
}

static bool depend_below(struct ranking *ranking, const struct visit *visit, const struct schema_node *node,
			 enum strength strength)
{
	for (size_t i = 0; i < node->child_count; i++) {
		const struct schema_node *child = node->children[i];
		if (child->config && (!depend_on(ranking, visit, child, strength) ||
				      !depend_below(ranking, visit, child, strength)))
			return false;
	}
	return true;
}

static bool share_choice(const struct schema_node *a, const struct schema_node *b)
{
	return a->in_case && b->in_case &&
	       check__outermost_choice(a->in_case) == check__outermost_choice(b->in_case);
}

static bool depend_on_read(struct ranking *ranking, const struct visit *visit, const struct xpath_read *read)
{
	if (read->node->kind == SCHEMA_ROOT && read->subtree) {
		ranking->last[visit->when->id] = true;
		return true;
	}
	for (const struct schema_node *node = read->node; node->parent; node = node->parent) {
		enum strength strength = share_choice(node, visit->when->child) ? SOFT : HARD;
		if (!depend_on(ranking, visit, node, strength))
			return false;
	}
	/* Whether a case is in use may hang on what is below its containers. */
	const struct schema_node *node = read->node;
	bool in_case = node->in_case && node->kind == SCHEMA_CONTAINER && !node->presence;
	return (!read->subtree && !in_case) ||
	       depend_below(ranking, visit, node, read->subtree ? HARD : SOFT);
}

/* False where a cycle was found. */
static bool rank(struct ranking *ranking, const struct visit *visit)
{
	const struct check__constraint *constraint = visit->when;
	ranking->colors[constraint->id] = GREY;
	for (size_t i = 0; i < constraint->when_count; i++) {
		const struct check__when *when = &constraint->whens[i];
		for (const struct xpath_read *read = xpath_reads(when->expr); read; read = read->next) {
			if (!check__when_reads_itself(when, read) && !depend_on_read(ranking, visit, read))
				return false;
		}
	}
	ranking->colors[constraint->id] = BLACK;
	return true;
}

static void rank_all(struct check__making *making)
{
	struct check_plan *plan = making->plan;
	struct arena *arena = arena_new();
	size_t count = plan->constraints.length;
	struct ranking ranking = {.making = making,
				  .colors = arena_zalloc(arena, count * sizeof(*ranking.colors)),
				  .last = arena_zalloc(arena, count * sizeof(*ranking.last))};
	uint32_t highest = 0;
	for (size_t i = 0; i < count && !making->failed; i++) {
		struct check__constraint *when = (struct check__constraint *)plan->constraints.items[i];
		if (when->kind != CHECK__WHEN || !when->child)
			continue;
		if (ranking.colors[i] == WHITE)
			rank(&ranking, &(struct visit){.when = when});
		highest = when->rank > highest ? when->rank : highest;
	}
	for (size_t i = 0; i < count; i++) {
		if (ranking.last[i])
			((struct check__constraint *)plan->constraints.items[i])->rank = highest + 1;
	}
	arena_free(arena);
}

/* ---- The plan for settle. ---- */

static void add_for_settle(struct check_plan *settle, const struct check__constraint *when)
{
	struct check__constraint *copy = check__constraint_add(settle, CHECK__WHEN, when->context);
	copy->tally_id = when->id;
	copy->child = when->child;
	copy->whens = when->whens;
	copy->when_count = when->when_count;
	copy->rank = when->rank;
	settle->nodes[when->child->id].when = copy;
	check__list_push(settle->arena, &settle->nodes[when->context->id].structural, copy);
}

const struct check__constraint *check__settle_constraint(const struct check_plan *plan,
							 const struct check__constraint *when)
{
	return when->child ? check__node_of(plan->settle, when->child)->when : when;
}

void check__when_plan(struct check__making *making)
{
	struct check_plan *plan = making->plan;
	rank_all(making);
	if (making->failed)
		return;
	for (uint32_t i = 0; i < plan->constraints.length; i++) {
		const struct check__constraint *constraint = plan->constraints.items[i];
		if (constraint->kind != CHECK__WHEN || !constraint->child)
			continue;
		if (!plan->settle) {
			plan->settle = arena_zalloc(plan->arena, sizeof(*plan->settle));
			*plan->settle = (struct check_plan){.schema = plan->schema,
							    .arena = plan->arena,
							    .only_whens = true,
							    .host = plan,
							    .depth_max = plan->depth_max,
							    .keys_max = plan->keys_max};
			plan->settle->nodes = arena_zalloc(plan->arena, plan->schema->node_count *
										sizeof(*plan->settle->nodes));
		}
		add_for_settle(plan->settle, constraint);
	}
	if (plan->settle)
		check__plan_finish(plan->settle);
}
