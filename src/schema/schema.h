/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * The compiled schema: what the engine knows of a set of YANG modules, as immutable arrays made once from
 * libyang's context (load.h). Everything above reads these structs directly; nothing above sees libyang.
 *
 * Data nodes only are nodes here: choice and case are not in the data tree, so a node's `children` are its
 * data children with choices flattened, in schema order; a list's keys are its first `key_count` children.
 * All top-level data nodes of all implemented modules are the children of one root node (SCHEMA_ROOT), in
 * order of modules, so that the top level is a record like any other. Input of rpcs and actions, and
 * notifications, are trees beside the root.
 *
 * Lifetime: a schema is reference counted and outlives every tree made under it. Threads: read freely.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/bytes.h"
#include "base/diag.h"
#include "base/status.h"
#include "schema/value.h"

#define SCHEMA_TAG_PADDING ((size_t)32)

enum schema_kind {
	SCHEMA_ROOT,
	SCHEMA_CONTAINER,
	SCHEMA_LIST,
	SCHEMA_LEAF,
	SCHEMA_LEAF_LIST,
	SCHEMA_ANYDATA,
	SCHEMA_ANYXML,
	SCHEMA_RPC, /* children: those of its input; `output` has the output's node */
	SCHEMA_ACTION,
	SCHEMA_OUTPUT,
	SCHEMA_NOTIFICATION,
};

struct schema;
struct schema_node;
struct schema_type;

/* A submodule that a module includes. */
struct schema_submodule {
	const char *name;
	const char *revision; /* NULL: none */
	const char *filepath;
	struct bytes source; /* its text as it was read */
};

struct schema_module {
	const char *name;
	const char *revision; /* NULL: none */
	const char *ns;
	const char *prefix;   /* its own, from the prefix statement */
	const char *filepath; /* where it was read from; NULL: built into libyang */
	bool implemented;
	bool yang_1_1;
	const char **features; /* enabled ones, feature_count */
	size_t feature_count;
	const struct schema_submodule *submodules;
	size_t submodule_count;
	const struct schema_module **deviated_by; /* implemented modules with deviations of this one */
	size_t deviated_by_count;
	const struct schema_module **imports; /* those of its submodules too; may name one twice */
	size_t import_count;
	struct bytes source; /* its text as it was read; printed by libyang where built into it */
	uint32_t index;	     /* in schema->modules */
	const struct schema *schema;
};

struct schema_choice;
struct schema_xpath;

/* A case of a choice; shorthand cases are cases too. */
struct schema_case {
	const char *name;
	const struct schema_choice *choice;
	uint16_t index;	 /* in the choice */
	uint16_t *slots; /* the slots (in the data parent) of all data nodes in it, also those in nested
			    choices */
	size_t slot_count;
};

struct schema_choice {
	const char *name;
	const struct schema_module *module;
	const struct schema_node *parent; /* data parent (or root) */
	const struct schema_case *outer;  /* the case that this choice is nested in; NULL: none */
	const struct schema_case *cases;
	size_t case_count;
	const struct schema_case *default_case; /* NULL: none */
	const struct schema_xpath
		*whens; /* its own, and those of the cases and choices that it is nested in */
	size_t when_count;
	bool mandatory;
	bool config;
};

/* A must statement, or a when with the node that its context is. */
struct schema_xpath {
	const char *expression;	   /* as in the module, prefixes of `resolver` */
	const void *resolver;	   /* opaque: pass to schema_xpath_prefix */
	const char *error_message; /* NULL: none */
	const char *error_app_tag; /* NULL: none */
	/* The data node (or root, rpc, action, output, notification) that is the context node: for a must and
	 * a leafref's path the node itself; for a when of augment, uses, choice or case the closest data
	 * ancestor (RFC 7950 7.21.5).
	 */
	const struct schema_node *context;
	/* true: a when whose context is an ancestor of the node that it governs */
	bool context_is_parent;
};

/* One unique statement: leafs by path below the list entry. */
struct schema_unique {
	const struct schema_node **leafs; /* descendants through containers, in the statement's order */
	size_t leaf_count;
	const char *error_app_tag; /* NULL: none (data-not-unique is used) */
};

struct schema_node {
	uint32_t id; /* index in schema->nodes; the root is 0 */
	enum schema_kind kind;
	uint16_t slot;	/* index among parent->children; for SCHEMA_ROOT 0 */
	uint16_t depth; /* root 0 */
	/* Its tags in XML: "<name>", with ` xmlns="..."` where its module is not the parent's (at the top and
	 * in outputs always), and "</name>". SCHEMA_TAG_PADDING bytes may be read from the beginning of each.
	 */
	struct bytes start_tag, end_tag;
	const char *name;
	struct bytes name_bytes;
	const struct schema_module *module;
	const struct schema_node
		*parent; /* data parent; top-level nodes: the root; root, rpc, notification: NULL */
	const struct schema_node **children;
	uint16_t child_count;
	uint16_t key_count; /* list: keys are children[0 .. key_count) */
	bool config;	    /* config true; false in operations and notifications */
	bool presence;	    /* container with a presence statement */
	bool user_ordered;  /* ordered-by user: of configuration, and lists with keys in an operation's input
			     */
	bool is_key;	    /* leaf is a key of its parent */
	bool mandatory;	    /* leaf, anydata, anyxml: mandatory true */
	bool yang_1_1;
	/* Below, some node holds a constraint that is due even if nothing is explicit below (mandatory,
	 * min-elements, must on a non-presence container, default): tells walkers whether an implicit
	 * container is worth entering. */
	bool implicit_below;
	uint32_t min_elements;		/* 0: none */
	uint32_t max_elements;		/* UINT32_MAX: unbounded */
	const struct schema_type *type; /* leaf, leaf-list */
	const struct value *defaults;	/* canonical default values (leaf: at most 1), default_count */
	size_t default_count;
	const struct schema_case *in_case; /* the innermost case; NULL: none */
	const struct schema_xpath *musts;
	size_t must_count;
	const struct schema_xpath
		*whens; /* all that govern this node itself: own, uses, augment, choice, case */
	size_t when_count;
	const struct schema_unique *uniques;
	size_t unique_count;
	const struct schema_choice **choices; /* choices whose data parent this is, outer before nested */
	size_t choice_count;
	const struct schema_node
		*output; /* rpc, action: SCHEMA_OUTPUT, never NULL; its parent is the rpc or action */
	/* Actions and notifications defined inside this node; their parent is this node, they are not
	 * children. The root: rpcs and notifications at top level, whose parent is NULL. */
	const struct schema_node **actions;
	size_t action_count;
	const struct schema_node **notifications;
	size_t notification_count;
};

/* A metadata annotation (RFC 7952) of an implemented module. Any data node may carry it. */
struct schema_annotation {
	const char *name;
	struct bytes name_bytes;
	const struct schema_module *module;
	const struct schema_type *type; /* without leafrefs */
	uint32_t index;			/* in schema->annotations */
};

struct schema {
	const struct schema_node *root;
	const struct schema_node **nodes; /* by id: all data nodes, rpcs, actions, notifications */
	size_t node_count;
	size_t tag_size; /* of the longest tag, at least SCHEMA_TAG_PADDING */
	const struct schema_module *modules;
	size_t module_count;
	const struct schema_node **rpcs;
	size_t rpc_count;
	const struct schema_node **notifications; /* those at top level */
	size_t notification_count;
	const struct schema_annotation *annotations; /* in order of modules */
	size_t annotation_count;
};

struct schema *schema_ref(struct schema *schema);
void schema_unref(struct schema *schema);

/* NULL where absent. Cost: O(1) hash. Only implemented modules own data nodes. */
const struct schema_module *schema_module_find(const struct schema *schema, struct bytes name);
const struct schema_module *schema_module_find_ns(const struct schema *schema, struct bytes ns);
/* The data child of `parent` (root included) with that module and name; NULL where none. Cost: O(1) hash. */
const struct schema_node *schema_child_find(const struct schema *schema, const struct schema_node *parent,
					    const struct schema_module *module, struct bytes name);
/* First child with that local name in any module (XPath without prefix in JSON-ish lookups, filters with
 * xmlns=""); iterate with `after` = the previous result or NULL. Cost: O(children). */
const struct schema_node *schema_child_find_any(const struct schema_node *parent, struct bytes name,
						const struct schema_node *after);
const struct schema_node *schema_rpc_find(const struct schema *schema, const struct schema_module *module,
					  struct bytes name);
/* The action or notification of that name defined inside `parent`; for the root: the notification at top
 * level. */
const struct schema_node *schema_action_find(const struct schema *schema, const struct schema_node *parent,
					     const struct schema_module *module, struct bytes name);
const struct schema_node *schema_notification_find(const struct schema *schema,
						   const struct schema_node *parent,
						   const struct schema_module *module, struct bytes name);
/* NULL where the module has none of that name. Cost: O(1) hash. */
const struct schema_annotation *schema_annotation_find(const struct schema *schema,
						       const struct schema_module *module, struct bytes name);
/* The module that a prefix of the expression means; empty prefix: the module whose statement it is (RFC
 * 7950 6.4.1). NULL: not declared. */
const struct schema_module *schema_xpath_prefix(const struct schema *schema, const struct schema_xpath *xpath,
						struct bytes prefix);
/* The module whose text has the expression; for one in a grouping that which defines it. Identities without
 * prefix in literals are its own (RFC 7950 7.13). */
const struct schema_module *schema_xpath_module(const struct schema_xpath *xpath);
/* "/module:a/module:b" with module names, for logs and reports; written to `out` (terminated, cut at size).
 */
void schema_node_path(const struct schema_node *node, char *out, size_t size);
