/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What differs in the annotations of two versions of a record: called only where the two have other tables,
 * so that nothing is spent on it elsewhere. An instance that has a change already (another value, another
 * place) gets the mark `annotated`, others get a change of their own.
 */
#include <stdlib.h>

#include "base/vector.h"
#include "tree/diff_internal.h"

static bool differ(const struct tree_record *old_record, const struct tree_record *new_record,
		   struct tree_annotated node)
{
	size_t old_count, new_count;
	const struct tree_annotation *in_old = tree_annotations_find(old_record, node, &old_count);
	const struct tree_annotation *in_new = tree_annotations_find(new_record, node, &new_count);
	return !tree__annotations_equal(in_old, old_count, in_new, new_count);
}

bool tree__diff_own_annotations(const struct tree_change *change)
{
	return differ(change->old_content.record, change->new_content.record, (struct tree_annotated){0});
}

static void mark_or_add(struct tree__diff *diff, struct tree_change *parent, const struct schema_node *child,
			struct tree_change *known)
{
	const struct tree_record *old_record = parent->old_content.record,
				 *new_record = parent->new_content.record;
	if (!differ(old_record, new_record, (struct tree_annotated){.child = child}))
		return;
	if (known == NULL)
		known = tree__diff_add(diff, parent, child, tree_record_find(old_record, child),
				       tree_record_find(new_record, child));
	known->annotated = true;
}

/* ---- leaf-lists ---- */

struct values {
	struct tree__diff *diff;
	struct tree_change *parent;
	const struct schema_node *leaf_list;
	struct vector moved; /* struct value: those whose change was marked; sorted */
};

static int compare_values(const void *left, const void *right)
{
	return bytes_compare(value_bytes(left), value_bytes(right));
}

/* Values that moved have a change. */
static void mark_moved(struct values *values, struct tree_change *first)
{
	const struct tree_change *parent = values->parent;
	for (struct tree_change *change = first; change != NULL; change = change->next) {
		struct tree_annotated node = {values->leaf_list, change->new_content.value};
		if (!change->has_old || !change->has_new ||
		    !differ(parent->old_content.record, parent->new_content.record, node))
			continue;
		change->annotated = true;
		*(struct value *)vector_push(&values->moved) = node.item;
	}
	if (values->moved.length > 1)
		qsort(values->moved.data, values->moved.length, sizeof(struct value), compare_values);
}

static bool is_marked(const struct values *values, struct value value)
{
	return values->moved.length > 0 && bsearch(&value, values->moved.data, values->moved.length,
						   sizeof(value), compare_values) != NULL;
}

/* A change where the value is in both trees and has none yet. */
static void add_value(struct values *values, struct value value)
{
	const struct schema_node *node = values->leaf_list;
	const struct tree_record *old_record = values->parent->old_content.record,
				 *new_record = values->parent->new_content.record;
	const union tree_item *old_item =
				      tree_map_find(tree_record_find(old_record, node)->map, node, &value),
			      *new_item =
				      tree_map_find(tree_record_find(new_record, node)->map, node, &value);
	if (old_item == NULL || new_item == NULL || is_marked(values, value) ||
	    !differ(old_record, new_record, (struct tree_annotated){node, value}))
		return;
	union tree_slot old_content = {.word = old_item->word}, new_content = {.word = new_item->word};
	tree__diff_add(values->diff, values->parent, node, &old_content, &new_content)->annotated = true;
}

/* The values that have annotations in one version; `other`: of them those that have none there; NULL: all. */
static void add_values(struct values *values, const struct tree_record *record,
		       const struct tree_record *other)
{
	size_t count, there;
	const struct tree_annotation *all = tree__annotations_of_child(record, values->leaf_list, &count);
	for (size_t i = 0; i < count; i++) {
		struct tree_annotated node = {values->leaf_list, all[i].item};
		if (i > 0 && value_equal(all[i - 1].item, node.item))
			continue;
		if (other == NULL || tree_annotations_find(other, node, &there) == NULL)
			add_value(values, node.item);
	}
	values->diff->changes->visited += count;
}

void tree__diff_annotations(struct tree__diff *diff, struct tree_change *parent,
			    const struct schema_node *child, struct tree_change *before)
{
	struct tree_change *first = before != NULL ? before->next : parent->children;
	if (tree__has_any(child) || child->kind == SCHEMA_LEAF) {
		mark_or_add(diff, parent, child, first);
		return;
	}
	if (child->kind != SCHEMA_LEAF_LIST)
		return;
	struct values values = {.diff = diff, .parent = parent, .leaf_list = child};
	vector_init(&values.moved, sizeof(struct value));
	mark_moved(&values, first);
	add_values(&values, parent->old_content.record, NULL);
	add_values(&values, parent->new_content.record, parent->old_content.record);
	vector_fini(&values.moved);
}
