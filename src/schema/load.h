/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * Loading: YANG files on a search path -> a compiled schema.
 *
 *     struct schema_source source = {.search_dirs = dirs, .search_dir_count = 2, .modules = &m, .module_count
 * = 1}; enum status status = schema_load(&source, diags, &schema);
 */
#include "schema/schema.h"

struct schema_module_request {
	const char *name;
	const char *revision;	     /* NULL: newest found */
	const char *const *features; /* enabled features; feature_count 1 with "*": all */
	size_t feature_count;
};

struct schema_source {
	const char *const *
		search_dirs; /* searched in order, so originals found on the host can win over bundled ones */
	size_t search_dir_count;
	const struct schema_module_request *modules; /* to implement */
	size_t module_count;
	bool implement_imports; /* implement all imported modules too */
};

/* Fails: ST_REJECTED (a module is missing or wrong; diags say which and where), ST_IO. */
enum status schema_load(const struct schema_source *source, struct diag_list *diags,
			struct schema **schema) MUST_USE;

/* The text of a module as it was read, for get-schema; submodules: see schema_submodule. NULL where unknown.
 */
const char *schema_module_text(const struct schema *schema, const struct schema_module *module, size_t *size);
