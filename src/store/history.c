/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The history: a row of versions, each with who made it, where its record is in the journal, and for the
 * newer ones their root.
 *
 *     version   12   13   14   15   16   17       17 is what is published
 *     root       -    -    -    x    x    x       as many as history_memory allows, the newest at least
 *     record     x    x    x    x    x    x       with a journal on disk
 *
 * The root of 13 is made again from that of 15 when it is wanted (history_root.c).
 *
 * Version 1 has no record: the file of the history tells of it, and of labels that were given after the
 * commit (history_file.c).
 *
 * Invariant: those without a root are the first ones, and ids follow each other without a gap.
 */
#include <inttypes.h>
#include <string.h>
#include "base/assert.h"
#include "base/memory.h"
#include "store/history_internal.h"
#include "store/recover.h"

struct store__past *store__past_find(const struct store__history *history, uint64_t version)
{
	size_t length = store__past_length(history);
	uint64_t first = length > 0 ? store__past_at(history, 0)->info->id : 0;
	if (length == 0 || version < first || version - first >= length)
		return NULL;
	return store__past_at(history, (size_t)(version - first));
}

static void drop_root(struct store *store, struct store__past *past)
{
	if (past->root == NULL)
		return;
	store->history.cost -= past->cost;
	tree_record_unref(past->root, store->options.schema->root, store->options.reclaimer);
	past->root = NULL;
}

/* Takes it out of the list. What it holds is freed later: answers wait for what is added, not for this.
 * Room at the front is given back when it is half of all, so forgetting one costs O(1). */
static void forget_first(struct store *store)
{
	struct store__history *history = &store->history;
	struct store__past *first = store__past_at(history, 0);
	if (first->root != NULL)
		history->cost -= first->cost;
	*(struct store__past *)vector_push(&history->forgotten) = *first;
	history->start++;
	history->rootless -= history->rootless > 0;
	size_t left = store__past_length(history);
	if (history->start <= left)
		return;
	if (left > 0)
		memmove(history->versions.data, store__past_at(history, 0),
			left * sizeof(struct store__past));
	history->versions.length = left;
	history->start = 0;
}

/* Takes `info`, and a reference of its own of `root`. The mutex is held. */
static void push(struct store *store, struct store_version *info, const struct journal_location *location,
		 const struct tree_record *root)
{
	struct store__history *history = &store->history;
	struct store__past *past = vector_push(&history->versions);
	*past = (struct store__past){
		.info = info, .location = *location, .cost = store__past_cost(info->change_count)};
	if (root != NULL) {
		past->root = tree_record_ref(root);
		history->cost += past->cost;
	} else {
		ASSERT(history->rootless == store__past_length(history) - 1);
		history->rootless++;
	}
	while (store__past_length(history) > store->options.history_length && store__past_length(history) > 1)
		forget_first(store);
	store__rebuilt_forget(store, store__past_at(history, 0)->info->id);
	while (history->cost > store->options.history_memory &&
	       history->rootless + 1 < store__past_length(history))
		drop_root(store, store__past_at(history, history->rootless++));
}

/* What the file tells of versions that are listed. */
static void apply_told(struct store *store, const struct vector *told)
{
	for (size_t i = 0; i < told->length; i++) {
		const struct store__told *entry = vector_at(told, i);
		struct store__past *past = store__past_find(&store->history, entry->version);
		if (past == NULL || !entry->relabelled || past->info->time_ns != entry->time_ns)
			continue;
		memory_free(past->info->label);
		past->info->label = entry->label != NULL ? memory_strdup(entry->label) : NULL;
		past->relabelled = true;
	}
}

static bool take_forgotten(struct store__history *history, struct store__past *past)
{
	pthread_mutex_lock(&history->mutex);
	bool any = history->forgotten.length > 0;
	if (any) {
		*past = *(struct store__past *)vector_at(&history->forgotten, history->forgotten.length - 1);
		vector_pop(&history->forgotten);
	}
	pthread_mutex_unlock(&history->mutex);
	return any;
}

void store__history_release(struct store *store)
{
	struct store__past past;
	while (take_forgotten(&store->history, &past)) {
		if (past.root != NULL)
			tree_record_unref(past.root, store->options.schema->root, store->options.reclaimer);
		store__info_free(past.info);
	}
}

void store__history_init(struct store *store)
{
	static const struct journal_location nowhere;
	const struct store_recovery *recovery = store->options.recovery;
	size_t length = recovery != NULL ? recovery->versions.length : 0;
	pthread_mutex_init(&store->history.mutex, NULL);
	pthread_mutex_init(&store->history.labelling, NULL);
	vector_init(&store->history.versions, sizeof(struct store__past));
	vector_init(&store->history.forgotten, sizeof(struct store__past));
	const struct journal_location *location = &nowhere;
	for (size_t i = 0; i < length; i++) {
		const struct store_recovered_version *found = vector_at(&recovery->versions, i);
		if (found->info->id == store->published->id)
			location = &found->location;
		else
			push(store, store__info_copy(found->info), &found->location, found->root);
	}
	push(store, store__info_copy(store->published), location, store->published->root);
	store__history_release(store);
	if (recovery != NULL)
		apply_told(store, &recovery->told);
}

void store__history_fini(struct store *store)
{
	store__rebuilt_forget(store, UINT64_MAX);
	while (store__past_length(&store->history) > 0)
		forget_first(store);
	store__history_release(store);
	vector_fini(&store->history.versions);
	vector_fini(&store->history.forgotten);
	pthread_mutex_destroy(&store->history.labelling);
	pthread_mutex_destroy(&store->history.mutex);
}

void store__history_add(struct store *store, const struct store_version *version)
{
	pthread_mutex_lock(&store->history.mutex);
	push(store, store__info_copy(version), &version->location, version->root);
	pthread_mutex_unlock(&store->history.mutex);
}

void store_history_each(struct store *store, bool (*visit)(void *arg, const struct store_version *info),
			void *arg)
{
	store_history_each_before(store, UINT64_MAX, visit, arg);
}

void store_history_each_before(struct store *store, uint64_t before,
			       bool (*visit)(void *arg, const struct store_version *info), void *arg)
{
	const struct store__history *history = &store->history;
	pthread_mutex_lock(&store->history.mutex);
	size_t length = store__past_length(history);
	uint64_t first = store__past_at(history, 0)->info->id;
	if (before <= first)
		length = 0;
	else if (before - first < length)
		length = (size_t)(before - first);
	bool going = true;
	for (size_t i = length; going && i > 0; i--)
		going = visit(arg, store__past_at(history, i - 1)->info);
	pthread_mutex_unlock(&store->history.mutex);
}

bool store_history_visit(struct store *store, uint64_t version,
			 void (*visit)(void *arg, const struct store_version *info), void *arg)
{
	pthread_mutex_lock(&store->history.mutex);
	const struct store__past *past = store__past_find(&store->history, version);
	if (past != NULL)
		visit(arg, past->info);
	pthread_mutex_unlock(&store->history.mutex);
	return past != NULL;
}

size_t store_history_length(struct store *store)
{
	pthread_mutex_lock(&store->history.mutex);
	size_t length = store__past_length(&store->history);
	pthread_mutex_unlock(&store->history.mutex);
	return length;
}

/* ---- labels ---- */

uint64_t store_history_labelled(struct store *store, const char *label)
{
	uint64_t version = 0;
	pthread_mutex_lock(&store->history.mutex);
	for (size_t i = store__past_length(&store->history); version == 0 && i > 0; i--) {
		const struct store_version *info = store__past_at(&store->history, i - 1)->info;
		if (info->label != NULL && strcmp(info->label, label) == 0)
			version = info->id;
	}
	pthread_mutex_unlock(&store->history.mutex);
	return version;
}

/* What the file will have; labels are borrowed, but for that of `version`, as nobody else changes them now.
 */
static void tell_all(struct store *store, uint64_t version, const char *label, struct vector *told)
{
	vector_init(told, sizeof(struct store__told));
	pthread_mutex_lock(&store->history.mutex);
	for (size_t i = 0; i < store__past_length(&store->history); i++) {
		const struct store__past *past = store__past_at(&store->history, i);
		bool is_it = past->info->id == version;
		if (!is_it && !past->relabelled && past->info->id != 1)
			continue;
		struct store__told entry = {past->info->id, past->info->time_ns, is_it || past->relabelled,
					    is_it ? label : past->info->label};
		if (entry.label != NULL)
			entry.label = memory_strdup(entry.label);
		*(struct store__told *)vector_push(told) = entry;
	}
	pthread_mutex_unlock(&store->history.mutex);
}

static void set_label(struct store *store, uint64_t version, const char *label)
{
	pthread_mutex_lock(&store->history.mutex);
	struct store__past *past = store__past_find(&store->history, version);
	if (past != NULL) { /* else it has left the history meanwhile */
		memory_free(past->info->label);
		past->info->label = label != NULL ? memory_strdup(label) : NULL;
		past->relabelled = true;
	}
	pthread_mutex_unlock(&store->history.mutex);
}

static void note_found(void *arg, const struct store_version *info)
{
	(void)arg;
	(void)info;
}

static enum status refuse_absent(const struct store_call *call, uint64_t version)
{
	diag_add(call->diags, DIAG_APPLICATION, DIAG_DATA_MISSING, "The history has no version %" PRIu64 ".",
		 version);
	return ST_REJECTED;
}

enum status store_history_label(struct store *store, const struct store_call *call, uint64_t version,
				const char *label)
{
	if (!store__acquire(&store->history.labelling, call->wait))
		return ST_BUSY;
	enum status status = ST_OK;
	if (!store_history_visit(store, version, note_found, NULL))
		status = refuse_absent(call, version);
	if (status == ST_OK && store->options.recovery != NULL) {
		struct vector told;
		tell_all(store, version, label, &told);
		status = store__history_file_write(store->options.journal, &told);
		store__told_fini(&told);
		if (status != ST_OK)
			diag_add(call->diags, DIAG_APPLICATION, DIAG_RESOURCE_DENIED,
				 "The label cannot be written.");
	}
	if (status == ST_OK)
		set_label(store, version, label);
	pthread_mutex_unlock(&store->history.labelling);
	return status;
}

/* ---- rollback ---- */

enum status store_history_rollback(struct store *store, const struct store_call *call, uint64_t version,
				   struct store_answer *answer)
{
	const struct tree_record *root;
	*answer = (struct store_answer){0};
	enum status status = store_history_pin(store, version, &root);
	if (status == ST_ABSENT)
		return refuse_absent(call, version);
	if (status != ST_OK) {
		diag_add(call->diags, DIAG_APPLICATION, DIAG_OPERATION_FAILED,
			 "Version %" PRIu64 " cannot be read from the journal.", version);
		return status;
	}
	status = store__replace_running(store, call, STORE__ROLLBACK, root, answer);
	tree_record_unref(root, store->options.schema->root, store->options.reclaimer);
	return status;
}
