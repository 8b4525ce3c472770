/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The edit tree as the decoders make it: one node an element or member, at the speed at which they come.
 *
 *     open    node appended, frame pushed
 *     close   list entry: its keys are moved to the front; frame popped
 *
 * What was reported shows in `failed`: the tree is then thrown away, so it need not be complete.
 *
 * Values: the last one of each leaf is remembered with its text, so that a million entries of the same type
 * share one text. Not for types whose values depend on the namespaces in scope, and seldom for a leaf whose
 * values do not repeat.
 *
 * Invariants: frames[0 .. depth) are the open nodes, from the top node down; depth is bounded by the
 * schema's. A frame's `seen` has a bit for each child that came.
 */
#include "codec/edit_assemble.h"

#include "base/assert.h"
#include "base/memory.h"

#define FRAMES_MIN 8
#define WORD_BITS 64

size_t codec__edit_value_size(struct value value)
{
	const struct text *text = value_shared_text(value);
	if (!text || atomic_load_explicit(&text->refs, memory_order_relaxed) == TEXT_IMMORTAL)
		return 0;
	return sizeof(*text) + text->size + sizeof(max_align_t);
}

enum status codec__edit_too_big(struct edit_assembler *assembler)
{
	codec__edit_report(assembler, DIAG_TOO_BIG, NULL, (struct bytes){0},
			   "The configuration in the request is larger than the server takes.");
	return ST_LIMIT;
}

enum status codec__edit_check_memory(struct edit_assembler *assembler)
{
	size_t size = arena_size(assembler->tree->arena) + assembler->value_size;
	return size > assembler->memory_limit ? codec__edit_too_big(assembler) : ST_OK;
}

size_t codec__edit_memory_left(const struct edit_assembler *assembler)
{
	size_t used = arena_size(assembler->tree->arena) + assembler->value_size;
	size_t left = assembler->memory_limit > used ? assembler->memory_limit - used : 0;
	return left < TEXT_SIZE_MAX ? left : TEXT_SIZE_MAX;
}

static struct edit_frame *push(struct edit_assembler *assembler, struct edit_node *node)
{
	if (assembler->depth == assembler->capacity) {
		size_t capacity = assembler->capacity ? 2 * assembler->capacity : FRAMES_MIN;
		assembler->frames = memory_resize(assembler->frames, capacity, sizeof(*assembler->frames));
		memset(assembler->frames + assembler->capacity, 0,
		       (capacity - assembler->capacity) * sizeof(*assembler->frames));
		assembler->capacity = capacity;
	}
	bool deleting = assembler->depth > 0 && codec__edit_top(assembler)->deleting;
	struct edit_frame *frame = &assembler->frames[assembler->depth++];
	size_t words = ((size_t)node->schema->child_count + WORD_BITS - 1) / WORD_BITS;
	if (frame->seen_length < words) {
		frame->seen = memory_resize(frame->seen, words, sizeof(*frame->seen));
		frame->seen_length = words;
	}
	for (size_t i = 0; i < words; i++)
		frame->seen[i] = 0;
	frame->node = node;
	frame->deleting = deleting;
	frame->broken = false;
	return frame;
}

bool codec__edit_mark_seen(struct edit_assembler *assembler, const struct schema_node *child)
{
	struct edit_frame *frame = codec__edit_top(assembler);
	uint64_t *word = &frame->seen[child->slot / WORD_BITS];
	uint64_t bit = (uint64_t)1 << (child->slot % WORD_BITS);
	bool fresh = !(*word & bit);
	*word |= bit;
	return fresh;
}

static bool was_seen(const struct edit_frame *frame, const struct schema_node *child)
{
	return frame->seen[child->slot / WORD_BITS] >> (child->slot % WORD_BITS) & 1;
}

const struct schema_node *codec__edit_find_child(struct edit_assembler *assembler,
						 const struct schema_module *module, struct bytes name)
{
	const struct schema_node *parent = codec__edit_top(assembler)->node->schema;
	const struct schema_node *child = assembler->content == EDIT_CONTENT_CONFIG
						  ? schema_child_find(assembler->schema, parent, module, name)
						  : codec__operation_find_child(assembler, module, name);
	if (!child) {
		codec__edit_report(assembler, DIAG_UNKNOWN_ELEMENT, NULL, name,
				   "The schema has no such element here.");
		return NULL;
	}
	if (!child->config && assembler->content == EDIT_CONTENT_CONFIG) {
		codec__edit_report(assembler, DIAG_UNKNOWN_ELEMENT, child, name,
				   "The element is state data, not configuration.");
		return NULL;
	}
	return child;
}

struct edit_frame *codec__edit_open(struct edit_assembler *assembler, const struct schema_node *child)
{
	struct edit_node *parent = codec__edit_top(assembler)->node;
	return push(assembler, edit_tree_add(assembler->tree, parent, child));
}

static struct value_entry **value_entry(struct edit_assembler *assembler, const struct schema_node *leaf)
{
	return &assembler->values[leaf->id & (VALUE_CACHE_LENGTH - 1)];
}

/* Whether equal texts always give equal values, and a second one is likely. */
static bool is_cacheable(const struct schema_node *leaf, struct bytes lexical)
{
	if (lexical.size > VALUE_CACHE_TEXT || (leaf->is_key && leaf->parent->key_count == 1))
		return false;
	enum schema_base base = schema_type_base(schema_type_real(leaf->type));
	return base != BASE_IDENTITYREF && base != BASE_INSTANCE_IDENTIFIER && base != BASE_UNION;
}

static void remember_value(struct edit_assembler *assembler, const struct schema_node *leaf,
			   struct bytes lexical, struct value value)
{
	const struct text *text = value_shared_text(value);
	if (!is_cacheable(leaf, lexical) || (text && (text->flags & TEXT_QNAME)))
		return;
	struct value_entry **place = value_entry(assembler, leaf);
	if (*place && (*place)->misses++ >= VALUE_CACHE_MISSES && (*place)->misses % VALUE_CACHE_MISSES != 0)
		return;
	if (*place)
		value_unref((*place)->value);
	else
		*place = memory_zalloc(sizeof(**place));
	struct value_entry *entry = *place;
	entry->leaf = leaf;
	entry->value = value_ref(value);
	entry->size = (uint32_t)lexical.size;
	if (lexical.size > 0)
		memcpy(entry->lexical, lexical.data, lexical.size);
}

void codec__edit_parse_value(struct edit_assembler *assembler, struct bytes lexical)
{
	struct edit_frame *frame = codec__edit_top(assembler);
	const struct schema_node *leaf = frame->node->schema;
	struct value_entry *entry = *value_entry(assembler, leaf);
	frame->node->has_value = true;
	if (entry && entry->leaf == leaf &&
	    bytes_equal(lexical, (struct bytes){entry->lexical, entry->size})) {
		frame->node->value = value_ref(entry->value);
		entry->misses = 0;
		return;
	}
	struct schema_type_error error = {0};
	enum status status = schema_type_parse(assembler->schema, leaf->type, lexical, assembler->prefixes,
					       assembler->scratch, &frame->node->value, &error);
	if (status == ST_OK) {
		assembler->value_size += codec__edit_value_size(frame->node->value);
		remember_value(assembler, leaf, lexical, frame->node->value);
		return;
	}
	struct diag *diag =
		codec__edit_report(assembler, DIAG_INVALID_VALUE, NULL, (struct bytes){0},
				   error.message ? error.message : "The value is not of the type.");
	diag_set_app_tag(assembler->diags, diag, error.app_tag);
	arena_reset(assembler->scratch);
}

void codec__edit_set_any(struct edit_assembler *assembler, struct text *text)
{
	struct edit_node *node = codec__edit_top(assembler)->node;
	assembler->value_size += sizeof(*node->any) + sizeof(*text) + text->size;
	node->any = tree_any_new(text);
}

bool codec__edit_parse_annotation(struct edit_assembler *assembler, const struct schema_node *child,
				  const struct schema_annotation *annotation, struct bytes lexical,
				  struct value *value)
{
	struct schema_type_error error = {0};
	enum status status = schema_type_parse(assembler->schema, annotation->type, lexical,
					       assembler->prefixes, assembler->scratch, value, &error);
	if (status == ST_OK)
		assembler->value_size += codec__edit_value_size(*value);
	else
		codec__edit_report_attribute(assembler, DIAG_BAD_ATTRIBUTE, child, annotation->name_bytes,
					     error.message ? error.message
							   : "The value is not of the annotation's type.");
	arena_reset(assembler->scratch);
	return status == ST_OK;
}

void codec__edit_annotate(struct edit_assembler *assembler, struct edit_node *node,
			  const struct schema_annotation *annotation, struct bytes lexical)
{
	struct value value;
	if (codec__edit_parse_annotation(assembler, NULL, annotation, lexical, &value))
		edit_tree_annotate(assembler->tree, node, annotation, value);
}

static bool keys_are_first(const struct edit_node *entry)
{
	const struct schema_node *list = entry->schema;
	const struct edit_node *child = entry->children;
	for (uint16_t i = 0; i < list->key_count; i++, child = child->next) {
		if (!child || child->schema != list->children[i])
			return false;
	}
	return true;
}

static void report_missing_keys(struct edit_assembler *assembler, const struct edit_frame *frame)
{
	const struct schema_node *list = frame->node->schema;
	for (uint16_t i = 0; i < list->key_count; i++) {
		const struct schema_node *key = list->children[i];
		if (!was_seen(frame, key))
			codec__edit_report(assembler, DIAG_MISSING_ELEMENT, NULL, key->name_bytes,
					   "A key of the list entry is missing.");
	}
}

/* Moves the keys, all of which are there, to the front. */
static void sort_keys(struct edit_assembler *assembler, struct edit_node *entry)
{
	uint16_t count = entry->schema->key_count;
	if (assembler->keys_capacity < count) {
		assembler->keys = memory_resize(assembler->keys, count, sizeof(*assembler->keys));
		assembler->keys_capacity = count;
	}
	struct edit_node *rest = NULL;
	struct edit_node **rest_end = &rest;
	struct edit_node *last_rest = NULL;
	for (struct edit_node *child = entry->children; child; child = child->next) {
		if (child->schema->is_key) {
			assembler->keys[child->schema->slot] = child;
			continue;
		}
		*rest_end = last_rest = child;
		rest_end = &child->next;
	}
	*rest_end = NULL;
	for (uint16_t i = 0; i < count; i++)
		assembler->keys[i]->next = i + 1 < count ? assembler->keys[i + 1] : rest;
	entry->children = assembler->keys[0];
	entry->last_child = last_rest ? last_rest : assembler->keys[count - 1];
}

/* A key that came may have been refused before it became a node. */
static bool has_all_keys(const struct edit_node *entry)
{
	uint16_t count = 0;
	for (const struct edit_node *child = entry->children; child; child = child->next)
		count += child->schema->is_key;
	return count == entry->schema->key_count;
}

static void end_entry(struct edit_assembler *assembler, struct edit_frame *frame)
{
	if (keys_are_first(frame->node))
		return;
	const struct schema_node *list = frame->node->schema;
	for (uint16_t i = 0; i < list->key_count; i++) {
		if (!was_seen(frame, list->children[i])) {
			report_missing_keys(assembler, frame);
			return;
		}
	}
	if (has_all_keys(frame->node))
		sort_keys(assembler, frame->node);
}

enum status codec__edit_close(struct edit_assembler *assembler)
{
	ASSERT(assembler->depth > 1);
	struct edit_frame *frame = codec__edit_top(assembler);
	if (frame->node->schema->kind == SCHEMA_LIST)
		end_entry(assembler, frame);
	enum status status = codec__edit_check_memory(assembler);
	assembler->depth--;
	return status;
}

void codec__edit_init(struct edit_assembler *assembler, const struct schema *schema,
		      const struct schema_prefixes *prefixes, size_t memory_limit, struct diag_list *diags)
{
	*assembler = (struct edit_assembler){.schema = schema,
					     .prefixes = prefixes,
					     .diags = diags,
					     .memory_limit = memory_limit,
					     .tree = edit_tree_new(schema),
					     .budget = {.steps = SCHEMA_TYPE_BUDGET_STEPS},
					     .scratch = arena_new()};
	push(assembler, assembler->tree->top);
}

void codec__edit_fini(struct edit_assembler *assembler)
{
	for (size_t i = 0; i < assembler->capacity; i++)
		memory_free(assembler->frames[i].seen);
	memory_free(assembler->frames);
	memory_free(assembler->keys);
	for (size_t i = 0; i < VALUE_CACHE_LENGTH; i++) {
		if (!assembler->values[i])
			continue;
		value_unref(assembler->values[i]->value);
		memory_free(assembler->values[i]);
	}
	arena_free(assembler->scratch);
	edit_tree_free(assembler->tree);
}

enum status codec__edit_finish(struct edit_assembler *assembler, struct edit_tree **tree)
{
	ASSERT(assembler->depth == 1);
	if (assembler->failed)
		return ST_REJECTED;
	ASSERT(assembler->tree);
	*tree = assembler->tree;
	assembler->tree = NULL;
	return ST_OK;
}
