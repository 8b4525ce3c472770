/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Whether a walk is worth more than one thread: how many instances it will come to, about. Of what is created
 * or deleted one entry of each list is looked at, the middle one, and stands for all; of what changed, the
 * changes are counted, until they are enough. So an estimate costs little beside the walk whatever it is of;
 * it may be wrong, but then all that is wrong is who does the work.
 */
#include "check/split.h"

static uint64_t weigh_record(const struct check__run *run, const struct schema_node *node,
			     const struct tree_record *record)
{
	const struct check__list *children = &check__node_of(run->plan, node)->parts[run->phase].children;
	uint64_t weight = 1;
	for (uint32_t i = 0; i < children->length; i++) {
		const struct schema_node *child = children->items[i];
		const union tree_slot *slot = tree_record_find(record, child);
		if (!slot)
			continue;
		if (check__is_multiple(child))
			weight += check__weigh_entries(run, child, slot->map);
		else if (child->kind == SCHEMA_CONTAINER)
			weight += weigh_record(run, child, slot->record);
		else
			weight++;
	}
	return weight;
}

uint64_t check__weigh_entries(const struct check__run *run, const struct schema_node *node,
			      const struct tree_map *map)
{
	uint64_t count = tree_map_count(map);
	if (node->kind != SCHEMA_LIST)
		return count;
	struct tree_map_iter iter;
	return count * weigh_record(run, node, tree_map_at(&iter, map, node, count / 2)->record);
}

/* A change of it, or below it, is gone to. */
static bool is_due(const struct check__run *run, const struct schema_node *node)
{
	return run->is_watching || check__node_of(run->plan, node)->parts[run->phase].change_below;
}

uint64_t check__weigh_change(const struct check__run *run, const struct tree_change *change, uint64_t least)
{
	bool is_record = change->schema->kind == SCHEMA_LIST || change->schema->kind == SCHEMA_CONTAINER;
	if (is_record && change->has_old != change->has_new)
		return weigh_record(run, change->schema,
				    change->has_new ? change->new_content.record
						    : change->old_content.record);
	uint64_t weight = 1;
	for (const struct tree_change *child = change->children; child && weight < least;
	     child = child->next) {
		if (is_due(run, child->schema))
			weight += check__weigh_change(run, child, least - weight);
	}
	return weight;
}
