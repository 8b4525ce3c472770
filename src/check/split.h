/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * A walk on several threads, for the files of this folder. While the entries of one list are walked in parts,
 * the run that came to the list waits, and everything above them only is read:
 *
 *     whole    walks ... comes to a large list, waits ........... takes what the parts found, walks on
 *     part 0             entries 1-64   entries 129-192 ...
 *     part 1             entries 65-128 ...
 *
 * A part is a run of its own, of one thread, kept until the check ends, as positions in its memory are. What
 * the parts share: what was judged once (`done`), the work limit, and whether all are to stop.
 */
#include "check/index.h"

struct check__split;

/* The entries of a list, or values of a leaf-list, of one tree below a frame. */
struct check__entries {
	const struct check__frame *frame;
	const struct schema_node *child;
	const struct tree_map *map;
	bool in_new;
};

/* Since the phase began something was walked in parts, or the run is a part. */
bool check__is_split(const struct check__run *run);
/* False where a part is to stop, as another one did. */
bool check__split_goes_on(const struct check__run *run);

/* Walks the entries in parts, if there are so many of them, or so much below them, that it is worth it. */
bool check__split_entries(struct check__run *run, const struct check__frame *frame,
			  const struct schema_node *child, bool in_new);
/* The same for this change and those of the same list behind it. */
bool check__split_changes(struct check__run *run, const struct check__frame *frame,
			  const struct tree_change *change);
/* walk.c: what a part does. `to` is not included. */
void check__walk_entries(struct check__run *run, const struct check__entries *entries, uint64_t from,
			 uint64_t to);
void check__walk_changes(struct check__run *run, const struct check__frame *frame,
			 const struct tree_change *from, const struct tree_change *to);

/* As check__done_add, once something is split. */
bool check__split_done_add(struct check__run *run, struct bytes key);
bool check__split_done_has(struct check__run *run, struct bytes key);
/* An evaluation came to a limit. False: the caller is to say so itself. */
bool check__split_refuse(struct check__run *run, const struct check__constraint *constraint,
			 const struct tree_position *position);
/* Puts in what all gathered, each index by itself. Gives the indexes. */
const struct tree_record *check__split_put(struct check__run *run);
/* Forgets what was judged: another phase begins. */
void check__split_reset(struct check__run *run);
/* The outcome is that of one thread. False: the limit was reached, so that it may not be. */
bool check__split_stands(const struct check__run *run);
void check__split_fini(struct check__run *run);

/* ---- weigh.c: about how many instances a walk comes to; those who ask look no further than `least` ---- */

uint64_t check__weigh_entries(const struct check__run *run, const struct schema_node *node,
			      const struct tree_map *map);
uint64_t check__weigh_change(const struct check__run *run, const struct tree_change *change, uint64_t least);
