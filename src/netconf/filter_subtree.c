/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Compiles the elements of a subtree filter (RFC 6241 section 6) against the schema, so that only names that
 * exist are left and each instance is judged by comparing words.
 *
 * Selection node: an empty element; the node, whole.
 *
 * Content match node: a leaf with text. It is compared by value; all of a sibling set must match. Where there
 * is nothing else in the set, the parent is selected whole.
 *
 * Containment node: an element with elements; of the instances what these select.
 *
 * xmlns="": any namespace (6.2.1). An element that inherits the base namespace matches nothing.
 *
 * Elements below anydata and anyxml are held against the content that there is (filter_any.h).
 *
 * Attributes: an attribute match expression (6.2.2); only instances with annotations (RFC 7952) of these
 * values, nothing where one is no annotation.
 *
 * Siblings of the same name are alternatives: their union.
 *
 * What cannot be selected is dropped: unknown names, values that are none of the type, containment nodes in
 * which nothing is left. At the top each element stands for itself: a leaf with text selects that leaf.
 *
 * All elements of one schema node under one filter node are compiled together (a run): plain containment
 * nodes, without content match, become one, so that the usual ways to write a filter lead to one node for
 * each instance.
 */
#include <stdlib.h>

#include "base/assert.h"
#include "base/hash_table.h"
#include "base/memory.h"
#include "netconf/filter_tree.h"
#include "schema/type.h"

#define PAIRS_FIRST 4 /* elements */

/* An element and a schema node that it names. */
struct pair {
	const struct schema_node *schema;
	const struct element *element;
	size_t order;
	const struct filter_attribute *attributes; /* the element's */
};

/* In the filter's arena. */
struct pairs {
	struct pair *items;
	size_t length, room; /* elements */
};

struct element_prefixes {
	struct schema_prefixes prefixes;
	const struct schema *schema;
	const struct element *element;
};

static struct filter_node *compile(struct subtree_filter *filter, const struct schema_node *schema,
				   const struct pair *pairs, size_t count);

static bool is_leaf(const struct schema_node *schema)
{
	return schema->kind == SCHEMA_LEAF || schema->kind == SCHEMA_LEAF_LIST;
}

static bool is_any(const struct schema_node *schema)
{
	return schema->kind == SCHEMA_ANYDATA || schema->kind == SCHEMA_ANYXML;
}

static bool has_text(const struct element *element)
{
	return element->children == NULL && element_text_trimmed(element).size > 0;
}

static const struct schema_module *resolve(const struct schema_prefixes *self, struct bytes prefix)
{
	const struct element_prefixes *at = (const struct element_prefixes *)self;
	struct bytes uri = element_resolve(at->element, prefix);
	return uri.size == 0 ? NULL : schema_module_find_ns(at->schema, uri);
}

/* A value of the type, which the filter owns; false where the text is none. Where that was not found out,
 * since matching patterns has taken all the steps of a request, the filter is too large. */
static bool parse(struct subtree_filter *filter, const struct schema_type *type,
		  const struct element *element, struct bytes text, struct value *value)
{
	struct element_prefixes at = {
		{.resolve = resolve, .budget = &filter->budget}, filter->schema, element};
	struct schema_type_error error;
	bool is_value = schema_type_parse(filter->schema, type, text, &at.prefixes, filter->arena, value,
					  &error) == ST_OK;
	filter->too_many |= filter->budget.refusals > 0;
	if (is_value)
		*(struct value *)vector_push(&filter->values) = *value;
	return is_value;
}

/* The values of the leaf that the element's text stands for, at most two. Blanks around the text do not count
 * (6.2.5); but where a value has such blanks itself, it is found by what it is. */
static size_t parse_values(struct subtree_filter *filter, const struct schema_node *leaf,
			   const struct element *element, struct value values[2])
{
	struct bytes trimmed = element_text_trimmed(element);
	size_t count = parse(filter, leaf->type, element, trimmed, &values[0]);
	if (trimmed.size < element->text.size &&
	    parse(filter, leaf->type, element, element->text, &values[count]) &&
	    (count == 0 || !value_equal(values[0], values[1])))
		count++;
	return count;
}

/* The element's attributes; false where one is no annotation, or the value none of its type, so that no
 * instance can have it. */
static bool compile_attributes(struct subtree_filter *filter, const struct element *element,
			       const struct filter_attribute **attributes)
{
	*attributes = NULL;
	for (size_t i = 0; i < element->attribute_count; i++) {
		const struct xml_attribute *from = &element->attributes[i];
		const struct schema_module *module =
			from->ns.size == 0 ? NULL : schema_module_find_ns(filter->schema, from->ns);
		const struct schema_annotation *annotation =
			module == NULL ? NULL : schema_annotation_find(filter->schema, module, from->name);
		struct value value;
		if (annotation == NULL || !parse(filter, annotation->type, element, from->value, &value))
			return false;
		struct filter_attribute *made = arena_alloc(filter->arena, sizeof(*made));
		*made = (struct filter_attribute){*attributes, annotation, value};
		*attributes = made;
	}
	return true;
}

/* Elements mostly share their parent's namespace, and then the text of it. */
static const struct schema_module *find_module(struct subtree_filter *filter, struct bytes ns)
{
	if (ns.data != filter->module_ns.data || ns.size != filter->module_ns.size) {
		filter->module = schema_module_find_ns(filter->schema, ns);
		filter->module_ns = ns;
	}
	return filter->module;
}

/* The schema node that an element names, after `after`; several only for xmlns="". */
static const struct schema_node *find(struct subtree_filter *filter, const struct schema_node *parent,
				      const struct element *element, const struct schema_node *after)
{
	if (element->ns.size == 0)
		return schema_child_find_any(parent, element->name, after);
	if (after != NULL)
		return NULL;
	const struct schema_module *module = find_module(filter, element->ns);
	return module == NULL ? NULL : schema_child_find(filter->schema, parent, module, element->name);
}

static struct filter_node *new_node(struct subtree_filter *filter, const struct schema_node *schema,
				    enum filter_kind kind)
{
	struct filter_node *node = arena_zalloc(filter->arena, sizeof(*node));
	node->schema = schema;
	node->kind = kind;
	node->self = node;
	node->alone = (struct filter_set){1, &node->self};
	return node;
}

static void add_pair(struct subtree_filter *filter, struct pairs *pairs, struct pair pair)
{
	if (pairs->length == pairs->room) {
		pairs->room = pairs->room == 0 ? PAIRS_FIRST : pairs->room * 2;
		struct pair *items = arena_alloc(filter->arena, pairs->room * sizeof(*items));
		if (pairs->length > 0)
			memcpy(items, pairs->items, pairs->length * sizeof(*items));
		pairs->items = items;
	}
	pair.order = ++pairs->length;
	pairs->items[pair.order - 1] = pair;
}

static void add_pairs(struct subtree_filter *filter, struct pairs *pairs, const struct schema_node *parent,
		      const struct element *element)
{
	for (const struct element *child = element->children; child != NULL; child = child->next) {
		const struct filter_attribute *attributes;
		if (!compile_attributes(filter, child, &attributes))
			continue;
		const struct schema_node *schema = NULL;
		while (!filter->too_many && (schema = find(filter, parent, child, schema)) != NULL) {
			filter->too_many = ++filter->pair_count > filter->pairs_max;
			add_pair(filter, pairs, (struct pair){schema, child, 0, attributes});
		}
	}
}

static int compare_pairs(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;
	if (x->schema->slot != y->schema->slot)
		return x->schema->slot < y->schema->slot ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

static void count_open(struct subtree_filter *filter)
{
	filter->too_many |= ++filter->open_count > filter->open_max;
}

/* A content match: the leafs that the element names and that can have its value, by `next`; NULL: none. */
static struct filter_node *compile_match(struct subtree_filter *filter, const struct schema_node *parent,
					 const struct element *element)
{
	struct filter_node *first = NULL;
	const struct schema_node *leaf = NULL;
	const struct filter_attribute *attributes;
	if (!compile_attributes(filter, element, &attributes))
		return NULL;
	while ((leaf = find(filter, parent, element, leaf)) != NULL) {
		struct value values[2];
		size_t count = is_leaf(leaf) ? parse_values(filter, leaf, element, values) : 0;
		for (size_t i = 0; i < count; i++) {
			struct filter_node *match = new_node(filter, leaf, FILTER_MATCH);
			match->value = values[i];
			match->attributes = attributes;
			match->next = first;
			first = match;
		}
	}
	return first;
}

/* A match of one leaf, by one value or two. */
static bool is_of_one_leaf(const struct filter_node *match)
{
	for (const struct filter_node *other = match->next; other != NULL; other = other->next)
		if (other->schema != match->schema)
			return false;
	return match->schema->kind == SCHEMA_LEAF && match->attributes == NULL;
}

/* Adds a match, where it says something new. False where it contradicts an earlier one: a leaf has one value.
 */
static bool add_match(struct subtree_filter *filter, struct filter_node *node, struct filter_node *match)
{
	bool of_one_leaf = is_of_one_leaf(match), is_first = of_one_leaf;
	for (size_t i = 0; of_one_leaf && i < node->match_count; i++) {
		const struct filter_node *other = node->matches[i];
		if (other->schema != match->schema || !is_of_one_leaf(other))
			continue;
		if (other->next == NULL && match->next == NULL)
			return value_equal(other->value, match->value);
		is_first = false;
	}
	node->matches[node->match_count++] = match;
	/* Of leafs there are not more than the schema has; others are counted as they cost. */
	if (!is_first)
		count_open(filter);
	return true;
}

/* The content match nodes among the element's children. False where one of them can never match. */
static bool compile_matches(struct subtree_filter *filter, struct filter_node *node,
			    const struct element *element)
{
	size_t count = 0;
	for (const struct element *child = element->children; child != NULL; child = child->next)
		count += has_text(child);
	node->matches = count == 0 ? NULL : arena_alloc(filter->arena, count * sizeof(struct filter_node *));
	for (const struct element *child = element->children; child != NULL; child = child->next) {
		if (!has_text(child))
			continue;
		struct filter_node *match = compile_match(filter, node->schema, child);
		if (match == NULL || !add_match(filter, node, match))
			return false;
	}
	return true;
}

/* Where the matches of a list's node give all keys: these, in order. One of them may be one of two values:
 * `second` takes the other one, and is refused where there is none. */
static const struct value *exact_keys(struct subtree_filter *filter, const struct filter_node *node,
				      bool second)
{
	const struct schema_node *list = node->schema;
	if (list->kind != SCHEMA_LIST || list->key_count == 0 || node->match_count < list->key_count)
		return NULL;
	struct value *keys = arena_zalloc(filter->arena, list->key_count * sizeof(*keys));
	size_t given = 0, pairs = 0;
	for (size_t i = 0; i < node->match_count; i++) {
		const struct filter_node *match = node->matches[i];
		if (!match->schema->is_key || !is_of_one_leaf(match) ||
		    !value_is_none(keys[match->schema->slot]))
			continue;
		pairs += match->next != NULL;
		keys[match->schema->slot] = second && match->next != NULL ? match->next->value : match->value;
		given++;
	}
	return given == list->key_count && (second ? pairs == 1 : pairs <= 1) ? keys : NULL;
}

static void add_exact(struct filter_group *group, struct filter_node *node, const struct value *keys)
{
	node->keys = keys;
	group->exact[group->exact_count++] = node;
}

static void add_open(struct filter_group *group, struct filter_node *node)
{
	node->next = group->open;
	group->open = node;
}

/* Selection and content match of leafs. Of a content match below the top the parent's matches decide; here it
 * only says that the leaf is part of the output. */
static void compile_leafs(struct subtree_filter *filter, struct filter_group *group, const struct pair *pairs,
			  size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (pairs[i].element->children != NULL)
			continue;
		bool is_selection = !has_text(pairs[i].element);
		if (is_selection && pairs[i].attributes == NULL) {
			group->whole = true;
			return;
		}
		struct value values[2] = {0};
		size_t meant =
			is_selection ? 1 : parse_values(filter, group->schema, pairs[i].element, values);
		for (size_t k = 0; k < meant; k++) {
			struct filter_node *match = new_node(filter, group->schema, FILTER_MATCH);
			match->attributes = pairs[i].attributes;
			match->value = values[k];
			add_open(group, match);
			if (group->schema->kind == SCHEMA_LEAF_LIST || match->attributes != NULL)
				count_open(filter);
		}
	}
}

static bool is_plain(const struct pair *pair)
{
	const struct element *element = pair->element;
	if (pair->attributes != NULL)
		return false;
	for (const struct element *child = element->children; child != NULL; child = child->next)
		if (has_text(child))
			return false;
	return true;
}

int netconf__filter_compare_keys(const struct schema_node *list, const struct value *a, const struct value *b)
{
	for (size_t i = 0; i < list->key_count; i++) {
		int order = schema_type_compare(list->children[i]->type, a[i], b[i]);
		if (order != 0)
			return order;
	}
	return 0;
}

static int compare_exact(const void *a, const void *b)
{
	const struct filter_node *x = *(struct filter_node *const *)a, *y = *(struct filter_node *const *)b;
	return netconf__filter_compare_keys(x->schema, x->keys, y->keys);
}

/* Sorts the exact alternatives; those of the same keys are chained. */
static void settle_exact(struct subtree_filter *filter, struct filter_group *group)
{
	if (group->exact_count == 0)
		return;
	if (group->exact_count > 1)
		qsort(group->exact, group->exact_count, sizeof(struct filter_node *), compare_exact);
	size_t kept = 1;
	for (size_t i = 1; i < group->exact_count; i++) {
		struct filter_node *last = group->exact[kept - 1];
		if (compare_exact(&last, &group->exact[i]) != 0) {
			group->exact[kept++] = group->exact[i];
			continue;
		}
		group->exact[i]->next = last->next;
		last->next = group->exact[i];
		count_open(filter);
	}
	group->exact_count = kept;
}

/* Containment nodes with content match: each one is an alternative of its own. */
static void compile_matching(struct subtree_filter *filter, struct filter_group *group,
			     const struct pair *pair)
{
	struct filter_node *node = compile(filter, group->schema, pair, 1);
	if (node == NULL)
		return;
	const struct value *keys = exact_keys(filter, node, false), *second = exact_keys(filter, node, true);
	if (keys == NULL) {
		add_open(group, node);
		count_open(filter);
		return;
	}
	if (second != NULL) {
		struct filter_node *copy = new_node(filter, node->schema, node->kind);
		copy->matches = node->matches;
		copy->match_count = node->match_count;
		copy->groups = node->groups;
		copy->group_count = node->group_count;
		copy->attributes = node->attributes;
		copy->whole = node->whole;
		add_exact(group, copy, second);
	}
	add_exact(group, node, keys);
}

/* Within anydata; each element is an alternative of its own. */
static void compile_any(struct subtree_filter *filter, struct filter_group *group, const struct pair *pair)
{
	struct filter_node *node = new_node(filter, group->schema, FILTER_ANY);
	node->attributes = pair->attributes;
	node->any = netconf__filter_any_new(filter->arena, pair->element);
	add_open(group, node);
	count_open(filter);
}

static void compile_inner(struct subtree_filter *filter, struct filter_group *group, struct pair *pairs,
			  size_t count)
{
	size_t plain = 0;
	group->exact = arena_alloc(filter->arena, 2 * count * sizeof(struct filter_node *));
	for (size_t i = 0; i < count && !filter->too_many; i++) {
		if (pairs[i].element->children == NULL) {
			if (has_text(pairs[i].element))
				continue; /* a content match of what has no content */
			if (pairs[i].attributes != NULL) {
				compile_matching(filter, group, &pairs[i]);
				continue;
			}
			*group = (struct filter_group){.schema = group->schema, .whole = true};
			return;
		}
		if (is_any(group->schema))
			compile_any(filter, group, &pairs[i]);
		else if (is_plain(&pairs[i]))
			pairs[plain++] = pairs[i];
		else
			compile_matching(filter, group, &pairs[i]);
	}
	struct filter_node *node = plain == 0 ? NULL : compile(filter, group->schema, pairs, plain);
	/* A plain node alone is the usual case; beside others it is one more that may apply to the same
	 * instance. */
	if (node != NULL && (group->open != NULL || group->exact_count > 0))
		count_open(filter);
	if (node != NULL)
		add_open(group, node);
	settle_exact(filter, group);
}

static bool group_is_empty(const struct filter_group *group)
{
	return !group->whole && group->open == NULL && group->exact_count == 0;
}

/* The groups of a node, from all children of the pairs' elements. */
static void compile_groups(struct subtree_filter *filter, struct filter_node *node, struct pairs *pairs)
{
	if (pairs->length > 1)
		qsort(pairs->items, pairs->length, sizeof(struct pair), compare_pairs);
	node->groups = arena_alloc(filter->arena, (pairs->length + 1) * sizeof(struct filter_group));
	struct pair *all = pairs->items;
	for (size_t i = 0, run; i < pairs->length && !filter->too_many; i += run) {
		struct filter_group group = {.schema = all[i].schema};
		for (run = 1; i + run < pairs->length && all[i + run].schema == all[i].schema;)
			run++;
		if (is_leaf(group.schema))
			compile_leafs(filter, &group, all + i, run);
		else
			compile_inner(filter, &group, all + i, run);
		if (!group_is_empty(&group))
			node->groups[node->group_count++] = group;
	}
}

/* One filter node from the elements of the pairs: several only where they are plain. NULL: nothing can be
 * selected. */
static struct filter_node *compile(struct subtree_filter *filter, const struct schema_node *schema,
				   const struct pair *pairs, size_t count)
{
	struct filter_node *node = new_node(filter, schema, FILTER_CONTAIN);
	bool only_matches = true;
	node->attributes = pairs[0].attributes;
	for (const struct element *child = pairs[0].element->children; child != NULL; child = child->next)
		only_matches &= has_text(child);
	if (schema->kind != SCHEMA_ROOT && count == 1 && !compile_matches(filter, node, pairs[0].element))
		return NULL;
	bool is_selection = schema->kind != SCHEMA_ROOT && pairs[0].element->children == NULL;
	if (is_selection || (node->match_count > 0 && only_matches)) {
		node->whole = true;
		return node;
	}
	struct pairs children = {0};
	for (size_t i = 0; i < count; i++)
		add_pairs(filter, &children, schema, pairs[i].element);
	compile_groups(filter, node, &children);
	return node->group_count > 0 || node->match_count > 0 ? node : NULL;
}

static void free_filter(struct netconf_filter *self)
{
	struct subtree_filter *filter = (struct subtree_filter *)self;
	for (size_t i = 0; i < filter->values.length; i++)
		value_unref(*(struct value *)vector_at(&filter->values, i));
	vector_fini(&filter->values);
	if (filter->sets != NULL)
		hash_table_free(filter->sets);
	if (filter->part != NULL)
		tree_any_unref(filter->part);
}

static bool reads_top(const struct netconf_filter *self, const struct schema_node *node)
{
	return self->selector.wants(&self->selector, self->selector.root_state, node);
}

enum status netconf__filter_new(const struct schema *schema, const struct element *element,
				const struct netconf__filter_limits *limits, struct arena *arena,
				struct netconf_filter **compiled)
{
	struct subtree_filter *filter = arena_zalloc(arena, sizeof(*filter));
	filter->arena = arena;
	filter->schema = schema;
	filter->open_max = limits->alternatives;
	filter->pairs_max = limits->elements;
	filter->any_max = limits->any;
	filter->budget.steps = SCHEMA_TYPE_BUDGET_STEPS;
	vector_init(&filter->values, sizeof(struct value));
	struct pair top = {schema->root, element, 0, NULL};
	filter->root = compile(filter, schema->root, &top, 1);
	if (filter->too_many) {
		free_filter(&filter->base);
		return ST_LIMIT;
	}
	filter->base.free = free_filter;
	filter->base.reads_top = reads_top;
	filter->base.is_empty = filter->root == NULL;
	netconf__filter_search_init(filter);
	netconf__filter_selector_init(filter);
	*compiled = &filter->base;
	return ST_OK;
}

void netconf__filter_free(struct netconf_filter *filter)
{
	if (filter != NULL)
		filter->free(filter);
}

enum status netconf__filter_evaluate(struct netconf_filter *filter, const struct tree_record *root,
				     const struct codec_view *view,
				     const struct netconf__filter_limits *limits)
{
	if (view != NULL) {
		filter->seen = *view;
		filter->seen.content = CODEC_ALL;
		filter->seen.hidden_origins = 0;
		filter->view = &filter->seen;
	}
	return filter->evaluate == NULL ? ST_OK : filter->evaluate(filter, root, limits);
}

bool netconf__filter_is_empty(const struct netconf_filter *filter)
{
	return filter->is_empty;
}

bool netconf__filter_reads_top(const struct netconf_filter *filter, const struct schema_node *node)
{
	return !filter->is_empty && filter->reads_top(filter, node);
}

const struct codec_selector *netconf__filter_selector(const struct netconf_filter *filter)
{
	return &filter->selector;
}
