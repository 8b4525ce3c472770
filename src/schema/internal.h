/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * What the files of this folder share: the parts of a schema that nobody above sees. A schema is built by
 * load.c (modules into a libyang context) and compile.c (context into arrays) and then never changes.
 */
#include <stdatomic.h>
#include "base/arena.h"
#include "base/vector.h"
#include "schema/index.h"
#include "schema/libyang_compat.h"
#include "schema/load.h"
#include "schema/schema.h"
#include "schema/type.h"

/* What an xpath's `resolver` points to: the prefixes of its expression. */
struct schema__resolver {
	const struct schema_module *local; /* of names without prefix */
	const struct schema_module *text;  /* whose text has the statement */
	struct schema__prefix {
		struct bytes prefix;
		const struct schema_module *module;
	} * prefixes;
	size_t prefix_count;
};

struct schema__identity {
	struct text *text; /* "module:name", immortal, TEXT_QNAME */
	struct bytes name;
	const struct schema_module *module;
	bool valid;	     /* its module is implemented and its if-features hold */
	uint32_t *ancestors; /* indexes of all identities that it derives from, ascending */
	size_t ancestor_count;
};

/* An enum: its name as a value that nobody counts, and its number. */
struct schema__enum {
	struct bytes name;
	struct value value;
	int32_t number;
};

struct schema_type {
	enum schema_base base;
	enum schema_base sort_base;	/* base of `real` */
	const struct schema_type *real; /* leafref: the final target's type; else itself */
	const struct schema_type **members;
	size_t member_count;
	const struct schema_xpath *path; /* leafref */
	bool require_instance;
	bool has_reference;
	bool by_plugin;		    /* a derived type that libyang has a plugin for */
	bool qnames;		    /* the plugin's values hold prefixes */
	struct schema__enum *enums; /* by name */
	size_t enum_count;
	const uint32_t *identity_bases; /* indexes of identities */
	size_t identity_base_count;
	const struct lysc_type *lysc;
	const struct lysc_node *lysc_node; /* a leaf of this type, as context for plugins */
};

/* A file that was read: module or submodule. */
struct schema__source {
	struct bytes name;
	const char *revision; /* asked for or in the file's name; NULL: none */
	const char *path;
	struct bytes text;
};

struct schema__private {
	struct schema public; /* first, so that a schema is also one of these */
	_Atomic uint32_t refs;
	struct arena *arena; /* everything that lives as long as the schema */
	struct ly_ctx *context;
	struct schema__index children;	 /* scope: schema__child_scope */
	struct schema__index operations; /* rpcs (scope of the root), actions */
	struct schema__index notifications;
	struct schema__index module_names, module_namespaces; /* scope 0 */
	struct schema__index identity_names;		      /* scope: the module's index */
	struct schema__index annotation_names;		      /* scope: the module's index */
	struct schema__identity *identities;
	size_t identity_count;
	struct vector texts; /* struct text *: immortal ones to free */
};

static inline const struct schema__private *schema__private(const struct schema *schema)
{
	return (const struct schema__private *)schema;
}

/* Key of an index of nodes: the parent and the module of the name. */
static inline uint64_t schema__child_scope(const struct schema_node *parent,
					   const struct schema_module *module)
{
	return (uint64_t)parent->id << 32 | module->index;
}

/* load.c */

void schema__free(struct schema__private *schema);

/* source.c: finding and reading module files. */

struct schema__sources {
	const struct schema_source *request;
	struct arena *arena;
	struct ly_ctx *context;
	struct vector files;   /* struct schema__source: all that were read, in order */
	struct vector missing; /* const char *: "name" or "name@revision" that no folder has */
};

/* An ly_module_imp_clb; `sources` is a struct schema__sources. */
LY_ERR schema__source_import(const char *module, const char *revision, const char *submodule,
			     const char *submodule_revision, void *sources, LYS_INFORMAT *format,
			     const char **text, ly_module_imp_data_free_clb *free_text);
/* The file of a module or submodule; NULL: not from a file. */
const struct schema__source *schema__source_find(const struct schema__sources *sources, const char *name,
						 const char *revision);

/* compile.c: the context into arrays. */

enum status schema__compile(struct schema__private *schema, const struct schema__sources *sources,
			    struct diag_list *diags) MUST_USE;

/* identity.c */

const struct schema__identity *schema__identity_find(const struct schema__private *schema,
						     const struct schema_module *module, struct bytes name);
bool schema__identity_has_ancestor(const struct schema__identity *identity, uint32_t ancestor);
