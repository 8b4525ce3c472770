/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Stamping of what a change set says is new. On the way of a request: after everything that may refuse,
 * before the version is appended. A record that is in the new root and not shared with the old one may be
 * shared with an older one (a rollback), and somebody may read it: writing a stamp is atomic, and what such a
 * reader reads then is true as well, since the content is the same.
 */
#include "tree/stamp.h"

#include "tree/internal.h"

static void walk_map(const struct schema_node *list, const struct tree_map *map,
		     void (*visit)(void *arg, const struct tree_record *record), void *arg)
{
	struct tree_map_iter iter;
	const union tree_item *item = tree_map_first(&iter, map, list);
	for (; item != NULL; item = tree_map_next(&iter)) {
		/* The records of a leaf node are anywhere: all on their way before the first one is looked
		 * at. */
		const struct tree_map *leaf = iter.path[iter.height - 1].map;
		for (size_t i = 0; iter.path[iter.height - 1].index == 0 && i < leaf->length; i++)
			__builtin_prefetch(leaf->cells[i].item.record);
		tree_stamp_walk(list, item->record, visit, arg);
	}
}

void tree_stamp_walk(const struct schema_node *schema, const struct tree_record *record,
		     void (*visit)(void *arg, const struct tree_record *record), void *arg)
{
	visit(arg, record);
	const uint16_t *indexes = tree_record_indexes(record);
	for (size_t i = 0; i < record->length; i++) {
		const struct schema_node *child = schema->children[indexes[i]];
		if (!child->config)
			continue;
		if (child->kind == SCHEMA_CONTAINER)
			tree_stamp_walk(child, record->slots[i].record, visit, arg);
		else if (child->kind == SCHEMA_LIST)
			walk_map(child, record->slots[i].map, visit, arg);
	}
}

static bool is_record(const struct schema_node *schema)
{
	return schema->kind == SCHEMA_CONTAINER || schema->kind == SCHEMA_LIST || schema->kind == SCHEMA_ROOT;
}

bool tree_change_is_data(const struct tree_change *change)
{
	if (!change->has_old || !change->has_new || change->moved)
		return true;
	if (!is_record(change->schema))
		return !change->annotated || change->old_content.word != change->new_content.word;
	for (const struct tree_change *child = change->children; child != NULL; child = child->next)
		if (tree_change_is_data(child))
			return true;
	return false;
}

static void set_stamp(void *arg, const struct tree_record *record)
{
	const uint32_t *stamp = arg;
	tree_record_stamp_set(record, *stamp);
}

static void carry(const struct tree_change *change)
{
	uint32_t stamp = tree_record_stamp_get(change->old_content.record);
	if (tree_record_stamp_get(change->new_content.record) < stamp)
		tree_record_stamp_set(change->new_content.record, stamp);
}

/* Gives whether data differ. */
static bool stamp_change(const struct tree_change *change, uint32_t stamp)
{
	if (!is_record(change->schema))
		return tree_change_is_data(change);
	if (!change->has_new)
		return true;
	if (!change->has_old) {
		tree_stamp_walk(change->schema, change->new_content.record, set_stamp, &stamp);
		return true;
	}
	bool is_data = false;
	for (const struct tree_change *child = change->children; child != NULL; child = child->next)
		is_data |= stamp_change(child, stamp);
	if (is_data)
		tree_record_stamp_set(change->new_content.record, stamp);
	else
		carry(change);
	return is_data || change->moved;
}

void tree_stamp_changes(const struct tree_change_set *changes, uint32_t stamp)
{
	if (changes->root != NULL)
		stamp_change(changes->root, stamp);
}
