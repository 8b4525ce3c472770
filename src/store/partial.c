/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Partial locks: RFC 5717 2.4. A locked node is kept as the way to it, schema node and keys a step, which is
 * looked up in the old and in the new root of a proposal:
 *
 *     old    new
 *     -      any      not there: nothing of it is locked
 *     there  -        deleted, itself or something above it: refused
 *     there  there    refused where the content differs; the same record is the same content
 *
 * so the cost of a proposal is the number of nodes that others have locked, times the depth and log n, and
 * what differs below them; nothing where there are no locks. It is looked at under the writer lock, as
 * granting is: a lock is granted between changes.
 *
 * Overlap is found by the ways as byte strings: a node's own and those of all above it.
 */
#include "store/partial.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/hash_table.h"
#include "base/memory.h"
#include "os/clock.h"
#include "schema/qname.h"
#include "store/internal.h"

#define CHOICES_MAX 16 /* of nodes, while running changes in between; then the request is refused */

struct step {
	const struct schema_node *schema;
	struct value *keys; /* entry: its keys; leaf-list: the value; else NULL */
};

struct node {
	struct step *steps;
	size_t length;
	char *path;
	bool gone; /* deleted by its owner */
};

struct store__partial {
	struct store__partial *next;
	uint32_t id, session_id;
	uint64_t since_ns;
	char **selects;
	size_t select_count;
	struct node *nodes;
	size_t node_count;
};

/* ---- Ways. ---- */

static size_t key_count(const struct schema_node *schema)
{
	if (schema->kind == SCHEMA_LIST)
		return schema->key_count;
	return schema->kind == SCHEMA_LEAF_LIST ? 1 : 0;
}

static void make_step(struct step *step, const struct tree_position *position)
{
	size_t count = key_count(position->schema);
	step->schema = position->schema;
	step->keys = count > 0 ? memory_alloc(count * sizeof(*step->keys)) : NULL;
	for (size_t i = 0; i < count; i++)
		step->keys[i] =
			value_ref(position->schema->kind == SCHEMA_LIST ? position->record->slots[i].value
									: position->value);
}

static void make_node(struct node *node, const struct tree_position *position, struct arena *arena)
{
	*node = (struct node){.path = memory_strdup(tree_position_path(position, arena))};
	for (const struct tree_position *at = position; at->parent != NULL; at = at->parent)
		node->length++;
	node->steps = memory_alloc(node->length * sizeof(*node->steps));
	size_t left = node->length;
	for (const struct tree_position *at = position; left > 0; at = at->parent)
		make_step(&node->steps[--left], at);
}

static void free_node(struct node *node)
{
	for (size_t i = 0; i < node->length; i++) {
		for (size_t k = 0; k < key_count(node->steps[i].schema); k++)
			value_unref(node->steps[i].keys[k]);
		memory_free(node->steps[i].keys);
	}
	memory_free(node->steps);
	memory_free(node->path);
}

static void free_lock(struct store__partial *lock)
{
	for (size_t i = 0; i < lock->node_count; i++)
		free_node(&lock->nodes[i]);
	for (size_t i = 0; i < lock->select_count; i++)
		memory_free(lock->selects[i]);
	memory_free(lock->nodes);
	memory_free(lock->selects);
	memory_free(lock);
}

/* What the way leads to below the record; NULL: it is not there. */
static const void *find_step(const struct tree_record *record, const struct step *step,
			     union tree_slot *content)
{
	const union tree_slot *slot = tree_record_find(record, step->schema);
	if (slot == NULL || step->keys == NULL) {
		if (slot != NULL)
			*content = *slot;
		return slot;
	}
	const union tree_item *item = tree_map_find(slot->map, step->schema, step->keys);
	if (item != NULL && step->schema->kind == SCHEMA_LIST)
		content->record = item->record;
	else if (item != NULL)
		content->value = item->value;
	return item;
}

static bool holds_children(const struct schema_node *schema)
{
	return schema->kind == SCHEMA_CONTAINER || schema->kind == SCHEMA_LIST;
}

static bool is_same_content(const struct schema_node *schema, union tree_slot a, union tree_slot b)
{
	if (holds_children(schema))
		return a.record == b.record || tree_record_equal(schema, a.record, b.record);
	if (schema->kind == SCHEMA_ANYDATA || schema->kind == SCHEMA_ANYXML)
		return a.any == b.any || tree_any_equal(a.any, b.any);
	return value_equal(a.value, b.value);
}

/* What a change does to a locked node. */
enum effect { NODE_KEPT, NODE_ABSENT, NODE_CHANGED, NODE_DELETED };

static enum effect effect_on(const struct node *node, const struct tree_record *old_root,
			     const struct tree_record *new_root)
{
	union tree_slot old = {.record = (struct tree_record *)old_root};
	union tree_slot new = {.record = (struct tree_record *)new_root};
	bool is_new = true;
	for (size_t i = 0; i < node->length; i++) {
		if (is_new && old.record == new.record)
			return NODE_KEPT;
		if (find_step(old.record, &node->steps[i], &old) == NULL)
			return NODE_ABSENT;
		is_new = is_new && find_step(new.record, &node->steps[i], &new) != NULL;
	}
	if (!is_new)
		return NODE_DELETED;
	const struct schema_node *schema = node->steps[node->length - 1].schema;
	return is_same_content(schema, old, new) ? NODE_KEPT : NODE_CHANGED;
}

/* ---- Proposals. ---- */

static enum status refuse_change(const struct store_call *call, const struct store__partial *lock,
				 const struct node *node)
{
	struct diag *diag = diag_add(call->diags, DIAG_PROTOCOL, DIAG_IN_USE,
				     "The node is locked by session %" PRIu32 ".", lock->session_id);
	diag_set_app_tag(call->diags, diag, "locked"); /* RFC 5717 2.5 */
	diag_set_path(call->diags, diag, node->path);
	schema_qname_declare(node->steps[0].schema->module->schema, bytes_of(node->path), call->diags, diag);
	return ST_REJECTED;
}

enum status store__partial_check(struct store *store, const struct store_call *call,
				 const struct tree_record *old_root, const struct tree_record *new_root)
{
	enum status status = ST_OK;
	pthread_mutex_lock(&store->partial_mutex);
	for (const struct store__partial *lock = store->partials; lock != NULL && status == ST_OK;
	     lock = lock->next) {
		if (lock->session_id == call->actor->session_id)
			continue;
		for (size_t i = 0; i < lock->node_count && status == ST_OK; i++) {
			const struct node *node = &lock->nodes[i];
			enum effect effect = node->gone ? NODE_ABSENT : effect_on(node, old_root, new_root);
			if (effect == NODE_CHANGED || effect == NODE_DELETED)
				status = refuse_change(call, lock, node);
		}
	}
	pthread_mutex_unlock(&store->partial_mutex);
	return status;
}

void store__partial_settle(struct store *store, const struct tree_record *old_root,
			   const struct tree_record *new_root)
{
	pthread_mutex_lock(&store->partial_mutex);
	for (struct store__partial *lock = store->partials; lock != NULL; lock = lock->next)
		for (size_t i = 0; i < lock->node_count; i++)
			if (effect_on(&lock->nodes[i], old_root, new_root) == NODE_DELETED)
				lock->nodes[i].gone = true;
	pthread_mutex_unlock(&store->partial_mutex);
}

/* ---- Granting. ---- */

uint32_t store__partial_holder(struct store *store)
{
	pthread_mutex_lock(&store->partial_mutex);
	uint32_t holder = store->partials != NULL ? store->partials->session_id : 0;
	pthread_mutex_unlock(&store->partial_mutex);
	return holder;
}

/* The way up to and with step `length - 1`, for tables. */
static struct bytes way_of(const struct node *node, size_t length, struct buffer *scratch)
{
	buffer_clear(scratch, SIZE_MAX);
	for (size_t i = 0; i < length; i++) {
		const struct step *step = &node->steps[i];
		bool good = buffer_append(scratch, (struct bytes){(const char *)&step->schema->id,
								  sizeof(step->schema->id)}) == ST_OK;
		for (size_t k = 0; good && k < key_count(step->schema); k++) {
			struct bytes key = value_bytes(&step->keys[k]);
			good = buffer_append(scratch, (struct bytes){(const char *)&key.size,
								     sizeof(key.size)}) == ST_OK &&
			       buffer_append(scratch, key) == ST_OK;
		}
	}
	return buffer_get(scratch);
}

/* What others have locked: the ways to it, and to what is above it. */
struct taken {
	struct hash_table *nodes, *above; /* -> struct store__partial */
	struct buffer scratch;
	size_t count; /* of nodes, also of this session */
};

static void take(struct taken *taken, const struct store__partial *lock, uint32_t session_id)
{
	taken->count += lock->node_count;
	for (size_t i = 0; lock->session_id != session_id && i < lock->node_count; i++) {
		const struct node *node = &lock->nodes[i];
		if (node->gone)
			continue;
		hash_table_put(taken->nodes, way_of(node, node->length, &taken->scratch), (void *)lock);
		for (size_t length = 1; length < node->length; length++)
			hash_table_put(taken->above, way_of(node, length, &taken->scratch), (void *)lock);
	}
}

/* Who has locked the node, something above or below it; NULL: nobody. */
static const struct store__partial *find_taken(struct taken *taken, const struct node *node)
{
	const struct store__partial *lock =
		hash_table_find(taken->above, way_of(node, node->length, &taken->scratch));
	for (size_t length = 1; lock == NULL && length <= node->length; length++)
		lock = hash_table_find(taken->nodes, way_of(node, length, &taken->scratch));
	return lock;
}

static enum status check_overlap(struct store *store, const struct store_call *call,
				 const struct store__partial *wanted)
{
	struct taken taken = {hash_table_new(), hash_table_new(), {0}, wanted->node_count};
	buffer_init(&taken.scratch, SIZE_MAX);
	for (const struct store__partial *lock = store->partials; lock != NULL; lock = lock->next)
		take(&taken, lock, call->actor->session_id);
	enum status status = ST_OK;
	for (size_t i = 0; i < wanted->node_count && status == ST_OK; i++) {
		const struct store__partial *lock = find_taken(&taken, &wanted->nodes[i]);
		if (lock != NULL)
			status = store__lock_denied(call, lock->session_id,
						    "A node is locked by another session.");
	}
	size_t most = store->options.partial_nodes != 0 ? store->options.partial_nodes : STORE_PARTIAL_NODES;
	if (status == ST_OK && taken.count > most) {
		diag_add(call->diags, DIAG_APPLICATION, DIAG_RESOURCE_DENIED,
			 "More than %zu nodes would be locked.", most);
		status = ST_REJECTED;
	}
	buffer_fini(&taken.scratch);
	hash_table_free(taken.nodes);
	hash_table_free(taken.above);
	return status;
}

/* The lock of running, this session's too (2.4.1), and a confirmed commit that is pending, whoever's it is:
 * going back may have to change what would be locked (2.6.2). */
static enum status check_free(struct store *store, const struct store_call *call)
{
	pthread_mutex_lock(&store->state);
	uint32_t holder = store->lock_holders[STORE_RUNNING];
	bool pending = store__confirmed_is_pending(store);
	pthread_mutex_unlock(&store->state);
	if (holder != 0)
		return store__lock_denied(call, holder, "Running is locked as a whole.");
	if (!pending)
		return ST_OK;
	struct diag *diag =
		diag_add(call->diags, DIAG_PROTOCOL, DIAG_IN_USE, "A confirmed commit is pending.");
	diag_set_app_tag(call->diags, diag, "outstanding-confirmed-commit");
	return ST_REJECTED;
}

static void insert(struct store *store, struct store__partial *lock)
{
	struct store__partial **link = &store->partials;
	while (*link != NULL && (*link)->id < lock->id)
		link = &(*link)->next;
	lock->next = *link;
	*link = lock;
}

static uint32_t free_id(struct store *store)
{
	const struct store__partial *lock = store->partials;
	uint32_t id = ++store->partial_id != 0 ? store->partial_id : ++store->partial_id;
	while (lock != NULL) {
		bool used = lock->id == id;
		lock = used ? store->partials : lock->next;
		if (used)
			id = ++store->partial_id != 0 ? store->partial_id : ++store->partial_id;
	}
	return id;
}

static struct store__partial *make_lock(const struct store_call *call,
					const struct store_partial_request *request,
					const struct store_partial_nodes *nodes)
{
	struct arena *arena = arena_new();
	struct store__partial *lock = memory_zalloc(sizeof(*lock));
	lock->session_id = call->actor->session_id;
	lock->since_ns = os_clock_wall_ns();
	lock->selects = memory_alloc(request->select_count * sizeof(*lock->selects));
	for (; lock->select_count < request->select_count; lock->select_count++)
		lock->selects[lock->select_count] = memory_strdup(request->selects[lock->select_count]);
	lock->nodes = memory_alloc(nodes->length * sizeof(*lock->nodes));
	for (; lock->node_count < nodes->length; lock->node_count++)
		make_node(&lock->nodes[lock->node_count], nodes->items[lock->node_count], arena);
	arena_free(arena);
	return lock;
}

/* The writer lock is held. */
static enum status grant(struct store *store, const struct store_call *call,
			 const struct store_partial_request *request, const struct store_partial_nodes *nodes,
			 uint32_t *lock_id)
{
	struct store__partial *lock = make_lock(call, request, nodes);
	enum status status = check_free(store, call);
	pthread_mutex_lock(&store->partial_mutex);
	if (status == ST_OK)
		status = check_overlap(store, call, lock);
	if (status == ST_OK) {
		*lock_id = lock->id = free_id(store);
		insert(store, lock);
	}
	pthread_mutex_unlock(&store->partial_mutex);
	if (status != ST_OK)
		free_lock(lock);
	return status;
}

static bool is_tip_root(struct store *store, const struct tree_record *root)
{
	struct store_version *tip = store__tip(store);
	bool same = tip->root == root;
	store__version_unref(store, tip);
	return same;
}

/* ST_ABSENT: running changed while the nodes were chosen. */
static enum status try_lock(struct store *store, const struct store_call *call,
			    const struct store_partial_request *request, uint32_t *lock_id,
			    struct store_answer *answer)
{
	struct store_version *tip = store__tip(store);
	struct store_partial_nodes nodes = {0};
	answer->after = store__is_published(store, tip->id) ? 0 : tip->id;
	enum status status = request->choose(request->arg, tip->root, call->diags, &nodes);
	if (status == ST_OK) {
		(void)store__writer_acquire(store, STORE_WAIT);
		status = is_tip_root(store, tip->root) ? grant(store, call, request, &nodes, lock_id)
						       : ST_ABSENT;
		store__writer_release(store);
	}
	store__version_unref(store, tip);
	return status;
}

enum status store_partial_lock(struct store *store, const struct store_call *call,
			       const struct store_partial_request *request, uint32_t *lock_id,
			       struct store_answer *answer)
{
	*answer = (struct store_answer){0};
	enum status status = ST_ABSENT;
	for (unsigned i = 0; status == ST_ABSENT && i < CHOICES_MAX; i++)
		status = try_lock(store, call, request, lock_id, answer);
	if (status != ST_ABSENT)
		return status;
	diag_add(call->diags, DIAG_APPLICATION, DIAG_RESOURCE_DENIED,
		 "Running changes faster than nodes can be chosen in it.");
	return ST_REJECTED;
}

/* ---- Giving up. ---- */

/* The session's locks, of that id or (0) all. */
static bool release(struct store *store, uint32_t session_id, uint32_t id)
{
	struct store__partial *released = NULL;
	pthread_mutex_lock(&store->partial_mutex);
	for (struct store__partial **link = &store->partials; *link != NULL;) {
		struct store__partial *lock = *link;
		if (lock->session_id != session_id || (id != 0 && lock->id != id)) {
			link = &lock->next;
			continue;
		}
		*link = lock->next;
		lock->next = released;
		released = lock;
	}
	pthread_mutex_unlock(&store->partial_mutex);
	bool any = released != NULL;
	while (released != NULL) {
		struct store__partial *next = released->next;
		free_lock(released);
		released = next;
	}
	return any;
}

bool store_partial_unlock(struct store *store, uint32_t session_id, uint32_t lock_id)
{
	return lock_id != 0 && release(store, session_id, lock_id);
}

void store__partial_release(struct store *store, uint32_t session_id)
{
	release(store, session_id, 0);
}

void store__partial_fini(struct store *store)
{
	for (struct store__partial *lock = store->partials, *next; lock != NULL; lock = next) {
		next = lock->next;
		free_lock(lock);
	}
}

/* ---- Telling. ---- */

static void copy_lock(const struct store__partial *lock, struct arena *arena, struct store_partial_info *info)
{
	const char **selects = arena_alloc(arena, lock->select_count * sizeof(*selects));
	const char **nodes = arena_alloc(arena, lock->node_count * sizeof(*nodes));
	*info = (struct store_partial_info){.id = lock->id,
					    .session_id = lock->session_id,
					    .since_ns = lock->since_ns,
					    .selects = selects,
					    .select_count = lock->select_count,
					    .nodes = nodes};
	for (size_t i = 0; i < lock->select_count; i++)
		selects[i] = arena_strdup(arena, bytes_of(lock->selects[i]));
	for (size_t i = 0; i < lock->node_count; i++)
		if (!lock->nodes[i].gone)
			nodes[info->node_count++] = arena_strdup(arena, bytes_of(lock->nodes[i].path));
}

const struct store_partial_info *store_partial_list(struct store *store, struct arena *arena, size_t *count)
{
	pthread_mutex_lock(&store->partial_mutex);
	size_t length = 0;
	for (const struct store__partial *lock = store->partials; lock != NULL; lock = lock->next)
		length++;
	struct store_partial_info *infos = arena_alloc(arena, length * sizeof(*infos));
	*count = length;
	size_t i = 0;
	for (const struct store__partial *lock = store->partials; lock != NULL; lock = lock->next)
		copy_lock(lock, arena, &infos[i++]);
	pthread_mutex_unlock(&store->partial_mutex);
	return infos;
}
