/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The state data of yare-constraints: for each constraint that was evaluated since the start, what it is and
 * how often and for how long. All of it is built for the reply that asks for it, as all of it changes; what
 * was never evaluated is left out, which keeps a <get> of everything short.
 */
#include "check/counters.h"
#include "netconf/sessions.h"
#include "netconf/state.h"
#include "netconf/state_build.h"
#include "store/plan.h"

struct listing {
	struct state_builder build;
	const struct check_tally *tally;
	struct arena *arena;
};

static void add_constraint(const struct check_explanation *explanation, void *arg)
{
	struct listing *listing = arg;
	struct state_builder *build = &listing->build;
	struct check_count count = check_tally_get(listing->tally, explanation->id);
	if (count.evaluated == 0)
		return;
	const char *id = arena_printf(listing->arena, "%u", explanation->id);
	if (!state__entry(build, "constraint", &id, -1))
		return;
	char path[1024];
	schema_node_path(explanation->node, path, sizeof(path));
	state__leaf(build, "node", path);
	state__leaf(build, "choice", explanation->choice);
	state__leaf(build, "kind", explanation->kind);
	state__leaf(build, "class", explanation->class);
	for (size_t i = 0; i < explanation->expression_count; i++)
		state__value(build, "expression", explanation->expressions[i]);
	state__number(build, "evaluated", count.evaluated);
	state__number(build, "time", count.nanoseconds);
	state__leave(build);
}

struct tree_record *netconf__constraints_complete(struct netconf_server *server, struct tree_record *root,
						  struct arena *arena)
{
	const struct check_tally *tally = store_tally(server->store);
	if (tally == NULL)
		return root;
	struct listing listing = {.tally = tally, .arena = arena};
	state__begin(&listing.build, server->state->constraints->module, server->schema, root,
		     server->reclaimer);
	tree_record_unref(root, server->schema->root, server->reclaimer);
	if (state__enter(&listing.build, "constraints")) {
		state__leaf(&listing.build, "timed",
			    check_tally_timing(tally) == CHECK_TIMED ? "true" : "false");
		check_plan_each(store_plan(server->store), add_constraint, &listing);
		state__leave(&listing.build);
	}
	return state__finish(&listing.build);
}
