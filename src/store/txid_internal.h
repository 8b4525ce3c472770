/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* What the files about transaction ids share: txid.c, txid_file.c, recovery. */
#include "store/recover.h"
#include "store/txid.h"

/* An epoch and the version that it began with. */
struct store__epoch {
	uint64_t epoch, first;
};

/* The ids while a store is being recovered, and what its file says. */
struct store__txid_state {
	const struct schema *schema;
	uint64_t version;	   /* that the file is about; 0: there is none */
	struct store_txids *txids; /* owned; version 0: not known */
	struct vector epochs;	   /* struct store__epoch, ascending by `first` */
	/* Stamps of that version's tree (txid_stamps.c). has_runs: they are known, and not given to a tree
	 * yet. */
	struct buffer runs;
	bool has_runs, incomplete; /* `incomplete`: there may be records whose stamps are not known */
};

/* The epoch that a version was made in; 0: not known. */
uint64_t store__txid_epoch(const struct store *store, uint64_t version);
void store__txid_state_init(struct store__txid_state *state, const struct schema *schema);
void store__txid_state_fini(struct store__txid_state *state);
/* The record of a version, later than the file's, changes data at or below the node. */
void store__txid_touch(struct store__txid_state *state, const struct store_version *version,
		       const struct schema_node *node);
/* The same of all nodes: something was set aside before the version. */
void store__txid_touch_all(struct store__txid_state *state, const struct store_version *version);
/* Nothing is known up to this version but what records tell. */
void store__txid_forget(struct store__txid_state *state);
/* All records were seen, `version` is the last one, of that time: a new epoch begins behind it, which ids
 * that are not known take over. */
void store__txid_settle(struct store__txid_state *state, uint64_t version, uint64_t time_ns);

/* The stamp for what a record of this version changes; 0: its id would not be known. */
uint32_t store__txid_stamp(const struct store__txid_state *state, uint64_t version);
/* `root` is the tree of this version: where the file is about it, its records get their stamps. */
void store__txid_reach(struct store__txid_state *state, uint64_t version, const struct tree_record *root);

/* txid_stamps.c */
void store__stamps_encode(const struct schema *schema, const struct tree_record *root, struct buffer *out);
/* False where the runs are not of this tree; no stamp is known then. */
bool store__stamps_apply(const struct schema *schema, const struct tree_record *root, struct bytes runs);
void store__stamps_forget(const struct schema *schema, const struct tree_record *root);
/* Those that are not known, or later than the version, become those of what the records are in, but not less
 * than `least`. */
void store__stamps_fill(const struct schema *schema, const struct tree_record *root,
			const struct store_txids *txids, uint64_t version, uint64_t least);

/* txid_file.c */
/* Fails: ST_ABSENT, ST_CORRUPT, ST_LIMIT, ST_IO (logged); the state is as new then. */
enum status store__txid_file_read(struct journal *journal, struct store__txid_state *state) MUST_USE;
/* What a file is about. */
struct store__txid_file {
	const struct schema *schema;
	uint64_t version;
	const struct tree_record *root; /* of the version */
	const struct store_txids *txids;
	const struct vector *epochs;
	struct bytes runs; /* of stamps, as they are in the root; empty: not known */
};
/* Fails: ST_IO, ST_LIMIT (logged). Cost: O(root). */
enum status store__txid_file_write(struct journal *journal, const struct store__txid_file *file) MUST_USE;
