/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * The history of running: the last versions (store_options.history_length, the present one included), across
 * restarts where there is a journal on disk.
 *
 *     store_history_each(store, print_line, NULL);                newest first
 *     version = store_history_labelled(store, "before the move");
 *     status = store_history_pin(store, 17, &old_root);           compare: tree_diff of two of them
 *     ...
 *     tree_record_unref(old_root, schema->root, reclaimer);
 *     status = store_history_rollback(store, &call, 17, &answer); a commit like any other
 *
 * Any thread. A version is listed once it is announced.
 */
#include "store/store.h"

/* Calls `visit` for each version, newest first, until it returns false. The info has no root. It may not call
 * the history again; Valid during the call. */
void store_history_each(struct store *store, bool (*visit)(void *arg, const struct store_version *info),
			void *arg);
/* The same from the newest one on that is older than `before`. */
void store_history_each_before(struct store *store, uint64_t before,
			       bool (*visit)(void *arg, const struct store_version *info), void *arg);
/* The same for one version; false where it is not listed. */
bool store_history_visit(struct store *store, uint64_t version,
			 void (*visit)(void *arg, const struct store_version *info), void *arg);
size_t store_history_length(struct store *store);
/* The newest listed version with this label; 0: none has it. Cost: O(versions). */
uint64_t store_history_labelled(struct store *store, const char *label);
/* Gives a listed version another label; NULL: none. Durable when it returns, atomically; it makes no version.
 * Fails: ST_REJECTED with data-missing where the version is not listed, ST_LIMIT and ST_IO with
 * resource-denied; then all is as before. ST_BUSY: see store_wait; a call that may wait writes and syncs a
 * file. */
enum status store_history_label(struct store *store, const struct store_call *call, uint64_t version,
				const char *label) MUST_USE;
/*
 * The root of a listed version, one reference. What is not held in memory is made from a newer root by taking
 * back the changes in between, and shares with that what they did not touch; it is kept for the next call, as
 * far as memory allows. Fails: ST_ABSENT (not listed, or
 * retired meanwhile), ST_CORRUPT, ST_IO (logged). Cost: O(1) where its root is held, else that of the changes
 * since the next held one.
 */
enum status store_history_pin(struct store *store, uint64_t version,
			      const struct tree_record **root) MUST_USE;
/* Proposes the root of a listed version as running. Fails: as store_replace does; in-use while a confirmed
 * commit is pending; ST_REJECTED with data-missing in the call's diags where it is not listed, ST_CORRUPT and
 * ST_IO with operation-failed. */
enum status store_history_rollback(struct store *store, const struct store_call *call, uint64_t version,
				   struct store_answer *answer) MUST_USE;
