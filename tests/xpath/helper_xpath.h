/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * A schema from module texts, and trees from lines:
 *
 *     top/list[a][1]/leaf = value
 *     presence
 *
 * Names are local names; keys stand in brackets in key order; a line without = makes containers and entries.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "schema/load.h"
#include "tree/builder.h"
#include "xpath/depend.h"

struct xpath_fixture {
	struct arena *arena;
	struct schema *schema;
	const struct schema_module *module; /* the first one: of names without prefix */
	struct tree_record *root;
	struct tree_position root_position;
	char directory[64];
};

struct xpath_module_text {
	const char *name, *text;
};

/* Loads all modules; `module` is the first. */
void fixture_init(struct xpath_fixture *fixture, const struct xpath_module_text *modules, size_t count);
void fixture_fini(struct xpath_fixture *fixture);
/* Replaces the tree by that of the lines. */
void fixture_tree(struct xpath_fixture *fixture, const char *lines);
/* A changed copy of `base`: the lines are added; a line that begins with '-' removes what it names. */
struct tree_record *fixture_edit(struct xpath_fixture *fixture, const struct tree_record *base,
				 const char *lines);
/* "a/b/c": the schema node by local names; "" is the root. */
const struct schema_node *fixture_node(const struct xpath_fixture *fixture, const char *path);
/* The first node that an absolute expression selects. Asserts that there is one. */
const struct tree_position *fixture_find(struct xpath_fixture *fixture, const char *expression);
/* Compiles with prefixes = module prefixes, no prefix = the first module. NULL where refused. */
const struct xpath_expr *fixture_compile(struct xpath_fixture *fixture, const struct schema_node *context,
					 const char *expression, struct xpath_error *error);
/* Evaluates at a node (NULL: the root) with large limits and converts to a string: node-sets as the texts of
 * their leafs, and names of the others, joined by blanks. */
const char *fixture_eval(struct xpath_fixture *fixture, const struct tree_position *context,
			 const char *expression);
