/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The paragraphs of `yare explain`:
 *
 *     /module:list/leaf must, keyed
 *         expression: /other[name = current()]/on = 'true'
 *         due:        where one is created or its value changes
 *                     keyed, below /: /module:other /module:other/on
 *         reads:      /module:other/on (keyed)
 *         cost:       ...
 */
#include "tool/explain.h"

#include <string.h>

struct printing {
	struct buffer *out;
	const char *only_class;
};

/* What a class means for one change of n (docs/explain.md). */
static const char *const costs[][2] = {
	{"local", "one evaluation for a change, found by going up and down; it reads a few nodes"},
	{"fan-out", "a change evaluates all readers below one node, since all of them read what changed"},
	{"keyed", "a change evaluates those readers that select the changed entry, found in log n"},
	{"counted", "one comparison for a change, with the size that the list knows"},
	{"indexed", "a change evaluates those readers that have the changed value, found in log n"},
	{"scan", "grows with a list"},
};

bool explain_is_class(const char *name)
{
	for (size_t i = 0; i < sizeof(costs) / sizeof(costs[0]); i++)
		if (strcmp(costs[i][0], name) == 0)
			return true;
	return false;
}

static void put(struct buffer *out, const char *text)
{
	(void)!buffer_append(out, bytes_of(text));
}

/* The path, with the module's name where it is not the parent's. */
static void put_node(struct buffer *out, const struct schema_node *node)
{
	if (node->parent == NULL) {
		put(out, "/");
		return;
	}
	if (node->parent->parent != NULL)
		put_node(out, node->parent);
	put(out, "/");
	if (node->parent->module != node->module)
		(void)!buffer_printf(out, "%s:", node->module->name);
	put(out, node->name);
}

/* On one line: modules break long expressions. */
static void put_expression(struct buffer *out, const char *expression)
{
	put(out, "    expression: ");
	while (*expression != '\0') {
		size_t blanks = strspn(expression, " \t\r\n");
		if (blanks > 0)
			put(out, " ");
		expression += blanks;
		size_t size = strcspn(expression, " \t\r\n");
		(void)!buffer_append(out, (struct bytes){expression, size});
		expression += size;
	}
	put(out, "\n");
}

static void put_trigger(struct buffer *out, const struct check_trigger *trigger)
{
	(void)!buffer_printf(out, "                %s%s, below ", trigger->reach,
			     trigger->by_value ? " by value" : "");
	put_node(out, trigger->ancestor);
	put(out, trigger->node_count == 0 ? ": any node" : ":");
	for (size_t i = 0; i < trigger->node_count; i++) {
		put(out, " ");
		put_node(out, trigger->nodes[i]);
	}
	put(out, "\n");
}

static bool is_own(const struct check_explanation *explanation)
{
	return explanation->expression_count > 0 || explanation->triggers != NULL;
}

static void put_triggers(struct buffer *out, const struct check_explanation *explanation)
{
	put(out, "    due:        ");
	put(out, is_own(explanation) ? "where one is created or its value changes\n"
				     : "where its parent is created, or it comes or goes\n");
	const struct check_trigger *trigger = explanation->triggers;
	for (; trigger != NULL; trigger = trigger->next)
		put_trigger(out, trigger);
}

static void put_reads(struct buffer *out, const struct xpath_expr *expr)
{
	const char *before = "    reads:      ";
	for (const struct xpath_read *read = xpath_reads(expr); read != NULL; read = read->next) {
		put(out, before);
		before = "                ";
		put_node(out, read->node);
		(void)!buffer_printf(out, " (%s%s%s)\n", xpath_relation_name(read->relation),
				     read->many ? ", any number" : "",
				     read->subtree ? ", with all below it" : "");
	}
}

static void put_scan_reason(struct buffer *out, const struct check_explanation *explanation)
{
	if (explanation->reads_list)
		put(out, "    scan since: one evaluation goes through a list (reads: any number)\n");
	const struct check_trigger *trigger = explanation->triggers;
	for (; trigger != NULL; trigger = trigger->next) {
		if (strcmp(trigger->reach, "scan") != 0)
			continue;
		put(out, "    scan since: nothing tells which readers below ");
		put_node(out, trigger->ancestor);
		put(out, " a change concerns:");
		for (size_t i = 0; i < trigger->node_count; i++) {
			put(out, " ");
			put_node(out, trigger->nodes[i]);
		}
		put(out, "\n");
	}
}

static void put_cost(struct buffer *out, const char *class)
{
	for (size_t i = 0; i < sizeof(costs) / sizeof(costs[0]); i++) {
		if (strcmp(costs[i][0], class) == 0)
			(void)!buffer_printf(out, "    cost:       %s\n", costs[i][1]);
	}
}

static void print(const struct check_explanation *explanation, void *arg)
{
	struct printing *printing = arg;
	struct buffer *out = printing->out;
	if (printing->only_class != NULL && strcmp(printing->only_class, explanation->class) != 0)
		return;
	put_node(out, explanation->node);
	if (explanation->choice != NULL)
		(void)!buffer_printf(out, " choice %s", explanation->choice);
	(void)!buffer_printf(out, " %s, %s\n", explanation->kind, explanation->class);
	for (size_t i = 0; i < explanation->expression_count; i++)
		put_expression(out, explanation->expressions[i]);
	put_triggers(out, explanation);
	for (size_t i = 0; i < explanation->expression_count; i++)
		put_reads(out, explanation->compiled[i]);
	put_cost(out, explanation->class);
	if (strcmp(explanation->class, "scan") == 0)
		put_scan_reason(out, explanation);
	put(out, "\n");
}

void explain_constraints(const struct check_plan *plan, const char *only_class, struct buffer *out)
{
	struct printing printing = {.out = out, .only_class = only_class};
	check_plan_each(plan, print, &printing);
}
