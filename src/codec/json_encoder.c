/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The JSON encoder writes nodes as the walk gives them (select_walk.c). The walk gives the instances of a
 * list one after the other, so an array begins with the first of them and ends where something else comes.
 *
 *     level of the root -> level of a container -> level of a list entry -> ...      (last)
 *
 * A level is an object that is open, and the array that is open within it. A string that is too long for one
 * step is left in `rest` and comes first in the next, as does the content of an anydata node, which is
 * converted as a whole: memory is bounded by the largest such node.
 *
 * Annotations (RFC 7952 5.2) are a member "@" of the object that a container, list entry or anydata node is,
 * and a member "@name" behind a leaf, anyxml node or the array of a leaf-list. They are written in steps of
 * their own (`metadata`); what the walk gave in the meantime waits (`held`).
 *
 * Invariant: what was appended is the document up to a point between two steps, so it does not depend on how
 * the calls are cut.
 */
#include "codec/json_encoder.h"

#include "base/assert.h"
#include "base/memory.h"
#include "base/vector.h"
#include "codec/json_any.h"
#include "codec/json_value.h"
#include "codec/piece.h"
#include "codec/select_walk.h"
#include "tree/annotation.h"

struct level {
	const struct schema_node *array; /* list or leaf-list whose array is open; NULL: none */
	bool has_member;
};

/* An instance with annotations. */
struct noted {
	uint64_t index; /* in the array; a single one: 0 */
	const struct tree_annotation *notes;
	size_t count;
};

enum metadata_state {
	METADATA_NONE,
	METADATA_BEGIN, /* the member's name is due */
	METADATA_ITEM,	/* an item of the array is due: an object or null */
	METADATA_NOTE,	/* an annotation is due, or the end of the object */
	METADATA_END,	/* the end of the array is due */
};

struct metadata {
	enum metadata_state state;
	const struct schema_node *node; /* of a member "@name"; NULL: "@" */
	bool is_array;
	bool closes;	     /* the object that "@" is in ends behind it */
	struct bytes behind; /* anydata: what is left of its object, without the opening bracket */
	size_t item, note;
	uint64_t index; /* in the array: of the item that is due */
};

struct json_encoder {
	struct schema *schema;
	const struct tree_record *root;
	struct tree_reclaimer *reclaimer;
	struct select_walk walk;
	struct vector levels; /* empty before the first step */
	unsigned indent;      /* blanks a level */
	unsigned nesting;     /* objects and arrays that are open */
	bool done;
	size_t formless;   /* see json_encoder_formless */
	struct bytes rest; /* of the value that is being written; size 0: none */
	bool rest_is_raw;  /* written as it is; else escaped, and a quote follows */
	struct buffer any; /* what `rest` is of where it is raw */
	struct arena *scratch;
	struct vector
		noted; /* struct noted: of the leaf-list's array that is open, or what is being written */
	uint64_t array_index; /* items of the leaf-list's array that is open */
	struct metadata metadata;
	bool is_held; /* an event waits */
	enum walk_event held;
	struct tree_position held_position;
};

static enum status put(struct buffer *out, const char *text)
{
	return buffer_append(out, bytes_of(text));
}

static struct level *last_level(const struct json_encoder *encoder)
{
	return vector_at(&encoder->levels, encoder->levels.length - 1);
}

static enum status put_line(struct json_encoder *encoder, struct buffer *out)
{
	if (encoder->indent == 0)
		return ST_OK;
	static const char BLANKS[] = "                                ";
	enum status status = put(out, "\n");
	size_t left = (size_t)encoder->indent * encoder->nesting;
	while (left > 0 && status == ST_OK) {
		size_t size = left < sizeof(BLANKS) - 1 ? left : sizeof(BLANKS) - 1;
		status = buffer_append(out, (struct bytes){BLANKS, size});
		left -= size;
	}
	return status;
}

static enum status put_open(struct json_encoder *encoder, struct buffer *out, const char *bracket)
{
	encoder->nesting++;
	return put(out, bracket);
}

/* `was_empty`: nothing came since the opening bracket, so both stay on a line. */
static enum status put_close(struct json_encoder *encoder, struct buffer *out, const char *bracket,
			     bool was_empty)
{
	encoder->nesting--;
	enum status status = was_empty ? ST_OK : put_line(encoder, out);
	return status == ST_OK ? put(out, bracket) : status;
}

static enum status close_array(struct json_encoder *encoder, struct buffer *out, struct level *level)
{
	if (!level->array)
		return ST_OK;
	level->array = NULL;
	return put_close(encoder, out, "]", false);
}

static enum status open_object(struct json_encoder *encoder, struct buffer *out)
{
	vector_push(&encoder->levels);
	return put_open(encoder, out, "{");
}

static enum status close_object(struct json_encoder *encoder, struct buffer *out)
{
	struct level *level = last_level(encoder);
	enum status status = close_array(encoder, out, level);
	bool was_empty = !level->has_member;
	vector_pop(&encoder->levels);
	return status == ST_OK ? put_close(encoder, out, "}", was_empty) : status;
}

/* `sign`: before the name. */
static enum status put_name(struct json_encoder *encoder, struct buffer *out, const char *sign,
			    const struct schema_node *node)
{
	const struct schema_node *parent = node->parent;
	enum status status = put(out, "\"");
	if (status == ST_OK)
		status = put(out, sign);
	if (status == ST_OK && (parent->kind == SCHEMA_ROOT || parent->module != node->module)) {
		status = put(out, node->module->name);
		if (status == ST_OK)
			status = put(out, ":");
	}
	if (status == ST_OK)
		status = buffer_append(out, node->name_bytes);
	return status == ST_OK ? put(out, encoder->indent > 0 ? "\": " : "\":") : status;
}

/* All that stands before an instance's value. */
static enum status begin_instance(struct json_encoder *encoder, struct buffer *out,
				  const struct schema_node *node)
{
	struct level *level = last_level(encoder);
	bool goes_on = level->array == node;
	bool is_listed = node->kind == SCHEMA_LIST || node->kind == SCHEMA_LEAF_LIST;
	enum status status = goes_on ? ST_OK : close_array(encoder, out, level);
	if (status == ST_OK && level->has_member)
		status = put(out, ",");
	if (status == ST_OK)
		status = put_line(encoder, out);
	level->has_member = true;
	if (goes_on || status != ST_OK)
		return status;
	status = put_name(encoder, out, "", node);
	if (status != ST_OK || !is_listed)
		return status;
	level->array = node;
	encoder->array_index = 0;
	status = put_open(encoder, out, "[");
	return status == ST_OK ? put_line(encoder, out) : status;
}

static enum status put_value(struct json_encoder *encoder, struct buffer *out, const struct schema_type *type,
			     const struct schema_module *module, struct bytes text)
{
	enum json_form form = codec__json_form(encoder->schema, type, module, text, encoder->scratch);
	if (text.size <= CODEC_PIECE_SIZE)
		return codec__json_put(out, form, text);
	encoder->rest = text;
	encoder->rest_is_raw = false;
	return put(out, "\"");
}

/* ---- annotations ---- */

/* The present instance is written, and its annotations come next; those of a leaf-list behind its array. */
static void begin_metadata(struct json_encoder *encoder, const struct tree_position *position)
{
	const struct schema_node *node = position->schema;
	struct noted noted = {0};
	bool is_item = node->kind == SCHEMA_LEAF_LIST;
	if (is_item)
		noted.index = encoder->array_index++;
	noted.notes = tree_position_annotations(position, &noted.count);
	if (!noted.notes)
		return;
	*(struct noted *)vector_push(&encoder->noted) = noted;
	if (is_item)
		return;
	bool is_member = node->kind == SCHEMA_LEAF || node->kind == SCHEMA_ANYXML ||
			 (node->kind == SCHEMA_ANYDATA && encoder->rest.data[0] != '{');
	encoder->metadata = (struct metadata){.state = METADATA_BEGIN, .node = is_member ? node : NULL};
}

/* Of the leaf-list whose array was closed. */
static void begin_array_metadata(struct json_encoder *encoder, const struct schema_node *leaf_list)
{
	encoder->metadata = (struct metadata){.state = METADATA_BEGIN, .node = leaf_list, .is_array = true};
}

static enum status end_metadata(struct json_encoder *encoder, struct buffer *out)
{
	struct metadata *metadata = &encoder->metadata;
	metadata->state = METADATA_NONE;
	vector_clear(&encoder->noted);
	if (metadata->behind.size > 0) {
		encoder->rest = metadata->behind;
		encoder->rest_is_raw = true;
		return encoder->rest.data[0] == '}' ? ST_OK : put(out, ",");
	}
	return metadata->closes ? close_object(encoder, out) : ST_OK;
}

static enum status put_metadata_name(struct json_encoder *encoder, struct buffer *out)
{
	struct metadata *metadata = &encoder->metadata;
	bool is_anydata = metadata->behind.size > 0;
	enum status status = ST_OK;
	if (!is_anydata && last_level(encoder)->has_member)
		status = put(out, ",");
	if (!is_anydata && status == ST_OK)
		status = put_line(encoder, out);
	last_level(encoder)->has_member = true;
	if (status == ST_OK && metadata->node)
		status = put_name(encoder, out, "@", metadata->node);
	else if (status == ST_OK)
		status = put(out, encoder->indent > 0 ? "\"@\": " : "\"@\":");
	metadata->state = metadata->is_array ? METADATA_ITEM : METADATA_NOTE;
	return status == ST_OK ? put_open(encoder, out, metadata->is_array ? "[" : "{") : status;
}

/* Those at the end that are null are written too, as yanglint does (RFC 7952 5.2.4 lets them out or in). */
static enum metadata_state state_behind_item(const struct json_encoder *encoder)
{
	const struct metadata *metadata = &encoder->metadata;
	bool is_left = metadata->is_array && metadata->index < encoder->array_index;
	return is_left ? METADATA_ITEM : METADATA_END;
}

static enum status put_metadata_item(struct json_encoder *encoder, struct buffer *out)
{
	struct metadata *metadata = &encoder->metadata;
	bool is_left = metadata->item < encoder->noted.length;
	const struct noted *noted = is_left ? vector_at(&encoder->noted, metadata->item) : NULL;
	enum status status = metadata->index > 0 ? put(out, ",") : ST_OK;
	if (status == ST_OK)
		status = put_line(encoder, out);
	if (status != ST_OK)
		return status;
	if (!noted || noted->index != metadata->index) {
		metadata->index++;
		metadata->state = state_behind_item(encoder);
		return put(out, "null");
	}
	metadata->index++;
	metadata->note = 0;
	metadata->state = METADATA_NOTE;
	return put_open(encoder, out, "{");
}

static enum status put_note(struct json_encoder *encoder, struct buffer *out)
{
	struct metadata *metadata = &encoder->metadata;
	const struct noted *noted = vector_at(&encoder->noted, metadata->item);
	if (metadata->note == noted->count) {
		metadata->item++;
		metadata->state = state_behind_item(encoder);
		return put_close(encoder, out, "}", false);
	}
	const struct tree_annotation *note = &noted->notes[metadata->note];
	enum status status = metadata->note++ > 0 ? put(out, ",") : ST_OK;
	if (status == ST_OK)
		status = put_line(encoder, out);
	if (status == ST_OK)
		status = put(out, "\"");
	if (status == ST_OK)
		status = put(out, note->schema->module->name);
	if (status == ST_OK)
		status = put(out, ":");
	if (status == ST_OK)
		status = buffer_append(out, note->schema->name_bytes);
	if (status == ST_OK)
		status = put(out, encoder->indent > 0 ? "\": " : "\":");
	return status == ST_OK ? put_value(encoder, out, note->schema->type, note->schema->module,
					   value_bytes(&note->value))
			       : status;
}

static enum status step_metadata(struct json_encoder *encoder, struct buffer *out)
{
	enum status status = ST_OK;
	switch (encoder->metadata.state) {
	case METADATA_BEGIN:
		return put_metadata_name(encoder, out);
	case METADATA_ITEM:
		return put_metadata_item(encoder, out);
	case METADATA_NOTE:
		return put_note(encoder, out);
	case METADATA_END:
		if (encoder->metadata.is_array)
			status = put_close(encoder, out, "]", false);
		return status == ST_OK ? end_metadata(encoder, out) : status;
	case METADATA_NONE:
		break;
	}
	return status;
}

/* ---- nodes ---- */

static enum status put_leaf(struct json_encoder *encoder, struct buffer *out,
			    const struct tree_position *position)
{
	const struct schema_node *node = position->schema;
	enum status status = put_value(encoder, out, node->type, node->module, value_bytes(&position->value));
	begin_metadata(encoder, position);
	return status;
}

static enum status put_any(struct json_encoder *encoder, struct buffer *out,
			   const struct tree_position *position)
{
	buffer_clear(&encoder->any, 0);
	if (!json_any_write(encoder->schema, position->schema, text_bytes(position->any->xml), &encoder->any))
		encoder->formless++;
	encoder->rest = buffer_get(&encoder->any);
	encoder->rest_is_raw = true;
	begin_metadata(encoder, position);
	if (encoder->metadata.state == METADATA_NONE || encoder->metadata.node)
		return ST_OK;
	/* "@" comes first in the object. */
	encoder->metadata.behind = (struct bytes){encoder->rest.data + 1, encoder->rest.size - 1};
	encoder->rest.size = 0;
	return put(out, "{");
}

/* A container or list entry; an empty one without annotations ends at once. */
static enum status put_object(struct json_encoder *encoder, struct buffer *out,
			      const struct tree_position *position, bool is_empty)
{
	begin_metadata(encoder, position);
	bool is_noted = encoder->metadata.state != METADATA_NONE;
	if (is_empty && !is_noted)
		return put(out, "{}");
	encoder->metadata.closes = is_empty;
	return open_object(encoder, out);
}

static enum status put_node(struct json_encoder *encoder, struct buffer *out,
			    const struct tree_position *position)
{
	enum status status = begin_instance(encoder, out, position->schema);
	if (status != ST_OK)
		return status;
	enum schema_kind kind = position->schema->kind;
	if (kind == SCHEMA_LEAF || kind == SCHEMA_LEAF_LIST)
		return put_leaf(encoder, out, position);
	if (kind == SCHEMA_ANYDATA || kind == SCHEMA_ANYXML)
		return put_any(encoder, out, position);
	return put_object(encoder, out, position, true);
}

/* Goes on with a value. */
static enum status step_rest(struct json_encoder *encoder, struct buffer *out)
{
	struct bytes piece = codec__take_piece(&encoder->rest);
	enum status status =
		encoder->rest_is_raw ? buffer_append(out, piece) : codec__json_escape(out, piece);
	if (status == ST_OK && encoder->rest.size == 0 && !encoder->rest_is_raw)
		status = put(out, "\"");
	return status;
}

static enum status end_document(struct json_encoder *encoder, struct buffer *out)
{
	encoder->done = true;
	enum status status = close_object(encoder, out);
	return status == ST_OK && encoder->indent > 0 ? put(out, "\n") : status;
}

static enum walk_event next_event(struct json_encoder *encoder, struct tree_position *position)
{
	if (!encoder->is_held)
		return codec__walk_next(&encoder->walk, position);
	encoder->is_held = false;
	*position = encoder->held_position;
	return encoder->held;
}

/* Whether the event is none of the leaf-list whose array is open. */
static bool ends_array(const struct json_encoder *encoder, enum walk_event event,
		       const struct tree_position *position)
{
	const struct schema_node *array = last_level(encoder)->array;
	return event != WALK_NOTHING && (event != WALK_NODE || position->schema != array);
}

/* One node, or the end of one. */
static enum status step(struct json_encoder *encoder, struct buffer *out)
{
	if (encoder->rest.size > 0)
		return step_rest(encoder, out);
	if (encoder->metadata.state != METADATA_NONE)
		return step_metadata(encoder, out);
	if (encoder->levels.length == 0)
		return open_object(encoder, out);
	struct tree_position position;
	enum walk_event event = next_event(encoder, &position);
	enum status status = ST_OK;
	if (encoder->noted.length > 0 && ends_array(encoder, event, &position)) {
		struct level *level = last_level(encoder);
		encoder->is_held = true;
		encoder->held = event;
		encoder->held_position = position;
		begin_array_metadata(encoder, level->array);
		return close_array(encoder, out, level);
	}
	switch (event) {
	case WALK_NOTHING:
		return ST_OK;
	case WALK_OPEN:
		status = begin_instance(encoder, out, position.schema);
		return status == ST_OK ? put_object(encoder, out, &position, false) : status;
	case WALK_NODE:
		return put_node(encoder, out, &position);
	case WALK_CLOSE:
		return close_object(encoder, out);
	case WALK_END:
		return end_document(encoder, out);
	}
	return status;
}

struct json_encoder *json_encoder_new(struct schema *schema, const struct tree_record *root,
				      const struct codec_selector *selector, struct tree_reclaimer *reclaimer,
				      unsigned indent)
{
	ASSERT(indent <= JSON_INDENT_MAX);
	struct json_encoder *encoder = memory_zalloc(sizeof(*encoder));
	encoder->schema = schema_ref(schema);
	encoder->root = tree_record_ref(root);
	encoder->reclaimer = reclaimer;
	encoder->indent = indent;
	encoder->scratch = arena_new();
	vector_init(&encoder->levels, sizeof(struct level));
	vector_init(&encoder->noted, sizeof(struct noted));
	buffer_init(&encoder->any, SIZE_MAX);
	codec__walk_init(&encoder->walk, schema, root, selector);
	return encoder;
}

size_t json_encoder_formless(const struct json_encoder *encoder)
{
	return encoder->formless;
}

void json_encoder_free(struct json_encoder *encoder)
{
	if (!encoder)
		return;
	codec__walk_fini(&encoder->walk);
	buffer_fini(&encoder->any);
	vector_fini(&encoder->levels);
	vector_fini(&encoder->noted);
	arena_free(encoder->scratch);
	tree_record_unref(encoder->root, encoder->schema->root, encoder->reclaimer);
	schema_unref(encoder->schema);
	memory_free(encoder);
}

enum status json_encoder_run(struct json_encoder *encoder, struct buffer *out, size_t size, size_t budget,
			     bool *done)
{
	enum status status = ST_OK;
	for (; budget > 0 && !encoder->done && buffer_size(out) < size && status == ST_OK; budget--)
		status = step(encoder, out);
	if (status == ST_OK)
		*done = encoder->done;
	return status;
}
