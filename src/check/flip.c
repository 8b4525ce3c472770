/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Implicit nodes that come and go because what their `when` reads has changed. No diff shows them: a trigger
 * leads to the parent, and the node is put down here. After the walk each is gone to as the walk would have,
 * with the frames of all that is above it; and so are the nodes of further whens that it makes due, until
 * there are none. Only then are the fans of other constraints judged.
 *
 * A parent that came or went itself is the walk's, with all that it brings.
 */
#include "check/run.h"

struct flip {
	const struct check__constraint *when;
	const struct tree_position *parent; /* in the new tree; in run->arena */
};

size_t check__flip_size(void)
{
	return sizeof(struct flip);
}

void check__flip_add(struct check__run *run, const struct check__constraint *when,
		     const struct tree_position *parent)
{
	if (run->full)
		return;
	struct flip *flip = vector_push(&run->flips);
	flip->when = when;
	flip->parent = tree_position_dup(parent, run->arena);
}

static bool find_old(struct check__run *run, const struct tree_position *parent,
		     const struct tree_position *sample, struct tree_position *old)
{
	if (check__is_multiple(sample->schema))
		return check__find_same(run, parent, sample, old);
	return check__find_child(run, parent, sample->schema, old);
}

/* The frame of a position in the new tree, below those of its ancestors; NULL: the old tree has none. In the
 * flip's arena. */
static const struct check__frame *make_frame(struct check__run *run, const struct tree_position *new)
{
	struct tree_position *old = arena_zalloc(run->flip_arena, sizeof(*old));
	struct check__frame *frame = arena_zalloc(run->flip_arena, sizeof(*frame));
	if (new->parent) {
		frame->parent = make_frame(run, new->parent);
		if (!frame->parent || !find_old(run, frame->parent->old, new, old))
			return NULL;
	} else {
		*old = tree_position_root(run->schema, run->old_view.root);
	}
	frame->schema = new->schema;
	frame->old = old;
	frame->new = new;
	frame->serial = ++run->serial;
	return frame;
}

static void walk_one(struct check__run *run, const struct flip *flip)
{
	const struct check__frame *parent = make_frame(run, flip->parent);
	if (parent)
		check__walk_flip(run, parent, flip->when);
	arena_reset(run->flip_arena);
}

void check__flips_walk(struct check__run *run)
{
	while (run->status == ST_OK && (run->flips.length > 0 || run->when_fans.length > 0)) {
		for (size_t i = 0; i < run->flips.length && run->status == ST_OK; i++) {
			struct flip flip = *(const struct flip *)vector_at(&run->flips, i);
			walk_one(run, &flip);
		}
		vector_clear(&run->flips);
		check__fire_when_fans(run);
	}
}
