/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The bundled modules of yang/ through schema_load, with that folder alone as search path: each by itself
 * with all of its features, all of them together, and what the server looks up in them. scripts/check-yang
 * compares their text with the originals.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/arena.h"
#include "schema/load.h"

static const char *const all[] = {"*"};

#define MODULE(name_, revision_)                                                                             \
	{                                                                                                    \
		name_, revision_, all, 1                                                                     \
	}
static const struct schema_module_request bundled[] = {
	MODULE("ietf-yang-metadata", "2016-08-05"),
	MODULE("ietf-yang-structure-ext", "2020-06-17"),
	MODULE("ietf-inet-types", "2013-07-15"),
	MODULE("ietf-yang-types", "2013-07-15"),
	MODULE("ietf-datastores", "2018-02-14"),
	MODULE("ietf-origin", "2018-02-14"),
	MODULE("ietf-yang-library", "2019-01-04"),
	MODULE("ietf-netconf", "2011-06-01"),
	MODULE("ietf-netconf-acm", "2018-02-14"),
	MODULE("ietf-netconf-monitoring", "2010-10-04"),
	MODULE("ietf-netconf-with-defaults", "2011-06-01"),
	MODULE("ietf-netconf-nmda", "2019-01-07"),
	MODULE("ietf-netconf-notifications", "2012-02-06"),
	MODULE("ietf-netconf-partial-lock", "2009-10-19"),
	MODULE("ietf-netconf-txid", "2025-08-01"),
	MODULE("ietf-factory-default", "2020-08-31"),
	MODULE("ietf-restconf", "2017-01-26"),
	MODULE("ietf-yang-patch", "2017-02-22"),
	MODULE("ietf-nmda-compare", "2021-12-10"),
	MODULE("notifications", "2008-07-14"),
	MODULE("nc-notifications", "2008-07-14"),
};
#define BUNDLED (sizeof(bundled) / sizeof(bundled[0]))

static struct schema *load(const struct schema_module_request *modules, size_t count)
{
	static char folder[4096];
	const char *root = getenv("YARE_SOURCE");
	snprintf(folder, sizeof(folder), "%s/yang", root != NULL ? root : ".");
	const char *const folders[] = {folder};
	struct schema_source source = {
		.search_dirs = folders, .search_dir_count = 1, .modules = modules, .module_count = count};
	struct arena *arena = arena_new();
	struct diag_list diags;
	diag_list_init(&diags, arena, 10);
	struct schema *schema = NULL;
	enum status status = schema_load(&source, &diags, &schema);
	for (const struct diag *diag = diags.first; diag != NULL; diag = diag->next)
		print_error("%s\n", diag->message);
	arena_free(arena);
	assert_int_equal(status, ST_OK);
	return schema;
}

static const struct schema_module *module_of(const struct schema *schema, const char *name)
{
	const struct schema_module *module = schema_module_find(schema, bytes_of(name));
	if (module == NULL)
		fail_msg("no module %s", name);
	return module;
}

static const struct schema_node *rpc_of(const struct schema *schema, const char *module, const char *name)
{
	const struct schema_node *rpc = schema_rpc_find(schema, module_of(schema, module), bytes_of(name));
	if (rpc == NULL)
		fail_msg("no rpc %s:%s", module, name);
	return rpc;
}

static const struct schema_node *child_of(const struct schema *schema, const struct schema_node *parent,
					  const char *module, const char *name)
{
	const struct schema_node *child =
		schema_child_find(schema, parent, module_of(schema, module), bytes_of(name));
	if (child == NULL)
		fail_msg("no node %s:%s", module, name);
	return child;
}

static void test_each_alone(void **state)
{
	(void)state;
	for (size_t i = 0; i < BUNDLED; i++) {
		struct schema *schema = load(&bundled[i], 1);
		const struct schema_module *module = module_of(schema, bundled[i].name);
		assert_true(module->implemented);
		assert_string_equal(module->revision, bundled[i].revision);
		size_t size = 0;
		assert_non_null(schema_module_text(schema, module, &size));
		assert_true(size > 0);
		if (module->filepath != NULL) /* else libyang's own is used */
			assert_non_null(strstr(module->filepath, "/yang/"));
		schema_unref(schema);
	}
}

static void test_operations(void **state)
{
	static const char *const rpcs[][2] = {
		{"ietf-netconf", "get-config"},
		{"ietf-netconf", "edit-config"},
		{"ietf-netconf", "copy-config"},
		{"ietf-netconf", "delete-config"},
		{"ietf-netconf", "lock"},
		{"ietf-netconf", "unlock"},
		{"ietf-netconf", "get"},
		{"ietf-netconf", "close-session"},
		{"ietf-netconf", "kill-session"},
		{"ietf-netconf", "commit"},
		{"ietf-netconf", "discard-changes"},
		{"ietf-netconf", "cancel-commit"},
		{"ietf-netconf", "validate"},
		{"ietf-netconf-monitoring", "get-schema"},
		{"ietf-netconf-nmda", "get-data"},
		{"ietf-netconf-nmda", "edit-data"},
		{"ietf-nmda-compare", "compare"},
		{"ietf-factory-default", "factory-reset"},
		{"notifications", "create-subscription"},
		{"ietf-netconf-partial-lock", "partial-lock"},
		{"ietf-netconf-partial-lock", "partial-unlock"},
	};
	(void)state;
	struct schema *schema = load(bundled, BUNDLED);
	for (size_t i = 0; i < sizeof(rpcs) / sizeof(rpcs[0]); i++)
		rpc_of(schema, rpcs[i][0], rpcs[i][1]);
	assert_int_equal(schema->rpc_count, sizeof(rpcs) / sizeof(rpcs[0]));
	schema_unref(schema);
}

/* Nodes that one module adds to another's operations. */
static void test_augments(void **state)
{
	(void)state;
	struct schema *schema = load(bundled, BUNDLED);
	child_of(schema, rpc_of(schema, "ietf-netconf", "get"), "ietf-netconf-with-defaults",
		 "with-defaults");
	child_of(schema, rpc_of(schema, "ietf-netconf", "commit"), "ietf-netconf-txid", "with-etag");
	child_of(schema, rpc_of(schema, "ietf-netconf-nmda", "edit-data"), "ietf-netconf-txid",
		 "with-last-modified");
	const struct schema_node *lock = rpc_of(schema, "ietf-netconf", "lock");
	child_of(schema, child_of(schema, lock, "ietf-netconf", "target"), "ietf-netconf-nmda", "datastore");
	schema_unref(schema);
}

static void test_data(void **state)
{
	static const char *const tops[][2] = {
		{"ietf-netconf-acm", "nacm"},	       {"ietf-netconf-monitoring", "netconf-state"},
		{"ietf-yang-library", "yang-library"}, {"ietf-yang-library", "modules-state"},
		{"nc-notifications", "netconf"},       {"notifications", "notification"},
	};
	(void)state;
	struct schema *schema = load(bundled, BUNDLED);
	for (size_t i = 0; i < sizeof(tops) / sizeof(tops[0]); i++) {
		const struct schema_node *top = child_of(schema, schema->root, tops[i][0], tops[i][1]);
		assert_int_equal(top->kind, SCHEMA_CONTAINER);
		assert_int_equal(top->config, strcmp(tops[i][1], "nacm") == 0);
	}
	assert_int_equal(schema->notification_count, 9);
	schema_unref(schema);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_alone),
		cmocka_unit_test(test_operations),
		cmocka_unit_test(test_augments),
		cmocka_unit_test(test_data),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
