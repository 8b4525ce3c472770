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
 * Invariant: what was appended is the document up to a point between two steps, so it does not depend on how
 * the calls are cut.
 */
#include "codec/json_encoder.h"

#include "base/assert.h"
#include "base/memory.h"
#include "base/vector.h"
#include "codec/json_any.h"
#include "codec/json_value.h"
#include "codec/select_walk.h"

#define PIECE_SIZE ((size_t)8 * 1024) /* bytes of a value in one step, before escaping */

struct level {
	const struct schema_node *array; /* list or leaf-list whose array is open; NULL: none */
	bool has_member;
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
	struct bytes rest; /* of the value that is being written; size 0: none */
	bool rest_is_raw;  /* written as it is; else escaped, and a quote follows */
	struct buffer any; /* what `rest` is of where it is raw */
	struct arena *scratch;
};

static enum status put(struct buffer *out, const char *text)
{
	return buffer_append(out, bytes_of(text));
}

static struct level *last_level(struct json_encoder *encoder)
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

static enum status put_name(struct json_encoder *encoder, struct buffer *out, const struct schema_node *node)
{
	const struct schema_node *parent = node->parent;
	enum status status = put(out, "\"");
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
	status = put_name(encoder, out, node);
	if (status != ST_OK || !is_listed)
		return status;
	level->array = node;
	status = put_open(encoder, out, "[");
	return status == ST_OK ? put_line(encoder, out) : status;
}

static enum status put_leaf(struct json_encoder *encoder, struct buffer *out,
			    const struct tree_position *position)
{
	const struct schema_node *node = position->schema;
	struct bytes text = value_bytes(&position->value);
	enum json_form form =
		codec__json_form(encoder->schema, node->type, node->module, text, encoder->scratch);
	if (text.size <= PIECE_SIZE)
		return codec__json_put(out, form, text);
	encoder->rest = text;
	encoder->rest_is_raw = false;
	return put(out, "\"");
}

static enum status put_any(struct json_encoder *encoder, const struct tree_position *position)
{
	buffer_clear(&encoder->any, 0);
	json_any_write(encoder->schema, position->schema, text_bytes(position->any->xml), &encoder->any);
	encoder->rest = buffer_get(&encoder->any);
	encoder->rest_is_raw = true;
	return ST_OK;
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
		return put_any(encoder, position);
	return put(out, "{}");
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
static enum status step_rest(struct json_encoder *encoder, struct buffer *out)
{
	struct bytes piece = {encoder->rest.data, piece_size(encoder->rest)};
	enum status status =
		encoder->rest_is_raw ? buffer_append(out, piece) : codec__json_escape(out, piece);
	encoder->rest.data += piece.size;
	encoder->rest.size -= piece.size;
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

/* One node, or the end of one. */
static enum status step(struct json_encoder *encoder, struct buffer *out)
{
	if (encoder->rest.size > 0)
		return step_rest(encoder, out);
	if (encoder->levels.length == 0)
		return open_object(encoder, out);
	struct tree_position position;
	enum status status = ST_OK;
	switch (codec__walk_next(&encoder->walk, &position)) {
	case WALK_NOTHING:
		return ST_OK;
	case WALK_OPEN:
		status = begin_instance(encoder, out, position.schema);
		return status == ST_OK ? open_object(encoder, out) : status;
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
	buffer_init(&encoder->any, SIZE_MAX);
	codec__walk_init(&encoder->walk, schema, root, selector);
	return encoder;
}

void json_encoder_free(struct json_encoder *encoder)
{
	if (!encoder)
		return;
	codec__walk_fini(&encoder->walk);
	buffer_fini(&encoder->any);
	vector_fini(&encoder->levels);
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
