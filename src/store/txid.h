/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * Transaction ids (draft-ietf-netconf-transaction-id): for the datastore, for each node at its top level but
 * the items of lists and leaf-lists, and for each container and list entry, the version of running that
 * changed it last. What only changes annotations changes no id. Those of the first two are kept by version,
 * so that they outlast the nodes; those of inner nodes are the stamps of their records.
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
/* The id of an inner node, by the stamp of its record (tree/stamp.h); `above`: that of its parent, which it
 * has where the stamp does not say. */
struct store_txid store_txid_of_stamp(const struct store *store, uint32_t stamp, struct store_txid above);

/* The mechanisms of the draft: etags, and times of the datastore and the nodes at top level. */
enum store_txid_mechanism { STORE_TXID_ETAG, STORE_TXID_LAST_MODIFIED };

/* An etag: printable, without blanks, quotes and backslashes. */
void store_txid_text(struct store_txid txid, char text[STORE_TXID_SIZE]);
/* A last-modified: a date-and-time to the microsecond, which no two versions share. */
void store_txid_time_text(struct store_txid txid, char text[STORE_TXID_SIZE]);

/* What a client says that it knows. */
struct store_txid_client {
	enum store_txid_mechanism mechanism;
	struct store_txid txid; /* nothing where the text is none of the server's */
	bool is_ours;		/* the server has given it, so that it stands for all that is not later */
};
void store_txid_client_init(struct store_txid_client *client, struct store *store,
			    enum store_txid_mechanism mechanism, struct bytes text);
/* Whether it knows what the server has: it is the server's, or a later one of the server's (the Txid
 * History). */
bool store_txid_client_knows(const struct store_txid_client *client, struct store_txid server);

/* One step of the way to an instance. */
struct store_step {
	const struct schema_node *schema;
	const struct value
		*keys; /* list entry: key_count values; NULL elsewhere, and where they are not given */
};

/* What a client expects of running when it changes it. */
struct store_condition {
	struct store_condition *next;
	const struct schema_node *node; /* NULL: the datastore */
	const struct store_step *steps; /* from the top level to the node */
	size_t depth;			/* of them; 0: the datastore */
	const char *path;		/* of the instance; prefixes are names of modules */
	enum store_txid_mechanism mechanism;
	const char *etag; /* or last-modified */
};
