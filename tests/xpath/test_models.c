/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every must, when and leafref path of the shared sets of models compiles, and most of them are related to
 * their readers: a model whose constraints read everything would be checked in full at each change. Skipped
 * where the sets are absent.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "schema/load.h"
#include "schema/type.h"
#include "xpath/depend.h"

#define MODULES_MAX 16

struct set {
	const char *folder;
	const char *modules[MODULES_MAX]; /* NULL after the last */
	bool implement_imports;
};

static const struct set sets[] = {
	{.folder = "perf-test", .modules = {"perf-test"}},
	{.folder = "zoo", .modules = {"zoo-types", "constraints-zoo", "zoo-more", "zoo-deviations"}},
	{.folder = "directory", .modules = {"directory"}},
	{.folder = "ex-vlan", .modules = {"iana-if-type", "ex-vlan"}},
	{.folder = "openroadm-cps",
	 .modules = {"org-openroadm-interfaces", "openroadm-devices-inventory-v2"}},
	{.folder = "openconfig",
	 .modules = {"iana-if-type", "openconfig-interfaces", "openconfig-if-ethernet", "openconfig-if-ip",
		     "openconfig-vlan", "openconfig-network-instance", "openconfig-routing-policy",
		     "openconfig-bgp-policy"},
	 .implement_imports = true},
};

struct counts {
	size_t expressions, reads, by_relation[XPATH_SCAN + 1], with_scan, everything;
};

static const char *shared_folder(void)
{
	static char folder[512];
	const char *shared = getenv("YARE_SHARED"), *source = getenv("YARE_SOURCE");
	snprintf(folder, sizeof(folder), "%s%s",
		 shared != NULL	  ? shared
		 : source != NULL ? source
				  : ".",
		 shared != NULL ? "" : "/../shared");
	return folder;
}

static struct schema *load(const struct set *set, struct arena *arena)
{
	struct schema_module_request requests[MODULES_MAX] = {0};
	static const char *const all[] = {"*"};
	const char *folder = arena_printf(arena, "%s/yang/%s", shared_folder(), set->folder);
	const char *folders[] = {folder};
	size_t count = 0;
	for (; set->modules[count] != NULL; count++)
		requests[count] = (struct schema_module_request){.name = set->modules[count],
								 .features = (const char *const *)all,
								 .feature_count = 1};
	struct schema_source source = {.search_dirs = folders,
				       .search_dir_count = 1,
				       .modules = requests,
				       .module_count = count,
				       .implement_imports = set->implement_imports};
	struct diag_list diags;
	struct schema *schema = NULL;
	diag_list_init(&diags, arena, 10);
	enum status status = schema_load(&source, &diags, &schema);
	for (const struct diag *d = diags.first; status != ST_OK && d != NULL; d = d->next)
		print_message("%s\n", d->message);
	assert_int_equal(status, ST_OK);
	return schema;
}

struct prefix_arg {
	const struct schema *schema;
	const struct schema_xpath *xpath;
};

static const struct schema_module *resolve(void *arg, struct bytes prefix)
{
	const struct prefix_arg *prefixes = arg;
	return schema_xpath_prefix(prefixes->schema, prefixes->xpath, prefix);
}

static const struct xpath_expr *compile(const struct schema *schema, const struct schema_node *context,
					const struct schema_xpath *xpath, struct arena *arena)
{
	struct prefix_arg arg = {schema, xpath};
	struct xpath_scope scope = {.schema = schema, .context = context, .resolve = resolve, .arg = &arg};
	struct xpath_error error = {0};
	const struct xpath_expr *expr;
	enum status status = xpath_compile(&scope, bytes_of(xpath->expression), arena, &error, &expr);
	if (status != ST_OK)
		print_message("%s: %s: %s\n", context->name, xpath->expression, error.message);
	assert_int_equal(status, ST_OK);
	return expr;
}

static void check(const struct schema *schema, const struct schema_node *context,
		  const struct schema_xpath *xpath, struct arena *arena, struct counts *counts)
{
	bool scans = false;
	const struct xpath_expr *expr = compile(schema, context, xpath, arena);
	for (const struct xpath_read *read = xpath_reads(expr); read != NULL; read = read->next) {
		counts->reads++;
		counts->by_relation[read->relation]++;
		scans |= read->relation == XPATH_SCAN;
		counts->everything += read->node == schema->root && read->subtree;
	}
	counts->expressions++;
	counts->with_scan += scans;
	if (scans && getenv("YARE_VERBOSE") != NULL)
		print_message("scan: %s: %s\n", context->name, xpath->expression);
}

static void check_node(const struct schema *schema, const struct schema_node *node, struct arena *arena,
		       struct counts *musts, struct counts *paths)
{
	for (size_t i = 0; i < node->must_count; i++)
		check(schema, node->musts[i].context, &node->musts[i], arena, musts);
	for (size_t i = 0; i < node->when_count; i++)
		check(schema, node->whens[i].context, &node->whens[i], arena, musts);
	if (node->type == NULL)
		return;
	if (schema_type_leafref_path(node->type) != NULL)
		check(schema, node, schema_type_leafref_path(node->type), arena, paths);
	for (size_t i = 0; i < schema_type_member_count(node->type); i++) {
		const struct schema_xpath *path = schema_type_leafref_path(schema_type_member(node->type, i));
		if (path != NULL)
			check(schema, node, path, arena, paths);
	}
}

static void all_compile(void **state)
{
	(void)state;
	if (access(shared_folder(), R_OK) != 0) {
		print_message("skipped: no shared models in %s\n", shared_folder());
		skip();
	}
	for (size_t i = 0; i < sizeof(sets) / sizeof(sets[0]); i++) {
		struct arena *arena = arena_new();
		struct schema *schema = load(&sets[i], arena);
		struct counts musts = {0}, paths = {0};
		for (size_t j = 0; j < schema->node_count; j++)
			check_node(schema, schema->nodes[j], arena, &musts, &paths);
		print_message("%s: %zu musts and whens (%zu local, %zu fan-out, %zu keyed, %zu scan reads; "
			      "%zu with scans), "
			      "%zu leafrefs\n",
			      sets[i].folder, musts.expressions, musts.by_relation[XPATH_LOCAL],
			      musts.by_relation[XPATH_FAN_OUT], musts.by_relation[XPATH_KEYED],
			      musts.by_relation[XPATH_SCAN], musts.with_scan, paths.expressions);
		assert_int_equal(musts.with_scan, 0);
		assert_int_equal(musts.everything + paths.everything, 0);
		schema_unref(schema);
		arena_free(arena);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(all_compile)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
