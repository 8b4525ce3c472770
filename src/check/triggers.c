/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From what an expression reads (xpath/depend.h) to triggers: for each node that is read, how a check gets
 * from a changed instance to the readers, the instances of the constraint's context whose verdict may differ.
 *
 * The way goes up from the change to the instance of a common ancestor and then down, a step a schema node. A
 * list on the way down is entered by lookup where each of its keys is known to equal a value at hand: a key
 * of the changed entry that the expression compares with that key of the reader (must "/list[name =
 * current()]/type = 'x'" on a list's key `name` has the members found by the name of the changed entry), or,
 * for a leafref, the value that its target lost. Where a list cannot be entered so, a value index (index.h)
 * has the readers by the values that are known. Only where nothing is known all entries are tried.
 *
 * A leafref is monotonic: more targets never hurt. So its target triggers only where an instance loses a
 * value, and the nodes that its path passes do not trigger at all, since their going takes the target along.
 */
#include "check/index.h"

#include <string.h>

#include "base/assert.h"
#include "schema/type.h"

/* The values known at a change: each is compared with a leaf of the reader (NULL: with no leaf). */
struct known {
	const struct schema_node **leafs;
	const struct schema_type **types;
	size_t length;
};

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
	return check__path_parse(plan->schema, plan->arena, path, leaf).target == target;
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
	if (read->relation != XPATH_KEYED || !read->list || !check__is_above_or_at(read->list, read->node) ||
	    !check__is_above_or_at(readers->ancestor, read->list))
		return;
	const struct schema_node *leaf = read->selectors[0].leaf, *key = read->list->children[0];
	readers->list = read->list;
	readers->selectors = read->selectors;
	/* Settle has no valid old tree. */
	readers->known_before = readers->constraint->kind != CHECK__WHEN && leaf &&
				is_single_list(read->list) && refers_to(plan, leaf, key);
}

/* ---- Readers by a value index. ---- */

struct columns {
	const struct schema_node **leafs;
	struct check__source *sources; /* of each leaf */
	size_t length;
};

static struct columns new_columns(struct check_plan *plan, size_t capacity)
{
	return (struct columns){
		.leafs = arena_alloc(plan->arena, (capacity + 1) * sizeof(const void *)),
		.sources = arena_alloc(plan->arena, (capacity + 1) * sizeof(struct check__source))};
}

/* A leaf that hangs above the ancestor is the same for all readers below: no use to look for it. */
static void add_column(struct columns *columns, const struct check__readers *readers,
		       const struct schema_node *leaf, struct check__source source)
{
	const struct schema_node *turn = check__index_turn(leaf, readers->constraint->context);
	if (!turn || !check__is_above_or_at(readers->ancestor, turn))
		return;
	for (size_t i = 0; i < columns->length; i++) {
		if (columns->leafs[i] == leaf)
			return;
	}
	columns->leafs[columns->length] = leaf;
	columns->sources[columns->length++] = source;
}

/* Some leaf tells readers below the ancestor apart. */
static bool is_telling(const struct columns *columns, const struct check__readers *readers)
{
	for (size_t i = 0; i < columns->length; i++) {
		const struct schema_node *leaf = columns->leafs[i];
		const struct schema_node *turn = check__index_turn(leaf, readers->constraint->context);
		if (leaf->kind == SCHEMA_LEAF_LIST || turn != readers->ancestor)
			return true;
	}
	return false;
}

static bool set_index(struct check_plan *plan, struct check__readers *readers, const struct columns *columns)
{
	if (!is_telling(columns, readers))
		return false;
	const struct check__index *index =
		check__index_make(plan->host, readers->constraint->context, columns->leafs, columns->length);
	if (!index)
		return false;
	struct check__source *sources = arena_alloc(plan->arena, index->leaf_count * sizeof(*sources));
	for (size_t i = 0; i < columns->length; i++)
		sources[check__index_column(index, columns->leafs[i])] = columns->sources[i];
	readers->reach = CHECK__INDEX;
	readers->index = index;
	readers->sources = sources;
	return true;
}

/* Readers of a leafref's target: by their own value and what their predicates select. */
static bool index_by_value(struct check_plan *plan, struct check__readers *readers,
			   const struct check__path *path)
{
	struct columns columns = new_columns(plan, path->bound_count + 1);
	add_column(&columns, readers, readers->constraint->context, (struct check__source){.list = NULL});
	for (size_t i = 0; i < path->bound_count; i++) {
		const struct check__bound *bound = &path->bounds[i];
		add_column(&columns, readers, bound->leaf, (struct check__source){bound->list, bound->key});
	}
	if (!set_index(plan, readers, &columns))
		return false;
	readers->list = NULL;
	readers->uniform = path->complete && readers->constraint->member_count == 1 &&
			   columns.length == path->bound_count + 1 &&
			   check__is_above_or_at(path->ancestor, readers->ancestor);
	return true;
}

static bool is_selector(const struct xpath_read *read, const struct check__readers *readers)
{
	for (uint16_t i = 0; i < readers->list->key_count; i++) {
		if (readers->selectors[i].leaf == read->node)
			return true;
	}
	return false;
}

/* A must looks at nothing but an entry that its selecting leafs settle, and these: readers with the same
 * values there get the same answer. */
static bool is_settled_by_selectors(const struct check__readers *readers)
{
	const struct check__constraint *constraint = readers->constraint;
	if (constraint->kind != CHECK__MUST)
		return false;
	for (const struct schema_node *node = readers->list->parent; node != readers->ancestor;
	     node = node->parent) {
		if (check__is_multiple(node))
			return false;
	}
	for (const struct xpath_read *read = xpath_reads(constraint->expr); read; read = read->next) {
		bool is_same_entry = read->relation == XPATH_KEYED && read->list == readers->list &&
				     read->selectors == readers->selectors &&
				     read->ancestor == readers->ancestor &&
				     check__is_above_or_at(read->list, read->node);
		if (!is_same_entry && !is_selector(read, readers))
			return false;
	}
	return true;
}

static bool index_by_selectors(struct check_plan *plan, struct check__readers *readers)
{
	if (!readers->list)
		return false;
	struct columns columns = new_columns(plan, readers->list->key_count);
	for (uint16_t i = 0; i < readers->list->key_count; i++) {
		const struct schema_node *leaf = readers->selectors[i].leaf;
		if (leaf)
			add_column(&columns, readers, leaf, (struct check__source){readers->list, i});
	}
	if (!set_index(plan, readers, &columns))
		return false;
	readers->uniform = is_settled_by_selectors(readers);
	return true;
}

/* ---- The reach. ---- */

/* Decides how the readers are reached; ancestor, path and selection are set. */
static void set_reach(struct check_plan *plan, struct check__readers *readers, const struct xpath_read *read,
		      const struct check__path *path)
{
	if (!has_lists(readers)) {
		readers->reach = CHECK__LOCAL;
		readers->list = NULL; /* asking the one reader is cheaper than comparing */
	} else if (readers->by_value && bind_value(plan, readers, read->node)) {
		readers->reach = CHECK__LOOKUP;
		readers->list = NULL;
	} else if (bind_selectors(plan, readers)) {
		readers->reach = CHECK__LOOKUP;
	} else if (readers->by_value ? index_by_value(plan, readers, path)
				     : index_by_selectors(plan, readers)) {
		readers->reach = CHECK__INDEX;
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

static bool same_sources(const struct check__readers *a, const struct check__readers *b)
{
	if (a->index != b->index)
		return false;
	for (size_t i = 0; a->index && i < a->index->leaf_count; i++) {
		if (a->sources[i].list != b->sources[i].list || a->sources[i].key != b->sources[i].key)
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
	       a->by_value == b->by_value && a->known_before == b->known_before && a->uniform == b->uniform &&
	       same_sources(a, b) && same_binds(a, b) && same_constants(a, b);
}

static struct check__readers *find_same(const struct check__readers *readers)
{
	struct check__readers *known = readers->constraint->readers;
	while (known && !same_readers(known, readers))
		known = known->next;
	return known;
}

static struct check__readers *make_readers(struct check_plan *plan, struct check__constraint *constraint,
					   const struct xpath_read *read, const struct check__path *lost)
{
	struct check__readers *readers = arena_zalloc(plan->arena, sizeof(*readers));
	readers->constraint = constraint;
	readers->by_value = lost != NULL;
	const struct schema_node *ancestor = read->ancestor;
	bool usable = ancestor && read->relation != XPATH_SCAN &&
		      check__is_above_or_at(ancestor, read->node) &&
		      check__is_above_or_at(ancestor, constraint->context);
	readers->ancestor = usable ? ancestor : plan->schema->root;
	make_path(plan, readers);
	set_selection(plan, readers, read);
	set_reach(plan, readers, read, lost);
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

/* `lost`: the read is of the target of a leafref with that path; NULL: it is of something else. */
static void add_read(struct check_plan *plan, struct check__constraint *constraint,
		     const struct xpath_read *read, const struct check__path *lost)
{
	struct check__readers *readers = make_readers(plan, constraint, read, lost);
	add_trigger(plan, read->node, readers);
	if (read->subtree)
		add_trigger_below(plan, read->node, readers);
}

static void add_reference_read(struct check_plan *plan, struct check__constraint *constraint,
			       const struct check__path *path, const struct xpath_read *read)
{
	const struct schema_node *node = read->node, *target = path->target;
	if (node == target) {
		add_read(plan, constraint, read, path);
		return;
	}
	bool passed = node->kind != SCHEMA_LEAF && node->kind != SCHEMA_LEAF_LIST;
	/* Keys come and go with their entry, and so with the target. */
	bool key_of_passed = node->is_key && check__is_above_or_at(node->parent, target) &&
			     !check__is_above_or_at(node->parent, constraint->context);
	if (target && (passed || key_of_passed))
		return;
	add_read(plan, constraint, read, NULL);
}

/* Who names a node by its path is found by that path. */
static void add_instance(struct check_plan *plan, struct check__constraint *constraint)
{
	struct check__readers *readers = arena_zalloc(plan->arena, sizeof(*readers));
	readers->constraint = constraint;
	readers->reach = CHECK__INDEX;
	readers->by_value = true;
	readers->ancestor = plan->schema->root;
	make_path(plan, readers);
	readers->index = check__index_make(plan, constraint->context, &constraint->context, 1);
	readers->id = plan->readers_count++;
	readers->next = constraint->readers;
	constraint->readers = readers;
	check__list_push(plan->arena, &plan->instances, readers);
}

/* ---- What one evaluation reads. ---- */

static bool is_bound(const struct check__path *path, const struct schema_node *list, uint16_t key,
		     const struct schema_node **leaf)
{
	for (size_t i = 0; i < path->bound_count; i++) {
		if (path->bounds[i].list == list && path->bounds[i].key == key) {
			*leaf = path->bounds[i].leaf;
			return true;
		}
	}
	return false;
}

/* How many keys of the list are not bound. */
static uint16_t count_free(const struct check__path *path, const struct schema_node *list,
			   bool *target_is_free)
{
	uint16_t count = 0;
	const struct schema_node *leaf;
	*target_is_free = false;
	for (uint16_t i = 0; i < list->key_count; i++) {
		if (is_bound(path, list, i, &leaf))
			continue;
		count++;
		*target_is_free |= list->children[i] == path->target;
	}
	return count;
}

/* XPath enters all lists by look-ups: all keys are bound, but for one of the last list that is the target. */
static bool is_looked_up(const struct check__path *path, const struct schema_node *const *lists,
			 size_t length)
{
	bool target_is_free;
	for (size_t i = 0; i < length; i++) {
		uint16_t count = count_free(path, lists[i], &target_is_free);
		bool is_last = i + 1 == length;
		if (count > 1 || (count == 1 && !(is_last && target_is_free)))
			return false;
	}
	return path->target != NULL;
}

/* The leafs that the first keys are bound to, up to one that is not. */
static size_t bind_first_keys(const struct check__path *path, const struct schema_node *const *lists,
			      size_t length, const struct schema_node **leafs)
{
	size_t count = 0;
	for (size_t i = 0; i < length; i++) {
		for (uint16_t key = 0; key < lists[i]->key_count; key++) {
			if (!is_bound(path, lists[i], key, &leafs[count]))
				return count;
			count++;
		}
	}
	return count;
}

/* Whether looking for a target goes through a list, and if so, an index of the target's values, where what is
 * bound are the first keys on the way down. */
static void set_targets(struct check_plan *plan, struct check__constraint *constraint,
			struct check__member *member)
{
	const struct check__path *path = &member->parsed;
	const struct schema_node *lists[UINT8_MAX]; /* from the top down */
	size_t length = 0;
	for (const struct schema_node *node = path->target; node && node != path->ancestor;
	     node = node->parent)
		length += node->kind == SCHEMA_LIST;
	if (length > UINT8_MAX) {
		constraint->many = true;
		return;
	}
	size_t at = length;
	for (const struct schema_node *node = path->target; at > 0; node = node->parent) {
		if (node->kind == SCHEMA_LIST)
			lists[--at] = node;
	}
	bool is_key = path->target && path->target->is_key;
	if (is_key && length == 1 && lists[0]->key_count == 1 && path->complete && path->bound_count == 0 &&
	    !constraint->is_of_operation)
		member->keyed = lists[0];
	if (is_looked_up(path, lists, length))
		return;
	member->sources = arena_alloc(plan->arena, (path->bound_count + 1) * sizeof(*member->sources));
	member->bound_count = path->target ? bind_first_keys(path, lists, length, member->sources) : 0;
	if (path->target && path->complete && member->bound_count == path->bound_count)
		member->targets = check__index_make(plan, path->target, &path->target, 1);
	else
		constraint->many = true;
}

static void add_reference(struct check_plan *plan, struct check__constraint *constraint)
{
	bool is_instance = false;
	for (size_t i = 0; i < constraint->member_count; i++) {
		struct check__member *member = &constraint->members[i];
		is_instance |= member->is_instance;
		if (!member->expr)
			continue;
		member->parsed =
			check__path_parse(plan->schema, plan->arena, member->path, constraint->context);
		for (const struct xpath_read *read = xpath_reads(member->expr); read; read = read->next)
			add_reference_read(plan, constraint, &member->parsed, read);
		set_targets(plan, constraint, member);
	}
	if (is_instance)
		add_instance(plan, constraint);
}

static void add_unique(struct check_plan *plan, struct check__constraint *constraint)
{
	const struct schema_unique *unique = constraint->unique;
	constraint->index = check__index_make(plan, constraint->context, unique->leafs, unique->leaf_count);
	ASSERT(constraint->index != NULL);
	for (size_t i = 0; i < unique->leaf_count; i++)
		check__list_push(plan->arena, &plan->nodes[unique->leafs[i]->id].uniques, constraint);
}

static void add_when(struct check_plan *plan, struct check__constraint *constraint)
{
	if (!plan->only_whens && !check__when_matters(constraint))
		return;
	for (size_t i = 0; i < constraint->when_count; i++) {
		const struct check__when *when = &constraint->whens[i];
		for (const struct xpath_read *read = xpath_reads(when->expr); read; read = read->next) {
			constraint->many |= read->many;
			if (!check__when_reads_itself(when, read))
				add_read(plan, constraint, read, NULL);
		}
	}
}

void check__plan_triggers(struct check_plan *plan, struct check__constraint *constraint)
{
	switch (constraint->kind) {
	case CHECK__MUST:
		for (const struct xpath_read *read = xpath_reads(constraint->expr); read; read = read->next) {
			constraint->many |= read->many;
			add_read(plan, constraint, read, NULL);
		}
		break;
	case CHECK__REFERENCE:
		add_reference(plan, constraint);
		break;
	case CHECK__UNIQUE:
		add_unique(plan, constraint);
		break;
	case CHECK__WHEN:
		add_when(plan, constraint);
		break;
	case CHECK__MIN_ELEMENTS:
	case CHECK__MAX_ELEMENTS:
	case CHECK__MANDATORY:
	case CHECK__MANDATORY_CHOICE:
		break;
	}
}
