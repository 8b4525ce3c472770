/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The rules of edit-config, each written down as plainly as possible and without regard to cost.
 *
 * An edit is applied to a copy, parent by parent. Under a parent, the instances wait in its list of children;
 * a replace first throws away those that the request does not name, and sets the user-ordered ones aside
 * (`aside`) until an element puts them in place, so that the order written is the order that results.
 */
#include "model.h"

#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/buffer.h"
#include "soak/soak.h"

enum { CASES_MAX = 64 /* chosen under one parent */ };

struct editing {
	struct arena *arena;
	const char *errors;
	size_t error_count;
};

/* The instance that is worked in, and the element about it. */
struct place {
	struct model_item *item;
	struct model_item *aside; /* children that a replace keeps and that have no place yet */
	const struct model_element *element;
	enum model_operation operation;
	bool lost; /* something below was taken away */
	const char *path;
};

/* ---- what is there */

const char *model_item_key(const struct model_item *entry, const struct schema_node *key)
{
	for (const struct model_item *child = entry->children; child; child = child->next) {
		if (child->node == key)
			return child->value;
	}
	return NULL;
}

const char *model_element_key(const struct model_element *entry, const struct schema_node *key)
{
	for (const struct model_element *child = entry->children; child; child = child->next) {
		if (child->node == key)
			return child->value;
	}
	return NULL;
}

struct model_item *model_dup(const struct model_item *item, struct arena *arena)
{
	struct model_item *copy = arena_zalloc(arena, sizeof(*copy)), **end = &copy->children;
	copy->node = item->node;
	copy->value = item->value ? arena_strdup(arena, bytes_of(item->value)) : NULL;
	for (const struct model_item *child = item->children; child; child = child->next) {
		*end = model_dup(child, arena);
		end = &(*end)->next;
	}
	return copy;
}

size_t model_size(const struct model_item *item)
{
	size_t size = 1;
	for (const struct model_item *child = item->children; child; child = child->next)
		size += model_size(child);
	return size;
}

/* As XPath has it, which knows no escapes: a value with both kinds of quotes is put together, each run of
 * single ones in double ones. */
static const char *literal(struct arena *arena, const char *value)
{
	if (!strchr(value, '\''))
		return arena_printf(arena, "'%s'", value);
	if (!strchr(value, '"'))
		return arena_printf(arena, "\"%s\"", value);
	const char *out = "concat(";
	for (const char *at = value; *at;) {
		size_t quotes = strspn(at, "'"), size = quotes ? quotes : strcspn(at, "'");
		const char *before = at > value ? ", " : "", *quote = quotes ? "\"" : "'";
		out = arena_printf(arena, "%s%s%s%.*s%s", out, before, quote, (int)size, at, quote);
		at += size;
	}
	return arena_printf(arena, "%s)", out);
}

/* The name of an instance below its parent: what tells it from others of its node. Values have the form that
 * a client is told them in (RFC 6241 4.3: an expression in the context of its XML). */
static const char *identity(struct arena *arena, const struct schema_node *node, const char *value,
			    const char *(*key_of)(const void *, const struct schema_node *),
			    const void *entry)
{
	const char *text = arena_printf(arena, "/%s:%s", node->module->name, node->name);
	if (node->kind == SCHEMA_LEAF_LIST && value)
		return arena_printf(arena, "%s[.=%s]", text,
				    literal(arena, soak_value_xml(node, value, arena)));
	for (size_t i = 0; i < node->key_count; i++) {
		const struct schema_node *key = node->children[i];
		const char *is = soak_value_xml(key, key_of(entry, key), arena);
		text = arena_printf(arena, "%s[%s:%s=%s]", text, key->module->name, key->name,
				    literal(arena, is));
	}
	return text;
}

static const char *key_of_item(const void *entry, const struct schema_node *key)
{
	return model_item_key(entry, key);
}

static const char *key_of_element(const void *entry, const struct schema_node *key)
{
	return model_element_key(entry, key);
}

static const char *name_of(struct arena *arena, const struct model_item *item)
{
	return identity(arena, item->node, item->value, key_of_item, item);
}

static const char *name_of_element(struct arena *arena, const struct model_element *element)
{
	return identity(arena, element->node, element->value, key_of_element, element);
}

static bool is_about(struct editing *editing, const struct model_element *element,
		     const struct model_item *item)
{
	return element->node == item->node &&
	       strcmp(name_of_element(editing->arena, element), name_of(editing->arena, item)) == 0;
}

static struct model_item **find_in(struct editing *editing, struct model_item **list,
				   const struct model_element *element)
{
	while (*list && !is_about(editing, element, *list))
		list = &(*list)->next;
	return list;
}

static struct model_item *find(struct editing *editing, struct place *place,
			       const struct model_element *element)
{
	struct model_item *found = *find_in(editing, &place->item->children, element);
	return found ? found : *find_in(editing, &place->aside, element);
}

static void refuse(struct editing *editing, const char *tag, const char *path)
{
	editing->errors = arena_printf(editing->arena, "%s%s %s\n", editing->errors, tag, path);
	editing->error_count++;
}

static void refuse_element(struct editing *editing, const struct place *place, const char *tag,
			   const struct model_element *element)
{
	refuse(editing, tag,
	       arena_printf(editing->arena, "%s%s", place->path, name_of_element(editing->arena, element)));
}

/* ---- changing a list of instances */

static void take_out(struct model_item **list, const struct model_item *item)
{
	while (*list && *list != item)
		list = &(*list)->next;
	if (*list)
		*list = item->next;
}

static void append(struct model_item **list, struct model_item *item)
{
	while (*list)
		list = &(*list)->next;
	item->next = NULL;
	*list = item;
}

static void delete_item(struct place *place, const struct model_item *item)
{
	take_out(&place->item->children, item);
	take_out(&place->aside, item);
	place->lost = true;
}

static struct model_item *make_item(struct editing *editing, const struct model_element *element)
{
	struct model_item *item = arena_zalloc(editing->arena, sizeof(*item));
	item->node = element->node;
	item->value = element->value;
	for (size_t i = 0; i < element->node->key_count; i++) {
		struct model_item *key = arena_zalloc(editing->arena, sizeof(*key));
		key->node = element->node->children[i];
		key->value = model_element_key(element, key->node);
		append(&item->children, key);
	}
	return item;
}

/* ---- places of user-ordered entries (RFC 7950 7.7.9, 7.8.6) */

static bool has_keys(const struct model_item *item, const char *const *anchor)
{
	if (item->node->kind == SCHEMA_LEAF_LIST)
		return strcmp(item->value, anchor[0]) == 0;
	for (size_t i = 0; i < item->node->key_count; i++) {
		if (strcmp(model_item_key(item, item->node->children[i]), anchor[i]) != 0)
			return false;
	}
	return true;
}

/* The link to the first child that is of the node and, where there are keys, has these. */
static struct model_item **link_to(struct place *place, const struct schema_node *node, const char **anchor)
{
	struct model_item **link = &place->item->children;
	while (*link && !((*link)->node == node && (!anchor || has_keys(*link, anchor))))
		link = &(*link)->next;
	return link;
}

/* The anchor that the element names is there, has its place, and is another one. */
static bool anchor_is_good(struct place *place, const struct model_element *element,
			   const struct model_item *itself)
{
	struct model_item *anchor = *link_to(place, element->node, element->anchor);
	return anchor && anchor != itself;
}

/* Moves the instance, or makes one, where the element wants it; NULL where that is nowhere. */
static struct model_item *put_in_place(struct editing *editing, struct place *place,
				       const struct model_element *element)
{
	struct model_item *item = *find_in(editing, &place->item->children, element);
	bool has_place = item != NULL;
	if (!item)
		item = *find_in(editing, &place->aside, element);
	bool next_to = element->insert == MODEL_BEFORE || element->insert == MODEL_AFTER;
	if (next_to && !anchor_is_good(place, element, item)) {
		refuse_element(editing, place, "bad-attribute", element);
		return NULL;
	}
	if (has_place && element->insert == MODEL_ANYWHERE)
		return item;
	if (!item)
		item = make_item(editing, element);
	take_out(&place->item->children, item);
	take_out(&place->aside, item);
	if (element->insert == MODEL_ANYWHERE || element->insert == MODEL_LAST) {
		append(&place->item->children, item);
		return item;
	}
	struct model_item **link =
		link_to(place, element->node, element->insert == MODEL_FIRST ? NULL : element->anchor);
	if (element->insert == MODEL_AFTER)
		link = &(*link)->next;
	item->next = *link;
	*link = item;
	return item;
}

/* ---- choices (RFC 7950 7.9) */

static enum model_operation operation_of(const struct model_element *element, enum model_operation inherited)
{
	return element->operation == MODEL_INHERIT ? inherited : element->operation;
}

static bool is_deletion(enum model_operation operation)
{
	return operation == MODEL_DELETE || operation == MODEL_REMOVE;
}

/* Whether the element gives data to the configuration. A container without presence that has elements is
 * nothing but the way to them. */
static bool gives_data(const struct model_element *element, enum model_operation operation)
{
	bool is_way =
		element->node->kind == SCHEMA_CONTAINER && !element->node->presence && element->children;
	if (is_deletion(operation))
		return false;
	if (operation != MODEL_NONE && !is_way)
		return true;
	for (const struct model_element *child = element->children; child; child = child->next) {
		if (!child->node->is_key && gives_data(child, operation_of(child, operation)))
			return true;
	}
	return false;
}

struct chosen {
	const struct schema_case *cases[CASES_MAX];
	size_t count;
};

/* Whether the node is in another case of a choice than the one chosen there. */
static bool is_excluded(const struct chosen *chosen, const struct schema_node *node)
{
	for (const struct schema_case *in = node->in_case; in; in = in->choice->outer) {
		for (size_t i = 0; i < chosen->count; i++) {
			if (chosen->cases[i]->choice == in->choice && chosen->cases[i] != in)
				return true;
		}
	}
	return false;
}

static void choose_for(struct editing *editing, const struct place *place, struct chosen *chosen,
		       const struct model_element *element)
{
	if (!gives_data(element, operation_of(element, place->operation)))
		return;
	if (is_excluded(chosen, element->node))
		refuse_element(editing, place, "bad-element", element);
	for (const struct schema_case *in = element->node->in_case; in; in = in->choice->outer) {
		bool is_known = false;
		for (size_t i = 0; i < chosen->count; i++)
			is_known |= chosen->cases[i]->choice == in->choice;
		ASSERT(is_known || chosen->count < CASES_MAX);
		if (!is_known)
			chosen->cases[chosen->count++] = in;
	}
}

/* ---- one element */

static void apply_below(struct editing *editing, struct place *place);

static bool is_named(struct editing *editing, const struct place *place, const struct model_item *item)
{
	const struct model_element *child = place->element->children;
	while (child && !is_about(editing, child, item))
		child = child->next;
	return child != NULL;
}

static void begin_replace(struct editing *editing, struct place *place)
{
	for (struct model_item *child = place->item->children, *next; child; child = next) {
		next = child->next;
		if (child->node->is_key)
			continue;
		if (!is_named(editing, place, child)) {
			delete_item(place, child);
		} else if (child->node->user_ordered) {
			take_out(&place->item->children, child);
			append(&place->aside, child);
		}
	}
}

static const char *path_below(struct editing *editing, const struct place *place,
			      const struct model_item *item)
{
	return arena_printf(editing->arena, "%s%s", place->path, name_of(editing->arena, item));
}

/* Without presence and empty, a container is nothing, unless it stands for its case. */
static void drop_empty(struct place *parent, struct place *place, bool existed)
{
	const struct schema_node *node = place->item->node;
	bool is_named = node->in_case && place->operation != MODEL_NONE &&
			gives_data(place->element, place->operation);
	if (node->presence || place->item->children || is_named || (existed && !place->lost))
		return;
	bool lost = parent->lost;
	delete_item(parent, place->item);
	parent->lost = lost || place->lost;
}

static void apply_container(struct editing *editing, struct place *parent,
			    const struct model_element *element, enum model_operation operation)
{
	const struct schema_node *node = element->node;
	struct model_item *there = find(editing, parent, element);
	if (operation == MODEL_NONE && node->presence && !there) {
		refuse_element(editing, parent, "data-missing", element);
		return;
	}
	if (operation == MODEL_CREATE && there && (node->presence || there->children)) {
		refuse_element(editing, parent, "data-exists", element);
		return;
	}
	struct place place = {.item = there, .element = element, .operation = operation};
	if (!there) {
		place.item = make_item(editing, element);
		append(&parent->item->children, place.item);
	}
	place.path = path_below(editing, parent, place.item);
	if (operation == MODEL_REPLACE)
		begin_replace(editing, &place);
	apply_below(editing, &place);
	drop_empty(parent, &place, there != NULL);
}

static void check_keys(struct editing *editing, const struct place *place, bool existed)
{
	for (const struct model_element *key = place->element->children; key; key = key->next) {
		if (!key->node->is_key)
			continue;
		if (is_deletion(key->operation))
			refuse_element(editing, place, "bad-element", key);
		else if (key->operation == MODEL_CREATE && existed)
			refuse_element(editing, place, "data-exists", key);
	}
}

static void apply_entry(struct editing *editing, struct place *parent, const struct model_element *element,
			enum model_operation operation)
{
	struct model_item *there = find(editing, parent, element);
	if (operation == MODEL_NONE && !there) {
		refuse_element(editing, parent, "data-missing", element);
		return;
	}
	if (operation == MODEL_CREATE && there) {
		refuse_element(editing, parent, "data-exists", element);
		return;
	}
	struct place place = {.element = element, .operation = operation, .item = there};
	if (element->node->user_ordered && operation != MODEL_NONE) {
		place.item = put_in_place(editing, parent, element);
	} else if (!there) {
		place.item = make_item(editing, element);
		append(&parent->item->children, place.item);
	}
	if (!place.item)
		return;
	place.path = path_below(editing, parent, place.item);
	check_keys(editing, &place, there != NULL);
	if (operation == MODEL_REPLACE)
		begin_replace(editing, &place);
	apply_below(editing, &place);
}

/* A leaf, a leaf-list's value, an anydata or anyxml, or a deletion. */
static void apply_simple(struct editing *editing, struct place *parent, const struct model_element *element,
			 enum model_operation operation)
{
	struct model_item *there = find(editing, parent, element);
	if (operation == MODEL_NONE)
		return;
	if (is_deletion(operation)) {
		if (there)
			delete_item(parent, there);
		else if (operation == MODEL_DELETE)
			refuse_element(editing, parent, "data-missing", element);
		return;
	}
	if (operation == MODEL_CREATE && there) {
		refuse_element(editing, parent, "data-exists", element);
		return;
	}
	if (element->node->user_ordered) {
		put_in_place(editing, parent, element);
		return;
	}
	if (there)
		take_out(&parent->item->children, there);
	append(&parent->item->children, make_item(editing, element));
}

static void apply_element(struct editing *editing, struct place *parent, const struct model_element *element)
{
	enum model_operation operation = operation_of(element, parent->operation);
	if (element->node->is_key)
		return;
	if (element->insert != MODEL_ANYWHERE && (is_deletion(operation) || operation == MODEL_NONE))
		refuse_element(editing, parent, "bad-attribute", element);
	else if (element->node->kind == SCHEMA_CONTAINER && !is_deletion(operation))
		apply_container(editing, parent, element, operation);
	else if (element->node->kind == SCHEMA_LIST && !is_deletion(operation))
		apply_entry(editing, parent, element, operation);
	else
		apply_simple(editing, parent, element, operation);
}

static void apply_to_cases(struct editing *editing, struct place *place, const struct chosen *chosen,
			   bool excluded)
{
	for (const struct model_element *child = place->element->children; child; child = child->next) {
		if (is_excluded(chosen, child->node) == excluded)
			apply_element(editing, place, child);
	}
}

/* The deletion of an old case stands beside the new one in any order: so what is excluded comes first. */
static void apply_below(struct editing *editing, struct place *place)
{
	struct chosen chosen = {.count = 0};
	for (const struct model_element *child = place->element->children; child; child = child->next)
		choose_for(editing, place, &chosen, child);
	apply_to_cases(editing, place, &chosen, true);
	for (struct model_item *child = place->item->children, *next; child; child = next) {
		next = child->next;
		if (is_excluded(&chosen, child->node))
			delete_item(place, child);
	}
	apply_to_cases(editing, place, &chosen, false);
	/* Where one could not be put in its place; what comes after looks for it all the same. */
	while (place->aside) {
		struct model_item *item = place->aside;
		place->aside = item->next;
		append(&place->item->children, item);
	}
}

struct model_result model_apply(const struct model_item *base, const struct model_element *edit,
				enum model_operation default_operation, struct arena *arena)
{
	struct editing editing = {.arena = arena, .errors = ""};
	struct place top = {
		.item = model_dup(base, arena), .element = edit, .operation = default_operation, .path = ""};
	if (default_operation == MODEL_REPLACE)
		begin_replace(&editing, &top);
	apply_below(&editing, &top);
	return (struct model_result){.root = editing.error_count > 0 ? NULL : top.item,
				     .errors = editing.errors,
				     .error_count = editing.error_count};
}

/* ---- as text */

struct line {
	const struct schema_node *node;
	size_t place;
	const char *text;
};

static int compare_lines(const void *left, const void *right)
{
	const struct line *a = left, *b = right;
	if (a->node != b->node)
		return a->node->id < b->node->id ? -1 : 1;
	if (a->node->user_ordered)
		return a->place < b->place ? -1 : a->place > b->place;
	return strcmp(a->text, b->text);
}

const char *model_text(const struct model_item *item, struct arena *arena)
{
	size_t count = 0;
	for (const struct model_item *child = item->children; child; child = child->next)
		count++;
	struct line *lines = arena_alloc(arena, (count + 1) * sizeof(*lines));
	count = 0;
	for (const struct model_item *child = item->children; child; child = child->next, count++)
		lines[count] = (struct line){child->node, count, model_text(child, arena)};
	if (count > 1)
		qsort(lines, count, sizeof(*lines), compare_lines);
	struct buffer out;
	buffer_init(&out, SIZE_MAX);
	(void)!buffer_printf(&out, "%s", item->node->parent ? item->node->name : "data");
	if (item->value)
		(void)!buffer_printf(&out, "=\"%s\"", item->value);
	for (size_t i = 0; i < count; i++)
		(void)!buffer_printf(&out, "%s%s", i == 0 ? "{" : " ", lines[i].text);
	(void)!buffer_append(&out, bytes_of(count > 0 ? "}" : ""));
	const char *text = arena_strdup(arena, buffer_get(&out));
	buffer_fini(&out);
	return text;
}
