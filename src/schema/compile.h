/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * What the files compile_*.c share: the state of one compilation. First all modules, identities and nodes are
 * made (compile.c, compile_node.c), then what refers to them: types, xpaths, uniques, defaults
 * (compile_type.c, compile_constraint.c).
 */
#include "base/hash_table.h"
#include "schema/internal.h"

struct compile {
	struct schema__private *schema;
	struct arena *arena; /* the schema's */
	struct diag_list *diags;
	struct schema_module *modules;
	struct hash_table *module_of;	/* by the address of the lys_module */
	struct hash_table *identity_of; /* by the address of the lysc_ident: its index + 1 */
	struct hash_table
		*type_of;	  /* by the addresses of the lysc_type and, with a leafref inside, the leaf */
	struct vector nodes;	  /* struct schema_node *, by id */
	struct vector lysc_nodes; /* const struct lysc_node *, by id; NULL for the root */
	bool failed;		  /* diags say why */
};

/* The compiled thing that a node of libyang became: node, choice or case. */
static inline void *compile_made_from(const struct lysc_node *node)
{
	return node->priv;
}

static inline struct bytes compile_address_key(const void *const *address, size_t length)
{
	return (struct bytes){(const char *)address, length * sizeof(*address)};
}

const struct schema_module *compile_module_of(const struct compile *compile, const struct lys_module *module);

/* compile_node.c: nodes and choices, without what refers to others. */
enum status compile_tree(struct compile *compile) MUST_USE;
/* compile_tag.c */
void compile_tags(struct compile *compile);
/* compile_identity.c */
void compile_identities(struct compile *compile);
/* compile_constraint.c: musts, whens, uniques, defaults, implicit_below of all nodes. */
enum status compile_constraints(struct compile *compile) MUST_USE;
struct schema_xpath compile_xpath(struct compile *compile, const struct lyxp_expr *expression,
				  const struct lysc_prefix *prefixes, const struct lys_module *local);
/* The leaf or leaf-list that a leafref of `leaf` leads to; NULL where that is not understood. */
const struct schema_node *compile_leafref_target(struct compile *compile, const struct schema_xpath *path,
						 const struct schema_node *leaf);
/* compile_annotation.c */
void compile_annotations(struct compile *compile);
/* compile_type.c; `node` NULL: the type is of no node, and holds no leafref */
bool compile_holds_leafref(const struct lysc_type *type);
const struct schema_type *compile_type(struct compile *compile, const struct lysc_type *type,
				       const struct lysc_node *node);
