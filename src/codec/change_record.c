/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Encoding change sets and trees (change_record.h). A block is
 *
 *     number of the first definition, count of definitions, definitions, items
 *
 * and an item begins with number << 3 | placed << 2 | action, then has, in this order: the keys (a list
 * entry), the places (user-ordered, if not modified in place), and what the action says: content, old and new
 * value, or items below up to a 0. The items of a change set end with a 0, too.
 *
 * A place is the item before (0: none, else 1 and its keys). One that is deleted or moved has its old place
 * and how many items were before it, so that an undo can put such items back from left to right, as a redo
 * does with the new ones. The diff knows the new places, the old ones are looked up here.
 *
 * A name is defined in two blocks that follow each other, and all names again every so often, so that the
 * loss of a block does not make those behind it unreadable.
 *
 * An annotation (RFC 7952) is an item of its own among those below a record, behind the items of what it is
 * of: its name's number, the number of the child that it is of (0: the record itself), a leaf-list's value,
 * and the old value, the new one, or both. Where only annotations of a leaf, value or anydata differ, these
 * are all.
 */
#include "codec/change_record.h"
#include "base/assert.h"
#include "base/memory.h"
#include "codec/change_record_internal.h"

#define BODY_KEEP ((size_t)1 << 20) /* bytes of the items' buffer that stay allocated */
#define REPEAT_LEAST 4096u	    /* bytes of blocks between two that define all names, at least... */
#define REPEAT_FACTOR 64u	    /* ... and as a multiple of what the definitions have */

/* Needs room for a number and the value. */
static char *write_value(char *at, const struct value *value)
{
	struct bytes bytes = value_bytes(value);
	const struct text *text = value_shared_text(*value);
	uint64_t is_qname = text != NULL && (text->flags & TEXT_QNAME);
	at = codec__write_number(at, (uint64_t)bytes.size << 1 | is_qname);
	if (bytes.size > 0)
		memcpy(at, bytes.data, bytes.size);
	return at + bytes.size;
}

static void put_value(struct buffer *out, const struct value *value)
{
	char *room = codec__room(out, value_bytes(value).size + CODEC__NUMBER_MAX);
	buffer_commit(out, (size_t)(write_value(room, value) - room));
}

/* A list entry's keys, or a leaf-list's value. */
static void put_keys(struct buffer *out, const struct schema_node *node, const union tree_item *item)
{
	if (node->kind == SCHEMA_LEAF_LIST) {
		put_value(out, &item->value);
		return;
	}
	for (uint16_t i = 0; i < node->key_count; i++)
		put_value(out, &item->record->slots[i].value); /* keys are first, and all there */
}

static void put_start(struct change_dictionary *dictionary, const struct schema_node *node, unsigned action)
{
	codec__put_number(&dictionary->body,
			  (uint64_t)codec__name_number(dictionary, node) << CODEC__ACTION_BITS | action);
}

/* A leaf that is created: most of what large records consist of. */
static void put_leaf(struct change_dictionary *dictionary, const struct schema_node *leaf,
		     const struct value *value)
{
	uint64_t start =
		(uint64_t)codec__name_number(dictionary, leaf) << CODEC__ACTION_BITS | CODEC__CREATED;
	struct buffer *out = &dictionary->body;
	char *room = codec__room(out, value_bytes(value).size + 2 * (size_t)CODEC__NUMBER_MAX);
	buffer_commit(out, (size_t)(write_value(codec__write_number(room, start), value) - room));
}

/* Where the tree's blocks are cut; NULL in a change set, which is one block. */
struct cut {
	size_t size;
	enum status (*emit)(void *arg, struct bytes block);
	void *arg;
	struct buffer block;
	enum status status; /* of the first emit that failed */
};

struct encoder {
	struct change_dictionary *dictionary;
	struct cut *cut;
};

/* Appends what a block has before its items: definitions of all names behind the first `known` ones. Gives
 * their size. */
static enum status put_definitions(struct change_dictionary *dictionary, size_t known, struct buffer *out,
				   size_t *size)
{
	struct buffer *defined = &dictionary->defined;
	codec__put_number(defined, known + 1);
	codec__put_number(defined, dictionary->names.length - known - 1);
	for (size_t number = known + 1; number < dictionary->names.length; number++)
		codec__name_put(dictionary, number);
	enum status status = buffer_append(out, buffer_get(defined));
	*size = buffer_size(defined);
	buffer_clear(defined, 4096);
	return status;
}

static void emit_block(struct encoder *encoder)
{
	struct cut *cut = encoder->cut;
	struct change_dictionary *dictionary = encoder->dictionary;
	size_t size;
	enum status status = put_definitions(dictionary, dictionary->written, &cut->block, &size);
	if (status == ST_OK)
		status = buffer_append(&cut->block, buffer_get(&dictionary->body));
	buffer_clear(&dictionary->body, BODY_KEEP);
	dictionary->written = change_dictionary_length(dictionary);
	if (cut->status == ST_OK && status == ST_OK)
		status = cut->emit(cut->arg, buffer_get(&cut->block));
	if (cut->status == ST_OK)
		cut->status = status;
	buffer_clear(&cut->block, cut->size * 2);
}

/* Called between two items only. */
static void maybe_cut(struct encoder *encoder)
{
	if (encoder->cut != NULL && buffer_size(&encoder->dictionary->body) >= encoder->cut->size)
		emit_block(encoder);
}

static void put_children(struct encoder *encoder, const struct schema_node *schema,
			 const struct tree_record *record);

/* What follows the start of a created or deleted instance, for lists its keys included. */
static void put_content(struct encoder *encoder, const struct schema_node *node, union tree_slot content)
{
	struct buffer *out = &encoder->dictionary->body;
	switch (node->kind) {
	case SCHEMA_LEAF:
	case SCHEMA_LEAF_LIST:
		put_value(out, &content.value);
		return;
	case SCHEMA_ANYDATA:
	case SCHEMA_ANYXML:
		codec__put_bytes(out, text_bytes(content.any->xml));
		return;
	case SCHEMA_LIST:
	case SCHEMA_CONTAINER:
	case SCHEMA_ROOT:
	case SCHEMA_RPC:
	case SCHEMA_ACTION:
	case SCHEMA_OUTPUT:
	case SCHEMA_NOTIFICATION:
		break;
	}
	put_children(encoder, node, content.record);
	codec__put_number(out, 0);
}

/* ---- annotations ---- */

/* Up to the values. */
static void put_note_start(struct encoder *encoder, const struct schema_node *child,
			   const struct tree_annotation *note, unsigned action)
{
	struct change_dictionary *dictionary = encoder->dictionary;
	struct buffer *out = &dictionary->body;
	uint64_t number = codec__annotation_number(dictionary, note->schema);
	codec__put_number(out, number << CODEC__ACTION_BITS | action);
	codec__put_number(out, child != NULL ? codec__name_number(dictionary, child) : 0);
	if (child != NULL && child->kind == SCHEMA_LEAF_LIST)
		put_value(out, &note->item);
}

static void put_note(struct encoder *encoder, const struct schema_node *child,
		     const struct tree_annotation *in_old, const struct tree_annotation *in_new)
{
	unsigned action = in_old == NULL ? CODEC__CREATED : in_new == NULL ? CODEC__DELETED : CODEC__MODIFIED;
	if (action == CODEC__MODIFIED && value_equal(in_old->value, in_new->value))
		return;
	put_note_start(encoder, child, in_new != NULL ? in_new : in_old, action);
	if (in_old != NULL)
		put_value(&encoder->dictionary->body, &in_old->value);
	if (in_new != NULL)
		put_value(&encoder->dictionary->body, &in_new->value);
}

/* What differs in the annotations of a change's instance. */
static void put_changed_notes(struct encoder *encoder, const struct tree_change *change)
{
	enum schema_kind kind = change->schema->kind;
	bool is_record = kind == SCHEMA_CONTAINER || kind == SCHEMA_LIST || kind == SCHEMA_ROOT;
	const struct schema_node *child = is_record ? NULL : change->schema;
	size_t old_count, new_count, i = 0, k = 0;
	const struct tree_annotation *in_old = tree_change_annotations(change, false, &old_count);
	const struct tree_annotation *in_new = tree_change_annotations(change, true, &new_count);
	while (i < old_count || k < new_count) {
		uint64_t old_index = i < old_count ? in_old[i].schema->index : UINT64_MAX;
		uint64_t new_index = k < new_count ? in_new[k].schema->index : UINT64_MAX;
		put_note(encoder, child, old_index <= new_index ? &in_old[i++] : NULL,
			 new_index <= old_index ? &in_new[k++] : NULL);
	}
}

/* All of the record's table that are of the child (NULL: of the record itself), as created. */
static void put_notes(struct encoder *encoder, const struct schema_node *child,
		      const struct tree_record *record)
{
	if (!tree_record_annotated(record))
		return;
	size_t count;
	uint16_t slot = child != NULL ? child->slot : TREE_ANNOTATION_OWN;
	const struct tree_annotation *all = tree_annotations_all(record, &count);
	for (size_t i = 0; i < count; i++) {
		if (all[i].slot != slot)
			continue;
		maybe_cut(encoder);
		put_note(encoder, child, NULL, &all[i]);
	}
}

/* ---- content ---- */

static void put_items(struct encoder *encoder, const struct schema_node *node, const struct tree_map *map)
{
	struct buffer *out = &encoder->dictionary->body;
	struct tree_map_iter iter;
	for (const union tree_item *item = tree_map_first(&iter, map, node); item != NULL;
	     item = tree_map_next(&iter)) {
		maybe_cut(encoder);
		if (encoder->cut != NULL && encoder->cut->status != ST_OK)
			return;
		put_start(encoder->dictionary, node, CODEC__CREATED);
		if (node->kind == SCHEMA_LIST)
			put_keys(out, node, item);
		put_content(encoder, node, (union tree_slot){.word = item->word});
	}
}

/* All children but keys, each as created. */
static void put_children(struct encoder *encoder, const struct schema_node *schema,
			 const struct tree_record *record)
{
	const uint16_t *indexes = tree_record_indexes(record);
	bool is_annotated = tree_record_annotated(record);
	put_notes(encoder, NULL, record);
	for (uint16_t i = 0; i < record->length; i++) {
		const struct schema_node *child = schema->children[indexes[i]];
		maybe_cut(encoder);
		if (child->kind == SCHEMA_LEAF) {
			if (!child->is_key)
				put_leaf(encoder->dictionary, child, &record->slots[i].value);
		} else if (child->kind == SCHEMA_LIST || child->kind == SCHEMA_LEAF_LIST) {
			ASSERT(!tree_node_is_sequence(child));
			put_items(encoder, child, record->slots[i].map);
		} else {
			put_start(encoder->dictionary, child, CODEC__CREATED);
			put_content(encoder, child, record->slots[i]);
		}
		if (is_annotated)
			put_notes(encoder, child, record);
	}
}

/* ---- change sets ---- */

static void put_predecessor(struct buffer *out, const struct schema_node *node, const union tree_item *item)
{
	codec__put_number(out, item != NULL);
	if (item != NULL)
		put_keys(out, node, item);
}

/* The old place: how many items were before it, and the last of them. */
static void put_old_place(struct buffer *out, const struct tree_change *change)
{
	const struct schema_node *node = change->schema;
	const struct tree_map *map = tree_record_find(change->parent->old_content.record, node)->map;
	struct value local[8], *keys = local;
	if (node->key_count > 8)
		keys = memory_alloc(node->key_count * sizeof(*keys));
	if (node->kind == SCHEMA_LEAF_LIST)
		keys[0] = change->old_content.value;
	for (uint16_t i = 0; node->kind == SCHEMA_LIST && i < node->key_count; i++)
		keys[i] = tree_record_find(change->old_content.record, node->children[i])->value;
	uint64_t rank = tree_map_rank(map, node, keys);
	struct tree_map_iter iter;
	codec__put_number(out, rank);
	put_predecessor(out, node, rank > 0 ? tree_map_at(&iter, map, node, rank - 1) : NULL);
	if (keys != local)
		memory_free(keys);
}

static unsigned action_of(const struct tree_change *change)
{
	if (!change->has_old)
		return CODEC__CREATED;
	return change->has_new ? CODEC__MODIFIED : CODEC__DELETED;
}

static void put_changes(struct encoder *encoder, const struct tree_change *changes);

static void put_modified(struct encoder *encoder, const struct tree_change *change)
{
	struct buffer *out = &encoder->dictionary->body;
	switch (change->schema->kind) {
	case SCHEMA_LEAF:
		put_value(out, &change->old_content.value);
		put_value(out, &change->new_content.value);
		return;
	case SCHEMA_ANYDATA:
	case SCHEMA_ANYXML:
		codec__put_bytes(out, text_bytes(change->old_content.any->xml));
		codec__put_bytes(out, text_bytes(change->new_content.any->xml));
		return;
	case SCHEMA_LEAF_LIST: /* moved: its value stands for its keys */
		put_value(out, &change->new_content.value);
		return;
	case SCHEMA_ROOT:
	case SCHEMA_CONTAINER:
	case SCHEMA_LIST:
	case SCHEMA_RPC:
	case SCHEMA_ACTION:
	case SCHEMA_OUTPUT:
	case SCHEMA_NOTIFICATION:
		break;
	}
	if (change->annotated)
		put_changed_notes(encoder, change);
	put_changes(encoder, change->children);
	codec__put_number(out, 0);
}

static void put_change(struct encoder *encoder, const struct tree_change *change)
{
	struct buffer *out = &encoder->dictionary->body;
	const struct schema_node *node = change->schema;
	unsigned action = action_of(change);
	bool placed = tree_node_is_user_ordered(node) && (action != CODEC__MODIFIED || change->moved);
	union tree_slot content = change->has_new ? change->new_content : change->old_content;
	ASSERT(!tree_node_is_sequence(node));
	put_start(encoder->dictionary, node, action | (placed ? CODEC__PLACED : 0));
	if (node->kind == SCHEMA_LIST)
		put_keys(out, node, &(union tree_item){.word = content.word});
	if (placed && change->has_old)
		put_old_place(out, change);
	if (placed && change->has_new)
		put_predecessor(out, node, change->predecessor);
	if (action == CODEC__MODIFIED)
		put_modified(encoder, change);
	else
		put_content(encoder, node, content);
}

static bool has_notes_beside(const struct schema_node *node)
{
	return node->kind != SCHEMA_CONTAINER && node->kind != SCHEMA_LIST;
}

/* Nothing but annotations of a leaf, value or anydata. */
static bool is_only_annotated(const struct tree_change *change)
{
	if (!change->annotated || change->moved || !has_notes_beside(change->schema))
		return false;
	if (change->schema->kind == SCHEMA_LEAF)
		return value_equal(change->old_content.value, change->new_content.value);
	if (change->schema->kind == SCHEMA_LEAF_LIST)
		return true;
	return bytes_equal(text_bytes(change->old_content.any->xml),
			   text_bytes(change->new_content.any->xml));
}

/* The changes below one instance. Items of one list or leaf-list follow each other, then their annotations.
 */
static void put_changes(struct encoder *encoder, const struct tree_change *changes)
{
	const struct tree_change *first = changes; /* of those of one schema node */
	for (const struct tree_change *change = changes; change != NULL; change = change->next) {
		if (!is_only_annotated(change))
			put_change(encoder, change);
		if (change->next != NULL && change->next->schema == change->schema)
			continue;
		for (; has_notes_beside(change->schema) && first != change->next; first = first->next) {
			if (first->annotated || !first->has_old || !first->has_new)
				put_changed_notes(encoder, first);
		}
		first = change->next;
	}
}

/* One that was read and that the schema does not have cannot be written; none is in a journal that it is
 * written to. */
static bool can_be_written(const struct codec__name *name)
{
	return name->node != NULL || name->annotation != NULL;
}

bool change_dictionary_forget(struct change_dictionary *dictionary)
{
	for (size_t number = 1; number < dictionary->names.length; number++)
		if (!can_be_written(codec__name_at(dictionary, number)))
			return false;
	dictionary->forgotten = true;
	return true;
}

/* How many of the first names the next block need not define. */
static size_t choose_known(const struct change_dictionary *dictionary)
{
	const struct codec__repeats *repeats = &dictionary->repeats;
	if (dictionary->forgotten)
		return 0;
	uint64_t apart = repeats->definitions * REPEAT_FACTOR;
	size_t known = repeats->since < (apart > REPEAT_LEAST ? apart : REPEAT_LEAST) ? repeats->twice : 0;
	for (size_t number = change_dictionary_length(dictionary); number > known; number--)
		if (!can_be_written(codec__name_at(dictionary, number)))
			return number;
	return known;
}

void change_record_begin(struct change_dictionary *dictionary, const struct tree_change_set *changes)
{
	struct encoder encoder = {dictionary, NULL};
	ASSERT(!dictionary->begun);
	dictionary->begun = true;
	dictionary->begun_length = change_dictionary_length(dictionary);
	dictionary->before = dictionary->repeats;
	put_changes(&encoder, changes->root != NULL ? changes->root->children : NULL);
	codec__put_number(&dictionary->body, 0);
}

bool change_record_begun(const struct change_dictionary *dictionary)
{
	return dictionary->begun;
}

void change_record_abandon(struct change_dictionary *dictionary)
{
	if (!dictionary->begun)
		return;
	dictionary->begun = false;
	buffer_clear(&dictionary->body, BODY_KEEP);
	change_dictionary_cut(dictionary, dictionary->begun_length);
}

enum status change_record_head(struct change_dictionary *dictionary, struct buffer *out)
{
	ASSERT(dictionary->begun);
	dictionary->begun_known = choose_known(dictionary);
	return put_definitions(dictionary, dictionary->begun_known, out, &dictionary->begun_defined);
}

struct bytes change_record_items(const struct change_dictionary *dictionary)
{
	return buffer_get(&dictionary->body);
}

void change_record_end(struct change_dictionary *dictionary)
{
	struct codec__repeats *repeats = &dictionary->repeats;
	size_t defined = dictionary->begun_defined, block = defined + buffer_size(&dictionary->body);
	bool defines_all = dictionary->begun_known == 0;
	repeats->definitions = (defines_all ? 0 : repeats->definitions) + defined;
	repeats->since = defines_all ? 0 : repeats->since + block;
	repeats->twice = dictionary->forgotten ? 0 : dictionary->begun_length;
	dictionary->begun = dictionary->forgotten = false;
	buffer_clear(&dictionary->body, BODY_KEEP); /* now: the next one may be long in coming */
}

enum status change_record_encode(struct change_dictionary *dictionary, const struct tree_change_set *changes,
				 struct buffer *out)
{
	size_t before = buffer_size(out);
	change_record_begin(dictionary, changes);
	enum status status = change_record_head(dictionary, out);
	if (status == ST_OK)
		status = buffer_append(out, change_record_items(dictionary));
	if (status == ST_OK) {
		change_record_end(dictionary);
		return ST_OK;
	}
	buffer_cut(out, buffer_size(out) - before);
	change_record_abandon(dictionary);
	return status;
}

enum status change_tree_encode(struct change_dictionary *dictionary, const struct tree_record *root,
			       size_t size, enum status (*emit)(void *arg, struct bytes block), void *arg)
{
	struct cut cut = {.size = size, .emit = emit, .arg = arg};
	struct encoder encoder = {dictionary, &cut};
	buffer_init(&cut.block, SIZE_MAX);
	put_children(&encoder, dictionary->schema->root, root);
	codec__put_number(&dictionary->body, 0);
	emit_block(&encoder);
	buffer_fini(&cut.block);
	return cut.status;
}
