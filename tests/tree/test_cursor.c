/* SPDX-License-Identifier: BSD-3-Clause */
/* Cursors and lookups of single children, with and without what is implicit; the rules of choices and
 * defaults. */
#include "helper_tree.h"
#include "helper_fixture.h"

#include <string.h>

static const char module[] =
	"module m { yang-version 1.1; namespace urn:m; prefix m;"
	" leaf a { type string; default av; }"
	" container np { leaf x { type int8; default 5; } leaf y { type string; }"
	"  container deep { leaf z { type string; default zv; } } }"
	" container p { presence yes; leaf x { type string; default px; } }"
	" leaf-list ll { type string; default two; default one; }"
	" list e { key k; leaf k { type string; } leaf d { type string; default dv; } container c { leaf q {"
	"  type string; } } }"
	" choice ch { default c1;"
	"  case c1 { leaf c1a { type string; default c1av; } leaf c1b { type string; } container c1c { leaf "
	"w {"
	"   type string; default wv; } } }"
	"  case c2 { leaf c2a { type string; } leaf c2b { type string; default c2bv; }"
	"   choice inner { default i1; leaf i1 { type string; default i1v; } leaf i2 { type string; } } } }"
	" choice none { leaf n1 { type string; default n1v; } leaf n2 { type string; } } }";

SCHEMA_OF_ALL_TESTS(helper_schema("m", module))

static struct tree_builder *start(void)
{
	struct tree_record *empty = tree_record_new();
	struct tree_builder *builder = tree_builder_new(schema, empty, NULL);
	tree_record_unref(empty, schema->root, NULL);
	return builder;
}

static void set(struct tree_builder *builder, const char *path, const char *text)
{
	struct value value = helper_value(text);
	tree_builder_set_leaf(builder, helper_node(schema, path), value);
	value_unref(value);
}

static void expect(struct tree_builder *builder, enum tree_view view, const char *text)
{
	struct tree_record *root = tree_builder_finish(builder);
	char *found = helper_print(schema, root, view);
	assert_string_equal(found, text);
	free(found);
	tree_record_unref(root, schema->root, NULL);
}

#define IMPLICIT_TOP                                                                                         \
	"/m:np (implicit)\n/m:np/m:x (implicit) = 5\n/m:np/m:deep (implicit)\n/m:np/m:deep/m:z (implicit) "  \
	"= zv\n"
#define IMPLICIT_LL "/m:ll[.='two'] (implicit)\n/m:ll[.='one'] (implicit)\n"
#define IMPLICIT_C1 "/m:c1a (implicit) = c1av\n/m:c1c (implicit)\n/m:c1c/m:w (implicit) = wv\n"

static void empty_root_has_defaults(void **state)
{
	(void)state;
	expect(start(), TREE_EXPLICIT, "");
	expect(start(), TREE_WITH_DEFAULTS, "/m:a (implicit) = av\n" IMPLICIT_TOP IMPLICIT_LL IMPLICIT_C1);
}

static void what_is_stored_replaces_defaults(void **state)
{
	(void)state;
	struct tree_builder *builder = start();
	set(builder, "a", "av");
	tree_builder_enter(builder, helper_node(schema, "np"));
	set(builder, "np/y", "why");
	tree_builder_leave(builder);
	struct value one = helper_value("three");
	tree_builder_add_value(builder, helper_node(schema, "ll"), one);
	expect(builder, TREE_WITH_DEFAULTS,
	       "/m:a = av\n/m:np\n/m:np/m:x (implicit) = 5\n/m:np/m:y = why\n/m:np/m:deep (implicit)\n"
	       "/m:np/m:deep/m:z (implicit) = zv\n/m:ll[.='three']\n" IMPLICIT_C1);
}

static void entries_and_presence_containers_bring_defaults(void **state)
{
	(void)state;
	struct tree_builder *builder = start();
	tree_builder_enter(builder, helper_node(schema, "p"));
	tree_builder_make(builder);
	tree_builder_leave(builder);
	const char *const names[] = {"b", "a"};
	for (int i = 0; i < 2; i++) {
		struct value name = helper_value(names[i]);
		bool made;
		tree_builder_enter_entry(builder, helper_node(schema, "e"), &name, &made);
		assert_true(made);
		tree_builder_leave(builder);
	}
	struct tree_record *root = tree_builder_finish(builder);
	char *found = helper_print(schema, root, TREE_EXPLICIT);
	assert_string_equal(
		found, "/m:p\n/m:e[m:k='a']\n/m:e[m:k='a']/m:k = a\n/m:e[m:k='b']\n/m:e[m:k='b']/m:k = b\n");
	free(found);
	found = helper_print(schema, root, TREE_WITH_DEFAULTS);
	assert_non_null(strstr(found, "/m:p\n/m:p/m:x (implicit) = px\n"));
	assert_non_null(
		strstr(found, "/m:e[m:k='b']/m:d (implicit) = dv\n/m:e[m:k='b']/m:c (implicit)\n/m:c1a"));
	free(found);
	tree_record_unref(root, schema->root, NULL);
}

static void other_case_ends_the_default_case(void **state)
{
	(void)state;
	struct tree_builder *builder = start();
	set(builder, "c2a", "x");
	struct tree_record *root = tree_builder_finish(builder);
	char *found = helper_print(schema, root, TREE_WITH_DEFAULTS);
	assert_null(strstr(found, "c1"));
	assert_non_null(strstr(found, "/m:c2a = x\n/m:c2b (implicit) = c2bv\n/m:i1 (implicit) = i1v\n"));
	free(found);
	tree_record_unref(root, schema->root, NULL);
}

static void nested_case_uses_the_outer_one(void **state)
{
	(void)state;
	struct tree_builder *builder = start();
	set(builder, "i2", "x");
	set(builder, "n2", "x");
	struct tree_record *root = tree_builder_finish(builder);
	char *found = helper_print(schema, root, TREE_WITH_DEFAULTS);
	assert_null(strstr(found, "c1"));
	assert_null(strstr(found, "n1"));
	assert_non_null(strstr(found, "/m:c2b (implicit) = c2bv\n/m:i2 = x\n/m:n2 = x\n"));
	free(found);
	struct tree_position position = tree_position_root(schema, root);
	assert_true(tree_case_in_use(&position, helper_node(schema, "c2b")->in_case));
	assert_false(tree_case_in_use(&position, helper_node(schema, "i1")->in_case));
	assert_false(tree_case_in_use(&position, helper_node(schema, "c1a")->in_case));
	tree_record_unref(root, schema->root, NULL);
}

static void single_children(void **state)
{
	(void)state;
	struct tree_builder *builder = start();
	set(builder, "c1b", "x");
	struct tree_record *root = tree_builder_finish(builder);
	struct tree_position position = tree_position_root(schema, root), child, leaf;
	assert_false(tree_position_find_child(&position, helper_node(schema, "a"), TREE_EXPLICIT, &child));
	assert_true(
		tree_position_find_child(&position, helper_node(schema, "a"), TREE_WITH_DEFAULTS, &child));
	assert_true(child.implicit);
	assert_false(
		tree_position_find_child(&position, helper_node(schema, "p"), TREE_WITH_DEFAULTS, &child));
	assert_false(
		tree_position_find_child(&position, helper_node(schema, "c2b"), TREE_WITH_DEFAULTS, &child));
	assert_true(tree_position_find_child(&position, helper_node(schema, "c1b"), TREE_EXPLICIT, &child));
	assert_false(child.implicit);
	assert_true(
		tree_position_find_child(&position, helper_node(schema, "np"), TREE_WITH_DEFAULTS, &child));
	assert_null(child.record);
	assert_true(tree_position_find_child(&child, helper_node(schema, "np/x"), TREE_WITH_DEFAULTS, &leaf));
	assert_true(bytes_equal(value_bytes(&leaf.value), bytes_of("5")));
	assert_ptr_equal(leaf.parent, &child);
	assert_int_equal(tree_position_count(&position, helper_node(schema, "ll")), 0);
	tree_record_unref(root, schema->root, NULL);
}

static void cursors_of_one_child(void **state)
{
	(void)state;
	struct tree_builder *builder = start();
	set(builder, "a", "x");
	for (int i = 0; i < 100; i++) {
		struct value name = helper_number(i);
		bool made;
		tree_builder_enter_entry(builder, helper_node(schema, "e"), &name, &made);
		tree_builder_leave(builder);
	}
	set(builder, "n1", "x");
	struct tree_record *root = tree_builder_finish(builder);
	struct tree_position position = tree_position_root(schema, root), child;
	static const struct {
		const char *name;
		int explicit_count, count;
	} cases[] = {{"a", 1, 1},     {"np", 0, 1}, {"p", 0, 0}, {"ll", 0, 2},
		     {"e", 100, 100}, {"n1", 1, 1}, {"n2", 0, 0}};
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		for (int view = TREE_EXPLICIT; view <= TREE_WITH_DEFAULTS; view++) {
			struct tree_cursor cursor;
			int count = 0;
			tree_cursor_init_child(&cursor, schema, &position, helper_node(schema, cases[i].name),
					       (enum tree_view)view);
			for (; tree_cursor_next(&cursor, &child); count++)
				assert_string_equal(child.schema->name, cases[i].name);
			assert_false(tree_cursor_next(&cursor, &child));
			assert_int_equal(count,
					 view == TREE_EXPLICIT ? cases[i].explicit_count : cases[i].count);
		}
	}
	assert_int_equal(tree_position_count(&position, helper_node(schema, "e")), 100);
	struct value key = helper_value("42"), none = helper_value("420");
	assert_true(tree_position_find_entry(&position, helper_node(schema, "e"), &key, &child));
	assert_true(value_equal(child.record->slots[0].value, key));
	assert_false(tree_position_find_entry(&position, helper_node(schema, "e"), &none, &child));
	tree_record_unref(root, schema->root, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(empty_root_has_defaults),
		cmocka_unit_test(what_is_stored_replaces_defaults),
		cmocka_unit_test(entries_and_presence_containers_bring_defaults),
		cmocka_unit_test(other_case_ends_the_default_case),
		cmocka_unit_test(nested_case_uses_the_outer_one),
		cmocka_unit_test(single_children),
		cmocka_unit_test(cursors_of_one_child),
	};
	return cmocka_run_group_tests(tests, load_schema, unload_schema);
}
