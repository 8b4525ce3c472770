/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The trees of nodes: data, rpcs, actions, notifications. libyang's choices and cases are taken out of the
 * tree: their data nodes become children of the choice's data parent, and remember the innermost case that
 * they are in.
 *
 * Ids are given in pre-order, so that a node's descendants have greater ids than the node;
 * compile_constraint.c relies on it. Children keep the schema's order, which for lists has the keys first.
 */
#include "base/assert.h"
#include "schema/compile.h"

/* A node under construction: what will be arrays. */
struct growing {
	struct schema_node *node;
	struct vector children, choices, actions, notifications;
};

static struct schema_node *new_node(struct compile *compile, enum schema_kind kind,
				    const struct schema_node *parent, const struct lysc_node *from)
{
	struct schema_node *node = arena_zalloc(compile->arena, sizeof(*node));
	node->id = (uint32_t)compile->nodes.length;
	node->kind = kind;
	node->parent = parent;
	node->depth = parent == NULL ? 0 : parent->depth + 1;
	node->name = from == NULL ? "" : from->name;
	node->name_bytes = bytes_of(node->name);
	node->module = from == NULL ? NULL : compile_module_of(compile, from->module);
	node->yang_1_1 = node->module != NULL && node->module->yang_1_1;
	node->max_elements = UINT32_MAX;
	*(struct schema_node **)vector_push(&compile->nodes) = node;
	*(const struct lysc_node **)vector_push(&compile->lysc_nodes) = from;
	if (from != NULL)
		((struct lysc_node *)from)->priv = node;
	return node;
}

static void grow_init(struct growing *growing, struct schema_node *node)
{
	growing->node = node;
	vector_init(&growing->children, sizeof(struct schema_node *));
	vector_init(&growing->choices, sizeof(struct schema_choice *));
	vector_init(&growing->actions, sizeof(struct schema_node *));
	vector_init(&growing->notifications, sizeof(struct schema_node *));
}

static void *to_array(struct compile *compile, struct vector *vector, size_t *length)
{
	size_t size = vector->length * sizeof(void *);
	void *array = arena_alloc(compile->arena, size);
	if (size > 0)
		memcpy(array, vector->data, size);
	*length = vector->length;
	vector_fini(vector);
	return array;
}

/* Tells each case the slots of all data nodes in it; a node in a nested choice is in the outer cases too. */
static void fill_case_slots(struct compile *compile, const struct schema_node *parent)
{
	for (size_t i = 0; i < parent->child_count; i++)
		for (const struct schema_case *c = parent->children[i]->in_case; c != NULL;
		     c = c->choice->outer)
			((struct schema_case *)c)->slot_count++;
	for (size_t i = 0; i < parent->choice_count; i++) {
		struct schema_case *cases = (struct schema_case *)parent->choices[i]->cases;
		for (size_t k = 0; k < parent->choices[i]->case_count; k++) {
			cases[k].slots = arena_alloc(compile->arena, cases[k].slot_count * sizeof(uint16_t));
			cases[k].slot_count = 0;
		}
	}
	for (size_t i = 0; i < parent->child_count; i++)
		for (const struct schema_case *c = parent->children[i]->in_case; c != NULL;
		     c = c->choice->outer)
			c->slots[((struct schema_case *)c)->slot_count++] = (uint16_t)i;
}

static enum status grow_finish(struct compile *compile, struct growing *growing)
{
	struct schema_node *node = growing->node;
	size_t child_count;
	node->children = to_array(compile, &growing->children, &child_count);
	node->choices = to_array(compile, &growing->choices, &node->choice_count);
	node->actions = to_array(compile, &growing->actions, &node->action_count);
	node->notifications = to_array(compile, &growing->notifications, &node->notification_count);
	if (child_count > UINT16_MAX) {
		diag_add(compile->diags, DIAG_APPLICATION, DIAG_OPERATION_FAILED,
			 "Node \"%s\" has %zu children; at most %d are supported.", node->name, child_count,
			 UINT16_MAX);
		return ST_REJECTED;
	}
	node->child_count = (uint16_t)child_count;
	struct schema__private *schema = compile->schema;
	for (uint16_t i = 0; i < node->child_count; i++) {
		struct schema_node *child = (struct schema_node *)node->children[i];
		child->slot = i;
		node->key_count += child->is_key ? 1 : 0;
		schema__index_add(&schema->children, schema__child_scope(node, child->module),
				  child->name_bytes, child);
	}
	for (size_t i = 0; i < node->action_count; i++)
		schema__index_add(&schema->operations, schema__child_scope(node, node->actions[i]->module),
				  node->actions[i]->name_bytes, node->actions[i]);
	for (size_t i = 0; i < node->notification_count; i++)
		schema__index_add(&schema->notifications,
				  schema__child_scope(node, node->notifications[i]->module),
				  node->notifications[i]->name_bytes, node->notifications[i]);
	fill_case_slots(compile, node);
	return ST_OK;
}

/* Elsewhere the statement is ignored (RFC 7950 7.7.7), though libyang keeps the order there. Without keys, or
 * as a leaf-list that may have a value twice, what is no configuration keeps its order anyway. */
static bool is_user_ordered(const struct lysc_node *from)
{
	bool has_keys = from->nodetype == LYS_LIST && (from->flags & LYS_KEYLESS) == 0;
	bool counts = (from->flags & LYS_CONFIG_W) != 0 || ((from->flags & LYS_IS_INPUT) != 0 && has_keys);
	return counts && lysc_is_userordered(from);
}

static void fill_flags(struct schema_node *node, const struct lysc_node *from)
{
	node->config = (from->flags & LYS_CONFIG_W) != 0;
	node->presence = node->kind == SCHEMA_CONTAINER && (from->flags & LYS_PRESENCE) != 0;
	node->user_ordered = is_user_ordered(from);
	node->is_key = lysc_is_key(from);
	/* libyang also marks containers with mandatory descendants. */
	node->mandatory =
		(from->nodetype & (LYS_LEAF | LYS_ANYDATA)) != 0 && (from->flags & LYS_MAND_TRUE) != 0;
	if (from->nodetype == LYS_LIST) {
		const struct lysc_node_list *list = (const struct lysc_node_list *)from;
		node->min_elements = list->min;
		node->max_elements = list->max;
	} else if (from->nodetype == LYS_LEAFLIST) {
		const struct lysc_node_leaflist *list = (const struct lysc_node_leaflist *)from;
		node->min_elements = list->min;
		node->max_elements = list->max;
	}
}

static enum schema_kind kind_of(const struct lysc_node *from)
{
	switch (from->nodetype) {
	case LYS_CONTAINER:
		return SCHEMA_CONTAINER;
	case LYS_LIST:
		return SCHEMA_LIST;
	case LYS_LEAF:
		return SCHEMA_LEAF;
	case LYS_LEAFLIST:
		return SCHEMA_LEAF_LIST;
	case LYS_ANYXML:
		return SCHEMA_ANYXML;
	case LYS_ANYDATA:
		return SCHEMA_ANYDATA;
	default:
		ASSERT(!"a data node of libyang");
		return SCHEMA_ROOT;
	}
}

static enum status add_inner(struct compile *compile, struct schema_node *node, const struct lysc_node *from);
static enum status add_siblings(struct compile *compile, struct growing *growing,
				const struct lysc_node *first, const struct schema_case *in_case);

static enum status add_choice(struct compile *compile, struct growing *growing, const struct lysc_node *from,
			      const struct schema_case *outer)
{
	const struct lysc_node_choice *lysc = (const struct lysc_node_choice *)from;
	struct schema_choice *choice = arena_zalloc(compile->arena, sizeof(*choice));
	choice->name = from->name;
	choice->module = compile_module_of(compile, from->module);
	choice->parent = growing->node;
	choice->outer = outer;
	choice->mandatory = (from->flags & LYS_MAND_TRUE) != 0;
	choice->config = (from->flags & LYS_CONFIG_W) != 0;
	((struct lysc_node *)from)->priv = choice;
	*(struct schema_choice **)vector_push(&growing->choices) = choice;

	for (const struct lysc_node *c = lysc_node_child(from); c != NULL; c = c->next)
		choice->case_count++;
	struct schema_case *cases = arena_zalloc(compile->arena, choice->case_count * sizeof(*cases));
	choice->cases = cases;
	enum status status = ST_OK;
	uint16_t index = 0;
	for (const struct lysc_node *c = lysc_node_child(from); c != NULL && status == ST_OK;
	     c = c->next, index++) {
		cases[index] = (struct schema_case){.name = c->name, .choice = choice, .index = index};
		((struct lysc_node *)c)->priv = &cases[index];
		if ((const struct lysc_node *)lysc->dflt == c)
			choice->default_case = &cases[index];
		status = add_siblings(compile, growing, lysc_node_child(c), &cases[index]);
	}
	return status;
}

static enum status add_operation(struct compile *compile, struct vector *operations, enum schema_kind kind,
				 struct schema_node *parent, const struct lysc_node_action *from)
{
	struct schema_node *node = new_node(compile, kind, parent, &from->node);
	((struct lysc_node_action *)from)->input.priv = node;
	*(struct schema_node **)vector_push(operations) = node;
	struct growing input;
	grow_init(&input, node);
	enum status status = add_siblings(compile, &input, from->input.child, NULL);
	if (grow_finish(compile, &input) != ST_OK || status != ST_OK)
		return ST_REJECTED;

	struct schema_node *output = new_node(compile, SCHEMA_OUTPUT, node, &from->output.node);
	output->module = node->module;
	node->output = output;
	struct growing growing;
	grow_init(&growing, output);
	status = add_siblings(compile, &growing, from->output.child, NULL);
	return grow_finish(compile, &growing) != ST_OK ? ST_REJECTED : status;
}

static enum status add_notification(struct compile *compile, struct vector *notifications,
				    struct schema_node *parent, const struct lysc_node_notif *from)
{
	struct schema_node *node = new_node(compile, SCHEMA_NOTIFICATION, parent, &from->node);
	*(struct schema_node **)vector_push(notifications) = node;
	return add_inner(compile, node, &from->node);
}

/* What is inside a node that holds others. */
static enum status add_inner(struct compile *compile, struct schema_node *node, const struct lysc_node *from)
{
	struct growing growing;
	grow_init(&growing, node);
	enum status status = add_siblings(compile, &growing, lysc_node_child(from), NULL);
	const struct lysc_node_action *action = lysc_node_actions(from);
	for (; action != NULL && status == ST_OK; action = action->next)
		status = add_operation(compile, &growing.actions, SCHEMA_ACTION, node, action);
	const struct lysc_node_notif *notification = lysc_node_notifs(from);
	for (; notification != NULL && status == ST_OK; notification = notification->next)
		status = add_notification(compile, &growing.notifications, node, notification);
	return grow_finish(compile, &growing) != ST_OK ? ST_REJECTED : status;
}

/* All that have the parent of `first`: libyang links the children of all cases of a choice. */
static enum status add_siblings(struct compile *compile, struct growing *growing,
				const struct lysc_node *first, const struct schema_case *in_case)
{
	enum status status = ST_OK;
	const struct lysc_node *from = first;
	for (; from != NULL && from->parent == first->parent && status == ST_OK; from = from->next) {
		if (from->nodetype == LYS_CHOICE) {
			status = add_choice(compile, growing, from, in_case);
			continue;
		}
		struct schema_node *node = new_node(compile, kind_of(from), growing->node, from);
		node->in_case = in_case;
		fill_flags(node, from);
		*(struct schema_node **)vector_push(&growing->children) = node;
		status = add_inner(compile, node, from);
	}
	return status;
}

static enum status add_module(struct compile *compile, struct growing *root, const struct lysc_module *from)
{
	enum status status = add_siblings(compile, root, from->data, NULL);
	for (const struct lysc_node_action *rpc = from->rpcs; rpc != NULL && status == ST_OK; rpc = rpc->next)
		status = add_operation(compile, &root->actions, SCHEMA_RPC, NULL, rpc);
	const struct lysc_node_notif *notification = from->notifs;
	for (; notification != NULL && status == ST_OK; notification = notification->next)
		status = add_notification(compile, &root->notifications, NULL, notification);
	return status;
}

enum status compile_tree(struct compile *compile)
{
	struct growing root;
	grow_init(&root, new_node(compile, SCHEMA_ROOT, NULL, NULL));
	root.node->config = true;
	enum status status = ST_OK;
	uint32_t index = 0;
	const struct lys_module *module;
	while (status == ST_OK && (module = ly_ctx_get_module_iter(compile->schema->context, &index)) != NULL)
		if (module->compiled != NULL && compile_module_of(compile, module)->implemented)
			status = add_module(compile, &root, module->compiled);
	if (grow_finish(compile, &root) != ST_OK)
		return ST_REJECTED;
	struct schema *schema = &compile->schema->public;
	schema->rpcs = root.node->actions;
	schema->rpc_count = root.node->action_count;
	schema->notifications = root.node->notifications;
	schema->notification_count = root.node->notification_count;
	return status;
}
