/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * A small element tree in an arena, for parameters and filters (never for configuration). Built from reader
 * events with a limit on its size.
 */
#include "base/arena.h"
#include "codec/xml_reader.h"

struct element {
	struct element *parent, *next, *children, *last_child;
	struct bytes ns, name; /* in the arena */
	struct xml_attribute *attributes;
	size_t attribute_count;
	struct xml_namespace *namespaces; /* declared on it */
	size_t namespace_count;
	struct bytes text; /* all its own text, pieces joined */
};

struct element_builder {
	struct arena *arena;
	struct element *root, *current; /* NULL before the first start and after the last end */
	size_t size_left;		/* bytes that may still be used */
};

/* Borrows the arena, which holds the tree. The builder's elements are larger than struct element; make none
 * by hand for it. */
void element_builder_init(struct element_builder *builder, struct arena *arena, size_t size_limit);
/* Events in the order in which the reader gives them. Fails: ST_LIMIT where size_left is used up. */
enum status element_builder_start(struct element_builder *builder, const struct xml_start *start) MUST_USE;
enum status element_builder_text(struct element_builder *builder, struct bytes text) MUST_USE;
void element_builder_end(struct element_builder *builder);
/* For a reader whose arg is the builder. */
extern const struct xml_handlers element_builder_handlers;
/* First child with that namespace and name (after `after` or from the start); NULL: none. */
struct element *element_find(const struct element *parent, const char *ns, const char *name,
			     const struct element *after);
/* Text without blanks around. */
struct bytes element_text_trimmed(const struct element *element);
/* The URI of a prefix in scope at the element, declarations of its ancestors in the tree included; data NULL:
 * none. */
struct bytes element_resolve(const struct element *element, struct bytes prefix);
