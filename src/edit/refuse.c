/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Errors of an edit. Each names the instance that it is about by its path, keys included (RFC 6241 4.3
 * error-path). An instance that is missing has no position in the tree, so one is made up for it: a frame
 * below the builder's present position whose record holds nothing but the keys.
 */
#include "base/assert.h"
#include "edit/run.h"

static struct diag *add(struct edit_run *run, const struct schema_node *node, enum diag_tag tag,
			const char *reason)
{
	run->failed = true;
	struct diag *diag = diag_add(run->diags, DIAG_APPLICATION, tag, "\"%s\" %s", node->name, reason);
	if (tag == DIAG_BAD_ELEMENT)
		diag_add_info(run->diags, diag, "bad-element", node->name);
	return diag;
}

/* A record of nothing but keys, in the arena of the diagnostics. */
static const struct tree_record *keys_record(struct arena *arena, const struct schema_node *list,
					     const struct value *keys)
{
	size_t length = list->key_count;
	struct tree_record *record =
		arena_zalloc(arena, sizeof(*record) + length * (sizeof(union tree_slot) + sizeof(uint16_t)));
	record->refs = 1;
	record->length = record->capacity = (uint16_t)length;
	uint16_t *indexes = (uint16_t *)(record->slots + length);
	for (size_t i = 0; i < length; i++) {
		record->slots[i].value = keys[i];
		indexes[i] = list->children[i]->slot;
	}
	return record;
}

void edit__refuse_here(struct edit_run *run, enum diag_tag tag, const char *reason)
{
	const struct tree_position *position = tree_builder_position(run->builder);
	struct diag *diag = add(run, position->schema, tag, reason);
	tree_position_set_diag(position, run->diags, diag);
}

struct diag *edit__refuse_child(struct edit_run *run, const struct schema_node *child, enum diag_tag tag,
				const char *reason)
{
	struct diag *diag = add(run, child, tag, reason);
	tree_position_set_diag_child(tree_builder_position(run->builder), child, run->diags, diag);
	return diag;
}

struct diag *edit__refuse_item(struct edit_run *run, const struct schema_node *child,
			       const struct value *keys, enum diag_tag tag, const char *reason)
{
	ASSERT(child->kind == SCHEMA_LIST || child->kind == SCHEMA_LEAF_LIST);
	struct diag *diag = add(run, child, tag, reason);
	struct tree_position item = {.parent = tree_builder_position(run->builder), .schema = child};
	if (child->kind == SCHEMA_LIST)
		item.record = keys_record(run->diags->arena, child, keys);
	else
		item.value = keys[0];
	tree_position_set_diag(&item, run->diags, diag);
	return diag;
}

struct diag *edit__refuse_node(struct edit_run *run, const struct edit_node *node, enum diag_tag tag,
			       const char *reason)
{
	enum schema_kind kind = node->schema->kind;
	bool is_item = kind == SCHEMA_LIST || kind == SCHEMA_LEAF_LIST;
	const struct value *keys = is_item ? edit__keys(run, node) : NULL;
	return keys ? edit__refuse_item(run, node->schema, keys, tag, reason)
		    : edit__refuse_child(run, node->schema, tag, reason);
}
