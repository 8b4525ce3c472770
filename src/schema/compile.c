/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From a compiled libyang context to the arrays of schema.h: modules first, then identities, then the trees
 * of nodes, then all that refers to them. Each node of libyang remembers in its `priv` what was made from it,
 * so that a reference is one load. All memory is the schema's arena; nothing here runs after loading.
 */
#include "schema/compile.h"

#include <stdlib.h>

const struct schema_module *compile_module_of(const struct compile *compile, const struct lys_module *module)
{
	const void *key[] = {module};
	return hash_table_find(compile->module_of, compile_address_key(key, 1));
}

static void fill_features(struct compile *compile, const struct lys_module *from,
			  struct schema_module *module)
{
	struct vector names;
	vector_init(&names, sizeof(const char *));
	uint32_t index = 0;
	const struct lysp_feature *feature = NULL;
	while ((feature = lysp_feature_next(feature, from->parsed, &index)) != NULL)
		if (lys_feature_value(from, feature->name) == LY_SUCCESS)
			*(const char **)vector_push(&names) = feature->name;
	module->feature_count = names.length;
	module->features = arena_alloc(compile->arena, names.length * sizeof(const char *));
	if (names.length > 0)
		memcpy(module->features, names.data, names.length * sizeof(const char *));
	vector_fini(&names);
}

static void fill_submodules(struct compile *compile, const struct schema__sources *sources,
			    const struct lys_module *from, struct schema_module *module)
{
	const struct lysp_include *includes = from->parsed->includes;
	module->submodule_count = LY_ARRAY_COUNT(includes);
	struct schema_submodule *submodules =
		arena_zalloc(compile->arena, module->submodule_count * sizeof(*submodules));
	for (size_t i = 0; i < module->submodule_count; i++) {
		const struct lysp_submodule *submodule = includes[i].submodule;
		submodules[i].name = includes[i].name;
		submodules[i].revision = LY_ARRAY_COUNT(submodule->revs) > 0 ? submodule->revs[0].date : NULL;
		const struct schema__source *file =
			schema__source_find(sources, includes[i].name, submodules[i].revision);
		if (file != NULL) {
			submodules[i].filepath = file->path;
			submodules[i].source = file->text;
		}
	}
	module->submodules = submodules;
}

/* libyang implements some of its built-in modules by itself; they count as implemented only where asked for.
 */
static bool is_implemented(const struct schema__sources *sources, const struct lys_module *from,
			   bool from_file)
{
	if (!from->implemented || from_file)
		return from->implemented;
	for (size_t i = 0; i < sources->request->module_count; i++)
		if (strcmp(sources->request->modules[i].name, from->name) == 0)
			return true;
	return false;
}

/* Modules that are built into libyang have no file; they are printed, since get-schema serves all. */
static struct bytes print_module(struct compile *compile, const struct lys_module *module)
{
	char *text = NULL;
	if (lys_print_mem(&text, module, LYS_OUT_YANG, 0) != LY_SUCCESS || text == NULL)
		return (struct bytes){NULL, 0};
	struct bytes source = {NULL, strlen(text)};
	source.data = arena_strdup(compile->arena, (struct bytes){text, source.size});
	free(text);
	return source;
}

static void fill_module(struct compile *compile, const struct schema__sources *sources,
			const struct lys_module *from, struct schema_module *module)
{
	const struct schema__source *file = schema__source_find(sources, from->name, from->revision);
	module->name = from->name;
	module->revision = from->revision;
	module->ns = from->ns;
	module->prefix = from->prefix;
	module->filepath = file != NULL ? file->path : NULL;
	module->source = file != NULL ? file->text : print_module(compile, from);
	module->implemented = is_implemented(sources, from, file != NULL);
	module->yang_1_1 = compat_is_yang_1_1(from);
	fill_features(compile, from, module);
	fill_submodules(compile, sources, from, module);
}

/* Needs: all modules are known. */
static void fill_deviations(struct compile *compile, const struct lys_module *from,
			    struct schema_module *module)
{
	size_t count = LY_ARRAY_COUNT(from->deviated_by);
	module->deviated_by = arena_alloc(compile->arena, count * sizeof(*module->deviated_by));
	for (size_t i = 0; i < count; i++)
		module->deviated_by[i] = compile_module_of(compile, from->deviated_by[i]);
	module->deviated_by_count = count;
}

static void add_imports(struct compile *compile, const struct lysp_import *imports,
			struct schema_module *module)
{
	for (size_t i = 0; i < LY_ARRAY_COUNT(imports); i++)
		module->imports[module->import_count++] = compile_module_of(compile, imports[i].module);
}

/* Needs: all modules are known. */
static void fill_imports(struct compile *compile, const struct lys_module *from, struct schema_module *module)
{
	const struct lysp_module *parsed = from->parsed;
	size_t count = LY_ARRAY_COUNT(parsed->imports);
	for (size_t i = 0; i < LY_ARRAY_COUNT(parsed->includes); i++)
		count += LY_ARRAY_COUNT(parsed->includes[i].submodule->imports);
	module->imports = arena_alloc(compile->arena, count * sizeof(*module->imports));
	add_imports(compile, parsed->imports, module);
	for (size_t i = 0; i < LY_ARRAY_COUNT(parsed->includes); i++)
		add_imports(compile, parsed->includes[i].submodule->imports, module);
}

/* Implemented modules are found first by name, then those of the latest revision. */
static void index_modules(struct compile *compile, bool implemented)
{
	struct schema *schema = &compile->schema->public;
	for (size_t i = schema->module_count; i-- > 0;) {
		const struct schema_module *module = &schema->modules[i];
		if (module->implemented != implemented)
			continue;
		schema__index_add(&compile->schema->module_names, 0, bytes_of(module->name), module);
		schema__index_add(&compile->schema->module_namespaces, 0, bytes_of(module->ns), module);
	}
}

static void compile_modules(struct compile *compile, const struct schema__sources *sources)
{
	struct schema *schema = &compile->schema->public;
	const struct ly_ctx *context = compile->schema->context;
	uint32_t index = 0;
	while (ly_ctx_get_module_iter(context, &index) != NULL)
		schema->module_count++;
	compile->modules = arena_zalloc(compile->arena, schema->module_count * sizeof(*compile->modules));
	schema->modules = compile->modules;
	index = 0;
	for (size_t i = 0; i < schema->module_count; i++) {
		const struct lys_module *from = ly_ctx_get_module_iter(context, &index);
		fill_module(compile, sources, from, &compile->modules[i]);
		compile->modules[i].index = (uint32_t)i;
		compile->modules[i].schema = &compile->schema->public;
		const void *key[] = {from};
		hash_table_put(compile->module_of, compile_address_key(key, 1), &compile->modules[i]);
	}
	index = 0;
	for (size_t i = 0; i < schema->module_count; i++) {
		const struct lys_module *from = ly_ctx_get_module_iter(context, &index);
		fill_deviations(compile, from, &compile->modules[i]);
		fill_imports(compile, from, &compile->modules[i]);
	}
	index_modules(compile, true);
	index_modules(compile, false);
}

static void publish_nodes(struct compile *compile)
{
	struct schema *schema = &compile->schema->public;
	schema->node_count = compile->nodes.length;
	const struct schema_node **nodes = arena_alloc(compile->arena, schema->node_count * sizeof(*nodes));
	memcpy(nodes, compile->nodes.data, schema->node_count * sizeof(*nodes));
	schema->nodes = nodes;
	schema->root = nodes[0];
}

enum status schema__compile(struct schema__private *schema, const struct schema__sources *sources,
			    struct diag_list *diags)
{
	struct compile compile = {
		.schema = schema,
		.arena = schema->arena,
		.diags = diags,
		.module_of = hash_table_new(),
		.identity_of = hash_table_new(),
		.type_of = hash_table_new(),
	};
	vector_init(&compile.nodes, sizeof(struct schema_node *));
	vector_init(&compile.lysc_nodes, sizeof(const struct lysc_node *));
	compile_modules(&compile, sources);
	compile_identities(&compile);
	enum status status = compile_tree(&compile);
	if (status == ST_OK) {
		publish_nodes(&compile);
		compile_tags(&compile);
		status = compile_constraints(&compile);
	}
	if (status == ST_OK)
		compile_annotations(&compile);
	hash_table_free(compile.module_of);
	hash_table_free(compile.identity_of);
	hash_table_free(compile.type_of);
	vector_fini(&compile.nodes);
	vector_fini(&compile.lysc_nodes);
	return status;
}
