/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Random changes through the builder, made to the naive model as well. Old roots are held, with their models,
 * and compared in full after later changes; each new root's diff from an older one turns that one's model
 * into its own.
 */
#include "helper_model.h"

#include <stdio.h>

#include "tree/internal.h"

static const char module[] =
	"module m { yang-version 1.1; namespace urn:m; prefix m;"
	" import ietf-yang-metadata { prefix md; }"
	" md:annotation a { type string; } md:annotation b { type string; } md:annotation c { type string; }"
	" grouping leafs { leaf s { type string; } leaf n { type int8; } leaf-list l { type int16; } anydata "
	"any; leaf-list ul { type int16; ordered-by user; } }"
	" grouping more { uses leafs; container np { uses leafs; container inner { uses leafs; } }"
	"  container p { presence yes; uses leafs; } }"
	" uses more;"
	" grouping lists {"
	"  list user { ordered-by user; key name; leaf name { type string; } uses more; }"
	"  list state { config false; uses leafs; list state { uses leafs; } } }"
	" container top { uses more; uses lists;"
	"  list outer { key \"k1 k2\"; leaf k1 { type int32; } leaf k2 { type string; } uses more;"
	"   uses lists; list inner { key name; leaf name { type string; } uses more; } } } }";

enum { DEPTH_MAX = 16, HELD = 6, ROUNDS = 200 };

struct frame {
	const struct schema_node *schema;
	struct model_node *node; /* NULL: not stored */
	bool made, shrunk;
};

struct version {
	struct tree_record *root; /* NULL: none */
	struct model_node *model;
};

struct run {
	const struct schema *schema;
	struct helper_random random;
	struct tree_builder *builder;
	struct model_node *model; /* of what is being built */
	struct frame frames[DEPTH_MAX];
	size_t depth;
	struct version held[HELD];
	struct tree_reclaimer *reclaimer;
};

static struct frame *top(struct run *run)
{
	return &run->frames[run->depth];
}

/* The model's node at the top, made with all above it. */
static struct model_node *materialize(struct run *run)
{
	for (size_t i = 1; i <= run->depth; i++) {
		if (run->frames[i].node == NULL) {
			run->frames[i].node = model_new(run->frames[i].schema);
			model_insert(run->frames[i - 1].node, run->frames[i].node);
		}
	}
	return top(run)->node;
}

static struct model_node *find(struct run *run, const struct schema_node *schema, const struct value *keys)
{
	return top(run)->node != NULL ? model_find(top(run)->node, schema, keys) : NULL;
}

static void push(struct run *run, const struct schema_node *schema, struct model_node *node)
{
	run->frames[++run->depth] = (struct frame){.schema = schema, .node = node};
}

static void leave(struct run *run)
{
	struct frame *frame = top(run);
	tree_builder_leave(run->builder);
	run->depth--;
	if (frame->schema->kind == SCHEMA_CONTAINER && !frame->schema->presence && frame->shrunk &&
	    !frame->made && frame->node->length == 0 && !model_has_notes(frame->node)) {
		model_remove(top(run)->node, frame->node);
		top(run)->shrunk = true;
	}
}

static struct value random_value(struct run *run, const struct schema_node *node, uint64_t range)
{
	char text[64];
	uint64_t number = helper_random_below(&run->random, range);
	bool is_text = node->name_bytes.size == 1 && node->name[0] == 's';
	is_text = is_text || strcmp(node->name, "k2") == 0 || strcmp(node->name, "name") == 0;
	if (is_text)
		snprintf(text, sizeof(text), number % 2 ? "%d" : "a long text %d", (int)number);
	else
		snprintf(text, sizeof(text), "%d", (int)number - (int)range / 2);
	return helper_value(text);
}

static void change_leaf(struct run *run, const struct schema_node *leaf)
{
	if (leaf->is_key)
		return;
	struct value value = random_value(run, leaf, 4);
	struct model_node *was = find(run, leaf, NULL);
	bool changes = was == NULL || !value_equal(was->value, value);
	assert_int_equal(tree_builder_set_leaf(run->builder, leaf, value), changes);
	if (was == NULL) {
		was = model_new(leaf);
		model_insert(materialize(run), was);
	}
	value_unref(was->value);
	was->value = value;
}

static void change_any(struct run *run, const struct schema_node *node)
{
	struct tree_any *any =
		tree_any_new(text_new(bytes_of(helper_random_below(&run->random, 2) ? "<a/>" : ""), 0));
	struct model_node *was = find(run, node, NULL);
	bool changes = was == NULL || !tree_any_equal(was->any, any);
	assert_int_equal(tree_builder_set_any(run->builder, node, any), changes);
	if (was == NULL) {
		was = model_new(node);
		model_insert(materialize(run), was);
	}
	tree_any_unref(was->any);
	was->any = any;
}

/* A place for a user-ordered item that is not `item` (NULL: a new one), and the index that it then has. The
 * keys of the anchor go to `keys`. */
static struct tree_insert random_place(struct run *run, const struct schema_node *schema,
				       const struct model_node *item, struct value *keys, size_t *index)
{
	const struct model_node *parent = top(run)->node;
	size_t count = parent != NULL ? model_count(parent, schema) : 0;
	size_t own = item != NULL ? model_index(parent, item) : count;
	size_t others = count - (item != NULL ? 1 : 0);
	uint64_t how = helper_random_below(&run->random, others > 0 ? 8 : 2);
	*index = how == 0 ? 0 : others;
	if (how < 2)
		return (struct tree_insert){.where = how == 0 ? TREE_FIRST : TREE_LAST};
	/* Often near the end, so that gaps close. */
	size_t anchor = how < 5 ? others - 1 : helper_random_below(&run->random, others);
	*index = how % 2 ? anchor : anchor + 1;
	const struct model_node *node = model_at(parent, schema, anchor < own ? anchor : anchor + 1);
	keys[0] = schema->kind == SCHEMA_LIST ? node->children[0]->value : node->value;
	enum tree_where after = helper_random_below(&run->random, 2) ? TREE_AFTER : TREE_AFTER_RUN;
	return (struct tree_insert){.where = how % 2 ? TREE_BEFORE : after, .anchor = keys};
}

static void insert_value(struct run *run, const struct schema_node *leaf_list, struct value value)
{
	struct model_node *was = find(run, leaf_list, &value);
	struct value anchor;
	size_t index;
	struct tree_insert insert = random_place(run, leaf_list, was, &anchor, &index);
	bool changes = was == NULL || model_index(top(run)->node, was) != index;
	assert_int_equal(tree_builder_insert_value(run->builder, leaf_list, value, &insert), changes);
	if (was != NULL) {
		model_move(top(run)->node, was, index);
		return;
	}
	struct model_node *node = model_new(leaf_list);
	node->value = value_ref(value);
	model_insert_at(materialize(run), node, index);
}

static void append_value(struct run *run, const struct schema_node *leaf_list)
{
	struct model_node *node = model_new(leaf_list);
	node->value = random_value(run, leaf_list, 4);
	assert_true(tree_builder_add_value(run->builder, leaf_list, node->value));
	model_insert(materialize(run), node);
}

static void change_value(struct run *run, const struct schema_node *leaf_list)
{
	if (tree_node_is_sequence(leaf_list)) {
		append_value(run, leaf_list);
		return;
	}
	struct value value = random_value(run, leaf_list, 200);
	if (tree_node_is_user_ordered(leaf_list) && helper_random_below(&run->random, 3) > 0) {
		insert_value(run, leaf_list, value);
		value_unref(value);
		return;
	}
	struct model_node *was = find(run, leaf_list, &value);
	if (helper_random_below(&run->random, 3) > 0) {
		assert_int_equal(tree_builder_add_value(run->builder, leaf_list, value), was == NULL);
		if (was == NULL) {
			struct model_node *node = model_new(leaf_list);
			node->value = value_ref(value);
			model_insert(materialize(run), node);
		}
	} else {
		assert_int_equal(tree_builder_remove_value(run->builder, leaf_list, value), was != NULL);
		if (was != NULL) {
			model_remove(top(run)->node, was);
			top(run)->shrunk |=
				tree_position_count(tree_builder_position(run->builder), leaf_list) == 0;
		}
	}
	value_unref(value);
}

static void enter_container(struct run *run, const struct schema_node *container)
{
	struct model_node *node = find(run, container, NULL);
	uint64_t how = helper_random_below(&run->random, 8);
	if (how < 2) {
		bool found = tree_builder_enter_existing(run->builder, container);
		assert_int_equal(found, node != NULL);
		if (!found)
			return;
	} else {
		tree_builder_enter(run->builder, container);
	}
	push(run, container, node);
	if (how == 7) {
		tree_builder_make(run->builder);
		materialize(run);
		top(run)->made = true;
	}
}

static void append_entry(struct run *run, const struct schema_node *list)
{
	tree_builder_append_entry(run->builder, list);
	struct model_node *node = model_new(list);
	model_insert(materialize(run), node);
	push(run, list, node);
}

static void insert_entry(struct run *run, const struct schema_node *list, struct value key)
{
	struct model_node *was = find(run, list, &key);
	struct value anchor;
	size_t index;
	struct tree_insert insert = random_place(run, list, was, &anchor, &index);
	bool changes = was == NULL || model_index(top(run)->node, was) != index;
	assert_int_equal(tree_builder_insert_entry(run->builder, list, &key, &insert), changes);
	if (was != NULL)
		model_move(top(run)->node, was, index);
	else
		model_insert_at(materialize(run), model_new_entry(list, &key), index);
}

static void change_entry(struct run *run, const struct schema_node *list)
{
	if (tree_node_is_sequence(list)) {
		append_entry(run, list);
		return;
	}
	struct value keys[2];
	for (size_t i = 0; i < list->key_count; i++)
		keys[i] = random_value(run, list->children[i], i == 0 && run->depth < 3 ? 200 : 20);
	if (list->user_ordered && helper_random_below(&run->random, 2) == 0)
		insert_entry(run, list, keys[0]);
	struct model_node *node = find(run, list, keys);
	uint64_t how = helper_random_below(&run->random, 10);
	if (how == 0) {
		assert_int_equal(tree_builder_remove_entry(run->builder, list, keys), node != NULL);
		if (node != NULL)
			model_remove(top(run)->node, node);
		if (node != NULL && tree_position_count(tree_builder_position(run->builder), list) == 0)
			top(run)->shrunk = true;
	} else if (how < 4) {
		bool found = tree_builder_enter_existing_entry(run->builder, list, keys);
		assert_int_equal(found, node != NULL);
		if (found)
			push(run, list, node);
	} else {
		bool made;
		tree_builder_enter_entry(run->builder, list, keys, &made);
		assert_int_equal(made, node == NULL);
		if (made) {
			node = model_new_entry(list, keys);
			model_insert(materialize(run), node);
		}
		push(run, list, node);
	}
	for (size_t i = 0; i < list->key_count; i++)
		value_unref(keys[i]);
}

static void remove_child(struct run *run, const struct schema_node *child)
{
	bool is_large = child->kind == SCHEMA_LIST || child->kind == SCHEMA_LEAF_LIST || run->depth == 0;
	if (child->is_key || (is_large && helper_random_below(&run->random, 20) > 0))
		return;
	size_t removed = top(run)->node != NULL ? model_remove_all(top(run)->node, child) : 0;
	assert_int_equal(tree_builder_remove(run->builder, child), removed > 0);
	top(run)->shrunk |= removed > 0;
}

/* Takes the child of the root from a held version. */
static void graft(struct run *run, const struct schema_node *child)
{
	const struct version *version = &run->held[helper_random_below(&run->random, HELD)];
	const union tree_slot *slot = version->root != NULL ? tree_record_find(version->root, child) : NULL;
	if (run->depth > 0 || slot == NULL || (child->kind != SCHEMA_CONTAINER && child->kind != SCHEMA_LIST))
		return;
	bool changed = tree_builder_graft(run->builder, child, slot);
	struct model_node *before = model_dup(run->model);
	model_remove_all(run->model, child);
	for (size_t i = 0; i < version->model->length; i++) {
		if (version->model->children[i]->schema == child)
			model_insert(run->model, model_dup(version->model->children[i]));
	}
	assert_int_equal(changed, !model_equal(before, run->model));
	model_free(before);
}

/* A child that has its annotations in the record of the frame; NULL: none was found. */
static struct model_node *random_child(struct run *run)
{
	struct model_node *parent = top(run)->node;
	if (parent == NULL || parent->length == 0)
		return NULL;
	struct model_node *child = parent->children[helper_random_below(&run->random, parent->length)];
	enum schema_kind kind = child->schema->kind;
	bool is_record = kind == SCHEMA_CONTAINER || kind == SCHEMA_LIST;
	return is_record || tree_node_is_sequence(child->schema) ? NULL : child;
}

static void remove_notes(struct run *run, struct tree_annotated node, struct model_node *in_model,
			 size_t index)
{
	bool all = index == MODEL_NOTES, removed = false;
	for (size_t i = 0; in_model != NULL && i < MODEL_NOTES; i++) {
		if (!all && i != index)
			continue;
		removed |= !value_is_none(in_model->notes[i]);
		value_unref(in_model->notes[i]);
		in_model->notes[i] = VALUE_NONE;
	}
	const struct schema_annotation *annotation = all ? NULL : &run->schema->annotations[index];
	assert_int_equal(tree_builder_remove_annotation(run->builder, node, annotation), removed);
	top(run)->shrunk |= removed;
}

static void annotate(struct run *run)
{
	bool own = run->depth > 0 && helper_random_below(&run->random, 3) == 0;
	struct model_node *in_model = own ? top(run)->node : random_child(run);
	if (!own && in_model == NULL)
		return;
	struct tree_annotated node = {0};
	if (!own)
		node.child = in_model->schema;
	if (!own && in_model->schema->kind == SCHEMA_LEAF_LIST)
		node.item = in_model->value;
	uint64_t how = helper_random_below(&run->random, 3 * MODEL_NOTES + 1);
	if (how >= 2 * MODEL_NOTES) {
		remove_notes(run, node, in_model, how - 2 * MODEL_NOTES);
		return;
	}
	size_t index = how % MODEL_NOTES;
	struct value value = helper_value(helper_random_below(&run->random, 2) ? "n" : "a longer note");
	bool changes = in_model == NULL || !value_equal(in_model->notes[index], value);
	assert_int_equal(tree_builder_annotate(run->builder, node, &run->schema->annotations[index], value),
			 changes);
	if (in_model == NULL)
		in_model = materialize(run);
	value_unref(in_model->notes[index]);
	in_model->notes[index] = value;
}

static void step(struct run *run)
{
	const struct schema_node *schema = top(run)->schema;
	const struct schema_node *child =
		schema->children[helper_random_below(&run->random, schema->child_count)];
	if (helper_random_below(&run->random, 2) == 0)
		child = schema->children[schema->child_count - 1u -
					 helper_random_below(&run->random, 3) %
						 schema->child_count]; /* mostly a list */
	uint64_t how = helper_random_below(&run->random, 100);
	if (how < 9) {
		if (run->depth > 0)
			leave(run);
	} else if (how < 17) {
		remove_child(run, child);
	} else if (how < 18) {
		graft(run, child);
	} else if (how < 28) {
		annotate(run);
	} else if (child->kind == SCHEMA_LEAF) {
		change_leaf(run, child);
	} else if (child->kind == SCHEMA_LEAF_LIST) {
		change_value(run, child);
	} else if (child->kind == SCHEMA_LIST) {
		change_entry(run, child);
	} else if (child->kind == SCHEMA_CONTAINER) {
		enter_container(run, child);
	} else {
		change_any(run, child);
	}
	const struct tree_position *position = tree_builder_position(run->builder);
	assert_ptr_equal(position->schema, top(run)->schema);
	assert_int_equal(position->record != NULL, top(run)->node != NULL);
	assert_int_equal(position->implicit, top(run)->node == NULL);
}

static void keys_of(const struct schema_node *list, const union tree_item *item, struct value *keys)
{
	for (size_t i = 0; list->kind == SCHEMA_LIST && i < list->key_count; i++)
		keys[i] = item->record->slots[i].value;
	if (list->kind == SCHEMA_LEAF_LIST)
		keys[0] = item->value;
}

/* The most items that are in both maps and in the same order. */
static size_t longest_common(const struct schema_node *list, const struct tree_map *a,
			     const struct tree_map *b, size_t *common)
{
	uint64_t *ranks = memory_resize(NULL, a->count, sizeof(*ranks));
	size_t *best = memory_resize(NULL, a->count, sizeof(*best)), longest = 0;
	*common = 0;
	struct tree_map_iter iter;
	for (const union tree_item *item = tree_map_first(&iter, a, list); item;
	     item = tree_map_next(&iter)) {
		struct value keys[4];
		keys_of(list, item, keys);
		if (tree_map_find(b, list, keys) != NULL)
			ranks[(*common)++] = tree_map_rank(b, list, keys);
	}
	for (size_t i = 0; i < *common; i++) {
		best[i] = 1;
		for (size_t k = 0; k < i; k++)
			best[i] = ranks[k] < ranks[i] && best[k] >= best[i] ? best[k] + 1 : best[i];
		longest = best[i] > longest ? best[i] : longest;
	}
	memory_free(ranks);
	memory_free(best);
	return longest;
}

/* Of each user-ordered list that is in both, no more items move than must. */
static void check_moves(const struct schema *schema, const struct tree_change *change)
{
	const struct schema_node *list = NULL;
	size_t moved = 0, common;
	for (const struct tree_change *child = change != NULL ? change->children : NULL; child != NULL;
	     child = child->next) {
		check_moves(schema, child);
		if (child->schema != list)
			moved = 0;
		list = child->schema;
		moved += child->moved;
		if (!tree_node_is_user_ordered(list) || (child->next != NULL && child->next->schema == list))
			continue;
		const union tree_slot *a = tree_record_find(change->old_content.record, list),
				      *b = tree_record_find(change->new_content.record, list);
		size_t longest = a && b ? longest_common(list, a->map, b->map, &common) : (common = 0);
		assert_int_equal(moved, common - longest);
	}
}

static void check_diff(struct run *run, const struct version *from, const struct version *to)
{
	struct arena *arena = arena_new();
	struct tree_change_set changes;
	tree_diff(run->schema, from->root, to->root, arena, &changes);
	struct model_node *model = model_dup(from->model);
	model_apply(model, run->schema, &changes);
	assert_true(model_equal(model, to->model));
	check_moves(run->schema, changes.root);
	assert_int_equal(tree_record_equal(run->schema->root, from->root, to->root), changes.root == NULL);
	model_free(model);
	arena_free(arena);
}

static void drop_version(struct run *run, struct version *version)
{
	if (version->root == NULL)
		return;
	model_check(run->schema, version->root, version->model);
	tree_record_unref(version->root, run->schema->root, run->reclaimer);
	model_free(version->model);
	version->root = NULL;
}

static void one_round(struct run *run, struct version *present)
{
	run->builder = tree_builder_new(run->schema, present->root, run->reclaimer);
	run->model = model_dup(present->model);
	run->depth = 0;
	run->frames[0] = (struct frame){.schema = run->schema->root, .node = run->model};
	/* Mostly the old root is held, sometimes the builder is its only owner and changes it in place. */
	struct version old = *present;
	struct tree_record *old_pointer = present->root;
	bool is_held = helper_random_below(&run->random, 5) > 0;
	if (!is_held)
		tree_record_unref(old.root, run->schema->root, run->reclaimer);
	uint64_t steps =
		helper_random_below(&run->random, 10) == 0 ? 1500 : helper_random_below(&run->random, 60);
	for (uint64_t i = 0; i < steps; i++)
		step(run);
	if (is_held && helper_random_below(&run->random, 6) == 0) {
		tree_builder_abort(run->builder);
		model_free(run->model);
		model_check(run->schema, old.root, old.model);
		return;
	}
	while (run->depth > 0)
		leave(run);
	*present = (struct version){tree_builder_finish(run->builder), run->model};
	helper_check(run->schema->root, present->root);
	model_check(run->schema, present->root, present->model);
	if (!is_held) {
		model_free(old.model);
		return;
	}
	assert_true(present->root != old_pointer || model_equal(old.model, present->model));
	check_diff(run, &old, present);
	struct version *place = &run->held[helper_random_below(&run->random, HELD)];
	if (place->root != NULL)
		check_diff(run, place, present);
	drop_version(run, place);
	*place = old;
}

static void random_builds(void **state)
{
	(void)state;
	struct schema *schema = helper_schema("m", module);
	struct run run = {.schema = schema, .random = helper_random_init("model")};
	run.reclaimer = tree_reclaimer_new(NULL, NULL);
	struct version present = {tree_record_new(), model_new(schema->root)};
	for (int i = 0; i < ROUNDS; i++) {
		one_round(&run, &present);
		for (size_t k = 0; i % 10 == 0 && k < HELD; k++) {
			if (run.held[k].root != NULL)
				model_check(schema, run.held[k].root, run.held[k].model);
		}
		tree_reclaimer_run(run.reclaimer, 1000);
	}
	print_message("the last root has %zu bytes\n", tree_record_memory(schema->root, present.root));
	for (size_t i = 0; i < HELD; i++)
		drop_version(&run, &run.held[i]);
	drop_version(&run, &present);
	tree_reclaimer_free(run.reclaimer);
	schema_unref(schema);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_builds),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
