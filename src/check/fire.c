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
 * Where readers are due by their own value (it is what a leafref's target lost, or the key of an entry that
 * changed), a scan only compares the others with `values`, unless another change made the constraint due for
 * all (`all_due`).
 */
#include "check/run.h"

#include <string.h>

#include "base/assert.h"
#include "base/memory.h"

/* Readers below one instance of the ancestor, due after the walk. */
struct fan {
	const struct check__readers *readers;
	const struct tree_position *old, *new; /* the ancestor; in run->arena */
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

/* What tells an instance from all others of its schema node: the keys and values on its path. */
static struct bytes make_key(struct check__run *run, const struct check__constraint *constraint,
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
	return add_key(&run->done, make_key(run, constraint, position));
}

/* ---- The way down to one reader. */

static bool enter_instance(struct check__run *run, const struct check__step *step, const struct value *values,
			   const struct tree_position *parent, struct tree_position *position)
{
	if (step->node->kind == SCHEMA_LEAF_LIST) {
		struct tree_position sample = {.schema = step->node, .value = values[step->bind[0]]};
		return check__find_same(run->schema, parent, &sample, position);
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
				     : check__find_child(position, step->node, &way[i]);
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

static void judge_once(struct check__run *run, const struct check__constraint *constraint,
		       const struct tree_position *reader)
{
	if (check__done_add(run, constraint, reader))
		check__judge(run, constraint, reader);
}

/* ---- Fans. */

static void add_fan(struct check__run *run, const struct check__readers *readers,
		    const struct check__frame *ancestor)
{
	if (!readers->by_value && readers->value_key == CHECK__NO_KEY)
		run->all_due[readers->constraint->id] = true;
	if (run->fired[readers->id] == ancestor->serial)
		return;
	run->fired[readers->id] = ancestor->serial;
	if (!add_key(&run->fan_keys, make_key(run, readers->constraint, ancestor->new)))
		return;
	struct fan *fan = vector_push(&run->fans);
	fan->readers = readers;
	fan->old = tree_position_dup(ancestor->old, run->arena);
	fan->new = tree_position_dup(ancestor->new, run->arena);
}

/* A fan of the same constraint further up has the same readers. */
static bool is_covered(struct check__run *run, const struct fan *fan)
{
	for (const struct tree_position *above = fan->new->parent; above; above = above->parent) {
		if (hash_table_find(run->fan_keys, make_key(run, fan->readers->constraint, above)))
			return true;
	}
	return false;
}

static bool is_due(struct check__run *run, const struct check__constraint *constraint,
		   const struct tree_position *reader)
{
	if (!run->all_due[constraint->id]) {
		const struct hash_table *values = run->values[constraint->id];
		if (!values || !hash_table_find(values, value_bytes(&reader->value)))
			return false;
	}
	return !run->done || !hash_table_find(run->done, make_key(run, constraint, reader));
}

static void judge_below(struct check__run *run, const struct fan *fan, size_t depth,
			const struct tree_position *old, const struct tree_position *new);

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
	bool shared = is_shared(old, new, list);
	struct tree_cursor cursor;
	struct tree_position instance, before;
	tree_cursor_init_child(&cursor, run->schema, new, list, TREE_WITH_DEFAULTS);
	while (run->status == ST_OK && tree_cursor_next(&cursor, &instance)) {
		if (!check__tick(run, fan->readers->constraint, &instance))
			return;
		if (shared)
			judge_below(run, fan, depth + 1, &instance, &instance);
		else if (check__find_same(run->schema, old, &instance, &before))
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
	if (check__find_child(new, child, &after) && check__find_child(old, child, &before))
		judge_below(run, fan, depth + 1, &before, &after);
}

void check__fire_fans(struct check__run *run)
{
	for (size_t i = 0; i < run->fans.length && run->status == ST_OK; i++) {
		const struct fan *fan = vector_at(&run->fans, i);
		if (!is_covered(run, fan))
			judge_below(run, fan, 0, fan->old, fan->new);
	}
}

/* ---- Firing. */

static const struct check__frame *frame_at(const struct check__frame *frame, const struct schema_node *schema)
{
	while (frame->schema != schema) {
		frame = frame->parent;
		ASSERT(frame != NULL);
	}
	return frame;
}

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

/* The target of a leafref has lost a value: due are the readers that have it. */
static void fire_lost(struct check__run *run, const struct check__readers *readers,
		      const struct check__frame *frame, const struct check__frame *ancestor)
{
	if (!frame->old)
		return;
	const struct value *lost = &frame->old->value;
	if (readers->reach == CHECK__FAN_OUT || readers->reach == CHECK__SCAN) {
		add_key(&run->values[readers->constraint->id], value_bytes(lost));
		add_fan(run, readers, ancestor);
		return;
	}
	const struct value *values = lost;
	if (readers->list) {
		values = entry_values(frame_at(frame, readers->list));
		if (!constants_match(readers, values))
			return;
	}
	const struct tree_position *reader = find_reader(run, readers, values, ancestor);
	if (reader && value_equal(reader->value, *lost))
		judge_once(run, readers->constraint, reader);
}

/* The entry that the expression selects has changed, or something below it. */
static void fire_entry(struct check__run *run, const struct check__readers *readers,
		       const struct check__frame *entry, const struct check__frame *ancestor)
{
	const struct value *keys = entry_values(entry);
	if ((readers->known_before && !entry->old) || !constants_match(readers, keys))
		return;
	if (readers->reach == CHECK__SCAN) {
		if (readers->value_key != CHECK__NO_KEY)
			add_key(&run->values[readers->constraint->id],
				value_bytes(&keys[readers->value_key]));
		add_fan(run, readers, ancestor);
		return;
	}
	if (run->fired[readers->id] == entry->serial)
		return;
	run->fired[readers->id] = entry->serial;
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
	const struct check__frame *ancestor = frame_at(frame, readers->ancestor);
	if (!ancestor->old || !ancestor->new)
		return;
	if (readers->by_value)
		fire_lost(run, readers, frame, ancestor);
	else if (readers->list)
		fire_entry(run, readers, frame_at(frame, readers->list), ancestor);
	else if (readers->reach == CHECK__LOCAL)
		fire_local(run, readers, ancestor);
	else
		add_fan(run, readers, ancestor);
}

void check__fire(struct check__run *run, const struct check__frame *frame)
{
	if (run->full)
		return;
	const struct check__list *triggers = &check__node_of(run->plan, frame->schema)->triggers;
	for (uint32_t i = 0; i < triggers->length && run->status == ST_OK; i++)
		fire_one(run, triggers->items[i], frame);
}

size_t check__fan_size(void)
{
	return sizeof(struct fan);
}

void check__fire_fini(struct check__run *run)
{
	for (uint32_t i = 0; i < run->plan->constraints.length; i++)
		hash_table_free(run->values[i]);
	hash_table_free(run->done);
	hash_table_free(run->fan_keys);
	vector_fini(&run->fans);
	memory_free(run->key);
}
