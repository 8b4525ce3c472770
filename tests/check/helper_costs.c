/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is wanted are the constraint's node, what it reads, the leafs by which it selects, and all above them.
 * Values are made without regard to the types' restrictions: the engine compares texts, and decodes nothing.
 */
#include "helper_costs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schema/type.h"

enum {
	NODES_MAX = 64,	 /* wanted; what is read beyond is left out */
	NOBODY = 900001, /* an entry's number that no other has */
};

/* ---- which nodes ---- */

static void want(struct costs *costs, const struct schema_node *node)
{
	if (costs->wanted[node->id] || !node->config || costs->nodes.length >= NODES_MAX)
		return;
	if (node->parent)
		want(costs, node->parent);
	costs->wanted[node->id] = true;
	check__list_push(costs->arena, &costs->nodes, node);
}

static void want_reads(struct costs *costs, const struct xpath_expr *expr)
{
	for (const struct xpath_read *read = expr ? xpath_reads(expr) : NULL; read; read = read->next) {
		want(costs, read->node);
		for (size_t i = 0; read->list && i < read->list->key_count; i++) {
			if (read->selectors[i].leaf)
				want(costs, read->selectors[i].leaf);
		}
	}
}

static void want_all(struct costs *costs)
{
	const struct check__constraint *constraint = costs->constraint;
	want(costs, costs->model->schema->root);
	want(costs, constraint->context);
	if (constraint->child)
		want(costs, constraint->child);
	want_reads(costs, constraint->expr);
	for (size_t i = 0; i < constraint->when_count; i++)
		want_reads(costs, constraint->whens[i].expr);
	for (size_t i = 0; i < constraint->member_count; i++)
		want_reads(costs, constraint->members[i].expr);
	for (const struct check__readers *readers = constraint->readers; readers; readers = readers->next) {
		for (uint32_t i = 0; i < readers->nodes.length; i++)
			want(costs, readers->nodes.items[i]);
	}
}

/* ---- the plan with one constraint ---- */

static struct check__list keep(struct costs *costs, const struct check__list *list,
			       const struct check__constraint *only)
{
	struct check__list kept = {0};
	for (uint32_t i = 0; i < list->length; i++) {
		if (list->items[i] == only)
			check__list_push(costs->arena, &kept, only);
	}
	return kept;
}

static struct check__list keep_triggers(struct costs *costs, const struct check__list *list,
					const struct check__constraint *only)
{
	struct check__list kept = {0};
	for (uint32_t i = 0; i < list->length; i++) {
		const struct check__readers *readers = list->items[i];
		if (readers->constraint == only)
			check__list_push(costs->arena, &kept, readers);
	}
	return kept;
}

static bool uses_index(const struct check__constraint *constraint, const struct check__index *index)
{
	for (size_t i = 0; i < constraint->member_count; i++) {
		if (constraint->members[i].targets == index)
			return true;
	}
	for (const struct check__readers *readers = constraint->readers; readers; readers = readers->next) {
		if (readers->index == index)
			return true;
	}
	return constraint->index == index;
}

static struct check__list keep_feeds(struct costs *costs, const struct check__list *list,
				     const struct check__constraint *only,
				     const struct check__constraint *settled)
{
	struct check__list kept = {0};
	for (uint32_t i = 0; i < list->length; i++) {
		const struct check__index *index = list->items[i];
		if (uses_index(only, index) || (settled && uses_index(settled, index)))
			check__list_push(costs->arena, &kept, index);
	}
	return kept;
}

static void keep_only(struct costs *costs, struct check_plan *plan, const struct check__constraint *only,
		      const struct check__constraint *settled, struct check__node *saved)
{
	for (uint32_t i = 0; i < costs->nodes.length; i++) {
		const struct schema_node *schema = costs->nodes.items[i];
		struct check__node *node = &plan->nodes[schema->id];
		saved[i] = *node;
		node->own = keep(costs, &node->own, only);
		node->structural = keep(costs, &node->structural, only);
		node->touches = keep(costs, &node->touches, only);
		node->uniques = keep(costs, &node->uniques, only);
		node->triggers = keep_triggers(costs, &node->triggers, only);
		node->feeds = keep_feeds(costs, &node->feeds, only, settled);
	}
}

static void restore(const struct costs *costs, struct check_plan *plan, const struct check__node *saved)
{
	for (uint32_t i = 0; saved && i < costs->nodes.length; i++)
		plan->nodes[((const struct schema_node *)costs->nodes.items[i])->id] = saved[i];
}

static const struct check__constraint *settled_of(const struct costs *costs)
{
	const struct check_plan *plan = costs->model->plan;
	const struct check__constraint *constraint = costs->constraint;
	if (constraint->kind != CHECK__WHEN || !constraint->child || !plan->settle)
		return NULL;
	return check__node_of(plan->settle, constraint->child)->when;
}

/* ---- literals ---- */

/* Names of identities get their module's name. */
static struct bytes resolve(const struct costs *costs, const struct schema_xpath *xpath, struct bytes text)
{
	const char *colon = memchr(text.data, ':', text.size);
	if (!colon)
		return text;
	struct bytes prefix = {text.data, (size_t)(colon - text.data)};
	const struct schema_module *module = schema_xpath_prefix(costs->model->schema, xpath, prefix);
	if (!module)
		return text;
	return bytes_of(arena_printf(costs->arena, "%s:%.*s", module->name,
				     (int)(text.size - prefix.size - 1), colon + 1));
}

static void find_literals(struct costs *costs, const struct schema_xpath *xpath)
{
	for (const char *at = xpath->expression; (at = strpbrk(at, "'\""));) {
		const char *end = strchr(at + 1, *at);
		if (!end || costs->literal_count == COSTS_LITERALS)
			return;
		struct bytes text = {at + 1, (size_t)(end - at - 1)};
		costs->literals[costs->literal_count++] = resolve(costs, xpath, text);
		at = end + 1;
	}
}

/* ---- set up ---- */

static const struct schema_node *list_above(const struct schema_node *node)
{
	while (node && !check__is_multiple(node))
		node = node->parent;
	return node;
}

static void relate(struct costs *costs, const struct xpath_expr *expr)
{
	for (const struct xpath_read *read = expr ? xpath_reads(expr) : NULL; read; read = read->next) {
		for (size_t i = 0; read->list && i < read->list->key_count; i++) {
			const struct schema_node *leaf = read->selectors[i].leaf;
			if (!leaf)
				continue;
			costs->is_related[leaf->id] = true;
			costs->modulus[leaf->id] = costs->count[read->list->id];
		}
	}
}

static void relate_target(struct costs *costs, const struct check__member *member)
{
	const struct schema_node *target = member->parsed.target, *leaf = costs->constraint->context;
	const struct schema_node *list = target ? list_above(target) : NULL;
	relate(costs, member->expr);
	if (!list)
		return;
	costs->is_related[target->id] = costs->is_related[leaf->id] = true;
	costs->modulus[leaf->id] = costs->count[list->id];
	for (size_t i = 0; i < member->parsed.bound_count; i++) {
		const struct check__bound *bound = &member->parsed.bounds[i];
		costs->is_related[bound->leaf->id] = true;
		costs->modulus[bound->leaf->id] = costs->count[bound->list->id];
	}
}

static void relate_all(struct costs *costs)
{
	const struct check__constraint *constraint = costs->constraint;
	relate(costs, constraint->expr);
	for (size_t i = 0; i < constraint->when_count; i++)
		relate(costs, constraint->whens[i].expr);
	for (size_t i = 0; i < constraint->member_count; i++)
		relate_target(costs, &constraint->members[i]);
}

void costs_init(struct costs *costs, struct model *model, const struct check__constraint *constraint)
{
	struct arena *arena = arena_new();
	size_t length = model->schema->node_count;
	*costs = (struct costs){.model = model,
				.constraint = constraint,
				.arena = arena,
				.wanted = arena_zalloc(arena, length * sizeof(bool)),
				.count = arena_zalloc(arena, length * sizeof(size_t)),
				.modulus = arena_zalloc(arena, length * sizeof(size_t)),
				.is_related = arena_zalloc(arena, length * sizeof(bool))};
	want_all(costs);
	if (constraint->xpath)
		find_literals(costs, constraint->xpath);
	for (size_t i = 0; i < constraint->when_count; i++)
		find_literals(costs, constraint->whens[i].xpath);
	const struct check__constraint *settled = settled_of(costs);
	costs->saved = arena_alloc(arena, costs->nodes.length * sizeof(*costs->saved));
	keep_only(costs, model->plan, constraint, settled, costs->saved);
	if (!settled)
		return;
	costs->saved_settle = arena_alloc(arena, costs->nodes.length * sizeof(*costs->saved_settle));
	keep_only(costs, model->plan->settle, settled, NULL, costs->saved_settle);
}

void costs_fini(struct costs *costs)
{
	restore(costs, costs->model->plan, costs->saved);
	restore(costs, costs->model->plan->settle, costs->saved_settle);
	arena_free(costs->arena);
}

/* ---- data ---- */

static bool is_number(const struct schema_node *leaf)
{
	enum schema_base base = schema_type_base(schema_type_real(leaf->type));
	return base >= BASE_INT8 || base == BASE_DECIMAL64;
}

/* To be given back with value_unref. */
static struct value value_at(const struct costs *costs, const struct schema_node *leaf, size_t number)
{
	size_t modulus = leaf->is_key ? 0 : costs->modulus[leaf->id];
	bool is_plain = leaf->is_key || costs->is_related[leaf->id] || leaf->kind == SCHEMA_LEAF_LIST;
	char text[32];
	if (costs->literal && !is_plain) {
		bool is_qname = schema_type_base(schema_type_real(leaf->type)) == BASE_IDENTITYREF;
		return value_new(*costs->literal, is_qname ? TEXT_QNAME : 0);
	}
	snprintf(text, sizeof(text), is_number(leaf) ? "%zu" : "v%05zu", modulus ? number % modulus : number);
	return value_new(bytes_of(text), 0);
}

static void fill(const struct costs *costs, struct tree_builder *builder, const struct schema_node *parent,
		 size_t number);

static void enter_entry(const struct costs *costs, struct tree_builder *builder,
			const struct schema_node *list, size_t number)
{
	struct value keys[16];
	bool made;
	assert_in_range(list->key_count, 1, 16);
	for (size_t i = 0; i < list->key_count; i++)
		keys[i] = value_at(costs, list->children[i], number);
	tree_builder_enter_entry(builder, list, keys, &made);
	for (size_t i = 0; i < list->key_count; i++)
		value_unref(keys[i]);
}

/* Entries that readers are in have numbers of their own in the whole tree, so that each selects something
 * else; others are numbered below each parent. */
static size_t first_number(const struct costs *costs, const struct schema_node *list, size_t parent)
{
	return check__is_above_or_at(list, costs->constraint->context) ? parent * costs->count[list->id] : 0;
}

static void fill_list(const struct costs *costs, struct tree_builder *builder, const struct schema_node *list,
		      size_t parent)
{
	size_t first = first_number(costs, list, parent);
	for (size_t i = 0; i < costs->count[list->id]; i++) {
		enter_entry(costs, builder, list, first + i);
		fill(costs, builder, list, first + i);
		tree_builder_leave(builder);
	}
}

static void fill_child(const struct costs *costs, struct tree_builder *builder,
		       const struct schema_node *child, size_t number)
{
	struct value value = VALUE_NONE;
	switch (child->kind) {
	case SCHEMA_CONTAINER:
		tree_builder_enter(builder, child);
		if (child->presence)
			tree_builder_make(builder);
		fill(costs, builder, child, number);
		tree_builder_leave(builder);
		return;
	case SCHEMA_LIST:
		fill_list(costs, builder, child, number);
		return;
	case SCHEMA_LEAF:
		value = value_at(costs, child, number);
		if (!child->is_key)
			tree_builder_set_leaf(builder, child, value);
		value_unref(value);
		return;
	case SCHEMA_LEAF_LIST:
		for (size_t i = 0; i < costs->count[child->id]; i++) {
			value = value_at(costs, child, number + i);
			tree_builder_add_value(builder, child, value);
			value_unref(value);
		}
		return;
	default:
		return;
	}
}

static void fill(const struct costs *costs, struct tree_builder *builder, const struct schema_node *parent,
		 size_t number)
{
	for (uint16_t i = 0; i < parent->child_count; i++) {
		if (costs->wanted[parent->children[i]->id])
			fill_child(costs, builder, parent->children[i], number);
	}
}

static bool has_list_below(const struct costs *costs, const struct schema_node *node)
{
	for (uint16_t i = 0; i < node->child_count; i++) {
		const struct schema_node *child = node->children[i];
		if (costs->wanted[child->id] && (check__is_multiple(child) || has_list_below(costs, child)))
			return true;
	}
	return false;
}

struct tree_record *costs_build(struct costs *costs, size_t size, enum costs_shape shape)
{
	for (uint32_t i = 0; i < costs->nodes.length; i++) {
		const struct schema_node *node = costs->nodes.items[i];
		if (!check__is_multiple(node))
			continue;
		bool is_long = shape == COSTS_OUTER ? list_above(node->parent) == NULL
						    : !has_list_below(costs, node);
		costs->count[node->id] = is_long ? size : COSTS_FEW;
	}
	relate_all(costs);
	const struct schema *schema = costs->model->schema;
	struct tree_record *empty = tree_record_new();
	struct tree_builder *builder = tree_builder_new(schema, empty, NULL);
	fill(costs, builder, schema->root, 0);
	model_drop(costs->model, empty);
	return tree_builder_finish(builder);
}

/* ---- changes ---- */

/* Goes down to the node's parent; *number: of the entry that it stands in. */
static size_t go_down(const struct costs *costs, struct tree_builder *builder, const struct schema_node *node,
		      size_t pick, size_t *number)
{
	if (!node->parent)
		return 0;
	size_t depth = go_down(costs, builder, node->parent, pick, number);
	if (node->kind == SCHEMA_LIST) {
		*number = first_number(costs, node, *number) + pick % costs->count[node->id];
		enter_entry(costs, builder, node, *number);
	} else {
		tree_builder_enter(builder, node);
	}
	return depth + 1;
}

static bool change_leaf(const struct costs *costs, struct tree_builder *builder,
			const struct schema_node *leaf, enum costs_edit edit, size_t number)
{
	if (leaf->is_key || edit == COSTS_CREATE)
		return false;
	if (edit == COSTS_DELETE)
		return tree_builder_remove(builder, leaf);
	struct value value = value_at(costs, leaf, number + 1);
	if (costs->literal && !costs->is_related[leaf->id]) {
		value_unref(value);
		value = value_new(bytes_of("other"), 0);
	}
	bool changed = tree_builder_set_leaf(builder, leaf, value);
	value_unref(value);
	return changed;
}

static bool change_values(const struct costs *costs, struct tree_builder *builder,
			  const struct schema_node *node, enum costs_edit edit, size_t number)
{
	if (edit == COSTS_CHANGE)
		return false;
	size_t count = costs->count[node->id];
	struct value value = value_at(costs, node, number + (edit == COSTS_CREATE ? count : number % count));
	bool changed = edit == COSTS_CREATE ? tree_builder_add_value(builder, node, value)
					    : tree_builder_remove_value(builder, node, value);
	value_unref(value);
	return changed;
}

static bool change_list(const struct costs *costs, struct tree_builder *builder,
			const struct schema_node *list, enum costs_edit edit, size_t parent, size_t pick)
{
	struct value keys[16];
	size_t count = costs->count[list->id], first = first_number(costs, list, parent);
	if (edit == COSTS_CREATE) {
		enter_entry(costs, builder, list, NOBODY);
		fill(costs, builder, list, first + count);
		tree_builder_leave(builder);
		return true;
	}
	if (edit == COSTS_CHANGE)
		return false;
	for (size_t i = 0; i < list->key_count; i++)
		keys[i] = value_at(costs, list->children[i], first + pick % count);
	bool removed = tree_builder_remove_entry(builder, list, keys);
	for (size_t i = 0; i < list->key_count; i++)
		value_unref(keys[i]);
	return removed;
}

/* There are lists of more than a few entries below one instance. */
static bool is_large(const struct costs *costs, const struct schema_node *node)
{
	for (uint16_t i = 0; i < node->child_count; i++) {
		const struct schema_node *child = node->children[i];
		if (costs->wanted[child->id] &&
		    (costs->count[child->id] > COSTS_FEW || is_large(costs, child)))
			return true;
	}
	return false;
}

struct tree_record *costs_apply(struct costs *costs, const struct tree_record *base,
				const struct schema_node *node, enum costs_edit edit, size_t pick)
{
	if (!node->parent)
		return NULL;
	/* What comes or goes with many entries below costs as much as these are. */
	if (edit != COSTS_CHANGE && is_large(costs, node))
		return NULL;
	struct tree_builder *builder = tree_builder_new(costs->model->schema, base, NULL);
	size_t number = 0;
	size_t depth = go_down(costs, builder, node->parent, pick, &number);
	bool changed = false;
	if (node->kind == SCHEMA_LEAF)
		changed = change_leaf(costs, builder, node, edit, number);
	else if (node->kind == SCHEMA_LEAF_LIST)
		changed = change_values(costs, builder, node, edit, number);
	else if (node->kind == SCHEMA_LIST)
		changed = change_list(costs, builder, node, edit, number, pick);
	else if (edit == COSTS_DELETE)
		changed = tree_builder_remove(builder, node);
	while (depth-- > 0)
		tree_builder_leave(builder);
	struct tree_record *root = tree_builder_finish(builder);
	if (changed)
		return root;
	model_drop(costs->model, root);
	return NULL;
}
