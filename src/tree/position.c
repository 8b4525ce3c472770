/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Positions: identity and document order of instances. Order is decided at the highest level where two paths
 * differ: by schema order, in one list by keys or, where the list is in another order, by index. Paths of one
 * request mostly share their parents' frames, so comparing goes up from the ends and stops where the frames
 * are the same.
 */
#include "tree/position.h"

#include "schema/type.h"
#include "tree/internal.h"

struct tree_position tree_position_root(const struct schema *schema, const struct tree_record *root)
{
	return (struct tree_position){.schema = schema->root, .record = root};
}

static size_t depth_of(const struct tree_position *position)
{
	size_t depth = 0;
	for (; position->parent != NULL; position = position->parent)
		depth++;
	return depth;
}

/* Defaults in use come in the order of their statements. */
static int compare_defaults(const struct schema_node *leaf_list, struct value a, struct value b)
{
	for (size_t i = 0; i < leaf_list->default_count; i++) {
		bool is_a = value_equal(leaf_list->defaults[i], a),
		     is_b = value_equal(leaf_list->defaults[i], b);
		if (is_a || is_b)
			return (int)is_b - (int)is_a;
	}
	return 0;
}

/* From 1 on; 0: it is not there. */
static uint64_t index_of(const struct tree_position *position)
{
	const struct schema_node *node = position->schema;
	if (position->index != 0 || tree_node_is_sequence(node) || position->parent->record == NULL)
		return position->index;
	const union tree_slot *slot = tree_record_find(position->parent->record, node);
	const struct value *keys =
		node->kind == SCHEMA_LIST ? &position->record->slots[0].value : &position->value;
	return slot != NULL && tree_map_find(slot->map, node, keys) != NULL
		       ? tree_map_rank(slot->map, node, keys) + 1
		       : 0;
}

static bool has_same_keys(const struct tree_position *a, const struct tree_position *b)
{
	if (a->value.word == b->value.word)
		return true;
	if (a->schema->kind == SCHEMA_LEAF_LIST)
		return value_equal(a->value, b->value);
	for (size_t i = 0; i < a->schema->key_count; i++) {
		if (!value_equal(a->record->slots[i].value, b->record->slots[i].value))
			return false;
	}
	return true;
}

/* Two items of one list or leaf-list that is not in the order of its keys. */
static int compare_places(const struct tree_position *a, const struct tree_position *b)
{
	if (!tree_node_is_sequence(a->schema) && has_same_keys(a, b))
		return 0;
	uint64_t left = index_of(a), right = index_of(b);
	return (left > right) - (left < right);
}

static bool is_operation(const struct schema_node *node)
{
	return node->kind == SCHEMA_RPC || node->kind == SCHEMA_ACTION || node->kind == SCHEMA_OUTPUT ||
	       node->kind == SCHEMA_NOTIFICATION;
}

/* Instances of two nodes: an operation, which is no child of the schema, is after the data beside it. */
static int compare_nodes(const struct schema_node *a, const struct schema_node *b)
{
	if (is_operation(a) != is_operation(b))
		return is_operation(a) ? 1 : -1;
	return a->slot < b->slot ? -1 : 1;
}

/* The order of two instances whose parents are the same. */
static int compare_siblings(const struct tree_position *a, const struct tree_position *b)
{
	if (a->schema != b->schema)
		return compare_nodes(a->schema, b->schema);
	bool is_stored = !a->implicit && !b->implicit;
	if (is_stored && (tree_node_is_user_ordered(a->schema) || tree_node_is_sequence(a->schema)))
		return compare_places(a, b);
	if (a->schema->kind == SCHEMA_LIST)
		return tree__record_compare_keys(a->schema, a->record, b->record);
	if (a->schema->kind == SCHEMA_LEAF_LIST && a->implicit && b->implicit)
		return compare_defaults(a->schema, a->value, b->value);
	if (a->schema->kind == SCHEMA_LEAF_LIST && a->value.word != b->value.word)
		return schema_type_compare(a->schema->type, a->value, b->value);
	return 0;
}

int tree_position_compare(const struct tree_position *a, const struct tree_position *b)
{
	size_t depth_a = depth_of(a), depth_b = depth_of(b);
	int order = (depth_a > depth_b) - (depth_a < depth_b);
	for (size_t i = depth_b; i < depth_a; i++)
		a = a->parent;
	for (size_t i = depth_a; i < depth_b; i++)
		b = b->parent;
	for (; a != b && a != NULL; a = a->parent, b = b->parent) {
		int here = compare_siblings(a, b);
		if (here != 0)
			order = here;
	}
	return order;
}

bool tree_position_same(const struct tree_position *a, const struct tree_position *b)
{
	return a->schema == b->schema && tree_position_compare(a, b) == 0;
}

const struct tree_position *tree_position_dup(const struct tree_position *position, struct arena *arena)
{
	struct tree_position *first = NULL;
	for (const struct tree_position **link = NULL; position != NULL; position = position->parent) {
		struct tree_position *copy = arena_alloc(arena, sizeof(*copy));
		*copy = *position;
		if (first == NULL)
			first = copy;
		else
			*link = copy;
		link = &copy->parent;
	}
	return first;
}
