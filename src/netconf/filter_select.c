/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Judges instances by a compiled subtree filter, for the encoder. The state at an instance is the set of
 * filter nodes that apply to it: usually one; several where alternatives overlap, then their union is
 * selected.
 *
 * Keys of an entry that is written are written with it, also where the filter does not name them.
 *
 * An instance in which nothing is selected is not written. To know that before its start tag is written, the
 * filter looks ahead, at most LOOK_AHEAD instances far; where that does not decide, the element is written,
 * possibly with nothing in it (RFC 6241 6.2.3 allows both).
 *
 * Sets of several nodes are kept once each, by their nodes, until the filter is freed; beyond FILTER_SETS_MAX
 * of them, which only a filter made for that can reach, the instance is selected whole.
 */
#include "base/assert.h"
#include "base/hash_table.h"
#include "netconf/filter_tree.h"
#include "schema/type.h"

#define LOOK_AHEAD 128 /* instances */
/* Nodes that can apply to one instance: the sole one of a level, and those that are counted as overlapping.
 */
#define FOUND_MAX (FILTER_OPEN_MAX + 1)

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

static bool has_value(const struct tree_record *record, const struct filter_node *match)
{
	const union tree_slot *slot = tree_record_find(record, match->schema);
	if (slot == NULL)
		return false;
	if (match->schema->kind == SCHEMA_LEAF)
		return value_equal(slot->value, match->value);
	return tree_map_find(slot->map, match->schema, &match->value) != NULL;
}

/* Each of the node's content matches is fulfilled, by one of the leafs that its name means. */
static bool matches(const struct filter_node *node, const struct tree_record *record)
{
	for (size_t i = 0; i < node->match_count; i++) {
		const struct filter_node *match = node->matches[i];
		while (match != NULL && !has_value(record, match))
			match = match->next;
		if (match == NULL)
			return false;
	}
	return true;
}

struct look_ahead {
	const struct schema *schema;
	unsigned budget; /* instances that may still be visited */
};

static bool selects_in(const struct filter_node *node, const struct tree_position *at,
		       struct look_ahead *ahead);

/* Does one of the chained alternatives select something in this instance? */
static bool any_selects(const struct filter_node *node, const struct tree_position *at,
			struct look_ahead *ahead)
{
	for (; node != NULL; node = node->next)
		if (matches(node, at->record) && selects_in(node, at, ahead))
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
	tree_cursor_init_child(&cursor, ahead->schema, at, group->schema, TREE_EXPLICIT);
	while (tree_cursor_next(&cursor, &entry))
		if (!spend(ahead) || any_selects(group->open, &entry, ahead))
			return true;
	return false;
}

static bool group_selects(const struct filter_group *group, const struct tree_position *at,
			  struct look_ahead *ahead)
{
	const union tree_slot *slot = tree_record_find(at->record, group->schema);
	if (slot == NULL)
		return false;
	/* A leaf below the top that is not selected whole is one of the matches, which were fulfilled. */
	if (group->whole || group->schema->kind == SCHEMA_LEAF || group->schema->kind == SCHEMA_LEAF_LIST)
		return true;
	if (group->schema->kind == SCHEMA_LIST)
		return list_selects(group, at, ahead);
	struct tree_position child = {.parent = at, .schema = group->schema, .record = slot->record};
	return !spend(ahead) || any_selects(group->open, &child, ahead);
}

/* Is something selected in an instance that fulfils the node's matches? True also where the budget does not
 * suffice to know. */
static bool selects_in(const struct filter_node *node, const struct tree_position *at,
		       struct look_ahead *ahead)
{
	if (node->match_count > 0)
		return true; /* at least what was matched */
	for (size_t i = 0; i < node->group_count; i++)
		if (group_selects(&node->groups[i], at, ahead))
			return true;
	return false;
}

struct found {
	const struct schema *schema;
	const struct filter_node *nodes[FOUND_MAX];
	size_t length;
	bool whole;
};

static void try_chain(struct found *found, const struct filter_node *node, const struct tree_position *child)
{
	for (; node != NULL && !found->whole; node = node->next) {
		if (node->kind == FILTER_MATCH) {
			found->whole = value_equal(node->value, child->value);
			continue;
		}
		struct look_ahead ahead = {found->schema, LOOK_AHEAD};
		if (!matches(node, child->record) || !selects_in(node, child, &ahead))
			continue;
		found->whole = node->whole;
		ASSERT(found->length < FOUND_MAX);
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
static const struct filter_set *keep_set(struct netconf_filter *filter, const struct found *found)
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

static enum codec_select judge(const struct codec_selector *selector, const void *state,
			       const struct tree_position *child, const void **child_state)
{
	/* The selector is the first member of a filter of which only the encoder's thread knows. */
	struct netconf_filter *filter = (struct netconf_filter *)(uintptr_t)selector;
	const struct filter_set *set = state;
	if (child->schema->is_key)
		return CODEC_WHOLE;
	struct found found; /* not initialised as a whole: it is large, and this runs for each instance */
	found.schema = filter->schema;
	found.length = 0;
	found.whole = false;
	for (size_t i = 0; i < set->length && !found.whole; i++) {
		const struct filter_group *group = find_group(set->nodes[i], child->schema);
		if (group != NULL)
			try_group(&found, group, child);
	}
	if (found.whole)
		return CODEC_WHOLE;
	if (found.length == 0)
		return CODEC_SKIP;
	const struct filter_set *kept = keep_set(filter, &found);
	if (kept == NULL)
		return CODEC_WHOLE;
	*child_state = kept;
	return CODEC_ENTER;
}

static bool wants(const struct codec_selector *selector, const void *state, const struct schema_node *child)
{
	(void)selector;
	const struct filter_set *set = state;
	if (child->is_key)
		return true;
	for (size_t i = 0; i < set->length; i++)
		if (find_group(set->nodes[i], child) != NULL)
			return true;
	return false;
}

static size_t entries(const struct codec_selector *selector, const void *state,
		      const struct schema_node *list, size_t index, const struct value **keys)
{
	(void)selector;
	const struct filter_set *set = state;
	const struct filter_group *group = set->length == 1 ? find_group(set->nodes[0], list) : NULL;
	if (group == NULL || group->whole || group->open != NULL)
		return 0;
	/* The order is that of the keys, which is the list's only where the system orders it. */
	if (list->user_ordered && group->exact_count > 1)
		return 0;
	if (index < group->exact_count)
		*keys = group->exact[index]->keys;
	return group->exact_count;
}

void netconf__filter_selector_init(struct netconf_filter *filter)
{
	filter->selector = (struct codec_selector){
		.root_state = filter->root == NULL ? NULL : &filter->root->alone,
		.judge = judge,
		.wants = wants,
		.entries = entries,
	};
}
