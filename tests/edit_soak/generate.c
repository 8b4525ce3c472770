/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Random edits. So that they meet what is there and each other, an episode is about a few children of each
 * node only, and each leaf has a few values; half of the elements name an instance that exists.
 */
#include "soak_edits.h"

#include <string.h>

enum { ELEMENTS_MAX = 60 /* of an edit */, DEPTH_MAX = 12 };

struct making {
	struct episode *episode;
	struct soak *soak;
	unsigned left; /* elements that may still be made */
};

static bool has_value(const struct schema_node *node)
{
	return node->type || node->kind == SCHEMA_ANYDATA || node->kind == SCHEMA_ANYXML;
}

const char *episode_value(struct episode *episode, const struct schema_node *leaf)
{
	static const char *const anys[] = {"<one xmlns=\"urn:any\"/>", "<two xmlns=\"urn:any\">2</two>",
					   "<a xmlns=\"urn:any\"><b>x</b></a>"};
	unsigned index = soak_pick(episode->soak, EPISODE_VALUES);
	if (!leaf->type)
		return anys[index];
	const char ***values = &episode->values[leaf->id];
	if (!*values) {
		*values = arena_zalloc(episode->arena, EPISODE_VALUES * sizeof(**values));
		for (unsigned i = 0; i < EPISODE_VALUES; i++) {
			const char *value = soak_value(episode->soak, leaf);
			(*values)[i] = value ? arena_strdup(episode->arena, bytes_of(value)) : NULL;
		}
	}
	return (*values)[index];
}

/* Whether the episode is about the child. */
static bool is_chosen(const struct episode *episode, const struct schema_node *child)
{
	uint32_t hash = (child->id + 1) * 2654435761u ^ episode->salt;
	hash = (hash ^ hash >> 15) * 2246822519u;
	unsigned siblings = child->parent->child_count, wanted = child->parent->parent ? 7 : 4;
	return siblings <= wanted || (hash ^ hash >> 13) % siblings < wanted;
}

static const struct schema_node *choose_node(struct making *making, const struct schema_node *parent)
{
	const struct schema_node *chosen = NULL;
	unsigned seen = 0;
	for (uint16_t i = parent->key_count; i < parent->child_count; i++) {
		const struct schema_node *child = parent->children[i];
		if (child->config && is_chosen(making->episode, child) &&
		    soak_pick(making->soak, ++seen) == 0)
			chosen = child;
	}
	return chosen;
}

static struct model_item *choose_item(struct making *making, struct model_item *parent)
{
	struct model_item *chosen = NULL;
	unsigned seen = 0;
	for (struct model_item *child = parent ? parent->children : NULL; child; child = child->next) {
		if (!child->node->is_key && soak_pick(making->soak, ++seen) == 0)
			chosen = child;
	}
	return chosen;
}

/* Deletions often: half of what there is to delete is not there. Creations of what is there likewise. */
static enum model_operation choose_operation(struct making *making, const struct schema_node *node,
					     bool exists)
{
	static const enum model_operation known[] = {MODEL_MERGE,  MODEL_REPLACE, MODEL_REPLACE,
						     MODEL_DELETE, MODEL_DELETE,  MODEL_REMOVE};
	static const enum model_operation unknown[] = {MODEL_MERGE,  MODEL_REPLACE, MODEL_CREATE,
						       MODEL_CREATE, MODEL_CREATE,  MODEL_REMOVE};
	bool is_inner = node->kind == SCHEMA_CONTAINER || node->kind == SCHEMA_LIST;
	if (!soak_chance(making->soak, is_inner ? 15 : 30))
		return MODEL_INHERIT;
	bool fits = soak_chance(making->soak, 97);
	return (exists == fits ? known : unknown)[soak_pick(making->soak, 6)];
}

static struct model_element *add(struct making *making, struct model_element *parent,
				 const struct schema_node *node)
{
	struct model_element *element = arena_zalloc(making->soak->round, sizeof(*element));
	struct model_element **end = &parent->children;
	while (*end)
		end = &(*end)->next;
	*end = element;
	element->node = node;
	if (making->left > 0)
		making->left--;
	return element;
}

static void drop_last(struct model_element *parent)
{
	struct model_element **end = &parent->children;
	while ((*end)->next)
		end = &(*end)->next;
	*end = NULL;
}

static struct model_element *find_node(const struct model_element *parent, const struct schema_node *node)
{
	struct model_element *child = parent->children;
	while (child && child->node != node)
		child = child->next;
	return child;
}

/* The keys of the item, or random ones; false where none were found. */
static bool add_keys(struct making *making, struct model_element *entry, const struct model_item *item)
{
	for (uint16_t i = 0; i < entry->node->key_count; i++) {
		const struct schema_node *node = entry->node->children[i];
		const char *value = item ? model_item_key(item, node) : episode_value(making->episode, node);
		if (!value)
			return false;
		struct model_element *key = add(making, entry, node);
		key->value = value;
		if (soak_chance(making->soak, 1))
			key->operation = (enum model_operation)(1 + soak_pick(making->soak, 5));
	}
	return true;
}

/* Random keys, or those of an instance next to it. */
static void choose_anchor(struct making *making, struct model_element *element, struct model_item *parent)
{
	const struct schema_node *node = element->node;
	size_t count = node->kind == SCHEMA_LIST ? node->key_count : 1;
	struct model_item *other = choose_item(making, parent);
	const char **anchor = arena_zalloc(making->soak->round, count * sizeof(*anchor));
	bool is_there = other && other->node == node && soak_chance(making->soak, 80);
	for (size_t i = 0; i < count; i++) {
		const struct schema_node *leaf = node->kind == SCHEMA_LIST ? node->children[i] : node;
		anchor[i] = !is_there			? episode_value(making->episode, leaf)
			    : node->kind == SCHEMA_LIST ? model_item_key(other, leaf)
							: other->value;
		if (!anchor[i])
			return;
	}
	element->anchor = anchor;
	element->insert = soak_chance(making->soak, 50) ? MODEL_BEFORE : MODEL_AFTER;
}

static void choose_insert(struct making *making, struct model_element *element, struct model_item *parent)
{
	bool deletes = element->operation == MODEL_DELETE || element->operation == MODEL_REMOVE;
	if (!element->node->user_ordered || !soak_chance(making->soak, deletes ? 1 : 50))
		return;
	if (soak_chance(making->soak, 40))
		element->insert = soak_chance(making->soak, 50) ? MODEL_FIRST : MODEL_LAST;
	else
		choose_anchor(making, element, parent);
}

static void shuffle(struct making *making, struct model_element *parent)
{
	struct model_element *rest = parent->children;
	parent->children = NULL;
	while (rest) {
		struct model_element *element = rest, **link = &parent->children;
		rest = rest->next;
		unsigned length = 0;
		for (const struct model_element *other = parent->children; other; other = other->next)
			length++;
		for (unsigned place = soak_pick(making->soak, length + 1); place > 0; place--)
			link = &(*link)->next;
		element->next = *link;
		*link = element;
	}
}

static void fill(struct making *making, struct model_element *element, struct model_item *item,
		 unsigned depth);

/* The value or the content; false where the element cannot be made. */
static bool complete(struct making *making, struct model_element *element, struct model_item *item,
		     unsigned depth)
{
	const struct schema_node *node = element->node;
	bool deletes = element->operation == MODEL_DELETE || element->operation == MODEL_REMOVE;
	if (has_value(node)) {
		bool named = item && node->kind == SCHEMA_LEAF_LIST;
		element->value = named ? item->value : episode_value(making->episode, node);
		if (deletes && node->kind == SCHEMA_LEAF && soak_chance(making->soak, 50))
			element->value = NULL;
		return element->value || (deletes && node->kind == SCHEMA_LEAF);
	}
	if (!add_keys(making, element, item))
		return false;
	if (!deletes || soak_chance(making->soak, 10))
		fill(making, element, item, depth);
	return true;
}

static void make_child(struct making *making, struct model_element *parent, struct model_item *there,
		       unsigned depth)
{
	struct model_item *item = soak_chance(making->soak, 55) ? choose_item(making, there) : NULL;
	const struct schema_node *node = item ? item->node : choose_node(making, parent->node);
	if (!node)
		return;
	/* The decoder refuses what has one instance and is named twice. */
	bool single = node->kind != SCHEMA_LIST && node->kind != SCHEMA_LEAF_LIST;
	if (single && find_node(parent, node))
		return;
	for (struct model_item *child = there ? there->children : NULL; single && child;
	     child = child->next) {
		if (child->node == node)
			item = child;
	}
	struct model_element *element = add(making, parent, node);
	element->operation = choose_operation(making, node, item != NULL);
	if (!complete(making, element, item, depth)) {
		drop_last(parent);
		return;
	}
	choose_insert(making, element, there);
}

static void fill(struct making *making, struct model_element *element, struct model_item *item,
		 unsigned depth)
{
	unsigned count = depth > DEPTH_MAX ? 0 : soak_pick(making->soak, depth < 3 ? 4 : 5);
	for (count += depth<3; count> 0 && making->left > 0; count--)
		make_child(making, element, item, depth + 1);
	if (soak_chance(making->soak, 30))
		shuffle(making, element);
}

struct model_element *episode_edit(struct episode *episode)
{
	struct making making = {episode, episode->soak, ELEMENTS_MAX};
	struct model_element *top = arena_zalloc(episode->soak->round, sizeof(*top));
	top->node = episode->soak->schema->root;
	fill(&making, top, episode->now, 0);
	return top;
}
