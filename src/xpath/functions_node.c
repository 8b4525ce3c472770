/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Node-set functions (XPath 1.0 section 4.1). count() of a path streams; where its last step is a whole list
 * or leaf-list, the map knows its size and nothing is visited. Names have module names as prefixes, since
 * nodes have no others.
 */
#include "xpath/functions.h"
#include "xpath/walk.h"

enum status xpath__last(struct xpath_eval *eval, const struct xpath_node *call,
			const struct xpath_context *context, struct xpath_value *value)
{
	(void)eval, (void)call;
	value->number = (double)context->size;
	return ST_OK;
}

enum status xpath__position(struct xpath_eval *eval, const struct xpath_node *call,
			    const struct xpath_context *context, struct xpath_value *value)
{
	(void)eval, (void)call;
	value->number = (double)context->position;
	return ST_OK;
}

/* The last step, where it takes all entries of one list or all values of one leaf-list; NULL otherwise. */
static const struct xpath_step *whole_list_step(const struct xpath_node *path,
						const struct schema_node **list)
{
	const struct xpath_step *step = path->op == XPATH_PATH ? path->path.steps : NULL;
	while (step != NULL && step->next != NULL)
		step = step->next;
	if (step == NULL || step->axis != AXIS_CHILD || step->target == NULL || step->predicates != NULL)
		return NULL;
	*list = step->target;
	if (step->target->kind == SCHEMA_LIST)
		return step;
	return step->target->kind == SCHEMA_LEAF_LIST && step->target->default_count == 0 ? step : NULL;
}

struct counter {
	uint64_t count;
	const struct schema_node *list; /* counted below each node; NULL: count the nodes */
};

static enum status count_sink(struct xpath_walk *walk, const struct tree_position *node)
{
	struct counter *counter = walk->arg;
	if (counter->list == NULL)
		counter->count++;
	else if (node->schema == counter->list->parent)
		counter->count += tree_position_count(node, counter->list);
	return ST_OK;
}

enum status xpath__count(struct xpath_eval *eval, const struct xpath_node *call,
			 const struct xpath_context *context, struct xpath_value *value)
{
	struct counter counter = {0};
	struct xpath_walk walk = {.eval = eval, .sink = count_sink, .arg = &counter};
	/* Streamed, the step before gives no node twice, and the walk can end there. */
	if (xpath__is_streamed(call->operands))
		walk.end = whole_list_step(call->operands, &counter.list);
	if (walk.end == NULL)
		counter.list = NULL;
	enum status status = xpath__walk(&walk, call->operands, context, ANY_ORDER);
	value->number = (double)counter.count;
	return status;
}

/* Without a DTD no element has an ID. */
enum status xpath__id(struct xpath_eval *eval, const struct xpath_node *call,
		      const struct xpath_context *context, struct xpath_value *value)
{
	(void)eval, (void)call, (void)context;
	value->nodes = NULL;
	value->length = 0;
	return ST_OK;
}

/* The schema node that names the first node of the argument; NULL: it has no name. */
static enum status named(struct xpath_eval *eval, const struct xpath_node *call,
			 const struct xpath_context *context, const struct schema_node **schema)
{
	const struct tree_position *first;
	enum status status = xpath__first_argument(eval, call, context, &first);
	if (status != ST_OK)
		return status;
	bool has_name = first != NULL && first->schema->kind != SCHEMA_ROOT && !xpath__is_text(first);
	*schema = has_name ? xpath__named(first->schema) : NULL;
	return ST_OK;
}

enum status xpath__local_name(struct xpath_eval *eval, const struct xpath_node *call,
			      const struct xpath_context *context, struct xpath_value *value)
{
	const struct schema_node *schema = NULL;
	enum status status = named(eval, call, context, &schema);
	value->string = schema != NULL ? schema->name_bytes : (struct bytes){0};
	return status;
}

enum status xpath__namespace_uri(struct xpath_eval *eval, const struct xpath_node *call,
				 const struct xpath_context *context, struct xpath_value *value)
{
	const struct schema_node *schema = NULL;
	enum status status = named(eval, call, context, &schema);
	value->string = schema != NULL ? bytes_of(schema->module->ns) : (struct bytes){0};
	return status;
}

enum status xpath__name(struct xpath_eval *eval, const struct xpath_node *call,
			const struct xpath_context *context, struct xpath_value *value)
{
	const struct schema_node *schema = NULL;
	enum status status = named(eval, call, context, &schema);
	value->string = (struct bytes){0};
	if (schema != NULL)
		value->string =
			bytes_of(arena_printf(eval->arena, "%s:%s", schema->module->name, schema->name));
	return status;
}
