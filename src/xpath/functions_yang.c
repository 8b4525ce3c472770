/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * YANG's functions (RFC 7950 section 10).
 *
 * deref() of a leafref evaluates the leafref's own path with the leaf as context node and takes the nodes of
 * equal text (a lookup where the path ends with a key); the paths of all leafrefs that can occur are compiled
 * with the expression. deref() of an instance-identifier evaluates its canonical text, which is an XPath
 * expression whose prefixes are module names. A union is tried member by member.
 *
 * Identities named by literals were resolved at compile time by the prefixes of the expression's module; in
 * computed strings a prefix is a module's name, as in the values of the tree.
 */
#include <math.h>

#include "schema/type.h"
#include "xpath/compile.h"
#include "xpath/functions.h"
#include "xpath/regex.h"
#include "xpath/walk.h"

#define COMPILE_STEPS 1000 /* what compiling something while evaluating is worth, in time and memory */
/* Backtracking points of a match */
#define MATCH_FIRST 1000
#define MATCH_GROWTH 32
#define MATCH_MOST (MATCH_FIRST * MATCH_GROWTH * MATCH_GROWTH)

enum status xpath__current(struct xpath_eval *eval, const struct xpath_node *call,
			   const struct xpath_context *context, struct xpath_value *value)
{
	(void)call, (void)context;
	struct xpath_nodes nodes = {0};
	enum status status = xpath__nodes_add(eval, &nodes, eval->current);
	value->nodes = nodes.items;
	value->length = nodes.length;
	return status;
}

/* ---- deref ---- */

static const struct schema_module *module_by_name(void *schema, struct bytes prefix)
{
	return prefix.size == 0 ? NULL : schema_module_find(schema, prefix);
}

struct selection {
	struct xpath_nodes nodes;
	struct bytes text;
};

static enum status equal_sink(struct xpath_walk *walk, const struct tree_position *node)
{
	struct selection *selection = walk->arg;
	struct bytes text;
	enum status status = xpath__passing_text(walk->eval, node, &text);
	if (status != ST_OK || !bytes_equal(text, selection->text))
		return status;
	return xpath__nodes_add(walk->eval, &selection->nodes, node);
}

/* The nodes that a leafref's path selects from the leaf and that have its text. */
static enum status deref_path(struct xpath_eval *eval, const struct xpath_expr *path,
			      const struct tree_position *leaf, struct xpath_nodes *nodes)
{
	struct xpath_eval inner = *eval;
	inner.current = leaf;
	inner.module = path->module;
	struct selection selection = {.text = value_bytes(&leaf->value)};
	struct xpath_walk walk = {.eval = &inner,
				  .sink = equal_sink,
				  .arg = &selection,
				  .persistent = true,
				  .wanted = &selection.text};
	struct xpath_context context = {leaf, 1, 1};
	enum status status = xpath__walk(&walk, path->root, &context, DOCUMENT_ORDER);
	*nodes = selection.nodes;
	return status;
}

static enum status deref_leafref(struct xpath_eval *eval, const struct xpath_node *call,
				 const struct schema_type *type, const struct tree_position *leaf,
				 struct xpath_nodes *nodes)
{
	for (const struct xpath_deref *d = call->call.derefs; d != NULL; d = d->next) {
		if (d->leaf == leaf->schema && d->type == type)
			return deref_path(eval, d->path, leaf, nodes);
	}
	if (call->call.derefs_complete)
		return ST_OK;
	struct xpath_deref *deref;
	enum status status = xpath__charge(eval, COMPILE_STEPS);
	if (status != ST_OK || !xpath__deref_compile(eval->schema, leaf->schema, type, eval->arena, &deref))
		return status;
	return deref_path(eval, deref->path, leaf, nodes);
}

static enum status deref_instance(struct xpath_eval *eval, const struct tree_position *leaf,
				  struct xpath_nodes *nodes)
{
	struct bytes text = value_bytes(&leaf->value);
	struct xpath_scope scope = {.schema = eval->schema,
				    .context = eval->schema->root,
				    .resolve = module_by_name,
				    .arg = (void *)(uintptr_t)eval->schema};
	struct xpath_error error;
	const struct xpath_expr *expr;
	enum status status = xpath__charge(eval, COMPILE_STEPS + text.size);
	if (status != ST_OK || text.size == 0 || text.data[0] != '/' ||
	    xpath__compile_plain(&scope, text, eval->arena, &error, &expr) != ST_OK ||
	    expr->root->type != XPATH_NODE_SET)
		return status;
	struct xpath_context context = {eval->root, 1, 1};
	return xpath__nodes(eval, expr->root, &context, nodes);
}

static enum status deref_type(struct xpath_eval *eval, const struct xpath_node *call,
			      const struct schema_type *type, const struct tree_position *leaf,
			      struct xpath_nodes *nodes)
{
	switch (schema_type_base(type)) {
	case BASE_LEAFREF:
		return deref_leafref(eval, call, type, leaf, nodes);
	case BASE_INSTANCE_IDENTIFIER:
		return deref_instance(eval, leaf, nodes);
	default: /* refers to nothing */
		return ST_OK;
	}
}

enum status xpath__deref(struct xpath_eval *eval, const struct xpath_node *call,
			 const struct xpath_context *context, struct xpath_value *value)
{
	const struct tree_position *leaf;
	struct xpath_nodes nodes = {0};
	enum status status = xpath__first(eval, call->operands, context, &leaf);
	if (status == ST_OK && leaf != NULL && leaf->schema->type != NULL && !xpath__is_text(leaf)) {
		const struct schema_type *type = leaf->schema->type;
		status = deref_type(eval, call, type, leaf, &nodes);
		size_t members = schema_type_member_count(type);
		for (size_t i = 0; status == ST_OK && nodes.length == 0 && i < members; i++)
			status = deref_type(eval, call, schema_type_member(type, i), leaf, &nodes);
	}
	value->nodes = nodes.items;
	value->length = nodes.length;
	return status;
}

/* ---- identities ---- */

enum derivation { STRICTLY, OR_SELF };

struct identity_search {
	struct bytes base;
	bool or_self, found;
};

static bool may_be_identity(const struct schema_node *schema)
{
	if (schema->type == NULL)
		return false;
	enum schema_base base = schema_type_base(schema_type_real(schema->type));
	return base == BASE_IDENTITYREF || base == BASE_UNION;
}

/* A name with a module's before it; one without is of the module given: a computed name of the expression's
 * own, a value, which a union may have without, of the leaf's. */
static struct bytes module_name(struct xpath_eval *eval, const struct schema_module *module,
				struct bytes name)
{
	if (module == NULL || name.size == 0 || memchr(name.data, ':', name.size) != NULL)
		return name;
	return bytes_of(arena_printf(eval->arena, "%s:%.*s", module->name, (int)name.size, name.data));
}

static enum status identity_sink(struct xpath_walk *walk, const struct tree_position *node)
{
	struct identity_search *search = walk->arg;
	if (!may_be_identity(node->schema))
		return ST_OK;
	struct bytes name = module_name(walk->eval, node->schema->module, value_bytes(&node->value));
	search->found = schema_identity_derived(walk->eval->schema, name, search->base, search->or_self);
	walk->stop = search->found;
	return ST_OK;
}

static enum status derived(struct xpath_eval *eval, const struct xpath_node *call,
			   const struct xpath_context *context, enum derivation derivation,
			   struct xpath_value *value)
{
	struct identity_search search = {.base = call->call.canonical, .or_self = derivation == OR_SELF};
	value->boolean = false;
	if (search.base.data == NULL) {
		struct bytes name;
		enum status status = xpath__string_of(eval, call->operands->next, context, &name);
		if (status == ST_OK)
			status = xpath__charge_bytes(eval, name.size);
		if (status != ST_OK || name.size == 0)
			return status;
		search.base = module_name(eval, eval->module, name);
	}
	struct xpath_walk walk = {.eval = eval, .sink = identity_sink, .arg = &search};
	enum status status = xpath__walk(&walk, call->operands, context, ANY_ORDER);
	value->boolean = search.found;
	return status;
}

enum status xpath__derived_from(struct xpath_eval *eval, const struct xpath_node *call,
				const struct xpath_context *context, struct xpath_value *value)
{
	return derived(eval, call, context, STRICTLY, value);
}

enum status xpath__derived_from_or_self(struct xpath_eval *eval, const struct xpath_node *call,
					const struct xpath_context *context, struct xpath_value *value)
{
	return derived(eval, call, context, OR_SELF, value);
}

/* ---- enumerations, bits, patterns ---- */

/* The type of that base among a leaf's type and its union members; NULL: none. */
static const struct schema_type *type_of_base(const struct schema_type *type, enum schema_base base)
{
	type = schema_type_real(type);
	if (schema_type_base(type) == base)
		return type;
	for (size_t i = 0; i < schema_type_member_count(type); i++) {
		const struct schema_type *member = schema_type_real(schema_type_member(type, i));
		if (schema_type_base(member) == base)
			return member;
	}
	return NULL;
}

enum status xpath__enum_value(struct xpath_eval *eval, const struct xpath_node *call,
			      const struct xpath_context *context, struct xpath_value *value)
{
	const struct tree_position *leaf;
	enum status status = xpath__first(eval, call->operands, context, &leaf);
	value->number = NAN;
	if (status != ST_OK || leaf == NULL || leaf->schema->type == NULL)
		return status;
	const struct schema_type *type = type_of_base(leaf->schema->type, BASE_ENUMERATION);
	int32_t number;
	if (type != NULL && schema_enum_number(type, leaf->value, &number))
		value->number = number;
	return ST_OK;
}

/* Whether the blank-separated `list` holds `word`. */
static bool holds_word(struct bytes list, struct bytes word)
{
	while (list.size > 0) {
		const char *blank = memchr(list.data, ' ', list.size);
		size_t size = blank == NULL ? list.size : (size_t)(blank - list.data);
		if (bytes_equal((struct bytes){list.data, size}, word))
			return true;
		size_t skipped = blank == NULL ? size : size + 1;
		list = (struct bytes){list.data + skipped, list.size - skipped};
	}
	return false;
}

enum status xpath__bit_is_set(struct xpath_eval *eval, const struct xpath_node *call,
			      const struct xpath_context *context, struct xpath_value *value)
{
	const struct tree_position *leaf;
	struct bytes bit;
	value->boolean = false;
	enum status status = xpath__first(eval, call->operands, context, &leaf);
	if (status == ST_OK)
		status = xpath__string_of(eval, call->operands->next, context, &bit);
	if (status != ST_OK || leaf == NULL || leaf->schema->type == NULL)
		return status;
	if (type_of_base(leaf->schema->type, BASE_BITS) != NULL)
		value->boolean = holds_word(value_bytes(&leaf->value), bit);
	return ST_OK;
}

/* First with little backtracking, which nearly always does; then with more, which costs more steps. */
static enum status match_charged(struct xpath_eval *eval, const struct xpath_regex *regex, struct bytes text,
				 bool *matches)
{
	enum status status = ST_LIMIT;
	for (uint32_t most = MATCH_FIRST; status == ST_LIMIT && most <= MATCH_MOST; most *= MATCH_GROWTH) {
		status = xpath__charge(eval, 10 + text.size / 32 + most / 100);
		if (status != ST_OK)
			return status;
		status = xpath__regex_match(regex, text, most, matches);
	}
	return status;
}

enum status xpath__re_match(struct xpath_eval *eval, const struct xpath_node *call,
			    const struct xpath_context *context, struct xpath_value *value)
{
	const struct xpath_regex *regex = call->call.regex;
	struct bytes text, pattern;
	value->boolean = false;
	enum status status = xpath__string_of(eval, call->operands, context, &text);
	if (status == ST_OK && regex == NULL) {
		const char *message;
		status = xpath__string_of(eval, call->operands->next, context, &pattern);
		if (status == ST_OK)
			status = xpath__charge(eval, COMPILE_STEPS + pattern.size);
		/* A computed pattern that is none matches nothing. */
		if (status == ST_OK && xpath__regex_compile(pattern, eval->arena, &regex, &message) != ST_OK)
			return ST_OK;
	}
	return status != ST_OK ? status : match_charged(eval, regex, text, &value->boolean);
}
