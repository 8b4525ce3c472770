/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * What a client says that it knows of the nodes that it reads: the elements of a subtree filter that have a
 * txid attribute, and those around them. An element stands for the instances that it selects: those of its
 * name, with the keys and other leafs that are given with a value (RFC 6241 6.2.5).
 */
#include "base/vector.h"
#include "codec/element.h"
#include "schema/type.h"
#include "store/txid.h"
#include "tree/position.h"

struct txid_asked {
	struct txid_asked *next; /* sibling */
	const struct schema_node *schema;
	bool has_client;		 /* the element has the attribute */
	struct store_txid_client client; /* once it is known what the server has */
	struct bytes text;		 /* of the attribute */
	struct txid_asked *open;	 /* children that are tried one by one */
	struct txid_asked **exact;	 /* children that are entries with all keys; ascending */
	size_t exact_count;
	const struct value *keys;	  /* of an entry with all of them; else NULL */
	const struct txid_match *matches; /* other leafs */
};

/* A leaf that an instance must have, with one of at most two values. */
struct txid_match {
	const struct txid_match *next;
	const struct schema_node *leaf;
	struct value values[2];
	size_t count;
};

struct txid_asking {
	const struct schema *schema;
	struct arena *arena;
	enum store_txid_mechanism mechanism;
	struct vector values;		  /* struct value; owned */
	struct schema_type_budget budget; /* of all of them */
	size_t tried, tried_max;	  /* elements that are tried one by one */
};

/* The txid attribute of the element; false where it has none of the mechanism. */
bool netconf__txid_find(const struct element *element, enum store_txid_mechanism mechanism,
			struct bytes *text);
/* Whether the element or one below has one. */
bool netconf__txid_uses(const struct element *element, enum store_txid_mechanism mechanism);
/* Takes them off the element and all below. */
void netconf__txid_strip(struct element *element);
/* Makes `root` of what the elements below `filter` say. False where more elements than tried_max would have
 * to be tried one by one: something is missing then. */
bool netconf__txid_asked_build(struct txid_asking *asking, const struct element *filter,
			       struct txid_asked *root);
/* Makes the clients anew from the texts, of `asked` and all below. */
void netconf__txid_asked_refresh(struct txid_asked *asked, struct store *store,
				 enum store_txid_mechanism mechanism);
/* Whether the element below says anything about children of this schema node. O(children of the element) */
bool netconf__txid_asked_names(const struct txid_asked *asked, const struct schema_node *schema);
/* Calls `found` for each child of `asked` that stands for this instance. */
void netconf__txid_asked_find(const struct txid_asked *asked, const struct tree_position *position,
			      void (*found)(void *arg, const struct txid_asked *child), void *arg);
