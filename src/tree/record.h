/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * Persistent tree nodes. A record is a container instance, a list entry or the root of a datastore (kind
 * SCHEMA_ROOT): a compact array of its present children in schema order. What a slot holds depends on the
 * child's schema kind:
 *
 *   leaf                 struct value          leaf-list, list     struct tree_map * (never empty)
 *   container            struct tree_record *  anydata, anyxml     struct tree_any *
 *
 * Only explicit data is stored: a non-presence container is present only if something below it is, or if it
 * was created explicitly (then it may be empty). The record itself does not know its schema node; who walks
 * does.
 *
 * Sharing: nodes are reference counted (atomic). A node may be changed only by a builder that reaches it
 * through nothing but nodes with one reference (builder.h); nodes reachable from a published root never
 * change. A record pointer that is `const` is a borrow; tree_record_ref makes it an own reference.
 */
#include <stdatomic.h>
#include <stdint.h>
#include "schema/schema.h"
#include "tree/any.h"

struct tree_map;
struct tree_annotations;

union tree_slot {
	uint64_t word;
	struct value value;
	struct tree_record *record;
	struct tree_map *map;
	struct tree_any *any;
	struct tree_annotations *annotations; /* private: annotation.c */
};

struct tree_record {
	_Atomic uint32_t refs;
	uint16_t length;   /* present children */
	uint16_t capacity; /* slots allocated */
	/* capacity slots, then the stamp, then capacity uint16_t: the schema slot of each, ascending. The
	 * last of them are also where annotations are kept (annotation.h), beyond `length`. */
	union tree_slot slots[];
};

static inline const uint16_t *tree_record_indexes(const struct tree_record *record)
{
	return (const uint16_t *)((const uint32_t *)(record->slots + record->capacity) + 1);
}

/*
 * The stamp: the version that changed data at or below the record last, for who keeps versions (stamp.h); 0:
 * not known. It is no part of the content, copies have that of what they are copied from, and it alone may be
 * written while others read.
 */
static inline _Atomic uint32_t *tree_record_stamp(const struct tree_record *record)
{
	return (_Atomic uint32_t *)(record->slots + record->capacity);
}

static inline uint32_t tree_record_stamp_get(const struct tree_record *record)
{
	return atomic_load_explicit(tree_record_stamp(record), memory_order_relaxed);
}

static inline void tree_record_stamp_set(const struct tree_record *record, uint32_t stamp)
{
	atomic_store_explicit(tree_record_stamp(record), stamp, memory_order_relaxed);
}

/* The content of a child that is present; NULL where it is absent. Cost: O(log children). */
const union tree_slot *tree_record_find(const struct tree_record *record, const struct schema_node *child);

struct tree_record *tree_record_ref(const struct tree_record *record);
/*
 * Drops a reference. What no other root reaches is released, at most TREE_INLINE_RELEASE nodes at once in
 * this call; the rest is left to `reclaimer` (reclaim.h; NULL: all at once, for tests and tools). `schema` is
 * the record's schema node.
 */
struct tree_reclaimer;
void tree_record_unref(const struct tree_record *record, const struct schema_node *schema,
		       struct tree_reclaimer *reclaimer);

/* A record without children (one reference). The empty datastore is tree_record_new(). */
struct tree_record *tree_record_new(void);
/* Equal content below, deep; equal pointers are skipped. Cost: O(what is not shared). */
bool tree_record_equal(const struct schema_node *schema, const struct tree_record *a,
		       const struct tree_record *b);
/* Bytes of heap that are reachable, shared ones counted once each time met; for tests and statistics. */
size_t tree_record_memory(const struct schema_node *schema, const struct tree_record *record);
