/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Metadata annotations (RFC 7952): the md:annotation statements of implemented modules, with the types that
 * their values have. libyang keeps them as extension instances of the module.
 *
 * Not taken over: what libyang itself adds to the protocol's modules, so that attributes like nc:operation
 * pass through its parsers; and annotations whose type has a leafref inside, since an annotation is no node
 * that the path of one could begin at.
 */
#include "schema/compile.h"

/* Their attributes are the protocol's, which has its own rules for them. */
static bool is_protocol(const struct schema_module *module)
{
	static const char *const NAMES[] = {"yang", "ietf-netconf", "ietf-netconf-with-defaults"};
	for (size_t i = 0; i < sizeof(NAMES) / sizeof(NAMES[0]); i++) {
		if (strcmp(module->name, NAMES[i]) == 0)
			return true;
	}
	return false;
}

static bool is_annotation(const struct lysc_ext_instance *extension)
{
	return strcmp(extension->def->name, "annotation") == 0 &&
	       strcmp(extension->def->module->name, "ietf-yang-metadata") == 0;
}

static void add_annotations(struct compile *compile, const struct lys_module *from, struct vector *made)
{
	const struct schema_module *module = compile_module_of(compile, from);
	if (!module->implemented || from->compiled == NULL || is_protocol(module))
		return;
	const struct lysc_ext_instance *extensions = from->compiled->exts;
	for (size_t i = 0; i < LY_ARRAY_COUNT(extensions); i++) {
		const struct lysc_type *type =
			is_annotation(&extensions[i]) ? compat_annotation_type(&extensions[i]) : NULL;
		if (type == NULL || compile_holds_leafref(type))
			continue;
		struct schema_annotation *annotation = vector_push(made);
		annotation->name = extensions[i].argument;
		annotation->name_bytes = bytes_of(annotation->name);
		annotation->module = module;
		annotation->type = compile_type(compile, type, NULL);
		annotation->index = (uint32_t)(made->length - 1);
	}
}

void compile_annotations(struct compile *compile)
{
	struct schema__private *schema = compile->schema;
	struct vector made;
	vector_init(&made, sizeof(struct schema_annotation));
	uint32_t index = 0;
	const struct lys_module *module;
	while ((module = ly_ctx_get_module_iter(schema->context, &index)) != NULL)
		add_annotations(compile, module, &made);
	struct schema_annotation *all = arena_alloc(compile->arena, made.length * sizeof(*all));
	if (made.length > 0)
		memcpy(all, made.data, made.length * sizeof(*all));
	for (size_t i = 0; i < made.length; i++)
		schema__index_add(&schema->annotation_names, all[i].module->index, all[i].name_bytes,
				  &all[i]);
	schema->public.annotations = all;
	schema->public.annotation_count = made.length;
	vector_fini(&made);
}
