/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Compiling: text -> AST (parser.c) -> names and flags (resolve.c) -> a run over the schema (trace.c), which
 * annotates the AST and lists what it reads. The result is immutable and lives in the caller's arena.
 */
#include "xpath/compile.h"

#include "schema/type.h"
#include "xpath/parser.h"

static void trace(const struct xpath_scope *scope, struct arena *arena, struct xpath_node *root,
		  struct xpath_read_list *reads)
{
	uint32_t serials = 1;
	struct xpath_tracer tracer = {.scope = scope,
				      .arena = arena,
				      .reads = reads,
				      .annotate = true,
				      .work = XPATH_TRACE_WORK,
				      .serial = 1,
				      .serials = &serials};
	struct xpath_trace reader = {.node = scope->context, .ancestor = scope->context, .single = true};
	if (scope->context != NULL)
		xpath__traces_add(&tracer, &tracer.current, &reader);
	else
		tracer.current.unknown = true;
	struct xpath_traces context = tracer.current;
	xpath__trace(&tracer, root, &context, USE_EXISTENCE, NULL, NULL);
}

/* Plain: without deref() and without reads, for the paths that deref() itself follows. */
enum mode { FULL, PLAIN };

static enum status compile(const struct xpath_scope *scope, struct bytes text, struct arena *arena,
			   struct xpath_error *error, enum mode mode, const struct xpath_expr **expr)
{
	struct xpath_node *root;
	char *copy = arena_strdup(arena, text);
	struct xpath_error ignored;
	error = error != NULL ? error : &ignored;
	enum status status = xpath__parse((struct bytes){copy, text.size}, arena, error, &root);
	if (status == ST_OK)
		status = xpath__resolve(scope, arena, error, mode == PLAIN, root);
	if (status != ST_OK)
		return status;
	struct xpath_read_list reads = {.arena = arena, .schema = scope->schema, .context = scope->context};
	trace(scope, arena, root, mode == PLAIN ? NULL : &reads);
	struct xpath_expr *made = arena_alloc(arena, sizeof(*made));
	*made = (struct xpath_expr){.root = root, .schema = scope->schema, .reads = reads.first};
	if (scope->identities != NULL)
		made->module = scope->identities;
	else if (scope->resolve != NULL)
		made->module = scope->resolve(scope->arg, (struct bytes){0});
	*expr = made;
	return ST_OK;
}

enum status xpath__compile_plain(const struct xpath_scope *scope, struct bytes text, struct arena *arena,
				 struct xpath_error *error, const struct xpath_expr **expr)
{
	return compile(scope, text, arena, error, PLAIN, expr);
}

struct path_scope {
	const struct schema *schema;
	const struct schema_xpath *path;
};

static const struct schema_module *path_prefix(void *arg, struct bytes prefix)
{
	const struct path_scope *scope = arg;
	return schema_xpath_prefix(scope->schema, scope->path, prefix);
}

/* The operation or notification that the node is in; NULL: it is data. */
static const struct schema_node *operation_of(const struct schema_node *node)
{
	while (node != NULL && node->kind != SCHEMA_RPC && node->kind != SCHEMA_ACTION &&
	       node->kind != SCHEMA_OUTPUT && node->kind != SCHEMA_NOTIFICATION)
		node = node->parent;
	return node;
}

bool xpath__deref_compile(const struct schema *schema, const struct schema_node *leaf,
			  const struct schema_type *type, struct arena *arena, struct xpath_deref **deref)
{
	const struct schema_xpath *path = schema_type_leafref_path(type);
	if (path == NULL)
		return false;
	struct path_scope arg = {schema, path};
	struct xpath_scope scope = {.schema = schema,
				    .context = leaf,
				    .resolve = path_prefix,
				    .arg = &arg,
				    .operation = operation_of(leaf),
				    .identities = schema_xpath_module(path)};
	const struct xpath_expr *expr;
	if (xpath__compile_plain(&scope, bytes_of(path->expression), arena, NULL, &expr) != ST_OK ||
	    expr->root->type != XPATH_NODE_SET)
		return false;
	struct xpath_deref *made = arena_zalloc(arena, sizeof(*made));
	*made = (struct xpath_deref){.type = type, .leaf = leaf, .path = expr};
	*deref = made;
	return true;
}

enum status xpath_compile(const struct xpath_scope *scope, struct bytes text, struct arena *arena,
			  struct xpath_error *error, const struct xpath_expr **expr)
{
	return compile(scope, text, arena, error, FULL, expr);
}
