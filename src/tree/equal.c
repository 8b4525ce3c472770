/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Deep equality of content. What both sides share is not looked at, so comparing a root with a later version
 * of it costs as much as they differ. Recursion follows the schema, whose depth is bounded.
 */
#include "tree/internal.h"

static bool map_equal(const struct schema_node *node, const struct tree_map *a, const struct tree_map *b)
{
	if (a == b)
		return true;
	if (a->count != b->count)
		return false;
	struct tree__pair pair;
	const union tree_item *in_a, *in_b;
	tree__pair_init(&pair, node, tree__map_in_order(a), tree__map_in_order(b));
	while (tree__pair_next(&pair, &in_a, &in_b)) {
		if (in_a == NULL || in_b == NULL)
			return false;
		if (node->kind == SCHEMA_LIST ? !tree_record_equal(node, in_a->record, in_b->record)
					      : !value_equal(in_a->value, in_b->value))
			return false;
	}
	return true;
}

static bool tables_equal(const struct tree_record *a, const struct tree_record *b)
{
	const struct tree_annotations *in_a = tree__record_annotations(a),
				      *in_b = tree__record_annotations(b);
	if (in_a == in_b)
		return true;
	return in_a != NULL && in_b != NULL &&
	       tree__annotations_equal(in_a->entries, in_a->length, in_b->entries, in_b->length);
}

bool tree__slot_equal(const struct schema_node *child, union tree_slot a, union tree_slot b)
{
	switch (child->kind) {
	case SCHEMA_LEAF:
		return value_equal(a.value, b.value);
	case SCHEMA_LIST:
	case SCHEMA_LEAF_LIST:
		return map_equal(child, a.map, b.map);
	case SCHEMA_CONTAINER:
		return tree_record_equal(child, a.record, b.record);
	case SCHEMA_ANYDATA:
	case SCHEMA_ANYXML:
		return tree_any_equal(a.any, b.any);
	case SCHEMA_ROOT:
	case SCHEMA_RPC:
	case SCHEMA_ACTION:
	case SCHEMA_OUTPUT:
	case SCHEMA_NOTIFICATION:
		break;
	}
	ASSERT(!"a node that no record stores");
	return false;
}

bool tree_record_equal(const struct schema_node *schema, const struct tree_record *a,
		       const struct tree_record *b)
{
	if (a == b)
		return true;
	if (a->length != b->length)
		return false;
	const uint16_t *in_a = tree_record_indexes(a), *in_b = tree_record_indexes(b);
	for (size_t i = 0; i < a->length; i++) {
		if (in_a[i] != in_b[i] ||
		    !tree__slot_equal(schema->children[in_a[i]], a->slots[i], b->slots[i]))
			return false;
	}
	return tables_equal(a, b);
}
