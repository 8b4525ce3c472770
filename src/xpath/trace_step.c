/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The axes over the schema: what eval_step.c does with nodes, done with traces. It must not find less: for
 * each node that an evaluation can reach there is a trace of its schema node, with an ancestor that is the
 * reader's ancestor too.
 *
 * Going down keeps the ancestor. Going up keeps it too as long as the node is below it; from the ancestor
 * itself, the turning point moves up with the node.
 *
 * The operation that the expression is in hangs below its parent beside the children there.
 */
#include "xpath/compile.h"

struct walker {
	struct xpath_tracer *tracer;
	const struct xpath_step *step;
	struct xpath_traces *to;
};

void xpath__traces_add(struct xpath_tracer *tracer, struct xpath_traces *traces,
		       const struct xpath_trace *trace)
{
	for (size_t i = 0; i < traces->length; i++) {
		struct xpath_trace *known = &traces->items[i];
		if (known->node == trace->node && known->text == trace->text &&
		    known->ancestor == trace->ancestor && known->keyed == trace->keyed) {
			known->single &= trace->single;
			known->many |= trace->many;
			known->many_above |= trace->many_above;
			return;
		}
	}
	if (traces->length == XPATH_TRACES_MAX)
		traces->unknown = true;
	if (traces->unknown)
		return;
	if (traces->length == traces->capacity) {
		size_t capacity = traces->capacity == 0 ? 4 : traces->capacity * 2;
		struct xpath_trace *items = arena_alloc(tracer->arena, capacity * sizeof(*items));
		if (traces->length > 0)
			memcpy(items, traces->items, traces->length * sizeof(*items));
		traces->items = items;
		traces->capacity = capacity;
	}
	traces->items[traces->length++] = *trace;
}

static bool passes(const struct xpath_step *step, const struct xpath_trace *trace)
{
	switch (step->test) {
	case TEST_NODE:
		return true;
	case TEST_TEXT:
		return trace->text;
	case TEST_NAME:
	case TEST_ELEMENT:
		return !trace->text && trace->node->kind != SCHEMA_ROOT &&
		       (step->module == NULL || step->module == trace->node->module) &&
		       (step->test == TEST_ELEMENT ||
			bytes_equal(step->name, xpath__named(trace->node)->name_bytes));
	case TEST_NOTHING:
		return false;
	}
	return true;
}

static void add(const struct walker *walker, const struct xpath_trace *trace)
{
	if (passes(walker->step, trace))
		xpath__traces_add(walker->tracer, walker->to, trace);
}

static bool out_of_work(const struct walker *walker)
{
	if (walker->tracer->work == 0)
		walker->to->unknown = true;
	else
		walker->tracer->work--;
	return walker->to->unknown;
}

static bool is_leaf(const struct schema_node *node)
{
	return node->kind == SCHEMA_LEAF || node->kind == SCHEMA_LEAF_LIST;
}

static struct xpath_trace child_of(const struct xpath_trace *trace, const struct schema_node *child)
{
	struct xpath_trace down = *trace;
	bool enters = child->kind == SCHEMA_LIST || child->kind == SCHEMA_LEAF_LIST;
	down.node = child;
	down.single &= !enters;
	if (enters) {
		down.many_above = down.many;
		down.many = true;
	}
	return down;
}

static bool has_operation(const struct walker *walker, const struct schema_node *node)
{
	const struct xpath_scope *scope = walker->tracer->scope;
	return scope->operation != NULL && xpath__parent_of(scope->schema, scope->operation) == node;
}

static void add_children(const struct walker *walker, const struct xpath_trace *trace)
{
	if (trace->text)
		return;
	if (is_leaf(trace->node)) {
		struct xpath_trace text = *trace;
		text.text = true;
		add(walker, &text);
	}
	for (uint16_t i = 0; i < trace->node->child_count && !out_of_work(walker); i++) {
		struct xpath_trace child = child_of(trace, trace->node->children[i]);
		add(walker, &child);
	}
	if (has_operation(walker, trace->node)) {
		struct xpath_trace child = child_of(trace, walker->tracer->scope->operation);
		add(walker, &child);
	}
}

/* Depth: that of the schema. */
static void add_descendants(const struct walker *walker, const struct xpath_trace *trace)
{
	add_children(walker, trace);
	if (trace->text)
		return;
	for (uint16_t i = 0; i < trace->node->child_count && !out_of_work(walker); i++) {
		struct xpath_trace child = child_of(trace, trace->node->children[i]);
		add_descendants(walker, &child);
	}
	if (has_operation(walker, trace->node)) {
		struct xpath_trace child = child_of(trace, walker->tracer->scope->operation);
		add_descendants(walker, &child);
	}
}

bool xpath__single_below(const struct schema_node *node, const struct schema_node *ancestor)
{
	for (; node != NULL && node != ancestor; node = node->parent) {
		if (node->kind == SCHEMA_LIST || node->kind == SCHEMA_LEAF_LIST)
			return false;
	}
	return node == ancestor;
}

bool xpath__trace_up(const struct schema *schema, struct xpath_trace *trace)
{
	if (trace->text) {
		trace->text = false;
		return true;
	}
	const struct schema_node *parent = xpath__parent_of(schema, trace->node);
	if (parent == NULL)
		return false;
	while (trace->keyed != NULL && trace->keyed->list == trace->node)
		trace->keyed = trace->keyed->outer;
	if (trace->node == trace->ancestor)
		trace->ancestor = parent;
	trace->node = parent;
	trace->single = xpath__single_below(trace->node, trace->ancestor);
	if (trace->single)
		trace->many = trace->many_above = false;
	return true;
}

static void add_ancestors(const struct walker *walker, struct xpath_trace trace)
{
	while (xpath__trace_up(walker->tracer->scope->schema, &trace))
		add(walker, &trace);
}

static void add_siblings(const struct walker *walker, struct xpath_trace trace)
{
	if (!trace.text && xpath__trace_up(walker->tracer->scope->schema, &trace))
		add_children(walker, &trace);
}

static void step_from(const struct walker *walker, const struct xpath_trace *trace)
{
	struct xpath_trace up = *trace;
	switch (walker->step->axis) {
	case AXIS_CHILD:
		add_children(walker, trace);
		return;
	case AXIS_PARENT:
		if (xpath__trace_up(walker->tracer->scope->schema, &up))
			add(walker, &up);
		return;
	case AXIS_SELF:
		add(walker, trace);
		return;
	case AXIS_DESCENDANT_OR_SELF:
		add(walker, trace);
		add_descendants(walker, trace);
		return;
	case AXIS_DESCENDANT:
		add_descendants(walker, trace);
		return;
	case AXIS_ANCESTOR_OR_SELF:
		add(walker, trace);
		add_ancestors(walker, up);
		return;
	case AXIS_ANCESTOR:
		add_ancestors(walker, up);
		return;
	case AXIS_FOLLOWING_SIBLING:
	case AXIS_PRECEDING_SIBLING:
		add_siblings(walker, up);
		return;
	case AXIS_FOLLOWING:
	case AXIS_PRECEDING:
		walker->to->unknown = true;
		return;
	case AXIS_EMPTY:
		return;
	}
}

void xpath__trace_axis(struct xpath_tracer *tracer, const struct xpath_step *step,
		       const struct xpath_traces *from, struct xpath_traces *to)
{
	struct walker walker = {tracer, step, to};
	*to = (struct xpath_traces){.unknown = from->unknown && step->axis != AXIS_EMPTY &&
					       step->test != TEST_NOTHING};
	for (size_t i = 0; i < from->length && !to->unknown; i++)
		step_from(&walker, &from->items[i]);
	if (to->unknown)
		to->length = 0;
}
