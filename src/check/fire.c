/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From a change to the readers of the constraints that it triggers.
 *
 * Readers that a change leads to one by one (local, lookup) are judged at once; that they were, is kept in
 * `done`, since several changes may lead to the same reader. Where all instances below an ancestor are due
 * (fan-out, scan), the ancestor is put down and its readers are judged after the walk, each constraint going
 * through an instance once whatever number of changes made it due; nothing is kept for a reader then.
 *
 * A reader that the old tree does not have is created, and judged by the walk itself: so ways down go through
 * both trees, the old one first, which also makes the first load of a datastore cheap.
 *
 * A value index gives the readers that have certain values in the old tree, one by one. Those that have other
 * values in the new one are not in the new index; they changed themselves and are left to the walk. Whens are
 * judged before there is a new index, and are judged for those too. Many may
 * have the same values. Where these settle the verdict (`uniform`), the first reader speaks for all; and when
 * more are violated than the caller wants to hear of, the rest is not looked at.
 */
#include "check/index.h"
#include "check/split.h"

#include <string.h>

#include "base/assert.h"
#include "base/buffer.h"
#include "base/memory.h"

/* Readers below one instance of the ancestor, or of a node on the way down from it, due after the walk. */
struct fan {
	const struct check__readers *readers;
	size_t depth;			       /* steps of the readers' path that are behind it */
	const struct tree_position *old, *new; /* the instance; in run->arena */
};

static void key_append(struct check__run *run, const void *data, size_t size)
{
	if (run->key_capacity - run->key_size < size) {
		run->key_capacity = (run->key_size + size) * 2;
		run->key = memory_resize(run->key, run->key_capacity, 1);
	}
	if (size > 0)
		memcpy(run->key + run->key_size, data, size);
	run->key_size += size;
}

static void key_append_value(struct check__run *run, struct value value)
{
	struct bytes text = value_bytes(&value);
	uint32_t size = (uint32_t)text.size;
	key_append(run, &size, sizeof(size));
	key_append(run, text.data, text.size);
}

/* The keys and values on the path. */
struct bytes check__instance_key(struct check__run *run, const struct check__constraint *constraint,
				 const struct tree_position *position)
{
	run->key_size = 0;
	key_append(run, &constraint->id, sizeof(constraint->id));
	key_append(run, &position->schema->id, sizeof(position->schema->id));
	for (; position; position = position->parent) {
		if (position->schema->kind == SCHEMA_LEAF_LIST)
			key_append_value(run, position->value);
		if (position->schema->kind != SCHEMA_LIST)
			continue;
		if (position->schema->key_count == 0)
			key_append(run, &position->index, sizeof(position->index));
		for (size_t i = 0; i < position->schema->key_count; i++)
			key_append_value(run, position->record->slots[i].value);
	}
	return (struct bytes){run->key, run->key_size};
}

static bool add_key(struct hash_table **table, struct bytes key)
{
	static const char present;
	if (!*table)
		*table = hash_table_new();
	return hash_table_put(*table, key, (void *)&present) == NULL;
}

bool check__done_add(struct check__run *run, const struct check__constraint *constraint,
		     const struct tree_position *position)
{
	struct bytes key = check__instance_key(run, constraint, position);
	return check__is_split(run) ? check__split_done_add(run, key) : add_key(&run->done, key);
}

static bool is_done(struct check__run *run, const struct check__constraint *constraint,
		    const struct tree_position *position)
{
	struct bytes key = check__instance_key(run, constraint, position);
	if (check__is_split(run))
		return check__split_done_has(run, key);
	return run->done && hash_table_find(run->done, key);
}

/* ---- The way down to one reader. */

static bool enter_instance(struct check__run *run, const struct check__step *step, const struct value *values,
			   const struct tree_position *parent, struct tree_position *position)
{
	if (step->node->kind == SCHEMA_LEAF_LIST) {
		struct tree_position sample = {.schema = step->node, .value = values[step->bind[0]]};
		return check__find_same(run, parent, &sample, position);
	}
	for (size_t i = 0; i < step->node->key_count; i++)
		run->keys[i] = values[step->bind[i]];
	return parent->record && tree_position_find_entry(parent, step->node, run->keys, position);
}

/* Goes down from `base`; the positions are made in `way`. NULL where there is no reader. */
static const struct tree_position *descend(struct check__run *run, const struct check__readers *readers,
					   const struct value *values, const struct tree_position *base,
					   struct tree_position *way)
{
	const struct tree_position *position = base;
	for (size_t i = 0; i < readers->path_length; i++) {
		const struct check__step *step = &readers->path[i];
		bool found = check__is_multiple(step->node)
				     ? enter_instance(run, step, values, position, &way[i])
				     : check__find_child(run, position, step->node, &way[i]);
		if (!found)
			return NULL;
		position = &way[i];
	}
	return position;
}

/* The reader, if it was there before and still is. */
static const struct tree_position *find_reader(struct check__run *run, const struct check__readers *readers,
					       const struct value *values,
					       const struct check__frame *ancestor)
{
	if (!descend(run, readers, values, ancestor->old, run->old_way))
		return NULL;
	return descend(run, readers, values, ancestor->new, run->new_way);
}

enum outcome { NOT_JUDGED, HOLDS, VIOLATED };

static enum outcome judge_once(struct check__run *run, const struct check__constraint *constraint,
			       const struct tree_position *reader)
{
	if (!check__done_add(run, constraint, reader))
		return NOT_JUDGED;
	return check__judge(run, constraint, reader) ? HOLDS : VIOLATED;
}

/* ---- Fans. ---- */

static void add_fan_at(struct check__run *run, const struct check__readers *readers, size_t depth,
		       const struct tree_position *old, const struct tree_position *new)
{
	if (!add_key(&run->fan_keys, check__instance_key(run, readers->constraint, new)))
		return;
	bool is_when = readers->constraint->kind == CHECK__WHEN;
	struct fan *fan = vector_push(is_when ? &run->when_fans : &run->fans);
	fan->readers = readers;
	fan->depth = depth;
	fan->old = tree_position_dup(old, run->arena);
	fan->new = tree_position_dup(new, run->arena);
}

static void add_fan(struct check__run *run, const struct check__readers *readers,
		    const struct check__frame *ancestor)
{
	if (run->fired[readers->id] == ancestor->serial)
		return;
	run->fired[readers->id] = ancestor->serial;
	add_fan_at(run, readers, 0, ancestor->old, ancestor->new);
}

/* A fan of the same constraint further up has the same readers. */
static bool is_covered(struct check__run *run, const struct fan *fan)
{
	for (const struct tree_position *above = fan->new->parent; above; above = above->parent) {
		if (hash_table_find(run->fan_keys, check__instance_key(run, fan->readers->constraint, above)))
			return true;
	}
	return false;
}

static bool is_due(struct check__run *run, const struct check__constraint *constraint,
		   const struct tree_position *reader)
{
	if (constraint->kind == CHECK__WHEN) /* its fans may overlap, as some are put down late */
		return check__done_add(run, constraint, reader);
	return !is_done(run, constraint, reader);
}

static void judge_below(struct check__run *run, const struct fan *fan, size_t depth,
			const struct tree_position *old, const struct tree_position *new);

/* What is implicit on the way below depends on more than the list. */
static bool is_governed_below(const struct check__readers *readers, size_t depth)
{
	for (size_t i = depth + 1; i < readers->path_length; i++) {
		if (readers->path[i].node->when_count > 0)
			return true;
	}
	return false;
}

/* Both trees have the very same list, so that each entry needs no look-up in the old one. */
static bool is_shared(const struct tree_position *old, const struct tree_position *new,
		      const struct schema_node *list)
{
	const union tree_slot *a = old->record ? tree_record_find(old->record, list) : NULL;
	const union tree_slot *b = new->record ? tree_record_find(new->record, list) : NULL;
	return a && b && a->map == b->map;
}

static void judge_instances(struct check__run *run, const struct fan *fan, size_t depth,
			    const struct tree_position *old, const struct tree_position *new)
{
	const struct schema_node *list = fan->readers->path[depth].node;
	bool shared = is_shared(old, new, list) && !is_governed_below(fan->readers, depth);
	struct tree_cursor cursor;
	struct tree_position instance, before;
	tree_cursor_init_child(&cursor, run->schema, new, list, TREE_WITH_DEFAULTS);
	while (run->status == ST_OK && tree_cursor_next(&cursor, &instance)) {
		if (!check__tick(run, fan->readers->constraint, &instance))
			return;
		if (shared)
			judge_below(run, fan, depth + 1, &instance, &instance);
		else if (check__find_same(run, old, &instance, &before))
			judge_below(run, fan, depth + 1, &before, &instance);
	}
}

static void judge_below(struct check__run *run, const struct fan *fan, size_t depth,
			const struct tree_position *old, const struct tree_position *new)
{
	if (depth == fan->readers->path_length) {
		if (is_due(run, fan->readers->constraint, new))
			check__judge(run, fan->readers->constraint, new);
		return;
	}
	const struct schema_node *child = fan->readers->path[depth].node;
	if (check__is_multiple(child)) {
		judge_instances(run, fan, depth, old, new);
		return;
	}
	struct tree_position before, after;
	if (check__find_child(run, new, child, &after) && check__find_child(run, old, child, &before))
		judge_below(run, fan, depth + 1, &before, &after);
}

static void judge_fans(struct check__run *run, const struct vector *fans)
{
	for (size_t i = 0; i < fans->length && run->status == ST_OK; i++) {
		const struct fan *fan = vector_at(fans, i);
		if (!is_covered(run, fan))
			judge_below(run, fan, fan->depth, fan->old, fan->new);
	}
}

void check__fire_when_fans(struct check__run *run)
{
	judge_fans(run, &run->when_fans);
	vector_clear(&run->when_fans);
}

void check__fire_fans(struct check__run *run)
{
	judge_fans(run, &run->fans);
}

/* ---- Firing. */

static bool constants_match(const struct check__readers *readers, const struct value *keys)
{
	for (size_t i = 0; i < readers->list->key_count; i++) {
		const struct xpath_selector *selector = &readers->selectors[i];
		if (!selector->leaf && !bytes_equal(selector->constant, value_bytes(&keys[i])))
			return false;
	}
	return true;
}

static const struct value *entry_values(const struct check__frame *entry)
{
	const struct tree_position *position = entry->new ? entry->new : entry->old;
	ASSERT(position->record->length >= entry->schema->key_count);
	return &position->record->slots[0].value;
}

static const struct tree_position *anchor_of(struct check__run *run, const struct check__readers *readers,
					     const struct tree_record *tuple, const struct tree_record *root,
					     struct tree_position *way)
{
	struct tree_position position = tree_position_root(run->schema, root);
	way[0] = position;
	return check__index_anchor(run, readers->index, tuple, &way[0], &way[1]);
}

/* The reader of a tuple, from the anchor down without entering a list; made in `way`, behind the anchor.
 * NULL: it is not there. */
static const struct tree_position *reader_below(struct check__run *run, const struct check__readers *readers,
						const struct tree_record *tuple,
						const struct tree_position *anchor, struct tree_position *way)
{
	const struct check__index *index = readers->index;
	const struct tree_position *position = anchor;
	for (size_t i = index->anchor->depth - readers->ancestor->depth; i < readers->path_length; i++) {
		const struct schema_node *node = readers->path[i].node;
		struct tree_position *next = &way[node->depth];
		struct tree_position sample = {.schema = node};
		if (node == index->values)
			sample.value = tuple->slots[check__index_column(index, node)].value;
		bool found = node == index->values ? check__find_same(run, position, &sample, next)
						   : check__find_child(run, position, node, next);
		if (!found)
			return NULL;
		position = next;
	}
	return position;
}

/* There is a list between the anchor and the readers: each tuple has any number of them. */
static bool is_list_below(const struct check__readers *readers)
{
	const struct check__index *index = readers->index;
	for (size_t i = index->anchor->depth - readers->ancestor->depth; i < readers->path_length; i++) {
		const struct schema_node *node = readers->path[i].node;
		if (check__is_multiple(node) && node != index->values)
			return true;
	}
	return false;
}

/* The tuple's being there means that the reader is. */
static bool is_shown(const struct check__readers *readers)
{
	const struct check__index *index = readers->index;
	const struct schema_node *context = readers->constraint->context;
	for (size_t i = 0; i < index->leaf_count; i++) {
		if (index->leafs[i] == context)
			return true;
	}
	return index->anchor == context;
}

static bool is_when(const struct check__readers *readers)
{
	return readers->constraint->kind == CHECK__WHEN;
}

/* The reader of a tuple that is in both indexes (a when's: in the old one); one that was not there before is
 * left to the walk. */
static enum outcome judge_tuple(struct check__run *run, const struct check__readers *readers,
				const struct tree_record *tuple)
{
	const struct tree_position *anchor = anchor_of(run, readers, tuple, run->new_root, run->anchor_way);
	const struct tree_position *old = NULL;
	bool is_fan = is_list_below(readers);
	if (!anchor) {
		ASSERT(is_when(readers));
		return NOT_JUDGED;
	}
	if (is_fan || !is_shown(readers))
		old = anchor_of(run, readers, tuple, run->old_root, run->old_way);
	if (is_fan) {
		size_t depth = readers->index->anchor->depth - readers->ancestor->depth;
		add_fan_at(run, readers, depth, old, anchor);
		return NOT_JUDGED;
	}
	if (old && !reader_below(run, readers, tuple, old, run->old_way))
		return NOT_JUDGED;
	const struct tree_position *reader = reader_below(run, readers, tuple, anchor, run->anchor_way);
	return reader ? judge_once(run, readers->constraint, reader) : NOT_JUDGED;
}

static void judge_range(struct check__run *run, const struct check__readers *readers,
			struct check__range *range)
{
	size_t violated = 0;
	const struct tree_record *tuple;
	while (run->status == ST_OK && (tuple = check__range_next(range))) {
		if (!check__tick(run, readers->constraint, NULL))
			return;
		if (!is_when(readers) && !check__index_has(readers->index, run->new_index, tuple))
			continue;
		enum outcome outcome = judge_tuple(run, readers, tuple);
		violated += outcome == VIOLATED;
		if (violated > run->faults.keep || (outcome == HOLDS && readers->uniform))
			return;
	}
}

/* The readers with the known values below the ancestor. `lost` may be NULL where no column takes it. */
static void fire_index(struct check__run *run, const struct check__readers *readers,
		       const struct check__frame *frame, const struct check__frame *ancestor,
		       const struct value *lost)
{
	const struct check__index *index = readers->index;
	for (size_t i = 0; i < index->leaf_count; i++) {
		const struct check__source *source = &readers->sources[i];
		if (source->list)
			run->due[i] = entry_values(check__frame_at(frame, source->list))[source->key];
		else
			run->due[i] = *lost;
	}
	size_t prefix = index->leaf_count + check__keys_of(ancestor->new, run->due + index->leaf_count);
	struct check__range range;
	check__range_init(&range, run->plan->host, index, run->old_index, run->due, prefix);
	judge_range(run, readers, &range);
}

/* The target of a leafref has lost a value: due are the readers that have it. */
static void fire_lost(struct check__run *run, const struct check__readers *readers,
		      const struct check__frame *frame, const struct check__frame *ancestor)
{
	if (!frame->old)
		return;
	const struct value *lost = &frame->old->value, *values = lost;
	if (readers->reach == CHECK__INDEX) {
		fire_index(run, readers, frame, ancestor, lost);
		return;
	}
	ASSERT(readers->reach != CHECK__FAN_OUT && readers->reach != CHECK__SCAN);
	if (readers->list) {
		values = entry_values(check__frame_at(frame, readers->list));
		if (!constants_match(readers, values))
			return;
	}
	const struct tree_position *reader = find_reader(run, readers, values, ancestor);
	if (reader && value_equal(reader->value, *lost))
		judge_once(run, readers->constraint, reader);
}

/* Settle may have no indexes of its base, as of a candidate that was changed before, until it needs them. */
static bool ask_for_index(struct check__run *run)
{
	if (!run->old_index && run->index_source)
		run->old_index = tree_record_ref(run->index_source->get(run->index_source)->root);
	return run->old_index != NULL;
}

/* The entry that the expression selects has changed, or something below it. */
static void fire_entry(struct check__run *run, const struct check__readers *readers,
		       const struct check__frame *frame, const struct check__frame *ancestor)
{
	const struct check__frame *entry = check__frame_at(frame, readers->list);
	const struct value *keys = entry_values(entry);
	if ((readers->known_before && !entry->old) || !constants_match(readers, keys))
		return;
	bool has_index = readers->reach != CHECK__INDEX || ask_for_index(run);
	if (readers->reach == CHECK__FAN_OUT || readers->reach == CHECK__SCAN || !has_index) {
		add_fan(run, readers, ancestor);
		return;
	}
	if (run->fired[readers->id] == entry->serial)
		return;
	run->fired[readers->id] = entry->serial;
	if (readers->reach == CHECK__INDEX) {
		fire_index(run, readers, frame, ancestor, NULL);
		return;
	}
	const struct tree_position *reader = find_reader(run, readers, keys, ancestor);
	if (reader)
		judge_once(run, readers->constraint, reader);
}

static void fire_local(struct check__run *run, const struct check__readers *readers,
		       const struct check__frame *ancestor)
{
	if (run->fired[readers->id] == ancestor->serial)
		return;
	run->fired[readers->id] = ancestor->serial;
	const struct tree_position *reader = find_reader(run, readers, NULL, ancestor);
	if (reader)
		judge_once(run, readers->constraint, reader);
}

static void fire_one(struct check__run *run, const struct check__readers *readers,
		     const struct check__frame *frame)
{
	const struct check__frame *ancestor = check__frame_at(frame, readers->ancestor);
	if (!ancestor->old || !ancestor->new)
		return;
	if (readers->by_value)
		fire_lost(run, readers, frame, ancestor);
	else if (readers->list)
		fire_entry(run, readers, frame, ancestor);
	else if (readers->reach == CHECK__LOCAL)
		fire_local(run, readers, ancestor);
	else
		add_fan(run, readers, ancestor);
}

/* Who names this node, or (`below`) what begins like this. */
static void fire_named(struct check__run *run, const struct check__readers *readers, struct bytes text,
		       bool below)
{
	struct value value = value_new(text, TEXT_QNAME);
	struct check__range range;
	run->due[0] = value;
	if (below)
		check__range_init_beginning(&range, run->plan, readers->index, run->old_index, run->due);
	else
		check__range_init(&range, run->plan, readers->index, run->old_index, run->due, 1);
	judge_range(run, readers, &range);
	value_unref(value);
}

/* Who names the node that is gone, or one below it. */
static void fire_instances(struct check__run *run, const struct check__frame *frame)
{
	struct buffer text;
	buffer_init(&text, TEXT_SIZE_MAX);
	enum status status = check__instance_text(frame->old, &text);
	size_t size = buffer_get(&text).size;
	if (status == ST_OK)
		status = buffer_append(&text, bytes_of("/"));
	for (uint32_t i = 0; status == ST_OK && i < run->plan->instances.length; i++) {
		const struct check__readers *readers = run->plan->instances.items[i];
		if (!tree_record_find(run->old_index, readers->index->list))
			continue;
		struct bytes whole = buffer_get(&text);
		fire_named(run, readers, (struct bytes){whole.data, size}, false);
		fire_named(run, readers, whole, true);
	}
	buffer_fini(&text);
}

void check__fire(struct check__run *run, const struct check__frame *frame)
{
	if (run->full)
		return;
	bool indexing =
		run->phase == CHECK__INDEXING; /* then only whens are of interest, for what is implicit */
	if (indexing && !run->plan->whens_feed)
		return;
	bool is_gone = !indexing && frame->old && !frame->new && frame->parent && frame->parent->new;
	if (is_gone && run->is_watching)
		fire_instances(run, frame);
	const struct check__list *triggers = &check__node_of(run->plan, frame->schema)->triggers;
	for (uint32_t i = 0; i < triggers->length && run->status == ST_OK; i++) {
		const struct check__readers *readers = triggers->items[i];
		if (!indexing || readers->constraint->kind == CHECK__WHEN)
			fire_one(run, readers, frame);
	}
}

size_t check__fan_size(void)
{
	return sizeof(struct fan);
}

void check__fire_reset(struct check__run *run)
{
	hash_table_free(run->done);
	hash_table_free(run->fan_keys);
	run->done = run->fan_keys = NULL;
	if (!run->whole)
		check__split_reset(run);
}

static void take_fans(struct check__run *run, struct vector *fans, struct vector *taken)
{
	for (size_t i = 0; i < taken->length; i++) {
		const struct fan *fan = vector_at(taken, i);
		if (add_key(&run->fan_keys, check__instance_key(run, fan->readers->constraint, fan->new)))
			*(struct fan *)vector_push(fans) = *fan;
	}
	vector_clear(taken);
}

void check__fire_take(struct check__run *run, struct check__run *part)
{
	take_fans(run, &run->fans, &part->fans);
	take_fans(run, &run->when_fans, &part->when_fans);
	vector_append(&run->flips, &part->flips);
	vector_clear(&part->flips);
	hash_table_free(part->fan_keys);
	part->fan_keys = NULL;
}

void check__fire_fini(struct check__run *run)
{
	check__fire_reset(run);
	vector_fini(&run->fans);
	vector_fini(&run->when_fans);
	memory_free(run->key);
}
