/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * libyang as the oracle: the tree is written as XML and validated by libyang, which stops at its first error.
 */
#include "helper_model.h"

struct oracle;

/* A module given as text, or one of a folder. */
struct oracle *oracle_new(const char *yang);
struct oracle *oracle_new_from(const char *dir, const char *name);
void oracle_free(struct oracle *oracle);
/* True where libyang accepts the tree. Else *app_tag and *node (the last name of the error's path), to be
 * freed. */
bool oracle_check(struct oracle *oracle, const struct schema *schema, const struct tree_record *root,
		  char **app_tag, char **node);
/* The tree as XML, to be freed. */
char *oracle_xml(const struct schema *schema, const struct tree_record *root);
/* A set of modules with all features, of a folder. */
struct oracle *oracle_new_set(const char *dir, const char *const *names, enum model_imports imports);
/* XML read by libyang, without validation, as a tree of ours (one reference); NULL where it is malformed. */
struct tree_record *oracle_tree(struct oracle *oracle, const struct schema *schema, const char *xml);
/* What libyang leaves of a tree after it removed all that is under a false `when`, to a fixpoint. */
struct tree_record *oracle_settle(struct oracle *oracle, const struct schema *schema,
				  const struct tree_record *root);
