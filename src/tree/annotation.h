/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * Metadata annotations (RFC 7952) on instances: containers, list entries, leafs, leaf-list values, anydata.
 * They lie in a table of the record that they are about: its own, and those of its children that are no
 * records. Most records have no table, and then nothing is spent on it.
 *
 *     size_t count;
 *     const struct tree_annotation *notes = tree_position_annotations(&position, &count);
 *     for (size_t i = 0; i < count; i++) ... notes[i].schema->name, notes[i].value
 *
 * A leaf-list's annotations go by value; the same value twice (state data) shares them. Reading only;
 * builder.h changes.
 */
#include "tree/position.h"

struct tree_annotation {
	const struct schema_annotation *schema;
	struct value value;
	struct value item; /* the leaf-list value that it is of; elsewhere VALUE_NONE */
	uint16_t slot;	   /* the child's; TREE_ANNOTATION_OWN: of the record itself */
};

#define TREE_ANNOTATION_OWN UINT16_MAX

/* Whose annotations are meant, below or at a record. */
struct tree_annotated {
	const struct schema_node *child; /* leaf, leaf-list, anydata, anyxml; NULL: the record itself */
	struct value item;		 /* leaf-list: the value */
};

/* More are not to be given to one record and its leafs, values and anydata: changing one costs their number.
 */
#define TREE_ANNOTATIONS_MAX 16384

/* Those of one instance, in order of the schema. Valid as long as the record. Gives NULL where there are
 * none. O(log of all that the record has) */
const struct tree_annotation *tree_annotations_find(const struct tree_record *record,
						    struct tree_annotated node, size_t *count);
const struct tree_annotation *tree_position_annotations(const struct tree_position *position, size_t *count);
/* Whether the record or a leaf, value or anydata in it has any. */
static inline bool tree_record_annotated(const struct tree_record *record)
{
	return tree_record_indexes(record)[record->capacity - 1u] == TREE_ANNOTATION_OWN;
}

/* All of the record's table. O(1) */
const struct tree_annotation *tree_annotations_all(const struct tree_record *record, size_t *count);
