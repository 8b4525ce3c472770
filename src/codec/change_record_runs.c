/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Long runs of created entries of one list, read on several threads. Most of a large record or snapshot is
 * such runs, and most of the work is to make values and records; where one entry ends and the next begins is
 * found much faster than that, since nothing is made:
 *
 *     bytes      | e e e e e e e | e e e e e e e | e e e ...      one pass finds where entries end
 *     pieces     |   builder     |   builder     |                each read apart, threads in turn
 *     the list     ...... <- joined in order
 *
 * A piece is read by the same code as any item, into a part of the list (tree/part.h), with a dictionary of
 * the same names. Where one cannot be read or joined, be it damage, or entries that are not in order, its
 * bytes are read again as if nothing had happened, by the caller, into the tree: that alone decides, and
 * says what is wrong.
 *
 * A tree's blocks are cut anywhere; here they are put behind each other until there is enough. Not for names
 * or values of another schema, which are rare, and may be refused. Memory: bytes and trees of one batch.
 */
#include "base/memory.h"
#include "codec/change_record_internal.h"
#include "os/pieces.h"
#include "tree/part.h"

#define PIECE_LEAST ((size_t)64 << 10) /* bytes: some 1 ms of work, and no less is done so */
#define PIECE_MOST ((size_t)256 << 10) /* bytes that are looked through for the entries of one piece */
#define PIECES_MAX 64		       /* of a batch */

struct piece {
	struct bytes in;
	struct tree_builder *part; /* NULL: it could not be read */
};

struct batch {
	struct os_pieces pieces;
	struct piece piece[PIECES_MAX];
	size_t length;
	size_t ends[PIECES_MAX]; /* offset behind each in the reader's bytes */
	const struct schema_node *list;
	uint32_t parent; /* number of the name of what the list is in */
	const struct tree_builder *builder;
	struct change_dictionary **names; /* one a thread */
};

/* ---- where an entry ends ---- */

static bool skip_value(struct bytes *in)
{
	uint64_t head;
	if (!codec__get_number(in, &head) || head >> 1 > in->size)
		return false;
	*in = (struct bytes){in->data + (head >> 1), in->size - (size_t)(head >> 1)};
	return true;
}

static bool skip_values(struct bytes *in, uint32_t count)
{
	bool whole = true;
	for (uint32_t i = 0; whole && i < count; i++)
		whole = skip_value(in);
	return whole;
}

static bool skip_place(struct bytes *in, uint32_t keys)
{
	uint64_t has;
	return codec__get_number(in, &has) && has <= 1 && (has == 0 || skip_values(in, keys));
}

static bool skip_annotation(const struct change_dictionary *dictionary, struct bytes *in)
{
	uint64_t child;
	if (!codec__get_number(in, &child) || child >= dictionary->names.length)
		return false;
	return skip_values(in, codec__name_at(dictionary, child)->kind == CODEC__LEAF_LIST ? 2 : 1);
}

static bool skip_children(const struct change_dictionary *dictionary, struct bytes *in, uint32_t parent);

/* A created item whose start was read. */
static bool skip_item(const struct change_dictionary *dictionary, struct bytes *in, uint64_t start)
{
	uint32_t number = (uint32_t)(start >> CODEC__ACTION_BITS);
	const struct codec__name *name = codec__name_at(dictionary, number);
	uint32_t keys = name->kind == CODEC__LIST ? name->key_count : 1;
	if (name->kind == CODEC__LIST && !skip_values(in, keys))
		return false;
	if ((start & CODEC__PLACED) != 0 && !skip_place(in, keys))
		return false;
	switch (name->kind) {
	case CODEC__LEAF:
	case CODEC__LEAF_LIST:
		return skip_value(in);
	case CODEC__ANNOTATION:
		return skip_annotation(dictionary, in);
	case CODEC__CONTAINER:
	case CODEC__LIST:
		return skip_children(dictionary, in, number);
	default: {
		struct bytes xml;
		return codec__get_bytes(in, &xml);
	}
	}
}

static bool skip_children(const struct change_dictionary *dictionary, struct bytes *in, uint32_t parent)
{
	uint64_t start;
	while (codec__get_number(in, &start)) {
		uint64_t number = start >> CODEC__ACTION_BITS;
		if (start == 0)
			return true;
		if (number == 0 || number >= dictionary->names.length ||
		    (start & CODEC__ACTION) != CODEC__CREATED)
			return false;
		/* An item of another parent, whose names could go in circles, is refused by who reads it. */
		const struct codec__name *name = codec__name_at(dictionary, number);
		if (name->parent != parent && name->kind != CODEC__ANNOTATION)
			return false;
		if (!skip_item(dictionary, in, start))
			return false;
	}
	return false;
}

/* The list that a created entry comes next of; NULL: there is none, or it is not for here. */
static const struct schema_node *peek_list(const struct codec__reader *reader, uint32_t parent,
					   uint64_t *start)
{
	struct bytes in = reader->in;
	if (!codec__get_number(&in, start) || (*start & (CODEC__ACTION | CODEC__PLACED)) != CODEC__CREATED)
		return NULL;
	uint64_t number = *start >> CODEC__ACTION_BITS;
	if (number == 0 || number >= reader->dictionary->names.length)
		return NULL;
	const struct codec__name *name = codec__name_at(reader->dictionary, number);
	const struct schema_node *node = name->node;
	bool fits = name->kind == CODEC__LIST && name->parent == parent && node != NULL &&
		    !tree_node_is_user_ordered(node) && !tree_node_is_sequence(node);
	return fits ? node : NULL;
}

/* ---- a batch ---- */

/* Puts the next block behind what is left of this one. False: there is none to be had, see runs->status. */
static bool take_block(struct codec__reader *reader)
{
	struct codec__runs *runs = reader->runs;
	struct buffer *bytes = &runs->bytes;
	struct bytes rest = reader->in, held = buffer_get(bytes);
	if (reader->next == NULL || runs->status != ST_OK)
		return false;
	bool is_held = rest.data >= held.data && held.size > 0 && rest.data <= held.data + held.size;
	buffer_consume(bytes, is_held ? held.size - rest.size : held.size);
	if (!is_held)
		runs->status = buffer_append(bytes, rest);
	if (runs->status == ST_OK)
		runs->status = reader->next(reader->next_arg, &reader->in);
	if (runs->status == ST_OK)
		runs->status = codec__read_definitions(reader);
	if (runs->status == ST_OK)
		runs->status = buffer_append(bytes, reader->in);
	reader->in = buffer_get(bytes);
	return runs->status == ST_OK;
}

/* Passes over one entry of the list at an offset of the bytes; more are taken where it is cut. */
static bool skip_entry(struct codec__reader *reader, uint64_t start, size_t *at, size_t least)
{
	do {
		uint64_t own;
		struct bytes in = {reader->in.data + *at, reader->in.size - *at};
		bool is_cut = !codec__get_number(&in, &own);
		if (!is_cut && own != start)
			return false;
		if (!is_cut && skip_item(reader->dictionary, &in, own)) {
			*at = reader->in.size - in.size;
			return true;
		}
	} while (reader->in.size - least <= PIECE_MOST && take_block(reader));
	return false;
}

/* Finds the pieces at the front of the bytes. Gives how many of these were looked through. */
static size_t find_pieces(struct codec__reader *reader, uint64_t start, struct batch *batch)
{
	size_t at = 0, from = 0, end = 0, count = 0;
	while (batch->length < PIECES_MAX && at - from <= PIECE_MOST &&
	       skip_entry(reader, start, &at, from)) {
		if (++count % TREE_PART_MULTIPLE != 0)
			continue;
		end = at;
		if (end - from >= PIECE_LEAST) {
			batch->ends[batch->length++] = end;
			from = end;
		}
	}
	if (batch->length > 0 && batch->length < PIECES_MAX && end > from)
		batch->ends[batch->length++] = end;
	for (size_t i = 0, begin = 0; i < batch->length; begin = batch->ends[i++])
		batch->piece[i].in = (struct bytes){reader->in.data + begin, batch->ends[i] - begin};
	return at;
}

static void read_piece(struct os_pieces *self, size_t number, size_t thread)
{
	struct batch *batch = (struct batch *)self;
	struct piece *piece = &batch->piece[number];
	struct arena *arena = arena_new();
	struct diag_list diags;
	diag_list_init(&diags, arena, 1);
	struct codec__reader reader = {.dictionary = batch->names[thread],
				       .in = piece->in,
				       .direction = CHANGE_REDO,
				       .builder = tree_part_new(batch->builder, batch->list->parent),
				       .diags = &diags};
	if (codec__read_items(&reader, batch->parent) == ST_OK && !reader.rejected)
		piece->part = reader.builder;
	else
		tree_builder_abort(reader.builder);
	arena_free(arena);
}

/* Reads all pieces, each into a part. */
static void read_pieces(const struct codec__reader *reader, struct batch *batch)
{
	size_t threads = reader->dictionary->threads < batch->length ? reader->dictionary->threads
								     : batch->length;
	batch->names = memory_resize(NULL, threads, sizeof(struct change_dictionary *));
	for (size_t i = 0; i < threads; i++)
		batch->names[i] = codec__dictionary_copy(reader->dictionary);
	batch->pieces.run = read_piece;
	os_pieces_run(&batch->pieces, batch->length, threads);
	for (size_t i = 0; i < threads; i++)
		change_dictionary_free(batch->names[i]);
	memory_free(batch->names);
}

/* The bytes again, as any others. */
static enum status read_again(struct codec__reader *reader, uint32_t parent, struct bytes in)
{
	struct codec__reader again = *reader;
	again.in = in;
	again.next = NULL;
	again.runs = NULL;
	enum status status = codec__read_items(&again, parent);
	reader->rejected = again.rejected;
	return status;
}

static enum status join_pieces(struct codec__reader *reader, uint32_t parent, struct batch *batch)
{
	enum status status = ST_OK;
	for (size_t i = 0; i < batch->length; i++) {
		struct piece *piece = &batch->piece[i];
		bool joins = piece->part != NULL && status == ST_OK && !reader->runs->is_off;
		if (joins && tree_part_join(reader->builder, batch->list, piece->part))
			continue;
		if (!joins && piece->part != NULL)
			tree_builder_abort(piece->part);
		reader->runs->is_off = true; /* what comes behind would not go better */
		if (status == ST_OK)
			status = read_again(reader, parent, piece->in);
	}
	return status;
}

static void watch(const struct codec__reader *reader, const struct schema_node *list)
{
	if (reader->dictionary->changes != NULL)
		reader->dictionary->changes(reader->dictionary->changes_arg, list);
}

static bool may_take(const struct codec__reader *reader)
{
	const struct codec__runs *runs = reader->runs;
	bool was_looked_through =
		reader->in.data >= runs->quiet.data && reader->in.data < runs->quiet.data + runs->quiet.size;
	return !runs->is_off && reader->in.size >= PIECE_LEAST && !was_looked_through;
}

enum status codec__runs_take(struct codec__reader *reader, uint32_t parent)
{
	uint64_t start;
	enum status status = ST_OK;
	while (status == ST_OK && may_take(reader)) {
		struct batch batch = {.parent = parent, .builder = reader->builder};
		batch.list = peek_list(reader, parent, &start);
		if (batch.list == NULL)
			return ST_OK;
		size_t looked = find_pieces(reader, start, &batch);
		if (reader->runs->status != ST_OK)
			return reader->runs->status;
		if (batch.length < 2) {
			reader->runs->quiet = (struct bytes){reader->in.data, looked + 1};
			return ST_OK;
		}
		watch(reader, batch.list);
		read_pieces(reader, &batch);
		status = join_pieces(reader, parent, &batch);
		size_t end = batch.ends[batch.length - 1];
		reader->in = (struct bytes){reader->in.data + end, reader->in.size - end};
	}
	return status;
}

void codec__runs_init(struct codec__runs *runs)
{
	*runs = (struct codec__runs){.status = ST_OK};
	buffer_init(&runs->bytes, SIZE_MAX);
}

void codec__runs_fini(struct codec__runs *runs)
{
	buffer_fini(&runs->bytes);
}
