/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Making a plan: walks the configuration nodes of a schema once, compiles every must and every leafref path,
 * and notes for each node which constraints its instances bring with them and which ones their coming and
 * going touches. triggers.c then adds the ways from what an expression reads back to its readers.
 *
 * A constraint on children (mandatory, min-elements, max-elements) belongs to the data parent, since it is
 * due where the parent exists, even implicitly (RFC 7950 7.5.1, 7.6.5, 7.7.5). Inside a choice all such
 * constraints of the outermost choice are touched together: any node of any case may decide which case is in
 * use.
 *
 * Of the data only configuration is planned. Operations have their constraints beside it, without triggers
 * (operation.c). A plan has a second one inside, of nothing but whens, for settle (when.h).
 */
#include "check/index.h"

#include <string.h>

#include "base/memory.h"
#include "schema/type.h"

struct resolver {
	const struct schema *schema;
	const struct schema_xpath *xpath;
};

void check__list_push(struct arena *arena, struct check__list *list, const void *item)
{
	if (list->length == list->capacity) {
		uint32_t capacity = list->capacity ? list->capacity * 2 : 2;
		const void **items = arena_alloc(arena, capacity * sizeof(*items));
		if (list->length > 0)
			memcpy(items, list->items, list->length * sizeof(*items));
		list->items = items;
		list->capacity = capacity;
	}
	list->items[list->length++] = item;
}

const struct schema_choice *check__outermost_choice(const struct schema_case *in_case)
{
	while (in_case->choice->outer)
		in_case = in_case->choice->outer;
	return in_case->choice;
}

const char *check__kind_name(enum check__kind kind)
{
	static const char *const names[] = {
		[CHECK__MUST] = "must",
		[CHECK__REFERENCE] = "leafref",
		[CHECK__UNIQUE] = "unique",
		[CHECK__MIN_ELEMENTS] = "min-elements",
		[CHECK__MAX_ELEMENTS] = "max-elements",
		[CHECK__MANDATORY] = "mandatory",
		[CHECK__MANDATORY_CHOICE] = "mandatory choice",
		[CHECK__WHEN] = "when",
	};
	return names[kind];
}

static const struct schema_module *resolve_prefix(void *arg, struct bytes prefix)
{
	const struct resolver *resolver = arg;
	return schema_xpath_prefix(resolver->schema, resolver->xpath, prefix);
}

static void refuse(struct check__making *making, const struct schema_node *node,
		   const struct schema_xpath *xpath, const struct xpath_error *error)
{
	char path[1024];
	schema_node_path(node, path, sizeof(path));
	diag_add(making->diags, DIAG_APPLICATION, DIAG_OPERATION_FAILED,
		 "Module %s: %s: expression \"%s\", byte %zu: %s", node->module->name, path,
		 xpath->expression, error->offset, error->message);
	making->failed = true;
}

const struct xpath_expr *check__compile(struct check__making *making, const struct schema_node *node,
					const struct schema_xpath *xpath)
{
	struct resolver resolver = {.schema = making->plan->schema, .xpath = xpath};
	struct xpath_scope scope = {.schema = making->plan->schema,
				    .context = making->plan->is_for_operation ? NULL : node,
				    .resolve = resolve_prefix,
				    .arg = &resolver,
				    .operation = making->operation,
				    .identities = schema_xpath_module(xpath)};
	struct xpath_error error = {.offset = 0};
	const struct xpath_expr *expr = NULL;
	if (xpath_compile(&scope, bytes_of(xpath->expression), making->plan->arena, &error, &expr) == ST_OK)
		return expr;
	refuse(making, node, xpath, &error);
	return NULL;
}

struct check__constraint *check__constraint_add(struct check_plan *plan, enum check__kind kind,
						const struct schema_node *context)
{
	struct check__constraint *constraint = arena_zalloc(plan->arena, sizeof(*constraint));
	constraint->id = constraint->tally_id = plan->constraints.length + plan->operations.length;
	constraint->kind = kind;
	constraint->is_of_operation = plan->is_for_operation;
	constraint->context = context;
	check__list_push(plan->arena, plan->is_for_operation ? &plan->operations : &plan->constraints,
			 constraint);
	return constraint;
}

static void add_musts(struct check__making *making, const struct schema_node *node)
{
	struct check_plan *plan = making->plan;
	for (size_t i = 0; i < node->must_count; i++) {
		const struct xpath_expr *expr = check__compile(making, node, &node->musts[i]);
		if (!expr)
			continue;
		struct check__constraint *constraint = check__constraint_add(plan, CHECK__MUST, node);
		constraint->xpath = &node->musts[i];
		constraint->expr = expr;
		check__list_push(plan->arena, &plan->nodes[node->id].own, constraint);
	}
}

/* Fills a member; returns whether its target must exist. */
static bool make_member(struct check__making *making, const struct schema_node *node,
			const struct schema_type *type, struct check__member *member)
{
	enum schema_base base = schema_type_base(type);
	*member = (struct check__member){.type = type};
	if ((base != BASE_LEAFREF && base != BASE_INSTANCE_IDENTIFIER) || !schema_type_require_instance(type))
		return false;
	member->is_instance = base == BASE_INSTANCE_IDENTIFIER;
	if (member->is_instance)
		return true;
	const struct schema_xpath *path = schema_type_leafref_path(type);
	const struct xpath_expr *expr = check__compile(making, node, path);
	if (!expr)
		return false;
	member->path = path;
	member->expr = expr;
	return true;
}

static void add_reference(struct check__making *making, const struct schema_node *node)
{
	struct check_plan *plan = making->plan;
	if (!node->type || !schema_type_has_reference(node->type))
		return;
	bool is_union = schema_type_base(node->type) == BASE_UNION;
	size_t count = is_union ? schema_type_member_count(node->type) : 1;
	struct check__member *members = arena_zalloc(plan->arena, count * sizeof(*members));
	bool needed = false;
	for (size_t i = 0; i < count; i++) {
		const struct schema_type *type = is_union ? schema_type_member(node->type, i) : node->type;
		if (make_member(making, node, type, &members[i]))
			needed = true;
	}
	if (!needed)
		return;
	struct check__constraint *constraint = check__constraint_add(plan, CHECK__REFERENCE, node);
	constraint->members = members;
	constraint->member_count = count;
	check__list_push(plan->arena, &plan->nodes[node->id].own, constraint);
}

static void add_structural(struct check_plan *plan, enum check__kind kind, const struct schema_node *child)
{
	struct check__constraint *constraint = check__constraint_add(plan, kind, child->parent);
	constraint->child = child;
	constraint->in_case = child->in_case;
	constraint->when = check__node_of(plan, child)->when;
	check__list_push(plan->arena, &plan->nodes[child->parent->id].structural, constraint);
}

static void add_child_constraints(struct check_plan *plan, const struct schema_node *node)
{
	if (check__is_multiple(node) && node->min_elements > 0)
		add_structural(plan, CHECK__MIN_ELEMENTS, node);
	if (check__is_multiple(node) && node->max_elements != UINT32_MAX)
		add_structural(plan, CHECK__MAX_ELEMENTS, node);
	if (node->mandatory && !node->is_key)
		add_structural(plan, CHECK__MANDATORY, node);
}

static void add_uniques(struct check_plan *plan, const struct schema_node *list)
{
	for (size_t i = 0; i < list->unique_count; i++) {
		struct check__constraint *constraint = check__constraint_add(plan, CHECK__UNIQUE, list);
		constraint->unique = &list->uniques[i];
		check__list_push(plan->arena, &plan->nodes[list->id].structural, constraint);
	}
}

static void add_choices(struct check__making *making, const struct schema_node *node)
{
	struct check_plan *plan = making->plan;
	for (size_t i = 0; i < node->choice_count; i++) {
		const struct schema_choice *choice = node->choices[i];
		if (!choice->mandatory || (!choice->config && !plan->is_for_operation))
			continue;
		const struct check__constraint *when = check__when_choice(making, choice);
		struct check__constraint *constraint =
			check__constraint_add(plan, CHECK__MANDATORY_CHOICE, node);
		constraint->when = when;
		constraint->choice = choice;
		constraint->in_case = choice->outer;
		check__list_push(plan->arena, &plan->nodes[node->id].structural, constraint);
	}
}

void check__plan_node(struct check__making *making, const struct schema_node *node)
{
	struct check_plan *plan = making->plan;
	if (node->depth >= plan->depth_max)
		plan->depth_max = (uint16_t)(node->depth + 1);
	if (node->key_count > plan->keys_max)
		plan->keys_max = node->key_count;
	if (node->kind != SCHEMA_ROOT) {
		check__when_node(making, node);
		add_musts(making, node);
		add_reference(making, node);
		add_child_constraints(plan, node);
	}
	add_uniques(plan, node);
	add_choices(making, node);
}

static void plan_data(struct check__making *making, const struct schema_node *node)
{
	check__plan_node(making, node);
	for (size_t i = 0; i < node->child_count; i++) {
		if (node->children[i]->config)
			plan_data(making, node->children[i]);
	}
}

static bool touches(const struct check__constraint *constraint, const struct schema_node *child)
{
	if (constraint->child == child)
		return true;
	if (!child->in_case)
		return false;
	const struct schema_choice *choice = check__outermost_choice(child->in_case);
	if (constraint->in_case)
		return check__outermost_choice(constraint->in_case) == choice;
	return constraint->choice == choice;
}

static void plan_touches(struct check_plan *plan, const struct schema_node *parent)
{
	const struct check__list *structural = &plan->nodes[parent->id].structural;
	for (size_t i = 0; i < parent->child_count && structural->length > 0; i++) {
		const struct schema_node *child = parent->children[i];
		for (uint32_t j = 0; j < structural->length; j++) {
			const struct check__constraint *constraint = structural->items[j];
			if (touches(constraint, child))
				check__list_push(plan->arena, &plan->nodes[child->id].touches, constraint);
		}
	}
	for (size_t i = 0; i < parent->child_count; i++) {
		if (parent->children[i]->config)
			plan_touches(plan, parent->children[i]);
	}
}

/* A node of a case may always flip implicit nodes of other cases. */
static void plan_own_flags(const struct check_plan *plan, const struct schema_node *node)
{
	struct check__node *own = &plan->nodes[node->id];
	struct check__part *indexing = &own->parts[CHECK__INDEXING], *judging = &own->parts[CHECK__JUDGING];
	indexing->create_below = own->feeds.length > 0;
	indexing->change_below = (node->in_case && plan->indexes.length > 0) ||
				 (plan->whens_feed && check__when_triggered(own));
	judging->create_below = own->own.length > 0 || own->structural.length > 0;
	judging->change_below = own->triggers.length > 0 || own->touches.length > 0 ||
				own->uniques.length > 0 || node->in_case;
}

/* Which parts of the schema a walk need not enter. */
static void plan_flags(struct check_plan *plan, const struct schema_node *node)
{
	struct check__node *own = &plan->nodes[node->id];
	plan_own_flags(plan, node);
	own->names_below = own->when && node->kind == SCHEMA_CONTAINER && !node->presence;
	for (size_t i = 0; i < node->child_count; i++) {
		const struct schema_node *child = node->children[i];
		if (!child->config)
			continue;
		plan_flags(plan, child);
		own->names_below |= check__node_of(plan, child)->names_below;
		for (int phase = 0; phase < 2; phase++) {
			const struct check__part *below = &check__node_of(plan, child)->parts[phase];
			struct check__part *part = &own->parts[phase];
			part->create_below |= below->create_below;
			part->change_below |= below->change_below;
			bool is_watched = phase == CHECK__JUDGING && plan->instances.length > 0;
			if (below->change_below || is_watched)
				check__list_push(plan->arena, &part->children, child);
		}
	}
	for (int phase = 0; phase < 2; phase++)
		own->parts[phase].change_below |= own->parts[phase].create_below;
}

void check__plan_finish(struct check_plan *plan)
{
	for (uint32_t i = 0; i < plan->constraints.length; i++)
		check__plan_triggers(plan, (struct check__constraint *)plan->constraints.items[i]);
	if (!plan->only_whens)
		check__index_finish(plan);
	plan->whens_feed = check__when_feeds(plan);
	plan_touches(plan, plan->schema->root);
	plan_flags(plan, plan->schema->root);
}

enum status check_plan_new(struct schema *schema, struct diag_list *diags, struct check_plan **result)
{
	struct check_plan *plan = memory_zalloc(sizeof(*plan));
	plan->schema = schema_ref(schema);
	plan->host = plan;
	plan->arena = arena_new();
	plan->nodes = arena_zalloc(plan->arena, schema->node_count * sizeof(*plan->nodes));
	struct check__making making = {.plan = plan, .diags = diags};
	plan_data(&making, schema->root);
	if (!making.failed)
		check__when_plan(&making);
	if (making.failed) {
		check_plan_free(plan);
		return ST_REJECTED;
	}
	check__plan_finish(plan);
	check__plan_operations(&making);
	if (making.failed) {
		check_plan_free(plan);
		return ST_REJECTED;
	}
	*result = plan;
	return ST_OK;
}

void check_plan_free(struct check_plan *plan)
{
	if (!plan)
		return;
	value_unref(plan->least_number);
	arena_free(plan->arena);
	schema_unref(plan->schema);
	memory_free(plan);
}
