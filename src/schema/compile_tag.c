/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The tags that each data node has in XML. Whether an element declares its namespace is decided by the schema
 * alone, but for the first element of a part (xml_encoder_new_part), so a reply of a million elements need
 * not decide it a million times. A tag has room behind it, so that a writer may copy a short one as a block
 * of SCHEMA_TAG_PADDING bytes, which is faster than to copy what it has.
 */
#include "base/assert.h"
#include "base/xml_escape.h"
#include "schema/compile.h"

static bool declares_namespace(const struct schema_node *node)
{
	const struct schema_node *parent = node->parent;
	return parent->kind == SCHEMA_ROOT || parent->kind == SCHEMA_OUTPUT || parent->module != node->module;
}

static void put(struct buffer *out, struct bytes text)
{
	enum status status = buffer_append(out, text);
	ASSERT(status == ST_OK);
}

static struct bytes keep(struct compile *compile, struct buffer *text)
{
	struct bytes from = buffer_get(text);
	size_t size = from.size < SCHEMA_TAG_PADDING ? SCHEMA_TAG_PADDING : from.size;
	char *copy = arena_zalloc(compile->arena, size);
	memcpy(copy, from.data, from.size);
	buffer_clear(text, SIZE_MAX);
	struct schema *schema = &compile->schema->public;
	schema->tag_size = size > schema->tag_size ? size : schema->tag_size;
	return (struct bytes){copy, from.size};
}

static void fill_tags(struct compile *compile, struct buffer *text, struct schema_node *node)
{
	put(text, bytes_of("<"));
	put(text, node->name_bytes);
	if (declares_namespace(node)) {
		put(text, bytes_of(" xmlns=\""));
		enum status status = xml_escape(text, bytes_of(node->module->ns), true);
		ASSERT(status == ST_OK);
		put(text, bytes_of("\""));
	}
	put(text, bytes_of(">"));
	node->start_tag = keep(compile, text);
	put(text, bytes_of("</"));
	put(text, node->name_bytes);
	put(text, bytes_of(">"));
	node->end_tag = keep(compile, text);
}

void compile_tags(struct compile *compile)
{
	struct buffer text;
	buffer_init(&text, SIZE_MAX);
	for (size_t i = 0; i < compile->nodes.length; i++) {
		struct schema_node *node = *(struct schema_node **)vector_at(&compile->nodes, i);
		if (node->parent != NULL)
			fill_tags(compile, &text, node);
	}
	buffer_fini(&text);
}
