/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Types. libyang shares a compiled type among the leafs that use it, and so do we, unless the type has a
 * leafref inside: where its path leads, and what names without prefix in it mean, depends on the leaf.
 *
 * Restrictions (ranges, lengths, patterns) stay in libyang's structs, which are plain arrays.
 */
#include <stdlib.h>

#include "base/assert.h"
#include "schema/compile.h"
#include "schema/type_parse.h"

static enum schema_base base_of(LY_DATA_TYPE type)
{
	switch (type) {
	case LY_TYPE_BINARY:
		return BASE_BINARY;
	case LY_TYPE_UINT8:
		return BASE_UINT8;
	case LY_TYPE_UINT16:
		return BASE_UINT16;
	case LY_TYPE_UINT32:
		return BASE_UINT32;
	case LY_TYPE_UINT64:
		return BASE_UINT64;
	case LY_TYPE_STRING:
		return BASE_STRING;
	case LY_TYPE_BITS:
		return BASE_BITS;
	case LY_TYPE_BOOL:
		return BASE_BOOLEAN;
	case LY_TYPE_DEC64:
		return BASE_DECIMAL64;
	case LY_TYPE_EMPTY:
		return BASE_EMPTY;
	case LY_TYPE_ENUM:
		return BASE_ENUMERATION;
	case LY_TYPE_IDENT:
		return BASE_IDENTITYREF;
	case LY_TYPE_INST:
		return BASE_INSTANCE_IDENTIFIER;
	case LY_TYPE_LEAFREF:
		return BASE_LEAFREF;
	case LY_TYPE_UNION:
		return BASE_UNION;
	case LY_TYPE_INT8:
		return BASE_INT8;
	case LY_TYPE_INT16:
		return BASE_INT16;
	case LY_TYPE_INT32:
		return BASE_INT32;
	case LY_TYPE_INT64:
		return BASE_INT64;
	case LY_TYPE_UNKNOWN:
		break;
	}
	ASSERT(!"a type that libyang compiles");
	return BASE_STRING;
}

bool compile_holds_leafref(const struct lysc_type *type)
{
	if (type->basetype == LY_TYPE_LEAFREF)
		return true;
	if (type->basetype != LY_TYPE_UNION)
		return false;
	struct lysc_type **members = ((const struct lysc_type_union *)type)->types;
	for (size_t i = 0; i < LY_ARRAY_COUNT(members); i++)
		if (compile_holds_leafref(members[i]))
			return true;
	return false;
}

static const struct schema_type *target_type(struct compile *compile, const struct schema_xpath *path,
					     const struct lysc_type_leafref *from,
					     const struct lysc_node *node)
{
	const struct schema_node *target = compile_leafref_target(compile, path, compile_made_from(node));
	if (target == NULL)
		return compile_type(compile, from->realtype, node);
	const struct lysc_node *lysc =
		*(const struct lysc_node **)vector_at(&compile->lysc_nodes, target->id);
	return compile_type(compile, ((const struct lysc_node_leaf *)lysc)->type, lysc);
}

static void fill_leafref(struct compile *compile, struct schema_type *type, const struct lysc_node *node)
{
	const struct lysc_type_leafref *from = (const struct lysc_type_leafref *)type->lysc;
	struct schema_xpath *path = arena_alloc(compile->arena, sizeof(*path));
	*path = compile_xpath(compile, from->path, from->prefixes, node->module);
	path->context = compile_made_from(node);
	type->path = path;
	type->require_instance = from->require_instance;
	const struct schema_type *target = target_type(compile, path, from, node);
	if (target->real == NULL) {
		char name[256];
		schema_node_path(path->context, name, sizeof(name));
		diag_add(compile->diags, DIAG_APPLICATION, DIAG_OPERATION_FAILED,
			 "The leafref \"%s\" of %s leads back to itself.", path->expression, name);
		compile->failed = true;
		return;
	}
	type->real = target->real;
	type->sort_base = type->real->base;
	type->has_reference = type->require_instance || type->real->has_reference;
}

static void fill_union(struct compile *compile, struct schema_type *type, const struct lysc_node *node)
{
	struct lysc_type **from = ((const struct lysc_type_union *)type->lysc)->types;
	struct vector members;
	vector_init(&members, sizeof(const struct schema_type *));
	for (size_t i = 0; i < LY_ARRAY_COUNT(from); i++) {
		const struct schema_type *member = compile_type(compile, from[i], node);
		type->has_reference |= member->has_reference;
		if (member->base != BASE_UNION)
			*(const struct schema_type **)vector_push(&members) = member;
		for (size_t k = 0; k < member->member_count; k++)
			*(const struct schema_type **)vector_push(&members) = member->members[k];
	}
	type->member_count = members.length;
	type->members = arena_alloc(compile->arena, members.length * sizeof(*type->members));
	memcpy(type->members, members.data, members.length * sizeof(*type->members));
	vector_fini(&members);
}

static int compare_enums(const void *a, const void *b)
{
	return bytes_compare(((const struct schema__enum *)a)->name, ((const struct schema__enum *)b)->name);
}

static void fill_enumeration(struct compile *compile, struct schema_type *type)
{
	const struct lysc_type_bitenum_item *from = ((const struct lysc_type_enum *)type->lysc)->enums;
	type->enum_count = LY_ARRAY_COUNT(from);
	type->enums = arena_zalloc(compile->arena, type->enum_count * sizeof(*type->enums));
	for (size_t i = 0; i < type->enum_count; i++) {
		struct schema__enum *item = &type->enums[i];
		item->name = bytes_of(from[i].name);
		item->number = from[i].value;
		if (item->name.size <= VALUE_INLINE_MAX) {
			item->value = value_new(item->name, 0);
			continue;
		}
		struct text *text = text_new_immortal(item->name, 0);
		*(struct text **)vector_push(&compile->schema->texts) = text;
		item->value = value_of_text(text);
	}
	qsort(type->enums, type->enum_count, sizeof(*type->enums), compare_enums);
}

static void fill_identityref(struct compile *compile, struct schema_type *type)
{
	struct lysc_ident **from = ((const struct lysc_type_identityref *)type->lysc)->bases;
	type->identity_base_count = LY_ARRAY_COUNT(from);
	uint32_t *bases = arena_alloc(compile->arena, type->identity_base_count * sizeof(*bases));
	for (size_t i = 0; i < type->identity_base_count; i++) {
		const void *key[] = {from[i]};
		uintptr_t found =
			(uintptr_t)hash_table_find(compile->identity_of, compile_address_key(key, 1));
		ASSERT(found > 0);
		bases[i] = (uint32_t)(found - 1);
	}
	type->identity_bases = bases;
}

static void fill_string(struct schema_type *type)
{
	const struct lyplg_type *plugin = compat_type_plugin(type->lysc);
	type->by_plugin = plugin->store != lyplg_type_store_string;
	type->qnames = plugin->store == lyplg_type_store_xpath10 ||
		       (type->by_plugin && strstr(plugin->id, "instance-identifier") != NULL);
}

static void fill_type(struct compile *compile, struct schema_type *type, const struct lysc_node *node)
{
	switch (type->base) {
	case BASE_LEAFREF:
		fill_leafref(compile, type, node);
		break;
	case BASE_UNION:
		fill_union(compile, type, node);
		break;
	case BASE_ENUMERATION:
		fill_enumeration(compile, type);
		break;
	case BASE_IDENTITYREF:
		fill_identityref(compile, type);
		break;
	case BASE_INSTANCE_IDENTIFIER:
		type->require_instance = ((const struct lysc_type_instanceid *)type->lysc)->require_instance;
		type->has_reference = type->require_instance;
		break;
	case BASE_STRING:
		fill_string(type);
		type_prepare_string(type);
		break;
	case BASE_BINARY:
	case BASE_BITS:
	case BASE_DECIMAL64:
		type->by_plugin = true;
		break;
	case BASE_BOOLEAN:
	case BASE_EMPTY:
	case BASE_INT8:
	case BASE_INT16:
	case BASE_INT32:
	case BASE_INT64:
	case BASE_UINT8:
	case BASE_UINT16:
	case BASE_UINT32:
	case BASE_UINT64:
		break;
	}
}

const struct schema_type *compile_type(struct compile *compile, const struct lysc_type *from,
				       const struct lysc_node *node)
{
	const void *key[] = {from, compile_holds_leafref(from) ? node : NULL};
	struct bytes key_bytes = compile_address_key(key, 2);
	const struct schema_type *known = hash_table_find(compile->type_of, key_bytes);
	if (known != NULL)
		return known;
	struct schema_type *type = arena_zalloc(compile->arena, sizeof(*type));
	type->base = base_of(from->basetype);
	type->sort_base = type->base;
	type->lysc = from;
	type->lysc_node = node;
	/* Known before it is filled, and without `real` meanwhile: so a circle of leafrefs is noticed. */
	hash_table_put(compile->type_of, key_bytes, type);
	fill_type(compile, type, node);
	if (type->real == NULL)
		type->real = type;
	return type;
}
