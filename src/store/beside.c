/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The journal record of a large change is encoded while the change is checked: both only read the change set
 * and the two roots. A change of BESIDE_LEAST changes and more, what is created or deleted as a whole counted
 * by the entries of its lists, has a thread for that, which lives as long as its check at most, so there is
 * never more than one, under the writer lock:
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

static size_t weigh_record(const struct schema_node *schema, const struct tree_record *record)
{
	size_t weight = 1;
	for (size_t i = 0; i < record->length && weight < BESIDE_LEAST; i++) {
		const struct schema_node *child = schema->children[tree_record_indexes(record)[i]];
		if (child->kind == SCHEMA_LIST || child->kind == SCHEMA_LEAF_LIST)
			weight += tree_map_count(record->slots[i].map);
		else if (child->kind == SCHEMA_CONTAINER)
			weight += weigh_record(child, record->slots[i].record);
	}
	return weight;
}

/* Counted up to BESIDE_LEAST. */
static size_t weigh(const struct tree_change *change)
{
	size_t weight = 0;
	bool is_inner = change->schema->kind == SCHEMA_CONTAINER || change->schema->kind == SCHEMA_LIST;
	if (!change->children && is_inner && change->has_new != change->has_old)
		return weigh_record(change->schema, change->has_new ? change->new_content.record
								    : change->old_content.record);
	for (const struct tree_change *child = change->children; child && weight < BESIDE_LEAST;
	     child = child->next)
		weight += weigh(child);
	return weight;
}

static bool is_large(const struct tree_change_set *changes)
{
	return changes->length >= BESIDE_LEAST || (changes->root && weigh(changes->root) >= BESIDE_LEAST);
}

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
	if (store->options.journal != NULL && is_large(changes))
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
