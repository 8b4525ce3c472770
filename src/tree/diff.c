/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The structural difference of two roots (prepare, in the pipeline of a proposal): records by merging their
 * present children, maps by map_pair.c, which skips what they share (user-ordered ones: diff_order.c).
 * Recursion follows the schema, whose
 * depth is bounded. A change is made before its children are looked for, and linked only if there are any.
 */
#include "tree/diff.h"

#include "tree/diff_internal.h"

static struct tree_change *new_change(struct tree__diff *diff, struct tree_change *parent,
				      const struct schema_node *schema, const union tree_slot *old_content,
				      const union tree_slot *new_content)
{
	struct tree_change *change = arena_zalloc(diff->arena, sizeof(*change));
	change->parent = parent;
	change->schema = schema;
	change->has_old = old_content != NULL;
	change->has_new = new_content != NULL;
	if (old_content != NULL)
		change->old_content = *old_content;
	if (new_content != NULL)
		change->new_content = *new_content;
	return change;
}

static void link_change(struct tree_change *parent, struct tree_change *change)
{
	if (parent->children == NULL)
		parent->children = change;
	else
		parent->last_child->next = change;
	parent->last_child = change;
}

struct tree_change *tree__diff_add(struct tree__diff *diff, struct tree_change *parent,
				   const struct schema_node *schema, const union tree_slot *old_content,
				   const union tree_slot *new_content)
{
	struct tree_change *change = new_change(diff, parent, schema, old_content, new_content);
	link_change(parent, change);
	diff->changes->length++;
	return change;
}

static void diff_records(struct tree__diff *diff, struct tree_change *change);

/* Nothing below differs: the new record is as old as the other one (stamp.h), or has been changed back. */
static void carry_stamp(const struct tree_record *old_record, const struct tree_record *new_record)
{
	uint32_t stamp = tree_record_stamp_get(old_record);
	if (tree_record_stamp_get(new_record) < stamp)
		tree_record_stamp_set(new_record, stamp);
}

struct tree_change *tree__diff_instance(struct tree__diff *diff, struct tree_change *parent,
					const struct schema_node *schema, const union tree_slot *old_content,
					const union tree_slot *new_content, bool moved)
{
	if ((old_content->record == new_content->record || diff->order_only) && !moved)
		return NULL;
	if (diff->order_only)
		return tree__diff_add(diff, parent, schema, old_content, new_content);
	struct tree_change *change = new_change(diff, parent, schema, old_content, new_content);
	if (old_content->record != new_content->record)
		diff_records(diff, change);
	change->annotated = old_content->record != new_content->record && tree__diff_own_annotations(change);
	if (change->children == NULL)
		carry_stamp(old_content->record, new_content->record);
	if (change->children == NULL && !moved && !change->annotated)
		return NULL;
	link_change(parent, change);
	diff->changes->length += change->children == NULL;
	return change;
}

static void diff_maps(struct tree__diff *diff, struct tree_change *parent, const struct schema_node *node,
		      const struct tree_map *old_map, const struct tree_map *new_map)
{
	struct tree__pair pair;
	const union tree_item *in_old, *in_new;
	tree__pair_init(&pair, node, old_map, new_map);
	while (tree__pair_next(&pair, &in_old, &in_new)) {
		union tree_slot old_content = {.word = in_old != NULL ? in_old->word : 0};
		union tree_slot new_content = {.word = in_new != NULL ? in_new->word : 0};
		if (in_old == NULL || in_new == NULL)
			tree__diff_add(diff, parent, node, in_old != NULL ? &old_content : NULL,
				       in_new != NULL ? &new_content : NULL);
		else if (node->kind == SCHEMA_LIST)
			tree__diff_instance(diff, parent, node, &old_content, &new_content, false);
	}
	diff->changes->visited += pair.visited;
}

/* One child of a record; old_slot or new_slot may be NULL, not both. */
static void diff_child(struct tree__diff *diff, struct tree_change *parent, const struct schema_node *child,
		       const union tree_slot *old_slot, const union tree_slot *new_slot)
{
	diff->changes->visited++;
	if (old_slot != NULL && new_slot != NULL && old_slot->word == new_slot->word)
		return;
	if (child->kind == SCHEMA_LIST || child->kind == SCHEMA_LEAF_LIST) {
		const struct tree_map *old_map = old_slot != NULL ? old_slot->map : NULL,
				      *new_map = new_slot != NULL ? new_slot->map : NULL;
		if (tree_node_is_user_ordered(child))
			tree__diff_user_ordered(diff, parent, child, old_map, new_map);
		else if (tree_node_is_sequence(child))
			tree__diff_sequences(diff, parent, child, old_map, new_map);
		else
			diff_maps(diff, parent, child, old_map, new_map);
		return;
	}
	if (old_slot == NULL || new_slot == NULL)
		tree__diff_add(diff, parent, child, old_slot, new_slot);
	else if (child->kind == SCHEMA_CONTAINER)
		tree__diff_instance(diff, parent, child, old_slot, new_slot, false);
	else if (!tree__slot_equal(child, *old_slot, *new_slot))
		tree__diff_add(diff, parent, child, old_slot, new_slot);
}

static void diff_records(struct tree__diff *diff, struct tree_change *change)
{
	const struct tree_record *old_record = change->old_content.record,
				 *new_record = change->new_content.record;
	const uint16_t *in_old = tree_record_indexes(old_record), *in_new = tree_record_indexes(new_record);
	bool annotated = tree__record_annotations(old_record) != tree__record_annotations(new_record);
	uint32_t i = 0, k = 0;
	while (i < old_record->length || k < new_record->length) {
		uint32_t old_index = i < old_record->length ? in_old[i] : UINT32_MAX;
		uint32_t new_index = k < new_record->length ? in_new[k] : UINT32_MAX;
		const union tree_slot *old_slot = old_index <= new_index ? &old_record->slots[i++] : NULL;
		const union tree_slot *new_slot = new_index <= old_index ? &new_record->slots[k++] : NULL;
		const struct schema_node *child =
			change->schema->children[old_slot != NULL ? old_index : new_index];
		struct tree_change *before = change->children != NULL ? change->last_child : NULL;
		diff_child(diff, change, child, old_slot, new_slot);
		if (annotated && old_slot != NULL && new_slot != NULL)
			tree__diff_annotations(diff, change, child, before);
	}
}

void tree_diff(const struct schema *schema, const struct tree_record *old_root,
	       const struct tree_record *new_root, struct arena *arena, struct tree_change_set *changes)
{
	*changes = (struct tree_change_set){.old_root = old_root, .new_root = new_root};
	if (old_root == new_root)
		return;
	struct tree__diff diff = {.arena = arena, .changes = changes};
	union tree_slot old_content = {.record = (struct tree_record *)old_root};
	union tree_slot new_content = {.record = (struct tree_record *)new_root};
	struct tree_change *root = new_change(&diff, NULL, schema->root, &old_content, &new_content);
	diff_records(&diff, root);
	if (root->children != NULL)
		changes->root = root;
}

const struct tree_annotation *tree_change_annotations(const struct tree_change *change, bool in_new,
						      size_t *count)
{
	const struct schema_node *schema = change->schema;
	const union tree_slot *content = in_new ? &change->new_content : &change->old_content;
	*count = 0;
	if (in_new ? !change->has_new : !change->has_old)
		return NULL;
	if (!tree__has_value(schema) && !tree__has_any(schema))
		return tree_annotations_find(content->record, (struct tree_annotated){0}, count);
	struct tree_annotated node = {.child = schema};
	if (schema->kind == SCHEMA_LEAF_LIST)
		node.item = content->value;
	const struct tree_change *parent = change->parent;
	const struct tree_record *record = in_new ? parent->new_content.record : parent->old_content.record;
	return tree_annotations_find(record, node, count);
}

const struct tree_position *tree_change_position(const struct tree_change *change, bool in_new,
						 struct arena *arena)
{
	struct tree_position *first = NULL;
	const struct tree_position **link = NULL;
	for (; change != NULL; change = change->parent) {
		if (in_new ? !change->has_new : !change->has_old)
			return NULL;
		union tree_slot content = in_new ? change->new_content : change->old_content;
		struct tree_position *position = arena_zalloc(arena, sizeof(*position));
		position->schema = change->schema;
		position->value.word = content.word;
		position->index = change->index;
		if (first == NULL)
			first = position;
		else
			*link = position;
		link = &position->parent;
	}
	return first;
}
