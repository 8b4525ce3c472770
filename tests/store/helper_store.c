/* SPDX-License-Identifier: BSD-3-Clause */
#include "store/helper_store.h"
#include <stdlib.h>
#include "base/memory.h"

void fixture_open(struct fixture *f, enum store_durability durability, struct journal *journal)
{
	static const char *const dirs[] = {"bench/yang"};
	static const struct schema_module_request module = {.name = "perf-test"};
	struct schema_source source = {
		.search_dirs = dirs, .search_dir_count = 1, .modules = &module, .module_count = 1};
	*f = (struct fixture){.arena = arena_new(), .journal = journal};
	diag_list_init(&f->diags, f->arena, 10);
	assert_int_equal(schema_load(&source, &f->diags, &f->schema), ST_OK);
	assert_int_equal(check_plan_new(f->schema, &f->diags, &f->plan), ST_OK);
	f->reclaimer = tree_reclaimer_new(NULL, NULL);
	struct store_options options = {
		.schema = f->schema,
		.plan = f->plan,
		.journal = journal,
		.durability = durability,
		.check = {.steps = 1000000, .max_nodes = 1000000, .verify = true},
		.reclaimer = f->reclaimer,
		.history_length = 10,
		.history_memory = 1 << 20,
	};
	assert_int_equal(store_open(&options, &f->diags, &f->store), ST_OK);
}

void fixture_close(struct fixture *f)
{
	store_close(f->store);
	if (f->journal != NULL)
		f->journal->ops->close(f->journal);
	tree_reclaimer_free(f->reclaimer);
	check_plan_free(f->plan);
	schema_unref(f->schema);
	arena_free(f->arena);
}

static const struct schema_node *child(struct fixture *f, const struct schema_node *parent, const char *name)
{
	const struct schema_module *module = schema_module_find(f->schema, bytes_of("perf-test"));
	const struct schema_node *node = schema_child_find(f->schema, parent, module, bytes_of(name));
	assert_non_null(node);
	return node;
}

static void add_leaf(struct fixture *f, struct edit_tree *tree, struct edit_node *entry, const char *leaf,
		     const char *text)
{
	struct edit_node *node = edit_tree_add(tree, entry, child(f, entry->schema, leaf));
	node->value = value_new(bytes_of(text), 0);
	node->has_value = true;
}

static void add_word(struct fixture *f, struct edit_tree *tree, struct edit_node *container, char *word)
{
	char *type = strchr(word, '=');
	if (type != NULL)
		*type++ = '\0';
	if (word[0] == '?') {
		const struct schema_node *list = child(f, f->schema->root, "local-leafref-members");
		add_leaf(f, tree, edit_tree_add(tree, tree->top, list), "name", word + 1);
		return;
	}
	struct edit_node *entry = edit_tree_add(tree, container, child(f, container->schema, "local-list"));
	entry->operation = word[0] == '+' ? EDIT_CREATE : EDIT_DELETE;
	add_leaf(f, tree, entry, "name", word + 1);
	if (type != NULL)
		add_leaf(f, tree, entry, "type", type);
}

struct edit_tree *fixture_edit(struct fixture *f, const char *text)
{
	struct edit_tree *tree = edit_tree_new(f->schema);
	struct edit_node *container =
		edit_tree_add(tree, tree->top, child(f, f->schema->root, "top-container"));
	char *words = arena_strdup(f->arena, bytes_of(text)), *rest;
	for (char *word = strtok_r(words, " ", &rest); word != NULL; word = strtok_r(NULL, " ", &rest))
		add_word(f, tree, container, word);
	return tree;
}

struct store_call fixture_call(struct fixture *f, const struct store_actor *actor)
{
	diag_list_init(&f->diags, f->arena, 10);
	return (struct store_call){.actor = actor, .diags = &f->diags, .wait = STORE_WAIT};
}

enum status fixture_run(struct fixture *f, enum store_datastore target, uint32_t session_id, const char *text,
			struct store_answer *answer)
{
	struct store_actor actor = {session_id, "tester", "unix"};
	struct store_call call = fixture_call(f, &actor);
	struct edit_options options = {.default_operation = EDIT_MERGE, .reclaimer = f->reclaimer};
	struct edit_tree *edit = fixture_edit(f, text);
	struct store_answer unused;
	enum status status =
		store_edit(f->store, target, &call, edit, &options, answer != NULL ? answer : &unused);
	edit_tree_free(edit);
	return status;
}

const char *fixture_type(struct fixture *f, enum store_datastore datastore, const char *name)
{
	const struct tree_record *root = store_pin_root(f->store, datastore);
	struct tree_position top = tree_position_root(f->schema, root), container, entry, type;
	const struct schema_node *list = child(f, child(f, f->schema->root, "top-container"), "local-list");
	struct value key = value_new(bytes_of(name), 0);
	const char *found = "";
	if (tree_position_find_child(&top, list->parent, TREE_EXPLICIT, &container) &&
	    tree_position_find_entry(&container, list, &key, &entry) &&
	    tree_position_find_child(&entry, child(f, list, "type"), TREE_EXPLICIT, &type))
		found = arena_strdup(f->arena, value_bytes(&type.value));
	value_unref(key);
	tree_record_unref(root, f->schema->root, f->reclaimer);
	return found;
}
