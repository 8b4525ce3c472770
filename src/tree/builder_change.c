/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The builder's changes at the present position. Each looks first whether it would change anything, and only
 * then makes the position the builder's own (builder.c); so a replace with equal content keeps every node.
 */
#include "tree/builder_internal.h"

/* Puts content (Takes its reference) in place of what the child has. */
static void put(struct tree_builder *builder, const struct schema_node *child, union tree_slot content)
{
	struct tree_record *record = tree__builder_own(builder);
	union tree_slot *slot = (union tree_slot *)tree_record_find(record, child);
	if (slot == NULL) {
		tree__builder_insert(builder, child, content);
		return;
	}
	union tree_slot old = *slot;
	*slot = content;
	builder->last.word = 0;
	tree__slot_unref(child, old, builder->reclaimer);
}

/* The frame is the builder's own, and the child would be its last one: as in a request that makes an entry,
 * and names its leafs in the order of the schema. */
static bool is_behind_all(const struct tree__frame *frame, const struct schema_node *child)
{
	const struct tree_record *record = frame->position.record;
	ASSERT(child->parent == frame->position.schema);
	return frame->owned && record->length > 0 &&
	       tree_record_indexes(record)[record->length - 1] < child->slot;
}

bool tree_builder_set_leaf(struct tree_builder *builder, const struct schema_node *leaf, struct value value)
{
	ASSERT(leaf->kind == SCHEMA_LEAF && !value_is_none(value));
	if (builder->stamp == 0 && is_behind_all(builder->top, leaf)) {
		tree__builder_insert(builder, leaf, (union tree_slot){.value = value_ref(value)});
		return true;
	}
	const union tree_slot *slot = tree__builder_find(builder, leaf);
	if (slot != NULL && value_equal(slot->value, value))
		return false;
	ASSERT(!leaf->is_key);
	put(builder, leaf, (union tree_slot){.value = value_ref(value)});
	return true;
}

bool tree_builder_set_any(struct tree_builder *builder, const struct schema_node *node, struct tree_any *any)
{
	ASSERT(node->kind == SCHEMA_ANYDATA || node->kind == SCHEMA_ANYXML);
	const union tree_slot *slot = tree__builder_find(builder, node);
	if (slot != NULL && tree_any_equal(slot->any, any))
		return false;
	put(builder, node, (union tree_slot){.any = tree_any_ref(any)});
	return true;
}

bool tree_builder_add_value(struct tree_builder *builder, const struct schema_node *leaf_list,
			    struct value value)
{
	ASSERT(leaf_list->kind == SCHEMA_LEAF_LIST && !value_is_none(value));
	if (tree_node_is_sequence(leaf_list)) {
		tree__builder_append_item(builder, leaf_list, (union tree_item){.value = value_ref(value)});
		return true;
	}
	struct tree__place place;
	struct tree__key key;
	tree__key_of_values(&key, leaf_list, &value);
	bool changes = !tree__builder_search(builder, leaf_list, &key, &place);
	if (changes) {
		union tree_item item = {.value = value_ref(value)};
		tree__builder_add_item(builder, &place, &key, item, NULL);
	}
	tree__key_fini(&key);
	return changes;
}

static bool move_item(struct tree_builder *builder, struct tree__place *place, const struct tree__key *key,
		      const struct tree_insert *insert)
{
	const struct schema_node *node = place->iter.node;
	struct tree__gap gap;
	if (tree__order_is_at(tree__builder_find(builder, node)->map, place, insert, &gap))
		return false;
	struct tree_record *record = tree__builder_own(builder);
	union tree_slot *slot = (union tree_slot *)tree_record_find(record, node);
	tree__order_move(&slot->map, place, key, insert, gap, builder->reclaimer);
	return true;
}

/* Puts the item with these keys in its place, made if it is not there. */
static bool insert_item(struct tree_builder *builder, const struct schema_node *node,
			const struct value *keys, const struct tree_insert *insert)
{
	ASSERT(tree_node_is_user_ordered(node));
	struct tree__place place;
	struct tree__key key;
	bool changes = true;
	tree__key_of_values(&key, node, keys);
	if (tree__builder_search(builder, node, &key, &place)) {
		changes = move_item(builder, &place, &key, insert);
	} else {
		union tree_item item;
		if (node->kind == SCHEMA_LIST)
			item.record = tree__builder_new_entry(node, keys, 0);
		else
			item.value = value_ref(keys[0]);
		tree__builder_add_item(builder, &place, &key, item, insert);
	}
	tree__key_fini(&key);
	return changes;
}

bool tree_builder_insert_entry(struct tree_builder *builder, const struct schema_node *list,
			       const struct value *keys, const struct tree_insert *insert)
{
	ASSERT(list->kind == SCHEMA_LIST);
	return insert_item(builder, list, keys, insert);
}

bool tree_builder_insert_value(struct tree_builder *builder, const struct schema_node *leaf_list,
			       struct value value, const struct tree_insert *insert)
{
	ASSERT(leaf_list->kind == SCHEMA_LEAF_LIST && !value_is_none(value));
	return insert_item(builder, leaf_list, &value, insert);
}

/* Takes the item out of the list or leaf-list and releases it. False where it is not there. */
static bool remove_item(struct tree_builder *builder, const struct schema_node *node,
			const struct value *keys)
{
	struct tree__place place;
	if (!tree__builder_find_item(builder, node, keys, &place))
		return false;
	struct tree_record *record = tree__builder_own(builder);
	union tree_slot *slot = (union tree_slot *)tree_record_find(record, node);
	builder->last.word = 0;
	union tree_item item = slot->map->kind == TREE__PAIR
				       ? tree__order_remove(&slot->map, &place, builder->reclaimer)
				       : tree__map_remove(&slot->map, &place.iter, builder->reclaimer);
	if (slot->map == NULL)
		tree__builder_remove(builder, builder->top, node);
	if (node->kind == SCHEMA_LIST) {
		tree_record_unref(item.record, node, builder->reclaimer);
		return true;
	}
	record = (struct tree_record *)builder->top->position.record;
	record = tree__annotations_remove(record, (struct tree_annotated){node, item.value}, NULL);
	tree__builder_moved(builder, builder->top, record);
	value_unref(item.value);
	return true;
}

bool tree_builder_remove_value(struct tree_builder *builder, const struct schema_node *leaf_list,
			       struct value value)
{
	ASSERT(leaf_list->kind == SCHEMA_LEAF_LIST);
	return remove_item(builder, leaf_list, &value);
}

bool tree_builder_remove_entry(struct tree_builder *builder, const struct schema_node *list,
			       const struct value *keys)
{
	ASSERT(list->kind == SCHEMA_LIST);
	return remove_item(builder, list, keys);
}

bool tree_builder_remove(struct tree_builder *builder, const struct schema_node *child)
{
	ASSERT(!child->is_key);
	if (tree__builder_find(builder, child) == NULL)
		return false;
	struct tree_record *record = tree__builder_own(builder);
	union tree_slot content = *tree_record_find(record, child);
	tree__builder_remove(builder, builder->top, child);
	tree__slot_unref(child, content, builder->reclaimer);
	return true;
}

static bool may_have(const struct tree_builder *builder, struct tree_annotated node)
{
	if (node.child == NULL)
		return builder->top->up != NULL;
	const union tree_slot *slot = tree__builder_find(builder, node.child);
	if (slot == NULL || node.child->kind != SCHEMA_LEAF_LIST)
		return slot != NULL && (tree__has_value(node.child) || tree__has_any(node.child));
	return tree_map_find(slot->map, node.child, &node.item) != NULL;
}

static const struct tree_annotation *find_annotation(const struct tree_builder *builder,
						     struct tree_annotated node,
						     const struct schema_annotation *annotation)
{
	const struct tree_record *record = builder->top->position.record;
	size_t count = 0;
	const struct tree_annotation *found =
		record != NULL ? tree_annotations_find(record, node, &count) : NULL;
	for (size_t i = 0; i < count; i++) {
		if (annotation == NULL || found[i].schema == annotation)
			return &found[i];
	}
	return NULL;
}

/* Annotations change no stamp. */
static struct tree_record *own_unstamped(struct tree_builder *builder)
{
	uint32_t stamp = builder->stamp;
	builder->stamp = 0;
	struct tree_record *record = tree__builder_own(builder);
	builder->stamp = stamp;
	return record;
}

bool tree_builder_annotate(struct tree_builder *builder, struct tree_annotated node,
			   const struct schema_annotation *annotation, struct value value)
{
	ASSERT(may_have(builder, node) && !value_is_none(value));
	const struct tree_annotation *found = find_annotation(builder, node, annotation);
	if (found != NULL && value_equal(found->value, value))
		return false;
	struct tree_record *record = own_unstamped(builder);
	record = tree__annotations_put(record, node, annotation, value);
	tree__builder_moved(builder, builder->top, record);
	return true;
}

bool tree_builder_remove_annotation(struct tree_builder *builder, struct tree_annotated node,
				    const struct schema_annotation *annotation)
{
	if (find_annotation(builder, node, annotation) == NULL)
		return false;
	struct tree_record *record = own_unstamped(builder);
	record = tree__annotations_remove(record, node, annotation);
	tree__builder_moved(builder, builder->top, record);
	builder->top->shrunk = true;
	return true;
}

bool tree_builder_graft(struct tree_builder *builder, const struct schema_node *child,
			const union tree_slot *content)
{
	ASSERT(!child->is_key);
	const union tree_slot *slot = tree__builder_find(builder, child);
	if (slot != NULL && tree__slot_equal(child, *slot, *content))
		return false;
	union tree_slot own = *content;
	tree__slot_ref(child, own);
	put(builder, child, own);
	struct tree_record *record = (struct tree_record *)builder->top->position.record;
	tree__builder_moved(builder, builder->top, tree__annotations_remove_child(record, child));
	return true;
}

bool tree_builder_graft_entry(struct tree_builder *builder, const struct schema_node *list,
			      const struct tree_record *entry)
{
	ASSERT(list->kind == SCHEMA_LIST && list->key_count > 0 && builder->stamp == 0);
	struct tree__place place;
	struct tree__key key;
	/* The keys are a record's first children. */
	tree__key_of_values(&key, list, &entry->slots[0].value);
	bool changes = !tree__builder_search(builder, list, &key, &place);
	if (changes) {
		union tree_item item = {.record = tree_record_ref(entry)};
		tree__builder_put_item(builder, &place, &key, item, NULL);
	}
	tree__key_fini(&key);
	return changes;
}
