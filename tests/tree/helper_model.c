/* SPDX-License-Identifier: BSD-3-Clause */
/* The naive model of trees, and applying a change set to it. */
#include "helper_model.h"

#include <string.h>

#include "schema/type.h"
#include "tree/internal.h"

struct model_node *model_new(const struct schema_node *schema)
{
	struct model_node *node = memory_zalloc(sizeof(*node));
	node->schema = schema;
	return node;
}

void model_free(struct model_node *node)
{
	for (size_t i = 0; i < node->length; i++)
		model_free(node->children[i]);
	memory_free(node->children);
	value_unref(node->value);
	tree_any_unref(node->any);
	for (size_t i = 0; i < MODEL_NOTES; i++)
		value_unref(node->notes[i]);
	memory_free(node);
}

struct model_node *model_dup(const struct model_node *node)
{
	struct model_node *copy = model_new(node->schema);
	copy->value = value_ref(node->value);
	for (size_t i = 0; i < MODEL_NOTES; i++)
		copy->notes[i] = value_ref(node->notes[i]);
	copy->any = node->any != NULL ? tree_any_ref(node->any) : NULL;
	copy->length = node->length;
	copy->children = memory_resize(NULL, node->length, sizeof(*node->children));
	for (size_t i = 0; i < node->length; i++)
		copy->children[i] = model_dup(node->children[i]);
	return copy;
}

static struct value key_of(const struct model_node *node, size_t index)
{
	return node->schema->kind == SCHEMA_LIST ? node->children[index]->value : node->value;
}

static bool is_in_own_order(const struct schema_node *schema)
{
	return tree_node_is_user_ordered(schema) || tree_node_is_sequence(schema);
}

/* With keys NULL, or where the order is not that of keys: of the schema nodes alone. */
static int compare_with(const struct model_node *node, const struct schema_node *schema,
			const struct value *keys)
{
	if (node->schema != schema)
		return node->schema->slot < schema->slot ? -1 : 1;
	if (keys == NULL)
		return 0;
	if (schema->kind == SCHEMA_LEAF_LIST)
		return schema_type_compare(schema->type, node->value, keys[0]);
	for (size_t i = 0; schema->kind == SCHEMA_LIST && i < schema->key_count; i++) {
		int order = schema_type_compare(schema->children[i]->type, key_of(node, i), keys[i]);
		if (order != 0)
			return order;
	}
	return 0;
}

static size_t place_of(const struct model_node *parent, const struct schema_node *schema,
		       const struct value *keys)
{
	size_t i = 0;
	while (i < parent->length && compare_with(parent->children[i], schema, keys) < 0)
		i++;
	return i;
}

struct model_node *model_find(const struct model_node *parent, const struct schema_node *schema,
			      const struct value *keys)
{
	for (size_t i = place_of(parent, schema, NULL); i < parent->length; i++) {
		if (compare_with(parent->children[i], schema, keys) == 0)
			return parent->children[i];
	}
	return NULL;
}

struct model_node *model_at(const struct model_node *parent, const struct schema_node *schema, size_t index)
{
	size_t i = place_of(parent, schema, NULL) + index;
	return i < parent->length && parent->children[i]->schema == schema ? parent->children[i] : NULL;
}

size_t model_count(const struct model_node *parent, const struct schema_node *schema)
{
	size_t count = 0;
	while (model_at(parent, schema, count) != NULL)
		count++;
	return count;
}

static void insert_at(struct model_node *parent, struct model_node *child, size_t place)
{
	parent->children = memory_resize(parent->children, parent->length + 1, sizeof(*parent->children));
	memmove(parent->children + place + 1, parent->children + place,
		(parent->length - place) * sizeof(*parent->children));
	parent->children[place] = child;
	parent->length++;
}

void model_insert(struct model_node *parent, struct model_node *child)
{
	struct value keys[4];
	for (size_t i = 0; i < child->schema->key_count; i++)
		keys[i] = key_of(child, i);
	if (child->schema->kind == SCHEMA_LEAF_LIST)
		keys[0] = child->value;
	assert_true(tree_node_is_sequence(child->schema) || !model_find(parent, child->schema, keys));
	size_t place = place_of(parent, child->schema, NULL);
	place += is_in_own_order(child->schema) ? model_count(parent, child->schema)
						: place_of(parent, child->schema, keys) - place;
	insert_at(parent, child, place);
}

void model_insert_at(struct model_node *parent, struct model_node *child, size_t index)
{
	insert_at(parent, child, place_of(parent, child->schema, NULL) + index);
}

size_t model_index(const struct model_node *parent, const struct model_node *child)
{
	size_t i = 0;
	while (model_at(parent, child->schema, i) != child)
		i++;
	return i;
}

void model_move(struct model_node *parent, struct model_node *child, size_t index)
{
	size_t i = place_of(parent, child->schema, NULL) + model_index(parent, child);
	parent->length--;
	memmove(parent->children + i, parent->children + i + 1,
		(parent->length - i) * sizeof(*parent->children));
	model_insert_at(parent, child, index);
}

static void remove_at(struct model_node *parent, size_t i)
{
	model_free(parent->children[i]);
	parent->length--;
	memmove(parent->children + i, parent->children + i + 1,
		(parent->length - i) * sizeof(*parent->children));
}

void model_remove(struct model_node *parent, struct model_node *child)
{
	size_t i = 0;
	while (parent->children[i] != child)
		i++;
	remove_at(parent, i);
}

size_t model_remove_all(struct model_node *parent, const struct schema_node *schema)
{
	size_t removed = 0;
	for (size_t i = parent->length; i-- > 0;) {
		if (parent->children[i]->schema == schema) {
			remove_at(parent, i);
			removed++;
		}
	}
	return removed;
}

struct model_node *model_new_entry(const struct schema_node *list, const struct value *keys)
{
	struct model_node *entry = model_new(list);
	for (size_t i = 0; i < list->key_count; i++) {
		struct model_node *leaf = model_new(list->children[i]);
		leaf->value = value_ref(keys[i]);
		model_insert(entry, leaf);
	}
	return entry;
}

static void read_notes(struct model_node *node, const struct tree_annotation *from, size_t count)
{
	for (size_t i = 0; i < MODEL_NOTES; i++) {
		value_unref(node->notes[i]);
		node->notes[i] = VALUE_NONE;
	}
	for (size_t i = 0; i < count; i++) {
		assert_true(from[i].schema->index < MODEL_NOTES);
		assert_true(i == 0 || from[i - 1].schema->index < from[i].schema->index);
		node->notes[from[i].schema->index] = value_ref(from[i].value);
	}
}

bool model_has_notes(const struct model_node *node)
{
	bool has = false;
	for (size_t i = 0; i < MODEL_NOTES; i++)
		has |= !value_is_none(node->notes[i]);
	return has;
}

struct model_node *model_of(const struct schema *schema, const struct tree_position *position)
{
	struct model_node *node = model_new(position->schema);
	size_t count;
	const struct tree_annotation *notes = tree_position_annotations(position, &count);
	read_notes(node, notes, count);
	switch (position->schema->kind) {
	case SCHEMA_LEAF:
	case SCHEMA_LEAF_LIST:
		node->value = value_ref(position->value);
		return node;
	case SCHEMA_ANYDATA:
	case SCHEMA_ANYXML:
		node->any = tree_any_ref((struct tree_any *)position->any);
		return node;
	case SCHEMA_ROOT:
	case SCHEMA_CONTAINER:
	case SCHEMA_LIST:
		break;
	case SCHEMA_RPC:
	case SCHEMA_ACTION:
	case SCHEMA_OUTPUT:
	case SCHEMA_NOTIFICATION:
		fail();
	}
	struct tree_cursor cursor;
	struct tree_position child;
	tree_cursor_init(&cursor, schema, position, TREE_EXPLICIT);
	while (tree_cursor_next(&cursor, &child)) {
		/* Appended, not inserted: the cursor's order is under test. */
		node->children = memory_resize(node->children, node->length + 1, sizeof(*node->children));
		node->children[node->length++] = model_of(schema, &child);
	}
	return node;
}

bool model_equal(const struct model_node *a, const struct model_node *b)
{
	if (a->schema != b->schema || a->length != b->length || !value_equal(a->value, b->value) ||
	    (a->any == NULL) != (b->any == NULL) || (a->any != NULL && !tree_any_equal(a->any, b->any)))
		return false;
	for (size_t i = 0; i < MODEL_NOTES; i++) {
		if (!value_equal(a->notes[i], b->notes[i]))
			return false;
	}
	for (size_t i = 0; i < a->length; i++) {
		if (!model_equal(a->children[i], b->children[i]))
			return false;
	}
	return true;
}

void model_check(const struct schema *schema, const struct tree_record *root, const struct model_node *model)
{
	struct tree_position position = tree_position_root(schema, root);
	struct model_node *found = model_of(schema, &position);
	assert_true(model_equal(found, model));
	model_free(found);
}

/* The child instance of a model that a position is. */
static struct model_node *child_at(const struct model_node *parent, const struct tree_position *position)
{
	struct value keys[4] = {VALUE_NONE};
	if (tree_node_is_sequence(position->schema))
		return model_at(parent, position->schema, position->index - 1);
	if (position->schema->kind == SCHEMA_LEAF_LIST)
		keys[0] = position->value;
	for (size_t i = 0; position->schema->kind == SCHEMA_LIST && i < position->schema->key_count; i++)
		keys[i] = position->record->slots[i].value;
	return model_find(parent, position->schema, keys);
}

/* Where something goes that follows this item. */
static size_t index_behind(const struct model_node *parent, const struct schema_node *schema,
			   const union tree_item *item)
{
	struct tree_position position = {.schema = schema};
	if (item == NULL)
		return 0;
	position.value.word = item->word;
	struct model_node *node = child_at(parent, &position);
	assert_non_null(node);
	return model_index(parent, node) + 1;
}

static void put_behind(struct model_node *parent, struct model_node *child, const union tree_item *item)
{
	model_insert(parent, child);
	model_move(parent, child, 0); /* out of the way of the index */
	size_t index = index_behind(parent, child->schema, item);
	model_move(parent, child, index > 0 ? index - 1 : 0);
}

static void apply_below(struct model_node *model, const struct schema *schema,
			const struct tree_change *change, struct arena *arena, size_t *leafs);

/* Of an item of a sequence that none takes the place of: these are at the end of the old one. */
static bool is_deletion(const struct tree_change *change)
{
	const struct tree_change *next = change->next;
	return !change->has_new &&
	       (next == NULL || next->schema != change->schema || next->index != change->index);
}

static size_t deletions_from(const struct tree_change *change)
{
	const struct schema_node *schema = change->schema;
	size_t count = 0;
	for (; change != NULL && change->schema == schema; change = change->next)
		count++;
	return count;
}

/* Checks the old annotations and puts the new ones in their place. */
static void apply_notes(struct model_node *node, const struct tree_change *change)
{
	size_t old_count, new_count;
	const struct tree_annotation *in_old = tree_change_annotations(change, false, &old_count);
	const struct tree_annotation *in_new = tree_change_annotations(change, true, &new_count);
	assert_true(change->has_old && change->has_new);
	assert_true(model_has_notes(node) == (old_count > 0));
	for (size_t i = 0; i < old_count; i++)
		assert_true(value_equal(node->notes[in_old[i].schema->index], in_old[i].value));
	read_notes(node, in_new, new_count);
}

static void apply(struct model_node *parent, const struct schema *schema, const struct tree_change *change,
		  struct arena *arena, size_t *leafs)
{
	const struct tree_position *old_position = tree_change_position(change, false, arena);
	const struct tree_position *new_position = tree_change_position(change, true, arena);
	assert_int_equal(old_position != NULL, change->has_old);
	assert_int_equal(new_position != NULL, change->has_new);
	bool is_user_ordered = tree_node_is_user_ordered(change->schema),
	     is_sequence = tree_node_is_sequence(change->schema);
	struct model_node *old_node = child_at(parent, old_position != NULL ? old_position : new_position);
	if (is_sequence && is_deletion(change))
		old_node = model_at(parent, change->schema,
				    model_count(parent, change->schema) - deletions_from(change));
	if (is_sequence && old_position == NULL)
		old_node = NULL;
	assert_int_equal(old_node != NULL, change->has_old);
	assert_true(!change->moved || (is_user_ordered && change->has_old && change->has_new));
	if (change->moved) {
		model_move(parent, old_node, 0);
		size_t index = index_behind(parent, change->schema, change->predecessor);
		model_move(parent, old_node, index > 0 ? index - 1 : 0);
	}
	bool has_value = change->schema->kind == SCHEMA_LEAF || change->schema->kind == SCHEMA_ANYDATA;
	if (change->annotated && !has_value)
		apply_notes(old_node, change);
	if (change->children != NULL) {
		assert_true(change->has_old && change->has_new);
		apply_below(old_node, schema, change, arena, leafs);
		return;
	}
	(*leafs)++;
	if (change->moved || (change->annotated && !has_value))
		return;
	if (old_node != NULL) {
		struct model_node *was = model_of(schema, old_position);
		assert_true(model_equal(was, old_node));
		model_free(was);
		model_remove(parent, old_node);
	}
	if (new_position != NULL) {
		bool in_both = old_position != NULL;
		assert_true(!in_both || change->schema->kind == SCHEMA_LEAF ||
			    change->schema->kind == SCHEMA_ANYDATA);
		if (is_user_ordered)
			put_behind(parent, model_of(schema, new_position), change->predecessor);
		else if (is_sequence)
			model_insert_at(parent, model_of(schema, new_position), change->index - 1);
		else
			model_insert(parent, model_of(schema, new_position));
	}
}

static void apply_below(struct model_node *model, const struct schema *schema,
			const struct tree_change *change, struct arena *arena, size_t *leafs)
{
	const struct tree_position *before = NULL;
	for (const struct tree_change *child = change->children; child != NULL; child = child->next) {
		assert_ptr_equal(child->parent, change);
		const struct tree_position *here = tree_change_position(child, child->has_new, arena);
		bool is_first = before == NULL || before->schema != here->schema;
		bool is_note = here->schema->kind == SCHEMA_LEAF_LIST && child->has_old && child->has_new;
		if (is_first || !(tree_node_is_sequence(here->schema) || is_note))
			assert_true(before == NULL || tree_position_compare(before, here) < 0);
		/* Deleted items come before all others of a user-ordered list; their place is in the old
		 * tree. */
		bool is_apart = tree_node_is_user_ordered(here->schema) && !child->has_new &&
				child->next != NULL && child->next->has_new;
		before = is_apart ? NULL : here;
		apply(model, schema, child, arena, leafs);
	}
}

void model_apply(struct model_node *model, const struct schema *schema, const struct tree_change_set *changes)
{
	size_t leafs = 0;
	struct arena *arena = arena_new();
	if (changes->root != NULL) {
		assert_non_null(changes->root->children);
		apply_below(model, schema, changes->root, arena, &leafs);
	}
	assert_int_equal(leafs, changes->length);
	arena_free(arena);
}
