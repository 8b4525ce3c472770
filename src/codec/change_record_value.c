/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Values out of the bytes of change sets and trees (change_record_apply.c). Under the schema that they were
 * written under they are taken as they are; under another one each is parsed by its type again, and what does
 * not fit is said, or left out and counted.
 */
#include "codec/change_record_internal.h"

static const char *name_text(const struct codec__reader *reader, uint32_t number, char *out, size_t size)
{
	const struct codec__name *name = codec__name_at(reader->dictionary, number);
	if (name->node == NULL)
		return name->text;
	schema_node_path(name->node, out, size);
	return out;
}

void codec__reject(struct codec__reader *reader, uint32_t number, struct bytes value, const char *why)
{
	char path[512];
	if (reader->dictionary->lenient) {
		reader->dictionary->left_out++;
		return;
	}
	reader->rejected = true;
	diag_add(reader->diags, DIAG_APPLICATION, DIAG_INVALID_VALUE, "%s: '%.*s': %s",
		 name_text(reader, number, path, sizeof(path)), (int)(value.size < 80 ? value.size : 80),
		 value.data, why);
}

/* ---- values ---- */

enum status codec__parse_typed(struct codec__reader *reader, uint32_t number,
			       const struct schema_module *local, const struct schema_type *type,
			       struct bytes bytes, struct value *value)
{
	const struct schema *schema = reader->dictionary->schema;
	struct schema_prefixes_canonical prefixes = schema_prefixes_canonical(schema, local);
	struct schema_type_error error = {0};
	prefixes.base.inherit = true;
	enum status status = schema_type_parse(schema, type, bytes, &prefixes.base, reader->dictionary->arena,
					       value, &error);
	if (status != ST_OK)
		codec__reject(reader, number, bytes,
			      error.message != NULL ? error.message : "the schema does not allow this value");
	return status;
}

static enum status parse_value(struct codec__reader *reader, uint32_t number, const struct schema_node *node,
			       struct bytes bytes, struct value *value)
{
	return codec__parse_typed(reader, number, node->module, node->type, bytes, value);
}

static bool is_recurring(const struct schema_node *node)
{
	enum schema_base base = schema_type_base(schema_type_real(node->type));
	return base == BASE_ENUMERATION || base == BASE_IDENTITYREF;
}

/* Values that recur are shared; those of enumerations and identities are the schema's own texts. */
static enum status recurring_value(struct codec__reader *reader, uint32_t number,
				   const struct schema_node *node, struct bytes bytes, struct value *value)
{
	struct codec__name *name = codec__name_at(reader->dictionary, number);
	for (unsigned i = 0; i < CODEC__RECENT; i++) {
		if (!value_is_none(name->recent[i]) && bytes_equal(value_bytes(&name->recent[i]), bytes)) {
			*value = value_ref(name->recent[i]);
			return ST_OK;
		}
	}
	enum status status = parse_value(reader, number, node, bytes, value);
	if (status != ST_OK)
		return status;
	struct value *slot = &name->recent[name->recent_next++ % CODEC__RECENT];
	value_unref(*slot);
	*slot = value_ref(*value);
	return ST_OK;
}

/* `head`: its lowest bit is TEXT_QNAME. */
bool codec__read_value_bytes(struct codec__reader *reader, uint64_t *head, struct bytes *bytes)
{
	if (!codec__get_number(&reader->in, head) || *head >> 1 > reader->in.size ||
	    *head >> 1 > TEXT_SIZE_MAX)
		return false;
	*bytes = (struct bytes){reader->in.data, *head >> 1};
	reader->in = (struct bytes){bytes->data + bytes->size, reader->in.size - bytes->size};
	return true;
}

/* A key, or a value of a leaf-list, that is another one under the schema as it is now. The instance would
 * have another name, which may be that of a second instance ('1' and '01', once numbers): one of them would
 * be lost, and changes of either be applied to both. */
static enum status refuse_renamed(struct codec__reader *reader, uint32_t number,
				  const struct schema_node *node, struct bytes bytes, struct value *value)
{
	bool is_name = node->is_key || node->kind == SCHEMA_LEAF_LIST;
	if (!is_name || bytes_equal(value_bytes(value), bytes))
		return ST_OK;
	value_unref(*value);
	*value = VALUE_NONE;
	codec__reject(reader, number, bytes, "the schema has another canonical form of this value");
	return ST_REJECTED;
}

static enum status parse_again(struct codec__reader *reader, uint32_t number, const struct schema_node *node,
			       struct bytes bytes, struct value *value)
{
	enum status status = !node->is_key && is_recurring(node)
				     ? recurring_value(reader, number, node, bytes, value)
				     : parse_value(reader, number, node, bytes, value);
	return status == ST_OK ? refuse_renamed(reader, number, node, bytes, value) : status;
}

/* `number`: the name that the value is of, for a key that of its list. Gives a value only where `build`. */
enum status codec__read_value(struct codec__reader *reader, uint32_t number, const struct schema_node *node,
			      bool build, struct value *value)
{
	uint64_t head;
	struct bytes bytes;
	if (!codec__read_value_bytes(reader, &head, &bytes))
		return ST_CORRUPT;
	if (!build)
		return ST_OK;
	if (reader->dictionary->strict || is_recurring(node))
		return parse_again(reader, number, node, bytes, value);
	*value = value_new(bytes, head & 1 ? TEXT_QNAME : 0);
	return ST_OK;
}
