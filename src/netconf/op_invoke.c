/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Operations that only the schema knows: any rpc of a module, and <action> (RFC 7950 7.14.2, 7.15.2). What
 * came was decoded by the schema while it arrived (message.c); here
 *
 *     locate     an action: the instance that it is on, in running and the server's state; else data-missing
 *     make       the input, as a record
 *     check      when, must, references, mandatory nodes, ... (check/operation.h)
 *     call       the handler
 *     answer     its output, checked as well: what a handler does wrong is operation-failed
 *
 * All that is wrong with the input is told before it is told that there is no handler. The input's paths
 * begin at the rpc: /nc:rpc/m:reset/m:at, /nc:rpc/yang:action/m:server[m:name='a']/m:reset/m:at.
 *
 * An operation may read and may change, so it runs when all before it were answered, and sees them.
 */
#include "base/log.h"
#include "check/operation.h"
#include "edit/input.h"
#include "netconf/handlers.h"
#include "netconf/operation.h"
#include "netconf/read.h"
#include "schema/qname.h"
#include "schema/type.h"
#include "store/plan.h"

struct invocation {
	struct netconf_request *request;
	struct netconf_server *server;
	const struct edit_node *operation;
	struct tree_position *place; /* of the operation, within the data; its record is the input */
	struct tree_record *input;   /* a reference; NULL: not made */
};

static bool is_action(const struct netconf_request *request)
{
	return request->operation->config == CONFIG_IS_ACTION;
}

/* Puts the envelope before the paths of all diagnostics after `before` (NULL: of all). */
static void complete_paths(struct netconf_request *request, const struct diag *before, const char *instance)
{
	struct diag_list *diags = &request->diags;
	const char *envelope = is_action(request) ? "/nc:rpc/yang:action" : "/nc:rpc";
	struct diag *diag = before != NULL ? before->next : diags->first;
	for (; diag != NULL; diag = diag->next) {
		const char *path = diag->path != NULL ? diag->path : "";
		diag_set_path(diags, diag, arena_printf(request->arena, "%s%s%s", envelope, instance, path));
		schema_qname_declare(request->link->server->schema, bytes_of(instance), diags, diag);
		diag_add_prefix(diags, diag, "nc", NETCONF_NS);
		if (is_action(request))
			diag_add_prefix(diags, diag, "yang", NETCONF_YANG_NS);
	}
}

/* ---- The instance. ---- */

static const struct value *keys_of(const struct edit_node *entry, struct arena *arena)
{
	struct value *keys = arena_alloc(arena, entry->schema->key_count * sizeof(*keys));
	const struct edit_node *key = entry->children;
	for (uint16_t i = 0; i < entry->schema->key_count; i++, key = key->next)
		keys[i] = key->value;
	return keys;
}

static bool find_step(const struct tree_position *parent, const struct edit_node *step, struct arena *arena,
		      struct tree_position *position)
{
	const struct schema_node *schema = step->schema;
	if (schema->kind == SCHEMA_CONTAINER)
		return tree_position_find_child(parent, schema, TREE_WITH_DEFAULTS, position);
	return schema->key_count > 0 &&
	       tree_position_find_entry(parent, schema, keys_of(step, arena), position);
}

static const struct edit_node *below(const struct edit_node *node)
{
	const struct edit_node *child = node->children;
	while (child->schema->is_key)
		child = child->next;
	return child;
}

/* The path names the entry, though it is not there: so one is made for it. */
static void refuse_absent(struct invocation *invocation, const struct tree_position *parent,
			  const struct edit_node *step)
{
	struct netconf_request *request = invocation->request;
	const struct schema *schema = invocation->server->schema;
	struct tree_record *empty = tree_record_new();
	struct tree_builder *builder = tree_builder_new_at(schema, parent->schema, empty, NULL);
	struct tree_position absent = {.parent = parent, .schema = step->schema};
	bool made = false;
	if (step->schema->key_count > 0) {
		tree_builder_enter_entry(builder, step->schema, keys_of(step, request->arena), &made);
		absent.record = tree_builder_position(builder)->record;
	}
	struct diag *before = request->diags.last;
	struct diag *diag = diag_add(&request->diags, DIAG_APPLICATION, DIAG_DATA_MISSING,
				     "The instance that has the action does not exist.");
	tree_position_set_diag(&absent, &request->diags, diag);
	complete_paths(request, before, "");
	tree_builder_abort(builder);
	tree_record_unref(empty, parent->schema, NULL);
}

/* From the root of the data down to the operation. */
static enum status locate(struct invocation *invocation)
{
	struct arena *arena = invocation->request->arena;
	const struct edit_node *step = invocation->request->edit->top;
	struct tree_position *position = arena_alloc(arena, sizeof(*position));
	*position = tree_position_root(invocation->server->schema, invocation->request->root);
	while ((step = below(step)) != invocation->operation) {
		struct tree_position *child = arena_alloc(arena, sizeof(*child));
		if (!find_step(position, step, arena, child)) {
			refuse_absent(invocation, position, step);
			return ST_REJECTED;
		}
		position = child;
	}
	invocation->place = arena_alloc(arena, sizeof(*invocation->place));
	*invocation->place =
		(struct tree_position){.parent = position, .schema = invocation->operation->schema};
	return ST_OK;
}

/* ---- Input and output. ---- */

static enum status make_input(struct invocation *invocation)
{
	struct netconf_request *request = invocation->request;
	struct netconf_server *server = invocation->server;
	struct diag *before = request->diags.last;
	enum status status = edit_input_make(server->schema, invocation->operation, server->reclaimer,
					     &request->diags, &invocation->input);
	if (status == ST_OK) {
		invocation->place->record = invocation->input;
		return ST_OK;
	}
	const struct tree_position *parent = invocation->place->parent;
	complete_paths(request, before,
		       parent->parent != NULL ? tree_position_path(parent, request->arena) : "");
	return status;
}

static enum status check(const struct invocation *invocation, const struct tree_position *top,
			 struct diag_list *diags)
{
	const struct netconf_limits *limits = &invocation->server->limits;
	bool is_input = top == invocation->place; /* the output of what was done is given in any case */
	struct check_options options = {.steps = limits->filter_steps,
					.max_nodes = limits->filter_nodes,
					.interrupt = is_input ? &invocation->request->link->interrupt : NULL};
	return check_operation(store_plan(invocation->server->store), top, &options, diags);
}

static enum status check_input(struct invocation *invocation)
{
	struct netconf_request *request = invocation->request;
	struct diag *before = request->diags.last;
	enum status status = check(invocation, invocation->place, &request->diags);
	if (status != ST_OK)
		complete_paths(request, before, "");
	return status;
}

/* The output becomes what is to be written. */
static enum status check_output(struct invocation *invocation, struct tree_record *output)
{
	struct netconf_request *request = invocation->request;
	struct netconf_server *server = invocation->server;
	const struct schema_node *schema = invocation->operation->schema->output;
	struct tree_position top = {.parent = invocation->place->parent, .schema = schema, .record = output};
	struct diag_list wrong;
	diag_list_init(&wrong, request->arena, 1);
	if (check(invocation, &top, &wrong) == ST_OK) {
		netconf__read_drop(request);
		request->root = output;
		request->root_schema = schema;
		return ST_OK;
	}
	log_error("the output of %s is not valid: %s: %s", invocation->operation->schema->name,
		  wrong.first->path != NULL ? wrong.first->path : "", wrong.first->message);
	tree_record_unref(output, schema, server->reclaimer);
	diag_add(&request->diags, DIAG_APPLICATION, DIAG_OPERATION_FAILED,
		 "What the operation gave is not valid.");
	return ST_REJECTED;
}

static enum status call_handler(struct invocation *invocation, const struct netconf_handler_entry *entry,
				enum store_wait wait)
{
	struct netconf_request *request = invocation->request;
	struct netconf_server *server = invocation->server;
	const struct schema_node *schema = invocation->operation->schema;
	struct tree_record *empty = tree_record_new();
	struct netconf_call call = {
		.server = server,
		.link = request->link,
		.actor = &request->link->actor,
		.transport = request->link->transport,
		.root = request->root,
		.operation = schema,
		.input = invocation->place,
		.output = tree_builder_new_at(server->schema, schema->output, empty, server->reclaimer),
		.diags = &request->diags,
		.wait = wait,
		.answer = &request->answer,
	};
	tree_record_unref(empty, schema->output, NULL);
	enum status status = entry->handler(&call, entry->arg);
	struct tree_record *output = tree_builder_finish(call.output);
	if (status == ST_OK)
		return check_output(invocation, output);
	tree_record_unref(output, schema->output, server->reclaimer);
	return status;
}

/* ---- The operation. ---- */

static void refuse_unsupported(struct invocation *invocation)
{
	struct netconf_request *request = invocation->request;
	const char *name = invocation->operation->schema->name;
	struct diag *before = request->diags.last;
	struct diag *diag = diag_add(&request->diags, DIAG_PROTOCOL, DIAG_OPERATION_NOT_SUPPORTED,
				     "Nothing here performs \"%s\".", name);
	tree_position_set_diag(invocation->place, &request->diags, diag);
	complete_paths(request, before, "");
}

static enum status invoke(struct invocation *invocation, enum store_wait wait)
{
	enum status status = locate(invocation);
	if (status == ST_OK)
		status = make_input(invocation);
	if (status == ST_OK)
		status = check_input(invocation);
	if (status != ST_OK)
		return status;
	const struct netconf_handler_entry *entry =
		netconf__handler_find(invocation->server, invocation->operation->schema);
	if (entry != NULL)
		return call_handler(invocation, entry, wait);
	refuse_unsupported(invocation);
	return ST_REJECTED;
}

static enum status find_operation(struct invocation *invocation)
{
	struct netconf_request *request = invocation->request;
	struct diag *before = request->diags.last;
	enum status status = edit_input_find(request->edit, &request->diags, &invocation->operation);
	if (status != ST_OK)
		complete_paths(request, before, "");
	return status;
}

/* Whether anything at or below the node reads data that is not the operation's own. */
static bool reads_data(const struct schema_node *node)
{
	bool reads = node->must_count > 0 || node->when_count > 0 ||
		     (node->type != NULL && schema_type_has_reference(node->type));
	for (size_t i = 0; i < node->child_count && !reads; i++)
		reads = reads_data(node->children[i]);
	return reads;
}

/* The server's state is only made where it can be seen. */
static bool needs_state(const struct schema_node *operation)
{
	bool is_on_state = operation->parent != NULL && !operation->parent->config;
	return is_on_state || reads_data(operation) || reads_data(operation->output);
}

/* The root that the operation stands in. */
static enum status begin(struct invocation *invocation, enum store_wait wait)
{
	enum status status = netconf__read_begin(invocation->request, wait);
	if (status == ST_OK && needs_state(invocation->operation->schema))
		status = netconf__read_add_state(invocation->request, wait);
	return status;
}

static void prepare(struct netconf_request *request)
{
	if (is_action(request)) /* an rpc's were seen by the decoder */
		netconf__params_attributes(request);
	request->datastore = STORE_RUNNING;
}

/* Whether it is none for a worker, but for a job. */
static bool is_work(const struct invocation *invocation)
{
	struct netconf_request *request = invocation->request;
	const struct netconf_handler_entry *entry =
		netconf__handler_find(invocation->server, invocation->operation->schema);
	request->pool = entry != NULL ? entry->pool : NULL;
	return request->pool != NULL || request->size >= invocation->server->limits.inline_size;
}

static enum status run(struct netconf_request *request, enum store_wait wait)
{
	struct netconf_server *server = request->link->server;
	struct invocation invocation = {.request = request, .server = server};
	enum status status = find_operation(&invocation);
	if (status == ST_OK && wait == STORE_NO_WAIT && is_work(&invocation))
		return ST_BUSY;
	if (status == ST_OK)
		status = begin(&invocation, wait);
	if (status != ST_OK)
		return status;
	status = invoke(&invocation, wait);
	if (invocation.input != NULL)
		tree_record_unref(invocation.input, invocation.operation->schema, server->reclaimer);
	if (status == ST_OK && request->root->length > 0)
		return ST_OK;
	tree_record_unref(request->root, netconf__request_root_schema(request), server->reclaimer);
	request->root = NULL;
	request->root_schema = NULL;
	return status;
}

const struct netconf_operation netconf__op_rpc = {
	.name = "rpc",
	.kind = OPERATION_READS,
	.config = CONFIG_IS_RPC,
	.prepare = prepare,
	.run = run,
};

const struct netconf_operation netconf__op_action = {
	.name = "action",
	.ns = NETCONF_YANG_NS,
	.prefix = "yang",
	.kind = OPERATION_READS,
	.config = CONFIG_IS_ACTION,
	.prepare = prepare,
	.run = run,
};
