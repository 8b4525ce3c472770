/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* What the files of the edit decoder share: its state and attributes (edit_attributes.c). */
#include "base/buffer.h"
#include "codec/any_writer.h"
#include "codec/edit_assemble.h"
#include "codec/edit_decoder.h"

#define NAME_CACHE_LENGTH 64 /* power of two */
#define NAME_CACHE_AFTER 16  /* names; to clear the cache costs more than to look up these */

/* A name seen before: the reader's strings are compared by pointer. */
struct name_entry {
	const struct schema_node *parent;
	const char *ns, *name;
	const struct schema_node *child;
};

struct edit_prefixes {
	struct schema_prefixes base; /* first */
	const struct schema *schema;
	const struct xml_reader *reader;
};

struct edit_decoder {
	struct edit_assembler assembler;
	const struct xml_reader *reader;
	size_t skip;		/* open elements within one that is skipped, itself included */
	struct any_writer *any; /* within an anydata or anyxml node */
	struct buffer text;	/* of the open leaf */
	bool takes_txids;
	bool is_default; /* the open leaf is marked as having its default value */
	struct edit_prefixes prefixes;
	const char *ns; /* the reader's string that was last looked up, and its module; NULL: none was */
	const struct schema_module *module;
	unsigned names_seen;	  /* counted up to NAME_CACHE_AFTER */
	struct name_entry *names; /* NULL until then */
};

/* Reads the attributes of the open node, whose frame is on top already. */
void codec__edit_attributes(struct edit_decoder *decoder, const struct xml_start *start);
/* edit_operation.c: the same in an operation, where there are none but those of others. */
void codec__operation_attributes(struct edit_assembler *assembler, const struct xml_start *start);
