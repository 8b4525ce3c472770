/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Preparing an edit while it arrives (prepare.h). The walk is that of apply.c, as for a `create` of
 * everything into an empty datastore, but it can stop anywhere and go on later. It stands at an instance that
 * was open when it stopped, and takes the children of that one by one as they become complete:
 *
 *     <a> <l><k>1</k>..</l> <l><k>2</k>..</l> <l><k>3</k>..        the mark: open a, l (3)
 *         ================= taken by then =====                    level 0: top, 1: a
 *
 * It goes down into what is open where that can be done before its end is known: a container, or an entry
 * whose keys came first, with nothing of a choice in it or around it. Anything else is taken when it is
 * complete.
 *
 * What comes of it may be used only where "create" from nothing is all that the edit says. So one thing that
 * depends on what was there before, or on the order of things, and the whole is given up: delete and remove,
 * yang:insert, an operation of its own deeper than the walk goes down, the same entry twice, and every error
 * (which edit_apply will find and report).
 *
 * Invariant: level i + 1 is a child of level i, and level i's `done` is that child.
 */
#include "edit/prepare.h"

#include "base/assert.h"
#include "base/memory.h"
#include "edit/run.h"

#define LEVELS_MAX (EDIT_MARK_DEPTH - 1) /* of a mark's deepest node it may not be known what is below */
#define SAMPLES 8			 /* entries of a list that are looked for in what is there */

/* An instance that the walk stands in, or above where it stands. */
struct level {
	const struct edit_node *node, *done; /* done: the last child taken, or the next level; NULL: none */
	const struct tree_record *there;     /* the same in the root given; NULL: not there */
	const struct schema_node *sampled;   /* the list that `samples` counts */
	unsigned samples;
};

struct edit_prepare {
	struct edit_run run;
	struct diag_list diags;
	struct level levels[LEVELS_MAX];
	size_t depth;	       /* of levels */
	struct edit_mark mark; /* of the present call; depth 0: the tree is complete */
	size_t open;	       /* so many levels were open by the mark */
	_Atomic bool stopped;
};

struct edit_prepare *edit_prepare_new(const struct schema *schema, const struct edit_tree *tree,
				      struct tree_reclaimer *reclaimer)
{
	struct edit_prepare *prepare = memory_zalloc(sizeof(*prepare));
	prepare->run = (struct edit_run){.schema = schema, .basic = EDIT_BASIC_EXPLICIT};
	prepare->run.diags = &prepare->diags;
	prepare->run.prepares = &prepare->stopped;
	edit__run_init(&prepare->run);
	diag_list_init(&prepare->diags, prepare->run.arena, 1);
	struct tree_record *empty = tree_record_new();
	prepare->run.builder = tree_builder_new(schema, empty, reclaimer);
	tree_record_unref(empty, schema->root, NULL);
	prepare->levels[0].node = tree->top;
	prepare->depth = 1;
	return prepare;
}

void edit_prepare_free(struct edit_prepare *prepare)
{
	if (!prepare)
		return;
	tree_builder_abort(prepare->run.builder);
	edit__run_fini(&prepare->run);
	memory_free(prepare);
}

void edit_prepare_stop(struct edit_prepare *prepare)
{
	atomic_store_explicit(&prepare->stopped, true, memory_order_relaxed);
}

static bool is_given_up(const struct edit_prepare *prepare)
{
	return prepare->run.failed || atomic_load_explicit(&prepare->stopped, memory_order_relaxed);
}

/* Whether the node, a child of a level, may be taken as a `create`. What is in a case has to be seen with all
 * its siblings. */
static bool is_creation(const struct edit_node *node)
{
	enum edit_operation operation = node->operation;
	bool creates = operation == EDIT_UNSPECIFIED || operation == EDIT_MERGE ||
		       operation == EDIT_REPLACE || operation == EDIT_CREATE;
	return creates && node->insert == EDIT_INSERT_UNSPECIFIED && !node->schema->in_case;
}

/* The complete child of the level behind `before` (NULL: the first one), as far as it was there by the mark.
 */
static const struct edit_node *next_complete(const struct edit_prepare *prepare, size_t index,
					     const struct edit_node *node, const struct edit_node *before)
{
	const struct edit_mark *mark = &prepare->mark;
	bool is_open = index < mark->depth && node == mark->open[index];
	/* Behind the last one there the other thread may be writing. */
	if (is_open && index + 1 == mark->depth && (before == mark->last || !mark->last))
		return NULL;
	const struct edit_node *next = before ? before->next : node->children;
	return is_open && index + 1 < mark->depth && next == mark->open[index + 1] ? NULL : next;
}

/* Of the entry, which would be the next level: whether all its keys are there, in their order. */
static bool has_keys(const struct edit_prepare *prepare, const struct edit_node *entry)
{
	const struct edit_node *key = NULL;
	for (size_t i = 0; i < entry->schema->key_count; i++) {
		key = next_complete(prepare, prepare->depth, entry, key);
		if (!key || key->schema != entry->schema->children[i])
			return false;
	}
	return entry->schema->key_count > 0;
}

static const struct tree_record *find_there(struct edit_prepare *prepare, const struct tree_record *parent,
					    const struct edit_node *node)
{
	const union tree_slot *slot = parent ? tree_record_find(parent, node->schema) : NULL;
	if (!slot || node->schema->kind == SCHEMA_CONTAINER)
		return slot ? slot->record : NULL;
	const struct value *keys = edit__keys(&prepare->run, node);
	const union tree_item *item = keys ? tree_map_find(slot->map, node->schema, keys) : NULL;
	return item ? item->record : NULL;
}

/* Whether the node, which is complete, has something below that the record does not: a list or container. */
static bool brings_more(const struct edit_node *node, const struct tree_record *there)
{
	for (const struct edit_node *child = node->children; child; child = child->next) {
		bool is_container = child->schema->kind == SCHEMA_CONTAINER;
		if (!is_container && child->schema->kind != SCHEMA_LIST)
			continue;
		const union tree_slot *slot = tree_record_find(there, child->schema);
		if (slot ? is_container && brings_more(child, slot->record) : child->children != NULL)
			return true;
	}
	return false;
}

static bool says_the_same(struct edit_prepare *prepare, const struct edit_node *node,
			  const struct tree_record *there);

/* Whether a child of an instance that is there has no other content in it. */
static bool is_the_same(struct edit_prepare *prepare, const struct edit_node *child,
			const struct tree_record *parent)
{
	const union tree_slot *slot = tree_record_find(parent, child->schema);
	if (!slot)
		return false;
	if (child->schema->kind == SCHEMA_LEAF)
		return value_equal(slot->value, child->value);
	if (child->schema->kind != SCHEMA_CONTAINER && child->schema->kind != SCHEMA_LIST)
		return true; /* as good as */
	const struct tree_record *there = find_there(prepare, parent, child);
	return there && says_the_same(prepare, child, there);
}

/* Whether the complete node is likely to be equal to what is there: then it is compared faster as a record.
 */
static bool says_the_same(struct edit_prepare *prepare, const struct edit_node *node,
			  const struct tree_record *there)
{
	bool same = node->kinds == there->length;
	for (const struct edit_node *child = node->children; same && child; child = child->next)
		same = is_the_same(prepare, child, there);
	return same;
}

/* Whether it is likely that the entry, a complete child of the level, is attached in the end, or much of it,
 * or stays as it is. */
static bool is_worth_it(struct edit_prepare *prepare, struct level *level, const struct edit_node *node)
{
	if (node->schema->kind != SCHEMA_LIST || !level->there)
		return true;
	if (level->sampled != node->schema) {
		level->sampled = node->schema;
		level->samples = 0;
	}
	if (level->samples++ >= SAMPLES)
		return true;
	const struct tree_record *there = find_there(prepare, level->there, node);
	return !there || brings_more(node, there) || says_the_same(prepare, node, there);
}

/* Where the entry, which was just made, is equal to the one there, that one takes its place: so it is found
 * to be the same at once when the edit is applied, and what was made is released here, beside the decoder. */
static void share(struct edit_prepare *prepare, const struct level *level, const struct edit_node *node)
{
	const struct tree_record *there = level->there && node->schema->kind == SCHEMA_LIST
						  ? find_there(prepare, level->there, node)
						  : NULL;
	struct tree_builder *builder = prepare->run.builder;
	const struct tree_record *made =
		there ? find_there(prepare, tree_builder_position(builder)->record, node) : NULL;
	if (!made || !tree_record_equal(node->schema, made, there))
		return;
	tree_record_ref(made);
	tree_builder_remove_entry(builder, node->schema, edit__keys(&prepare->run, node));
	tree_record_unref(made, node->schema, NULL);
	tree_builder_graft_entry(builder, node->schema, there);
}

static void take(struct edit_prepare *prepare, struct level *level, const struct edit_node *node)
{
	if (is_creation(node) && is_worth_it(prepare, level, node))
		edit__create(&prepare->run, node);
	else
		prepare->run.failed = true;
	level->done = node;
	if (!prepare->run.failed)
		share(prepare, level, node);
}

/* Whether the walk may go down into the open node. */
static bool may_enter(const struct edit_prepare *prepare, const struct edit_node *node)
{
	const struct schema_node *schema = node->schema;
	if (prepare->depth == LEVELS_MAX || schema->choice_count > 0)
		return false;
	return schema->kind == SCHEMA_CONTAINER || (schema->kind == SCHEMA_LIST && has_keys(prepare, node));
}

/* Puts the builder into the node; false: it cannot be. */
static bool enter(struct edit_prepare *prepare, const struct edit_node *node)
{
	const struct schema_node *schema = node->schema;
	struct tree_builder *builder = prepare->run.builder;
	if (schema->kind == SCHEMA_LIST) {
		const struct value *keys = edit__keys(&prepare->run, node);
		bool made = false;
		if (keys)
			tree_builder_enter_entry(builder, schema, keys, &made);
		return made;
	}
	tree_builder_enter(builder, schema);
	if (schema->presence)
		tree_builder_make(builder);
	return true;
}

/* Goes down into what was open by the mark below the last level; false where it cannot. */
static bool go_down(struct edit_prepare *prepare)
{
	const struct edit_mark *mark = &prepare->mark;
	if (prepare->depth >= mark->depth || !may_enter(prepare, mark->open[prepare->depth]))
		return false;
	const struct edit_node *node = mark->open[prepare->depth];
	struct level *up = &prepare->levels[prepare->depth - 1];
	if (!is_creation(node) || !enter(prepare, node)) {
		prepare->run.failed = true;
		return false;
	}
	edit__annotate(&prepare->run, &(struct edit_group){.node = node}, EDIT_CREATE,
		       (struct tree_annotated){0});
	up->done = node;
	prepare->levels[prepare->depth++] =
		(struct level){.node = node, .there = find_there(prepare, up->there, node)};
	prepare->open = prepare->depth;
	return true;
}

/* Takes what is complete. The walk ends at the top, or at the last level that it can go down to. */
static void walk(struct edit_prepare *prepare)
{
	while (!is_given_up(prepare)) {
		struct level *level = &prepare->levels[prepare->depth - 1];
		const struct edit_node *node =
			next_complete(prepare, prepare->depth - 1, level->node, level->done);
		if (node) {
			take(prepare, level, node);
		} else if (prepare->depth > prepare->open && prepare->depth > 1) {
			tree_builder_leave(prepare->run.builder);
			prepare->depth--;
		} else if (!go_down(prepare)) {
			return;
		}
	}
}

/* What the levels are in the mark and in the root of this call. */
static void set_levels(struct edit_prepare *prepare, const struct tree_record *root)
{
	bool is_open = true;
	prepare->open = 0;
	for (size_t i = 0; i < prepare->depth; i++) {
		struct level *level = &prepare->levels[i];
		is_open = is_open && i < prepare->mark.depth && prepare->mark.open[i] == level->node;
		prepare->open += is_open;
		level->there = i == 0 ? root : find_there(prepare, level[-1].there, level->node);
	}
}

bool edit_prepare_take(struct edit_prepare *prepare, const struct edit_mark *mark,
		       const struct tree_record *root)
{
	prepare->mark = *mark;
	set_levels(prepare, root);
	walk(prepare);
	return !is_given_up(prepare);
}

struct tree_record *edit_prepare_finish(struct edit_prepare *prepare)
{
	prepare->mark = (struct edit_mark){0};
	set_levels(prepare, NULL);
	walk(prepare);
	if (is_given_up(prepare)) {
		edit_prepare_free(prepare);
		return NULL;
	}
	ASSERT(prepare->depth == 1);
	struct tree_record *root = tree_builder_finish(prepare->run.builder);
	edit__run_fini(&prepare->run);
	memory_free(prepare);
	return root;
}
