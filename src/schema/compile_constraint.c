/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What nodes require: musts, whens, unique statements, types and defaults, once all nodes exist. Expressions
 * stay text here; `xpath` compiles them.
 *
 * A when of a uses or augment is on each node that came by it, with the context node that RFC 7950 7.21.5
 * gives it; a when of a choice or case governs the data nodes inside, which are flattened into the choice's
 * parent, so it is copied to each of them.
 *
 * Names without prefix in an expression are of the module of the node that has the statement: the module that
 * uses a grouping, not the one that defines it (RFC 7950 6.4.1). Identities are of the latter (7.13).
 */
#include "base/assert.h"
#include "schema/compile.h"

struct schema_xpath compile_xpath(struct compile *compile, const struct lyxp_expr *expression,
				  const struct lysc_prefix *prefixes, const struct lys_module *local)
{
	struct schema__resolver *resolver = arena_zalloc(compile->arena, sizeof(*resolver));
	resolver->local = compile_module_of(compile, local);
	size_t count = LY_ARRAY_COUNT(prefixes);
	resolver->prefixes = arena_zalloc(compile->arena, count * sizeof(*resolver->prefixes));
	resolver->text = resolver->local;
	for (size_t i = 0; i < count; i++)
		if (prefixes[i].prefix == NULL)
			resolver->text = compile_module_of(compile, prefixes[i].mod);
		else
			resolver->prefixes[resolver->prefix_count++] = (struct schema__prefix){
				bytes_of(prefixes[i].prefix), compile_module_of(compile, prefixes[i].mod)};
	return (struct schema_xpath){.expression = lyxp_get_expr(expression), .resolver = resolver};
}

static void fill_musts(struct compile *compile, struct schema_node *node, const struct lysc_node *from)
{
	const struct lysc_must *musts;
	if (node->kind == SCHEMA_RPC || node->kind == SCHEMA_ACTION)
		musts = ((const struct lysc_node_action *)from)->input.musts;
	else
		musts = lysc_node_musts(from);
	node->must_count = LY_ARRAY_COUNT(musts);
	struct schema_xpath *xpaths = arena_zalloc(compile->arena, node->must_count * sizeof(*xpaths));
	for (size_t i = 0; i < node->must_count; i++) {
		xpaths[i] = compile_xpath(compile, musts[i].cond, musts[i].prefixes, from->module);
		xpaths[i].error_message = musts[i].emsg;
		xpaths[i].error_app_tag = musts[i].eapptag;
		xpaths[i].context = node;
	}
	node->musts = xpaths;
}

/* The node whose data is the context of a when: choices and cases have no data. */
static const struct schema_node *context_of(const struct compile *compile, const struct lysc_node *context)
{
	while (context != NULL && (context->nodetype & (LYS_CHOICE | LYS_CASE)) != 0)
		context = context->parent;
	return context == NULL ? compile->schema->public.root : compile_made_from(context);
}

static void add_whens(struct compile *compile, struct vector *whens, const struct schema_node *node,
		      const struct lysc_node *from)
{
	struct lysc_when **list = lysc_node_when(from);
	for (size_t i = 0; i < LY_ARRAY_COUNT(list); i++) {
		struct schema_xpath *xpath = vector_push(whens);
		*xpath = compile_xpath(compile, list[i]->cond, list[i]->prefixes, from->module);
		xpath->context = context_of(compile, list[i]->context);
		xpath->context_is_parent = xpath->context != node;
	}
}

static bool is_choice_or_case(const struct lysc_node *from)
{
	return from != NULL && (from->nodetype & (LYS_CHOICE | LYS_CASE)) != 0;
}

/* Those of `from`, and of the choices and cases that it is in. */
static const struct schema_xpath *collect_whens(struct compile *compile, const struct schema_node *node,
						const struct lysc_node *from, size_t *count)
{
	struct vector whens;
	vector_init(&whens, sizeof(struct schema_xpath));
	add_whens(compile, &whens, node, from);
	for (from = from->parent; is_choice_or_case(from); from = from->parent)
		add_whens(compile, &whens, node, from);
	*count = whens.length;
	struct schema_xpath *xpaths = arena_alloc(compile->arena, whens.length * sizeof(*xpaths));
	if (whens.length > 0)
		memcpy(xpaths, whens.data, whens.length * sizeof(*xpaths));
	vector_fini(&whens);
	return xpaths;
}

static void fill_whens(struct compile *compile, struct schema_node *node, const struct lysc_node *from)
{
	if (node->kind != SCHEMA_OUTPUT)
		node->whens = collect_whens(compile, node, from, &node->when_count);
}

/* Of the choices that the node is in; each is met once for each of its nodes, and filled the first time. */
static void fill_choice_whens(struct compile *compile, const struct schema_node *node,
			      const struct lysc_node *from)
{
	for (from = from->parent; is_choice_or_case(from); from = from->parent) {
		if (from->nodetype != LYS_CHOICE)
			continue;
		struct schema_choice *choice = from->priv;
		if (choice->whens == NULL)
			choice->whens = collect_whens(compile, node, from, &choice->when_count);
	}
}

static void fill_uniques(struct compile *compile, struct schema_node *node, const struct lysc_node *from)
{
	struct lysc_node_leaf ***list = ((const struct lysc_node_list *)from)->uniques;
	node->unique_count = LY_ARRAY_COUNT(list);
	struct schema_unique *uniques = arena_zalloc(compile->arena, node->unique_count * sizeof(*uniques));
	for (size_t i = 0; i < node->unique_count; i++) {
		uniques[i].leaf_count = LY_ARRAY_COUNT(list[i]);
		uniques[i].leafs =
			arena_zalloc(compile->arena, uniques[i].leaf_count * sizeof(*uniques[i].leafs));
		for (size_t k = 0; k < uniques[i].leaf_count; k++)
			uniques[i].leafs[k] = compile_made_from(&list[i][k]->node);
	}
	node->uniques = uniques;
}

/* libyang has checked and canonicalised the default; it is read again to become one of our values. */
static enum status add_default(struct compile *compile, struct schema_node *node,
			       const struct lyd_value *from, struct value *value)
{
	struct schema *schema = &compile->schema->public;
	struct schema_prefixes_canonical prefixes = schema_prefixes_canonical(schema, node->module);
	struct bytes text = bytes_of(lyd_value_get_canonical(compile->schema->context, from));
	struct schema_type_error error;
	if (schema_type_parse(schema, node->type, text, &prefixes.base, compile->diags->arena, value,
			      &error) == ST_OK)
		return ST_OK;
	char path[256];
	schema_node_path(node, path, sizeof(path));
	diag_add(compile->diags, DIAG_APPLICATION, DIAG_OPERATION_FAILED, "Default of %s: %s", path,
		 error.message);
	return ST_REJECTED;
}

static enum status fill_defaults(struct compile *compile, struct schema_node *node,
				 const struct lysc_node *from)
{
	struct lyd_value *const *list;
	size_t count;
	if (from->nodetype == LYS_LEAF) {
		list = &((const struct lysc_node_leaf *)from)->dflt;
		count = *list == NULL ? 0 : 1;
	} else {
		list = ((const struct lysc_node_leaflist *)from)->dflts;
		count = LY_ARRAY_COUNT(list);
	}
	struct value *values = arena_zalloc(compile->arena, count * sizeof(*values));
	node->defaults = values;
	for (size_t i = 0; i < count; i++) {
		if (add_default(compile, node, list[i], &values[i]) != ST_OK)
			return ST_REJECTED;
		node->default_count++;
	}
	return ST_OK;
}

static bool is_due_when_parent_is(const struct schema_node *node)
{
	switch (node->kind) {
	case SCHEMA_LEAF:
	case SCHEMA_ANYDATA:
	case SCHEMA_ANYXML:
		return node->mandatory || node->default_count > 0;
	case SCHEMA_LEAF_LIST:
		return node->min_elements > 0 || node->default_count > 0;
	case SCHEMA_LIST:
		return node->min_elements > 0;
	case SCHEMA_CONTAINER:
		return !node->presence && (node->must_count > 0 || node->implicit_below);
	case SCHEMA_ROOT:
	case SCHEMA_RPC:
	case SCHEMA_ACTION:
	case SCHEMA_OUTPUT:
	case SCHEMA_NOTIFICATION:
		return false;
	}
	return false;
}

static void fill_implicit_below(struct schema_node *node)
{
	for (size_t i = 0; i < node->choice_count; i++)
		node->implicit_below |= node->choices[i]->mandatory;
	for (size_t i = 0; i < node->child_count && !node->implicit_below; i++)
		node->implicit_below = is_due_when_parent_is(node->children[i]);
}

static const struct lysc_node *lysc_of(const struct compile *compile, const struct schema_node *node)
{
	return *(const struct lysc_node **)vector_at(&compile->lysc_nodes, node->id);
}

static void fill_constraints(struct compile *compile, struct schema_node *node)
{
	const struct lysc_node *from = lysc_of(compile, node);
	fill_musts(compile, node, from);
	fill_whens(compile, node, from);
	fill_choice_whens(compile, node, from);
	if (node->kind == SCHEMA_LIST)
		fill_uniques(compile, node, from);
	/* Leafs and leaf-lists of libyang have their type at the same place. */
	if (node->kind == SCHEMA_LEAF || node->kind == SCHEMA_LEAF_LIST)
		node->type = compile_type(compile, ((const struct lysc_node_leaf *)from)->type, from);
}

enum status compile_constraints(struct compile *compile)
{
	struct schema_node **nodes = compile->nodes.data;
	for (size_t i = 1; i < compile->nodes.length; i++)
		fill_constraints(compile, nodes[i]);
	if (compile->failed)
		return ST_REJECTED;
	/* After all types, since a default that is an instance-identifier has values of other types in it. */
	for (size_t i = 1; i < compile->nodes.length; i++)
		if (nodes[i]->type != NULL &&
		    fill_defaults(compile, nodes[i], lysc_of(compile, nodes[i])) != ST_OK)
			return ST_REJECTED;
	/* Descendants have greater ids, so they come first here. */
	for (size_t i = compile->nodes.length; i-- > 0;)
		fill_implicit_below(nodes[i]);
	return ST_OK;
}
