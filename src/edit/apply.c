/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * edit-config as a function: an edit tree applied to a root through a builder. The walk goes over the edit
 * tree in the order written, with the builder standing at the instance whose children are being applied, so
 * each operation sees the effect of those before it. The recursion is as deep as the schema.
 *
 * What "exists" means (RFC 6241 7.2, RFC 7950 7.5.8, 7.6.8, 7.7.9, 7.8.6; RFC 6243 2.3.3 for defaults):
 *
 *     leaf, leaf-list value, list entry, presence container, anydata      it is stored; a default in use is
 * not non-presence container   for "none": always; for create: it holds something; for delete: it is stored
 *
 *     operation   exists                                   does not
 *     merge       goes on with the children                made, goes on
 *     replace     what is not named is removed, goes on    made, goes on
 *     create      data-exists                              made, goes on
 *     delete      removed                                  data-missing
 *     remove      removed                                  -
 *     none        goes on with the children                data-missing (leafs and values: nothing is done)
 *
 * What stands below a delete or remove is not looked at. A non-presence container is stored only while
 * something below is, except one that was named for itself in a case, since it chooses that case.
 *
 * The same list entry twice in one request: one after the other. The same container twice: its content is
 * taken together (edit_group), with one operation; two operations are refused.
 *
 * An error does not end the walk, so that a request's errors are reported together; but then there is no new
 * root.
 *
 * Of a large request all may have been made already, as if there were nothing (prepare.c); what the base does
 * not have is attached then (attach.c), and what it has is done here.
 */
#include "edit/apply.h"

#include "base/assert.h"
#include "edit/run.h"
#include "tree/cursor.h"

/* The children of one instance while they are applied. */
struct frame {
	const struct edit_group *group;
	enum edit_operation operation; /* of the instance; inherited by the children */
	bool repeated;		       /* some container comes twice */
	size_t taken;		       /* then where the frame begins on run->taken */
	bool counts_placed;	       /* below a replace, with user-ordered children */
	size_t placed;		       /* then where the frame begins on run->placed */
	size_t attached;	       /* where the frame begins on run->attached */
};

static const char reason_exists[] = "exists already, so it cannot be created.";
static const char reason_missing[] = "does not exist, so it cannot be deleted.";
static const char reason_no_level[] = "does not exist, and the default operation is none.";
static const char reason_no_value[] = "has no value.";

static void apply_children(struct edit_run *run, const struct edit_group *group,
			   enum edit_operation operation);

/* The children of the instance that the builder was just put into. `prepared`: the same instance. */
static void apply_below(struct edit_run *run, const struct edit_group *group, enum edit_operation operation,
			const struct tree_record *prepared)
{
	const struct tree_record *above = run->prepared;
	run->prepared = prepared;
	apply_children(run, group, operation);
	run->prepared = above;
}

const struct value *edit__keys(struct edit_run *run, const struct edit_node *node)
{
	if (node->schema->kind == SCHEMA_LEAF_LIST)
		return value_is_none(node->value) ? NULL : &node->value;
	vector_clear(&run->keys);
	const struct edit_node *key = NULL;
	for (size_t i = 0; i < node->schema->key_count; i++) {
		/* Not beyond the last one: behind it the decoder may be writing (prepare.c). */
		key = i == 0 ? node->children : key->next;
		ASSERT(key && key->schema == node->schema->children[i]);
		if (value_is_none(key->value))
			return NULL;
		*(struct value *)vector_push(&run->keys) = key->value;
	}
	return run->keys.data;
}

/* Of the list or leaf-list: how many of its items have their place; NULL where that is not counted. Valid
 * until the next push on run->placed. */
static uint64_t *placed_of(const struct edit_run *run, const struct frame *frame,
			   const struct schema_node *child)
{
	if (!frame->counts_placed || !tree_node_is_user_ordered(child))
		return NULL;
	return vector_at(&run->placed, frame->placed + child->slot);
}

static bool exists(const struct edit_run *run, const struct schema_node *node, const struct value *keys)
{
	const union tree_slot *stored = edit__stored(run, node);
	return stored && tree_map_find(stored->map, node, keys);
}

/* Whether a child that is no list or leaf-list is there, as the basic mode has it. */
static bool child_exists(const struct edit_run *run, const struct schema_node *child)
{
	const union tree_slot *stored = edit__stored(run, child);
	bool has_default = child->kind == SCHEMA_LEAF && child->default_count > 0;
	struct tree_position in_use;
	if (!has_default || run->basic == EDIT_BASIC_EXPLICIT)
		return stored;
	if (run->basic == EDIT_BASIC_TRIM)
		return stored && !value_equal(stored->value, child->defaults[0]);
	return stored || tree_position_find_child(tree_builder_position(run->builder), child,
						  TREE_WITH_DEFAULTS, &in_use);
}

static void delete_child(struct edit_run *run, const struct schema_node *child, enum edit_operation operation)
{
	bool refused = operation == EDIT_DELETE && child->kind == SCHEMA_LEAF && !child_exists(run, child);
	if (!refused && !tree_builder_remove(run->builder, child))
		refused = operation == EDIT_DELETE && !child_exists(run, child);
	if (refused)
		edit__refuse_child(run, child, DIAG_DATA_MISSING, reason_missing);
}

/* A leaf, anydata or anyxml that is merged, replaced or created. */
static void set_child(struct edit_run *run, const struct edit_node *node, enum edit_operation operation)
{
	const struct schema_node *schema = node->schema;
	bool is_leaf = schema->kind == SCHEMA_LEAF;
	if (operation == EDIT_CREATE && child_exists(run, schema))
		edit__refuse_child(run, schema, DIAG_DATA_EXISTS, reason_exists);
	else if (is_leaf ? value_is_none(node->value) : !node->any)
		edit__refuse_child(run, schema, DIAG_INVALID_VALUE, reason_no_value);
	else {
		if (is_leaf)
			tree_builder_set_leaf(run->builder, schema, node->value);
		else
			tree_builder_set_any(run->builder, schema, node->any);
		edit__annotate(run, &(struct edit_group){.node = node}, operation,
			       (struct tree_annotated){.child = schema});
	}
}

static void apply_single(struct edit_run *run, const struct edit_node *node, enum edit_operation operation)
{
	if (operation == EDIT_DELETE || operation == EDIT_REMOVE)
		delete_child(run, node->schema, operation);
	else if (operation != EDIT_NONE)
		set_child(run, node, operation);
}

/* The value that the node is, if it has its place. */
static void annotate_value(struct edit_run *run, const struct edit_node *node, enum edit_operation operation)
{
	if (!run->failed || exists(run, node->schema, &node->value))
		edit__annotate(run, &(struct edit_group){.node = node}, operation,
			       (struct tree_annotated){node->schema, node->value});
}

/* A value that is merged, replaced or created; false where it was there, and then a created one is not moved.
 */
static bool add_value(struct edit_run *run, const struct edit_node *node, enum edit_operation operation,
		      uint64_t *placed)
{
	if (!placed && node->insert == EDIT_INSERT_UNSPECIFIED)
		return tree_builder_add_value(run->builder, node->schema, node->value);
	bool is_new = !exists(run, node->schema, &node->value);
	if (is_new || operation != EDIT_CREATE)
		edit__put_in_place(run, node, &node->value, placed);
	return is_new;
}

static void apply_value(struct edit_run *run, const struct frame *frame, const struct edit_node *node,
			enum edit_operation operation)
{
	const struct schema_node *leaf_list = node->schema;
	struct value value = node->value;
	uint64_t *placed = placed_of(run, frame, leaf_list);
	if (!edit__check_insert(run, node, operation))
		return;
	if (value_is_none(value)) {
		edit__refuse_child(run, leaf_list, DIAG_INVALID_VALUE, reason_no_value);
		return;
	}
	switch (operation) {
	case EDIT_MERGE:
	case EDIT_REPLACE:
		add_value(run, node, operation, placed);
		annotate_value(run, node, operation);
		break;
	case EDIT_CREATE:
		if (add_value(run, node, operation, placed))
			annotate_value(run, node, operation);
		else
			edit__refuse_item(run, leaf_list, &value, DIAG_DATA_EXISTS, reason_exists);
		break;
	case EDIT_DELETE:
	case EDIT_REMOVE:
		edit__forget_place(run, leaf_list, &value, placed);
		if (!tree_builder_remove_value(run->builder, leaf_list, value) && operation == EDIT_DELETE)
			edit__refuse_item(run, leaf_list, &value, DIAG_DATA_MISSING, reason_missing);
		break;
	case EDIT_NONE:
		break;
	case EDIT_UNSPECIFIED:
		ASSERT(!"an operation is resolved before it is used");
	}
}

/* The entry that the builder stands in stays, and with it its keys (RFC 7950 7.8.2). */
static void check_keys(struct edit_run *run, const struct edit_node *entry, bool made)
{
	const struct edit_node *key = entry->children;
	for (size_t i = 0; i < entry->schema->key_count; i++, key = key->next) {
		if (key->operation == EDIT_DELETE || key->operation == EDIT_REMOVE)
			edit__refuse_child(run, key->schema, DIAG_BAD_ELEMENT,
					   "is a key, so it cannot be deleted without its entry.");
		else if (key->operation == EDIT_CREATE && !made)
			edit__refuse_child(run, key->schema, DIAG_DATA_EXISTS, reason_exists);
	}
}

/* Makes or moves an entry that has a place of its own. False, with an error, where there is none. */
static bool place_entry(struct edit_run *run, const struct edit_node *node, const struct value *keys,
			enum edit_operation operation, uint64_t *placed)
{
	/* What cannot be created because it is there is refused later. */
	bool stays = operation == EDIT_CREATE && exists(run, node->schema, keys);
	return stays || edit__put_in_place(run, node, keys, placed);
}

/* Goes into the entry as the operation says; false, with an error, where it may not. */
static bool enter_entry(struct edit_run *run, const struct edit_node *node, const struct value *keys,
			enum edit_operation operation, uint64_t *placed)
{
	const struct schema_node *list = node->schema;
	if (operation == EDIT_NONE) {
		if (tree_builder_enter_existing_entry(run->builder, list, keys)) {
			check_keys(run, node, false);
			return true;
		}
		edit__refuse_item(run, list, keys, DIAG_DATA_MISSING, reason_no_level);
		return false;
	}
	bool made, is_placed = placed || node->insert != EDIT_INSERT_UNSPECIFIED;
	bool was_there = is_placed && exists(run, list, keys);
	if (is_placed && !place_entry(run, node, keys, operation, placed))
		return false;
	tree_builder_expect(run->builder, node->kinds);
	tree_builder_enter_entry(run->builder, list, keys, &made);
	made = made || (is_placed && !was_there);
	if (operation == EDIT_CREATE && !made) {
		edit__refuse_here(run, DIAG_DATA_EXISTS, reason_exists);
		tree_builder_leave(run->builder);
		return false;
	}
	check_keys(run, node, made);
	if (operation == EDIT_REPLACE && !made)
		edit__prune(run, &(struct edit_group){.node = node});
	return true;
}

/* Whether the list was attached as a whole, at its first entry, or is now. */
static bool list_is_attached(struct edit_run *run, const struct frame *frame, const struct schema_node *list)
{
	for (size_t i = frame->attached; i < run->attached.length; i++) {
		if (*(const struct schema_node **)vector_at(&run->attached, i) == list)
			return true;
	}
	if (!edit__attach_list(run, list, frame->operation))
		return false;
	*(const struct schema_node **)vector_push(&run->attached) = list;
	return true;
}

static void apply_entry(struct edit_run *run, const struct frame *frame, const struct edit_node *node,
			enum edit_operation operation)
{
	const struct schema_node *list = node->schema;
	uint64_t *placed = placed_of(run, frame, list);
	if (run->prepared && list_is_attached(run, frame, list))
		return;
	if (!edit__check_insert(run, node, operation))
		return;
	const struct value *keys = edit__keys(run, node);
	const struct tree_record *prepared = keys ? edit__prepared_entry(run, list, keys) : NULL;
	if (!placed && (edit__attach_entry(run, list, prepared, operation) ||
			edit__entry_stays(run, list, prepared, operation)))
		return;
	if (!keys) {
		edit__refuse_child(run, list, DIAG_BAD_ELEMENT, "has a key without a value.");
	} else if (operation == EDIT_DELETE || operation == EDIT_REMOVE) {
		edit__forget_place(run, list, keys, placed);
		if (!tree_builder_remove_entry(run->builder, list, keys) && operation == EDIT_DELETE)
			edit__refuse_item(run, list, keys, DIAG_DATA_MISSING, reason_missing);
	} else if (enter_entry(run, node, keys, operation, placed)) {
		edit__annotate(run, &(struct edit_group){.node = node}, operation,
			       (struct tree_annotated){0});
		apply_below(run, &(struct edit_group){.node = node}, operation, prepared);
		tree_builder_leave(run->builder);
	}
}

/* Whether a container that is merged, replaced or created is stored even if nothing below is. */
static bool is_made(const struct edit_group *group, enum edit_operation operation)
{
	if (group->node->schema->presence)
		return true;
	if (!group->node->schema->in_case)
		return false;
	for (; group; group = group->next) {
		if (edit_sets(group->node, operation))
			return true;
	}
	return false;
}

static void apply_container(struct edit_run *run, const struct edit_group *group,
			    enum edit_operation operation)
{
	const struct schema_node *schema = group->node->schema;
	const union tree_slot *stored = edit__stored(run, schema);
	if (operation == EDIT_DELETE || operation == EDIT_REMOVE) {
		delete_child(run, schema, operation);
		return;
	}
	if (operation == EDIT_NONE && schema->presence && !stored) {
		edit__refuse_child(run, schema, DIAG_DATA_MISSING, reason_no_level);
		return;
	}
	if (operation == EDIT_CREATE && stored && (schema->presence || stored->record->length > 0)) {
		edit__refuse_child(run, schema, DIAG_DATA_EXISTS, reason_exists);
		return;
	}
	if (edit__attach_container(run, schema, operation))
		return;
	const struct tree_record *prepared = edit__prepared_container(run, schema);
	tree_builder_expect(run->builder, group->node->kinds);
	tree_builder_enter(run->builder, schema);
	if (operation != EDIT_NONE && is_made(group, operation))
		tree_builder_make(run->builder);
	if (operation == EDIT_REPLACE)
		edit__prune(run, group);
	edit__annotate(run, group, operation, (struct tree_annotated){0});
	apply_below(run, group, operation, prepared);
	tree_builder_leave(run->builder);
}

/* Whether the container was taken together with an earlier element. Valid until the next push on run->taken.
 */
static bool *is_taken(const struct edit_run *run, const struct frame *frame,
		      const struct edit_node *container)
{
	return vector_at(&run->taken, frame->taken + container->schema->slot);
}

/*
 * A container that comes twice below one instance: at its first element all of them are taken together. The
 * group is linked in the run's arena; each element of the request is in at most one.
 */
static void apply_repeated(struct edit_run *run, const struct frame *frame, const struct edit_node *first)
{
	enum edit_operation operation = edit_operation_of(first, frame->operation);
	struct edit_group *group = NULL, *last = NULL;
	struct edit_iter iter = edit__iter(frame->group);
	for (const struct edit_node *node; (node = edit__next(&iter)) && !edit__full(run);) {
		if (node->schema != first->schema)
			continue;
		if (edit_operation_of(node, frame->operation) != operation) {
			edit__refuse_child(run, node->schema, DIAG_BAD_ELEMENT,
					   "comes twice with different operations.");
			continue;
		}
		struct edit_group *member = arena_zalloc(run->arena, sizeof(*member));
		member->node = node;
		if (last)
			last->next = member;
		else
			group = member;
		last = member;
	}
	*is_taken(run, frame, first) = true;
	apply_container(run, group, operation);
}

static void apply_as(struct edit_run *run, const struct frame *frame, const struct edit_node *node,
		     enum edit_operation operation)
{
	switch (node->schema->kind) {
	case SCHEMA_LEAF:
		if (!node->schema->is_key)
			apply_single(run, node, operation);
		else
			edit__annotate(run, &(struct edit_group){.node = node}, operation,
				       (struct tree_annotated){.child = node->schema});
		break;
	case SCHEMA_ANYDATA:
	case SCHEMA_ANYXML:
		apply_single(run, node, operation);
		break;
	case SCHEMA_LEAF_LIST:
		apply_value(run, frame, node, operation);
		break;
	case SCHEMA_LIST:
		apply_entry(run, frame, node, operation);
		break;
	case SCHEMA_CONTAINER:
		if (!frame->repeated)
			apply_container(run, &(struct edit_group){.node = node}, operation);
		else if (!*is_taken(run, frame, node))
			apply_repeated(run, frame, node);
		break;
	case SCHEMA_ROOT:
	case SCHEMA_RPC:
	case SCHEMA_ACTION:
	case SCHEMA_OUTPUT:
	case SCHEMA_NOTIFICATION:
		ASSERT(!"only data nodes are children");
	}
}

static void apply_child(struct edit_run *run, const struct frame *frame, const struct edit_node *node)
{
	if (run->prepares && !edit__may_prepare(run, node))
		run->failed = true;
	else
		apply_as(run, frame, node, edit_operation_of(node, frame->operation));
}

void edit__create(struct edit_run *run, const struct edit_node *node)
{
	struct frame frame = {.operation = EDIT_CREATE};
	apply_as(run, &frame, node, EDIT_CREATE);
}

/* What is special about the children, seen in one pass so that the common case costs no more. */
struct survey {
	bool cases;    /* some are in a case */
	bool repeated; /* some container comes twice */
	bool ordered;  /* some are user-ordered */
};

static bool any_repeated(struct edit_run *run, const struct edit_group *group)
{
	vector_clear(&run->marks);
	for (size_t slot = 0; slot < group->node->schema->child_count; slot++)
		vector_push(&run->marks);
	struct edit_iter iter = edit__iter(group);
	for (const struct edit_node *node; (node = edit__next(&iter));) {
		if (node->schema->kind == SCHEMA_CONTAINER &&
		    (*(uint64_t *)vector_at(&run->marks, node->schema->slot))++ > 0)
			return true;
	}
	return false;
}

static struct survey survey_children(struct edit_run *run, const struct edit_group *group)
{
	struct survey survey = {0};
	size_t containers = 0;
	const struct schema_node *before = NULL;
	struct edit_iter iter = edit__iter(group);
	for (const struct edit_node *node; (node = edit__next(&iter));) {
		const struct schema_node *schema = node->schema;
		containers += schema->kind == SCHEMA_CONTAINER;
		if (schema == before)
			continue;
		before = schema;
		survey.cases |= schema->in_case != NULL;
		survey.ordered |= tree_node_is_user_ordered(schema);
	}
	survey.repeated = containers > 1 && any_repeated(run, group);
	return survey;
}

static void apply_children(struct edit_run *run, const struct edit_group *group,
			   enum edit_operation operation)
{
	const struct schema_node *parent = group->node->schema;
	struct survey survey = survey_children(run, group);
	struct frame frame = {.group = group,
			      .operation = operation,
			      .repeated = survey.repeated,
			      .taken = run->taken.length,
			      .counts_placed = survey.ordered && operation == EDIT_REPLACE,
			      .placed = run->placed.length,
			      .attached = run->attached.length};
	for (size_t slot = 0; survey.repeated && slot < parent->child_count; slot++)
		vector_push(&run->taken);
	for (size_t slot = 0; frame.counts_placed && slot < parent->child_count; slot++)
		vector_push(&run->placed);
	if (survey.cases) {
		edit__choose_cases(run, group, operation);
		struct edit_iter lost = edit__iter(group);
		for (const struct edit_node *node; (node = edit__next(&lost)) && !edit__full(run);) {
			if (edit__lost(run, node->schema))
				apply_child(run, &frame, node);
		}
		edit__remove_lost(run);
	}
	struct edit_iter iter = edit__iter(group);
	for (const struct edit_node *node; (node = edit__next(&iter)) && !edit__full(run);) {
		if (!survey.cases || !edit__lost(run, node->schema))
			apply_child(run, &frame, node);
	}
	if (survey.cases)
		edit__forget_cases(run, parent);
	while (run->taken.length > frame.taken)
		vector_pop(&run->taken);
	while (run->placed.length > frame.placed)
		vector_pop(&run->placed);
	while (run->attached.length > frame.attached)
		vector_pop(&run->attached);
}

void edit__run_init(struct edit_run *run)
{
	run->arena = arena_new();
	vector_init(&run->keys, sizeof(struct value));
	vector_init(&run->taken, sizeof(bool));
	vector_init(&run->chosen, sizeof(const struct schema_case *));
	vector_init(&run->placed, sizeof(uint64_t));
	vector_init(&run->anchor, sizeof(struct value));
	vector_init(&run->counts, sizeof(size_t));
	vector_init(&run->nodes, sizeof(const struct edit_node *));
	vector_init(&run->marks, sizeof(uint64_t));
	vector_init(&run->attached, sizeof(const struct schema_node *));
}

void edit__run_fini(struct edit_run *run)
{
	vector_fini(&run->attached);
	vector_fini(&run->marks);
	vector_fini(&run->nodes);
	vector_fini(&run->counts);
	vector_fini(&run->anchor);
	vector_fini(&run->placed);
	vector_fini(&run->chosen);
	vector_fini(&run->taken);
	vector_fini(&run->keys);
	arena_free(run->arena);
}

enum status edit_apply(const struct schema *schema, const struct tree_record *base,
		       const struct edit_tree *edit, const struct edit_options *options,
		       struct diag_list *diags, struct tree_record **new_root)
{
	enum edit_operation operation = options->default_operation;
	ASSERT(operation == EDIT_MERGE || operation == EDIT_REPLACE || operation == EDIT_NONE);
	ASSERT(edit->top->schema == schema->root);
	struct edit_run run = {.schema = schema, .diags = diags, .basic = options->basic};
	if (options->basic == EDIT_BASIC_EXPLICIT) /* else it depends on defaults what exists */
		run.prepared = edit->prepared;
	edit__run_init(&run);
	run.builder = tree_builder_new(schema, base, options->reclaimer);
	struct edit_group top = {.node = edit->top};
	if (operation == EDIT_REPLACE)
		edit__prune(&run, &top);
	apply_children(&run, &top, operation);
	if (run.failed)
		tree_builder_abort(run.builder);
	else
		*new_root = tree_builder_finish(run.builder);
	edit__run_fini(&run);
	return run.failed ? ST_REJECTED : ST_OK;
}
