/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * What the files of this folder share with each other. Layers above include the public headers only.
 *
 * A map is a B+tree of `struct tree_map` nodes, all leaf nodes at the same depth (level 0). A cell of an
 * inner node is a child; its separator is the key of the child's first item, always exactly, so it is not
 * stored. Each node keeps for each cell a digest: the 4 bytes of the cell's key that follow the node's
 * prefix, as a big-endian number (bytes past the end of a key count as 0). The prefix is known by its size
 * alone; its bytes are those of any cell's key. It may be shorter than what the cells really have in common,
 * never longer. Sort keys are self-delimiting: none begins with another one.
 *
 * There are three kinds of such B+trees, alike but for what their keys are:
 *
 *   sorted   by the sort keys of the items: a system-ordered list or leaf-list
 *   order    by 64-bit order labels: a sequence (what no key finds), or half of a user-ordered list
 *   index    by the sort keys again, with the label of each item: the other half
 *
 * The leaf nodes of the last two keep a label beside each item. A user-ordered list is a node of the kind
 * `pair` with two cells, an order tree and an index of exactly the same items (map_order.c). The index holds
 * no references: whoever reaches it holds the pair, and with it the order tree, which does. So a record of a
 * user-ordered list has one reference from its list, like any other.
 */
#include "base/assert.h"
#include "base/memory.h"
#include "tree/annotation.h"
#include "tree/builder.h"
#include "tree/cursor.h"
#include "tree/diff.h"

/* Measured at 1,000,000 entries with fanouts of 16 to 64: a change with path copy is slower above 32 (each
 * copied cell is a reference count on a cache line of its own), loads, lookups and memory are worse below. */
#define TREE__FANOUT 24	   /* most cells of a map node: a change copies one a level, and their references */
#define TREE__FANOUT_MIN 6 /* a deletion that leaves fewer joins the node with a neighbour */
#define TREE__PREFIX_MAX UINT16_MAX
#define TREE__KEY_LOCAL 256 /* bytes of a sort key that need no heap */

/* ---- keys (map_key.c) ---- */

/* An encoded sort key, or label. Not to be moved: `data` may point to `local`. */
struct tree__key {
	uint8_t *data;
	size_t size, capacity; /* bytes */
	uint64_t label;	       /* what an insertion into a tree with labels puts beside the item */
	uint8_t local[TREE__KEY_LOCAL];
};

void tree__key_of_values(struct tree__key *key, const struct schema_node *node, const struct value *values);
void tree__key_of_item(struct tree__key *key, const struct schema_node *node, const union tree_item *item);
void tree__key_of_label(struct tree__key *key, uint64_t label);
void tree__key_fini(struct tree__key *key);
/* The length of the common beginning. */
size_t tree__key_common(const struct tree__key *a, const struct tree__key *b);
int tree__key_compare(const struct tree__key *a, const struct tree__key *b);
uint32_t tree__key_digest(const struct tree__key *key, size_t offset);
/* Order of two items of one list or leaf-list, without encoding them. */
int tree__item_compare(const struct schema_node *node, const union tree_item *a, const union tree_item *b);
int tree__record_compare_keys(const struct schema_node *list, const struct tree_record *a,
			      const struct tree_record *b);

/* ---- nodes (map_node.c) ---- */

union tree__cell {
	union tree_item item;	/* level 0 */
	struct tree_map *child; /* above */
};

enum tree__map_kind { TREE__SORTED, TREE__ORDER, TREE__INDEX, TREE__PAIR };

/* The cells of a pair. */
enum { TREE__ORDER_CELL, TREE__INDEX_CELL };

struct tree_map {
	_Atomic uint32_t refs;
	uint16_t prefix_size; /* bytes */
	uint8_t length;	      /* cells, at least 1 */
	uint8_t capacity;
	uint64_t count : 54; /* items in all of the subtree */
	uint64_t kind : 2;   /* enum tree__map_kind */
	uint64_t level : 8;  /* 0: leaf node; a pair: 1 */
	/* capacity cells, then capacity uint32_t digests, then, where tree__has_labels, capacity uint64_t */
	union tree__cell cells[];
};

static inline uint32_t *tree__map_digests(const struct tree_map *map)
{
	return (uint32_t *)(map->cells + map->capacity);
}

static inline bool tree__has_labels(const struct tree_map *map)
{
	return map->kind != TREE__SORTED && map->level == 0;
}

/* Capacities are even, so that these are aligned. */
static inline uint64_t *tree__map_labels(const struct tree_map *map)
{
	return (uint64_t *)(tree__map_digests(map) + map->capacity);
}

/* The B+tree that is in the order of the items. */
static inline const struct tree_map *tree__map_in_order(const struct tree_map *map)
{
	return map->kind == TREE__PAIR ? map->cells[TREE__ORDER_CELL].child : map;
}

struct tree_map *tree__map_new(enum tree__map_kind kind, unsigned level, size_t length);
/* A leaf node of one item. */
struct tree_map *tree__map_new_leaf(enum tree__map_kind kind, union tree_item item,
				    const struct schema_node *node, const struct tree__key *key);
/* An own copy with one reference; the cells are shared. */
struct tree_map *tree__map_dup(const struct tree_map *map, const struct schema_node *node);
size_t tree__map_size(const struct tree_map *map); /* bytes */
struct tree_map *tree__map_ref(struct tree_map *map);
/* Needs one reference. Gives the node, moved if it had no room for another cell. */
struct tree_map *tree__map_reserve(struct tree_map *map);
void tree__map_cell_key(const struct tree_map *map, size_t index, const struct schema_node *node,
			struct tree__key *key);
/* Needs room. `prefix_matches`: the key is known to begin with the node's prefix. Does not touch `count`. */
void tree__map_insert_cell(struct tree_map *map, size_t index, union tree__cell cell,
			   const struct schema_node *node, const struct tree__key *key, bool prefix_matches);
void tree__map_remove_cell(struct tree_map *map, size_t index);
/* Copies cells with their digests and labels; `length` of `to` is the caller's to set. */
void tree__map_copy_cells(struct tree_map *to, size_t to_index, const struct tree_map *from,
			  size_t from_index, size_t length);
/* Says that the cell's key is now `key`. */
void tree__map_set_key(struct tree_map *map, size_t index, const struct schema_node *node,
		       const struct tree__key *key);
/* Makes prefix and digests anew from the keys. */
void tree__map_refresh(struct tree_map *map, const struct schema_node *node);
/* Items below cells [from, to). */
uint64_t tree__map_sum(const struct tree_map *map, size_t from, size_t to);

/* ---- search (map_search.c) ---- */

/* Where a key is or belongs: the path to its leaf node; the last index may be the leaf's length. */
struct tree__place {
	struct tree_map_iter iter;
	bool exact;	     /* the item has that key */
	bool prefix_matches; /* the key begins with the leaf node's prefix */
};

void tree__map_search(const struct tree_map *map, const struct schema_node *node, const struct tree__key *key,
		      struct tree__place *place);
/* The key of an item that was put behind all others, kept so that the next one need not encode it again. */
struct tree__last {
	uint64_t word; /* of the item; 0: none */
	struct tree__key key;
};

/* If the key is greater than all in the map: true and the place after the last item. `last` NULL: not known.
 */
bool tree__map_search_end(const struct tree_map *map, const struct schema_node *node,
			  const struct tree__key *key, const struct tree__last *last,
			  struct tree__place *place);

/* Needs an exact place, or one before an item in its leaf node. */
static inline union tree_item *tree__place_item(const struct tree__place *place)
{
	uint32_t leaf = place->iter.height - 1;
	return (union tree_item *)&place->iter.path[leaf].map->cells[place->iter.path[leaf].index].item;
}

/* ---- edit (map_edit.c, map_remove.c). All need a *root that is reached through nothing but single
 * references. ---- */

/* Makes the nodes on the path single references and gives the item. */
union tree_item *tree__map_own(struct tree_map **root, struct tree_map_iter *path,
			       struct tree_reclaimer *reclaimer);
/* The same for one node that *link reaches. */
struct tree_map *tree__map_own_node(struct tree_map **link, const struct schema_node *node,
				    struct tree_reclaimer *reclaimer);
/* Puts an item (Takes its reference) at a place found by a search that was not exact. *root may be NULL
 * (empty). Valid until the map changes. */
union tree_item *tree__map_insert(struct tree_map **root, struct tree__place *place,
				  const struct tree__key *key, union tree_item item,
				  struct tree_reclaimer *reclaimer);
/* Hangs all leaf nodes of `map` (Takes its reference; reached through single references only, sorted) behind
 * those of *root, as they are. Needs: its items come behind all that are there. O(log n) a leaf node. */
void tree__map_append(struct tree_map **root, const struct schema_node *node, struct tree_map *map,
		      struct tree_reclaimer *reclaimer);
/* Takes the item out; the caller gets its reference. *root becomes NULL with the last one. */
union tree_item tree__map_remove(struct tree_map **root, struct tree_map_iter *path,
				 struct tree_reclaimer *reclaimer);
/* After the first item of path[depth] changed: corrects the separators above. */
void tree__map_fix_first(struct tree_map_iter *path, uint32_t depth);

/* ---- pairs (map_pair.c) ---- */

struct tree__pair_side {
	struct {
		const struct tree_map *map;
		uint32_t index;
	} path[TREE_MAP_HEIGHT_MAX + 1];
	uint32_t height; /* the unit is cell path[height - 1]; 0: at the end */
	bool whole;	 /* the unit is all of path[0].map: not entered yet */
	uint64_t label;	 /* of the item given last, where there are labels */
	uint64_t index;	 /* walk by position: items that were passed, the one given last included */
};

/*
 * Walks two maps of one node side by side and leaves out what they share: sorted maps and indexes by key, so
 * that items with the same key meet; order trees by position, so that those with the same index meet.
 */
struct tree__pair {
	const struct schema_node *node;
	enum tree__map_kind kind;
	struct tree__pair_side a, b;
	size_t visited; /* nodes and items that were looked at */
};

/* Either may be NULL (empty); both of one kind, not pairs. */
void tree__pair_init(struct tree__pair *pair, const struct schema_node *node, const struct tree_map *a,
		     const struct tree_map *b);
/* The next items that differ: only in a (*in_b NULL), only in b, or the same key (or position) with another
 * pointer or label. False at the end. */
bool tree__pair_next(struct tree__pair *pair, const union tree_item **in_a, const union tree_item **in_b);

/* ---- order (map_order.c) ---- */

/* Behind and before which label an item goes; low 0: behind none, high UINT64_MAX: before none. */
struct tree__gap {
	uint64_t low, high;
};

/* The two cells that an item of a pair is in; `twin` is that of the index. */
struct tree__order_cells {
	union tree_item *item, *twin;
};

/* The label of an item at a place in a tree that has labels. */
static inline uint64_t tree__place_label(const struct tree__place *place)
{
	uint32_t leaf = place->iter.height - 1;
	return tree__map_labels(place->iter.path[leaf].map)[place->iter.path[leaf].index];
}

/* How many items of an order tree have a label below this one (map_search.c). */
uint64_t tree__order_rank(const struct tree_map *order, const struct schema_node *node, uint64_t label);
/* The same for a pair; gives the last of these items, too (NULL: none). */
uint64_t tree__order_before(const struct tree_map *pair, const struct schema_node *node, uint64_t label,
			    const union tree_item **item);

/*
 * In what follows *link is a pair reached through single references only (it need not be one itself), and
 * `place` was found in its index. An anchor (tree_insert) must be there, and must not be the item itself.
 */

/* Adds an item (Takes its reference) with a key that is not there. *link NULL: makes the pair. */
struct tree__order_cells tree__order_insert(struct tree_map **link, struct tree__place *place,
					    struct tree__key *key, union tree_item item,
					    const struct tree_insert *insert,
					    struct tree_reclaimer *reclaimer);
/* Whether moving the item there would change nothing. Gives the gap that it would go to. */
bool tree__order_is_at(const struct tree_map *pair, const struct tree__place *place,
		       const struct tree_insert *insert, struct tree__gap *gap);
/* Needs that it would change something. */
void tree__order_move(struct tree_map **link, struct tree__place *place, const struct tree__key *key,
		      const struct tree_insert *insert, struct tree__gap gap,
		      struct tree_reclaimer *reclaimer);
/* Makes both cells of an item one's own. */
struct tree__order_cells tree__order_own(struct tree_map **link, struct tree__place *place,
					 struct tree_reclaimer *reclaimer);
/* Takes the item out; the caller gets its reference. *link becomes NULL with the last one. */
union tree_item tree__order_remove(struct tree_map **link, struct tree__place *place,
				   struct tree_reclaimer *reclaimer);
/* Adds an item (Takes its reference) at the end of a sequence. *link NULL: makes it. */
union tree_item *tree__sequence_append(struct tree_map **link, const struct schema_node *node,
				       union tree_item item, struct tree_reclaimer *reclaimer);

/* ---- records (record.c), all but dup need a single reference ---- */

/* Room for `length` children without moving. */
struct tree_record *tree__record_alloc(size_t length);
struct tree_record *tree__record_dup(const struct tree_record *record, const struct schema_node *schema);
/* Gives the record, which may have moved. */
struct tree_record *tree__record_insert(struct tree_record *record, const struct schema_node *child,
					union tree_slot content);
struct tree_record *tree__record_remove(struct tree_record *record, const struct schema_node *child);
/* Puts a table (Takes its reference; NULL: none) where the present one is, which is not released. */
struct tree_record *tree__record_set_annotations(struct tree_record *record, struct tree_annotations *table);
/* Gives back room for children that did not come. */
struct tree_record *tree__record_fit(struct tree_record *record);
void tree__slot_ref(const struct schema_node *child, union tree_slot content);
bool tree__slot_equal(const struct schema_node *child, union tree_slot a, union tree_slot b);

static inline bool tree__is_single(const _Atomic uint32_t *refs)
{
	return atomic_load_explicit(refs, memory_order_acquire) == 1;
}

static inline void tree__refs_take(_Atomic uint32_t *refs)
{
	uint32_t before = atomic_fetch_add_explicit(refs, 1, memory_order_relaxed);
	ASSERT(before > 0 && before < UINT32_MAX / 2);
}

/* True where it was the last one. Whoever holds the only reference needs no atomic write. */
static inline bool tree__refs_drop(_Atomic uint32_t *refs)
{
	if (tree__is_single(refs))
		return true;
	uint32_t before = atomic_fetch_sub_explicit(refs, 1, memory_order_acq_rel);
	ASSERT(before > 0);
	return before == 1;
}

static inline bool tree__has_value(const struct schema_node *node)
{
	return node->kind == SCHEMA_LEAF || node->kind == SCHEMA_LEAF_LIST;
}

static inline bool tree__has_any(const struct schema_node *node)
{
	return node->kind == SCHEMA_ANYDATA || node->kind == SCHEMA_ANYXML;
}

/* ---- annotations (annotation.c) ---- */

struct tree_annotations {
	_Atomic uint32_t refs;
	uint32_t length, capacity;
	struct tree_annotation entries[]; /* by slot, item, index of the annotation; owned values */
};

/* The record's table; NULL: it has none. */
static inline struct tree_annotations *tree__record_annotations(const struct tree_record *record)
{
	return tree_record_annotated(record) ? record->slots[record->capacity - 1u].annotations : NULL;
}

/* Those of a child, of a leaf-list those of all its values. */
const struct tree_annotation *tree__annotations_of_child(const struct tree_record *record,
							 const struct schema_node *child, size_t *count);
struct tree_annotations *tree__annotations_ref(struct tree_annotations *table);
void tree__annotations_unref(struct tree_annotations *table);
size_t tree__annotations_memory(const struct tree_annotations *table);
bool tree__annotations_equal(const struct tree_annotation *a, size_t a_count, const struct tree_annotation *b,
			     size_t b_count);
/* Changes of a record that is a single reference. Each gives the record, which may have moved. */
struct tree_record *tree__annotations_put(struct tree_record *record, struct tree_annotated node,
					  const struct schema_annotation *schema, struct value value);
/* `schema` NULL: all of that node. */
struct tree_record *tree__annotations_remove(struct tree_record *record, struct tree_annotated node,
					     const struct schema_annotation *schema);
/* All of the child, of a leaf-list those of all its values. */
struct tree_record *tree__annotations_remove_child(struct tree_record *record,
						   const struct schema_node *child);

/* ---- release (release.c) ---- */

/* A node without references whose content is still to be released. */
struct tree__dead {
	void *node;
	const struct schema_node *schema; /* of the record; of the map's list or leaf-list */
	bool is_map;
};

#define TREE__RELEASE_LOCAL 64

struct tree__release {
	struct tree__dead *entries; /* a stack */
	size_t length, capacity;
	struct tree__dead local[TREE__RELEASE_LOCAL];
};

void tree__release_init(struct tree__release *release);
void tree__release_fini(struct tree__release *release);
void tree__release_push(struct tree__release *release, struct tree__dead dead);
/* Releases at most `nodes` nodes; true where some are left. */
bool tree__release_run(struct tree__release *release, size_t nodes);
void tree__reclaimer_push(struct tree_reclaimer *reclaimer, const struct tree__dead *entries, size_t length);

void tree__map_unref(struct tree_map *map, const struct schema_node *node, struct tree_reclaimer *reclaimer);
void tree__slot_unref(const struct schema_node *child, union tree_slot content,
		      struct tree_reclaimer *reclaimer);
