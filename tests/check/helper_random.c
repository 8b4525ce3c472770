/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Random edits; see helper_random.h. Values are picked among a few words, so that they meet.
 */
#include "helper_random.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schema/type.h"

static const char *const words[] = {"a",
				    "b",
				    "c",
				    "1",
				    "2",
				    "3",
				    "",
				    "true",
				    "false",
				    "l2vlan",
				    "/vals:t[k='a'][n='1']",
				    "/vals:t[k='b'][n='2']/in/c",
				    "/vals:t[k='a'][n='1']/in",
				    "/vals:t[k='a'][n='2']/s[i='1']/m[.='b']",
				    "/vals:t[k='a'][n='2']/in/b",
				    "/vals:r[k='b']/i",
				    "/vals:first"};

unsigned random_pick(struct random *random, unsigned count)
{
	random->seed ^= random->seed << 13;
	random->seed ^= random->seed >> 7;
	random->seed ^= random->seed << 17;
	return (unsigned)((random->seed >> 16) % count);
}

static struct value pick_value(struct random *random, const struct schema_node *leaf)
{
	struct arena *arena = arena_new();
	struct value value = VALUE_NONE;
	struct schema_type_error error;
	struct schema_prefixes_canonical prefixes =
		schema_prefixes_canonical(random->model->schema, leaf->module);
	for (int i = 0; i < 2000; i++) {
		const char *word = words[random_pick(random, sizeof(words) / sizeof(*words))];
		if (schema_type_parse(random->model->schema, leaf->type, bytes_of(word), &prefixes.base,
				      arena, &value, &error) == ST_OK)
			break;
	}
	arena_free(arena);
	return value;
}

static void edit_below(struct random *random, struct tree_builder *builder, const struct schema_node *parent);

static void edit_leaf(struct random *random, struct tree_builder *builder, const struct schema_node *leaf)
{
	if (leaf->is_key)
		return;
	bool is_list = leaf->kind == SCHEMA_LEAF_LIST;
	if (!is_list && random_pick(random, 4) == 0) {
		tree_builder_remove(builder, leaf);
		return;
	}
	struct value value = pick_value(random, leaf);
	if (value_is_none(value))
		return;
	if (is_list && random_pick(random, 3) == 0) {
		tree_builder_remove_value(builder, leaf, value);
	} else {
		struct tree_insert insert = {.where = random_pick(random, 2) ? TREE_FIRST : TREE_LAST};
		model_clear_cases(builder, leaf);
		if (is_list && leaf->user_ordered)
			tree_builder_insert_value(builder, leaf, value, &insert);
		else if (is_list)
			tree_builder_add_value(builder, leaf, value);
		else
			tree_builder_set_leaf(builder, leaf, value);
	}
	value_unref(value);
}

static void edit_container(struct random *random, struct tree_builder *builder,
			   const struct schema_node *container)
{
	if (random_pick(random, 8) == 0) {
		tree_builder_remove(builder, container);
		return;
	}
	model_clear_cases(builder, container);
	tree_builder_enter(builder, container);
	/* An empty container that is stored puts its case in use; to libyang it does not. */
	if (container->presence ||
	    (random_pick(random, 6) == 0 && !container->in_case && random->empty_containers))
		tree_builder_make(builder);
	edit_below(random, builder, container);
	tree_builder_leave(builder);
}

static void edit_entry(struct random *random, struct tree_builder *builder, const struct schema_node *list)
{
	struct value keys[4];
	bool made;
	for (size_t i = 0; i < list->key_count; i++)
		keys[i] = pick_value(random, list->children[i]);
	if (random_pick(random, 5) == 0) {
		tree_builder_remove_entry(builder, list, keys);
	} else {
		model_clear_cases(builder, list);
		struct tree_insert insert = {.where = random_pick(random, 2) ? TREE_FIRST : TREE_LAST};
		if (list->user_ordered && random_pick(random, 2))
			tree_builder_insert_entry(builder, list, keys, &insert);
		tree_builder_enter_entry(builder, list, keys, &made);
		for (unsigned i = random_pick(random, 4); i > 0; i--)
			edit_below(random, builder, list);
		tree_builder_leave(builder);
	}
	for (size_t i = 0; i < list->key_count; i++)
		value_unref(keys[i]);
}

static void edit_below(struct random *random, struct tree_builder *builder, const struct schema_node *parent)
{
	const struct schema_node *child = parent->children[random_pick(random, parent->child_count)];
	if (child->kind == SCHEMA_CONTAINER)
		edit_container(random, builder, child);
	else if (child->kind != SCHEMA_LIST)
		edit_leaf(random, builder, child);
	else if (random_pick(random, 40) == 0)
		tree_builder_remove(builder, child);
	else
		edit_entry(random, builder, child);
}

struct tree_record *random_edit(struct random *random, const struct tree_record *base)
{
	struct tree_builder *builder = tree_builder_new(random->model->schema, base, NULL);
	for (unsigned i = 1 + random_pick(random, 8); i > 0; i--)
		edit_below(random, builder, random->model->schema->root);
	return tree_builder_finish(builder);
}

/* libyang agrees; its first error is one of ours (app-tag; of the node it names, or on a child of that). */
void random_compare_oracle(struct random *random, const struct tree_record *root, const char *full)
{
	char *app_tag = NULL, *node = NULL;
	bool valid = oracle_check(random->oracle, random->model->schema, root, &app_tag, &node);
	bool agrees = valid == (*full == '\0');
	char tag[256];
	snprintf(tag, sizeof(tag), " %s ", app_tag ? app_tag : "");
	if (!valid && strcmp(app_tag, "-") != 0)
		agrees = agrees && strstr(full, tag);
	if (!valid)
		agrees = agrees && strstr(full, node);
	if (!agrees) {
		char *xml = oracle_xml(random->model->schema, root);
		print_message("%s\nours:\n%slibyang: %s, %s at %s\n", xml, full, valid ? "valid" : "invalid",
			      app_tag ? app_tag : "", node ? node : "");
		free(xml);
	}
	assert_true(agrees);
	free(app_tag);
	free(node);
}
