/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A view (when.h) of a root outside of a check, for readers. It is a run that checks nothing: the whens of a
 * schema are its author's, so they are evaluated without a limit of work, one at a time as they are asked.
 */
#include "check/implicit.h"

#include "base/memory.h"
#include "check/run.h"

struct check_implicit {
	struct check__run run;
	struct arena *arena;
	struct diag_list diags;
};

struct check_implicit *check_implicit_new(const struct check_plan *plan, const struct tree_record *root)
{
	struct check_implicit *implicit = memory_zalloc(sizeof(*implicit));
	struct tree_change_set changes = {.new_root = root};
	struct check_options options = {.full = true, .steps = UINT64_MAX, .max_nodes = UINT64_MAX};
	implicit->arena = arena_new();
	diag_list_init(&implicit->diags, implicit->arena, 0);
	check__run_init(&implicit->run, plan, &changes, &options, &implicit->diags);
	return implicit;
}

void check_implicit_set_operation(struct check_implicit *implicit, const struct tree_position *operation)
{
	implicit->run.operation = operation;
}

void check_implicit_free(struct check_implicit *implicit)
{
	if (!implicit)
		return;
	check__run_fini(&implicit->run);
	arena_free(implicit->arena);
	memory_free(implicit);
}

struct xpath_implicit *check_implicit_get(struct check_implicit *implicit)
{
	return &implicit->run.new_view.implicit;
}
