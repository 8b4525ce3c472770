/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * From a data directory to what a store starts with: the newest whole snapshot, and the records after it
 * applied to it.
 *
 *     status = journal_disk_open(&journal_options, &journal);
 *     status = store_recover(&recover_options, diags, &recovery);
 *     store_options.journal = journal; store_options.recovery = recovery;
 *     status = store_open(&store_options, diags, &store);
 *     store_recovery_free(recovery);
 *
 * A new directory begins with version 1, which is `initial_root`, as a snapshot.
 */
#include "codec/change_record.h"
#include "base/vector.h"
#include "journal/journal_disk.h"
#include "store/store.h"

/* A record that the journal still has. */
struct store_recovered_version {
	struct store_version *info; /* without root; owned */
	struct journal_location location;
	const struct tree_record *root; /* owned; NULL: not held, nor are those before it */
};

struct store__txid_state;

struct store_recovery {
	const struct schema *schema;
	struct tree_record *root; /* of the last version; owned */
	struct store_version
		*info; /* of the last version, without root; owned. `valid`: need not be checked again */
	/* The last version is within a confirmed commit: what was before that; owned. NULL: it is not. */
	struct tree_record *fallback;
	uint64_t fallback_id;
	bool fallback_valid;
	struct store_startup startup; /* of the last version; owned */
	bool is_new;		      /* the directory was empty */
	struct change_dictionary
		*names;		/* of the last segment that has records; owned until a store takes it */
	uint64_t names_segment; /* 0: none has */
	struct vector versions; /* struct store_recovered_version, ascending, the last `history` of them */
	struct store__txid_state *txids; /* transaction ids; owned */
	struct vector told;		 /* struct store__told: what no record tells */
	size_t set_aside;		 /* misfits that were written to files and left out */
};

/* What the present schema has no place for, in the last version or in startup (docs/schema-change.md). */
enum store_mismatch {
	STORE_REFUSE,
	STORE_QUARANTINE, /* written to files beside the journal, and left out; the store makes a version of
			     it */
};

struct store_recover_options {
	const struct schema *schema;
	struct journal *journal;
	size_t history;				/* versions to be listed */
	uint64_t history_memory;		/* bytes for roots of old ones, as in store_options */
	const struct tree_record *initial_root; /* of a new directory; borrowed; NULL: empty */
	unsigned threads; /* that may read what is large, the caller's included; 0 as 1 */
	enum store_mismatch mismatch;
};

/*
 * Fails: ST_CORRUPT, ST_IO, ST_LIMIT (logged), ST_REJECTED (the schema has no place for what is stored: diags
 * list it; the directory is as before).
 */
enum status store_recover(const struct store_recover_options *options, struct diag_list *diags,
			  struct store_recovery **recovery) MUST_USE;
void store_recovery_free(struct store_recovery *recovery); /* NULL is allowed */
