/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * Locks on parts of running (RFC 5717). A lock has nodes, chosen once, when it is granted; others may change
 * neither them nor what is below them. A node that its owner deletes is not locked any more (2.4.1).
 *
 *     struct store_partial_request request = {.selects = texts, .select_count = 1, .choose = choose, .arg =
 * op}; status = store_partial_lock(store, &call, &request, &lock_id, &answer);
 */
#include "store/store.h"

#define STORE_PARTIAL_NODES 100000 /* of all partial locks together, unless an option says so */

/* What a lock is to have, each node once; positions and array live until store_partial_lock returns. */
struct store_partial_nodes {
	const struct tree_position *const *items;
	size_t length;
};

struct store_partial_request {
	const char *const *selects; /* select_count; kept for who asks what is locked */
	size_t select_count;
	/* Chooses in a root of running, without a lock of the store; again where running changed meanwhile.
	 */
	enum status (*choose)(void *arg, const struct tree_record *root, struct diag_list *diags,
			      struct store_partial_nodes *nodes);
	void *arg;
};

/* Fails: ST_REJECTED: as `choose` does; lock-denied, with the session-id of the holder, where running is
 * locked, by whomever, or another session has a lock on one of the nodes, on one above or below it; in-use
 * while a confirmed commit is pending, of whomever; resource-denied, too many nodes. Cost: that of choosing,
 * and of all nodes that are locked. Gives the nodes of the last choice. The answer rests on what was chosen
 * in. */
enum status store_partial_lock(struct store *store, const struct store_call *call,
			       const struct store_partial_request *request, uint32_t *lock_id,
			       struct store_answer *answer) MUST_USE;
/* False where the session has no such lock. */
bool store_partial_unlock(struct store *store, uint32_t session_id, uint32_t lock_id);

/* A lock, as it is told to clients. */
struct store_partial_info {
	uint32_t id, session_id;
	uint64_t since_ns; /* wall clock */
	const char *const *selects;
	size_t select_count;
	const char *const *nodes; /* instance-identifiers, prefixes are module names */
	size_t node_count;
};
/* All locks, in the order of their ids, copied into the arena. */
const struct store_partial_info *store_partial_list(struct store *store, struct arena *arena, size_t *count);
