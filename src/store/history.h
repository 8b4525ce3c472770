/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * The history of running: the last versions (store_options.history_length, the present one included), across
 * restarts where there is a journal on disk.
 *
 *     store_history_each(store, print_line, NULL);                newest first
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
/*
 * The root of a listed version, one reference. What is not held in memory is made from a newer root by taking
 * back the changes in between, and shares with that what they did not touch. Fails: ST_ABSENT (not listed, or
 * retired meanwhile), ST_CORRUPT, ST_IO (logged). Cost: O(1) where its root is held, else that of the changes
 * since the next held one.
 */
enum status store_history_pin(struct store *store, uint64_t version,
			      const struct tree_record **root) MUST_USE;
/* Proposes the root of a listed version as running. Fails: as store_replace does; in-use while a confirmed commit is
 * pending; ST_REJECTED with
 * data-missing in the call's diags where it is not listed, ST_CORRUPT and ST_IO with operation-failed. */
enum status store_history_rollback(struct store *store, const struct store_call *call, uint64_t version,
				   struct store_answer *answer) MUST_USE;
