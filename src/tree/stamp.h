/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * Stamps of records (record.h): which version changed data at or below a container or list entry last.
 * Whoever makes versions stamps what a change set says is another one, before the new root is published:
 *
 *     tree_diff(schema, old_root, new_root, arena, &changes);
 *     tree_stamp_changes(&changes, version);
 *
 * What the diff finds to be equal, but not shared, gets the old root's stamp there and then, if that is the
 * later one. So with the stamps of the old root right, those of the new one are. An entry that is only moved
 * keeps its stamp; that of its parent changes. Annotations change no stamp.
 */
#include "tree/diff.h"

/* Stands for versions that have no room in a stamp: as 0, it says nothing but "late". */
#define TREE_STAMP_LATE UINT32_MAX

static inline uint32_t tree_stamp_of(uint64_t version)
{
	return version < TREE_STAMP_LATE ? (uint32_t)version : TREE_STAMP_LATE;
}

static inline bool tree_stamp_says(uint32_t stamp)
{
	return stamp != 0 && stamp != TREE_STAMP_LATE;
}

/* Whether data differ, and not annotations alone. */
bool tree_change_is_data(const struct tree_change *change);
/* Cost: O(changes), with what was created. */
void tree_stamp_changes(const struct tree_change_set *changes, uint32_t stamp);
/* Each record of configuration at or below one, a parent before its children, in document order. */
void tree_stamp_walk(const struct schema_node *schema, const struct tree_record *record,
		     void (*visit)(void *arg, const struct tree_record *record), void *arg);
