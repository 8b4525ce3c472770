/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The model of helper_model.h. Rules are written down one by one, each as plainly as possible and without
 * regard to cost.
 */
#include "helper_model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/buffer.h"
#include "schema/type.h"

#define GROUP_MAX 8    /* elements of one container */
#define CHOICES_MAX 16 /* choices of one parent */

struct editing {
	struct arena *arena;
	const char *tags;
};

struct elements { /* the elements of one instance */
	const struct edit_node *nodes[GROUP_MAX];
	size_t length;
	enum edit_operation operation;
};

static void refuse(struct editing *editing, const char *tag)
{
	editing->tags = arena_printf(editing->arena, "%s%s%s", editing->tags, *editing->tags ? " " : "", tag);
}

static const char *text_of(struct arena *arena, struct value value)
{
	return arena_strdup(arena, value_bytes(&value));
}

struct model *model_new(const struct schema *schema, struct arena *arena)
{
	struct model *root = arena_zalloc(arena, sizeof(*root));
	root->schema = schema->root;
	return root;
}

static struct model *dup_tree(const struct model *from, struct arena *arena)
{
	struct model *copy = arena_zalloc(arena, sizeof(*copy));
	copy->schema = from->schema;
	copy->value = from->value ? arena_strdup(arena, bytes_of(from->value)) : NULL;
	for (int i = 0; i < 2; i++) {
		copy->keys[i] = from->keys[i] ? arena_strdup(arena, bytes_of(from->keys[i])) : NULL;
		copy->notes[i] = from->notes[i] ? arena_strdup(arena, bytes_of(from->notes[i])) : NULL;
	}
	struct model **end = &copy->first;
	for (const struct model *child = from->first; child; child = child->next) {
		*end = dup_tree(child, arena);
		end = &(*end)->next;
	}
	return copy;
}

/* Whether the instance is the one that the element is about. */
static bool is_same(struct editing *editing, const struct model *instance, const struct edit_node *element)
{
	if (instance->schema != element->schema)
		return false;
	if (instance->schema->kind == SCHEMA_LEAF_LIST)
		return strcmp(instance->value, text_of(editing->arena, element->value)) == 0;
	const struct edit_node *key = element->children;
	for (size_t i = 0; i < instance->schema->key_count; i++, key = key->next) {
		if (strcmp(instance->keys[i], text_of(editing->arena, key->value)) != 0)
			return false;
	}
	return true;
}

static struct model *find(struct editing *editing, struct model *parent, const struct edit_node *element)
{
	for (struct model *child = parent->first; child; child = child->next) {
		if (is_same(editing, child, element))
			return child;
	}
	for (struct model *child = parent->pending; child; child = child->next) {
		if (is_same(editing, child, element))
			return child;
	}
	return NULL;
}

static bool unlink_from(struct model **link, const struct model *child)
{
	while (*link && *link != child)
		link = &(*link)->next;
	bool found = *link != NULL;
	if (found)
		*link = child->next;
	return found;
}

static void unlink_child(struct model *parent, const struct model *child)
{
	if (!unlink_from(&parent->first, child))
		unlink_from(&parent->pending, child);
	parent->shrunk = true;
}

static void append(struct model **link, struct model *child)
{
	while (*link)
		link = &(*link)->next;
	*link = child;
	child->next = NULL;
}

static bool is_pending(const struct model *parent, const struct model *child)
{
	for (const struct model *other = parent->pending; other; other = other->next) {
		if (other == child)
			return true;
	}
	return false;
}

static struct model *add(struct editing *editing, struct model *parent, const struct edit_node *element)
{
	struct model *child = arena_zalloc(editing->arena, sizeof(*child));
	child->schema = element->schema;
	child->next = parent->first;
	parent->first = child;
	const struct edit_node *key = element->children;
	for (size_t i = 0; i < child->schema->key_count; i++, key = key->next)
		child->keys[i] = text_of(editing->arena, key->value);
	if (child->schema->kind == SCHEMA_LEAF || child->schema->kind == SCHEMA_LEAF_LIST)
		child->value = text_of(editing->arena, element->value);
	if (element->any)
		child->value = arena_strdup(editing->arena, text_bytes(element->any->xml));
	return child;
}

static bool is_named(struct editing *editing, const struct model *instance, const struct schema_node *schema,
		     const struct value *keys)
{
	if (instance->schema != schema)
		return false;
	for (size_t i = 0; i < schema->key_count; i++) {
		if (strcmp(instance->keys[i], text_of(editing->arena, keys[i])) != 0)
			return false;
	}
	return schema->kind == SCHEMA_LIST || strcmp(instance->value, text_of(editing->arena, keys[0])) == 0;
}

static bool is_its_own_anchor(struct editing *editing, const struct edit_node *element)
{
	struct model self = {.schema = element->schema};
	const struct edit_node *key = element->children;
	for (size_t i = 0; i < element->schema->key_count; i++, key = key->next)
		self.keys[i] = text_of(editing->arena, key->value);
	if (element->schema->kind == SCHEMA_LEAF_LIST)
		self.value = text_of(editing->arena, element->value);
	return is_named(editing, &self, element->schema, element->insert_keys);
}

/* The entry or value that is merged, replaced or created, in its place; made if it is not there. NULL, with
 * an error, where there is no such place. */
static struct model *put_in_place(struct editing *editing, struct model *parent,
				  const struct edit_node *element)
{
	struct model **link = &parent->first, *there = find(editing, parent, element);
	if (element->insert_keys) {
		while (*link && !is_named(editing, *link, element->schema, element->insert_keys))
			link = &(*link)->next;
		if (!*link || is_its_own_anchor(editing, element)) {
			refuse(editing, "bad-attribute");
			return NULL;
		}
	}
	if (there && !is_pending(parent, there) && !element->insert)
		return there;
	struct model *anchor = element->insert_keys ? *link : NULL;
	if (!there)
		there = add(editing, parent, element);
	if (!unlink_from(&parent->first, there))
		unlink_from(&parent->pending, there);
	if (element->insert == EDIT_INSERT_UNSPECIFIED || element->insert == EDIT_INSERT_LAST) {
		append(&parent->first, there);
		return there;
	}
	link = &parent->first;
	while (anchor && *link != anchor)
		link = &(*link)->next;
	if (element->insert == EDIT_INSERT_AFTER)
		link = &anchor->next;
	there->next = *link;
	*link = there;
	return there;
}

static enum edit_operation operation_of(const struct edit_node *element, enum edit_operation inherited)
{
	return element->operation ? (enum edit_operation)element->operation : inherited;
}

static bool brings_data(const struct edit_node *element, enum edit_operation operation)
{
	if (operation == EDIT_DELETE || operation == EDIT_REMOVE)
		return false;
	bool is_way = element->schema->kind == SCHEMA_CONTAINER && !element->schema->presence &&
		      element->children && !element->annotations;
	if (operation != EDIT_NONE && !is_way)
		return true;
	for (const struct edit_node *child = element->children; child; child = child->next) {
		if (!child->schema->is_key && brings_data(child, operation_of(child, operation)))
			return true;
	}
	return false;
}

static void apply_below(struct editing *editing, struct model *parent, const struct elements *elements);

/* Removes everything that no element names. */
static void keep_named(struct editing *editing, struct model *parent, const struct elements *elements)
{
	for (struct model *child = parent->first, *next; child; child = next) {
		next = child->next;
		bool named = false;
		for (size_t i = 0; i < elements->length; i++) {
			for (const struct edit_node *node = elements->nodes[i]->children; node;
			     node = node->next)
				named = named || is_same(editing, child, node);
		}
		if (!named) {
			unlink_child(parent, child);
		} else if (child->schema->user_ordered) {
			unlink_from(&parent->first, child);
			append(&parent->pending, child);
		}
	}
}

/* The element is one of the instance's. A replace or create begins with none. */
static void set_notes(struct editing *editing, struct model *instance, const struct edit_node *element)
{
	for (const struct edit_annotation *at = element->annotations; at; at = at->next)
		instance->notes[at->schema->index] = text_of(editing->arena, at->value);
}

static void clear_notes(struct model *instance, enum edit_operation operation,
			const struct elements *elements)
{
	if (operation != EDIT_REPLACE && operation != EDIT_CREATE)
		return;
	for (uint32_t n = 0; n < 2; n++) {
		bool given = false;
		for (size_t i = 0; i < elements->length; i++) {
			for (const struct edit_annotation *at = elements->nodes[i]->annotations; at;
			     at = at->next)
				given = given || at->schema->index == n;
		}
		instance->shrunk = instance->shrunk || (instance->notes[n] && !given);
		if (!given)
			instance->notes[n] = NULL;
	}
}

static void annotate(struct editing *editing, struct model *instance, const struct elements *elements)
{
	clear_notes(instance, elements->operation, elements);
	for (size_t i = 0; i < elements->length && elements->operation != EDIT_NONE; i++)
		set_notes(editing, instance, elements->nodes[i]);
}

static void apply_container(struct editing *editing, struct model *parent, const struct elements *elements)
{
	const struct edit_node *first = elements->nodes[0];
	const struct schema_node *schema = first->schema;
	enum edit_operation operation = elements->operation;
	struct model *there = find(editing, parent, first);
	if (operation == EDIT_DELETE || operation == EDIT_REMOVE) {
		if (there)
			unlink_child(parent, there);
		else if (operation == EDIT_DELETE)
			refuse(editing, "data-missing");
		return;
	}
	if (operation == EDIT_NONE && schema->presence && !there) {
		refuse(editing, "data-missing");
		return;
	}
	if (operation == EDIT_CREATE && there && (schema->presence || there->first)) {
		refuse(editing, "data-exists");
		return;
	}
	bool is_new = !there;
	struct model *container = there ? there : add(editing, parent, first);
	container->shrunk = false;
	if (operation == EDIT_REPLACE)
		keep_named(editing, container, elements);
	annotate(editing, container, elements);
	apply_below(editing, container, elements);
	bool stays = schema->presence || container->notes[0] || container->notes[1];
	for (size_t i = 0; i < elements->length && operation != EDIT_NONE; i++)
		stays = stays || (schema->in_case && brings_data(elements->nodes[i], operation));
	if (!container->first && !stays && (is_new || container->shrunk)) {
		bool shrunk = parent->shrunk;
		unlink_child(parent, container);
		/* A container that was never stored has not been taken away. */
		parent->shrunk = shrunk || container->shrunk;
	}
}

static void apply_entry(struct editing *editing, struct model *parent, const struct edit_node *element,
			enum edit_operation operation)
{
	struct model *there = find(editing, parent, element);
	if (operation == EDIT_NONE && !there) {
		refuse(editing, "data-missing");
		return;
	}
	if (operation == EDIT_CREATE && there) {
		refuse(editing, "data-exists");
		return;
	}
	struct model *entry = there			      ? there
			      : element->schema->user_ordered ? NULL
							      : add(editing, parent, element);
	if (element->schema->user_ordered && operation != EDIT_NONE)
		entry = put_in_place(editing, parent, element);
	if (!entry)
		return;
	const struct edit_node *key = element->children;
	for (size_t i = 0; i < element->schema->key_count; i++, key = key->next) {
		if (key->operation == EDIT_DELETE || key->operation == EDIT_REMOVE)
			refuse(editing, "bad-element");
		else if (key->operation == EDIT_CREATE && there)
			refuse(editing, "data-exists");
	}
	struct elements elements = {.nodes = {element}, .length = 1, .operation = operation};
	if (operation == EDIT_REPLACE)
		keep_named(editing, entry, &elements);
	annotate(editing, entry, &elements);
	apply_below(editing, entry, &elements);
}

/* A leaf, a leaf-list value, an any; deletions of entries too. */
static void apply_simple(struct editing *editing, struct model *parent, const struct edit_node *element,
			 enum edit_operation operation)
{
	struct model *there = find(editing, parent, element), *made = NULL;
	if (operation == EDIT_DELETE && !there)
		refuse(editing, "data-missing");
	else if (operation == EDIT_CREATE && there)
		refuse(editing, "data-exists");
	else if (operation == EDIT_DELETE || operation == EDIT_REMOVE) {
		if (there)
			unlink_child(parent, there);
	} else if (element->schema->user_ordered && operation != EDIT_NONE) {
		made = put_in_place(editing, parent, element);
	} else if (operation != EDIT_NONE) {
		bool shrunk = parent->shrunk;
		if (there)
			unlink_child(parent, there);
		parent->shrunk = shrunk;
		made = add(editing, parent, element);
		for (int i = 0; there && i < 2; i++)
			made->notes[i] = there->notes[i];
	}
	if (made)
		annotate(editing, made,
			 &(struct elements){.nodes = {element}, .length = 1, .operation = operation});
}

static void apply_one(struct editing *editing, struct model *parent, const struct elements *siblings,
		      const struct edit_node *element)
{
	enum edit_operation operation = operation_of(element, siblings->operation);
	bool deletes = operation == EDIT_DELETE || operation == EDIT_REMOVE;
	if (element->schema->is_key)
		return;
	if (element->insert && (deletes || operation == EDIT_NONE)) {
		refuse(editing, "bad-attribute");
		return;
	}
	if (element->schema->kind == SCHEMA_LIST && !deletes) {
		apply_entry(editing, parent, element, operation);
		return;
	}
	if (element->schema->kind != SCHEMA_CONTAINER) {
		apply_simple(editing, parent, element, operation);
		return;
	}
	struct elements same = {.operation = operation};
	for (size_t i = 0; i < siblings->length; i++) {
		for (const struct edit_node *node = siblings->nodes[i]->children; node; node = node->next) {
			if (node->schema != element->schema)
				continue;
			if (same.length == 0 && node != element)
				return; /* it was taken together with that one */
			if (operation_of(node, siblings->operation) != operation) {
				refuse(editing, "bad-element");
				continue;
			}
			ASSERT(same.length < GROUP_MAX);
			same.nodes[same.length++] = node;
		}
	}
	apply_container(editing, parent, &same);
}

struct chosen {
	const struct schema_case *cases[CHOICES_MAX];
	size_t length;
};

static const struct schema_case *chosen_for(const struct chosen *chosen, const struct schema_choice *choice)
{
	for (size_t i = 0; i < chosen->length; i++) {
		if (chosen->cases[i]->choice == choice)
			return chosen->cases[i];
	}
	return NULL;
}

static bool is_lost(const struct chosen *chosen, const struct schema_node *schema)
{
	for (const struct schema_case *c = schema->in_case; c; c = c->choice->outer) {
		const struct schema_case *other = chosen_for(chosen, c->choice);
		if (other && other != c)
			return true;
	}
	return false;
}

/* Inner choices first; those that were chosen before a contradiction outside stay chosen. */
static bool choose(struct chosen *chosen, const struct schema_node *schema)
{
	for (const struct schema_case *c = schema->in_case; c; c = c->choice->outer) {
		const struct schema_case *other = chosen_for(chosen, c->choice);
		if (other && other != c)
			return false;
		ASSERT(chosen->length < CHOICES_MAX);
		if (!other)
			chosen->cases[chosen->length++] = c;
	}
	return true;
}

static void apply_below(struct editing *editing, struct model *parent, const struct elements *elements)
{
	struct chosen chosen = {.length = 0};
	for (size_t i = 0; i < elements->length; i++) {
		for (const struct edit_node *node = elements->nodes[i]->children; node; node = node->next) {
			if (brings_data(node, operation_of(node, elements->operation)) &&
			    !choose(&chosen, node->schema))
				refuse(editing, "bad-element");
		}
	}
	for (int lost = 1; lost >= 0; lost--) {
		for (size_t i = 0; i < elements->length; i++) {
			for (const struct edit_node *node = elements->nodes[i]->children; node;
			     node = node->next) {
				if (is_lost(&chosen, node->schema) == lost)
					apply_one(editing, parent, elements, node);
			}
		}
		for (struct model *child = parent->first, *next; lost && child; child = next) {
			next = child->next;
			if (is_lost(&chosen, child->schema))
				unlink_child(parent, child);
		}
	}
}

struct model_result model_apply(const struct model *base, const struct edit_tree *edit,
				enum edit_operation default_operation, struct arena *arena)
{
	struct editing editing = {.arena = arena, .tags = ""};
	struct model *root = dup_tree(base, arena);
	struct elements top = {.nodes = {edit->top}, .length = 1, .operation = default_operation};
	if (default_operation == EDIT_REPLACE)
		keep_named(&editing, root, &top);
	apply_below(&editing, root, &top);
	return (struct model_result){.root = *editing.tags ? NULL : root, .tags = editing.tags};
}

static int compare_values(const struct schema_node *leaf, const char *a, const char *b)
{
	if (schema_type_base(leaf->type) == BASE_STRING)
		return strcmp(a, b);
	long long x = strtoll(a, NULL, 10), y = strtoll(b, NULL, 10);
	return (x > y) - (x < y);
}

static int compare_instances(const void *left, const void *right)
{
	const struct model *a = *(const struct model *const *)left, *b = *(const struct model *const *)right;
	if (a->schema != b->schema)
		return a->schema->slot - b->schema->slot;
	if (a->schema->user_ordered)
		return (a->place > b->place) - (a->place < b->place);
	if (a->schema->kind == SCHEMA_LEAF_LIST)
		return compare_values(a->schema, a->value, b->value);
	for (size_t i = 0; i < a->schema->key_count; i++) {
		int order = compare_values(a->schema->children[i], a->keys[i], b->keys[i]);
		if (order != 0)
			return order;
	}
	return 0;
}

static void put(struct buffer *out, const char *text)
{
	ASSERT(buffer_append(out, bytes_of(text)) == ST_OK);
}

static void dump_notes(const struct model *instance, struct buffer *out)
{
	static const char *const names[] = {"#note=", "#rank="};
	for (int i = 0; i < 2; i++) {
		put(out, instance->notes[i] ? names[i] : "");
		put(out, instance->notes[i] ? instance->notes[i] : "");
	}
}

static void dump_below(struct model *parent, struct buffer *out, struct arena *arena)
{
	size_t length = 0;
	for (struct model *child = parent->first; child; child = child->next)
		child->place = length++;
	struct model **sorted = arena_alloc(arena, (length + 1) * sizeof(*sorted));
	length = 0;
	for (struct model *child = parent->first; child; child = child->next)
		sorted[length++] = child;
	qsort(sorted, length, sizeof(*sorted), compare_instances);
	for (size_t i = 0; i < length; i++) {
		struct model *child = sorted[i];
		put(out, i == 0 ? "" : " ");
		put(out, child->schema->name);
		for (size_t k = 0; k < child->schema->key_count; k++) {
			put(out, k == 0 ? "[" : ",");
			put(out, child->keys[k]);
		}
		put(out, child->schema->kind == SCHEMA_LIST ? "]" : "");
		if (child->value) {
			put(out, "=");
			put(out, child->value);
			dump_notes(child, out);
		} else {
			dump_notes(child, out);
			put(out, "{");
			dump_below(child, out, arena);
			put(out, "}");
		}
	}
}

char *model_dump(struct model *root, struct arena *arena)
{
	struct buffer out;
	buffer_init(&out, SIZE_MAX);
	dump_below(root, &out, arena);
	char *text = arena_strdup(arena, buffer_get(&out));
	buffer_fini(&out);
	return text;
}
