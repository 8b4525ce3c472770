/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * Blocks of changes (docs/format/changes.md) read without any schema, by the names that are stored with them:
 * for tools that look at a journal, print it, or carry records over into another segment.
 *
 *     struct change_names *names = change_names_new();                one a segment or snapshot
 *     status = change_text_record(names, block, visit, arg);          block after block, in their order
 *
 * The bytes are trusted no further than that they may be wrong. One thread a dictionary.
 */
#include <stdbool.h>
#include "base/buffer.h"

struct change_names;

struct change_names *change_names_new(void);
void change_names_free(struct change_names *names); /* NULL is allowed */
void change_names_reset(struct change_names *names);

enum change_text_action { CHANGE_TEXT_CREATED = 1, CHANGE_TEXT_DELETED = 2, CHANGE_TEXT_MODIFIED = 3 };

enum change_text_kind {
	CHANGE_TEXT_INSTANCE, /* a container or list entry */
	CHANGE_TEXT_LEAF,
	CHANGE_TEXT_LEAF_LIST,
	CHANGE_TEXT_ANYDATA,
	CHANGE_TEXT_ANYXML,
	CHANGE_TEXT_ANNOTATION
};

/* One node, valid during the visit. What is below a created or deleted one comes after it, a visit each. */
struct change_text {
	enum change_text_action action;
	enum change_text_kind kind; /* as it was written */
	/* RFC 7950 9.13 with module names, where they differ from the parent's; that of an annotation ends
	 * with
	 * "/@module:name". A value with both kinds of quotes has its double quotes doubled. */
	struct bytes path;
	bool has_value;			   /* false: a container or list entry */
	bool moved;			   /* in a user-ordered list; a modified one has no values then */
	struct bytes old_value, new_value; /* canonical form, or XML; empty where the action has none */
};

typedef enum status change_text_visit(void *arg, const struct change_text *change);

/* Reads a change set. `visit` NULL: only whether it is sound. Fails: ST_CORRUPT, as `visit` does. */
enum status change_text_record(struct change_names *names, struct bytes block, change_text_visit *visit,
			       void *arg) MUST_USE;
/* Reads a whole tree; `next` as in change_tree_decode. */
enum status change_text_tree(struct change_names *names, enum status (*next)(void *arg, struct bytes *block),
			     void *next_arg, change_text_visit *visit, void *arg) MUST_USE;
/* Appends the same block with definitions of all names known so far before its own, so that it can be the
 * first of a segment. The block's own become known. Fails: ST_CORRUPT. */
enum status change_text_complete(struct change_names *names, struct bytes block, struct buffer *out) MUST_USE;
