/* SPDX-License-Identifier: BSD-3-Clause */
/* Metadata annotations in edits: what each operation does with them. (test_model.c has them at random.) */
#include "helper_edit.h"

#include <stdio.h>

#include "tree/annotation.h"
#include "helper_fixture.h"

SCHEMA_OF_ALL_TESTS(helper_schema())

/* What becomes of a tree by an edit, as text. */
static void check(const char *before, enum edit_operation operation, const char *text, const char *after)
{
	struct arena *arena = arena_new();
	struct tree_record *base = helper_tree(schema, before);
	struct edit_tree *edit = helper_parse(schema, text);
	struct helper_result result = helper_apply(schema, base, edit, operation, arena);
	assert_string_equal(result.errors, "");
	assert_string_equal(helper_dump(schema, result.root, arena), after);
	helper_unref(schema, result.root);
	helper_unref(schema, base);
	edit_tree_free(edit);
	arena_free(arena);
}

static void test_operations(void **state)
{
	(void)state;
	const char *leaf = "top{a=1#note=x#rank=4}";
	check(leaf, EDIT_MERGE, "top{a=2#note=y}", "top{a=2#note=y#rank=4}");
	check(leaf, EDIT_MERGE, "top{a=2}", "top{a=2#note=x#rank=4}");
	check(leaf, EDIT_MERGE, "top{a=1@replace#note=y}", "top{a=1#note=y}");
	check(leaf, EDIT_REPLACE, "top{a=1}", "top{a=1}");
	check(leaf, EDIT_REPLACE, leaf, leaf);
	check(leaf, EDIT_NONE, "top{a=1#note=y}", leaf);
	check(leaf, EDIT_MERGE, "top{a@delete}", "");
	check("top{ul=a#note=x ul=b#note=y ll=c#rank=4}", EDIT_MERGE, "top{ul=a@remove ul=b!first}",
	      "top{ll=c#rank=4 ul=b#note=y}");
	check("top{ad=xml#note=x}", EDIT_MERGE, "top{ad=other#rank=8}", "top{ad=other#note=x#rank=8}");
	check("top{e[k]#note=x{v=1}}", EDIT_MERGE, "top{e[k]#rank=4{v=2}}", "top{e[k]#note=x#rank=4{v=2}}");
	check("top{e[k]#note=x{v=1}}", EDIT_MERGE, "top{e[k]@replace#rank=4{v=1}}", "top{e[k]#rank=4{v=1}}");
	check("top{e[k]#note=x{v=1}}", EDIT_MERGE, "top{e[k]@delete e[l]@create#note=y}",
	      "top{e[l]#note=y{}}");
}

/* A container without presence that is named with an annotation is stored; a case is chosen by it. */
static void test_containers(void **state)
{
	(void)state;
	check("", EDIT_MERGE, "top{np#note=x}", "top{np#note=x{}}");
	check("top{np#note=x{}}", EDIT_MERGE, "top{np@replace}", "");
	check("top{np#note=x{x=1}}", EDIT_MERGE, "top{np{x@delete}}", "top{np#note=x{}}");
	check("top{np#note=x{x=1}}", EDIT_MERGE, "top{np@delete}", "");
	check("top{e[k]{ea=1}}", EDIT_MERGE, "top{e[k]{ecn#note=x{ecl@remove}}}", "top{e[k]{ecn#note=x{}}}");
	check("top{pc#note=x{p=1}}", EDIT_REPLACE, "top{pc#note=x} top{pc#rank=4{p=1}}",
	      "top{pc#note=x#rank=4{p=1}}");
}

static void test_keys(void **state)
{
	(void)state;
	struct arena *arena = arena_new();
	struct tree_record *root = helper_tree(schema, "tl[4]{id#note=x val=1}");
	struct edit_tree *edit = helper_parse(schema, "tl[4]{id#rank=4}");
	struct helper_result result = helper_apply(schema, root, edit, EDIT_MERGE, arena);
	const struct schema_node *list = schema_child_find_any(schema->root, bytes_of("tl"), NULL);
	struct value key = value_new(bytes_of("4"), 0);
	const struct tree_map *map = tree_record_find(result.root, list)->map;
	size_t count;
	tree_annotations_find(tree_map_find(map, list, &key)->record,
			      (struct tree_annotated){.child = list->children[0]}, &count);
	assert_int_equal(count, 2);
	edit_tree_free(edit);
	helper_unref(schema, result.root);
	helper_unref(schema, root);
	arena_free(arena);
}

/* Those of one record are limited. */
static void test_limit(void **state)
{
	(void)state;
	struct arena *arena = arena_new();
	struct tree_record *root = tree_record_new();
	struct edit_tree *edit = edit_tree_new(schema);
	const struct schema_node *tll = schema_child_find_any(schema->root, bytes_of("tll"), NULL);
	char text[16];
	for (int i = 0; i <= TREE_ANNOTATIONS_MAX; i++) {
		struct edit_node *node = edit_tree_add(edit, edit->top, tll);
		node->value =
			value_new((struct bytes){text, (size_t)snprintf(text, sizeof(text), "%d", i)}, 0);
		node->has_value = true;
		edit_tree_annotate(edit, node, &schema->annotations[1], value_new(bytes_of("1"), 0));
	}
	struct helper_result result = helper_apply(schema, root, edit, EDIT_MERGE, arena);
	assert_null(result.root);
	assert_string_equal(result.errors, "resource-denied /tll");
	edit_tree_free(edit);
	helper_unref(schema, root);
	arena_free(arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_operations),
		cmocka_unit_test(test_containers),
		cmocka_unit_test(test_keys),
		cmocka_unit_test(test_limit),
	};
	return cmocka_run_group_tests(tests, load_schema, unload_schema);
}
