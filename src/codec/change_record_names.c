/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The dictionary of the change codec: numbers for schema nodes. A name is defined in the first block that
 * needs it, by its parent's number, its module and its own name, and from then on is its number: 1, 2, ... in
 * the order of definition. The writer finds the number by the schema's id, the reader the node by the
 * number.
 *
 * A name that the reader's schema does not know keeps its place and its text: what is below it can still be
 * skipped, and a message can say what it was.
 */
#include <stdio.h>
#include "base/assert.h"
#include "base/memory.h"
#include "codec/change_record_internal.h"

void codec__put_number(struct buffer *out, uint64_t number)
{
	char *room = codec__room(out, CODEC__NUMBER_MAX);
	buffer_commit(out, (size_t)(codec__write_number(room, number) - room));
}

void codec__put_bytes(struct buffer *out, struct bytes bytes)
{
	codec__put_number(out, bytes.size);
	enum status status = buffer_append(out, bytes);
	ASSERT(status == ST_OK); /* these buffers have no limit */
}

bool codec__get_number(struct bytes *in, uint64_t *number)
{
	uint64_t made = 0;
	for (unsigned i = 0; i < in->size && i < 10; i++) {
		uint8_t byte = (uint8_t)in->data[i];
		made |= (uint64_t)(byte & 0x7f) << (7 * i);
		if (byte < 0x80) {
			*number = made;
			*in = (struct bytes){in->data + i + 1, in->size - i - 1};
			return true;
		}
	}
	return false;
}

bool codec__get_bytes(struct bytes *in, struct bytes *bytes)
{
	uint64_t size;
	struct bytes rest = *in;
	if (!codec__get_number(&rest, &size) || size > rest.size)
		return false;
	*bytes = (struct bytes){rest.data, size};
	*in = (struct bytes){rest.data + size, rest.size - size};
	return true;
}

static void clear_name(struct codec__name *name)
{
	for (unsigned i = 0; i < CODEC__RECENT; i++)
		value_unref(name->recent[i]);
	memory_free(name->text);
}

struct change_dictionary *change_dictionary_new(const struct schema *schema)
{
	struct change_dictionary *dictionary = memory_zalloc(sizeof(*dictionary));
	dictionary->schema = schema;
	dictionary->numbers = memory_zalloc(schema->node_count * sizeof(*dictionary->numbers));
	dictionary->annotation_numbers =
		memory_zalloc((schema->annotation_count + 1) * sizeof(*dictionary->annotation_numbers));
	vector_init(&dictionary->names, sizeof(struct codec__name));
	buffer_init(&dictionary->defined, SIZE_MAX);
	buffer_init(&dictionary->body, SIZE_MAX);
	dictionary->arena = arena_new();
	((struct codec__name *)vector_push(&dictionary->names))->node = schema->root;
	return dictionary;
}

void change_dictionary_free(struct change_dictionary *dictionary)
{
	if (dictionary == NULL)
		return;
	change_dictionary_reset(dictionary);
	vector_fini(&dictionary->names);
	buffer_fini(&dictionary->defined);
	buffer_fini(&dictionary->body);
	arena_free(dictionary->arena);
	memory_free(dictionary->numbers);
	memory_free(dictionary->annotation_numbers);
	memory_free(dictionary);
}

void change_dictionary_reset(struct change_dictionary *dictionary)
{
	change_dictionary_cut(dictionary, 0);
}

size_t change_dictionary_length(const struct change_dictionary *dictionary)
{
	return dictionary->names.length - 1;
}

void change_dictionary_cut(struct change_dictionary *dictionary, size_t length)
{
	while (dictionary->names.length > length + 1) {
		struct codec__name *name = codec__name_at(dictionary, dictionary->names.length - 1);
		if (name->node != NULL)
			dictionary->numbers[name->node->id] = 0;
		if (name->annotation != NULL)
			dictionary->annotation_numbers[name->annotation->index] = 0;
		clear_name(name);
		vector_pop(&dictionary->names);
	}
	dictionary->repeats = length > 0 ? dictionary->before : (struct codec__repeats){0};
	dictionary->before = dictionary->repeats;
	dictionary->written = dictionary->written < length ? dictionary->written : length;
	dictionary->forgotten = dictionary->forgotten && length > 0;
}

void change_dictionary_set_strict(struct change_dictionary *dictionary, bool strict)
{
	dictionary->strict = strict;
}

void change_dictionary_set_threads(struct change_dictionary *dictionary, unsigned threads)
{
	dictionary->threads = threads;
}

struct change_dictionary *codec__dictionary_copy(const struct change_dictionary *dictionary)
{
	struct change_dictionary *copy = change_dictionary_new(dictionary->schema);
	for (size_t number = 1; number < dictionary->names.length; number++) {
		const struct codec__name *name = codec__name_at(dictionary, number);
		*(struct codec__name *)vector_push(&copy->names) =
			(struct codec__name){.node = name->node,
					     .annotation = name->annotation,
					     .parent = name->parent,
					     .kind = name->kind,
					     .depth = name->depth,
					     .key_count = name->key_count,
					     .text = name->text != NULL ? memory_strdup(name->text) : NULL};
	}
	return copy;
}

void change_dictionary_set_lenient(struct change_dictionary *dictionary, bool lenient)
{
	dictionary->lenient = lenient;
}

uint64_t change_dictionary_left_out(const struct change_dictionary *dictionary)
{
	return dictionary->left_out;
}

static uint8_t kind_of(const struct schema_node *node)
{
	switch (node->kind) {
	case SCHEMA_CONTAINER:
		return CODEC__CONTAINER;
	case SCHEMA_LIST:
		return CODEC__LIST;
	case SCHEMA_LEAF:
		return CODEC__LEAF;
	case SCHEMA_LEAF_LIST:
		return CODEC__LEAF_LIST;
	case SCHEMA_ANYDATA:
		return CODEC__ANYDATA;
	case SCHEMA_ANYXML:
		return CODEC__ANYXML;
	case SCHEMA_ROOT:
	case SCHEMA_RPC:
	case SCHEMA_ACTION:
	case SCHEMA_OUTPUT:
	case SCHEMA_NOTIFICATION:
		break;
	}
	ASSERT(!"a node that no datastore holds");
	return 0;
}

static uint32_t add_name(struct change_dictionary *dictionary, const struct schema_node *node,
			 uint32_t parent, uint8_t kind, uint32_t key_count)
{
	uint32_t number = (uint32_t)dictionary->names.length;
	struct codec__name *name = vector_push(&dictionary->names);
	*name = (struct codec__name){.node = node, .parent = parent, .kind = kind, .key_count = key_count};
	name->depth = codec__name_at(dictionary, parent)->depth + 1;
	if (node != NULL)
		dictionary->numbers[node->id] = number;
	return number;
}

uint32_t codec__name_add(struct change_dictionary *dictionary, const struct schema_node *node)
{
	if (node->kind == SCHEMA_ROOT)
		return 0;
	uint32_t parent = codec__name_number(dictionary, node->parent);
	return add_name(dictionary, node, parent, kind_of(node), node->key_count);
}

uint32_t codec__annotation_number(struct change_dictionary *dictionary,
				  const struct schema_annotation *annotation)
{
	uint32_t number = dictionary->annotation_numbers[annotation->index];
	if (number != 0)
		return number;
	number = add_name(dictionary, NULL, 0, CODEC__ANNOTATION, 0);
	codec__name_at(dictionary, number)->annotation = annotation;
	dictionary->annotation_numbers[annotation->index] = number;
	return number;
}

static void put_annotation(struct buffer *out, const struct schema_annotation *annotation)
{
	codec__put_number(out, 0);
	codec__put_number(out, CODEC__ANNOTATION);
	codec__put_bytes(out, bytes_of(annotation->module->name));
	codec__put_bytes(out, annotation->name_bytes);
}

void codec__name_put(struct change_dictionary *dictionary, size_t number)
{
	const struct codec__name *name = codec__name_at(dictionary, number);
	const struct schema_node *node = name->node;
	struct buffer *out = &dictionary->defined;
	if (node == NULL) {
		put_annotation(out, name->annotation);
		return;
	}
	bool same_module = node->parent->module == node->module;
	codec__put_number(out, name->parent);
	codec__put_number(out, name->kind);
	codec__put_bytes(out, same_module ? (struct bytes){NULL, 0} : bytes_of(node->module->name));
	codec__put_bytes(out, node->name_bytes);
	if (node->kind != SCHEMA_LIST)
		return;
	codec__put_number(out, node->key_count);
	for (uint16_t i = 0; i < node->key_count; i++)
		codec__put_bytes(out, node->children[i]->name_bytes);
}

/* The node below `parent` with that name, if it is of that kind. */
static const struct schema_node *resolve(const struct change_dictionary *dictionary,
					 const struct schema_node *parent, uint8_t kind,
					 struct bytes module_name, struct bytes name)
{
	if (parent == NULL)
		return NULL;
	const struct schema_module *module =
		module_name.size == 0 ? parent->module : schema_module_find(dictionary->schema, module_name);
	if (module == NULL)
		return NULL;
	const struct schema_node *node = schema_child_find(dictionary->schema, parent, module, name);
	return node != NULL && node->config && kind_of(node) == kind ? node : NULL;
}

static void describe_unknown(const struct change_dictionary *dictionary, struct codec__name *name,
			     struct bytes module, struct bytes own)
{
	char path[512] = "";
	const struct codec__name *parent = codec__name_at(dictionary, name->parent);
	if (name->parent != 0 && parent->node != NULL)
		schema_node_path(parent->node, path, sizeof(path));
	else if (parent->text != NULL)
		snprintf(path, sizeof(path), "%s", parent->text);
	size_t size = strlen(path) + module.size + own.size + 3;
	name->text = memory_alloc(size);
	snprintf(name->text, size, "%s/%.*s%s%.*s", path, (int)module.size, module.data,
		 module.size > 0 ? ":" : "", (int)own.size, own.data);
}

/* A definition as it is read. */
struct definition {
	uint64_t parent, kind, key_count;
	struct bytes module, own, keys; /* keys: as encoded */
};

static bool read_definition(struct bytes *in, struct definition *definition)
{
	*definition = (struct definition){0};
	if (!codec__get_number(in, &definition->parent) || !codec__get_number(in, &definition->kind) ||
	    !codec__get_bytes(in, &definition->module) || !codec__get_bytes(in, &definition->own))
		return false;
	if (definition->kind != CODEC__LIST)
		return true;
	if (!codec__get_number(in, &definition->key_count) || definition->key_count > CODEC__KEYS_MAX)
		return false;
	definition->keys = *in;
	struct bytes key;
	for (uint64_t i = 0; i < definition->key_count; i++) {
		if (!codec__get_bytes(in, &key))
			return false;
	}
	return true;
}

static bool keys_match(const struct schema_node *node, struct definition definition)
{
	if (node->kind != SCHEMA_LIST)
		return true;
	bool match = node->key_count == definition.key_count;
	struct bytes key;
	for (uint16_t i = 0; match && i < node->key_count; i++)
		match = codec__get_bytes(&definition.keys, &key) &&
			bytes_equal(key, node->children[i]->name_bytes);
	return match;
}

static bool is_sound(const struct change_dictionary *dictionary, const struct definition *definition)
{
	if (definition->parent >= dictionary->names.length || dictionary->names.length >= CODEC__NAMES_MAX)
		return false;
	if (definition->kind < CODEC__CONTAINER || definition->kind > CODEC__ANNOTATION ||
	    definition->own.size == 0)
		return false;
	const struct codec__name *above = codec__name_at(dictionary, definition->parent);
	if (definition->kind == CODEC__ANNOTATION && definition->parent != 0)
		return false;
	return definition->parent == 0 || (above->depth < CODEC__DEPTH_MAX &&
					   (above->kind == CODEC__CONTAINER || above->kind == CODEC__LIST));
}

static enum status define_annotation(struct change_dictionary *dictionary,
				     const struct definition *definition)
{
	const struct schema_module *module = schema_module_find(dictionary->schema, definition->module);
	const struct schema_annotation *annotation =
		module != NULL ? schema_annotation_find(dictionary->schema, module, definition->own) : NULL;
	if (annotation != NULL && dictionary->annotation_numbers[annotation->index] != 0)
		return ST_CORRUPT;
	uint32_t number = add_name(dictionary, NULL, 0, CODEC__ANNOTATION, 0);
	codec__name_at(dictionary, number)->annotation = annotation;
	if (annotation != NULL)
		dictionary->annotation_numbers[annotation->index] = number;
	describe_unknown(dictionary, codec__name_at(dictionary, number), definition->module, definition->own);
	return ST_OK;
}

enum status codec__name_define(struct change_dictionary *dictionary, uint64_t number, struct bytes *in)
{
	struct definition definition;
	if (number == 0 || number > dictionary->names.length || !read_definition(in, &definition))
		return ST_CORRUPT;
	if (number < dictionary->names.length)
		return ST_OK;
	if (!is_sound(dictionary, &definition))
		return ST_CORRUPT;
	if (definition.kind == CODEC__ANNOTATION)
		return define_annotation(dictionary, &definition);
	const struct schema_node *parent = codec__name_at(dictionary, definition.parent)->node;
	const struct schema_node *node =
		resolve(dictionary, parent, (uint8_t)definition.kind, definition.module, definition.own);
	if (node != NULL && dictionary->numbers[node->id] != 0)
		return ST_CORRUPT;
	if (node != NULL && !keys_match(node, definition))
		node = NULL;
	add_name(dictionary, node, (uint32_t)definition.parent, (uint8_t)definition.kind,
		 (uint32_t)definition.key_count);
	if (node == NULL)
		describe_unknown(dictionary, codec__name_at(dictionary, number), definition.module,
				 definition.own);
	return ST_OK;
}

void change_dictionary_watch(struct change_dictionary *dictionary,
			     void (*changes)(void *arg, const struct schema_node *node), void *arg)
{
	dictionary->changes = changes;
	dictionary->changes_arg = arg;
}
