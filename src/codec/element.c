/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The element tree of an operation's parameters and of filters. The builder copies all that it keeps into the
 * arena, since the reader's strings live for one event. Text of an element may come in pieces: it is joined
 * in room that doubles, and what counts against the limit is that room.
 *
 * Invariant: size_left is what the caller allowed less what the tree takes, so a client cannot make more of
 * it.
 */
#include "codec/element.h"

#include "base/assert.h"

#define TEXT_ROOM_MIN 64 /* bytes */

/* The element with what only the builder needs to know. */
struct built_element {
	struct element element; /* first: what callers see */
	size_t text_room;	/* bytes at element.text.data */
	const char *ns_source;	/* the reader's string that element.ns is a copy of */
};

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* NULL at the limit. */
static void *take(struct element_builder *builder, size_t size)
{
	if (size > builder->size_left)
		return NULL;
	builder->size_left -= size;
	return arena_alloc(builder->arena, size);
}

static bool copy(struct element_builder *builder, struct bytes source, struct bytes *target)
{
	if (source.size == 0) {
		*target = (struct bytes){"", 0};
		return true;
	}
	char *data = take(builder, source.size);
	if (!data)
		return false;
	memcpy(data, source.data, source.size);
	*target = (struct bytes){data, source.size};
	return true;
}

/* Mostly it is the parent's. */
static bool copy_namespace(struct element_builder *builder, const struct xml_start *start,
			   struct element *element)
{
	const struct built_element *parent = (const struct built_element *)builder->current;
	if (parent == NULL || parent->ns_source != start->ns.data)
		return copy(builder, start->ns, &element->ns);
	element->ns = parent->element.ns;
	return true;
}

static bool copy_attributes(struct element_builder *builder, const struct xml_start *start,
			    struct element *element)
{
	size_t count = start->attribute_count;
	if (count == 0)
		return true;
	element->attributes = take(builder, count * sizeof(*element->attributes));
	if (!element->attributes)
		return false;
	element->attribute_count = count;
	for (size_t i = 0; i < count; i++) {
		const struct xml_attribute *from = &start->attributes[i];
		struct xml_attribute *to = &element->attributes[i];
		if (!copy(builder, from->prefix, &to->prefix) || !copy(builder, from->ns, &to->ns) ||
		    !copy(builder, from->name, &to->name) || !copy(builder, from->value, &to->value))
			return false;
	}
	return true;
}

static bool copy_namespaces(struct element_builder *builder, const struct xml_start *start,
			    struct element *element)
{
	size_t count = start->namespace_count;
	if (count == 0)
		return true;
	element->namespaces = take(builder, count * sizeof(*element->namespaces));
	if (!element->namespaces)
		return false;
	element->namespace_count = count;
	for (size_t i = 0; i < count; i++) {
		if (!copy(builder, start->namespaces[i].prefix, &element->namespaces[i].prefix) ||
		    !copy(builder, start->namespaces[i].uri, &element->namespaces[i].uri))
			return false;
	}
	return true;
}

static void append_child(struct element *parent, struct element *child)
{
	child->parent = parent;
	if (parent->last_child)
		parent->last_child->next = child;
	else
		parent->children = child;
	parent->last_child = child;
}

void element_builder_init(struct element_builder *builder, struct arena *arena, size_t size_limit)
{
	*builder = (struct element_builder){.arena = arena, .size_left = size_limit};
}

enum status element_builder_start(struct element_builder *builder, const struct xml_start *start)
{
	ASSERT(builder->current || !builder->root);
	/* The name is behind it. */
	struct built_element *built = take(builder, sizeof(*built) + start->name.size);
	if (!built)
		return ST_LIMIT;
	*built = (struct built_element){.element.text = {"", 0}, .ns_source = start->ns.data};
	struct element *element = &built->element;
	element->name = (struct bytes){(const char *)(built + 1), start->name.size};
	memcpy(built + 1, start->name.data, start->name.size);
	if (!copy_namespace(builder, start, element) || !copy_attributes(builder, start, element) ||
	    !copy_namespaces(builder, start, element))
		return ST_LIMIT;
	if (builder->current)
		append_child(builder->current, element);
	else
		builder->root = element;
	builder->current = element;
	return ST_OK;
}

enum status element_builder_text(struct element_builder *builder, struct bytes text)
{
	ASSERT(builder->current);
	struct built_element *built = (struct built_element *)builder->current;
	struct bytes *own = &built->element.text;
	if (text.size > built->text_room - own->size) {
		if (text.size > builder->size_left)
			return ST_LIMIT;
		size_t room = 2 * (own->size + text.size);
		if (room < TEXT_ROOM_MIN)
			room = TEXT_ROOM_MIN;
		char *data = take(builder, room);
		if (!data)
			return ST_LIMIT;
		if (own->size > 0)
			memcpy(data, own->data, own->size);
		own->data = data;
		built->text_room = room;
	}
	if (text.size > 0)
		memcpy((char *)own->data + own->size, text.data, text.size);
	own->size += text.size;
	return ST_OK;
}

void element_builder_end(struct element_builder *builder)
{
	ASSERT(builder->current);
	builder->current = builder->current->parent;
}

static enum status on_start(void *arg, const struct xml_start *start)
{
	return element_builder_start(arg, start);
}

static enum status on_end(void *arg)
{
	element_builder_end(arg);
	return ST_OK;
}

static enum status on_text(void *arg, struct bytes text)
{
	return element_builder_text(arg, text);
}

const struct xml_handlers element_builder_handlers = {on_start, on_end, on_text};

struct element *element_find(const struct element *parent, const char *ns, const char *name,
			     const struct element *after)
{
	struct bytes want_ns = bytes_of(ns);
	struct bytes want_name = bytes_of(name);
	for (struct element *child = after ? after->next : parent->children; child; child = child->next) {
		if (bytes_equal(child->name, want_name) && bytes_equal(child->ns, want_ns))
			return child;
	}
	return NULL;
}

struct bytes element_text_trimmed(const struct element *element)
{
	struct bytes text = element->text;
	while (text.size > 0 && is_blank(text.data[0])) {
		text.data++;
		text.size--;
	}
	while (text.size > 0 && is_blank(text.data[text.size - 1]))
		text.size--;
	return text;
}

struct bytes element_resolve(const struct element *element, struct bytes prefix)
{
	for (; element; element = element->parent) {
		for (size_t i = 0; i < element->namespace_count; i++) {
			const struct xml_namespace *found = &element->namespaces[i];
			if (bytes_equal(found->prefix, prefix))
				return found->uri.size > 0 ? found->uri : (struct bytes){0};
		}
	}
	return (struct bytes){0};
}
