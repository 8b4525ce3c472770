/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Metadata annotations (RFC 7952) in an edit. The RFC leaves to protocols how they are changed; here they go
 * with the operation of the element that has them:
 *
 *     merge             those given are set, others stay
 *     replace, create   afterwards there are those given and no others
 *     none              nothing
 *     delete, remove    they go with the instance
 *
 * So a replace of an instance by itself, with its annotations, changes nothing.
 */
#include "edit/run.h"

static const char reason_too_many[] = "cannot have the annotation: there are too many beside it.";

static bool is_given(const struct edit_group *group, const struct schema_annotation *schema)
{
	for (; group; group = group->next) {
		for (const struct edit_annotation *given = group->node->annotations; given;
		     given = given->next) {
			if (given->schema == schema)
				return true;
		}
	}
	return false;
}

static const struct tree_annotation *stored(const struct edit_run *run, struct tree_annotated node,
					    size_t *count)
{
	const struct tree_record *record = tree_builder_position(run->builder)->record;
	*count = 0;
	return record ? tree_annotations_find(record, node, count) : NULL;
}

/* One of those stored that the request does not give; NULL: none. */
static const struct schema_annotation *find_other(const struct edit_run *run, const struct edit_group *group,
						  struct tree_annotated node)
{
	size_t count;
	const struct tree_annotation *all = stored(run, node, &count);
	for (size_t i = 0; i < count; i++) {
		if (!is_given(group, all[i].schema))
			return all[i].schema;
	}
	return NULL;
}

static bool is_stored(const struct edit_run *run, struct tree_annotated node,
		      const struct schema_annotation *schema)
{
	size_t count;
	const struct tree_annotation *all = stored(run, node, &count);
	for (size_t i = 0; i < count; i++) {
		if (all[i].schema == schema)
			return true;
	}
	return false;
}

/* Whether one more would be too many; another value for one that is there is not. */
static bool is_too_many(const struct edit_run *run, struct tree_annotated node,
			const struct schema_annotation *schema)
{
	size_t count = 0;
	const struct tree_record *record = tree_builder_position(run->builder)->record;
	if (record)
		tree_annotations_all(record, &count);
	return count >= TREE_ANNOTATIONS_MAX && !is_stored(run, node, schema);
}

static void set(struct edit_run *run, struct tree_annotated node, const struct edit_annotation *given)
{
	bool refused = is_too_many(run, node, given->schema);
	if (refused && node.child)
		edit__refuse_child(run, node.child, DIAG_RESOURCE_DENIED, reason_too_many);
	else if (refused)
		edit__refuse_here(run, DIAG_RESOURCE_DENIED, reason_too_many);
	else
		tree_builder_annotate(run->builder, node, given->schema, given->value);
}

void edit__annotate(struct edit_run *run, const struct edit_group *group, enum edit_operation operation,
		    struct tree_annotated node)
{
	bool exactly = operation == EDIT_REPLACE || operation == EDIT_CREATE;
	if (!exactly && operation != EDIT_MERGE)
		return;
	const struct tree_record *record = tree_builder_position(run->builder)->record;
	bool is_plain = !group->next && !group->node->annotations;
	if (is_plain && (!record || !tree_record_annotated(record)))
		return;
	const struct schema_annotation *other;
	while (exactly && (other = find_other(run, group, node)))
		tree_builder_remove_annotation(run->builder, node, other);
	for (; group; group = group->next) {
		for (const struct edit_annotation *given = group->node->annotations;
		     given && !edit__full(run); given = given->next)
			set(run, node, given);
	}
}
