/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Etags in reads. A client asks for them with the attribute txid:etag: on the operation for all, on a filter
 * or an element at its top for what that selects. With "?" it wants to know them; with the etag that it has,
 * it wants only what it does not know: a node that is as the client knows it is written as etag "=", without
 * content.
 *
 *     asked                                   <data>        nodes at top level
 *     <get-config txid:etag="E">              its etag      theirs, compared with E
 *     <filter txid:etag="E"/>                 nothing       theirs, compared with E
 *     <filter><a txid:etag="E"/><b/>          nothing       that of a, compared with E
 *
 * Other datastores than running have its ids where they are the same, else "!" (what they will have as running
 * is not known).
 *
 * What is below a node at top level has no id of its own, and inherits that one; etags in a filter below its
 * top are taken off, and everything is sent.
 */
#include "codec/view.h"
#include "netconf/txid.h"
#include "store/txid.h"
#include "tree/map.h"
#include "netconf/write.h"

/* An element at the top of the filter that has one. */
struct asked {
	struct asked *next;
	const struct element *element;
	struct bytes etag;
};

struct netconf_txid_read {
	bool all, filter; /* the operation, the filter have one */
	struct bytes all_etag, filter_etag;
	struct asked *elements;
	/* Since the root is pinned. */
	struct codec_etags etags;
	const char *root_etag; /* NULL: none to be written */
	bool prunes_all;
};

/* Takes the attribute off the element. */
static bool take_etag(struct element *element, struct bytes *etag)
{
	bool found = false;
	size_t left = 0;
	for (size_t i = 0; i < element->attribute_count; i++) {
		const struct xml_attribute *attribute = &element->attributes[i];
		bool is_etag = bytes_equal(attribute->ns, bytes_of(NETCONF_TXID_ATTRIBUTE_NS)) &&
			       bytes_equal(attribute->name, bytes_of("etag"));
		if (is_etag)
			*etag = attribute->value;
		else
			element->attributes[left++] = *attribute;
		found |= is_etag;
	}
	element->attribute_count = left;
	return found;
}

static void take_below(struct element *element)
{
	struct bytes ignored;
	for (struct element *child = element->children; child != NULL; child = child->next) {
		take_etag(child, &ignored);
		take_below(child);
	}
}

static void read_filter(struct netconf_request *request, struct netconf_txid_read *read,
			struct element *filter)
{
	read->filter = take_etag(filter, &read->filter_etag);
	for (struct element *child = filter->children; child != NULL; child = child->next) {
		struct bytes etag;
		take_below(child);
		if (!take_etag(child, &etag))
			continue;
		struct asked *asked = arena_zalloc(request->arena, sizeof(*asked));
		*asked = (struct asked){read->elements, child, etag};
		read->elements = asked;
	}
}

void netconf__txid_read_prepare(struct netconf_request *request)
{
	if (!netconf__txid_is_served(request->link->server->schema))
		return;
	struct netconf_txid_read *read = arena_zalloc(request->arena, sizeof(*read));
	read->all = take_etag(request->parameters, &read->all_etag);
	if (request->filter_element != NULL)
		read_filter(request, read, (struct element *)request->filter_element);
	if (read->all || read->filter || read->elements != NULL)
		request->txid_read = read;
}

/* ---- the ids of what is read ---- */

struct reading {
	struct store *store;
	const struct schema *schema;
	struct arena *arena;
	const struct store_version *version;
	const bool *differs; /* by slot: not as in running; NULL: nothing differs */
	bool any_differs;
	const char **texts;
	bool *pruned;
};

/* Whether two lists or leaf-lists are not the same, item by item in their order. */
static bool items_differ(const struct schema_node *node, const struct tree_map *a, const struct tree_map *b)
{
	struct tree_map_iter in_a, in_b;
	if (tree_map_count(a) != tree_map_count(b))
		return true;
	const union tree_item *x = tree_map_first(&in_a, a, node), *y = tree_map_first(&in_b, b, node);
	for (; x != NULL && y != NULL; x = tree_map_next(&in_a), y = tree_map_next(&in_b)) {
		if (x->word == y->word)
			continue;
		if (node->kind == SCHEMA_LIST ? !tree_record_equal(node, x->record, y->record)
					      : !value_equal(x->value, y->value))
			return true;
	}
	return false;
}

static bool contents_differ(const struct schema_node *node, const union tree_slot *a,
			    const union tree_slot *b)
{
	if (a == NULL || b == NULL)
		return a != b;
	if (a->word == b->word)
		return false;
	switch (node->kind) {
	case SCHEMA_LEAF:
		return !value_equal(a->value, b->value);
	case SCHEMA_CONTAINER:
		return !tree_record_equal(node, a->record, b->record);
	case SCHEMA_LIST:
	case SCHEMA_LEAF_LIST:
		return items_differ(node, a->map, b->map);
	case SCHEMA_ANYDATA:
	case SCHEMA_ANYXML:
		return !bytes_equal(text_bytes(a->any->xml), text_bytes(b->any->xml));
	case SCHEMA_ROOT:
	case SCHEMA_RPC:
	case SCHEMA_ACTION:
	case SCHEMA_OUTPUT:
	case SCHEMA_NOTIFICATION:
		break;
	}
	return false;
}

/* Which nodes at top level of the candidate are not as in running. */
static void find_differences(struct reading *reading, const struct tree_record *root)
{
	const struct schema_node *top = reading->schema->root;
	bool *differs = arena_zalloc(reading->arena, top->child_count * sizeof(bool));
	for (size_t i = 0; i < top->child_count; i++) {
		const struct schema_node *node = top->children[i];
		differs[i] = contents_differ(node, tree_record_find(reading->version->root, node),
					     tree_record_find(root, node));
		reading->any_differs |= differs[i];
	}
	reading->differs = differs;
}

static const char *text_of(const struct reading *reading, struct store_txid txid)
{
	char *text = arena_alloc(reading->arena, STORE_TXID_SIZE);
	store_txid_text(txid, text);
	return text;
}

/* One node at top level that the client asked about. */
static void answer(struct reading *reading, const struct schema_node *node, struct bytes etag)
{
	bool versioned = store_txid_is_versioned(node);
	bool differs = reading->differs != NULL && reading->differs[node->slot];
	if (!node->config)
		return;
	struct store_txid txid = store_txid_of(reading->version->txids, node);
	/* Items of lists are compared by what they inherit, that of the datastore. */
	bool known = !differs && (versioned || !reading->any_differs) &&
		     store_txid_is_known(reading->store, etag, txid);
	reading->pruned[node->slot] = known;
	if (known)
		reading->texts[node->slot] = "=";
	else if (versioned)
		reading->texts[node->slot] = differs ? "!" : text_of(reading, txid);
}

static void answer_all(struct reading *reading, struct bytes etag)
{
	for (size_t i = 0; i < reading->schema->root->child_count; i++)
		answer(reading, reading->schema->root->children[i], etag);
}

static void answer_element(struct reading *reading, const struct asked *asked)
{
	const struct schema *schema = reading->schema;
	const struct schema_node *node = NULL;
	if (asked->element->ns.size > 0) {
		const struct schema_module *module = schema_module_find_ns(schema, asked->element->ns);
		if (module != NULL)
			node = schema_child_find(schema, schema->root, module, asked->element->name);
		if (node != NULL)
			answer(reading, node, asked->etag);
		return;
	}
	while ((node = schema_child_find_any(schema->root, asked->element->name, node)) != NULL)
		answer(reading, node, asked->etag);
}

static void answer_root(struct netconf_request *request, struct reading *reading)
{
	struct netconf_txid_read *read = request->txid_read;
	struct store_txid txid = reading->version->txids->datastore;
	read->prunes_all = !reading->any_differs && store_txid_is_known(reading->store, read->all_etag, txid);
	read->root_etag = read->prunes_all ? "=" : reading->any_differs ? "!" : text_of(reading, txid);
}

static void make_etags(struct netconf_request *request, const struct store_version *version)
{
	struct netconf_server *server = request->link->server;
	struct netconf_txid_read *read = request->txid_read;
	size_t count = server->schema->root->child_count;
	struct reading reading = {
		.store = server->store,
		.schema = server->schema,
		.arena = request->arena,
		.version = version,
		.texts = arena_zalloc(request->arena, count * sizeof(char *)),
		.pruned = arena_zalloc(request->arena, count * sizeof(bool)),
	};
	if (request->root != version->root)
		find_differences(&reading, request->root);
	if (read->all)
		answer_root(request, &reading);
	if (read->all)
		answer_all(&reading, read->all_etag);
	if (read->filter)
		answer_all(&reading, read->filter_etag);
	for (const struct asked *asked = read->elements; asked != NULL; asked = asked->next)
		answer_element(&reading, asked);
	read->etags = (struct codec_etags){reading.texts, reading.pruned};
	request->view.etags = &read->etags;
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
	make_etags(request, version);
	store_unpin(store, version);
}

bool netconf__txid_read_is_work(const struct netconf_request *request)
{
	struct netconf_server *server = request->link->server;
	return request->txid_read != NULL && request->datastore == STORE_CANDIDATE &&
	       atomic_load(&server->candidate_size) >= server->limits.inline_size;
}

void netconf__txid_put_root(struct buffer *out, const struct netconf_request *request)
{
	if (request->txid_read == NULL || request->txid_read->root_etag == NULL)
		return;
	netconf__put(out, " xmlns:txid=\"" NETCONF_TXID_ATTRIBUTE_NS "\" txid:etag=\"");
	netconf__put(out, request->txid_read->root_etag);
	netconf__put(out, "\"");
}

bool netconf__txid_prunes_all(const struct netconf_request *request)
{
	return request->txid_read != NULL && request->txid_read->prunes_all;
}
