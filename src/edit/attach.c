/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Attaching what was prepared (prepare.h). run->prepared is the prepared record of the instance that the
 * builder stands in; NULL: there is none. Where the datastore has no such container, list or entry as a
 * merge, replace or create names, the prepared one becomes part of the new root as it is, all below it
 * included: it is what the ordinary way would come to, and the walk does not go down there.
 *
 *     datastore      request          prepared
 *     a              a                a          go on below
 *       l 1, 2         l 1, 3           l 1, 3     l 1: go on below; l 3: attached
 *                      m 1, 2           m 1, 2     the list m: attached
 *                    b                b          attached
 *
 * An entry that is there and equal to the prepared one stays: whether it is merged or replaced, it is that in
 * the end.
 *
 * A whole list is attached where all entries of it are to be made: which is so if the instance around it is
 * merged, replaced or created itself.
 */
#include "edit/run.h"

static bool makes(enum edit_operation operation)
{
	return operation == EDIT_MERGE || operation == EDIT_REPLACE || operation == EDIT_CREATE;
}

static const union tree_slot *find_prepared(const struct edit_run *run, const struct schema_node *child)
{
	return run->prepared ? tree_record_find(run->prepared, child) : NULL;
}

bool edit__attach_container(struct edit_run *run, const struct schema_node *container,
			    enum edit_operation operation)
{
	const union tree_slot *prepared = find_prepared(run, container);
	if (!prepared || !makes(operation) || edit__stored(run, container))
		return false;
	return tree_builder_graft(run->builder, container, prepared);
}

bool edit__attach_list(struct edit_run *run, const struct schema_node *list, enum edit_operation outer)
{
	const union tree_slot *prepared = find_prepared(run, list);
	if (!prepared || !makes(outer) || edit__stored(run, list))
		return false;
	return tree_builder_graft(run->builder, list, prepared);
}

const struct tree_record *edit__prepared_entry(const struct edit_run *run, const struct schema_node *list,
					       const struct value *keys)
{
	const union tree_slot *prepared = find_prepared(run, list);
	const union tree_item *item = prepared ? tree_map_find(prepared->map, list, keys) : NULL;
	return item ? item->record : NULL;
}

bool edit__attach_entry(struct edit_run *run, const struct schema_node *list, const struct tree_record *entry,
			enum edit_operation operation)
{
	return entry && makes(operation) && tree_builder_graft_entry(run->builder, list, entry);
}

const struct tree_record *edit__prepared_container(const struct edit_run *run,
						   const struct schema_node *container)
{
	const union tree_slot *prepared = find_prepared(run, container);
	return prepared ? prepared->record : NULL;
}

bool edit__entry_stays(const struct edit_run *run, const struct schema_node *list,
		       const struct tree_record *entry, enum edit_operation operation)
{
	bool may_stay = operation == EDIT_MERGE || operation == EDIT_REPLACE;
	const union tree_slot *stored = entry && may_stay ? edit__stored(run, list) : NULL;
	/* The keys are a record's first children. */
	const union tree_item *item =
		stored ? tree_map_find(stored->map, list, &entry->slots[0].value) : NULL;
	return item && tree_record_equal(list, item->record, entry);
}
