/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * A naive model of edit-config (RFC 6241 7.2; RFC 7950 7.5.8, 7.6.8, 7.7.9, 7.8.6, 7.9, 7.10.4): data and
 * edit are plain linked structs, instances are found by looking at all of them, and every edit works on a
 * copy. It uses nothing of src/edit, src/tree or src/codec, and no code of tests/edit; of the schema it reads
 * what the modules say (kinds, keys, cases, order).
 */
#include "base/arena.h"
#include "schema/schema.h"

enum model_operation {
	MODEL_INHERIT,
	MODEL_MERGE,
	MODEL_REPLACE,
	MODEL_CREATE,
	MODEL_DELETE,
	MODEL_REMOVE,
	MODEL_NONE,
};

enum model_insert { MODEL_ANYWHERE, MODEL_FIRST, MODEL_LAST, MODEL_BEFORE, MODEL_AFTER };

/* An instance in the datastore. */
struct model_item {
	const struct schema_node *node;
	const char *value; /* canonical; leaf, leaf-list; anydata, anyxml: XML; else NULL */
	struct model_item
		*children; /* user-ordered ones in their order; a list entry's keys are among them */
	struct model_item *next;
};

/* An element of an edit. */
struct model_element {
	const struct schema_node *node;
	const char *value; /* as above; NULL where a deletion has none */
	enum model_operation operation;
	enum model_insert insert;
	const char **anchor; /* before, after: the keys in schema order, or the value */
	struct model_element *children, *next;
};

struct model_result {
	struct model_item *root; /* NULL: refused */
	const char *errors;	 /* "tag path" of each, a line each, in no order that counts */
	size_t error_count;
};

/* Memory of the result is in the arena, and shares nothing with `base`. */
struct model_result model_apply(const struct model_item *base, const struct model_element *edit,
				enum model_operation default_operation, struct arena *arena);
/* The same text for the same data: what is system-ordered is sorted by its text. */
const char *model_text(const struct model_item *item, struct arena *arena);
struct model_item *model_dup(const struct model_item *item, struct arena *arena);
size_t model_size(const struct model_item *item); /* items */
/* The value of a list entry's key; NULL where it is not there. */
const char *model_item_key(const struct model_item *entry, const struct schema_node *key);
const char *model_element_key(const struct model_element *entry, const struct schema_node *key);
