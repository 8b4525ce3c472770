/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The encoder writes what a reply carries: it walks a pinned root in document order and can stop after any
 * node, or within a long value, and go on later.
 *
 *     frame of the root -> frame of a container -> frame of a list entry -> ...      (top)
 *
 * A frame is an open element: its record, the next of the record's children, and, while a list or leaf-list
 * is being written, the place in its map. A value that is too long for one step is left in `rest` and comes
 * first in the next.
 *
 * Invariants: what was appended is the document up to a point between two steps, so it does not depend on how
 * the calls are cut. Frames are as many as the schema is deep, and do not move, since positions and iterators
 * point into them. The root is immutable, so nothing that a frame points to changes between calls.
 */
#include "codec/xml_encoder.h"

#include "base/assert.h"
#include "base/memory.h"
#include "base/vector.h"
#include "codec/escape.h"
#include "codec/qname.h"

#define PIECE_SIZE ((size_t)8 * 1024) /* bytes of a value in one step, before escaping */
#define SHORT_SIZE 256		      /* bytes of a value that is written at once with its tags */

struct frame {
	struct frame *outer; /* NULL: the root's */
	struct frame *inner; /* left from before, to be used again */
	struct tree_position position;
	const void *state; /* the selector's, unless `whole` */
	bool whole;
	uint16_t next;			/* index of the next child in the record */
	const struct schema_node *list; /* list or leaf-list that is being written; NULL: none */
	const struct tree_map *map;
	const union tree_item *item;	 /* the next one of all; NULL: the end */
	struct tree_map_iter iter;	 /* at `item` */
	size_t entry_index, entry_count; /* where only known ones can be selected; entry_count 0: all */
};

struct xml_encoder {
	struct schema *schema;
	const struct tree_record *root;
	const struct codec_selector *selector;
	struct tree_reclaimer *reclaimer;
	struct frame *bottom, *top;	     /* top NULL: all is written */
	struct bytes rest;		     /* of the value that is being written */
	const struct schema_node *rest_node; /* whose end tag follows; NULL: no value is being written */
	bool rest_is_xml;		     /* written as it is */
	struct vector declared;		     /* modules whose prefixes the present leaf declares */
	struct buffer expanded;		     /* an instance-identifier with all prefixes */
};

static bool declares_namespace(const struct schema_node *node)
{
	return node->parent->kind == SCHEMA_ROOT || node->parent->module != node->module;
}

static enum status put(struct buffer *out, const char *text)
{
	return buffer_append(out, bytes_of(text));
}

/* "<name", with its namespace where that is not the parent's. */
static enum status put_tag(struct buffer *out, const struct schema_node *node)
{
	enum status status = put(out, "<");
	if (status == ST_OK)
		status = buffer_append(out, node->name_bytes);
	if (status != ST_OK || !declares_namespace(node))
		return status;
	status = put(out, " xmlns=\"");
	if (status == ST_OK)
		status = xml_escape(out, bytes_of(node->module->ns), true);
	return status == ST_OK ? put(out, "\"") : status;
}

static enum status put_end(struct buffer *out, const struct schema_node *node)
{
	enum status status = put(out, "</");
	if (status == ST_OK)
		status = buffer_append(out, node->name_bytes);
	return status == ST_OK ? put(out, ">") : status;
}

/* Notes the module as declared on the leaf; false where it was already. */
static bool note_declared(struct vector *declared, const struct schema_module *module)
{
	for (size_t i = 0; i < declared->length; i++) {
		if (*(const struct schema_module **)vector_at(declared, i) == module)
			return false;
	}
	*(const struct schema_module **)vector_push(declared) = module;
	return true;
}

static enum status put_prefix(struct buffer *out, const struct schema_module *module)
{
	enum status status = put(out, " xmlns:");
	if (status == ST_OK)
		status = put(out, module->name);
	if (status == ST_OK)
		status = put(out, "=\"");
	if (status == ST_OK)
		status = xml_escape(out, bytes_of(module->ns), true);
	return status == ST_OK ? put(out, "\"") : status;
}

static enum status put_prefixes(struct xml_encoder *encoder, struct buffer *out, struct bytes text)
{
	const struct schema_module *module;
	enum status status = ST_OK;
	size_t at = 0;
	vector_clear(&encoder->declared);
	while (status == ST_OK && codec__qname_next(encoder->schema, text, &at, &module)) {
		if (note_declared(&encoder->declared, module))
			status = put_prefix(out, module);
	}
	return status;
}

/* Begins a value whose start tag lacks its ">". */
static enum status put_rest(struct xml_encoder *encoder, struct buffer *out, const struct schema_node *node,
			    struct bytes content, bool is_xml)
{
	if (content.size == 0)
		return put(out, "/>");
	encoder->rest = content;
	encoder->rest_node = node;
	encoder->rest_is_xml = is_xml;
	return put(out, ">");
}

/* The size of a piece that does not end within a character. */
static size_t piece_size(struct bytes text)
{
	if (text.size <= PIECE_SIZE)
		return text.size;
	size_t size = PIECE_SIZE;
	while (size > PIECE_SIZE - 4 && ((unsigned char)text.data[size] & 0xc0) == 0x80)
		size--;
	return size;
}

/* Goes on with a value. */
static enum status step_rest(struct xml_encoder *encoder, struct buffer *out)
{
	struct bytes piece = {encoder->rest.data, piece_size(encoder->rest)};
	enum status status = encoder->rest_is_xml ? buffer_append(out, piece) : xml_escape(out, piece, false);
	if (status != ST_OK)
		return status;
	encoder->rest.data += piece.size;
	encoder->rest.size -= piece.size;
	if (encoder->rest.size > 0)
		return ST_OK;
	status = put_end(out, encoder->rest_node);
	encoder->rest_node = NULL;
	return status;
}

static char *copy(char *to, struct bytes from)
{
	memcpy(to, from.data, from.size);
	return to + from.size;
}

/* The common case: a short value, of the parent's module, without prefixes. False where there is no room for
 * the worst that it may become, which does not mean that there is none for what it becomes. */
static bool put_short_leaf(struct buffer *out, const struct schema_node *node, struct bytes text)
{
	size_t worst = 2 * node->name_bytes.size + 5 + CODEC_ESCAPED_MAX * text.size;
	char *start = buffer_reserve(out, worst);
	if (!start)
		return false;
	char *at = start;
	*at++ = '<';
	at = copy(at, node->name_bytes);
	if (text.size == 0) {
		at = copy(at, (struct bytes){"/>", 2});
		buffer_commit(out, (size_t)(at - start));
		return true;
	}
	*at++ = '>';
	at = codec__escape_content(at, text);
	at = copy(at, (struct bytes){"</", 2});
	at = copy(at, node->name_bytes);
	*at++ = '>';
	buffer_commit(out, (size_t)(at - start));
	return true;
}

static enum status put_leaf(struct xml_encoder *encoder, struct buffer *out, const struct schema_node *node,
			    const struct value *value)
{
	struct bytes content = value_bytes(value);
	const struct text *text = value_shared_text(*value);
	bool has_names = text && (text->flags & TEXT_QNAME);
	if (!has_names && content.size <= SHORT_SIZE && !declares_namespace(node) &&
	    put_short_leaf(out, node, content))
		return ST_OK;
	enum status status = put_tag(out, node);
	if (status == ST_OK && has_names)
		status = put_prefixes(encoder, out, content);
	if (status != ST_OK)
		return status;
	if (has_names && codec__qname_is_instance_identifier(node->type, content)) {
		buffer_clear(&encoder->expanded, 0);
		status = codec__qname_expand(&encoder->expanded, content);
		content = buffer_get(&encoder->expanded);
	}
	if (status == ST_OK)
		status = put_rest(encoder, out, node, content, false);
	/* An inline value may lie in what this step leaves behind, and is short: it does not wait. */
	if (status == ST_OK && !text && encoder->rest_node)
		status = step_rest(encoder, out);
	return status;
}

static enum status put_any(struct xml_encoder *encoder, struct buffer *out, const struct schema_node *node,
			   const struct tree_any *any)
{
	enum status status = put_tag(out, node);
	return status == ST_OK ? put_rest(encoder, out, node, text_bytes(any->xml), true) : status;
}

static void push(struct xml_encoder *encoder, const struct tree_position *position, const void *state,
		 bool whole)
{
	struct frame *outer = encoder->top;
	struct frame *frame = outer ? outer->inner : encoder->bottom;
	if (!frame) {
		frame = memory_alloc(sizeof(*frame));
		frame->outer = outer;
		frame->inner = NULL;
		if (outer)
			outer->inner = frame;
		else
			encoder->bottom = frame;
	}
	frame->position = *position;
	frame->state = state;
	frame->whole = whole;
	frame->next = 0;
	frame->list = NULL;
	encoder->top = frame;
}

static enum status put_element(struct xml_encoder *encoder, struct buffer *out,
			       const struct tree_position *position, const void *state, bool whole)
{
	enum status status = put_tag(out, position->schema);
	if (status != ST_OK)
		return status;
	if (position->record->length == 0)
		return put(out, "/>");
	push(encoder, position, state, whole);
	return put(out, ">");
}

/* Writes an instance, if it is selected. */
static enum status put_node(struct xml_encoder *encoder, struct buffer *out,
			    const struct tree_position *position)
{
	const struct frame *frame = encoder->top;
	const void *state = NULL;
	bool whole = frame->whole;
	if (!whole) {
		enum codec_select select =
			encoder->selector->judge(encoder->selector, frame->state, position, &state);
		if (select == CODEC_SKIP)
			return ST_OK;
		whole = select == CODEC_WHOLE;
	}
	switch (position->schema->kind) {
	case SCHEMA_CONTAINER:
	case SCHEMA_LIST:
		return put_element(encoder, out, position, state, whole);
	case SCHEMA_LEAF:
	case SCHEMA_LEAF_LIST:
		return put_leaf(encoder, out, position->schema, &position->value);
	case SCHEMA_ANYDATA:
	case SCHEMA_ANYXML:
		return put_any(encoder, out, position->schema, position->any);
	case SCHEMA_ROOT:
	case SCHEMA_RPC:
	case SCHEMA_ACTION:
	case SCHEMA_OUTPUT:
	case SCHEMA_NOTIFICATION:
		break;
	}
	ASSERT(!"a record holds data nodes only");
	return ST_OK;
}

static void begin_list(struct xml_encoder *encoder, struct frame *frame, const struct schema_node *list,
		       const struct tree_map *map)
{
	const struct codec_selector *selector = encoder->selector;
	const struct value *keys;
	frame->list = list;
	frame->map = map;
	frame->entry_index = 0;
	frame->entry_count = 0;
	if (!frame->whole && selector->entries)
		frame->entry_count = selector->entries(selector, frame->state, list, 0, &keys);
	if (frame->entry_count == 0)
		frame->item = tree_map_first(&frame->iter, map, list);
}

static const union tree_item *next_known_entry(struct xml_encoder *encoder, struct frame *frame)
{
	const struct codec_selector *selector = encoder->selector;
	const struct value *keys = NULL;
	selector->entries(selector, frame->state, frame->list, frame->entry_index++, &keys);
	return tree_map_find(frame->map, frame->list, keys);
}

/* One entry of the list, or its end. */
static enum status step_list(struct xml_encoder *encoder, struct buffer *out, struct frame *frame)
{
	const union tree_item *item;
	if (frame->entry_count > 0) {
		if (frame->entry_index == frame->entry_count) {
			frame->list = NULL;
			return ST_OK;
		}
		item = next_known_entry(encoder, frame);
		if (!item)
			return ST_OK;
	} else {
		item = frame->item;
		frame->item = item ? tree_map_next(&frame->iter) : NULL;
		if (!item) {
			frame->list = NULL;
			return ST_OK;
		}
	}
	struct tree_position position = {.parent = &frame->position, .schema = frame->list};
	if (frame->list->kind == SCHEMA_LIST)
		position.record = item->record;
	else
		position.value = item->value;
	return put_node(encoder, out, &position);
}

static enum status step_child(struct xml_encoder *encoder, struct buffer *out, struct frame *frame)
{
	const struct tree_record *record = frame->position.record;
	uint16_t index = frame->next++;
	const struct schema_node *child =
		frame->position.schema->children[tree_record_indexes(record)[index]];
	const union tree_slot *slot = &record->slots[index];
	const struct codec_selector *selector = encoder->selector;
	if (!frame->whole && selector->wants && !selector->wants(selector, frame->state, child))
		return ST_OK;
	struct tree_position position = {.parent = &frame->position, .schema = child};
	switch (child->kind) {
	case SCHEMA_LIST:
	case SCHEMA_LEAF_LIST:
		begin_list(encoder, frame, child, slot->map);
		return ST_OK;
	case SCHEMA_LEAF:
		position.value = slot->value;
		break;
	case SCHEMA_ANYDATA:
	case SCHEMA_ANYXML:
		position.any = slot->any;
		break;
	case SCHEMA_CONTAINER:
	case SCHEMA_ROOT:
	case SCHEMA_RPC:
	case SCHEMA_ACTION:
	case SCHEMA_OUTPUT:
	case SCHEMA_NOTIFICATION:
		position.record = slot->record;
		break;
	}
	return put_node(encoder, out, &position);
}

/* One node, or the end of one. */
static enum status step(struct xml_encoder *encoder, struct buffer *out)
{
	struct frame *frame = encoder->top;
	if (encoder->rest_node)
		return step_rest(encoder, out);
	if (frame->list)
		return step_list(encoder, out, frame);
	if (frame->next < frame->position.record->length)
		return step_child(encoder, out, frame);
	encoder->top = frame->outer;
	return frame->outer ? put_end(out, frame->position.schema) : ST_OK;
}

struct xml_encoder *xml_encoder_new(struct schema *schema, const struct tree_record *root,
				    const struct codec_selector *selector, struct tree_reclaimer *reclaimer)
{
	struct xml_encoder *encoder = memory_zalloc(sizeof(*encoder));
	encoder->schema = schema_ref(schema);
	encoder->root = tree_record_ref(root);
	encoder->selector = selector;
	encoder->reclaimer = reclaimer;
	buffer_init(&encoder->expanded, SIZE_MAX);
	vector_init(&encoder->declared, sizeof(struct schema_module *));
	struct tree_position position = tree_position_root(schema, root);
	push(encoder, &position, selector ? selector->root_state : NULL, selector == NULL);
	return encoder;
}

void xml_encoder_free(struct xml_encoder *encoder)
{
	if (!encoder)
		return;
	struct frame *inner;
	for (struct frame *frame = encoder->bottom; frame; frame = inner) {
		inner = frame->inner;
		memory_free(frame);
	}
	buffer_fini(&encoder->expanded);
	vector_fini(&encoder->declared);
	tree_record_unref(encoder->root, encoder->schema->root, encoder->reclaimer);
	schema_unref(encoder->schema);
	memory_free(encoder);
}

enum status xml_encoder_run(struct xml_encoder *encoder, struct buffer *out, size_t size, size_t budget,
			    bool *done)
{
	enum status status = ST_OK;
	for (; budget > 0 && encoder->top && buffer_size(out) < size && status == ST_OK; budget--)
		status = step(encoder, out);
	if (status == ST_OK)
		*done = encoder->top == NULL;
	return status;
}
