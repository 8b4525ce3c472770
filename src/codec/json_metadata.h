/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * The reader of metadata in JSON (RFC 7952 5.2): the values of members "@" and "@name", and to which nodes of
 * the edit tree they belong. Part of the JSON decoder.
 */
#include "base/vector.h"
#include "codec/edit_assemble.h"
#include "codec/json_reader.h"

enum json_metadata_state {
	JSON_METADATA_NONE,
	JSON_METADATA_VALUE,  /* the member's value is due */
	JSON_METADATA_ARRAY,  /* an item of a leaf-list's array, or its end */
	JSON_METADATA_OBJECT, /* a name, or the end of the object */
	JSON_METADATA_NOTE,   /* the value of an annotation */
	JSON_METADATA_NULL,   /* the null in [null] */
	JSON_METADATA_NULL_END,
};

struct json_metadata {
	struct edit_assembler *assembler;
	struct schema_prefixes_canonical *prefixes; /* those that the assembler parses with */
	enum json_metadata_state state;
	const struct schema_node *child; /* of "@name"; NULL: the open node */
	bool is_array;
	uint64_t index; /* of the item in the array */
	const struct schema_annotation
		*annotation;   /* whose value is due; NULL: unknown, the value is skipped */
	size_t skip;	       /* structures that are open in what is skipped */
	struct vector pending; /* of children of nodes that are open */
};

void codec__json_metadata_init(struct json_metadata *metadata, struct edit_assembler *assembler,
			       struct schema_prefixes_canonical *prefixes);
void codec__json_metadata_fini(struct json_metadata *metadata);
/* The name was "@" (child NULL: of the open node) or "@name"; its value is read next. */
void codec__json_metadata_begin(struct json_metadata *metadata, const struct schema_node *child);
static inline bool codec__json_metadata_is_open(const struct json_metadata *metadata)
{
	return metadata->state != JSON_METADATA_NONE;
}
/* An event of it. Fails: ST_LIMIT, reported. */
enum status codec__json_metadata_event(struct json_metadata *metadata, enum json_event event,
				       struct bytes text) MUST_USE;
/* The open node is complete: gives its children what came for them. */
void codec__json_metadata_resolve(struct json_metadata *metadata);
