/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * Confirmed commits (RFC 6241 8.4): a commit that is taken back unless a second one confirms it in time.
 *
 *     struct store_confirm confirm = {.is_confirmed = true, .timeout_s = 60};
 *     status = store_commit_confirm(store, &call, &confirm, &answer);     running is the candidate's, for now
 *     ...
 *     status = store_commit_confirm(store, &call, &(struct store_confirm){0}, &answer);   for good
 *
 * One is pending at a time. Going back is an ordinary version: the one before the first confirmed commit
 * again, made by the server. Changes that others made meanwhile go with it, and stay in the history.
 */
#include "store/store.h"

#define STORE_CONFIRM_TIMEOUT_S 600 /* where none is given */

struct store_confirm {
	bool is_confirmed;
	uint32_t timeout_s;  /* is_confirmed: from when it is published, in monotonic time; not 0 */
	const char *persist; /* is_confirmed: it outlives its session, and this names it; NULL: it does not */
	const char *persist_id; /* names the one that is pending; NULL: the session's own */
};

/*
 * store_commit, with what confirms, prolongs or begins a confirmed commit. Without persist_id and from a
 * session that has none pending it is a commit like any other. Fails: as store_commit; and ST_REJECTED with
 * invalid-value (persist_id names none that is pending, or is missing where that has one), in-use (another
 * session's is pending). Nothing is changed then.
 */
enum status store_commit_confirm(struct store *store, const struct store_call *call,
				 const struct store_confirm *confirm, struct store_answer *answer) MUST_USE;
/* cancel-commit (RFC 6241 8.4.4.1): goes back now. Fails: ST_REJECTED with operation-failed (none is pending,
 * or another session's), invalid-value (persist_id is not its name); as a proposal does. */
enum status store_cancel_commit(struct store *store, const struct store_call *call, const char *persist_id,
				struct store_answer *answer) MUST_USE;
/* As store_session_end; `waiter` is done when what that takes back is published, which may be in this call.
 * Its status is ST_IO where that is not possible. The locks are free by then. */
void store_session_end_await(struct store *store, uint32_t session_id, struct store_waiter *waiter);
