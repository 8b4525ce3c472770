/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * What the decoders of XML (edit_decoder.c) and JSON (json_decoder.c) share: the edit tree as it grows, the
 * path of open nodes, the checks that do not depend on the encoding, and reports.
 *
 *     frame = codec__edit_open(assembler, child);           // a node under the open one
 *     codec__edit_parse_value(assembler, lexical);          // a leaf
 *     status = codec__edit_close(assembler);                // a list entry's keys are checked here
 */
#include "base/diag.h"
#include "codec/edit_decoder.h"
#include "edit/edit_tree.h"
#include "schema/type.h"

#define VALUE_CACHE_LENGTH 32 /* power of two */
#define VALUE_CACHE_TEXT 40   /* bytes; longer values are not remembered */
#define VALUE_CACHE_MISSES                                                                                   \
	8 /* so many values in a row that did not repeat, and only one in as many is remembered */

/* An open node. */
struct edit_frame {
	struct edit_node *node;
	uint64_t *seen;	    /* a bit for each child slot that came; owned by the assembler, reused */
	size_t seen_length; /* words allocated */
	bool deleting;	    /* by its own operation or that of an ancestor */
	bool broken;	    /* an error in its content was reported: no second one for the same */
};

/* The value last parsed for a leaf, so that equal ones share one text and are parsed once. */
struct value_entry {
	const struct schema_node *leaf;
	struct value value; /* owned */
	uint32_t size;
	uint32_t misses; /* since a value repeated */
	char lexical[VALUE_CACHE_TEXT];
};

struct edit_assembler {
	const struct schema *schema;
	enum edit_content content;
	const struct schema_prefixes *prefixes; /* of values; the decoder's */
	struct diag_list *diags;
	size_t memory_limit;
	size_t value_size; /* bytes of texts and anydata beside the tree's arena */
	struct edit_tree *tree;
	struct edit_frame *frames; /* frames[0]: the top node; `depth` are open */
	size_t depth, capacity;
	struct arena *scratch;		  /* messages of values that are refused */
	struct schema_type_budget budget; /* of all values; `prefixes` point to it */
	struct edit_node **keys;	  /* of the list entry that ends */
	size_t keys_capacity;
	bool failed;					/* something was reported */
	struct value_entry *values[VALUE_CACHE_LENGTH]; /* NULL: no such leaf was remembered yet */
};

/* With the top node open. Borrows all. */
void codec__edit_init(struct edit_assembler *assembler, const struct schema *schema,
		      const struct schema_prefixes *prefixes, size_t memory_limit, struct diag_list *diags);
void codec__edit_fini(struct edit_assembler *assembler);

static inline struct edit_frame *codec__edit_top(const struct edit_assembler *assembler)
{
	return &assembler->frames[assembler->depth - 1];
}

static inline bool codec__edit_is_leaf(const struct schema_node *node)
{
	return node->kind == SCHEMA_LEAF || node->kind == SCHEMA_LEAF_LIST;
}

static inline bool codec__edit_is_any(const struct schema_node *node)
{
	return node->kind == SCHEMA_ANYDATA || node->kind == SCHEMA_ANYXML;
}

static inline bool codec__edit_is_operation(const struct schema_node *node)
{
	return node->kind == SCHEMA_RPC || node->kind == SCHEMA_ACTION;
}

/* Operations are counted by who reads the tree. */
static inline bool codec__edit_may_repeat(const struct schema_node *node)
{
	return node->kind == SCHEMA_LIST || node->kind == SCHEMA_LEAF_LIST || codec__edit_is_operation(node);
}

/* edit_operation.c: the node of that name on the way to an operation, or in its input; NULL: none. */
const struct schema_node *codec__operation_find_child(const struct edit_assembler *assembler,
						      const struct schema_module *module, struct bytes name);
/* Where the content begins in a request, for paths; "": <config>, whose paths are those of its data. */
const char *codec__operation_prefix(enum edit_content content);

/* The node of that name under the open one; NULL where there is none, which was reported. */
const struct schema_node *codec__edit_find_child(struct edit_assembler *assembler,
						 const struct schema_module *module, struct bytes name);
/* Marks the child of the open node as seen; false where it was already. */
bool codec__edit_mark_seen(struct edit_assembler *assembler, const struct schema_node *child);
/* Appends a node to the open one and opens it. The frame is valid until the next one is opened. */
struct edit_frame *codec__edit_open(struct edit_assembler *assembler, const struct schema_node *child);
/* Gives the open leaf its value; one that is not of the type is reported. */
void codec__edit_parse_value(struct edit_assembler *assembler, struct bytes lexical);
/* Gives the open anydata or anyxml node its content; takes the text. */
void codec__edit_set_any(struct edit_assembler *assembler, struct text *text);
/* Gives a node, which is open, an annotation; a value that is not of its type is reported. */
void codec__edit_annotate(struct edit_assembler *assembler, struct edit_node *node,
			  const struct schema_annotation *annotation, struct bytes lexical);
/* The same in two steps: parses the value. `child`: for reports, as codec__edit_report has it. */
bool codec__edit_parse_annotation(struct edit_assembler *assembler, const struct schema_node *child,
				  const struct schema_annotation *annotation, struct bytes lexical,
				  struct value *value);
/* Closes the open node; missing keys are reported. Fails: ST_LIMIT, reported. */
enum status codec__edit_close(struct edit_assembler *assembler) MUST_USE;
/* Gives the tree. Needs all but the top node to be closed. Fails: ST_REJECTED where anything was reported. */
enum status codec__edit_finish(struct edit_assembler *assembler, struct edit_tree **tree) MUST_USE;

/* Fails: ST_LIMIT where the tree is larger than the limit, reported. */
enum status codec__edit_check_memory(struct edit_assembler *assembler) MUST_USE;
size_t codec__edit_memory_left(const struct edit_assembler *assembler);
/* Reports too-big and returns ST_LIMIT. */
enum status codec__edit_too_big(struct edit_assembler *assembler) MUST_USE;
/* Accounts for what a value holds beside the arena. */
size_t codec__edit_value_size(struct value value);

/*
 * Adds a diagnostic with the path of the open node, or of its child `child` where that is not NULL. Never
 * NULL. `name` goes into bad-element; data NULL: none.
 */
struct diag *codec__edit_report(struct edit_assembler *assembler, enum diag_tag tag,
				const struct schema_node *child, struct bytes name, const char *message);
/* The same with bad-attribute; bad-element is the node. */
void codec__edit_report_attribute(struct edit_assembler *assembler, enum diag_tag tag,
				  const struct schema_node *child, struct bytes attribute,
				  const char *message);
/* An element of a namespace (or of a module, in JSON) that the schema does not have. */
void codec__edit_report_namespace(struct edit_assembler *assembler, struct bytes name, struct bytes ns);
