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
};

void store__txid_state_init(struct store__txid_state *state, const struct schema *schema);
void store__txid_state_fini(struct store__txid_state *state);
/* A record of a later version than the file's changes data at or below the node. */
void store__txid_touch(struct store__txid_state *state, uint64_t version, const struct schema_node *node);
/* Nothing is known up to this version but what records tell. */
void store__txid_forget(struct store__txid_state *state);
/* All records were seen, `version` is the last one: a new epoch begins behind it, which ids that are not
 * known take over. */
void store__txid_settle(struct store__txid_state *state, uint64_t version);

/* txid_file.c */
/* Fails: ST_ABSENT, ST_CORRUPT, ST_LIMIT, ST_IO (logged); the state is as new then. */
enum status store__txid_file_read(struct journal *journal, struct store__txid_state *state) MUST_USE;
/* Fails: ST_IO, ST_LIMIT (logged). */
enum status store__txid_file_write(struct journal *journal, const struct schema *schema, uint64_t version,
				   const struct store_txids *txids, const struct vector *epochs) MUST_USE;
