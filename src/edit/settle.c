/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The first phase of a proposal: what the new root implies is removed, so that from here on it is final.
 *
 * edit_apply leaves no choice with two cases, but roots are proposed in other ways too (a merge of parts, a
 * copy across schemas), and every proposal comes through here. Where an instance has data of several cases of
 * a choice, one stays: the case that is new, since setting a node of a case is what takes the others away
 * (RFC 7950 7.9); where several or none are new, the first in schema order, so that the verdict depends on
 * the two roots only.
 *
 * Only what differs from the base is looked at, and of that only what has a choice somewhere below: `below`
 * remembers that of each schema node once it was asked. Almost always nothing is found; so the walk only
 * reads, and collects what must go with its position, and a builder removes it afterwards.
 */
#include "edit/settle.h"

#include "base/assert.h"
#include "tree/builder.h"
#include "tree/cursor.h"
#include "tree/diff.h"

_Static_assert(sizeof(union tree_slot) == sizeof(struct value), "keys in slots are an array of values");

enum below { BELOW_UNKNOWN, BELOW_NO_CHOICE, BELOW_CHOICE };

/*
 * The last found comes first, so what is lost inside an instance goes before the instance, whose entries
 * would not be there to go into afterwards.
 */
struct loser {
	struct loser *next;
	const struct tree_position *parent; /* in the arena */
	const struct schema_node *child;
};

struct settler {
	const struct schema *schema;
	struct arena *arena;
	uint8_t *below; /* enum below, by node id: whether the node is the parent of a choice, or one below it
			 */
	struct loser *losers;
};

static bool has_choice(struct settler *settler, const struct schema_node *node)
{
	uint8_t *known = &settler->below[node->id];
	if (*known != BELOW_UNKNOWN)
		return *known == BELOW_CHOICE;
	bool found = node->choice_count > 0;
	for (size_t i = 0; !found && i < node->child_count; i++)
		found = has_choice(settler, node->children[i]);
	*known = found ? BELOW_CHOICE : BELOW_NO_CHOICE;
	return found;
}

static bool is_stored(const struct tree_record *record, const struct schema_node *parent,
		      const struct schema_case *c)
{
	for (size_t i = 0; record && i < c->slot_count; i++) {
		if (tree_record_find(record, parent->children[c->slots[i]]))
			return true;
	}
	return false;
}

static void lose(struct settler *settler, const struct tree_position *position, const struct schema_case *c)
{
	for (size_t i = 0; i < c->slot_count; i++) {
		const struct schema_node *child = position->schema->children[c->slots[i]];
		if (!tree_record_find(position->record, child))
			continue;
		struct loser *loser = arena_alloc(settler->arena, sizeof(*loser));
		*loser = (struct loser){settler->losers, tree_position_dup(position, settler->arena), child};
		settler->losers = loser;
	}
}

static void settle_choice(struct settler *settler, const struct tree_position *position,
			  const struct tree_record *old, const struct schema_choice *choice)
{
	const struct schema_case *winner = NULL;
	bool winner_is_new = false, contested = false;
	for (size_t i = 0; i < choice->case_count; i++) {
		const struct schema_case *c = &choice->cases[i];
		if (!is_stored(position->record, position->schema, c))
			continue;
		bool is_new = !is_stored(old, position->schema, c);
		contested = winner != NULL || contested;
		if (!winner || (is_new && !winner_is_new)) {
			winner = c;
			winner_is_new = is_new;
		}
	}
	for (size_t i = 0; contested && i < choice->case_count; i++) {
		if (&choice->cases[i] != winner)
			lose(settler, position, &choice->cases[i]);
	}
}

/* A nested choice of a case that loses is settled as well; what both find is removed once. */
static void settle_record(struct settler *settler, const struct tree_position *position,
			  const struct tree_record *old)
{
	for (size_t i = 0; i < position->schema->choice_count; i++)
		settle_choice(settler, position, old, position->schema->choices[i]);
}

static bool is_inner(const struct schema_node *node)
{
	return node->kind == SCHEMA_ROOT || node->kind == SCHEMA_CONTAINER || node->kind == SCHEMA_LIST;
}

/* Everything below an instance that the base does not have. */
static void settle_created(struct settler *settler, const struct tree_position *position)
{
	settle_record(settler, position, NULL);
	for (size_t i = 0; i < position->record->length; i++) {
		const struct schema_node *child =
			position->schema->children[tree_record_indexes(position->record)[i]];
		if (!is_inner(child) || !has_choice(settler, child))
			continue;
		struct tree_cursor cursor;
		struct tree_position below;
		tree_cursor_init_child(&cursor, settler->schema, position, child, TREE_EXPLICIT);
		while (tree_cursor_next(&cursor, &below))
			settle_created(settler, &below);
	}
}

static void settle_changed(struct settler *settler, const struct tree_change *change,
			   const struct tree_position *parent)
{
	if (!change->has_new || !is_inner(change->schema) || !has_choice(settler, change->schema))
		return;
	struct tree_position position = {
		.parent = parent, .schema = change->schema, .record = change->new_content.record};
	if (!change->has_old) {
		settle_created(settler, &position);
		return;
	}
	settle_record(settler, &position, change->old_content.record);
	for (const struct tree_change *child = change->children; child; child = child->next)
		settle_changed(settler, child, &position);
}

/* Whether anything that differs at top level has a choice below; else no diff is needed. */
static bool is_concerned(struct settler *settler, const struct tree_record *base,
			 const struct tree_record *root)
{
	const struct schema_node *top = settler->schema->root;
	if (top->choice_count > 0)
		return true;
	for (size_t i = 0; i < root->length; i++) {
		const struct schema_node *child = top->children[tree_record_indexes(root)[i]];
		const union tree_slot *old = tree_record_find(base, child);
		if ((!old || old->word != root->slots[i].word) && is_inner(child) &&
		    has_choice(settler, child))
			return true;
	}
	return false;
}

static void enter_all(struct tree_builder *builder, const struct tree_position *position)
{
	if (!position->parent)
		return;
	enter_all(builder, position->parent);
	if (position->schema->kind == SCHEMA_CONTAINER) {
		tree_builder_enter(builder, position->schema);
		return;
	}
	/* The keys are the record's first children. */
	bool there = tree_builder_enter_existing_entry(builder, position->schema,
						       &position->record->slots[0].value);
	ASSERT(there);
}

static struct tree_record *remove_losers(struct settler *settler, const struct tree_record *root,
					 struct tree_reclaimer *reclaimer)
{
	struct tree_builder *builder = tree_builder_new(settler->schema, root, reclaimer);
	for (const struct loser *loser = settler->losers; loser; loser = loser->next) {
		enter_all(builder, loser->parent);
		tree_builder_remove(builder, loser->child);
		for (const struct tree_position *at = loser->parent; at->parent; at = at->parent)
			tree_builder_leave(builder);
	}
	return tree_builder_finish(builder);
}

enum status edit_settle(const struct schema *schema, const struct tree_record *base,
			struct tree_record **root, struct tree_reclaimer *reclaimer, struct diag_list *diags)
{
	(void)diags;
	if (*root == base)
		return ST_OK;
	struct settler settler = {.schema = schema, .arena = arena_new()};
	settler.below = arena_zalloc(settler.arena, schema->node_count);
	if (is_concerned(&settler, base, *root)) {
		struct tree_change_set changes;
		tree_diff(schema, base, *root, settler.arena, &changes);
		if (changes.root)
			settle_changed(&settler, changes.root, NULL);
	}
	if (settler.losers) {
		struct tree_record *settled = remove_losers(&settler, *root, reclaimer);
		tree_record_unref(*root, schema->root, reclaimer);
		*root = settled;
	}
	arena_free(settler.arena);
	return ST_OK;
}
