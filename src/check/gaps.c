/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which constraints a schema has that a plan does not hold, by module and kind. The server warns of them at
 * start, so that nothing that a model demands is left unchecked in silence. Statements outside of
 * configuration (state data, rpcs, notifications) are no matter of the datastores and not counted.
 */
#include "check/plan.h"

#include "base/memory.h"

enum gap {
	GAP_WHEN,
	GAP_COUNT,
};

static const char *const gap_names[GAP_COUNT] = {
	[GAP_WHEN] = "when",
};

/* A `when` of an augment, uses, choice or case is listed at each node that it governs: count it at the first
 * child. */
static size_t count_whens(const struct schema_node *node)
{
	size_t count = 0;
	for (size_t i = 0; i < node->when_count; i++) {
		const struct schema_xpath *when = &node->whens[i];
		const struct schema_node *before = node->slot > 0 && when->context_is_parent
							   ? node->parent->children[node->slot - 1]
							   : NULL;
		bool counted = false;
		for (size_t j = 0; before && j < before->when_count; j++)
			counted |= before->whens[j].expression == when->expression;
		count += counted ? 0 : 1;
	}
	return count;
}

static void count_gaps(const struct schema_node *node, size_t (*counts)[GAP_COUNT])
{
	if (node->module) {
		size_t *own = counts[node->module->index];
		own[GAP_WHEN] += count_whens(node);
	}
	for (size_t i = 0; i < node->child_count; i++) {
		if (node->children[i]->config)
			count_gaps(node->children[i], counts);
	}
}

void check_plan_gaps(const struct check_plan *plan,
		     void (*report)(const struct schema_module *module, const char *kind, size_t count,
				    void *arg),
		     void *arg)
{
	const struct schema *schema = plan->schema;
	size_t(*counts)[GAP_COUNT] = memory_zalloc((schema->module_count + 1) * sizeof(*counts));
	count_gaps(schema->root, counts);
	for (size_t i = 0; i < schema->module_count; i++) {
		for (int gap = 0; gap < GAP_COUNT; gap++) {
			if (counts[i][gap] > 0)
				report(&schema->modules[i], gap_names[gap], counts[i][gap], arg);
		}
	}
	memory_free(counts);
}
