/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finding things in a compiled schema by name, and the schema's reference count. Every XML element of a
 * request comes through schema_child_find, so it is one probe of an index; see index.h.
 */
#include "base/assert.h"
#include "schema/internal.h"

struct schema *schema_ref(struct schema *schema)
{
	struct schema__private *self = (struct schema__private *)schema;
	uint32_t before = atomic_fetch_add_explicit(&self->refs, 1, memory_order_relaxed);
	ASSERT(before > 0 && before < UINT32_MAX);
	return schema;
}

void schema_unref(struct schema *schema)
{
	if (schema == NULL)
		return;
	struct schema__private *self = (struct schema__private *)schema;
	uint32_t before = atomic_fetch_sub_explicit(&self->refs, 1, memory_order_acq_rel);
	ASSERT(before > 0);
	if (before == 1)
		schema__free(self);
}

const struct schema_module *schema_module_find(const struct schema *schema, struct bytes name)
{
	return schema__index_find(&schema__private(schema)->module_names, 0, name);
}

const struct schema_module *schema_module_find_ns(const struct schema *schema, struct bytes ns)
{
	return schema__index_find(&schema__private(schema)->module_namespaces, 0, ns);
}

const struct schema_node *schema_child_find(const struct schema *schema, const struct schema_node *parent,
					    const struct schema_module *module, struct bytes name)
{
	return schema__index_find(&schema__private(schema)->children, schema__child_scope(parent, module),
				  name);
}

const struct schema_annotation *schema_annotation_find(const struct schema *schema,
						       const struct schema_module *module, struct bytes name)
{
	return schema__index_find(&schema__private(schema)->annotation_names, module->index, name);
}

const struct schema_node *schema_child_find_any(const struct schema_node *parent, struct bytes name,
						const struct schema_node *after)
{
	for (size_t i = after == NULL ? 0 : (size_t)after->slot + 1; i < parent->child_count; i++)
		if (bytes_equal(parent->children[i]->name_bytes, name))
			return parent->children[i];
	return NULL;
}

const struct schema_node *schema_rpc_find(const struct schema *schema, const struct schema_module *module,
					  struct bytes name)
{
	return schema_action_find(schema, schema->root, module, name);
}

const struct schema_node *schema_action_find(const struct schema *schema, const struct schema_node *parent,
					     const struct schema_module *module, struct bytes name)
{
	return schema__index_find(&schema__private(schema)->operations, schema__child_scope(parent, module),
				  name);
}

const struct schema_node *schema_notification_find(const struct schema *schema,
						   const struct schema_node *parent,
						   const struct schema_module *module, struct bytes name)
{
	return schema__index_find(&schema__private(schema)->notifications,
				  schema__child_scope(parent, module), name);
}

const struct schema_module *schema_xpath_prefix(const struct schema *schema, const struct schema_xpath *xpath,
						struct bytes prefix)
{
	(void)schema;
	const struct schema__resolver *resolver = xpath->resolver;
	if (prefix.size == 0)
		return resolver->local;
	for (size_t i = 0; i < resolver->prefix_count; i++)
		if (bytes_equal(resolver->prefixes[i].prefix, prefix))
			return resolver->prefixes[i].module;
	return NULL;
}

const struct schema_module *schema_xpath_module(const struct schema_xpath *xpath)
{
	return ((const struct schema__resolver *)xpath->resolver)->text;
}

/* Writes at `offset` what fits, and returns the offset after the whole text. */
static size_t append(char *out, size_t size, size_t offset, const char *text)
{
	for (; *text != '\0'; text++, offset++)
		if (offset + 1 < size)
			out[offset] = *text;
	return offset;
}

static size_t append_path(const struct schema_node *node, char *out, size_t size)
{
	if (node->kind == SCHEMA_ROOT)
		return 0;
	size_t offset = node->parent == NULL ? 0 : append_path(node->parent, out, size);
	offset = append(out, size, offset, "/");
	offset = append(out, size, offset, node->module->name);
	offset = append(out, size, offset, ":");
	return append(out, size, offset, node->name);
}

void schema_node_path(const struct schema_node *node, char *out, size_t size)
{
	if (size == 0)
		return;
	size_t offset = append_path(node, out, size);
	if (offset == 0)
		offset = append(out, size, 0, "/");
	out[offset < size ? offset : size - 1] = '\0';
}
