/* SPDX-License-Identifier: BSD-3-Clause */
/* Loading: perf-test as a whole, what is reported when modules are missing or wrong, search order, features.
 */
#include "helper_schema.h"

#include <stdio.h>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/lsan_interface.h>
#endif

static void ignore_leaks(bool ignore)
{
#ifdef __SANITIZE_ADDRESS__
	if (ignore)
		__lsan_disable();
	else
		__lsan_enable();
#else
	(void)ignore;
#endif
}

static const struct schema_module *check_perf_test_module(const struct schema *schema)
{
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
	return module;
}

static void check_paths(const struct schema *schema, const struct schema_node *type)
{
	char text_path[128];
	schema_node_path(type, text_path, sizeof(text_path));
	assert_string_equal(text_path, "/perf-test:top-container/perf-test:local-list/perf-test:type");
	schema_node_path(type, text_path, 8);
	assert_string_equal(text_path, "/perf-t");
	schema_node_path(schema->root, text_path, sizeof(text_path));
	assert_string_equal(text_path, "/");
}

static void test_perf_test(void **state)
{
	(void)state;
	const char *modules[] = {"perf-test", NULL};
	struct schema *schema = helper_load(helper_shared("yang/perf-test"), modules, false);
	const struct schema_node *root = schema->root;
	assert_int_equal(root->child_count, 3);
	assert_true(root->config);
	assert_false(root->implicit_below);

	const struct schema_module *module = check_perf_test_module(schema);
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

	check_paths(schema, type);
	assert_null(schema_child_find(schema, root, module, bytes_of("absent")));
	assert_ptr_equal(schema_child_find_any(root, bytes_of("top-container"), NULL), list->parent);
	assert_null(schema_child_find_any(root, bytes_of("top-container"), list->parent));
	schema_unref(schema_ref(schema));
	schema_unref(schema);
}

static void test_missing_modules(void **state)
{
	(void)state;
	const char *folder =
		helper_write_module("here", "module here {namespace urn:here; prefix h;"
					    "  import nowhere {prefix n;} leaf a {type string;}}");
	char expected[256];
	snprintf(expected, sizeof(expected),
		 "Module or submodule \"nowhere\" is in none of the folders searched: %s.", folder);
	assert_non_null(strstr(helper_load_refused(folder, "here"), expected));
	assert_non_null(strstr(helper_load_refused(folder, "absent"), "\"absent\" is in none"));
	assert_non_null(strstr(helper_load_refused(folder, "here@2020-01-01"), "here"));
	helper_write_module("parts", "module parts {namespace urn:parts; prefix p; include part;}");
	assert_non_null(strstr(helper_load_refused(folder, "parts"), "\"part\" is in none"));
	assert_non_null(strstr(helper_load_refused("/nonexistent/folder", "here"), "/nonexistent/folder"));
	helper_remove_modules();
}

static void test_wrong_modules(void **state)
{
	(void)state;
	const char *folder = helper_write_module(
		"syntax",
		"module syntax {\n  namespace urn:syntax;\n  prefix s;\n  leaf a {type string}\n}\n");
	const char *messages = helper_load_refused(folder, "syntax");
	assert_non_null(strstr(messages, "Loading module \"syntax\""));
	assert_non_null(strstr(messages, "syntax.yang: Line number 4"));
	helper_write_module("bad-type",
			    "module bad-type {namespace urn:bad; prefix b; leaf a {type nothing;}}");
	messages = helper_load_refused(folder, "bad-type");
	assert_non_null(strstr(messages, "nothing"));
	assert_non_null(strstr(messages, "bad-type"));
	helper_write_module("bad-ref", "module bad-ref {namespace urn:ref; prefix r;"
				       "  leaf a {type leafref {path '../gone';}}}");
	messages = helper_load_refused(folder, "bad-ref");
	assert_non_null(strstr(messages, "gone"));
	helper_write_module("empty", "");
	helper_write_module("floors", "module floors { yang-version 1.1; namespace \"urn:f\"; prefix f;"
				      " leaf a { type int8; must \"floor(.) = 1\"; } }");
	messages = helper_load_refused(folder, "floors");
	assert_non_null(strstr(messages, "must condition \"floor(.) = 1\""));
	assert_non_null(strstr(messages, "/floors:a"));
	assert_non_null(strstr(messages, "-ceiling(-x)"));
	helper_load_refused(folder, "empty");
	/* An identityref's default that has only one of its bases: libyang accepts it. */
	helper_write_module("bases", "module bases {yang-version 1.1; namespace urn:bases; prefix b;"
				     "  identity one; identity two; identity only-one {base one;}"
				     "  leaf a {type identityref {base one; base two;} default only-one;}}");
	messages = helper_load_refused(folder, "bases");
	assert_non_null(strstr(messages, "Default of /bases:a"));
	helper_load_refused(folder, "syntax:no-such-feature");
	helper_remove_modules();
}

/* libyang accepts these, and never frees types that refer to each other. */
static void test_circular_leafrefs(void **state)
{
	(void)state;
	const char *folder = helper_write_module(
		"circle", "module circle {namespace urn:circle; prefix c;"
			  "  leaf a {type union {type leafref {path '../b';} type int8;}}"
			  "  leaf b {type union {type leafref {path '../a';} type int8;}}}");
	helper_write_module("myself", "module myself {namespace urn:myself; prefix m;"
				      "  leaf a {type union {type int8; type leafref {path '../a';}}}}");
	ignore_leaks(true);
	assert_non_null(strstr(helper_load_refused(folder, "circle"), "leads back to itself"));
	assert_non_null(strstr(helper_load_refused(folder, "myself"), "of /myself:a leads back to itself"));
	ignore_leaks(false);
	helper_remove_modules();
}

static struct schema *load_from(const char *const *folders, size_t folder_count,
				const struct schema_module_request *request)
{
	struct arena *arena = arena_new();
	struct diag_list diags;
	diag_list_init(&diags, arena, 10);
	struct schema_source source = {folders, folder_count, request, 1, false};
	struct schema *schema = NULL;
	assert_int_equal(schema_load(&source, &diags, &schema), ST_OK);
	arena_free(arena);
	return schema;
}

/* The first folder wins, also with an older revision, and also for imports. */
static void test_search_order(void **state)
{
	(void)state;
	char old[256], new[256];
	const char *folder = helper_write_module("top", "module top {namespace urn:top; prefix t;"
							"  import base {prefix b;} leaf a {type b:t;}}");
	snprintf(old, sizeof(old), "%s/old", folder);
	snprintf(new, sizeof(new), "%s/new", folder);
	helper_write_module_in("old", "base",
			       "module base {namespace urn:base; prefix b; revision 2020-01-01;"
			       "  typedef t {type int8;}}");
	helper_write_module_in("new", "base@2025-01-01",
			       "module base {namespace urn:base; prefix b; revision 2025-01-01;"
			       "  typedef t {type int16;}}");
	helper_write_module_in("new", "top",
			       "module top {namespace urn:top; prefix t;"
			       "  import base {prefix b;} leaf a {type b:t;}}");
	struct schema_module_request request = {.name = "top"};
	const char *old_first[] = {old, new}, *new_first[] = {new, old};
	struct schema *schema = load_from(old_first, 2, &request);
	assert_int_equal(schema_type_base(helper_node(schema, "top:a")->type), BASE_INT8);
	assert_string_equal(schema_module_find(schema, bytes_of("base"))->revision, "2020-01-01");
	schema_unref(schema);
	schema = load_from(new_first, 2, &request);
	assert_int_equal(schema_type_base(helper_node(schema, "top:a")->type), BASE_INT16);
	assert_false(schema_module_find(schema, bytes_of("base"))->implemented);
	schema_unref(schema);
	/* A revision that only the second folder has. */
	struct schema_module_request dated = {.name = "base", .revision = "2025-01-01"};
	schema = load_from(old_first, 2, &dated);
	const struct schema_module *base = schema_module_find(schema, bytes_of("base"));
	assert_string_equal(base->revision, "2025-01-01");
	assert_non_null(strstr(base->filepath, "/new/base@2025-01-01.yang"));
	assert_true(base->implemented);
	schema_unref(schema);
	helper_remove_modules();
}

static void test_submodules(void **state)
{
	(void)state;
	helper_write_module("part", "submodule part {yang-version 1.1; belongs-to whole {prefix w;}"
				    "  include piece; revision 2021-02-03; leaf in-part {type int8;}}");
	helper_write_module("piece", "submodule piece {yang-version 1.1; belongs-to whole {prefix w;}"
				     "  leaf in-piece {type string; must '../w:in-part > 1';}}");
	struct schema *schema =
		helper_load_text("whole", "module whole {yang-version 1.1; namespace urn:whole;"
					  "  prefix w; include part; include piece;}");
	const struct schema_module *whole = schema_module_find(schema, bytes_of("whole"));
	assert_int_equal(whole->submodule_count, 2);
	assert_string_equal(whole->submodules[0].name, "part");
	assert_string_equal(whole->submodules[0].revision, "2021-02-03");
	assert_null(whole->submodules[1].revision);
	assert_int_equal(strncmp(whole->submodules[1].source.data, "submodule piece {", 17), 0);
	const struct schema_node *piece = helper_node(schema, "whole:in-piece");
	assert_ptr_equal(piece->module, whole);
	assert_ptr_equal(schema_xpath_prefix(schema, &piece->musts[0], bytes_of("w")), whole);
	size_t size;
	/* Built into libyang: printed. */
	const char *text = schema_module_text(schema, schema_module_find(schema, bytes_of("yang")), &size);
	assert_non_null(strstr(text, "namespace \"urn:ietf:params:xml:ns:yang:1\""));
	assert_int_equal(strlen(text), size);
	schema_unref(schema);
	helper_remove_modules();
}

static void test_implicit_below(void **state)
{
	(void)state;
	struct schema *schema = helper_load_text(
		"implicit",
		"module implicit {yang-version 1.1; namespace urn:implicit; prefix i;"
		"  container none {leaf a {type string;} container b {leaf c {type string;}}}"
		"  container default {container b {leaf c {type string; default x;}}}"
		"  container mandatory {presence p; leaf c {type string; mandatory true;}}"
		"  container above {container mandatory {presence p; leaf c {type string; mandatory true;}}}"
		"  container min {leaf-list l {type string; min-elements 1;}}"
		"  container list {list l {key k; leaf k {type string;} leaf d {type string; default x;}}}"
		"  container must {container m {must 'true()'; leaf c {type string;}}}"
		"  container choice {choice c {mandatory true; leaf x {type string;} leaf y {type string;}}}"
		"  container any {anydata a {mandatory true;}} container state {config false; leaf a {type "
		"int8;}}}");
	static const struct {
		const char *name;
		bool expected;
	} nodes[] = {{"none", false},  {"default", true}, {"mandatory", true}, {"above", false},
		     {"min", true},    {"list", false},	  {"list/l", true},    {"must", true},
		     {"choice", true}, {"any", true},	  {"none/b", false},   {"must/m", false},
		     {"state", false}};
	for (size_t i = 0; i < sizeof(nodes) / sizeof(nodes[0]); i++) {
		char path[64];
		snprintf(path, sizeof(path), "implicit:%s", nodes[i].name);
		if (helper_node(schema, path)->implicit_below != nodes[i].expected)
			fail_msg("%s", path);
	}
	assert_true(schema->root->implicit_below);
	schema_unref(schema);
	helper_remove_modules();
}

static void test_implement_imports(void **state)
{
	(void)state;
	helper_write_module("base", "module base {namespace urn:base; prefix b; typedef t {type int8;}"
				    "  leaf own {type t;}}");
	const char *folder = helper_write_module("top", "module top {namespace urn:top; prefix t;"
							"  import base {prefix b;} leaf a {type b:t;}}");
	const char *modules[] = {"top", NULL};
	struct schema *schema = helper_load(folder, modules, false);
	assert_int_equal(schema->root->child_count, 1);
	schema_unref(schema);
	schema = helper_load(folder, modules, true);
	assert_int_equal(schema->root->child_count, 2);
	assert_non_null(helper_node(schema, "base:own"));
	schema_unref(schema);
	helper_remove_modules();
}

/* One typedef of a leafref, used where its path leads to different leafs. libyang loses some of such types.
 */
static void test_shared_leafref(void **state)
{
	(void)state;
	ignore_leaks(true);
	struct schema *schema = helper_load_text(
		"shared",
		"module shared {yang-version 1.1; namespace urn:shared; prefix s;"
		"  typedef near {type leafref {path '../x';}} typedef any {type union {type near; type "
		"int64;}}"
		"  grouping g {leaf r {type near;} leaf u {type any;}}"
		"  container a {leaf x {type int8;} uses g;} container b {leaf x {type string;} uses g;}"
		"  container c {leaf x {type leafref {path '/b/r';}} uses g;}"
		"  rpc op {input {leaf in {type int8;}} output {leaf x {type int16;}"
		"    leaf out {type any;} leaf own {type leafref {path '/s:op/s:x';}}}}"
		"  notification n {leaf in {type int8;}}}");
	ignore_leaks(false);
	static const struct {
		const char *name;
		enum schema_base base;
	} leafs[] = {{"shared:a/r", BASE_INT8}, {"shared:b/r", BASE_STRING}, {"shared:c/r", BASE_STRING}};
	for (size_t i = 0; i < sizeof(leafs) / sizeof(leafs[0]); i++) {
		const struct schema_type *type = helper_node(schema, leafs[i].name)->type;
		assert_int_equal(schema_type_base(schema_type_real(type)), leafs[i].base);
	}
	const struct schema_node *leaf = helper_node(schema, "shared:b/r");
	assert_ptr_equal(schema_type_leafref_path(leaf->type)->context, leaf);
	assert_non_null(helper_canonical(schema, "shared:b/u", "text", NULL));
	assert_null(helper_canonical(schema, "shared:a/u", "text", NULL));
	assert_string_equal(helper_canonical(schema, "shared:a/u", "0500", NULL), "500");
	assert_string_equal(helper_canonical(schema, "shared:b/u", "0500", NULL), "0500");
	assert_int_equal(schema_type_base(schema_type_real(schema->rpcs[0]->output->children[2]->type)),
			 BASE_INT16);
	assert_false(schema->rpcs[0]->children[0]->config);
	assert_false(schema->rpcs[0]->output->children[0]->config);
	assert_false(schema->notifications[0]->children[0]->config);
	assert_true(helper_node(schema, "shared:a/r")->config);
	schema_unref(schema);
	helper_remove_modules();
}

/* "ordered-by user" counts in configuration and in the input of operations (RFC 7950 7.7.7). */
static void test_user_ordered(void **state)
{
	(void)state;
	struct schema *schema = helper_load_text(
		"orders",
		"module orders {yang-version 1.1; namespace urn:orders; prefix o;"
		"  grouping g {list l {key k; ordered-by user; leaf k {type int8;}}"
		"    leaf-list v {type int8; ordered-by user;}}"
		"  container c {uses g; action a {input {uses g;} output {uses g;}}}"
		"  container s {config false; uses g; list n {ordered-by user; leaf k {type int8;}}}"
		"  rpc op {input {uses g; list n {ordered-by user; leaf k {type int8;}}}"
		"    output {uses g;}}"
		"  notification n {uses g;}}");
	const struct schema_node *action = helper_node(schema, "orders:c")->actions[0];
	const struct {
		const struct schema_node *parent;
		bool list, leaf_list;
	} rows[] = {
		{helper_node(schema, "orders:c"), true, true},
		{helper_node(schema, "orders:s"), false, false},
		{schema->rpcs[0], true, false},
		{schema->rpcs[0]->output, false, false},
		{action, true, false},
		{action->output, false, false},
		{schema->notifications[0], false, false},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(rows[i].parent->children[0]->user_ordered, rows[i].list);
		assert_int_equal(rows[i].parent->children[1]->user_ordered, rows[i].leaf_list);
	}
	assert_false(schema->rpcs[0]->children[2]->user_ordered);
	schema_unref(schema);
	helper_remove_modules();
}

/* Statements of extensions that we do not know mean nothing, wherever they stand (RFC 7950 6.3.1, 7.19);
 * status takes nothing away (7.21.2). */
static void test_unknown_extensions(void **state)
{
	(void)state;
	struct schema *schema = helper_load_text(
		"extended",
		"module extended {yang-version 1.1; namespace urn:extended; prefix x;"
		"  extension note {argument text;} extension mark; extension loud {argument a {yin-element "
		"true;}}"
		"  x:mark; x:note 'top' {x:mark; x:note 'below' {leaf no {type int8;}}}"
		"  feature f {x:mark;} identity i {x:note 'i';} identity j {base i; x:mark;}"
		"  typedef t {x:mark; type string {x:note 'in a type'; length '1..3' {x:mark;}} default "
		"'ab';}"
		"  grouping g {x:mark; leaf l {type t; x:loud 'l';} choice ch {x:mark; case c {x:mark; leaf "
		"a {type t;}}}}"
		"  container c {x:note 'c'; presence 'p' {x:mark;} uses g {x:mark; refine l {x:mark; default "
		"'xy';}}"
		"    must 'true()' {x:mark;} leaf old {status obsolete; type int8 {range '1..9' {x:mark;}}}"
		"    list e {key k {x:mark;} unique 'u' {x:note 'u';} leaf k {type empty {x:mark;}}"
		"      leaf u {type t;}}"
		"    action do {x:mark; input {x:mark; leaf in {type t;}}}}"
		"  augment '/c' {x:mark; leaf more {type identityref {base i {x:mark;}}}}"
		"  rpc op {x:mark; output {x:note 'o'; leaf o {type t;}}} notification n {x:mark;}}");
	assert_int_equal(schema->root->child_count, 1);
	const struct schema_node *c = helper_node(schema, "extended:c");
	assert_int_equal(c->child_count, 5); /* l, a, old, e, more */
	assert_true(
		bytes_equal(value_bytes(&helper_node(schema, "extended:c/l")->defaults[0]), bytes_of("xy")));
	assert_string_equal(helper_canonical(schema, "extended:c/old", "09", NULL), "9");
	assert_null(helper_canonical(schema, "extended:c/l", "long", NULL));
	assert_true(helper_node(schema, "extended:c/e")->unique_count == 1);
	assert_int_equal(c->action_count, 1);
	assert_int_equal(schema->rpc_count, 1);
	schema_unref(schema);
	helper_remove_modules();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_perf_test),	   cmocka_unit_test(test_missing_modules),
		cmocka_unit_test(test_wrong_modules),	   cmocka_unit_test(test_circular_leafrefs),
		cmocka_unit_test(test_search_order),	   cmocka_unit_test(test_submodules),
		cmocka_unit_test(test_implicit_below),	   cmocka_unit_test(test_implement_imports),
		cmocka_unit_test(test_shared_leafref),	   cmocka_unit_test(test_user_ordered),
		cmocka_unit_test(test_unknown_extensions),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
