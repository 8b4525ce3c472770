/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * continue-on-error: a request taken apart into its edits, which are applied one after the other.
 *
 *     <config>                              edits
 *       <a><x/><y operation="create"/></a>    <a><x/></a>    <a><y operation="create"/></a>
 *       <b operation="delete"/>               <b operation="delete"/>
 *       <c/>                                  <c/>
 *
 * Each becomes an edit tree with nothing else in it: nodes on the way to it are copied with their keys, what
 * is below it is shared. Trees being persistent, an edit that fails leaves no trace.
 *
 * A `when` may be false after one edit and true after the next, so it is judged at the end:
 *
 *     repeat
 *         apply all edits that are not left out; settle
 *         leave out those that name what may not be there
 *     until there is none
 *
 * What settle removes at first depends on whens that are final then, so there are not more rounds than whens
 * depend on one another. An edit that a `when` stopped may have been stopped by another that is left out
 * itself: it gets a second chance after the others, where it may not take anything away.
 */
#include "edit/continue.h"

#include <string.h>

#include "base/assert.h"
#include "base/vector.h"

#define ERRORS_OF_AN_EDIT 32

struct one_edit {
	struct edit_node *node; /* below the top */
	bool left_out;
	struct diag_list *errors; /* a `when` stops it: what it names that may not be there; else NULL */
};

struct continuing {
	const struct schema *schema;
	const struct edit_options *options;
	struct edit_settler *settler;
	struct diag_list *diags;
	struct arena *arena;
	struct vector edits; /* struct one_edit */
	struct vector way;   /* const struct edit_node *: from the top-level node to where we are */
	struct tree_record *root;
};

/* ---- taking apart ---- */

static bool has_operation(const struct edit_node *node)
{
	return node->operation != EDIT_UNSPECIFIED && !node->schema->is_key;
}

static bool has_operation_below(const struct edit_node *node)
{
	for (const struct edit_node *child = node->children; child; child = child->next) {
		if (has_operation(child) || has_operation_below(child))
			return true;
	}
	return false;
}

/* Without siblings; what is below it is shared. */
static struct edit_node *copy_node(struct continuing *c, const struct edit_node *node)
{
	struct edit_node *copy = arena_alloc(c->arena, sizeof(*copy));
	*copy = *node;
	copy->next = NULL;
	return copy;
}

static void append(struct edit_node *parent, struct edit_node *child)
{
	if (parent->last_child)
		parent->last_child->next = child;
	else
		parent->children = child;
	parent->last_child = child;
}

/* The node with its keys alone. */
static struct edit_node *copy_bare(struct continuing *c, const struct edit_node *node)
{
	struct edit_node *copy = copy_node(c, node);
	copy->children = copy->last_child = NULL;
	for (const struct edit_node *child = node->children; child && child->schema->is_key;
	     child = child->next)
		append(copy, copy_node(c, child));
	return copy;
}

static void add_edit(struct continuing *c, struct edit_node *node)
{
	*(struct one_edit *)vector_push(&c->edits) = (struct one_edit){.node = node};
}

/* The way to the node and the node. */
static void add_at_end_of_way(struct continuing *c, const struct edit_node *node)
{
	struct edit_node *top = NULL, *parent = NULL;
	for (size_t i = 0; i < c->way.length; i++) {
		struct edit_node *step = copy_bare(c, *(const struct edit_node **)vector_at(&c->way, i));
		step->insert = EDIT_INSERT_UNSPECIFIED; /* what the way itself says is an edit before */
		step->annotations = NULL;
		if (parent)
			append(parent, step);
		else
			top = step;
		parent = step;
	}
	struct edit_node *last = copy_node(c, node);
	if (parent)
		append(parent, last);
	add_edit(c, top ? top : last);
}

/* The node without what is an edit of its own; NULL where it is but a way to such. */
static struct edit_node *rest_of(struct continuing *c, const struct edit_node *node)
{
	if (!has_operation_below(node))
		return copy_node(c, node);
	struct edit_node *rest = copy_bare(c, node);
	bool says_something = node->insert != EDIT_INSERT_UNSPECIFIED || node->annotations;
	for (const struct edit_node *child = node->children; child; child = child->next) {
		if (child->schema->is_key || has_operation(child))
			continue;
		struct edit_node *rest_of_child = rest_of(c, child);
		if (!rest_of_child)
			continue;
		append(rest, rest_of_child);
		says_something = true;
	}
	return says_something ? rest : NULL;
}

static void add_below(struct continuing *c, const struct edit_node *node)
{
	*(const struct edit_node **)vector_push(&c->way) = node;
	for (const struct edit_node *child = node->children; child; child = child->next) {
		if (has_operation(child))
			add_at_end_of_way(c, child);
		else if (has_operation_below(child))
			add_below(c, child);
	}
	vector_pop(&c->way);
}

static void take_apart(struct continuing *c, const struct edit_tree *edit)
{
	for (const struct edit_node *node = edit->top->children; node; node = node->next) {
		struct edit_node *rest = has_operation(node) ? copy_node(c, node) : rest_of(c, node);
		if (rest)
			add_edit(c, rest);
		if (!has_operation(node) && has_operation_below(node))
			add_below(c, node);
	}
}

/* ---- errors ---- */

static bool may_be_left_out(const struct diag *diag)
{
	return diag->tag == DIAG_DATA_EXISTS || diag->tag == DIAG_DATA_MISSING ||
	       (diag->app_tag && strcmp(diag->app_tag, "missing-instance") == 0);
}

static bool is_of_when(const struct diag *diag)
{
	return diag->tag == DIAG_UNKNOWN_ELEMENT;
}

static bool all_are(const struct diag_list *list, bool (*kind)(const struct diag *diag))
{
	for (const struct diag *diag = list->first; diag; diag = diag->next) {
		if (!kind(diag))
			return false;
	}
	return list->first != NULL;
}

static void report(struct diag_list *to, const struct diag_list *from)
{
	for (const struct diag *diag = from->first; diag; diag = diag->next) {
		struct diag *copy = diag->message ? diag_add(to, diag->type, diag->tag, "%s", diag->message)
						  : diag_add(to, diag->type, diag->tag, NULL);
		if (diag->app_tag)
			diag_set_app_tag(to, copy, diag->app_tag);
		if (diag->path)
			diag_set_path(to, copy, diag->path);
		for (const struct diag_prefix *prefix = diag->prefixes; prefix; prefix = prefix->next)
			diag_add_prefix(to, copy, prefix->prefix, prefix->ns);
		for (const struct diag_info *info = diag->infos; info; info = info->next) {
			diag_add_info(to, copy, info->name, info->value);
			copy->last_info->ns = info->ns; /* static, or the schema's */
			copy->last_info->is_path = info->is_path;
		}
	}
	to->dropped += from->dropped;
}

/* ---- applying ---- */

static void drop(struct continuing *c, struct tree_record *root)
{
	tree_record_unref(root, c->schema->root, c->options->reclaimer);
}

/* Applies one edit to c->root. Fails: as what stops it. */
static enum status apply(struct continuing *c, const struct edit_node *node, struct diag_list *diags,
			 struct tree_record **made)
{
	struct edit_node *child = (struct edit_node *)node;
	struct edit_node top = {.schema = c->schema->root, .children = child, .last_child = child};
	struct edit_tree tree = {.top = &top, .has_operation = true};
	return edit_apply(c->schema, c->root, &tree, c->options, diags, made);
}

static enum status check_named(struct continuing *c, const struct one_edit *edit,
			       const struct tree_record *applied, const struct tree_record *settled,
			       struct diag_list *diags)
{
	struct edit_node top = {.schema = c->schema->root, .children = edit->node, .last_child = edit->node};
	return c->settler->check_named(c->settler, &top, applied, settled, diags);
}

/* Takes the root `*root`, made of `base`, and gives the settled one. False where more than a `when` is wrong.
 */
static bool settle(struct continuing *c, const struct tree_record *base, struct tree_record **root,
		   struct diag_list *diags)
{
	return c->settler->settle(c->settler, base, root, diags) == ST_OK || all_are(diags, is_of_when);
}

static void set_root(struct continuing *c, struct tree_record *root)
{
	drop(c, c->root);
	c->root = root;
}

/* False where an error refuses everything. */
static bool try_edit(struct continuing *c, struct one_edit *edit)
{
	struct arena *arena = arena_new();
	struct diag_list diags;
	diag_list_init(&diags, arena, ERRORS_OF_AN_EDIT);
	struct tree_record *made = NULL;
	bool good = apply(c, edit->node, &diags, &made) == ST_OK;
	edit->left_out = !good;
	if (good)
		set_root(c, made);
	else
		report(c->diags, &diags);
	bool goes_on = good || all_are(&diags, may_be_left_out);
	arena_free(arena);
	return goes_on;
}

/* Those that name what settle has taken away, or what may not be there anyway. */
static bool leave_out(struct continuing *c, const struct tree_record *settled)
{
	bool any = false;
	struct diag_list *errors = NULL; /* empty */
	for (size_t i = 0; i < c->edits.length; i++) {
		struct one_edit *edit = vector_at(&c->edits, i);
		if (!errors) {
			errors = arena_alloc(c->arena, sizeof(*errors));
			diag_list_init(errors, c->arena, ERRORS_OF_AN_EDIT);
		}
		if (edit->left_out || check_named(c, edit, c->root, settled, errors) == ST_OK)
			continue;
		edit->left_out = any = true;
		edit->errors = errors;
		errors = NULL;
	}
	return any;
}

/* One round; `*is_last`: nothing was left out for a `when`, and c->root is settled. False, with errors:
 * something else is wrong. */
static bool run_round(struct continuing *c, const struct tree_record *base, bool *is_last)
{
	for (size_t i = 0; i < c->edits.length; i++) {
		struct one_edit *edit = vector_at(&c->edits, i);
		if (!edit->left_out && !try_edit(c, edit))
			return false;
	}
	struct arena *arena = arena_new();
	struct diag_list diags;
	diag_list_init(&diags, arena, ERRORS_OF_AN_EDIT);
	struct tree_record *settled = tree_record_ref(c->root);
	bool good = settle(c, base, &settled, &diags);
	if (!good)
		report(c->diags, &diags);
	*is_last = !good || !leave_out(c, settled);
	drop(c, *is_last ? c->root : settled);
	if (*is_last)
		c->root = settled;
	arena_free(arena);
	return good;
}

/* A second chance. False, with errors: something else is wrong. */
static bool try_late(struct continuing *c, struct one_edit *edit)
{
	struct arena *arena = arena_new();
	struct diag_list diags;
	diag_list_init(&diags, arena, ERRORS_OF_AN_EDIT);
	struct tree_record *made = NULL;
	bool good = apply(c, edit->node, &diags, &made) == ST_OK;
	bool goes_on = good || all_are(&diags, may_be_left_out);
	if (good) {
		struct tree_record *settled = tree_record_ref(made);
		goes_on = settle(c, c->root, &settled, &diags);
		good = goes_on && settled == made && check_named(c, edit, made, settled, &diags) == ST_OK;
		drop(c, settled);
	}
	if (good)
		set_root(c, made);
	else if (made)
		drop(c, made);
	if (!good)
		report(c->diags, goes_on ? edit->errors : &diags);
	arena_free(arena);
	return goes_on;
}

static bool run(struct continuing *c, const struct tree_record *base)
{
	bool is_last = false;
	while (!is_last) {
		set_root(c, tree_record_ref(base));
		if (!run_round(c, base, &is_last))
			return false;
	}
	for (size_t i = 0; i < c->edits.length; i++) {
		struct one_edit *edit = vector_at(&c->edits, i);
		if (edit->errors && !try_late(c, edit))
			return false;
	}
	return true;
}

enum status edit_apply_continue(const struct schema *schema, const struct tree_record *base,
				const struct edit_tree *edit, const struct edit_options *options,
				struct edit_settler *settler, struct diag_list *diags,
				struct tree_record **new_root)
{
	if (!edit_is_taken_apart(options))
		return edit_apply(schema, base, edit, options, diags, new_root);
	struct continuing c = {.schema = schema,
			       .options = options,
			       .settler = settler,
			       .diags = diags,
			       .arena = arena_new(),
			       .root = tree_record_ref(base)};
	vector_init(&c.edits, sizeof(struct one_edit));
	vector_init(&c.way, sizeof(const struct edit_node *));
	take_apart(&c, edit);
	bool good = run(&c, base);
	if (good)
		*new_root = c.root;
	else
		drop(&c, c.root);
	vector_fini(&c.way);
	vector_fini(&c.edits);
	arena_free(c.arena);
	return good ? ST_OK : ST_REJECTED;
}
