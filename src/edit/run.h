/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * Private to this folder: the state of one edit_apply, and the parts that apply.c is put together from.
 *
 *   refuse.c   errors with the path of the instance, also of one that is not there
 *   cases.c    which case of each choice the request sets; what it takes away
 *   prune.c    the half of "replace" that removes
 *   order.c    where user-ordered entries and values go
 *   annotate.c metadata annotations
 *   attach.c   what was prepared becomes part of the new root
 *   prepare.c  the same walk, ahead of time
 *   apply.c    the walk over the edit tree
 *
 * The scratch vectors are used between two calls of the builder only and grow to the largest size needed, so
 * that a request of a million nodes allocates nothing a node.
 */
#include "base/diag.h"
#include "base/vector.h"
#include "edit/apply.h"
#include "edit/edit_tree.h"
#include "tree/builder.h"

struct edit_run {
	const struct schema *schema;
	struct tree_builder *builder;
	struct diag_list *diags;
	enum edit_basic basic;
	bool failed;			    /* something was refused */
	_Atomic bool *prepares;		    /* not NULL: to be given up at what may not be prepared, and when
					     * this becomes true */
	const struct tree_record *prepared; /* of the instance that the builder stands in; NULL: nothing */
	struct arena *arena;		    /* members of groups of several nodes */

	struct vector keys; /* struct value: borrowed keys of one entry */
	struct vector
		taken; /* bool: a stack; a frame in which a container comes twice has one of each slot */
	struct vector chosen; /* const struct schema_case *: a stack; a frame has one of each choice of its
				 parent */
	struct vector counts; /* size_t, by slot */
	struct vector placed; /* uint64_t: a stack; a frame below a replace with user-ordered children has one
			       * of each slot */
	struct vector anchor; /* struct value: borrowed keys of what an item goes next to */
	struct vector nodes;  /* const struct edit_node * */
	struct vector marks;  /* uint64_t: a bitmap */
	struct vector attached; /* const struct schema_node *: a stack; a frame has the lists that were
				   attached as a whole */
};

void edit__run_init(struct edit_run *run);
void edit__run_fini(struct edit_run *run);

/*
 * The edit nodes of one instance, taken as one: a container may come twice in one <config> (as its elements
 * may when a client glues fragments together), and then its content is the union. Almost always one node.
 * Never empty.
 */
struct edit_group {
	const struct edit_node *node;
	const struct edit_group *next;
};

/* The children of all nodes of a group, in the order written. */
struct edit_iter {
	const struct edit_group *group;
	const struct edit_node *next;
};

static inline struct edit_iter edit__iter(const struct edit_group *group)
{
	return (struct edit_iter){.group = group, .next = group->node->children};
}

static inline const struct edit_node *edit__next(struct edit_iter *iter)
{
	while (!iter->next) {
		if (!iter->group->next)
			return NULL;
		iter->group = iter->group->next;
		iter->next = iter->group->node->children;
	}
	const struct edit_node *node = iter->next;
	iter->next = node->next;
	return node;
}

/* The content of a child at the present position; NULL where it is not stored. */
static inline const union tree_slot *edit__stored(const struct edit_run *run, const struct schema_node *child)
{
	const struct tree_record *record = tree_builder_position(run->builder)->record;
	return record ? tree_record_find(record, child) : NULL;
}

/* The keys of an entry, or the value of a leaf-list, as builder and map want them; NULL where one is missing.
 * Valid until the next call or, where the entry's own `value` is meant, as long as the node. */
const struct value *edit__keys(struct edit_run *run, const struct edit_node *node);

/* Nothing more that could be reported would be kept: the rest of the request need not be looked at. */
static inline bool edit__full(const struct edit_run *run)
{
	return run->failed && run->diags->length >= run->diags->limit;
}

/* Each adds an error and makes the run fail. The messages' %s is the node's name. */
/* About the instance that the builder stands in. */
void edit__refuse_here(struct edit_run *run, enum diag_tag tag, const char *reason);
/* About a child of the present position that is no list or leaf-list (or is meant as a whole). */
struct diag *edit__refuse_child(struct edit_run *run, const struct schema_node *child, enum diag_tag tag,
				const char *reason);
/* About a list entry or a leaf-list value below the present position. Need not exist. */
struct diag *edit__refuse_item(struct edit_run *run, const struct schema_node *child,
			       const struct value *keys, enum diag_tag tag, const char *reason);
/* About the instance that the node names below the present position. */
struct diag *edit__refuse_node(struct edit_run *run, const struct edit_node *node, enum diag_tag tag,
			       const char *reason);

/* Pushes a frame on run->chosen: for each choice of the group's schema node the case that the request sets
 * there, or NULL. Refuses data of two cases (RFC 7950 8.3.1). */
void edit__choose_cases(struct edit_run *run, const struct edit_group *group, enum edit_operation operation);
/* Whether the top frame has chosen another case than one that `child` is in. */
bool edit__lost(const struct edit_run *run, const struct schema_node *child);
/* Removes what is stored of cases that lost, at the present position (RFC 7950 7.9). */
void edit__remove_lost(struct edit_run *run);
void edit__forget_cases(struct edit_run *run, const struct schema_node *parent);

/* True where the node has no yang:insert, or one with a meaning; else an error. */
bool edit__check_insert(struct edit_run *run, const struct edit_node *node, enum edit_operation operation);
/*
 * Puts a user-ordered entry or value that is merged, replaced or created in its place below the present
 * position; an entry is made with its keys. False, with an error, where it names a place that is not there.
 * `placed`: below a replace, how many items of the list have their place by now; else NULL.
 */
bool edit__put_in_place(struct edit_run *run, const struct edit_node *node, const struct value *keys,
			uint64_t *placed);
/* Before an item is removed. */
void edit__forget_place(struct edit_run *run, const struct schema_node *schema, const struct value *keys,
			uint64_t *placed);

/* Sets and removes the annotations of an instance, which exists, as the operation says. `node`: of the
 * present position. */
void edit__annotate(struct edit_run *run, const struct edit_group *group, enum edit_operation operation,
		    struct tree_annotated node);

/* Removes everything from the present position that the group does not name; its keys stay. */
void edit__prune(struct edit_run *run, const struct edit_group *group);

/* prepare.c: whether a node below one that is created, the outcome of which is prepared, says no more than
 * that. */
static inline bool edit__may_prepare(const struct edit_run *run, const struct edit_node *node)
{
	return node->operation == EDIT_UNSPECIFIED && node->insert == EDIT_INSERT_UNSPECIFIED &&
	       !atomic_load_explicit(run->prepares, memory_order_relaxed);
}
/* Applies a `create` of the node, whatever its own operation is, at the present position. */
void edit__create(struct edit_run *run, const struct edit_node *node);

/* Each attaches what was prepared of a child; false where there is nothing, or the operation does not make
 * what is not there, or it is there. `outer`: of the instance around it. */
bool edit__attach_container(struct edit_run *run, const struct schema_node *container,
			    enum edit_operation operation);
bool edit__attach_list(struct edit_run *run, const struct schema_node *list, enum edit_operation outer);
bool edit__attach_entry(struct edit_run *run, const struct schema_node *list, const struct tree_record *entry,
			enum edit_operation operation);
/* Whether the entry is there and equal to the prepared one, and the operation leaves such a one as it is. */
bool edit__entry_stays(const struct edit_run *run, const struct schema_node *list,
		       const struct tree_record *entry, enum edit_operation operation);
/* What was prepared of a child; NULL: nothing. */
const struct tree_record *edit__prepared_container(const struct edit_run *run,
						   const struct schema_node *container);
const struct tree_record *edit__prepared_entry(const struct edit_run *run, const struct schema_node *list,
					       const struct value *keys);
