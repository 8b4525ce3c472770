/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Random edits of a small tree, each applied by edit_apply and by a naive model (helper_model.h). Both must
 * give the same tree or the same errors. Old roots are held and must never change; a replace of everything by
 * itself must give the same root; what edit_apply made must be settled already. The seed is printed and taken
 * from YARE_SEED.
 */
#include "helper_edit.h"
#include "helper_model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "edit/settle.h"
#include "os/random.h"
#include "schema/type.h"
#include "helper_fixture.h"

#define EDITS 6000
#define HELD 32	       /* old roots */
#define REPLACE_EACH 8 /* edits between two identical replaces */

SCHEMA_OF_ALL_TESTS(helper_schema())
static uint64_t state_of_random;

static uint32_t random_below(uint32_t bound)
{
	return (uint32_t)(os_random_next(&state_of_random) % bound);
}

static bool chance(uint32_t percent)
{
	return random_below(100) < percent;
}

static struct value random_value(const struct schema_node *leaf, uint32_t domain)
{
	char text[32];
	uint32_t number = random_below(domain);
	if (schema_type_base(leaf->type) == BASE_EMPTY)
		text[0] = '\0';
	else if (schema_type_base(leaf->type) != BASE_STRING)
		snprintf(text, sizeof(text), "%u",
			 number * 4); /* 4, 8, 12: not in the order of their texts */
	else
		snprintf(text, sizeof(text), number % 2 ? "text-of-some-length-%u" : "s%u", number);
	return value_new(bytes_of(text), 0);
}

static uint8_t random_operation(uint32_t percent)
{
	static const uint8_t operations[] = {EDIT_MERGE,   EDIT_MERGE,	EDIT_REPLACE,
					     EDIT_REPLACE, EDIT_REMOVE, EDIT_REMOVE,
					     EDIT_REMOVE,  EDIT_CREATE, EDIT_DELETE};
	return chance(percent) ? operations[random_below(sizeof(operations))] : EDIT_UNSPECIFIED;
}

static void random_children(struct edit_tree *tree, struct edit_node *parent);

static void random_keys(struct edit_tree *tree, struct edit_node *entry)
{
	for (size_t i = 0; i < entry->schema->key_count; i++) {
		struct edit_node *key = edit_tree_add(tree, entry, entry->schema->children[i]);
		key->value = random_value(key->schema, 4);
		key->has_value = true;
		if (chance(1))
			key->operation = random_operation(100);
	}
}

static void random_insert(struct edit_tree *tree, struct edit_node *node)
{
	const struct schema_node *list = node->schema;
	bool deletes = node->operation == EDIT_DELETE || node->operation == EDIT_REMOVE;
	if (!list->user_ordered || !chance(deletes ? 2 : 50))
		return;
	node->insert = (uint8_t)(EDIT_INSERT_FIRST + random_below(4));
	if (node->insert < EDIT_INSERT_BEFORE)
		return;
	bool is_list = list->kind == SCHEMA_LIST;
	size_t count = is_list ? list->key_count : 1;
	struct value *keys = arena_zalloc(tree->arena, count * sizeof(*keys));
	for (size_t i = 0; i < count; i++)
		keys[i] = random_value(is_list ? list->children[i] : list, is_list ? 4 : 3);
	node->insert_keys = keys;
}

static void random_annotation(struct edit_tree *tree, struct edit_node *node)
{
	static const char *const values[] = {"n", "a-longer-note", "1", "1000000000"};
	while (chance(8)) {
		uint32_t index = random_below(2);
		struct value value = value_new(bytes_of(values[2 * index + random_below(2)]), 0);
		edit_tree_annotate(tree, node, &schema->annotations[index], value);
	}
}

static void random_element(struct edit_tree *tree, struct edit_node *parent, const struct schema_node *child)
{
	struct edit_node *node = edit_tree_add(tree, parent, child);
	bool is_inner = child->kind == SCHEMA_LIST || child->kind == SCHEMA_CONTAINER;
	node->operation = random_operation(is_inner ? 15 : 30);
	random_insert(tree, node);
	random_annotation(tree, node);
	switch (child->kind) {
	case SCHEMA_LEAF:
	case SCHEMA_LEAF_LIST:
		node->value = random_value(child, 3);
		node->has_value = true;
		break;
	case SCHEMA_ANYDATA:
	case SCHEMA_ANYXML:
		node->any = tree_any_new(text_new(bytes_of(chance(50) ? "one" : "two"), 0));
		break;
	default:
		if (child->kind == SCHEMA_LIST)
			random_keys(tree, node);
		random_children(tree, node);
		break;
	}
}

static void random_children(struct edit_tree *tree, struct edit_node *parent)
{
	const struct schema_node *schema_parent = parent->schema;
	for (size_t i = schema_parent->key_count; i < schema_parent->child_count; i++) {
		const struct schema_node *child = schema_parent->children[i];
		if (!chance(child->in_case ? 12 : parent->schema->depth == 0 ? 40 : 25))
			continue;
		uint32_t times = child->kind == SCHEMA_LIST || child->kind == SCHEMA_LEAF_LIST
					 ? 1 + random_below(3)
				 : child->kind == SCHEMA_CONTAINER && chance(5) ? 2
										: 1;
		for (; times > 0; times--)
			random_element(tree, parent, child);
	}
}

/* The edit as text, to be run again by hand. */
static void print_edit(const struct edit_node *parent)
{
	static const char *const names[] = {"", "@merge", "@replace", "@create", "@delete", "@remove", ""};
	static const char *const places[] = {"", "!first", "!last", "!before=", "!after="};
	for (const struct edit_node *node = parent->children; node; node = node->next) {
		struct bytes text = value_bytes(&node->value);
		if (node->any)
			text = text_bytes(node->any->xml);
		print_error(" %s%s%.*s%s", node->schema->name, node->any || node->has_value ? "=" : "",
			    (int)text.size, text.data, names[node->operation]);
		print_error("%s", places[node->insert]);
		for (size_t i = 0; node->insert_keys && i < (node->children ? node->schema->key_count : 1);
		     i++) {
			text = value_bytes(&node->insert_keys[i]);
			print_error("%s%.*s", i > 0 ? "," : "", (int)text.size, text.data);
		}
		for (const struct edit_annotation *at = node->annotations; at; at = at->next) {
			text = value_bytes(&at->value);
			print_error("#%s=%.*s", at->schema->name, (int)text.size, text.data);
		}
		if (node->children) {
			print_error("{");
			print_edit(node);
			print_error(" }");
		}
	}
}

static void check_edit(const char *before, const struct edit_tree *edit,
		       enum edit_operation default_operation, const char *got, const char *want)
{
	if (strcmp(got, want) == 0)
		return;
	print_error("tree {%s}\nedit (default operation %d) {", before, default_operation);
	print_edit(edit->top);
	fail_msg(" }\nwant %s\ngot  %s", want, got);
}

/* The errors' tags only, as the model has them. */
static const char *tags_of(const struct helper_result *result, struct arena *arena)
{
	char *out = arena_alloc(arena, strlen(result->errors) + 1), *end = out;
	for (const char *at = result->errors; *at;) {
		size_t tag = strcspn(at, " ");
		memcpy(end, at, tag);
		end += tag;
		at += strcspn(at, "\n");
		if (*at == '\n') {
			*end++ = ' ';
			at++;
		}
	}
	*end = '\0';
	return out;
}

struct held {
	struct tree_record *root;
	char *dump;
	struct arena *arena; /* of the model and the dump */
	struct model *model;
};

static void drop(struct held *held)
{
	if (!held->root)
		return;
	struct arena *arena = arena_new();
	assert_string_equal(helper_dump(schema, held->root, arena), held->dump);
	arena_free(arena);
	helper_unref(schema, held->root);
	arena_free(held->arena);
	*held = (struct held){0};
}

static void check_identical_replace(const struct held *now)
{
	struct arena *arena = arena_new();
	struct edit_tree *edit = helper_parse(schema, now->dump);
	struct helper_result result = helper_apply(schema, now->root, edit, EDIT_REPLACE, arena);
	assert_string_equal(result.errors, "");
	assert_ptr_equal(result.root, now->root);
	helper_unref(schema, result.root);
	edit_tree_free(edit);
	arena_free(arena);
}

static void check_settled(const struct held *before, const struct held *after)
{
	struct tree_record *root = tree_record_ref(after->root);
	struct arena *arena = arena_new();
	struct diag_list diags;
	diag_list_init(&diags, arena, 1);
	assert_int_equal(edit_settle(schema, before->root, &root, NULL, &diags), ST_OK);
	assert_ptr_equal(root, after->root);
	helper_unref(schema, root);
	arena_free(arena);
}

/* One random edit; true with the new state where it was accepted. */
static bool step(const struct held *now, struct held *after)
{
	static const enum edit_operation defaults[] = {EDIT_MERGE, EDIT_MERGE, EDIT_MERGE, EDIT_REPLACE,
						       EDIT_NONE};
	enum edit_operation default_operation = defaults[random_below(5)];
	struct edit_tree *edit = edit_tree_new(schema);
	random_children(edit, edit->top);
	struct arena *arena = arena_new();
	struct model_result want = model_apply(now->model, edit, default_operation, arena);
	struct helper_result got = helper_apply(schema, now->root, edit, default_operation, arena);
	check_edit(now->dump, edit, default_operation, tags_of(&got, arena), want.tags);
	assert_string_equal(helper_dump(schema, now->root, arena), now->dump);
	if (!got.root) {
		edit_tree_free(edit);
		arena_free(arena);
		return false;
	}
	*after = (struct held){.root = got.root, .arena = arena, .model = want.root};
	after->dump = helper_dump(schema, got.root, arena);
	check_edit(now->dump, edit, default_operation, after->dump, model_dump(want.root, arena));
	edit_tree_free(edit);
	return true;
}

static void test_random_edits(void **state)
{
	(void)state;
	const char *given = getenv("YARE_SEED");
	if (given)
		state_of_random = strtoull(given, NULL, 0);
	else
		os_random_bytes(&state_of_random, sizeof(state_of_random));
	print_message("YARE_SEED=%llu\n", (unsigned long long)state_of_random);
	struct held held[HELD] = {0};
	held[0] = (struct held){.root = tree_record_new(), .arena = arena_new()};
	held[0].model = model_new(schema, held[0].arena);
	held[0].dump = arena_strdup(held[0].arena, bytes_of(""));
	size_t accepted = 0;
	for (int i = 0; i < EDITS; i++) {
		struct held after, *now = &held[accepted % HELD];
		if (!step(now, &after))
			continue;
		check_settled(now, &after);
		if (i % REPLACE_EACH == 0)
			check_identical_replace(&after);
		accepted++;
		drop(&held[accepted % HELD]);
		held[accepted % HELD] = after;
	}
	print_message("%zu of %d edits accepted\n", accepted, EDITS);
	assert_true(accepted > EDITS / 4);
	for (int i = 0; i < HELD; i++)
		drop(&held[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_edits),
	};
	return cmocka_run_group_tests(tests, load_schema, unload_schema);
}
