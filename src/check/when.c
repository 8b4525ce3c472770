/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Views: whether implicit nodes are there. An evaluation may read further implicit nodes and so ask again; it
 * ends, as a schema whose whens depend on themselves is refused, except where an expression reads what the
 * analysis cannot tell: for these a node that is asked for while its own whens are evaluated counts as being
 * there (it is the dummy of RFC 7950 7.21.5), and the depth has a limit.
 *
 * Answers are remembered, so that each is computed once for a root, however many expressions ask. The memory
 * is bounded: it starts anew when it is full.
 */
#include "check/run.h"

enum { DEPTH_MAX = 48, MEMO_MAX = 1 << 16 };

/* What is remembered. */
static const char under_way, is_there, is_not_there;

static enum status exists(struct xpath_implicit *self, const struct tree_position *node, bool *there);

void check__view_init(struct check__view *view, struct check__run *run, const struct tree_record *root)
{
	*view = (struct check__view){.implicit = {.exists = exists}, .run = run, .root = root};
}

void check__view_fini(struct check__view *view)
{
	hash_table_free(view->memo);
	arena_free(view->arena);
}

/* The governed node with nothing in it; only a `when` of its own has it as context. */
static struct tree_position dummy(const struct check__constraint *constraint,
				  const struct tree_position *parent)
{
	return (struct tree_position){.parent = parent, .schema = constraint->child, .implicit = true};
}

static enum status evaluate(struct check__view *view, const struct check__when *when,
			    const struct tree_position *operation, const struct tree_position *context,
			    bool *holds)
{
	struct check__run *run = view->run;
	if (view->depth == DEPTH_MAX)
		return ST_LIMIT;
	if (view->arena == NULL)
		view->arena = arena_new();
	struct xpath_env env = {.schema = run->schema,
				.root = view->root,
				.arena = view->arena,
				.limits = &run->limits,
				.operation = operation,
				.view = TREE_WITH_DEFAULTS,
				.implicit = &view->implicit};
	view->depth++;
	enum status status = xpath_eval_boolean(when->expr, &env, context, holds);
	view->depth--;
	if (view->depth == 0 && arena_size(view->arena) > 0)
		arena_reset(view->arena);
	return status;
}

static enum status judge(struct check__view *view, const struct check__constraint *constraint,
			 const struct tree_position *parent, bool *holds, const struct schema_xpath **broken)
{
	const struct tree_position *operation = constraint->is_of_operation ? view->run->operation : NULL;
	*holds = true;
	for (size_t i = 0; i < constraint->when_count && *holds; i++) {
		const struct check__when *when = &constraint->whens[i];
		struct tree_position itself = dummy(constraint, parent);
		const struct tree_position *context = when->xpath->context_is_parent ? parent : &itself;
		enum status status = evaluate(view, when, operation, context, holds);
		if (status != ST_OK)
			return status;
		if (!*holds && broken)
			*broken = when->xpath;
	}
	return ST_OK;
}

enum status check__view_judge(struct check__view *view, const struct check__constraint *constraint,
			      const struct tree_position *parent, bool *holds,
			      const struct schema_xpath **broken)
{
	struct check_tally *tally = view->run->tally;
	view->run->counters.whens++;
	uint64_t began_ns = check__tally_begin(tally);
	enum status status = judge(view, constraint, parent, holds, broken);
	check__tally_end(tally, constraint->tally_id, began_ns);
	return status;
}

static void remember(struct check__view *view, const struct check__constraint *when,
		     const struct tree_position *parent, const char *answer)
{
	if (!view->memo)
		view->memo = hash_table_new();
	hash_table_put(view->memo, check__instance_key(view->run, when, parent), (void *)answer);
}

static const char *recall(struct check__view *view, const struct check__constraint *when,
			  const struct tree_position *parent)
{
	if (!view->memo)
		return NULL;
	if (view->depth == 0 && hash_table_length(view->memo) >= MEMO_MAX) {
		hash_table_free(view->memo);
		view->memo = NULL;
		return NULL;
	}
	return hash_table_find(view->memo, check__instance_key(view->run, when, parent));
}

static enum status exists(struct xpath_implicit *self, const struct tree_position *node, bool *there)
{
	struct check__view *view = (struct check__view *)self;
	const struct check__constraint *when = check__node_of(view->run->plan, node->schema)->when;
	*there = true;
	if (!when) /* state data is not planned */
		return ST_OK;
	const char *known = recall(view, when, node->parent);
	if (known) {
		*there = known != &is_not_there;
		return ST_OK;
	}
	remember(view, when, node->parent, &under_way);
	enum status status = check__view_judge(view, when, node->parent, there, NULL);
	remember(view, when, node->parent, *there ? &is_there : &is_not_there);
	return status;
}

bool check__view_has(struct check__view *view, const struct tree_position *node)
{
	if (!node->implicit || node->schema->when_count == 0)
		return true;
	bool there = false;
	if (exists(&view->implicit, node, &there) == ST_OK)
		return there;
	check__refuse_limit(view->run, check__node_of(view->run->plan, node->schema)->when, node->parent);
	return false;
}
