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

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "os/random.h"
#include "store/internal.h"
#include "store/txid_internal.h"

#define CONDITIONS_MAX 4096 /* kept with the candidate */
#define EPOCHS_MAX 4096	    /* starts whose ids are told from ones that never were */
#define TXID_NS "urn:ietf:params:xml:ns:yang:ietf-netconf-txid"

/* ---- texts ---- */

void store_txid_text(struct store_txid txid, char text[STORE_TXID_SIZE])
{
	snprintf(text, STORE_TXID_SIZE, "%016" PRIx64 "-%" PRIu64, txid.epoch, txid.version);
}

static bool take_digits(struct bytes *text, unsigned base, size_t most, uint64_t *number)
{
	static const char digits[] = "0123456789abcdef";
	size_t size = 0;
	*number = 0;
	for (; size < text->size && size < most; size++) {
		const char *digit = memchr(digits, text->data[size], base);
		if (digit == NULL)
			break;
		*number = *number * base + (uint64_t)(digit - digits);
	}
	text->data += size;
	text->size -= size;
	return size > 0;
}

static bool parse(struct bytes text, struct store_txid *txid)
{
	if (!take_digits(&text, 16, 16, &txid->epoch) || text.size < 2 || text.data[0] != '-')
		return false;
	text.data++;
	text.size--;
	return text.data[0] != '0' && take_digits(&text, 10, 19, &txid->version) && text.size == 0;
}

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
	uint64_t epoch = 0;
	for (size_t i = 0; i < epochs->length; i++) {
		const struct store__epoch *entry = vector_at(epochs, i);
		if (entry->first <= version)
			epoch = entry->epoch;
	}
	return epoch;
}

bool store_txid_is_known(struct store *store, struct bytes etag, struct store_txid server)
{
	char text[STORE_TXID_SIZE];
	struct store_txid client;
	store_txid_text(server, text);
	if (bytes_equal(etag, bytes_of(text)))
		return true;
	if (!parse(etag, &client) || client.version <= server.version || client.epoch == 0)
		return false;
	return store__is_published(store, client.version) &&
	       epoch_of(&store->epochs, client.version) == client.epoch;
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

static bool has_content(const struct schema_node *node)
{
	return node->kind == SCHEMA_LEAF || node->kind == SCHEMA_ANYDATA || node->kind == SCHEMA_ANYXML;
}

/* Whether data differ, and not annotations alone. */
static bool changes_data(const struct tree_change *change)
{
	if (!change->has_old || !change->has_new || change->moved)
		return true;
	if (has_content(change->schema))
		return !change->annotated || change->old_content.word != change->new_content.word;
	for (const struct tree_change *child = change->children; child != NULL; child = child->next)
		if (changes_data(child))
			return true;
	return false;
}

const struct store_txids *store__txids_next(const struct store *store, const struct store_txids *txids,
					    uint64_t version, const struct tree_change_set *changes)
{
	struct store_txid txid = {epoch_of(&store->epochs, version), version};
	struct store_txids *next = NULL;
	const struct tree_change *child = changes->root != NULL ? changes->root->children : NULL;
	for (; child != NULL; child = child->next) {
		if (!changes_data(child))
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
}

void store__txid_state_fini(struct store__txid_state *state)
{
	store__txids_unref(state->txids);
	state->txids = NULL;
	vector_fini(&state->epochs);
}

void store__txid_touch(struct store__txid_state *state, uint64_t version, const struct schema_node *node)
{
	struct store_txid txid = {epoch_of(&state->epochs, version), version};
	if (version <= state->version || txid.epoch == 0)
		return;
	while (node->depth > 1)
		node = node->parent;
	state->txids->datastore = state->txids->tops[node->slot] = txid;
}

void store__txid_forget(struct store__txid_state *state)
{
	memset(state->txids->tops, 0, state->txids->count * sizeof(state->txids->tops[0]));
	state->txids->datastore = (struct store_txid){0, 0};
}

static void settle_one(struct store_txid *txid, struct store_txid unknown)
{
	if (txid->version == 0 || txid->version > unknown.version)
		*txid = unknown;
}

void store__txid_settle(struct store__txid_state *state, uint64_t version)
{
	struct store__epoch epoch = {0, state->epochs.length > 0 ? version + 1 : version};
	while (epoch.epoch == 0)
		os_random_bytes(&epoch.epoch, sizeof(epoch.epoch));
	struct store_txid unknown = {epoch.epoch, version};
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
const struct store_txids *store__txids_begin(struct store *store)
{
	struct store_recovery *recovery = store->options.recovery;
	struct store__txid_state fresh;
	if (recovery == NULL) {
		store__txid_state_init(&fresh, store->options.schema);
		store__txid_settle(&fresh, 1);
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

static const struct schema_node *top_of(const struct schema_node *node)
{
	while (node != NULL && node->depth > 1)
		node = node->parent;
	return node;
}

/* The content of the structure txid-value-mismatch-error-info. */
static void add_mismatch(struct diag_list *diags, const struct store_condition *condition, const char *etag)
{
	struct diag *diag = diag_add(diags, DIAG_PROTOCOL, DIAG_OPERATION_FAILED,
				     "The node is not as the client knows it.");
	diag_set_path(diags, diag, condition->path);
	const struct schema_node *node = condition->node;
	for (; node != NULL && node->depth > 0; node = node->parent)
		diag_add_prefix(diags, diag, node->module->name, node->module->ns);
	struct diag_info *info = diag_add_info_group(diags, diag, "txid-value-mismatch-error-info", TXID_NS);
	diag_add_info_member(diags, info, "mismatch-path", condition->path, true);
	diag_add_info_member(diags, info, "mismatch-etag-value", etag, false);
}

enum status store__conditions_check(struct store *store, const struct store_condition *conditions,
				    const struct store_txids *txids, struct diag_list *diags)
{
	enum status status = ST_OK;
	for (const struct store_condition *at = conditions; at != NULL; at = at->next) {
		struct store_txid txid = store_txid_of(txids, top_of(at->node));
		char text[STORE_TXID_SIZE];
		if (store_txid_is_known(store, bytes_of(at->etag), txid))
			continue;
		store_txid_text(txid, text);
		add_mismatch(diags, at, text);
		status = ST_REJECTED;
	}
	return status;
}

void store__conditions_drop(struct store *store)
{
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

/* That of the path; NULL: there is none. */
static struct store_condition *find_kept(const struct store *store, const char *path)
{
	struct store_condition *at = store->conditions;
	while (at != NULL && strcmp(at->path, path) != 0)
		at = at->next;
	return at;
}

static void keep(struct store *store, const struct store_condition *condition)
{
	struct arena *arena = store->conditions_arena;
	struct store_condition *kept = find_kept(store, condition->path);
	if (kept == NULL) {
		kept = arena_zalloc(arena, sizeof(*kept));
		kept->path = arena_strdup(arena, bytes_of(condition->path));
		kept->node = condition->node;
		kept->next = store->conditions;
		store->conditions = kept;
		store->condition_count++;
	}
	kept->etag = arena_strdup(arena, bytes_of(condition->etag));
}

enum status store__conditions_keep(struct store *store, const struct store_call *call)
{
	(void)store__conditions_kept(store);
	size_t count = store->condition_count;
	for (const struct store_condition *at = call->conditions; at != NULL; at = at->next)
		count++;
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
