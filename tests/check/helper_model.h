/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * Models and trees for the tests of `check`, written as text. An edit is lines, each a path by local names:
 *
 *     top/list[k1,k2]/leaf=value     sets a leaf, making what it needs
 *     top/values+v                   adds a value to a leaf-list
 *     top/list[k]                    makes an entry
 *     top/box!                       makes a container, stored even if empty
 *     -top/list[k]                   removes an entry; likewise a leaf, a container, a whole list
 *     -top/values+v                  removes a value
 *
 * Setting a node of a case removes the other cases' nodes first, as edit-config does.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "check/check.h"
#include "tree/builder.h"

#define MODEL_MODULES_MAX 16

struct model {
	struct schema *schema;
	struct check_plan *plan;
	struct check_counters counters; /* of the last check */
	struct check_options options;
	size_t limit; /* of diagnostics */
};

/* A module given as text. */
void model_init(struct model *model, const char *name, const char *yang);
/* A folder of the shared inputs (in one static buffer); NULL and a message where it is absent. */
const char *model_shared(const char *folder);
enum model_imports { MODEL_IMPORTS_AS_NEEDED, MODEL_IMPORTS_IMPLEMENTED };
/* Modules of a folder, all features. */
void model_init_set(struct model *model, const char *dir, const char *const *names,
		    enum model_imports imports);
/* perf-test from the shared inputs; false where they are absent. */
bool model_init_perf_test(struct model *model);
void model_fini(struct model *model);

/* A new root (one reference). */
struct tree_record *model_edit(struct model *model, const struct tree_record *base, const char *edit);
void model_drop(struct model *model, const struct tree_record *root);
/* Removes the nodes of all cases that exclude the child below the builder's position. */
void model_clear_cases(struct tree_builder *builder, const struct schema_node *child);

/* Settles the change from old (NULL: the empty datastore) to `*root`, as a proposal would; gives the faults
 * as model_check does, to be freed with free(). Asserts that it comes to the same without the value indexes
 * of old. */
char *model_settle(struct model *model, const struct tree_record *old, struct tree_record **root);
/*
 * Settles and checks the change from old to new, which stays as it is; gives the faults as lines "tag app-tag
 * path message" (app-tag "-": none), to be freed with free(). `old` NULL: a full check. Asserts that the
 * value indexes are what a full build gives, and that the old ones did not change.
 */
char *model_check(struct model *model, const struct tree_record *old, const struct tree_record *new);
/* The base must be valid; then the edit must give exactly these faults, incrementally and in full. */
void model_expect(struct model *model, const char *base, const char *edit, const char *faults);
/* The plan as text, to be freed with free(). */
char *model_describe(struct model *model);
