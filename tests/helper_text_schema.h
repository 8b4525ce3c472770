/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* A schema of one module that a test has as text, in a folder of its own for as long as it is loaded. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "schema/load.h"

static inline struct schema *helper_text_schema(const char *name, const char *text)
{
	struct arena *arena = arena_new();
	struct diag_list diags;
	diag_list_init(&diags, arena, 10);
	char dir[] = "/tmp/yare-module-XXXXXX", path[160];
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
