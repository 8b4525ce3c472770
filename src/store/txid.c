/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Transaction ids of versions. A version's ids are made with it, from those of the version before it and the
 * change set: a copy of one array as long as the schema's top level, or the same one where no data changed.
 *
 * Over a restart they come from a file, which is written at each start and before each snapshot, and from the
 * records after it (txid_file.c, recover.c). What neither tells, since the file is of a version that a crash
 * took away or is not there, gets an id of the new epoch.
 */
#include "store/txid.h"

#include <string.h>

#include "base/memory.h"
#include "os/random.h"
#include "schema/qname.h"
#include "store/internal.h"
#include "store/txid_internal.h"
#include "tree/stamp.h"

#define CONDITIONS_MAX 4096 /* kept with the candidate */
#define EPOCHS_MAX 4096	    /* starts whose ids are told from ones that never were */
#define TXID_NS "urn:ietf:params:xml:ns:yang:ietf-netconf-txid"

/* ---- ids ---- */

bool store_txid_is_versioned(const struct schema_node *node)
{
	return node->config && node->kind != SCHEMA_LIST && node->kind != SCHEMA_LEAF_LIST;
}

struct store_txid store_txid_of(const struct store_txids *txids, const struct schema_node *top)
{
	return top != NULL && store_txid_is_versioned(top) ? txids->tops[top->slot] : txids->datastore;
}

/* The epoch that a version was made in; 0: none that is known. */
static uint64_t epoch_of(const struct vector *epochs, uint64_t version)
{
	const struct store__epoch *entries = epochs->data;
	size_t low = 0, high = epochs->length;
	while (low < high) {
		size_t middle = (low + high) / 2;
		if (entries[middle].first <= version)
			low = middle + 1;
		else
			high = middle;
	}
	return low > 0 ? entries[low - 1].epoch : 0;
}

struct store_txid store_txid_of_stamp(const struct store *store, uint32_t stamp, struct store_txid above)
{
	return tree_stamp_says(stamp) ? (struct store_txid){epoch_of(&store->epochs, stamp), stamp, 0}
				      : above;
}

uint64_t store__txid_epoch(const struct store *store, uint64_t version)
{
	return epoch_of(&store->epochs, version);
}

static struct store_txids *new_txids(size_t count)
{
	struct store_txids *txids = memory_zalloc(sizeof(*txids) + count * sizeof(txids->tops[0]));
	atomic_init(&txids->refs, 1);
	txids->count = count;
	return txids;
}

void store__txids_unref(const struct store_txids *txids)
{
	struct store_txids *own = (struct store_txids *)txids;
	if (own != NULL && atomic_fetch_sub_explicit(&own->refs, 1, memory_order_acq_rel) == 1)
		memory_free(own);
}

static const struct store_txids *ref(const struct store_txids *txids)
{
	atomic_fetch_add_explicit(&((struct store_txids *)txids)->refs, 1, memory_order_relaxed);
	return txids;
}

/* The time of a version as an id: later than that of the one before, whatever the clock does. */
static uint64_t time_after(struct store_txid last, const struct store_version *version)
{
	uint64_t time_us = version->time_ns / 1000;
	if (last.version == version->id)
		return last.time_us;
	return time_us > last.time_us ? time_us : last.time_us + 1;
}

static struct store_txids *all_of(size_t count, struct store_txid txid)
{
	struct store_txids *all = new_txids(count);
	all->datastore = txid;
	for (size_t i = 0; i < count; i++)
		all->tops[i] = txid;
	return all;
}

/* Something was set aside before the version that says so, which changes nothing itself: it may be anywhere.
 */
const struct store_txids *store__txids_next(const struct store *store, const struct store_txids *txids,
					    const struct store_version *version,
					    const struct tree_change_set *changes)
{
	struct store_txid txid = {epoch_of(&store->epochs, version->id), version->id,
				  time_after(txids->datastore, version)};
	if (version->set_aside)
		return all_of(txids->count, txid);
	struct store_txids *next = NULL;
	const struct tree_change *child = changes->root != NULL ? changes->root->children : NULL;
	for (; child != NULL; child = child->next) {
		if (!tree_change_is_data(child))
			continue;
		if (next == NULL) {
			next = new_txids(txids->count);
			memcpy(next->tops, txids->tops, txids->count * sizeof(txids->tops[0]));
		}
		next->datastore = next->tops[child->schema->slot] = txid;
	}
	return next != NULL ? next : ref(txids);
}

/* ---- recovery ---- */

void store__txid_state_init(struct store__txid_state *state, const struct schema *schema)
{
	*state = (struct store__txid_state){.schema = schema, .txids = new_txids(schema->root->child_count)};
	vector_init(&state->epochs, sizeof(struct store__epoch));
	buffer_init(&state->runs, SIZE_MAX);
	state->incomplete = true;
}

void store__txid_state_fini(struct store__txid_state *state)
{
	store__txids_unref(state->txids);
	state->txids = NULL;
	vector_fini(&state->epochs);
	buffer_fini(&state->runs);
}

void store__txid_touch(struct store__txid_state *state, const struct store_version *version,
		       const struct schema_node *node)
{
	struct store_txid txid = {epoch_of(&state->epochs, version->id), version->id,
				  time_after(state->txids->datastore, version)};
	if (version->id <= state->version || txid.epoch == 0)
		return;
	while (node->depth > 1)
		node = node->parent;
	state->txids->datastore = state->txids->tops[node->slot] = txid;
}

void store__txid_touch_all(struct store__txid_state *state, const struct store_version *version)
{
	struct store_txid txid = {epoch_of(&state->epochs, version->id), version->id,
				  time_after(state->txids->datastore, version)};
	if (version->id <= state->version || txid.epoch == 0)
		return;
	size_t count = state->txids->count;
	store__txids_unref(state->txids);
	state->txids = all_of(count, txid);
}

uint32_t store__txid_stamp(const struct store__txid_state *state, uint64_t version)
{
	return epoch_of(&state->epochs, version) != 0 ? tree_stamp_of(version) : 0;
}

void store__txid_reach(struct store__txid_state *state, uint64_t version, const struct tree_record *root)
{
	if (!state->has_runs || version != state->version)
		return;
	state->incomplete = !store__stamps_apply(state->schema, root, buffer_get(&state->runs));
	state->has_runs = false;
	if (state->incomplete)
		buffer_clear(&state->runs, 0);
}

void store__txid_forget(struct store__txid_state *state)
{
	memset(state->txids->tops, 0, state->txids->count * sizeof(state->txids->tops[0]));
	state->txids->datastore = (struct store_txid){0};
	state->has_runs = false;
}

static void settle_one(struct store_txid *txid, struct store_txid unknown)
{
	if (txid->version == 0 || txid->version > unknown.version)
		*txid = unknown;
	if (txid->time_us == 0)
		txid->time_us = unknown.time_us;
}

void store__txid_settle(struct store__txid_state *state, uint64_t version, uint64_t time_ns)
{
	struct store__epoch epoch = {0, state->epochs.length > 0 ? version + 1 : version};
	while (epoch.epoch == 0)
		os_random_bytes(&epoch.epoch, sizeof(epoch.epoch));
	struct store_txid unknown = {epoch.epoch, version, time_ns / 1000};
	for (size_t i = 0; i < state->txids->count; i++)
		settle_one(&state->txids->tops[i], unknown);
	settle_one(&state->txids->datastore, unknown);
	/* What began behind the last version was lost, or had none. */
	while (state->epochs.length > 0 &&
	       ((struct store__epoch *)vector_at(&state->epochs, state->epochs.length - 1))->first > version)
		vector_pop(&state->epochs);
	if (state->epochs.length >= EPOCHS_MAX) {
		struct store__epoch *first = state->epochs.data;
		memmove(first, first + 1, (state->epochs.length - 1) * sizeof(*first));
		vector_pop(&state->epochs);
	}
	*(struct store__epoch *)vector_push(&state->epochs) = epoch;
}

/* Those that a store begins with, and its epochs. Without a recovery all are new. */
const struct store_txids *store__txids_begin(struct store *store, const struct store_version *version)
{
	struct store_recovery *recovery = store->options.recovery;
	struct store__txid_state fresh;
	if (recovery == NULL) {
		store__txid_state_init(&fresh, store->options.schema);
		store__txid_settle(&fresh, 1, version->time_ns);
		store__stamps_fill(store->options.schema, version->root, fresh.txids, 1, 0);
	}
	struct store__txid_state *state = recovery != NULL ? recovery->txids : &fresh;
	vector_init(&store->epochs, sizeof(struct store__epoch));
	for (size_t i = 0; i < state->epochs.length; i++)
		*(struct store__epoch *)vector_push(&store->epochs) =
			*(struct store__epoch *)vector_at(&state->epochs, i);
	const struct store_txids *txids = ref(state->txids);
	if (recovery == NULL)
		store__txid_state_fini(&fresh);
	return txids;
}

/* ---- conditions ---- */

/* The record that a step leads to; NULL: it is not there, or the node is none. */
static const struct tree_record *take_step(const struct tree_record *record, const struct store_step *step)
{
	const union tree_slot *slot = tree_record_find(record, step->schema);
	if (slot == NULL)
		return NULL;
	if (step->schema->kind == SCHEMA_CONTAINER)
		return slot->record;
	if (step->schema->kind != SCHEMA_LIST || step->keys == NULL)
		return NULL;
	const union tree_item *item = tree_map_find(slot->map, step->schema, step->keys);
	return item != NULL ? item->record : NULL;
}

/* The id of the closest versioned node that is there, at or above the condition's. */
static struct store_txid id_at(const struct store *store, const struct store_version *version,
			       const struct store_condition *condition)
{
	struct store_txid txid = version->txids->datastore;
	const struct tree_record *record = version->root;
	for (size_t i = 0; i < condition->depth && record != NULL; i++) {
		const struct store_step *step = &condition->steps[i];
		record = take_step(record, step);
		if (i == 0 && store_txid_is_versioned(step->schema))
			txid = store_txid_of(version->txids, step->schema);
		else if (record != NULL && condition->mechanism == STORE_TXID_ETAG)
			txid = store_txid_of_stamp(store, tree_record_stamp_get(record), txid);
	}
	return txid;
}

/* The content of the structure txid-value-mismatch-error-info. */
static void add_mismatch(struct diag_list *diags, const struct store_condition *condition,
			 struct store_txid server)
{
	bool is_time = condition->mechanism == STORE_TXID_LAST_MODIFIED;
	char text[STORE_TXID_SIZE];
	if (is_time)
		store_txid_time_text(server, text);
	else
		store_txid_text(server, text);
	struct diag *diag = diag_add(diags, DIAG_PROTOCOL, DIAG_OPERATION_FAILED,
				     "The node is not as the client knows it.");
	diag_set_path(diags, diag, condition->path);
	if (condition->node != NULL)
		schema_qname_declare(condition->node->module->schema, bytes_of(condition->path), diags, diag);
	struct diag_info *info = diag_add_info_group(diags, diag, "txid-value-mismatch-error-info", TXID_NS);
	diag_add_info_member(diags, info, "mismatch-path", condition->path, true);
	diag_add_info_member(diags, info, is_time ? "mismatch-last-modified-value" : "mismatch-etag-value",
			     text, false);
}

enum status store__conditions_check(struct store *store, const struct store_condition *conditions,
				    const struct store_version *version, struct diag_list *diags)
{
	enum status status = ST_OK;
	for (const struct store_condition *at = conditions; at != NULL; at = at->next) {
		struct store_txid txid = id_at(store, version, at);
		struct store_txid_client client;
		store_txid_client_init(&client, store, at->mechanism, bytes_of(at->etag));
		if (store_txid_client_knows(&client, txid))
			continue;
		add_mismatch(diags, at, txid);
		status = ST_REJECTED;
	}
	return status;
}

void store__conditions_drop(struct store *store)
{
	for (const struct store_condition *at = store->conditions; at != NULL; at = at->next)
		for (size_t i = 0; i < at->depth; i++)
			for (size_t k = 0; at->steps[i].keys != NULL && k < at->steps[i].schema->key_count;
			     k++)
				value_unref(at->steps[i].keys[k]);
	arena_free(store->conditions_arena);
	store->conditions_arena = NULL;
	store->conditions = NULL;
	store->condition_count = 0;
}

const struct store_condition *store__conditions_kept(struct store *store)
{
	pthread_mutex_lock(&store->state);
	bool stale = store->conditions_stale;
	store->conditions_stale = false;
	pthread_mutex_unlock(&store->state);
	if (stale)
		store__conditions_drop(store);
	return store->conditions;
}

/* That of the same node and mechanism; NULL: there is none. */
static struct store_condition *find_kept(const struct store *store, const struct store_condition *condition)
{
	struct store_condition *at = store->conditions;
	while (at != NULL &&
	       (at->mechanism != condition->mechanism || strcmp(at->path, condition->path) != 0))
		at = at->next;
	return at;
}

/* The steps with references of their own to the keys. */
static const struct store_step *keep_steps(struct arena *arena, const struct store_condition *condition)
{
	struct store_step *steps = arena_alloc(arena, condition->depth * sizeof(*steps));
	for (size_t i = 0; i < condition->depth; i++) {
		steps[i] = condition->steps[i];
		if (steps[i].keys == NULL)
			continue;
		struct value *keys = arena_alloc(arena, steps[i].schema->key_count * sizeof(*keys));
		for (size_t k = 0; k < steps[i].schema->key_count; k++)
			keys[k] = value_ref(steps[i].keys[k]);
		steps[i].keys = keys;
	}
	return steps;
}

static void keep(struct store *store, const struct store_condition *condition)
{
	struct arena *arena = store->conditions_arena;
	struct store_condition *kept = find_kept(store, condition);
	if (kept == NULL) {
		kept = arena_zalloc(arena, sizeof(*kept));
		kept->path = arena_strdup(arena, bytes_of(condition->path));
		kept->node = condition->node;
		kept->steps = keep_steps(arena, condition);
		kept->depth = condition->depth;
		kept->next = store->conditions;
		store->conditions = kept;
		store->condition_count++;
	}
	kept->mechanism = condition->mechanism;
	kept->etag = arena_strdup(arena, bytes_of(condition->etag));
}

enum status store__conditions_keep(struct store *store, const struct store_call *call)
{
	(void)store__conditions_kept(store);
	size_t count = store->condition_count;
	for (const struct store_condition *at = call->conditions; at != NULL; at = at->next)
		count += find_kept(store, at) == NULL;
	if (call->conditions == NULL)
		return ST_OK;
	if (count > CONDITIONS_MAX) {
		diag_add(call->diags, DIAG_PROTOCOL, DIAG_RESOURCE_DENIED,
			 "The candidate keeps no more conditions than %d.", CONDITIONS_MAX);
		return ST_REJECTED;
	}
	if (store->conditions_arena == NULL)
		store->conditions_arena = arena_new();
	for (const struct store_condition *at = call->conditions; at != NULL; at = at->next)
		keep(store, at);
	return ST_OK;
}
