/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Conditional edits: the ids on <config> and on elements in it become conditions of the store, each with
 * the path of its instance. They are judged where nothing can come between that and the change: under the
 * writer lock, an edit of running at once, one of the candidate at its commit.
 *
 * A condition holds for what is below its node as well, unless there is another one: which it then implies,
 * since no id below is newer. So only those that were written are judged. A node may have several, one a
 * mechanism; and nodes do not stand as they were written, since keys come first. So conditions are found by
 * their nodes.
 */
#include "netconf/txid.h"

#include <stdlib.h>

#include "store/txid.h"
#include "tree/position.h"

struct converting {
	struct arena *arena;
	const struct edit_condition **sorted; /* by node */
	size_t count, left;		      /* of them all; that have no path yet */
	struct store_condition *first, **end;
	const struct edit_node **path; /* from the top on */
	size_t depth, capacity;
};

bool netconf__txid_is_served(const struct schema *schema)
{
	const struct schema_module *module = schema_module_find(schema, bytes_of(NETCONF_TXID_MODULE));
	return module != NULL && module->implemented;
}

/* "/module:name[module:key='value']" behind the path. */
static const char *add_step(struct arena *arena, const char *path, const struct edit_node *node)
{
	const struct schema_node *schema = node->schema;
	path = arena_printf(arena, "%s/%s:%s", path, schema->module->name, schema->name);
	if (schema->kind == SCHEMA_LEAF_LIST)
		return arena_printf(arena, "%s[.=%s]", path, tree_value_literal(schema, node->value, arena));
	const struct edit_node *key = node->children;
	for (size_t i = 0; schema->kind == SCHEMA_LIST && i < schema->key_count && key != NULL; i++) {
		path = arena_printf(arena, "%s[%s:%s=%s]", path, key->schema->module->name, key->schema->name,
				    tree_value_literal(key->schema, key->value, arena));
		key = key->next;
	}
	return path;
}

/* The keys of an entry; NULL: not all are given. */
static const struct value *keys_of(struct arena *arena, const struct edit_node *node)
{
	const struct schema_node *schema = node->schema;
	struct value *keys = arena_alloc(arena, schema->key_count * sizeof(*keys));
	const struct edit_node *child = node->children;
	for (size_t i = 0; i < schema->key_count; i++, child = child->next) {
		if (child == NULL || child->schema != schema->children[i])
			return NULL;
		keys[i] = child->value;
	}
	return keys;
}

static const struct store_step *steps_of(const struct converting *c)
{
	struct store_step *steps = arena_zalloc(c->arena, c->depth * sizeof(*steps));
	for (size_t i = 1; i < c->depth; i++) {
		const struct edit_node *node = c->path[i];
		steps[i - 1].schema = node->schema;
		if (node->schema->kind == SCHEMA_LIST && node->schema->key_count > 0)
			steps[i - 1].keys = keys_of(c->arena, node);
	}
	return steps;
}

static void convert(struct converting *c, const struct edit_condition *expected)
{
	struct store_condition *condition = arena_zalloc(c->arena, sizeof(*condition));
	const char *path = "";
	for (size_t i = 1; i < c->depth; i++)
		path = add_step(c->arena, path, c->path[i]);
	condition->path = c->depth == 1 ? "/" : path;
	condition->node = c->depth == 1 ? NULL : expected->node->schema;
	condition->steps = steps_of(c);
	condition->depth = c->depth - 1;
	condition->mechanism = expected->is_time ? STORE_TXID_LAST_MODIFIED : STORE_TXID_ETAG;
	condition->etag = expected->etag;
	*c->end = condition;
	c->end = &condition->next;
	c->left--;
}

static int compare_nodes(const void *left, const void *right)
{
	uintptr_t a = (uintptr_t)(*(const struct edit_condition *const *)left)->node;
	uintptr_t b = (uintptr_t)(*(const struct edit_condition *const *)right)->node;
	return (a > b) - (a < b);
}

static void convert_all_of(struct converting *c, const struct edit_node *node)
{
	size_t low = 0, high = c->count;
	while (low < high) {
		size_t middle = (low + high) / 2;
		if ((uintptr_t)c->sorted[middle]->node < (uintptr_t)node)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < c->count && c->sorted[low]->node == node; low++)
		convert(c, c->sorted[low]);
}

static void visit(struct converting *c, const struct edit_node *node)
{
	if (c->left == 0)
		return;
	if (c->depth == c->capacity) {
		const struct edit_node **path = arena_alloc(c->arena, 2 * c->capacity * sizeof(*path));
		memcpy(path, c->path, c->depth * sizeof(*path));
		c->path = path;
		c->capacity *= 2;
	}
	c->path[c->depth++] = node;
	convert_all_of(c, node);
	for (const struct edit_node *child = node->children; child != NULL; child = child->next)
		visit(c, child);
	c->depth--;
}

const struct store_condition *netconf__txid_conditions(struct netconf_request *request)
{
	struct converting c = {.arena = request->arena, .capacity = 16};
	const struct edit_condition *expected = request->edit->conditions;
	if (expected == NULL)
		return NULL;
	for (const struct edit_condition *at = expected; at != NULL; at = at->next)
		c.count++;
	c.left = c.count;
	c.sorted = arena_alloc(c.arena, c.count * sizeof(struct edit_condition *));
	for (size_t i = 0; i < c.count; i++, expected = expected->next)
		c.sorted[i] = expected;
	qsort(c.sorted, c.count, sizeof(c.sorted[0]), compare_nodes);
	c.end = &c.first;
	c.path = arena_alloc(c.arena, c.capacity * sizeof(*c.path));
	visit(&c, request->edit->top);
	return c.first;
}

static bool read_flag(struct netconf_request *request, const struct netconf_param *param)
{
	static const char *const names[] = {"true", "1", "false", "0"};
	if (param->element == NULL)
		return false;
	if (!netconf__txid_is_served(request->link->server->schema)) {
		struct diag *diag = netconf__param_refuse(request, param->name, DIAG_UNKNOWN_NAMESPACE,
							  "The module of this parameter is not served.");
		diag_add_info(&request->diags, diag, "bad-namespace", NETCONF_TXID_NS);
		return false;
	}
	return netconf__param_choice(request, param, names, 4) < 2;
}

void netconf__txid_with_read(struct netconf_request *request, const struct netconf_param *with_etag,
			     const struct netconf_param *with_last_modified)
{
	request->wants_etag = read_flag(request, with_etag);
	request->wants_last_modified = read_flag(request, with_last_modified);
}

/* The candidate's has none of its own, where it is not running. */
static bool is_dirty(struct store *store, const struct schema *schema, struct tree_reclaimer *reclaimer)
{
	const struct tree_record *candidate = store_pin_root(store, STORE_CANDIDATE);
	const struct tree_record *running = store_pin_root(store, STORE_RUNNING);
	bool dirty = candidate != running;
	tree_record_unref(candidate, schema->root, reclaimer);
	tree_record_unref(running, schema->root, reclaimer);
	return dirty;
}

void netconf__txid_note(struct netconf_request *request)
{
	struct netconf_server *server = request->link->server;
	if (!request->wants_etag && !request->wants_last_modified)
		return;
	char *etag = arena_alloc(request->arena, STORE_TXID_SIZE);
	char *time = arena_alloc(request->arena, STORE_TXID_SIZE);
	struct store_txid txid = request->answer.txid;
	if (txid.version == 0) {
		const struct store_version *running = store_pin(server->store);
		txid = store_txid_of(running->txids, NULL);
		store_unpin(server->store, running);
	}
	store_txid_text(txid, etag);
	store_txid_time_text(txid, time);
	bool edits_candidate = request->edit != NULL && request->datastore == STORE_CANDIDATE;
	bool is_unknown = edits_candidate && is_dirty(server->store, server->schema, server->reclaimer);
	if (request->wants_etag)
		request->etag = is_unknown ? "!" : etag;
	if (request->wants_last_modified)
		request->last_modified = is_unknown ? "!" : time;
}
