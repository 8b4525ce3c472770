/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The walk of a check: through the change set, old and new tree side by side, in document order. For each
 * instance that came, went or changed it fires the triggers of its node, and judges what the instance itself
 * brings:
 *
 *   created          its musts and references, and as a record everything structural about its children
 *   value changed    its musts and references
 *   moved            nothing of its own: only who reads the list is concerned
 *   children differ  the structural constraints that these children touch
 *
 * Created and deleted subtrees are not expanded by the diff: the walk enters them, as far as the plan says
 * that anything is due below, a child at a time and without memory per instance.
 *
 * Implicit nodes come and go with stored ones, and no diff shows them:
 * - a non-presence container that vanishes, or comes, is there before and after: its children are compared
 * one by one (visit_children), defaults included;
 * - a leaf that is deleted falls back to its default;
 * - where a node of a case comes or goes, the defaults and containers of all cases of that choice may
 * (visit_flipped);
 * - where what a `when` reads changes, the defaults and containers that it governs may (flip.c).
 *
 * The same walk serves the indexes: then each value that came, went or changed is fed to them, and nothing is
 * judged.
 *
 * Frames and positions live on the C stack; the depth is the schema's.
 *
 * The entries of a large list, or their changes, may be walked by several threads, each with a run of its own
 * (split.c); the frames above are then shared, and the walk goes on below them when all are done.
 */
#include "check/index.h"
#include "check/split.h"

#include "base/assert.h"

static void visit(struct check__run *run, const struct check__frame *frame, const struct tree_change *change);

bool check__is_effective(struct check__run *run, const struct tree_position *position)
{
	if (!position->implicit || position->schema->when_count == 0)
		return true;
	const struct tree_position *root = position;
	while (root->parent)
		root = root->parent;
	struct check__view *view = root->record == run->new_root ? &run->new_view : &run->old_view;
	return check__view_has(view, position);
}

bool check__find_child(struct check__run *run, const struct tree_position *parent,
		       const struct schema_node *child, struct tree_position *position)
{
	return tree_position_find_child(parent, child, TREE_WITH_DEFAULTS, position) &&
	       check__is_effective(run, position);
}

void check__entry_keys(const struct tree_position *entry, struct value *keys)
{
	ASSERT(entry->record->length >= entry->schema->key_count);
	for (size_t i = 0; i < entry->schema->key_count; i++)
		keys[i] = entry->record->slots[i].value;
}

static bool find_default(struct check__run *run, const struct tree_position *parent,
			 const struct tree_position *sample, struct tree_position *position)
{
	struct tree_cursor cursor;
	tree_cursor_init_child(&cursor, run->schema, parent, sample->schema, TREE_WITH_DEFAULTS);
	while (tree_cursor_next(&cursor, position)) {
		if (value_equal(position->value, sample->value) && check__is_effective(run, position))
			return true;
	}
	return false;
}

bool check__find_same(struct check__run *run, const struct tree_position *parent,
		      const struct tree_position *sample, struct tree_position *position)
{
	const struct schema_node *node = sample->schema;
	const union tree_slot *slot = parent->record ? tree_record_find(parent->record, node) : NULL;
	if (!slot)
		return node->default_count > 0 && find_default(run, parent, sample, position);
	const union tree_item *item = NULL;
	if (node->kind == SCHEMA_LEAF_LIST)
		item = tree_map_find(slot->map, node, &sample->value);
	else
		item = tree_map_find(slot->map, node, &sample->record->slots[0].value);
	if (!item)
		return false;
	*position = (struct tree_position){.parent = parent, .schema = node};
	if (node->kind == SCHEMA_LEAF_LIST)
		position->value = item->value;
	else
		position->record = item->record;
	return true;
}

static const struct check__part *part_of(const struct check__run *run, const struct schema_node *node)
{
	return &check__node_of(run->plan, node)->parts[run->phase];
}

static void touch(struct check__run *run, const struct check__frame *parent, const struct schema_node *child)
{
	const struct check__list *touches = &check__node_of(run->plan, child)->touches;
	for (uint32_t i = 0; i < touches->length; i++) {
		const struct check__constraint *constraint = touches->items[i];
		run->touched[constraint->id] = parent->serial;
	}
}

/* The value is one of those that must be unique. */
static void touch_uniques(struct check__run *run, const struct check__frame *frame)
{
	const struct check__list *uniques = &check__node_of(run->plan, frame->schema)->uniques;
	for (uint32_t i = 0; i < uniques->length; i++) {
		const struct check__constraint *constraint = uniques->items[i];
		const struct check__frame *entry = check__frame_at(frame, constraint->context);
		run->touched[constraint->id] = entry->serial;
	}
}

static void judge_own(struct check__run *run, const struct check__frame *frame)
{
	const struct check__list *own = &check__node_of(run->plan, frame->schema)->own;
	for (uint32_t i = 0; i < own->length && run->status == ST_OK; i++) {
		const struct check__constraint *constraint = own->items[i];
		if (!frame->old || check__done_add(run, constraint, frame->new))
			check__judge(run, constraint, frame->new);
	}
}

/* And not judged yet; a unique statement sees to that itself. */
static bool is_touched(struct check__run *run, const struct check__constraint *constraint,
		       const struct check__frame *frame)
{
	return run->touched[constraint->id] == frame->serial &&
	       (constraint->kind == CHECK__UNIQUE || check__done_add(run, constraint, frame->new));
}

static void judge_structural(struct check__run *run, const struct check__frame *frame)
{
	const struct check__list *structural = &check__node_of(run->plan, frame->schema)->structural;
	for (uint32_t i = 0; i < structural->length && run->status == ST_OK; i++) {
		const struct check__constraint *constraint = structural->items[i];
		if (!frame->old || is_touched(run, constraint, frame))
			check__judge(run, constraint, frame->new);
	}
}

static bool is_stored_in_both(const struct check__frame *frame)
{
	if (!frame->old || !frame->new)
		return false;
	return !frame->old->implicit && !frame->new->implicit;
}

/* Steps down to a child that is there before, after, or both. */
static void enter(struct check__run *run, const struct check__frame *parent, const struct tree_position *old,
		  const struct tree_position *new, const struct tree_change *change)
{
	const struct schema_node *schema = new ? new->schema : old->schema;
	struct check__frame frame = {
		.parent = parent, .schema = schema, .old = old, .new = new, .serial = ++run->serial};
	if (run->phase == CHECK__JUDGING && !is_stored_in_both(&frame))
		touch(run, parent, schema);
	visit(run, &frame, change);
}

/* A child that is no list or leaf-list. */
static void visit_single(struct check__run *run, const struct check__frame *frame,
			 const struct schema_node *child, const struct tree_change *change)
{
	struct tree_position old, new;
	bool has_old = frame->old != NULL && check__find_child(run, frame->old, child, &old);
	bool has_new = frame->new != NULL &&check__find_child(run, frame->new, child, &new);
	if (!has_old && !has_new)
		return;
	if (has_old && has_new && old.implicit && new.implicit)
		return;
	enter(run, frame, has_old ? &old : NULL, has_new ? &new : NULL, change);
}

/* An instance of one side; one that the other side has too is left out. */
static void visit_unless_matched(struct check__run *run, const struct check__frame *frame,
				 const struct tree_position *instance, bool in_new)
{
	const struct tree_position *there = in_new ? frame->old : frame->new;
	struct tree_position other;
	if (there && check__find_same(run, there, instance, &other))
		return;
	enter(run, frame, in_new ? NULL : instance, in_new ? instance : NULL, NULL);
}

/* Instances of one side that the other side does not have. */
static void visit_unmatched(struct check__run *run, const struct check__frame *frame,
			    const struct schema_node *child, bool in_new)
{
	if (run->threads.count > 1 && check__split_entries(run, frame, child, in_new))
		return;
	const struct tree_position *here = in_new ? frame->new : frame->old;
	struct tree_cursor cursor;
	struct tree_position instance;
	tree_cursor_init_child(&cursor, run->schema, here, child, TREE_WITH_DEFAULTS);
	while (run->status == ST_OK && tree_cursor_next(&cursor, &instance)) {
		if (check__is_effective(run, &instance))
			visit_unless_matched(run, frame, &instance, in_new);
	}
}

/* A list or leaf-list of which at most one side has stored instances. */
static void visit_multiple(struct check__run *run, const struct check__frame *frame,
			   const struct schema_node *child)
{
	if (frame->new)
		visit_unmatched(run, frame, child, true);
	if (frame->old)
		visit_unmatched(run, frame, child, false);
}

static bool is_stored(const struct tree_position *parent, const struct schema_node *child)
{
	return parent->record && tree_record_find(parent->record, child);
}

/* A node that is governed by a `when` and stored in neither tree may be gone to here and as a flip: once. */
static bool is_visited(struct check__run *run, const struct check__frame *frame,
		       const struct schema_node *child)
{
	const struct check__constraint *when = check__node_of(run->plan, child)->when;
	if (!when || !frame->old || !frame->new || is_stored(frame->old, child) ||
	    is_stored(frame->new, child))
		return false;
	return !check__done_add(run, when, frame->new);
}

/* A child that is a change of its own in no change set. */
static void visit_child(struct check__run *run, const struct check__frame *frame,
			const struct schema_node *child)
{
	if (is_visited(run, frame, child))
		return;
	if (check__is_multiple(child))
		visit_multiple(run, frame, child);
	else
		visit_single(run, frame, child, NULL);
}

/* Something may be due there or below. A node that an instance-identifier may name is due only as the topmost
 * one that is gone. */
static bool is_due_below(const struct check__run *run, const struct check__frame *frame,
			 const struct schema_node *child)
{
	if (run->full)
		return part_of(run, child)->create_below;
	return part_of(run, child)->change_below || (run->is_watching && frame->old && frame->new);
}

/* All children of an instance that is stored in one tree at most. */
static void visit_children(struct check__run *run, const struct check__frame *frame)
{
	const struct check__list *children = &part_of(run, frame->schema)->children;
	for (uint32_t i = 0; i < children->length && run->status == ST_OK; i++) {
		if (is_due_below(run, frame, children->items[i]))
			visit_child(run, frame, children->items[i]);
	}
}

/* Implicit nodes of cases, where a case has come into use or gone out of it. What is stored was visited as a
 * change. */
static void visit_flipped(struct check__run *run, const struct check__frame *frame)
{
	const struct check__list *children = &part_of(run, frame->schema)->children;
	for (uint32_t i = 0; i < children->length && run->status == ST_OK; i++) {
		const struct schema_node *child = children->items[i];
		if (!child->in_case || is_stored(frame->old, child) || is_stored(frame->new, child))
			continue;
		visit_child(run, frame, child);
	}
}

/* An entry of a list, or a value of a leaf-list whose defaults play no part. */
static void visit_instance(struct check__run *run, const struct check__frame *frame,
			   const struct tree_change *change)
{
	struct tree_position old = {.parent = frame->old, .schema = change->schema};
	struct tree_position new = {.parent = frame->new, .schema = change->schema};
	if (change->schema->kind == SCHEMA_LEAF_LIST) {
		old.value = change->old_content.value;
		new.value = change->new_content.value;
	} else {
		old.record = change->old_content.record;
		new.record = change->new_content.record;
	}
	enter(run, frame, change->has_old ? &old : NULL, change->has_new ? &new : NULL, change);
}

/* The defaults of a leaf-list are in use on one side, so its values have to be compared as a whole. */
static bool defaults_play(const struct check__frame *frame, const struct schema_node *node)
{
	return node->kind == SCHEMA_LEAF_LIST && node->default_count > 0 &&
	       (!is_stored(frame->old, node) || !is_stored(frame->new, node));
}

static void visit_change(struct check__run *run, const struct check__frame *frame,
			 const struct tree_change *change)
{
	if (check__is_multiple(change->schema))
		visit_instance(run, frame, change);
	else
		visit_single(run, frame, change->schema, change);
}

/* Other threads help with the changes of this list; they were not `weighed` yet. */
static bool is_shared_out(struct check__run *run, const struct check__frame *frame,
			  const struct tree_change *change, const struct schema_node **weighed)
{
	if (run->threads.count <= 1 || *weighed == change->schema)
		return false;
	*weighed = change->schema;
	return check__split_changes(run, frame, change);
}

/* The children that differ of an instance that is stored in both trees. */
static void visit_changes(struct check__run *run, const struct check__frame *frame,
			  const struct tree_change *changes)
{
	const struct schema_node *compared = NULL; /* the list that was seen to as a whole */
	const struct schema_node *weighed = NULL;
	bool flipped = false;
	for (const struct tree_change *change = changes; change && run->status == ST_OK;
	     change = change->next) {
		const struct schema_node *child = change->schema;
		if (child == compared || !is_due_below(run, frame, child))
			continue;
		if (child->in_case && change->has_old != change->has_new)
			flipped = true;
		if (defaults_play(frame, child)) {
			visit_multiple(run, frame, child);
			compared = child;
		} else if (is_shared_out(run, frame, change, &weighed)) {
			compared = child;
			flipped = flipped || child->in_case; /* perhaps */
		} else {
			visit_change(run, frame, change);
		}
	}
	if (flipped)
		visit_flipped(run, frame);
}

static void visit_below(struct check__run *run, const struct check__frame *frame,
			const struct tree_change *change)
{
	if (is_stored_in_both(frame))
		visit_changes(run, frame, change ? change->children : NULL);
	else
		visit_children(run, frame);
}

static void visit_record(struct check__run *run, const struct check__frame *frame,
			 const struct tree_change *change)
{
	if (!frame->old || !frame->new)
		check__fire(run, frame);
	if (run->phase == CHECK__INDEXING) {
		visit_below(run, frame, change);
		return;
	}
	if (!frame->old)
		judge_own(run, frame);
	if (run->status != ST_OK)
		return;
	visit_below(run, frame, change);
	if (frame->new && run->status == ST_OK)
		judge_structural(run, frame);
}

static bool is_same_value(const struct check__frame *frame)
{
	if (!frame->old || !frame->new)
		return false;
	bool is_value = frame->schema->kind == SCHEMA_LEAF || frame->schema->kind == SCHEMA_LEAF_LIST;
	return is_value && value_equal(frame->old->value, frame->new->value);
}

static void visit(struct check__run *run, const struct check__frame *frame, const struct tree_change *change)
{
	if (change && change->moved)
		check__fire(run, frame);
	if (check__is_record(frame->schema)) {
		visit_record(run, frame, change);
		return;
	}
	if (is_same_value(frame))
		return;
	if (run->phase == CHECK__INDEXING) {
		check__index_feed(run, frame);
		check__fire(run, frame);
		return;
	}
	touch_uniques(run, frame);
	check__fire(run, frame);
	if (frame->new && run->status == ST_OK)
		judge_own(run, frame);
}

static void touch_governed(struct check__run *run, const struct check__frame *parent,
			   const struct check__constraint *when)
{
	const struct check__list *structural = &check__node_of(run->plan, parent->schema)->structural;
	for (uint32_t i = 0; i < structural->length; i++) {
		const struct check__constraint *constraint = structural->items[i];
		if (constraint->when == when)
			run->touched[constraint->id] = parent->serial;
	}
}

void check__walk_flip(struct check__run *run, const struct check__frame *parent,
		      const struct check__constraint *when)
{
	const struct schema_node *child = when->child;
	touch_governed(run, parent, when);
	if (child && !is_stored(parent->old, child) && !is_stored(parent->new, child)) {
		if (check__is_multiple(child))
			visit_multiple(run, parent, child);
		else
			visit_single(run, parent, child, NULL);
	}
	/* Above are unique statements that have values below. */
	const struct check__frame *frame = run->phase == CHECK__JUDGING ? parent : NULL;
	for (; frame && run->status == ST_OK; frame = frame->parent)
		judge_structural(run, frame);
}

void check__walk_entries(struct check__run *run, const struct check__entries *entries, uint64_t from,
			 uint64_t to)
{
	const struct check__frame *frame = entries->frame;
	const struct schema_node *child = entries->child;
	struct tree_map_iter iter;
	const union tree_item *item = tree_map_at(&iter, entries->map, child, from);
	for (uint64_t at = from; at < to && check__split_goes_on(run); at++, item = tree_map_next(&iter)) {
		struct tree_position instance = {.parent = entries->in_new ? frame->new : frame->old,
						 .schema = child,
						 .index = (uint32_t)(at + 1)};
		if (child->kind == SCHEMA_LIST)
			instance.record = item->record;
		else
			instance.value = item->value;
		visit_unless_matched(run, frame, &instance, entries->in_new);
	}
}

void check__walk_changes(struct check__run *run, const struct check__frame *frame,
			 const struct tree_change *from, const struct tree_change *to)
{
	for (const struct tree_change *change = from; change != to && check__split_goes_on(run);
	     change = change->next)
		visit_change(run, frame, change);
}

void check__walk(struct check__run *run, const struct tree_position *old_root,
		 const struct tree_position *new_root, const struct tree_change *change)
{
	struct check__frame frame = {
		.schema = new_root->schema, .old = old_root, .new = new_root, .serial = ++run->serial};
	visit_record(run, &frame, change);
}
