/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * One check under way, shared by the files of this folder:
 *
 *     walk.c     goes through the changes, old and new side by side; what came, went or changed is a frame
 *     fire.c     from a frame to the readers of the constraints that it triggers, each reader once
 *     judge.c    evaluates a constraint on an instance of the new tree
 *     when.c     which implicit nodes are there, in the old and in the new tree
 *     flip.c     implicit nodes that come and go with their `when`
 *     index.c    keeps the value indexes, and finds readers by values
 *     instance.c instance-identifiers: from text to a node and back
 *     faults.c   collects the violations and reports them in document order
 *     verify.c   the same check in full, compared
 *     named.c    what a request names and may not be there
 *     split.c    parts of a walk on threads of their own; weigh.c says whether that is worth it
 *
 * An instance is *effective* where it is stored or in use as a default or non-presence container. Everything
 * here speaks of effective instances: "created" means that the old tree has none, and then everything the
 * instance brings is judged by the walk; so readers that were created are left to the walk, and only readers
 * that were there before are remembered in `done`.
 */
#include "base/buffer.h"
#include "base/hash_table.h"
#include "base/vector.h"
#include "check/counters.h"
#include "check/when.h"
#include "tree/builder.h"

/* An instance that came, went or changed, as the walk stands on it. */
struct check__frame {
	const struct check__frame *parent; /* NULL: the root */
	const struct schema_node *schema;
	const struct tree_position *old, *new; /* effective; NULL: not there; at least one is set */
	uint64_t serial;		       /* unique in the check; never 0 */
};

/* Violations, kept as positions until the end: not many more than `keep`. */
struct check__faults {
	struct arena *arena;
	struct vector items; /* struct fault of faults.c */
	size_t keep;	     /* as many as the caller's list still takes */
	size_t dropped;
};

struct check__run {
	const struct check_plan *plan;
	const struct schema *schema;
	const struct tree_record *old_root, *new_root;
	const struct tree_position *operation; /* that is checked, within new_root; NULL: data are */
	enum check__phase phase;
	bool full;	    /* every instance of the new tree counts as created */
	bool is_watching;   /* the old tree has instance-identifiers: who goes may be named by one */
	enum status status; /* ST_OK; ST_LIMIT: stop, the refusal is in diags */
	struct diag_list *diags;
	struct check_counters counters;
	struct check_tally *tally; /* NULL: nobody asks */

	struct arena *arena;   /* until the end of the check */
	struct arena *scratch; /* until the end of one evaluation */
	struct xpath_limits limits;

	uint64_t serial;   /* of the last frame */
	uint64_t *fired;   /* by readers id: serial of the frame whose readers were last gone to; 0: none */
	uint64_t *touched; /* by constraint id: serial of the parent's frame */
	struct hash_table *done; /* (constraint, instance) that is judged and was there before; NULL: none */
	struct hash_table *fan_keys; /* (constraint, ancestor) in fans; NULL: none */
	struct vector fans;	     /* struct fan of fire.c: due below an ancestor, judged after the walk */
	struct vector when_fans;     /* the same of whens, judged before */
	struct vector flips;	     /* struct flip of flip.c: nodes whose `when` may have flipped */
	struct arena *flip_arena;    /* until the next flip */
	struct check__view old_view, new_view; /* what is implicit in the old and in the new tree */
	struct check__settler *settler;	       /* NULL: a check, where all that is stored is settled */
	struct tree_position *old_way;	       /* room for one way down, plan->depth_max positions */
	struct tree_position *new_way, *anchor_way, *instance_way;
	struct value *keys;    /* room for plan->keys_max values */
	struct value *columns; /* room for plan->columns_max values */
	struct value *due;     /* the same, of the readers that are being fired */

	/* The indexes of both trees, roots of plan->index_schema; NULL: the plan has none, or (old) a full
	 * check. */
	const struct tree_record *old_index, *new_index;
	struct check_index_source *index_source; /* of old_index, which settle may lack; or NULL */
	struct tree_builder *builder;		 /* while indexing */
	/* The same: tuples that come, by index id and all of them; of index.c. */
	struct check__gathering **gathering_of, *gatherings;
	/* By index id: no two tuples have the same values and belong to the same instance above the anchor.
	 * False: it is not known. */
	bool *distinct;
	struct tree_reclaimer *reclaimer;

	char *key; /* the key being made */
	size_t key_size, key_capacity;

	struct check__faults faults;

	/* What is large is walked in parts, by other threads too (split.h). Of a run that is a part itself,
	 * and of one that is not to be split, the count is 0. */
	struct check_threads threads;
	size_t change_count;		/* leaves of the tree of changes */
	struct check__split *split;	/* NULL: nothing was, so far */
	const struct check__run *whole; /* of a part; else NULL */
	/* Of a part that was interrupted: which evaluation. NULL: it was not. */
	const struct check__constraint *refused;
	const struct tree_position *refused_at; /* may be NULL */
};

static inline const struct check__frame *check__frame_at(const struct check__frame *frame,
							 const struct schema_node *schema)
{
	while (frame->schema != schema)
		frame = frame->parent;
	return frame;
}

/* An instance given by a view with defaults that is in use. */
bool check__is_effective(struct check__run *run, const struct tree_position *position);
/* The single effective instance of a leaf, container or any child. */
bool check__find_child(struct check__run *run, const struct tree_position *parent,
		       const struct schema_node *child, struct tree_position *position);
/* The effective instance of a list or leaf-list child that is the same as `sample` of another tree. */
bool check__find_same(struct check__run *run, const struct tree_position *parent,
		      const struct tree_position *sample, struct tree_position *position);
/* The keys of a list entry, borrowed from its record into `keys`. */
void check__entry_keys(const struct tree_position *entry, struct value *keys);

/* Walks all changes from the roots; the old one may be NULL (full). */
void check__walk(struct check__run *run, const struct tree_position *old_root,
		 const struct tree_position *new_root, const struct tree_change *change);

/* The same for the children of one frame: a node whose `when` may have flipped, and is stored in neither
 * tree, and what depends on it. The parent is there before and after. */
void check__walk_flip(struct check__run *run, const struct check__frame *parent,
		      const struct check__constraint *when);

/* Judges, or puts down for later, the readers of everything that the frame's change triggers. */
void check__fire(struct check__run *run, const struct check__frame *frame);
/* Judges what was put down: of whens, of all others. */
void check__fire_when_fans(struct check__run *run);
void check__fire_fans(struct check__run *run);
/* What tells an instance from all others of its schema node, and the constraint from others. Valid until the
 * next call. */
struct bytes check__instance_key(struct check__run *run, const struct check__constraint *constraint,
				 const struct tree_position *position);
/* Forgets what was gone to: another phase begins. */
void check__fire_reset(struct check__run *run);
/* Takes what another run of the same check has put down, positions borrowed. */
void check__fire_take(struct check__run *run, struct check__run *part);
/* True the first time that it is called for the constraint and instance. */
bool check__done_add(struct check__run *run, const struct check__constraint *constraint,
		     const struct tree_position *position);
size_t check__fan_size(void); /* bytes of an element of run->fans */
void check__fire_fini(struct check__run *run);

/* Judges the constraint on an instance of its context in the new tree; a violation goes to the faults. Gives
 * whether it holds. */
bool check__judge(struct check__run *run, const struct check__constraint *constraint,
		  const struct tree_position *position);
/* Counts one step of work; at the limit refuses, naming the constraint, and returns false. */
bool check__tick(struct check__run *run, const struct check__constraint *constraint,
		 const struct tree_position *position);

/* The limit was reached in an evaluation of the constraint on the position. */
void check__refuse_limit(struct check__run *run, const struct check__constraint *constraint,
			 const struct tree_position *position);

/* flip.c: puts a node down that a change may have made come or go. */
void check__flip_add(struct check__run *run, const struct check__constraint *when,
		     const struct tree_position *parent);
/* Walks all that was put down, and what this puts down in turn. */
void check__flips_walk(struct check__run *run);
size_t check__flip_size(void); /* bytes of an element of run->flips */

/* settle.c */
void check__settle_judge(struct check__run *run, const struct check__constraint *when,
			 const struct tree_position *parent);

/* verify.c: asserts that the full check gives what the incremental one gave: its verdict, what it added to
 * `diags` after `before`, and the new index (NULL: not valid, or the plan has none). */
void check__verify(const struct check_plan *plan, const struct tree_change_set *changes, bool valid,
		   const struct diag_list *diags, const struct diag_list *before,
		   const struct check_index *index);

/* check.c */
void check__run_init(struct check__run *run, const struct check_plan *plan,
		     const struct tree_change_set *changes, const struct check_options *options,
		     struct diag_list *diags);
/* The run of a part of that one's walk: with memory, faults and counters of its own. */
void check__run_init_part(struct check__run *part, const struct check__run *whole);
void check__run_fini(struct check__run *run);
/* All but the steps, which the run's limits tell. */
void check__counters_add(struct check_counters *sum, const struct check_counters *more);
/* Adds what the run has evaluated to the counters of the options that it was given. */
void check__run_count(const struct check__run *run, const struct check_options *options);
/* Walks the change (NULL: there is none), and what it makes come and go. */
void check__run_walk(struct check__run *run, const struct tree_change *change);

void check__faults_init(struct check__faults *faults, size_t keep);
void check__faults_fini(struct check__faults *faults);
/* `other` (unique): the entry that has the same values first; else NULL. */
void check__faults_add(struct check__faults *faults, const struct check__constraint *constraint,
		       const struct tree_position *position, const struct tree_position *other);
/* Whether the new tree has the node of a canonical instance-identifier. */
bool check__instance_exists(struct check__run *run, struct bytes text);
/* Appends the canonical instance-identifier of a position. Fails: as buffer_append. */
enum status check__instance_text(const struct tree_position *position, struct buffer *text) MUST_USE;

/* A node that may not be there, as `broken` is false. */
void check__faults_add_when(struct check__faults *faults, const struct check__constraint *when,
			    const struct tree_position *position, const struct schema_xpath *broken);
/* Takes what others have, positions copied; they have none then. */
void check__faults_take(struct check__faults *faults, struct check__faults *others);
bool check__faults_any(const struct check__faults *faults);
/* Reports all in document order. */
void check__faults_report(struct check__faults *faults, struct diag_list *diags);
