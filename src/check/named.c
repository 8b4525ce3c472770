/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A walk over the edit tree with both roots beside it: what edit_apply made, and what settle left. A node
 * that the first has and the second has not was removed; where the edit sets it, the request is refused. What
 * the two roots share is looked at only where a container of the kind below may be named.
 *
 * A non-presence container that a request names with nothing in it is in neither root. Whether it may be
 * named is asked of its `when`, on the settled root: there the view of settle answers, as it does for what is
 * implicit. Most requests name none, so the run that the view needs is made by the first.
 */
#include "check/named.h"

#include "check/run.h"
#include "tree/map.h"

struct naming {
	const struct check_plan *plan; /* of whens */
	const struct check_options *options;
	const struct tree_record *settled; /* the root */
	struct diag_list *diags;
	struct vector keys;    /* struct value: borrowed, of one entry */
	struct check__run run; /* plan NULL: it was not needed yet */
	enum status status;
};

/* NULL where a key has no value. */
static const struct value *keys_of(struct naming *naming, const struct edit_node *node)
{
	vector_clear(&naming->keys);
	const struct edit_node *key = node->children;
	for (size_t i = 0; i < node->schema->key_count; i++, key = key->next) {
		if (value_is_none(key->value))
			return NULL;
		*(struct value *)vector_push(&naming->keys) = key->value;
	}
	return naming->keys.data;
}

static bool find_item(struct naming *naming, const struct tree_map *map, const struct edit_node *node,
		      struct tree_position *position)
{
	bool is_list = node->schema->kind == SCHEMA_LIST;
	const struct value *keys = is_list ? keys_of(naming, node) : &node->value;
	const union tree_item *item = NULL;
	if (keys != NULL && !value_is_none(keys[0]))
		item = tree_map_find(map, node->schema, keys);
	if (item == NULL)
		return false;
	if (is_list)
		position->record = item->record;
	else
		position->value = item->value;
	return true;
}

/* The instance that the edit node names below the parent; false where none is stored. */
static bool find(struct naming *naming, const struct tree_position *parent, const struct edit_node *node,
		 struct tree_position *position)
{
	const struct schema_node *schema = node->schema;
	const union tree_slot *slot = parent->record ? tree_record_find(parent->record, schema) : NULL;
	*position = (struct tree_position){.parent = parent, .schema = schema};
	if (slot == NULL)
		return false;
	if (check__is_multiple(schema))
		return find_item(naming, slot->map, node, position);
	if (schema->kind == SCHEMA_CONTAINER)
		position->record = slot->record;
	else if (schema->kind == SCHEMA_LEAF)
		position->value = slot->value;
	else
		position->any = slot->any;
	return true;
}

static void refuse(struct naming *naming, const struct tree_position *position)
{
	struct diag *diag =
		diag_add(naming->diags, DIAG_APPLICATION, DIAG_UNKNOWN_ELEMENT,
			 "\"%s\" is under a when condition that is false.", position->schema->name);
	tree_position_set_diag(position, naming->diags, diag);
	diag_add_info(naming->diags, diag, "bad-element", position->schema->name);
	naming->status = ST_REJECTED;
}

/* The view of the settled root. */
static struct check__view *view_of(struct naming *naming)
{
	struct check__run *run = &naming->run;
	struct tree_change_set changes = {.old_root = naming->settled, .new_root = naming->settled};
	if (run->plan == NULL)
		check__run_init(run, naming->plan, &changes, naming->options, naming->diags);
	return &run->new_view;
}

/* Whether the container, of which nothing is stored, may be below the parent, which is there. */
static bool may_be_named(struct naming *naming, const struct tree_position *container)
{
	const struct check__constraint *when = check__node_of(naming->plan, container->schema)->when;
	if (when == NULL)
		return true;
	bool holds = false;
	enum status status = check__view_judge(view_of(naming), when, container->parent, &holds, NULL);
	if (status == ST_OK)
		return holds;
	check__refuse_limit(&naming->run, when, container->parent);
	naming->status = ST_REJECTED;
	return true;
}

static void visit(struct naming *naming, const struct edit_node *parent, enum edit_operation inherited,
		  const struct tree_position *applied, const struct tree_position *settled);

/* A container that the edit has made nothing of: a case of its own, as there is no instance to look for. */
static void visit_bare(struct naming *naming, const struct edit_node *node, enum edit_operation operation,
		       const struct tree_position *applied, const struct tree_position *settled)
{
	if (node->schema->kind != SCHEMA_CONTAINER || node->schema->presence ||
	    !check__node_of(naming->plan, node->schema)->names_below || !edit_sets(node, operation))
		return;
	struct tree_position made = {.parent = applied, .schema = node->schema, .implicit = true};
	struct tree_position left = {.parent = settled, .schema = node->schema, .implicit = true};
	if (may_be_named(naming, &left))
		visit(naming, node, operation, &made, &left);
	else
		refuse(naming, &left);
}

static void visit_node(struct naming *naming, const struct edit_node *node, enum edit_operation operation,
		       const struct tree_position *applied, const struct tree_position *settled)
{
	bool is_shared = applied->record == settled->record;
	if (is_shared && !check__node_of(naming->plan, node->schema)->names_below)
		return;
	struct tree_position made, left;
	if (!find(naming, applied, node, &made)) {
		visit_bare(naming, node, operation, applied, settled);
	} else if (is_shared) {
		left = made;
		left.parent = settled;
		visit(naming, node, operation, &made, &left);
	} else if (find(naming, settled, node, &left)) {
		if (check__is_record(node->schema))
			visit(naming, node, operation, &made, &left);
	} else if (edit_sets(node, operation)) {
		refuse(naming, &made);
	}
}

static void visit(struct naming *naming, const struct edit_node *parent, enum edit_operation inherited,
		  const struct tree_position *applied, const struct tree_position *settled)
{
	if (applied->record == settled->record && !check__node_of(naming->plan, parent->schema)->names_below)
		return;
	for (const struct edit_node *node = parent->children; node != NULL; node = node->next) {
		enum edit_operation operation = edit_operation_of(node, inherited);
		if (operation != EDIT_DELETE && operation != EDIT_REMOVE)
			visit_node(naming, node, operation, applied, settled);
	}
}

enum status check_named(const struct check_plan *plan, const struct check_options *options,
			const struct check_named_edit *edit, const struct tree_record *applied,
			const struct tree_record *settled, struct diag_list *diags)
{
	if (plan->settle == NULL)
		return ST_OK;
	struct naming naming = {.plan = plan->settle, .options = options, .settled = settled, .diags = diags};
	vector_init(&naming.keys, sizeof(struct value));
	struct tree_position made = tree_position_root(plan->schema, applied);
	struct tree_position left = tree_position_root(plan->schema, settled);
	visit(&naming, edit->top, edit_operation_of(edit->top, edit->default_operation), &made, &left);
	if (naming.run.plan != NULL) {
		check__run_count(&naming.run, options);
		check__run_fini(&naming.run);
	}
	vector_fini(&naming.keys);
	return naming.status;
}
