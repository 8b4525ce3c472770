/* SPDX-License-Identifier: BSD-3-Clause */
/* Loading: perf-test as a whole, what is reported when modules are missing or wrong, search order, features.
 */
#include "helper_schema.h"

#include <stdio.h>

static void test_perf_test(void **state)
{
	(void)state;
	const char *modules[] = {"perf-test", NULL};
	struct schema *schema = helper_load(helper_shared("yang/perf-test"), modules, false);
	const struct schema_node *root = schema->root;
	assert_int_equal(root->child_count, 3);
	assert_true(root->config);
	assert_false(root->implicit_below);

	const struct schema_module *module = schema_module_find(schema, bytes_of("perf-test"));
	assert_non_null(module);
	assert_string_equal(module->revision, "2017-10-23");
	assert_string_equal(module->ns, "http://netconfcentral.org/ns/perf-test");
	assert_string_equal(module->prefix, "perft");
	assert_true(module->implemented);
	assert_false(module->yang_1_1);
	assert_ptr_equal(schema_module_find_ns(schema, bytes_of(module->ns)), module);
	assert_ptr_equal(&schema->modules[module->index], module);
	size_t size;
	const char *text = schema_module_text(schema, module, &size);
	assert_non_null(text);
	assert_int_equal(strncmp(text, "module perf-test {", 18), 0);
	assert_int_equal(strlen(text), size);

	const struct schema_node *list = helper_node(schema, "perf-test:top-container/local-list");
	assert_int_equal(list->kind, SCHEMA_LIST);
	assert_int_equal(list->key_count, 1);
	assert_int_equal(list->depth, 2);
	assert_int_equal(list->max_elements, UINT32_MAX);
	assert_false(list->user_ordered);
	assert_true(list->implicit_below);
	assert_ptr_equal(schema->nodes[list->id], list);
	const struct schema_node *type = helper_node(schema, "perf-test:top-container/local-list/type");
	assert_true(type->mandatory);
	assert_int_equal(type->slot, 1);
	assert_int_equal(schema_type_base(type->type), BASE_STRING);
	assert_true(list->children[0]->is_key);

	const struct schema_node *members = helper_node(schema, "perf-test:local-leafref-members");
	assert_int_equal(members->max_elements, 100000);
	const struct schema_node *name = members->children[0];
	assert_int_equal(schema_type_base(name->type), BASE_LEAFREF);
	assert_true(schema_type_require_instance(name->type));
	assert_true(schema_type_has_reference(name->type));
	const struct schema_xpath *path = schema_type_leafref_path(name->type);
	assert_string_equal(path->expression, "/top-container/local-list/name");
	assert_ptr_equal(schema_xpath_prefix(schema, path, bytes_of("")), module);
	assert_int_equal(schema_type_base(schema_type_real(name->type)), BASE_STRING);
	assert_int_equal(name->must_count, 1);
	assert_string_equal(name->musts[0].error_message, "Only VLAN interfaces can be added!");
	assert_null(name->musts[0].error_app_tag);
	assert_ptr_equal(name->musts[0].context, name);
	assert_ptr_equal(schema_xpath_prefix(schema, &name->musts[0], bytes_of("perft")), module);
	assert_null(schema_xpath_prefix(schema, &name->musts[0], bytes_of("other")));

	char text_path[128];
	schema_node_path(type, text_path, sizeof(text_path));
	assert_string_equal(text_path, "/perf-test:top-container/perf-test:local-list/perf-test:type");
	schema_node_path(type, text_path, 8);
	assert_string_equal(text_path, "/perf-t");
	schema_node_path(root, text_path, sizeof(text_path));
	assert_string_equal(text_path, "/");
	assert_null(schema_child_find(schema, root, module, bytes_of("absent")));
	assert_ptr_equal(schema_child_find_any(root, bytes_of("top-container"), NULL), list->parent);
	assert_null(schema_child_find_any(root, bytes_of("top-container"), list->parent));
	schema_unref(schema_ref(schema));
	schema_unref(schema);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_perf_test),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
