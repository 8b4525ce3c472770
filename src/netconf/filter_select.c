/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Judges instances by a compiled subtree filter, for the encoder. The state at an instance is the set of
 * filter nodes that apply to it: usually one; several where alternatives overlap, then their union is
 * selected.
 *
 * Keys of an entry that is written are written with it, also where the filter does not name them.
 *
 * An instance in which nothing is selected is not written. A container is left to the walk, which writes its
 * start tag with the first node in it (CODEC_TRY). To know of an entry before its start tag is written, the
 * filter looks ahead, at most LOOK_AHEAD instances far; where that does not decide, the element is written,
 * possibly with nothing in it (RFC 6241 6.2.3 allows both).
 *
 * Sets of several nodes are kept once each, by their nodes, until the filter is freed; beyond FILTER_SETS_MAX
 * of them, which only a filter made for that can reach, the instance is selected whole.
 */
#include "base/assert.h"
#include "base/hash_table.h"
#include "base/memory.h"
#include "netconf/filter_tree.h"
#include "schema/type.h"
#include "tree/annotation.h"

#define LOOK_AHEAD 128 /* instances */
/* Nodes that can apply to one instance: the sole one of a level, and those that are counted as overlapping.
 */

static const struct filter_group *find_group(const struct filter_node *node, const struct schema_node *schema)
{
	size_t low = 0, high = node->group_count;
	while (low < high) {
		size_t middle = (low + high) / 2;
		if (node->groups[middle].schema->slot < schema->slot)
			low = middle + 1;
		else
			high = middle;
	}
	return low < node->group_count && node->groups[low].schema == schema ? &node->groups[low] : NULL;
}

/* As netconf__filter_compare_keys, with the keys of a record, which are its first children. */
static int compare_entry(const struct filter_node *node, const struct tree_record *entry)
{
	for (size_t i = 0; i < node->schema->key_count; i++) {
		int order = schema_type_compare(node->schema->children[i]->type, node->keys[i],
						entry->slots[i].value);
		if (order != 0)
			return order;
	}
	return 0;
}

/* The alternatives for an entry with these keys, by `next`. */
static const struct filter_node *find_exact(const struct filter_group *group, const struct tree_record *entry)
{
	size_t low = 0, high = group->exact_count;
	while (low < high) {
		size_t middle = (low + high) / 2;
		int order = compare_entry(group->exact[middle], entry);
		if (order == 0)
			return group->exact[middle];
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

/* The leaf or container below an instance, as the view presents it. */
static bool find_child(const struct subtree_filter *filter, const struct tree_position *at,
		       const struct schema_node *child, struct tree_position *position)
{
	const struct codec_view *view = filter->base.view;
	return tree_position_find_child(at, child, codec_view_tree(view), position) &&
	       codec_view_shows(view, position);
}

/* One of the values of a leaf-list; `value` NULL: any. */
static bool has_item(const struct subtree_filter *filter, const struct tree_position *at,
		     const struct schema_node *leaf_list, const struct value *value)
{
	const struct codec_view *view = filter->base.view;
	const union tree_slot *slot = at->record == NULL ? NULL : tree_record_find(at->record, leaf_list);
	if (slot != NULL) {
		if (view != NULL && view->defaults == CODEC_TRIM &&
		    codec_view_is_default(leaf_list, slot->map))
			return false;
		return value == NULL || tree_map_find(slot->map, leaf_list, value) != NULL;
	}
	struct tree_cursor cursor;
	struct tree_position item;
	tree_cursor_init_child(&cursor, filter->schema, at, leaf_list, codec_view_tree(view));
	while (tree_cursor_next(&cursor, &item))
		if (codec_view_shows(view, &item) && (value == NULL || value_equal(item.value, *value)))
			return true;
	return false;
}

/* The instance's annotations are what the filter node asks for. */
static bool has_attributes(const struct filter_node *node, const struct tree_position *at)
{
	if (node->attributes == NULL)
		return true;
	size_t count;
	const struct tree_annotation *notes = tree_position_annotations(at, &count);
	for (const struct filter_attribute *wanted = node->attributes; wanted != NULL;
	     wanted = wanted->next) {
		size_t i = 0;
		while (i < count && notes[i].schema != wanted->schema)
			i++;
		if (i == count || !value_equal(notes[i].value, wanted->value))
			return false;
	}
	return true;
}

static bool has_value(const struct subtree_filter *filter, const struct tree_position *at,
		      const struct filter_node *match)
{
	if (match->schema->kind == SCHEMA_LEAF_LIST)
		return has_item(filter, at, match->schema, &match->value) &&
		       has_attributes(match, &(struct tree_position){.parent = at,
								     .schema = match->schema,
								     .value = match->value});
	struct tree_position leaf;
	return find_child(filter, at, match->schema, &leaf) && value_equal(leaf.value, match->value) &&
	       has_attributes(match, &leaf);
}

/* Each of the node's content matches is fulfilled, by one of the leafs that its name means; and the
 * attributes are. */
static bool matches(const struct subtree_filter *filter, const struct filter_node *node,
		    const struct tree_position *at)
{
	for (size_t i = 0; i < node->match_count; i++) {
		const struct filter_node *match = node->matches[i];
		while (match != NULL && !has_value(filter, at, match))
			match = match->next;
		if (match == NULL)
			return false;
	}
	return has_attributes(node, at);
}

struct look_ahead {
	const struct subtree_filter *filter;
	unsigned budget; /* instances that may still be visited */
};

static bool selects_in(const struct filter_node *node, const struct tree_position *at,
		       struct look_ahead *ahead);

/* Does one of the chained alternatives select something in this instance? */
static bool any_selects(const struct filter_node *node, const struct tree_position *at,
			struct look_ahead *ahead)
{
	for (; node != NULL; node = node->next)
		if (matches(ahead->filter, node, at) && selects_in(node, at, ahead))
			return true;
	return false;
}

static bool spend(struct look_ahead *ahead)
{
	if (ahead->budget == 0)
		return false;
	ahead->budget--;
	return true;
}

static bool list_selects(const struct filter_group *group, const struct tree_position *at,
			 struct look_ahead *ahead)
{
	struct tree_position entry;
	for (size_t i = 0; group->is_known && i < group->known_count; i++) {
		if (!spend(ahead))
			return true;
		if (tree_position_find_entry(at, group->schema, group->known[i], &entry) &&
		    (any_selects(find_exact(group, entry.record), &entry, ahead) ||
		     any_selects(group->open, &entry, ahead)))
			return true;
	}
	if (group->is_known)
		return false;
	for (size_t i = 0; i < group->exact_count; i++) {
		if (!spend(ahead))
			return true;
		if (tree_position_find_entry(at, group->schema, group->exact[i]->keys, &entry) &&
		    any_selects(group->exact[i], &entry, ahead))
			return true;
	}
	if (group->open == NULL)
		return false;
	struct tree_cursor cursor;
	tree_cursor_init_child(&cursor, ahead->filter->schema, at, group->schema, TREE_EXPLICIT);
	while (tree_cursor_next(&cursor, &entry))
		if (!spend(ahead) || any_selects(group->open, &entry, ahead))
			return true;
	return false;
}

static bool is_stored(const struct tree_position *at, const struct schema_node *child)
{
	return at->record != NULL && tree_record_find(at->record, child) != NULL;
}

static bool group_selects(const struct filter_group *group, const struct tree_position *at,
			  struct look_ahead *ahead)
{
	enum schema_kind kind = group->schema->kind;
	struct tree_position child;
	if (kind == SCHEMA_LEAF_LIST)
		return has_item(ahead->filter, at, group->schema, NULL);
	if (kind == SCHEMA_LIST && !group->whole)
		return list_selects(group, at, ahead);
	if (kind != SCHEMA_CONTAINER && kind != SCHEMA_LEAF)
		return is_stored(at, group->schema);
	if (!find_child(ahead->filter, at, group->schema, &child))
		return false;
	/* A leaf below the top that is not selected whole is one of the matches, which were fulfilled. */
	if (group->whole)
		return true;
	if (kind == SCHEMA_LEAF) {
		const struct filter_node *match = group->open;
		while (match != NULL && !has_attributes(match, &child))
			match = match->next;
		return match != NULL;
	}
	return !spend(ahead) || any_selects(group->open, &child, ahead);
}

/* Is something selected in an instance that fulfils the node's matches? True also where the budget does not
 * suffice to know. */
static bool selects_in(const struct filter_node *node, const struct tree_position *at,
		       struct look_ahead *ahead)
{
	if (node->match_count > 0 || node->whole)
		return true; /* at least what was matched */
	for (size_t i = 0; i < node->group_count; i++)
		if (group_selects(&node->groups[i], at, ahead))
			return true;
	return false;
}

/* Whether the walk itself sees to it that an instance in which nothing is selected is not written. */
static bool is_tried(const struct subtree_filter *filter, const struct schema_node *schema)
{
	return schema->kind == SCHEMA_CONTAINER && !filter->base.looks_ahead;
}

struct found {
	const struct subtree_filter *filter;
	const struct filter_node **nodes; /* filter->found */
	size_t length;
	bool whole;
};

static void try_chain(struct found *found, const struct filter_node *node, const struct tree_position *child)
{
	for (; node != NULL && !found->whole; node = node->next) {
		if (node->kind == FILTER_MATCH) {
			bool any = value_is_none(node->value);
			found->whole = (any || value_equal(node->value, child->value)) &&
				       has_attributes(node, child);
			continue;
		}
		struct look_ahead ahead = {found->filter, LOOK_AHEAD};
		if (node->kind == FILTER_ANY && has_attributes(node, child))
			found->nodes[found->length++] = node;
		if (!matches(found->filter, node, child) ||
		    (!is_tried(found->filter, child->schema) && !selects_in(node, child, &ahead)))
			continue;
		found->whole = node->whole;
		ASSERT(found->length <= found->filter->open_count);
		found->nodes[found->length++] = node;
	}
}

static void try_group(struct found *found, const struct filter_group *group,
		      const struct tree_position *child)
{
	found->whole |= group->whole;
	if (!found->whole && group->exact_count > 0)
		try_chain(found, find_exact(group, child->record), child);
	if (!found->whole)
		try_chain(found, group->open, child);
}

/* The kept set of these nodes; NULL where there are too many sets. */
static const struct filter_set *keep_set(struct subtree_filter *filter, const struct found *found)
{
	if (found->length == 1)
		return &found->nodes[0]->alone;
	struct bytes key = {(const char *)found->nodes, found->length * sizeof(found->nodes[0])};
	if (filter->sets == NULL)
		filter->sets = hash_table_new();
	struct filter_set *set = hash_table_find(filter->sets, key);
	if (set != NULL || hash_table_length(filter->sets) >= FILTER_SETS_MAX)
		return set;
	const struct filter_node **nodes = arena_alloc(filter->arena, key.size);
	memcpy(nodes, key.data, key.size);
	set = arena_alloc(filter->arena, sizeof(*set));
	*set = (struct filter_set){found->length, nodes};
	hash_table_put(filter->sets, key, set);
	return set;
}

/* The instance is to be written for what it matched. */
static bool fulfils(const struct found *found)
{
	for (size_t i = 0; i < found->length; i++)
		if (found->nodes[i]->match_count > 0)
			return true;
	return false;
}

/* The content that is selected stays for content(). */
static enum codec_select judge_any(struct subtree_filter *filter, const struct found *found,
				   const struct tree_position *child)
{
	const struct filter_any **filters = memory_alloc(found->length * sizeof(const struct filter_any *));
	for (size_t i = 0; i < found->length; i++)
		filters[i] = found->nodes[i]->any;
	if (filter->part != NULL)
		tree_any_unref(filter->part);
	filter->part = NULL;
	enum filter_any_part part = netconf__filter_any_select(filters, found->length, child->any,
							       filter->any_max, &filter->part);
	memory_free(filters);
	if (part == FILTER_ANY_NOTHING)
		return CODEC_SKIP;
	return part == FILTER_ANY_WHOLE ? CODEC_WHOLE : CODEC_ENTER;
}

static const struct tree_any *content(const struct codec_selector *selector)
{
	return ((const struct subtree_filter *)selector)->part;
}

static enum codec_select judge(const struct codec_selector *selector, const void *state,
			       const struct tree_position *child, const void **child_state)
{
	/* The selector is the first member of a filter of which only the encoder's thread knows. */
	struct subtree_filter *filter = (struct subtree_filter *)(uintptr_t)selector;
	const struct filter_set *set = state;
	if (child->schema->is_key)
		return CODEC_WHOLE;
	struct found found = {.filter = filter, .nodes = filter->found};
	for (size_t i = 0; i < set->length && !found.whole; i++) {
		const struct filter_group *group = find_group(set->nodes[i], child->schema);
		if (group != NULL)
			try_group(&found, group, child);
	}
	if (found.whole)
		return CODEC_WHOLE;
	if (found.length == 0)
		return CODEC_SKIP;
	if (child->schema->kind == SCHEMA_ANYDATA || child->schema->kind == SCHEMA_ANYXML)
		return judge_any(filter, &found, child);
	const struct filter_set *kept = keep_set(filter, &found);
	if (kept == NULL)
		return CODEC_WHOLE;
	*child_state = kept;
	return child->schema->kind == SCHEMA_CONTAINER && !fulfils(&found) ? CODEC_TRY : CODEC_ENTER;
}

static bool wants(const struct codec_selector *selector, const void *state, const struct schema_node *child)
{
	(void)selector;
	const struct filter_set *set = state;
	if (child->is_key)
		return true;
	for (size_t i = 0; i < set->length; i++) {
		const struct filter_group *group = find_group(set->nodes[i], child);
		if (group != NULL && (!group->is_known || group->known_count > 0))
			return true;
	}
	return false;
}

/* The entries that were found by a search. */
static size_t known_entries(const struct filter_group *group, size_t index, const struct value **keys)
{
	if (group->schema->user_ordered && group->known_count > 1)
		return 0;
	if (index < group->known_count)
		*keys = group->known[index];
	return group->known_count;
}

static size_t entries(const struct codec_selector *selector, const void *state,
		      const struct schema_node *list, size_t index, const struct value **keys)
{
	(void)selector;
	const struct filter_set *set = state;
	const struct filter_group *group = set->length == 1 ? find_group(set->nodes[0], list) : NULL;
	if (group != NULL && group->is_known)
		return known_entries(group, index, keys);
	if (group == NULL || group->whole || group->open != NULL)
		return 0;
	/* The order is that of the keys, which is the list's only where the system orders it. */
	if (list->user_ordered && group->exact_count > 1)
		return 0;
	if (index < group->exact_count)
		*keys = group->exact[index]->keys;
	return group->exact_count;
}

void netconf__filter_selector_init(struct subtree_filter *filter)
{
	filter->found = arena_alloc(filter->arena, (filter->open_count + 1) * sizeof(struct filter_node *));
	filter->base.selector = (struct codec_selector){
		.root_state = filter->root == NULL ? NULL : &filter->root->alone,
		.judge = judge,
		.wants = wants,
		.entries = entries,
		.content = content,
	};
}
