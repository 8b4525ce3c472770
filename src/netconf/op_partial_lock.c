/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * partial-lock and partial-unlock (RFC 5717 2.4). The expressions are evaluated once, on running as it is
 * stored; what they select then is what is locked, whatever they would select later. The rules of granting
 * are the store's (store/partial.h).
 *
 * An expression that does not compile is an invalid value; one that selects the root or text, which no path
 * of names tells from other nodes, is no lock specification. Evaluating has the limits of XPath filters, and
 * is work for a job thread.
 *
 * The reply has a path for each locked node, also where a key has both kinds of quotes: RFC 5717 1.1 asks for
 * an XPath expression, which can have concat() there. The type instance-identifier of netconf-state cannot
 * (RFC 7950 14), and there such a node is left out.
 */
#include <string.h>

#include "base/hash_table.h"
#include "netconf/filter_xpath.h"
#include "netconf/nmda.h"
#include "netconf/operation.h"
#include "netconf/state_build.h"
#include "store/partial.h"

#define PARTIAL_NS "urn:ietf:params:xml:ns:netconf:partial-lock:1.0"
#define PARTIAL_MODULE "ietf-netconf-partial-lock"

/* A partial-lock being prepared and run. */
struct choice {
	struct netconf_request *request;
	struct vector nodes;	   /* const struct tree_position * */
	bool many;		   /* expressions: a node can be chosen twice */
	struct hash_table *chosen; /* then: the paths of the nodes; else NULL */
};

static enum status refuse(struct netconf_request *request, enum diag_tag tag, const char *app_tag,
			  const char *message)
{
	struct diag *diag = netconf__param_refuse(request, "select", tag, message);
	if (app_tag != NULL)
		diag_set_app_tag(&request->diags, diag, app_tag);
	return ST_REJECTED;
}

/* ---- partial-lock. ---- */

static void prepare_lock(struct netconf_request *request)
{
	struct netconf_param select = {.name = "select", .mandatory = true, .repeats = true};
	if (netconf__module_is_served(request, PARTIAL_MODULE))
		netconf__params_read(request, &select, 1);
}

static bool has_instance_identifier(const struct tree_position *node)
{
	return node->parent != NULL && node->parent->schema != node->schema;
}

/* Locked nodes are a set (1.1), whatever several expressions select. */
static void add_node(struct choice *choice, const struct tree_position *node)
{
	if (choice->chosen != NULL &&
	    hash_table_put(choice->chosen, bytes_of(tree_position_path(node, choice->request->arena)),
			   choice) != NULL)
		return;
	*(const struct tree_position **)vector_push(&choice->nodes) = node;
}

static enum status evaluate(struct choice *choice, const struct xpath_expr *expr,
			    const struct tree_position *top, struct xpath_limits *limits)
{
	struct netconf_request *request = choice->request;
	struct netconf_server *server = request->link->server;
	struct xpath_env env = {
		.schema = server->schema,
		.root = top->record,
		.arena = request->arena,
		.limits = limits,
		.memory = server->limits.filter_memory + arena_size(request->arena),
		.view = TREE_EXPLICIT,
	};
	struct xpath_value value;
	if (xpath_eval(expr, &env, top, &value) != ST_OK) {
		netconf__param_refuse(request, "select", DIAG_RESOURCE_DENIED,
				      "The expression is more than this server does for one.");
		return ST_REJECTED;
	}
	if (value.type != XPATH_NODE_SET)
		return refuse(request, DIAG_INVALID_VALUE, "not-a-node-set",
			      "The value of the expression is no node-set.");
	for (size_t i = 0; i < value.length; i++) {
		if (!has_instance_identifier(value.nodes[i]))
			return refuse(request, DIAG_INVALID_VALUE, "invalid-lock-specification",
				      "The expression selects what has no instance-identifier.");
		add_node(choice, value.nodes[i]);
	}
	return ST_OK;
}

static enum status compile(struct netconf_request *request, const struct element *select,
			   const struct xpath_expr **expr)
{
	const struct schema *schema = request->link->server->schema;
	struct netconf__scope prefixes = {schema, select};
	struct xpath_scope scope = {.schema = schema,
				    .context = schema->root,
				    .resolve = netconf__scope_resolve,
				    .arg = &prefixes};
	struct xpath_error error;
	if (xpath_compile(&scope, element_text_trimmed(select), request->arena, &error, expr) == ST_OK)
		return ST_OK;
	return refuse(request, DIAG_INVALID_VALUE, NULL,
		      arena_strdup(request->arena, bytes_of(error.message)));
}

/* All expressions, one after the other. */
static enum status choose(void *arg, const struct tree_record *root, struct diag_list *diags,
			  struct store_partial_nodes *nodes)
{
	struct choice *choice = arg;
	struct netconf_request *request = choice->request;
	struct netconf_server *server = request->link->server;
	const struct netconf__filter_limits all = {.steps = server->limits.filter_steps,
						   .nodes = server->limits.filter_nodes,
						   .time_ms = server->limits.filter_time_ms,
						   .interrupt = &request->link->interrupt};
	struct xpath_limits limits = netconf__xpath_limits(&all);
	struct tree_position *top = arena_alloc(request->arena, sizeof(*top));
	const struct element *select = NULL;
	enum status status = ST_OK;
	(void)diags; /* the request's */
	*top = tree_position_root(server->schema, root);
	vector_clear(&choice->nodes);
	choice->chosen = choice->many ? hash_table_new() : NULL;
	while (status == ST_OK &&
	       (select = element_find(request->parameters, PARTIAL_NS, "select", select)) != NULL) {
		const struct xpath_expr *expr;
		status = compile(request, select, &expr);
		if (status == ST_OK)
			status = evaluate(choice, expr, top, &limits);
	}
	hash_table_free(choice->chosen);
	if (status == ST_OK && choice->nodes.length == 0)
		status = refuse(request, DIAG_OPERATION_FAILED, "no-matches", "Nothing is selected.");
	*nodes = (struct store_partial_nodes){choice->nodes.data, choice->nodes.length};
	return status;
}

/* The texts, each once: netconf-state has them as a leaf-list (RFC 6020 7.7). */
static const char *const *selects_of(struct netconf_request *request, size_t *count)
{
	const struct element *select = NULL;
	struct hash_table *seen = hash_table_new();
	struct vector texts;
	vector_init(&texts, sizeof(const char *));
	while ((select = element_find(request->parameters, PARTIAL_NS, "select", select)) != NULL) {
		struct bytes text = element_text_trimmed(select);
		if (hash_table_put(seen, text, request) == NULL)
			*(const char **)vector_push(&texts) = arena_strdup(request->arena, text);
	}
	hash_table_free(seen);
	*count = texts.length;
	const char **copy = arena_alloc(request->arena, texts.length * sizeof(*copy));
	memcpy(copy, texts.data, texts.length * sizeof(*copy));
	vector_fini(&texts);
	return copy;
}

/* The reply: lock-id and the locked nodes. */
static void answer(struct netconf_request *request, uint32_t lock_id, const struct choice *choice)
{
	struct netconf_server *server = request->link->server;
	const struct schema_module *module = schema_module_find(server->schema, bytes_of(PARTIAL_MODULE));
	const struct schema_node *output =
		schema_rpc_find(server->schema, module, bytes_of("partial-lock"))->output;
	struct tree_record *empty = tree_record_new();
	struct state_builder build;
	state__begin_at(&build, module, server->schema, output, empty);
	tree_record_unref(empty, output, NULL);
	state__number(&build, "lock-id", lock_id);
	for (size_t i = 0; i < choice->nodes.length; i++) {
		const struct tree_position *node =
			*(const struct tree_position **)vector_at(&choice->nodes, i);
		state__path(&build, "locked-node", tree_position_path(node, request->arena));
	}
	request->root = state__finish(&build);
	request->root_schema = output;
}

static enum status run_lock(struct netconf_request *request, enum store_wait wait)
{
	if (wait == STORE_NO_WAIT)
		return ST_BUSY;
	struct store_call call = netconf__store_call(request, wait);
	struct choice choice = {.request = request};
	struct store_partial_request wanted = {.choose = choose, .arg = &choice};
	wanted.selects = selects_of(request, &wanted.select_count);
	choice.many = wanted.select_count > 1;
	vector_init(&choice.nodes, sizeof(const struct tree_position *));
	uint32_t lock_id;
	enum status status =
		store_partial_lock(request->link->server->store, &call, &wanted, &lock_id, &request->answer);
	if (status == ST_OK)
		answer(request, lock_id, &choice);
	vector_fini(&choice.nodes);
	return status;
}

/* ---- partial-unlock. ---- */

static void prepare_unlock(struct netconf_request *request)
{
	struct netconf_param id = {.name = "lock-id", .mandatory = true};
	if (!netconf__module_is_served(request, PARTIAL_MODULE))
		return;
	netconf__params_read(request, &id, 1);
	if (id.element != NULL)
		request->lock_id = (uint32_t)netconf__param_number(request, &id, UINT32_MAX);
}

static enum status run_unlock(struct netconf_request *request, enum store_wait wait)
{
	(void)wait;
	if (store_partial_unlock(request->link->server->store, request->link->id, request->lock_id))
		return ST_OK;
	netconf__param_refuse(request, "lock-id", DIAG_INVALID_VALUE,
			      "This session has no partial lock of this id.");
	return ST_REJECTED;
}

const struct netconf_operation netconf__op_partial_lock = {
	.name = "partial-lock",
	.ns = PARTIAL_NS,
	.prefix = "pl",
	.kind = OPERATION_READS,
	.prepare = prepare_lock,
	.run = run_lock,
};

const struct netconf_operation netconf__op_partial_unlock = {
	.name = "partial-unlock",
	.ns = PARTIAL_NS,
	.prefix = "pl",
	.kind = OPERATION_CHANGES,
	.prepare = prepare_unlock,
	.run = run_unlock,
};
