/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * Random edits over the shared sets of YANG modules, applied by edit_apply and by a naive model, in parts:
 *
 *     model.c     the model
 *     generate.c  random edits
 *     write.c     an edit as XML
 *     compare.c   one edit on both sides; a root read into the model's form
 *     main.c      the loop
 *
 * The sets and the values come from tests/soak.
 */
#include "model.h"
#include "soak/soak.h"

struct episode { /* a stretch of edits that begins with a root of its own */
	struct soak *soak;
	struct arena *arena;	/* of the episode */
	const char ***values;	/* by schema id: EPISODE_VALUES of a leaf, NULL: not chosen yet */
	uint32_t salt;		/* chooses the nodes that it is about */
	struct model_item *now; /* what soak->root has; in `now_arena` */
	struct arena *now_arena;
};

enum { EPISODE_VALUES = 3 };

/* ---- generate.c: in soak->round */
struct model_element *episode_edit(struct episode *episode);
/* Whether a value of it can be NULL: none was found. */
const char *episode_value(struct episode *episode, const struct schema_node *leaf);

/* ---- write.c: with <config> around, in soak->round */
const char *episode_xml(const struct soak *soak, const struct model_element *edit);

/* ---- compare.c */
/* What the root has, in the arena. */
struct model_item *episode_read(const struct soak *soak, const struct tree_record *root, struct arena *arena);
/* Applies the edit on both sides and takes the result where both accept it; NULL, or what is different (in
 * soak->round). */
const char *episode_compare(struct episode *episode, const struct model_element *edit,
			    enum model_operation default_operation, bool *accepted);
