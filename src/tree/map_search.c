/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Searching a map. On the way down each node is searched by its digests; keys of items are encoded and
 * compared only where digests tie, or where it is not yet known that the key has the node's prefix. Mostly it
 * is known: a child that lies between two separators shares with them, and so with the key, all that the two
 * have in common. So a search touches the header and digests of each node, and one item at the end.
 */
#include <string.h>

#include "schema/type.h"
#include "tree/internal.h"

/* Where a key stands in one node. */
struct spot {
	uint32_t index; /* cells with a smaller key */
	bool exact;	/* that cell has this very key */
	bool prefix_matches;
};

static int compare_cell(const struct tree_map *map, size_t index, const struct schema_node *node,
			const struct tree__key *key)
{
	struct tree__key other;
	tree__map_cell_key(map, index, node, &other);
	int order = tree__key_compare(&other, key);
	tree__key_fini(&other);
	return order;
}

/* The order of the node's prefix and the beginning of the key. */
static int compare_prefix(const struct tree_map *map, const struct schema_node *node,
			  const struct tree__key *key)
{
	struct tree__key first;
	tree__map_cell_key(map, 0, node, &first);
	size_t size = map->prefix_size < key->size ? map->prefix_size : key->size;
	int order = memcmp(first.data, key->data, size);
	tree__key_fini(&first);
	return order != 0 ? order : map->prefix_size > size;
}

static uint32_t lower_bound(const uint32_t *digests, uint32_t length, uint32_t digest)
{
	uint32_t base = 0;
	while (length > 1) {
		uint32_t half = length / 2;
		base += digests[base + half - 1] < digest ? half : 0;
		length -= half;
	}
	return base + (length == 1 && digests[base] < digest);
}

/* Among cells [low, high), whose digests all equal that of the key. */
static struct spot search_ties(const struct tree_map *map, const struct schema_node *node,
			       const struct tree__key *key, uint32_t low, uint32_t high)
{
	while (low < high) {
		uint32_t middle = (low + high) / 2;
		int order = compare_cell(map, middle, node, key);
		if (order == 0)
			return (struct spot){.index = middle, .exact = true, .prefix_matches = true};
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return (struct spot){.index = low, .prefix_matches = true};
}

/* `known`: so many bytes are the same in the key and in all keys of the node. */
static struct spot search_node(const struct tree_map *map, const struct schema_node *node,
			       const struct tree__key *key, size_t known)
{
	int order = known < map->prefix_size ? compare_prefix(map, node, key) : 0;
	if (order != 0)
		return (struct spot){.index = order < 0 ? map->length : 0};
	const uint32_t *digests = tree__map_digests(map);
	uint32_t digest = tree__key_digest(key, map->prefix_size);
	uint32_t low = lower_bound(digests, map->length, digest), high = low;
	while (high < map->length && digests[high] == digest)
		high++;
	return search_ties(map, node, key, low, high);
}

/* What the keys below a cell are known to share with a key that belongs there. */
static size_t known_below(const struct tree_map *map, uint32_t index, size_t known)
{
	if (index + 1u >= map->length)
		return known;
	const uint32_t *digests = tree__map_digests(map);
	uint32_t differing = digests[index] ^ digests[index + 1];
	size_t common =
		map->prefix_size + (differing != 0 ? (size_t)__builtin_clz(differing) / 8 : sizeof(uint32_t));
	return common > known ? common : known;
}

void tree__map_search(const struct tree_map *map, const struct schema_node *node, const struct tree__key *key,
		      struct tree__place *place)
{
	place->iter.node = node;
	place->iter.height = 0;
	size_t known = 0;
	while (true) {
		struct spot spot = search_node(map, node, key, known);
		uint32_t depth = place->iter.height++;
		ASSERT(depth < TREE_MAP_HEIGHT_MAX);
		place->iter.path[depth].map = map;
		place->iter.path[depth].index = spot.index;
		place->exact = spot.exact;
		place->prefix_matches = spot.prefix_matches;
		if (map->level == 0)
			return;
		/* The child to enter begins at or before the key; before the first one there is only the
		 * first. */
		bool is_between = spot.prefix_matches && (spot.exact || spot.index > 0);
		uint32_t child = spot.exact || spot.index == 0 ? spot.index : spot.index - 1;
		place->iter.path[depth].index = child;
		if (is_between)
			known = known_below(map, child, known);
		map = map->cells[child].child;
		__builtin_prefetch(tree__map_digests(map));
	}
}

/* True where the key comes behind that of the leaf node's last item; says whether it has the node's prefix.
 */
static bool is_behind(const struct tree_map *leaf, const struct tree__key *last, const struct tree__key *key,
		      bool *prefix_matches)
{
	size_t common = tree__key_common(last, key);
	*prefix_matches = common >= leaf->prefix_size;
	if (common == last->size || common == key->size)
		return last->size < key->size;
	return last->data[common] < key->data[common];
}

bool tree__map_search_end(const struct tree_map *map, const struct schema_node *node,
			  const struct tree__key *key, const struct tree__last *last,
			  struct tree__place *place)
{
	place->iter.node = node;
	place->iter.height = 0;
	place->exact = false;
	while (true) {
		uint32_t depth = place->iter.height++;
		ASSERT(depth < TREE_MAP_HEIGHT_MAX);
		place->iter.path[depth].map = map;
		place->iter.path[depth].index = map->length - 1u;
		if (map->level == 0)
			break;
		map = map->cells[map->length - 1].child;
	}
	place->iter.path[place->iter.height - 1].index = map->length;
	if (last != NULL && map->cells[map->length - 1].item.word == last->word)
		return is_behind(map, &last->key, key, &place->prefix_matches);
	struct tree__key end;
	tree__map_cell_key(map, map->length - 1u, node, &end);
	bool behind = is_behind(map, &end, key, &place->prefix_matches);
	tree__key_fini(&end);
	return behind;
}

/* A value in a sequence, from its beginning. */
static const union tree_item *find_in_sequence(const struct tree_map *map, const struct schema_node *node,
					       struct value value)
{
	struct tree_map_iter iter;
	const union tree_item *item = NULL;
	if (node->kind == SCHEMA_LEAF_LIST)
		item = tree_map_first(&iter, map, node);
	while (item != NULL && !value_equal(item->value, value))
		item = tree_map_next(&iter);
	return item;
}

/* The place of the keys in a map that is not a sequence; for a pair in its index. */
static void search_values(const struct tree_map *map, const struct schema_node *node,
			  const struct value *keys, struct tree__place *place)
{
	if (map->kind == TREE__PAIR)
		map = map->cells[TREE__INDEX_CELL].child;
	struct tree__key key;
	tree__key_of_values(&key, node, keys);
	tree__map_search(map, node, &key, place);
	tree__key_fini(&key);
}

const union tree_item *tree_map_find(const struct tree_map *map, const struct schema_node *node,
				     const struct value *keys)
{
	if (map == NULL)
		return NULL;
	if (map->kind == TREE__ORDER)
		return find_in_sequence(map, node, keys[0]);
	struct tree__place place;
	search_values(map, node, keys, &place);
	return place.exact ? tree__place_item(&place) : NULL;
}

const union tree_item *tree_map_seek(struct tree_map_iter *iter, const struct tree_map *map,
				     const struct schema_node *node, const struct value *keys)
{
	ASSERT(map == NULL || map->kind == TREE__SORTED);
	if (map == NULL) {
		*iter = (struct tree_map_iter){.node = node};
		return NULL;
	}
	struct tree__place place;
	search_values(map, node, keys, &place);
	*iter = place.iter;
	uint32_t leaf = iter->height - 1;
	if (iter->path[leaf].index < iter->path[leaf].map->length)
		return &iter->path[leaf].map->cells[iter->path[leaf].index].item;
	iter->path[leaf].index--;
	return tree_map_next(iter);
}

static uint64_t rank_of(const struct tree__place *place)
{
	uint64_t rank = 0;
	for (uint32_t i = 0; i < place->iter.height; i++)
		rank += tree__map_sum(place->iter.path[i].map, 0, place->iter.path[i].index);
	return rank;
}

uint64_t tree__order_rank(const struct tree_map *order, const struct schema_node *node, uint64_t label)
{
	struct tree__key key;
	struct tree__place place;
	tree__key_of_label(&key, label);
	tree__map_search(order, node, &key, &place);
	return rank_of(&place);
}

uint64_t tree_map_rank(const struct tree_map *map, const struct schema_node *node, const struct value *keys)
{
	if (map == NULL)
		return 0;
	ASSERT(map->kind != TREE__ORDER);
	struct tree__place place;
	search_values(map, node, keys, &place);
	if (map->kind == TREE__SORTED)
		return rank_of(&place);
	return place.exact ? tree__order_rank(tree__map_in_order(map), node, tree__place_label(&place))
			   : map->count;
}
