/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The journal record of a large change is encoded while the change is checked: both only read the change set
 * and the two roots. A change of BESIDE_LEAST changes and more has a thread for that, which lives as long as
 * its check at most, so there is never more than one, under the writer lock:
 *
 *     writer    settle  prepare  start | authorise  validate  consult | finish  reserve  append
 *     thread                           | encode ...                   |
 *
 * A small change is encoded when it is accepted, by whoever proposes it: a thread costs more than it. So is
 * any where no thread can be had.
 *
 * The dictionary of names is the thread's from start to finish; it is as it was before where the change is
 * refused.
 */
#include "codec/change_record.h"
#include "store/internal.h"

#define BESIDE_LEAST 1000 /* changes; one takes some 0.2 us and more to encode, a thread some 30 us */

static void *run(void *arg)
{
	struct store__beside *beside = arg;
	change_record_begin(beside->names, beside->changes);
	return NULL;
}

void store__beside_start(struct store__beside *beside, const struct store *store,
			 const struct tree_change_set *changes)
{
	*beside = (struct store__beside){.names = store->names, .changes = changes};
	if (store->options.journal != NULL && changes->length >= BESIDE_LEAST)
		beside->is_running = pthread_create(&beside->thread, NULL, run, beside) == 0;
}

void store__beside_finish(struct store__beside *beside, bool accepted)
{
	if (!beside->is_running)
		return;
	pthread_join(beside->thread, NULL);
	beside->is_running = false;
	if (!accepted)
		change_record_abandon(beside->names);
}
