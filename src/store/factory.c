/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * factory-reset (RFC 8808 2): running, the candidate and startup become the configuration that the server was
 * delivered with. Running goes through the pipeline, and may be refused; then nothing is changed. Locks of
 * other sessions on any of the three refuse it, and so does a confirmed commit that is pending, which would
 * take it back.
 */
#include "store/internal.h"

static enum status check_unlocked(struct store *store, const struct store_call *call)
{
	enum status status = ST_OK;
	for (unsigned i = 0; i < STORE_DATASTORES && status == ST_OK; i++)
		status = store__check_unlocked(store, (enum store_datastore)i, call);
	return status;
}

enum status store_factory_reset(struct store *store, const struct store_call *call,
				const struct tree_record *root, struct store_answer *answer)
{
	struct store_answer later;
	*answer = (struct store_answer){0};
	enum status status = check_unlocked(store, call);
	if (status == ST_OK)
		status = store__replace_running(store, call, STORE__ROLLBACK, root, answer);
	if (status == ST_OK)
		status = store_discard(store, call, &later);
	if (status != ST_OK || store_startup_kind(store) == STORE_STARTUP_OFF)
		return status;
	status = store_replace(store, STORE_STARTUP, call, root, &later);
	if (later.after > answer->after)
		answer->after = later.after;
	return status;
}
