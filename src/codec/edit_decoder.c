/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The edit decoder takes the events of <config>'s content and makes the edit tree, one node an element, at
 * the speed at which they come: a request of a million entries is decoded while it is received and is never
 * kept as text.
 *
 *     start   name -> schema node (a cache by the reader's interned strings, else the schema's
 *             hash), node appended, attributes read, frame pushed
 *     text    gathered for a leaf; elsewhere blanks are dropped and anything else is an error
 *     end     leaf: text -> value; list entry: its keys are moved to the front; frame popped
 *
 * An element that is wrong is reported and skipped with all that is in it. What was reported shows in
 * `failed`: the tree is then thrown away, so it need not be complete. Within anydata the events go to an
 * any_writer.
 *
 * Values: the last one of each leaf is remembered with its text, so that a million entries of the same type
 * share one text. Not for types whose values depend on the namespaces in scope.
 *
 * Invariants: frames[0 .. depth) are the open elements that have nodes, from <config> down; depth is bounded
 * by the schema's. A frame's `seen` has a bit for each child of which there may be only one.
 */
#include "codec/edit_decode.h"

#include "base/assert.h"
#include "base/memory.h"

#define FRAMES_MIN 8
#define TEXT_KEEP ((size_t)64 * 1024) /* bytes of the leaf's text buffer that stay */
#define WORD_BITS 64

static struct edit_frame *top(const struct edit_decoder *decoder)
{
	return &decoder->frames[decoder->depth - 1];
}

static const struct schema_module *resolve(const struct schema_prefixes *self, struct bytes prefix)
{
	const struct edit_prefixes *prefixes = (const struct edit_prefixes *)self;
	struct bytes uri = xml_reader_resolve(prefixes->reader, prefix);
	return uri.data ? schema_module_find_ns(prefixes->schema, uri) : NULL;
}

size_t codec__edit_value_size(struct value value)
{
	const struct text *text = value_shared_text(value);
	if (!text || atomic_load_explicit(&text->refs, memory_order_relaxed) == TEXT_IMMORTAL)
		return 0;
	return sizeof(*text) + text->size + sizeof(max_align_t);
}

static enum status too_big(struct edit_decoder *decoder)
{
	codec__edit_report(decoder, DIAG_TOO_BIG, NULL, (struct bytes){0},
			   "The configuration in the request is larger than the server takes.");
	return ST_LIMIT;
}

static enum status check_memory(struct edit_decoder *decoder)
{
	size_t size = arena_size(decoder->tree->arena) + decoder->value_size;
	return size > decoder->memory_limit ? too_big(decoder) : ST_OK;
}

static struct edit_frame *push(struct edit_decoder *decoder, struct edit_node *node)
{
	if (decoder->depth == decoder->capacity) {
		size_t capacity = decoder->capacity ? 2 * decoder->capacity : FRAMES_MIN;
		decoder->frames = memory_resize(decoder->frames, capacity, sizeof(*decoder->frames));
		memset(decoder->frames + decoder->capacity, 0,
		       (capacity - decoder->capacity) * sizeof(*decoder->frames));
		decoder->capacity = capacity;
	}
	bool deleting = decoder->depth > 0 && top(decoder)->deleting;
	struct edit_frame *frame = &decoder->frames[decoder->depth++];
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

/* Marks the child as seen; false where it was already. */
static bool mark_seen(struct edit_frame *frame, const struct schema_node *child)
{
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

static bool may_repeat(const struct schema_node *node)
{
	return node->kind == SCHEMA_LIST || node->kind == SCHEMA_LEAF_LIST;
}

static struct name_entry *name_entry(struct edit_decoder *decoder, const struct schema_node *parent,
				     const struct xml_start *start)
{
	uint64_t hash = (uint64_t)(uintptr_t)start->name.data ^ ((uint64_t)parent->id << 20) ^
			(uint64_t)(uintptr_t)start->ns.data << 7;
	hash *= 0x9e3779b97f4a7c15ull;
	return &decoder->names[hash >> 32 & (NAME_CACHE_LENGTH - 1)];
}

static void report_unknown_namespace(struct edit_decoder *decoder, const struct xml_start *start)
{
	struct diag *diag = codec__edit_report(decoder, DIAG_UNKNOWN_NAMESPACE, NULL, start->name,
					       "The namespace of the element is not one of the schema.");
	char ns[256];
	size_t size = start->ns.size < sizeof(ns) - 1 ? start->ns.size : sizeof(ns) - 1;
	if (size > 0)
		memcpy(ns, start->ns.data, size);
	ns[size] = '\0';
	diag_add_info(decoder->diags, diag, "bad-namespace", ns);
}

/* The configuration node that an element is; NULL where there is none, which was reported. */
static const struct schema_node *find_child(struct edit_decoder *decoder, const struct schema_node *parent,
					    const struct xml_start *start)
{
	struct name_entry *entry = name_entry(decoder, parent, start);
	if (entry->parent == parent && entry->name == start->name.data && entry->ns == start->ns.data)
		return entry->child;
	const struct schema_module *module = schema_module_find_ns(decoder->schema, start->ns);
	if (!module) {
		report_unknown_namespace(decoder, start);
		return NULL;
	}
	const struct schema_node *child = schema_child_find(decoder->schema, parent, module, start->name);
	if (!child) {
		codec__edit_report(decoder, DIAG_UNKNOWN_ELEMENT, NULL, start->name,
				   "The schema has no such element here.");
		return NULL;
	}
	if (!child->config) {
		codec__edit_report(decoder, DIAG_UNKNOWN_ELEMENT, child, start->name,
				   "The element is state data, not configuration.");
		return NULL;
	}
	*entry = (struct name_entry){parent, start->ns.data, start->name.data, child};
	return child;
}

static bool is_leaf(const struct schema_node *node)
{
	return node->kind == SCHEMA_LEAF || node->kind == SCHEMA_LEAF_LIST;
}

static bool is_any(const struct schema_node *node)
{
	return node->kind == SCHEMA_ANYDATA || node->kind == SCHEMA_ANYXML;
}

static size_t memory_left(const struct edit_decoder *decoder)
{
	size_t used = arena_size(decoder->tree->arena) + decoder->value_size;
	size_t left = decoder->memory_limit > used ? decoder->memory_limit - used : 0;
	return left < TEXT_SIZE_MAX ? left : TEXT_SIZE_MAX;
}

/* An element that is no part of anydata and not skipped. */
static enum status start_node(struct edit_decoder *decoder, const struct xml_start *start)
{
	struct edit_frame *parent = top(decoder);
	if (is_leaf(parent->node->schema)) {
		parent->broken = true;
		decoder->skip = 1;
		codec__edit_report(decoder, DIAG_UNKNOWN_ELEMENT, NULL, start->name,
				   "A leaf holds no elements.");
		return ST_OK;
	}
	const struct schema_node *child = find_child(decoder, parent->node->schema, start);
	if (child && !may_repeat(child) && !mark_seen(parent, child)) {
		codec__edit_report(decoder, DIAG_BAD_ELEMENT, child, start->name,
				   "The element is there twice.");
		child = NULL;
	}
	if (!child) {
		decoder->skip = 1;
		return ST_OK;
	}
	push(decoder, edit_tree_add(decoder->tree, parent->node, child));
	if (start->attribute_count > 0)
		codec__edit_attributes(decoder, start);
	if (is_any(child))
		decoder->any = any_writer_new(decoder->reader, memory_left(decoder));
	return check_memory(decoder);
}

static bool is_blank(struct bytes text)
{
	for (size_t i = 0; i < text.size; i++) {
		char c = text.data[i];
		if (c != ' ' && c != '\n' && c != '\t' && c != '\r')
			return false;
	}
	return true;
}

/* Text where the schema has none: in a container, list entry, anydata or <config>. */
static void refuse_text(struct edit_decoder *decoder, struct bytes text)
{
	struct edit_frame *frame = top(decoder);
	if (frame->broken || is_blank(text))
		return;
	frame->broken = true;
	struct bytes name = decoder->depth == 1 ? bytes_of("config") : frame->node->schema->name_bytes;
	codec__edit_report(decoder, DIAG_BAD_ELEMENT, NULL, name, "The element holds text, but must not.");
}

static struct value_entry *value_entry(struct edit_decoder *decoder, const struct schema_node *leaf)
{
	return &decoder->values[leaf->id & (VALUE_CACHE_LENGTH - 1)];
}

/* Whether equal texts always give equal values, and a second one is likely. */
static bool is_cacheable(const struct schema_node *leaf, struct bytes lexical)
{
	if (lexical.size > VALUE_CACHE_TEXT || (leaf->is_key && leaf->parent->key_count == 1))
		return false;
	enum schema_base base = schema_type_base(schema_type_real(leaf->type));
	return base != BASE_IDENTITYREF && base != BASE_INSTANCE_IDENTIFIER && base != BASE_UNION;
}

static void remember_value(struct edit_decoder *decoder, const struct schema_node *leaf, struct bytes lexical,
			   struct value value)
{
	const struct text *text = value_shared_text(value);
	if (!is_cacheable(leaf, lexical) || (text && (text->flags & TEXT_QNAME)))
		return;
	struct value_entry *entry = value_entry(decoder, leaf);
	value_unref(entry->value);
	entry->leaf = leaf;
	entry->value = value_ref(value);
	entry->size = (uint32_t)lexical.size;
	if (lexical.size > 0)
		memcpy(entry->lexical, lexical.data, lexical.size);
}

static void parse_value(struct edit_decoder *decoder, struct edit_frame *frame, struct bytes lexical)
{
	const struct schema_node *leaf = frame->node->schema;
	struct value_entry *entry = value_entry(decoder, leaf);
	if (entry->leaf == leaf && bytes_equal(lexical, (struct bytes){entry->lexical, entry->size})) {
		frame->node->value = value_ref(entry->value);
		return;
	}
	struct schema_type_error error = {0};
	enum status status = schema_type_parse(decoder->schema, leaf->type, lexical, &decoder->prefixes.base,
					       decoder->scratch, &frame->node->value, &error);
	if (status == ST_OK) {
		decoder->value_size += codec__edit_value_size(frame->node->value);
		remember_value(decoder, leaf, lexical, frame->node->value);
		return;
	}
	struct diag *diag =
		codec__edit_report(decoder, DIAG_INVALID_VALUE, NULL, (struct bytes){0},
				   error.message ? error.message : "The value is not of the type.");
	diag_set_app_tag(decoder->diags, diag, error.app_tag);
	arena_reset(decoder->scratch);
}

static enum status end_leaf(struct edit_decoder *decoder, struct edit_frame *frame)
{
	const struct schema_node *leaf = frame->node->schema;
	struct bytes text = buffer_get(&decoder->text);
	bool valueless = frame->deleting && leaf->kind == SCHEMA_LEAF && !leaf->is_key && is_blank(text);
	if (!frame->broken && !valueless) {
		frame->node->has_value = true;
		parse_value(decoder, frame, text);
	}
	buffer_clear(&decoder->text, TEXT_KEEP);
	return check_memory(decoder);
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

static void report_missing_keys(struct edit_decoder *decoder, const struct edit_frame *frame)
{
	const struct schema_node *list = frame->node->schema;
	for (uint16_t i = 0; i < list->key_count; i++) {
		const struct schema_node *key = list->children[i];
		if (!was_seen(frame, key))
			codec__edit_report(decoder, DIAG_MISSING_ELEMENT, NULL, key->name_bytes,
					   "A key of the list entry is missing.");
	}
}

/* Moves the keys, all of which are there, to the front. */
static void sort_keys(struct edit_decoder *decoder, struct edit_node *entry)
{
	uint16_t count = entry->schema->key_count;
	if (decoder->keys_capacity < count) {
		decoder->keys = memory_resize(decoder->keys, count, sizeof(*decoder->keys));
		decoder->keys_capacity = count;
	}
	struct edit_node *rest = NULL;
	struct edit_node **rest_end = &rest;
	struct edit_node *last_rest = NULL;
	for (struct edit_node *child = entry->children; child; child = child->next) {
		if (child->schema->is_key) {
			decoder->keys[child->schema->slot] = child;
			continue;
		}
		*rest_end = last_rest = child;
		rest_end = &child->next;
	}
	*rest_end = NULL;
	for (uint16_t i = 0; i < count; i++)
		decoder->keys[i]->next = i + 1 < count ? decoder->keys[i + 1] : rest;
	entry->children = decoder->keys[0];
	entry->last_child = last_rest ? last_rest : decoder->keys[count - 1];
}

static void end_entry(struct edit_decoder *decoder, struct edit_frame *frame)
{
	if (keys_are_first(frame->node))
		return;
	const struct schema_node *list = frame->node->schema;
	for (uint16_t i = 0; i < list->key_count; i++) {
		if (!was_seen(frame, list->children[i])) {
			report_missing_keys(decoder, frame);
			return;
		}
	}
	sort_keys(decoder, frame->node);
}

static enum status end_any(struct edit_decoder *decoder, struct edit_frame *frame)
{
	struct text *text;
	enum status status = any_writer_finish(decoder->any, &text);
	any_writer_free(decoder->any);
	decoder->any = NULL;
	if (status != ST_OK)
		return too_big(decoder);
	frame->node->any = tree_any_new(text);
	decoder->value_size += sizeof(*frame->node->any) + sizeof(*text) + text->size;
	return check_memory(decoder);
}

static enum status end_node(struct edit_decoder *decoder)
{
	struct edit_frame *frame = top(decoder);
	enum status status = ST_OK;
	if (decoder->any)
		status = end_any(decoder, frame);
	else if (is_leaf(frame->node->schema))
		status = end_leaf(decoder, frame);
	else if (frame->node->schema->kind == SCHEMA_LIST)
		end_entry(decoder, frame);
	decoder->depth--;
	return status;
}

struct edit_decoder *edit_decoder_new(const struct schema *schema, const struct xml_reader *reader,
				      const struct edit_decoder_options *options, struct diag_list *diags)
{
	struct edit_decoder *decoder = memory_zalloc(sizeof(*decoder));
	decoder->schema = schema;
	decoder->reader = reader;
	decoder->diags = diags;
	decoder->memory_limit = options->memory_limit;
	decoder->tree = edit_tree_new(schema);
	decoder->scratch = arena_new();
	decoder->prefixes = (struct edit_prefixes){{.resolve = resolve}, schema, reader};
	buffer_init(&decoder->text,
		    options->memory_limit < TEXT_SIZE_MAX ? options->memory_limit : TEXT_SIZE_MAX);
	push(decoder, decoder->tree->top);
	return decoder;
}

void edit_decoder_free(struct edit_decoder *decoder)
{
	if (!decoder)
		return;
	for (size_t i = 0; i < decoder->capacity; i++)
		memory_free(decoder->frames[i].seen);
	memory_free(decoder->frames);
	memory_free(decoder->keys);
	for (size_t i = 0; i < VALUE_CACHE_LENGTH; i++)
		value_unref(decoder->values[i].value);
	any_writer_free(decoder->any);
	buffer_fini(&decoder->text);
	arena_free(decoder->scratch);
	edit_tree_free(decoder->tree);
	memory_free(decoder);
}

enum status edit_decoder_start(struct edit_decoder *decoder, const struct xml_start *start)
{
	if (decoder->skip > 0) {
		decoder->skip++;
		return ST_OK;
	}
	if (decoder->any)
		return any_writer_start(decoder->any, start) == ST_OK ? ST_OK : too_big(decoder);
	return start_node(decoder, start);
}

enum status edit_decoder_text(struct edit_decoder *decoder, struct bytes text)
{
	if (decoder->skip > 0)
		return ST_OK;
	const struct schema_node *schema = top(decoder)->node->schema;
	enum status status = ST_OK;
	if (is_leaf(schema))
		status = buffer_append(&decoder->text, text);
	else if (decoder->any && (schema->kind == SCHEMA_ANYXML || any_writer_depth(decoder->any) > 0))
		status = any_writer_text(decoder->any, text);
	else
		refuse_text(decoder, text);
	return status == ST_OK ? ST_OK : too_big(decoder);
}

enum status edit_decoder_end(struct edit_decoder *decoder)
{
	if (decoder->skip > 0) {
		decoder->skip--;
		return ST_OK;
	}
	if (decoder->any && any_writer_depth(decoder->any) > 0)
		return any_writer_end(decoder->any) == ST_OK ? ST_OK : too_big(decoder);
	ASSERT(decoder->depth > 1);
	return end_node(decoder);
}

enum status edit_decoder_finish(struct edit_decoder *decoder, struct edit_tree **tree)
{
	ASSERT(decoder->depth == 1 && decoder->skip == 0);
	if (decoder->failed)
		return ST_REJECTED;
	ASSERT(decoder->tree);
	*tree = decoder->tree;
	decoder->tree = NULL;
	return ST_OK;
}
