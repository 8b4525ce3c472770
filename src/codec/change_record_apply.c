/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Applying change sets and trees from bytes (change_record.h; the format is told in change_record.c). One
 * pass over the bytes, straight into a builder. Undo reads the same items with created and deleted exchanged.
 *
 * `build` says whether an item is to be built or only passed over: content that is deleted, and what the
 * schema has no place for. The latter is said in the diagnostics and the pass goes on, so that one run names
 * all of it.
 *
 * Undo puts the deleted and moved items of a user-ordered list back from left to right in the old order,
 * after those created are gone; so the items of one such list, which follow each other, are sorted first.
 */
#include <stdlib.h>
#include "base/memory.h"
#include "codec/change_record_internal.h"

#define KEYS_LOCAL 4

struct keys {
	struct value local[KEYS_LOCAL];
	struct value *values; /* owned */
	uint32_t count;
};

struct place {
	uint64_t rank;	      /* old place only */
	bool has_predecessor; /* false: the first */
	bool is_lost;	      /* lenient: the predecessor does not fit; at the end then */
	struct keys predecessor;
};

/* What stands before the content of an item. */
struct item {
	uint32_t number;
	unsigned action; /* as applied: created and deleted are exchanged for undo */
	bool placed;
	bool build;
	uint8_t kind;
	const struct schema_node *node; /* NULL: unknown, not built */
	struct keys keys;		/* list entry */
	struct place old_place, place;	/* `place`: where it goes in the direction of the pass */
};

static void keys_init(struct keys *keys, uint32_t count)
{
	keys->values = count <= KEYS_LOCAL ? keys->local : memory_resize(NULL, count, sizeof(*keys->values));
	keys->count = 0;
}

static void keys_fini(struct keys *keys)
{
	for (uint32_t i = 0; i < keys->count; i++)
		value_unref(keys->values[i]);
	if (keys->values != keys->local)
		memory_free(keys->values);
}

static void item_fini(struct item *item)
{
	keys_fini(&item->keys);
	keys_fini(&item->old_place.predecessor);
	keys_fini(&item->place.predecessor);
}

/* The keys of an entry, or the value of a leaf-list. A value that does not fit clears *build. */
static enum status read_keys(struct codec__reader *reader, const struct item *item, struct keys *keys,
			     bool *build)
{
	bool is_list = item->kind == CODEC__LIST;
	uint32_t count = is_list ? codec__name_at(reader->dictionary, item->number)->key_count : 1;
	keys_init(keys, count);
	for (uint32_t i = 0; i < count; i++) {
		const struct schema_node *node = is_list && *build ? item->node->children[i] : item->node;
		enum status status = codec__read_value(reader, item->number, node, *build, &keys->values[i]);
		if (status == ST_REJECTED)
			*build = false;
		else if (status != ST_OK)
			return status;
		keys->count += *build;
	}
	return ST_OK;
}

static enum status read_place(struct codec__reader *reader, const struct item *item, struct place *place,
			      bool *build)
{
	uint64_t has;
	if (!codec__get_number(&reader->in, &has) || has > 1)
		return ST_CORRUPT;
	place->has_predecessor = has;
	bool fits = *build;
	enum status status = has ? read_keys(reader, item, &place->predecessor, &fits) : ST_OK;
	place->is_lost = *build && !fits && reader->dictionary->lenient;
	*build = fits || place->is_lost;
	return status;
}

/* ---- items ---- */

enum status codec__read_definitions(struct codec__reader *reader)
{
	struct change_dictionary *dictionary = reader->dictionary;
	uint64_t first, count;
	if (!codec__get_number(&reader->in, &first) || !codec__get_number(&reader->in, &count))
		return ST_CORRUPT;
	enum status status = ST_OK;
	for (uint64_t i = 0; i < count && status == ST_OK; i++)
		status = codec__name_define(dictionary, first + i, &reader->in);
	return status;
}

/* Makes sure that there is something to read. */
static enum status refill(struct codec__reader *reader)
{
	while (reader->in.size == 0) {
		if (reader->next == NULL)
			return ST_CORRUPT;
		enum status status = reader->next(reader->next_arg, &reader->in);
		if (status == ST_OK)
			status = codec__read_definitions(reader);
		if (status != ST_OK)
			return status;
	}
	return ST_OK;
}

/* The start of the next item; number 0: there is none. */
static enum status read_start(struct codec__reader *reader, uint32_t parent, struct item *item)
{
	uint64_t start;
	enum status status = refill(reader);
	if (status != ST_OK)
		return status;
	if (!codec__get_number(&reader->in, &start))
		return ST_CORRUPT;
	item->number = 0;
	if (start == 0)
		return ST_OK;
	uint64_t number = start >> CODEC__ACTION_BITS;
	if (number == 0 || number >= reader->dictionary->names.length || (start & CODEC__ACTION) == 0)
		return ST_CORRUPT;
	const struct codec__name *name = codec__name_at(reader->dictionary, number);
	if (name->parent != parent && name->kind != CODEC__ANNOTATION)
		return ST_CORRUPT;
	item->number = (uint32_t)number;
	item->action = start & CODEC__ACTION;
	item->placed = start & CODEC__PLACED;
	item->kind = name->kind;
	item->node = name->node;
	if (item->placed && item->kind != CODEC__LIST && item->kind != CODEC__LEAF_LIST)
		return ST_CORRUPT;
	return ST_OK;
}

static enum status read_places(struct codec__reader *reader, struct item *item)
{
	struct place new_place = {0};
	enum status status = ST_OK;
	keys_init(&new_place.predecessor, 0);
	if (item->action != CODEC__CREATED) {
		if (!codec__get_number(&reader->in, &item->old_place.rank))
			return ST_CORRUPT;
		status = read_place(reader, item, &item->old_place, &item->build);
	}
	if (status == ST_OK && item->action != CODEC__DELETED)
		status = read_place(reader, item, &item->place, &item->build);
	return status;
}

/* Everything of an item up to its content. To be given to item_fini, whatever it returns. */
static enum status read_head(struct codec__reader *reader, uint32_t parent, bool build, struct item *item)
{
	memset(item, 0, sizeof(*item));
	keys_init(&item->keys, 0);
	keys_init(&item->old_place.predecessor, 0);
	keys_init(&item->place.predecessor, 0);
	enum status status = read_start(reader, parent, item);
	if (status != ST_OK || item->number == 0)
		return status;
	if (item->kind == CODEC__ANNOTATION)
		return ST_OK;
	if (build && item->node == NULL)
		codec__reject(reader, item->number, bytes_of(""), "the schema has no such node");
	item->build = build && item->node != NULL;
	if (item->build && item->node->is_key)
		return ST_CORRUPT;
	if (item->kind == CODEC__LIST)
		status = read_keys(reader, item, &item->keys, &item->build);
	if (status == ST_OK && item->placed)
		status = read_places(reader, item);
	if (reader->direction == CHANGE_UNDO && item->action != CODEC__MODIFIED)
		item->action = item->action == CODEC__CREATED ? CODEC__DELETED : CODEC__CREATED;
	return status;
}

static bool has_item(const struct tree_builder *builder, const struct schema_node *node,
		     const struct value *keys)
{
	const struct tree_record *record = tree_builder_position(builder)->record;
	const union tree_slot *slot = record != NULL ? tree_record_find(record, node) : NULL;
	return slot != NULL && tree_map_find(slot->map, node, keys) != NULL;
}

static bool keys_equal(const struct keys *a, const struct value *b)
{
	for (uint32_t i = 0; i < a->count; i++) {
		if (!value_equal(a->values[i], b[i]))
			return false;
	}
	return true;
}

/* Something is not there that should be: where things were left out that is no wonder. */
static enum status misses(const struct codec__reader *reader)
{
	return reader->dictionary->lenient ? ST_OK : ST_CORRUPT;
}

/* Where a placed item goes. False: the anchor is not there. */
static bool find_insert(const struct codec__reader *reader, const struct item *item, const struct value *keys,
			struct tree_insert *insert)
{
	const struct place *place = reader->direction == CHANGE_UNDO ? &item->old_place : &item->place;
	*insert = (struct tree_insert){.where = TREE_FIRST};
	if (!place->has_predecessor)
		return true;
	*insert = (struct tree_insert){TREE_AFTER, place->predecessor.values};
	bool found = !place->is_lost && !keys_equal(&place->predecessor, keys) &&
		     has_item(reader->builder, item->node, place->predecessor.values);
	if (found || !reader->dictionary->lenient)
		return found;
	*insert = (struct tree_insert){.where = TREE_LAST};
	return true;
}

static bool is_ordered(const struct item *item)
{
	return item->placed && tree_node_is_user_ordered(item->node);
}

static enum status apply_changes(struct codec__reader *reader, uint32_t parent, bool build);
static enum status build_children(struct codec__reader *reader, uint32_t parent, bool build);

/* ---- leafs, leaf-lists, anydata ---- */

static enum status apply_leaf(struct codec__reader *reader, const struct item *item)
{
	struct value value = VALUE_NONE;
	bool second = item->action == CODEC__MODIFIED;
	bool first_counts = !second || reader->direction == CHANGE_UNDO;
	bool build = item->build && item->action != CODEC__DELETED;
	enum status status =
		codec__read_value(reader, item->number, item->node, build && first_counts, &value);
	if (second && (status == ST_OK || status == ST_REJECTED)) {
		enum status other =
			codec__read_value(reader, item->number, item->node, build && !first_counts, &value);
		status = other != ST_OK ? other : status;
	}
	if (status == ST_REJECTED && reader->dictionary->lenient)
		tree_builder_remove(reader->builder, item->node); /* the value before it may have fit */
	if (status != ST_OK)
		return status == ST_REJECTED ? ST_OK : status;
	if (build)
		tree_builder_set_leaf(reader->builder, item->node, value);
	else if (item->build && !tree_builder_remove(reader->builder, item->node))
		status = misses(reader);
	value_unref(value);
	return status;
}

static enum status put_list_value(struct codec__reader *reader, const struct item *item, struct value value)
{
	struct tree_insert insert;
	if (item->action == CODEC__DELETED)
		return tree_builder_remove_value(reader->builder, item->node, value) ? ST_OK : misses(reader);
	if (!is_ordered(item)) {
		tree_builder_add_value(reader->builder, item->node, value);
		return ST_OK;
	}
	if (item->action == CODEC__MODIFIED && reader->dictionary->lenient &&
	    !has_item(reader->builder, item->node, &value))
		return ST_OK;
	if (!find_insert(reader, item, &value, &insert))
		return ST_CORRUPT;
	tree_builder_insert_value(reader->builder, item->node, value, &insert);
	return ST_OK;
}

static enum status apply_list_value(struct codec__reader *reader, const struct item *item)
{
	struct value value = VALUE_NONE;
	enum status status = codec__read_value(reader, item->number, item->node, item->build, &value);
	if (status == ST_OK && item->build)
		status = put_list_value(reader, item, value);
	value_unref(value);
	return status == ST_REJECTED ? ST_OK : status;
}

static enum status apply_any(struct codec__reader *reader, const struct item *item)
{
	struct bytes first, second;
	bool modified = item->action == CODEC__MODIFIED;
	if (!codec__get_bytes(&reader->in, &first) || (modified && !codec__get_bytes(&reader->in, &second)))
		return ST_CORRUPT;
	if (!item->build)
		return ST_OK;
	if (item->action == CODEC__DELETED)
		return tree_builder_remove(reader->builder, item->node) ? ST_OK : misses(reader);
	struct bytes xml = modified && reader->direction == CHANGE_REDO ? second : first;
	if (xml.size > TEXT_SIZE_MAX)
		return ST_CORRUPT;
	struct tree_any *any = tree_any_new(text_new(xml, 0));
	tree_builder_set_any(reader->builder, item->node, any);
	tree_any_unref(any);
	return ST_OK;
}

/* ---- containers and entries ---- */

static enum status enter_ordered(struct codec__reader *reader, const struct item *item)
{
	struct tree_builder *builder = reader->builder;
	const struct value *keys = item->keys.values;
	struct tree_insert insert;
	bool created = item->action == CODEC__CREATED, made;
	if (has_item(builder, item->node, keys) == created && misses(reader) != ST_OK)
		return ST_CORRUPT;
	if (!find_insert(reader, item, keys, &insert))
		return ST_CORRUPT;
	tree_builder_insert_entry(builder, item->node, keys, &insert);
	tree_builder_enter_entry(builder, item->node, keys, &made);
	return ST_OK;
}

/* Goes into the instance, made or moved as the item says. */
static enum status enter(struct codec__reader *reader, const struct item *item)
{
	struct tree_builder *builder = reader->builder;
	const struct schema_node *node = item->node;
	bool created = item->action == CODEC__CREATED, made;
	if (item->kind == CODEC__CONTAINER) {
		if (created)
			tree_builder_enter(builder, node);
		else if (reader->dictionary->lenient)
			tree_builder_enter(builder, node);
		else if (!tree_builder_enter_existing(builder, node))
			return ST_CORRUPT;
		tree_builder_make(builder); /* stored in both, even if empty */
		return ST_OK;
	}
	if (is_ordered(item))
		return enter_ordered(reader, item);
	if (!created)
		return tree_builder_enter_existing_entry(builder, node, item->keys.values) ? ST_OK
											   : ST_CORRUPT;
	tree_builder_enter_entry(builder, node, item->keys.values, &made);
	return made ? ST_OK : misses(reader);
}

static enum status apply_instance(struct codec__reader *reader, const struct item *item)
{
	enum status status = ST_OK;
	bool inside = item->build && item->action != CODEC__DELETED;
	if (item->build && !inside) {
		bool removed =
			item->kind == CODEC__LIST
				? tree_builder_remove_entry(reader->builder, item->node, item->keys.values)
				: tree_builder_remove(reader->builder, item->node);
		status = removed ? ST_OK : misses(reader);
	}
	/* An entry that was left out stays so. */
	if (inside && item->kind == CODEC__LIST && item->action == CODEC__MODIFIED &&
	    reader->dictionary->lenient && !has_item(reader->builder, item->node, item->keys.values))
		inside = false;
	if (inside)
		status = enter(reader, item);
	if (status != ST_OK)
		return status;
	status = item->action == CODEC__MODIFIED ? apply_changes(reader, item->number, inside)
						 : build_children(reader, item->number, inside);
	if (status == ST_OK && inside)
		tree_builder_leave(reader->builder);
	return status;
}

/* ---- annotations ---- */

/* The child that an annotation is of; 0 is the record itself. */
static bool is_annotated_kind(uint8_t kind)
{
	return kind == CODEC__LEAF || kind == CODEC__LEAF_LIST || kind == CODEC__ANYDATA ||
	       kind == CODEC__ANYXML;
}

static bool is_stored(const struct tree_builder *builder, struct tree_annotated node)
{
	const struct tree_position *position = tree_builder_position(builder);
	if (node.child == NULL)
		return position->parent != NULL;
	if (node.child->kind == SCHEMA_LEAF_LIST)
		return has_item(builder, node.child, &node.item);
	return position->record != NULL && tree_record_find(position->record, node.child) != NULL;
}

/* The value that the annotation has afterwards; not set where it has none. */
static enum status read_note_value(struct codec__reader *reader, const struct item *item, bool build,
				   struct value *value)
{
	const struct schema_annotation *annotation =
		codec__name_at(reader->dictionary, item->number)->annotation;
	struct bytes bytes, second;
	uint64_t head;
	bool undo = reader->direction == CHANGE_UNDO, modified = item->action == CODEC__MODIFIED;
	if (!codec__read_value_bytes(reader, &head, &bytes) ||
	    (modified && !codec__read_value_bytes(reader, &head, &second)))
		return ST_CORRUPT;
	if (modified && !undo)
		bytes = second;
	if (!build)
		return ST_OK;
	return codec__parse_typed(reader, item->number, annotation->module, annotation->type, bytes, value);
}

static enum status put_note(struct codec__reader *reader, const struct item *item, struct tree_annotated node)
{
	const struct schema_annotation *annotation =
		codec__name_at(reader->dictionary, item->number)->annotation;
	bool removes = item->action == (reader->direction == CHANGE_UNDO ? CODEC__CREATED : CODEC__DELETED);
	struct value value = VALUE_NONE;
	enum status status = read_note_value(reader, item, item->build && !removes, &value);
	/* The value that it had is not its own any more. */
	if (status == ST_REJECTED)
		tree_builder_remove_annotation(reader->builder, node, annotation);
	if (status != ST_OK || !item->build)
		return status == ST_REJECTED ? ST_OK : status;
	/* What is removed may have gone with its node. */
	if (removes)
		tree_builder_remove_annotation(reader->builder, node, annotation);
	else if (is_stored(reader->builder, node))
		tree_builder_annotate(reader->builder, node, annotation, value);
	else
		status = misses(reader);
	value_unref(value);
	return status;
}

/* `parent`: the number of what the builder stands in. */
static enum status apply_annotation(struct codec__reader *reader, uint32_t parent, struct item *item,
				    bool build)
{
	const struct change_dictionary *dictionary = reader->dictionary;
	uint64_t number;
	if (!codec__get_number(&reader->in, &number) || number >= dictionary->names.length)
		return ST_CORRUPT;
	const struct codec__name *child = codec__name_at(dictionary, number);
	if (number == 0 ? parent == 0 : child->parent != parent || !is_annotated_kind(child->kind))
		return ST_CORRUPT;
	if (build && codec__name_at(dictionary, item->number)->annotation == NULL)
		codec__reject(reader, item->number, bytes_of(""), "the schema has no such annotation");
	else
		item->build = build;
	item->build = item->build && (number == 0 || child->node != NULL);
	struct tree_annotated node = {.child = number != 0 ? child->node : NULL};
	enum status status = ST_OK;
	if (number != 0 && child->kind == CODEC__LEAF_LIST)
		status = codec__read_value(reader, (uint32_t)number, child->node, item->build, &node.item);
	item->build = item->build && status == ST_OK;
	if (status == ST_OK || status == ST_REJECTED)
		status = put_note(reader, item, node);
	value_unref(node.item);
	return status;
}

static enum status apply_body(struct codec__reader *reader, const struct item *item)
{
	switch (item->kind) {
	case CODEC__LEAF:
		return apply_leaf(reader, item);
	case CODEC__LEAF_LIST:
		return apply_list_value(reader, item);
	case CODEC__ANYDATA:
	case CODEC__ANYXML:
		return apply_any(reader, item);
	default:
		return apply_instance(reader, item);
	}
}

/* One item of a change set or tree; *end at the end of them. */
/* Tells who watches: what is created, deleted or moved, and a value that is another one. */
static void tell(const struct codec__reader *reader, const struct item *item)
{
	const struct change_dictionary *dictionary = reader->dictionary;
	if (dictionary->changes == NULL || reader->direction != CHANGE_REDO ||
	    item->kind == CODEC__ANNOTATION)
		return;
	const struct schema_node *node = codec__name_at(dictionary, item->number)->node;
	bool is_frame = item->kind == CODEC__CONTAINER || item->kind == CODEC__LIST;
	bool within = item->action == CODEC__MODIFIED && is_frame && !item->placed;
	if (node != NULL && !within)
		dictionary->changes(dictionary->changes_arg, node);
}

static enum status apply_item(struct codec__reader *reader, uint32_t parent, bool build, bool *end)
{
	struct item item;
	enum status status = read_head(reader, parent, build, &item);
	*end = status == ST_OK && item.number == 0;
	if (status == ST_OK && !*end)
		tell(reader, &item);
	if (status == ST_OK && !*end)
		status = item.kind == CODEC__ANNOTATION ? apply_annotation(reader, parent, &item, build)
							: apply_body(reader, &item);
	item_fini(&item);
	return status;
}

/* Content in full: an undo builds it as it is. */
static enum status build_children(struct codec__reader *reader, uint32_t parent, bool build)
{
	enum change_direction direction = reader->direction;
	enum status status = ST_OK;
	reader->direction = CHANGE_REDO;
	for (bool end = false; status == ST_OK && !end;) {
		if (build && reader->runs != NULL)
			status = codec__runs_take(reader, parent);
		if (status == ST_OK)
			status = apply_item(reader, parent, build, &end);
	}
	reader->direction = direction;
	return status;
}

enum status codec__read_items(struct codec__reader *reader, uint32_t parent)
{
	enum status status = ST_OK;
	while (status == ST_OK && reader->in.size > 0) {
		bool end;
		status = apply_item(reader, parent, true, &end);
		if (status == ST_OK && end)
			status = ST_CORRUPT;
	}
	return status;
}

/* ---- undo in user-ordered lists ---- */

struct postponed {
	uint64_t rank;
	struct bytes start;
};

static int compare_ranks(const void *left, const void *right)
{
	const struct postponed *a = left, *b = right;
	return (a->rank > b->rank) - (a->rank < b->rank);
}

/* Applies what can be at once, and collects what goes back to an old place. */
static enum status undo_or_postpone(struct codec__reader *reader, uint32_t parent, bool build, uint32_t run,
				    struct vector *postponed, bool *end)
{
	struct bytes start = reader->in;
	struct item item;
	enum status status = read_head(reader, parent, build, &item);
	*end = status == ST_OK && item.number != run;
	if (*end) {
		reader->in = start;
	} else if (status == ST_OK) {
		if (item.placed && item.action != CODEC__DELETED) {
			*(struct postponed *)vector_push(postponed) =
				(struct postponed){item.old_place.rank, start};
			item.build = false;
		}
		status = apply_body(reader, &item);
	}
	item_fini(&item);
	return status;
}

/* All items of one user-ordered list or leaf-list. */
static enum status undo_run(struct codec__reader *reader, uint32_t parent, bool build, uint32_t run)
{
	struct vector postponed;
	enum status status = ST_OK;
	vector_init(&postponed, sizeof(struct postponed));
	for (bool end = false; status == ST_OK && !end;)
		status = undo_or_postpone(reader, parent, build, run, &postponed, &end);
	struct bytes rest = reader->in;
	if (postponed.length > 1)
		qsort(postponed.data, postponed.length, sizeof(struct postponed), compare_ranks);
	for (size_t i = 0; i < postponed.length && status == ST_OK; i++) {
		bool end;
		reader->in = ((struct postponed *)vector_at(&postponed, i))->start;
		status = apply_item(reader, parent, build, &end);
	}
	reader->in = rest;
	vector_fini(&postponed);
	return status;
}

/* The number of the list if a run of items of a user-ordered one comes next; else 0. */
static uint32_t peek_run(const struct codec__reader *reader)
{
	struct bytes in = reader->in;
	uint64_t start;
	if (!codec__get_number(&in, &start))
		return 0;
	uint64_t number = start >> CODEC__ACTION_BITS;
	if (number == 0 || number >= reader->dictionary->names.length)
		return 0;
	const struct schema_node *node = codec__name_at(reader->dictionary, number)->node;
	return node != NULL && tree_node_is_user_ordered(node) ? (uint32_t)number : 0;
}

static enum status apply_changes(struct codec__reader *reader, uint32_t parent, bool build)
{
	enum status status = ST_OK;
	for (bool end = false; status == ST_OK && !end;) {
		uint32_t run = build && reader->direction == CHANGE_UNDO ? peek_run(reader) : 0;
		if (build && reader->runs != NULL && reader->direction == CHANGE_REDO)
			status = codec__runs_take(reader, parent);
		if (status != ST_OK)
			return status;
		if (run != 0)
			status = undo_run(reader, parent, build, run);
		else
			status = apply_item(reader, parent, build, &end);
	}
	return status;
}

/* ---- the calls ---- */

enum status change_record_define(struct change_dictionary *dictionary, struct bytes block)
{
	struct codec__reader reader = {.dictionary = dictionary, .in = block};
	return codec__read_definitions(&reader);
}

static enum status end_of(struct codec__reader *reader, enum status status)
{
	arena_reset(reader->dictionary->arena);
	if (status == ST_OK && reader->in.size > 0)
		return ST_CORRUPT;
	return status == ST_OK && reader->rejected ? ST_REJECTED : status;
}

/* Gives `runs` to a reader where several threads may read for it. */
static void use_runs(struct codec__reader *reader, struct codec__runs *runs)
{
	const struct change_dictionary *dictionary = reader->dictionary;
	codec__runs_init(runs);
	if (dictionary->threads > 1 && !dictionary->strict && !dictionary->lenient)
		reader->runs = runs;
}

enum status change_record_apply(struct change_dictionary *dictionary, struct bytes block,
				enum change_direction direction, struct tree_builder *builder,
				struct diag_list *diags)
{
	struct codec__reader reader = {.dictionary = dictionary,
				       .in = block,
				       .direction = direction,
				       .builder = builder,
				       .diags = diags};
	struct codec__runs runs;
	use_runs(&reader, &runs);
	enum status status = codec__read_definitions(&reader);
	if (status == ST_OK)
		status = apply_changes(&reader, 0, true);
	codec__runs_fini(&runs);
	return end_of(&reader, status);
}

enum status change_tree_decode(struct change_dictionary *dictionary, struct tree_builder *builder,
			       enum status (*next)(void *arg, struct bytes *block), void *arg,
			       struct diag_list *diags)
{
	struct codec__reader reader = {
		.dictionary = dictionary, .builder = builder, .next = next, .next_arg = arg, .diags = diags};
	struct codec__runs runs;
	use_runs(&reader, &runs);
	enum status status = end_of(&reader, build_children(&reader, 0, true));
	codec__runs_fini(&runs);
	return status;
}
