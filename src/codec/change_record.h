/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * Change sets and whole trees as bytes, for the journal and for snapshots: self-describing by names, through
 * a dictionary that grows with what is written, so that a later schema can still read them. A change has its
 * old and its new values, so it applies forward (redo) and backward (undo). docs/format/changes.md has it
 * byte by byte.
 *
 *     struct change_dictionary *names = change_dictionary_new(schema);       one a segment or snapshot
 *     status = change_record_encode(names, &changes, &buffer);               appends one block
 *
 *     status = change_record_apply(names, block, CHANGE_REDO, builder, diags);
 *
 * The bytes are trusted no further than that they may be wrong: nothing in them makes a reader crash.
 * One thread a dictionary.
 */
#include "base/buffer.h"
#include "tree/builder.h"
#include "tree/annotation.h"
#include "tree/diff.h"

struct change_dictionary;

struct change_dictionary *change_dictionary_new(const struct schema *schema); /* borrows */
void change_dictionary_free(struct change_dictionary *dictionary);	      /* NULL is allowed */
/* Has no names any more. */
void change_dictionary_reset(struct change_dictionary *dictionary);
/* Encoding: the next block stands first, and defines all names that there are. False, with no effect, where
 * one was read that the schema does not have, so that it cannot be defined. */
bool change_dictionary_forget(struct change_dictionary *dictionary) MUST_USE;
/* The number of names, and back to an earlier number: what was encoded in between is as if it never was. */
size_t change_dictionary_length(const struct change_dictionary *dictionary);
void change_dictionary_cut(struct change_dictionary *dictionary, size_t length);
/* Values that are read are parsed by their types again: the schema may be another one than they were written
 * under. Otherwise they are taken as they are. */
void change_dictionary_set_strict(struct change_dictionary *dictionary, bool strict);

/* As many threads may read one block or tree, the caller's included; 1 to begin with. Only what is large is
 * worth it, and what was written under this schema. */
void change_dictionary_set_threads(struct change_dictionary *dictionary, unsigned threads);

/* What does not fit is left out, and counted, instead of refused; what builds on that is done as far as it
 * goes. */
void change_dictionary_set_lenient(struct change_dictionary *dictionary, bool lenient);
/* The number of times that something was left out. */
uint64_t change_dictionary_left_out(const struct change_dictionary *dictionary);
/* From now on `changes` is called for each item that is applied forward and changes data: with its node,
 * which the schema has. Annotations are none. Of entries that are created it may be called for some alone.
 * NULL: not any more. */
void change_dictionary_watch(struct change_dictionary *dictionary,
			     void (*changes)(void *arg, const struct schema_node *node), void *arg);

/* Appends a block: the names that are new in the dictionary, and some or all others again, then the changes.
 * Fails: ST_LIMIT (the buffer's; buffer and dictionary as before). */
enum status change_record_encode(struct change_dictionary *dictionary, const struct tree_change_set *changes,
				 struct buffer *out) MUST_USE;

/*
 * The same in steps. The items, which are most of it, may be encoded ahead on another thread, and what is
 * before them again and again, as long as it is not known what precedes the block:
 *
 *     change_record_begin(names, &changes);
 *     status = change_record_head(names, &buffer);    the block is this, appended, ...
 *     items = change_record_items(names);             ... and this, until `end`
 *     change_record_end(names);                       the block was written
 *
 * Or abandon, at any time between begin and end: the dictionary is as it was before. Nothing else is done
 * with it in between but to forget.
 */
void change_record_begin(struct change_dictionary *dictionary, const struct tree_change_set *changes);
bool change_record_begun(const struct change_dictionary *dictionary);
/* Fails: ST_LIMIT (the buffer's). */
enum status change_record_head(struct change_dictionary *dictionary, struct buffer *out) MUST_USE;
struct bytes change_record_items(const struct change_dictionary *dictionary);
void change_record_end(struct change_dictionary *dictionary);
void change_record_abandon(struct change_dictionary *dictionary); /* also where nothing was begun */

enum change_direction { CHANGE_REDO, CHANGE_UNDO };

/* Reads the names that the block defines, and nothing else. Fails: ST_CORRUPT. */
enum status change_record_define(struct change_dictionary *dictionary, struct bytes block) MUST_USE;
/*
 * Applies the block's changes to the root that the builder stands at; its names are read first; the names of
 * all blocks before it must be known. Fails: ST_CORRUPT (it is no block, or does not fit the tree),
 * ST_REJECTED (the schema has no place for a node or a value; diags). After a failure the tree is to be
 * dropped.
 */
enum status change_record_apply(struct change_dictionary *dictionary, struct bytes block,
				enum change_direction direction, struct tree_builder *builder,
				struct diag_list *diags) MUST_USE;

/* Encodes all that is below a root as blocks of about `size` bytes. Fails: as `emit` does. */
enum status change_tree_encode(struct change_dictionary *dictionary, const struct tree_record *root,
			       size_t size, enum status (*emit)(void *arg, struct bytes block),
			       void *arg) MUST_USE;
/* The reverse: `next` gives block after block (valid until the next call). Fails: as `next` does, and as
 * change_record_apply. */
enum status change_tree_decode(struct change_dictionary *dictionary, struct tree_builder *builder,
			       enum status (*next)(void *arg, struct bytes *block), void *arg,
			       struct diag_list *diags) MUST_USE;
