/* SPDX-License-Identifier: BSD-3-Clause */
#include "store/helper_module.h"
#include <stdio.h>
#include <stdlib.h>
#include "schema/fingerprint.h"

struct schema *module_load(const char *name, const char *text)
{
	char dir[] = "/tmp/yare-module-XXXXXX", path[64];
	struct diag_list diags;
	struct arena *arena = arena_new();
	diag_list_init(&diags, arena, 10);
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/%s.yang", dir, name);
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
	const char *dirs[] = {dir};
	struct schema_module_request module = {.name = name};
	struct schema_source source = {
		.search_dirs = dirs, .search_dir_count = 1, .modules = &module, .module_count = 1};
	struct schema *schema = NULL;
	assert_int_equal(schema_load(&source, &diags, &schema), ST_OK);
	remove(path);
	remove(dir);
	arena_free(arena);
	return schema;
}

void module_use(struct disk_bench *bench, const char *name, const char *text)
{
	check_plan_free(bench->plan);
	schema_unref(bench->schema);
	bench->schema = module_load(name, text);
	assert_int_equal(check_plan_new(bench->schema, &bench->diags, &bench->plan), ST_OK);
	bench->store_options.schema = bench->schema;
	bench->store_options.plan = bench->plan;
	schema_fingerprint(bench->schema, bench->journal_options.fingerprint);
}

const struct schema_node *module_node(const struct schema_node *parent, const char *name)
{
	const struct schema_node *found = schema_child_find_any(parent, bytes_of(name), NULL);
	assert_non_null(found);
	return found;
}
