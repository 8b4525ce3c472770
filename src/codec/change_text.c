/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The second reader of the change codec: where change_record_apply.c builds a tree of a schema, this one
 * follows the same items by their stored names alone, and keeps nothing but the path to where it stands. So a
 * journal can be printed and its soundness be judged on a host that has none of the modules.
 *
 * Invariants: every number below that of the next name is defined; an item's parent is the item around it, so
 * the depth of names bounds that of the recursion.
 */
#include "codec/change_text.h"
#include "base/assert.h"
#include "base/memory.h"
#include "codec/change_record_internal.h"

struct text_name {
	uint32_t parent;
	uint8_t kind;
	uint16_t depth;
	uint32_t key_count;
	char *segment;	     /* "module:name", or "name"; owned */
	char **keys;	     /* owned */
	struct buffer bytes; /* its definition as it was written */
};

struct change_names {
	struct vector names; /* struct text_name; the first is the root */
};

struct text_reader {
	struct change_names *names;
	struct bytes in;
	enum status (*next)(void *arg, struct bytes *block); /* NULL: one block */
	void *next_arg;
	change_text_visit *visit; /* NULL: nobody listens, no paths are made */
	void *arg;
	struct buffer path;
};

/* What stands before the content of an item. */
struct text_item {
	const struct text_name *name; /* valid until names are defined, which is between items only */
	uint32_t number;
	enum change_text_action action;
	bool placed;
	size_t path_size; /* of the path before the item */
};

/* ---- names ---- */

static struct text_name *name_at(const struct change_names *names, uint64_t number)
{
	return vector_at(&names->names, number);
}

static void clear_name(struct text_name *name)
{
	memory_free(name->segment);
	for (uint32_t i = 0; name->keys != NULL && i < name->key_count; i++)
		memory_free(name->keys[i]);
	memory_free(name->keys);
	buffer_fini(&name->bytes);
}

struct change_names *change_names_new(void)
{
	struct change_names *names = memory_zalloc(sizeof(*names));
	vector_init(&names->names, sizeof(struct text_name));
	vector_push(&names->names);
	return names;
}

void change_names_reset(struct change_names *names)
{
	while (names->names.length > 1) {
		clear_name(name_at(names, names->names.length - 1));
		vector_pop(&names->names);
	}
}

void change_names_free(struct change_names *names)
{
	if (names == NULL)
		return;
	change_names_reset(names);
	vector_fini(&names->names);
	memory_free(names);
}

static char *own_text(struct bytes text)
{
	char *made = memory_zalloc(text.size + 1);
	if (text.size > 0)
		memcpy(made, text.data, text.size);
	return made;
}

static bool read_keys(struct bytes *in, struct text_name *name)
{
	uint64_t count;
	if (!codec__get_number(in, &count) || count > CODEC__KEYS_MAX)
		return false;
	name->keys = memory_zalloc((size_t)(count + 1) * sizeof(*name->keys));
	for (; name->key_count < count; name->key_count++) {
		struct bytes key;
		if (!codec__get_bytes(in, &key))
			return false;
		name->keys[name->key_count] = own_text(key);
	}
	return true;
}

static bool is_sound(const struct change_names *names, uint64_t parent, uint64_t kind, struct bytes own)
{
	if (parent >= names->names.length || names->names.length >= CODEC__NAMES_MAX || own.size == 0 ||
	    kind < CODEC__CONTAINER || kind > CODEC__ANNOTATION)
		return false;
	const struct text_name *above = name_at(names, parent);
	if (kind == CODEC__ANNOTATION && parent != 0)
		return false;
	return parent == 0 || (above->depth < CODEC__DEPTH_MAX &&
			       (above->kind == CODEC__CONTAINER || above->kind == CODEC__LIST));
}

/* A definition off the front of `in`. False: it is none; what was made is to be cleared all the same. */
static bool read_name(const struct change_names *names, struct bytes *in, struct text_name *name)
{
	struct bytes start = *in, module, own;
	uint64_t parent, kind;
	*name = (struct text_name){0};
	buffer_init(&name->bytes, SIZE_MAX);
	if (!codec__get_number(in, &parent) || !codec__get_number(in, &kind) ||
	    !codec__get_bytes(in, &module) || !codec__get_bytes(in, &own) ||
	    (kind == CODEC__LIST && !read_keys(in, name)))
		return false;
	name->parent = (uint32_t)parent;
	name->kind = (uint8_t)kind;
	if (!is_sound(names, parent, kind, own))
		return false;
	name->depth = name_at(names, parent)->depth + 1;
	name->segment = memory_zalloc(module.size + own.size + 2);
	if (module.size > 0) {
		memcpy(name->segment, module.data, module.size);
		name->segment[module.size] = ':';
	}
	memcpy(name->segment + module.size + (module.size > 0), own.data, own.size);
	return buffer_append(&name->bytes, (struct bytes){start.data, start.size - in->size}) == ST_OK;
}

/* Known ones are only passed over, so that a block may be read again. */
static enum status define(struct change_names *names, uint64_t number, struct bytes *in)
{
	if (number == 0 || number > names->names.length)
		return ST_CORRUPT;
	if (number < names->names.length) {
		struct bytes known = buffer_get(&name_at(names, number)->bytes);
		if (known.size > in->size || memcmp(known.data, in->data, known.size) != 0)
			return ST_CORRUPT;
		*in = (struct bytes){in->data + known.size, in->size - known.size};
		return ST_OK;
	}
	struct text_name name;
	bool sound = read_name(names, in, &name);
	if (sound)
		*(struct text_name *)vector_push(&names->names) = name;
	else
		clear_name(&name);
	return sound ? ST_OK : ST_CORRUPT;
}

static enum status read_definitions(struct change_names *names, struct bytes *in)
{
	uint64_t first, count;
	if (!codec__get_number(in, &first) || !codec__get_number(in, &count))
		return ST_CORRUPT;
	enum status status = ST_OK;
	for (uint64_t i = 0; i < count && status == ST_OK; i++)
		status = define(names, first + i, in);
	return status;
}

enum status change_text_complete(struct change_names *names, struct bytes block, struct buffer *out)
{
	enum status status = read_definitions(names, &block);
	codec__put_number(out, 1);
	codec__put_number(out, names->names.length - 1);
	for (size_t i = 1; i < names->names.length && status == ST_OK; i++)
		status = buffer_append(out, buffer_get(&name_at(names, i)->bytes));
	return status == ST_OK ? buffer_append(out, block) : status;
}

/* ---- paths ---- */

static void put(struct text_reader *reader, struct bytes text)
{
	enum status status = buffer_append(&reader->path, text);
	ASSERT(status == ST_OK); /* the buffer has no limit */
}

static void put_quoted(struct text_reader *reader, struct bytes value)
{
	bool has_single = value.size > 0 && memchr(value.data, '\'', value.size) != NULL;
	const char *quote = has_single ? "\"" : "'";
	put(reader, bytes_of(quote));
	for (size_t i = 0; i < value.size; i++) {
		put(reader, (struct bytes){value.data + i, 1});
		if (value.data[i] == quote[0])
			put(reader, bytes_of(quote));
	}
	put(reader, bytes_of(quote));
}

static void put_segment(struct text_reader *reader, const struct text_name *name)
{
	if (reader->visit == NULL)
		return;
	put(reader, bytes_of("/"));
	put(reader, bytes_of(name->segment));
}

/* [key='value'], or with `key` NULL [.='value']. */
static void put_key(struct text_reader *reader, const char *key, struct bytes value)
{
	if (reader->visit == NULL)
		return;
	put(reader, bytes_of("["));
	put(reader, bytes_of(key != NULL ? key : "."));
	put(reader, bytes_of("="));
	put_quoted(reader, value);
	put(reader, bytes_of("]"));
}

static enum change_text_kind kind_of(const struct text_name *name)
{
	switch (name->kind) {
	case CODEC__LEAF:
		return CHANGE_TEXT_LEAF;
	case CODEC__LEAF_LIST:
		return CHANGE_TEXT_LEAF_LIST;
	case CODEC__ANYDATA:
		return CHANGE_TEXT_ANYDATA;
	case CODEC__ANYXML:
		return CHANGE_TEXT_ANYXML;
	case CODEC__ANNOTATION:
		return CHANGE_TEXT_ANNOTATION;
	default:
		return CHANGE_TEXT_INSTANCE;
	}
}

static enum status tell(struct text_reader *reader, struct change_text *change)
{
	if (reader->visit == NULL)
		return ST_OK;
	change->path = buffer_get(&reader->path);
	return reader->visit(reader->arg, change);
}

/* ---- items ---- */

static bool read_value(struct text_reader *reader, struct bytes *value)
{
	uint64_t head;
	if (!codec__get_number(&reader->in, &head) || head >> 1 > reader->in.size)
		return false;
	*value = (struct bytes){reader->in.data, head >> 1};
	reader->in = (struct bytes){reader->in.data + value->size, reader->in.size - value->size};
	return true;
}

/* The one or two values that the action has. */
static bool read_values(struct text_reader *reader, const struct text_item *item, struct change_text *change,
			bool are_xml)
{
	bool modified = item->action == CHANGE_TEXT_MODIFIED;
	struct bytes *first = item->action == CHANGE_TEXT_CREATED ? &change->new_value : &change->old_value;
	change->has_value = true;
	bool ok = are_xml ? codec__get_bytes(&reader->in, first) : read_value(reader, first);
	if (ok && modified)
		ok = are_xml ? codec__get_bytes(&reader->in, &change->new_value)
			     : read_value(reader, &change->new_value);
	return ok;
}

static bool skip_place(struct text_reader *reader, const struct text_name *name)
{
	uint64_t has;
	struct bytes value;
	if (!codec__get_number(&reader->in, &has) || has > 1)
		return false;
	uint32_t count = name->kind == CODEC__LIST ? name->key_count : 1;
	for (uint32_t i = 0; has && i < count; i++) {
		if (!read_value(reader, &value))
			return false;
	}
	return true;
}

static bool skip_places(struct text_reader *reader, const struct text_item *item)
{
	uint64_t rank;
	if (!item->placed)
		return true;
	if (item->action != CHANGE_TEXT_CREATED &&
	    (!codec__get_number(&reader->in, &rank) || !skip_place(reader, item->name)))
		return false;
	return item->action == CHANGE_TEXT_DELETED || skip_place(reader, item->name);
}

static enum status refill(struct text_reader *reader)
{
	while (reader->in.size == 0) {
		if (reader->next == NULL)
			return ST_CORRUPT;
		enum status status = reader->next(reader->next_arg, &reader->in);
		if (status == ST_OK)
			status = read_definitions(reader->names, &reader->in);
		if (status != ST_OK)
			return status;
	}
	return ST_OK;
}

/* Number 0: there is none. */
static enum status read_start(struct text_reader *reader, uint32_t parent, struct text_item *item)
{
	uint64_t start;
	enum status status = refill(reader);
	if (status != ST_OK)
		return status;
	*item = (struct text_item){.path_size = buffer_size(&reader->path)};
	if (!codec__get_number(&reader->in, &start))
		return ST_CORRUPT;
	if (start == 0)
		return ST_OK;
	uint64_t number = start >> CODEC__ACTION_BITS;
	if (number == 0 || number >= reader->names->names.length || (start & CODEC__ACTION) == 0)
		return ST_CORRUPT;
	item->name = name_at(reader->names, number);
	item->number = (uint32_t)number;
	item->action = (enum change_text_action)(start & CODEC__ACTION);
	item->placed = start & CODEC__PLACED;
	bool is_below = item->name->parent == parent || item->name->kind == CODEC__ANNOTATION;
	bool may_be_placed = item->name->kind == CODEC__LIST || item->name->kind == CODEC__LEAF_LIST;
	return is_below && (may_be_placed || !item->placed) ? ST_OK : ST_CORRUPT;
}

static enum status read_items(struct text_reader *reader, uint32_t parent, bool in_full);

static enum status read_instance(struct text_reader *reader, const struct text_item *item)
{
	struct change_text change = {
		.action = item->action, .kind = kind_of(item->name), .moved = item->placed};
	struct bytes value;
	for (uint32_t i = 0; item->name->kind == CODEC__LIST && i < item->name->key_count; i++) {
		if (!read_value(reader, &value))
			return ST_CORRUPT;
		put_key(reader, item->name->keys[i], value);
	}
	if (!skip_places(reader, item))
		return ST_CORRUPT;
	bool modified = item->action == CHANGE_TEXT_MODIFIED;
	change.moved = modified && item->placed;
	enum status status = !modified || change.moved ? tell(reader, &change) : ST_OK;
	return status == ST_OK ? read_items(reader, item->number, !modified) : status;
}

static enum status read_list_value(struct text_reader *reader, const struct text_item *item)
{
	struct bytes value;
	if (!skip_places(reader, item) || !read_value(reader, &value))
		return ST_CORRUPT;
	put_key(reader, NULL, value);
	bool created = item->action == CHANGE_TEXT_CREATED, deleted = item->action == CHANGE_TEXT_DELETED;
	struct change_text change = {
		.action = item->action, .kind = kind_of(item->name), .has_value = created || deleted};
	change.moved = !change.has_value;
	if (created)
		change.new_value = value;
	if (deleted)
		change.old_value = value;
	return tell(reader, &change);
}

static enum status read_leaf(struct text_reader *reader, const struct text_item *item)
{
	struct change_text change = {.action = item->action, .kind = kind_of(item->name)};
	bool are_xml = item->name->kind == CODEC__ANYDATA || item->name->kind == CODEC__ANYXML;
	return read_values(reader, item, &change, are_xml) ? tell(reader, &change) : ST_CORRUPT;
}

static bool is_annotated_kind(uint8_t kind)
{
	return kind == CODEC__LEAF || kind == CODEC__LEAF_LIST || kind == CODEC__ANYDATA ||
	       kind == CODEC__ANYXML;
}

static enum status read_annotation(struct text_reader *reader, uint32_t parent, const struct text_item *item)
{
	uint64_t number;
	struct bytes value;
	if (!codec__get_number(&reader->in, &number) || number >= reader->names->names.length)
		return ST_CORRUPT;
	const struct text_name *child = name_at(reader->names, number);
	if (number == 0 ? parent == 0 : child->parent != parent || !is_annotated_kind(child->kind))
		return ST_CORRUPT;
	if (number != 0)
		put_segment(reader, child);
	if (number != 0 && child->kind == CODEC__LEAF_LIST) {
		if (!read_value(reader, &value))
			return ST_CORRUPT;
		put_key(reader, NULL, value);
	}
	if (reader->visit != NULL) {
		put(reader, bytes_of("/@"));
		put(reader, bytes_of(item->name->segment));
	}
	struct change_text change = {.action = item->action, .kind = kind_of(item->name)};
	return read_values(reader, item, &change, false) ? tell(reader, &change) : ST_CORRUPT;
}

static enum status read_body(struct text_reader *reader, uint32_t parent, const struct text_item *item)
{
	if (item->name->kind == CODEC__ANNOTATION)
		return read_annotation(reader, parent, item);
	put_segment(reader, item->name);
	switch (item->name->kind) {
	case CODEC__CONTAINER:
	case CODEC__LIST:
		return read_instance(reader, item);
	case CODEC__LEAF_LIST:
		return read_list_value(reader, item);
	default:
		return read_leaf(reader, item);
	}
}

/* Up to the end of them. `in_full`: all are created. */
static enum status read_items(struct text_reader *reader, uint32_t parent, bool in_full)
{
	for (;;) {
		struct text_item item;
		enum status status = read_start(reader, parent, &item);
		if (status != ST_OK || item.number == 0)
			return status;
		if (in_full && (item.action != CHANGE_TEXT_CREATED || item.placed))
			return ST_CORRUPT;
		status = read_body(reader, parent, &item);
		buffer_cut(&reader->path, buffer_size(&reader->path) - item.path_size);
		if (status != ST_OK)
			return status;
	}
}

static enum status run(struct text_reader *reader, bool in_full)
{
	buffer_init(&reader->path, SIZE_MAX);
	enum status status = read_items(reader, 0, in_full);
	buffer_fini(&reader->path);
	return status == ST_OK && reader->in.size > 0 ? ST_CORRUPT : status;
}

enum status change_text_record(struct change_names *names, struct bytes block, change_text_visit *visit,
			       void *arg)
{
	struct text_reader reader = {.names = names, .in = block, .visit = visit, .arg = arg};
	enum status status = read_definitions(names, &reader.in);
	return status == ST_OK ? run(&reader, false) : status;
}

enum status change_text_tree(struct change_names *names, enum status (*next)(void *arg, struct bytes *block),
			     void *next_arg, change_text_visit *visit, void *arg)
{
	struct text_reader reader = {
		.names = names, .next = next, .next_arg = next_arg, .visit = visit, .arg = arg};
	return run(&reader, true);
}
