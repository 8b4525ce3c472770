/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Identities as values. A value names an identity by a prefix of the request; what is stored is
 * "module:name", one immortal text for each identity. A type with several bases wants an identity that
 * derives from all of them (RFC 7950 9.10.2; libyang is content with one).
 */
#include "schema/type_parse.h"

const struct schema__identity *schema__identity_find(const struct schema__private *schema,
						     const struct schema_module *module, struct bytes name)
{
	return schema__index_find(&schema->identity_names, module->index, name);
}

bool schema__identity_has_ancestor(const struct schema__identity *identity, uint32_t ancestor)
{
	size_t low = 0, high = identity->ancestor_count;
	while (low < high) {
		size_t middle = (low + high) / 2;
		if (identity->ancestors[middle] < ancestor)
			low = middle + 1;
		else
			high = middle;
	}
	return low < identity->ancestor_count && identity->ancestors[low] == ancestor;
}

/* Cuts at the colon; without one the prefix is empty. */
static void split(struct bytes text, struct bytes *prefix, struct bytes *name)
{
	const char *colon = text.size == 0 ? NULL : memchr(text.data, ':', text.size);
	size_t prefix_size = colon == NULL ? 0 : (size_t)(colon - text.data);
	size_t skipped = colon == NULL ? 0 : prefix_size + 1;
	*prefix = (struct bytes){text.data, prefix_size};
	*name = (struct bytes){text.data + skipped, text.size - skipped};
}

enum status type_parse_identity(struct type_parse *parse, const struct schema_type *type,
				struct bytes lexical, struct value *value)
{
	struct bytes prefix, name;
	split(lexical, &prefix, &name);
	if (name.size == 0 || (prefix.size == 0 && name.size != lexical.size))
		return type_refuse(parse, NULL, NULL, "Invalid identityref value \"%.*s\".",
				   EXCERPT(lexical));
	const struct schema_module *module = type_prefix_module(parse, prefix);
	if (module == NULL)
		return type_refuse(parse, NULL, NULL, "Invalid identityref value \"%.*s\": unknown prefix.",
				   EXCERPT(lexical));
	const struct schema__identity *identity = schema__identity_find(parse->schema, module, name);
	if (identity == NULL || !identity->valid)
		return type_refuse(parse, NULL, NULL,
				   "Invalid identityref value \"%.*s\": %s identity of module \"%s\".",
				   EXCERPT(lexical), identity == NULL ? "no" : "not an implemented",
				   module->name);
	for (size_t i = 0; i < type->identity_base_count; i++)
		if (!schema__identity_has_ancestor(identity, type->identity_bases[i]))
			return type_refuse(
				parse, NULL, NULL,
				"Invalid identityref value \"%.*s\": not derived from \"%.*s\".",
				EXCERPT(lexical),
				EXCERPT(text_bytes(parse->schema->identities[type->identity_bases[i]].text)));
	*value = value_of_text(identity->text);
	return ST_OK;
}

static const struct schema__identity *find_canonical(const struct schema *schema, struct bytes text)
{
	struct bytes prefix, name;
	split(text, &prefix, &name);
	const struct schema_module *module = schema_module_find(schema, prefix);
	return module == NULL ? NULL : schema__identity_find(schema__private(schema), module, name);
}

bool schema_identity_derived(const struct schema *schema, struct bytes value, struct bytes base, bool or_self)
{
	const struct schema__identity *identity = find_canonical(schema, value);
	const struct schema__identity *ancestor = find_canonical(schema, base);
	if (identity == NULL || ancestor == NULL)
		return false;
	if (identity == ancestor)
		return or_self;
	return schema__identity_has_ancestor(identity,
					     (uint32_t)(ancestor - schema__private(schema)->identities));
}
