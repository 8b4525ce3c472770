/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From what an expression reads (xpath/depend.h) to triggers: for each node that is read, how a check gets
 * from a changed instance to the readers, the instances of the constraint's context whose verdict may differ.
 *
 * The way goes up from the change to the instance of a common ancestor and then down, a step a schema node. A
 * list on the way down is entered by lookup where each of its keys is known to equal a value at hand: a key
 * of the changed entry that the expression compares with that key of the reader (must "/list[name =
 * current()]/type = 'x'" on a list's key `name` has the members found by the name of the changed entry), or,
 * for a leafref, the value that its target lost. Where a list cannot be entered so, all its entries are
 * tried.
 *
 * A leafref is monotonic: more targets never hurt. So its target triggers only where an instance loses a
 * value, and the nodes that its path passes do not trigger at all, since their going takes the target along.
 */
#include "check/plan.h"

#include <string.h>

#include "schema/type.h"

/* The values known at a change: each is compared with a leaf of the reader (NULL: with no leaf). */
struct known {
	const struct schema_node **leafs;
	const struct schema_type **types;
	size_t length;
};

static bool is_above_or_at(const struct schema_node *above, const struct schema_node *node)
{
	while (node && node != above)
		node = node->parent;
	return node != NULL;
}

/* Equal texts of the two types have equal sort keys, so that one type's value may look up the other's list.
 */
static bool same_order(const struct schema_type *a, const struct schema_type *b)
{
	a = schema_type_real(a);
	b = schema_type_real(b);
	if (a == b)
		return true;
	enum schema_base base = schema_type_base(a);
	return base == schema_type_base(b) && base != BASE_UNION && base != BASE_DECIMAL64;
}

static bool bind_key(const struct known *known, const struct schema_node *leaf, uint16_t *index)
{
	for (size_t i = 0; i < known->length; i++) {
		if (known->leafs[i] == leaf && same_order(known->types[i], leaf->type)) {
			*index = (uint16_t)i;
			return true;
		}
	}
	return false;
}

static const uint16_t *bind_step(struct check_plan *plan, const struct known *known,
				 const struct schema_node *node)
{
	bool is_list = node->kind == SCHEMA_LIST;
	size_t count = is_list ? node->key_count : 1;
	uint16_t *bind = arena_alloc(plan->arena, (count ? count : 1) * sizeof(*bind));
	for (size_t i = 0; i < count; i++) {
		if (!bind_key(known, is_list ? node->children[i] : node, &bind[i]))
			return NULL;
	}
	return count ? bind : NULL;
}

/* The steps from below the ancestor to the context. */
static void make_path(struct check_plan *plan, struct check__readers *readers)
{
	const struct schema_node *context = readers->constraint->context;
	readers->path_length = (size_t)(context->depth - readers->ancestor->depth);
	struct check__step *path = arena_zalloc(plan->arena, (readers->path_length + 1) * sizeof(*path));
	const struct schema_node *node = context;
	for (size_t i = readers->path_length; i > 0; i--) {
		path[i - 1].node = node;
		node = node->parent;
	}
	readers->path = path;
}

static bool has_lists(const struct check__readers *readers)
{
	for (size_t i = 0; i < readers->path_length; i++) {
		if (check__is_multiple(readers->path[i].node))
			return true;
	}
	return false;
}

/* Binds all lists of the path; false (and binds none) where one cannot be. */
static bool bind_path(struct check_plan *plan, struct check__readers *readers, const struct known *known)
{
	struct check__step *path = arena_alloc(plan->arena, (readers->path_length + 1) * sizeof(*path));
	for (size_t i = 0; i < readers->path_length; i++) {
		path[i] = readers->path[i];
		if (!check__is_multiple(path[i].node))
			continue;
		path[i].bind = bind_step(plan, known, path[i].node);
		if (!path[i].bind)
			return false;
	}
	readers->path = path;
	return true;
}

static bool bind_value(struct check_plan *plan, struct check__readers *readers,
		       const struct schema_node *target)
{
	const struct schema_node *leaf = readers->constraint->context;
	const struct schema_type *type = target->type;
	struct known known = {.leafs = &leaf, .types = &type, .length = 1};
	return bind_path(plan, readers, &known);
}

static bool bind_selectors(struct check_plan *plan, struct check__readers *readers)
{
	if (!readers->list)
		return false;
	size_t count = readers->list->key_count;
	struct known known = {.leafs = arena_zalloc(plan->arena, (count + 1) * sizeof(*known.leafs)),
			      .types = arena_zalloc(plan->arena, (count + 1) * sizeof(*known.types)),
			      .length = count};
	for (size_t i = 0; i < count; i++) {
		known.leafs[i] = readers->selectors[i].leaf;
		known.types[i] = readers->list->children[i]->type;
	}
	return bind_path(plan, readers, &known);
}

/* The leaf is a leafref that must have a target, and this is the target. */
static bool refers_to(const struct check_plan *plan, const struct schema_node *leaf,
		      const struct schema_node *target)
{
	if (schema_type_base(leaf->type) != BASE_LEAFREF || !schema_type_require_instance(leaf->type) ||
	    leaf->default_count > 0)
		return false;
	const struct schema_xpath *path = schema_type_leafref_path(leaf->type);
	return check__path_target(plan->schema, path, leaf) == target;
}

/* One key value names one entry of the whole tree. */
static bool is_single_list(const struct schema_node *list)
{
	const struct schema_node *above = list->parent;
	while (above && above->kind != SCHEMA_LIST)
		above = above->parent;
	return !above && list->key_count == 1;
}

/* What is known of the entry that the expression selects; the ancestor is set. */
static void set_selection(struct check_plan *plan, struct check__readers *readers,
			  const struct xpath_read *read)
{
	if (read->relation != XPATH_KEYED || !read->list || !is_above_or_at(read->list, read->node) ||
	    !is_above_or_at(readers->ancestor, read->list))
		return;
	const struct schema_node *leaf = read->selectors[0].leaf, *key = read->list->children[0];
	readers->list = read->list;
	readers->selectors = read->selectors;
	readers->known_before = leaf && is_single_list(read->list) && refers_to(plan, leaf, key);
	for (uint16_t i = 0; i < read->list->key_count; i++) {
		if (read->selectors[i].leaf == readers->constraint->context)
			readers->value_key = i;
	}
}

/* Decides how the readers are reached; ancestor, path and selection are set. */
static void set_reach(struct check_plan *plan, struct check__readers *readers, const struct xpath_read *read)
{
	if (!has_lists(readers)) {
		readers->reach = CHECK__LOCAL;
		readers->list = NULL; /* asking the one reader is cheaper than comparing */
	} else if (readers->by_value && bind_value(plan, readers, read->node)) {
		readers->reach = CHECK__LOOKUP;
		readers->list = NULL;
	} else if (bind_selectors(plan, readers)) {
		readers->reach = CHECK__LOOKUP;
	} else if (!readers->by_value && (read->relation == XPATH_LOCAL || read->relation == XPATH_FAN_OUT)) {
		readers->reach = CHECK__FAN_OUT;
	} else {
		readers->reach = CHECK__SCAN;
	}
}

static bool same_binds(const struct check__readers *a, const struct check__readers *b)
{
	for (size_t i = 0; i < a->path_length; i++) {
		const struct schema_node *node = a->path[i].node;
		const uint16_t *x = a->path[i].bind, *y = b->path[i].bind;
		size_t count = node->kind == SCHEMA_LIST ? node->key_count : 1;
		if (x != y && (!x || !y || memcmp(x, y, count * sizeof(*x)) != 0))
			return false;
	}
	return true;
}

static bool same_constants(const struct check__readers *a, const struct check__readers *b)
{
	for (size_t i = 0; a->list && i < a->list->key_count; i++) {
		const struct xpath_selector *x = &a->selectors[i], *y = &b->selectors[i];
		if (!x->leaf != !y->leaf || (!x->leaf && !bytes_equal(x->constant, y->constant)))
			return false;
	}
	return true;
}

/* Ways that lead from one change to the same readers are one, so that a check goes it once. */
static bool same_readers(const struct check__readers *a, const struct check__readers *b)
{
	return a->reach == b->reach && a->ancestor == b->ancestor && a->list == b->list &&
	       a->by_value == b->by_value && a->value_key == b->value_key &&
	       a->known_before == b->known_before && same_binds(a, b) && same_constants(a, b);
}

static struct check__readers *find_same(const struct check__readers *readers)
{
	struct check__readers *known = readers->constraint->readers;
	while (known && !same_readers(known, readers))
		known = known->next;
	return known;
}

static struct check__readers *make_readers(struct check_plan *plan, struct check__constraint *constraint,
					   const struct xpath_read *read, bool by_value)
{
	struct check__readers *readers = arena_zalloc(plan->arena, sizeof(*readers));
	readers->constraint = constraint;
	readers->by_value = by_value;
	readers->value_key = CHECK__NO_KEY;
	const struct schema_node *ancestor = read->ancestor;
	bool usable = ancestor && read->relation != XPATH_SCAN && is_above_or_at(ancestor, read->node) &&
		      is_above_or_at(ancestor, constraint->context);
	readers->ancestor = usable ? ancestor : plan->schema->root;
	make_path(plan, readers);
	set_selection(plan, readers, read);
	set_reach(plan, readers, read);
	struct check__readers *known = find_same(readers);
	if (known)
		return known;
	readers->id = plan->readers_count++;
	readers->next = constraint->readers;
	constraint->readers = readers;
	return readers;
}

static void add_trigger(struct check_plan *plan, const struct schema_node *node,
			struct check__readers *readers)
{
	struct check__list *triggers = &plan->nodes[node->id].triggers;
	for (uint32_t i = 0; i < triggers->length; i++) {
		if (triggers->items[i] == readers)
			return;
	}
	check__list_push(plan->arena, triggers, readers);
	check__list_push(plan->arena, &readers->nodes, node);
}

static void add_trigger_below(struct check_plan *plan, const struct schema_node *node,
			      struct check__readers *readers)
{
	for (size_t i = 0; i < node->child_count; i++) {
		const struct schema_node *child = node->children[i];
		if (!child->config)
			continue;
		add_trigger(plan, child, readers);
		add_trigger_below(plan, child, readers);
	}
}

static void add_read(struct check_plan *plan, struct check__constraint *constraint,
		     const struct xpath_read *read, bool by_value)
{
	struct check__readers *readers = make_readers(plan, constraint, read, by_value);
	add_trigger(plan, read->node, readers);
	if (read->subtree)
		add_trigger_below(plan, read->node, readers);
}

static void add_reference_read(struct check_plan *plan, struct check__constraint *constraint,
			       const struct schema_node *target, const struct xpath_read *read)
{
	const struct schema_node *node = read->node;
	if (node == target) {
		add_read(plan, constraint, read, true);
		return;
	}
	bool passed = node->kind != SCHEMA_LEAF && node->kind != SCHEMA_LEAF_LIST;
	bool selecting_key = node->is_key && read->relation == XPATH_KEYED && read->list == node->parent;
	if (target && (passed || selecting_key))
		return;
	add_read(plan, constraint, read, false);
}

void check__plan_triggers(struct check_plan *plan, struct check__constraint *constraint)
{
	if (constraint->kind == CHECK__MUST) {
		for (const struct xpath_read *read = xpath_reads(constraint->expr); read; read = read->next)
			add_read(plan, constraint, read, false);
		return;
	}
	for (size_t i = 0; i < constraint->member_count; i++) {
		const struct check__member *member = &constraint->members[i];
		if (!member->expr)
			continue;
		const struct schema_node *target =
			check__path_target(plan->schema, member->path, constraint->context);
		for (const struct xpath_read *read = xpath_reads(member->expr); read; read = read->next)
			add_reference_read(plan, constraint, target, read);
	}
}
