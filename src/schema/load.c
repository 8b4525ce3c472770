/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Loading a schema: a libyang context is made, all requested modules (and what they import) are read into it,
 * it is compiled once, and compile.c turns it into the arrays that everything above reads. The context stays
 * alive inside the schema, since its type plugins judge values.
 *
 * libyang's messages go nowhere on their own: they are collected per context and become diagnostics here.
 *
 *     requested modules -> source.c (search path) -> ly_ctx -> ly_ctx_compile -> compile.c -> struct schema
 */
#include "schema/load.h"

#include "base/memory.h"
#include "schema/internal.h"

static bool in_context(const struct ly_ctx *context, const char *wanted)
{
	const char *at = strchr(wanted, '@');
	size_t size = at != NULL ? (size_t)(at - wanted) : strlen(wanted);
	uint32_t index = 0;
	const struct lys_module *module;
	while ((module = ly_ctx_get_module_iter(context, &index)) != NULL)
		if (strlen(module->name) == size && memcmp(module->name, wanted, size) == 0 && at == NULL)
			return true;
	return false;
}

static const char *folder_names(const struct schema__sources *sources, struct arena *arena)
{
	const struct schema_source *request = sources->request;
	const char *names = "(none)";
	for (size_t i = 0; i < request->search_dir_count; i++)
		names = i == 0 ? request->search_dirs[0]
			       : arena_printf(arena, "%s, %s", names, request->search_dirs[i]);
	return names;
}

/* libyang also asks for newer revisions of what it has; only what it lacks is named. */
static void report_missing(const struct schema__private *schema, const struct schema__sources *sources,
			   struct diag_list *diags)
{
	for (size_t i = 0; i < sources->missing.length; i++) {
		const char *wanted = *(const char **)vector_at(&sources->missing, i);
		if (!in_context(schema->context, wanted))
			diag_add(diags, DIAG_APPLICATION, DIAG_OPERATION_FAILED,
				 "Module or submodule \"%s\" is in none of the folders searched: %s.", wanted,
				 folder_names(sources, diags->arena));
	}
}

/* What the message alone would not tell its reader. */
static const char *hint_for(const char *message)
{
	bool is_floor = strstr(message, " condition \"") != NULL && strstr(message, "floor(") != NULL;
	return is_floor ? " libyang does not take floor(x) in a module; -ceiling(-x) is the same." : "";
}

static void report_errors(const struct schema__private *schema, const struct schema__sources *sources,
			  const char *doing, struct diag_list *diags)
{
	report_missing(schema, sources, diags);
	const char *file = NULL;
	if (sources->files.length > 0)
		file = ((const struct schema__source *)vector_at(&sources->files, sources->files.length - 1))
			       ->path;
	for (const struct ly_err_item *item = ly_err_first(schema->context); item != NULL;
	     item = item->next) {
		char line[32];
		const char *place = compat_error_place(item, line, sizeof(line));
		bool in_file = file != NULL && place != NULL && strncmp(place, "Line", 4) == 0;
		if (item->level == LY_LLERR)
			diag_add(diags, DIAG_APPLICATION, DIAG_OPERATION_FAILED, "%s: %s%s%s%s%s%s%s", doing,
				 item->msg, place != NULL ? " (" : "", in_file ? file : "",
				 in_file ? ": " : "", place != NULL ? place : "", place != NULL ? ")" : "",
				 hint_for(item->msg));
	}
	if (diags->length == 0)
		diag_add(diags, DIAG_APPLICATION, DIAG_OPERATION_FAILED, "%s failed.", doing);
	ly_err_clean(schema->context, NULL);
}

/* Reads one requested module into the context, with its features. */
static enum status read_module(struct schema__private *schema, const struct schema__sources *sources,
			       const struct schema_module_request *request, struct diag_list *diags)
{
	const char **features = memory_zalloc((request->feature_count + 1) * sizeof(*features));
	for (size_t i = 0; i < request->feature_count; i++)
		features[i] = request->features[i];
	const struct lys_module *module =
		ly_ctx_load_module(schema->context, request->name, request->revision, features);
	memory_free(features);
	if (module != NULL)
		return ST_OK;
	report_errors(schema, sources, arena_printf(diags->arena, "Loading module \"%s\"", request->name),
		      diags);
	return ST_REJECTED;
}

static enum status read_modules(struct schema__private *schema, struct schema__sources *sources,
				struct diag_list *diags)
{
	const struct schema_source *source = sources->request;
	/* Errors are kept, nothing is printed. Values are judged with logging off (type_plugin.c). */
	ly_log_options(LY_LOSTORE);
	ly_log_level(LY_LLERR);
	if (ly_ctx_new(NULL, compat_context_options(source->implement_imports), &schema->context) !=
	    LY_SUCCESS) {
		diag_add(diags, DIAG_APPLICATION, DIAG_OPERATION_FAILED, "libyang makes no context.");
		return ST_IO;
	}
	sources->context = schema->context;
	for (size_t i = 0; i < source->search_dir_count; i++)
		ly_ctx_set_searchdir(schema->context, source->search_dirs[i]);
	ly_ctx_set_module_imp_clb(schema->context, schema__source_import, sources);
	for (size_t i = 0; i < source->module_count; i++) {
		enum status status = read_module(schema, sources, &source->modules[i], diags);
		if (status != ST_OK)
			return status;
	}
	if (ly_ctx_compile(schema->context) != LY_SUCCESS) {
		report_errors(schema, sources, "Compiling the schema", diags);
		return ST_REJECTED;
	}
	ly_err_clean(schema->context, NULL);
	return ST_OK;
}

void schema__free(struct schema__private *schema)
{
	schema__index_fini(&schema->children);
	schema__index_fini(&schema->operations);
	schema__index_fini(&schema->notifications);
	schema__index_fini(&schema->module_names);
	schema__index_fini(&schema->module_namespaces);
	schema__index_fini(&schema->identity_names);
	schema__index_fini(&schema->annotation_names);
	for (size_t i = 0; i < schema->public.node_count; i++) {
		const struct schema_node *node = schema->public.nodes[i];
		for (size_t d = 0; d < node->default_count; d++)
			value_unref(node->defaults[d]);
	}
	/* After the defaults, of which some are such texts. */
	for (size_t i = 0; i < schema->texts.length; i++)
		text_free_immortal(*(struct text **)vector_at(&schema->texts, i));
	vector_fini(&schema->texts);
	ly_ctx_destroy(schema->context);
	arena_free(schema->arena);
	memory_free(schema);
}

enum status schema_load(const struct schema_source *source, struct diag_list *diags, struct schema **schema)
{
	struct schema__private *loading = memory_zalloc(sizeof(*loading));
	atomic_init(&loading->refs, 1);
	loading->arena = arena_new();
	vector_init(&loading->texts, sizeof(struct text *));
	struct schema__sources sources = {.request = source, .arena = loading->arena};
	vector_init(&sources.files, sizeof(struct schema__source));
	vector_init(&sources.missing, sizeof(const char *));

	enum status status = read_modules(loading, &sources, diags);
	if (status == ST_OK)
		status = schema__compile(loading, &sources, diags);
	if (loading->context != NULL) {
		ly_ctx_set_module_imp_clb(loading->context, NULL, NULL);
		ly_ctx_unset_searchdir(loading->context, NULL);
	}
	vector_fini(&sources.files);
	vector_fini(&sources.missing);
	if (status != ST_OK) {
		schema__free(loading);
		return status;
	}
	*schema = &loading->public;
	return ST_OK;
}

const char *schema_module_text(const struct schema *schema, const struct schema_module *module, size_t *size)
{
	(void)schema;
	if (module->source.data == NULL)
		return NULL;
	*size = module->source.size;
	return module->source.data;
}
