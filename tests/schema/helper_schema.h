/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* Schemas for the tests of this folder: from the shared sets, or from text written to a folder of its own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "schema/load.h"
#include "schema/type.h"

/* A folder below the shared inputs, "yang/zoo"; skips the test where they are absent. */
const char *helper_shared(const char *folder);
/* For programs that need them as a whole: says so where they are absent. */
bool helper_shared_absent(void);
/* Writes a module to the process's temporary folder and returns the folder. Removed by helper_remove_modules.
 */
const char *helper_write_module(const char *name, const char *text);
/* The same in a folder of that name inside it. */
void helper_write_module_in(const char *folder, const char *name, const char *text);
void helper_remove_modules(void);

/* Loads modules "name", "name@revision" or "name:feature,feature" from one folder; prints diagnostics and
 * fails the test where it cannot. */
struct schema *helper_load(const char *folder, const char *const *modules, bool implement_imports);
/* helper_load of one module that was just written. */
struct schema *helper_load_text(const char *name, const char *text);
/* Loads and expects a refusal; returns all messages, one a line (static buffer). */
const char *helper_load_refused(const char *folder, const char *module);

/* The node of a data path "module:a/b/other:c", which must exist. */
const struct schema_node *helper_node(const struct schema *schema, const char *path);

/* Prefixes given as "p=module q=module =module" (the last: the default namespace). */
struct helper_prefixes {
	struct schema_prefixes base;
	const struct schema *schema;
	const char *map;
};
struct helper_prefixes helper_prefixes(const struct schema *schema, const char *map);

/* The canonical form of a value of the leaf at `path` (static buffer); NULL where refused, then message and
 * app-tag are in helper_error (static). */
const char *helper_canonical(const struct schema *schema, const char *path, const char *lexical,
			     const char *map);
extern struct schema_type_error helper_error;
