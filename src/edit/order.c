/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The order of user-ordered lists and leaf-lists (RFC 7950 7.7.9, 7.8.6): where an entry or value goes that
 * is merged, replaced or created. One after the other, in the order written, each relative to what is there
 * by then; without yang:insert a new one becomes the last and an existing one keeps its place.
 *
 * Below a replace it is as if all were gone and were made anew in the order written. They are not: prune.c
 * kept what the request names. So the list is in two parts there, and what an item is placed by are those
 * before it only:
 *
 *     placed items, in their final order so far | others, in the old order
 *                                               ^ `placed`: how many
 *
 * An item that the request comes to goes from the second part into the first one. If it stands at the border
 * already, as all do where the order is the same as before, nothing changes.
 */
#include "base/assert.h"
#include "edit/run.h"

static const char reason_bad_anchor[] = "names an instance to be inserted next to that does not exist.";
static const char reason_own_anchor[] = "is to be inserted next to itself.";
static const char reason_no_anchor[] = "does not say before or after what to insert.";
static const char reason_no_order[] = "has a yang:insert attribute, but its order is not up to users.";
static const char reason_not_put[] = "has a yang:insert attribute, but is not put anywhere.";

/* One item on its way to its place. */
struct placing {
	struct edit_run *run;
	const struct edit_node *node;
	const struct value *keys;
	const struct tree_map *map; /* NULL: empty so far */
	uint64_t *placed;	    /* NULL: not below a replace */
};

static size_t key_count(const struct schema_node *node)
{
	return node->kind == SCHEMA_LIST ? node->key_count : 1;
}

static void refuse_attribute(struct edit_run *run, const struct edit_node *node, const struct value *keys,
			     const char *attribute, const char *reason)
{
	struct diag *diag = edit__refuse_item(run, node->schema, keys, DIAG_BAD_ATTRIBUTE, reason);
	diag_add_info(run->diags, diag, "bad-attribute", attribute);
	diag_add_info(run->diags, diag, "bad-element", node->schema->name);
}

bool edit__check_insert(struct edit_run *run, const struct edit_node *node, enum edit_operation operation)
{
	if (node->insert == EDIT_INSERT_UNSPECIFIED)
		return true;
	bool is_put = operation == EDIT_MERGE || operation == EDIT_REPLACE || operation == EDIT_CREATE;
	bool is_ordered = tree_node_is_user_ordered(node->schema);
	if (is_put && is_ordered)
		return true;
	struct diag *diag =
		edit__refuse_node(run, node, is_ordered ? DIAG_BAD_ATTRIBUTE : DIAG_UNKNOWN_ATTRIBUTE,
				  is_ordered ? reason_not_put : reason_no_order);
	diag_add_info(run->diags, diag, "bad-attribute", "insert");
	diag_add_info(run->diags, diag, "bad-element", node->schema->name);
	return false;
}

static const char *anchor_attribute(const struct schema_node *node)
{
	return node->kind == SCHEMA_LIST ? "key" : "value";
}

static bool is_itself(const struct placing *placing)
{
	for (size_t i = 0; i < key_count(placing->node->schema); i++) {
		if (!value_equal(placing->keys[i], placing->node->insert_keys[i]))
			return false;
	}
	return true;
}

/* Before or after: what is named must be there, and below a replace have been placed. */
static bool anchor_is_good(const struct placing *placing)
{
	const struct edit_node *node = placing->node;
	const char *attribute = anchor_attribute(node->schema);
	if (!node->insert_keys) {
		refuse_attribute(placing->run, node, placing->keys, attribute, reason_no_anchor);
		return false;
	}
	if (is_itself(placing)) {
		refuse_attribute(placing->run, node, placing->keys, attribute, reason_own_anchor);
		return false;
	}
	if (tree_map_find(placing->map, node->schema, node->insert_keys) &&
	    (!placing->placed ||
	     tree_map_rank(placing->map, node->schema, node->insert_keys) < *placing->placed))
		return true;
	struct diag *diag = edit__refuse_item(placing->run, node->schema, placing->keys, DIAG_BAD_ATTRIBUTE,
					      reason_bad_anchor);
	diag_set_app_tag(placing->run->diags, diag, "missing-instance");
	diag_add_info(placing->run->diags, diag, "bad-attribute", attribute);
	diag_add_info(placing->run->diags, diag, "bad-element", node->schema->name);
	return false;
}

/* Behind all others that count. */
static struct tree_insert last_place(const struct placing *placing)
{
	const struct schema_node *node = placing->node->schema;
	if (!placing->placed || *placing->placed == tree_map_count(placing->map))
		return (struct tree_insert){.where = TREE_LAST};
	if (*placing->placed == 0)
		return (struct tree_insert){.where = TREE_FIRST};
	struct tree_map_iter iter;
	const union tree_item *item = tree_map_at(&iter, placing->map, node, *placing->placed - 1);
	const struct value *keys = node->kind == SCHEMA_LIST ? &item->record->slots[0].value : &item->value;
	struct vector *anchor = &placing->run->anchor;
	vector_clear(anchor);
	for (size_t i = 0; i < key_count(node); i++)
		*(struct value *)vector_push(anchor) = keys[i];
	return (struct tree_insert){.where = TREE_AFTER_RUN, .anchor = anchor->data};
}

static struct tree_insert place_of(const struct placing *placing)
{
	const struct edit_node *node = placing->node;
	switch ((enum edit_insert)node->insert) {
	case EDIT_INSERT_FIRST:
		return (struct tree_insert){.where = TREE_FIRST};
	case EDIT_INSERT_BEFORE:
		return (struct tree_insert){.where = TREE_BEFORE, .anchor = node->insert_keys};
	case EDIT_INSERT_AFTER:
		return (struct tree_insert){.where = TREE_AFTER, .anchor = node->insert_keys};
	case EDIT_INSERT_LAST:
	case EDIT_INSERT_UNSPECIFIED:
		break;
	}
	return last_place(placing);
}

/* `rank`: of the item, which exists. */
static bool is_last_placed(const struct placing *placing, uint64_t rank)
{
	bool wants_last = placing->node->insert == EDIT_INSERT_LAST;
	return wants_last && placing->placed && rank + 1 == *placing->placed;
}

bool edit__put_in_place(struct edit_run *run, const struct edit_node *node, const struct value *keys,
			uint64_t *placed)
{
	const struct schema_node *schema = node->schema;
	const union tree_slot *stored = edit__stored(run, schema);
	struct placing placing = {run, node, keys, stored ? stored->map : NULL, placed};
	bool has_anchor = node->insert == EDIT_INSERT_BEFORE || node->insert == EDIT_INSERT_AFTER;
	if (has_anchor && !anchor_is_good(&placing))
		return false;
	bool exists = tree_map_find(placing.map, schema, keys) != NULL;
	uint64_t rank = exists && placed ? tree_map_rank(placing.map, schema, keys) : 0;
	bool is_placed = exists && (!placed || rank < *placed);
	if (is_placed && (node->insert == EDIT_INSERT_UNSPECIFIED || is_last_placed(&placing, rank)))
		return true;
	struct tree_insert insert = place_of(&placing);
	if (schema->kind == SCHEMA_LIST)
		tree_builder_insert_entry(run->builder, schema, keys, &insert);
	else
		tree_builder_insert_value(run->builder, schema, keys[0], &insert);
	if (placed && !is_placed)
		++*placed;
	return true;
}

void edit__forget_place(struct edit_run *run, const struct schema_node *schema, const struct value *keys,
			uint64_t *placed)
{
	const union tree_slot *stored = placed ? edit__stored(run, schema) : NULL;
	if (stored && tree_map_find(stored->map, schema, keys) &&
	    tree_map_rank(stored->map, schema, keys) < *placed)
		--*placed;
}
