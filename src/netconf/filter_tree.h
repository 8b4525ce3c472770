/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * A compiled subtree filter. filter_subtree.c makes it, filter_select.c judges instances by it.
 *
 *     <filter>                          node: root
 *       <top-container xmlns="p">         group top-container: one CONTAIN node
 *         <local-list>                      group local-list: exact = {a}, {b}; open = the alternatives that
 *           <name>a</name>                                    do not name all keys
 *         </local-list>
 *         <local-list><name>b</name><type/></local-list>
 */
#include "base/vector.h"
#include "netconf/filter.h"
#include "netconf/filter_any.h"
#include "schema/type.h"

enum filter_kind {
	FILTER_SELECT,	/* all instances, whole */
	FILTER_MATCH,	/* leaf, leaf-list: instances with this value */
	FILTER_CONTAIN, /* instances with these matches; of them what the groups select */
	FILTER_ANY,	/* anydata, anyxml: of the content what `any` selects */
};

struct filter_node;

/* An attribute match expression (RFC 6241 6.2.2): an annotation that the instance has, with this value. */
struct filter_attribute {
	const struct filter_attribute *next;
	const struct schema_annotation *schema;
	struct value value; /* the filter's */
};

/* Filter nodes that apply to one instance: the encoder's state there. Never empty. */
struct filter_set {
	size_t length;
	const struct filter_node *const *nodes;
};

/* The alternatives of one filter node for one of the schema node's children. */
struct filter_group {
	const struct schema_node *schema;
	bool whole;		    /* all instances are selected, whole; the rest is empty then */
	struct filter_node *open;   /* by `next`: to be tried for each instance */
	struct filter_node **exact; /* list: all keys are given; ascending and distinct; others of the same
				       keys by `next` */
	size_t exact_count;
	/* Of a list, after a search (filter_search.c): no entry but these can be selected; ascending and
	 * distinct. */
	const struct value **known;
	size_t known_count;
	bool is_known;
};

struct filter_node {
	const struct schema_node *schema;
	struct filter_node *next;
	enum filter_kind kind;
	bool whole; /* CONTAIN with nothing but matches or attributes: the whole instance */
	const struct filter_attribute
		*attributes;	  /* what the instance's annotations must be; NULL: anything */
	struct value value;	  /* MATCH; VALUE_NONE: any */
	const struct value *keys; /* CONTAIN, list with all keys given: key_count values */
	const struct filter_any *any;
	struct filter_node **matches; /* each fulfilled by one of those by `next` */
	size_t match_count;
	struct filter_group *groups; /* ascending by slot */
	size_t group_count;
	const struct filter_node *self;
	struct filter_set alone; /* just this node */
};

struct hash_table;

struct subtree_filter {
	struct netconf_filter base; /* first */
	const struct schema *schema;
	struct arena *arena;
	struct filter_node *root;   /* CONTAIN; NULL: nothing can be selected */
	struct vector values;	    /* struct value, owned */
	size_t pair_count;	    /* (element, schema node) pairs that were looked at */
	size_t open_count;	    /* alternatives that are tried one by one, all together */
	size_t any_max;		    /* bytes of content that is looked into */
	struct tree_any *part;	    /* what was selected of the content that was judged last; NULL: none */
	size_t pairs_max, open_max; /* of these: bound the compiled size, and the cost of an instance */
	const struct filter_node **found; /* room for those that one instance matches */
	bool too_many;
	struct bytes module_ns; /* of `module`, the one that was looked for last; of an element */
	const struct schema_module *module;
	struct schema_type_budget budget; /* of all values, to match patterns */
	struct hash_table *sets;	  /* of more than one node, as they were met; by their nodes */
};

#define FILTER_SETS_MAX 4096 /* distinct sets that are kept */

/* filter_search.c: netconf_filter's `search`; NULL where there is nothing to search for. */
void netconf__filter_search_init(struct subtree_filter *filter);
void netconf__filter_selector_init(struct subtree_filter *filter);
int netconf__filter_compare_keys(const struct schema_node *list, const struct value *a,
				 const struct value *b);
