/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Inserting into a map, and making a path of it one's own. The caller owns the record that holds the map; a
 * node that is reached through nothing but single references is changed in place, others are copied first
 * (one path of nodes).
 *
 * A full node is split where the new cell goes: at the right edge of the map the left node stays full and the
 * new cell starts a node of its own (ascending loads fill nodes completely), at the left edge the mirror
 * image, else in the middle. A cell that would follow the last one of a full node goes to the next node if
 * that has room, which fills nodes of descending runs in the middle of a map, too.
 */
#include "tree/internal.h"

/* Digests of a node after a split get a longer prefix where its keys share more of the digest than this many
 * bytes. */
#define SHARED_DIGEST_MAX 1

/* An insertion on its way up the path: the cell that goes to path[depth] before `index`. */
struct edit {
	struct tree_map **root;
	struct tree_map_iter *path;
	uint32_t depth, index;
	union tree__cell cell;
	bool prefix_matches; /* known of the key and path[depth] */
	struct tree_reclaimer *reclaimer;
};

struct tree_map *tree__map_own_node(struct tree_map **link, const struct schema_node *node,
				    struct tree_reclaimer *reclaimer)
{
	struct tree_map *map = *link;
	if (tree__is_single(&map->refs))
		return map;
	*link = tree__map_dup(map, node);
	tree__map_unref(map, node, reclaimer);
	return *link;
}

/* Nodes on a path are `const` to readers; those that an edit made its own are not. */
static struct tree_map *node_at(const struct tree_map_iter *path, uint32_t depth)
{
	return (struct tree_map *)path->path[depth].map;
}

static void own_path(struct tree_map **root, struct tree_map_iter *path, struct tree_reclaimer *reclaimer)
{
	struct tree_map **link = root;
	for (uint32_t depth = 0; depth < path->height; depth++) {
		struct tree_map *map = tree__map_own_node(link, path->node, reclaimer);
		path->path[depth].map = map;
		if (map->level > 0)
			link = &map->cells[path->path[depth].index].child;
	}
}

union tree_item *tree__map_own(struct tree_map **root, struct tree_map_iter *path,
			       struct tree_reclaimer *reclaimer)
{
	own_path(root, path, reclaimer);
	uint32_t leaf = path->height - 1;
	struct tree_map *map = node_at(path, leaf);
	return path->path[leaf].index < map->length ? &map->cells[path->path[leaf].index].item : NULL;
}

void tree__map_fix_first(struct tree_map_iter *path, uint32_t depth)
{
	struct tree__key key;
	tree__map_cell_key(path->path[depth].map, 0, path->node, &key);
	while (depth-- > 0) {
		tree__map_set_key(node_at(path, depth), path->path[depth].index, path->node, &key);
		if (path->path[depth].index > 0)
			break;
	}
	tree__key_fini(&key);
}

static uint64_t cell_count(unsigned level, union tree__cell cell)
{
	return level == 0 ? 1 : cell.child->count;
}

static struct tree_map *node_of(const struct edit *edit)
{
	return node_at(edit->path, edit->depth);
}

/* Puts the cell in where there is room; the node may move. */
static void put_here(struct edit *edit, const struct tree__key *key)
{
	struct tree_map_iter *path = edit->path;
	uint32_t depth = edit->depth;
	struct tree_map *map = tree__map_reserve(node_of(edit));
	path->path[depth].map = map;
	if (depth == 0)
		*edit->root = map;
	else
		node_at(path, depth - 1)->cells[path->path[depth - 1].index].child = map;
	tree__map_insert_cell(map, edit->index, edit->cell, path->node, key, edit->prefix_matches);
	path->path[depth].index = edit->index;
	if (edit->index == 0)
		tree__map_fix_first(path, depth);
}

/* The node behind it under the same parent, if there is one. */
static struct tree_map **next_node(const struct edit *edit)
{
	if (edit->depth == 0)
		return NULL;
	struct tree_map *parent = node_at(edit->path, edit->depth - 1);
	uint32_t next = edit->path->path[edit->depth - 1].index + 1u;
	return next < parent->length ? &parent->cells[next].child : NULL;
}

/* Puts the cell before all of the next node, which has room. */
static void put_in_next(struct edit *edit, struct tree_map **link, const struct tree__key *key)
{
	const struct schema_node *node = edit->path->node;
	struct tree_map *map = node_of(edit);
	struct tree_map *next = tree__map_reserve(tree__map_own_node(link, node, edit->reclaimer));
	*link = next;
	uint64_t count = cell_count(map->level, edit->cell);
	next->count += count;
	map->count -= count;
	tree__map_insert_cell(next, 0, edit->cell, node, key, false);
	struct tree_map *parent = node_at(edit->path, edit->depth - 1);
	tree__map_set_key(parent, edit->path->path[edit->depth - 1].index + 1u, node, key);
	edit->path->path[edit->depth].map = next;
	edit->path->path[edit->depth].index = 0;
}

static bool is_at_right_edge(const struct edit *edit)
{
	for (uint32_t i = 0; i < edit->depth; i++) {
		if (edit->path->path[i].index + 1u < edit->path->path[i].map->length)
			return false;
	}
	return true;
}

static void refresh_if_alike(struct tree_map *map, const struct schema_node *node)
{
	const uint32_t *digests = tree__map_digests(map);
	uint32_t differing = digests[0] ^ digests[map->length - 1];
	if (differing == 0 || (unsigned)__builtin_clz(differing) / 8 > SHARED_DIGEST_MAX)
		tree__map_refresh(map, node);
}

/* A node with the cell alone; `map` is the full node that it goes beside. */
static struct tree_map *put_alone(struct edit *edit, struct tree_map *map, const struct tree__key *key)
{
	struct tree_map *alone = tree__map_new(map->kind, map->level, 1);
	tree__map_insert_cell(alone, 0, edit->cell, edit->path->node, key, false);
	alone->count = cell_count(map->level, edit->cell);
	map->count -= alone->count;
	edit->path->path[edit->depth].map = alone;
	edit->path->path[edit->depth].index = 0;
	return alone;
}

/* Moves the upper half of the full node to a new one and puts the cell where it belongs. */
static struct tree_map *put_in_halves(struct edit *edit, const struct tree__key *key)
{
	const struct schema_node *node = edit->path->node;
	struct tree_map *map = node_of(edit), *target = map;
	size_t kept = map->length / 2u, moved = map->length - kept, index = edit->index;
	struct tree_map *right = tree__map_new(map->kind, map->level, moved + 1);
	tree__map_copy_cells(right, 0, map, kept, moved);
	right->length = (uint8_t)moved;
	right->prefix_size = map->prefix_size;
	map->length = (uint8_t)kept;
	if (index > kept) {
		target = right;
		index -= kept;
	}
	tree__map_insert_cell(target, index, edit->cell, node, key, edit->prefix_matches);
	right->count = tree__map_sum(right, 0, right->length);
	map->count -= right->count;
	refresh_if_alike(map, node);
	refresh_if_alike(right, node);
	edit->path->path[edit->depth].map = target;
	edit->path->path[edit->depth].index = (uint32_t)index;
	return right;
}

/* Puts the cell in. Gives a new node if the present one had to be split, to be put in one level up at
 * edit->index, else NULL. */
static struct tree_map *put(struct edit *edit, const struct tree__key *key)
{
	struct tree_map *map = node_of(edit);
	if (map->length < TREE__FANOUT) {
		put_here(edit, key);
		return NULL;
	}
	bool is_last = edit->index == map->length;
	struct tree_map **next = is_last ? next_node(edit) : NULL;
	if (next != NULL && (*next)->length < TREE__FANOUT) {
		put_in_next(edit, next, key);
		return NULL;
	}
	uint32_t place = edit->depth > 0 ? edit->path->path[edit->depth - 1].index : 0;
	bool is_first = edit->index == 0;
	bool goes_alone = is_first || next != NULL || (is_last && is_at_right_edge(edit));
	struct tree_map *made = goes_alone ? put_alone(edit, map, key) : put_in_halves(edit, key);
	edit->index = is_first ? place : place + 1;
	return made;
}

static void grow_root(struct edit *edit, struct tree_map *made)
{
	const struct schema_node *node = edit->path->node;
	struct tree_map *old = *edit->root;
	struct tree_map *root = tree__map_new(old->kind, old->level + 1u, 2);
	root->cells[0].child = edit->index == 0 ? made : old;
	root->cells[1].child = edit->index == 0 ? old : made;
	root->length = 2;
	root->count = old->count + made->count;
	tree__map_refresh(root, node);
	*edit->root = root;
}

/* Puts a node that was made one level up, before edit->index, and what that makes further up. NULL: nothing
 * was. */
static void put_above(struct edit *edit, struct tree_map *made)
{
	while (made != NULL && edit->depth > 0) {
		struct tree__key first;
		tree__map_cell_key(made, 0, edit->path->node, &first);
		edit->depth--;
		edit->cell.child = made;
		edit->prefix_matches = false;
		made = put(edit, &first);
		tree__key_fini(&first);
	}
	if (made != NULL)
		grow_root(edit, made);
}

union tree_item *tree__map_insert(struct tree_map **root, struct tree__place *place,
				  const struct tree__key *key, union tree_item item,
				  struct tree_reclaimer *reclaimer)
{
	struct tree_map_iter *path = &place->iter;
	if (*root == NULL) {
		*root = tree__map_new_leaf(TREE__SORTED, item, path->node, key);
		return &(*root)->cells[0].item;
	}
	own_path(root, path, reclaimer);
	for (uint32_t i = 0; i < path->height; i++)
		node_at(path, i)->count++;
	uint32_t leaf = path->height - 1;
	struct edit edit = {
		.root = root,
		.path = path,
		.depth = leaf,
		.index = path->path[leaf].index,
		.cell.item = item,
		.prefix_matches = place->prefix_matches,
		.reclaimer = reclaimer,
	};
	struct tree_map *made = put(&edit, key);
	union tree_item *put_item = &node_at(path, leaf)->cells[path->path[leaf].index].item;
	put_above(&edit, made);
	return put_item;
}

/* Hangs a leaf node behind all others. */
static void append_leaf(struct tree_map **root, const struct schema_node *node, struct tree_map *leaf,
			struct tree_reclaimer *reclaimer)
{
	struct tree_map_iter path = {.node = node};
	for (const struct tree_map *map = *root; map->level > 0; map = map->cells[map->length - 1].child) {
		ASSERT(path.height < TREE_MAP_HEIGHT_MAX);
		path.path[path.height].map = map;
		path.path[path.height++].index = map->length - 1u;
	}
	own_path(root, &path, reclaimer);
	for (uint32_t i = 0; i < path.height; i++)
		node_at(&path, i)->count += leaf->count;
	struct edit edit = {
		.root = root, .path = &path, .depth = path.height, .index = 1, .reclaimer = reclaimer};
	if (path.height > 0)
		edit.index = path.path[path.height - 1].index + 1;
	put_above(&edit, leaf);
}

void tree__map_append(struct tree_map **root, const struct schema_node *node, struct tree_map *map,
		      struct tree_reclaimer *reclaimer)
{
	if (map->level == 0) {
		append_leaf(root, node, map, reclaimer);
		return;
	}
	for (size_t i = 0; i < map->length; i++)
		tree__map_append(root, node, map->cells[i].child, reclaimer);
	memory_free(map);
}
