/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Parts of a list (part.h). A part is a builder over a record that is in no tree: its entries make a map as
 * any others do. Joining takes the map out of that record; where there is one already, its leaf nodes are
 * hung behind the last one of that, as they are:
 *
 *     the list     [ n0 n1 n2 ]          the part     [ m0 m1 ]
 *     joined       [ n0 n1 n2 m0 m1 ]                 its inner nodes are freed
 *
 * Ascending entries fill leaf nodes to the brim, so a part of a multiple of the fanout leaves no gap.
 */
#include "tree/part.h"

#include "tree/builder_internal.h"

_Static_assert(TREE_PART_MULTIPLE == TREE__FANOUT, "parts fill nodes");

struct tree_builder *tree_part_new(const struct tree_builder *builder, const struct schema_node *parent)
{
	struct tree_record *record = tree_record_new();
	struct tree_builder *part = tree_builder_new_at(builder->schema, parent, record, NULL);
	tree_record_unref(record, parent, NULL);
	part->stamp = builder->stamp;
	return part;
}

/* True where all of `part` comes behind all of `map`. */
static bool is_behind(const struct tree_map *map, const struct tree_map *part, const struct schema_node *list)
{
	struct tree__place place;
	struct tree__key first;
	tree__map_cell_key(part, 0, list, &first);
	bool behind = tree__map_search_end(map, list, &first, NULL, &place);
	tree__key_fini(&first);
	return behind;
}

bool tree_part_join(struct tree_builder *builder, const struct schema_node *list, struct tree_builder *part)
{
	const struct schema_node *parent = list->parent;
	struct tree_record *record = tree_builder_finish(part);
	const union tree_slot *slot = tree_record_find(record, list),
			      *there = tree__builder_find(builder, list);
	ASSERT(slot != NULL && record->length == 1 && slot->map->kind == TREE__SORTED);
	struct tree_map *map = slot->map;
	if (there != NULL && !is_behind(there->map, map, list)) {
		tree_record_unref(record, parent, NULL);
		return false;
	}
	tree_record_unref(tree__record_remove(record, list), parent, NULL);
	struct tree_record *own = tree__builder_own(builder);
	if (there == NULL) {
		tree__builder_insert(builder, list, (union tree_slot){.map = map});
	} else {
		union tree_slot *to = (union tree_slot *)tree_record_find(own, list);
		tree__map_append(&to->map, list, map, builder->reclaimer);
	}
	builder->appended = list;
	builder->last.word = 0;
	return true;
}
