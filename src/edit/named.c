/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A walk over the edit tree with both roots beside it: what edit_apply made, and what settle left. A node
 * that the first has and the second has not was removed; where the edit sets it, the request is refused. What
 * the two roots share is not entered.
 */
#include "edit/named.h"

#include "edit/run.h"
#include "tree/map.h"
#include "tree/position.h"

struct naming {
	struct diag_list *diags;
	struct vector keys; /* struct value: borrowed, of one entry */
	bool failed;
};

static bool sets(enum edit_operation operation)
{
	return operation == EDIT_MERGE || operation == EDIT_REPLACE || operation == EDIT_CREATE;
}

/* NULL where a key has no value. */
static const struct value *keys_of(struct naming *naming, const struct edit_node *node)
{
	vector_clear(&naming->keys);
	const struct edit_node *key = node->children;
	for (size_t i = 0; i < node->schema->key_count; i++, key = key->next) {
		if (value_is_none(key->value))
			return NULL;
		*(struct value *)vector_push(&naming->keys) = key->value;
	}
	return naming->keys.data;
}

/* The instance that the edit node names below the record; false where it is not there. */
static bool find(struct naming *naming, const struct tree_record *parent, const struct edit_node *node,
		 struct tree_position *position)
{
	const struct schema_node *schema = node->schema;
	const union tree_slot *slot = tree_record_find(parent, schema);
	*position = (struct tree_position){.schema = schema};
	if (slot == NULL)
		return false;
	if (schema->kind == SCHEMA_CONTAINER) {
		position->record = slot->record;
	} else if (schema->kind == SCHEMA_LEAF) {
		position->value = slot->value;
	} else if (schema->kind == SCHEMA_LIST || schema->kind == SCHEMA_LEAF_LIST) {
		bool is_list = schema->kind == SCHEMA_LIST;
		const struct value *keys = is_list ? keys_of(naming, node) : &node->value;
		const union tree_item *item = NULL;
		if (keys != NULL && !value_is_none(keys[0]))
			item = tree_map_find(slot->map, schema, keys);
		if (item == NULL)
			return false;
		if (is_list)
			position->record = item->record;
		else
			position->value = item->value;
	} else {
		position->any = slot->any;
	}
	return true;
}

static void refuse(struct naming *naming, const struct tree_position *position)
{
	struct diag *diag = diag_add(naming->diags, DIAG_APPLICATION, DIAG_UNKNOWN_ELEMENT,
				     "\"%s\" is under a when condition that the request makes false.",
				     position->schema->name);
	tree_position_set_diag(position, naming->diags, diag);
	diag_add_info(naming->diags, diag, "bad-element", position->schema->name);
	naming->failed = true;
}

static void visit(struct naming *naming, const struct edit_node *parent, enum edit_operation inherited,
		  const struct tree_position *applied, const struct tree_record *settled)
{
	if (applied->record == settled)
		return;
	for (const struct edit_node *node = parent->children; node != NULL; node = node->next) {
		enum edit_operation operation = edit__operation(node, inherited);
		struct tree_position made, left;
		bool is_there = operation != EDIT_DELETE && operation != EDIT_REMOVE &&
				find(naming, applied->record, node, &made);
		if (!is_there)
			continue;
		made.parent = applied;
		enum schema_kind kind = node->schema->kind;
		if (find(naming, settled, node, &left)) {
			if (kind == SCHEMA_CONTAINER || kind == SCHEMA_LIST)
				visit(naming, node, operation, &made, left.record);
		} else if (sets(operation)) {
			refuse(naming, &made);
		}
	}
}

enum status edit_check_named(const struct schema *schema, const struct tree_record *applied,
			     const struct tree_record *settled, const struct edit_tree *edit,
			     const struct edit_options *options, struct diag_list *diags)
{
	struct naming naming = {.diags = diags};
	vector_init(&naming.keys, sizeof(struct value));
	struct tree_position root = tree_position_root(schema, applied);
	visit(&naming, edit->top, edit__operation(edit->top, options->default_operation), &root, settled);
	vector_fini(&naming.keys);
	return naming.failed ? ST_REJECTED : ST_OK;
}
