/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* What the tests of the tree share: a schema from text, short ways to name nodes and values, a seeded
 * generator. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "schema/schema.h"
#include "tree/builder.h"
#include "tree/cursor.h"
#include "tree/diff.h"

/* Compiles one module, given as text; ends the test program with a message where that fails. */
struct schema *helper_schema(const char *module_name, const char *text);

/* A node by a path of local names, "a/b/c" from the root. */
const struct schema_node *helper_node(const struct schema *schema, const char *path);
struct value helper_value(const char *text);
struct value helper_number(int64_t number);

struct helper_random {
	uint64_t state;
};

/* The seed of YARE_SEED or the time; printed. */
struct helper_random helper_random_init(const char *test);
uint64_t helper_random_next(struct helper_random *random);
static inline uint64_t helper_random_below(struct helper_random *random, uint64_t limit)
{
	return helper_random_next(random) % limit;
}

/* All of a root as text, one line an instance, in the view: for comparing and for failure messages. */
char *helper_print(const struct schema *schema, const struct tree_record *root, enum tree_view view);
/* Checks every invariant of all maps and records below; fails the test where one is broken. */
void helper_check(const struct schema_node *schema, const struct tree_record *record);
