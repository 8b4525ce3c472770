/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Identities. libyang lists with each identity those derived from it; a value is asked the other way round:
 * is it derived from the bases of its type? So each identity gets the sorted list of all its ancestors.
 *
 * Identities of modules that are only imported are known, since they may be bases, but are no valid values
 * (RFC 7950 5.6.5, 9.10.2).
 */
#include "schema/compile.h"

static uint32_t index_of(const struct compile *compile, const struct lysc_ident *identity)
{
	const void *key[] = {identity};
	return (uint32_t)((uintptr_t)hash_table_find(compile->identity_of, compile_address_key(key, 1)) - 1);
}

/* Calls for each direct or indirect descendant once; `seen` holds the index of the last base that reached it.
 */
static void visit_derived(struct compile *compile, const struct lysc_ident *identity, uint32_t base,
			  struct vector *ancestors, uint32_t *seen)
{
	for (size_t i = 0; i < LY_ARRAY_COUNT(identity->derived); i++) {
		uint32_t derived = index_of(compile, identity->derived[i]);
		if (seen[derived] == base + 1)
			continue;
		seen[derived] = base + 1;
		*(uint32_t *)vector_push(&ancestors[derived]) = base;
		visit_derived(compile, identity->derived[i], base, ancestors, seen);
	}
}

static void fill_ancestors(struct compile *compile, const struct vector *from)
{
	struct schema__private *schema = compile->schema;
	size_t count = schema->identity_count;
	struct vector *ancestors = arena_alloc(compile->arena, count * sizeof(*ancestors));
	uint32_t *seen = arena_zalloc(compile->arena, count * sizeof(*seen));
	for (size_t i = 0; i < count; i++)
		vector_init(&ancestors[i], sizeof(uint32_t));
	/* Bases in ascending order, so that each list is sorted. */
	for (uint32_t base = 0; base < count; base++)
		visit_derived(compile, *(const struct lysc_ident **)vector_at(from, base), base, ancestors,
			      seen);
	for (size_t i = 0; i < count; i++) {
		struct schema__identity *identity = &schema->identities[i];
		identity->ancestor_count = ancestors[i].length;
		identity->ancestors = arena_alloc(compile->arena, ancestors[i].length * sizeof(uint32_t));
		if (ancestors[i].length > 0)
			memcpy(identity->ancestors, ancestors[i].data,
			       ancestors[i].length * sizeof(uint32_t));
		vector_fini(&ancestors[i]);
	}
}

static void fill_identity(struct compile *compile, struct schema__identity *identity,
			  const struct lysc_ident *from)
{
	struct schema__private *schema = compile->schema;
	identity->module = compile_module_of(compile, from->module);
	identity->name = bytes_of(from->name);
	identity->valid = from->module->implemented && lys_identity_iffeature_value(from) == LY_SUCCESS;
	char *text = arena_printf(compile->arena, "%s:%s", identity->module->name, from->name);
	identity->text = text_new_immortal(bytes_of(text), TEXT_QNAME);
	*(struct text **)vector_push(&schema->texts) = identity->text;
	schema__index_add(&schema->identity_names, identity->module->index, identity->name, identity);
}

void compile_identities(struct compile *compile)
{
	struct schema__private *schema = compile->schema;
	struct vector from;
	vector_init(&from, sizeof(const struct lysc_ident *));
	uint32_t index = 0;
	const struct lys_module *module;
	while ((module = ly_ctx_get_module_iter(schema->context, &index)) != NULL)
		for (size_t i = 0; i < LY_ARRAY_COUNT(module->identities); i++) {
			*(const struct lysc_ident **)vector_push(&from) = &module->identities[i];
			const void *key[] = {&module->identities[i]};
			hash_table_put(compile->identity_of, compile_address_key(key, 1),
				       (void *)(uintptr_t)from.length);
		}
	schema->identity_count = from.length;
	schema->identities = arena_zalloc(compile->arena, from.length * sizeof(*schema->identities));
	for (size_t i = 0; i < from.length; i++)
		fill_identity(compile, &schema->identities[i],
			      *(const struct lysc_ident **)vector_at(&from, i));
	fill_ancestors(compile, &from);
	vector_fini(&from);
}
