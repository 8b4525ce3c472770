/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * Transaction ids (draft-ietf-netconf-transaction-id): for the datastore, and for each node at its top level
 * but the items of lists and leaf-lists, the version of running that changed it last. What only changes
 * annotations changes no id.
 *
 * A number of a version that a crash took away is given again (with durability full none that anybody heard
 * of), so an id has an epoch as well: a random number for each start of the server.
 */
#include <stdbool.h>
#include "base/diag.h"
#include "store/store.h"

/* Those of one version; immutable, shared by versions. */
struct store_txids {
	_Atomic uint32_t refs;
	struct store_txid datastore;
	size_t count;		  /* children of the schema's root */
	struct store_txid tops[]; /* by their slot; items of lists and leaf-lists have none of their own */
};

#define STORE_TXID_SIZE 48 /* bytes of a text, its end included */

/* Whether the node, a child of the schema's root, has an id of its own. */
bool store_txid_is_versioned(const struct schema_node *node);
/* The id of a node at top level, else that of the datastore (`top` NULL too). */
struct store_txid store_txid_of(const struct store_txids *txids, const struct schema_node *top);
/* An etag: printable, without blanks, quotes and backslashes. */
void store_txid_text(struct store_txid txid, char text[STORE_TXID_SIZE]);
/* Whether a client that knows this etag knows what the server has: it is the server's, or a later one of the
 * server's (the Txid History, which has no end). */
bool store_txid_is_known(struct store *store, struct bytes etag, struct store_txid server);

/* What a client expects of running when it changes it. */
struct store_condition {
	struct store_condition *next;
	const struct schema_node *node; /* NULL: the datastore */
	const char *path;		/* of the instance; prefixes are names of modules */
	const char *etag;
};
