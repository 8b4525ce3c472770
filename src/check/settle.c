/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Removing what is under a false `when`, rank by rank:
 *
 *     from = 0
 *     repeat
 *         walk the changes from base to root; of the whens that are due and of rank >= from,
 *         keep those that are false and of the lowest rank met
 *         remove their nodes from the root; from = that rank + 1
 *     until none is false
 *
 * A when depends on others of lower rank only. So those of the lowest rank at which some are false were
 * judged on a tree that is final for them, while those above may judge otherwise once these are gone. The
 * walk is that of a check, over a plan of nothing but whens: it goes to the whens of what came, and through
 * the triggers to those that read what changed, stored or implicit.
 *
 * Roots in between are kept until the report, which borrows positions in them.
 */
#include "check/settle.h"

#include "base/assert.h"
#include "base/log.h"
#include "check/index.h"
#include "edit/settle.h"
#include "tree/builder.h"

_Static_assert(sizeof(union tree_slot) == sizeof(struct value), "keys in slots are an array of values");

/* Of one pass. */
struct check__settler {
	struct vector losers; /* struct loser */
	uint32_t from, rank;  /* lowest rank of interest; that of the losers */
};

struct loser {
	const struct check__constraint *when;
	const struct tree_position *parent; /* in the run's arena */
	const struct schema_xpath *broken;
};

/* What the passes share. */
struct settling {
	const struct check_plan *plan; /* of whens */
	const struct check_options *options;
	const struct tree_record *base;
	struct tree_record *root; /* the present one */
	struct vector roots;	  /* struct tree_record *: those before it */
	uint64_t steps;		  /* left */
	struct check__faults faults;
	struct diag_list *diags;
};

void check__settle_judge(struct check__run *run, const struct check__constraint *when,
			 const struct tree_position *parent)
{
	struct check__settler *settler = run->settler;
	if (!parent->record || !tree_record_find(parent->record, when->child)) {
		check__flip_add(run, when, parent);
		return;
	}
	bool is_above = settler->losers.length > 0 && when->rank > settler->rank;
	if (when->rank < settler->from || is_above)
		return;
	bool holds = true;
	const struct schema_xpath *broken = NULL;
	if (check__view_judge(&run->new_view, when, parent, &holds, &broken) != ST_OK) {
		check__refuse_limit(run, when, parent);
		return;
	}
	if (holds)
		return;
	if (settler->losers.length > 0 && when->rank < settler->rank)
		vector_clear(&settler->losers);
	settler->rank = when->rank;
	*(struct loser *)vector_push(&settler->losers) =
		(struct loser){when, tree_position_dup(parent, run->arena), broken};
}

/* ---- What the request set. ---- */

/* The record of the same container or entry in another root; NULL: it has none. */
static const struct tree_record *find_in(const struct tree_record *root, const struct tree_position *position)
{
	if (!position->parent)
		return root;
	const struct schema_node *node = position->schema;
	const struct tree_record *parent = find_in(root, position->parent);
	const union tree_slot *slot = parent ? tree_record_find(parent, node) : NULL;
	if (!slot)
		return NULL;
	if (node->kind == SCHEMA_CONTAINER)
		return slot->record;
	const union tree_item *item = tree_map_find(slot->map, node, &position->record->slots[0].value);
	return item ? item->record : NULL;
}

static bool child_is_set(const struct schema_node *node, const union tree_slot *old,
			 const union tree_slot *new);

/* Something in the record came or changed. */
static bool record_is_set(const struct schema_node *node, const struct tree_record *old,
			  const struct tree_record *new)
{
	if (old == new)
		return false;
	for (size_t i = 0; i < new->length; i++) {
		const struct schema_node *child = node->children[tree_record_indexes(new)[i]];
		if (child_is_set(child, tree_record_find(old, child), &new->slots[i]))
			return true;
	}
	return false;
}

/* An entry, or a value of a leaf-list. */
static bool item_is_set(const struct schema_node *node, const union tree_slot *old,
			const union tree_item *item)
{
	const struct value *keys = node->kind == SCHEMA_LIST ? &item->record->slots[0].value : &item->value;
	const union tree_item *before = old ? tree_map_find(old->map, node, keys) : NULL;
	return !before || (node->kind == SCHEMA_LIST && record_is_set(node, before->record, item->record));
}

static bool child_is_set(const struct schema_node *node, const union tree_slot *old,
			 const union tree_slot *new)
{
	if (old && old->word == new->word)
		return false;
	if (node->kind == SCHEMA_LIST || node->kind == SCHEMA_LEAF_LIST) {
		struct tree_map_iter iter;
		const union tree_item *item = tree_map_first(&iter, new->map, node);
		while (item && !item_is_set(node, old, item))
			item = tree_map_next(&iter);
		return item != NULL;
	}
	if (!old)
		return true;
	if (node->kind == SCHEMA_CONTAINER)
		return record_is_set(node, old->record, new->record);
	return node->kind != SCHEMA_LEAF || !value_equal(old->value, new->value);
}

/* Each instance of the node that the request set is a fault. */
static void add_faults(struct settling *settling, const struct loser *loser)
{
	const struct schema_node *node = loser->when->child;
	const struct tree_record *parent = find_in(settling->base, loser->parent);
	const union tree_slot *old = parent ? tree_record_find(parent, node) : NULL;
	struct tree_cursor cursor;
	struct tree_position instance;
	tree_cursor_init_child(&cursor, settling->plan->schema, loser->parent, node, TREE_EXPLICIT);
	while (tree_cursor_next(&cursor, &instance)) {
		union tree_item item = {.record = (struct tree_record *)instance.record};
		if (node->kind == SCHEMA_LEAF_LIST)
			item.value = instance.value;
		const union tree_slot *new = tree_record_find(loser->parent->record, node);
		bool is_set = check__is_multiple(node) ? item_is_set(node, old, &item)
						       : child_is_set(node, old, new);
		if (is_set)
			check__faults_add_when(&settling->faults, loser->when, &instance, loser->broken);
	}
}

/* ---- Removal. ---- */

/* Goes to the position; false, and stays, where something on the way is gone already. */
static bool enter_all(struct tree_builder *builder, const struct tree_position *position)
{
	if (!position->parent)
		return true;
	if (!enter_all(builder, position->parent))
		return false;
	bool entered = position->schema->kind == SCHEMA_CONTAINER
			       ? tree_builder_enter_existing(builder, position->schema)
			       : tree_builder_enter_existing_entry(builder, position->schema,
								   &position->record->slots[0].value);
	for (const struct tree_position *at = position->parent; !entered && at->parent; at = at->parent)
		tree_builder_leave(builder);
	return entered;
}

static void remove_losers(struct settling *settling, const struct vector *losers)
{
	struct tree_builder *builder =
		tree_builder_new(settling->plan->schema, settling->root, settling->options->reclaimer);
	for (size_t i = 0; i < losers->length; i++) {
		const struct loser *loser = vector_at(losers, i);
		add_faults(settling, loser);
		if (!enter_all(builder, loser->parent))
			continue;
		tree_builder_remove(builder, loser->when->child);
		for (const struct tree_position *at = loser->parent; at->parent; at = at->parent)
			tree_builder_leave(builder);
	}
	*(struct tree_record **)vector_push(&settling->roots) = settling->root;
	settling->root = tree_builder_finish(builder);
}

/* ---- Passes. ---- */

/* Judges all whens that are due, of rank `from` and above. */
static enum status run_pass(struct settling *settling, struct check__settler *settler)
{
	struct check_options options = *settling->options;
	struct check_difference *difference = options.difference;
	struct arena *own = difference == NULL ? arena_new() : NULL, *arena = own ? own : difference->arena;
	struct tree_change_set changes = {.old_root = settling->base, .new_root = settling->root};
	options.steps = settling->steps;
	bool full = options.full || settling->base->length == 0;
	if (!full)
		tree_diff(settling->plan->schema, settling->base, settling->root, arena, &changes);
	struct check__run run;
	check__run_init(&run, settling->plan, &changes, &options, settling->diags);
	run.settler = settler;
	if (!full && options.index)
		run.old_index = tree_record_ref(options.index->root);
	run.index_source = full ? NULL : options.index_source;
	check__run_walk(&run, changes.root);
	check__run_count(&run, &options);
	settling->steps = run.limits.steps;
	enum status status = run.status == ST_OK ? ST_OK : ST_REJECTED;
	if (status == ST_OK && settler->losers.length > 0)
		remove_losers(settling, &settler->losers);
	else if (difference != NULL && !full)
		*difference = (struct check_difference){arena, true, changes};
	check__run_fini(&run);
	arena_free(own);
	return status;
}

static enum status run_passes(struct settling *settling)
{
	struct check__settler settler = {.from = 0};
	vector_init(&settler.losers, sizeof(struct loser));
	enum status status = ST_OK;
	do {
		vector_clear(&settler.losers);
		status = run_pass(settling, &settler);
		settler.from = settler.rank + 1;
	} while (status == ST_OK && settler.losers.length > 0);
	vector_fini(&settler.losers);
	return status;
}

static void drop_roots(struct settling *settling)
{
	for (size_t i = 0; i < settling->roots.length; i++)
		tree_record_unref(*(struct tree_record **)vector_at(&settling->roots, i),
				  settling->plan->schema->root, settling->options->reclaimer);
	vector_fini(&settling->roots);
}

static enum status settle_whens(const struct check_plan *plan, const struct check_options *options,
				const struct tree_record *base, struct tree_record **root,
				struct diag_list *diags)
{
	struct settling settling = {.plan = plan,
				    .options = options,
				    .base = base,
				    .root = *root,
				    .steps = options->steps,
				    .diags = diags};
	vector_init(&settling.roots, sizeof(struct tree_record *));
	check__faults_init(&settling.faults, diags->limit > diags->length ? diags->limit - diags->length : 0);
	enum status status = run_passes(&settling);
	if (status == ST_OK && check__faults_any(&settling.faults))
		status = ST_REJECTED;
	check__faults_report(&settling.faults, diags);
	check__faults_fini(&settling.faults);
	*root = settling.root;
	drop_roots(&settling);
	return status;
}

/* Nothing that is left is under a false `when`. */
static void verify_settled(const struct check_plan *plan, const struct tree_record *base,
			   const struct tree_record *root)
{
	struct arena *arena = arena_new();
	struct diag_list diags;
	diag_list_init(&diags, arena, 1);
	struct check_options options = {.steps = UINT64_MAX, .max_nodes = UINT64_MAX, .full = true};
	struct tree_record *again = tree_record_ref(root);
	enum status status = settle_whens(plan, &options, base, &again, &diags);
	if (diags.first)
		log_error("settled in full: %s at %s", diags.first->message, diags.first->path);
	bool is_settled = status == ST_OK && again == root;
	ASSERT(is_settled);
	tree_record_unref(again, plan->schema->root, NULL);
	arena_free(arena);
}

/* Says which node would have had to go. */
static enum status refuse_cases(const struct schema *schema, const struct tree_record *root,
				const struct tree_record *settled, struct diag_list *diags)
{
	char path[512];
	struct arena *arena = arena_new();
	struct tree_change_set changes;
	tree_diff(schema, root, settled, arena, &changes);
	const struct tree_change *lost = changes.root;
	while (lost->has_new && lost->children != NULL)
		lost = lost->children;
	schema_node_path(lost->schema, path, sizeof(path));
	struct diag *diag = diag_add(diags, DIAG_APPLICATION, DIAG_BAD_ELEMENT,
				     "There is data of another case of the choice, too.");
	diag_set_path(diags, diag, path);
	arena_free(arena);
	return ST_REJECTED;
}

/* Where the base may have two cases of a choice itself (a schema may make cases of what was none), all of the
 * root is looked at; where there is no base, nothing says which case came later. */
static enum status settle_cases(const struct check_plan *plan, const struct check_options *options,
				const struct tree_record *base, struct tree_record **root,
				struct diag_list *diags)
{
	const struct schema *schema = plan->schema;
	struct tree_reclaimer *reclaimer = options->reclaimer;
	if (!options->full)
		return edit_settle(schema, base, root, reclaimer, diags);
	struct tree_record *before = tree_record_ref(*root), *empty = tree_record_new();
	enum status status = edit_settle(schema, base, root, reclaimer, diags);
	if (status == ST_OK && base->length > 0)
		status = edit_settle(schema, empty, root, reclaimer, diags);
	else if (status == ST_OK && *root != before)
		status = refuse_cases(schema, before, *root, diags);
	tree_record_unref(empty, schema->root, reclaimer);
	tree_record_unref(before, schema->root, reclaimer);
	return status;
}

enum status check_settle(const struct check_plan *plan, const struct check_options *options,
			 const struct tree_record *base, struct tree_record **root, struct diag_list *diags)
{
	enum status status = settle_cases(plan, options, base, root, diags);
	if (status != ST_OK || !plan->settle || (*root == base && !options->full))
		return status;
	status = settle_whens(plan->settle, options, base, root, diags);
	if (status == ST_OK && options->verify && !options->full)
		verify_settled(plan->settle, base, *root);
	return status;
}
