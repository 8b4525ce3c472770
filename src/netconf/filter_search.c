/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Content matches of leafs that are no keys, as look-ups: where a filter asks for the entries of a list that
 * have a value, an index of filters (store/search.h) knows which these can be.
 *
 *     <user><mail>x</mail></user>      group user: open = {a node that matches mail = x}    known = {k1, k7}
 *
 * A group is searched where each of its open alternatives has such a match; all keys that are found, and
 * those that other alternatives name, are then the only ones that the walk visits. What is found is still
 * judged, so a hash that two values share does no harm, and an entry that a search missed there is none.
 *
 * On a worker this is done only where it is no more than a look-up for each match; to make an index, to move
 * it to another version, or to sort many entries is work for a job.
 */
#include <stdlib.h>

#include "base/memory.h"
#include "netconf/filter_tree.h"

#define LOOKED_UP_MAX 256 /* entries that a worker sorts */

/* One search: of one filter on one root. */
struct searching {
	struct subtree_filter *filter;
	struct xpath_search *search;
	enum store_wait wait;
	struct vector keys; /* const struct value *: of the group */
	enum status status;
};

/* The match of an alternative that can be searched for; NULL: there is none. */
static const struct filter_node *find_match(const struct filter_node *node)
{
	for (size_t i = 0; i < node->match_count; i++) {
		const struct filter_node *match = node->matches[i];
		while (match != NULL && match->schema == node->matches[i]->schema)
			match = match->next;
		if (match == NULL && xpath_is_searchable(node->matches[i]->schema))
			return node->matches[i];
	}
	return NULL;
}

static bool is_searchable(const struct filter_group *group)
{
	if (group->schema->kind != SCHEMA_LIST || group->whole || group->open == NULL)
		return false;
	for (const struct filter_node *node = group->open; node != NULL; node = node->next)
		if (find_match(node) == NULL)
			return false;
	return true;
}

/* Whether there is such a group in the containers of the node. Depth: that of the filter. */
static bool has_searchable(const struct filter_node *node)
{
	for (size_t i = 0; i < node->group_count; i++) {
		const struct filter_group *group = &node->groups[i];
		if (is_searchable(group))
			return true;
		for (const struct filter_node *inner = group->open;
		     group->schema->kind == SCHEMA_CONTAINER && inner != NULL; inner = inner->next)
			if (has_searchable(inner))
				return true;
	}
	return false;
}

/* The keys, which outlive the root. */
static const struct value *keep_keys(struct subtree_filter *filter, const struct schema_node *list,
				     const struct tree_record *entry)
{
	struct value *keys = arena_alloc(filter->arena, list->key_count * sizeof(*keys));
	for (size_t i = 0; i < list->key_count; i++) {
		keys[i] = value_ref(entry->slots[i].value);
		*(struct value *)vector_push(&filter->values) = keys[i];
	}
	return keys;
}

/* False where all entries have to be looked at. */
static bool search_value(struct searching *searching, const struct tree_record *parent,
			 const struct filter_node *match)
{
	struct xpath_search *search = searching->search;
	struct bytes text = value_bytes(&match->value);
	struct xpath_found found;
	bool answered =
		searching->wait == STORE_WAIT && search->find(search, parent, match->schema, text, &found);
	if (searching->wait == STORE_NO_WAIT) {
		enum xpath_looked_up result =
			search->look_up(search, parent, match->schema, text, LOOKED_UP_MAX, &found);
		if (result == XPATH_LOOKED_UP_WORK)
			searching->status = ST_BUSY;
		answered = result == XPATH_LOOKED_UP;
	}
	if (!answered)
		return false;
	for (size_t i = 0; i < found.length; i++)
		*(const struct value **)vector_push(&searching->keys) =
			keep_keys(searching->filter, match->schema->parent, found.records[i]);
	memory_free(found.records);
	return true;
}

static int compare_keys(const void *a, const void *b, void *list)
{
	return netconf__filter_compare_keys(list, *(const struct value *const *)a,
					    *(const struct value *const *)b);
}

/* In order, each once. */
static void settle(struct searching *searching, struct filter_group *group)
{
	struct vector *keys = &searching->keys;
	for (size_t i = 0; i < group->exact_count; i++)
		*(const struct value **)vector_push(keys) = group->exact[i]->keys;
	const struct value **known =
		arena_alloc(searching->filter->arena, (keys->length + 1) * sizeof(*known));
	if (keys->length > 0)
		qsort_r(keys->data, keys->length, sizeof(*known), compare_keys, (void *)group->schema);
	group->known_count = 0;
	for (size_t i = 0; i < keys->length; i++) {
		const struct value *const *key = vector_at(keys, i);
		size_t count = group->known_count;
		if (count == 0 || compare_keys(&known[count - 1], key, (void *)group->schema) != 0)
			known[group->known_count++] = *key;
	}
	group->known = known;
	group->is_known = true;
}

static void search_group(struct searching *searching, struct filter_group *group,
			 const struct tree_record *parent)
{
	vector_clear(&searching->keys);
	for (const struct filter_node *node = group->open; node != NULL; node = node->next)
		for (const struct filter_node *match = find_match(node); match != NULL; match = match->next)
			if (!search_value(searching, parent, match))
				return;
	settle(searching, group);
}

/* Depth: that of the filter. */
static void search_node(struct searching *searching, const struct filter_node *node,
			const struct tree_record *record)
{
	for (size_t i = 0; i < node->group_count && searching->status == ST_OK; i++) {
		struct filter_group *group = &node->groups[i];
		const union tree_slot *slot = tree_record_find(record, group->schema);
		group->is_known = false;
		if (slot == NULL)
			continue;
		if (is_searchable(group))
			search_group(searching, group, record);
		for (const struct filter_node *inner = group->open;
		     group->schema->kind == SCHEMA_CONTAINER && inner != NULL; inner = inner->next)
			search_node(searching, inner, slot->record);
	}
}

static enum status search(struct netconf_filter *self, const struct tree_record *root,
			  struct xpath_search *xpath_search, enum store_wait wait)
{
	struct searching searching = {
		.filter = (struct subtree_filter *)self, .search = xpath_search, .wait = wait};
	vector_init(&searching.keys, sizeof(const struct value *));
	search_node(&searching, searching.filter->root, root);
	vector_fini(&searching.keys);
	return searching.status;
}

void netconf__filter_search_init(struct subtree_filter *filter)
{
	if (filter->root != NULL && has_searchable(filter->root))
		filter->base.search = search;
}
