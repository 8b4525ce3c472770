/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Annotations of the open node are given to it at once. Those of a child may come before it does, so they
 * wait in `pending` until the object ends; then one pass over the children gives each what is its: a
 * leaf-list's values are counted, as the items of the metadata's array were. A hostile document cannot make
 * this dear: the pending ones are sorted, and searched once for each child.
 *
 * What is wrong is reported and skipped, as everywhere in the decoder.
 *
 * Invariant: `pending` is in order of the depth of the nodes that are open.
 */
#include "codec/json_metadata.h"

#include <stdlib.h>

#include "base/memory.h"
#include "codec/json_value.h"

struct pending {
	size_t depth; /* of the open node */
	const struct schema_node *child;
	uint64_t index; /* of the leaf-list's value, from 0 on */
	const struct schema_annotation *annotation;
	struct value value; /* owned; VALUE_NONE: it was given to its node */
};

void codec__json_metadata_init(struct json_metadata *metadata, struct edit_assembler *assembler,
			       struct schema_prefixes_canonical *prefixes)
{
	*metadata = (struct json_metadata){.assembler = assembler, .prefixes = prefixes};
	vector_init(&metadata->pending, sizeof(struct pending));
}

static void pop(struct json_metadata *metadata)
{
	struct pending *last = vector_at(&metadata->pending, metadata->pending.length - 1);
	value_unref(last->value);
	vector_pop(&metadata->pending);
}

void codec__json_metadata_fini(struct json_metadata *metadata)
{
	while (metadata->pending.length > 0)
		pop(metadata);
	vector_fini(&metadata->pending);
}

void codec__json_metadata_begin(struct json_metadata *metadata, const struct schema_node *child)
{
	metadata->state = JSON_METADATA_VALUE;
	metadata->child = child;
	metadata->is_array = child && child->kind == SCHEMA_LEAF_LIST;
	metadata->index = 0;
	metadata->skip = 0;
}

static bool is_start(enum json_event event)
{
	return event == JSON_OBJECT_START || event == JSON_ARRAY_START;
}

static bool is_end(enum json_event event)
{
	return event == JSON_OBJECT_END || event == JSON_ARRAY_END;
}

static enum status refuse_form(struct json_metadata *metadata, enum json_event event)
{
	struct bytes name = metadata->child ? metadata->child->name_bytes : (struct bytes){0};
	codec__edit_report(metadata->assembler, DIAG_BAD_ELEMENT, metadata->child, name,
			   "The metadata is not in the form for it.");
	metadata->skip = is_start(event) ? 1 : 0;
	return ST_OK;
}

static void refuse_annotation(struct json_metadata *metadata, enum diag_tag tag, struct bytes name,
			      const char *message)
{
	codec__edit_report_attribute(metadata->assembler, tag, metadata->child, name, message);
}

/* What comes after an object of annotations. */
static void end_object(struct json_metadata *metadata)
{
	metadata->index++;
	metadata->state = metadata->is_array ? JSON_METADATA_ARRAY : JSON_METADATA_NONE;
}

/* A list or container has its own inside, and anydata is an object too. */
static bool may_be_beside(const struct schema_node *child)
{
	return child->kind == SCHEMA_LEAF || child->kind == SCHEMA_LEAF_LIST || codec__edit_is_any(child);
}

static enum status take_value(struct json_metadata *metadata, enum json_event event)
{
	bool is_good = event == (metadata->is_array ? JSON_ARRAY_START : JSON_OBJECT_START);
	if (metadata->child && !may_be_beside(metadata->child))
		is_good = false;
	metadata->state = !is_good	       ? JSON_METADATA_NONE
			  : metadata->is_array ? JSON_METADATA_ARRAY
					       : JSON_METADATA_OBJECT;
	return is_good ? ST_OK : refuse_form(metadata, event);
}

static enum status take_item(struct json_metadata *metadata, enum json_event event)
{
	if (event == JSON_ARRAY_END)
		metadata->state = JSON_METADATA_NONE;
	else if (event == JSON_OBJECT_START)
		metadata->state = JSON_METADATA_OBJECT;
	else
		metadata->index++;
	bool is_good = event == JSON_ARRAY_END || event == JSON_OBJECT_START || event == JSON_NULL;
	return is_good ? ST_OK : refuse_form(metadata, event);
}

static enum status take_name(struct json_metadata *metadata, struct bytes text)
{
	const struct schema *schema = metadata->assembler->schema;
	const char *colon = text.size > 0 ? memchr(text.data, ':', text.size) : NULL;
	size_t prefix = colon ? (size_t)(colon - text.data) : 0;
	const struct schema_module *module =
		colon ? schema_module_find(schema, (struct bytes){text.data, prefix}) : NULL;
	metadata->annotation = NULL;
	if (module)
		metadata->annotation = schema_annotation_find(
			schema, module, (struct bytes){colon + 1, text.size - prefix - 1});
	metadata->state = JSON_METADATA_NOTE;
	if (!metadata->annotation)
		refuse_annotation(metadata, DIAG_UNKNOWN_ATTRIBUTE, text,
				  "The annotation is not one that the server knows.");
	return ST_OK;
}

/* Gives it to the open node, or keeps it for the child; takes the value. */
static enum status keep(struct json_metadata *metadata, struct value value)
{
	struct edit_assembler *assembler = metadata->assembler;
	struct edit_node *node = codec__edit_top(assembler)->node;
	const struct schema_annotation *annotation = metadata->annotation;
	if (metadata->child) {
		struct pending *pending = vector_push(&metadata->pending);
		*pending = (struct pending){assembler->depth, metadata->child, metadata->index, annotation,
					    value};
		assembler->value_size += sizeof(*pending);
		return codec__edit_check_memory(assembler);
	}
	bool is_new = node->schema->kind != SCHEMA_ROOT;
	for (const struct edit_annotation *at = node->annotations; at; at = at->next)
		is_new = is_new && at->schema != annotation;
	if (is_new) {
		edit_tree_annotate(assembler->tree, node, annotation, value);
		return codec__edit_check_memory(assembler);
	}
	value_unref(value);
	refuse_annotation(metadata, DIAG_BAD_ATTRIBUTE, annotation->name_bytes,
			  node->schema->kind == SCHEMA_ROOT ? "A datastore as a whole has no annotations."
							    : "The annotation is there twice.");
	return ST_OK;
}

static enum status take_note(struct json_metadata *metadata, enum json_form form, struct bytes text)
{
	struct edit_assembler *assembler = metadata->assembler;
	const struct schema_annotation *annotation = metadata->annotation;
	char integer[JSON_INTEGER_MAX];
	size_t size = form == JSON_FORM_NUMBER ? codec__json_integer(text, integer) : 0;
	if (size > 0)
		text = (struct bytes){integer, size};
	metadata->state = JSON_METADATA_OBJECT;
	if (!annotation)
		return ST_OK;
	metadata->prefixes->local = annotation->module;
	struct value value;
	if (!codec__json_accepts(assembler->schema, annotation->type, &metadata->prefixes->base, form, text,
				 assembler->scratch))
		refuse_annotation(metadata, DIAG_BAD_ATTRIBUTE, annotation->name_bytes,
				  "The value is not in the form of the annotation's type.");
	else if (codec__edit_parse_annotation(assembler, metadata->child, annotation, text, &value))
		return keep(metadata, value);
	return ST_OK;
}

static enum status refuse_note(struct json_metadata *metadata, enum json_event event, size_t open)
{
	metadata->state = JSON_METADATA_OBJECT;
	metadata->skip = open + (is_start(event) ? 1 : 0);
	if (metadata->annotation)
		refuse_annotation(metadata, DIAG_BAD_ATTRIBUTE, metadata->annotation->name_bytes,
				  "The value must be a string, number, true, false or [null].");
	return ST_OK;
}

static enum status begin_note(struct json_metadata *metadata, enum json_event event, struct bytes text)
{
	enum json_form form;
	if (codec__json_scalar(event, &text, &form))
		return take_note(metadata, form, text);
	if (event == JSON_ARRAY_START && metadata->annotation) {
		metadata->state = JSON_METADATA_NULL;
		return ST_OK;
	}
	return refuse_note(metadata, event, 0);
}

/* In the array of [null]. */
static enum status take_null(struct json_metadata *metadata, enum json_event event)
{
	if (metadata->state == JSON_METADATA_NULL && event == JSON_NULL) {
		metadata->state = JSON_METADATA_NULL_END;
		return ST_OK;
	}
	if (metadata->state == JSON_METADATA_NULL_END && event == JSON_ARRAY_END)
		return take_note(metadata, JSON_FORM_EMPTY, bytes_of(""));
	return refuse_note(metadata, event, event == JSON_ARRAY_END ? 0 : 1);
}

enum status codec__json_metadata_event(struct json_metadata *metadata, enum json_event event,
				       struct bytes text)
{
	if (metadata->skip > 0) {
		metadata->skip += is_start(event);
		metadata->skip -= is_end(event);
		return ST_OK;
	}
	switch (metadata->state) {
	case JSON_METADATA_VALUE:
		return take_value(metadata, event);
	case JSON_METADATA_ARRAY:
		return take_item(metadata, event);
	case JSON_METADATA_OBJECT:
		if (event == JSON_NAME)
			return take_name(metadata, text);
		end_object(metadata);
		return ST_OK;
	case JSON_METADATA_NOTE:
		return begin_note(metadata, event, text);
	case JSON_METADATA_NULL:
	case JSON_METADATA_NULL_END:
		return take_null(metadata, event);
	case JSON_METADATA_NONE:
		break;
	}
	return ST_OK;
}

/* ---- to which nodes they belong ---- */

static int compare_places(const struct pending *a, const struct pending *b)
{
	if (a->child->slot != b->child->slot)
		return a->child->slot < b->child->slot ? -1 : 1;
	return (a->index > b->index) - (a->index < b->index);
}

static int compare(const void *left, const void *right)
{
	const struct pending *a = left, *b = right;
	int order = compare_places(a, b);
	if (order != 0)
		return order;
	return (a->annotation->index > b->annotation->index) - (a->annotation->index < b->annotation->index);
}

/* The first of those of a place, or where they would be. */
static size_t find(const struct pending *all, size_t count, const struct pending *place)
{
	size_t low = 0, high = count;
	while (low < high) {
		size_t middle = (low + high) / 2;
		if (compare_places(&all[middle], place) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void give(struct json_metadata *metadata, struct pending *all, size_t count)
{
	struct edit_assembler *assembler = metadata->assembler;
	const struct edit_node *parent = codec__edit_top(assembler)->node;
	uint64_t *counts = memory_zalloc(parent->schema->child_count * sizeof(*counts));
	for (struct edit_node *node = parent->children; node; node = node->next) {
		struct pending place = {.child = node->schema, .index = counts[node->schema->slot]++};
		for (size_t i = find(all, count, &place); i < count && compare_places(&all[i], &place) == 0;
		     i++) {
			edit_tree_annotate(assembler->tree, node, all[i].annotation, all[i].value);
			all[i].value = VALUE_NONE;
		}
	}
	memory_free(counts);
}

static void report_bad(struct json_metadata *metadata, const struct pending *all, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		metadata->child = all[i].child;
		if (i > 0 && compare(&all[i - 1], &all[i]) == 0)
			refuse_annotation(metadata, DIAG_BAD_ATTRIBUTE, all[i].annotation->name_bytes,
					  "The annotation is there twice.");
		/* Its node may have been refused. */
		else if (!value_is_none(all[i].value) && !metadata->assembler->failed)
			refuse_annotation(metadata, DIAG_BAD_ATTRIBUTE, all[i].annotation->name_bytes,
					  "The annotation is of an instance that is not there.");
	}
}

void codec__json_metadata_resolve(struct json_metadata *metadata)
{
	struct vector *pending = &metadata->pending;
	size_t depth = metadata->assembler->depth, first = pending->length;
	while (first > 0 && ((struct pending *)vector_at(pending, first - 1))->depth == depth)
		first--;
	size_t count = pending->length - first;
	if (count == 0)
		return;
	struct pending *all = vector_at(pending, first);
	qsort(all, count, sizeof(*all), compare);
	give(metadata, all, count);
	report_bad(metadata, all, count);
	while (pending->length > first)
		pop(metadata);
}
