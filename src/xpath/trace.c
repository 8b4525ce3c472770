/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Second pass: the expression is run over the schema instead of data. This finds, in one go,
 *
 *   annotations   which schema node a step finds, steps that find nothing, key lookups, whether a path
 *                 streams in document order, which literals are identities, the leafrefs that deref() may
 *                 meet
 *   reads         every node that an evaluation may look at, with its relation to the reader (analyse.c)
 *
 * What is not recorded as read: nodes on the way down that exist if the next step finds something, and the
 * reader's own ancestors, which exist if the reader does. Everything else is.
 *
 * Sets that grow too large, or take too much work, become `unknown`: then steps are resolved at run time by
 * name, and the expression reads everything.
 */
#include "schema/type.h"
#include "xpath/compile.h"
#include "xpath/functions.h"

#define BITS 64 /* of a word of step->below */

/* How the nodes come out of the steps so far, walked depth first from a single node. */
struct order {
	bool one;     /* at most one node */
	bool flat;    /* none is below another */
	bool unique;  /* none comes twice */
	bool ordered; /* document order */
};

static bool has_value(const struct schema_node *node)
{
	return node->kind == SCHEMA_LEAF || node->kind == SCHEMA_LEAF_LIST || node->kind == SCHEMA_ANYDATA ||
	       node->kind == SCHEMA_ANYXML;
}

static void read_set(struct xpath_tracer *tracer, const struct xpath_traces *set, enum xpath_use use)
{
	if (set->unknown)
		xpath__read_everything(tracer->reads);
	for (size_t i = 0; i < set->length; i++) {
		const struct xpath_trace *trace = &set->items[i];
		bool subtree = use == USE_VALUE && !has_value(trace->node);
		bool is_given = trace->node == trace->ancestor && !has_value(trace->node);
		if (subtree || !is_given)
			xpath__read_add(tracer->reads, trace, subtree ? READ_SUBTREE : READ_NODE);
	}
}

/* ---- annotations of a step ---- */

static void mark(uint64_t *bits, const struct schema_node *node)
{
	for (; node != NULL && (bits[node->id / BITS] >> (node->id % BITS) & 1) == 0; node = node->parent)
		bits[node->id / BITS] |= (uint64_t)1 << (node->id % BITS);
}

static bool is_descendant_axis(enum xpath_axis axis)
{
	return axis == AXIS_DESCENDANT || axis == AXIS_DESCENDANT_OR_SELF;
}

static void annotate_step(struct xpath_tracer *tracer, struct xpath_step *step,
			  const struct xpath_traces *found)
{
	step->impossible = !found->unknown && found->length == 0;
	if (found->unknown || step->impossible)
		return;
	const struct schema_node *target = found->items[0].node;
	bool any_text = false;
	for (size_t i = 0; i < found->length; i++) {
		if (found->items[i].node != target)
			target = NULL;
		any_text |= found->items[i].text;
	}
	step->target = any_text ? NULL : target;
	if (is_descendant_axis(step->axis) && step->test != TEST_NODE && !any_text) {
		size_t words = tracer->scope->schema->node_count / BITS + 1;
		uint64_t *bits = arena_zalloc(tracer->arena, words * sizeof(*bits));
		for (size_t i = 0; i < found->length; i++)
			mark(bits, found->items[i].node);
		step->below = bits;
	}
	if (step->target != NULL)
		xpath__lookup_make(tracer->scope, tracer->arena, step);
}

static bool lookup_gives_one(const struct xpath_keyed *keyed, const struct xpath_step *step)
{
	return keyed != NULL && step->target != NULL && keyed->list == step->target;
}

static struct order child_order(struct order order, const struct xpath_step *step, bool finds_one)
{
	bool in_slot_order = step->test != TEST_NAME || step->target != NULL || step->module != NULL;
	bool instance = step->target != NULL && (step->target->kind == SCHEMA_LEAF ||
						 step->target->kind == SCHEMA_CONTAINER || finds_one);
	return (struct order){
		.one = order.one && instance,
		.flat = order.flat,
		.unique = order.unique,
		.ordered = order.ordered && order.flat && in_slot_order,
	};
}

static struct order next_order(struct order order, const struct xpath_step *step, bool finds_one)
{
	const struct order one = {true, true, true, true}, none = {0};
	switch (step->axis) {
	case AXIS_CHILD:
		return child_order(order, step, finds_one);
	case AXIS_PARENT:
		return order.one ? one : none;
	case AXIS_SELF:
		return order;
	case AXIS_DESCENDANT:
	case AXIS_DESCENDANT_OR_SELF:
		return (struct order){.unique = order.unique && order.flat,
				      .ordered = order.ordered && order.flat};
	case AXIS_ANCESTOR:
	case AXIS_ANCESTOR_OR_SELF:
	case AXIS_PRECEDING:
		return (struct order){.unique = order.one};
	case AXIS_PRECEDING_SIBLING:
		return (struct order){.unique = order.one, .flat = order.one};
	case AXIS_FOLLOWING_SIBLING:
		return (struct order){.unique = order.one, .flat = order.one, .ordered = order.one};
	case AXIS_FOLLOWING:
		return (struct order){.unique = order.one, .ordered = order.one};
	case AXIS_EMPTY:
		return one;
	}
	return none;
}

/* What the step does to a sorted set, for evaluation set by set. */
static bool unsorts(struct order before, const struct xpath_step *step, bool finds_one)
{
	struct order sorted = {.one = before.one, .flat = before.flat, .unique = true, .ordered = true};
	struct order after = next_order(sorted, step, finds_one);
	return !after.unique || !after.ordered;
}

/* ---- keys ---- */

static bool is_selector(const struct xpath_traces *set)
{
	return !set->unknown && set->length == 1 && set->items[0].single && set->items[0].node->type != NULL;
}

/* Where a key's value comes from. False: not from one leaf, nor a constant. */
static bool make_selector(struct xpath_tracer *tracer, const struct xpath_key *key,
			  const struct xpath_trace *wanted, struct xpath_selector *selector)
{
	*selector = (struct xpath_selector){0};
	if (key->canonical.data != NULL) {
		selector->constant = key->canonical;
		return true;
	}
	if (key->value == NULL) {
		selector->leaf = wanted->node;
		return wanted->single;
	}
	struct xpath_traces set;
	struct bytes empty = {"", 0};
	switch (key->value->op) {
	case XPATH_LITERAL:
		selector->constant = key->value->literal.size > 0 ? key->value->literal : empty;
		return true;
	case XPATH_NUMERAL:
		selector->constant = xpath__number_print(key->value->number, tracer->arena);
		return true;
	case XPATH_PATH:
	case XPATH_CALL:
		if (key->value->type != XPATH_NODE_SET)
			return false;
		xpath__trace(tracer, (struct xpath_node *)key->value, &tracer->current, USE_VALUE, NULL,
			     &set);
		selector->leaf = is_selector(&set) ? set.items[0].node : NULL;
		return selector->leaf != NULL;
	default:
		return false;
	}
}

/* The traces of the step's list become entries selected by the reader. NULL: they are not. */
static const struct xpath_keyed *make_keyed(struct xpath_tracer *tracer, const struct xpath_lookup *lookup,
					    const struct xpath_trace *wanted)
{
	size_t length = lookup->list->key_count;
	struct xpath_selector *selectors = arena_alloc(tracer->arena, length * sizeof(*selectors));
	struct xpath_keyed *keyed = arena_zalloc(tracer->arena, sizeof(*keyed));
	for (size_t i = 0; i < length; i++) {
		if (!make_selector(tracer, &lookup->keys[i], wanted, &selectors[i]))
			return NULL;
		keyed->varies |= selectors[i].leaf != NULL;
	}
	keyed->list = lookup->list;
	keyed->selectors = selectors;
	return keyed;
}

static const struct xpath_keyed *select_entries(struct xpath_tracer *tracer, const struct xpath_step *step,
						const struct xpath_trace *wanted, struct xpath_traces *found)
{
	const struct xpath_lookup *lookup = step->lookup;
	if (lookup == NULL && wanted != NULL)
		lookup = step->wanted;
	if (lookup == NULL || found->unknown)
		return NULL;
	const struct xpath_keyed *keyed = make_keyed(tracer, lookup, wanted);
	if (keyed == NULL)
		return NULL;
	for (size_t i = 0; i < found->length; i++) {
		struct xpath_keyed *own = arena_alloc(tracer->arena, sizeof(*own));
		*own = *keyed;
		own->outer = found->items[i].keyed;
		found->items[i].keyed = own;
		found->items[i].many = found->items[i].many_above;
	}
	return lookup == step->lookup ? keyed : NULL;
}

/* ---- paths ---- */

static void trace_predicates(struct xpath_tracer *tracer, const struct xpath_predicate *predicates,
			     const struct xpath_traces *candidates)
{
	for (; predicates != NULL; predicates = predicates->next)
		xpath__trace(tracer, predicates->expr, candidates, USE_EXISTENCE, NULL, NULL);
}

/* True where the next step shows by itself whether these nodes are there. */
static bool shown_by_next(const struct xpath_step *step)
{
	return step->predicates == NULL && step->next != NULL &&
	       (step->next->axis == AXIS_CHILD || step->next->axis == AXIS_SELF ||
		is_descendant_axis(step->next->axis));
}

static struct xpath_traces trace_start(struct xpath_tracer *tracer, struct xpath_node *node,
				       const struct xpath_traces *context)
{
	struct xpath_traces start = *context;
	if (node->operands != NULL) {
		xpath__trace(tracer, node->operands, context, USE_EXISTENCE, NULL, &start);
		trace_predicates(tracer, node->path.predicates, &start);
	} else if (node->path.absolute) {
		const struct schema_node *root = tracer->scope->schema->root;
		struct xpath_trace trace = {.node = root, .ancestor = root, .single = true};
		start = (struct xpath_traces){0};
		xpath__traces_add(tracer, &start, &trace);
	}
	return start;
}

/* Whether the start is one node, as streaming wants it. */
static bool starts_from_one(const struct xpath_node *node)
{
	const struct xpath_node *start = node->operands;
	return start == NULL || (start->op == XPATH_CALL && start->call.function->call == xpath__current &&
				 node->path.predicates == NULL);
}

/*
 * Whether no more than one of what the last step finds below a node is looked at: count() has the size of a
 * whole list from its map, a boolean stops at the first node, and a single text is searched for among the
 * values of a leaf-list.
 */
static bool looks_at_one(const struct xpath_step *step, struct order order, enum xpath_use use,
			 const struct xpath_trace *wanted)
{
	const struct schema_node *target = step->target;
	if (step->axis != AXIS_CHILD || target == NULL || step->predicates != NULL || !order.unique ||
	    !order.ordered)
		return false;
	if (target->kind == SCHEMA_LEAF_LIST && wanted != NULL)
		return wanted->single;
	bool has_count = target->kind == SCHEMA_LIST ||
			 (target->kind == SCHEMA_LEAF_LIST && target->default_count == 0);
	return use == USE_EXISTENCE && has_count;
}

/* The reads of what a path ends with. */
static void read_end(struct xpath_tracer *tracer, const struct xpath_traces *found, enum xpath_use use,
		     bool looks_at_one)
{
	struct xpath_traces ends = *found;
	if (looks_at_one) {
		ends.items = arena_alloc(tracer->arena, (found->length + 1) * sizeof(*ends.items));
		for (size_t i = 0; i < found->length; i++) {
			ends.items[i] = found->items[i];
			ends.items[i].many = found->items[i].many_above;
		}
	}
	read_set(tracer, &ends, use);
}

static void trace_steps(struct xpath_tracer *tracer, struct xpath_node *node, struct xpath_traces *set,
			enum xpath_use use, const struct xpath_trace *wanted)
{
	bool one = starts_from_one(node);
	struct order order = {one, one, one, one};
	for (struct xpath_step *step = node->path.steps; step != NULL; step = step->next) {
		struct xpath_traces found;
		xpath__trace_axis(tracer, step, set, &found);
		if (tracer->annotate)
			annotate_step(tracer, step, &found);
		bool finds_one = lookup_gives_one(select_entries(tracer, step, wanted, &found), step);
		if (tracer->annotate)
			step->unsorted = unsorts(order, step, finds_one);
		order = next_order(order, step, finds_one);
		if (step->next == NULL)
			read_end(tracer, &found, use, one && looks_at_one(step, order, use, wanted));
		else if (found.unknown || !shown_by_next(step))
			read_set(tracer, &found, USE_EXISTENCE);
		trace_predicates(tracer, step->predicates, &found);
		*set = found;
	}
	if (tracer->annotate) {
		node->path.unique = order.unique;
		node->path.ordered = order.unique && order.ordered;
	}
}

static void trace_path(struct xpath_tracer *tracer, struct xpath_node *node,
		       const struct xpath_traces *context, enum xpath_use use,
		       const struct xpath_trace *wanted, struct xpath_traces *result)
{
	struct xpath_traces set = trace_start(tracer, node, context);
	if (node->path.steps == NULL)
		read_set(tracer, &set, use);
	trace_steps(tracer, node, &set, use, wanted);
	*result = set;
}

/* ---- comparisons ---- */

/* A type of each kind of names that some leaf has, looked for once. */
static void find_named_types(struct xpath_tracer *tracer)
{
	const struct schema *schema = tracer->scope->schema;
	for (size_t i = 0; i < schema->node_count; i++) {
		const struct schema_type *type = schema->nodes[i]->type;
		unsigned kinds = type != NULL ? schema_type_names(type) : 0;
		for (unsigned index = 0; index < SCHEMA_NAMES_KINDS; index++)
			if ((kinds & 1u << index) != 0 && tracer->named_types[index] == NULL)
				tracer->named_types[index] = type;
	}
	tracer->has_named_types = true;
}

/* Of all types that it may be compared with. */
static const struct xpath_literal *literal_forms(struct xpath_tracer *tracer, struct bytes literal,
						 const struct xpath_traces *set)
{
	struct xpath_literal forms = {0};
	if (set->unknown && !tracer->has_named_types)
		find_named_types(tracer);
	size_t count = set->unknown ? SCHEMA_NAMES_KINDS : set->length;
	for (size_t i = 0; i < count; i++) {
		const struct schema_type *type =
			set->unknown ? tracer->named_types[i] : set->items[i].node->type;
		if (type != NULL)
			xpath__literal_add(tracer->scope, literal, type, tracer->arena, &forms);
	}
	if (!forms.any)
		return NULL;
	struct xpath_literal *kept = arena_alloc(tracer->arena, sizeof(*kept));
	*kept = forms;
	return kept;
}

/* Texts that the other operand can have, if it is one leaf of the reader. */
static const struct xpath_trace *wanted_by(const struct xpath_node *node, const struct xpath_node *other,
					   const struct xpath_traces *set)
{
	return node->op == XPATH_EQUAL && other->type == XPATH_NODE_SET && is_selector(set) ? &set->items[0]
											    : NULL;
}

static void trace_comparison(struct xpath_tracer *tracer, struct xpath_node *node,
			     const struct xpath_traces *context)
{
	struct xpath_node *left = node->operands, *right = left->next;
	struct xpath_traces left_set = {0}, right_set = {0};
	/* An operand that is one leaf of the reader says which nodes of the other matter; it is traced first.
	 */
	if (left->op == XPATH_PATH && right->type == XPATH_NODE_SET) {
		xpath__trace(tracer, right, context, USE_VALUE, NULL, &right_set);
		xpath__trace(tracer, left, context, USE_VALUE, wanted_by(node, right, &right_set), &left_set);
	} else {
		xpath__trace(tracer, left, context, USE_VALUE, NULL, &left_set);
		xpath__trace(tracer, right, context, USE_VALUE, wanted_by(node, left, &left_set), &right_set);
	}
	bool equality = node->op == XPATH_EQUAL || node->op == XPATH_NOT_EQUAL;
	if (!equality || !tracer->annotate)
		return;
	if (right->op == XPATH_LITERAL)
		node->literal_forms = literal_forms(tracer, right->literal, &left_set);
	else if (left->op == XPATH_LITERAL)
		node->literal_forms = literal_forms(tracer, left->literal, &right_set);
}

/* ---- calls ---- */

static void add_deref(struct xpath_tracer *tracer, struct xpath_node *node, const struct schema_node *leaf,
		      const struct schema_type *type)
{
	for (const struct xpath_deref *d = node->call.derefs; d != NULL; d = d->next) {
		if (d->leaf == leaf && d->type == type)
			return;
	}
	struct xpath_deref *deref;
	if (!xpath__deref_compile(tracer->scope->schema, leaf, type, tracer->arena, &deref))
		return;
	deref->next = (struct xpath_deref *)node->call.derefs;
	node->call.derefs = deref;
}

/* The nodes that one leafref leaf refers to: its path, traced with the leaf in the place of the reader's
 * context node. */
static void trace_target(struct xpath_tracer *tracer, const struct xpath_deref *deref,
			 const struct xpath_trace *leaf, struct xpath_traces *result)
{
	struct xpath_tracer inner = *tracer;
	struct xpath_traces targets;
	inner.annotate = false;
	inner.serial = ++*tracer->serials;
	inner.current = (struct xpath_traces){0};
	xpath__traces_add(&inner, &inner.current, leaf);
	xpath__trace(&inner, (struct xpath_node *)deref->path->root, &inner.current, USE_VALUE,
		     leaf->single ? leaf : NULL, &targets);
	tracer->work = inner.work;
	result->unknown |= targets.unknown;
	for (size_t i = 0; i < targets.length; i++)
		xpath__traces_add(tracer, result, &targets.items[i]);
}

static void trace_reference(struct xpath_tracer *tracer, struct xpath_node *node,
			    const struct xpath_trace *leaf, const struct schema_type *type,
			    struct xpath_traces *result)
{
	enum schema_base base = schema_type_base(type);
	if (base == BASE_INSTANCE_IDENTIFIER)
		result->unknown = true;
	if (base != BASE_LEAFREF)
		return;
	if (tracer->annotate)
		add_deref(tracer, node, leaf->node, type);
	for (const struct xpath_deref *d = node->call.derefs; d != NULL; d = d->next) {
		if (d->leaf == leaf->node && d->type == type)
			trace_target(tracer, d, leaf, result);
	}
}

static void trace_deref(struct xpath_tracer *tracer, struct xpath_node *node,
			const struct xpath_traces *context, struct xpath_traces *result)
{
	struct xpath_traces leafs;
	xpath__trace(tracer, node->operands, context, USE_VALUE, NULL, &leafs);
	if (tracer->annotate)
		node->call.derefs_complete = !leafs.unknown;
	result->unknown = leafs.unknown;
	for (size_t i = 0; i < leafs.length; i++) {
		const struct schema_type *type = leafs.items[i].node->type;
		if (type == NULL || leafs.items[i].text)
			continue;
		trace_reference(tracer, node, &leafs.items[i], type, result);
		for (size_t j = 0; j < schema_type_member_count(type); j++)
			trace_reference(tracer, node, &leafs.items[i], schema_type_member(type, j), result);
	}
	if (result->unknown) {
		result->length = 0;
		xpath__read_everything(tracer->reads);
	}
}

/* Functions that look only at which nodes there are. */
static bool takes_existence(const struct xpath_function *function)
{
	return function->call == xpath__count || function->call == xpath__boolean ||
	       function->call == xpath__not || function->call == xpath__local_name ||
	       function->call == xpath__namespace_uri || function->call == xpath__name;
}

static void trace_call(struct xpath_tracer *tracer, struct xpath_node *node,
		       const struct xpath_traces *context, enum xpath_use use, struct xpath_traces *result)
{
	const struct xpath_function *function = node->call.function;
	if (function->call == xpath__current) {
		read_set(tracer, &tracer->current, use);
		*result = tracer->current;
		return;
	}
	if (function->call == xpath__deref) {
		trace_deref(tracer, node, context, result);
		return;
	}
	use = takes_existence(function) ? USE_EXISTENCE : USE_VALUE;
	for (struct xpath_node *arg = node->operands; arg != NULL; arg = arg->next)
		xpath__trace(tracer, arg, context, use, NULL, NULL);
	if (function->or_context && node->operands == NULL)
		read_set(tracer, context, use);
}

static void trace_operands(struct xpath_tracer *tracer, struct xpath_node *node,
			   const struct xpath_traces *context, enum xpath_use use,
			   struct xpath_traces *result)
{
	for (struct xpath_node *operand = node->operands; operand != NULL; operand = operand->next) {
		struct xpath_traces set;
		xpath__trace(tracer, operand, context, use, NULL, &set);
		if (node->op != XPATH_UNION)
			continue;
		result->unknown |= set.unknown;
		for (size_t i = 0; i < set.length; i++)
			xpath__traces_add(tracer, result, &set.items[i]);
	}
	if (result->unknown)
		result->length = 0;
}

static void trace_node(struct xpath_tracer *tracer, struct xpath_node *node,
		       const struct xpath_traces *context, enum xpath_use use,
		       const struct xpath_trace *wanted, struct xpath_traces *result)
{
	switch (node->op) {
	case XPATH_OR:
	case XPATH_AND:
		trace_operands(tracer, node, context, USE_EXISTENCE, result);
		return;
	case XPATH_EQUAL:
	case XPATH_NOT_EQUAL:
	case XPATH_LESS:
	case XPATH_LESS_EQUAL:
	case XPATH_GREATER:
	case XPATH_GREATER_EQUAL:
		trace_comparison(tracer, node, context);
		return;
	case XPATH_ADD:
	case XPATH_SUBTRACT:
	case XPATH_MULTIPLY:
	case XPATH_DIVIDE:
	case XPATH_MODULO:
	case XPATH_NEGATE:
		trace_operands(tracer, node, context, USE_VALUE, result);
		return;
	case XPATH_UNION:
		trace_operands(tracer, node, context, use, result);
		return;
	case XPATH_LITERAL:
	case XPATH_NUMERAL:
		return;
	case XPATH_CALL:
		trace_call(tracer, node, context, use, result);
		return;
	case XPATH_PATH:
		trace_path(tracer, node, context, use, wanted, result);
		return;
	}
}

void xpath__trace(struct xpath_tracer *tracer, struct xpath_node *node, const struct xpath_traces *context,
		  enum xpath_use use, const struct xpath_trace *wanted, struct xpath_traces *result)
{
	struct xpath_traces made = {0};
	bool keep = node->free && node->type == XPATH_NODE_SET && use == USE_VALUE && wanted == NULL;
	if (keep && node->traced != NULL && node->traced_in == tracer->serial) {
		made = *node->traced;
	} else {
		trace_node(tracer, node, context, use, wanted, &made);
		if (keep) {
			struct xpath_traces *kept = arena_alloc(tracer->arena, sizeof(*kept));
			*kept = made;
			node->traced = kept;
			node->traced_in = tracer->serial;
		}
	}
	if (result != NULL)
		*result = made;
}
