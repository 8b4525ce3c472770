/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Transaction ids in reads. A client asks for them with the attribute txid:etag (or txid:last-modified): on
 * the operation for all, on a filter for all that it selects, on an element in it for what that selects. With
 * "?" it wants to know them; with an id that it has, it wants only what it does not know: a node that is as
 * the client knows it is written with "=", without content.
 *
 * Each node that is written is judged as the draft's table of rules says: what the client knows of it is what
 * it says of the closest node at or above it; what the server has is the id of the closest versioned node
 * likewise. The walk gives nodes in document order, so one level for each depth remembers both, and a node
 * costs no more than its own elements of the filter.
 *
 * Other datastores than running have its ids where they are the same, else "!" (what they will have as
 * running is not known). Of operational, which holds state as well, nothing is left out.
 */
#include <stdlib.h>

#include "netconf/txid.h"
#include "netconf/txid_asked.h"
#include "netconf/write.h"
#include "tree/stamp.h"

/* A node that is being written, and what is true of it. */
struct level {
	const struct tree_record *record;  /* NULL: not to be found again */
	const struct txid_asked **applied; /* elements of the filter that stand for it */
	const struct txid_asked **clients; /* what the client says of it, or of the node above */
	size_t applied_count, applied_size, client_count, client_size;
	struct store_txid server;
	bool differs, is_created; /* it is not as in running; it is not in running */
	bool pruned;
	const char *text; /* NULL: it has no attribute */
	char buffer[STORE_TXID_SIZE];
};

/* A record that is not as in running. */
struct changed {
	const struct tree_record *record;
	bool is_created;
};

struct netconf_txid_read {
	struct codec_txids txids; /* first */
	enum store_txid_mechanism mechanism;
	struct arena *arena;
	struct txid_asking asking;
	struct txid_asked all, filter, root; /* what the operation, the filter, its elements say */
	/* Since the root is pinned. */
	struct store *store;
	struct store_txid *tops; /* by slot */
	bool prunes;		 /* not of operational */
	bool *differs;		 /* by slot: not as in running; NULL: nothing differs */
	struct vector changed;	 /* struct changed, ascending */
	struct level **levels;	 /* by depth; NULL: none yet */
	size_t level_count;
	bool prunes_all;
};

const char *netconf__txid_attribute(enum store_txid_mechanism mechanism)
{
	return mechanism == STORE_TXID_LAST_MODIFIED ? "last-modified" : "etag";
}

/* ---- one node ---- */

static void push(struct arena *arena, const struct txid_asked ***array, size_t *count, size_t *size,
		 const struct txid_asked *asked)
{
	if (*count == *size) {
		size_t larger = *size > 0 ? 2 * *size : 4;
		const struct txid_asked **moved = arena_alloc(arena, larger * sizeof(*moved));
		for (size_t i = 0; i < *count; i++)
			moved[i] = (*array)[i];
		*array = moved;
		*size = larger;
	}
	(*array)[(*count)++] = asked;
}

struct applying {
	struct netconf_txid_read *read;
	struct level *level;
};

static void apply(void *arg, const struct txid_asked *asked)
{
	struct applying *applying = arg;
	struct level *level = applying->level;
	push(applying->read->arena, &level->applied, &level->applied_count, &level->applied_size, asked);
	if (asked->has_client)
		push(applying->read->arena, &level->clients, &level->client_count, &level->client_size,
		     asked);
}

static bool is_record(const struct schema_node *schema)
{
	return schema->kind == SCHEMA_CONTAINER || schema->kind == SCHEMA_LIST;
}

static int compare_changed(const void *left, const void *right)
{
	const struct changed *a = left, *b = right;
	return (a->record > b->record) - (a->record < b->record);
}

static const struct changed *find_changed(const struct netconf_txid_read *read,
					  const struct tree_record *record)
{
	struct changed wanted = {.record = record};
	if (read->changed.length == 0)
		return NULL;
	return bsearch(&wanted, read->changed.data, read->changed.length, sizeof(wanted), compare_changed);
}

/* The id that the server has of the node, and whether it is the node's own. */
static bool set_server(const struct netconf_txid_read *read, struct level *level, const struct level *above,
		       const struct tree_position *node)
{
	const struct schema_node *schema = node->schema;
	level->server = above->server;
	level->differs = above->differs;
	level->is_created = above->is_created;
	if (schema->depth == 1 && store_txid_is_versioned(schema)) {
		level->server = read->tops[schema->slot];
		level->differs = read->differs != NULL && read->differs[schema->slot];
	}
	bool is_inner = read->mechanism == STORE_TXID_ETAG && level->record != NULL;
	if (is_inner && !level->is_created) {
		const struct changed *changed = find_changed(read, level->record);
		level->differs = changed != NULL;
		level->is_created = changed != NULL && changed->is_created;
		if (schema->depth > 1 || schema->kind == SCHEMA_LIST)
			level->server = store_txid_of_stamp(read->store, tree_record_stamp_get(level->record),
							    above->server);
	}
	return is_inner || (schema->depth == 1 && store_txid_is_versioned(schema));
}

static bool is_known(const struct level *level)
{
	for (size_t i = 0; i < level->client_count; i++)
		if (!store_txid_client_knows(&level->clients[i]->client, level->server))
			return false;
	return level->client_count > 0;
}

static void put_text(const struct netconf_txid_read *read, struct level *level)
{
	level->text = level->buffer;
	if (level->differs)
		level->text = "!";
	else if (read->mechanism == STORE_TXID_LAST_MODIFIED)
		store_txid_time_text(level->server, level->buffer);
	else
		store_txid_text(level->server, level->buffer);
}

/* The rules of the draft, in their order. */
static void judge(struct netconf_txid_read *read, struct level *level, const struct level *above,
		  const struct tree_position *node)
{
	struct applying applying = {read, level};
	level->record = is_record(node->schema) ? node->record : NULL;
	level->applied_count = level->client_count = 0;
	level->text = NULL;
	for (size_t i = 0; i < above->applied_count; i++)
		netconf__txid_asked_find(above->applied[i], node, apply, &applying);
	for (size_t i = 0; level->client_count == 0 && i < above->client_count; i++)
		push(read->arena, &level->clients, &level->client_count, &level->client_size,
		     above->clients[i]);
	bool is_versioned = set_server(read, level, above, node);
	level->pruned = read->prunes && !level->differs && is_known(level);
	if (level->pruned)
		level->text = "=";
	else if (level->client_count > 0 && is_versioned)
		put_text(read, level);
}

/* That of a depth; it stays where it is. */
static struct level *level_at(struct netconf_txid_read *read, size_t depth)
{
	if (depth >= read->level_count) {
		size_t count = depth + 16;
		struct level **levels = arena_zalloc(read->arena, count * sizeof(*levels));
		for (size_t i = 0; i < read->level_count; i++)
			levels[i] = read->levels[i];
		read->levels = levels;
		read->level_count = count;
	}
	if (read->levels[depth] == NULL)
		read->levels[depth] = arena_zalloc(read->arena, sizeof(struct level));
	return read->levels[depth];
}

static struct level *enter(struct netconf_txid_read *read, const struct tree_position *node)
{
	struct level *level = level_at(read, node->schema->depth);
	if (node->parent == NULL || (node->record != NULL && level->record == node->record))
		return level;
	judge(read, level, enter(read, node->parent), node);
	return level;
}

/* A leaf or value is as its parent, unless something is said of it. */
static bool is_told_apart(const struct level *above, const struct tree_position *node)
{
	if (node->schema->depth == 1)
		return true;
	for (size_t i = 0; i < above->applied_count; i++)
		if (netconf__txid_asked_names(above->applied[i], node->schema))
			return true;
	return false;
}

static const char *txid_of(struct codec_txids *self, const struct tree_position *node, bool *pruned)
{
	struct netconf_txid_read *read = (struct netconf_txid_read *)self;
	struct level *level;
	if (!node->schema->config || node->schema->is_key)
		return NULL;
	if (is_record(node->schema)) {
		level = enter(read, node);
	} else {
		const struct level *above = enter(read, node->parent);
		if (!is_told_apart(above, node))
			return NULL;
		level = level_at(read, node->schema->depth);
		judge(read, level, above, node);
	}
	*pruned = level->pruned;
	return level->text;
}

/* ---- a request ---- */

void netconf__txid_read_prepare(struct netconf_request *request)
{
	const struct netconf_server *server = request->link->server;
	struct element *filter = (struct element *)request->filter_element;
	if (!request->has_txids || !netconf__txid_is_served(server->schema))
		return;
	struct netconf_txid_read *read = arena_zalloc(request->arena, sizeof(*read));
	/* Who uses both mechanisms in one request gets the etags; the draft leaves that open. */
	if (!netconf__txid_uses(request->parameters, STORE_TXID_ETAG) &&
	    !(filter != NULL && netconf__txid_uses(filter, STORE_TXID_ETAG)))
		read->mechanism = STORE_TXID_LAST_MODIFIED;
	read->arena = request->arena;
	read->asking = (struct txid_asking){.schema = server->schema,
					    .arena = request->arena,
					    .mechanism = read->mechanism,
					    .budget = {.steps = SCHEMA_TYPE_BUDGET_STEPS},
					    .tried_max = server->limits.filter_alternatives};
	read->all.has_client = netconf__txid_find(request->parameters, read->mechanism, &read->all.text);
	bool uses = read->all.has_client;
	vector_init(&read->asking.values, sizeof(struct value));
	vector_init(&read->changed, sizeof(struct changed));
	if (filter != NULL && netconf__txid_uses(filter, read->mechanism)) {
		uses = true;
		read->filter.has_client = netconf__txid_find(filter, read->mechanism, &read->filter.text);
		/* Where elements are left out, there are too many for the filter as well: it is refused. */
		(void)netconf__txid_asked_build(&read->asking, filter, &read->root);
	}
	if (filter != NULL)
		netconf__txid_strip(filter);
	netconf__txid_strip(request->parameters);
	if (uses)
		request->txid_read = read;
}

void netconf__txid_read_free(struct netconf_request *request)
{
	struct netconf_txid_read *read = request->txid_read;
	if (read == NULL)
		return;
	for (size_t i = 0; i < read->asking.values.length; i++)
		value_unref(*(struct value *)vector_at(&read->asking.values, i));
	vector_fini(&read->asking.values);
	vector_fini(&read->changed);
	request->txid_read = NULL;
}

/* The records of what differs; what is below one that was created is not listed. */
static void list_changed(struct netconf_txid_read *read, const struct tree_change *change)
{
	if (!change->has_new || !is_record(change->schema))
		return;
	/* Moved alone is a change of the parent. */
	bool is_data = !change->has_old;
	for (const struct tree_change *child = change->children; child != NULL; child = child->next) {
		is_data |= tree_change_is_data(child);
		list_changed(read, child);
	}
	if (is_data)
		*(struct changed *)vector_push(&read->changed) =
			(struct changed){change->new_content.record, !change->has_old};
}

/* What of another datastore is not as in running. */
static void find_differences(struct netconf_txid_read *read, const struct schema *schema,
			     const struct tree_record *running, const struct tree_record *root)
{
	struct tree_change_set changes;
	tree_diff(schema, running, root, read->arena, &changes);
	read->differs = arena_zalloc(read->arena, (schema->root->child_count + 1u) * sizeof(bool));
	const struct tree_change *child = changes.root != NULL ? changes.root->children : NULL;
	for (; child != NULL; child = child->next) {
		bool is_data = tree_change_is_data(child);
		read->differs[child->schema->slot] |= is_data;
		read->levels[0]->differs |= is_data;
		list_changed(read, child);
	}
	if (read->changed.length > 1)
		qsort(read->changed.data, read->changed.length, sizeof(struct changed), compare_changed);
}

static void say_root(struct netconf_txid_read *read)
{
	struct level *root = read->levels[0];
	root->client_count = 0;
	if (read->all.has_client)
		push(read->arena, &root->clients, &root->client_count, &root->client_size, &read->all);
	read->prunes_all = read->prunes && !root->differs && is_known(root);
	if (read->prunes_all)
		root->text = "=";
	else if (read->all.has_client)
		put_text(read, root);
	if (!read->filter.has_client)
		return;
	root->client_count = 0;
	push(read->arena, &root->clients, &root->client_count, &root->client_size, &read->filter);
}

/* Begins anew with the root that was pinned. */
static void begin(struct netconf_request *request, const struct store_version *version)
{
	struct netconf_server *server = request->link->server;
	struct netconf_txid_read *read = request->txid_read;
	const struct schema *schema = server->schema;
	size_t count = schema->root->child_count;
	read->txids = (struct codec_txids){netconf__txid_prefix(schema),
					   netconf__txid_attribute(read->mechanism), txid_of};
	read->store = server->store;
	read->prunes = !request->is_operational;
	read->tops = arena_alloc(read->arena, (count + 1) * sizeof(*read->tops));
	memcpy(read->tops, version->txids->tops, count * sizeof(*read->tops));
	read->levels = NULL;
	read->level_count = 0;
	read->differs = NULL;
	vector_clear(&read->changed);
	struct level *root = level_at(read, 0);
	root->server = version->txids->datastore;
	push(read->arena, &root->applied, &root->applied_count, &root->applied_size, &read->root);
	netconf__txid_asked_refresh(&read->all, read->store, read->mechanism);
	netconf__txid_asked_refresh(&read->filter, read->store, read->mechanism);
	netconf__txid_asked_refresh(&read->root, read->store, read->mechanism);
	if (request->root != version->root)
		find_differences(read, schema, version->root, request->root);
	say_root(read);
	request->view.txids = &read->txids;
}

void netconf__txid_read_pin(struct netconf_request *request)
{
	struct netconf_server *server = request->link->server;
	struct store *store = server->store;
	const struct store_version *version = request->txid_read != NULL ? store_pin(store) : NULL;
	if (request->is_factory)
		request->root = tree_record_ref(server->limits.factory_root);
	else if (version != NULL && request->datastore == STORE_RUNNING)
		request->root = tree_record_ref(version->root);
	else
		request->root = store_pin_root(store, request->datastore);
	if (version == NULL)
		return;
	begin(request, version);
	store_unpin(store, version);
}

bool netconf__txid_read_is_work(const struct netconf_request *request)
{
	struct netconf_server *server = request->link->server;
	return request->txid_read != NULL && request->datastore == STORE_CANDIDATE &&
	       atomic_load(&server->candidate_size) >= server->limits.inline_size;
}

const char *netconf__txid_prefix(const struct schema *schema)
{
	/* Prefixes of values are names of modules. */
	return schema_module_find(schema, bytes_of("txid")) != NULL ? "txid.draft" : "txid";
}

void netconf__txid_put(struct buffer *out, const struct schema *schema, enum store_txid_mechanism mechanism,
		       const char *text)
{
	const char *prefix = netconf__txid_prefix(schema);
	netconf__put(out, " ");
	netconf__put(out, prefix);
	netconf__put(out, ":");
	netconf__put(out, netconf__txid_attribute(mechanism));
	netconf__put(out, "=\"");
	netconf__put(out, text);
	netconf__put(out, "\"");
}

void netconf__txid_put_ns(struct buffer *out, const struct schema *schema)
{
	netconf__put(out, " xmlns:");
	netconf__put(out, netconf__txid_prefix(schema));
	netconf__put(out, "=\"" NETCONF_TXID_ATTRIBUTE_NS "\"");
}

void netconf__txid_put_root(struct buffer *out, const struct netconf_request *request)
{
	const struct netconf_txid_read *read = request->txid_read;
	if (read == NULL)
		return;
	netconf__txid_put_ns(out, request->link->server->schema);
	if (read->levels[0]->text != NULL)
		netconf__txid_put(out, request->link->server->schema, read->mechanism, read->levels[0]->text);
}

bool netconf__txid_prunes_all(const struct netconf_request *request)
{
	return request->txid_read != NULL && request->txid_read->prunes_all;
}
