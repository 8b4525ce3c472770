/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* What the files of the edit decoder share: its state, reporting (edit_report.c) and attributes
 * (edit_attributes.c). */
#include "base/buffer.h"
#include "codec/any_writer.h"
#include "codec/edit_decoder.h"
#include "schema/type.h"

#define NAME_CACHE_LENGTH 64  /* power of two */
#define VALUE_CACHE_LENGTH 32 /* power of two */
#define VALUE_CACHE_TEXT 44   /* bytes; longer values are not remembered */

/* An open element that has a node. */
struct edit_frame {
	struct edit_node *node;
	uint64_t *seen;	    /* a bit for each child slot that came; owned by the decoder, reused */
	size_t seen_length; /* words allocated */
	bool deleting;	    /* by its own operation or that of an ancestor */
	bool broken;	    /* an error in its content was reported: no second one for the same */
};

/* A name seen before: the reader's strings are compared by pointer. */
struct name_entry {
	const struct schema_node *parent;
	const char *ns, *name;
	const struct schema_node *child;
};

/* The value last parsed for a leaf, so that equal ones share one text and are parsed once. */
struct value_entry {
	const struct schema_node *leaf;
	struct value value; /* owned */
	uint32_t size;
	char lexical[VALUE_CACHE_TEXT];
};

struct edit_prefixes {
	struct schema_prefixes base; /* first */
	const struct schema *schema;
	const struct xml_reader *reader;
};

struct edit_decoder {
	const struct schema *schema;
	const struct xml_reader *reader;
	struct diag_list *diags;
	size_t memory_limit;
	size_t value_size; /* bytes of texts and anydata beside the tree's arena */
	struct edit_tree *tree;
	struct edit_frame *frames; /* frames[0]: <config>; `depth` are open */
	size_t depth, capacity;
	size_t skip;		 /* open elements within one that is skipped, itself included */
	struct any_writer *any;	 /* within an anydata or anyxml node */
	struct buffer text;	 /* of the open leaf */
	struct arena *scratch;	 /* messages of values that are refused */
	struct edit_node **keys; /* of the list entry that ends */
	size_t keys_capacity;
	bool failed; /* something was reported */
	struct edit_prefixes prefixes;
	struct name_entry names[NAME_CACHE_LENGTH];
	struct value_entry values[VALUE_CACHE_LENGTH];
};

/*
 * Adds a diagnostic with the path of the open node, or of its child `child` where that is not NULL. Never
 * NULL. `name` goes into bad-element; data NULL: none.
 */
struct diag *codec__edit_report(struct edit_decoder *decoder, enum diag_tag tag,
				const struct schema_node *child, struct bytes name, const char *message);
/* Adds bad-attribute to it. */
void codec__edit_report_attribute(struct edit_decoder *decoder, enum diag_tag tag, struct bytes attribute,
				  const char *message);

/* Reads the attributes of the open node, whose frame is on top already. */
void codec__edit_attributes(struct edit_decoder *decoder, const struct xml_start *start);

/* Accounts for what a value holds beside the arena. */
size_t codec__edit_value_size(struct value value);
